"""Access in source: documents that functions write, that data sources compose, and that nobody can read."""

from __future__ import annotations

from typing import Any

import pytest

from support.planned_access import grants, holders
from tablegate.dialects import read
from tablegate.dialects.reading import Reading, ReadOptions
from tablegate.syntax.source import Folder, Source

TABLE = """
resource "aws_dynamodb_table" "t" {
  name     = "orders"
  hash_key = "id"
  attribute {
    name = "id"
    type = "S"
  }
}
"""
POLICY = """
resource "aws_iam_user_policy" "p" {
  user   = "u"
  policy = %s
}
"""
ARN = "arn:aws:dynamodb:eu-west-1:${account}:table/orders"
HERE = "aws_dynamodb_table.t.arn"
STATEMENT = '{ Effect = "Allow", Action = "dynamodb:GetItem", Resource = %s }'
WRITTEN = f"jsonencode({{ Statement = [{STATEMENT}] }})"


def _of(text: str, **options: Any) -> Reading:
    folder = Folder(root="", parts=(Source("main.tf", text.encode()),))
    return read(Source(".", b"", folder), ReadOptions(region="eu-west-1", **options))


def _policy(expression: str, more: str = "") -> Reading:
    return _of(TABLE + POLICY % expression + more)


def _held(reading: Reading) -> list[str]:
    (holder,) = holders(reading).values()
    return [line.removeprefix("aws_iam_user_policy.p ") for line in grants(holder)]


@pytest.mark.parametrize(
    ("resource", "reached"),
    [
        ("aws_dynamodb_table.t.arn", ARN),
        ('"${aws_dynamodb_table.t.arn}/index/*"', f"{ARN}/index/*"),
        ('format("%s/index/*", aws_dynamodb_table.t.arn)', f"{ARN}/index/*"),
        ('join("/", [aws_dynamodb_table.t.arn, "index", "*"])', f"{ARN}/index/*"),
        ('replace("HERE/index/*", "HERE", aws_dynamodb_table.t.arn)', f"{ARN}/index/*"),
        ('[aws_dynamodb_table.t.arn, "*"]', f"{ARN}, *"),
        ('flatten([[aws_dynamodb_table.t.arn], ["*"]])', f"{ARN}, *"),
        ('flatten([for one in [aws_dynamodb_table.t.arn] : [one, "${one}/index/*", "*"]])', f"{ARN}, {ARN}/index/*, *"),
        ('formatlist("%s/index/*", [aws_dynamodb_table.t.arn])', f"{ARN}/index/*"),
        ('"arn:aws:dynamodb:*:*:table/${aws_dynamodb_table.t.id}"', "arn:aws:dynamodb:*:*:table/orders"),
    ],
)
def test_a_text_that_is_known_in_part_keeps_its_parts(resource: str, reached: str) -> None:
    """What refers to a table of the input stands there as the table's ARN, with all that is written behind it."""
    reading = _policy(WRITTEN % resource)
    assert _held(reading) == [f"0: Allow dynamodb:GetItem on {reached}"]


@pytest.mark.parametrize(
    "policy",
    [
        WRITTEN % HERE,
        '<<-EOT\n    {"Statement": {"Effect": "Allow", "Action": "dynamodb:GetItem", '
        '"Resource": "${aws_dynamodb_table.t.arn}"}}\n  EOT',
        f'<<-EOT\n    {{"Statement": [${{jsonencode({STATEMENT % HERE})}}]}}\n  EOT',
        "tostring(jsonencode({ Statement = local.statements }))",
        "data.aws_iam_policy_document.d.json",
        "data.aws_iam_policy_document.outer.json",
    ],
)
def test_every_way_to_write_a_document_comes_to_the_same(policy: str) -> None:
    """A function, a heredoc, one in the other, a local value and a data source all spell one statement."""
    reading = _policy(policy, f"locals {{\n  statements = [{STATEMENT % HERE}]\n}}\n" + DOCUMENTS)
    assert _held(reading) == [f"0: Allow dynamodb:GetItem on {ARN}"]


DOCUMENTS = """
data "aws_iam_policy_document" "d" {
  statement {
    actions   = ["dynamodb:GetItem"]
    resources = [aws_dynamodb_table.t.arn]
  }
}
data "aws_iam_policy_document" "outer" {
  source_policy_documents = [data.aws_iam_policy_document.d.json]
}
"""


def test_what_one_of_two_documents_says_is_there_perhaps() -> None:
    """A condition that source does not decide leaves both of its sides."""
    text = f'variable "v" {{}}\n{DOCUMENTS}'
    other = WRITTEN % '"*"'
    (holder,) = holders(_policy(f'var.v == "a" ? data.aws_iam_policy_document.d.json : {other}', text)).values()
    found = [
        (grant.statement.present, grant.document.shown(*grant.statement.resources.texts)) for grant in holder.grants
    ]
    assert sorted(found) == [(False, "*"), (False, ARN)]


