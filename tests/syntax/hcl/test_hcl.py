"""Files of Terraform's language: cut into blocks, read by two readers that agree, and refused where they are wrong."""

from __future__ import annotations

import subprocess
import sys
from itertools import product
from pathlib import Path

import hcl2
import pytest

from tablegate.dialects.terraform.source.definitions import inner_type
from tablegate.model.value import Place
from tablegate.syntax.hcl import File
from tablegate.syntax.hcl.expressions import Reader
from tablegate.syntax.hcl.grammar import bound
from tablegate.syntax.hcl.nodes import (
    Access,
    At,
    Attr,
    Binary,
    Block,
    Call,
    Conditional,
    Expression,
    For,
    Literal,
    Name,
    Object,
    Opaque,
    Splat,
    Template,
    Tuple,
    Unary,
)
from tablegate.syntax.node import ParseError

ROOT = Path(__file__).parents[3]
FILES = sorted(ROOT.glob("fixtures/tables/**/*.tf")) + sorted(ROOT.glob("fixtures/plans/**/*.tf"))
_EQUAL = Binary("==", Name("a"), Name("b"))
_REFERENCE_KEY = Opaque("a key that looks like a reference", Access(Name("b"), (Attr("c"),)))
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
    ("a.b[*].c", Access(Name("a"), (Attr("b"), Splat(), Attr("c")))),
    ('"\\u00e9\\U0001f600\\t\\\\"', Literal("\u00e9\U0001f600\t\\")),
    ('"\\U00110000"', Literal("\ufffd")),
    ("a.b[0]", Access(Name("a"), (Attr("b"), At(Literal(0))))),
    ('"${var.a}-x"', Template((Access(Name("var"), (Attr("a"),)), Literal("-x")))),
    ('"${var.a}"', Access(Name("var"), (Attr("a"),))),
    ("[1, 2,]", Tuple((Literal(1), Literal(2)))),
    ('{ a = 1, "b" : 2 }', Object(((Literal("a"), Literal(1)), (Literal("b"), Literal(2))))),
    ("core::upper(a)", Call("upper", (Name("a"),))),
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


