"""What may be printed of a value: the contents of known facts. Of anything else, its type and size."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeAlias

from tablegate.model import facts
from tablegate.model.record import record
from tablegate.model.table import Index, KeyPart, Replica, VectorIndex
from tablegate.model.value import Value
from tablegate.reporters.safe import SENSITIVE

Plain: TypeAlias = str | int | float | bool | list["Plain"] | dict[str, "Plain"] | None

# People write tags and policy documents, and put into them what nobody should read elsewhere.
_PRIVATE = frozenset({facts.TAGS.name, facts.POLICY.name, facts.STREAM_POLICY.name})
_FACTS = frozenset(fact.name for fact in vars(facts).values() if isinstance(fact, facts.Fact))
_PUBLIC = (_FACTS | facts.STATEMENT) - _PRIVATE

_PLAIN = frozenset({type(None), bool, int, float, str})  # what holds on to nothing

MANY = 20  # entries of one list


@record(kw_only=False)
class Told:
    """What reports tell of a content, where the content itself is far away: in another process, or another run."""

    plain: Plain


def is_light(value: Value[object]) -> bool:
    """Whether its content holds on to nothing, and may be told to anybody."""
    return type(value.content) in _PLAIN and not value.sensitive


def told(value: Value[object]) -> Value[object]:
    """The same value for any reporter, without a content that may hold on to a whole estate."""
    if is_light(value):
        return value
    known = plain(value)
    content = None if known is None else Told(known)
    return Value(value.name, content, value.origin, value.place, value.doubt, value.sensitive)


def plain(value: Value[object], scrub: Callable[[str], str] = str) -> Plain:
    """A value's content as JSON can hold it."""
    if not value.known or value.content is None:
        return None
    if isinstance(value.content, Told):
        return _scrubbed(value.content.plain, scrub)
    if value.sensitive:
        return SENSITIVE
    if not is_public(value.name):
        if isinstance(value.content, str):
            return {"type": "text", "size": len(value.content)}
        if isinstance(value.content, (dict, Mapping)):  # a dict is known at once, any other mapping takes long
            return {"type": "mapping", "size": len(value.content)}
    return _plain(value.content, scrub)


def is_public(name: str) -> bool:
    """Whether a fact of this name holds nothing that people would keep to themselves."""
    return name in _PUBLIC


def _plain(content: object, scrub: Callable[[str], str]) -> Plain:
    match content:
        case None | bool() | int():
            return content
        case float():
            return content if content - content == 0 else str(content)
        case str():
            return scrub(str(content))
        case KeyPart():
            return f"{scrub(content.attribute)} {content.role}"
        case Index() | VectorIndex():
            return plain(content.name, scrub)
        case Replica():
            return plain(content.region, scrub)
        case list() | tuple():
            return [_plain(item, scrub) for item in content]
        case Mapping():
            return {scrub(str(key)): _plain(content[key], scrub) for key in sorted(content, key=str)}
        case set() | frozenset():
            return [_plain(item, scrub) for item in sorted(content, key=str)]
        case _:
            return {"type": type(content).__name__.lower(), "size": 1}


def _scrubbed(content: Plain, scrub: Callable[[str], str]) -> Plain:
    match content:
        case str():
            return scrub(content)
        case list():
            return [_scrubbed(item, scrub) for item in content]
        case dict():
            return {scrub(key): _scrubbed(item, scrub) for key, item in content.items()}
    return content
