"""Terraform's pure functions, as far as module authors use them around tables. None of them reads a file."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator
from typing import TypeAlias

from tablegate.dialects.terraform_plan.unknowns import Unknown
from tablegate.dialects.terraform_source.texts import (
    first_match,
    formatted,
    formatted_list,
    joined,
    json_text,
    matches,
    part_of,
    replaced,
    titled,
    to_text,
)
from tablegate.dialects.terraform_source.unified import UNTYPED, UntypedError, unified
from tablegate.dialects.terraform_source.values import (
    Elements,
    FailedError,
    as_bool,
    as_list,
    as_map,
    as_number,
    as_text,
    blended,
    ordered,
    unknowns,
)

Function: TypeAlias = "Callable[..., object]"

_MOST = 10_000


class _PartlyUnknownError(Exception):
    def __init__(self, unknown: Unknown) -> None:
        super().__init__()
        self.unknown = unknown


def called(name: str, arguments: list[object]) -> object:
    """What a call comes to. What is unknown in an argument makes the result unknown, where the function looks at it."""
    shallow = _SHALLOW.get(name)
    function = shallow or _DEEP.get(name)
    if function is None:
        inner = blended([Unknown(f"{name}() is not evaluated"), *unknowns(arguments)])
        return Unknown(f"{name}() is not evaluated", names=(), reached=inner.reached)
    found = [one for one in arguments if type(one) is Unknown] if shallow else list(unknowns(arguments))
    if found and name not in _TAKES_UNKNOWN:
        return blended(found)
    try:
        return function(*arguments)
    except UntypedError:
        return Unknown(UNTYPED)
    except (FailedError, TypeError, ValueError, KeyError, IndexError, AttributeError, OverflowError):
        if found:
            return blended(found)
        raise FailedError from None


def _merge(*maps: object) -> object:
    merged: dict[str, object] = {}
    for one in maps:
        if one is not None:
            merged |= as_map(one)
    return merged


def _concat(*lists: object) -> object:
    return [item for one in lists for item in as_list(one)]


def _lookup(content: object, key: object, *default: object) -> object:
    found = as_map(content)
    if as_text(key) in found:
        return found[as_text(key)]
    if not default:
        raise FailedError
    return default[0]


def _coalesce(*items: object) -> object:
    for item in unified(items):
        if type(item) is Unknown:
            return item
        if item is not None and item != "":
            return item
    raise FailedError


def _coalescelist(*items: object) -> object:
    return next(one for one in items if as_list(one))


def _element(content: object, number: object) -> object:
    items = as_list(content)
    return items[int(as_number(number)) % len(items)]


def _length(content: object) -> object:
    if isinstance(content, (str, list, dict)):
        return len(content)
    raise FailedError


def _flatten(content: object) -> object:
    def each(items: list[object]) -> Iterator[object]:
        for item in items:
            if type(item) is Unknown:
                raise _PartlyUnknownError(item)
            if isinstance(item, list):
                yield from each(item)
            else:
                yield item

    try:
        return list(each(as_list(content)))
    except _PartlyUnknownError as error:
        return error.unknown


def _range(*bounds: object) -> object:
    numbers = [int(as_number(one)) for one in bounds]
    start, end = (0, numbers[0]) if len(numbers) == 1 else (numbers[0], numbers[1])
    step = numbers[2] if len(numbers) == len(("start", "end", "step")) else 1 if start <= end else -1
    found = range(start, end, step)
    if len(found) > _MOST:
        raise FailedError
    return list(found)


def _setproduct(*sets: object) -> object:
    found: list[list[object]] = [[]]
    for one in sets:
        found = [[*before, item] for before in found for item in as_list(one)]
        if len(found) > _MOST:
            raise FailedError
    return found


def _distinct(content: object) -> object:
    return list({repr(item): item for item in unified(as_list(content))}.values())


def _slice(content: object, start: object, end: object) -> object:
    items, first, last = as_list(content), int(as_number(start)), int(as_number(end))
    if not 0 <= first <= last <= len(items):
        raise FailedError
    return items[first:last]


def _numbers(items: tuple[object, ...]) -> list[int | float]:
    return [as_number(one) for item in items for one in (item if isinstance(item, list) else [item])]


def _one(content: object) -> object:
    items = as_list(content)
    if len(items) > 1:
        raise FailedError
    return items[0] if items else None


def _jsondecode(text: object) -> object:
    return json.loads(as_text(text))


def _same(content: object) -> object:
    return content


def _tomap(content: object) -> object:
    found = as_map(content)
    return dict(zip(found, unified(list(found.values())), strict=True))


def _values(content: object) -> object:
    found = as_map(content)
    return [found[key] for key in sorted(found)]


# These look at the outside of what they are given: what is unknown further inside stays there.
_SHALLOW: dict[str, Function] = {
    "coalesce": _coalesce,
    "coalescelist": _coalescelist,
    "concat": _concat,
    "element": _element,
    "flatten": _flatten,
    "format": formatted,
    "formatlist": formatted_list,
    "join": joined,
    "jsonencode": json_text,
    "keys": lambda content: sorted(as_map(content)),
    "length": _length,
    "lookup": _lookup,
    "merge": _merge,
    "nonsensitive": _same,
    "one": _one,
    "reverse": lambda content: list(reversed(as_list(content))),
    "sensitive": _same,
    "slice": _slice,
    "regex": first_match,
    "regexall": matches,
    "replace": replaced,
    "tolist": lambda content: unified(as_list(content)),
    "tostring": to_text,
    "tomap": _tomap,
    "values": _values,
    "zipmap": lambda names, items: dict(zip(map(as_text, as_list(names)), as_list(items), strict=True)),
}
_TAKES_UNKNOWN = frozenset({"coalesce", "format", "jsonencode", "nonsensitive", "replace", "sensitive", "tostring"})
_DEEP: dict[str, Function] = {
    "abs": lambda number: abs(as_number(number)),
    "alltrue": lambda content: all(as_bool(one) for one in as_list(content)),
    "anytrue": lambda content: any(as_bool(one) for one in as_list(content)),
    "ceil": lambda number: math.ceil(as_number(number)),
    "chomp": lambda text: as_text(text).rstrip("\r\n"),
    "compact": lambda content: [as_text(one) for one in as_list(content) if one not in (None, "")],
    "contains": lambda content, item: any(type(one) is type(item) and one == item for one in as_list(content)),
    "distinct": _distinct,
    "endswith": lambda text, end: as_text(text).endswith(as_text(end)),
    "floor": lambda number: math.floor(as_number(number)),
    "index": lambda content, item: as_list(content).index(item),
    "jsondecode": _jsondecode,
    "lower": lambda text: as_text(text).lower(),
    "max": lambda *items: max(_numbers(items)),
    "min": lambda *items: min(_numbers(items)),
    "range": _range,
    "setintersection": lambda first, *more: ordered(
        one for one in as_list(first) if all(one in as_list(other) for other in more)
    ),
    "setproduct": _setproduct,
    "setsubtract": lambda first, other: ordered(one for one in as_list(first) if one not in as_list(other)),
    "setunion": lambda *sets: ordered(unified([one for each in sets for one in as_list(each)])),
    "sort": lambda content: sorted(map(as_text, as_list(content))),
    "split": lambda between, text: as_text(text).split(as_text(between)) if as_text(text) else [""],
    "startswith": lambda text, start: as_text(text).startswith(as_text(start)),
    "strcontains": lambda text, part: as_text(part) in as_text(text),
    "substr": part_of,
    "sum": lambda content: sum(_numbers((content,))),
    "title": titled,
    "tobool": lambda content: None if content is None else as_bool(content),
    "tonumber": lambda content: None if content is None else as_number(content),
    "toset": lambda content: content if isinstance(content, Elements) else ordered(unified(as_list(content))),
    "trim": lambda text, signs: as_text(text).strip(as_text(signs)),
    "trimprefix": lambda text, start: as_text(text).removeprefix(as_text(start)),
    "trimspace": lambda text: as_text(text).strip(),
    "trimsuffix": lambda text, end: as_text(text).removesuffix(as_text(end)),
    "upper": lambda text: as_text(text).upper(),
}