def _meaning(text: str) -> Expression:
    meaning, end = Reader(text).expression(0)
    assert end == len(text)
    return meaning


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        *PLAIN,
        ("a.*.b", Access(Name("a"), (Splat(), Attr("b")))),
        ("a.*.b[0]", Access(Access(Name("a"), (Splat(), Attr("b"))), (At(Literal(0)),))),
        ("a.0", Access(Name("a"), (At(Literal(0)),))),
        ("a[b]", Access(Name("a"), (At(Name("b")),))),
        ("f(a...)", Call("f", (Name("a"),), True)),
        ("f()[0].a", Access(Call("f", ()), (At(Literal(0)), Attr("a")))),
        ("provider::p::f(1)", Call("provider::p::f", (Literal(1),))),
        ("[1][0]", Access(Tuple((Literal(1),)), (At(Literal(0)),))),
        ("-a", Unary("-", Name("a"))),
        ("-(1)", Literal(-1)),
        ("<<E\n%{ if a }b%{ endif }\nE", Opaque("a template with directives")),
        ("{ (a) = 1, true = 2 }", Object(((Name("a"), Literal(1)), (Literal("true"), Literal(2))))),
        ('"${ a ? "b" : c }"', Conditional(Name("a"), Literal("b"), Name("c"))),
        ('"a${1 + 2}"', Template((Literal("a"), Binary("+", Literal(1), Literal(2))))),
        ('"%{ if a }b%{ endif }"', Opaque("a template with directives")),
        ("{ for k, v in a : k => v... if v }", For(("k", "v"), Name("a"), Name("k"), Name("v"), Name("v"), True)),
        ("[for x in a : x if b]", For(("x",), Name("a"), None, Name("x"), Name("b"))),
        ("{\n  for k, v in a :\n  k\n  => v\n}", For(("k", "v"), Name("a"), Name("k"), Name("v"), None)),
        ("!!x", Unary("!", Unary("!", Name("x")))),
        ("! -a.b", Unary("!", Unary("-", Access(Name("a"), (Attr("b"),))))),
        ("--1", Literal(1)),
        ("-0", Unary("-", Literal(0))),
        ("1 - -1", Binary("-", Literal(1), Literal(-1))),
        ("007", Literal(7)),
        ("1e3", Literal(1000.0)),
        ("1.a", Access(Literal(1), (Attr("a"),))),
        ("f (a)", Call("f", (Name("a"),))),
        ("f(\na,\nb\n)", Call("f", (Name("a"), Name("b")))),
        ("provider :: p::f(1)", Call("provider::p::f", (Literal(1),))),
        ("größe", Name("größe")),
        ("aक्ष.é", Access(Name("aक्ष"), (Attr("é"),))),
        ("(a.b).c", Access(Name("a"), (Attr("b"), Attr("c")))),
        ("a . b [ 0 ]", Access(Name("a"), (Attr("b"), At(Literal(0))))),
        ("(a\n.b\n[0])", Access(Name("a"), (Attr("b"), At(Literal(0))))),
        ("a[ * ].b", Access(Name("a"), (Splat(), Attr("b")))),
        ("a.*.0.b", Access(Name("a"), (Splat(), At(Literal(0)), Attr("b")))),
        ("a ? b : c ? d : e", Conditional(Name("a"), Name("b"), Conditional(Name("c"), Name("d"), Name("e")))),
        ("a ? b ? c : d : e", Conditional(Name("a"), Conditional(Name("b"), Name("c"), Name("d")), Name("e"))),
        ("a == b ? c : d + 1", Conditional(_EQUAL, Name("c"), Binary("+", Name("d"), Literal(1)))),
        ("1 + 2 * 3", Binary("+", Literal(1), Binary("*", Literal(2), Literal(3)))),
        ("1 - 2 - 3", Binary("-", Binary("-", Literal(1), Literal(2)), Literal(3))),
        ("{ a = 1, b.c = 2 }", Object(((Literal("a"), Literal(1)), (_REFERENCE_KEY, Literal(2))))),
        ("{ core::f(a) = 1 }", Object(((Call("f", (Name("a"),)), Literal(1)),))),
        ('{ "${a}" = 1\n1 : 2 }', Object(((Name("a"), Literal(1)), (Literal(1), Literal(2))))),
        ("{ a = 1 # c\n// d\n\n b = 2 }", Object(((Literal("a"), Literal(1)), (Literal("b"), Literal(2))))),
        ('"$${"', Literal("${")),
        ('"$${a/${b}}"', Template((Literal("${a/"), Name("b"), Literal("}")))),
        ('"%%{if ${a}}"', Template((Literal("%{if "), Name("a"), Literal("}")))),
        ('"$$${a}"', Literal("$${a}")),
        ('"${a\n}"', Name("a")),
        ('"x ${~ a ~} y"', Template((Literal("x"), Name("a"), Literal("y")))),
        ('"${~ a ~}"', Name("a")),
        ('"${a}${b}"', Template((Name("a"), Name("b")))),
        ("<<E\n a\n  ${~ b ~}  \n c\nE", Template((Literal(" a\n"), Name("b"), Literal(" c\n")))),
        ("<<-E\n    ${a}\n  $b\n\n  E", Template((Literal("  "), Name("a"), Literal("\n$b\n\n")))),
        ("<<-E\n${a}\n  b\n  E", Template((Name("a"), Literal("\n  b\n")))),
        ("<<E\n%\r\n${~ a}\nE", Opaque("a template with unusual white space")),
        ("<<E\n%\n${~ a}\nE", Template((Literal("%"), Name("a"), Literal("\n")))),
        ("1e400", Opaque("a number with so many digits")),
        ("1e9999999999999999999999", Opaque("a number with so many digits")),
        ("9" * 5000, Opaque("a number with so many digits")),
    ],
)
def test_an_expression_is_read(text: str, meant: Expression) -> None:
    """Every form of Terraform's expressions has its node."""
    assert _meaning(text) == meant


@pytest.mark.parametrize(
    "text",
    [
        "?",
        "a ? b",
        "a ?",
        "(a",
        "[a b]",
        "f(a... b)",
        "f(a b)",
        "a::b",
        "a::(b)",
        "a.",
        "a.0.1",
        "a[0",
        "a[*",
        "1.5.2",
        "{ a }",
        "{ a => 1 }",
        "{ a = 1 b = 2 }",
        "{ a = \n1 }",
        "{ for x in y : x }",
        "[for x in y : x => x]",
        "[for x in y : x...]",
        "[for 1 in y : x]",
        "[for x of y : x]",
        "[for x, y z : x]",
        "[for x, y, z in a : x]",
        "{ a\n= 1 }",
        '"${a b}"',
        '"a',
        '"${a}\n"',
        "<<",
    ],
)
def test_what_is_no_expression_is_refused(text: str) -> None:
    """At the place where it stops being one."""
    with pytest.raises(ParseError, match=r"invalid|unterminated") as caught:
        Reader(text).expression(0)
    assert caught.value.line is not None


