"""The usual check, read without Typer: it means what Typer would have made of it, or it is left to Typer."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
import typer

from support.command import tablegate
from tablegate.cli.commands import app
from tablegate.cli.usual import FLAGS, ONCE, REPEATED, SHORT, usual

CHECK = typer.main.get_command(app).commands["check"]  # type: ignore[attr-defined]  # a group


def typed(arguments: Sequence[str]) -> dict[str, object]:
    """What Typer makes of the arguments of a check, but for what was not given."""
    context = CHECK.make_context("check", list(arguments))
    return {name.replace("_", "-"): value for name, value in context.params.items() if value not in (None, False, [])}


def test_every_option_of_a_check_is_known() -> None:
    """By its kind, and in its short form."""
    options = [param for param in CHECK.params if param.opts[0].startswith("-") and param.name not in ("debug", "help")]
    kinds = {
        FLAGS: [param for param in options if param.is_flag],
        REPEATED: [param for param in options if param.multiple],
        ONCE: [param for param in options if not param.is_flag and not param.multiple],
    }
    for known, declared in kinds.items():
        assert {param.opts[-1] for param in declared} == known
    assert {param.opts[0]: param.opts[1] for param in options if len(param.opts) > 1} == SHORT


@pytest.mark.parametrize(
    "arguments",
    [
        ["plan.json"],
        ["a.json", "--select", "TG301", "-", "--select", "TG302,TG303"],
        ["--no-config", "-q", "-o", "json", "--output", "text=report.txt", "b.yaml"],
        ["a.json", "--region", "eu-west-1", "--region", "eu-north-1", "--param", "Env=prod"],
        ["--untrusted", "--config-ref", "main", "folder", "-v", "--pack", "one", "--pack", "two"],
    ],
)
def test_it_means_what_typer_makes_of_it(arguments: list[str]) -> None:
    """Option by option, in any order; of one that is not repeatable the last one counts."""
    assert usual(["check", *arguments]) == typed(arguments)


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        ["--help"],
        ["explain", "TG301"],
        ["check", "--help"],
        ["check", "-h"],
        ["check", "plan.json", "--selct", "TG301"],
        ["check", "plan.json", "--select"],
        ["check", "plan.json", "--select=TG301"],
        ["check", "plan.json", "--select", "--quiet"],
        ["check", "-qv", "plan.json"],
        ["check", "-ojson", "plan.json"],
        ["check", "--", "plan.json"],
    ],
)
def test_whatever_says_more_is_left_to_typer(arguments: list[str]) -> None:
    """Help, other commands, short forms, and what cannot be meant."""
    assert usual(arguments) is None


def test_a_wrong_value_is_told_like_any_other() -> None:
    """Without Typer too it is exit 2 and a hint."""
    ran = tablegate("check", "--no-config", "--select", "TG3001", "fixtures/examples/plan.json")
    told = 'tablegate: select: "TG3001" is no policy, family or severity'
    assert (ran.returncode, ran.stderr.decode().splitlines()[0]) == (2, told)
