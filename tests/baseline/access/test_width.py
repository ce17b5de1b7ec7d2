"""Width: all actions, all tables, and everything but what is named."""

from __future__ import annotations

from typing import Any

import pytest

from support.access import (
    HERE,
    ITEMS,
    ORDERS,
    deny,
    document,
    estate,
    findings,
    holder,
    of,
    said,
    statement,
    table,
    tagged,
    told,
    whole,
)
from support.tables import DOUBT
from tablegate.iam.documents import ConditionalPart, UnknownPart
from tablegate.iam.grants import DocumentRole, HolderForm, HolderKind


@pytest.mark.parametrize(
    ("kind", "severity"),
    [
        (HolderKind.RUNTIME, "critical"),
        (HolderKind.END_USER, "critical"),
        (HolderKind.CROSS_ACCOUNT, "critical"),
        (HolderKind.UNKNOWN, "high"),
        (HolderKind.HUMAN, "high"),
        (HolderKind.DEPLOY, "medium"),
        (HolderKind.SERVICE, "critical"),
    ],
)
def test_full_control_of_all_tables_weighs_by_who_holds_it(kind: HolderKind, severity: str) -> None:
    """Whatever spelling full control has, its holder decides how bad it is."""
    assert said(of(statement("dynamodb:*", "*"), kind=kind), "TG501") == severity


@pytest.mark.parametrize(
    "statements",
    [
        [statement("dynamodb:*", "*", {"StringEquals": {"aws:RequestedRegion": "eu-west-1"}})],
        [statement("*", "*")],
        [statement("dynamodb:*", f"{HERE}*")],
        [statement(None, "*", NotAction=["iam:*"])],
        [statement(["Get*", "Put*"], "*"), statement("Delete*", "*")],
        [statement("dynamodb:*", None, NotResource=f"{HERE}Audit")],
    ],
)
def test_full_control_has_many_spellings(statements: list[Any]) -> None:
    """Wildcards, verbs of several statements, and what is left out: together they come to everything."""
    assert said(of(*statements), "TG501") == "critical"


@pytest.mark.parametrize(
    "statements",
    [
        [statement(["GetItem", "PutItem", "Query"], [f"{HERE}Orders", f"{HERE}Orders/index/*"])],
        [statement("dynamodb:*", "*", {"StringEquals": {"aws:ResourceTag/app": "orders"}})],
        [deny("dynamodb:*", "*")],
        [
            statement("dynamodb:*", "*"),
            deny(["DeleteTable", "DeleteBackup", "DeleteTableReplica", "DisassociateTableReplica"], "*"),
        ],
        [statement("dynamodb:*", "*"), deny("*", "*")],
        [statement(None, "*", NotAction=["dynamodb:*"])],
    ],
)
def test_less_than_full_control_is_no_full_control(statements: list[Any]) -> None:
    """Named actions, tags that bind, and denies leave less than everything."""
    assert said(of(*statements), "TG501") is None


def test_full_control_is_reported_at_its_widest_statement_alone() -> None:
    """One cause, one finding: the other statements are named in it, and silent themselves."""
    world = of(statement(["Get*", "Put*"], "*", Sid="Reads"), statement(["Delete*", "Put*"], "*", Sid="Drops"))
    found = findings(world)
    assert [(item.policy.id, item.part) for item in found] == [("TG501", {"statement": "Drops"})]
    assert "together with statement Reads" in found[0].message


def test_each_document_that_makes_up_full_control_is_named() -> None:
    """By its statement and its address; the holder's other findings would come up one after the other."""
    first = whole(statement(["PutItem", "GetItem"], "*"))
    second = whole(statement(["DeleteTable", "PutResourcePolicy"], "*", Sid="Rest"))
    (found,) = findings(estate(holder(first, second)), "TG501")
    assert (
        "has full control of every table, together with statement Rest of aws_iam_role_policy.worker_1 ("
        in found.message
    )
    everything = whole(statement("dynamodb:*", "*"))
    (found,) = findings(estate(holder(everything, everything, first)), "TG501")
    assert "has full control of every table, also by statement 0 of aws_iam_role_policy.worker_1 (" in found.message
    (found,) = findings(of(statement("dynamodb:*", "*"), statement("dynamodb:*", "*", Sid="Again")), "TG501")
    assert "has full control of every table, also by statement Again (" in found.message


