"""A whole statement to write instead: its tables named, and its actions kept but for those that are objected to."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from functools import lru_cache

from tablegate.policy import Dialect, Table
from tablegate.policy.access import (
    HARMLESS,
    Action,
    Grant,
    HolderKind,
    Kind,
    Scope,
    Symbols,
    Tier,
    arn_of,
    expand,
    has_symbol,
    is_wildcard,
    scope_of,
)
from tablegate_baseline.access.judged import ITEMS, is_mixed, is_service
from tablegate_baseline.access.rewriting import ITEM_ACTIONS, Conditions, instead
from tablegate_baseline.access.tables_here import tables_reached

_OF_THEIR_OWN = "its DynamoDB actions, in a statement of their own:"
_FOR_TABLES = "what it needs of DynamoDB, in a statement of its own:"
_LEAVE_OUT = "leave the DynamoDB actions out of this statement"
_STACK = frozenset({"${AWS::StackName}", "${AWS::StackId}"})  # the beginning of a table's name, and never all of it
_DELIMITERS = "-_."
_MOST = 3  # tables named in one statement
_BELOW = {"index": "/index/*", "stream": "/stream/*", "backup": "/backup/*", "export": "/export/*"}


def replaced(
    grant: Grant,
    without: Collection[Action] = (),
    *,
    only: Callable[[Action], bool] | None = None,
    renamed: Mapping[str, Collection[str]] | None = None,
    beside: Iterable[str] = (),
    conditions: Conditions | None = None,
    closed: bool = False,
) -> str:
    """The statement less some actions, or with ``only`` some, on tables by name.

    ``renamed`` gives other names to actions as they are written, and ``beside`` adds resources. ``closed`` names the
    account and region too where they are left open. What a statement grants of other services, and what no table can
    be named for, goes into statements of its own.
    """
    names = _names(grant, frozenset(without), renamed or {})
    names = [name for name in names if only is None or _are(name, only)]
    if not names:
        return _LEAVE_OUT
    on_tables = [name for name in names if not _is_account_wide(name)]
    statements = []
    if on_tables:
        meant = frozenset(action for name in on_tables for action in expand(name))
        where = [*_where(grant, meant, closed=closed), *beside]
        statements.append(instead(grant, on_tables, where, conditions))
    account_wide = [name for name in names if _is_account_wide(name)]
    if account_wide and _takes_bare_star(grant):
        statements.append(instead(grant, account_wide, ["*"], conditions))
    lead = _lead(grant)
    return "\n".join([lead, *statements] if lead else statements)


def where_it_works(grant: Grant, actions: Collection[Action]) -> str:
    """A statement of these actions alone, on resources that they are for."""
    names = [action.full_name for action in actions]
    if all(action.account_level for action in actions):
        return instead(grant, names, ["*"])
    scopes = [scope for scope in map(scope_of, grant.statement.resources.texts) if scope.tier is not Tier.NONE]
    arns = [_to_fill_in(grant, scope) for scope in scopes] or [_to_fill_in(grant, Scope(Tier.ALL))]
    ends = _ends(Scope(Tier.ALL, below="*"), actions)
    return instead(grant, names, [f"{arn}{end}" for arn in arns for end in ends])


def exact(grant: Grant, pattern: str, actions: Collection[Action]) -> tuple[str, ...]:
    """ARNs to name instead of a pattern: of the tables that it reaches here, or what is left to fill in."""
    scope = scope_of(pattern)
    holder = grant.holder
    tables = tables_reached(grant, pattern)[:_MOST]
    arns = [(arn_of(table, holder.symbols), _may_have_indexes(table)) for table in tables]
    arns = arns or [(_to_fill_in(grant, scope), True)]
    ends = _ends(scope, actions)
    return tuple(
        f"{arn}{end}"
        for arn, indexed in arns
        for end in ends
        if indexed or end != _BELOW["index"] or scope.below == "index"
    )


def _may_have_indexes(table: Table) -> bool:
    kinds = (table.indexes, table.local_indexes, table.vector_indexes)
    return any(kind.content or not kind.known for kind in kinds)


def _names(grant: Grant, without: frozenset[Action], renamed: Mapping[str, Collection[str]]) -> list[str]:
    """The actions to name: as they are written, where nothing speaks against it."""
    spelled = grant.statement.actions
    if spelled.inverted:
        return list(ITEM_ACTIONS)
    deploys = grant.holder.kind is HolderKind.DEPLOY
    texts = (name for text in spelled.texts for name in renamed.get(text, (text,)))
    return [name for text in texts for name in _named(grant.document.shown(text), without, deploys=deploys)]


@lru_cache(maxsize=1024)
def _named(text: str, without: frozenset[Action], *, deploys: bool) -> tuple[str, ...]:
    meant = expand(text)
    if is_service(text):
        return ("dynamodb:*",) if deploys else ITEM_ACTIONS
    if is_mixed(text) and not deploys:
        return tuple(sorted(action.full_name for action in meant - without if action.kind in ITEMS))
    if meant & without:
        return tuple(sorted(action.full_name for action in meant - without))
    return (text,) if meant or text.lower().startswith("dynamodb:") else ()


def _are(name: str, wanted: Callable[[Action], bool]) -> bool:
    meant = expand(name)
    return bool(meant) and all(map(wanted, meant))


@lru_cache(maxsize=1024)
def _is_account_wide(name: str) -> bool:
    """Whether an action, or all of a wildcard that matters, has no resource of its own."""
    meant = expand(name)
    return any(action.account_level for action in meant) and all(
        action.account_level or action.kind in HARMLESS for action in meant
    )


def _where(grant: Grant, actions: frozenset[Action], *, closed: bool) -> list[str]:
    spelled = grant.statement.resources
    found: list[str] = []
    for text in ("*",) if spelled.inverted else spelled.texts:
        scope = scope_of(text)
        if scope.tier is Tier.NONE:
            continue
        wide = scope.tier > Tier.VARIABLE or (closed and _is_open(scope))
        found += exact(grant, text, actions) if wide else [text]
    return list(dict.fromkeys(found)) or list(exact(grant, "*", actions))


def _is_open(scope: Scope) -> bool:
    return any(is_wildcard(part) or not part for part in scope.where)


def _takes_bare_star(grant: Grant) -> bool:
    resources = grant.statement.resources
    return resources.inverted or any(set(text) <= {"*"} for text in resources.texts)


def _ends(scope: Scope, actions: Collection[Action]) -> list[str]:
    """What is behind a table's ARN, for these actions, as far as the pattern reaches it."""
    types = _all_subjects(frozenset(actions)) or {"table"}
    itself = [""] if scope.itself and "table" in types else []
    below = [subject for subject in _BELOW if subject in types and scope.below in ("*", subject)]
    return itself + (["/*"] if len(below) == len(_BELOW) else [_BELOW[subject] for subject in below])


