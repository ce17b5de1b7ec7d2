"""Surroundings: endpoints, caches, boundaries, users, keys, and what could not be read."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from support import tables as build
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
    told,
    whole,
)
from tablegate.iam.arns import Symbols
from tablegate.iam.documents import UnknownPart
from tablegate.iam.grants import DocumentRole, HolderForm, HolderKind, Unread
from tablegate.model import facts
from tablegate.model.estate import Estate
from tablegate.model.table import Dialect, KeyOwner, KmsKey

DAX: dict[str, Any] = {"kind": HolderKind.SERVICE, "services": ("dax.amazonaws.com",)}
OWN = {"StringEquals": {"aws:ResourceAccount": "111122223333"}}


def endpoint(*statements: Any, **others: Any) -> Estate:
    """An input with one endpoint for DynamoDB."""
    documents = [whole(*statements)] if statements else []
    return estate(holder(*documents, form=HolderForm.ENDPOINT, role=DocumentRole.CHANNEL, services=(), **others))


def passing(actions: Any = "*", resources: Any = "*", conditions: Any = None) -> dict[str, Any]:
    """What everybody may pass an endpoint for."""
    return statement(actions, resources, conditions, Principal="*")


@pytest.mark.parametrize(
    ("statements", "severity"),
    [
        ([], "info"),
        ([passing()], "low"),
        ([passing("dynamodb:*", "arn:aws:dynamodb:*:*:table/*")], "low"),
        ([passing("dynamodb:*", f"{HERE}*")], None),
        ([passing("dynamodb:*", "*", OWN)], None),
        ([passing("s3:*")], None),
        ([passing("dynamodb:*", None) | {"NotResource": ORDERS}], "low"),
        ([passing(), deny("*", "*", {"StringNotEquals": {"aws:ResourceAccount": "1"}}) | {"Principal": "*"}], None),
        ([passing("*", "*", {"StringEquals": {"aws:PrincipalOrgID": "o-1"}})], "low"),
    ],
)
def test_an_endpoint_lets_ones_own_tables_through(statements: list[Any], severity: str | None) -> None:
    """By the account of the resource, or by ARNs: the principal is always everybody."""
    assert said(endpoint(*statements), "TG536") == severity


@pytest.mark.parametrize(
    ("dialect", "begins"),
    [(Dialect.TERRAFORM_PLAN, "policy = jsonencode({"), (Dialect.CLOUDFORMATION, "PolicyDocument:")],
)
def test_an_endpoint_without_a_policy_is_given_a_whole_one(dialect: Dialect, begins: str) -> None:
    """A condition alone has nowhere to go."""
    (found,) = findings(replace(endpoint(), dialect=dialect), "TG536")
    assert (found.fix or "").startswith(begins)


def test_an_endpoint_whose_policy_is_not_known_is_a_doubt() -> None:
    """And what is no endpoint is not asked."""
    unread = Unread(address="aws_vpc_endpoint.x", place=None, doubt=build.DOUBT, relevant=True, partly=False)
    assert said(endpoint(unread=(unread,)), "TG536") == "low?"
    assert said(of(statement("*", "*")), "TG536") is None


@pytest.mark.parametrize(
    ("actions", "resources", "severity"),
    [
        ("dynamodb:*", "*", "critical"),
        ("dynamodb:*", ORDERS, "high"),
        (ITEMS, f"{HERE}*", "high"),
        (ITEMS, f"{HERE}app-*", "medium"),
        ([*ITEMS, "Scan"], [ORDERS, f"{ORDERS}/index/*"], None),
        ("DescribeTable", "*", None),
    ],
)
def test_a_caches_role_is_bound_to_its_tables(actions: Any, resources: Any, severity: str | None) -> None:
    """It is judged by this policy alone."""
    expected = {} if severity is None else {"TG538": severity}
    assert told(of(statement(actions, resources), **DAX)) == expected


def test_rights_on_a_cache_pass_by_conditions_on_keys() -> None:
    """Items of others are read through the cache: the condition is on the table."""
    keyed = statement("GetItem", ORDERS, {"ForAllValues:StringEquals": {"dynamodb:LeadingKeys": ["${aws:userid}"]}})
    cache = statement("dax:GetItem", "*")
    assert said(of(keyed, cache), "TG538") == "high"
    assert said(of(statement("GetItem"), cache), "TG538") is None
    assert said(of(keyed), "TG538") is None
    assert said(of(keyed, statement("dax:GetItem", "*", Effect="Deny")), "TG538") is None


@pytest.mark.parametrize(
    ("resources", "others", "severity"),
    [
        (f"{HERE}app-*", {}, "low"),
        (f"{HERE}app-*", {"kind": HolderKind.DEPLOY}, "low"),
        (f"{HERE}app-*", {"kind": HolderKind.HUMAN}, None),
        (f"{HERE}app-*", {"form": HolderForm.USER}, None),
        (ORDERS, {}, None),
        (f"{HERE}app-*", {"ceilings": (document(statement(ITEMS, "*")),)}, None),
        (f"{HERE}app-*", {"ceilings": (document(statement("dynamodb:*", "*")),)}, "low"),
        (f"{HERE}app-*", {"ceiling_doubt": build.DOUBT}, None),
    ],
)
def test_a_wide_role_has_a_boundary(resources: str, others: Any, severity: str | None) -> None:
    """One that lets policies be set is none."""
    assert said(of(statement(ITEMS, resources), **others), "TG539") == severity


@pytest.mark.parametrize(
    ("form", "actions", "severity"),
    [
        (HolderForm.USER, "PutItem", "medium"),
        (HolderForm.GROUP, "PutItem", "info"),
        (HolderForm.USER, ["DescribeTable", "ListTables"], None),
        (HolderForm.ROLE, "PutItem", None),
        (HolderForm.PERMISSION_SET, "PutItem", None),
    ],
)
def test_tables_are_granted_to_roles(form: HolderForm, actions: Any, severity: str | None) -> None:
    """A user's keys do not expire; looking is no matter."""
    assert said(of(statement(actions), form=form, kind=HolderKind.HUMAN), "TG540") == severity


