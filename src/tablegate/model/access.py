"""Who may do what to a table: the nouns of the access family."""

from __future__ import annotations

from dataclasses import dataclass

from tablegate.model.value import Place


@dataclass(frozen=True, slots=True, kw_only=True)
class Grant:
    """One statement of a policy document."""

    address: str
    place: Place | None
    statement: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Holder:
    """Somebody who holds grants: a role, a user, a group, or whoever a resource lets in."""

    address: str
    place: Place | None
    grants: tuple[Grant, ...] = ()
