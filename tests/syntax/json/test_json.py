"""JSON: strict, and with places."""

from __future__ import annotations

import gc
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from support.nodes import places
from tablegate.syntax.json import load_json, parse_json
from tablegate.syntax.node import ParseError

SCALARS = (
    st.none()
    | st.booleans()
    | st.integers(-(10**30) + 1, 10**30 - 1)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text()
)
DOCUMENTS = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4), max_leaves=12
)
CONTAINERS = st.lists(DOCUMENTS, max_size=4) | st.dictionaries(st.text(), DOCUMENTS, max_size=4)


def _refusal(text: str) -> ParseError:
    with pytest.raises(ParseError) as caught:
        parse_json(text)
    with pytest.raises(ParseError) as again:
        load_json(text)
    assert str(caught.value) == str(again.value)
    return caught.value


@given(DOCUMENTS, st.sampled_from([None, 1, "\t"]), st.booleans())
def test_what_is_written_is_read(document: object, indent: int | str | None, ensure_ascii: bool) -> None:
    """Both readers give back what a writer was given, in whatever layout."""
    text = json.dumps(document, indent=indent, ensure_ascii=ensure_ascii)
    assert document == parse_json(text).plain()
    assert document == load_json(text)


@given(CONTAINERS, st.sampled_from([None, 1]), st.data())
def test_no_prefix_is_read(document: object, indent: int | None, data: st.DataObject) -> None:
    """A document that was cut short is refused, wherever the cut is."""
    text = json.dumps(document, indent=indent)
    _refusal(text[: data.draw(st.integers(0, len(text) - 1))])


def test_each_node_has_its_place() -> None:
    """A scalar stands where it is written, with its quotes; a container at its key, or in a list at its bracket."""
    text = '{\n  "a": "x",\r\n  "b\\n": [10, {"c": null}],\r  "d": {},\n "e" : "\\u0041"\n}\n'
    assert places(parse_json(text)) == (
        {
            "a": ("x", 2, 8, 11),
            "b\n": ([(10, 3, 11, 13), ({"c": (None, 3, 21, 25)}, 3, 15, 16)], 3, 3, 8),
            "d": ({}, 4, 3, 6),
            "e": ("A", 5, 8, 16),
        },
        1,
        1,
        2,
    )


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("  12 ", 12),
        ("-0", 0),
        ("1.5e3", 1500.0),
        ("9007199254740993", 9007199254740993),
        ("true", True),
        ('"\\ud800"', "\ud800"),
        ('"\\u0000"', "\0"),
        ('"a\x7f\x9b\ufffe"', "a\x7f\x9b\ufffe"),
        ("[[ ], { }]", [[], {}]),
        ('{"\\u0061" : [ ]\t}', {"a": []}),
        ('{"\\u0061" : true}', {"a": True}),
        ('{"' + "k" * 2000 + '": 1}', {"k" * 2000: 1}),
    ],
)
def test_values_are_exact(text: str, expected: object) -> None:
    """What JSON allows is read as it is, also what other readers stumble over."""
    assert expected == parse_json(text).plain()
    assert expected == load_json(text)
    assert type(expected) is type(load_json(text))