def test_groups_can_be_allowed() -> None:
    """Where there are no permission sets."""
    world = of(statement("PutItem"), form=HolderForm.GROUP, kind=HolderKind.HUMAN)
    assert said(world, "TG540", allow_groups=True) is None


@pytest.mark.parametrize(("relevant", "severity"), [(True, "high?"), (False, None)])
def test_what_could_not_be_read_is_said(relevant: bool, severity: str | None) -> None:
    """Where it could matter to a table."""
    unread = Unread(address="aws_iam_policy.x", place=None, doubt=build.DOUBT, relevant=relevant, partly=False)
    assert said(estate(holder(unread=(unread,))), "TG541") == severity


def test_what_could_not_be_read_is_said_once_and_where_it_stands() -> None:
    """At the document, with the reason and what settles it, however many hold it."""
    unread = Unread(address="aws_iam_policy.x", place=None, doubt=build.DOUBT, relevant=False, partly=True)
    heavy = Unread(address="aws_iam_policy.x", place=None, doubt=build.DOUBT, relevant=True, partly=True)
    (found,) = findings(estate(holder(unread=(unread,)), holder(unread=(heavy,)), holder(unread=(unread,))), "TG541")
    assert (found.address, str(found.outcome), found.fix) == ("aws_iam_policy.x", "unknown", build.DOUBT.settle)
    assert (
        found.message == "only a part of the document could be read; policy document is unknown: known only after apply"
    )


VIA = {"StringLike": {"kms:ViaService": "dynamodb.*.amazonaws.com"}}


