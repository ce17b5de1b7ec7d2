"""Dead grants: actions, resources, indexes and tables that do not exist or do not go together."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from typing import Annotated

from tablegate.policy import INFO, LOW, ChangeKind, Doubt, Origin, Table, Value, Verdict, policy, unknown
from tablegate.policy.access import (
    ACTIONS_AS_OF,
    Action,
    DocumentRole,
    Grant,
    Holder,
    HolderForm,
    Narrowing,
    Reach,
    Tier,
    arn_of,
    at_home,
    by_name,
    enclosing_operations,
    expand,
    fits,
    has_symbol,
    is_wildcard,
    lacks_place,
    matches,
    narrowing,
    reaches,
    reaches_of,
    scope_of,
)
from tablegate_baseline.access.relevance import is_custom_grant, only_table, tables_reached
from tablegate_baseline.access.statement_fix import IDENTITY, REFERENCE, reduced_statement, spelled_out, where_it_works
from tablegate_baseline.access.wording import (
    HOLDS,
    NOT_APPLICABLE,
    action_evidence,
    actions_shown,
    resource_evidence,
    violation,
)
from tablegate_baseline.helpers import most_similar

_TERRAFORM = """\
statement {
  actions   = ["dynamodb:PutItem", "dynamodb:ConditionCheckItem"]
  resources = [aws_dynamodb_table.example.arn]
}"""
_CLOUDFORMATION = """\
- Effect: Allow
  Action: [dynamodb:PutItem, dynamodb:ConditionCheckItem]
  Resource: !GetAtt Example.Arn"""
_NEWER_ACTION = Doubt(
    "it is newer than this data, or grants nothing", "look it up in the AWS service authorization reference"
)
_FORMS = frozenset({HolderForm.TABLE, HolderForm.STREAM})
_ACTION_SIMILARITY = 0.75  # of a misspelt action to the real one
_REAL_NAMES = {"createitem": ("PutItem",), "readitem": ("GetItem",)}
_READ_BY_THE_CDK = frozenset({"GetRecords", "GetShardIterator"})  # the CDK adds them to every grant that reads a table

_TABLE_SIMILARITY = 0.85
_ENDING_CHANGES = (ChangeKind.DELETE, ChangeKind.REPLACE)


@policy(
    "TG530",
    INFO,
    "An action must exist in DynamoDB",
    docs=REFERENCE,
    terraform=_TERRAFORM,
    cloudformation=_CLOUDFORMATION,
)
def unknown_action(grant: Grant) -> Verdict:
    """An action that does not exist grants nothing: the call it was written for is refused at run time. One that is
    newer than tablegate's data may grant anything."""
    if not grant.statement.allows or grant.managed or grant.role is DocumentRole.CEILING:
        return NOT_APPLICABLE
    texts = [text for text in grant.statement.actions.texts if text.lower().startswith("dynamo")]
    if not texts:
        return NOT_APPLICABLE
    unknown_texts = [text for text in texts if _is_not_known(text)]
    if not unknown_texts:
        return HOLDS
    meant = [(grant.document.shown(text), _intended(text)) for text in unknown_texts]
    if any(names for _, names in meant) or any(map(_has_open_service, unknown_texts)):
        message = "; ".join(_why_not_known(text, names) for text, names in meant)
        return violation(
            grant,
            INFO,
            message,
            action_evidence(grant, unknown_texts[0]),
            fix=reduced_statement(grant, renamed=_corrected(unknown_texts)),
        )
    names = ", ".join(text for text, _ in meant)
    note = f"{names} is not a known action (as of {ACTIONS_AS_OF})"
    written = action_evidence(grant, unknown_texts[0])
    newer: Value[None] = Value("action", None, Origin.UNKNOWN, written.place, _NEWER_ACTION)
    return unknown(note, written, newer).weighing(INFO)


