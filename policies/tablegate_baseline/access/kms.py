"""KMS keys: do the grants on a table's key match the grants on the table?"""

from __future__ import annotations

from typing import Annotated

from tablegate.policy import HIGH, INFO, MEDIUM, KeyOwner, Table, Verdict, policy, unknown
from tablegate.policy.access import (
    DocumentRole,
    Grant,
    Holder,
    HolderForm,
    HolderKind,
    Principal,
    PrincipalKind,
    Tier,
    matches,
    reaches,
    reaches_of,
)
from tablegate_baseline.access.principals import (
    TrustedAccounts,
    account_of,
    is_anyone,
    open_provider,
    outside_principals,
    principals_in_conditions,
    whose_account,
)
from tablegate_baseline.access.relevance import notable_actions, only_table
from tablegate_baseline.access.wording import (
    HOLDS,
    NOT_APPLICABLE,
    statement_evidence,
    unknown_element,
    unknown_principals,
    violation,
)

_KMS = "https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/encryption.usagenotes.html"
_DECRYPT = "grant kms:Decrypt in a separate statement, on the ARN of the table's key; other services' keys in another"
_VIA = "kms:viaservice"
_OF_ACCOUNT = frozenset({"kms:calleraccount", "aws:principalaccount", "aws:principalorgid", "aws:sourceaccount"})


@policy(
    "TG537",
    HIGH,
    "A table's key must be used only for DynamoDB, and only by this account",
    docs=_KMS,
    terraform="""\
condition {
  test     = "StringLike"
  variable = "kms:ViaService"
  values   = ["dynamodb.*.amazonaws.com"]
}""",
    cloudformation="""\
Condition:
  StringLike:
    kms:ViaService: dynamodb.*.amazonaws.com""",
)
def kms_pairing(
    grant: Grant,
    *,
    trusted_accounts: TrustedAccounts = (),
    missing_grants: Annotated[bool, "also report holders that reach a table, but not its key"] = False,
) -> Verdict:
    """kms:Decrypt on every key opens every other store too. A key that others may use protects nothing. A table with
    the AWS-managed key cannot be read from another account at all. With ``missing-grants``, a holder that reaches a
    table must also be allowed to use its key."""
    if grant.holder.form is HolderForm.KEY:
        return _key_policy(grant, trusted_accounts)
    if grant.holder.form is HolderForm.TABLE:
        return _across_accounts(grant)
    if grant.role is not DocumentRole.IDENTITY or not grant.statement.allows:
        return NOT_APPLICABLE
    if _decrypts(grant):
        return _every_key(grant)
    return _without_key(grant) if missing_grants else NOT_APPLICABLE


def _every_key(grant: Grant) -> Verdict:
    if not any(notable_actions(reach) for reach in reaches_of(grant.holder)) or grant.holder.kind is HolderKind.DEPLOY:
        return NOT_APPLICABLE
    wide = grant.statement.resources.inverted or any(map(_is_every_key, grant.statement.resources.texts))
    hidden = grant.statement.resources.doubt
    if not (wide or hidden) or any(item.key == _VIA and not item.holds_without for item in grant.statement.conditions):
        return HOLDS
    if _needs_no_key(grant.holder):
        return NOT_APPLICABLE
    if not wide:
        return unknown(
            "cannot tell which keys kms:Decrypt is for", unknown_element(grant, "Resource", hidden)
        ).weighing(INFO)
    return violation(grant, MEDIUM, "kms:Decrypt on every key, for every service", fix=_DECRYPT)


def _needs_no_key(holder: Holder) -> bool:
    """Whether all tables that a holder reaches use the AWS-owned key, for which no grant is needed."""
    notable = [reach for reach in reaches_of(holder) if notable_actions(reach)]
    tables = [only_table(reach.grant, reach.pattern) if reach.tier is Tier.ONE else None for reach in notable]
    return all(table is not None and table.encryption.owner.content is KeyOwner.AWS_OWNED for table in tables)


