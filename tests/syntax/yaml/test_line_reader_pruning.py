"""What is left out of a template changes nothing of what is left in."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from support.nodes import places
from tablegate.syntax import yaml as yaml_
from tablegate.syntax.node import ParseError
from tablegate.syntax.source import decode
from tablegate.syntax.yaml import parse_yaml
from tablegate.syntax.yaml.line_reader import extract_resources

FIXTURES = Path(__file__).parents[3] / "fixtures"

TEMPLATE = """\
AWSTemplateFormatVersion: "2010-09-09"
Resources:

  # the table
  Orders:
    Type: AWS::DynamoDB::Table
    Properties:
      TableName: !Sub "${Env}-orders"  # a "comment"
  Queue:
    Type: AWS::SQS::Queue
    Condition: IsProd
    # that's a comment

    Properties:
      Tags:
        - Key: a
          Value: [x, {y: 'z'}]
      Code: |
        it works
  Log:
    Type: AWS::Logs::LogGroup
Outputs:
  Name: {Value: !Ref Orders}
"""


def _is_table(type_: str) -> bool:
    return type_ == "AWS::DynamoDB::Table"


def test_only_the_type_of_what_is_not_wanted_stays() -> None:
    """Lines go, line feeds stay: everything that is left keeps its place."""
    found = extract_resources(TEMPLATE, _is_table)
    left, resources = found.text, found.resources
    assert TEMPLATE.count("\n") == left.count("\n")
    assert ["Orders", "Queue", "Log"] == list(resources)
    assert left.startswith('AWSTemplateFormatVersion: "2010-09-09"\nResources:\n\n  # the table\n#\n')
    assert left.endswith("\n\n\nOutputs:\n  Name: {Value: !Ref Orders}\n")
    whole, part = parse_yaml(TEMPLATE), parse_yaml(TEMPLATE, _is_table)
    assert {"Type": "AWS::SQS::Queue"} == part.plain()["Resources"].pop("Queue")  # type: ignore[index]
    _assert_same_but_for_bodies(whole, part)


@pytest.mark.parametrize("others", ["  Odd: {Type: X}\n", "  Odd:\n    Type: T\n    Text: |+\n      a\n\n"])
def test_resources_that_stay_are_among_those_that_were_taken(others: str) -> None:
    """The order is the template's, and what is taken out lengthens no text before it."""
    text = f"Resources:\n  A:\n    Type: T\n{others}  B:\n    Type: T\n"
    assert ["A", "B"] == list(extract_resources(text, "T".__eq__).resources)
    whole, part = parse_yaml(text), parse_yaml(text, "T".__eq__)
    assert list(whole.plain()["Resources"]) == list(part.plain()["Resources"]) == ["A", "Odd", "B"]  # type: ignore[index]
    assert places(whole) == places(part)


@pytest.mark.parametrize(
    ("resources", "message"),
    [
        ("  A:\n    Type: T\n  A:\n    Type: X\n", 'duplicate key "A" on line 2 and again on line 4'),
        ("  A:\n    Type: T\n  A: {}\n", 'duplicate key "A" on line 2 and again on line 4'),
        ("  A:\n    Type: T\n  Yes:\n    Type: T\n", "this key is read as a boolean"),
        ("  A:\n    Type: T\n    a: 1\n    a: 2\n", 'duplicate key "a" on line 4 and again on line 5'),
        ("  A:\n    Type: T\n    a: 1\n     b: 2\n", "not valid YAML: mapping values are not allowed in this context"),
        ("  A:\n    Type: T\n    a: .inf\n", ".inf cannot be compared with a number"),
        ("  A:\n    Type: T\n    a: !Nothing x\n", "unknown tag !Nothing"),
    ],
)
def test_what_is_wrong_is_wrong_either_way(resources: str, message: str) -> None:
    """What is wrong in the resources that are wanted is never read over."""
    for wanted in (None, "T".__eq__):
        with pytest.raises(ParseError) as caught:
            parse_yaml(f"Resources:\n{resources}", wanted)
        assert caught.value.message.startswith(message)


