"""What may be printed: no secrets, no control characters, and of values only what reports may show.

Text reaches a writer as `SafeText`: our own words through `trusted_text`, text of an input through a `Sanitizer`.
"""

from __future__ import annotations

import binascii
import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import NewType, TypeAlias

from tablegate.model import facts
from tablegate.model.record import record
from tablegate.model.table import Index, KeyPart, Replica, VectorIndex
from tablegate.model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tablegate.findings import Report

SafeText = NewType("SafeText", str)
"""Text that may be written: our own words, or sanitized text of an input."""

LIMIT = 200  # of one name or value
PROSE = 2000  # of one paragraph
SHORTEST = 6  # characters of base64 that still point to one secret
SENSITIVE = "(sensitive)"

_UNRESERVED = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~"

# Log readers of build servers act on these anywhere in a line, also where two texts meet.
_COMMAND = r"##(?=[A-Za-z]*(?:\[|$))"


def trusted_text(text: str) -> SafeText:
    """Our own words. Never call it with anything read from an input."""
    return SafeText(text)


def joined(*parts: SafeText) -> SafeText:
    """The parts as one text."""
    return SafeText("".join(parts))


def safe_text(text: str, limit: int = LIMIT) -> SafeText:
    """The text on one line. Invisible characters, and those that steer a terminal or a build log, are escaped."""
    line = text[:limit]
    if "\\" in line:
        line = line.replace("\\", "\\\\")
    if not (line.isascii() and line.isprintable()):
        line = "".join(character if _is_visible(character) else _escaped(character) for character in line)
    if "##" in line:
        line = re.sub(_COMMAND, r"#\\x23", line)
    return SafeText(line if len(text) <= limit else f"{line}…(+{len(text) - limit})")


def _is_visible(character: str) -> bool:
    return character.isprintable() or character == "\u3000"


def _escaped(character: str) -> str:
    code = ord(character)
    if code < 0x100:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def is_harmless(text: str) -> bool:
    """Whether the text steers nobody as it is: every character is visible, and no command of a log is in it."""
    return "##" not in text and (text.isprintable() or all(map(_is_visible, text)))


def json_text(text: str) -> SafeText:
    """A JSON document in ASCII. What log readers act on is escaped, which no reader of JSON notices."""
    return SafeText(text.replace("##", r"#\u0023"))


def yaml_text(text: str) -> SafeText:
    """A YAML document in which every scalar that is not harmless is in double quotes, so that it can be escaped."""
    if is_harmless(text.replace("\n", "")):
        return SafeText(text)
    visible = "".join(
        character if character == "\n" or _is_visible(character) else _escaped(character) for character in text
    )
    return SafeText(visible.replace("##", r"#\x23"))


# What is written before a name in a configuration: type names, labels and the names of variables are no values.
_ADDRESS = re.compile(
    r"""(?<![\w.-])
    (?:module\.[\w-]+(?:\[[^\]\s]*\])?\.)*
    (?:(?:data\.)?aws(?:cc)?_\w+\.[\w-]+|(?:module|var|local)\.[\w-]+|(?:resource|data)[ ]"\w+"[ ]"[\w-]+")
    (?![\w-])""",
    re.VERBOSE,
)


