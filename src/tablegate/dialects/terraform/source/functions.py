"""Terraform's functions, as far as they can be computed exactly."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Iterator
from functools import cache
from inspect import Parameter, signature
from typing import TypeAlias

from tablegate.dialects.terraform.references import UnknownValue
from tablegate.dialects.terraform.source.provider_functions import arn_build, arn_parse, trim_iam_role_path
from tablegate.dialects.terraform.source.scalars import (
    FailedError,
    InexactError,
    UntypedError,
    as_bool,
    as_number,
    as_text,
    as_whole,
    composed,
    total,
)
from tablegate.dialects.terraform.source.text_functions import (
    countable,
    first_match,
    formatted,
    formatted_list,
    joined,
    json_text,
    lower,
    matches,
    part_of,
    replaced,
    titled,
    to_text,
    trimmed,
    upper,
)
from tablegate.dialects.terraform.source.values import (
    MapValue,
    SetValue,
    as_list,
    as_map,
    as_set,
    identity,
    merged_unknown,
    unified,
    unknowns,
)

Function: TypeAlias = "Callable[..., object]"

_MAX_ITEMS = 10_000
_MAX_RANGE = 1024
# A function that trips over its arguments says nothing about what Terraform makes of them.
_TRIPS = (ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError, re.error)


def call_function(name: str, arguments: list[object]) -> object:
    """Call a function. The result is unknown if the function reads an unknown part of an argument."""
    shallow = _SHALLOW.get(name)
    function = shallow or _DEEP.get(name)
    if function is None:
        inner = merged_unknown([UnknownValue(f"{name}() is not evaluated"), *unknowns(arguments)])
        return UnknownValue(f"{name}() is not evaluated", names=(), references=inner.references)
    least, most = _arity(function)
    if not least <= len(arguments) <= most:
        raise FailedError
    doubts = [one for one in arguments if type(one) is UnknownValue] if shallow else list(unknowns(arguments))
    if doubts and name not in _TAKES_UNKNOWN:
        return merged_unknown(doubts)
    try:
        return function(*arguments)
    except InexactError as error:
        return merged_unknown([*doubts, UnknownValue(error.reason)])
    except FailedError:
        if inside := [*doubts, *unknowns(arguments)]:
            return merged_unknown(inside)
        raise
    except _TRIPS:
        return merged_unknown([*doubts, UnknownValue(f"{name}() is not evaluated for these arguments")])


@cache
def _arity(function: Function) -> tuple[int, float]:
    """The fewest and the most arguments of a function."""
    kinds = [one.kind for one in signature(function).parameters.values()]
    fixed = sum(kind is not Parameter.VAR_POSITIONAL for kind in kinds)
    return fixed, fixed if fixed == len(kinds) else math.inf


def _as_sequence(content: object) -> list[object]:
    """A list or a tuple."""
    if isinstance(content, SetValue):
        raise FailedError
    return as_list(content)


def _merge(*maps: object) -> object:
    merged: dict[str, object] = MapValue() if any(isinstance(one, MapValue) for one in maps) else {}
    for number, one in enumerate(maps):
        if one is not None and not isinstance(one, dict) and None in maps[:number]:
            raise InexactError  # after null Terraform checks no types
        if one is not None:
            merged |= as_map(one)
    return merged


def _concat(first: object, *more: object) -> object:
    lists = [_as_sequence(one) for one in (first, *more)]
    kinds = [{type(item) for item in one if isinstance(item, (str, int, float))} for one in lists]
    if all(len(one) <= 1 for one in kinds) and len(set().union(*kinds) - {float}) > 1:
        raise UntypedError  # lists would be converted to one type, tuples would not
    return [item for one in lists for item in one]


def _lookup(content: object, key: object, *default: object) -> object:
    members, name = as_map(content), as_text(key)
    if len(default) > 1 or (name not in members and not default):
        raise FailedError
    given = default[0] if default else None
    items = list(members.values())
    if given is not None and not (_fits(given, items, found=name in members) and _is_of(content, given, items)):
        raise UntypedError  # a map converts or refuses it, an object does not
    return members.get(name, given)


def _fits(default: object, items: list[object], *, found: bool) -> bool:
    """Whether a default is used as it is, be these the items of a map or of an object."""
    kinds = {type(item) for item in items if item is not None}
    if len(kinds) != 1 or type(default) in kinds:
        return True
    if isinstance(default, (dict, list)):
        return not found
    return kinds == {str} and isinstance(default, (int, float))


def _is_of(content: object, default: object, items: list[object]) -> bool:
    """Whether a default of a map has the type of its items; of anything else, always."""
    return not isinstance(content, MapValue) or all(type(item) is type(default) for item in items if item is not None)


def _coalesce(*items: object) -> object:
    for item in unified(items):
        if type(item) is UnknownValue:
            return item
        if item is not None and item != "":
            if not isinstance(item, str) and any(type(one) is UnknownValue for one in items):
                raise UntypedError  # beside a text, it would be one
            return item
    raise FailedError


def _coalescelist(*items: object) -> object:
    for one in [_as_sequence(item) for item in items]:
        if one:
            return one
    raise FailedError


def _element(content: object, number: object) -> object:
    items, place = _as_sequence(content), as_whole(number)
    if not items:
        raise FailedError
    if place < 0:
        raise InexactError  # older versions of Terraform refuse it
    return items[place % len(items)]


def _length(content: object) -> object:
    if isinstance(content, str):
        return len(countable(content))
    if isinstance(content, (list, dict)):
        return len(content)
    raise FailedError


def _flatten(content: object) -> object:
    """The items of all lists. What is not known may be a list with any number of items, unless it is a text."""
    items = list(_flat(as_list(content)))
    if all(_is_text(one) for one in items if type(one) is UnknownValue):
        return items
    return items[0] if len(items) == 1 else merged_unknown(unknowns(items))


def _flat(items: list[object]) -> Iterator[object]:
    for item in items:
        if isinstance(item, list):
            yield from _flat(item)
        else:
            yield item


def _is_text(unknown: UnknownValue) -> bool:
    """Whether a value that is not known is certainly a text: one that is known in part, or a resource's ARN or name."""
    attribute = unknown.references[0][1].rpartition(".")[2] if unknown.direct and len(unknown.references) == 1 else ""
    return bool(unknown.parts) or attribute in ("id", "name") or attribute.endswith("arn")