@pytest.mark.parametrize(
    "line",
    [
        'Metadata: "begins here\n  and: ends here"',
        "Metadata: 'begins here\n  and: ends here'",
        "Metadata: [begins here,\n  and ends here]",
        "Metadata: {begins: here,\n  and: ends here}",
        "Metadata: it\"s: 'one\n  two'",
        "it's: 'one\n  two'",
        "Metadata: [it's: 'x, y']",
        "Metadata: &anchor x",
        "Metadata:\tx",
        "Metadata: x\r",
        "Metadata: \x85x",
        "Metadata: x\n--- \nb: c",
    ],
)
def test_whatever_reaches_beyond_its_line_leaves_the_file_as_it_is(line: str) -> None:
    """A quote, a bracket or an anchor anywhere can make a line mean something else."""
    for text in (f"{line}\n{TEMPLATE}", TEMPLATE + line + "\n"):
        assert text == extract_resources(text, lambda _: False).text or line.endswith("b: c")


@pytest.mark.parametrize(
    "resource",
    [
        "  A:\n    Condition: c\n    Type: X\n",
        "  A: {Type: X, Properties: {a: b}}\n",
        "  A:\n    Type: X\n    Type: AWS::DynamoDB::Table\n",
        "  A:\n    Type: X\n    'Type': AWS::DynamoDB::Table\n",
        "  A:\n    Type: X\n   a: b\n",
        "  A:\n    Type: X\n      Y\n    a: b\n",
        "  A:\n    Type: X\n\n      Y\n    a: b\n",
        "  A:\n    Type: !Ref X\n    a: b\n",
        "  A.b:\n    Type: X\n    a: b\n",
        "  - A:\n    Type: X\n    a: b\n",
        "    A:\n    Type: X\n  B:\n    Type: X\n    a: b\n",
    ],
)
def test_odd_resources_are_left_as_they_are(resource: str) -> None:
    """Only a resource that begins with its type, one key a line, can be told apart by its lines."""
    text = f"Resources:\n{resource}"
    assert text == extract_resources(text, lambda _: False).text