def test_what_is_nested_too_deep_is_refused() -> None:
    """Also where no block around it was split off before."""
    with pytest.raises(ParseError, match="nested more than 100 levels deep"):
        Reader("(" * 102).expression(0)


def test_operators_bind_as_terraform_binds_them() -> None:
    """All that is asked of python-hcl2: each chain of up to three operators, by Terraform's table of precedence."""
    levels = (("||",), ("&&",), ("==", "!="), ("<", ">", "<=", ">="), ("+", "-"), ("*", "/", "%"))
    rank = {operator: number for number, level in enumerate(levels) for operator in level}

    def expected(operators: tuple[str, ...], first: int) -> Expression:
        if not operators:
            return Name(f"n{first}")
        lowest = min(map(rank.__getitem__, operators))
        at = max(number for number, one in enumerate(operators) if rank[one] == lowest)
        left, right = expected(operators[:at], first), expected(operators[at + 1 :], first + at + 1)
        return Binary(operators[at], left, right)

    for count in (1, 2, 3):
        for operators in product(rank, repeat=count):
            operands = [Name(f"n{number}") for number in range(count + 1)]
            assert expected(operators, 0) == bound(operators, operands, None)


_C, _D, _FIRST = Attr("c"), Attr("d"), At(Literal(0))


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("a[*].c[*].d[0]", Access(Name("a"), (Splat(), _C, Splat(), _D, _FIRST))),
        ("(a[*].c)[0]", Access(Access(Name("a"), (Splat(), _C)), (_FIRST,))),
        ("(a[*].c[*].d)[0]", Access(Access(Name("a"), (Splat(), _C, Splat(), _D)), (_FIRST,))),
        ("(a[*].c)[*].d", Access(Access(Name("a"), (Splat(), _C)), (Splat(), _D))),
    ],
)
def test_what_follows_a_splat_applies_to_each_item(text: str, meant: Expression) -> None:
    """Another splat, too. Parentheses end it."""
    assert _meaning(text) == meant


@pytest.mark.parametrize("text", ["0.10000000000000000001", "-0.10000000000000000001", "100000000000000000000.5"])
def test_a_number_with_more_digits_than_a_float_keeps_is_not_read(text: str) -> None:
    """Terraform has all of them."""
    (block,) = File("main.tf", f"a {{\n  b = {text}\n}}\n").blocks()
    assert "digits" in str(block.body.attributes["b"].value)


def test_places_are_those_of_the_values() -> None:
    """A value is underlined from its first character to its last, and a block stands where its type does."""
    file = File("main.tf", '# x\nresource "a" "b" {\n  name = "orders" # y\n  inner { on = true }\n}\n')
    (block,) = file.blocks()
    assert block.place == Place("main.tf", 2, 1)
    assert block.body.attributes["name"].place == Place("main.tf", 3, 10, 18)
    (inner,) = block.body.blocks
    assert inner.body.attributes["on"].place == Place("main.tf", 4, 16, 20)


def test_what_follows_an_expression_may_be_a_comment() -> None:
    """To the end of the line, or in a pair of marks."""
    (block,) = File("main.tf", "a {\n  b = 1 + 2 // c\n  d = 1 + 2 # e\n  f = 1 + 2 /* g */\n}\n").blocks()
    assert {one.value for one in block.body.attributes.values()} == {Binary("+", Literal(1), Literal(2))}


