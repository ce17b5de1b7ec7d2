"""A verdict in words: its note, or else what its evidence says."""

from __future__ import annotations

from tablegate.model import facts
from tablegate.model.table import Index, KeyPart, Replica, VectorIndex
from tablegate.model.value import Origin, Value, Verdict

# Tags and policy documents hold what people write into them: they are named, never quoted.
_PRIVATE = frozenset({facts.TAGS.name, facts.POLICY.name, facts.STREAM_POLICY.name})
_FACTS = frozenset(fact.name for fact in vars(facts).values() if isinstance(fact, facts.Fact))
_PUBLIC = (_FACTS | facts.STATEMENT) - _PRIVATE

_PLURAL = frozenset(
    fact.name
    for fact in vars(facts).values()
    if isinstance(fact, facts.Fact) and isinstance(fact.default, (tuple, dict))
)

_MANY = 5


def message_of(verdict: Verdict) -> str:
    """What a finding says. An unknown always says which value is not known, and why."""
    if verdict.truth is None:
        doubts = [value for value in verdict.evidence if not value.known]
        reasons = _joined(doubts) if doubts else ""
        return "; ".join(text for text in (verdict.note, reasons) if text) or "it cannot be known"
    return verdict.note or _joined(verdict.evidence) or "the policy does not hold"


def worded(value: Value[object]) -> str:
    """One value as a statement."""
    verb = "are" if value.name in _PLURAL else "is"
    if value.origin is Origin.UNKNOWN:
        reason = value.doubt.reason if value.doubt else "it cannot be seen here"
        known = f", but one of {value.shown}" if value.candidates and value.name in _PUBLIC else ""
        return f"{value.name} {verb} unknown{known}: {reason}"
    if value.content is None:
        return f"{value.name} {verb} not set"
    return f"{value.name} {verb} {_content(value)}{' (default)' if value.origin is Origin.DEFAULT else ''}"


def _joined(values: tuple[Value[object], ...] | list[Value[object]]) -> str:
    texts = list(dict.fromkeys(worded(value) for value in values))
    more = [f"{len(texts) - _MANY} more"] if len(texts) > _MANY else []
    return "; ".join(texts[:_MANY] + more)


def _content(value: Value[object]) -> str:
    content = value.content
    if content is True or content is False:
        return "on" if content else "off"
    if value.sensitive:
        return "(sensitive)"
    if value.name not in _PUBLIC and not isinstance(content, (int, float)):
        return "not what it must be"
    if isinstance(content, (tuple, list)):
        return ", ".join(_item(item) for item in content[:_MANY]) or "empty"
    return _item(content)


def _item(item: object) -> str:
    if isinstance(item, KeyPart):
        return f"{item.attribute} ({item.role})"
    if isinstance(item, (Index, VectorIndex)):
        return str(item.name.content)
    if isinstance(item, Replica):
        return str(item.region.content)
    if isinstance(item, dict):
        return f"{len(item)} in number"
    return str(item)
