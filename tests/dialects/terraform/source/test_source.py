"""Terraform source without a plan: what it tells, what it does not, and why."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from support.plans import faults, only, tables, told
from tablegate.dialects import read
from tablegate.dialects.reading import Reading, ReadOptions
from tablegate.dialects.terraform.source.definitions import module_files
from tablegate.inputs.collect import collect
from tablegate.model.value import Place
from tablegate.syntax.source import Folder, Source

TABLE = """
resource "aws_dynamodb_table" "t" {
  name     = %s
  hash_key = "id"
  attribute {
    name = "id"
    type = "S"
  }
}
"""


def _of(text: str, *others: tuple[str, str], beside: tuple[tuple[str, str], ...] = (), **options: Any) -> Reading:
    files = (("main.tf", text), *others)
    parts = tuple(Source(name, content.encode()) for name, content in files)
    folder = Folder(root="", parts=parts, beside=tuple(Source(name, one.encode()) for name, one in beside))
    return read(Source(".", b"", folder), ReadOptions(region="eu-west-1", **options))


@pytest.mark.parametrize("blank", ["", " \n", "\ufeff", "\ufeff\r\n"], ids=ascii)
def test_a_file_without_content_says_nothing(blank: str) -> None:
    """Of source and of values, with and without a mark."""
    reading = _of(TABLE % '"orders"', ("empty.tf", blank), beside=(("terraform.tfvars", blank),))
    assert "orders" == told(only(reading).name)
    assert not _refused(reading)


def _name(expression: str, more: str = "", **options: Any) -> object:
    return told(only(_of(TABLE % expression + more, **options)).name)


def _refused(reading: Reading) -> list[tuple[str, str]]:
    return [(fault.place.file, fault.message) for fault in reading.faults if fault.blocks]


@pytest.mark.parametrize(
    ("expression", "name"),
    [
        ('"orders"', "orders"),
        ('"${local.a}-x"', "a-x"),
        ('local.on ? "x" : "y"', "x"),
        ("local.m.k", "v"),
        ('local.m["k"]', "v"),
        ('merge(local.m, { k = "w" })["k"]', "w"),
        ('join("-", [for k, v in local.m : upper(k)])', "K"),
        ('format("%s-%d", local.a, 1 + 2 * 3)', "a-7"),
        ('try(local.m.none, "else")', "else"),
        ('lookup(local.m, "none", "else")', "else"),
        ('jsonencode({ b = [1], a = "<" })', '{"a":"\\u003c","b":[1]}'),
        ('one([for x in [1, 2] : "n${x}" if x > 1])', "n2"),
        ('coalesce("", null, "c")', "c"),
        ('replace(lower("A_B"), "_", "-")', "a-b"),
        ('element(split(",", "a,b"), 3)', "b"),
        ('can(local.m.none) ? "x" : "y"', "y"),
        ("<<-EOT\n    x\n  EOT\n", "x\n"),
        ('{ for k, v in local.m :\n    "${k}"\n  => v }["k"]', "v"),
    ],
)
def test_expressions_come_to_what_terraform_makes_of_them(expression: str, name: str) -> None:
    """Literals, templates, operators, loops and pure functions are worked out."""
    assert _name(expression, 'locals {\n  a = "a"\n  on = true\n  m = { k = "v" }\n}\n') == name


@pytest.mark.parametrize(
    ("expression", "reason"),
    [
        ("var.none", "variable none is not declared in the source"),
        ('file("/etc/passwd")', "file() is not evaluated"),
        ("aws_kms_key.k.arn", "known only after apply: aws_kms_key.k.arn"),
        ("data.aws_region.r.name", "read when the plan is made: data.aws_region.r.name"),
        ("local.loop", "the expression refers to itself"),
        ('"${path.module}/x"', "path.module is not evaluated"),
        ("terraform.workspace", "terraform.workspace is not evaluated"),
        ("local.m.none", "the expression fails, or needs more than the source"),
    ],
)
def test_what_source_does_not_tell_says_why(expression: str, reason: str) -> None:
    """Nothing is guessed, and no file is opened."""
    more = 'resource "aws_kms_key" "k" {}\ndata "aws_region" "r" {}\nlocals {\n  loop = local.loop\n  m = {}\n}\n'
    assert _name(expression, more) == f"unknown: {reason}"


VARIABLE = 'variable "n" {\n  type = string\n  default = "default"\n}\n'


def test_a_default_of_the_root_is_no_fact() -> None:
    """A run may replace it, unless the user says what a run is given."""
    doubt = "unknown: variable n has only a default, which is not assumed"
    assert _name("var.n", VARIABLE) == doubt
    assert _name("var.n", VARIABLE, assume_defaults=True) == "default"
    assert _name("var.n", VARIABLE, variables={"other": "x"}) == "default"


def test_the_strongest_word_about_a_variable_counts() -> None:
    """The environment, terraform.tfvars, automatic files by name, named files, then single values."""
    given: dict[str, Any] = {"environment": {"n": "environment"}}
    assert _name("var.n", VARIABLE, **given) == "environment"
    given["beside"] = (("terraform.tfvars", 'n = "own"'),)
    assert _name("var.n", VARIABLE, **given) == "own"
    given["beside"] += (("b.auto.tfvars", 'n = "b"'), ("a.auto.tfvars.json", '{"n": "a"}'))
    assert _name("var.n", VARIABLE, **given) == "b"
    given["variable_files"] = (Source("x.tfvars", b'n = "named"\n'),)
    assert _name("var.n", VARIABLE, **given) == "named"
    given["variables"] = {"n": "single"}
    assert _name("var.n", VARIABLE, **given) == "single"


def test_a_tag_that_is_not_known_hides_no_other() -> None:
    """The keys are there: what none of them says, nobody says."""
    table = 'variable "n" {}\nresource "aws_dynamodb_table" "t" {\n  tags = %s\n}\n'
    tags = table % '{ Name = "${var.n}-x", purpose = "session" }'
    declared = only(_of(tags)).declared
    assert ("session", ...) == (told(declared.purpose), told(declared.data_class))
    later = only(_of(tags.replace("purpose", "data-class").replace('"session"', "var.n"))).declared
    assert "unknown: the value of tag 'data-class' is not known" == told(later.data_class)


def test_what_is_sensitive_is_marked() -> None:
    """It is judged, and its text is kept from every report."""
    variable = 'variable "n" {\n  sensitive = true\n}\n'
    reading = _of(TABLE % "var.n" + variable, variables={"n": "very-secret"})
    assert (only(reading).name.content, only(reading).name.sensitive) == ("very-secret", True)
    assert reading.estate is not None
    assert "very-secret" in reading.estate.secrets


@pytest.mark.parametrize(
    "expression",
    [
        "var.n",
        '"a-${var.n}"',
        "jsonencode({ a = [var.n] })",
        "base64encode(var.n)",
        'format("%s-x", var.n)',
        'formatlist("%s-x", [var.n])[0]',
        'join("-", ["a", var.n])',
        'split("-", var.n)[0]',
        "upper(var.n)",
        "sha256(var.n)",
        'replace(var.n, "v", "w")',
        "substr(var.n, 0, 4)",
        'regex("[a-z]+", var.n)',
        '{ (var.n) = "x" }[var.n]',
        'lookup({ a = var.n }, "a", "b")',
        'var.n == "very-secret" ? "yes" : "no"',
        '[for each in [var.n] : "${each}-x"][0]',
        "local.derived",
        "local.deep.a[0]",
        "var.o.inner",
        "module.m.out",
        "module.m.marked",
        "module.m.inner",
        "module.m.own",
        'templatestring("x-$${a}", { a = var.n })',
        'templatefile("${path.module}/name.tftpl", { a = var.n })',
        'sensitive("very-secret")',
        'try(var.n, "x")',
        "yamlencode({ a = var.n })",
        'csvdecode("a\\n${var.n}")[0].a',
        "keys({ (var.n) = 1 })[0]",
        "coalesce(null, var.n)",
        "<<-EOT\n    ${var.n}\n    EOT",
    ],
)
def test_every_expression_keeps_what_is_sensitive(expression: str) -> None:
    """Whatever reads a sensitive value is sensitive, through functions, locals and modules; or it is not known."""
    more = """
