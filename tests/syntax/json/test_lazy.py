"""Reading by need finds what the strict loader finds, and refuses what it refuses."""

from __future__ import annotations

import json
from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tablegate.syntax.json import lazy as raw_json
from tablegate.syntax.node import ParseError

DOCUMENTS = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(10**20), 10**20)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=20,
)
OBJECTS = st.dictionaries(st.text(), DOCUMENTS, max_size=5)
LAYOUTS = st.sampled_from([{}, {"indent": 2}, {"separators": (",", ":")}, {"ensure_ascii": False}])


class Point(msgspec.Struct, omit_defaults=True):
    """A shape to read into."""

    x: int
    y: int = 0


def whole(text: str) -> object:
    """Everything, member by member."""
    return {key: raw_json.decode(part) for key, part in raw_json.members(text).items()}


@given(OBJECTS, LAYOUTS)
def test_nothing_is_lost(content: dict[str, object], layout: dict[str, object]) -> None:
    """Whatever the layout, each member is what it was."""
    text = json.dumps(content, **layout)  # type: ignore[arg-type]
    assert whole(text) == content


@pytest.mark.parametrize(
    "text",
    [
        '{"a":1,"a":2}',
        '{"a": 1, "a": 2}',
        '{"a":1,"\\u0061":2}',
        '{"a":{"b":1,"b":2}}',
        '{"a": [ {"b": 1, "c": {"d": 1, "d": 1}} ]}',
        '{"a":{"b":1,"\\u0062":2}}',
        '{"a":{"b":"\\u003c","b":2}}',
    ],
)
def test_keys_come_once(text: str) -> None:
    """A key that is there twice is refused, however it is spelled and however deep it stands."""
    with pytest.raises(ParseError, match="duplicate key") as caught:
        whole(text)
    assert caught.value.duplicate


def test_an_unread_part_is_not_judged() -> None:
    """What nobody asks for costs nothing, and refuses nothing."""
    parts = raw_json.members('{"read":{"a":1},"unread":{"a":1,"a":2}}')
    assert raw_json.decode(parts["read"]) == {"a": 1}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"a":1', "truncated"),
        ('{"a":1}}', "extra data"),
        ('{"a":NaN}', "NaN"),
        ('{"a":1e999}', "too large"),
        ('{"a":' + "9" * 5000 + "}", "digits"),
        ('{"a":' + "[" * 100_000, "deeper"),
        ('{"a":' + "[" * 300 + "]" * 300 + "}", "deeper"),
        ('{"a":[' + "[" * 200 + ",".join("[]" for _ in range(300)) + "]" * 200 + "]}", "deeper"),
    ],
)
def test_what_is_no_json(text: str, message: str) -> None:
    """What the strict loader refuses is refused in its words."""
    with pytest.raises(ParseError, match=message):
        whole(text)


def test_brackets_in_texts_are_no_depth() -> None:
    """Only real nesting counts against the limit."""
    content = {"a": "[" * 500, "b": [[1]] * 300}
    assert whole(json.dumps({"part": content})) == {"part": content}


def test_escapes_between_white_space() -> None:
    """What does not encode to its own bytes is read by the strict loader."""
    assert whole('{"a":{"b": "\\u003c"},"c":[ "\\u003c" ]}') == {"a": {"b": "<"}, "c": ["<"]}


def test_surrogates_are_kept() -> None:
    """A lone surrogate is text like other text, and its neighbours can be told apart."""
    parts = raw_json.members('{"a":"\\ud800","b":[{"c":1}],"d":null}')
    assert raw_json.decode(parts["a"]) == "\ud800"
    (item,) = raw_json.items(parts["b"])
    assert whole_of(item) == {"c": 1}
    assert raw_json.is_null(parts["d"])
    assert raw_json.is_same(parts["a"], "\ud800")
    assert raw_json.shaped(item, Point) is None
    assert raw_json.typed(item, Point) is None


def whole_of(part: raw_json.Part) -> object:
    """The members of a part, decoded."""
    return {key: raw_json.decode(child) for key, child in raw_json.members(part).items()}


@pytest.mark.parametrize(
    ("text", "found"),
    [("[]", "a list"), ('"x"', "a text"), ("1", "a number"), ("true", "a boolean"), ("null", "null")],
)
def test_members_of_what_has_none(text: str, found: str) -> None:
    """Only an object has members, and the message says what there is instead."""
    with pytest.raises(ParseError, match=f"expected an object, found {found}"):
        raw_json.members(text)


def test_items_of_what_has_none() -> None:
    """Only a list has items."""
    with pytest.raises(ParseError, match="expected a list, found an object"):
        raw_json.items(raw_json.part_of("{}"))


@pytest.mark.parametrize("text", ['[{"x":1},{"x":2,"y":3}]', '[ {"x": 1}, {"x": 2, "y": 3} ]\n'])
def test_a_shape_that_fits(text: str) -> None:
    """A part is read into a shape whatever its layout."""
    assert raw_json.shaped(raw_json.part_of(text), list[Point]) == [Point(1), Point(2, 3)]


@pytest.mark.parametrize(
    "text",
    ['[{"x":1,"x":2}]', '[{"x":1,"z":2}]', '[{"x": 1, "z": 2}]', '[{"x":"1"}]', '[{"y":1}]', "[", '[{"x":1,"y":0}]'],
)
def test_a_shape_that_does_not_fit(text: str) -> None:
    """What the shape would lose, or cannot show that it keeps, is not read into it."""
    assert raw_json.shaped(raw_json.part_of(text), list[Point]) is None


def test_a_loose_shape() -> None:
    """Where nothing is to be proved, the rest is passed over."""
    assert raw_json.typed(raw_json.part_of('{"x":1,"z":2}'), Point) == Point(1)
    assert raw_json.typed(raw_json.part_of('{"x":"1"}'), Point) is None


@pytest.mark.parametrize(
    ("text", "same"), [('{"a":1}', True), ('{ "a": 1 }', True), ('{"a":2}', False), ('{"a":1,"b":2}', False)]
)
def test_same_content(text: str, same: bool) -> None:
    """White space makes no difference between parts."""
    assert raw_json.is_same(raw_json.part_of(text), {"a": 1}) is same


def test_same_content_with_a_surrogate() -> None:
    """What cannot be encoded is compared all the same."""
    assert not raw_json.is_same(raw_json.part_of('{"a":1}'), {"a": "\ud800"})


@pytest.mark.parametrize(
    ("content", "found"),
    [({"a": [{"b": True}]}, True), ({"a": [{"b": False}]}, False), ({}, False), ({"a": "\ud800"}, True)],
)
def test_true_somewhere(content: object, found: bool) -> None:
    """A quick look may err on the side of looking closer, never on the other."""
    assert raw_json.holds_true(content) is found


def test_the_place_of_a_mistake() -> None:
    """The whole document, read strictly, tells line and column."""
    with pytest.raises(ParseError) as caught:
        raw_json.Document('{\n "a": {"b": 1,\n "b": 2}}').check()
    assert (caught.value.line, caught.value.duplicate) == (3, True)
    raw_json.Document(b"{}").check()


def test_every_prefix_is_refused() -> None:
    """A document that was cut off anywhere is no document."""
    text = json.dumps({"a": [1, {"b": "c"}], "d": None})
    for end in range(len(text)):
        with pytest.raises(ParseError):
            whole(text[:end])


def test_plans_are_read_losslessly() -> None:
    """Real plans decode to what the standard library makes of them."""
    for path in sorted((Path(__file__).parents[3] / "fixtures" / "plans").rglob("*.json")):
        text = path.read_text()
        assert whole(text) == json.loads(text)