@pytest.mark.parametrize(
    "text",
    [
        "---\nResources:\n  A:\n    Type: T\n",
        "# why\n\n---\n# how\nDescription: x\nResources:\n  A:\n    Type: T\nOutputs:\n  B:\n    Value: !Ref A\n",
        "Parameters:\n  P:\n    Type: String\nResources:\n  B:\n    Condition: c\n    Type: T\n  A:\n    Type: T\n",
        "Resources:\n  A:\n    Condition: c\n    Type: 'T'\n",
        "Name: x\nValues:\n- a\n- b\n",
    ],
)
def test_plain_lines_need_no_parser(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A document of which each line says what it is, is read without libyaml, and the same."""
    expected = places(parse_yaml(text))
    monkeypatch.setattr(yaml_, "_parsed", None)
    assert expected == places(parse_yaml(text, "T".__eq__))


@pytest.mark.parametrize(
    "text",
    [
        "Resources:\n  A:\n    Type: T\nOutputs:\n  B: >-\n    C\n",
        "Resources:\n  A:\n    Type: T\n  B: {}\n",
        "---\nResources:\n  A:\n    Type: T\nOutputs:\n",
        "a: b\n---\nResources:\n  A:\n    Type: T\n",
        "Resources:\n  A:\n    Type: T\nResources:\n  B:\n    Type: T\n",
        "a: b\nResources:\n  A:\n    Type: T\na: b\n",
        "Resources:\n  A:\n    Type: T\n  A:a:\n    c: d\n  A:a:\n    e: f\n",
        "Resources:\n  A:\n    Type: T\n B:\n    Type: T\n",
        "# nothing\n",
    ],
)
def test_what_is_not_plain_is_read_or_refused_as_ever(text: str) -> None:
    """Where a line may say more, a parser decides."""
    assert _read(text, None) == _read(text, "T".__eq__)


def test_a_document_behind_a_tag_is_no_template() -> None:
    """What is left of it holds no section that anything could be put back into."""
    root = parse_yaml("!Ref\na: b\nResources:\n  A:\n    Type: T\n", "T".__eq__)
    assert {"Ref": {"a": "b", "Resources": None}} == root.plain()


def _read(text: str, wanted: Callable[[str], bool] | None) -> object:
    try:
        return places(parse_yaml(text, wanted))
    except ParseError as error:
        return error.message, error.line, error.column, error.hint


@pytest.mark.parametrize("ending", ["yaml", "yml", "template"])
def test_every_template_at_hand_is_read_the_same(ending: str) -> None:
    """Content, places and refusals are libyaml's, whatever was read without it."""
    for path in sorted(FIXTURES.rglob(f"*.{ending}")):
        try:
            text = decode(path.read_bytes())
        except ParseError:
            continue
        assert _read(text, None) == _read(text, lambda _: True), path


def test_what_is_no_template_is_left_as_it_is() -> None:
    """Without Resources in block style there is nothing to leave out."""
    for text in ("", "a: b", "Resources: {}\n", "Resources:\n", "Resources:\n- a\n"):
        assert text == extract_resources(text, lambda _: False).text


# What looks like a resource inside of something that reaches over lines.
LURE = "\n  P:\n    Type: AWS::X\n    Q: r\n  "
MEMBERS = [
    "A1: x",
    'A2: "x"  # it\'s',
    "A3: ['x', {y: \"z\"}]",
    "A4: !Sub '${x}'",
    "A5: it's",
    "A6:\n      - \"x\"\n      - y: 'z'",
    f"A7: |{LURE.replace(chr(10), chr(10) + '    ')}",
    "A8: x\n      y\n\n      z",
    "A9: ''",
    "# it's",
    "Type2: {}",
    f'B1: "{LURE}"',
    f"B2: '{LURE}'",
    f"B3: [{LURE}]",
    f"B4: {{{LURE}}}",
    f'B5: !Sub "{LURE}"',
    f"B'6: '{LURE}'",
    f"B7: {{it's: '{LURE}'}}",
    f'B8: [a"b: "{LURE}"]',
    f"B9:\n      - a - 'b: '{LURE}'",
    f'? B10\n    : "{LURE}"',
    f"'B''11': '{LURE}'",
    "B12: &b12 x",
    "C1: !Ref A\n    C2: !GetAtt A.b.c",
    "C3:\n    - 1\n    - !If [c, 0x1F, !Ref 'AWS::NoValue']\n    - \"x\"",
    "C4:\n      Fn::If:\n        - c\n        - - a\n          -   - b\n        - !Sub '${x}'  # y",
    "C5: !Join\n      - ''\n      - - a\n        - b: c\n          d: []",
    "C6: !Sub\n    - x\n    - y: z",
    "C7:\n        a:\n          b: yes\n        c: 1_0",
    "C8:",
    "C9: !Ref",
    "D1:\n    -",
    "D2: a:: b",
    "D3: x::  # y",
    "B13: *b12",
]
RESOURCES = st.builds(
    lambda type_, members: "\n    ".join([f"Type: {type_}", *members]),
    st.sampled_from(["T", "AWS::X", "'T'", "AWS::X\n      Y"]),
    st.lists(st.sampled_from(MEMBERS[:11] * 4 + MEMBERS[-11:] * 4 + MEMBERS), max_size=3, unique=True),
)
TEXTS = st.builds(
    lambda before, resources, after: "".join(
        [
            *(f"{member.replace(chr(10) + '    ', chr(10))}\n" for member in before),
            "Resources:\n",
            *(f"  {name}:\n    {resource}\n" for name, resource in zip("RSTUV", resources, strict=False)),
            *(f"{member}\n" for member in after),
        ]
    ),
    st.lists(st.sampled_from(MEMBERS), max_size=1),
    st.lists(RESOURCES, min_size=1, max_size=5),
    st.lists(st.sampled_from([*MEMBERS, "Outputs: {}"]), max_size=1),
)


@settings(max_examples=300)
@given(TEXTS)
def test_what_is_wanted_is_read_the_same(text: str) -> None:
    """Whatever can be read whole is read the same without the bodies of what is not wanted."""
    try:
        whole = parse_yaml(text)
    except ParseError:
        return
    _assert_same_but_for_bodies(whole, parse_yaml(text, "T".__eq__))


def _assert_same_but_for_bodies(whole: object, part: object) -> None:
    expected, actual = places(whole), places(part)  # type: ignore[arg-type]
    if isinstance(expected[0], dict) and isinstance(actual[0], dict):
        resources, left = (tree[0].get("Resources", ({},))[0] for tree in (expected, actual))
        if isinstance(resources, dict) and isinstance(left, dict):
            for name, resource in left.items():
                if resource != resources[name] and list(resource[0]) == ["Type"]:
                    resources[name] = (dict([*resources[name][0].items()][:1]), *resources[name][1:])
    assert expected == actual