def test_the_compiled_grammar_is_kept_where_it_is_told(tmp_path: Path) -> None:
    """Never beside the parser's own code."""
    code = (
        "import sys; from tablegate.syntax.hcl import File; print(File('', 'x = 1 + 2 + 3', sys.argv[1]).assignments())"
    )
    ran = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path / "grammar.bin")],
        env={"PYTHONPATH": str(ROOT / "src")},
        capture_output=True,
        text=True,
        check=True,
    )
    assert str(Binary("+", Literal(1), Literal(2))) in ran.stdout
    assert [path.name for path in tmp_path.iterdir()] == ["grammar.bin"]


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
        ("a {\n  b = \n}\n", "missing value", 2, 7),
        ("a {\n  b = 1 c = 2\n}\n", "missing newline after an argument", 2, 8),
        ("a {\n  ?\n}\n", "expected an argument or a block", 2, 3),
        ("a = 1\n", "argument outside any block", 1, 1),
        ("a {\n  b = [1, 2\n}\n", 'unmatched "}"', 3, 1),
        ("a {} b {}\n", "missing newline after a block", 1, 5),
        ("a {\n  b = 1 +\n}\n", "invalid expression", 3, 1),
        ("a {\n  b = <<E\n}\n", "unterminated heredoc E", 2, 7),
        ("a {\n  b = <<E F\n}\n", "invalid expression", 2, 7),
        ("/* a", "unterminated comment", 1, 1),
        ("a {\n  /* b\n}\n", "unterminated comment", 2, 3),
        ('a {\n  b = "c\n}\n', "unterminated text", 2, 7),
        ('a {\n  b = "c${d"\n}\n', "unterminated text", 2, 12),
        ("a {\n  b {\n", '"{" is never closed', 1, 3),
        ("?\n", "expected an argument or a block", 1, 1),
        (f"a {{\n  b = {'(' * 100}1{')' * 100}\n}}\n", "nested more than 100 levels deep", 2, 106),
        ("a {\n  b = " + '"${' * 101 + "1" + '}"' * 101 + "\n}\n", "nested more than 100 levels deep", 2, 158),
        (f"a {{\n  b = {' + '.join('1' * 3000)}\n}}\n", "expression too long or too deep to read", None, None),
    ],
)
def test_what_is_wrong_is_said_where_it_is(text: str, message: str, line: int | None, column: int | None) -> None:
    """A refusal names the line and the column."""
    with pytest.raises(ParseError) as caught:
        _read(text)
    assert caught.value.message == message
    if line is not None:
        assert (caught.value.line, caught.value.column) == (line, column)


@pytest.mark.parametrize(
    "header",
    [
        r'resource "aws_dynam\u006fdb_table" "t"',
        r'resource "aws_\U00000064ynamodb_table" "\u0074"',
        'resource /* a "b" { */ "aws_dynamodb_table" /* over\nlines */ "t" /**/',
        "resource/**/aws_dynamodb_table/**/t",
    ],
)
def test_labels_are_read_as_terraform_does(header: str) -> None:
    """Without their escapes, and past the comments between them."""
    (block,) = File("main.tf", header + " {\n  a = 1\n}\n").blocks()
    assert ("resource", "aws_dynamodb_table", "t") == (block.type, *block.labels)
    assert Literal(1) == block.body.attributes["a"].value


def test_labels_of_inner_blocks_are_read_as_well() -> None:
    """That of a dynamic block says what it makes."""
    text = 'x {\n  dynamic /* a */ "point_in_time_rec\\u006fvery" {\n  }\n}\n'
    (block,) = File("main.tf", text).blocks()
    assert ["point_in_time_recovery"] == [inner_type(inner) for inner in block.body.blocks]


@pytest.mark.parametrize("white", ["\xa0", "\f", "\v", "\x85", "\u2003", "\u2028", " \t\r"], ids=ascii)
@pytest.mark.parametrize("sides", ["{0}EOT", "EOT{0}", "{0}EOT{0}"])
def test_a_heredoc_ends_with_its_word_between_any_white_space(white: str, sides: str) -> None:
    """What Go calls white space: nothing behind it is lost."""
    text = f"locals {{\n  a = <<EOT\nx\n{sides.format(white)}\n}}\nresource r t {{\n}}\n# EOT\nEOT\n"
    blocks = File("main.tf", text.removesuffix("EOT\n")).blocks()
    assert ["locals", "resource"] == [block.type for block in blocks]
    assert Literal("x\n") == blocks[0].body.attributes["a"].value


@pytest.mark.parametrize(
    "inside",
    ["${local.\nEOT\n}", "%{ if local.\nEOT\n}x%{ endif }", '$${${"a"}${[\n1,\n EOT\n][0]}', "${<<EOT\nb\nEOT\n}"],
)
def test_the_word_of_a_heredoc_ends_nothing_inside_a_template(inside: str) -> None:
    """It is a name there, and what follows is still text."""
    text = f"locals {{\n  a = <<EOT\n{inside}\n}}\nresource r t {{\n}}\nEOT\n  b = 1\n}}\n"
    (block,) = File("main.tf", text).blocks()
    assert {"a", "b"} == set(block.body.attributes)
    value = block.body.attributes["a"].value
    assert isinstance(value, (Template, Opaque)) or "resource r t" in str(value)


def test_a_word_behind_a_template_is_text() -> None:
    """The line does not begin with it."""
    text = 'locals {\n  a = <<EOT\n${"x"}EOT\n$${EOT\nEOT\n}\n'
    (block,) = File("main.tf", text).blocks()
    assert Literal("xEOT\n${EOT\n") == block.body.attributes["a"].value


