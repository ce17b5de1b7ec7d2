"""Kept speed layer: grants that differ in names alone."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from operator import attrgetter
from typing import Any, Generic, NoReturn, TypeVar

from tablegate.engine.ask import Answer
from tablegate.iam.documents import Document, Patterns, Statement
from tablegate.iam.evaluation import Reach, reaches
from tablegate.iam.grants import Grant
from tablegate.iam.holders import Holder
from tablegate.iam.patterns import Scope
from tablegate.model.record import is_compared, record, wire
from tablegate.model.value import Verdict

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tablegate.engine.subjects import Stand


T = TypeVar("T")


class HiddenFieldError(BaseException):
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
    HiddenFieldError.times += 1
    raise HiddenFieldError


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


_MOST = 1024  # shapes of holders that are kept


@record(eq=False, kw_only=False)
class Alike:
    """Stands by their numbers: those whose grants have one outline, outline by outline, and those that have none.

    ``verdict`` is that on every grant of an outline, where the outline is enough for it.
    """

    outlined: Sequence[tuple[Grant, Sequence[int]]]
    apart: Sequence[int]
    verdict: Callable[[Callable[[object], Answer], Grant], Verdict | None]


class Outlined:
    """The outlines of a run's grants, and the verdicts on them: those of one estate are much like those of the next."""

    def __init__(self, most: int = _MOST) -> None:
        self._most = most
        self._of_shapes: dict[Hashable, Holder] = {}
        self._verdicts: dict[tuple[Callable[[object], Answer], Grant], Verdict | None] = {}

    def alike(self, holders: Iterable[Holder], stands: Sequence[Stand]) -> Alike:
        """The stands of grants that have an outline, gathered by it, and the others."""
        if len(self._of_shapes) >= self._most:
            self._of_shapes.clear()
            self._verdicts.clear()
        known = outlines(holders, self._of_shapes)
        found: dict[Grant, list[int]] = {}
        apart: list[int] = []
        for number, stand in enumerate(stands):
            outline = known.get(stand.subject) if isinstance(stand.subject, Grant) and not stand.shared else None
            (apart if outline is None else found.setdefault(outline, [])).append(number)
        return Alike(tuple(found.items()), apart, self._verdict)

    def _verdict(self, ask: Callable[[object], Answer], outline: Grant) -> Verdict | None:
        """What makes a finding is never shared: it tells names."""
        key = (ask, outline)
        if key in self._verdicts:
            return self._verdicts[key]
        before = HiddenFieldError.times
        answer = ask(outline)
        found = None
        if isinstance(answer, Verdict) and answer.truth is True and HiddenFieldError.times == before:
            found = answer
        self._verdicts[key] = found
        return found
