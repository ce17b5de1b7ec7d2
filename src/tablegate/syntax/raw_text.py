"""What a text may say: the one place that decides by raw text, before anything is parsed.

A quick decision looks for a word, to pass over a text or to read less of it. The word may be there in another spelling:
as ``Dynamo\\u0044B``, or broken over two lines. So each such decision asks `may_say` for bare words: quotes, colons,
blanks and line ends around them, tags, anchors and the question mark of an explicit key then make no difference. Where
a decision needs more than words, `revealed` gives the text with its escapes resolved.
"""

from __future__ import annotations

import re

_BREAK = rb"(?:\r\n?|\n|\xc2\x85|\xe2\x80[\xa8\xa9])"  # at which YAML ends a line
_WORD = rb"[\w:.-]"
# What can stand for a character, and a backslash that joins two parts of a word. JSON, YAML and HCL have the same ones.
_ESCAPE = re.compile(
    rb"\\(?:u[0-9A-Fa-f]{4}|x[0-9A-Fa-f]{2}|U[0-9A-Fa-f]{8}|"
    rb"(?<=" + _WORD + rb"\\)" + _BREAK + rb"\s*+(?:\\" + _BREAK + rb"\s*+)*+" + _WORD + rb")"
)
_IN_TAG = re.compile(rb"![\w!<:./-]{0,64}%[0-9A-Fa-f]{2}")
_PREFIX = b"%TAG"  # gives the beginning of a tag another name
_BINARY_STARTS = (b"\xff\xfe", b"\xfe\xff", b"PK\x03\x04")  # of UTF-16 and of an archive


def may_say(text: str | bytes, *words: str) -> bool:
    """Whether one of the words may be in a text: it is there as it is, or something could hide it."""
    for word in words:
        if (word in text) if isinstance(text, str) else (word.encode() in text):
            return True
    return may_hide(text)


def may_hide(text: str | bytes) -> bool:
    """Whether a word may be in a text in another spelling. In bytes that are not UTF-8 any word may be."""
    if isinstance(text, str):
        if "\\" not in text and "%" not in text:
            return False
        text = text.encode("utf-8", "surrogatepass")
    elif is_binary(text):
        return True
    if b"\\" in text and _ESCAPE.search(text) is not None:
        return True
    return b"%" in text and (_PREFIX in text or _IN_TAG.search(text) is not None)


def is_binary(data: bytes) -> bool:
    """Whether words cannot be searched in these bytes."""
    return b"\0" in data[:4] or data.startswith(_BINARY_STARTS)


_ESCAPED = re.compile(r"\\(?:u([0-9A-Fa-f]{4})|x([0-9A-Fa-f]{2})|U(00(?:0[0-9A-Fa-f]|10)[0-9A-Fa-f]{4}))")
_JOINED = re.compile("\\\\(?:\r\n?|[\n\x85\u2028\u2029])\\s*")
_LINE_END = re.compile("\r\n?|[\x85\u2028\u2029]")


def revealed(text: str) -> str:
    """The text with its escapes resolved and with plain line ends: for words and keys, not for values."""
    resolved = _ESCAPED.sub(lambda match: chr(int(match[1] or match[2] or match[3], 16)), text)
    return _LINE_END.sub("\n", _JOINED.sub("", resolved))


_LEADING = re.compile(r"\A(?:[ \t]*(?:#[^\n]*|%[^\n]*|---)?\n)*+")  # comments, directives, a document's start
_FLOW = re.compile(r"\s*(?:---\s+)?\{")
_BEFORE_KEY = r"(?:--- +)?(?:\? +|[!&]\S* +|[{,] *)*+[\"']?"


def opens(text: str, words: frozenset[str]) -> bool:
    """Whether one of the words looks like a key at the top of this YAML or JSON, which may be broken."""
    rest = _LEADING.sub("", revealed(text))
    indent = " " * (len(rest) - len(rest.lstrip(" ")))
    where = r"(?:^|[{,])[ \t]*" if _FLOW.match(rest) else rf"^(?:{indent}|(?=--- ))"
    pattern = rf"(?m){where}{_BEFORE_KEY}(?:{'|'.join(sorted(words))})[\"']?[ \t]*(?::|$)"
    return re.search(pattern, rest) is not None
