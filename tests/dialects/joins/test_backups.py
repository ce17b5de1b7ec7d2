"""Which tables a backup selection covers: by ARN, wildcard, tag and condition, less what it excludes."""

from __future__ import annotations

from typing import Any

from support.both import ARN, LATER, NAME, UNKNOWN, Case, Refers, cloudformation, each, terraform, told
from tablegate.model.value import Origin

Both = tuple[dict[str, Any], str]
"""A part of a selection in Terraform and in CloudFormation."""

TAGS = {"backup": "daily", "team": "shop"}
TABLE = Refers("aws_dynamodb_table.t.arn")
BUCKET = Refers("aws_s3_bucket.b.arn")
OWN = "arn:${AWS::Partition}:dynamodb:${AWS::Region}:${AWS::AccountId}:table"


def text(value: Any) -> str:
    """A value in YAML; one that is not known refers to a parameter."""
    return "!Ref P" if value is LATER else f"'{value}'"


def listed(*patterns: Any) -> Both:
    """A selection of these ARNs."""
    return {"resources": list(patterns)}, f"Resources: [{', '.join(map(text, patterns))}]"


def excluded(*patterns: Any) -> Both:
    """A selection without these ARNs."""
    return {"not_resources": list(patterns)}, f"NotResources: [{', '.join(map(text, patterns))}]"


def tagged(key: str, value: Any) -> Both:
    """A selection of what has a tag."""
    return (
        {"selection_tag": [{"type": "STRINGEQUALS", "key": key, "value": value}]},
        f"ListOfTags: [{{ConditionType: STRINGEQUALS, ConditionKey: {key}, ConditionValue: {text(value)}}}]",
    )


def on(kind: str, key: str, value: Any) -> Both:
    """A selection on a condition, such as ``string_not_like``."""
    test = f"{{ConditionKey: 'aws:ResourceTag/{key}', ConditionValue: {text(value)}}}"
    return (
        {"condition": [{kind: [{"key": f"aws:ResourceTag/{key}", "value": value}]}]},
        f"Conditions: {{{kind.title().replace('_', '')}: [{test}]}}",
    )


def and_(*parts: Both) -> Both:
    """Several parts of one selection."""
    terraform_parts, texts = zip(*parts, strict=True)
    return {key: it for part in terraform_parts for key, it in part.items()}, ", ".join(texts)


ALL = listed("*")
TABLES = "arn:aws:dynamodb:*:*:table"
CASES = [
    Case("everything", *ALL, True),
    Case("a short wildcard", *listed("arn:aws:dynamodb:*"), True),
    Case("every table", *listed(f"{TABLES}/*"), True),
    Case("a beginning", *listed("arn:aws:dynamodb:eu-*:*:table/ord*"), True),
    Case("one character", *listed(f"{TABLES}/order?"), True),
    Case("one character too many", *listed(f"{TABLES}/orders?"), False),
    Case("another region", *listed("arn:aws:dynamodb:us-*:*:table/*"), False),
    Case("another name", *listed(f"{TABLES}/carts"), False),
    Case("another service", *listed("arn:aws:rds:*:*:db:*"), False),
    Case("a short wildcard of another service", *listed("arn:aws:rds:*"), False),
    Case("a name", *listed(NAME), False),
    Case("an account that may be another", *listed(ARN), UNKNOWN),
    Case("a reference", {"resources": TABLE}, "Resources: [!GetAtt Orders.Arn]", True),
    Case("a reference in a list", {"resources": [TABLE]}, "Resources: [!Sub '${Orders.Arn}']", True),
    Case("parts of the stack", None, f"Resources: [!Sub '{OWN}/orders']", True),
    Case("parts of the stack and a reference", None, f"Resources: [!Sub '{OWN}/${{Orders}}']", True),
    Case("another resource", {"resources": BUCKET}, "Resources: [!GetAtt Bucket.Arn]", False),
    Case("a data source", {"resources": Refers("data.aws_dynamodb_table.t.arn")}, None, False),
    Case("any ARN", *listed(LATER), UNKNOWN),
    Case("any list", {"resources": LATER}, "Resources: !Ref P", UNKNOWN),
    Case("nothing", {"resources": [], "selection_tag": [], "condition": []}, "Resources: []", False),
    Case("all but a reference", *and_(ALL, ({"not_resources": TABLE}, "NotResources: [!GetAtt Orders.Arn]")), False),
    Case("all but a wildcard", *and_(ALL, excluded(f"{TABLES}/ord*")), False),
    Case("all but others", *and_(ALL, excluded(f"{TABLES}/c*")), True),
    Case("all but nothing", *and_(ALL, excluded()), True),
    Case("all but any", *and_(ALL, ({"not_resources": LATER}, "NotResources: !Ref P")), UNKNOWN),
    Case("exclusions alone", *excluded(f"{TABLES}/c*"), True),
    Case("a tag", *tagged("backup", "daily"), True),
    Case("a tag with its prefix", *tagged("aws:ResourceTag/backup", "daily"), True),
    Case("another value", *tagged("backup", "weekly"), False),
    Case("no such tag", *tagged("other", ""), False),
    Case("a tag of any value", *tagged("backup", LATER), UNKNOWN),
    Case("any tags", {"selection_tag": LATER}, "ListOfTags: !Ref P", UNKNOWN),
    Case("any tag", {"selection_tag": [LATER]}, "ListOfTags: [!Ref P]", UNKNOWN),
    Case("equal", *on("string_equals", "backup", "daily"), True),
    Case("equal to a wildcard", *on("string_equals", "backup", "d*"), False),
    Case("like", *on("string_like", "backup", "da*"), True),
    Case("like one character", *on("string_like", "backup", "dail?"), True),
    Case("not equal", *on("string_not_equals", "backup", "daily"), False),
    Case("no such tag, not equal", *on("string_not_equals", "other", "daily"), True),
    Case("not like", *on("string_not_like", "backup", "w*"), True),
    Case("all on a condition that fails", *and_(ALL, on("string_equals", "team", "x")), False),
    Case("any conditions", *and_(ALL, ({"condition": LATER}, "Conditions: !Ref P")), UNKNOWN),
    Case(
        "any condition",
        *and_(ALL, ({"condition": [{"string_equals": [LATER]}]}, "Conditions: {StringEquals: [!Ref P]}")),
        UNKNOWN,
    ),
    Case("a condition of any value", *and_(ALL, on("string_equals", "backup", LATER)), UNKNOWN),
]

