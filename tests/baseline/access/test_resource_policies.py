"""Doors: whom a table's own policy lets in, and what can stand in it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from support import tables as build
from support.access import ORDERS, deny, estate, findings, holder, said, statement, table, told, whole
from tablegate.iam.arns import Symbols
from tablegate.iam.documents import Document, UnknownPart, parse_document
from tablegate.iam.grants import DocumentRole, HolderForm, HolderKind
from tablegate.iam.holders import Holder
from tablegate.model import facts
from tablegate.model.estate import Estate, LegacyGlobalTable
from tablegate.model.table import KeyOwner, Table

OWN = "arn:aws:iam::111122223333:role/reader"
FOREIGN = "arn:aws:iam::999988887777:role/reader"
ROOT = "arn:aws:iam::999988887777:root"
STREAM = f"{ORDERS}/stream/2024"


def door(*statements: Any, **others: Any) -> Holder:
    """A table's own policy."""
    base: dict[str, Any] = {
        "form": HolderForm.TABLE,
        "kind": HolderKind.UNKNOWN,
        "role": DocumentRole.RESOURCE,
        "address": "aws_dynamodb_table.orders",
        "at": "aws_dynamodb_resource_policy.orders",
        "target": ORDERS,
        "services": (),
        "why": "a table",
    }
    return holder(whole(*statements), **(base | others))


def of(*statements: Any, tables: tuple[Table, ...] = (), **others: Any) -> Estate:
    """An input with one table's own policy."""
    return estate(door(*statements, **others), tables=tables)


def opened(principal: Any, actions: Any = "GetItem", conditions: Any = None) -> dict[str, Any]:
    """An Allow for this principal."""
    return statement(actions, "*", conditions, Principal=principal)


@pytest.mark.parametrize(
    ("principal", "conditions", "severity"),
    [
        ("*", None, "critical"),
        ({"AWS": "*"}, None, "critical"),
        ({"AWS": ["*"]}, None, "critical"),
        ({"*": "*"}, None, "critical"),
        ({"AWS": "arn:aws:iam::*:root"}, None, "critical"),
        ({"AWS": OWN}, None, None),
        ({"AWS": "111122223333"}, None, None),
        ("*", {"StringEquals": {"aws:PrincipalOrgID": "o-1"}}, None),
        ("*", {"StringEquals": {"AWS:PrincipalAccount": "111122223333"}}, None),
        ("*", {"StringEqualsIfExists": {"aws:PrincipalOrgID": "o-1"}}, "critical"),
        ("*", {"StringNotEquals": {"aws:PrincipalOrgID": "o-1"}}, "critical"),
        ("*", {"StringLike": {"aws:SourceVpc": "vpc-*"}}, "critical"),
        ("*", {"StringEquals": {"aws:PrincipalOrgID": "${aws:PrincipalOrgID}"}}, "critical"),
        ("*", {"IpAddress": {"aws:SourceIp": "10.0.0.0/8"}}, "critical"),
        ("*", {"ArnLike": {"aws:PrincipalArn": "arn:aws:iam::111122223333:role/app-*"}}, "medium"),
        ("*", {"ArnLike": {"aws:PrincipalArn": "arn:aws:iam::*:role/app"}}, "critical"),
        ("*", {"Bool": {"aws:PrincipalIsAWSService": "true"}}, None),
        ("*", {"Bool": {"aws:PrincipalIsAWSService": "false"}}, "critical"),
        ("*", {"StringEquals": {"aws:PrincipalOrgID": UnknownPart(build.DOUBT)}}, "critical?"),
        ({"Federated": "accounts.google.com"}, None, "critical"),
        ({"Federated": ["graph.facebook.com"], "AWS": OWN}, None, "critical"),
        ({"Federated": "accounts.google.com"}, {"StringEquals": {"aws:PrincipalOrgID": "o-1"}}, None),
        ({"Federated": "accounts.google.com"}, {"StringEquals": {"accounts.google.com:aud": "app"}}, None),
        ({"Federated": "accounts.google.com"}, {"StringLike": {"accounts.google.com:aud": "*"}}, "critical"),
        ({"Federated": "accounts.google.com"}, {"StringEqualsIfExists": {"accounts.google.com:aud": "a"}}, "critical"),
        ({"Federated": "accounts.google.com"}, {"StringEquals": {"graph.facebook.com:app_id": "a"}}, "critical"),
        (
            {"Federated": "accounts.google.com"},
            {"StringEquals": {"accounts.google.com:aud": UnknownPart(build.DOUBT)}},
            "critical?",
        ),
        (
            {"Federated": ["accounts.google.com", "graph.facebook.com"]},
            {"StringEquals": {"accounts.google.com:aud": UnknownPart(build.DOUBT)}},
            "critical",
        ),
        ({"Federated": "arn:aws:iam::111122223333:saml-provider/p"}, None, None),
        (UnknownPart(build.DOUBT), None, "critical?"),
        ({"AWS": UnknownPart(build.DOUBT)}, None, "critical?"),
    ],
)
def test_a_table_is_open_to_everybody(principal: Any, conditions: Any, severity: str | None) -> None:
    """Unless a key of the list that DynamoDB goes by pins who comes in, by a plain value."""
    assert said(of(opened(principal, conditions=conditions)), "TG527") == severity


