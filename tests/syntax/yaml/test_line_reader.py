"""What is read line by line is read as libyaml reads it, or not at all."""

from __future__ import annotations

import pytest

from support.nodes import places
from tablegate.syntax.yaml import line_reader as blocks
from tablegate.syntax.yaml import parse_yaml
from tablegate.syntax.yaml.line_reader import UnclearError, read_block


@pytest.mark.parametrize(
    "text",
    [
        "a: b",
        "a: b \nc:   d",
        "a: 'b: #c'\nb: \"it's\"",
        "a: x#y:z::w",
        "a:b: c",
        "Fn::If: x",
        "a: 10\nb: 010\nc: 1.5\nd: 012345678901\ne: yes\nf: null\ng: 2012-10-17\nh: y\ni: .5\nj: nobody",
        "# x\n\na: b  # y\n  # z\nc: d #",
        "a:\n  b:\n    c: d\n  e: f\ng: h",
        "a:  # why\n    b: c\nd: e",
        "a:\n  - b\n  - c\nd:\n- e\n- f\ng: h",
        "a:\n  - b: c\n    d: e\n  -   f:\n        g: h\n      i: j\n  - k",
        "a:\n  - b:\n    - c\n    d: e",
        "a:\n  - - b\n    - c\n  - -   - d\n        - e",
        "a:\n  - - b: c\n      d: e\n    - f",
        "a: !Ref b\nc: !Sub '${d}'  # e\nf: !GetAtt g.h.i\nj: !Condition k\nl: !GetAZs ''",
        "a:\n  - !Ref b\n  - c: !Ref d",
        "a: [b, 'c, d', \"e\", 1, yes]\nf: []\ng: [ ]\nh: [ i , j ]",
        "a: !If [b, !Ref AWS::NoValue, !Sub '${c}']\nd:\n  - !If [e, 1, 2]\n  - [f, !GetAtt g.h]",
        "a: !Join\n  - ''\n  - - b\n    - !Ref c\nd: !Equals\n- e\n- f\ng: !Sub\n  h: i",
        "a: x ä€😀 # ü\nb: '€'",
        "a:\n  - b: c\n  - b: 'd: e'\n  - b: 1\n  - b:  f\n  - b: g # h\n  - b: !Ref i\n  - b: !GetAtt j.k\n  - b: [l]",
        "a:\n  - b\n  - \"c: d\"\n  - 012345678901\n  - !Ref e\n  - !GetAtt f.g\n  -  h\n  - i: j\n  - k - l\n  - ''",
    ],
)
def test_what_is_read_is_what_libyaml_reads(text: str) -> None:
    """Every content and every place is the same."""
    whole = parse_yaml(f"# first\nx:\n  {text.replace(chr(10), chr(10) + '  ')}\n").content
    assert isinstance(whole, dict)
    read = read_block(["", *(f"  {line}" for line in text.split("\n"))], 2, 2)
    expected = whole["x"].content
    assert isinstance(expected, dict)
    assert {key: places(node) for key, node in expected.items()} == {key: places(node) for key, node in read.items()}


@pytest.mark.parametrize(
    "text",
    [
        "a",
        "a:",
        "a: !Ref",
        "a:\n  -",
        "a:\n  - !Ref\n  - b",
        "a:\nb: c",
        "a:\n  b: c\n d: e",
        "a: b\n  c",
        "a: b\n  c: d",
        "a:\n  - b\n c: d",
        "a:\n  - b\n  c: d",
        "- a",
        "a: b\n- c",
        "a: b\na: c",
        "a: b: c",
        "a: b:",
        "a: |\n  b",
        "a: >-\n  b",
        "a: 'b\n  c'",
        "a: 'it''s'",
        'a: "\\n"',
        "a: [b,\n  c]",
        "a: [b, [c]]",
        "a: [b c]",
        "a: [b,]",
        "a: {}",
        "a: &b c",
        "a: *b",
        "a:\n  - b: c\n  - b: *d",
        "a:\n  - b: c\n  - b: !Nothing d",
        "a:\n  - b: c\n  - b: d: e",
        "a:\n  - b\n  - &c d",
        "a:\n  b: c\nd:\n  b- e",
        "a: -1",
        "a: !Nothing b",
        "a: !!str b",
        "a: .inf",
        "a: [.nan]",
        "'a': b",
        "yes: b",
        "no:\n  a: b",
        "? a\n: b",
        "a b: c",
        f"{'a' * 300}: b",
        *("".join(f"{' ' * depth}a:\n" for depth in range(40)) + " " * 40 + end for end in ("a: b",)),
    ],
)
def test_whatever_says_more_is_refused(text: str) -> None:
    """What cannot be read for certain is left to libyaml."""
    with pytest.raises(UnclearError):
        read_block(text.split("\n"), 1, 0)


def test_lower_lines_than_the_first_are_refused() -> None:
    """The lines are one mapping."""
    with pytest.raises(UnclearError):
        read_block(["  a: b", " c: d"], 1, 2)


def test_no_more_lines_are_kept_than_a_few_thousand(monkeypatch: pytest.MonkeyPatch) -> None:
    """A long run does not remember each line that it met, and reads on as before."""
    blocks._LINES.clear()
    monkeypatch.setattr(blocks, "_KNOWN_LINES", 2)
    lines = [f"{name}: x" for name in "abcde"]
    assert [*"abcde"] == list(read_block(lines, 1, 0))
    assert len(blocks._LINES) <= 2