variable "n" {
  sensitive = true
}
variable "o" {
  sensitive = true
  default   = { inner = "very-secret" }
}
locals {
  derived = "x-${var.n}"
  deep    = { a = [base64encode(local.derived)] }
}
module "m" {
  source = "./m"
  given  = var.n
}
"""
    module = (
        'variable "given" {}\noutput "out" { value = "m-${var.given}" }\n'
        'output "marked" {\n  sensitive = true\n  value = "very-secret"\n}\n'
        'variable "own" {\n  sensitive = true\n  default = "very-secret"\n}\noutput "own" { value = "x-${var.own}" }\n'
        'module "n" { source = "../n" }\noutput "inner" { value = module.n.out }\n'
    )
    inner = 'output "out" {\n  sensitive = "true"\n  value = "very-secret"\n}\n'
    files = (("m/main.tf", module), ("n/main.tf", inner))
    reading = _of(TABLE % expression + more, *files, variables={"n": "very-secret"}, assume_defaults=True)
    name = only(reading).name
    assert name.sensitive or not name.known, name
    public = _name("nonsensitive(var.n)", more, variables={"n": "very-secret"}, assume_defaults=True)
    assert "very-secret" == public


ROLE = "arn:aws:iam::111122223333:role/a/b/worker"


@pytest.mark.parametrize(
    ("expression", "name"),
    [
        (
            'provider::aws::arn_build("aws", "dynamodb", "us-east-1", "1", "table/a:b")',
            "arn:aws:dynamodb:us-east-1:1:table/a:b",
        ),
        ('provider::aws::arn_build("aws", "iam", "", 111122223333, "role/x")', "arn:aws:iam::111122223333:role/x"),
        (f'provider::aws::arn_parse("{ROLE}:x").resource', "role/a/b/worker:x"),
        (f'provider::aws::arn_parse("{ROLE}").account_id', "111122223333"),
        (f'provider::aws::arn_parse("{ROLE}")["partition"]', "aws"),
        (f'provider::aws::trim_iam_role_path("{ROLE}")', "arn:aws:iam::111122223333:role/worker"),
        ('try(provider::aws::arn_parse("arn:aws:iam::1").region, "none")', "none"),
        ('try(provider::aws::arn_parse("xarn:a:b:c:d:e").region, "none")', "none"),
        ('try(provider::aws::trim_iam_role_path("arn:aws:iam::1:user/x"), "none")', "none"),
        ('try(provider::aws::trim_iam_role_path("arn:aws:iam:eu-west-1:1:role/x"), "none")', "none"),
        ('try(provider::aws::trim_iam_role_path("arn:aws:sts::1:role/x"), "none")', "none"),
        ('try(provider::aws::arn_build("aws", "iam", null, "1", "role/x"), "none")', "none"),
        ("provider::aws::arn_parse(var.none).region", "unknown: variable none is not declared in the source"),
        (
            'provider::aws::arn_build("aws", "iam", "", var.none, "x")',
            "unknown: variable none is not declared in the source",
        ),
        ("provider::aws::user_agent()", "unknown: provider::aws::user_agent() is not evaluated"),
        ('provider::other::arn_parse("a")', "unknown: provider::other::arn_parse() is not evaluated"),
    ],
)
def test_functions_of_the_provider(expression: str, name: str) -> None:
    """ARNs are built and parsed as the provider does it."""
    assert _name(expression) == name


def test_override_files_are_merged_last() -> None:
    """An argument replaces its like, and a block all blocks of its type."""
    override = 'resource "aws_dynamodb_table" "t" {\n  name = "other"\n}\n'
    table = only(_of(TABLE % '"orders"', ("x_override.tf", override)))
    assert (table.name.content, table.attributes.content) == ("other", {"id": "S"})
    assert table.name.place == Place("x_override.tf", 2, 10, 17, "name")


@pytest.mark.parametrize(
    ("alias", "faults", "region"),
    [("", [], "us-west-2"), ('alias = "x"', ["provider aws overrides nothing"], "eu-west-1")],
)
def test_override_of_a_provider(alias: str, faults: list[str], region: str) -> None:
    """The default configuration of a provider need not be written elsewhere; that of an alias must be."""
    override = f'provider "aws" {{\n  region = "us-west-2"\n  {alias}\n}}\n'
    reading = _of(TABLE % '"orders"', ("x_override.tf", override))
    assert ([fault.message for fault in reading.faults], told(only(reading).region)) == (faults, region)


@pytest.mark.parametrize(
    ("repeats", "addresses"),
    [
        ("count = 2", ["aws_dynamodb_table.t[0]", "aws_dynamodb_table.t[1]"]),
        ("count = 0", []),
        ("count = var.none", ["aws_dynamodb_table.t[0]"]),
        ('for_each = toset(["b", "a"])', ['aws_dynamodb_table.t["a"]', 'aws_dynamodb_table.t["b"]']),
        ("for_each = var.none", ["aws_dynamodb_table.t"]),
    ],
)
def test_resources_are_repeated(repeats: str, addresses: list[str]) -> None:
    """Where nobody knows how often, one of them is judged as if it were there."""
    text = (TABLE % '"x"').replace('hash_key = "id"', f'hash_key = "id"\n  {repeats}')
    assert sorted(tables(_of(text))) == addresses


def test_prevent_destroy_is_known() -> None:
    """Only source tells it."""
    kept = (TABLE % '"x"').replace("attribute {", "lifecycle {\n    prevent_destroy = true\n  }\n  attribute {", 1)
    assert told(only(_of(kept)).retention.prevent_destroy) is True
    assert told(only(_of(TABLE % '"x"')).retention.prevent_destroy) is ...


@pytest.mark.parametrize(
    ("written", "kept"),
    [
        ("destroy = false", True),
        ("destroy = true", False),
        ("destroy = false\n    prevent_destroy = false", True),
        ("destroy = true\n    prevent_destroy = true", True),
        ("destroy = true\n    prevent_destroy = false", False),
        ("destroy = true\n    prevent_destroy = var.none", "unknown: what its expression comes to is not known"),
    ],
)
def test_a_table_that_outlives_its_resource(written: str, kept: object) -> None:
    """``destroy = false`` keeps a table as ``prevent_destroy`` does."""
    text = (TABLE % '"x"').replace("attribute {", f"lifecycle {{\n    {written}\n  }}\n  attribute {{", 1)
    assert told(only(_of(text)).retention.prevent_destroy) == kept


def test_modules_are_read_to_any_depth(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder is one root with all that it leads to; a module from elsewhere is read only where that is trusted."""
    monkeypatch.chdir(tmp_path)
    table = 'variable "n" {}\n' + TABLE % "var.n"
    files = {
        ".git/HEAD": "",
        "app/main.tf": 'module "a" {\n  source = "../mid"\n}\nmodule "r" {\n  source = "x/y/aws"\n}\n',
        "mid/main.tf": 'module "b" {\n  source = "./low"\n  n = "deep"\n}\n',
        "mid/low/main.tf": table,
        "app/.terraform/modules/modules.json": '{"Modules": [{"Key": "r", "Dir": ".terraform/modules/r"}]}',
        "app/.terraform/modules/r/main.tf": TABLE % '"remote"',
    }
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    (root,) = collect(["."]).sources
    assert root.name == "app"
    reading = read(root, ReadOptions(region="eu-west-1"))
    assert list(tables(reading)) == ["module.a.module.b.aws_dynamodb_table.t"]
    assert only(reading).name.content == "deep"
    message = "module.r (x/y/aws) is not covered: nothing is known of what is in it"
    assert faults(reading) == [("TG002", False, message)]
    (trusted,) = collect(["app"], trust_modules=True).sources
    assert "module.r.aws_dynamodb_table.t" in tables(read(trusted, ReadOptions(region="eu-west-1")))