@lru_cache(maxsize=1024)
def _all_subjects(actions: frozenset[Action]) -> frozenset[str]:
    return frozenset(subject for action in actions for subject in _subjects(action))


def _subjects(action: Action) -> Iterable[str]:
    """What an action needs to be granted: for one that looks at either, the table will do."""
    if action.kind is Kind.STREAM_READ:
        return ("stream",)
    if action.kind in ITEMS:
        return (kind for kind in action.types if kind in ("table", *_BELOW))
    return action.types if action.kind is Kind.DATA_COPY or "table" not in action.types else ("table",)


def _to_fill_in(grant: Grant, scope: Scope) -> str:
    """An ARN with capitals for what nobody knows, and the known beginning of the name."""
    template = grant.holder.estate.dialect is Dialect.CLOUDFORMATION
    parts = zip(scope.where, ("partition", "region", "account"), ("aws", "REGION", "ACCOUNT"), strict=True)
    made = [
        part if part and not is_wildcard(part) else grant.holder.symbols.of(word) if template else capitals
        for part, word, capitals in parts
    ]
    partition, region, account = made
    return f"arn:{partition}:dynamodb:{region}:{account}:table/{_name(scope, grant.holder.symbols)}"


def _name(scope: Scope, symbols: Symbols) -> str:
    pattern = scope.table or ""
    head = pattern.partition("*")[0].partition("?")[0]
    if not head:
        return "TABLE"
    if head == pattern:
        return head
    if scope.bleeds and (not has_symbol(head) or (len(head) == 1 and symbols.shown(head) not in _STACK)):
        return head
    return f"{head}{'' if head[-1] in _DELIMITERS else '-'}TABLE"


def _lead(grant: Grant) -> str | None:
    """What to say before the statement, where it takes the place of a part of the one that stands there."""
    spelled = grant.statement.actions
    if spelled.inverted or "*" in spelled.texts:
        return _FOR_TABLES
    own = (bool(expand(text)) or text.lower().startswith("dynamodb:") for text in spelled.texts)
    return None if all(own) else _OF_THEIR_OWN
