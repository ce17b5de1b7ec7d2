"""The commands and their options, for Typer. Each hands over to a module that is imported only then."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any

import typer

from tablegate.cli.about import add_to
from tablegate.cli.lean import LeanCommand, LeanGroup
from tablegate.cli.options import (
    Account,
    Colour,
    ConfigFile,
    ConfigRef,
    Debug,
    Defaults,
    ExtendSelect,
    FailOn,
    Ignore,
    Inputs,
    Jobs,
    Nested,
    NoConfig,
    NoIgnore,
    Output,
    Packs,
    Param,
    Params,
    Partial,
    PlanFile,
    Policies,
    Quiet,
    Region,
    Required,
    Select,
    Shard,
    SourceFolder,
    StdinName,
    Template,
    Trust,
    Unknown,
    Untrusted,
    Var,
    VarFile,
    Verbose,
)

app = typer.Typer(
    name="tablegate",
    help="A gate in front of a deploy: judges the DynamoDB tables of Terraform and CloudFormation.",
    epilog="Exit codes: 0 all read and nothing blocks; 1 blocked; 2 wrong usage, configuration or pack; "
    "3 an input was not fully read, or none was found; 4 internal error.",
    cls=LeanGroup,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    no_args_is_help=True,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100, "terminal_width": 100},
)


def command(arguments: Sequence[str]) -> int:
    """Run one command line and say how it ended."""
    return int(typer.main.get_command(app).main(list(arguments), prog_name="tablegate", standalone_mode=False))


@app.callback()
def root(
    *,
    version: Annotated[bool, typer.Option("--version", help="show the version", is_eager=True)] = False,
) -> None:
    """Answer nothing by itself: --version alone never comes this far."""


@app.command("check", cls=LeanCommand)
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
    from tablegate.cli.checking import check_given

    return check_given(given)


@app.command("render", cls=LeanCommand)
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
    from tablegate.cli.rendering import render

    return render(reports or (), given)


@app.command("show", cls=LeanCommand)
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
    from tablegate.cli.model import show

    return show(source, path, output, given)


@app.command("iam", cls=LeanCommand)
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
    from tablegate.cli.access import show

    return show(inputs or (), given)


def _flags(given: Mapping[str, Any], *others: str) -> dict[str, Any]:
    """What a command was called with, by the names of its options; the others it takes for itself."""
    names = {"source_folder": "source"}
    options = (name for name in given if name not in (*others, "debug"))
    return {names.get(name, name).replace("_", "-"): given[name] for name in options}


add_to(app)