UNKNOWN_TAG = [
    Case("equal", *tagged("backup", "daily"), UNKNOWN),
    Case("like anything", *and_(ALL, on("string_like", "backup", "*")), UNKNOWN),
    Case("another tag", *tagged("team", "shop"), False),
]


def by_terraform(selection: dict[str, Any], tags: Any = None) -> object:
    """Whether a selection covers the table of a plan."""
    others = {"aws_s3_bucket.b": {"arn": LATER}, "aws_backup_selection.s": selection}
    value = terraform(others, {"tags_all": tags or TAGS}).backed_up
    return value.origin is not Origin.DEFAULT and told(value)


def by_cloudformation(selection: str, tags: str = "{Key: backup, Value: daily}, {Key: team, Value: shop}") -> object:
    """Whether a selection covers the table of a template."""
    resources = f"""
    Bucket: {{Type: 'AWS::S3::Bucket'}}
    S:
      Type: AWS::Backup::BackupSelection
      Properties: {{BackupPlanId: p, BackupSelection: {{SelectionName: s, {selection}}}}}
    """
    (table,) = cloudformation(resources, f", Tags: [{tags}]")
    return told(table.backed_up)


@each(CASES, "terraform")
def test_terraform(given: dict[str, Any], expected: object) -> None:
    """A selection of a plan."""
    assert by_terraform(given) == expected


@each(CASES, "cloudformation")
def test_cloudformation(given: str, expected: object) -> None:
    """A selection of a template."""
    assert by_cloudformation(given) == expected


@each(UNKNOWN_TAG, "terraform")
def test_unknown_tag_of_terraform(given: dict[str, Any], expected: object) -> None:
    """A tag whose value is known only after the apply may be any, and may be missing."""
    assert by_terraform(given, {"backup": None}) == expected


@each(UNKNOWN_TAG, "cloudformation")
def test_unknown_tag_of_cloudformation(given: str, expected: object) -> None:
    """A tag whose value a parameter gives may be any."""
    assert by_cloudformation(given, "{Key: backup, Value: !Ref P}") == expected


def test_any_of_the_tags() -> None:
    """One of the tags of a selection is enough."""
    tags = [{"type": "STRINGEQUALS", "key": key, "value": "shop"} for key in ("backup", "team")]
    assert by_terraform({"selection_tag": tags}) is True


def test_all_of_the_conditions() -> None:
    """Every condition of a selection must hold."""
    conditions = (
        on("string_equals", "backup", "daily")[0]["condition"] + on("string_like", "team", "x*")[0]["condition"]
    )
    assert by_terraform({"resources": ["*"], "condition": conditions}) is False


def test_known_arn() -> None:
    """A table that exists has its account in its ARN."""
    for arn, covered in ((ARN, True), (ARN.replace("arn:aws:", "arn:aws-cn:"), False)):
        value = terraform({"aws_backup_selection.s": {"resources": [arn]}}, {"arn": ARN}).backed_up
        assert told(value) is covered


def test_unknown_name() -> None:
    """A wildcard covers a table whose name is known only after the apply; a name may."""
    for pattern, covered in ((f"{TABLES}/*", True), (f"{TABLES}/orders", UNKNOWN), ("arn:aws:rds:*:*:db:*", None)):
        table = terraform({"aws_backup_selection.s": {"resources": [pattern]}}, {"name": LATER})
        assert told(table.backed_up) in (covered, covered or False)


def test_unknown_tags() -> None:
    """A selection by tag may cover a table whose tags are not known."""
    selection = {"aws_backup_selection.s": tagged("backup", "daily")[0]}
    assert told(terraform(selection, {"tags": LATER, "tags_all": LATER}).backed_up) == UNKNOWN


def test_reason() -> None:
    """A doubt names the selection, why it is not known, and how to resolve it."""
    value = terraform({"aws_backup_selection.s": {"resources": [ARN]}}).backed_up
    assert value.doubt is not None
    assert value.doubt == (
        "aws_backup_selection.s may or may not cover the table: "
        "the ARN of aws_dynamodb_table.t is known only after apply",
        "pass --account and --region",
        ("aws_backup_selection.s",),
    )


def test_selection_by_condition() -> None:
    """A selection that is not in a scenario covers nothing there."""
    text = """
    S:
      Type: AWS::Backup::BackupSelection
      Condition: C
      Properties: {BackupPlanId: p, BackupSelection: {SelectionName: s, Resources: ['*']}}
    """
    assert [told(table.backed_up) for table in cloudformation(text)] == [True, False]
