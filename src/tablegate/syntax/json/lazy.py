"""A large JSON document read on demand: members stay raw until they are needed, and duplicate keys are refused.

msgspec silently keeps the last of two equal keys. So each result is proved: its parts must add up to the length of the
text, or it must encode to the same bytes. If that fails, which is rare, the strict loader decides.
"""

from __future__ import annotations

import re
from threading import Lock
from typing import Any, TypeAlias, TypeVar

import msgspec

from tablegate.syntax.node import ParseError

T = TypeVar("T")

DEPTH = 200  # as in the strict loader
_PIECE = 256

_MEMBERS: msgspec.json.Decoder[dict[str, msgspec.Raw]] = msgspec.json.Decoder(dict[str, msgspec.Raw])
_ITEMS: msgspec.json.Decoder[list[msgspec.Raw]] = msgspec.json.Decoder(list[msgspec.Raw])
_ANY = msgspec.json.Decoder()
_ENCODER = msgspec.json.Encoder()
_REFUSALS = (msgspec.DecodeError, RecursionError)  # a ValidationError is a DecodeError
_KINDS = {dict: "an object", list: "a list", str: "a text", bool: "a boolean", type(None): "null"}
_NO_BRACKETS = bytes(set(range(256)) - set(b"[]{}"))
_STRING = re.compile(rb'"(?:[^"\\]|\\.)*+"')
_decoders: dict[Any, msgspec.json.Decoder[Any]] = {}
_decoders_lock = Lock()  # two threads that make decoders of one shape at once crash msgspec 0.22, and Python with it


class Plain:
    """A part that the strict loader has decoded."""

    __slots__ = ("content",)

    def __init__(self, content: object) -> None:
        self.content = content


Part: TypeAlias = msgspec.Raw | Plain


class Document:
    """A document with undecoded members."""

    __slots__ = ("_whole", "members")

    def __init__(self, data: bytes | str) -> None:
        self._whole = msgspec.Raw(data)
        self.members = members(self._whole)

    @property
    def text(self) -> str:
        """The text of the document."""
        return bytes(self._whole).decode()

    def check(self) -> None:
        """Read all of it strictly. A ParseError has the line and the column."""
        _strictly(self._whole)


def members(part: Part | str) -> dict[str, Part]:
    """The members of an object, undecoded. A text is a whole document."""
    part = part_of(part)
    if isinstance(part, Plain):
        if not isinstance(part.content, dict):
            raise ParseError(f"expected an object, found {kind_of(part.content)}")
        return {key: Plain(child) for key, child in part.content.items()}
    proved = _proved_members(part)
    if proved is None and (compact := _compact(part)) is not None:
        proved = _proved_members(compact)
    return members(_strictly(part)) if proved is None else proved


def items(part: Part) -> list[Part]:
    """The items of a list, undecoded."""
    if not isinstance(part, Plain):
        try:
            return list(_ITEMS.decode(part))
        except _REFUSALS:
            part = _strictly(part)
    if not isinstance(part.content, list):
        raise ParseError(f"expected a list, found {kind_of(part.content)}")
    return [Plain(child) for child in part.content]


def decode(part: Part) -> object:
    """The part as plain objects."""
    if isinstance(part, Plain):
        return part.content
    data = bytes(part)
    if _is_shallow(data):
        proved, content = _proved_content(data)
        if proved:
            return content
        if (compact := _compact(part)) is not None:
            proved, content = _proved_content(bytes(compact))
            if proved:
                return content
    return _strictly(part).content


def shaped(part: Part, shape: type[T]) -> T | None:
    """The part in this shape if the shape covers all of it, else None. Raw members stay raw and unproved."""
    if isinstance(part, Plain):
        return None
    content = _proved_shape(part, shape)
    if content is None and (compact := _compact(part)) is not None:
        content = _proved_shape(compact, shape)
    return content


def typed(part: Part, shape: type[T]) -> T | None:
    """The part in this shape, ignoring other members; None if it does not fit. Duplicate keys are not detected."""
    try:
        raw = msgspec.Raw(_ENCODER.encode(part.content)) if isinstance(part, Plain) else part
        return _decoder(shape).decode(raw)
    except (*_REFUSALS, UnicodeEncodeError):
        return None


