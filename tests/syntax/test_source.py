"""Bytes that are text, and bytes that are not."""

from __future__ import annotations

import codecs

import pytest

from tablegate.syntax.node import ParseError
from tablegate.syntax.source import decode


def _refusal(data: bytes) -> str:
    with pytest.raises(ParseError) as caught:
        decode(data)
    return caught.value.message


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b"{}", "{}"),
        (codecs.BOM_UTF8 + "ä".encode(), "ä"),
        (codecs.BOM_UTF8 * 2 + b"x", "\ufeffx"),
        ("ä\r\n".encode("utf-16"), "ä\r\n"),
        (codecs.BOM_UTF16_BE + "ä".encode("utf-16-be"), "ä"),
    ],
)
def test_text_is_decoded(data: bytes, expected: str) -> None:
    """UTF-8 loses one mark, and UTF-16 with a mark is read: PowerShell writes both."""
    assert expected == decode(data)


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b"", "the file is empty (0 bytes)"),
        (b" \r\n\t", "the file has only white space"),
        (codecs.BOM_UTF8 + b"\n", "the file has only white space"),
        ("{}".encode("utf-32"), "the file is UTF-32, not UTF-8"),
        (codecs.BOM_UTF32_BE, "the file is UTF-32, not UTF-8"),
        ("{}".encode("utf-32-le"), "the file is not UTF-8; it looks like UTF-32 LE without a byte order mark"),
        ("{}".encode("utf-32-be"), "the file is not UTF-8; it looks like UTF-32 BE without a byte order mark"),
        ("{}".encode("utf-16-le"), "the file is not UTF-8; it looks like UTF-16 LE without a byte order mark"),
        ("{}".encode("utf-16-be"), "the file is not UTF-8; it looks like UTF-16 BE without a byte order mark"),
        (b"ab\0\0", "the file is not UTF-8; it looks like a binary file"),
        (b"ab\xff", "not valid UTF-8 at byte 2"),
        (codecs.BOM_UTF8 + b"\xc0\xaf", "not valid UTF-8 at byte 3"),
        (b"a\xed\xa0\x80", "not valid UTF-8 at byte 1"),
        (codecs.BOM_UTF16_LE + b"a\0b", "not valid UTF-16 at byte 4"),
    ],
)
def test_what_is_not_text_is_refused(data: bytes, expected: str) -> None:
    """Nothing is guessed or replaced: the encoding is named, or the byte where it breaks."""
    assert expected == _refusal(data)


def test_empty_files_come_with_a_hint() -> None:
    """An empty file is what a failed command leaves behind."""
    with pytest.raises(ParseError) as caught:
        decode(b"")
    assert caught.value.hint == "the command that wrote it failed; its error is on stderr"
