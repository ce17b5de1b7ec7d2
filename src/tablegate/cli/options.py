"""The options that commands share, for Typer."""

from __future__ import annotations

from typing import Annotated

import typer

Inputs = Annotated[
    list[str] | None,
    typer.Argument(metavar="INPUT", hidden=True),
]
Packs = Annotated[
    list[str] | None, typer.Option("--pack", metavar="NAME", help="load this installed pack too (repeatable)")
]
Policies = Annotated[
    list[str] | None,
    typer.Option("--policies", metavar="PATH", help="load policies from this file or folder: runs its code"),
]
ConfigFile = Annotated[str | None, typer.Option("--config", metavar="FILE", help="read this configuration")]
NoConfig = Annotated[bool, typer.Option("--no-config", help="look for no configuration")]
ConfigRef = Annotated[
    str | None,
    typer.Option(
        "--config-ref",
        metavar="REF",
        help="read the configuration from this git ref; what the working tree holds may only tighten it",
    ),
]
Untrusted = Annotated[
    bool, typer.Option("--untrusted", help="the working tree is a stranger's: demand --config or --config-ref")
]
Params = Annotated[
    list[str] | None,
    typer.Option("--params", metavar="FILE", help="values of CloudFormation parameters (repeatable)"),
]
Param = Annotated[list[str] | None, typer.Option("--param", metavar="K=V", help="one such value (repeatable)")]
VarFile = Annotated[
    list[str] | None,
    typer.Option("--var-file", metavar="FILE", help="values of the variables of Terraform source (repeatable)"),
]
Var = Annotated[list[str] | None, typer.Option("--var", metavar="K=V", help="one such value (repeatable)")]
Trust = Annotated[
    bool, typer.Option("--trust-modules", help="read the modules that terraform init put beside Terraform source")
]
Nested = Annotated[
    list[str] | None,
    typer.Option("--nested", metavar="ID=FILE", help="the template of a nested stack, by its logical id (repeatable)"),
]
Template = Annotated[
    str | None, typer.Option("--template", metavar="FILE", help="the template that a change set was made of")
]
SourceFolder = Annotated[
    str | None,
    typer.Option("--source", metavar="DIR", help="the source a plan was made of (default: the plan's own folder)"),
]
PlanFile = Annotated[
    str | None,
    typer.Option("--plan-file", metavar="FILE", help="take that source from what terraform plan -out saved"),
]
Region = Annotated[str | None, typer.Option("--region", metavar="NAME", help="the region of the deploy")]
Account = Annotated[str | None, typer.Option("--account", metavar="ID", help="the account of the deploy")]
Defaults = Annotated[
    bool, typer.Option("--assume-defaults", help="take the defaults of parameters and variables as given")
]
Partial = Annotated[
    bool, typer.Option("--allow-partial", help="judge plans that are targeted, errored, deferred or redacted")
]
StdinName = Annotated[str | None, typer.Option("--stdin-filename", metavar="NAME", help="what reports call -")]
Select = Annotated[
    list[str] | None, typer.Option("--select", metavar="WORD", help="run only these: an id, name, family or severity")
]
ExtendSelect = Annotated[
    list[str] | None, typer.Option("--extend-select", metavar="WORD", help="run these too (repeatable)")
]
Ignore = Annotated[list[str] | None, typer.Option("--ignore", metavar="WORD", help="do not run these (repeatable)")]
FailOn = Annotated[
    str | None,
    typer.Option("--fail-on", metavar="LEVEL", help="block from critical, high (default), medium, low or info; never"),
]
Unknown = Annotated[
    str | None,
    typer.Option("--unknown", metavar="MODE", help="what cannot be known: block (default), warn or ignore"),
]
Required = Annotated[bool, typer.Option("--require-resources", help="an input without any DynamoDB is exit 3")]
Output = Annotated[
    list[str] | None,
    typer.Option("-o", "--output", metavar="FORMAT[=PATH]", help="text or json, to a file too (repeatable)"),
]
Colour = Annotated[str | None, typer.Option("--color", metavar="WHEN", help="auto (default), always or never")]
Verbose = Annotated[bool, typer.Option("-v", "--verbose", help="show every finding in full")]
Quiet = Annotated[bool, typer.Option("-q", "--quiet", help="show the counts and the gate only")]
Jobs = Annotated[
    str | None, typer.Option("--jobs", metavar="N", help="judge in so many processes (default: one for each core)")
]
Shard = Annotated[
    str | None, typer.Option("--shard", metavar="I/N", help="do this part of the audit; render brings them together")
]
NoIgnore = Annotated[
    bool, typer.Option("--no-ignore", help="in folders, read also what .gitignore and .tablegateignore leave out")
]
Debug = Annotated[bool, typer.Option("--debug", help="say where an internal error happened")]