class Scrubber:
    """Replaces every spelling of the secrets in texts. The time does not grow with the number of secrets.

    Addresses, those that are ``named`` and all that look like Terraform's, stay: a secret that is a part of one is
    there by chance.
    """

    def __init__(self, secrets: Iterable[str], named: Iterable[str] = ()) -> None:
        forms = {form for secret in secrets if secret for form in (secret, *_spellings(secret))}
        self._stem = min(map(len, forms), default=0)
        self._forms: dict[str, list[str]] = {}
        for form in sorted(forms, key=lambda form: (-len(form), form)):
            self._forms.setdefault(form[: self._stem], []).append(form)
        self._named = _any_of(named) if forms else None

    def __call__(self, text: str) -> str:
        """The text without the secrets."""
        stem = self._stem
        if not stem or len(text) < stem:
            return text
        hits = self._forms.keys() & {text[start : start + stem] for start in range(len(text) - stem + 1)}
        forms = [form for hit in hits for form in self._forms[hit] if form in text]
        if not forms:
            return text
        return self._without(text, sorted(forms, key=lambda form: (-len(form), form)))

    def _without(self, text: str, forms: Iterable[str]) -> str:
        kept = [*self._addresses(text)]
        pieces: list[str] = []
        end = 0
        for start, stop in kept:
            inside = text[start:stop]
            # A secret that reaches beyond the address, or is the whole of it, is no chance.
            if any(_reaches_beyond(form, text, start, stop) for form in forms):
                continue
            pieces += [_replaced(text[end:start], forms), inside]
            end = stop
        pieces.append(_replaced(text[end:], forms))
        return "".join(pieces)

    def _addresses(self, text: str) -> Iterator[tuple[int, int]]:
        """Where addresses are, from left to right, none within another."""
        spans = [match.span() for match in _ADDRESS.finditer(text)]
        if self._named is not None:
            spans += [match.span() for match in self._named.finditer(text)]
        end = 0
        for start, stop in sorted(spans, key=lambda span: (span[0], -span[1])):
            if start >= end:
                yield start, stop
                end = stop


def _any_of(names: Iterable[str]) -> re.Pattern[str] | None:
    """An expression for these names as whole words."""
    listed = "|".join(map(re.escape, sorted(set(filter(None, names)), key=lambda name: (-len(name), name))))
    return re.compile(rf"(?<![\w.-])(?:{listed})(?![\w-])") if listed else None


def _reaches_beyond(form: str, text: str, start: int, stop: int) -> bool:
    """Whether an occurrence of the form is the whole span, or crosses one of its ends."""
    at = text.find(form, max(start - len(form) + 1, 0))
    while 0 <= at < stop:
        end = at + len(form)
        if end > start and (at < start or end > stop or (at, end) == (start, stop)):
            return True
        at = text.find(form, at + 1)
    return False


def _replaced(text: str, forms: Iterable[str]) -> str:
    for form in forms:
        text = text.replace(form, SENSITIVE)
    return text


def scrub(text: str, secrets: Iterable[str]) -> str:
    """The text without any spelling of the secrets."""
    return Scrubber(secrets)(text)


class Sanitizer:
    """Removes secrets from texts and makes them safe to print. Remembers each text."""

    def __init__(self, secrets: Iterable[str] = (), named: Iterable[str] = ()) -> None:
        self.scrub = Scrubber(secrets, named)
        self._known: dict[tuple[str, int], SafeText] = {}

    def __call__(self, text: str, limit: int = LIMIT) -> SafeText:
        """The text on one line."""
        key = (text, limit)
        if key not in self._known:
            self._known[key] = safe_text(self.scrub(text), limit)
        return self._known[key]

    def name(self, text: str, limit: int = LIMIT) -> SafeText:
        """An address, a file, or the name of an argument: these are no values, so no secret is looked for in them."""
        key = (text, -limit)
        if key not in self._known:
            self._known[key] = safe_text(text, limit)
        return self._known[key]

    def lines(self, text: str) -> tuple[SafeText, ...]:
        """Each line of the text."""
        return tuple(self(line, PROSE) for line in text.splitlines())


def _spellings(secret: str) -> Iterator[str]:
    """The secret as it is written in JSON, Python, URLs and base64."""
    data = secret.encode("utf-8", "surrogatepass")
    yield json.dumps(secret)[1:-1]
    yield json.dumps(secret, ensure_ascii=False)[1:-1]
    yield repr(secret)[1:-1]
    yield from _percent(data)
    yield from _base64(data)