def test_a_heredoc_may_stand_inside_of_other_expressions() -> None:
    """It ends there where it ends alone."""
    text = "locals {\n  a = 1 + 1 == 2 ? { b = <<EOT\n${local.\nEOT\n}\nEOT\n  } : {}\n}\n"
    (block,) = File("main.tf", text).blocks()
    inner = Template((Access(Name("local"), (Attr("EOT"),)), Literal("\n")))
    value = block.body.attributes["a"].value
    assert isinstance(value, Conditional)
    assert Object(((Literal("b"), inner),)) == value.yes


@pytest.mark.parametrize("written", ["a /* = */ = 1", "a/*\n*/=/*\n*/1", "a = /* b */ 1 /* c */ # d", "a =\t/**/1"])
def test_comments_may_stand_around_the_sign_of_an_argument(written: str) -> None:
    """They are blanks."""
    (block,) = File("main.tf", f"locals {{\n  {written}\n  b = /* c */ 1 + 1\n}}\n").blocks()
    assert Literal(1) == block.body.attributes["a"].value
    assert Binary("+", Literal(1), Literal(1)) == block.body.attributes["b"].value


@pytest.mark.parametrize("over", ["/* a\n b */", "/**/ /*\n*/ # c", "/* } */"])
def test_a_comment_over_lines_may_follow(over: str) -> None:
    """A block or an argument."""
    blocks = File("main.tf", f"locals {{\n  a = 1 {over}\n  b = [1] {over}\n}}{over}\nr s {{\n}} {over}\n").blocks()
    assert ["locals", "r"] == [block.type for block in blocks]
    assert {"a", "b"} == set(blocks[0].body.attributes)


def test_a_comment_is_no_part_of_an_operator() -> None:
    """On either side of it."""
    (block,) = File("main.tf", "locals {\n  a = 1 /* c */ + /* d */ 2\n}\n").blocks()
    assert Binary("+", Literal(1), Literal(2)) == block.body.attributes["a"].value


@pytest.mark.parametrize(
    ("body", "text"),
    [
        ("  a\r\n  b\r\n", "a\r\nb\r\n"),
        ("  a\n \n      \n  b\n", "a\n \n      \nb\n"),
        ("    a\n\t\n   b\n", " a\n\t\nb\n"),
    ],
)
def test_a_shifted_heredoc_keeps_its_line_ends_and_blank_lines(body: str, text: str) -> None:
    """Only lines with text lose the margin."""
    (block,) = File("main.tf", f"locals {{\n  a = <<-EOT\n{body}  EOT\n}}\n").blocks()
    assert Literal(text) == block.body.attributes["a"].value


@pytest.mark.parametrize(
    ("body", "meant"),
    [
        ("  \xa0a\n  b\n", Literal("\xa0a\nb\n")),
        ("    a ${\n  var.b}\n", Template((Literal("a "), Access(Name("var"), (Attr("b"),)), Literal("\n")))),
        ("  a\n\fb\n", Literal(" a\nb\n")),
        ("  a\n  \u0301b\n", Opaque("a heredoc with an unusual margin")),
    ],
    ids=str,
)
def test_a_margin_counts_white_space_of_every_kind(body: str, meant: Expression) -> None:
    """Unless it forms one character with what follows."""
    (block,) = File("main.tf", f"locals {{\n  a = <<-EOT\n{body}  EOT\n}}\n").blocks()
    assert meant == block.body.attributes["a"].value


@pytest.mark.parametrize("word", ["E\u0301", "größe", "名前", "E-1"])
def test_the_word_of_a_heredoc_may_be_any_name(word: str) -> None:
    """Also with combining marks: what it hides would be taken for blocks, or hide them."""
    text = f'other {{\n  a = <<{word}\n{{ "\n{word}\n}}\nresource r t {{\n  b = <<-{word}\n}}\n{word}\f\n}}\n'
    blocks = File("main.tf", text).blocks()
    assert ["other", "resource"] == [block.type for block in blocks]
    assert ["a", "b"] == [name for block in blocks for name in block.body.attributes]


def test_a_splat_of_attributes_inside_another_splat_is_not_read() -> None:
    """It is unknown, and never read otherwise than Terraform reads it."""
    body = File("x.tf", "a = x[*].b.*.c\n").assignments()
    assert isinstance(body.attributes["a"].value, Opaque)