@pytest.mark.parametrize(
    ("broken", "name"),
    [
        ('module "m" {\n  source = "./c"\n  name   = a b\n}\n', "module.m.o"),
        ('variable "v" {\n  default = a b\n}\n', "var.v"),
        ('resource "aws_kms_key" "k" {\n  count = a b\n}\n', "aws_kms_key.k.arn"),
    ],
)
def test_a_block_that_cannot_be_read_does_not_hide_the_rest(broken: str, name: str) -> None:
    """Its own file is told, and what hangs on it is not known."""
    tables_of = TABLE.replace('"t"', '"a"') % '"orders"' + TABLE % name
    reading = _of(tables_of, ("broken.tf", broken), ("c/main.tf", 'output "o" {\n  value = "o"\n}\n'))
    assert ["orders", None] == [one.name.content for _, one in sorted(tables(reading).items())]
    assert only(_of(TABLE % name, ("broken.tf", broken))).name.doubt is not None
    assert [("broken.tf", "missing newline after an argument")] == _refused(reading)


def test_a_module_with_a_block_that_cannot_be_read() -> None:
    """The fault stands in the module's own file."""
    inner = 'output "o" {\n  value = a b\n}\n' + TABLE % '"inner"'
    calling = 'module "c" {\n  source = "./c"\n}\n' + TABLE % "module.c.o"
    reading = _of(calling, ("c/main.tf", inner))
    assert [None, "inner"] == [one.name.content for _, one in sorted(tables(reading).items())]
    assert [("c/main.tf", "missing newline after an argument")] == _refused(reading)