def test_everybody_but_some_is_everybody() -> None:
    """An Allow with NotPrincipal; a Deny lets nobody in."""
    world = of(statement("GetItem", "*", NotPrincipal={"AWS": OWN}))
    assert said(world, "TG527") == "critical"
    assert said(of(deny("GetItem", "*") | {"Principal": "*"}), "TG527") is None


def test_streams_have_policies_too() -> None:
    """The same for a stream's; a key's is another policy's."""
    assert said(of(opened("*", "GetRecords"), form=HolderForm.STREAM, target=STREAM), "TG527") == "critical"
    assert said(of(opened("*", "kms:Decrypt"), form=HolderForm.KEY, target=None), "TG527") is None


@pytest.mark.parametrize(
    ("principal", "actions", "severity"),
    [
        ({"AWS": FOREIGN}, ["GetItem", "Query"], "medium"),
        ({"AWS": FOREIGN}, ["DescribeTable"], "medium"),
        ({"AWS": FOREIGN}, ["PutItem"], "high"),
        ({"AWS": ROOT}, ["GetItem"], "high"),
        ({"AWS": "999988887777"}, ["GetItem"], "high"),
        ({"AWS": ROOT}, ["GetItem", "DeleteTable"], "critical"),
        ({"AWS": FOREIGN}, ["UpdateTable"], "critical"),
        ({"AWS": FOREIGN}, ["TagResource"], "critical"),
        ({"AWS": FOREIGN}, ["UpdateTimeToLive"], "medium"),
        ({"AWS": OWN}, ["DeleteTable"], None),
        ({"AWS": [OWN, FOREIGN]}, ["GetItem"], "medium"),
        ({"Service": "redshift.amazonaws.com"}, ["DescribeTable"], None),
        ({"Federated": "arn:aws:iam::111122223333:saml-provider/p"}, ["PutItem"], None),
        ({"Federated": "arn:aws:iam::999988887777:oidc-provider/p"}, ["PutItem"], "high"),
        ({"CanonicalUser": "79a59df900b949e55d96a1e698fbacedfd6e09d98eacf8f8d5218e7cd47ef2be"}, ["PutItem"], "high?"),
        ({"AWS": UnknownPart(build.DOUBT)}, ["GetItem"], "medium?"),
    ],
)
def test_another_account_comes_in_by_role_and_to_read(principal: Any, actions: list[str], severity: str | None) -> None:
    """By who comes in, and what for."""
    assert said(of(opened(principal, actions)), "TG528") == severity


@pytest.mark.parametrize(
    ("conditions", "actions", "severity"),
    [
        ({"StringEquals": {"aws:PrincipalAccount": "999988887777"}}, "DeleteTable", "critical"),
        ({"StringEquals": {"aws:PrincipalAccount": ["111122223333", "999988887777"]}}, "GetItem", "high"),
        ({"StringEquals": {"aws:PrincipalAccount": "111122223333"}}, "DeleteTable", None),
        ({"ArnEquals": {"aws:PrincipalArn": FOREIGN}}, "GetItem", "medium"),
        ({"ArnLike": {"aws:PrincipalArn": "arn:aws:iam::999988887777:role/*"}}, "PutItem", "high"),
        ({"ArnLike": {"aws:PrincipalArn": "arn:aws:iam::111122223333:role/*"}}, "PutItem", None),
        (
            {"StringEquals": {"aws:PrincipalAccount": "111122223333"}, "ArnLike": {"aws:PrincipalArn": FOREIGN}},
            "GetItem",
            None,
        ),
        ({"StringEqualsIfExists": {"aws:PrincipalAccount": "999988887777"}}, "GetItem", None),
        ({"StringNotEquals": {"aws:PrincipalAccount": "999988887777"}}, "GetItem", None),
    ],
)
@pytest.mark.parametrize("principal", [{"Principal": "*"}, {"NotPrincipal": {"AWS": OWN}}])
def test_an_account_in_a_condition_is_one_in_a_principal(
    principal: Any, conditions: Any, actions: str, severity: str | None
) -> None:
    """A statement for everybody is for those whom its conditions name."""
    assert said(of(statement(actions, "*", conditions, **principal)), "TG528") == severity