@pytest.mark.parametrize("policy", ['file("p.json")', 'templatefile("p.tftpl", {})', "var.p", '"{${var.p}}"'])
def test_a_document_that_source_does_not_hold_is_said_to_be_unread(policy: str) -> None:
    """It may grant anything, so it matters; the file is not opened."""
    (holder,) = holders(_policy(policy, 'variable "p" {}\n')).values()
    assert [one.relevant for one in holder.unread] == [True]
    assert grants(holder) == []


def test_an_element_that_source_does_not_tell_may_be_anything() -> None:
    """The rest of its statement is read."""
    reading = _policy(WRITTEN % "var.arns", 'variable "arns" {}\n')
    (holder,) = holders(reading).values()
    (statement,) = [grant.statement for grant in holder.grants]
    assert (statement.actions.texts, statement.resources.texts) == (("dynamodb:GetItem",), ())
    assert statement.resources.doubt is not None
    assert statement.resources.doubt.reason == "variable arns has no value"


def test_the_own_account_region_and_partition_are_those_of_the_table() -> None:
    """An ARN that is put together from what a plan asks the provider for names the table all the same."""
    parts = ("arn", "${data.aws_partition.p.id}", "dynamodb", "${data.aws_region.r.name}")
    arn = ":".join((*parts, "${data.aws_caller_identity.c.account_id}", "table/orders"))
    asked = 'data "aws_partition" "p" {}\ndata "aws_region" "r" {}\ndata "aws_caller_identity" "c" {}\n'
    assert _held(_policy(WRITTEN % f'"{arn}"', asked)) == [f"0: Allow dynamodb:GetItem on {ARN}"]


def test_a_statement_stands_where_it_is_written() -> None:
    """A finding points at the block of a composed document, and at the argument of any other."""
    (holder,) = holders(_policy("data.aws_iam_policy_document.d.json", DOCUMENTS)).values()
    (grant,) = holder.grants
    assert (grant.place.line, grant.statement.place and grant.statement.place.line) == (13, 17)


def test_a_block_that_cannot_be_read_is_refused_when_it_is_asked_for() -> None:
    """Only what concerns tables or access is read at all."""
    broken = 'resource "aws_iam_policy" "b" {\n  policy = 1 +\n}\nresource "aws_s3_bucket" "b" {\n  bucket = 1 +\n}\n'
    assert [fault.place.line for fault in _of(TABLE + broken).faults] == [12]


def test_a_managed_policy_is_known_in_whatever_partition() -> None:
    """Nobody spells the partition out: the name behind it is AWS's own."""
    text = """
data "aws_partition" "p" {}
resource "aws_iam_role_policy_attachment" "a" {
  for_each   = toset(["AmazonDynamoDBReadOnlyAccess"])
  role       = "r"
  policy_arn = "arn:${data.aws_partition.p.partition}:iam::aws:policy/${each.value}"
}
data "aws_iam_policy" "p" {
  name = "AmazonDynamoDBFullAccess"
}
resource "aws_iam_role_policy_attachment" "b" {
  role       = "r"
  policy_arn = data.aws_iam_policy.p.arn
}
"""
    (holder,) = holders(_of(TABLE + text)).values()
    assert {grant.managed for grant in holder.grants} == {"AmazonDynamoDBFullAccess", "AmazonDynamoDBReadOnlyAccess"}


@pytest.mark.parametrize(
    ("arn", "relevant", "reason"),
    [
        ("var.arn", True, "variable arn has no value"),
        ("data.aws_iam_policy.p.arn", True, "the policy own-dynamodb-access is not in this input"),
        (
            '"arn:aws:iam::123456789012:policy/${var.arn}"',
            True,
            "the policy arn:aws:iam::123456789012:policy/${var.arn}",
        ),
    ],
)
def test_a_policy_that_is_elsewhere_is_said_to_be_unread(arn: str, relevant: bool, reason: str) -> None:
    """One that nothing is known of may grant anything, and so may one in another place."""
    text = """
variable "arn" {}
data "aws_iam_policy" "p" {
  name = "own-dynamodb-access"
}
resource "aws_iam_role_policy_attachment" "b" {
  role       = "r"
  policy_arn = %s
}
"""
    (holder,) = holders(_of(TABLE + text % arn)).values()
    assert [(one.relevant, one.doubt.reason.startswith(reason)) for one in holder.unread] == [(relevant, True)]


def test_parts_of_what_is_unknown_are_not_one_another() -> None:
    """Two attributes of one variable may be anything, and need not be the same; one attribute is itself."""
    arns = ", ".join(
        f'"arn:aws:dynamodb:*:*:table/${{{part}}}"' for part in ("var.o.a", "var.o.b", "var.o.a", "var.p[0]")
    )
    (holder,) = holders(_policy(WRITTEN % f"[{arns}]", 'variable "o" {}\nvariable "p" {}\n')).values()
    (grant,) = holder.grants
    first, second, again, counted = grant.statement.resources.texts
    assert [grant.document.shown(text).rpartition("/")[2] for text in (first, second, again, counted)] == [
        "${var.o.a}",
        "${var.o.b}",
        "${var.o.a}",
        "${var.p[0]}",
    ]
    assert (first == second, first == again) == (False, True)


