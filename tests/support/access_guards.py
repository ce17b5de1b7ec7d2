"""A guard of a policy: what is told without it, and what is left to tell with it."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

from support.access import said
from tablegate.model.estate import Estate


class Guard(NamedTuple):
    """Two worlds that differ by what the rule names, and what is left of the finding."""

    policy: str
    rule: str
    without: Estate
    guarded: Estate
    left: str | None = None
    options: Mapping[str, Any] = MappingProxyType({})

    def __str__(self) -> str:
        return f"{self.policy}-{self.rule}"

    def told(self) -> tuple[str | None, str | None]:
        """What the policy says without the guard, and with it."""
        return said(self.without, self.policy, **self.options), said(self.guarded, self.policy, **self.options)
