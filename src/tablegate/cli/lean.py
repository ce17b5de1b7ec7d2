"""Typer's commands without the validators it builds for each option: importing what they are made of costs 50 ms."""

from __future__ import annotations

from typing import Any

from typer.core import TyperCommand, TyperGroup


class _AsGiven:
    """Hands over what was given: every option of ours is a text, several texts, or a flag."""

    def coerce(self, value: Any, param: Any, ctx: object) -> Any:  # noqa: ARG002 - Typer passes it by name
        if param.multiple or param.nargs == -1:
            return list(value or ())
        return value


_AS_GIVEN = _AsGiven()


def _lean(params: list[Any]) -> list[Any]:
    for param in params:
        param._runtime_param = _AS_GIVEN  # versions of Typer that build no validators look no further
    return params


class LeanCommand(TyperCommand):
    """A command whose options are texts and flags."""

    def get_params(self, ctx: Any) -> list[Any]:
        """The options, ready to be read."""
        return _lean(super().get_params(ctx))


class LeanGroup(TyperGroup):
    """A group of such commands."""

    def get_params(self, ctx: Any) -> list[Any]:
        """The options, ready to be read."""
        return _lean(super().get_params(ctx))
