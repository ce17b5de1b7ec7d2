"""Where an expression stands: its module, what is repeated there, and the names that loops give."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple, Protocol

from tablegate.dialects.terraform_plan.unknowns import Unknown


class Thing(Protocol):
    """A resource, a module, or all their instances: content that is looked into only where somebody asks."""

    def get(self, name: str) -> object:
        """One attribute."""

    def at(self, key: object) -> object:
        """One instance."""

    def each(self) -> list[object] | Unknown:
        """Every instance."""

    def keys(self) -> Mapping[str, object] | Unknown:
        """The instances by key, of those that have texts for keys."""

    def whole(self) -> Unknown:
        """The thing as a value: never spelled out."""


class Module(Protocol):
    """The module instance that an expression stands in."""

    def variable(self, name: str) -> object:
        """The content of a variable."""

    def local(self, name: str) -> object:
        """The content of a local."""

    def module(self, name: str) -> object:
        """A called module."""

    def resource(self, mode: str, type_: str, name: str) -> object:
        """A resource."""

    def mark(self) -> None:
        """Something sensitive was read."""

    def spend(self) -> None:
        """One more step of a loop. Of too many the expression fails."""


class Scope(NamedTuple):
    """Where an expression stands: its module, what is repeated there, and the names that loops give."""

    module: Module
    key: object = None
    value: object = None
    counts: bool = False
    names: Mapping[str, object] = {}