def _range(first: object, *more: object) -> object:
    numbers = [as_number(one) for one in (first, *more)]
    if len(numbers) > len(("start", "end", "step")):
        raise FailedError
    bounds = [number for number in numbers if isinstance(number, int)]
    if len(bounds) < len(numbers):
        raise InexactError
    start, end = (0, bounds[0]) if len(bounds) == 1 else (bounds[0], bounds[1])
    step = bounds[2] if len(bounds) == len(("start", "end", "step")) else 1 if start <= end else -1
    if (
        (not step and start != end)
        or ((start < end) is (step < 0) and start != end)
        or len(range(start, end, step or 1)) > _MAX_RANGE
    ):
        raise FailedError
    return list(range(start, end, step or 1))


def _setproduct(first: object, second: object, *more: object) -> object:
    sets = [first, second, *more]
    to_set = any(isinstance(one, SetValue) for one in sets)
    tuples: list[list[object]] = [[]]
    for one in sets:
        items = as_set(as_list(one)) if to_set else unified(as_list(one))
        tuples = [[*before, item] for before in tuples for item in items]
        if len(tuples) > _MAX_ITEMS:
            raise InexactError
    return as_set(tuples) if to_set else tuples


def _distinct(content: object) -> object:
    return list({identity(item): item for item in unified(as_list(content))}.values())


def _contains(content: object, item: object) -> object:
    return _place(as_list(content), item) is not None


def _index(content: object, item: object) -> object:
    place = _place(_as_sequence(content), item)
    if place is None:
        raise FailedError
    return place


def _place(items: list[object], item: object) -> int | None:
    """Where an equal item of the same type is."""
    if item is None:
        raise FailedError
    wanted = identity(item)
    place = next((number for number, one in enumerate(items) if identity(one) == wanted), None)
    if place is not None and isinstance(item, (list, dict)):
        raise UntypedError
    return place


def _slice(content: object, start: object, end: object) -> object:
    items, first, last = _as_sequence(content), as_whole(start), as_whole(end)
    if not 0 <= first <= last <= len(items):
        raise FailedError
    return items[first:last]


def _operands(sets: tuple[object, ...]) -> list[SetValue]:
    """Sets whose elements are of one type."""
    everything = [item for one in sets for item in as_list(one)]
    if None in everything and any(isinstance(item, (list, dict)) for item in everything):
        raise UntypedError
    items = iter(unified(everything))
    return [as_set([next(items) for _ in as_list(one)]) for one in sets]


def _setunion(first: object, *more: object) -> object:
    return as_set([item for one in _operands((first, *more)) for item in one])


def _setintersection(first: object, *more: object) -> object:
    own, *others = _operands((first, *more))
    common = [{identity(item) for item in other} for other in others]
    return as_set([item for item in own if all(identity(item) in one for one in common)])


def _setsubtract(first: object, second: object) -> object:
    own, dropped = _operands((first, second))
    without = {identity(item) for item in dropped}
    return as_set([item for item in own if identity(item) not in without])


