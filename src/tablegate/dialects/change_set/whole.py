"""A change set and its template as one: the template holds everything, and the set knows what it comes to."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import fields, is_dataclass
from typing import Any

from tablegate.dialects.change_set.document import Members, items, member, members, text
from tablegate.dialects.cloudformation.symbols import ResolvedText
from tablegate.model.record import replace
from tablegate.model.table import Table
from tablegate.model.value import Value

_MASK = "****"
# Whose the table is, and what other resources make of it: of those a change set shows too few.
_OWN = frozenset({"address", "place", "dialect", "type", "kind", "label", "scenario", "backed_up", "change", "raw"})


def parameters_of(root: Members) -> dict[str, str]:
    """The values that the change set was made with, but for those that it masks."""
    found: dict[str, str] = {}
    for item in items(member(root, "Parameters")):
        given = members(item)
        name, value, resolved = (text(given, key) for key in ("ParameterKey", "ParameterValue", "ResolvedValue"))
        if name is None or value == _MASK:
            continue
        if resolved is not None:
            found[name] = ResolvedText(resolved)
        elif member(given, "ParameterValue") is not None:
            found[name] = value or ""
    return found


def settled(tables: Iterable[Table], shown: Mapping[str, Table]) -> tuple[Table, ...]:
    """The tables of the template, each with what only the change set knows of it."""
    return tuple(_settled(table, shown[table.address]) if table.address in shown else table for table in tables)


def _settled(own: Any, shown: Any) -> Any:
    if isinstance(own, Value):
        if not own.known:
            return shown if shown.known else own
        if isinstance(own.content, tuple) and shown.known and _names(own.content) == _names(shown.content):
            pairs = zip(own.content, shown.content, strict=True)
            content = tuple(_settled(one, other) for one, other in pairs)
            return Value(own.name, content, own.origin, own.place)
        return own
    if not is_dataclass(own) or type(own) is not type(shown):
        return own
    made: Any = own
    names = [each.name for each in fields(made) if each.init and each.name not in _OWN]
    return replace(made, **{name: _settled(getattr(made, name), getattr(shown, name)) for name in names})


def _names(content: object) -> list[object] | None:
    """What the parts of a list are called, where each has a name."""
    if not isinstance(content, tuple):
        return None
    names = [getattr(part, "name", getattr(part, "region", None)) for part in content]
    return [name.content for name in names if isinstance(name, Value) and name.known]