def _key_policy(grant: Grant, trusted: tuple[str, ...]) -> Verdict:
    """The verdict on a key's own policy. It may allow its whole account, whose own policies limit who that is."""
    if not grant.statement.allows or grant.statement.principals is None:
        return NOT_APPLICABLE
    keys = {item.key for item in grant.statement.conditions if not item.holds_without}
    if is_anyone(grant) and not keys & _OF_ACCOUNT and not principals_in_conditions(grant):
        return violation(grant, HIGH, "everybody may use the table's key")
    provider = open_provider(grant)
    if provider is not None and provider[1] and not keys & _OF_ACCOUNT:
        shown = grant.document.shown(provider[0].text)
        return violation(grant, HIGH, f"whoever signs in with {shown} may use the table's key")
    foreign, doubtful = _outside_principals(grant, trusted)
    if keys & _OF_ACCOUNT and _VIA in keys and not is_anyone(grant):
        return HOLDS
    if foreign:
        shown = grant.document.shown(foreign[0].text)
        return violation(grant, HIGH, f"{shown}, in another account, may use the table's key")
    if doubtful:
        shown = grant.document.shown(doubtful[0].text)
        return unknown(
            f"cannot tell whether {shown} is in this account", whose_account(grant), statement_evidence(grant)
        )
    if grant.statement.principals.doubt is None:
        return HOLDS
    return unknown("cannot tell who may use the key", *unknown_principals(grant))


def _outside_principals(grant: Grant, trusted: tuple[str, ...]) -> tuple[list[Principal], list[Principal]]:
    """The principals of other accounts, and those whose account is not known.

    KMS refuses a policy that its own account cannot change: if a single account can, it is the key's.
    """
    foreign, doubtful = outside_principals(grant, trusted)
    manager = _managing_account(grant.holder)
    if manager is None:
        return foreign, doubtful
    named = [item for item in doubtful if account_of(item.text).isdigit()]
    foreign += [item for item in named if account_of(item.text) != manager]
    return foreign, [item for item in doubtful if item not in named]


def _managing_account(key: Holder) -> str | None:
    """The account that may change a key's policy; None where there are several, or its number is not known."""
    accounts = {
        account_of(item.text)
        for grant in key.grants
        if grant.statement.allows and grant.statement.principals and any(map(_manages, grant.statement.actions.texts))
        for item in grant.statement.principals.items
        if item.kind is PrincipalKind.AWS
    }
    return accounts.pop() if len(accounts) == 1 and all(account.isdigit() for account in accounts) else None


def _manages(text: str) -> bool:
    return matches(text.lower(), "kms:putkeypolicy") is True


def _across_accounts(grant: Grant) -> Verdict:
    if grant.role is not DocumentRole.RESOURCE or not grant.statement.allows:
        return NOT_APPLICABLE
    tables = [table for table in grant.holder.estate.tables if table.address == grant.holder.address]
    if not any(table.encryption.owner.content is KeyOwner.AWS_MANAGED for table in tables):
        return NOT_APPLICABLE
    foreign, _ = outside_principals(grant)
    if not foreign:
        return HOLDS
    note = "the grant does not work: the table uses the aws/dynamodb key, which no other account can use"
    return violation(grant, MEDIUM, note)


def _without_key(grant: Grant) -> Verdict:
    """A holder that reaches a table and may not use its key. Only where all of the holder's policies could be read."""
    if grant.holder.unread or not reaches(grant) or any(_decrypts(other) for other in grant.holder.grants):
        return NOT_APPLICABLE
    for reach in reaches(grant):
        table = only_table(grant, reach.pattern) if reach.tier is Tier.ONE and notable_actions(reach) else None
        key = _key_of(table) if table is not None else None
        if key is not None and not key.unread and not any(_may_decrypt(other, grant.holder) for other in key.grants):
            return violation(
                grant,
                INFO,
                f"nothing in this input allows the holder to use the key of {table.address if table else ''}",
            )
    return HOLDS


def _key_of(table: Table) -> Holder | None:
    key = table.encryption.resource
    holders = table.estate.holders if key is not None else ()
    return next((item for item in holders if key and item.form is HolderForm.KEY and item.address == key.address), None)


def _may_decrypt(grant: Grant, whose: Holder) -> bool:
    """Whether a key's statement lets a holder decrypt, by its name or as everybody."""
    if not grant.statement.allows or not _decrypts(grant):
        return False
    principals = grant.statement.principals.items if grant.statement.principals else ()
    return is_anyone(grant) or any(
        item.kind is PrincipalKind.AWS and whose.name and item.text.endswith(f"/{whose.name}") for item in principals
    )


def _decrypts(grant: Grant) -> bool:
    """Whether a statement is about kms:Decrypt. A bare star is not: other policies report it."""
    return any(text != "*" and matches(text.lower(), "kms:decrypt") is True for text in grant.statement.actions.texts)


def _is_every_key(text: str) -> bool:
    return set(text) <= {"*"} or (text.startswith("arn:") and ":kms:" in text and text.endswith((":*", ":key/*")))
