"""Every key of the configuration: how it is read from a file, from the environment and from the command line."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from tablegate.engine.settings import ConfigError, as_bool, as_text, as_texts
from tablegate.model.record import record

Reader = Callable[[object, tuple[str, ...]], Any]


@record(kw_only=False)
class Key:
    """One key. ``read`` is None where the engine reads it. ``in_file`` is false for what only a caller decides."""

    name: str
    read: Reader | None
    default: object
    about: str
    in_file: bool = True
    as_list: bool = False

    @property
    def variable(self) -> str:
        """The name of its environment variable."""
        return "TABLEGATE_" + self.name.upper().replace("-", "_")


def _texts(name: str, about: str, *, in_file: bool = True) -> Key:
    return Key(name, as_texts, (), about, in_file, as_list=True)


KEYS: Mapping[str, Key] = {
    key.name: key
    for key in (
        _texts("select", "run only these policies: ids, names, families, severities or ALL"),
        _texts("extend-select", "run these policies too"),
        _texts("ignore", "do not run these policies"),
        Key("fail-on", as_text, "high", "the severity from which a finding blocks, or never"),
        Key("unknown", as_text, "block", "what an unknown verdict does to the gate: block, warn or ignore"),
        _texts("packs", "installed packs to load beside the shipped one"),
        Key("assume-defaults", as_bool, False, "take the defaults of parameters and variables as given"),
        Key("allow-partial", as_bool, False, "judge plans that are targeted, errored, deferred or redacted"),
        Key("require-resources", as_bool, False, "an input without any DynamoDB is not enough"),
        Key("region", as_text, None, "the region of the deploy"),
        Key("account", as_text, None, "the account of the deploy"),
        _texts("params", "files with values of CloudFormation parameters"),
        _texts("param", "values of CloudFormation parameters, as K=V"),
        _texts("var-file", "files with values of the variables of Terraform source"),
        _texts("var", "values of such variables, as K=V"),
        Key("trust-modules", as_bool, False, "read the modules that terraform init put beside Terraform source"),
        _texts("nested", "templates of nested stacks, as LOGICALID=FILE", in_file=False),
        Key("template", as_text, None, "the template that a change set was made of", in_file=False),
        Key("source", as_text, None, "the folder of source that a plan was made of", in_file=False),
        Key("plan-file", as_text, None, "the plan file whose source points at lines", in_file=False),
        Key("policies", None, {}, "options and severity of a policy, by id or name"),
        Key("overrides", None, (), "what tables are for, and how hard policies weigh there"),
        Key("policy", None, (), "policies written as data"),
        _texts("output", "formats to write, each with a path or to standard output", in_file=False),
        Key("color", as_text, "auto", "when to use colour: auto, always or never", in_file=False),
        Key("verbose", as_bool, False, "show every finding in full", in_file=False),
        Key("quiet", as_bool, False, "show the counts and the gate only", in_file=False),
        Key("jobs", as_text, None, "how many processes judge at once: a number, or auto", in_file=False),
        Key("shard", as_text, None, "which part of the audit to do, as I/N", in_file=False),
        Key("no-ignore", as_bool, False, "read what ignore files leave out too", in_file=False),
        Key("stdin-filename", as_text, None, "what reports call standard input", in_file=False),
    )
}

FILE_KEYS = tuple(name for name, key in KEYS.items() if key.in_file)

_TRUE, _FALSE = ("1", "true", "yes", "on"), ("0", "false", "no", "off")


def from_environment(key: Key, text: str) -> object:
    """The value of the key's environment variable: lists have commas between their items."""
    if key.as_list:
        return tuple(item.strip() for item in text.split(",") if item.strip())
    return _switch(key.variable, text) if key.read is as_bool else text


def switched_on(variable: str, environment: Mapping[str, str]) -> bool:
    """Whether a variable that is no key of the configuration says yes."""
    return _switch(variable, environment.get(variable, "false"))


def _switch(variable: str, text: str) -> bool:
    if text.lower() not in (*_TRUE, *_FALSE):
        raise ConfigError(f'{variable} is "{text}" and must be true or false')
    return text.lower() in _TRUE