@pytest.mark.parametrize(
    ("ceiling", "severity"),
    [
        (document(statement("dynamodb:*", "*")), "critical"),
        (document(statement(ITEMS, "*")), None),
        (document(statement("dynamodb:*", f"{HERE}app-*")), None),
        (document(deny("DeleteTable", "*")), None),
        (document(statement("*", "*"), deny("DeleteTable", "*")), "critical"),
        (
            document(
                statement("*", "*"),
                deny(["DeleteTable", "DeleteBackup", "DeleteTableReplica", "DisassociateTableReplica"], "*"),
            ),
            None,
        ),
    ],
)
def test_a_boundary_counts(ceiling: Any, severity: str | None) -> None:
    """What a boundary does not let pass, nobody holds."""
    assert said(of(statement("dynamodb:*", "*"), ceilings=(ceiling,)), "TG501") == severity


def test_a_boundary_that_is_not_here_is_mentioned() -> None:
    """A boundary that could not be read may take something away: the finding stays, and says so."""
    (found,) = findings(of(statement("dynamodb:*", "*"), ceiling_doubt=DOUBT))
    assert found.policy.id == "TG501"
    assert "unless its permissions boundary" in found.message


def test_a_boundary_itself_grants_nothing() -> None:
    """A ceiling is judged for nothing of its own."""
    assert findings(of(statement("dynamodb:*", "*"), role=DocumentRole.CEILING)) == []


@pytest.mark.parametrize(
    ("actions", "resources", "kind", "severity"),
    [
        (["GetItem", "Query"], f"{HERE}*", HolderKind.RUNTIME, "high"),
        (["GetItem", "Query"], "arn:aws:dynamodb:*:*:*", HolderKind.RUNTIME, "high"),
        (["GetItem"], "arn:aws:dynamodb:us-east-1:111122223333:table*", HolderKind.RUNTIME, "high"),
        (["Query"], f"{HERE}*/index/*", HolderKind.RUNTIME, "high"),
        (["PutItem"], [ORDERS, "*"], HolderKind.RUNTIME, "high"),
        (["TagResource"], "*", HolderKind.RUNTIME, "medium"),
        (["DeleteTable"], "*", HolderKind.RUNTIME, "critical"),
        (["DeleteTable"], "*", HolderKind.DEPLOY, "medium"),
        (["GetItem"], "*", HolderKind.UNKNOWN, "medium"),
        (["GetItem"], "*", HolderKind.END_USER, "critical"),
        (["ListTables", "ListStreams", "DescribeLimits"], "*", HolderKind.RUNTIME, None),
        (["ListTables", "GetItem"], [ORDERS], HolderKind.RUNTIME, None),
        (["DescribeTable", "DescribeTimeToLive"], "*", HolderKind.RUNTIME, None),
        (["GetRecords", "GetShardIterator"], "*", HolderKind.RUNTIME, None),
        (["UpdateAbacStatus"], "*", HolderKind.RUNTIME, None),
        (["GetItem"], f"{HERE}app-*", HolderKind.RUNTIME, None),
    ],
)
def test_actions_on_all_tables_weigh_by_the_worst_of_them(
    actions: list[str], resources: Any, kind: HolderKind, severity: str | None
) -> None:
    """Listing and looking are harmless; streams are another policy's; the account's own actions have no table."""
    assert said(of(statement(actions, resources), kind=kind), "TG502") == severity


def test_the_roles_of_backup_reach_all_tables() -> None:
    """A service does its own work on all tables: nothing else of it."""
    service = {"kind": HolderKind.SERVICE, "services": ("backup.amazonaws.com",)}
    assert said(of(statement(["CreateBackup", "DeleteBackup"], f"{HERE}*"), **service), "TG502") is None
    assert said(of(statement(["CreateBackup", "PutItem"], f"{HERE}*"), **service), "TG502") == "high"


