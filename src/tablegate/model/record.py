"""What the model is made of: dataclasses that nothing changes once they are made, at the price of those that can be.

A frozen dataclass sets each of its fields through a guard, which doubles what it costs to make one; a run makes
forty of them a table. Here the type checker is the guard, and ``sealed`` is one at run time, for the code of strangers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import FrozenInstanceError, dataclass, field
from typing import TypeVar, dataclass_transform

T = TypeVar("T")

_RECORDS: list[type] = []


@dataclass_transform(frozen_default=True, kw_only_default=True, field_specifiers=(field,))
def record(*, eq: bool = True, kw_only: bool = True) -> Callable[[type[T]], type[T]]:
    """A class of fields that are final, and given by their names."""

    def make(cls: type[T]) -> type[T]:
        made = dataclass(slots=True, eq=eq, unsafe_hash=eq, kw_only=kw_only)(cls)
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
