"""The option table, held against everything that it feeds: the commands, their help, the environment and the schema."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import typer

from support.command import tablegate
from tablegate.cli.commands import COMMANDS, PROGRAM, application
from tablegate.cli.show import FORMATS
from tablegate.config.configuration import read_configuration
from tablegate.config.options import FILE_KEYS, OPTIONS, SETTINGS, Kind, Option, Scope, options_of
from tablegate.config.schema import schema
from tablegate.engine.settings import NEVER, UnknownMode
from tablegate.policy.declare import RELAXED_ENVIRONMENTS, Severity, policies_in
from tablegate.reporters import REPORTERS
from tablegate.reporters.matrix import RENDERERS

NAMES = [PROGRAM, *(command.name for command in COMMANDS)]
OF_TYPER = {"help", "install-completion", "show-completion"}
IN_ENVIRONMENT = {Kind.FLAG: ("true", True), Kind.TEXT: ("x", "x")}
BASELINE = policies_in("tablegate_baseline")


def typed(command: str) -> dict[str, Any]:
    """The options of a command as Typer has them, by name."""
    found: Any = typer.main.get_command(application())
    for word in command.split() if command != PROGRAM else ():
        found = found.commands[word]
    options = [param for param in found.params if param.opts[0].startswith("-")]
    return {param.opts[-1].removeprefix("--"): param for param in options}


def kind_of(param: Any) -> Kind:
    if param.is_flag:
        return Kind.FLAG
    return Kind.LIST if param.multiple else Kind.TEXT


def test_every_command_of_the_table_exists() -> None:
    """And every option with a flag belongs to one."""
    assert {command for option in OPTIONS for command in option.commands} <= {*NAMES}
    assert [option.name for option in OPTIONS if not option.commands and option.name not in FILE_KEYS] == []


@pytest.mark.parametrize("command", NAMES)
def test_typer_has_the_options_of_the_table(command: str) -> None:
    """By name, kind, short form and metavar."""
    options = options_of(command)
    params = {name: param for name, param in typed(command).items() if name not in OF_TYPER}
    assert [*params] == [option.name for option in options]
    for option in options:
        param = params[option.name]
        kind = Kind.LIST if option.kind is Kind.WORDS else option.kind
        short = [option.short] if option.short else []
        assert (option.name, kind, [*short, f"--{option.name}"]) == (option.name, kind_of(param), param.opts)
        assert (option.name, option.metavar or None) == (option.name, param.metavar)


@pytest.mark.parametrize("command", NAMES)
def test_the_help_names_every_option_and_every_choice(command: str) -> None:
    """With the sentence of the table, in lines that a terminal can show."""
    words = command.split() if command != PROGRAM else ()
    shown = " ".join(tablegate(*words, "--help", measured=False).stdout.decode().split())
    for option in options_of(command):
        assert f"--{option.name}" in shown
        assert " ".join(option.sentence.split()) in shown
        assert all(choice in option.sentence for choice in option.choices), option.name


@pytest.mark.parametrize("option", OPTIONS, ids=lambda option: f"{option.name}-{option.scope.name.lower()}")
def test_an_option_is_a_sentence(option: Option) -> None:
    """It begins in lower case, as it follows a name, and ends without a full stop."""
    assert option.sentence
    assert not option.sentence.endswith(".")
    assert option.sentence[0].islower()
    assert "{" not in option.sentence


@pytest.mark.parametrize("name", SETTINGS)
def test_a_setting_is_read_from_its_variable(name: str, tmp_path: Path) -> None:
    """All but the tables have one."""
    option = SETTINGS[name]
    if option.variable is None:
        assert option.kind in (Kind.TABLE, Kind.TABLES)
        return
    text, value = IN_ENVIRONMENT.get(option.kind, ("x, y", ("x", "y")))
    read = read_configuration({}, folder=tmp_path, environment={option.variable: text}).values[name]
    assert (read.value, read.origin) == (value, "TABLEGATE_" + name.upper().replace("-", "_"))


@pytest.mark.parametrize("name", SETTINGS)
def test_a_setting_has_the_value_of_the_table_where_nobody_sets_it(name: str, tmp_path: Path) -> None:
    """And says that it is a default."""
    read = read_configuration({}, folder=tmp_path, environment={}).values[name]
    assert (read.value, read.origin) == (SETTINGS[name].unset, "default")


def test_what_belongs_to_one_command_has_no_variable() -> None:
    """An environment cannot turn check into another command."""
    assert {option.name for option in OPTIONS if option.scope is Scope.COMMAND and option.variable} == set()


def test_the_schema_has_every_key_of_the_file() -> None:
    """Each with its sentence."""
    properties: Any = schema(BASELINE)["properties"]
    assert [*properties] == [*FILE_KEYS]
    assert {key: properties[key]["description"] for key in FILE_KEYS} == {
        key: SETTINGS[key].sentence for key in FILE_KEYS
    }


def test_the_choices_are_those_of_the_code() -> None:
    """A new severity, mode or format that is not in the table is missing from help and schema."""
    by_command = {(command, option.name): option.choices for option in OPTIONS for command in option.commands}
    assert by_command["check", "fail-on"] == (*map(str, Severity), NEVER)
    assert by_command["check", "unknown"] == tuple(map(str, UnknownMode))
    assert {*by_command["check", "output"]} == {*REPORTERS}
    assert {*by_command["iam", "output"]} == {*RENDERERS}
    assert by_command["show", "output"] == FORMATS


def test_the_schema_has_a_sentence_for_every_option_of_every_shipped_policy() -> None:
    """Editors show it. Packs of others may leave it out."""
    tables: Any = schema(BASELINE)["properties"]["policies"]["properties"]
    silent = [
        f"{policy.id} {option.name}"
        for policy in BASELINE
        for option in policy.options
        if not tables[policy.id]["properties"][option.name].get("description")
    ]
    assert silent == []


def test_the_relaxed_environments_are_those_of_the_engine() -> None:
    """The engine knows them for programs that give no configuration."""
    assert SETTINGS["relaxed-environments"].unset == RELAXED_ENVIRONMENTS