def test_a_role_of_the_organisation_may_read() -> None:
    """Bound by the organisation, reading by one role is how accounts share a table."""
    bound = {"StringEquals": {"aws:PrincipalOrgID": "o-1"}}
    assert said(of(opened({"AWS": FOREIGN}, "GetItem", bound)), "TG528") is None
    assert said(of(opened({"AWS": FOREIGN}, "PutItem", bound)), "TG528") == "high"


def test_an_account_can_be_trusted() -> None:
    """By the option."""
    assert said(of(opened({"AWS": ROOT})), "TG528", trusted_accounts=("999988887777",)) is None


def test_accounts_are_compared_by_symbol() -> None:
    """Where this account is not known, its symbol is the same everywhere, and a number is a doubt."""
    symbols = Symbols()
    account = symbols.of("account")
    here = ORDERS.replace("111122223333", account)
    own = opened({"AWS": f"arn:aws:iam::{account}:role/reader"})
    assert said(of(own, target=here, symbols=symbols), "TG528") is None
    assert said(of(opened({"AWS": FOREIGN}), target=here, symbols=symbols), "TG528") == "medium?"
    (found,) = findings(of(opened({"AWS": FOREIGN}), target=here, symbols=symbols), "TG528")
    assert "cannot tell whether arn:aws:iam::999988887777:role/reader is in this account" in found.message


REDSHIFT = {"Service": "redshift.amazonaws.com"}


@pytest.mark.parametrize(
    ("conditions", "severity"),
    [
        (None, "high"),
        ({"StringEquals": {"aws:SourceAccount": "111122223333"}}, None),
        ({"ArnEquals": {"aws:SourceArn": "arn:aws:redshift:*:111122223333:integration:*"}}, None),
        ({"ArnLike": {"aws:SourceArn": "arn:aws:redshift:*:*:integration:*"}}, "high"),
        ({"StringEqualsIfExists": {"aws:SourceAccount": "111122223333"}}, "high"),
        ({"StringLike": {"aws:SourceAccount": "*"}}, "high"),
        ({"StringEquals": {"aws:SourceOrgID": "o-1"}}, None),
        ({"StringEquals": {"aws:SourceAccount": UnknownPart(build.DOUBT)}}, None),
        ({"StringEquals": {"aws:SourceArn": UnknownPart(build.DOUBT)}}, None),
        ({"ArnLike": {"aws:SourceArn": UnknownPart(build.DOUBT)}}, "high?"),
        ({"ArnEquals": {"aws:SourceArn": UnknownPart(build.DOUBT)}}, "high?"),
        ({"StringLike": {"aws:SourceAccount": UnknownPart(build.DOUBT)}}, "high?"),
        ({"ArnLike": {"aws:SourceArn": [UnknownPart(build.DOUBT), "*"]}}, "high"),
        (
            {
                "ArnLike": {"aws:SourceArn": UnknownPart(build.DOUBT)},
                "StringEquals": {"aws:SourceAccount": "111122223333"},
            },
            None,
        ),
        ({"StringEquals": {"aws:RequestedRegion": "eu-west-1"}}, "high"),
        ({"Null": {"aws:SourceAccount": "false"}}, "high"),
        ({"StringEquals": {"aws:SourceAccount": "999988887777"}}, "high"),
        ({"StringEquals": {"aws:SourceAccount": ["111122223333", "999988887777"]}}, "high"),
        ({"ArnLike": {"aws:SourceArn": "arn:aws:redshift:*:999988887777:integration:*"}}, "high"),
        (
            {
                "StringEquals": {"aws:SourceAccount": "111122223333"},
                "ArnLike": {"aws:SourceArn": "arn:aws:redshift:*:999988887777:integration:*"},
            },
            None,
        ),
    ],
)
def test_a_service_comes_in_for_ones_own(conditions: Any, severity: str | None) -> None:
    """The source's account is fixed, by its ARN or as such; an unknown value is one value under equality, else any."""
    assert said(of(opened(REDSHIFT, "ExportTableToPointInTime", conditions)), "TG529") == severity


