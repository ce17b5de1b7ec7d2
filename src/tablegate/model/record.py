"""What facts are kept in: fields that nothing changes once they are given.

To whoever looks at one it is a dataclass: ``fields`` and ``replace`` know it. What makes it, compares it and guards it
is msgspec's: a run makes forty of them a table, and each in half the time; the class itself is made in a quarter of it.
"""

from __future__ import annotations

from collections.abc import Callable
from operator import attrgetter
from reprlib import recursive_repr
from typing import TYPE_CHECKING, Any, TypeVar, cast, dataclass_transform

from msgspec import Struct, StructMeta
from msgspec import field as given
from msgspec.structs import astuple, force_setattr

if TYPE_CHECKING:  # which takes records for the dataclasses that they look like
    from dataclasses import field, replace
else:
    from msgspec.structs import replace

    def field(**said: Any) -> Any:
        """What is to be known of a field beside its type, in the words of ``dataclasses.field``."""
        return _Said(said)


__all__ = ["contents", "field", "is_compared", "names_of", "record", "replace", "wire"]

T = TypeVar("T")

_OF_THE_CLASS = ("__dict__", "__weakref__", "__annotations__")

wire: Callable[[object, str, object], None] = force_setattr  # type: ignore[assignment]  # a record is a Struct
"""Sets a field that is not given when a record is made, such as what leads back to its owner."""

contents: Callable[[object], tuple[Any, ...]] = astuple  # type: ignore[assignment]  # the same
"""What a record was made of, in the order of its fields."""


class _Said(dict[str, Any]):
    """What a class says of a field. ``dataclasses`` would have to be imported to keep it."""


_BARE = _Said()


@dataclass_transform(frozen_default=True, kw_only_default=True, field_specifiers=(field,))
def record(
    *, eq: bool = True, kw_only: bool = True, leaf: bool = False, frozen: bool = True
) -> Callable[[type[T]], type[T]]:
    """A class of fields that are final, and given by their names. Two are equal where their fields are.

    From a ``leaf`` no way leads back to it, so that whoever looks for garbage need not look at it. What is not
    ``frozen`` is still being made: a few things gather what concerns them, and are no part of the model.
    """

    def make(cls: type[T]) -> type[T]:
        types = cls.__annotations__
        inside = {"__repr__": _shown} | {name: it for name, it in vars(cls).items() if name not in _OF_THE_CLASS}
        said = {name: it for name, it in inside.items() if it.__class__ is _Said}
        wired = [name for name, it in said.items() if not it.get("init", True)]
        for name, it in said.items():
            if "default_factory" in it:
                inside[name] = given(default_factory=it["default_factory"])
            elif "default" in it:
                inside[name] = it["default"]
            else:
                del inside[name]
        in_part = eq and not all(it.get("compare", True) for name, it in said.items() if name not in wired)
        if in_part:
            inside |= _compared(attrgetter(*(name for name in types if said.get(name, _BARE).get("compare", True))))
        inside["__annotations__"] = {name: types[name] for name in types if name not in wired} if wired else types
        inside["__dataclass_fields__"] = _Fields(cls, kw_only=kw_only)
        bases = (Struct, *(base for base in cls.__bases__ if base is not object))
        made = StructMeta(
            *(cls.__name__, bases, inside),
            frozen=frozen,
            eq=eq and not in_part,
            kw_only=kw_only,
            dict=bool(wired),
            gc=not leaf,
        )
        made.__annotations__ = types
        return cast("type[T]", made)

    return make


class _Fields:
    """The fields as a dataclass has them: of most records nobody asks, and to find them takes as long as all else."""

    def __init__(self, cls: type[Any], *, kw_only: bool) -> None:
        self._cls = cls
        self._kw_only = kw_only

    def __get__(self, _record: object, made: Any) -> object:
        import dataclasses

        inside = {name: it for name, it in vars(self._cls).items() if name not in ("__dict__", "__weakref__")}
        inside |= {name: dataclasses.field(**it) for name, it in inside.items() if isinstance(it, _Said)}
        # A copy of the class: a thread must not see what another one has half made.
        kind: type[Any] = type(self._cls.__name__, self._cls.__bases__, inside)
        dataclasses.dataclass(init=False, repr=False, eq=False, kw_only=self._kw_only)(kind)
        made.__dataclass_fields__ = kind.__dict__["__dataclass_fields__"]
        return made.__dataclass_fields__


def names_of(kind: type[Any]) -> tuple[str, ...]:
    """The fields that a record is given, in their order."""
    names: tuple[str, ...] = kind.__struct_fields__
    return names


def is_compared(kind: type[Any]) -> bool:
    """Whether two of a kind are equal where their fields are, and not only one with itself."""
    return kind.__struct_config__.eq or "__eq__" in vars(kind)


def _compared(content: Callable[[object], object]) -> dict[str, Callable[..., object]]:
    """What compares records by a part of their fields."""

    def equal(self: object, other: object) -> bool:
        return content(self) == content(other) if other.__class__ is self.__class__ else NotImplemented

    return {"__eq__": equal, "__hash__": lambda self: hash(content(self))}


@recursive_repr()
def _shown(self: Any) -> str:
    from dataclasses import fields

    shown = (f"{each.name}={getattr(self, each.name, ...)!r}" for each in fields(self) if each.repr)
    return f"{type(self).__qualname__}({', '.join(shown)})"
