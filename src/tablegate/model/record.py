"""What facts are kept in: dataclasses that nothing changes once they are made, at the price of those that can be.

A frozen dataclass sets each of its fields through a guard, which doubles what it costs to make one; a run makes
forty of them a table. Here the type checker is the guard, and ``sealed`` is one at run time, for the code of strangers.
And of the methods that a dataclass compiles only the constructor is: the others would be a tenth of every start.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import FrozenInstanceError, dataclass, field, fields
from operator import attrgetter
from reprlib import recursive_repr
from typing import Any, TypeVar, dataclass_transform

T = TypeVar("T")

_RECORDS: list[type] = []


@dataclass_transform(frozen_default=True, kw_only_default=True, field_specifiers=(field,))
def record(*, eq: bool = True, kw_only: bool = True) -> Callable[[type[T]], type[T]]:
    """A class of fields that are final, and given by their names. Two are equal where their fields are."""

    def make(cls: type[T]) -> type[T]:
        made = dataclass(slots=True, eq=False, repr=False, kw_only=kw_only)(cls)
        if "__repr__" not in vars(cls):
            made.__repr__ = _shown  # type: ignore[method-assign]
        if eq:
            _compare_fields(made)
        _RECORDS.append(made)
        return made

    return make


@contextmanager
def sealed() -> Iterator[None]:
    """As long as this lasts, a field that has a content keeps it."""
    for made in _RECORDS:
        made.__setattr__ = _set_once  # type: ignore[assignment, method-assign]
    try:
        yield
    finally:
        for made in _RECORDS:
            del made.__setattr__


def _set_once(self: object, name: str, value: object) -> None:
    if hasattr(self, name):
        raise FrozenInstanceError(f"cannot assign to field {name!r}")
    object.__setattr__(self, name, value)


def _compare_fields(made: type[Any]) -> None:
    content = attrgetter(*(each.name for each in fields(made) if each.compare))

    def equal(self: object, other: object) -> bool:
        return content(self) == content(other) if other.__class__ is self.__class__ else NotImplemented

    def hashed(self: object) -> int:
        return hash(content(self))

    made.__eq__ = equal  # type: ignore[assignment]
    made.__hash__ = hashed  # type: ignore[assignment]


@recursive_repr()
def _shown(self: Any) -> str:
    shown = (f"{each.name}={getattr(self, each.name, ...)!r}" for each in fields(self) if each.repr)
    return f"{type(self).__qualname__}({', '.join(shown)})"
