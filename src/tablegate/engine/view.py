"""The normalized model as plain data: what ``show`` prints, and what the paths of written policies walk over."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from typing import Any

from tablegate.model.value import Doubt, Place, Value

# What leads from a part back to its whole, or out of the table: a view would never end.
_WIRES = frozenset({"table", "estate", "change", "raw", "make_before"})

SENSITIVE = "(sensitive)"
UNSEEN = Doubt("it cannot be seen here")


def view(thing: object) -> Any:
    """The thing with every value as its content. What is not known is ``{"unknown": reason}``."""
    match thing:
        case Value():
            return SENSITIVE if thing.sensitive and thing.content is not None else view(content_of(thing))
        case Doubt():
            return {"unknown": thing.reason}
        case Place():
            return {name: part for name in members(Place) if (part := getattr(thing, name)) is not None}
        case Mapping():
            return {str(key): view(thing[key]) for key in thing}
        case list() | tuple():
            return [view(item) for item in thing]
        case set() | frozenset():
            return sorted(str(item) for item in thing)
        case str():
            return str(thing)
        case _ if is_dataclass(thing):
            return {name: view(getattr(thing, name)) for name in members(type(thing))}
    return thing


def content_of(value: Value[Any]) -> object:
    """The content of a value, with doubts where something is not known: itself, or an entry of a mapping."""
    if not value.known:
        return value.doubt or UNSEEN
    if isinstance(value.content, Mapping):
        return {key: UNSEEN if item is None else item for key, item in value.content.items()}
    return value.content


def members(kind: Any) -> tuple[str, ...]:
    """The names by which a path may go on from an object of the model."""
    return tuple(field.name for field in fields(kind) if field.name not in _WIRES)
