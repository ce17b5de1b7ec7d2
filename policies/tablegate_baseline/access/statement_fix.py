"""The statement to write instead."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection, Iterable, Mapping
from functools import lru_cache
from typing import NamedTuple

from tablegate.policy import Dialect, Table
from tablegate.policy.access import (
    HARMLESS,
    Action,
    Condition,
    Grant,
    HolderKind,
    Kind,
    Scope,
    Symbols,
    Tier,
    arn_of,
    expand,
    has_symbol,
    is_suffix,
    is_symbol,
    is_variable,
    is_wildcard,
    scope_of,
)
from tablegate_baseline.access.relevance import ITEMS, is_mixed, is_service, tables_reached

ITEM_ACTIONS = ("dynamodb:GetItem", "dynamodb:PutItem", "dynamodb:Query", "dynamodb:UpdateItem")
Conditions = Mapping[str, Mapping[str, tuple[str, ...]]]

_NAME_OF = "name of "  # what a symbol is called that stands for a table's name
_LONG = 100  # characters of an element on one line
_MODULES = re.compile(r"(?:module\.[\w-]+(?:\[[^\]]*\])?\.)*")
_STACKS = re.compile(r"(?:[^/]+/)*")
# What stands for this account, region and partition where the statement is written.
_HCL = {
    "account": "data.aws_caller_identity.current.account_id",
    "region": "data.aws_region.current.name",
    "partition": "data.aws_partition.current.partition",
}
_PSEUDO = {"account": "AWS::AccountId", "region": "AWS::Region", "partition": "AWS::Partition"}


class _Reference(NamedTuple):
    """An expression for a table's ARN, or its stream's, where a grant stands, and what follows it."""

    name: str
    attribute: str
    rest: str


_OF_THEIR_OWN = "its DynamoDB actions, in a statement of their own:"
_FOR_TABLES = "what it needs of DynamoDB, in a statement of its own:"
_LEAVE_OUT = "leave the DynamoDB actions out of this statement"
_STACK = frozenset({"${AWS::StackName}", "${AWS::StackId}"})  # the beginning of a table's name, and never all of it
_DELIMITERS = "-_."
_MOST = 3  # tables named in one statement
_BELOW = {"index": "/index/*", "stream": "/stream/*", "backup": "/backup/*", "export": "/export/*"}

TERRAFORM = """\
statement {
  actions   = ["dynamodb:GetItem", "dynamodb:PutItem", "dynamodb:Query"]
  resources = [aws_dynamodb_table.example.arn, "${aws_dynamodb_table.example.arn}/index/*"]
}"""

CLOUDFORMATION = """\
- Effect: Allow
  Action: [dynamodb:GetItem, dynamodb:PutItem, dynamodb:Query]
  Resource: [!GetAtt Example.Arn, !Sub "${Example.Arn}/index/*"]"""

TERRAFORM_PRINCIPAL = """\
principals {
  type        = "AWS"
  identifiers = [aws_iam_role.reader.arn]
}"""

CLOUDFORMATION_PRINCIPAL = """\
Principal:
  AWS: !GetAtt Reader.Arn"""

LEAST = "https://docs.aws.amazon.com/IAM/latest/UserGuide/best-practices.html#grant-least-privilege"
IDENTITY = "https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/using-identity-based-policies.html"
REFERENCE = "https://docs.aws.amazon.com/service-authorization/latest/reference/list_amazondynamodb.html"


def replacement_statement(
    grant: Grant, actions: Iterable[str], resources: Iterable[str], conditions: Conditions | None = None
) -> str:
    """A whole statement: these actions on these ARNs, under its own conditions unless others are given."""
    named = sorted(set(actions))
    where = list(dict.fromkeys(resources))
    bound = conditions_of(grant) if conditions is None else conditions
    if grant.spelling == "hcl":
        return _hcl(grant, named, where, bound)
    if grant.spelling == "yaml":
        return _yaml(grant, named, where, bound)
    spelled: dict[str, object] = {"Effect": "Allow", "Action": named, "Resource": _json_list(grant, where)}
    if bound:
        spelled["Condition"] = bound
    return _dumped(spelled)


def _dumped(spelled: Mapping[str, object]) -> str:
    """JSON with a line for each element, or one for each item of what is long."""
    lines = ",\n".join(f"  {json.dumps(key)}: {_element(value)}" for key, value in spelled.items())
    return f"{{\n{lines}\n}}"


def _element(value: object) -> str:
    text = json.dumps(value)
    if len(text) <= _LONG or not isinstance(value, list):
        return text
    items = ",\n".join(f"    {json.dumps(item)}" for item in value)
    return f"[\n{items}\n  ]"


def conditions_of(grant: Grant, *without: str) -> Conditions:
    """The statement's own conditions, less those on the keys named."""
    found: dict[str, dict[str, tuple[str, ...]]] = {}
    for item in grant.statement.conditions:
        if item.key not in without:
            found.setdefault(item.spelled, {})[item.written or item.key] = _values(grant, item)
    return found


