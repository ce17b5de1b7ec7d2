"""The lines of templates, kept for frames."""

from __future__ import annotations

from support.reports import report
from tablegate.cli.reports import LARGEST, Lines
from tablegate.findings import Input, Report
from tablegate.syntax.source import Source


def lines(report: Report, **sources: bytes) -> Lines:
    """What is remembered of these sources, for this report."""
    return Lines(Source(name, data) for name, data in sources.items()).of(report)


def read(*names: str, kind: str = "cloudformation") -> Report:
    """A report that read these inputs."""
    return report(inputs=tuple(Input(path=name, kind=kind) for name in names))


def test_lines_are_counted_as_editors_count() -> None:
    """By line feeds and carriage returns, not by what YAML also takes for an end."""
    kept = lines(read("t"), t="a\u2028b\nc\r\nd\re".encode())
    assert ["a\u2028b", "c", "d", "e", None] == [kept("t", number) for number in range(1, 6)]


def test_text_with_a_byte_order_mark_is_decoded() -> None:
    """As the reader decoded it."""
    assert lines(read("t"), t="é\n".encode("utf-16"))("t", 1) == "é"


def test_a_plan_is_never_quoted() -> None:
    """It holds secrets in clear."""
    assert lines(read("t", kind="terraform-plan"), t=b"secret")("t", 1) is None


def test_what_was_not_read_is_not_quoted() -> None:
    """Neither what failed, nor what is too large for anybody's eyes."""
    assert lines(read(), t=b"a")("t", 1) is None
    assert lines(read("t"), t=b"a" * (LARGEST + 1))("t", 1) is None
    assert lines(read("t"), t=b"\xff\xff\xff")("t", 1) is None


def test_a_line_with_a_secret_is_not_quoted() -> None:
    """One in which the secret is a part of a name is: names are no values."""
    text = b'resource "aws_dynamodb_table" "hunter2" {\n  name = "hunter2"\n  tags = { "hunter2" = 1 }\n}\n'
    secret = report(inputs=read("t").inputs, secrets=frozenset({"hunter2"}))
    kept = lines(secret, t=text)
    assert ['resource "aws_dynamodb_table" "hunter2" {', None, None, "}"] == [kept("t", at) for at in range(1, 5)]
