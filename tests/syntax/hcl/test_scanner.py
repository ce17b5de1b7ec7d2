"""Where the parts of objects and lists stand."""

from __future__ import annotations

import pytest

from tablegate.syntax.hcl import File
from tablegate.syntax.hcl.json_syntax import JsonFile
from tablegate.syntax.hcl.scanner import heredoc, part_span
from tablegate.syntax.node import ParseError

TEXT = """tomap({
  eu = { on = false, "a b" : [1, [2, 3], "x,}"] } # { no = 1 }
  (var.key) = 1 // {
  "${var.key}" = { deep = 1 }
  /* us = 0 */ us = merge({ a = 1 }, var.more) ,
  text = <<EOT
us = { on = 1 }
EOT
  calc = 1 / 2 < 3
  on = true
})"""


@pytest.mark.parametrize(
    ("steps", "found"),
    [
        ((), TEXT),
        (("eu",), '{ on = false, "a b" : [1, [2, 3], "x,}"] }'),
        (("eu", "on"), "false"),
        (("eu", "a b", 1, 0), "2"),
        (("eu", "a b", 2), '"x,}"'),
        (("us",), "merge({ a = 1 }, var.more)"),
        (("calc",), "1 / 2 < 3"),
        (("on",), "true"),
    ],
    ids=str,
)
def test_a_part_is_found_by_its_keys(steps: tuple[str | int, ...], found: str) -> None:
    """Past comments, texts, brackets and what is computed."""
    span = part_span(TEXT, 0, steps)
    assert span is not None
    assert found == TEXT[slice(*span)]


@pytest.mark.parametrize("steps", [("no",), ("eu", 0), ("eu", "a b", 7), ("on", "deeper"), (0,)], ids=str)
def test_what_is_not_there_is_not_found(steps: tuple[str | int, ...]) -> None:
    """Neither a key that is missing, nor one in something that has none."""
    assert part_span(TEXT, 0, steps) is None


@pytest.mark.parametrize("text", ["{ a = b", "{ a = [", '{ a = "b', "{ ] }", "{ a b }", "{ a = , }", "[,,]"])
def test_what_is_broken_is_not_found(text: str) -> None:
    """Whatever is wrong with it."""
    assert part_span(text, 0, ("z",)) is None


def test_json_has_parts_too() -> None:
    """By the same keys."""
    file = JsonFile("x.tf.json", '{"locals": {"a": {"b": [1,\n 2]}}}')
    (block,) = file.blocks()
    attribute = block.body.attributes["a"]
    span = file.inner(attribute.first, ("b", 1))
    assert span is not None
    place = file.place(*span)
    assert (2, 2) == (place.line, place.column)
    assert file.inner(attribute.first, ("b", 2)) is None
    assert file.inner(attribute.first, ("b", "c")) is None
    assert file.inner(attribute.first, ("b", 0, "c")) is None


def test_a_heredoc_stands_behind_its_margin() -> None:
    """One that is shifted left begins where its text does."""
    (block,) = File("x.tf", "locals {\n  a = <<-EOT\n    b\n      c\n  EOT\n  d = 1\n}\n").blocks()
    place = block.file.heredoc(block.body.attributes["a"].first)
    assert place is not None
    assert (3, 5) == (place.line, place.column)
    assert block.file.heredoc(block.body.attributes["d"].first) is None


@pytest.mark.parametrize(
    ("text", "depth", "message"),
    [
        ("<<A\n${x}\n", 0, "unterminated heredoc A"),
        ("<<A\n${x\nA\n}\n", 0, "unterminated heredoc A"),
        ("<<A\n${x}\nA\n", 1_000, "nested more than 100 levels deep"),
    ],
)
def test_a_heredoc_that_does_not_end_is_refused(text: str, depth: int, message: str) -> None:
    """Its word inside of a template does not end it."""
    with pytest.raises(ParseError) as caught:
        heredoc(text, 0, depth)
    assert caught.value.message == message
