"""Start-up pays only for what is used: people run this on every save."""

from __future__ import annotations

import re

import pytest

from support.command import tablegate

PLAN = "fixtures/examples/plan.json"
TEMPLATE = "fixtures/examples/template.yaml"
PLAIN = "fixtures/projects/all-holds/orders.yaml"
PARSERS = {"yaml", "msgspec", "jsonpath_ng", "hcl2", "lark", "cfn_flip", "cfn_tools", "tomllib"}
HEAVY = {"rich", "pydantic", "unittest", "asyncio"}
OURS = {"tablegate.model", "tablegate.policy", "tablegate.engine", "tablegate.dialects", "tablegate_baseline"}


def imported(*arguments: str) -> set[str]:
    """Every module that a run imports, and the packages they are in."""
    ran = tablegate(*arguments, python=("-X", "importtime"), measured=False)
    assert ran.returncode in {0, 1}, ran.stderr
    names = re.findall(r"\| +([\w.]+)$", ran.stderr.decode(), re.MULTILINE)
    return {".".join(name.split(".")[:depth]) for name in names for depth in range(1, name.count(".") + 2)}


@pytest.mark.parametrize("arguments", [("--version",), ("--help",), ("check", "--help")])
def test_help_and_version_import_no_parser_and_no_policy(arguments: tuple[str, ...]) -> None:
    """Nothing that reads an input or judges one is there."""
    assert imported(*arguments) & (PARSERS | HEAVY | OURS | {"importlib.metadata"}) == set()


def test_the_version_imports_no_command_line() -> None:
    """One line needs no options."""
    assert "typer" not in imported("--version")


def test_a_plan_is_checked_without_yaml() -> None:
    """A plan needs the decoder of its own language alone."""
    assert imported("check", "--no-config", PLAN) & (PARSERS | HEAVY) <= {"msgspec", "tomllib"}


def test_a_template_is_checked_without_the_parsers_of_other_languages() -> None:
    """A template in YAML needs the events of YAML alone, besides what keeps all facts."""
    assert imported("check", "--no-config", TEMPLATE) & (PARSERS | HEAVY) <= {"yaml", "tomllib", "msgspec"}


def test_a_plain_template_is_checked_without_a_parser() -> None:
    """Where each line says what it is, libyaml has nothing to say."""
    assert imported("check", "--no-config", PLAIN) & (PARSERS | HEAVY) <= {"tomllib", "msgspec"}
