"""A kept speed layer: one verdict for all grants that differ in names only.

Large inputs hold thousands of grants of a few shapes: the same actions, widths and conditions on other tables. The
outline of a grant is a copy in which every name (addresses, labels, places, ARNs) is hidden. A predicate that holds, or
is not applicable, for the outline without reading a hidden field does so for each grant of that shape.

- Only verdicts without a finding are shared: a finding tells names. A predicate that reads a hidden field, also one
  that catches the error, is asked about each grant.
- It buys: in `make bench`, a check of 2,000 documents takes 0.75 of the processor time, and one of the 30 MB plan 0.83.
- It is held to the plain way by tests/engine/test_outlines_verdicts.py: every policy, on every grant of the fixtures.
- To switch it off, call `engine.judge:_results` without shapes.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from contextvars import ContextVar
from operator import attrgetter
from typing import Any, Generic, NoReturn, TypeVar

from tablegate.engine.ask import PredicateResult
from tablegate.engine.subjects import SubjectEntry
from tablegate.iam.documents import Document, Patterns, Statement
from tablegate.iam.evaluation import Reach, reaches
from tablegate.iam.grants import Grant
from tablegate.iam.holders import Holder
from tablegate.iam.patterns import Scope
from tablegate.model.record import is_compared, record, wire
from tablegate.model.value import Verdict

T = TypeVar("T")

hidden_reads: ContextVar[int] = ContextVar("hidden_reads", default=0)  # of this thread, those that were caught too


class HiddenFieldError(BaseException):
    """A predicate read a field that an outline hides."""


class _Outliner(Generic[T]):
    """Makes outlines of one kind of record: with the fields that are shown, and those that are outlines themselves."""

    def __init__(self, kind: type[T], shown: str, inner: str = "") -> None:
        self.shown = shown.split()
        visible = {*self.shown, *inner.split()}
        hidden: dict[str, Any] = {name: property(_hide) for name in kind.__annotations__ if name not in visible}
        if is_compared(kind):  # by all of its fields, also those that are hidden
            hidden |= {"__eq__": _hide, "__hash__": _hide}
        self._kind: Any = type(kind.__name__, (kind,), {"__post_init__": _make_nothing, **hidden})

    def paths(self, path: str) -> list[str]:
        """The shown fields, as seen from an object that holds the record at this path."""
        return [f"{path}.{name}" for name in self.shown]

    def outline(self, whole: T, **inner: object) -> T:
        """The outline of one record."""
        fields = {name: getattr(whole, name) for name in self.shown} | inner
        outline: T = self._kind(**{name: fields.pop(name, None) for name in self._kind.__struct_fields__})
        for name, value in fields.items():
            wire(outline, name, value)
        return outline


def _make_nothing(_: object) -> None:
    """An outline makes nothing of fields that are hidden."""


def _hide(*_: object) -> NoReturn:
    hidden_reads.set(hidden_reads.get() + 1)
    raise HiddenFieldError


_HOLDER = _Outliner(Holder, "form kind why services ceilings ceiling_doubt unread needs", "grants denials")
_GRANT = _Outliner(Grant, "role managed spelling made_by of_resource", "document statement holder reached")
_DOCUMENT = _Outliner(Document, "version doubt")
_STATEMENT = _Outliner(Statement, "effect principals conditions doubts present unsettled", "actions resources")
_ACTIONS = _Outliner(Patterns, "texts inverted doubt perhaps")
_RESOURCES = _Outliner(Patterns, "inverted doubt")
_REACH = _Outliner(Reach, "actions", "grant scope")
_SCOPE = _Outliner(Scope, "tier itself below bleeds where global_table")

# All that is shown of one of them, at once: each of thousands is looked at.
_shown_of_holder = attrgetter(*_HOLDER.shown)
_shown_of_grant = attrgetter(
    *_GRANT.shown,
    *_DOCUMENT.paths("document"),
    *_STATEMENT.paths("statement"),
    *_ACTIONS.paths("statement.actions"),
    *_RESOURCES.paths("statement.resources"),
)
_shown_of_reach = attrgetter(*_REACH.shown, *_SCOPE.paths("scope"))


def outlines(holders: Iterable[Holder], known: dict[Hashable, Holder] | None = None) -> dict[Grant, Grant]:
    """The outline of each grant whose holder is not the only one of its shape.

    ``known`` has the outlines of holders by their shapes that were made before; new ones are added.
    """
    known = {} if known is None else known
    by_shape: dict[Hashable, list[Holder]] = {}
    for holder in holders:
        by_shape.setdefault(_shape(holder), []).append(holder)
    by_grant: dict[Grant, Grant] = {}
    for shape, same_shape in by_shape.items():
        outline = known.get(shape)
        if outline is None and len(same_shape) > 1:
            outline = known[shape] = _holder_outline(same_shape[0])
        if outline is not None:
            for holder in same_shape:
                by_grant.update(zip(holder.grants, outline.grants, strict=True))
    return by_grant


def _shape(holder: Holder) -> Hashable:
    """All that the outline of a holder shows, and which grants are of one document."""
    documents: dict[int, int] = {}
    shape: list[Hashable] = [_shown_of_holder(holder)]
    for grant in holder.grants:
        shape.append(documents.setdefault(id(grant.document), len(documents)))
        shape.append(_shown_of_grant(grant))
        shape.append(tuple(map(_shown_of_reach, reaches(grant))))
    return tuple(shape)


def _holder_outline(holder: Holder) -> Holder:
    documents = {id(grant.document): _DOCUMENT.outline(grant.document) for grant in holder.grants}
    grants = {grant: _grant_outline(grant, documents[id(grant.document)]) for grant in holder.grants}
    denials = tuple(grants[grant] for grant in holder.denials)
    outline = _HOLDER.outline(holder, grants=tuple(grants.values()), denials=denials)
    for grant in grants.values():
        wire(grant, "holder", outline)
    return outline


def _grant_outline(grant: Grant, document: Document) -> Grant:
    whole = grant.statement
    actions, resources = _ACTIONS.outline(whole.actions), _RESOURCES.outline(whole.resources)
    statement = _STATEMENT.outline(whole, actions=actions, resources=resources)
    outline = _GRANT.outline(grant, document=document, statement=statement)
    reached = (_REACH.outline(reach, grant=outline, scope=_SCOPE.outline(reach.scope)) for reach in reaches(grant))
    wire(outline, "reached", tuple(reached))
    return outline


@record(eq=False, kw_only=False)
class GrantShapes:
    """The numbers of entries by the outline of their grants, the numbers of the others, and the verdict on an outline.

    The verdict is None if the outline is not enough for it.
    """

    by_outline: Sequence[tuple[Grant, Sequence[int]]]
    others: Sequence[int]
    verdict: Callable[[Callable[[object], PredicateResult], Grant], Verdict | None]


_MOST = 1024  # shapes of holders that are kept


class ShapeVerdicts:
    """The outlines of a run's grants, and the verdicts on them: one estate's grants are much like the next one's."""

    def __init__(self, most: int = _MOST) -> None:
        self._most = most
        self._outlines: dict[Hashable, Holder] = {}
        self._verdicts: dict[tuple[Callable[[object], PredicateResult], Grant], Verdict | None] = {}

    def shapes(self, holders: Iterable[Holder], entries: Sequence[SubjectEntry]) -> GrantShapes:
        """The entries of grants, grouped by their outlines."""
        if len(self._outlines) >= self._most:
            self._outlines.clear()
            self._verdicts.clear()
        by_grant = outlines(holders, self._outlines)
        by_outline: dict[Grant, list[int]] = {}
        others: list[int] = []
        for number, entry in enumerate(entries):
            outline = by_grant.get(entry.subject) if isinstance(entry.subject, Grant) and entry.is_one else None
            (others if outline is None else by_outline.setdefault(outline, [])).append(number)
        return GrantShapes(tuple(by_outline.items()), others, self._verdict)

    def _verdict(self, ask: Callable[[object], PredicateResult], outline: Grant) -> Verdict | None:
        """A verdict that makes a finding is never shared: it tells names."""
        key = (ask, outline)
        if key not in self._verdicts:
            before = hidden_reads.get()
            result = ask(outline)
            is_enough = isinstance(result, Verdict) and result.truth is True and hidden_reads.get() == before
            self._verdicts[key] = result if isinstance(result, Verdict) and is_enough else None
        return self._verdicts[key]
