"""What the bytes of a file tell before anybody reads it: most of a repository has nothing to do with tables.

Each word that is looked for is one more pass over all bytes, so the words of a language are looked for only where
there is a sign of it.
"""

from __future__ import annotations

import re
from enum import Enum, auto

_ODD = (b"\xff\xfe", b"\xfe\xff", b"PK\x03\x04")  # marks of UTF-16, and of an archive: no words can be looked for
_ESCAPES = (b"\\u", b"\\x", b"\\U", b"\\\n", b"\\\r")  # with which a text can be spelled so that it is not found
_OF_A_TEMPLATE = (b"aws::", b"::module")
_OF_A_PLAN = (b"format_version", b'"lineage"')
# Beside tables and access: what makes either, and what another template may lead to.
_TYPES = rb"::(?:iam|sso|dax|serverless|foreach|cloudformation::stack|module)"
_IN_A_TEMPLATE = (b"transform", b"export")
_IN_A_PLAN = (b"iam", b"dax")
_IN_SOURCE = rb"aws_(?:dax|iam|ssoadmin)"
_DOUBTS = (b'"errored":true', b'"complete":false', b"deferred", b"plan_format_version")  # it is not the whole plan


class Sniffed(Enum):
    """What is to be done with a file that was met in a folder."""

    READ = auto()
    SILENT = auto()  # it may be an input, and names nothing that is judged
    OTHER = auto()  # it is no input


def sniffed(data: bytes) -> Sniffed:
    """What the bytes tell. Where they may hide something, the file is to be read."""
    if _is_odd(data) or data.isspace() or b"DynamoDB" in data or not data:
        return Sniffed.READ
    words = data.lower()
    if b"dynamodb" in words or (b"\\" in data and _holds(data, _ESCAPES)):
        return Sniffed.READ
    is_json = data[:64].lstrip().startswith(b"{")
    if is_json and not data[-64:].rstrip().endswith(b"}"):
        return Sniffed.READ  # it is cut off
    is_plan = is_json and _holds(words, _OF_A_PLAN)
    if _holds(words, _OF_A_TEMPLATE):
        may_matter = re.search(_TYPES, words) is not None or _holds(words, _IN_A_TEMPLATE)
        may_matter = may_matter or (is_json and b"changeset" in words)
    elif is_plan:
        may_matter = _holds(words, _IN_A_PLAN)
    else:
        return Sniffed.OTHER
    if may_matter or (is_json and not _is_even(data)) or (is_plan and _holds(b"".join(words.split()), _DOUBTS)):
        return Sniffed.READ
    return Sniffed.SILENT


def may_concern_tables(data: bytes) -> bool:
    """Whether a table, or access to one, may be in a file of Terraform source."""
    words = data.lower()
    return (
        b"dynamodb" in words
        or re.search(_IN_SOURCE, words) is not None
        or (b"\\" in data and b"\\u" in data)
        or _is_odd(data)
        or data.startswith(b"\xff")
    )


def _holds(data: bytes, words: tuple[bytes, ...]) -> bool:
    for word in words:  # noqa: SIM110 - a generator takes longer than the search
        if word in data:
            return True
    return False


def _is_odd(data: bytes) -> bool:
    return b"\0" in data[:4] or data.startswith(_ODD)


def _is_even(data: bytes) -> bool:
    """Whether JSON ends as often as it begins."""
    return data.count(b"{") == data.count(b"}") and data.count(b"[") == data.count(b"]")
