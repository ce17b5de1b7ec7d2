"""Principals: who has access by a resource's own policy, and is it somebody outside the account?"""

from __future__ import annotations

from typing import Annotated

from tablegate.policy import Doubt, Origin, Table, Value
from tablegate.policy.access import (
    Condition,
    DocumentRole,
    Grant,
    Holder,
    HolderForm,
    Principal,
    PrincipalKind,
    arn_of,
    has_symbol,
    is_variable,
    is_wildcard,
)

# A policy with one of these keys and plain values is not public for Block Public Access.
_PINNING = frozenset(
    f"aws:{key}"
    for key in (
        "ec2instancesourcevpc",
        "principalaccount",
        "principalarn",
        "principalisawsservice",
        "principalorgid",
        "principalorgpaths",
        "principalservicename",
        "principalservicenameslist",
        "sourceaccount",
        "sourcearn",
        "sourceorgid",
        "sourceorgpaths",
        "sourcevpc",
        "sourcevpce",
        "userid",
    )
)
_ACCOUNTS = frozenset({"aws:principalaccount", "aws:principalarn", "kms:calleraccount"})
_SETTLE = "pass --account with the account that this is deployed to"
_SWITCH = "aws:principalisawsservice"
ORGANISATION = frozenset({"aws:principalorgid", "aws:principalorgpaths"})


TrustedAccounts = Annotated[tuple[str, ...], "ids of trusted accounts"]


def is_resource_allow(grant: Grant) -> bool:
    """Whether it is an Allow in the policy of a table or a stream."""
    of_table = grant.holder.form in (HolderForm.TABLE, HolderForm.STREAM)
    return of_table and grant.role is DocumentRole.RESOURCE and grant.statement.allows


def is_anyone(grant: Grant) -> bool:
    """Whether a statement is for everybody, or for everybody except some."""
    principals = grant.statement.principals
    return principals is not None and (principals.inverted or any(map(_is_open, principals.items)))


def source_conditions(grant: Grant) -> list[Condition]:
    """The conditions that can limit a statement for everybody to some principals."""
    return [
        item
        for item in grant.statement.conditions
        if item.key in _PINNING and not item.holds_without and not item.is_null
    ]


def open_provider(grant: Grant) -> tuple[Principal, bool] | None:
    """An identity provider of the public, such as Google, whose users are let in, and whether that is certain.

    They come by roles of any account, unless a condition limits them to an account or to an application.
    """
    principals = grant.statement.principals
    found = None
    for item in principals.items if principals and not principals.inverted else ():
        if item.kind is PrincipalKind.FEDERATED and not _has_account(item) and not has_symbol(item.text):
            prefix = f"{item.text.lower()}:"
            of_provider = [it for it in grant.statement.conditions if it.key.startswith(prefix)]
            limits = [it for it in of_provider if not it.holds_without and not it.is_null]
            answers = [is_pinned(it) for it in (*source_conditions(grant), *limits)]
            if True not in answers and (found is None or not found[1]):
                found = item, None not in answers
    return found


def is_pinned(item: Condition) -> bool | None:
    """Whether such a condition limits principals: its values are plain. None where they are not known."""
    if item.key == _SWITCH:
        return {value.lower() for value in item.values} == {"true"}
    if any(is_wildcard(value) or any(map(is_variable, value)) for value in item.values):
        return False
    may_be_star = item.patterned and any(len(value) == 1 and has_symbol(value) for value in item.values)
    return None if item.unread or may_be_star else bool(item.values)


def own_account(grant: Grant) -> str:
    """The account of a policy's resource; for a key, that of the table that it encrypts. A symbol where not known."""
    if grant.target:
        return account_of(grant.target)
    tables = grant.holder.estate.tables
    encrypted = next((table for table in tables if _is_encrypted_with(table, grant.holder)), None)
    return account_of(arn_of(encrypted, grant.holder.symbols)) if encrypted else ""


def is_own_account(item: Principal, grant: Grant, trusted: tuple[str, ...] = ()) -> bool | None:
    """Whether a principal is in the resource's own account, or a trusted one; None where that is not known."""
    account, own = account_of(item.text), own_account(grant)
    if account in trusted or (own and account == own):
        return True
    if not own or has_symbol(own) or has_symbol(account) or not account.isdigit():
        return None
    return False


def outside_principals(grant: Grant, trusted: tuple[str, ...] = ()) -> tuple[list[Principal], list[Principal]]:
    """The principals of other accounts, and those whose account is not known.

    Of a statement for everybody, they are those that its conditions limit it to.
    """
    principals = grant.statement.principals
    named = [item for item in principals.items if _has_account(item)] if principals else []
    named = [item for item in named if not _is_open(item)]
    if is_anyone(grant):
        named += principals_in_conditions(grant)
    answers = [(item, is_own_account(item, grant, trusted)) for item in named]
    return [item for item, own in answers if own is False], [item for item, own in answers if own is None]


def principals_in_conditions(grant: Grant) -> list[Principal]:
    """The accounts and principals that conditions limit a statement for everybody to: those of the narrowest one.

    Conditions are joined by ``and``: if one limits it to this account, no other one opens it to another.
    """
    listed = [
        [Principal(PrincipalKind.AWS, value) for value in item.values]
        for item in grant.statement.conditions
        if item.key in _ACCOUNTS and not (item.holds_without or item.is_null or item.unread)
        if item.values and not any(map(_is_any_account, item.values))
    ]
    answers = [(items, [is_own_account(item, grant) for item in items]) for items in listed]
    rank = {True: 0, None: 1, False: 2}
    return min(answers, key=lambda pair: max(rank[own] for own in pair[1]), default=([], []))[0]


def _has_account(item: Principal) -> bool:
    """Whether a principal is in an account: a provider of one's own has an ARN, those of the public have not."""
    if item.kind is PrincipalKind.FEDERATED:
        return item.text.startswith("arn:")
    return item.kind in (PrincipalKind.AWS, PrincipalKind.CANONICAL)


def _is_any_account(value: str) -> bool:
    """Whether a value has no account of its own. A pattern for a part of a path has one."""
    return is_wildcard(account_of(value))


def is_whole_account(item: Principal) -> bool:
    """Whether a principal is a whole account, which hands the right on to whom it likes."""
    return item.text.endswith(":root") or item.text.isdigit()


def account_of(text: str) -> str:
    """The account of an ARN, or the text itself where it is none."""
    return text.split(":")[4] if text.count(":") >= 5 else text


def whose_account(grant: Grant) -> Value[object]:
    """The evidence that the resource's own account is not known."""
    doubt = Doubt("nothing in this input names it", _SETTLE)
    return Value("own account", None, Origin.UNKNOWN, grant.statement.at("Principal") or grant.place, doubt)


def _is_encrypted_with(table: Table, key: Holder) -> bool:
    """Whether a table, or a replica of it, is encrypted with this key."""
    encryptions = (table.encryption, *(replica.encryption for replica in table.replicas.content or ()))
    return any(one.resource is not None and one.resource.address == key.address for one in encryptions)


def _is_open(item: Principal) -> bool:
    """Whether a principal is everybody. IAM refuses a star as the account, and its author means everybody."""
    return item.kind is PrincipalKind.ANYONE or (item.kind is PrincipalKind.AWS and account_of(item.text) == "*")