@policy(
    "TG531",
    INFO,
    "An action must be granted on a resource that it works on",
    docs=REFERENCE,
    terraform=_TERRAFORM,
    cloudformation=_CLOUDFORMATION,
)
def action_resource_mismatch(grant: Grant) -> Verdict:
    """Stream actions work on streams, item actions on tables, list actions on * only. On the wrong resource, a grant is
    empty."""
    resources = grant.statement.resources
    is_own = grant.role is DocumentRole.IDENTITY and not (grant.managed or grant.made_by or grant.of_resource)
    if not is_own or not grant.statement.allows:
        return NOT_APPLICABLE
    named = _literal_actions(grant)
    if not named or resources.inverted or resources.doubt:
        return NOT_APPLICABLE
    run_on = next((text for text in resources.texts if _lacks_slash(text, grant)), None)
    if run_on is not None:
        note = f"{spelled_out(grant, run_on)} lacks a slash before index: it names another table"
        return violation(grant, INFO, note, resource_evidence(grant, run_on))
    if _all_work(named, grant):
        return HOLDS
    if not resources.texts:
        return NOT_APPLICABLE
    dead = [action for action in named if _is_dead(action, grant) and not _is_framework_shape(action, named, grant)]
    if not dead:
        return HOLDS
    shown = spelled_out(grant, resources.texts[0])
    bound = all(narrowing(grant.statement.conditions, action) is Narrowing.NEVER for action in dead)
    where = "under these conditions" if bound else f"on {shown}{_why_dead(resources.texts[0], dead)}"
    fix = None if bound else where_it_works(grant, dead)
    note = f"{actions_shown(dead)} has no effect {where}"
    return violation(grant, INFO, note, resource_evidence(grant, resources.texts[0]), fix=fix)


@policy(
    "TG532",
    INFO,
    "A grant to query a table must include its indexes",
    docs=IDENTITY,
    terraform='resources = [aws_dynamodb_table.example.arn, "${aws_dynamodb_table.example.arn}/index/*"]',
    cloudformation='Resource: [!GetAtt Example.Arn, !Sub "${Example.Arn}/index/*"]',
)
def index_not_granted(grant: Grant) -> Verdict:
    """A query on an index needs a grant on the index's own ARN. With the table alone it is refused at run time, on the
    first day that somebody uses the index."""
    if not is_custom_grant(grant):
        return NOT_APPLICABLE
    for reach in reaches(grant):
        scope = reach.scope
        if scope.tier is not Tier.ONE or not _reads_by_key(reach.actions):
            continue
        alone = scope.itself and scope.below is None
        missing = _index_in(reach.pattern)
        table = only_table(grant, reach.pattern) if alone or missing else None
        if table is None:
            continue
        lacking = alone and not _reaches_indexes(grant.holder, arn_of(table, grant.holder.symbols))
        names = _index_names(table) if lacking or missing else None
        if names and lacking:
            verb = "query" if any(action.name == "Query" for action in reach.actions) else "scan"
            note = f"may {verb} {table.address}, but none of its indexes: {', '.join(sorted(names))}"
            fix = reduced_statement(grant, beside=[f"{reach.pattern}/index/*"])
            return violation(grant, INFO, note, resource_evidence(grant, reach.pattern), fix=fix)
        if missing and names is not None and missing not in names:
            return violation(
                grant, INFO, f"{table.address} has no index {missing!r}", resource_evidence(grant, reach.pattern)
            )
    return HOLDS


@policy(
    "TG535",
    LOW,
    "A table that a grant names must exist",
    docs=IDENTITY,
    on=False,
    terraform="resources = [aws_dynamodb_table.example.arn]",
    cloudformation="Resource: !GetAtt Example.Arn",
)
def arn_not_in_plan(
    grant: Grant,
    *,
    closed_world: Annotated[bool, "report every table that is not in the input, not only likely mistakes"] = False,
) -> Verdict:
    """A name that is written by hand can be misspelt, or outlive its table. The grant is then empty, or waits for
    somebody to create a table of that name."""
    if not is_custom_grant(grant) or not grant.holder.estate.tables:
        return NOT_APPLICABLE
    for reach in reaches(grant):
        if reach.scope.tier is not Tier.ONE or only_table(grant, reach.pattern) is not None:
            continue
        name = reach.scope.table or ""
        if has_symbol(name):
            continue
        likely = _near_miss(reach, name) or _deleted_table(reach, name)
        if likely is not None:
            return violation(
                grant, LOW, f"there is no table {name!r} in this input{likely}", resource_evidence(grant, reach.pattern)
            )
        if closed_world:
            return violation(
                grant, INFO, f"there is no table {name!r} in this input", resource_evidence(grant, reach.pattern)
            )
    return HOLDS


