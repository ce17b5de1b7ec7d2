"""Worlds that the access policies judge besides roles: doors, endpoints, caches, services, policy templates."""

from __future__ import annotations

from typing import Any

from support import tables as build
from support.access import ITEMS, ORDERS, estate, holder, statement, table, whole
from tablegate.iam.grants import DocumentRole, HolderForm, HolderKind, Maker, MakerKind
from tablegate.iam.holders import Holder
from tablegate.model import facts
from tablegate.model.estate import Estate

OWN = "arn:aws:iam::111122223333:role/reader"
OTHER = "arn:aws:iam::999988887777:root"
SUB = "${cognito-identity.amazonaws.com:sub}"
TEMPLATE = Maker(MakerKind.TEMPLATE, "DynamoDBCrudPolicy")
TAGGED = {"StringEquals": {"aws:ResourceTag/app": "orders"}}
KEYED = {"ForAllValues:StringEquals": {"dynamodb:LeadingKeys": [SUB]}}
REPLICATED = table(replicas=facts.REPLICAS.of((build.replica(),)))
INDEXED = table(indexes=facts.INDEXES.of((build.index("byCustomer"),)))
USERS: dict[str, Any] = {"kind": HolderKind.END_USER, "why": "serves users of aws_cognito_identity_pool.users"}


def service(name: str) -> dict[str, Any]:
    """A role of one of AWS's own services."""
    return {"kind": HolderKind.SERVICE, "services": (f"{name}.amazonaws.com",)}


def door(*statements: Any) -> Holder:
    """A table's own policy."""
    return holder(
        whole(*statements),
        form=HolderForm.TABLE,
        kind=HolderKind.UNKNOWN,
        role=DocumentRole.RESOURCE,
        address="aws_dynamodb_table.orders",
        target=ORDERS,
        services=(),
    )


def opened(actions: Any, principal: Any, conditions: Any = None, **others: Any) -> Estate:
    """A table whose policy lets a principal in, or shuts it out."""
    return estate(door(statement(actions, "*", conditions, Principal=principal, **others)), tables=[REPLICATED])


def endpoint(actions: Any, conditions: Any = None) -> Estate:
    """An endpoint that lets something pass."""
    passing = whole(statement(actions, "*", conditions, Principal="*"))
    return estate(holder(passing, form=HolderForm.ENDPOINT, role=DocumentRole.CHANNEL, services=()))


def made(resources: Any) -> Estate:
    """What a policy template of SAM's writes."""
    return estate(holder(whole(statement(ITEMS, resources)), given={"made_by": TEMPLATE}))