def test_a_file_is_judged_alone_where_it_is_named_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """That the rest of its module is missing is said."""
    monkeypatch.chdir(tmp_path)
    for name in ("a.tf", "b.tf"):
        (tmp_path / name).write_text(TABLE % '"x"')
    (alone,) = collect(["a.tf"]).sources
    message = "checked without the 1 other file of its folder"
    assert faults(read(alone, ReadOptions())) == [("TG002", False, message)]
    (both,) = collect(["a.tf", "b.tf"]).sources
    assert [fault.code.value for fault in read(both, ReadOptions()).faults] == ["TG003"]


@pytest.mark.parametrize(
    ("expression", "content"),
    [
        ('replace("a_b.c", "/[^a-z]/", "-")', "a-b-c"),
        ('replace("a--b", "/-+$/", "")', "a--b"),
        ('replace("a--", "/-+$/", "")', "a"),
        ('replace("a", "/(a)/", "b")', "unknown: a value that only Terraform works out exactly"),
        ('replace("a", "/a/", "$0")', "unknown: a value that only Terraform works out exactly"),
        ('join("+", regexall("[a-z]+", "ab 1 cd"))', "ab+cd"),
        ('regex("[0-9]+", "ab 12")', "12"),
        ('try(regex("[0-9]+", "ab"), "none")', "none"),
    ],
)
def test_regular_expressions_that_every_dialect_reads_alike_are_evaluated(expression: str, content: str) -> None:
    """Go's dialect is not Python's: what may differ is not evaluated."""
    assert _name(expression) == content


