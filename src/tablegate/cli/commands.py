"""The Typer application: its commands are built from the option table, and each imports its work when it runs."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from inspect import Parameter, Signature
from typing import Annotated, Any, NamedTuple

import typer
from typer.core import TyperCommand, TyperGroup

from tablegate.cli.output import PIPED, columns
from tablegate.config.options import Kind, Option, Scope, options_of

PROGRAM = "tablegate"
_EXIT_CODES = (
    "Exit codes: 0 everything was read and nothing blocks; 1 blocked; 2 wrong usage, configuration or pack; "
    "3 an input could not be read in full, or none was found; 4 internal error."
)


class Argument(NamedTuple):
    """What a command takes besides options."""

    name: str
    metavar: str
    is_list: bool = True


class Command(NamedTuple):
    """A command. ``run`` is given what belongs to it alone, and the settings of the configuration, both by name."""

    name: str
    help: str
    run: Callable[[Mapping[str, Any], Mapping[str, Any]], int]
    argument: Argument | None = None


def _check(own: Mapping[str, Any], settings: Mapping[str, Any]) -> int:
    from tablegate.cli.check import check

    return check(own["inputs"], _sources(own), settings)


def _render(own: Mapping[str, Any], settings: Mapping[str, Any]) -> int:
    from tablegate.cli.show import render

    return render(own["reports"], settings)


def _show(own: Mapping[str, Any], settings: Mapping[str, Any]) -> int:
    from tablegate.cli.show import show

    return show(own["input"], own["path"], own["output"], settings)


def _iam(own: Mapping[str, Any], settings: Mapping[str, Any]) -> int:
    from tablegate.cli.show import show_access

    return show_access(own["inputs"], own["output"], settings)


def _explain(own: Mapping[str, Any], _settings: Mapping[str, Any]) -> int:
    from tablegate.cli.show import explain

    return explain(own["policy"], _sources(own))


def _policies(own: Mapping[str, Any], _settings: Mapping[str, Any]) -> int:
    from tablegate.cli.show import list_policies

    return list_policies(_sources(own), as_json=own["json"], as_markdown=own["markdown"])


def _config_show(own: Mapping[str, Any], _settings: Mapping[str, Any]) -> int:
    from tablegate.cli.show import show_configuration

    return show_configuration(_sources(own), as_json=own["json"])


def _config_schema(own: Mapping[str, Any], _settings: Mapping[str, Any]) -> int:
    from tablegate.cli.show import print_schema

    return print_schema(_sources(own))


def _sources(own: Mapping[str, Any]) -> Any:
    """Where the configuration and the packs come from: what the command was given of their options."""
    from tablegate.cli.check import ConfigSources

    return ConfigSources(
        packs=tuple(own["pack"]),
        policies=tuple(own["policies"]),
        config=own["config"],
        no_config=own["no-config"],
        config_ref=own.get("config-ref"),
        untrusted=own.get("untrusted", False),
    )


COMMANDS = (
    Command(
        "check",
        """Check plans, templates and Terraform source.

        An INPUT is a plan or a state (terraform show -json), a template, a CDK assembly (cdk.out), a change set,
        a folder with any of these or with Terraform source, or - for standard input.
        """,
        _check,
        Argument("inputs", "INPUT"),
    ),
    Command(
        "render",
        "Merge JSON REPORTs, such as those of all shards, and write them in any format.",
        _render,
        Argument("reports", "REPORT"),
    ),
    Command("show", "Print the tables of an INPUT as policies see them.", _show, Argument("input", "INPUT", False)),
    Command(
        "iam",
        """Print who can do what to which table.

        One matrix for each INPUT: holders are rows, tables and indexes are columns.
        """,
        _iam,
        Argument("inputs", "INPUT"),
    ),
    Command(
        "explain",
        "Print the page of a POLICY: an id such as TG301, or a name.",
        _explain,
        Argument("policy", "POLICY", False),
    ),
    Command("policies", "List all loaded policies, and which of them run.", _policies),
    Command("config show", "Show every setting, and where it comes from.", _config_show),
    Command("config schema", "Print the JSON schema of the configuration, for editors.", _config_schema),
)


class _AsWritten:
    """Passes on what the parser read: every option is a text, several texts, or a flag."""

    def coerce(self, value: Any, param: Any, ctx: object) -> Any:  # noqa: ARG002 - Typer passes it by name
        return list(value or ()) if param.multiple or param.nargs == -1 else value


def _without_validators(params: list[Any]) -> list[Any]:
    """The options, for which Typer builds no pydantic validator: they check nothing that we need checked.

    Importing pydantic takes 45 ms: a check of a small plan would need 15.6 times `python -c pass`, of 16 allowed,
    instead of 11.5. Versions of Typer without validators ignore the attribute.
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