@pytest.mark.parametrize(
    ("statements", "others", "severity"),
    [
        ([statement("GetItem"), statement("kms:Decrypt", "*")], {}, "medium"),
        ([statement("GetItem"), statement("kms:*", "arn:aws:kms:us-east-1:111122223333:key/*")], {}, "medium"),
        ([statement("GetItem"), statement("kms:Decrypt", "arn:aws:kms:us-east-1:111122223333:key/1")], {}, None),
        ([statement("GetItem"), statement("kms:Decrypt", "*", VIA)], {}, None),
        ([statement("DescribeTable"), statement("kms:Decrypt", "*")], {}, None),
        ([statement("GetItem"), statement("kms:Encrypt", "*")], {}, None),
        ([statement("GetItem"), statement("kms:Decrypt", "*", Effect="Deny")], {}, None),
        ([statement("GetItem"), statement("kms:Decrypt", "*")], {"kind": HolderKind.DEPLOY}, None),
        ([statement("kms:Decrypt", "*")], {}, None),
    ],
)
def test_decrypting_goes_with_a_tables_key(statements: list[Any], others: Any, severity: str | None) -> None:
    """On every key it opens every other store too, unless it goes through DynamoDB."""
    assert said(of(*statements, **others), "TG537") == severity


def key(*statements: Any, **others: Any) -> Any:
    """The policy of a table's key."""
    others = {"target": "arn:aws:kms:us-east-1:111122223333:key/1"} | others
    return holder(
        whole(*statements),
        form=HolderForm.KEY,
        role=DocumentRole.RESOURCE,
        address="aws_kms_key.orders",
        at="aws_kms_key.orders",
        services=(),
        **others,
    )


def used(principal: Any, conditions: Any = None, actions: Any = "kms:Decrypt") -> dict[str, Any]:
    """Who may use a key."""
    return statement(actions, "*", conditions, Principal=principal)


CALLER = {"StringEquals": {"kms:CallerAccount": "111122223333"}}
STRANGER = "arn:aws:iam::999988887777:root"


@pytest.mark.parametrize(
    ("stated", "severity"),
    [
        (used("*"), "high"),
        (used({"Federated": "accounts.google.com"}), "high"),
        (used({"Federated": "accounts.google.com"}, {"StringEquals": {"accounts.google.com:aud": "app"}}), None),
        (used({"Federated": "accounts.google.com"}, CALLER), None),
        (used("*", CALLER | VIA), None),
        (used("*", CALLER), None),
        (used("*", VIA), "high"),
        (used("*", {"StringEquals": {"kms:CallerAccount": "999988887777"}} | VIA), "high"),
        (used("*", {"ArnEquals": {"aws:PrincipalArn": "arn:aws:iam::111122223333:role/reader"}}), None),
        (used("*", {"ArnEquals": {"aws:PrincipalArn": "arn:aws:iam::999988887777:role/reader"}}), "high"),
        (used("*", {"ArnLike": {"aws:PrincipalArn": "arn:aws:iam::*:role/reader"}}), "high"),
        (used({"AWS": "arn:aws:iam::111122223333:root"}, actions="kms:*"), None),
        (used({"AWS": STRANGER}), "high"),
        (used({"AWS": UnknownPart(build.DOUBT)}), "high?"),
        (used({"AWS": "arn:aws:iam::${aws:username}:root"}), "high?"),
        (used({"AWS": STRANGER}, CALLER | VIA), None),
        (deny("kms:*", "*") | {"Principal": "*"}, None),
    ],
)
def test_a_tables_key_is_used_by_its_account(stated: Any, severity: str | None) -> None:
    """Everybody, and other accounts, only for calls of this one."""
    assert said(estate(key(stated)), "TG537") == severity


def test_an_account_can_share_a_key_with_one_it_trusts() -> None:
    """By the option."""
    assert said(estate(key(used({"AWS": STRANGER}))), "TG537", trusted_accounts=("999988887777",)) is None


OWN_KEY = KmsKey(
    address="aws_kms_key.orders", place=None, rotation=facts.ROTATION.unset, enabled=facts.KEY_ENABLED.unset
)
UNDER_KEY = table(encryption=build.encrypted(owner=facts.KEY_OWNER.of(KeyOwner.CUSTOMER), resource=OWN_KEY))
OF_ACCOUNT = used({"AWS": "arn:aws:iam::111122223333:root"}, actions="kms:*")


ROOT = "arn:aws:iam::111122223333:root"
ANA, BEN = "arn:aws:iam::111122223333:user/ana", "arn:aws:iam::999988887777:user/ben"


