"""Holders and grants from plain policy documents, without any input language."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from support import tables as build
from support.policies import judge_all
from tablegate.engine.settings import PolicySettings, Settings, selected_policies
from tablegate.findings import Finding
from tablegate.iam.arns import Symbols
from tablegate.iam.documents import Document, parse_document
from tablegate.iam.grants import DocumentRole, Grant, HolderForm, HolderKind, Unread
from tablegate.iam.holders import Holder
from tablegate.model import facts
from tablegate.model.estate import Estate
from tablegate.model.table import Table
from tablegate.model.value import Place
from tablegate.policy.declare import Severity, policies_in

HERE = "arn:aws:dynamodb:us-east-1:111122223333:table/"
ORDERS = f"{HERE}Orders"
ITEMS = ("GetItem", "PutItem", "UpdateItem", "DeleteItem", "Query")
# Each policy for itself: none is gathered by another of the same cause.
POLICIES = tuple(replace(policy, cause=None) for policy in policies_in("tablegate_baseline"))


def nowhere(_: object) -> None:
    """The place of everything here."""


def named(*actions: str) -> list[str]:
    """Action names as a policy writes them."""
    return [action if ":" in action or action == "*" else f"dynamodb:{action}" for action in actions]


def statement(actions: Any, resources: Any = ORDERS, conditions: Any = None, **others: Any) -> dict[str, Any]:
    """One Allow; Effect, Sid, Principal and the like are given by name."""
    made: dict[str, Any] = {"Effect": "Allow"}
    if actions is not None:
        made["Action"] = named(actions) if isinstance(actions, str) else named(*actions)
    if resources is not None:
        made["Resource"] = resources
    if conditions is not None:
        made["Condition"] = conditions
    return made | others


def deny(actions: Any, resources: Any = ORDERS, conditions: Any = None) -> dict[str, Any]:
    """One Deny."""
    return statement(actions, resources, conditions, Effect="Deny")


def whole(*statements: Any, version: str | None = "2012-10-17") -> dict[str, Any]:
    """A whole document."""
    made: dict[str, Any] = {} if version is None else {"Version": version}
    return made | {"Statement": list(statements)}


def document(*statements: Any, symbols: Symbols | None = None, version: str | None = "2012-10-17") -> Document:
    """The statements as a document that was read."""
    return parse_document(whole(*statements, version=version), symbols or Symbols(), nowhere)


def holder(
    *trees: Any,
    form: HolderForm = HolderForm.ROLE,
    kind: HolderKind = HolderKind.RUNTIME,
    why: str = "trusts lambda.amazonaws.com",
    services: Iterable[str] = ("lambda.amazonaws.com",),
    address: str = "aws_iam_role.worker",
    at: str = "aws_iam_role_policy.worker",
    role: DocumentRole = DocumentRole.IDENTITY,
    target: str | None = None,
    symbols: Symbols | None = None,
    spelling: str = "json",
    managed: str | None = None,
    given: dict[str, Any] | None = None,
    **others: Any,
) -> Holder:
    """A holder of whole documents. ``given`` is what every grant is given besides."""
    symbols = symbols or Symbols()
    documents = [tree if isinstance(tree, Document) else parse_document(tree, symbols, nowhere) for tree in trees]
    grants = tuple(
        Grant(
            address=at if number == 0 else f"{at}_{number}",
            place=Place("plan.json", path=at),
            role=role,
            document=one,
            statement=each,
            target=target,
            spelling=spelling,
            managed=managed,
            **(given or {}),
        )
        for number, one in enumerate(documents)
        for each in one.statements
    )
    unread = tuple(
        Unread(address=at, place=None, doubt=doubt, relevant=True, partly=bool(one.statements))
        for one in documents
        for doubt in one.doubts[:1]
    )
    return Holder(
        address=address,
        place=None,
        form=form,
        kind=kind,
        why=why,
        name=address.rpartition(".")[2],
        services=frozenset(services),
        grants=grants,
        unread=(*unread, *others.pop("unread", ())),
        symbols=symbols,
        **others,
    )


def table(name: str = "Orders", **stated: Any) -> Table:
    """A table of the account and region that the documents here are about."""
    base: dict[str, Any] = {
        "address": f"aws_dynamodb_table.{name.lower().replace('-', '_')}",
        "label": name.lower(),
        "name": facts.NAME.of(name),
        "account": facts.ACCOUNT.of("111122223333"),
    }
    return build.table(**(base | stated))


def tagged(name: str = "Orders", **tags: str) -> Table:
    """A table with these tags, such as its environment."""
    return table(name, tags=facts.TAGS.of(tags))


def estate(*holders: Holder, tables: Iterable[Table] = (), **others: Any) -> Estate:
    """An input with these holders and tables."""
    grants = tuple(grant for item in holders for grant in item.grants)
    return build.estate(*tables, holders=holders, grants=grants, **others)


def of(*statements: Any, tables: Iterable[Table] = (), **others: Any) -> Estate:
    """An input with one role that holds these statements in one document."""
    return estate(holder(whole(*statements), **others), tables=tables)


def findings(world: Estate, only: str | None = None, **options: Any) -> list[Finding]:
    """What the access policies say of an input: those of the default selection, or one of them with options."""
    settings = Settings(
        select=(only or "access",) if only else (),
        policies={only: PolicySettings(options=options)} if only else {},
    )
    running = [policy for policy in selected_policies(POLICIES, settings) if policy.family == "access"]
    judgement = judge_all([world], running, settings)
    assert judgement.faults == ()
    return list(judgement.findings)


def reported(world: Estate) -> list[Finding]:
    """What a report says of access in an input: one finding for each cause."""
    running = [policy for policy in policies_in("tablegate_baseline") if policy.family == "access"]
    return list(judge_all([world], selected_policies(running, Settings())).findings)


def told(world: Estate, only: str | None = None, **options: Any) -> dict[str, str]:
    """The policies that say something at severity low or worse, each with its worst severity."""
    return _by_policy(item for item in findings(world, only, **options) if item.severity is not Severity.INFO)


def noted(world: Estate) -> set[str]:
    """The policies that say something at severity info."""
    return {item.policy.id for item in findings(world) if item.severity is Severity.INFO}


def said(world: Estate, policy: str, **options: Any) -> str | None:
    """What one policy says: the severity, with a question mark where the outcome is unknown; None where it holds."""
    found = findings(world, policy, **options)
    if not found:
        return None
    worst = min(found, key=lambda item: tuple(Severity).index(item.severity))
    return f"{worst.severity}{'?' if worst.outcome == 'unknown' else ''}"


def _by_policy(found: Iterable[Finding]) -> dict[str, str]:
    worst: dict[str, Severity] = {}
    for item in found:
        seen = worst.get(item.policy.id)
        if seen is None or item.severity.reaches(seen):
            worst[item.policy.id] = item.severity
    return {policy: str(severity) for policy, severity in sorted(worst.items())}
