"""What the bytes of a file tell before anybody reads it: most of a repository has nothing to do with tables."""

from __future__ import annotations

_ODD = (b"\xff\xfe", b"\xfe\xff", b"PK\x03\x04")  # marks of UTF-16, and of an archive: no words can be looked for
_ESCAPES = (b"\\u", b"\\x", b"\\U", b"\\\n")  # with which a text can be spelled so that it is not found
_SIGNS = (
    b"::",
    b"Resources",
    b"AWSTemplateFormatVersion",
    b"TemplateBody",
    b"format_version",
    b"resource_changes",
    b"planned_values",
    b"hangeSet",
    b'"lineage"',
    b'"serial"',
)
# Beside tables and access: what makes either, and what another template may lead to.
_WORDS = (
    b"dynamodb",
    b"iam",
    b"dax",
    b"serverless",
    b"transform",
    b"export",
    b"templateurl",
    b"::module",
    b"foreach",
    b"changeset",
)
_OF_A_PLAN = (b"format_version", b"resource_changes", b"planned_values")
_DOUBTS = (b'"errored":true', b'"complete":false', b"deferred", b"plan_format_version")  # it is not the whole plan


def is_other(data: bytes) -> bool:
    """Whether this is surely no input, nor one that is broken."""
    return not _is_odd(data) and not _holds(data, _SIGNS) and not _holds(data, _ESCAPES)


def is_silent(data: bytes) -> bool:
    """Whether nothing is named here that is judged, and the file is whole as far as can be seen."""
    if _is_odd(data) or data.isspace() or not data or not _is_closed(data):
        return False
    words = data.lower()
    if _holds(words, _WORDS) or _holds(data, _ESCAPES):
        return False
    return not _holds(words, _OF_A_PLAN) or not _holds(b"".join(words.split()), _DOUBTS)


def _holds(data: bytes, words: tuple[bytes, ...]) -> bool:
    return any(word in data for word in words)


def _is_odd(data: bytes) -> bool:
    return b"\0" in data[:4] or data.startswith(_ODD)


def _is_closed(data: bytes) -> bool:
    """Whether JSON ends as often as it begins: what is cut off does not."""
    if not data[:64].lstrip().startswith(b"{"):
        return True
    return data.count(b"{") == data.count(b"}") and data.count(b"[") == data.count(b"]")
