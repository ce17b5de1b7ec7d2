"""AWS Backup covers a table by ARN, wildcard, tag or condition, less what it leaves out."""

from __future__ import annotations

from typing import Any

import pytest

from support.plans import TABLE, change, configured, only, resource, told, written

ARN = "arn:aws:dynamodb:eu-west-1:123456789012:table/orders-prod"
TAGGED = {"tags_all": {"backup": "daily", "team": "shop"}}


def covered(
    selection: dict[str, Any],
    *,
    table: dict[str, Any] | None = None,
    unknown: Any = None,
    expressions: Any = None,
    table_unknown: Any = None,
) -> object:
    """Whether a selection covers a table in eu-west-1."""
    configuration = configured(resource({}), resource(expressions or {}, type="aws_backup_selection", name="s"))
    reading = written(
        change({**TABLE, **(table or {})}, unknown=table_unknown or {"arn": True}),
        change(selection, type="aws_backup_selection", name="s", unknown=unknown),
        configuration=configuration,
    )
    return told(only(reading).backed_up)


@pytest.mark.parametrize(
    ("pattern", "found"),
    [
        (ARN, True),
        ("*", True),
        ("arn:aws:dynamodb:*", True),
        ("arn:aws:dynamodb:*:*:table/*", True),
        ("arn:aws:dynamodb:eu-*:*:table/orders-*", True),
        ("arn:aws:dynamodb:us-*:*:table/*", ...),
        ("arn:aws:dynamodb:*:*:table/users*", ...),
        ("arn:aws:rds:*:*:db:*", ...),
        ("arn:aws:rds:*", ...),
        ("orders-prod", ...),
    ],
)
@pytest.mark.parametrize("exists", [True, False])
def test_by_arn(pattern: str, found: object, exists: bool) -> None:
    """A wildcard matches the ARN, also the one that a new table will have."""
    if pattern == ARN and not exists:
        found = "unknown: the ARN of aws_dynamodb_table.t is known only after apply"
    assert covered({"resources": [pattern]}, table={"arn": ARN} if exists else None) == found


def test_left_out() -> None:
    """What a selection leaves out it does not cover."""
    assert covered({"resources": ["*"], "not_resources": ["arn:aws:dynamodb:*:*:table/orders-*"]}) is ...
    assert covered({"resources": ["*"], "not_resources": ["arn:aws:dynamodb:*:*:table/users-*"]}) is True
    assert covered({"resources": ["*"], "not_resources": []}) is True


def test_nothing_selected() -> None:
    """A selection that names nothing covers nothing."""
    assert covered({"resources": [], "selection_tag": [], "condition": []}) is ...


@pytest.mark.parametrize(
    ("tags", "found"),
    [
        ([{"type": "STRINGEQUALS", "key": "backup", "value": "daily"}], True),
        ([{"type": "STRINGEQUALS", "key": "backup", "value": "weekly"}], ...),
        ([{"type": "STRINGEQUALS", "key": "missing", "value": ""}], ...),
        ([{"type": "x", "key": "backup", "value": "no"}, {"type": "x", "key": "team", "value": "shop"}], True),
    ],
)
def test_by_tag(tags: list[dict[str, str]], found: object) -> None:
    """Any of the selection's tags is enough."""
    assert covered({"selection_tag": tags}, table=TAGGED) == found


def condition(kind: str, key: str, value: str) -> dict[str, Any]:
    """A selection of everything on one condition."""
    return {"resources": ["*"], "condition": [{kind: [{"key": f"aws:ResourceTag/{key}", "value": value}]}]}


