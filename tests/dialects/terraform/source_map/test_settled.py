"""What source settles that a plan hides. Source that is not the plan's own settles nothing, and moves nothing."""

from __future__ import annotations

import pytest

from support.source_lines import EU, FIXTURES, POLICIES, Held, changed, finding, inside, judged, reason, source, spot
from tablegate.dialects.reading import ReadOptions
from tablegate.engine.settings import Settings
from tablegate.findings import Exit, Outcome
from tablegate.run.gate import check
from tablegate.syntax.source import Source

MODULE = "modules/orders/orders.tf"
PREVENTED = "  lifecycle {\n    prevent_destroy = true\n  }\n"


def outcomes(files: dict[str, str], policy: str) -> list[str]:
    """What a policy says of the project's tables."""
    return [str(item.outcome) for item in judged(files).findings if item.policy.id == policy]


def test_prevent_destroy_is_read() -> None:
    """Only source holds it: without any, nothing holds the table back."""
    assert [] == outcomes(source(), "TG305")
    assert ["fails", "fails"] == outcomes(changed(MODULE, PREVENTED, ""), "TG305")


@pytest.mark.parametrize(
    ("written", "outcome"),
    [
        ("var.protected", "fails"),
        ("!var.protected", None),
        ('"true"', None),
        ('"false"', "fails"),
        ("tobool(null)", "unknown"),
        ("var.unheard_of", "unknown"),
        ('"yes"', "unknown"),
    ],
)
def test_prevent_destroy_by_an_expression(written: str, outcome: str | None) -> None:
    """OpenTofu takes variables there: the plan has their values."""
    files = changed(MODULE, "prevent_destroy = true", f"prevent_destroy = {written}")
    assert ([outcome, outcome] if outcome else []) == outcomes(files, "TG305")


def test_destroy_is_read() -> None:
    """A table that outlives its resource is kept."""
    assert [] == outcomes(changed(MODULE, "prevent_destroy = true", "destroy = false"), "TG305")
    assert ["fails", "fails"] == outcomes(changed(MODULE, "prevent_destroy = true", "destroy = true"), "TG305")


TOFU = FIXTURES / "provider6" / "tofu-prevent-false"
OVERRIDE = 'resource "aws_dynamodb_table" "orders" {\n  lifecycle {\n    prevent_destroy = true\n  }\n}\n'


@pytest.mark.parametrize(
    ("registries", "kept"),
    [
        (("opentofu.org", "opentofu.org"), True),
        (("terraform.io", "terraform.io"), False),
        (("opentofu.org", "terraform.io"), False),
        (("terraform.io", "opentofu.org"), False),
    ],
)
def test_files_of_opentofu(registries: tuple[str, str], kept: bool) -> None:
    """They count for a plan of OpenTofu alone, whose providers are all from its own registry."""
    head, configuration = (TOFU / "plan.json").read_text().split('"configuration"')
    parts = (text.replace("opentofu.org", name) for text, name in zip((head, configuration), registries, strict=True))
    files = {"main.tf": (TOFU / "main.tf").read_text(), "z_override.tofu": OVERRIDE}
    held = Source("plan.json", '"configuration"'.join(parts).encode(), tree=Held(files, {}))
    report = check((held,), POLICIES, Settings(select=("TG305",)), ReadOptions())
    assert [str(item.outcome) for item in report.findings] == ([] if kept else ["fails"])


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('hash_key                    = "pk"', 'hash_key = "pk"\n  stream_enabled = false'),
        ('billing_mode                = "PAY_PER_REQUEST"\n', ""),
        ('hash_key                    = "pk"', 'hash_key = "id"'),
        ("enabled = var.recovery", "enabled = var.protected"),
        ("enabled = var.recovery", "enabled = true"),
        ('  attribute {\n    name = "pk"\n    type = "S"\n  }\n', ""),
    ],
    ids=["more", "less", "another-constant", "another-reference", "constant-for-reference", "no-block"],
)
def test_stale_source_settles_nothing(old: str, new: str) -> None:
    """Where configuration and source differ in one argument, what the plan hides stays hidden."""
    assert ["unknown", "unknown"] == outcomes(changed(MODULE, old, new), "TG305")


def test_another_call_of_the_module_settles_nothing() -> None:
    """What the module's expressions come to hangs on it."""
    assert ["unknown", "unknown"] == outcomes(
        changed("main.tf", "protected = var.protected", "protected = true"), "TG305"
    )
    assert ["unknown", "unknown"] == outcomes(changed("main.tf", "  protected = var.protected\n", ""), "TG305")


def test_a_resource_that_is_not_there_has_no_place() -> None:
    """No place is better than a wrong one."""
    report = judged(changed(MODULE, '"aws_dynamodb_table" "this"', '"aws_dynamodb_table" "that"'))
    assert "plan.json" == inside(finding(report, "TG301"))