def _percent(data: bytes) -> Iterator[str]:
    for safe, space in (("", "%20"), ("/", "%20"), ("", "+")):
        spelled = "".join(chr(byte) if chr(byte) in _UNRESERVED + safe else f"%{byte:02X}" for byte in data).replace(
            "%20", space
        )
        yield spelled
        yield re.sub("%..", lambda escape: escape[0].lower(), spelled)


def _base64(data: bytes) -> Iterator[str]:
    """The characters that depend on the secret alone, for each position at which it may start in an encoded text."""
    for before in range(3):
        spelled = binascii.b2a_base64(bytes(before) + data, newline=False).decode("ascii")
        decided = spelled[-(-before * 8 // 6) : (before + len(data)) * 8 // 6]
        if len(decided) >= SHORTEST:
            yield decided
            yield decided.replace("+", "-").replace("/", "_")


def addresses(report: Report) -> frozenset[str]:
    """The addresses of the report's findings."""
    return frozenset(finding.address for finding in report.findings)


Plain: TypeAlias = str | int | float | bool | list["Plain"] | dict[str, "Plain"] | None

# Tags and policy documents are free text in which people put what others should not read.
_PRIVATE = frozenset({facts.TAGS.name, facts.POLICY.name, facts.STREAM_POLICY.name})
_FACTS = frozenset(fact.name for fact in vars(facts).values() if isinstance(fact, facts.Fact))
_PUBLIC = (_FACTS | facts.STATEMENT) - _PRIVATE

_SCALARS = frozenset({type(None), bool, int, float, str})

MANY = 20  # entries of one list


@record(kw_only=False)
class ContentSummary:
    """A content as reports show it. Stands for the content in reports of another process or another run."""

    plain: Plain


def is_plain(value: Value[object]) -> bool:
    """Whether the content is a scalar that is not sensitive."""
    return type(value.content) in _SCALARS and not value.sensitive


def summarised(value: Value[object]) -> Value[object]:
    """The value with a `ContentSummary` for its content, which may refer to a whole estate."""
    if is_plain(value):
        return value
    summary = plain(value)
    content = None if summary is None else ContentSummary(summary)
    return Value(value.name, content, value.origin, value.place, value.doubt, value.sensitive)


def plain(value: Value[object], scrub: Callable[[str], str] = str) -> Plain:
    """The value's content as JSON. Content that may be private is reduced to its type and size."""
    if not value.known or value.content is None:
        return None
    if isinstance(value.content, ContentSummary):
        return _scrubbed(value.content.plain, scrub)
    if value.sensitive:
        return SENSITIVE
    if not is_public(value.name):
        if isinstance(value.content, str):
            return {"type": "text", "size": len(value.content)}
        if isinstance(value.content, (dict, Mapping)):  # a dict is known at once, any other mapping takes long
            return {"type": "mapping", "size": len(value.content)}
    return _plain_content(value.content, scrub)


def is_public(name: str) -> bool:
    """Whether the content of the fact may be printed."""
    return name in _PUBLIC


def _plain_content(content: object, scrub: Callable[[str], str]) -> Plain:
    match content:
        case None | bool() | int():
            return content
        case float():
            return content if content - content == 0 else str(content)
        case str():
            return scrub(str(content))
        case KeyPart():
            return f"{scrub(content.attribute)} {content.role}"
        case Index() | VectorIndex():
            return plain(content.name, scrub)
        case Replica():
            return plain(content.region, scrub)
        case list() | tuple():
            return [_plain_content(item, scrub) for item in content]
        case Mapping():
            return {scrub(str(key)): _plain_content(content[key], scrub) for key in sorted(content, key=str)}
        case set() | frozenset():
            return [_plain_content(item, scrub) for item in sorted(content, key=str)]
        case _:
            return {"type": type(content).__name__.lower(), "size": 1}


def _scrubbed(content: Plain, scrub: Callable[[str], str]) -> Plain:
    match content:
        case str():
            return scrub(content)
        case list():
            return [_scrubbed(item, scrub) for item in content]
        case dict():
            return {scrub(key): _scrubbed(item, scrub) for key, item in content.items()}
    return content