def _sum(content: object) -> object:
    if not as_list(content):
        raise FailedError
    return total(as_list(content))


def _flags(content: object) -> list[bool]:
    """The flags of a list. Null counts as false."""
    return [one is not None and as_bool(one) for one in as_list(content)]


def _split(between: object, text: object) -> object:
    if not as_text(between):
        raise InexactError
    return as_text(text).split(as_text(between))


def _zipmap(names: object, items: object) -> object:
    keys, values = [as_text(name) for name in as_list(names)], _as_sequence(items)
    if len(keys) != len(values):
        raise FailedError
    return dict(zip(keys, values, strict=True))


def _one(content: object) -> object:
    items = as_list(content)
    if len(items) > 1:
        raise FailedError
    return items[0] if items else None


def _jsondecode(text: object) -> object:
    try:
        content = json.loads(
            as_text(text),
            parse_int=as_number,
            parse_float=as_number,
            parse_constant=_no_constant,
            object_pairs_hook=_decoded_object,
        )
    except json.JSONDecodeError:
        raise FailedError from None
    shown = json.dumps(content, ensure_ascii=False)
    if composed(shown) != shown or "\\ud" in as_text(text).lower():
        raise InexactError
    return content


def _no_constant(_: str) -> object:
    raise FailedError


def _decoded_object(pairs: list[tuple[str, object]]) -> dict[str, object]:
    members = dict(pairs)
    if len(members) < len(pairs):
        raise InexactError
    return members


def _unchanged(content: object) -> object:
    return content


def _tolist(content: object) -> object:
    if content is None:
        return None
    return list(unified(as_list(content)))


def _toset(content: object) -> object:
    return content if content is None or isinstance(content, SetValue) else as_set(as_list(content))


def _tomap(content: object) -> object:
    if content is None:
        return None
    members = as_map(content)
    return MapValue(zip(members, unified(list(members.values())), strict=True))


def _values(content: object) -> object:
    members = as_map(content)
    return [members[key] for key in sorted(members)]


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
    "nonsensitive": _unchanged,
    "one": _one,
    "reverse": lambda content: list(reversed(as_list(content))),
    "sensitive": _unchanged,
    "slice": _slice,
    "regex": first_match,
    "regexall": matches,
    "replace": replaced,
    "tolist": _tolist,
    "tostring": to_text,
    "tomap": _tomap,
    "values": _values,
    "zipmap": _zipmap,
    "provider::aws::arn_build": arn_build,
}
_TAKES_UNKNOWN = frozenset(
    {
        "coalesce",
        "format",
        "jsonencode",
        "nonsensitive",
        "provider::aws::arn_build",
        "replace",
        "sensitive",
        "tostring",
    }
)
_DEEP: dict[str, Function] = {
    "abs": lambda number: abs(as_number(number)),
    "alltrue": lambda content: all(_flags(content)),
    "anytrue": lambda content: any(_flags(content)),
    "ceil": lambda number: math.ceil(as_number(number)),
    "chomp": lambda text: as_text(text).rstrip("\r\n"),
    "compact": lambda content: [as_text(one) for one in as_list(content) if one not in (None, "")],
    "contains": _contains,
    "distinct": _distinct,
    "endswith": lambda text, end: as_text(text).endswith(as_text(end)),
    "floor": lambda number: math.floor(as_number(number)),
    "index": _index,
    "jsondecode": _jsondecode,
    "lower": lower,
    "max": lambda first, *more: max(map(as_number, (first, *more))),
    "min": lambda first, *more: min(map(as_number, (first, *more))),
    "range": _range,
    "setintersection": _setintersection,
    "setproduct": _setproduct,
    "setsubtract": _setsubtract,
    "setunion": _setunion,
    "sort": lambda content: sorted(map(as_text, as_list(content))),
    "split": _split,
    "startswith": lambda text, start: as_text(text).startswith(as_text(start)),
    "strcontains": lambda text, part: as_text(part) in as_text(text),
    "substr": part_of,
    "sum": _sum,
    "title": titled,
    "tobool": lambda content: None if content is None else as_bool(content),
    "tonumber": lambda content: None if content is None else as_number(content),
    "toset": _toset,
    "trim": lambda text, signs: as_text(text).strip(as_text(signs)),
    "trimprefix": lambda text, start: as_text(text).removeprefix(as_text(start)),
    "trimspace": trimmed,
    "trimsuffix": lambda text, end: as_text(text).removesuffix(as_text(end)),
    "upper": upper,
    "provider::aws::arn_parse": arn_parse,
    "provider::aws::trim_iam_role_path": trim_iam_role_path,
}