def test_whose_a_source_is_depends_on_the_account() -> None:
    """Where it is not known, so is the verdict; another account can be trusted."""
    mine, yours = ({"StringEquals": {"aws:SourceAccount": account}} for account in ("111122223333", "999988887777"))
    somewhere = f"arn:aws:dynamodb:us-east-1:{Symbols().of('account')}:table/Orders"
    assert said(of(opened(REDSHIFT, "GetItem", mine), target=somewhere), "TG529") == "high?"
    assert said(of(opened(REDSHIFT, "GetItem", yours)), "TG529", trusted_accounts=("999988887777",)) is None


def test_a_person_is_no_service() -> None:
    """Nobody asks for the source of a role."""
    assert said(of(opened({"AWS": OWN})), "TG529") is None


@pytest.mark.parametrize(
    ("actions", "form", "severity"),
    [
        (["GetRecords"], HolderForm.TABLE, "medium"),
        (["DescribeStream"], HolderForm.TABLE, "medium"),
        (["CreateTable"], HolderForm.TABLE, "medium"),
        (["ListTables"], HolderForm.TABLE, "medium"),
        (["GetItem"], HolderForm.TABLE, None),
        (["dynamodb:*"], HolderForm.TABLE, None),
        (["DescribeExport"], HolderForm.TABLE, None),
        (["SearchVectors"], HolderForm.TABLE, None),
        (["GetItem"], HolderForm.STREAM, "medium"),
        (["GetRecords", "DescribeStream"], HolderForm.STREAM, None),
        (["PutResourcePolicy"], HolderForm.STREAM, None),
    ],
)
def test_what_can_stand_in_a_policy(actions: list[str], form: HolderForm, severity: str | None) -> None:
    """Stream actions belong to the stream's policy; what AWS does not say is not held against anybody."""
    assert said(of(opened({"AWS": OWN}, actions), form=form), "TG533") == severity


@pytest.mark.parametrize(
    ("resource", "severity"),
    [
        ("*", None),
        (ORDERS, None),
        (f"{ORDERS}/index/*", None),
        (f"{ORDERS}/index/by-status", None),
        ("arn:aws:dynamodb:us-east-1:111122223333:table/Users", "low"),
    ],
)
def test_a_policy_is_about_what_it_is_attached_to(resource: str, severity: str | None) -> None:
    """The table, or what is below it: another table's ARN has no effect."""
    world = of(statement("GetItem", resource, Principal={"AWS": OWN}))
    assert said(world, "TG533") == severity


def test_what_is_not_said_of_a_resource_is_not_held_against_it() -> None:
    """No target, none but some, or one that is not known."""
    elsewhere = "arn:aws:dynamodb:us-east-1:111122223333:table/Users"
    own = {"Principal": {"AWS": OWN}}
    assert said(of(statement("GetItem", elsewhere, **own), target=None), "TG533") is None
    assert said(of(statement("GetItem", None, NotResource=elsewhere, **own)), "TG533") is None
    assert said(of(statement("GetItem", [elsewhere, UnknownPart(build.DOUBT)], **own)), "TG533") is None


def test_what_dynamodb_refuses() -> None:
    """Too long, on an index, on an old global table, and two on one table."""
    tree = whole(opened({"AWS": OWN}))
    long: Document = replace(parse_document(tree, Symbols(), lambda _: None), size=20 * 1024 + 1)
    holding = {"form": HolderForm.TABLE, "role": DocumentRole.RESOURCE, "target": ORDERS}
    assert said(estate(holder(long, **holding)), "TG533") == "medium"
    assert said(of(opened({"AWS": OWN}), target=f"{ORDERS}/index/by-status"), "TG533") == "medium"
    twin = door(opened({"AWS": OWN}), at="aws_dynamodb_resource_policy.other")
    assert said(estate(door(opened({"AWS": OWN})), twin), "TG533") == "medium"
    legacy = LegacyGlobalTable(
        address="aws_dynamodb_global_table.orders",
        place=None,
        custom_resource=False,
        table="aws_dynamodb_table.orders",
        table_retained=facts.DELETION_PROTECTION.unset,
        deletion_policy=facts.DELETION_POLICY.unset,
    )
    assert said(estate(door(opened({"AWS": OWN})), legacy_global_tables=(legacy,)), "TG533") == "medium"


