"""Terraform's functions, as far as they can be computed exactly."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Iterator
from typing import TypeAlias

from tablegate.dialects.terraform.references import UnknownValue
from tablegate.dialects.terraform.source.values import (
    UNTYPED,
    FailedError,
    SetValue,
    UntypedError,
    as_bool,
    as_list,
    as_map,
    as_number,
    as_set,
    as_text,
    joined_text,
    merged_unknown,
    unified,
    unknowns,
)

_ESCAPED = {"<": "\\u003c", ">": "\\u003e", "&": "\\u0026", "\u2028": "\\u2028", "\u2029": "\\u2029"}
_ESCAPES = re.compile("[<>&\u2028\u2029]")
_ATOM = r"(?:[A-Za-z0-9_ \-/:,@]|\\[.\-/]|\[\^?[A-Za-z0-9_ .:,/@\-]+\])"
_IN_COMMON = re.compile(rf"\^?(?:{_ATOM}[+*?]?){{1,20}}\$?")
_LONGEST_SEARCHED = 1_000  # characters
_VERB = re.compile(r"%(?:(%)|([sdvq]))")


def json_text(content: object) -> object:
    """jsonencode(content): keys sorted, and ``<``, ``>``, ``&`` escaped."""
    return joined_text(_json(content))


def _json(content: object) -> Iterator[str | UnknownValue]:
    """The pieces of the JSON text. An unknown value is written inside quotes."""
    if isinstance(content, dict):
        for number, key in enumerate(sorted(content)):
            yield f"{',' if number else '{'}{_dumped(key)}:"
            yield from _json(content[key])
        yield "}" if content else "{}"
    elif isinstance(content, list):
        for number, item in enumerate(content):
            yield "," if number else "["
            yield from _json(item)
        yield "]" if content else "[]"
    elif isinstance(content, UnknownValue):
        yield '"'
        for part in content.parts or (content,):
            yield _dumped(part)[1:-1] if isinstance(part, str) else part
        yield '"'
    elif hasattr(content, "whole"):
        yield from _json(content.whole())
    else:
        yield _dumped(int(content) if isinstance(content, float) and content.is_integer() else content)


def _dumped(content: object) -> str:
    return _ESCAPES.sub(lambda match: _ESCAPED[match[0]], json.dumps(content, ensure_ascii=False))


def formatted(pattern: object, *items: object) -> object:
    """format(pattern, items...), for the verbs %s, %d, %v and %q."""
    rest = list(reversed(items))
    pieces: list[object] = []
    text = as_text(pattern)
    if "%" in _VERB.sub("", text):
        raise FailedError
    over = 0
    for verb in _VERB.finditer(text):
        pieces += [text[over : verb.start()], "%" if verb[1] else _formatted(verb[2], rest.pop())]
        over = verb.end()
    return joined_text([*pieces, text[over:]])


def _formatted(verb: str, item: object) -> object:
    if verb == "q" and not isinstance(item, UnknownValue):
        return json.dumps(as_text(item), ensure_ascii=False)
    if verb == "q" or isinstance(item, (dict, list)):
        return json_text(item)
    return item if isinstance(item, UnknownValue) else as_text(item)


def formatted_list(pattern: object, *items: object) -> object:
    """formatlist(pattern, items...)."""
    lengths = {len(item) for item in items if isinstance(item, list)}
    if len(lengths) != 1:
        raise FailedError
    count = lengths.pop()
    return [
        formatted(pattern, *(item[number] if isinstance(item, list) else item for item in items))
        for number in range(count)
    ]


def joined(between: object, content: object) -> object:
    """join(between, content)."""
    pieces = [piece for item in as_list(content) for piece in (as_text(between), item)]
    return joined_text(pieces[1:])


def replaced(text: object, old: object, new: object) -> object:
    """replace(text, old, new)."""
    pattern = as_text(old)
    if len(pattern) > 1 and pattern.startswith("/") and pattern.endswith("/"):
        return _substituted(as_text(text), pattern[1:-1], new)
    if not pattern:
        raise FailedError
    first, *others = as_text(text).split(pattern)
    return joined_text([first, *(piece for other in others for piece in (new, other))])


def matches(pattern: object, text: object) -> object:
    """regexall(pattern, text), for patterns without groups."""
    return _compiled(as_text(pattern)).findall(_searched(text))


def first_match(pattern: object, text: object) -> object:
    """regex(pattern, text), for patterns without groups. It fails without a match."""
    match = _compiled(as_text(pattern)).search(_searched(text))
    if match is None:
        raise FailedError
    return match[0]


def _substituted(text: str, pattern: str, new: object) -> object:
    if isinstance(new, UnknownValue) or "$" in as_text(new):
        raise FailedError
    return _compiled(pattern).sub(as_text(new).replace("\\", r"\\"), _searched(text))


def _compiled(pattern: str) -> re.Pattern[str]:
    """Compile a pattern, if it means the same in Go and in Python and cannot take long."""
    if _IN_COMMON.fullmatch(pattern) is None:
        raise FailedError
    return re.compile(f"{pattern[:-1]}\\Z" if pattern.endswith("$") else pattern)


def _searched(text: object) -> str:
    if len(as_text(text)) > _LONGEST_SEARCHED:
        raise FailedError
    return as_text(text)


def part_of(text: object, offset: object, length: object) -> object:
    """substr(text, offset, length)."""
    start, size = int(as_number(offset)), int(as_number(length))
    whole = as_text(text)
    start = start + len(whole) if start < 0 else start
    return whole[start:] if size < 0 else whole[start : start + size]


def titled(text: object) -> object:
    """title(text)."""
    return re.sub(r"(?:^|(?<=\s))\w", lambda first: first[0].upper(), as_text(text))


def to_text(content: object) -> object:
    """tostring(content)."""
    return content if content is None or isinstance(content, UnknownValue) else as_text(content)


Function: TypeAlias = "Callable[..., object]"

_MAX_ITEMS = 10_000


class _PartlyUnknownError(Exception):
    def __init__(self, unknown: UnknownValue) -> None:
        super().__init__()
        self.unknown = unknown


def call_function(name: str, arguments: list[object]) -> object:
    """Call a function. The result is unknown if the function reads an unknown part of an argument."""
    shallow = _SHALLOW.get(name)
    function = shallow or _DEEP.get(name)
    if function is None:
        inner = merged_unknown([UnknownValue(f"{name}() is not evaluated"), *unknowns(arguments)])
        return UnknownValue(f"{name}() is not evaluated", names=(), references=inner.references)
    doubts = [one for one in arguments if type(one) is UnknownValue] if shallow else list(unknowns(arguments))
    if doubts and name not in _TAKES_UNKNOWN:
        return merged_unknown(doubts)
    try:
        return function(*arguments)
    except UntypedError:
        return UnknownValue(UNTYPED)
    except (FailedError, TypeError, ValueError, KeyError, IndexError, AttributeError, OverflowError):
        if doubts:
            return merged_unknown(doubts)
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
    members = as_map(content)
    if as_text(key) in members:
        return members[as_text(key)]
    if not default:
        raise FailedError
    return default[0]


def _coalesce(*items: object) -> object:
    for item in unified(items):
        if type(item) is UnknownValue:
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
            if type(item) is UnknownValue:
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
    numbers_in_range = range(start, end, step)
    if len(numbers_in_range) > _MAX_ITEMS:
        raise FailedError
    return list(numbers_in_range)


def _setproduct(*sets: object) -> object:
    tuples: list[list[object]] = [[]]
    for one in sets:
        tuples = [[*before, item] for before in tuples for item in as_list(one)]
        if len(tuples) > _MAX_ITEMS:
            raise FailedError
    return tuples


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


def _unchanged(content: object) -> object:
    return content


def _tomap(content: object) -> object:
    members = as_map(content)
    return dict(zip(members, unified(list(members.values())), strict=True))


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
    "setintersection": lambda first, *more: as_set(
        one for one in as_list(first) if all(one in as_list(other) for other in more)
    ),
    "setproduct": _setproduct,
    "setsubtract": lambda first, other: as_set(one for one in as_list(first) if one not in as_list(other)),
    "setunion": lambda *sets: as_set(unified([one for each in sets for one in as_list(each)])),
    "sort": lambda content: sorted(map(as_text, as_list(content))),
    "split": lambda between, text: as_text(text).split(as_text(between)) if as_text(text) else [""],
    "startswith": lambda text, start: as_text(text).startswith(as_text(start)),
    "strcontains": lambda text, part: as_text(part) in as_text(text),
    "substr": part_of,
    "sum": lambda content: sum(_numbers((content,))),
    "title": titled,
    "tobool": lambda content: None if content is None else as_bool(content),
    "tonumber": lambda content: None if content is None else as_number(content),
    "toset": lambda content: content if isinstance(content, SetValue) else as_set(unified(as_list(content))),
    "trim": lambda text, signs: as_text(text).strip(as_text(signs)),
    "trimprefix": lambda text, start: as_text(text).removeprefix(as_text(start)),
    "trimspace": lambda text: as_text(text).strip(),
    "trimsuffix": lambda text, end: as_text(text).removesuffix(as_text(end)),
    "upper": lambda text: as_text(text).upper(),
}
