"""YAML: what CloudFormation reads, with places, by libyaml and without it alike."""

from __future__ import annotations

import json

import pytest
import yaml
from cfn_tools.yaml_loader import FN_PREFIX, UNCONVERTED_SUFFIXES
from hypothesis import given
from hypothesis import strategies as st

from support.nodes import places
from tablegate.syntax import yaml as yaml_
from tablegate.syntax.json import parse_json
from tablegate.syntax.node import ParseError
from tablegate.syntax.yaml import events, parse_yaml
from tablegate.syntax.yaml.scalars import AS_THEY_ARE, PREFIX

# Without those that YAML takes for the end of a line, where JSON sees a character like any other.
TEXTS = st.text(st.characters(exclude_categories=["Cc", "Cn", "Cs"], exclude_characters="\ufeff\u2028\u2029"))
DOCUMENTS = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(10**30) + 1, 10**30 - 1)
    | st.integers(-(10**6), 10**6).map(lambda number: number / 8)
    | TEXTS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXTS, inner, max_size=4),
    max_leaves=12,
)


@pytest.fixture(params=["libyaml", "pure"], autouse=True)
def _parser(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Everything holds for both parsers."""
    monkeypatch.setattr(events, "_Parser", yaml.CSafeLoader if request.param == "libyaml" else yaml.SafeLoader)


def _refusal(text: str) -> ParseError:
    with pytest.raises(ParseError) as caught:
        parse_yaml(text)
    return caught.value


@given(DOCUMENTS, st.sampled_from([None, 1]))
def test_json_reads_the_same(document: object, indent: int | None) -> None:
    """A JSON template is a YAML template: the tree is the same, whichever reader reads it."""
    text = json.dumps(document, indent=indent, ensure_ascii=False)
    assert parse_json(text).plain() == parse_yaml(text).plain()


def test_each_node_has_its_place() -> None:
    """A scalar stands where it is written, a container and a function at their key, or in a list where they begin."""
    text = """\
# a comment
A: x
"B":
  - 'it''s'
  - C: !Ref D
  - !If [E, 1, {F: 2}]
G: !GetAtt
  - H
  - !Sub "${I}"
J: |
  one
  two
K: !GetAtt L.M.N
O:
"""
    assert places(parse_yaml(text)) == (
        {
            "A": ("x", 2, 4, 5),
            "B": (
                [
                    ("it's", 4, 5, 12),
                    ({"C": ({"Ref": ("D", 5, 8, 14)}, 5, 5, 6)}, 5, 5, None),
                    (
                        {
                            "Fn::If": (
                                [("E", 6, 10, 11), (1, 6, 13, 14), ({"F": (2, 6, 20, 21)}, 6, 16, 17)],
                                6,
                                5,
                                10,
                            )
                        },
                        6,
                        5,
                        10,
                    ),
                ],
                3,
                1,
                4,
            ),
            "G": ({"Fn::GetAtt": ([("H", 8, 5, 6), ({"Fn::Sub": ("${I}", 9, 5, 16)}, 9, 5, 16)], 7, 4, None)}, 7, 1, 2),
            "J": ("one\ntwo\n", 10, 4, None),
            "K": ({"Fn::GetAtt": ([("L", 13, 4, 17), ("M.N", 13, 4, 17)], 13, 4, 17)}, 13, 1, 2),
            "O": (None, 14, 3, 3),
        },
        2,
        1,
        None,
    )


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a: !Ref B", {"a": {"Ref": "B"}}),
        ("a: !Ref 12", {"a": {"Ref": "12"}}),
        ("a: !Condition B", {"a": {"Condition": "B"}}),
        ("a: !GetAZs", {"a": {"Fn::GetAZs": ""}}),
        ("a: !GetAtt B", {"a": {"Fn::GetAtt": ["B"]}}),
        ("a: !GetAtt B.Outputs.C", {"a": {"Fn::GetAtt": ["B", "Outputs.C"]}}),
        ("a: !GetAtt [B, C.D]", {"a": {"Fn::GetAtt": ["B", "C.D"]}}),
        ("!Sub ['${x}', {x: !Ref B}]", {"Fn::Sub": ["${x}", {"x": {"Ref": "B"}}]}),
        ("Fn::Base64: !Sub '#!${x}'", {"Fn::Base64": {"Fn::Sub": "#!${x}"}}),
        (
            "!Transform {Name: AWS::Include, Parameters: {}}",
            {"Fn::Transform": {"Name": "AWS::Include", "Parameters": {}}},
        ),
        ("!ForEach [A, [b], {}]", {"Fn::ForEach": ["A", ["b"], {}]}),
        (
            "- !Not [!Equals [a, !Select [0, [!Ref b]]]]",
            [{"Fn::Not": [{"Fn::Equals": ["a", {"Fn::Select": [0, [{"Ref": "b"}]]}]}]}],
        ),
    ],
)
def test_short_forms_come_out_long(text: str, expected: object) -> None:
    """Whoever reads the nodes knows one spelling of each function, wherever it stands."""
    assert expected == parse_yaml(text).plain()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("!!str 012", "012"),
        ("!!int '12'", 12),
        ("!!float 1", 1.0),
        ("!!bool yes", True),
        ("!!null ''", None),
        ("!!map {a: !!seq [b]}", {"a": ["b"]}),
        ("{!!str no: 1}", {"no": 1}),
        ("! x", "x"),
    ],
)
def test_plain_types_may_be_said(text: str, expected: object) -> None:
    """YAML's own tags of plain types are what they say."""
    assert expected == parse_yaml(text).plain()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "{1: a, 012345670123: b, 2012-10-17: c, 1.0: d}",
            {"1": "a", "012345670123": "b", "2012-10-17": "c", "1.0": "d"},
        ),
        ("{'no': 1, \"null\": 2, '<<': 3, '': 4}", {"no": 1, "null": 2, "<<": 3, "": 4}),
        ("a: b\n...\n", {"a": "b"}),
        ("%YAML 1.2\n---\na: off\n", {"a": False}),
        ("---\n", None),
        ("a: |-\n  b\n  c", {"a": "b\nc"}),
        ("a: b\n  c\n", {"a": "b c"}),
        ("a: =\nb: <<\n", {"a": "=", "b": "<<"}),
        ("a: '12'\nb: \"no\"\n", {"a": "12", "b": "no"}),
    ],
)
def test_values_are_what_cloudformation_reads(text: str, expected: object) -> None:
    """Keys are texts as they are written, and what is quoted is a text."""
    assert expected == parse_yaml(text).plain()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a: &x 1\nb: *x\nc: *x", {"a": 1, "b": 1, "c": 1}),
        ("a: &x {b: [c]}\nd: *x", {"a": {"b": ["c"]}, "d": {"b": ["c"]}}),
        ("a: &x !Ref b\nc: [*x]", {"a": {"Ref": "b"}, "c": [{"Ref": "b"}]}),
        ("&k a: *k", {"a": "a"}),
        ("- &x [1]\n- &x [2]\n- *x", [[1], [2], [2]]),
        ("- &x [&y [1], *y]\n- *x", [[[1], [1]], [[1], [1]]]),
    ],
)
def test_aliases_stand_for_what_was_anchored(text: str, expected: object) -> None:
    """An alias is the node that its anchor named last, place included."""
    assert expected == parse_yaml(text).plain()