def raw_member(data: bytes, key: str) -> bytes:
    """The raw text of a member. The object is known to be one, with this key once."""
    return bytes(_MEMBERS.decode(data)[key])


def part_of(part: Part | str) -> Part:
    """A part; a text becomes one."""
    return msgspec.Raw(part) if isinstance(part, str) else part


def is_null(part: Part) -> bool:
    """Whether a part is null."""
    return part.content is None if isinstance(part, Plain) else bytes(memoryview(part)[:4]) == b"null"


def is_same(part: Part, content: object) -> bool:
    """Whether the part equals decoded content."""
    if not isinstance(part, Plain):
        try:
            if _ENCODER.encode(content) == bytes(part):
                return True
        except UnicodeEncodeError:
            pass
    return decode(part) == content


def holds_true(content: object) -> bool:
    """Whether true may be anywhere in the content. Also true for a text with that word."""
    try:
        return b"true" in _ENCODER.encode(content)
    except UnicodeEncodeError:
        return True


def kind_of(content: object) -> str:
    """The type of decoded content in words."""
    return _KINDS.get(type(content), "a number")


def _proved_members(raw: msgspec.Raw) -> dict[str, Part] | None:
    try:
        raw_members = _MEMBERS.decode(raw)
    except _REFUSALS:
        return None
    size = 1 + max(1, len(raw_members))  # braces and commas
    for key, child in raw_members.items():
        size += len(_ENCODER.encode(key)) + 1 + len(memoryview(child))
    return {**raw_members} if size == _size(raw) else None


def _proved_content(data: bytes) -> tuple[bool, object]:
    try:
        content = _ANY.decode(data)
    except _REFUSALS:
        return False, None
    return _ENCODER.encode(content) == data, content


def _proved_shape(raw: msgspec.Raw, shape: type[T]) -> T | None:
    try:
        content = _decoder(shape).decode(raw)
    except _REFUSALS:
        return None
    return content if _encoded_size(content) == _size(raw) else None


def _decoder(shape: type[T]) -> msgspec.json.Decoder[T]:
    with _decoders_lock:
        if shape not in _decoders:
            _decoders[shape] = msgspec.json.Decoder(shape)
        return _decoders[shape]


def _encoded_size(content: object) -> int:
    """The length of the content in JSON. A long list is encoded in pieces, to save memory."""
    if not isinstance(content, list) or not content:
        return len(_ENCODER.encode(content))
    pieces = (content[start : start + _PIECE] for start in range(0, len(content), _PIECE))
    return 1 + sum(len(_ENCODER.encode(piece)) - 1 for piece in pieces)  # a comma for two brackets between pieces


def _compact(raw: msgspec.Raw) -> msgspec.Raw | None:
    """The JSON without white space; None if it has none, or is not JSON."""
    try:
        compact = msgspec.Raw(bytes(msgspec.json.format(raw, indent=-1)))
    except _REFUSALS:
        return None
    return compact if len(memoryview(compact)) < len(memoryview(raw)) else None


def _size(raw: msgspec.Raw) -> int:
    """The length without white space at the end."""
    view = memoryview(raw)
    tail = bytes(view[-64:])
    return len(view) - len(tail) + len(tail.rstrip())


def _is_shallow(data: bytes) -> bool:
    """Whether the nesting is within the limit: counted only if there are many brackets."""
    if data.count(b"[") + data.count(b"{") <= DEPTH:
        return True
    return _levels(data) or _levels(_STRING.sub(b"", data))


def _levels(data: bytes) -> bool:
    brackets = data.translate(None, _NO_BRACKETS)
    for _ in range(DEPTH):
        brackets = brackets.replace(b"[]", b"").replace(b"{}", b"")
        if not brackets:
            return True
    return False


def _strictly(raw: msgspec.Raw) -> Plain:
    from tablegate.syntax.json import load_json

    return Plain(load_json(bytes(raw).decode()))