VARIABLES = """
variable "one" { default = "*" }
variable "all" { default = ["*", "arn:aws:s3:::x"] }
variable "name" { default = "orders" }
variable "bare" {}
"""


@pytest.mark.parametrize(
    ("resource", "usual"),
    [
        ("var.one", ("*",)),
        ("var.all", ("*", "arn:aws:s3:::x")),
        ('"arn:aws:dynamodb:*:*:table/${var.one}"', ("arn:aws:dynamodb:*:*:table/*",)),
        ('"arn:aws:dynamodb:*:*:table/${var.name}"', ()),
        ('"arn:aws:dynamodb:*:*:table/${var.bare}"', ()),
        ("var.bare", ()),
    ],
)
def test_what_a_resource_is_by_default_is_remembered(resource: str, usual: tuple[str, ...]) -> None:
    """It is not assumed, and yet tells how wide the unknown may be. In jsonencode as in a data source."""
    data = """
data "aws_iam_policy_document" "d" {
  statement {
    actions   = ["dynamodb:GetItem"]
    resources = [%s]
  }
}
"""
    written = TABLE + VARIABLES + POLICY % (WRITTEN % resource)
    listed = resource if resource == "var.all" else f"[{resource}]"
    composed = TABLE + VARIABLES + (data % resource).replace(f"[{resource}]", listed)
    for text in (written, composed + POLICY % "data.aws_iam_policy_document.d.json"):
        (holder,) = holders(_of(text)).values()
        assert holder.grants[0].statement.resources.usual == usual
        assert bool(holder.unread) is (bool(usual) or resource == "var.bare")


@pytest.mark.parametrize(
    ("arn", "usual"),
    [
        ("var.arn", ("AdministratorAccess",)),
        ('"arn:aws:iam::aws:policy/${var.policy}"', ("AmazonDynamoDBFullAccess",)),
        ("var.other", ()),
        ("var.bare", ()),
    ],
)
def test_what_a_managed_policy_is_by_default_is_remembered(arn: str, usual: tuple[str, ...]) -> None:
    """It is not assumed, and yet tells how much the unknown may weigh."""
    text = """
variable "arn" { default = "arn:aws:iam::aws:policy/AdministratorAccess" }
variable "policy" { default = "AmazonDynamoDBFullAccess" }
variable "other" { default = "arn:aws:iam::aws:policy/AmazonSQSFullAccess" }
variable "bare" {}
resource "aws_iam_role" "r" { assume_role_policy = "{}" }
resource "aws_iam_role_policy_attachment" "a" {
  role       = aws_iam_role.r.name
  policy_arn = %s
}
"""
    (missing,) = holders(_of(TABLE + text % arn))["aws_iam_role.r"].unread
    assert missing.usual == usual


@pytest.mark.parametrize(
    ("resources", "is_whole"),
    [
        (f"[{HERE}]", True),
        (f'concat([{HERE}], ["*"])', True),
        (f'compact([{HERE}, "*"])', False),
        (f'distinct(concat([{HERE}], ["*"]))', False),
        (f"setunion([{HERE}], [])", False),
    ],
)
def test_a_list_that_a_function_makes_may_have_others(resources: str, is_whole: bool) -> None:
    """Of a list whose length is not known, what it reads is not all that is in it."""
    text = f'data "aws_iam_policy_document" "d" {{\n  statement {{\n    resources = {resources}\n  }}\n}}\n'
    (holder,) = holders(_policy("data.aws_iam_policy_document.d.json", text)).values()
    (grant,) = holder.grants
    assert ARN in grants(holder)[0]
    assert (grant.statement.resources.doubt is None) is is_whole


@pytest.mark.parametrize(
    "condition",
    [
        '{ StringLike = { "${var.x}:sub" = "a" } }',
        '{ StringLike = { "${aws_dynamodb_table.t.stream_arn}:sub" = "a" } }',
        '{ StringLike = { for key in ["a"] : "${var.x}:${key}" => "a" } }',
        '{ StringLike = { for key in ["a"] : key => "a" if "${var.x}" } }',
        '{ "${var.x}Like" = { "aws:SourceIp" = "a" } }',
    ],
)
def test_a_condition_with_a_key_that_is_not_known_stays_one(condition: str) -> None:
    """It was lost, so that a Deny for some took everything from everybody."""
    statements = f'{STATEMENT % HERE}, {{ Effect = "Deny", Action = "*", Resource = "*", Condition = {condition} }}'
    reading = _policy(f"jsonencode({{ Statement = [{statements}] }})", 'variable "x" {}\n')
    (holder,) = holders(reading).values()
    denies = [statement for grant in holder.grants for statement in [grant.statement] if not statement.allows]
    assert [statement.unsettled is not None for statement in denies] == [True]