def spelled_out(grant: Grant, arn: str) -> str:
    """An ARN as its author would write it: by reference, where only that is known of it."""
    found = _reference(grant, arn) if has_symbol(arn) else None
    return _text(grant, arn, "${%s}") if found is None else f"{found.name}.{found.attribute}{found.rest}"


def _is_template(grant: Grant) -> bool:
    return grant.holder.estate.dialect is Dialect.CLOUDFORMATION


def _values(grant: Grant, item: Condition) -> tuple[str, ...]:
    return tuple(map(grant.document.shown, item.values)) or ("VALUE",)


def _reference(grant: Grant, arn: str) -> _Reference | None:
    for table in tables_reached(grant, arn):
        own = arn_of(table, grant.holder.symbols)
        name = _local_name(grant, table.address)
        if name is None or not arn.startswith(own) or table.address == grant.address:
            continue
        rest = arn[len(own) :]
        of_stream = rest.startswith("/stream/") and len(rest) == len("/stream/") + 1 and is_symbol(rest[-1])
        if of_stream and not is_suffix(rest[-1]):
            return _Reference(name, "StreamArn" if _is_template(grant) else "stream_arn", "")
        return _Reference(name, "Arn" if _is_template(grant) else "arn", _text(grant, rest))
    return None


def _local_name(grant: Grant, address: str) -> str | None:
    """A resource's name in its own module or stack, where the grant is in the same one."""
    outer, mark = (_STACKS, "/") if _is_template(grant) else (_MODULES, "module.")
    if mark not in address and mark not in grant.address:
        return address
    around, own = (match[0] if (match := outer.match(text)) else "" for text in (address, grant.address))
    return address[len(around) :] if around == own else None


def _text(grant: Grant, text: str, variable: str | None = None) -> str:
    """A literal text, with the language's own words for what is not known; ``variable`` is how IAM's are written."""
    if not has_symbol(text):
        return text
    variable = variable or _variable(grant, text)
    return "".join(_spelled(grant, part, variable) if is_symbol(part) else part for part in text)


def _spelled(grant: Grant, symbol: str, variable: str) -> str:
    if is_suffix(symbol):
        return ""
    name = grant.holder.symbols.shown(symbol)[2:-1]
    return variable % name if is_variable(symbol) else _expression(grant, name)


def _variable(grant: Grant, text: str) -> str:
    """How a policy variable is written in such a text, so that the language leaves it alone."""
    if _is_template(grant):
        return "${!%s}" if _is_substituted(text) else "${%s}"
    return "&{%s}" if grant.spelling == "hcl" else "$${%s}"


def _is_substituted(text: str) -> bool:
    return any(is_symbol(part) and not is_variable(part) and not is_suffix(part) for part in text)


def _expression(grant: Grant, name: str) -> str:
    """What the language calls something that is not known."""
    own = (_PSEUDO if _is_template(grant) else _HCL).get(name, name)
    if not own.startswith(_NAME_OF):
        return f"${{{own}}}"
    table = _local_name(grant, own.removeprefix(_NAME_OF))
    if table is None:
        return "TABLE"
    return f"${{{table}}}" if _is_template(grant) else f"${{{table}.name}}"