@pytest.mark.parametrize(
    ("text", "message", "line", "column"),
    [
        ("# nothing\n", "the file has only comments, no YAML document", None, None),
        ("a: 1\n---\nb: 2\n", "more than one YAML document in the file", 2, 1),
        ("a:\n  - !Foo x\n", "unknown tag !Foo", 2, 5),
        ("a: !Foo::Bar [x]\n", "unknown tag !Foo::Bar", 1, 4),
        ("!!python/object/apply:os.system [x]", "unknown tag !!python/object/apply:os.system", 1, 1),
        ("a: !!binary eA==", "unknown tag !!binary", 1, 4),
        ("!!set {a}", "unknown tag !!set", 1, 1),
        ("!!map [a]", "unknown tag !!map", 1, 1),
        ("%TAG ! tag:evil,2000:\n---\n!Ref x", "unknown tag tag:evil,2000:Ref", 3, 1),
        ("!!int x", "the value does not match its tag !!int", 1, 1),
        ("!!bool 1", "the value does not match its tag !!bool", 1, 1),
        ("!!float .inf", ".inf cannot be compared with a number", 1, 1),
        ("a: .nan", ".nan cannot be compared with a number", 1, 4),
        ("no: 1", 'this key is read as a boolean; if it is a text, put it in quotes: "no"', 1, 1),
        ("~: 1", 'this key is read as null; if it is a text, put it in quotes: "~"', 1, 1),
        ("!Ref x: 1", "key with the tag !Ref; expected a text", 1, 1),
        ("<<: {a: 1}", "CloudFormation does not support merge keys (<<); write the members out", 1, 1),
        ("a: {{ b }}", "a key must be a text, not a list, a mapping or an alias", 1, 5),
        ("? [a]\n: b", "a key must be a text, not a list, a mapping or an alias", 1, 3),
        ("a: &x b\n*x : c", "a key must be a text, not a list, a mapping or an alias", 2, 1),
        ("a: *x", "alias without an anchor", 1, 4),
        ("a: &x [*x]", "alias inside its own anchor, which would never end", 1, 8),
        ("a: [b\n", "not valid YAML", 2, 1),
        ("a:\n\t- b\n", "not valid YAML", 2, 1),
        ("a: 'S3CRET\n", "not valid YAML", 2, 1),
        ("a: b\nc: \x07\n", "control character, which YAML does not allow", 2, 4),
        ("a: \ud800\n", "control character, which YAML does not allow", 1, 4),
    ],
)
def test_what_is_wrong_is_said_with_its_place(text: str, message: str, line: int | None, column: int | None) -> None:
    """Every refusal names what is wrong, and where; none quotes the text."""
    error = _refusal(text)
    assert error.message.startswith(message)
    assert (line, column) == (error.line, error.column)
    assert "S3CRET" not in error.message