@pytest.mark.parametrize(
    ("selection", "found"),
    [
        (condition("string_equals", "backup", "daily"), True),
        (condition("string_equals", "backup", "d*"), ...),
        (condition("string_like", "backup", "d*"), True),
        (condition("string_not_equals", "backup", "daily"), ...),
        (condition("string_not_equals", "missing", "daily"), True),
        (condition("string_not_like", "backup", "w*"), True),
        ({"condition": [{"string_equals": [{"key": "aws:ResourceTag/backup", "value": "daily"}]}]}, True),
    ],
)
def test_by_condition(selection: dict[str, Any], found: object) -> None:
    """Every condition must hold."""
    assert covered(selection, table=TAGGED) == found
    both = [
        *selection["condition"],
        {"string_equals": [{"key": "aws:ResourceTag/team", "value": "other"}]},
    ]
    assert covered({**selection, "condition": both}, table=TAGGED) is ...


@pytest.mark.parametrize(
    ("selection", "unknown"),
    [
        ({}, {"selection_tag": True}),
        ({"selection_tag": [{"key": "backup"}]}, {"selection_tag": [{"value": True}]}),
        ({"selection_tag": [None]}, {"selection_tag": [True]}),
        (
            {"resources": ["*"], "condition": [{"string_equals": [{"key": "k"}]}]},
            {"condition": [{"string_equals": [{"value": True}]}]},
        ),
        ({"resources": ["*"], "condition": [None]}, {"condition": [True]}),
        ({"resources": ["*"], "condition": [{"string_equals": [None]}]}, {"condition": [{"string_equals": [True]}]}),
    ],
)
def test_selection_in_doubt(selection: dict[str, Any], unknown: Any) -> None:
    """What the selection will say is not known: neither is whether it covers the table."""
    assert str(covered(selection, unknown=unknown, table=TAGGED)).startswith("unknown: ")


def test_condition_block_in_doubt() -> None:
    """Conditions that are written and not known may not hold."""
    found = covered(
        {"resources": ["*"]}, unknown={"condition": True}, expressions={"condition": [{"references": ["local.c"]}]}
    )
    assert "local.c" in str(found)


def test_tags_in_doubt() -> None:
    """Where the table's tags are not known, a selection by tag may cover it."""
    tag = {"selection_tag": [{"key": "backup", "value": "daily"}]}
    assert str(covered(tag, table_unknown={"tags": True, "tags_all": True})).startswith("unknown: ")
    assert "'backup'" in str(covered(tag, table={"tags_all": {"backup": None}}))


ABOUT_TABLE = {"references": ["aws_dynamodb_table.t.arn", "aws_dynamodb_table.t"]}
ABOUT_BUCKET = {"references": ["aws_s3_bucket.b.arn", "aws_s3_bucket.b"]}


@pytest.mark.parametrize(
    ("expression", "found"),
    [
        (ABOUT_TABLE, True),
        (
            {"references": ["local.arns"]},
            "unknown: known only after apply: local.arns, which a plan does not spell out",
        ),
        ({"references": ["data.aws_dynamodb_table.t.arn", "data.aws_dynamodb_table.t"]}, ...),
    ],
)
def test_by_reference(expression: dict[str, Any], found: object) -> None:
    """A list of ARNs that come later holds the tables that it refers to."""
    for selection, unknown in (({}, True), ({"resources": [None]}, [True])):
        assert covered(selection, unknown={"resources": unknown}, expressions={"resources": expression}) == found


def test_other_resources() -> None:
    """A list that comes later and refers to other resources only is not about the table."""
    reading = written(
        change(TABLE),
        change({}, type="aws_s3_bucket", name="b", unknown={"arn": True}),
        change({}, type="aws_backup_selection", name="s", unknown={"resources": True}),
        configuration=configured(
            resource({}), resource({"resources": ABOUT_BUCKET}, type="aws_backup_selection", name="s")
        ),
    )
    assert told(only(reading).backed_up) is ...


def test_left_out_by_reference() -> None:
    """A table that is left out by reference is left out."""
    found = covered({"resources": ["*"]}, unknown={"not_resources": True}, expressions={"not_resources": ABOUT_TABLE})
    assert found is ...
