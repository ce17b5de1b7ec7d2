"""The one table of options. It feeds the command line, the environment, tablegate.toml, the help and the schema.

It imports nothing that reads an input or runs a policy, since --help reads it too.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum, auto
from typing import NamedTuple


class Kind(Enum):
    """What an option takes."""

    FLAG = auto()
    TEXT = auto()
    LIST = auto()  # repeatable
    WORDS = auto()  # repeatable, and several at once: TG301,TG302
    TABLE = auto()  # [policies.ID]: only in the file
    TABLES = auto()  # [[overrides]]: only in the file


class Scope(Enum):
    """Where an option can be set."""

    PROJECT = auto()  # in tablegate.toml, in the environment, and on the command line if a command takes it
    RUN = auto()  # in the environment and on the command line
    SOURCE = auto()  # the same; it says where the configuration comes from, so it is no part of it
    COMMAND = auto()  # on the command line alone


class Option(NamedTuple):
    """One option by all its names: ``--fail-on``, ``TABLEGATE_FAIL_ON`` and the key ``fail-on``.

    ``help`` is one sentence without a full stop; ``{choices}`` in it stands for the choices, the default marked.
    """

    name: str
    kind: Kind
    scope: Scope
    help: str
    commands: tuple[str, ...] = ()  # those that take it as a flag
    metavar: str = ""
    short: str = ""
    choices: tuple[str, ...] = ()
    default: str | tuple[str, ...] | None = None  # of a text or a list

    @property
    def variable(self) -> str | None:
        """The name of its environment variable, if it has one."""
        if self.scope is Scope.COMMAND or self.kind in (Kind.TABLE, Kind.TABLES):
            return None
        return "TABLEGATE_" + self.name.upper().replace("-", "_")

    @property
    def sentence(self) -> str:
        """The help with the choices filled in."""
        marked = [f"{choice} (default)" if choice == self.default else choice for choice in self.choices]
        return self.help.format(choices=" or ".join(filter(None, (", ".join(marked[:-1]), *marked[-1:]))))

    @property
    def is_list(self) -> bool:
        """Whether it can be given several times."""
        return self.kind in (Kind.LIST, Kind.WORDS)

    @property
    def unset(self) -> object:
        """Its value where nobody sets it."""
        return {Kind.FLAG: False, Kind.TEXT: self.default, Kind.TABLE: {}}.get(self.kind, self.default or ())


_CHECK = ("check",)
_READ = ("check", "show", "iam")  # commands that read inputs
_REPORT = ("check", "render")  # commands that write reports
_LOAD = ("check", "explain", "policies", "config show", "config schema")  # commands that load policies

_SEVERITIES = ("critical", "high", "medium", "low", "info")

OPTIONS = (
    Option("version", Kind.FLAG, Scope.COMMAND, "show the version and the dates of the AWS data", ("tablegate",)),
    # What a command prints.
    Option("json", Kind.FLAG, Scope.COMMAND, "print JSON", ("policies", "config show")),
    Option("markdown", Kind.FLAG, Scope.COMMAND, "print the handbook: every page, in Markdown", ("policies",)),
    Option(
        "path",
        Kind.TEXT,
        Scope.COMMAND,
        "print only the values that this path selects in each table",
        ("show",),
        "JSONPATH",
    ),
    Option(
        "output", Kind.TEXT, Scope.COMMAND, "format: {choices}", ("show",), "FORMAT", "-o", ("json", "yaml"), "json"
    ),
    Option(
        "output",
        Kind.LIST,
        Scope.COMMAND,
        "format: {choices}; with =PATH, write it to a file",
        ("iam",),
        "FORMAT[=PATH]",
        "-o",
        ("text", "csv", "json", "markdown"),
    ),
    # Which policies run, and what blocks.
    Option(
        "profile",
        Kind.TEXT,
        Scope.PROJECT,
        "policies and severities to start from: {choices}",
        _CHECK,
        "NAME",
        choices=("standard", "strict"),
        default="standard",
    ),
    Option(
        "select",
        Kind.WORDS,
        Scope.PROJECT,
        "run only these policies: ids, names, families, severities or ALL",
        _CHECK,
        "WORD",
    ),
    Option("extend-select", Kind.WORDS, Scope.PROJECT, "run these policies too", _CHECK, "WORD"),
    Option("ignore", Kind.WORDS, Scope.PROJECT, "do not run these policies", _CHECK, "WORD"),
    Option(
        "fail-on",
        Kind.TEXT,
        Scope.PROJECT,
        "lowest severity that blocks: {choices}",
        _CHECK,
        "LEVEL",
        choices=(*_SEVERITIES, "never"),
        default="high",
    ),
    Option(
        "unknown",
        Kind.TEXT,
        Scope.PROJECT,
        "what to do if a value is unknown: {choices}",
        _CHECK,
        "MODE",
        choices=("block", "warn", "ignore"),
        default="block",
    ),
    Option(
        "relaxed-environments",
        Kind.LIST,
        Scope.PROJECT,
        "environments in which findings on capacity and recovery are one step less severe",
        default=("dev", "development", "test", "testing", "qa", "sandbox", "demo", "ci", "local"),
    ),
    Option("require-resources", Kind.FLAG, Scope.PROJECT, "exit 3 if no DynamoDB resource is found", _REPORT),
    Option("packs", Kind.LIST, Scope.PROJECT, "load these installed packs too"),
    Option("pack", Kind.LIST, Scope.COMMAND, "load this installed pack too", _LOAD, "NAME"),
    Option(
        "policies",
        Kind.LIST,
        Scope.COMMAND,
        "load policies from this file or folder; this runs its code",
        _LOAD,
        "PATH",
    ),
    # What the inputs do not say themselves.
    Option(
        "assume-defaults",
        Kind.FLAG,
        Scope.PROJECT,
        "assume the defaults of parameters and variables without a value",
        _READ,
    ),
    Option(
        "allow-partial",
        Kind.FLAG,
        Scope.PROJECT,
        "accept plans that are targeted, errored, deferred or redacted",
        _READ,
    ),
    Option("region", Kind.TEXT, Scope.PROJECT, "region of the deploy", _READ, "NAME"),
    Option("account", Kind.TEXT, Scope.PROJECT, "account of the deploy", _READ, "ID"),
    Option("params", Kind.LIST, Scope.PROJECT, "file with values of CloudFormation parameters", _READ, "FILE"),
    Option("param", Kind.LIST, Scope.PROJECT, "value of one CloudFormation parameter", _READ, "K=V"),
    Option(
        "trusted-macros",
        Kind.LIST,
        Scope.PROJECT,
        "macros of CloudFormation that leave tables, roles and policies as they are",
    ),
    Option(
        "var-file",
        Kind.LIST,
        Scope.PROJECT,
        "file with values of Terraform variables, for source without a plan",
        _READ,
        "FILE",
    ),
    Option("var", Kind.LIST, Scope.PROJECT, "value of one Terraform variable", _READ, "K=V"),
    Option("trust-modules", Kind.FLAG, Scope.PROJECT, "read the modules that terraform init downloaded", _READ),
    Option("tofu", Kind.FLAG, Scope.PROJECT, "read .tofu files beside .tf files, as OpenTofu does", _READ),
    Option("nested", Kind.LIST, Scope.RUN, "template of a nested stack, by its logical id", _READ, "ID=FILE"),
    Option("template", Kind.TEXT, Scope.RUN, "template that a change set was made from", _READ, "FILE"),
    Option(
        "source",
        Kind.TEXT,
        Scope.RUN,
        "folder of the root module that a plan was made from, if it is not the plan's own folder",
        _READ,
        "DIR",
    ),
    Option(
        "plan-file", Kind.TEXT, Scope.RUN, "saved plan (terraform plan -out) to read the source from", _READ, "FILE"
    ),
    Option("stdin-filename", Kind.TEXT, Scope.RUN, "name of standard input in reports", _READ, "NAME"),
    Option(
        "no-ignore",
        Kind.FLAG,
        Scope.RUN,
        "in folders, also read files that .gitignore and .tablegateignore exclude",
        _CHECK,
    ),
    # Tables of the configuration file.
    Option("policies", Kind.TABLE, Scope.PROJECT, "options and severity of a policy, by id or name"),
    Option(
        "overrides", Kind.TABLES, Scope.PROJECT, "purpose, environment, data class and severities of matching tables"
    ),
    Option("policy", Kind.TABLES, Scope.PROJECT, "policies written as data"),
    Option("audit", Kind.TABLE, Scope.PROJECT, "what an audit of folders may leave unread, with the reason"),
    # Where the configuration comes from.
    Option("config", Kind.TEXT, Scope.SOURCE, "read the configuration from this file", _LOAD, "FILE"),
    Option("no-config", Kind.FLAG, Scope.SOURCE, "ignore configuration files", _LOAD),
    Option(
        "config-ref",
        Kind.TEXT,
        Scope.SOURCE,
        "read the configuration from this git ref; the working tree can only make the gate stricter",
        ("check", "config show"),
        "REF",
    ),
    Option(
        "untrusted",
        Kind.FLAG,
        Scope.SOURCE,
        "do not trust the working tree (a fork's pull request): require --config or --config-ref",
        _CHECK,
    ),
    # How the report looks, and how the work is done.
    Option(
        "output",
        Kind.LIST,
        Scope.RUN,
        "report format: {choices}; with =PATH, write it to a file",
        _REPORT,
        "FORMAT[=PATH]",
        "-o",
        ("text", "json"),
    ),
    Option(
        "color",
        Kind.TEXT,
        Scope.RUN,
        "use colours: {choices}",
        _REPORT,
        "WHEN",
        choices=("auto", "always", "never"),
        default="auto",
    ),
    Option("verbose", Kind.FLAG, Scope.RUN, "show every finding in full", _REPORT, short="-v"),
    Option("quiet", Kind.FLAG, Scope.RUN, "show only the counts and the gate", _REPORT, short="-q"),
    Option("jobs", Kind.TEXT, Scope.RUN, "number of processes (default: auto, one for each core)", _CHECK, "N"),
    Option("shard", Kind.TEXT, Scope.RUN, "check only part I of N; render merges the reports", _CHECK, "I/N"),
    Option("debug", Kind.FLAG, Scope.COMMAND, "show where an internal error happened", _CHECK),
)

SETTINGS: Mapping[str, Option] = {
    option.name: option for option in OPTIONS if option.scope in (Scope.PROJECT, Scope.RUN)
}
FILE_KEYS = tuple(name for name, option in SETTINGS.items() if option.scope is Scope.PROJECT)


def options_of(command: str) -> tuple[Option, ...]:
    """The options that a command takes, in the order of its help."""
    return tuple(option for option in OPTIONS if command in option.commands)