@pytest.mark.parametrize(
    ("text", "message", "line", "column"),
    [
        ("a:\n  b: 1\n  c: 2\n  b: 3\n", 'duplicate key "b" on line 2 and again on line 4', 4, 3),
        ("{a: 1, 'a': 2}", 'duplicate key "a" on line 1 and again on line 1', 1, 8),
        ("1: x\n!!str 1: y", 'duplicate key "1" on line 1 and again on line 2', 2, 1),
        ("a:\n  b: {}\na: []\n", 'duplicate key "a" on line 1 and again on line 3', 3, 1),
    ],
)
def test_no_key_comes_twice(text: str, message: str, line: int, column: int) -> None:
    """Equal keys are refused however they are spelled, and both lines named."""
    error = _refusal(text)
    assert (message, line, column, True) == (error.message, error.line, error.column, error.duplicate)


def test_depth_has_a_limit() -> None:
    """Sixty levels are read, one more is not; nothing recurses on the way."""
    assert parse_yaml("[" * 60 + "]" * 60).plain()
    assert _refusal("[" * 61 + "]" * 61).message == "nested deeper than 60 levels"
    assert _refusal("[" * 100_000).message == "nested deeper than 60 levels"
    assert _refusal("\n".join(" " * level + "a:" for level in range(500))).line == 61


def _bomb(levels: int, width: int) -> str:
    lines = ["a0: &a0 [x]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * width)}]" for n in range(1, levels)]
    return "\n".join(lines)


def test_aliases_have_a_budget() -> None:
    """A few lines of aliases can stand for billions of nodes; they are counted, not built."""
    assert parse_yaml(_bomb(6, 9)).plain()
    error = _refusal(_bomb(9, 9))
    assert (error.message, error.line) == ("the aliases expand to more than 250,000 nodes or 120 levels", 7)


def test_aliases_cannot_build_towers() -> None:
    """Aliases in aliases get no deeper than a walk over the tree can go."""
    deep = "[" * 30 + "{}" + "]" * 30
    text = "\n".join(["a0: &a0 x", *(f"a{n}: &a{n} {deep.format(f'*a{n - 1}')}" for n in range(1, 9))])
    assert _refusal(text).line == 5


def test_short_forms_are_those_of_cfn_flip() -> None:
    """What stands for a tag is the library's to say, and ours to keep in step with it."""
    assert (PREFIX, [*AS_THEY_ARE]) == (FN_PREFIX, UNCONVERTED_SUFFIXES)


def test_a_file_can_be_too_long(monkeypatch: pytest.MonkeyPatch) -> None:
    """What no template can be is not even begun."""
    monkeypatch.setattr(yaml_, "LENGTH", 10)
    assert _refusal("a: 12345678").message == "YAML file with 11 characters; the limit is 10"


def test_placeholders_come_with_a_hint() -> None:
    """A template of a template is told apart."""
    assert _refusal("a: {{ b }}").hint == "fill in the placeholders of the template engine, {{ ... }}, first"
    assert "CloudFormation's short forms" in (_refusal("!Foo x").hint or "")


def test_lines_are_those_of_an_editor() -> None:
    """YAML 1.1 ends lines where no editor does; places are the editor's."""
    text = 'a: "x\u2028y"\nb: [c,\x85 d]\r\ne: "\u2029 f" \rg: h\ni: &i\n  j: "\x85"\nk: *i\n'
    assert places(parse_yaml(text)) == (
        {
            "a": ("x\u2028y", 1, 4, None),
            "b": ([("c", 2, 5, 6), ("d", 2, 9, 10)], 2, 1, 2),
            "e": ("\u2029f", 3, 4, None),
            "g": ("h", 4, 4, 5),
            "i": ({"j": (" ", 6, 6, None)}, 5, 1, 2),
            "k": ({"j": (" ", 6, 6, None)}, 5, 1, 2),
        },
        1,
        1,
        None,
    )


def test_a_dash_is_a_key_like_any_other() -> None:
    """A text of one character may be the very object that the reader compares with."""
    assert {"-": {"-": ["-"]}} == parse_yaml('{"-": {"-": ["-"]}}').plain()