@pytest.mark.parametrize(
    ("conditions", "severity"),
    [
        ({"StringEquals": {"aws:SourceVpce": "vpce-1"}}, "medium"),
        ({"StringEquals": {"aws:RequestedRegion": "us-east-1"}}, "high"),
        ({"StringEquals": {"aws:ResourceAccount": "111122223333"}}, "high"),
        ({"Bool": {"aws:SecureTransport": "true"}}, "high"),
        ({"ForAllValues:StringEquals": {"dynamodb:LeadingKeys": ["a"]}}, None),
        ({"ForAllValues:StringEquals": {"dynamodb:Attributes": ["a"]}}, "low"),
    ],
)
def test_conditions_take_off_what_they_narrow(conditions: dict[str, Any], severity: str | None) -> None:
    """Context takes off one step, attributes two, items and tables everything; region and transport nothing."""
    assert said(of(statement("GetItem", "*", conditions)), "TG502") == severity


def test_people_in_production_weigh_like_code() -> None:
    """A person's grants weigh less, unless a table that they reach is declared to be production."""
    wide = statement("GetItem", "*")
    assert said(of(wide, kind=HolderKind.HUMAN), "TG502") == "medium"
    assert said(of(wide, kind=HolderKind.HUMAN, tables=[tagged(environment="prod")]), "TG502") == "high"
    assert said(of(wide, kind=HolderKind.HUMAN, tables=[tagged(environment="dev")]), "TG502") == "medium"


@pytest.mark.parametrize(
    ("resources", "severity"),
    [
        (ORDERS, "high"),
        ([ORDERS, f"{ORDERS}/index/*"], "high"),
        (f"{ORDERS}/index/*", "low"),
        (f"{ORDERS}/stream/*", None),
        (f"{ORDERS}/backup/*", "high"),
        (f"{HERE}app-*", None),
        ("*", None),
    ],
)
def test_every_action_on_one_table_is_too_much(resources: Any, severity: str | None) -> None:
    """On the indexes alone it is little, on streams it is reading; wider patterns are other policies'."""
    assert said(of(statement("dynamodb:*", resources)), "TG503") == severity


def test_every_action_on_one_table_is_a_deploy_roles_work() -> None:
    """A deploy role makes and drops tables; an option names roles that are such by their name."""
    all_of_it = statement("dynamodb:*")
    assert said(of(all_of_it, kind=HolderKind.DEPLOY), "TG503") is None
    assert said(of(all_of_it), "TG503", deploy_roles=("work*",)) is None
    assert said(of(all_of_it), "TG503", deploy_roles=("other*",)) == "high"


@pytest.mark.parametrize(
    "actions", [["GetItem", "PutItem", "UpdateItem", "DeleteItem", "Query"], ["Get*", "Put*", "Update*", "Delete*"]]
)
def test_less_than_everything_is_not_everything(actions: list[str]) -> None:
    """Items are not everything, and verbs are reported as verbs."""
    assert said(of(statement(actions)), "TG503") is None


def test_full_control_that_is_written_out_is_full_control() -> None:
    """Reading, writing, dropping and giving away: there is no need for a star."""
    world = of(statement(["GetItem", "PutItem", "DeleteTable", "PutResourcePolicy"]))
    assert told(world) == {"TG503": "high"}


@pytest.mark.parametrize(
    ("not_action", "resources", "kind", "severity"),
    [
        (["iam:*", "organizations:*"], "*", HolderKind.RUNTIME, "critical"),
        (["iam:*"], ORDERS, HolderKind.RUNTIME, "high"),
        (["dynamodb:*"], "*", HolderKind.RUNTIME, None),
        (["iam:*"], ORDERS, HolderKind.DEPLOY, None),
        (["iam:*", "organizations:*"], "*", HolderKind.HUMAN, "medium"),
        (["s3:*"], "*", HolderKind.HUMAN, "high"),
        (["dynamodb:Delete*", "dynamodb:Put*", "dynamodb:Update*"], "*", HolderKind.RUNTIME, "critical"),
    ],
)
def test_what_is_left_out_says_what_is_left(
    not_action: list[str], resources: Any, kind: HolderKind, severity: str | None
) -> None:
    """NotAction is weighed by its complement; a set of rights for people that keeps identities out is medium."""
    assert said(of(statement(None, resources, NotAction=not_action), kind=kind), "TG508") == severity


