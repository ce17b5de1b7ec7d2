"""Type constraints of variables: what a caller gives is made what the module asks for, as Terraform does."""

from __future__ import annotations

from collections.abc import Callable

from tablegate.dialects.terraform_plan.unknowns import Unknown
from tablegate.dialects.terraform_source.unified import UNTYPED, UntypedError, unified
from tablegate.dialects.terraform_source.values import (
    Elements,
    FailedError,
    as_bool,
    as_list,
    as_map,
    as_number,
    as_text,
    ordered,
    unknowns,
)
from tablegate.syntax.hcl_nodes import Call, Expression, Literal, Name, Object

_SCALARS: dict[str, Callable[[object], object]] = {"string": as_text, "number": as_number, "bool": as_bool}
_OF_ONE_TYPE = frozenset({"list", "set", "map"})
_FEW = 2


def converted(content: object, type_: Expression | None) -> object:
    """The content as the type has it. What does not fit would be refused, so nothing is known of it."""
    try:
        return _converted(content, type_)
    except FailedError:
        return Unknown("a value that does not fit its variable's type")
    except UntypedError:
        return Unknown(UNTYPED)


def is_text(type_: Expression | None) -> bool:
    """Whether a text on the command line is taken as it is written."""
    return type_ is None or _word(type_) in _SCALARS


def _converted(content: object, type_: Expression | None) -> object:
    if type_ is None or content is None or type(content) is Unknown or hasattr(content, "whole"):
        return content
    word = _word(type_)
    if word in _SCALARS:
        return _SCALARS[word](content)
    if not isinstance(type_, Call) or not type_.arguments:
        return content
    return _collected(content, type_, type_.arguments[0])


def _collected(content: object, type_: Call, inner: Expression) -> object:
    if _word(inner) == "any" and type_.name in _OF_ONE_TYPE:
        content = _of_one_type(content)
    match type_.name:
        case "list":
            return [_converted(item, inner) for item in as_list(content)]
        case "set":
            items = [_converted(item, inner) for item in as_list(content)]
            return Elements(items) if any(unknowns(items)) else ordered(items)
        case "map":
            return {key: _converted(item, inner) for key, item in as_map(content).items()}
        case "tuple":
            kinds, items = getattr(inner, "items", ()), as_list(content)
            if len(kinds) != len(items):
                raise FailedError
            return [_converted(item, kind) for item, kind in zip(items, kinds, strict=True)]
        case "object" if isinstance(inner, Object):
            return _object(as_map(content), inner)
    return content


def _of_one_type(content: object) -> object:
    if isinstance(content, dict):
        return dict(zip(content, unified(list(content.values())), strict=True))
    return unified(as_list(content))


def _object(content: dict[str, object], type_: Object) -> dict[str, object]:
    """Only what the type names: the rest is dropped, and what is optional is filled in."""
    made: dict[str, object] = {}
    for key, inner in type_.items:
        name = key.content if isinstance(key, Literal) else None
        if not isinstance(name, str):
            raise FailedError
        optional = isinstance(inner, Call) and inner.name == "optional"
        wanted = inner.arguments[0] if isinstance(inner, Call) and optional and inner.arguments else inner
        given = content.get(name)
        if given is None and not (optional or name in content):
            raise FailedError
        if given is None and isinstance(inner, Call) and optional and len(inner.arguments) == _FEW:
            given = _constant(inner.arguments[1])
        made[name] = _converted(given, wanted)
    return made


def _constant(node: Expression) -> object:
    """A default inside of a type: it reads nothing."""
    if isinstance(node, Literal):
        return node.content
    if isinstance(node, Object):
        return {str(key.content): _constant(item) for key, item in node.items if isinstance(key, Literal)}
    items = getattr(node, "items", None)
    if isinstance(items, tuple):
        return [_constant(item) for item in items]
    raise FailedError


def _word(node: Expression) -> str:
    return node.name if isinstance(node, Name) else ""