def _is_not_known(text: str) -> bool:
    service, _, name = text.lower().partition(":")
    if has_symbol(text):
        return False
    return (is_wildcard(service) and bool(expand(text))) or (service == "dynamodb" and bool(name) and not expand(text))


def _has_open_service(text: str) -> bool:
    return is_wildcard(text.partition(":")[0])


@lru_cache(maxsize=256)
def _intended(text: str) -> tuple[str, ...]:
    """The actions that an unknown one is probably meant for."""
    name = text.partition(":")[2].lower()
    if name in enclosing_operations():
        return enclosing_operations()[name]
    if name in _REAL_NAMES:
        return _REAL_NAMES[name]
    similar = most_similar(name, sorted(by_name()), _ACTION_SIMILARITY)
    return (by_name()[similar].name,) if similar else ()


def _why_not_known(text: str, names: tuple[str, ...]) -> str:
    if _has_open_service(text):
        return f"{text} has a wildcard in its service prefix, which IAM refuses"
    if not names:
        return f"{text} is not a known action (as of {ACTIONS_AS_OF})"
    if text.partition(":")[2].lower() in enclosing_operations():
        return f"{text} is not an action: {', '.join(names)} authorise it"
    return f"{text} is not an action; did you mean {', '.join(names)}?"


def _literal_actions(grant: Grant) -> tuple[Action, ...]:
    return () if grant.statement.actions.inverted else _actions_named(grant.statement.actions.texts)


@lru_cache(maxsize=1024)
def _actions_named(texts: tuple[str, ...]) -> tuple[Action, ...]:
    named = (text for text in texts if not is_wildcard(text))
    return tuple(sorted({action for text in named for action in expand(text)}))


def _all_work(named: Iterable[Action], grant: Grant) -> bool:
    """Whether each of the actions has a resource, under conditions that can be met."""
    working = {action for reach in reaches(grant) for action in reach.actions}
    return working.issuperset(named) and not any(_is_never_met(action, grant) for action in named)


def _is_never_met(action: Action, grant: Grant) -> bool:
    return action.name == "SearchVectors" and narrowing(grant.statement.conditions, action) is Narrowing.NEVER


def _is_dead(action: Action, grant: Grant) -> bool:
    """Whether the statement has no resource that the action works on, or conditions that are never met."""
    texts = grant.statement.resources.texts
    if _is_never_met(action, grant):
        return True
    if any(set(text) <= {"*"} for text in texts):
        return False
    return not any(fits(action, scope_of(text)) for text in texts if scope_of(text).tier is not Tier.NONE) and any(
        scope_of(text).tier is not Tier.NONE or _is_name(text) or _lacks_place(text) for text in texts
    )


def _lacks_slash(text: str, grant: Grant) -> bool:
    """Whether an ARN goes on with ``index/`` right after a table of this input, and no table has that name."""
    start, word, _ = text.partition("index/")
    if not word or start.endswith("/") or ":table/" not in start:
        return False
    return bool(tables_reached(grant, start)) and not tables_reached(grant, f"{start}index")


def _is_name(text: str) -> bool:
    """Whether a resource is a table's bare name in place of an ARN."""
    return bool(text) and ":" not in text and not is_wildcard(text)


def _lacks_place(text: str) -> bool:
    """Whether a resource is an ARN of DynamoDB whose region or account is empty."""
    return text.startswith("arn:") and ":dynamodb:" in text and lacks_place(text)


