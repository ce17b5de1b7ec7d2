"""A finding in a called module is its caller's: where it is, and what to write in the call."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from support.source_lines import FIXTURES, POLICIES, finding, inside, judged, source, spot
from tablegate.dialects.reading import ReadOptions
from tablegate.dialects.terraform.callers import leaves
from tablegate.engine.settings import Settings
from tablegate.findings import Finding, Report
from tablegate.run.gate import check
from tablegate.syntax.source import Folder, Source

MODULE = """
variable "name" {}
variable "recovery" { default = false }
variable "protection" { default = null }
variable "settings" { default = {} }
variable "replicas" { default = [] }
resource "aws_dynamodb_table" "t" {
  name                        = var.name
  billing_mode                = "PAY_PER_REQUEST"
  hash_key                    = "id"
  deletion_protection_enabled = var.protection
  stream_enabled              = true
  stream_view_type            = "NEW_AND_OLD_IMAGES"
  attribute {
    name = "id"
    type = "S"
  }
  point_in_time_recovery {
    enabled = %s
  }
  dynamic "replica" {
    for_each = var.replicas
    content {
      region_name            = replica.value.region
      point_in_time_recovery = %s
    }
  }
}
"""
OWN = 'lookup(replica.value, "recovery", false)'


def report(
    main: str, recovery: str = "var.recovery", replica: str = OWN, more: Mapping[str, str] | None = None
) -> Report:
    """A root module, and a module beside it that is called, or was fetched."""
    files = {"main.tf": main, "m/module.tf": MODULE % (recovery, replica), **(more or {})}
    parts = tuple(Source(name, text.encode()) for name, text in files.items())
    folder = Folder(root="", parts=parts, modules={"a": "m", "a.b": "m", "w.b": "m", "w": "w"})
    settings = Settings(select=tuple(policy.id for policy in POLICIES))
    return check((Source(".", b"", folder),), POLICIES, settings, ReadOptions(region="us-east-1"))


def only(found: Report, policy: str) -> Finding:
    """The one finding of a policy."""
    (one,) = (item for item in found.findings if item.policy.id == policy)
    return one


FETCHED, LOCAL = "example/table/aws", "./m"


@pytest.mark.parametrize("origin", [FETCHED, LOCAL])
def test_the_argument_or_the_call(origin: str) -> None:
    """What is given is the place, and what is left out is of the call; the module's line comes second."""
    given = report(f'module "a" {{\n  source = "{origin}"\n  name = "orders-prod"\n  recovery = false\n}}\n')
    found = only(given, "TG301")
    assert ("main.tf:4:14", "m/module.tf:19:15") == (spot(found.place), inside(found))
    assert "# in module.a:\nrecovery = true" == found.fix
    left_out = only(report(f'module "a" {{\n  source = "{origin}"\n  name = "orders-prod"\n}}\n'), "TG301")
    assert ("main.tf:1:1", "m/module.tf:19:15") == (spot(left_out.place), inside(left_out))
    assert left_out.place is not None
    assert "module.a.recovery" == left_out.place.path


def test_what_has_no_place_of_its_own() -> None:
    """A default that no argument changes: what the remedy would set leads to the call."""
    found = only(report(f'module "a" {{\n  source = "{FETCHED}"\n  name = "orders-prod"\n}}\n'), "TG304")
    assert ("main.tf:1:1", "# in module.a:\nprotection = true") == (spot(found.place), found.fix)


def test_what_no_argument_leads_to() -> None:
    """It is the caller's if the module was fetched, and the module's otherwise."""
    fetched = only(report(f'module "a" {{\n  source = "{FETCHED}"\n  name = "x-prod"\n}}\n', "false"), "TG301")
    assert ("main.tf:1:1", "m/module.tf:19:15") == (spot(fetched.place), inside(fetched))
    assert (fetched.fix or "").startswith("# module.a offers no argument for point_in_time_recovery.enabled\n")
    own = only(report(f'module "a" {{\n  source = "{LOCAL}"\n  name = "x-prod"\n}}\n', "false"), "TG301")
    assert ("m/module.tf:19:15", None) == (spot(own.place), inside(own))
    assert (own.fix or "").startswith("point_in_time_recovery {")


@pytest.mark.parametrize(
    ("repeats", "argument", "place"),
    [
        ("for_each = { x = { recovery = false } }", "each.value.recovery", "main.tf:5:14"),
        ("count = 1", "false", "main.tf:5:14"),
        ("count = 1", "local.off", "main.tf:5:14"),
    ],
)
def test_repeated_calls(repeats: str, argument: str, place: str) -> None:
    """Each instance is of the one call."""
    main = 'locals { off = false }\nmodule "a" {\n  source = "./m"\n  %s\n  recovery = %s\n  name = "x-prod"\n}\n'
    assert place == spot(only(report(main % (repeats, argument)), "TG301").place)


