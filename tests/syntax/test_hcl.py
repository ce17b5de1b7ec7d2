"""Files of Terraform's language: cut into blocks, read by two readers that agree, and refused where they are wrong."""

from __future__ import annotations

from pathlib import Path

import hcl2
import pytest

from tablegate.model.value import Place
from tablegate.syntax.errors import ParseError
from tablegate.syntax.hcl import File
from tablegate.syntax.hcl_nodes import Access, At, Attr, Block, Call, Expression, Literal, Name, Object, Template, Tuple
from tablegate.syntax.hcl_plain import NotPlainError, plain
from tablegate.syntax.hcl_tree import expression

ROOT = Path(__file__).parents[2]
FILES = sorted(ROOT.glob("fixtures/tables/**/*.tf")) + sorted(ROOT.glob("fixtures/plans/**/*.tf"))
PLAIN = [
    ('"orders"', Literal("orders")),
    ('""', Literal("")),
    ('"a\\n\\"b\\""', Literal('a\n"b"')),
    ('"$${x} %%{y}"', Literal("${x} %{y}")),
    ("12", Literal(12)),
    ("-1", Literal(-1)),
    ("1.5", Literal(1.5)),
    ("null", Literal(None)),
    ("var.env", Access(Name("var"), (Attr("env"),))),
    ('a.b["c"].d', Access(Name("a"), (Attr("b"), At(Literal("c")), Attr("d")))),
    ("a.b[0]", Access(Name("a"), (Attr("b"), At(Literal(0))))),
    ('"${var.a}-x"', Template((Access(Name("var"), (Attr("a"),)), Literal("-x")))),
    ('"${var.a}"', Access(Name("var"), (Attr("a"),))),
    ("[1, 2,]", Tuple((Literal(1), Literal(2)))),
    ('{ a = 1, "b" : 2 }', Object(((Literal("a"), Literal(1)), (Literal("b"), Literal(2))))),
    ("upper(lower(var.x))", Call("upper", (Call("lower", (Access(Name("var"), (Attr("x"),)),)),))),
]


def _headers(blocks: list[Block]) -> list[tuple[str, tuple[str, ...], int | None]]:
    return [(block.type, block.labels, block.place.line) for block in blocks]


def _whole(block: Block) -> None:
    """Every body in a block can be read."""
    for inner in block.body.blocks:
        _whole(inner)


def _read(text: str) -> None:
    for block in File("main.tf", text).blocks():
        _whole(block)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_the_blocks_are_those_of_the_whole_grammar(path: Path) -> None:
    """The header and the line of every block are what python-hcl2 finds."""
    from hcl2.query.body import DocumentView

    text = path.read_text()
    blocks = File(path.name, text).blocks()
    view = DocumentView(hcl2.parses(text if text.endswith("\n") else text + "\n"))
    expected = [(one.block_type, tuple(one.name_labels), one.raw._meta.line) for one in view.blocks()]
    assert _headers(blocks) == expected
    for block in blocks:
        _whole(block)


@pytest.mark.parametrize(("text", "meant"), PLAIN)
def test_both_readers_say_the_same(text: str, meant: Expression) -> None:
    """What the quick reader takes, the whole grammar takes for the same."""
    assert plain(text, 0) == (meant, len(text))
    assert expression(text, None) == meant


@pytest.mark.parametrize("text", ["a ? b : c", "1 + 2", "[for x in y : x]", "!a", '"%{ if a }b%{ endif }"'])
def test_the_rest_is_left_to_the_whole_grammar(text: str) -> None:
    """The quick reader stops where it knows no further."""
    try:
        _, end = plain(text, 0)
    except NotPlainError:
        end = 0
    assert end < len(text)
    assert expression(text, None) is not None


def test_places_are_those_of_the_values() -> None:
    """A value is underlined from its first character to its last, and a block stands where its type does."""
    file = File("main.tf", '# x\nresource "a" "b" {\n  name = "orders" # y\n  inner { on = true }\n}\n')
    (block,) = file.blocks()
    assert block.place == Place("main.tf", 2, 1)
    assert block.body.attributes["name"].place == Place("main.tf", 3, 10, 18)
    (inner,) = block.body.blocks
    assert inner.body.attributes["on"].place == Place("main.tf", 4, 16, 20)


def test_heredocs_end_where_their_word_stands_alone() -> None:
    """With a hyphen their margin goes; templates in them are read."""
    text = "a {\n  b = <<-EOT\n    one ${var.x}\n      EOTWO\n  EOT\n  c = <<E\n d\nE\n}\n"
    (block,) = File("main.tf", text).blocks()
    parts = block.body.attributes["b"].value
    assert parts == Template((Literal("one "), Access(Name("var"), (Attr("x"),)), Literal("\n  EOTWO\n")))
    assert block.body.attributes["c"].value == Literal(" d\n")


@pytest.mark.parametrize(
    ("text", "message", "line", "column"),
    [
        ("a {\n  b = 1\n  b = 2\n}\n", 'duplicate argument: "b" is set twice', 3, 3),
        ("a {\n  b = \n}\n", "a value is missing", 2, 7),
        ("a {\n  b = 1 c = 2\n}\n", "not an expression", 2, 7),
        ("a {\n  ?\n}\n", "neither an argument nor a block", 2, 3),
        ("a = 1\n", "an argument outside of any block", 1, 1),
        ("a {\n  b = [1, 2\n}\n", '"}" closes nothing', 3, 1),
        ("a {} b {}\n", "a block must end its line", 1, 5),
        ("a {\n  b = 1 +\n}\n", "not an expression", None, None),
    ],
)
def test_what_is_wrong_is_said_where_it_is(text: str, message: str, line: int | None, column: int | None) -> None:
    """A refusal names the line and the column."""
    with pytest.raises(ParseError) as caught:
        _read(text)
    assert caught.value.message == message
    if line is not None:
        assert (caught.value.line, caught.value.column) == (line, column)
