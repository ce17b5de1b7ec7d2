"""Terraform's functions on texts, as far as they can be computed exactly."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator

from tablegate.dialects.terraform.references import UnknownValue
from tablegate.dialects.terraform.source.scalars import FailedError, InexactError, as_number, as_text, as_whole
from tablegate.dialects.terraform.source.values import as_list, joined_text

_ESCAPED = {"<": "\\u003c", ">": "\\u003e", "&": "\\u0026", "\u2028": "\\u2028", "\u2029": "\\u2029"}
_ESCAPES = re.compile("[<>&\u2028\u2029]")
_ATOM = r"(?:[A-Za-z0-9_ \-/:,@]|\\[.\-/]|\[\^?[A-Za-z0-9_ .:,/@\-]+\])"
_IN_COMMON = re.compile(rf"\^?(?:{_ATOM}[+*?]?){{1,20}}\$?")
_SPACE = "\t\n\v\f\r \x85\xa0\u1680\u2028\u2029\u202f\u205f\u3000" + "".join(map(chr, range(0x2000, 0x200B)))
_SMALLEST, _LARGEST = 0.0001, 1_000_000  # numbers that %v writes without an exponent
_LATIN = 0x250  # the first character beyond those that stand for themselves
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
        yield as_text(content) if isinstance(content, (int, float)) else _dumped(content)


def _dumped(content: object) -> str:
    return _ESCAPES.sub(lambda match: _ESCAPED[match[0]], json.dumps(content, ensure_ascii=False))


def formatted(pattern: object, *items: object) -> object:
    """format(pattern, items...), for the verbs %s, %d, %v and %q."""
    text = as_text(pattern)
    if None in items or "%" in _VERB.sub("", text):
        raise InexactError
    verbs = list(_VERB.finditer(text))
    if sum(not verb[1] for verb in verbs) != len(items):
        raise FailedError
    rest = iter(items)
    pieces: list[object] = []
    over = 0
    for verb in verbs:
        pieces += [text[over : verb.start()], "%" if verb[1] else _formatted(verb[2], next(rest))]
        over = verb.end()
    return joined_text([*pieces, text[over:]])


def _formatted(verb: str, item: object) -> object:
    if isinstance(item, UnknownValue):
        return json_text(item) if verb == "q" else item
    if verb == "d":
        return as_text(as_whole(item))
    if verb == "v" and isinstance(item, (dict, list)):
        return json_text(item)
    if verb == "v" and type(item) in (int, float) and not _SMALLEST <= abs(as_number(item) or 1) < _LARGEST:
        raise InexactError  # Terraform writes an exponent
    return json_text(as_text(item)) if verb == "q" else as_text(item)


def formatted_list(pattern: object, *items: object) -> object:
    """formatlist(pattern, items...)."""
    pattern = as_text(pattern)
    if None in items:
        raise InexactError
    lengths = {len(item) for item in items if isinstance(item, list)} or {1}
    if len(lengths) != 1:
        raise FailedError
    count = lengths.pop()
    return [
        formatted(pattern, *(item[number] if isinstance(item, list) else item for item in items))
        for number in range(count)
    ]


def joined(between: object, first: object, *more: object) -> object:
    """join(between, lists...)."""
    sign, items = as_text(between), [item for one in (first, *more) for item in as_list(one)]
    pieces = [piece for item in items for piece in (sign, item)]
    return joined_text(pieces[1:])


def replaced(text: object, old: object, new: object) -> object:
    """replace(text, old, new)."""
    pattern = as_text(old)
    if len(pattern) > 1 and pattern.startswith("/") and pattern.endswith("/"):
        return _substituted(as_text(text), pattern[1:-1], new)
    if not pattern:
        raise InexactError
    new = new if isinstance(new, UnknownValue) else as_text(new)
    first, *others = as_text(text).split(pattern)
    return joined_text([first, *(piece for other in others for piece in (new, other))])


def matches(pattern: object, text: object) -> object:
    """regexall(pattern, text), for patterns without groups."""
    return [match[0] for match in _all_matches(as_text(pattern), as_text(text))]


def first_match(pattern: object, text: object) -> object:
    """regex(pattern, text), for patterns without groups. It fails without a match."""
    match = _compiled(as_text(pattern)).search(_searched(text))
    if match is None:
        raise FailedError
    return match[0]


def _all_matches(pattern: str, text: str) -> list[re.Match[str]]:
    """All matches. Go and Python see empty ones in different places."""
    every = list(_compiled(pattern).finditer(_searched(text)))
    if not all(match[0] for match in every):
        raise InexactError
    return every


def _substituted(text: str, pattern: str, new: object) -> object:
    if isinstance(new, UnknownValue) or "$" in as_text(new):
        raise InexactError
    pieces, over = [], 0
    for match in _all_matches(pattern, text):
        pieces += [text[over : match.start()], as_text(new)]
        over = match.end()
    return joined_text([*pieces, text[over:]])


def _compiled(pattern: str) -> re.Pattern[str]:
    """Compile a pattern, if it means the same in Go and in Python and cannot take long."""
    if _IN_COMMON.fullmatch(pattern) is None:
        raise InexactError
    return re.compile(f"{pattern[:-1]}\\Z" if pattern.endswith("$") else pattern)


def _searched(text: object) -> str:
    if len(as_text(text)) > _LONGEST_SEARCHED:
        raise InexactError
    return as_text(text)


def part_of(text: object, offset: object, length: object) -> object:
    """substr(text, offset, length)."""
    start, size = as_whole(offset), as_whole(length)
    whole = countable(text)
    if size == 0 and start < 0:
        size = -1  # as Terraform has it
    start = start + len(whole) if start < 0 else start
    if start < 0:
        raise InexactError
    return whole[start:] if size < 0 else whole[start : start + size]


def countable(text: object) -> str:
    """A text each of whose characters Terraform counts as one."""
    content = as_text(text)
    if "\r\n" in content or any(ord(sign) >= _LATIN for sign in content):
        raise InexactError
    return content


def upper(text: object) -> object:
    """upper(text)."""
    return _cased(as_text(text), str.upper)


def lower(text: object) -> object:
    """lower(text)."""
    return _cased(as_text(text), str.lower)


def _cased(text: str, change: Callable[[str], str]) -> str:
    """A text in another case, where each character has one of its own."""
    signs = [change(sign) for sign in text]
    if any(ord(sign) >= _LATIN for sign in text) or any(len(sign) > 1 for sign in signs):
        raise InexactError
    return "".join(signs)


def _ascii(text: object) -> str:
    if not as_text(text).isascii():
        raise InexactError
    return as_text(text)


def titled(text: object) -> object:
    """title(text)."""
    return re.sub(r"(?<![A-Za-z0-9_])[a-z]", lambda first: first[0].upper(), _ascii(text))


def to_text(content: object) -> object:
    """tostring(content)."""
    return content if content is None or isinstance(content, UnknownValue) else as_text(content)


def trimmed(text: object) -> object:
    """trimspace(text)."""
    return as_text(text).strip(_SPACE)
