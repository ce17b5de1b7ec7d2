"""Trust policies: may anybody assume a role that reaches tables?"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from tablegate.policy import (
    CRITICAL,
    HIGH,
    MEDIUM,
    Dialect,
    Doubt,
    Origin,
    Severity,
    Value,
    Verdict,
    fails,
    policy,
    unknown,
)
from tablegate.policy.access import (
    Condition,
    Document,
    Holder,
    HolderForm,
    Kind,
    Principal,
    PrincipalKind,
    Statement,
    is_symbol,
    is_variable,
    is_wildcard,
    reaches_of,
)
from tablegate_baseline.access.principals import account_of, is_pinned
from tablegate_baseline.access.relevance import notable_actions
from tablegate_baseline.access.severity import SCALE
from tablegate_baseline.access.wording import HOLDS, NOT_APPLICABLE, holder_label

_TRUST = "https://docs.aws.amazon.com/IAM/latest/UserGuide/id_roles_create_for-idp_oidc.html"
_POWERFUL = frozenset({Kind.DESTRUCTIVE, Kind.PERMISSIONS})
# Conditions that limit a trust for everybody to somebody's accounts.
_LIMITS = frozenset(
    f"aws:{key}"
    for key in (
        "principalaccount",
        "principalarn",
        "principalorgid",
        "principalorgpaths",
        "sourceaccount",
        "sourcearn",
        "sourceorgid",
        "sourceorgpaths",
    )
)
_UNKNOWN = Doubt("a part of it is not known", "write its principals and conditions out")
_HIDDEN = "users of a provider"
_EXTERNAL_ID = "sts:externalid"
_PUBLIC_POOLS = ("cognito-identity.amazonaws.com", "accounts.google.com", "graph.facebook.com", "www.amazon.com")
_OF_APPLICATION = (":aud", ":app_id", ":oaud", ":sub", ":id")
_CLUSTER = "oidc.eks."
_WHOLE_CLAIMS = (":repository", ":repository_id", ":job_workflow_ref", ":project_id")
_OWNER_CLAIMS = (":repository_owner", ":repository_owner_id", ":namespace_id")
_LABELS = frozenset(
    {
        "id",
        "org",
        "organization",
        "pipeline",
        "project",
        "project_path",
        "ref",
        "repo",
        "serviceaccount",
        "space",
        "stack",
        "system",
        "workspace",
    }
)


class _Weakness(NamedTuple):
    """Who may assume a role by one statement. ``severity`` None: that of anybody. ``certain`` is false where a value
    that is not known decides."""

    statement: Statement | None
    who: str
    severity: Severity | None = None
    certain: bool = True
    provider: str = ""


@policy(
    "TG543",
    CRITICAL,
    "A role that reaches tables must be assumed by nobody but its owner's",
    docs=_TRUST,
    terraform="""\
condition {
  test     = "StringLike"
  variable = "token.actions.githubusercontent.com:sub"
  values   = ["repo:acme/orders:*"]
}""",
    cloudformation="""\
Condition:
  StringLike:
    token.actions.githubusercontent.com:sub: repo:acme/orders:*""",
)
def open_trust(holder: Holder) -> Verdict:
    """Anybody on the internet can ask to assume such a role: with an account of their own, or with a token of a
    provider that everybody uses."""
    if holder.form is not HolderForm.ROLE or not holder.trusts:
        return NOT_APPLICABLE
    kinds = {action.kind for reach in reaches_of(holder) for action in notable_actions(reach)}
    if not kinds:
        return NOT_APPLICABLE
    worst = CRITICAL if kinds & _POWERFUL else HIGH
    found = [weakness for document in holder.trusts for weakness in _weaknesses(document)]
    verdicts = [_verdict(holder, weakness, worst) for weakness in found]
    return max(verdicts, key=lambda verdict: SCALE.index(Severity(verdict.severity or MEDIUM)), default=HOLDS)


def _verdict(holder: Holder, weakness: _Weakness, worst: Severity) -> Verdict:
    place = weakness.statement.at("Principal") if weakness.statement is not None else None
    place, role = place or holder.place, holder_label(holder)
    if not weakness.certain:
        evidence: Value[object] = Value("trust policy", None, Origin.UNKNOWN, place, _UNKNOWN)
        return unknown(
            f"cannot tell whether {weakness.who} may assume {role}, which reaches tables", evidence
        ).weighing(MEDIUM)
    note = f"{weakness.who} may assume {role}, which reaches tables"
    verdict = fails(note, Value("Principal", weakness.provider or "everybody", place=place))
    return verdict.weighing(weakness.severity or worst).fixed_by(_fix(holder, weakness.provider))


def _fix(holder: Holder, provider: str) -> str:
    """The condition to add: on the token's subject, or on the account."""
    host = provider.partition(":oidc-provider/")[2] or provider
    subjects = {"githubusercontent": "repo:OWNER/REPOSITORY:*", _CLUSTER: "system:serviceaccount:NAMESPACE:NAME"}
    value = next((value for name, value in subjects.items() if name in host), "SUBJECT")
    key = f"{host}:sub" if host else "aws:PrincipalAccount"
    if any(name in host for name in _PUBLIC_POOLS):
        key, value = f"{host}:aud", "ID"
    value = value if host else "ACCOUNT"
    operator = "StringLike" if "*" in value else "StringEquals"
    if holder.estate.dialect is Dialect.CLOUDFORMATION:
        return f'Condition:\n  {operator}:\n    {key}: "{value}"'
    return f'condition {{\n  test     = "{operator}"\n  variable = "{key}"\n  values   = ["{value}"]\n}}'