@pytest.mark.parametrize(
    ("text", "message", "line", "column"),
    [
        ("", "unexpected end of file (truncated?)", 1, 1),
        ('{\n "a": ', "unexpected end of file (truncated?)", 2, 7),
        ('{"a": tr', "unexpected end of file (truncated?)", 1, 9),
        ('["a', "unexpected end of file (truncated?)", 1, 4),
        ('{"a": 1\n', "unexpected end of file (truncated?)", 2, 1),
        ("{} {}", "extra data after the end of the document", 1, 4),
        ('{"a": 1}\0', "extra data after the end of the document", 1, 9),
        ("[1,]", "trailing comma, which is not JSON", 1, 4),
        ('{"a": 1, \n}', "trailing comma, which is not JSON", 2, 1),
        ('{"a": 1 // x\n}', "comments are not JSON", 1, 9),
        ("[1, /* x */ 2]", "comments are not JSON", 1, 5),
        ("# x\n{}", "comments are not JSON", 1, 1),
        ("{'a': 1}", "single quotes are not JSON", 1, 2),
        ('{"a": NaN}', "NaN is not JSON", 1, 7),
        ("[-Infinity]", "Infinity is not JSON", 1, 2),
        ("[Infinity]", "Infinity is not JSON", 1, 2),
        ("[1e999]", "number too large to read exactly", 1, 2),
        ('{"\\n": -1e999}', "number too large to read exactly", 1, 8),
        ("[1" + "0" * 30 + "]", "number with 31 digits; the limit is 30", 1, 2),
        ("[01]", "expected ',' or ']'", 1, 3),
        ('{"a" 1}', "expected ':'", 1, 6),
        ("{1: 2}", "expected a key in double quotes", 1, 2),
        ('{"a": 1 "b": 2}', "expected ',' or '}'", 1, 9),
        ("[1}", "expected ',' or ']'", 1, 3),
        ("[]]", "extra data after the end of the document", 1, 3),
        ("[,]", "expected a value", 1, 2),
        ('["a\nb"]', "unescaped control character in a text", 1, 4),
        ('["\\x"]', "invalid escape in a text", 1, 3),
        ('["\\u12"]', "invalid escape in a text", 1, 4),
        ("\ufeff{}", "expected a value", 1, 1),
    ],
)
def test_what_is_wrong_is_said_with_its_place(text: str, message: str, line: int, column: int) -> None:
    """Every refusal names what is wrong, and where; none quotes the text."""
    error = _refusal(text)
    assert (message, line, column) == (error.message, error.line, error.column)


@pytest.mark.parametrize(
    ("text", "message", "line"),
    [
        ('{\n"a": 1,\n"a": 2}', 'duplicate key "a" on line 2 and again on line 3', 3),
        ('{"a": 1, "\\u0061": 1}', 'duplicate key "a" on line 1 and again on line 1', 1),
        ('[{"b": {"a": [],\n "a": {"c": 1}}}]', 'duplicate key "a" on line 1 and again on line 2', 2),
        (
            '{"' + "k" * 99 + '": 1, "' + "k" * 99 + '": 1}',
            f'duplicate key "{"k" * 80}" on line 1 and again on line 1',
            1,
        ),
    ],
)
def test_no_key_comes_twice(text: str, message: str, line: int) -> None:
    """Equal keys are refused however they are spelled, and both lines named."""
    error = _refusal(text)
    assert (message, line, True) == (error.message, error.line, error.duplicate)


@pytest.mark.parametrize("pair", ["[]", '{"":}'])
def test_depth_has_a_limit(pair: str) -> None:
    """Two hundred levels are read, one more is not; nothing recurses on the way."""
    opening, closing = pair[:-1], pair[-1]
    deepest = opening * 200 + "1" + closing * 200
    assert parse_json(deepest).plain() == load_json(deepest)
    assert _refusal(opening * 201 + "1" + closing * 201).message == "nested deeper than 200 levels"
    assert _refusal(opening * 100_000).message == "nested deeper than 200 levels"


def test_brackets_in_texts_do_not_nest() -> None:
    """Only real brackets count as depth."""
    text = json.dumps(["[{" * 500, "\\", "]", {"[" * 300: []}])
    assert json.loads(text) == load_json(text)


def test_two_documents_come_with_a_hint() -> None:
    """Several documents in one file are several files."""
    assert _refusal("{}\n{}").hint == "put each document into its own file"
    assert _refusal("{}\nx").hint is None


def test_the_collector_runs_again() -> None:
    """Parsing pauses the garbage collector, whatever comes of it, and leaves a paused one alone."""
    with pytest.raises(ParseError):
        parse_json("[")
    assert gc.isenabled()
    gc.disable()
    try:
        parse_json("[]")
        assert not gc.isenabled()
    finally:
        gc.enable()
