"""Documents that data sources compose during the apply: their statements are in the plan, holes and all."""

from __future__ import annotations

from functools import cache

from support.planned_access import counted, grants, holders, made, unread
from tablegate.dialects.reading import Reading

ARN = "arn:aws:dynamodb:us-east-1:${account}:table"


@cache
def deferred() -> Reading:
    return made("deferred")


def mine(address: str, holder: str = "aws_iam_role.worker") -> list[str]:
    found = grants(holders(deferred())[holder])
    return [line.removeprefix(f"{address} ") for line in found if line.startswith(address)]


def test_known_elements_stand_beside_those_that_refer_to_a_table() -> None:
    """A literal star is read whatever stands beside it; a reference is the table, or something below it."""
    items, deny, _, _ = mine("aws_iam_role_policy.mixed")
    assert items == f"Items: Allow dynamodb:GetItem, dynamodb:PutItem on *, {ARN}/orders…"
    assert deny.startswith(f"1: Deny dynamodb:DeleteItem on {ARN}/audit…, ")


def test_more_references_than_elements_are_each_there_only_perhaps() -> None:
    """A Deny that may be about one of several tables is none about any of them for certain."""
    worker = holders(deferred())["aws_iam_role.worker"]
    (deny,) = [one for one in worker.grants if one.address.endswith("mixed") and one.statement.denies]
    assert len(deny.statement.resources.texts) == 4
    assert deny.statement.resources.sure == ()


def test_a_reference_to_another_service_is_no_table() -> None:
    """A bucket's ARN leaves no doubt about tables, and a stream's ARN is the stream itself."""
    third = mine("aws_iam_role_policy.mixed")[2]
    label = '${module.tables["audit"].aws_dynamodb_table.this.stream_label}'
    assert third == (
        "2: Allow dynamodb:GetRecords, s3:GetObject on arn:aws:s3:us-east-1:${account}:${aws_s3_bucket.files.arn}, "
        f"{ARN}/audit/stream/{label}"
    )


def test_a_local_value_is_a_dead_end_and_said_so() -> None:
    """A plan does not spell local values out: what they hold is not known, and that matters."""
    worker = holders(deferred())["aws_iam_role.worker"]
    assert mine("aws_iam_role_policy.mixed")[3] == "Rest: Allow not iam:* on  and more"
    why = "known only after apply: local.arn, which is not in the plan"
    assert ("aws_iam_role_policy.mixed", True, True, why) in unread(worker)


def test_sources_come_first_and_overrides_last() -> None:
    """A statement takes the place of an earlier one with its Sid, as the provider merges."""
    assert [line.partition(" on ")[0] for line in mine("aws_iam_role_policy.merged")] == [
        "First: Allow dynamodb:DescribeLimits",
        "Items: Allow dynamodb:GetItem",
        "2: Deny dynamodb:DeleteItem",
        "3: Allow dynamodb:GetRecords, s3:GetObject",
        "Rest: Allow not iam:*",
    ]


def test_a_merged_statement_stands_where_it_was_written() -> None:
    """Its place is that of the data source that holds it, and its address the consumer's."""
    worker = holders(deferred())["aws_iam_role.worker"]
    places = {
        one.label: one.statement.place.path
        for one in worker.grants
        if one.address == "aws_iam_role_policy.merged" and one.statement.place
    }
    assert places["Items"] == "data.aws_iam_policy_document.override.statement[0]"
    assert places["Rest"] == "data.aws_iam_policy_document.mixed.statement[3]"
    assert {one.spelling for one in worker.grants} == {"hcl"}


def test_equal_conditions_are_alternatives() -> None:
    """Two blocks with one test and variable give one condition with the values of both."""
    worker = holders(deferred())["aws_iam_role.worker"]
    (items,) = [one for one in worker.grants if one.address.endswith("mixed") and one.label == "Items"]
    (condition,) = items.statement.conditions
    shown = sorted(map(items.document.shown, condition.values))
    assert (condition.operator, condition.key, shown) == (
        "StringEquals",
        "aws:resourcetag/team",
        ["${aws:PrincipalTag/team}", "blue"],
    )


def test_a_statement_from_a_dynamic_block_does_not_borrow_anothers_references() -> None:
    """What a dynamic block reads is not in the plan: its elements are unknown, those beside it are not."""
    found = mine("aws_iam_policy.dynamic", "aws_iam_policy.dynamic")
    assert found == [
        f"Fixed: Allow dynamodb:Query on {ARN}/audit…",
        "orders: Allow dynamodb:Scan on  and more",
    ]


def test_each_instance_refers_to_its_own_table() -> None:
    """for_each over tables, and over modules: a key leads to the instance with that key."""
    assert mine("aws_iam_policy.each") == [
        f'aws_iam_policy.each["{name}"] 0: Allow dynamodb:UpdateItem on {ARN}/{name}…' for name in ("audit", "orders")
    ]


def test_references_lead_through_the_variables_of_a_module() -> None:
    """What a module is given is what its documents refer to."""
    for name in ("audit", "orders"):
        module = f'module.reader["{name}"]'
        (line,) = grants(holders(deferred())[f"{module}.aws_iam_role.reader"])
        assert line.startswith(
            f"{module}.aws_iam_role_policy.reader Read: Allow dynamodb:Query on {ARN}/{name}…, {ARN}/{name}/stream/"
        )


def test_a_document_that_is_never_made_is_never_seen() -> None:
    """Documents come from what the plan makes, not from what the configuration could."""
    assert not any("never" in grant for one in holders(deferred()).values() for grant in grants(one))
    assert counted(deferred()) == (7, 3, 0)