def _weaknesses(document: Document) -> Iterator[_Weakness]:
    """The statements of a trust policy by which others than its owner may assume the role."""
    if document.doubt is not None:
        yield _Weakness(None, "anybody", certain=False)
    for statement in document.statements:
        principals = statement.principals
        if not statement.allows or principals is None:
            continue
        if principals.doubt is not None:
            yield _Weakness(statement, "anybody", certain=False)
        open_to_all = principals.inverted or any(map(_is_everybody, principals.items))
        if open_to_all:
            yield from _of_everybody(statement)
        for item in () if principals.inverted else principals.items:
            if item.kind is PrincipalKind.FEDERATED:
                for weakness in _of_provider(statement, document.shown(item.text)):
                    if document.sensitive:
                        yield weakness._replace(who=_HIDDEN)
                    else:
                        yield weakness._replace(provider=document.shown(item.text))


def _is_everybody(item: Principal) -> bool:
    return item.kind is PrincipalKind.ANYONE or (item.kind is PrincipalKind.AWS and account_of(item.text) == "*")


def _of_everybody(statement: Statement) -> Iterator[_Weakness]:
    limits = [item for item in _limiting(statement) if item.key in _LIMITS]
    answers = [_has_account(item) for item in limits]
    if True in answers:
        return
    if None in answers or statement.unsettled is not None:
        yield _Weakness(statement, "anybody", certain=False)
    elif any(item.key == _EXTERNAL_ID and is_pinned(item) is not False for item in _limiting(statement)):
        yield _Weakness(statement, "whoever knows the external id", MEDIUM)
    else:
        yield _Weakness(statement, "anybody")


def _has_account(item: Condition) -> bool | None:
    """Whether a condition names an account, an organisation or an ARN of one account. A path may be a pattern."""
    if item.unread:
        return None if item.patterned else True
    if item.key in ("aws:principalarn", "aws:sourcearn"):
        return bool(item.values) and not any(is_wildcard(account_of(value)) for value in item.values)
    return is_pinned(item)


def _of_provider(statement: Statement, provider: str) -> Iterator[_Weakness]:
    """Whom a provider of web identities lets in. One for SAML is the owner's own."""
    if ":saml-provider/" in provider:
        return
    host = provider.partition(":oidc-provider/")[2] or provider
    conditions = _limiting(statement)
    if any(name in host.lower() for name in _PUBLIC_POOLS):
        pinned = [is_pinned(item) for item in conditions if item.key.endswith(_OF_APPLICATION)]
        if True not in pinned:
            yield _Weakness(statement, f"users of any application of {host}", certain=None not in pinned)
        return
    depth = max([_depth_of(item) for item in conditions], default=0)
    depth += 1 if _CLUSTER in host.lower() else 0  # the provider is one cluster's
    if depth == 0:
        certain = statement.unsettled is None and not any(_is_hidden(item) for item in conditions)
        yield _Weakness(statement, f"anybody with a token of {host}", certain=certain)
    elif depth == 1:
        yield _Weakness(statement, f"every repository, group or service account of one owner at {host}", MEDIUM)


def _limiting(statement: Statement) -> list[Condition]:
    """The conditions that a request without their key does not meet."""
    return [item for item in statement.conditions if not item.holds_without and not item.is_null]


def _is_hidden(item: Condition) -> bool:
    return item.key.endswith(":sub") and (item.unread > 0 or any(len(v) == 1 and is_symbol(v) for v in item.values))


def _depth_of(item: Condition) -> int:
    """How far a condition on a token pins who has it: 1 for an owner, 2 for what is the owner's."""
    if item.key.endswith(_WHOLE_CLAIMS):
        return min(map(_depth, item.values), default=0) if item.patterned else 2
    if item.key.endswith(_OWNER_CLAIMS):
        return 1
    if not item.key.endswith(":sub"):
        return 0
    if item.unread:
        return 0 if item.patterned else 2
    return min(
        (2 if not item.patterned or not is_wildcard(value) else _depth(value) for value in item.values), default=0
    )


def _depth(subject: str) -> int:
    """How many names a pattern of a subject has in full before its first wildcard, without the labels between them."""
    start = re.split(r"[*?]", subject, maxsplit=1)[0]
    if len(start) == 1 and is_symbol(start):
        return 0  # nothing of it is known
    *whole, _ = re.split(r"[:/]", start) if start != subject else [*re.split(r"[:/]", start), ""]
    return min(2, sum(bool(name) and name not in _LABELS and not is_variable(name[0]) for name in whole))
