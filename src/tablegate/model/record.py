"""What the model is made of: dataclasses that nothing changes once they are made, at the price of those that can be.

A frozen dataclass sets each of its fields through a guard, which doubles what it costs to make one; a run makes
forty of them a table. Here the type checker is the guard.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TypeVar, dataclass_transform

T = TypeVar("T")


@dataclass_transform(frozen_default=True, kw_only_default=True, field_specifiers=(field,))
def record(*, eq: bool = True, kw_only: bool = True) -> Callable[[type[T]], type[T]]:
    """A class of fields that are final, and given by their names."""
    return dataclass(slots=True, eq=eq, unsafe_hash=eq, kw_only=kw_only)
