"""Typer application, made of the option table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any

import typer
from typer.core import TyperCommand, TyperGroup

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


class _AsWritten:
    """Passes on what the parser read: every option is a text, several texts, or a flag."""

    def coerce(self, value: Any, param: Any, ctx: object) -> Any:  # noqa: ARG002 - Typer passes it by name
        return list(value or ()) if param.multiple or param.nargs == -1 else value


def _without_validators(params: list[Any]) -> list[Any]:
    """The options, for which Typer builds no pydantic validator: they check nothing that we need checked.

    Importing pydantic takes 45 ms: a check of a small plan would need 15.6 times `python -c pass`, of 16 allowed,
    instead of 11. Versions of Typer without validators ignore the attribute.
    """
    for param in params:
        param._runtime_param = _AsWritten()
    return params


class PlainCommand(TyperCommand):
    """A command whose options are texts and flags."""

    def get_params(self, ctx: Any) -> list[Any]:
        """The options, --help among them."""
        return _without_validators(super().get_params(ctx))


class PlainGroup(TyperGroup):
    """A group of such commands."""

    def get_params(self, ctx: Any) -> list[Any]:
        """The options, --help among them."""
        return _without_validators(super().get_params(ctx))


config_app = typer.Typer(
    cls=PlainGroup, help="Show the configuration, or the schema for editors.", no_args_is_help=True
)


def explain(
    word: Annotated[str, typer.Argument(metavar="POLICY", hidden=True)],
    *,
    pack: Packs = None,
    policies: Policies = None,
    config: ConfigFile = None,
    no_config: NoConfig = False,
) -> int:
    """Print the page of a POLICY: an id such as TG301, or a name."""
    from tablegate.cli.pages import page_of

    return page_of(word, config_sources(pack, policies, config, no_config=no_config))


def list_policies(
    *,
    json: Annotated[bool, typer.Option("--json", help="print the list as JSON")] = False,
    markdown: Annotated[bool, typer.Option("--markdown", help="print the handbook: every page, in Markdown")] = False,
    pack: Packs = None,
    policies: Policies = None,
    config: ConfigFile = None,
    no_config: NoConfig = False,
) -> int:
    """List every policy that is loaded, and whether it runs."""
    from tablegate.cli.pages import catalogue

    return catalogue(config_sources(pack, policies, config, no_config=no_config), as_json=json, as_markdown=markdown)


@config_app.command("show", cls=PlainCommand)
def show_config(
    *,
    json: Annotated[bool, typer.Option("--json", help="print it as JSON")] = False,
    pack: Packs = None,
    policies: Policies = None,
    config: ConfigFile = None,
    no_config: NoConfig = False,
    config_ref: ConfigRef = None,
) -> int:
    """Show every setting, and where it comes from."""
    from tablegate.cli.pages import settings

    return settings(config_sources(pack, policies, config, no_config=no_config, config_ref=config_ref), as_json=json)


@config_app.command("schema", cls=PlainCommand)
def show_schema(
    *, pack: Packs = None, policies: Policies = None, config: ConfigFile = None, no_config: NoConfig = False
) -> int:
    """Print the JSON schema of the configuration, for editors."""
    from tablegate.cli.pages import schema_of_config

    return schema_of_config(config_sources(pack, policies, config, no_config=no_config))


def add_to(app: typer.Typer) -> None:
    """Make these commands of the application."""
    app.command(cls=PlainCommand)(explain)
    app.command("policies", cls=PlainCommand)(list_policies)
    app.add_typer(config_app, name="config")


def config_sources(
    pack: list[str] | None,
    policies: list[str] | None,
    config: str | None,
    *,
    no_config: bool,
    config_ref: str | None = None,
    untrusted: bool = False,
) -> Any:
    """Where the configuration and the packs are looked for."""
    from tablegate.cli.check import ConfigSources

    return ConfigSources(
        packs=tuple(pack or ()),
        policies=tuple(policies or ()),
        config=config,
        no_config=no_config,
        config_ref=config_ref,
        untrusted=untrusted,
    )


app = typer.Typer(
    name="tablegate",
    help="A gate in front of a deploy: judges the DynamoDB tables of Terraform and CloudFormation.",
    epilog="Exit codes: 0 all read and nothing blocks; 1 blocked; 2 wrong usage, configuration or pack; "
    "3 an input was not fully read, or none was found; 4 internal error.",
    cls=PlainGroup,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    no_args_is_help=True,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100, "terminal_width": 100},
)


def command(arguments: Sequence[str]) -> int:
    """Run one command line and return its exit code."""
    group = typer.main.get_command(app)
    return int(group.main(list(arguments), prog_name="tablegate", standalone_mode=False))


@app.callback()
def root(
    *,
    version: Annotated[bool, typer.Option("--version", help="show the version", is_eager=True)] = False,
) -> None:
    """Answer nothing by itself: --version alone never comes this far."""


@app.command("check", cls=PlainCommand)
def check_inputs(
    *,
    inputs: Inputs = None,
    params: Params = None,
    param: Param = None,
    var_file: VarFile = None,
    var: Var = None,
    trust_modules: Trust = False,
    source_folder: SourceFolder = None,
    plan_file: PlanFile = None,
    nested: Nested = None,
    template: Template = None,
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
    color: Colour = None,
    verbose: Verbose = False,
    quiet: Quiet = False,
    jobs: Jobs = None,
    shard: Shard = None,
    no_ignore: NoIgnore = False,
    debug: Debug = False,  # read before Typer is asked
) -> int:
    """Judge plans, templates and Terraform source, and end with an exit code that a pipeline can trust.

    An INPUT is a plan or a state (terraform show -json), a template, a CDK assembly (cdk.out), a change set, a folder
    that holds some or Terraform source, or - for standard input.
    """
    given = _flags(locals())
    from tablegate.cli.check import check_command

    return check_command(given)


@app.command("render", cls=PlainCommand)
def render_reports(
    *,
    reports: Annotated[list[str] | None, typer.Argument(metavar="REPORT", hidden=True)] = None,
    require_resources: Required = False,
    output: Output = None,
    color: Colour = None,
    verbose: Verbose = False,
    quiet: Quiet = False,
) -> int:
    """Bring JSON REPORTs together, such as those of all shards, and write them in any format."""
    given = _flags(locals(), "reports")
    from tablegate.cli.show import render

    return render(reports or (), given)


@app.command("show", cls=PlainCommand)
def show_input(
    source: Annotated[str, typer.Argument(metavar="INPUT", hidden=True)],
    *,
    path: Annotated[str | None, typer.Option("--path", metavar="JSONPATH", help="only what this path leads to")] = None,
    output: Annotated[str, typer.Option("-o", "--output", metavar="FORMAT", help="json or yaml")] = "json",
    params: Params = None,
    param: Param = None,
    var_file: VarFile = None,
    var: Var = None,
    trust_modules: Trust = False,
    source_folder: SourceFolder = None,
    plan_file: PlanFile = None,
    nested: Nested = None,
    template: Template = None,
    region: Region = None,
    account: Account = None,
    assume_defaults: Defaults = False,
    allow_partial: Partial = False,
    stdin_filename: StdinName = None,
) -> int:
    """Print an INPUT's tables as policies see them."""
    given = _flags(locals(), "source", "path", "output")
    from tablegate.cli.show import show

    return show(source, path, output, given)