def _why_dead(text: str, dead: list[Action]) -> str:
    if _is_name(text):
        return ", which is a name, not an ARN"
    if _lacks_place(text):
        return ": its region or account is empty"
    tail = text.split(":", 5)[-1]
    if tail.partition("/")[2].partition("/")[0].endswith("index"):
        return ", which lacks a slash before index"
    if all(action.account_level for action in dead):
        return ": only a resource for all tables grants it"
    kinds = sorted({kind for action in dead for kind in action.types})
    return f": it works on {' and '.join(kinds)}" if kinds else ""


def _corrected(unknown_texts: list[str]) -> dict[str, list[str]]:
    """The actions to write in place of unknown ones, where they can be guessed."""
    return {text: [f"dynamodb:{name}" for name in _intended(text)] for text in unknown_texts}


def _is_framework_shape(action: Action, named: Iterable[Action], grant: Grant) -> bool:
    """Whether a framework writes it so: stream reads beside item reads or alone, and list actions on an ARN."""
    names = {other.name for other in named}
    if action.name in _READ_BY_THE_CDK:
        return {"GetItem", "Query"} <= names or (
            names == _READ_BY_THE_CDK and grant.address in grant.holder.estate.constructs
        )
    return action.name in ("ListStreams", "ListBackups") and len(names) > 1


@lru_cache(maxsize=1024)
def _reads_by_key(actions: frozenset[Action]) -> bool:
    """Whether any of the actions queries or scans."""
    return any(action.name in ("Query", "Scan") for action in actions)


def _index_names(table: Table) -> set[str] | None:
    """The names of all indexes of a table; None where one is not known."""
    names: set[str] = set()
    for kind in (table.indexes, table.local_indexes, table.vector_indexes):
        if not kind.known:
            return None
        for index in kind.content or ():
            name = index.name.content
            if name is None:
                return None
            names.add(name)
    return names - {""}


def _reaches_indexes(holder: Holder, arn: str) -> bool:
    """Whether any grant of the holder reaches indexes of the table."""
    below, target = f"{arn}/index/", f"{arn}/index/any"
    patterns: list[str] = []
    for other in reaches_of(holder):
        if other.scope.below in ("*", "index"):
            if other.pattern.startswith(below):
                return True
            patterns.append(other.pattern)
    homes = [at_home(pattern, target) for pattern in patterns]
    return any(home.startswith(below) or matches(home, target) is not False for home in homes)


def _index_in(pattern: str) -> str | None:
    """The name of the index in a pattern without wildcards after ``/index/``."""
    if "/index/" not in pattern:
        return None
    name = pattern.rpartition("/index/")[2]
    return name if name and not is_wildcard(name) and not has_symbol(name) else None


def _near_miss(reach: Reach, name: str) -> str | None:
    """Why a name looks wrong, for a message: like a table of this input, or that table in another place."""
    known = sorted({table.name.content for table in reach.grant.holder.estate.tables if table.name.content})
    if name in known:
        return f", only in another {_differing_part(reach, name)}"
    same = next((other for other in known if other.lower() == name.lower()), None)
    if same is not None:
        return f"; did you mean {same!r}? (names are case-sensitive)"
    similar = most_similar(name, known, _TABLE_SIMILARITY)
    return None if similar is None else f"; did you mean {similar!r}?"


def _deleted_table(reach: Reach, name: str) -> str | None:
    """What this input does to an existing table of this name, for a message."""
    for change in reach.grant.holder.estate.changes:
        before = change.before if change.kind in _ENDING_CHANGES else None
        if before is not None and before.name.content == name:
            return f" any more: {change.address} is {'deleted' if change.after is None else 'renamed'}"
    return None


def _differing_part(reach: Reach, name: str) -> str:
    tables = [table for table in reach.grant.holder.estate.tables if table.name.content == name]
    region = reach.scope.where[1]
    return "account" if any(table.region.content == region for table in tables) else "region"
