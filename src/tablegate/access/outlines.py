"""What is left of a grant when its names are withheld: the same for many grants, and enough for most questions.

An outline shows nothing but what is told of a shape, and grants of one shape are equal in all of that. So whatever is
answered about the outline holds for each of them; what needs more to be answered raises ``Withheld``.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from operator import attrgetter
from typing import Any, Generic, NoReturn, TypeVar

from tablegate.access.documents import Document, Patterns, Statement
from tablegate.access.grants import Grant
from tablegate.access.holders import Holder
from tablegate.access.reach import Reach, reaches
from tablegate.access.scope import Scope
from tablegate.model.record import is_compared, wire

T = TypeVar("T")


class Withheld(BaseException):
    """Somebody asked an outline for what only the grant itself can tell. It counts, also where it is caught."""

    times = 0


class _Outlined(Generic[T]):
    """How one kind of record is outlined: the fields that are shown, and those that are outlines themselves."""

    def __init__(self, kind: type[T], shown: str, inner: str = "") -> None:
        self.shown = shown.split()
        told = {*self.shown, *inner.split()}
        hidden: dict[str, Any] = {name: property(_withhold) for name in kind.__annotations__ if name not in told}
        if is_compared(kind):  # by all that it holds, and not all of that is here
            hidden |= {"__eq__": _withhold, "__hash__": _withhold}
        self._kind: Any = type(kind.__name__, (kind,), {"__post_init__": _as_it_is, **hidden})

    def within(self, path: str) -> list[str]:
        """The names of what is shown, as whoever holds one of them there knows them."""
        return [f"{path}.{name}" for name in self.shown]

    def of(self, whole: T, **inner: object) -> T:
        """The outline of one of them."""
        told = {name: getattr(whole, name) for name in self.shown} | inner
        made: T = self._kind(**{name: told.pop(name, None) for name in self._kind.__struct_fields__})
        for name, outline in told.items():
            wire(made, name, outline)
        return made


def _as_it_is(_: object) -> None:
    """Nothing is made of what is withheld."""


def _withhold(*_: object) -> NoReturn:
    Withheld.times += 1
    raise Withheld


_HOLDER = _Outlined(Holder, "form kind why services ceilings ceiling_doubt unread needs", "grants denials")
_GRANT = _Outlined(Grant, "role managed spelling made_by", "document statement holder reached")
_DOCUMENT = _Outlined(Document, "version doubt")
_STATEMENT = _Outlined(Statement, "effect principals conditions doubts present unsettled", "actions resources")
_ACTIONS = _Outlined(Patterns, "texts inverted doubt perhaps")
_RESOURCES = _Outlined(Patterns, "inverted doubt")
_REACH = _Outlined(Reach, "actions", "grant scope")
_SCOPE = _Outlined(Scope, "tier itself below bleeds where global_table")

# All that is shown of one of them, at once: each of thousands is looked at.
_told_of_holder = attrgetter(*_HOLDER.shown)
_told_of_grant = attrgetter(
    *_GRANT.shown,
    *_DOCUMENT.within("document"),
    *_STATEMENT.within("statement"),
    *_ACTIONS.within("statement.actions"),
    *_RESOURCES.within("statement.resources"),
)
_told_of_reach = attrgetter(*_REACH.shown, *_SCOPE.within("scope"))


def outlines(holders: Iterable[Holder], known: dict[Hashable, Holder] | None = None) -> dict[Grant, Grant]:
    """The outline of each grant whose holder is not the only one of its shape.

    ``known`` are the outlines of holders by their shapes that were drawn before; what is drawn now is added.
    """
    known = {} if known is None else known
    alike: dict[Hashable, list[Holder]] = {}
    for holder in holders:
        alike.setdefault(_shape(holder), []).append(holder)
    found: dict[Grant, Grant] = {}
    for shape, several in alike.items():
        outlined = known.get(shape)
        if outlined is None and len(several) > 1:
            outlined = known[shape] = _outline(several[0])
        if outlined is not None:
            for holder in several:
                found.update(zip(holder.grants, outlined.grants, strict=True))
    return found


def _shape(holder: Holder) -> Hashable:
    """All that the outline of a holder shows, and how it hangs together."""
    documents: dict[int, int] = {}
    shape: list[Hashable] = [_told_of_holder(holder)]
    for grant in holder.grants:
        shape.append(documents.setdefault(id(grant.document), len(documents)))
        shape.append(_told_of_grant(grant))
        shape.append(tuple(map(_told_of_reach, reaches(grant))))
    return tuple(shape)


def _outline(holder: Holder) -> Holder:
    documents = {id(grant.document): _DOCUMENT.of(grant.document) for grant in holder.grants}
    grants = {grant: _grant_outline(grant, documents[id(grant.document)]) for grant in holder.grants}
    outline = _HOLDER.of(
        holder, grants=tuple(grants.values()), denials=tuple(grants[grant] for grant in holder.denials)
    )
    for grant in grants.values():
        wire(grant, "holder", outline)
    return outline


def _grant_outline(grant: Grant, document: Document) -> Grant:
    whole = grant.statement
    statement = _STATEMENT.of(whole, actions=_ACTIONS.of(whole.actions), resources=_RESOURCES.of(whole.resources))
    outline = _GRANT.of(grant, document=document, statement=statement)
    reached = (_REACH.of(reach, grant=outline, scope=_SCOPE.of(reach.scope)) for reach in reaches(grant))
    wire(outline, "reached", tuple(reached))
    return outline
