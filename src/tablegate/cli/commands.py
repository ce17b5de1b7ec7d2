"""The commands and their options, for Typer. Each hands over to a module that is imported only then."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

import typer

from tablegate.cli.lean import LeanCommand, LeanGroup

USAGE = 2

app = typer.Typer(
    name="tablegate",
    help="A gate in front of a deploy: judges the DynamoDB tables of Terraform plans and CloudFormation templates.",
    epilog="Exit codes: 0 all read and nothing blocks; 1 blocked; 2 wrong usage, configuration or pack; "
    "3 an input was not fully read, or none was found; 4 internal error.",
    cls=LeanGroup,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    no_args_is_help=True,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100, "terminal_width": 100},
)
config_app = typer.Typer(cls=LeanGroup, help="Show the configuration, or the schema for editors.", no_args_is_help=True)
app.add_typer(config_app, name="config")

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
Region = Annotated[str | None, typer.Option("--region", metavar="NAME", help="the region of the deploy")]
Account = Annotated[str | None, typer.Option("--account", metavar="ID", help="the account of the deploy")]
Defaults = Annotated[
    bool, typer.Option("--assume-defaults", help="take the defaults of CloudFormation parameters as given")
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
Colour = Annotated[str, typer.Option("--color", metavar="WHEN", help="auto, always or never")]
Verbose = Annotated[bool, typer.Option("-v", "--verbose", help="show every finding in full")]
Quiet = Annotated[bool, typer.Option("-q", "--quiet", help="show the counts and the gate only")]
Debug = Annotated[bool, typer.Option("--debug", help="say where an internal error happened")]


def command(arguments: Sequence[str]) -> int:
    """Run one command line and say how it ended."""
    from tablegate.cli.output import note

    try:
        code = typer.main.get_command(app).main(list(arguments), prog_name="tablegate", standalone_mode=False)
    except Exception as error:
        # The errors of click, or of the copy of it inside Typer: they can speak for themselves.
        speak = getattr(error, "format_message", None)
        if speak is None:
            raise
        note(f"tablegate: {speak() or 'a command is needed'}\ntry: tablegate --help")
        return USAGE
    return int(code)


@app.callback()
def root(
    *,
    version: Annotated[bool, typer.Option("--version", help="show the version", is_eager=True)] = False,
) -> None:
    """Answer nothing by itself: --version alone never comes this far."""


@app.command(cls=LeanCommand)
def check(
    *,
    inputs: Inputs = None,
    params: Params = None,
    param: Param = None,
    region: Region = None,
    account: Account = None,
    assume_defaults: Defaults = False,
    allow_partial: Partial = False,
    stdin_filename: StdinName = None,
    select: Select = None,
    extend_select: ExtendSelect = None,
    ignore: Ignore = None,
    fail_on: FailOn = None,
    unknown: Unknown = None,
    require_resources: Required = False,
    pack: Packs = None,
    policies: Policies = None,
    config: ConfigFile = None,
    no_config: NoConfig = False,
    config_ref: ConfigRef = None,
    untrusted: Untrusted = False,
    output: Output = None,
    color: Colour = "auto",
    verbose: Verbose = False,
    quiet: Quiet = False,
    debug: Debug = False,
) -> int:
    """Judge plans and templates, and end with an exit code that a pipeline can trust.

    An INPUT is a plan (terraform show -json), a template, a folder that holds some, or - for standard input.
    """
    raise NotImplementedError
