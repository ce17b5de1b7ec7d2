"""Functions that make texts. Of a text that is known in part, the parts are kept."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

from tablegate.dialects.terraform_plan.unknowns import Unknown
from tablegate.dialects.terraform_source.values import (
    FailedError,
    as_list,
    as_number,
    as_text,
    written_out,
)

_ESCAPED = {"<": "\\u003c", ">": "\\u003e", "&": "\\u0026", "\u2028": "\\u2028", "\u2029": "\\u2029"}
_ESCAPES = re.compile("[<>&\u2028\u2029]")
_ATOM = r"(?:[A-Za-z0-9_ \-/:,@]|\\[.\-/]|\[\^?[A-Za-z0-9_ .:,/@\-]+\])"
_IN_COMMON = re.compile(rf"\^?(?:{_ATOM}[+*?]?){{1,20}}\$?")
_LONGEST_SEARCHED = 1_000  # characters
_VERB = re.compile(r"%(?:(%)|([sdvq]))")


def json_text(content: object) -> object:
    """JSON as jsonencode writes it: keys in order, and nothing that could end a script."""
    return written_out(_json(content))


def _json(content: object) -> Iterator[str | Unknown]:
    """The pieces of the text; what is not known stands where a text would."""
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
    elif isinstance(content, Unknown):
        yield '"'
        for part in content.parts or (content,):
            yield _dumped(part)[1:-1] if isinstance(part, str) else part
        yield '"'
    elif hasattr(content, "whole"):
        yield from _json(content.whole())
    else:
        yield _dumped(int(content) if isinstance(content, float) and content.is_integer() else content)


def _dumped(content: object) -> str:
    return _ESCAPES.sub(lambda found: _ESCAPED[found[0]], json.dumps(content, ensure_ascii=False))


def formatted(pattern: object, *items: object) -> object:
    """format(pattern, items...), for the verbs that texts are made with."""
    rest = list(reversed(items))
    pieces: list[object] = []
    text = as_text(pattern)
    if "%" in _VERB.sub("", text):
        raise FailedError
    over = 0
    for found in _VERB.finditer(text):
        pieces += [text[over : found.start()], "%" if found[1] else _formatted(found[2], rest.pop())]
        over = found.end()
    return written_out([*pieces, text[over:]])


def _formatted(verb: str, item: object) -> object:
    if verb == "q" and not isinstance(item, Unknown):
        return json.dumps(as_text(item), ensure_ascii=False)
    if verb == "q" or isinstance(item, (dict, list)):
        return json_text(item)
    return item if isinstance(item, Unknown) else as_text(item)


def formatted_list(pattern: object, *items: object) -> object:
    """The same for each item of the lists among the arguments."""
    lengths = {len(item) for item in items if isinstance(item, list)}
    if len(lengths) != 1:
        raise FailedError
    count = lengths.pop()
    return [
        formatted(pattern, *(item[number] if isinstance(item, list) else item for item in items))
        for number in range(count)
    ]


def joined(between: object, content: object) -> object:
    """The items of a list with a text between them."""
    pieces = [piece for item in as_list(content) for piece in (as_text(between), item)]
    return written_out(pieces[1:])


def replaced(text: object, old: object, new: object) -> object:
    """The text with another one in place of a part."""
    pattern = as_text(old)
    if len(pattern) > 1 and pattern.startswith("/") and pattern.endswith("/"):
        return _substituted(as_text(text), pattern[1:-1], new)
    if not pattern:
        raise FailedError
    first, *others = as_text(text).split(pattern)
    return written_out([first, *(piece for other in others for piece in (new, other))])


def matches(pattern: object, text: object) -> object:
    """Every match of a regular expression without groups."""
    return _compiled(as_text(pattern)).findall(_searched(text))


def first_match(pattern: object, text: object) -> object:
    """The first match of one; without any, Terraform fails."""
    found = _compiled(as_text(pattern)).search(_searched(text))
    if found is None:
        raise FailedError
    return found[0]


def _substituted(text: str, pattern: str, new: object) -> object:
    if isinstance(new, Unknown) or "$" in as_text(new):
        raise FailedError
    return _compiled(pattern).sub(as_text(new).replace("\\", r"\\"), _searched(text))


def _compiled(pattern: str) -> re.Pattern[str]:
    """A regular expression that means the same in Go's dialect and in Python's, and whose search is quick."""
    if _IN_COMMON.fullmatch(pattern) is None:
        raise FailedError
    return re.compile(f"{pattern[:-1]}\\Z" if pattern.endswith("$") else pattern)


def _searched(text: object) -> str:
    if len(as_text(text)) > _LONGEST_SEARCHED:
        raise FailedError
    return as_text(text)


def part_of(text: object, offset: object, length: object) -> object:
    """So many characters from an offset on."""
    start, size = int(as_number(offset)), int(as_number(length))
    whole = as_text(text)
    start = start + len(whole) if start < 0 else start
    return whole[start:] if size < 0 else whole[start : start + size]


def titled(text: object) -> object:
    """Each word with a capital."""
    return re.sub(r"(?:^|(?<=\s))\w", lambda found: found[0].upper(), as_text(text))


def to_text(content: object) -> object:
    """A text, or nothing."""
    return content if content is None or isinstance(content, Unknown) else as_text(content)
