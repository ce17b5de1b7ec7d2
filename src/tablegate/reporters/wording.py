"""Sentences, colours, the reader's wishes."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from enum import IntEnum, StrEnum

from tablegate.findings import Finding
from tablegate.model.record import record
from tablegate.model.value import Origin, Place, Value
from tablegate.reporters.safe import MANY, PROSE, Plain, Shower, Shown, joined, own, plain

_PLURALS = {"index": "indexes", "policy": "policies", "entry": "entries", "cdk assembly": "cdk assemblies"}


def number(count: int) -> Shown:
    """A number, in groups of three digits."""
    return Shown(f"{count:,}")


def counted(count: int, noun: str) -> Shown:
    """``1 table``, ``2 tables``."""
    return joined(number(count), own(" "), own(noun if count == 1 else plural(noun)))


def plural(noun: str) -> str:
    """``tables``, ``indexes``."""
    return _PLURALS.get(noun, f"{noun}s")


def listed(items: Iterable[Shown], between: str = ", ") -> Shown:
    """The items, one after the other."""
    return Shown(between.join(items))


def first_sentence(text: str) -> str:
    """A rationale's first sentence, on one line."""
    flat = " ".join(text.split("\n\n", 1)[0].split()).replace("``", "`")
    return re.split(r"(?<=[.!?]) (?=[A-Z`\"'(])", flat, maxsplit=1)[0]


def wrapped(text: Shown, width: int) -> Iterator[Shown]:
    """The text in lines of no more than the width, but for a word that is longer."""
    line = ""
    for word in text.split(" "):
        if line and len(line) + 1 + len(word) > width:
            yield Shown(line)
            line = word
        else:
            line = f"{line} {word}" if line else word
    yield Shown(line)


def said(value: Value[object], show: Shower) -> Shown:
    """A value as a statement: what it is, whether somebody set it, or why it is not known."""
    name = show(value.name)
    if value.origin is Origin.UNKNOWN:
        reason = show(value.doubt.reason, PROSE) if value.doubt else own("it cannot be seen here")
        return joined(name, own(" is not known: "), reason)
    content = plain(value)
    if value.origin is Origin.DEFAULT and _is_nothing(content):
        return joined(name, own(" is not set"))
    if isinstance(content, dict) and is_sized(content):
        return joined(name, own(" has "), sized(content))
    verb = own(" is not set, so it is " if value.origin is Origin.DEFAULT else " is ")
    return joined(name, verb, _content(content, show))


def _is_nothing(content: Plain) -> bool:
    return content in (None, [], {}, "") or (isinstance(content, dict) and is_sized(content) and not content["size"])


def is_sized(content: Mapping[str, Plain]) -> bool:
    """Whether this stands for a content of which only the type and the size are told."""
    return content.keys() == {"type", "size"} and isinstance(content["size"], int)


def sized(content: Mapping[str, Plain]) -> Shown:
    """How large a content is that is not told."""
    nouns = {"text": "character", "mapping": "entry"}
    size = content["size"] if isinstance(content["size"], int) else 0
    return counted(size, nouns.get(str(content["type"]), "entry"))


def _content(content: Plain, show: Shower) -> Shown:
    match content:
        case None:
            return own("nothing")
        case bool():
            return own("on" if content else "off")
        case int() | float():
            return Shown(str(content))
        case str():
            return show(content) if content else own("empty")
        case dict() if is_sized(content):
            return sized(content)
        case dict():
            pairs = [joined(show(key), own(": "), _content(item, show)) for key, item in content.items()]
            return _capped(pairs)
        case _:
            return _capped([_content(item, show) for item in content])


def _capped(items: list[Shown]) -> Shown:
    if not items:
        return own("empty")
    more = [joined(own("…(+"), number(len(items) - MANY), own(")"))] if len(items) > MANY else []
    return listed(items[:MANY] + more)


def where(place: Place, show: Shower) -> Shown:
    """``file:line:column``, as far as it is known."""
    parts = [show(place.file)] + [Shown(str(at)) for at in (place.line, place.column) if at is not None]
    return listed(parts, ":")


def subject(finding: Finding, show: Shower) -> Shown:
    """The address, and the part of the table that is meant."""
    address = show(finding.address)
    if not finding.part:
        return address
    return joined(address, own(" ("), pairs(finding.part, show, " "), own(")"))


def pairs(texts: Mapping[str, str], show: Shower, between: str) -> Shown:
    """Names and what they stand for."""
    return listed(joined(show(key), own(between), show(texts[key])) for key in sorted(texts))


class Style(StrEnum):
    """What a piece of text is to the reader."""

    BAD = "1;31"
    WARN = "1;33"
    DOUBT = "1;35"
    NOTE = "1;36"
    GOOD = "1;32"
    STRONG = "1"
    QUIET = "2"
    RULE = "34"


SEVERITIES = {
    "critical": Style.BAD,
    "high": Style.BAD,
    "medium": Style.WARN,
    "low": Style.NOTE,
    "info": Style.NOTE,
    "unknown": Style.DOUBT,
    "waived": Style.QUIET,
    "error": Style.BAD,
    "warning": Style.WARN,
}


class Paint:
    """Paints text, or leaves it as it is."""

    def __init__(self, *, colour: bool) -> None:
        self._colour = colour

    def __call__(self, style: Style, text: Shown) -> Shown:
        """The text in its style."""
        if not self._colour or not text:
            return text
        return joined(own(f"\x1b[{style}m"), text, own("\x1b[0m"))


class Detail(IntEnum):
    """How much is said."""

    BRIEF = 0  # the counts and the gate
    USUAL = 1  # what blocks in full, the rest in a line each
    FULL = 2  # every finding in full


def no_line(file: str, line: int) -> str | None:  # noqa: ARG001 - the same answer for every place
    """The answer where no source can be shown."""
    return None


@record()
class Look:
    """The reader's wishes. They change no finding and no exit code."""

    colour: bool = False
    width: int = 100
    detail: Detail = Detail.USUAL
    line: Callable[[str, int], str | None] = no_line  # a line of a template; never of a plan
