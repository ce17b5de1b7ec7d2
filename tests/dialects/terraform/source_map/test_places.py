"""Where a finding in a plan stands in the source of the plan, and because of which argument."""

from __future__ import annotations

from support.source_lines import EU, FIXTURES, US, changed, finding, inside, judged, reason, source, spot
from tablegate.syntax.source import Source

MODULE = "modules/orders/orders.tf"
AT_RECOVERY = f"{MODULE}:17:15"
AT_TABLE = f"{MODULE}:5:1"
CALL = "main.tf:13:15"  # what the call gives for it


def test_an_argument_points_at_what_gave_it() -> None:
    """Through a variable of the module, each.value of its call and a local, to this instance's own member."""
    found = finding(judged(source()), "TG301")
    assert (CALL, "main.tf:3:23", AT_RECOVERY) == (spot(found.place), reason(found), inside(found))


def test_values_of_variables_count_before_defaults() -> None:
    """As Terraform takes them."""
    without = {name: text for name, text in source().items() if name != "terraform.tfvars"}
    assert "terraform.tfvars:2:13" == reason(finding(judged(source()), "TG304"))
    # The plan says false, the default says true: it was given on the command line, which no file shows.
    found = finding(judged(without), "TG304")
    assert ("main.tf:14:15", None) == (spot(found.place), reason(found))


def test_a_file_of_variables_that_is_named_counts_first() -> None:
    """As it does for Terraform."""
    given = Source("prod.tfvars", b"protected = false\n")
    assert "prod.tfvars:1:13" == reason(finding(judged(source(), values=(given,)), "TG304"))


def test_a_default_that_agrees_is_the_reason() -> None:
    """Where nothing else gives a variable."""
    files = changed("main.tf", "default = true", "default = false")
    del files["terraform.tfvars"]
    assert "main.tf:47:13" == reason(finding(judged(files), "TG304"))


def test_what_is_made_of_a_key_is_its_own_reason() -> None:
    """A name with each.key in it stands where it is put together."""
    found = finding(judged(source()), "TG901")
    assert ("main.tf:12:15", None) == (spot(found.place), reason(found))


def test_a_sensitive_variable_is_no_reason() -> None:
    """What it is given stands on a line that nobody should read."""
    files = changed(MODULE, 'variable "recovery" {}', 'variable "recovery" {\n  sensitive = true\n}')
    assert reason(finding(judged(files), "TG301")) is None


def test_what_is_not_written_points_at_its_resource() -> None:
    """There it is to be written."""
    assert AT_TABLE == spot(finding(judged(source()), "TG201").place)


def test_two_arguments_in_one_expression_are_no_reason() -> None:
    """Nobody can tell which of them it is."""
    files = changed(MODULE, "enabled = var.recovery", "enabled = var.recovery && var.protected")
    found = finding(judged(files), "TG301")
    assert (CALL, None, AT_RECOVERY) == (spot(found.place), reason(found), inside(found))  # by the plan, it is one


def test_statements_point_at_their_line() -> None:
    """Of a document in jsonencode, which the plan hides: the resource that is meant."""
    found = finding(judged(source()), "TG505", "aws_iam_role_policy.worker")
    assert "main.tf:39:21" == spot(found.place)


def test_statements_of_a_text_point_at_their_line() -> None:
    """A heredoc keeps its lines; what is put into it does not count."""
    document = """policy = <<-EOT
    {
      "Version": "2012-10-17",
      "Statement": [
        {"Effect": "Allow", "Action": "dynamodb:GetItem", "Resource": "${module.orders["eu"].arn}"},
        {"Effect": "Allow", "Action": "dynamodb:*", "Resource": ["${module.orders["us"].arn}*"]}
      ]
    }
  EOT
}

variable "protected" {"""
    files = source()
    before, _, after = files["main.tf"].rpartition("policy = jsonencode({")
    files["main.tf"] = before + document + after.partition('variable "protected" {')[2]
    found = finding(judged(files), "TG505", "aws_iam_role_policy.worker")
    assert "main.tf:33:66" == spot(found.place)


def test_a_module_from_elsewhere_is_read_where_somebody_says() -> None:
    """Otherwise its resources have no lines, but its call has."""
    files = changed("main.tf", '"./modules/orders"', '"example/orders/aws"')
    untrusted = finding(judged(files), "TG301")
    assert (CALL, "plan.json") == (spot(untrusted.place), inside(untrusted))
    trusted = finding(judged(files, modules={"orders": "modules/orders"}), "TG301")
    assert (CALL, AT_RECOVERY) == (spot(trusted.place), inside(trusted))


def test_override_files_override() -> None:
    """The argument stands where Terraform takes it from."""
    files = source() | {
        "modules/orders/override.tf": 'resource "aws_dynamodb_table" "this" {\n'
        "  deletion_protection_enabled = var.protected\n}\n"
    }
    assert "modules/orders/override.tf:2:33" == inside(finding(judged(files), "TG304"))


def test_source_in_json_has_places_too() -> None:
    """A table in the other syntax, with the same lines to point at."""
    files = source()
    del files[MODULE]
    files["modules/orders/orders.tf.json"] = """{
  "variable": {"name": {}, "recovery": {}, "protected": {}},
  "resource": {"aws_dynamodb_table": {"this": {
    "name": "${var.name}",
    "billing_mode": "PAY_PER_REQUEST",
    "hash_key": "pk",
    "deletion_protection_enabled": "${var.protected}",
    "attribute": {"name": "pk", "type": "S"},
    "point_in_time_recovery": {
      "enabled": "${var.recovery}"
    },
    "lifecycle": {"prevent_destroy": true}
  }}},
  "output": {"arn": {"value": "${aws_dynamodb_table.this.arn}"}}
}"""
    found = finding(judged(files), "TG301")
    assert ("modules/orders/orders.tf.json:10:18", "main.tf:3:23") == (inside(found), reason(found))


def test_instances_have_their_own_reasons() -> None:
    """What one of them was given is not said of the other."""
    report = judged(changed("main.tf", "us = { recovery = true }", "us = { recovery = var.protected }"))
    assert "main.tf:3:23" == reason(finding(report, "TG301", EU))
    assert [] == [item for item in report.findings if item.policy.id == "TG301" and item.address == US]


def test_indexes_are_told_apart_by_their_names() -> None:
    """A plan keeps them in an order of its own."""
    folder = FIXTURES / "tables" / "hot-keys"
    files = source(folder)
    found = [item for item in judged(files, folder).findings if item.policy.id == "TG603"]
    assert [] != found
    for item in found:
        assert item.place is not None
        lines = files["main.tf"].splitlines()[: item.place.line]
        named = next(line for line in reversed(lines) if line.strip().startswith("name "))
        assert named.split('"')[1] == (item.part or {}).get("index")