def _hcl(grant: Grant, actions: list[str], resources: list[str], conditions: Conditions) -> str:
    listed = ", ".join(_hcl_resource(grant, arn) for arn in resources)
    lines = ["statement {", f"  actions   = {json.dumps(actions)}", f"  resources = [{listed}]"]
    for operator, keys in conditions.items():
        for key, values in keys.items():
            escaped = json.dumps(list(values)).replace("${", "&{")
            lines += ["  condition {", f'    test     = "{operator}"', f'    variable = "{key}"']
            lines += [f"    values   = {escaped}", "  }"]
    return "\n".join([*lines, "}"])


def _hcl_resource(grant: Grant, arn: str) -> str:
    found = _reference(grant, arn)
    if found is None:
        return json.dumps(_text(grant, arn))
    own = f"{found.name}.{found.attribute}"
    return f'"${{{own}}}{found.rest}"' if found.rest else own


def _yaml(grant: Grant, actions: list[str], resources: list[str], conditions: Conditions) -> str:
    lines = ["- Effect: Allow", "  Action:", *(f"    - {action}" for action in actions), "  Resource:"]
    lines += [f"    - {_yaml_resource(grant, arn)}" for arn in resources]
    if conditions:
        lines.append("  Condition:")
        for operator, keys in conditions.items():
            lines.append(f"    {operator}:")
            lines += [f"      {key}: {json.dumps(list(values))}" for key, values in keys.items()]
    return "\n".join(lines)


def _yaml_resource(grant: Grant, arn: str) -> str:
    found = _reference(grant, arn)
    if found is None:
        return f"{'!Sub ' if _is_substituted(arn) else ''}{json.dumps(_text(grant, arn))}"
    own = f"{found.name}.{found.attribute}"
    return f'!Sub "${{{own}}}{found.rest}"' if found.rest else f"!GetAtt {own}"


def _json_list(grant: Grant, resources: list[str]) -> list[object]:
    return [_json_resource(grant, arn) for arn in resources]


def _json_resource(grant: Grant, arn: str) -> object:
    found = _reference(grant, arn)
    template = _is_template(grant)
    if found is None:
        text = _text(grant, arn)
        return {"Fn::Sub": text} if template and _is_substituted(arn) else text
    text = f"${{{found.name}.{found.attribute}}}{found.rest}"
    if not template:
        return text
    return {"Fn::Sub": text} if found.rest else {"Fn::GetAtt": [found.name, found.attribute]}


def reduced_statement(
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
        statements.append(replacement_statement(grant, on_tables, where, conditions))
    account_wide = [name for name in names if _is_account_wide(name)]
    if account_wide and _takes_bare_star(grant):
        statements.append(replacement_statement(grant, account_wide, ["*"], conditions))
    lead = _lead(grant)
    return "\n".join([lead, *statements] if lead else statements)


def where_it_works(grant: Grant, actions: Collection[Action]) -> str:
    """A statement of these actions alone, on resources that they are for."""
    names = [action.full_name for action in actions]
    if all(action.account_level for action in actions):
        return replacement_statement(grant, names, ["*"])
    scopes = [scope for scope in map(scope_of, grant.statement.resources.texts) if scope.tier is not Tier.NONE]
    arns = [_to_fill_in(grant, scope) for scope in scopes] or [_to_fill_in(grant, Scope(Tier.ALL))]
    ends = _ends(Scope(Tier.ALL, below="*"), actions)
    return replacement_statement(grant, names, [f"{arn}{end}" for arn in arns for end in ends])


def named_resources(grant: Grant, pattern: str, actions: Collection[Action]) -> tuple[str, ...]:
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
        found += named_resources(grant, text, actions) if wide else [text]
    return list(dict.fromkeys(found)) or list(named_resources(grant, "*", actions))


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
