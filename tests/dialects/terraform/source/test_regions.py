"""The region of a resource in source: its own, that of its provider's configuration, or not known."""

from __future__ import annotations

from typing import Any

import pytest

from support.both import UNKNOWN, told
from support.plans import tables
from tablegate.dialects import read
from tablegate.dialects.reading import ReadOptions
from tablegate.syntax.source import Folder, Source

HEAD = """
variable "region" {
  type = string
}
variable "regions" {
  type    = set(string)
  default = ["us-east-1", "eu-central-1"]
}
provider "aws" {
  region = "eu-west-1"
}
provider "aws" {
  alias  = "later"
  region = var.region
}
provider "aws" {
  alias    = "each"
  for_each = var.regions
  region   = each.value
}
"""
TABLE = 'resource "aws_dynamodb_table" "%s" {\n  name     = "orders"\n  hash_key = "id"\n  %s\n}\n'
INSIGHTS = 'resource "aws_dynamodb_contributor_insights" "x" {\n  table_name = "orders"\n  %s\n}\n'


def found(text: str, *modules: tuple[str, str], **options: Any) -> dict[str, tuple[object, object]]:
    """The region of each table, and whether it has Contributor Insights."""
    files = (("main.tf", HEAD + text), *((f"{name}/main.tf", content) for name, content in modules))
    folder = Folder(root="", parts=tuple(Source(name, content.encode()) for name, content in files))
    reading = read(Source(".", b"", folder), ReadOptions(**options))
    return {address: (told(table.region), told(table.insights)) for address, table in tables(reading).items()}


def each(key: str, repeats: str = "for_each = var.regions") -> str:
    """The arguments of a resource in each region, by OpenTofu's instances of a provider's configuration."""
    return f"{repeats}\n  provider = aws.each[{key}]"


@pytest.mark.parametrize(
    ("of_table", "of_insights", "expected"),
    [
        ("", "", ("eu-west-1", True)),
        ("", "region = var.region", ("eu-west-1", UNKNOWN)),
        ("region = var.region", "", (UNKNOWN, UNKNOWN)),
        ("region = var.region", "region = var.region", (UNKNOWN, True)),
        ('region = "${var.region}-1"', 'region = "${var.region}-2"', (UNKNOWN, UNKNOWN)),
        ("provider = aws.later", "", (UNKNOWN, UNKNOWN)),
        ("provider = aws.later", "provider = aws.later", (UNKNOWN, True)),
        ("", 'provider = aws.each["us-east-1"]', ("eu-west-1", UNKNOWN)),
    ],
)
def test_region(of_table: str, of_insights: str, expected: object) -> None:
    """What stands in one variable is one region; what is not known is no region of the provider's or of the options."""
    text = TABLE % ("t", of_table) + INSIGHTS % of_insights
    assert found(text, region="eu-west-1") == {"aws_dynamodb_table.t": expected}


def test_given() -> None:
    """A value settles it."""
    text = TABLE % ("t", "region = var.region") + INSIGHTS % "provider = aws.later"
    assert found(text, variables={"region": "us-east-1"}) == {"aws_dynamodb_table.t": ("us-east-1", True)}


def test_provider_for_each() -> None:
    """OpenTofu makes an instance of a provider's configuration for each item; a resource names one by its key."""
    text = TABLE % ("t", each("each.key")) + INSIGHTS % each('"us-east-1"', "")
    assert found(text, assume_defaults=True) == {
        'aws_dynamodb_table.t["eu-central-1"]': ("eu-central-1", False),
        'aws_dynamodb_table.t["us-east-1"]': ("us-east-1", True),
    }
    assert found(text) == {"aws_dynamodb_table.t": (UNKNOWN, UNKNOWN)}


def test_provider_for_each_of_a_module() -> None:
    """A call passes the instance of its own key to the module."""
    call = """
module "m" {
  source   = "./m"
  for_each = var.regions
  providers = {
    aws = aws.each[each.value]
  }
}
"""
    inner = ("m", TABLE % ("t", "") + INSIGHTS % "")
    assert found(call, inner, assume_defaults=True) == {
        f'module.m["{region}"].aws_dynamodb_table.t': (region, True) for region in ("eu-central-1", "us-east-1")
    }


@pytest.mark.parametrize("key", ["aws.here", '"aws.here"'])
@pytest.mark.parametrize(("handed", "expected"), [("aws", "eu-west-1"), ("aws.west", "us-west-2")])
def test_alias_that_a_call_passes_in(key: str, handed: str, expected: str) -> None:
    """A module's alias is the configuration that its call passes in, also if its name is not quoted."""
    west = 'provider "aws" {\n  alias  = "west"\n  region = "us-west-2"\n}\n'
    call = f'module "m" {{\n  source    = "./m"\n  providers = {{ {key} = {handed} }}\n}}\n'
    inner = ("m", TABLE % ("t", "provider = aws.here") + INSIGHTS % "provider = aws.here")
    assert found(west + call, inner) == {"module.m.aws_dynamodb_table.t": (expected, True)}


def test_alias_of_a_module_by_itself() -> None:
    """Whoever calls the module decides its region, not the options."""
    text = TABLE % ("t", "provider = aws.here") + INSIGHTS % "provider = aws.here"
    assert found(text, region="eu-west-1") == {"aws_dynamodb_table.t": (UNKNOWN, True)}
