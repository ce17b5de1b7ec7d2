"""The words and colours of a text report, and how its reader wants to see it."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping
from enum import IntEnum, StrEnum

from tablegate.findings import Exit, Finding, Outcome, Report
from tablegate.model.record import record
from tablegate.model.value import Origin, Place, Value
from tablegate.reporters.safe import MANY, PROSE, Plain, SafeText, Sanitizer, joined, plain, trusted_text

_PLURALS = {"index": "indexes", "policy": "policies", "entry": "entries", "CDK assembly": "CDK assemblies"}
_PHRASES = {"holder": "granted to ", "tables newly reachable": "also reaches "}  # for the name and its verb
_PLURAL_ENDINGS = (
    "alarms",
    "attributes",
    "definitions",
    "dimensions",
    "indexes",
    "replicas",
    "tags",
    "targets",
    "units",
)  # of facts


_CODES = re.compile("\x1b\\[[0-9;]*m")


def number(count: int) -> SafeText:
    """A number, in groups of three digits."""
    return SafeText(f"{count:,}")


def counted(count: int, noun: str) -> SafeText:
    """``1 table``, ``2 tables``."""
    return joined(number(count), trusted_text(" "), trusted_text(noun if count == 1 else plural(noun)))


def plural(noun: str) -> str:
    """``tables``, ``indexes``."""
    return _PLURALS.get(noun, f"{noun}s")


def listed(items: Iterable[SafeText], between: str = ", ") -> SafeText:
    """The items with a separator between them."""
    return SafeText(between.join(items))


def first_sentence(text: str) -> str:
    """The first sentence of a rationale, on one line."""
    flat = " ".join(text.split("\n\n", 1)[0].split()).replace("``", "`")
    return re.split(r"(?<=[.!?]) (?=[A-Z`\"'(])", flat, maxsplit=1)[0]


def columns(text: str) -> int:
    """The columns of a terminal that the text takes, without the codes of colours."""
    text = _CODES.sub("", text)
    if text.isascii():
        return len(text)
    return sum(
        0 if unicodedata.combining(character) else 2 if unicodedata.east_asian_width(character) in "WF" else 1
        for character in text
    )


def wrapped(text: SafeText, width: int, taken: int = 0) -> Iterator[SafeText]:
    """The text in lines no wider than the width, unless a single word is. The first line has some columns taken."""
    yield from folded(map(SafeText, text.split(" ")), " ", width, taken=taken)


def folded(
    items: Iterable[SafeText], between: str, width: int, *, mark: str = "", taken: int = 0
) -> Iterator[SafeText]:
    """The items with a separator between them, in lines no wider than the width, unless a single item is.

    A further line begins with the mark, as words of an input at its beginning could be a command to a build server.
    """
    line, used = "", taken
    for item in items:
        size = columns(item)
        if not line:
            line, used = item, used + size
        elif used + len(between) + size <= width:
            line, used = f"{line}{between}{item}", used + len(between) + size
        else:
            yield SafeText(line)
            line, used = f"{mark}{item}", len(mark) + size
    yield SafeText(line)


# Facts for which "is not set" says too little.
_UNSET = {
    "owner of the encryption key": "no encryption key is configured, so the AWS-owned key is used",
    "required capacity mode": "no capacity mode is required by tag or configuration",
}


def statement(value: Value[object], safe: Sanitizer) -> SafeText:
    """A value as a statement: its content, whether it was set, or why it is not known."""
    name = safe.name(value.name)
    if value.origin is Origin.UNKNOWN:
        reason = safe(value.doubt.reason, PROSE) if value.doubt else trusted_text("it is not visible in this input")
        return joined(name, trusted_text(" is unknown: "), reason)
    if value.origin is Origin.DEFAULT and value.name in _UNSET:
        return trusted_text(_UNSET[value.name])
    content = plain(value)
    is_plural = value.name.endswith(_PLURAL_ENDINGS)
    if value.origin is Origin.DEFAULT and _is_nothing(content):
        return joined(trusted_text("no "), name) if is_plural else joined(name, trusted_text(" is not set"))
    if isinstance(content, dict) and is_sized(content):
        if is_plural:
            return joined(
                number(_size(content)), trusted_text(" "), SafeText(name[:-1]) if _size(content) == 1 else name
            )
        return joined(name, trusted_text(" has "), sized(content))
    if value.name in _PHRASES:
        return joined(trusted_text(_PHRASES[value.name]), _content(content, safe))
    verb = " are " if is_plural else " is "
    if value.origin is Origin.DEFAULT:
        verb = f"{verb}not set, so {'they are' if is_plural else 'it is'} "
    return joined(name, trusted_text(verb), _content(content, safe))


def _is_nothing(content: Plain) -> bool:
    return content in (None, [], {}, "") or (isinstance(content, dict) and is_sized(content) and not content["size"])


def is_sized(content: Mapping[str, Plain]) -> bool:
    """Whether this is the type and size of a content that is not shown."""
    return content.keys() == {"type", "size"} and isinstance(content["size"], int)


def sized(content: Mapping[str, Plain]) -> SafeText:
    """The size of a content that is not shown: ``2 entries``."""
    nouns = {"text": "character", "mapping": "entry"}
    return counted(_size(content), nouns.get(str(content["type"]), "entry"))


def _size(content: Mapping[str, Plain]) -> int:
    return content["size"] if isinstance(content["size"], int) else 0


def _content(content: Plain, safe: Sanitizer) -> SafeText:
    match content:
        case None:
            return trusted_text("none")
        case bool():
            return trusted_text("on" if content else "off")
        case int() | float():
            return SafeText(str(content))
        case str():
            return safe(content) if content else trusted_text("empty")
        case dict() if is_sized(content):
            return sized(content)
        case dict():
            pairs = [joined(safe(key), trusted_text(": "), _content(item, safe)) for key, item in content.items()]
            return _capped(pairs)
        case _:
            return _capped([_content(item, safe) for item in content])


def _capped(items: list[SafeText]) -> SafeText:
    if not items:
        return trusted_text("empty")
    more = [joined(trusted_text("…(+"), number(len(items) - MANY), trusted_text(")"))] if len(items) > MANY else []
    return listed(items[:MANY] + more)


def where(place: Place, safe: Sanitizer) -> SafeText:
    """``file:line:column``, as far as they are known."""
    parts = [safe.name(place.file)] + [SafeText(str(at)) for at in (place.line, place.column) if at is not None]
    return listed(parts, ":")


def gate_text(report: Report) -> str:
    """What the run decides: ``open``, ``blocked``, or why the gate failed."""
    if report.exit is Exit.OPEN:
        return "open" if report.counts.verdicts else "open, nothing to check"
    return "blocked" if report.exit is Exit.BLOCKED else "failed, not everything could be checked"


def outcome_word(finding: Finding) -> str:
    """The severity of a failure; ``unknown`` or ``waived`` for any other finding."""
    return str(finding.severity) if finding.outcome is Outcome.FAILS else str(finding.outcome)


def subject(finding: Finding, safe: Sanitizer) -> SafeText:
    """The address, and the part of the table: ``Orders (index by-day)``."""
    address = safe.name(finding.address)
    if not finding.part:
        return address
    return joined(address, trusted_text(" ("), pairs(finding.part, safe, " "), trusted_text(")"))


def pairs(texts: Mapping[str, str], safe: Sanitizer, between: str) -> SafeText:
    """Names and their values, sorted by name."""
    return listed(joined(safe.name(key), trusted_text(between), safe(texts[key])) for key in sorted(texts))


class Style(StrEnum):
    """The role of a piece of text; its value is the code of a terminal."""

    WORST = "1;37;41"
    BAD = "1;31"
    WARN = "1;33"
    DOUBT = "1;35"
    NOTE = "1;36"
    ASIDE = "36"
    GOOD = "1;32"
    STRONG = "1"
    QUIET = "2"
    RULE = "34"


SEVERITIES = {
    "critical": Style.WORST,
    "high": Style.BAD,
    "medium": Style.WARN,
    "low": Style.NOTE,
    "info": Style.ASIDE,
    "unknown": Style.DOUBT,
    "waived": Style.QUIET,
    "error": Style.BAD,
    "warning": Style.WARN,
}


class Paint:
    """Colours text, unless colour is off."""

    def __init__(self, *, colour: bool) -> None:
        self._colour = colour

    def __call__(self, style: Style, text: SafeText) -> SafeText:
        """The text in its style."""
        if not self._colour or not text:
            return text
        return joined(trusted_text(f"\x1b[{style}m"), text, trusted_text("\x1b[0m"))


class Detail(IntEnum):
    """How much of a report is shown."""

    BRIEF = 0  # the counts and the gate
    USUAL = 1  # blocking findings in full, the rest in a line each
    FULL = 2  # every finding in full


def no_line(file: str, line: int) -> str | None:  # noqa: ARG001 - the answer for every place
    """The line of a source that must not be shown."""
    return None


@record()
class ReportView:
    """How the reader wants to see a report. It changes no finding and no exit code."""

    colour: bool = False
    width: int = 100
    detail: Detail = Detail.USUAL
    line: Callable[[str, int], str | None] = no_line  # a line of a template; never of a plan