def test_a_deny_with_notaction_is_a_rail() -> None:
    """A Deny of everything but some is how guard rails are made."""
    world = of(statement("GetItem"), deny(None, "*") | {"NotAction": ["dynamodb:GetItem"]})
    assert told(world) == {}


@pytest.mark.parametrize(
    ("actions", "severity"), [("dynamodb:*", "critical"), ("GetItem", "high"), ("DescribeTable", None)]
)
def test_every_table_but_one_is_every_table(actions: str, severity: str | None) -> None:
    """NotResource reaches whatever it does not list, and TG502 leaves that to this policy."""
    world = of(statement(actions, None, NotResource=f"{HERE}Audit"))
    assert said(world, "TG509") == severity
    assert said(world, "TG502") is None


@pytest.mark.parametrize(
    ("kind", "severity"), [(HolderKind.RUNTIME, "low"), (HolderKind.UNKNOWN, "low"), (HolderKind.DEPLOY, None)]
)
def test_every_action_on_indexes_is_little(kind: HolderKind, severity: str | None) -> None:
    """And nothing in the hands of a deploy role, as on the table itself."""
    world = of(statement("dynamodb:*", f"{ORDERS}/index/*"), kind=kind)
    assert said(world, "TG503") == severity
    assert all("on the indexes of one table" in item.message for item in findings(world, "TG503"))


@pytest.mark.parametrize(
    ("left_out", "severity"),
    [
        (["*"], None),
        (["arn:*:dynamodb:*:*:*"], None),
        ([ORDERS, "arn:*:dynamodb:*"], None),
        (["arn:aws:dynamodb:*"], "critical"),
        ([ConditionalPart("*")], "critical"),
    ],
)
def test_every_table_but_all_is_none(left_out: list[Any], severity: str | None) -> None:
    """Whoever leaves all tables out, for certain and in every partition, grants none."""
    assert said(of(statement("*", None, NotResource=left_out)), "TG509") == severity


def test_the_finding_tells_the_tables_that_are_reached_today() -> None:
    """A table that the holder names elsewhere is meant; the others are newly reachable."""
    world = of(
        statement(ITEMS, f"{HERE}*", Sid="Wide"),
        statement("GetItem", ORDERS),
        tables=[table("Orders"), table("Users"), table("Audit")],
    )
    (found,) = findings(world, "TG502")
    evidence = {value.name: value.content for value in found.evidence}
    assert evidence["tables newly reachable"] == "Audit, Users"
    assert evidence["holder"] == "aws_iam_role.worker (runtime: trusts lambda.amazonaws.com)"
    assert found.part == {"statement": "Wide"}


def test_a_statement_whose_effect_is_not_known_is_a_doubt() -> None:
    """It may be a Deny: the severity stands, and the outcome is unknown."""
    for hidden in (
        {"Effect": UnknownPart(DOUBT)},
        {"Condition": UnknownPart(DOUBT)},
        {"Condition": {"Bool": UnknownPart(DOUBT)}},
    ):
        found = findings(of(statement("dynamodb:*", "*", **hidden)), "TG501")
        assert [(str(item.severity), str(item.outcome)) for item in found] == [("critical", "unknown")]


def test_a_statement_that_is_there_in_some_scenario_says_so() -> None:
    """It fails there, and the message tells where."""
    (found,) = findings(of(ConditionalPart(statement("dynamodb:*", "*"))))
    assert found.message.endswith("if the condition around the statement is true")


def test_documents_that_nobody_here_holds_are_judged_one_step_lower() -> None:
    """A managed policy may be attached elsewhere: to whom is not known."""
    world = of(statement("GetItem", "*"), form=HolderForm.UNATTACHED, kind=HolderKind.UNKNOWN, services=())
    assert told(world) == {"TG502": "medium"}