def test_an_argument_that_says_something_else_is_not_the_place() -> None:
    """The plan says false, and nobody is sent to a line that says true: the resource stays."""
    report = judged(changed(MODULE, "enabled = var.recovery", "enabled = true"))
    assert (Outcome.FAILS, f"{MODULE}:5:1") == (finding(report, "TG301").outcome, inside(finding(report, "TG301")))


def test_a_call_that_says_something_else_is_the_place() -> None:
    """Its argument would be the wrong line."""
    report = judged(changed("main.tf", "each.value.recovery", "true"))
    assert "main.tf:13:15" == spot(finding(report, "TG301").place)  # the plan does not tell what each.value was
    report = judged(changed("main.tf", "protected = var.protected", ""))
    assert "main.tf:8:1" == spot(finding(report, "TG304").place)


def test_an_argument_that_is_gone_leaves_the_resource() -> None:
    """What it was planned with may go on: it is the resource that has to be looked at."""
    report = judged(changed(MODULE, "  point_in_time_recovery {\n    enabled = var.recovery\n  }\n", ""))
    assert f"{MODULE}:5:1" == inside(finding(report, "TG301"))


def test_two_blocks_of_one_name_are_none() -> None:
    """Nobody knows which of them was planned."""
    files = source()
    files["modules/orders/copy.tf"] = files[MODULE]
    assert "plan.json" == inside(finding(judged(files), "TG301"))


def test_source_that_cannot_be_read_does_not_block() -> None:
    """The plan was judged; what has no lines is said."""
    files = source() | {MODULE: 'resource "aws_dynamodb_table" "this" {\n  name = \n}\n'}
    report = judged(files)
    assert [(False, MODULE, 2)] == [(fault.blocks, fault.place.file, fault.place.line) for fault in report.faults]
    assert Exit.BLOCKED is report.exit


def test_values_that_cannot_be_read_give_no_reason() -> None:
    """Nor do they block."""
    report = judged(source() | {"terraform.tfvars": "protected ="})
    assert [(False, "terraform.tfvars")] == [(fault.blocks, fault.place.file) for fault in report.faults]
    assert "main.tf:14:15" == spot(finding(report, "TG304").place)
    assert reason(finding(report, "TG304")) is None


def test_a_file_without_the_resource_is_not_parsed() -> None:
    """Only what holds the names that are looked for is."""
    folder = FIXTURES / "examples"
    assert () == judged(source(folder) | {"notes.tf": "this { is not Terraform"}, folder).faults


def test_a_dynamic_block_is_told_from_none() -> None:
    """Over something unknown it may make a block; where there is none, the default is what will be."""
    folder = FIXTURES / "plans" / "dynamic-blocks"
    with_source, alone = judged(source(folder), folder), judged({}, folder)
    found = finding(with_source, "TG201", "aws_dynamodb_table.later")
    assert (Outcome.FAILS, Outcome.UNKNOWN) == (found.outcome, finding(alone, "TG201", found.address).outcome)


def test_locals_are_followed() -> None:
    """A plan does not hold what they read."""
    folder = FIXTURES / "plans" / "keys"
    address = "module.local.aws_dynamodb_table.this"
    assert Outcome.FAILS is finding(judged(source(folder), folder), "TG204", address).outcome
    assert [] == [item for item in judged({}, folder).findings if (item.policy.id, item.address) == ("TG204", address)]


def test_a_document_that_the_plan_hides_is_read() -> None:
    """Its text is in the source, but for the ARNs that are not known: those are the tables themselves."""
    address = "aws_iam_role_policy.worker"
    assert "unknown" == str(finding(judged({}), "TG541", address).outcome)
    found = finding(judged(source()), "TG505", address)
    assert {"statement": "1"} == found.part
    assert [] == [item for item in judged(source()).findings if item.policy.id == "TG541"]


def test_a_document_of_stale_source_is_not_read() -> None:
    """It may be another one by now."""
    stale = changed("main.tf", 'name = "tables"', 'name = "others"')
    assert "unknown" == str(finding(judged(stale), "TG541", "aws_iam_role_policy.worker").outcome)


def test_the_message_stays() -> None:
    """Lines change nothing in what is said."""
    assert finding(judged({}), "TG301", EU).message == finding(judged(source()), "TG301", EU).message


@pytest.mark.parametrize("label", ['"this"', '"th\\u0069s"', '"\\U00000074his"'])
def test_an_override_counts_however_its_label_is_written(label: str) -> None:
    """A file is left out only if it cannot have the name."""
    override = f'resource "aws_dynamodb_table" {label} {{\n  lifecycle {{\n    prevent_destroy = false\n  }}\n}}\n'
    assert ["fails", "fails"] == outcomes(source() | {"modules/orders/override.tf": override}, "TG305")