def application() -> typer.Typer:
    """The application with all commands."""
    width = min(columns(), PIPED)
    app = typer.Typer(
        name=PROGRAM,
        help="Check the DynamoDB tables of Terraform and CloudFormation before they are deployed.",
        epilog=_EXIT_CODES,
        cls=PlainGroup,
        rich_markup_mode=None,
        pretty_exceptions_enable=False,
        no_args_is_help=True,
        context_settings={"help_option_names": ["-h", "--help"], "max_content_width": width, "terminal_width": width},
    )
    app.callback()(_function(options_of(PROGRAM), lambda _: None))
    config = typer.Typer(cls=PlainGroup, help="Show the configuration or its schema.", no_args_is_help=True)
    for command in COMMANDS:
        group, _, name = command.name.rpartition(" ")
        (config if group else app).command(name, cls=PlainCommand, help=command.help)(_function_of(command))
    app.add_typer(config, name="config")
    return app


def run_command(arguments: Sequence[str]) -> int:
    """Run one command line and return its exit code."""
    group = typer.main.get_command(application())
    return int(group.main(list(arguments), prog_name=PROGRAM, standalone_mode=False))


def _function_of(command: Command) -> Any:
    """What Typer calls for a command."""
    options = options_of(command.name)
    settings = {option.name for option in options if option.scope in (Scope.PROJECT, Scope.RUN)}

    def work(given: Mapping[str, Any]) -> int:
        own = {name: value for name, value in given.items() if name not in settings}
        set_here = {name: value for name, value in given.items() if name in settings and value not in (None, False, ())}
        return command.run(own, set_here)

    return _function(options, work, command.argument)


def _function(
    options: Sequence[Option], work: Callable[[dict[str, Any]], Any], argument: Argument | None = None
) -> Any:
    """A function with the parameters that Typer reads options from. ``work`` is given their values by name."""
    kinds = {option.name: option.kind for option in options}
    if argument and argument.is_list:
        kinds[argument.name] = Kind.LIST

    def function(**values: Any) -> Any:
        by_name = {parameter.replace("_", "-"): value for parameter, value in values.items()}
        return work({name: _value(kinds.get(name), value) for name, value in by_name.items()})

    parameters = [_argument(argument)] if argument else []
    declared: Any = function
    declared.__signature__ = Signature([*parameters, *map(_parameter, options)])
    return declared


def _value(kind: Kind | None, value: Any) -> Any:
    """The value as the configuration holds it: lists are tuples, and of words several can stand in one text."""
    if kind is Kind.WORDS:
        return tuple(word for text in value or () for word in text.split(",") if word)
    return tuple(value or ()) if kind is Kind.LIST else value


def _argument(argument: Argument) -> Parameter:
    declared = typer.Argument(metavar=argument.metavar, hidden=True)
    if not argument.is_list:
        return Parameter(argument.name, Parameter.KEYWORD_ONLY, annotation=Annotated[str, declared])
    kind = Annotated[list[str] | None, declared]
    return Parameter(argument.name, Parameter.KEYWORD_ONLY, annotation=kind, default=None)


def _parameter(option: Option) -> Parameter:
    kind: Any = {Kind.FLAG: bool, Kind.TEXT: str | None}.get(option.kind, list[str] | None)
    repeatable = {Kind.LIST: " (repeatable)", Kind.WORDS: " (repeatable, comma-separated)"}.get(option.kind, "")
    declared = typer.Option(
        *filter(None, (option.short, f"--{option.name}")),
        metavar=option.metavar or None,
        help=option.sentence + repeatable,
        show_default=False,
    )
    default = option.unset if option.scope is Scope.COMMAND and not option.is_list else None
    return Parameter(
        option.name.replace("-", "_"),
        Parameter.KEYWORD_ONLY,
        annotation=Annotated[kind, declared],
        default=False if option.kind is Kind.FLAG else default,
    )