def test_a_block_that_cannot_be_read_does_not_hide_the_others(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each is refused where it stands, in the file where it stands; what it would have said is unknown."""
    broken = 'module "a" {\n  source = "./x"\n  source = "./y"\n}\nresource "aws_s3_bucket" "b" {\n  bucket = 1 +\n}\n'
    called = 'module "c" {\n  source = "./mod"\n}\n'
    (tmp_path / "mod").mkdir()
    (tmp_path / "mod" / "main.tf").write_text(TABLE % '"inner"')
    (tmp_path / "main.tf").write_text(broken + called + TABLE % "aws_s3_bucket.b.bucket")
    monkeypatch.chdir(tmp_path)
    (root,) = collect(["."]).sources
    reading = read(root, ReadOptions(region="eu-west-1"))
    assert sorted(tables(reading)) == ["aws_dynamodb_table.t", "module.c.aws_dynamodb_table.t"]
    assert [(fault.place.file, fault.place.line, fault.message) for fault in reading.faults] == [
        ("main.tf", 3, 'duplicate argument: "source" is set twice'),
        ("main.tf", 7, "invalid expression"),
    ]
    assert told(tables(reading)["aws_dynamodb_table.t"].name).startswith("unknown: known only after apply")


REPEATED = """
locals {
  keys = toset(["a", "b"])
}
variable "open" {}
resource "aws_kms_key" "counted" {
  count       = 2
  description = "d${count.index}"
}
resource "aws_kms_key" "each" {
  for_each    = local.keys
  description = "d-${each.value}"
}
resource "aws_kms_key" "open" {
  count       = var.open
  description = "same"
}
resource "aws_kms_key" "none" {
  count       = "many"
  description = "none"
}
resource "terraform_data" "t" {
  input = "given"
}
"""


@pytest.mark.parametrize(
    ("expression", "name"),
    [
        ("aws_kms_key.counted[1].description", "d1"),
        ("aws_kms_key.counted.1.description", "d1"),
        ('join(",", aws_kms_key.counted[*].description)', "d0,d1"),
        ('aws_kms_key.each["b"].description', "d-b"),
        ('join(",", [for key, one in aws_kms_key.each : "${key}=${one.description}"])', "a=d-a,b=d-b"),
        ('join(",", values(aws_kms_key.each)[*].description)', "d-a,d-b"),
        ('"n${length(aws_kms_key.counted)}"', "n2"),
        ("aws_kms_key.counted[5].description", "unknown: the expression fails, or needs more than the source"),
        ("aws_kms_key.each.description", "unknown: the expression fails, or needs more than the source"),
        ("aws_kms_key.open[0].description", "same"),
        ("aws_kms_key.open[3].description", "unknown: variable open has no value"),
        ('join(",", aws_kms_key.open[*].description)', "unknown: variable open has no value"),
        ("aws_kms_key.open.description", "unknown: variable open has no value"),
        ("aws_kms_key.none[1].description", "unknown: count is not a number of instances"),
        ("jsonencode(aws_kms_key.counted[0])", "unknown: known only after apply: aws_kms_key.counted[0]"),
        (
            "jsonencode(aws_kms_key.counted)",
            "unknown: known only after apply: aws_kms_key.counted[0], aws_kms_key.counted[1]",
        ),
        ("jsonencode(aws_kms_key.open)", "unknown: variable open has no value"),
        ("aws_kms_key.missing.description", "unknown: aws_kms_key.missing is not in the source"),
        ("module.missing.name", "unknown: module.missing is not in the source"),
        ("each.key", "unknown: each.key is not known"),
        ("count.index", "unknown: count.index is not known"),
        ("other", "unknown: the expression fails, or needs more than the source"),
        ("ephemeral.x.y.z", "unknown: ephemeral.x is not evaluated"),
        ('"%{ if true }x%{ endif }"', "unknown: a template with directives is not evaluated"),
        ('[for key in [var.open] : key if key == "x"][0]', "unknown: variable open has no value"),
        ('{ for key in [var.open] : key => key }["x"]', "unknown: variable open has no value"),
        ("[for key in var.open : key][0]", "unknown: variable open has no value"),
        ("max(var.open...)", "unknown: variable open has no value"),
        ("local.keys[var.open]", "unknown: variable open has no value"),
        ('var.open ? "x" : "x"', "x"),
        ("-var.open", "unknown: variable open has no value"),
        ('"${!var.open}"', "unknown: variable open has no value"),
        ('"${var.open && false}"', "false"),
        ('"${var.open || false}"', "unknown: variable open has no value"),
        ('core::sensitive(upper("s"))', "S"),
    ],
)
def test_resources_are_looked_into_where_somebody_asks(expression: str, name: str) -> None:
    """By index, by key, all of them; what their number hides is unknown."""
    found = only(_of(TABLE % expression + REPEATED)).name
    assert (found.content if found.known else told(found)) == name


@pytest.mark.parametrize(
    ("type_", "text", "content"),
    [
        ("string", "[1]", "[1]"),
        ("list(string)", '["a", "b"]', "a"),
        ("list(string)", "[", "unknown: the value is not an expression"),
        ("list(string)", "7", "unknown: the value does not fit its variable's type"),
        ("list(any)", "[true, 1]", "unknown: a value whose type only Terraform works out"),
        ("object({ a = string })", "{}", "unknown: the value does not fit its variable's type"),
        ("tuple([string])", '["a", "b"]', "unknown: the value does not fit its variable's type"),
    ],
)
def test_a_text_given_for_a_variable_is_read_as_its_type(type_: str, text: str, content: str) -> None:
    """As it is where the type is a text, and else as an expression."""
    name = "var.v" if type_ == "string" else "var.v[0]"
    variable = f'variable "v" {{\n  type = {type_}\n}}\n'
    assert _name(name, variable, variables={"v": text}) == content


@pytest.mark.parametrize("name", ["x_override.tf", "x_override.tf.json"])
def test_count_may_stand_where_it_is_not_looked_for(name: str) -> None:
    """In an override file, or in JSON with escapes."""
    override = 'resource "aws_dynamodb_table" "t" {\n  for_each = toset(["a", "b"])\n}\n'
    if name.endswith(".json"):
        override = '{"resource": {"aws_dynamodb_table": {"t": {"for\\u005feach": "${toset([\\"a\\", \\"b\\"])}"}}}}'
    reading = _of(TABLE % "each.key", (name, override))
    assert ["a", "b"] == [told(table.name) for table in tables(reading).values()]


def test_a_provisioner_in_an_override_file_is_reported() -> None:
    """It may do anything to a table, as one in the resource itself."""
    over = 'resource "terraform_data" "d" {\n provisioner "local-exec" {\n command = "aws dynamo\\u0064b"\n }\n}\n'
    reading = _of('resource "terraform_data" "d" {\n}\n', ("override.tf", over))
    assert any("a provisioner speaks of DynamoDB" in message for _, _, message in faults(reading))


def test_a_file_of_tofu_hides_the_file_of_its_name_alone() -> None:
    """Whatever its folder is called."""
    parts = [Source(f"a.tofu/{name}", b"") for name in ("main.tf", "main.tofu", "x.tofu.tf")]
    assert ["a.tofu/main.tofu", "a.tofu/x.tofu.tf"] == [one.name for one in module_files(parts, tofu=True)]
    assert ["a.tofu/main.tf", "a.tofu/x.tofu.tf"] == [one.name for one in module_files(parts, tofu=False)]


OTHER = TABLE % '"tofu"'
CALLED = ("m/t.tf", TABLE % '"inner"'), ("m/t.tofu", OTHER)


@pytest.mark.parametrize(
    ("text", "others", "tofu", "names", "said"),
    [
        (TABLE % '"tf"', [("main.tofu", OTHER)], False, ["tf"], ["main.tofu"]),
        (TABLE % '"tf"', [("main.tofu", OTHER)], True, ["tofu"], []),
        (TABLE % '"tf"', [("z_override.tofu.json", '{"locals": {}}')], False, ["tf"], ["z_override.tofu.json"]),
        ("", [("m/t.tofu", OTHER)], False, [], []),
        ('module "m" {\n  source = "./m"\n}\n', CALLED, False, ["inner"], ["m/t.tofu"]),
        ('module "m" {\n  source = "./m"\n}\n', CALLED, True, ["tofu"], []),
        ('module "m" {\n  source = "./m"\n}\n', CALLED[1:], False, ["tofu"], []),
    ],
)
def test_files_of_both_tools(
    text: str, others: list[tuple[str, str]], tofu: bool, names: list[str], said: list[str]
) -> None:
    """A folder with files of both is read as Terraform does, and says so; --tofu reads it as OpenTofu does."""
    reading = _of(text, *others, tofu=tofu)
    assert sorted(str(table.name.content) for table in tables(reading).values()) == names
    assert [fault.place.file for fault in reading.faults] == said
    assert not any(fault.blocks for fault in reading.faults)


def test_files_of_tofu_alone() -> None:
    """What only OpenTofu can read is read as it does, with the modules that it calls."""
    call = 'module "m" {\n  source = "./m"\n}\n'
    parts = (("main.tofu", call), *CALLED)
    folder = Folder(root="", parts=tuple(Source(name, content.encode()) for name, content in parts))
    reading = read(Source(".", b"", folder), ReadOptions())
    assert ([table.name.content for table in tables(reading).values()], reading.faults) == (["tofu"], ())
