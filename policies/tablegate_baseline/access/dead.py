"""Dead grants: does a statement do what it says?"""

from __future__ import annotations

import difflib
from functools import lru_cache

from tablegate.policy import INFO, Table, Value, Verdict, fails, holds, not_applicable, policy
from tablegate.policy.access import (
    Action,
    DocumentRole,
    Grant,
    Reach,
    Tier,
    enclosing_operations,
    expand,
    fits,
    has_symbol,
    is_wildcard,
    known_actions,
    matches,
    newer_actions,
    reaches,
    reaches_of,
    scope_of,
)
from tablegate_baseline.access.telling import element, listed, statement

_REFERENCE = "https://docs.aws.amazon.com/service-authorization/latest/reference/list_amazondynamodb.html"
_TERRAFORM = """\
statement {
  actions   = ["dynamodb:PutItem", "dynamodb:ConditionCheckItem"]
  resources = [aws_dynamodb_table.example.arn]
}"""
_CLOUDFORMATION = """\
- Effect: Allow
  Action: [dynamodb:PutItem, dynamodb:ConditionCheckItem]
  Resource: !GetAtt Example.Arn"""
_INDEX_TERRAFORM = 'resources = [aws_dynamodb_table.example.arn, "${aws_dynamodb_table.example.arn}/index/*"]'
_INDEX_CLOUDFORMATION = 'Resource: [!GetAtt Example.Arn, !Sub "${Example.Arn}/index/*"]'


@policy(
    "TG530",
    INFO,
    "An action must be one that DynamoDB has",
    docs=_REFERENCE,
    terraform=_TERRAFORM,
    cloudformation=_CLOUDFORMATION,
)
def unknown_action(grant: Grant) -> Verdict:
    """An action that does not exist grants nothing: the call it was written for is refused at run time."""
    if not grant.statement.allows or grant.managed:
        return not_applicable("not an Allow that somebody wrote")
    strange = [text for text in grant.statement.actions.texts if _is_strange(text)]
    if not strange:
        return holds(statement(grant))
    told = "; ".join(f"{grant.document.shown(text)} is no action{_hint(text)}" for text in strange)
    return fails(told, statement(grant))


@policy(
    "TG531",
    INFO,
    "An action must stand over a resource it works on",
    docs=_REFERENCE,
    terraform=_TERRAFORM,
    cloudformation=_CLOUDFORMATION,
)
def action_resource_mismatch(grant: Grant) -> Verdict:
    """Stream actions work on streams, item actions on tables, listing on everything or nothing: over the wrong resource
    a grant is empty."""
    statement_ = grant.statement
    if grant.role is not DocumentRole.IDENTITY or not statement_.allows or grant.managed or statement_.actions.inverted:
        return not_applicable("not an Allow of named actions")
    if statement_.resources.inverted or statement_.resources.doubt or not statement_.resources.texts:
        return not_applicable("its resources are not all known")
    scopes = [scope_of(text) for text in statement_.resources.texts]
    if all(scope.tier is Tier.NONE for scope in scopes) and not any(
        _is_name(text) for text in statement_.resources.texts
    ):
        return not_applicable("no resource of DynamoDB's")
    every = any(set(text) <= {"*"} for text in statement_.resources.texts)
    named = sorted({action for text in statement_.actions.texts if not is_wildcard(text) for action in expand(text)})
    dead = [action for action in named if not every and not any(fits(action, scope) for scope in scopes)]
    excused = [action for action in dead if not _is_generated(action, grant)]
    if not excused:
        return holds(statement(grant))
    note = f"{listed(action.name for action in excused)} has no effect on {grant.document.shown(statement_.resources.texts[0])!r}"
    return fails(note, statement(grant), element(grant, statement_.resources.texts[0]))


@policy(
    "TG532",
    INFO,
    "Whoever queries a table must be granted its indexes",
    docs="https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/using-identity-based-policies.html",
    terraform=_INDEX_TERRAFORM,
    cloudformation=_INDEX_CLOUDFORMATION,
)
def index_not_granted(grant: Grant) -> Verdict:
    """A query on an index is authorised by the index's own ARN: with the table alone it is refused at run time, on the
    first day that somebody uses the index."""
    if grant.role is not DocumentRole.IDENTITY or grant.managed:
        return not_applicable("not a grant of an identity")
    for reach in reaches(grant):
        if (
            reach.tier is not Tier.ONE
            or reach.scope.below
            or not any(action.name in ("Query", "Scan") for action in reach.actions)
        ):
            continue
        table = next((table for table in grant.holder.estate.tables if _is_of(reach, table)), None)
        names = [index.name.content for index in (table.indexes.content or ())] if table else []
        if names and not _below(grant, reach):
            indexes = Value("global secondary indexes", ", ".join(filter(None, names)))
            return fails(f"queries {reach.scope.table}, but none of its indexes", statement(grant), indexes)
    return holds(statement(grant))


def _is_strange(text: str) -> bool:
    service, _, name = text.lower().partition(":")
    if service != "dynamodb" or is_wildcard(name) or has_symbol(name):
        return service == "dynamodb" and is_wildcard(name) and not has_symbol(name) and not expand(text)
    return not expand(text) and name not in newer_actions()


@lru_cache(maxsize=256)
def _hint(text: str) -> str:
    name = text.partition(":")[2].lower()
    enclosed = enclosing_operations().get(name)
    if enclosed:
        return f": {', '.join(enclosed)} authorise it"
    if name == "createitem":
        return ": PutItem creates items"
    near = difflib.get_close_matches(name, [action.name.lower() for action in known_actions()], n=1, cutoff=0.75)
    return f": {next(action.name for action in known_actions() if action.name.lower() == near[0])} is" if near else ""


def _is_name(text: str) -> bool:
    """Whether a resource is a table's bare name where an ARN belongs."""
    return ":" not in text and not is_wildcard(text) and bool(text)


def _is_generated(action: Action, grant: Grant) -> bool:
    """Shapes that frameworks write: stream reads beside item reads on the table, and lists on an ARN."""
    names = {other.name for text in grant.statement.actions.texts for other in expand(text)}
    if action.name in ("GetRecords", "GetShardIterator") and {"GetItem", "Query"} <= names:
        return True
    return action.name in ("ListStreams", "ListBackups") and len(names) > 1


def _is_of(reach: Reach, table: Table) -> bool:
    return table.name.content is not None and table.name.content == reach.scope.table


def _below(grant: Grant, reach: Reach) -> bool:
    """Whether any grant of the holder reaches below the table."""
    target = f"{reach.pattern}/index/any"
    return any(other.scope.below and matches(other.pattern, target) is not False for other in reaches_of(grant.holder))