@app.command("iam", cls=PlainCommand)
def show_access(
    *,
    inputs: Inputs = None,
    output: Annotated[
        list[str] | None,
        typer.Option("-o", "--output", metavar="FORMAT[=PATH]", help="text, markdown, csv or json (repeatable)"),
    ] = None,
    params: Params = None,
    param: Param = None,
    var_file: VarFile = None,
    var: Var = None,
    trust_modules: Trust = False,
    source_folder: SourceFolder = None,
    plan_file: PlanFile = None,
    nested: Nested = None,
    template: Template = None,
    region: Region = None,
    account: Account = None,
    assume_defaults: Defaults = False,
    allow_partial: Partial = False,
    stdin_filename: StdinName = None,
) -> int:
    """Print who can do what to which table of each INPUT: holders as rows, tables and indexes as columns."""
    given = _flags(locals(), "inputs")
    from tablegate.cli.show import show_access as show

    return show(inputs or (), given)


def _flags(given: Mapping[str, Any], *others: str) -> dict[str, Any]:
    """What a command was called with, by the names of its options; the others it takes for itself."""
    names = {"source_folder": "source"}
    options = (name for name in given if name not in (*others, "debug"))
    return {names.get(name, name).replace("_", "-"): given[name] for name in options}


add_to(app)