@pytest.mark.parametrize(
    ("stated", "severity"),
    [
        ([used({"AWS": ROOT}, actions="kms:*")], None),
        ([used({"AWS": ANA}, actions=["kms:Describe*", "kms:Put*"]), used({"AWS": ANA})], None),
        ([used({"AWS": ROOT}, actions="kms:*"), used({"AWS": BEN})], "high"),
        ([used({"AWS": [ROOT, BEN]}, actions="kms:*")], "high?"),
        ([used({"AWS": ROOT}, actions="kms:*"), used({"AWS": "AIDAEXAMPLE"})], "high?"),
        ([used({"AWS": ROOT})], "high?"),
        ([used({"AWS": "arn:aws:iam::{own}:root"}, actions="kms:*")], None),
        ([used({"AWS": "arn:aws:iam::{own}:root"}, actions="kms:*"), used({"AWS": BEN})], "high?"),
        ([used({"AWS": "arn:aws:iam::{own}:role/reader"})], None),
    ],
)
def test_where_no_account_is_known_a_key_belongs_to_whoever_may_change_its_policy(
    stated: list[Any], severity: str | None
) -> None:
    """KMS takes no other policy: the one that every key has by default is nobody's fault."""
    symbols = Symbols()
    for one in stated:
        if isinstance(one["Principal"]["AWS"], str):
            one["Principal"]["AWS"] = one["Principal"]["AWS"].replace("{own}", symbols.of("account"))
    tables = [table(account=facts.ACCOUNT.unset, encryption=UNDER_KEY.encryption)]
    assert said(estate(key(*stated, symbols=symbols, target=None), tables=tables), "TG537") == severity


def test_the_account_of_a_tables_key_is_the_tables() -> None:
    """Also of a table that only a replica has under it."""
    replica = build.replica(encryption=UNDER_KEY.encryption)
    replicated = table(replicas=facts.REPLICAS.of((replica,)))
    for stated in (UNDER_KEY, replicated):
        assert said(estate(key(used({"AWS": ROOT}), target=None), tables=[stated]), "TG537") is None
        assert said(estate(key(used({"AWS": BEN}), target=None), tables=[stated]), "TG537") == "high"


@pytest.mark.parametrize(
    ("statements", "key_policy", "severity"),
    [
        ([statement("GetItem")], OF_ACCOUNT, "info"),
        (
            [statement("GetItem"), statement("kms:Decrypt", "arn:aws:kms:us-east-1:111122223333:key/1")],
            OF_ACCOUNT,
            None,
        ),
        ([statement("GetItem")], used({"AWS": "arn:aws:iam::111122223333:role/worker"}), None),
        ([statement("GetItem")], used("*", CALLER), None),
        ([statement("GetItem")], deny("kms:Decrypt", "*") | {"Principal": "*"}, "info"),
        ([statement("DescribeTable")], OF_ACCOUNT, None),
    ],
)
def test_whoever_reaches_a_table_needs_its_key(statements: list[Any], key_policy: Any, severity: str | None) -> None:
    """Asked only where the option says so, and both policies are known."""
    world = estate(holder(whole(*statements)), key(key_policy), tables=[UNDER_KEY])
    assert said(world, "TG537", missing_grants=True) == severity
    assert said(world, "TG537") is None


def test_a_key_that_is_not_here_is_nobodys_lack() -> None:
    """Nor is one of a holder whose documents could not all be read."""
    alone = estate(holder(whole(statement("GetItem"))), tables=[UNDER_KEY])
    assert said(alone, "TG537", missing_grants=True) is None
    unread = Unread(address="aws_iam_policy.x", place=None, doubt=build.DOUBT, relevant=True, partly=False)
    world = estate(holder(whole(statement("GetItem")), unread=(unread,)), key(OF_ACCOUNT), tables=[UNDER_KEY])
    assert said(world, "TG537", missing_grants=True) is None


@pytest.mark.parametrize(
    ("needs", "severity"),
    [
        (None, None),
        (frozenset({"Query"}), "low"),
        (frozenset({"Query", "PutItem"}), None),
        (frozenset(), "low"),
    ],
)
def test_a_role_holds_what_its_integrations_call(needs: frozenset[str] | None, severity: str | None) -> None:
    """Where all that uses it is written down."""
    assert said(of(statement(["Query", "PutItem"]), needs=needs), "TG519") == severity