def test_some_actions_do_nothing_across_accounts() -> None:
    """Where they are named: a wildcard may hold them."""
    assert said(of(opened({"AWS": FOREIGN}, "PartiQLSelect")), "TG533") == "low"
    assert said(of(opened({"AWS": OWN}, "PartiQLSelect")), "TG533") is None
    assert said(of(opened({"AWS": FOREIGN}, "PartiQL*")), "TG533") is None


def shut(actions: Any = "dynamodb:*", conditions: Any = None, **others: Any) -> dict[str, Any]:
    """A Deny for everybody."""
    return deny(actions, "*", conditions) | {"Principal": "*"} | others


VPCE = {"StringNotEquals": {"aws:SourceVpce": "vpce-1"}}
NO_SERVICE = {"Bool": {"aws:PrincipalIsAWSService": "false"}}
REPLICATED = table(replicas=facts.REPLICAS.of((build.replica(),)))
SCALED = table(scaling=(build.target(),))


@pytest.mark.parametrize(
    ("statements", "tables", "severity"),
    [
        ([shut()], (), "high"),
        ([shut("GetItem")], (), None),
        ([shut(["PutResourcePolicy"])], (), "high"),
        ([shut(conditions=VPCE)], (), None),
        ([shut(conditions=VPCE)], (REPLICATED,), "high"),
        ([shut(conditions=VPCE | NO_SERVICE)], (REPLICATED,), None),
        ([shut("GetItem", VPCE)], (REPLICATED,), None),
        ([shut("PutItem", VPCE)], (REPLICATED,), "high"),
        ([shut(conditions=VPCE)], (SCALED,), "high"),
        ([shut(conditions=VPCE)], (table(),), None),
        (
            [shut(conditions={"ArnNotLike": {"aws:PrincipalArn": "arn:aws:iam::111122223333:role/*"}})],
            (REPLICATED,),
            None,
        ),
        ([shut(conditions={"Bool": {"aws:ViaAWSService": "true"}})], (REPLICATED,), "high"),
        ([deny("dynamodb:*", "*") | {"Principal": {"AWS": FOREIGN}}], (REPLICATED,), None),
        ([opened({"AWS": OWN}, "dynamodb:*")], (REPLICATED,), None),
    ],
)
def test_a_deny_leaves_services_in(statements: list[Any], tables: tuple[Table, ...], severity: str | None) -> None:
    """Whoever must take it back, the service that replicates, the one that scales."""
    assert said(of(*statements, tables=tables), "TG534") == severity


def test_everybody_but_some_are_shut_out() -> None:
    """A Deny with NotPrincipal is for everybody else, services included."""
    world = of(deny("PutItem", "*") | {"NotPrincipal": {"AWS": OWN}}, tables=(REPLICATED,))
    assert said(world, "TG534") == "high"


def test_the_key_that_aws_manages_opens_to_no_other_account() -> None:
    """Then a grant to another account does not work."""
    managed = table(encryption=build.encrypted(owner=facts.KEY_OWNER.of(KeyOwner.AWS_MANAGED)))
    assert said(of(opened({"AWS": FOREIGN}), tables=(managed,)), "TG537") == "medium"
    assert said(of(opened({"AWS": OWN}), tables=(managed,)), "TG537") is None
    assert said(of(opened({"AWS": FOREIGN}), tables=(table(),)), "TG537") is None
    assert said(of(deny("GetItem") | {"Principal": {"AWS": FOREIGN}}, tables=(managed,)), "TG537") is None


def test_one_own_role_and_its_index_is_all_there_is_to_say() -> None:
    """A sound policy is silent."""
    world = of(statement(["GetItem", "Query"], [ORDERS, f"{ORDERS}/index/*"], Principal={"AWS": OWN}))
    assert told(world) == {}
