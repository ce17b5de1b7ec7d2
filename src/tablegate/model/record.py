"""A kept speed layer: the decorator of the model's classes.

A record looks like a frozen dataclass: `dataclasses.fields` and `replace` know it. Behind it is a msgspec Struct, since
a check makes about forty records for each table, and each class costs start-up time.

- It buys: compared with frozen dataclasses, `make bench` takes 0.72 of the processor time for a check of the 30 MB plan
  and 0.70 for a check of one small plan (both without outlines).
- It is held to dataclasses by tests/model/test_record.py.
- To switch it off, make ``record`` a frozen dataclass and ``wire`` ``object.__setattr__``. engine/outlines.py and
  ``ObservedTable`` build on the slots of a Struct, so they go first.
"""

from __future__ import annotations

from collections.abc import Callable
from operator import attrgetter
from reprlib import recursive_repr
from typing import TYPE_CHECKING, Any, TypeVar, cast, dataclass_transform

from msgspec import Struct, StructMeta
from msgspec import field as struct_field
from msgspec.structs import astuple, force_setattr

if TYPE_CHECKING:  # the type checker takes records for the dataclasses that they look like
    from dataclasses import field, replace
else:
    from msgspec.structs import replace

    def field(**options: Any) -> Any:
        """The options of a field, by the names that ``dataclasses.field`` has for them."""
        return _FieldOptions(options)


__all__ = ["field", "field_names", "field_values", "is_compared", "record", "replace", "wire"]

T = TypeVar("T")

wire: Callable[[object, str, object], None] = force_setattr  # type: ignore[assignment]  # a record is a Struct
"""Sets a field that is not given when a record is made, such as the reference from a part to its whole."""

field_values: Callable[[object], tuple[Any, ...]] = astuple  # type: ignore[assignment]  # a record is a Struct
"""The values of the fields that a record is given, in their order."""


class _FieldOptions(dict[str, Any]):
    """The options of one field, until somebody needs a `dataclasses.Field`: importing dataclasses takes time."""


_NO_OPTIONS = _FieldOptions()
_OF_THE_CLASS = ("__dict__", "__weakref__", "__annotations__")  # made anew for each class


@dataclass_transform(frozen_default=True, kw_only_default=True, field_specifiers=(field,))
def record(
    *, eq: bool = True, kw_only: bool = True, leaf: bool = False, frozen: bool = True
) -> Callable[[type[T]], type[T]]:
    """Make a class of final fields, given by name. Two records are equal if their fields are.

    A ``leaf`` refers to nothing that could refer back to it, so the collector need not look at it. A record that is not
    ``frozen`` gathers values while an input is read, and is no part of the model.
    """

    def decorate(cls: type[T]) -> type[T]:
        types = cls.__annotations__
        namespace = {"__repr__": _repr} | {name: it for name, it in vars(cls).items() if name not in _OF_THE_CLASS}
        options = {name: it for name, it in namespace.items() if it.__class__ is _FieldOptions}
        wired = [name for name, it in options.items() if not it.get("init", True)]
        for name, it in options.items():
            if "default_factory" in it:
                namespace[name] = struct_field(default_factory=it["default_factory"])
            elif "default" in it:
                namespace[name] = it["default"]
            else:
                del namespace[name]
        compared_in_part = eq and not all(it.get("compare", True) for name, it in options.items() if name not in wired)
        if compared_in_part:
            compared = (name for name in types if options.get(name, _NO_OPTIONS).get("compare", True))
            namespace |= _comparison(attrgetter(*compared))
        namespace["__annotations__"] = {name: types[name] for name in types if name not in wired} if wired else types
        namespace["__dataclass_fields__"] = _LazyFields(cls, kw_only=kw_only)
        bases = (Struct, *(base for base in cls.__bases__ if base is not object))
        struct = StructMeta(
            *(cls.__name__, bases, namespace),
            frozen=frozen,
            eq=eq and not compared_in_part,
            kw_only=kw_only,
            dict=bool(wired),
            gc=not leaf,
        )
        struct.__annotations__ = types
        return cast("type[T]", struct)

    return decorate


class _LazyFields:
    """The ``__dataclass_fields__`` of a record, made when they are first asked for: those of most records never are."""

    def __init__(self, cls: type[Any], *, kw_only: bool) -> None:
        self._cls = cls
        self._kw_only = kw_only

    def __get__(self, _record: object, struct: Any) -> object:
        import dataclasses

        namespace = {name: it for name, it in vars(self._cls).items() if name not in ("__dict__", "__weakref__")}
        namespace |= {name: dataclasses.field(**it) for name, it in namespace.items() if isinstance(it, _FieldOptions)}
        # A copy of the class: a thread must not see what another one has half made.
        copy: type[Any] = type(self._cls.__name__, self._cls.__bases__, namespace)
        dataclasses.dataclass(init=False, repr=False, eq=False, kw_only=self._kw_only)(copy)
        struct.__dataclass_fields__ = copy.__dict__["__dataclass_fields__"]
        return struct.__dataclass_fields__


def field_names(kind: type[Any]) -> tuple[str, ...]:
    """The fields that a record is given, in their order."""
    names: tuple[str, ...] = kind.__struct_fields__
    return names


def is_compared(kind: type[Any]) -> bool:
    """Whether two records of a kind are equal if their fields are, and not only if they are the same object."""
    return kind.__struct_config__.eq or "__eq__" in vars(kind)


def _comparison(content: Callable[[object], object]) -> dict[str, Callable[..., object]]:
    """Methods that compare records by a part of their fields."""

    def equal(self: object, other: object) -> bool:
        return content(self) == content(other) if other.__class__ is self.__class__ else NotImplemented

    return {"__eq__": equal, "__hash__": lambda self: hash(content(self))}


@recursive_repr()
def _repr(self: Any) -> str:
    from dataclasses import fields

    shown = (f"{each.name}={getattr(self, each.name, ...)!r}" for each in fields(self) if each.repr)
    return f"{type(self).__qualname__}({', '.join(shown)})"