WRAPPER = """variable "items" {}
variable "defaults" { default = {} }
module "b" {
  source   = "../m"
  for_each = var.items
  name     = each.key
  recovery = try(each.value.recovery, var.defaults.recovery, false)
}
"""
MAIN = """module "w" {
  source = "%s"
  items = {
    orders-prod = { %s }
  }
  defaults = { %s }
}
"""


@pytest.mark.parametrize("origin", ["./w", FETCHED])
@pytest.mark.parametrize(
    ("item", "default", "place", "fix"),
    [
        ("recovery = false", "recovery = true", "main.tf:4:32", '# in module.w, in items["orders-prod"]:'),
        ("", "recovery = false", "main.tf:6:27", "# in module.w, in defaults:"),
        ("", "", "main.tf:4:19", '# in module.w, in items["orders-prod"]:'),
    ],
)
def test_calls_in_calls(origin: str, item: str, default: str, place: str, fix: str) -> None:
    """Through for_each and each.value to the item, or to what is used where it says nothing."""
    found = only(report(MAIN % (origin, item, default), more={"w/module.tf": WRAPPER}), "TG301")
    assert (place, "m/module.tf:19:15") == (spot(found.place), inside(found))
    assert f"{fix}\nrecovery = true" == found.fix


def test_a_fetched_module_is_never_edited() -> None:
    """Also if it is the one that calls another with the wrong argument."""
    wrapper = WRAPPER.replace("try(each.value.recovery, var.defaults.recovery, false)", "false")
    found = only(report(MAIN % (FETCHED, "", ""), more={"w/module.tf": wrapper}), "TG301")
    assert ("main.tf:1:1", "m/module.tf:19:15") == (spot(found.place), inside(found))
    own = only(report(MAIN % ("./w", "", ""), more={"w/module.tf": wrapper}), "TG301")
    assert "w/module.tf:7:14" == spot(own.place)


REPLICAS = 'module "a" {\n  source = "%s"\n  name = "x-prod"\n  recovery = true\n  replicas = [\n    %s\n  ]\n}\n'


@pytest.mark.parametrize("replica", [OWN, "replica.value.recovery", "try(replica.value.recovery, false)"])
def test_items_of_dynamic_blocks(replica: str) -> None:
    """The item that makes the block, and its member."""
    items = '{ region = "eu-west-1", recovery = true },\n    { region = "eu-west-2", recovery = false },'
    found = only(report(REPLICAS % (FETCHED, items), replica=replica), "TG302")
    assert "main.tf:7:40" == spot(found.place)
    assert '# in module.a, in an item of replicas:\nregion = "eu-west-1"\nrecovery = true' == found.fix


def test_a_member_that_a_dynamic_block_leaves_out() -> None:
    """The module does not pass it on."""
    found = only(report(REPLICAS % (FETCHED, '{ region = "eu-west-1" }'), replica="false"), "TG302")
    assert "main.tf:1:1" == spot(found.place)
    assert "# module.a offers no argument for replica.point_in_time_recovery" in (found.fix or "")


def test_an_argument_that_is_given_already() -> None:
    """Nobody is told to write what is there: the replica does not get it."""
    items = REPLICAS % (LOCAL, '{ region = "eu-west-1", recovery = true }')
    found = only(report(items.replace("  replicas", "  protection = true\n  replicas")), "TG304")
    assert (found.fix or "").startswith("# module.a is given it already, and does not pass it on; in the module:")


def test_only_what_is_missing_is_to_be_written() -> None:
    """What the call has already is left out; a fetched module that does not pass it on is said to."""
    items = REPLICAS % (FETCHED, '{ region = "eu-west-1", recovery = true }')
    found = only(report(items.replace("  replicas", "  protection = true\n  replicas")), "TG304")
    assert found.fix is not None
    assert "# module.a is given it already, and does not pass it on" == found.fix.splitlines()[0]


PLAN = FIXTURES / "plans" / "called-modules"


@pytest.mark.parametrize("files", [{}, source(PLAN)], ids=["alone", "with source"])
def test_plans(files: Mapping[str, str]) -> None:
    """The plan alone tells the argument as a path, and has no line."""
    found = finding(judged(files, PLAN), "TG301", 'module.plain["logs"].aws_dynamodb_table.this[0]')
    assert found.place is not None
    assert 'module.plain["logs"].recovery' == found.place.path
    assert found.place.inside is not None
    assert "point_in_time_recovery[0].enabled" == found.place.inside.path
    assert '# in module.plain["logs"]:\nrecovery = true' == found.fix
    assert ("main.tf:82:14" if files else "plan.json") == spot(found.place)


def test_leaves_of_remedies() -> None:
    """The arguments that a remedy sets; those of a resource beside the table are none."""
    text = 'ttl {\n  enabled = true # now\n}\n# so\ntags = {\n  a = "b"\n}\n'
    assert [("ttl[0].enabled", "true"), ("tags", '{\n  a = "b"\n}')] == [(one.path, one.value) for one in leaves(text)]
    assert [] == leaves("a sentence") == leaves(None) == leaves("x { y = 1 }")
