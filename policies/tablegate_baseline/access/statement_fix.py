"""Fixes for grants: the statement to write instead, in the language and with the references of its author."""

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
    covers_account,
    expand,
    has_symbol,
    is_suffix,
    is_symbol,
    is_variable,
    is_wildcard,
    scope_of,
)
from tablegate_baseline.access.relevance import ITEMS, is_mixed, is_service, tables_reached

STATEMENT = "statement"  # policies that fail for one statement are one finding
ITEM_ACTIONS = ("dynamodb:GetItem", "dynamodb:PutItem", "dynamodb:Query", "dynamodb:UpdateItem")
Conditions = Mapping[str, Mapping[str, tuple[str, ...]]]

_NAME_OF = "name of "  # the start of a symbol's name that stands for a table's name
_MAX_LINE = 100  # characters of a JSON list on one line
_MODULE_PATH = re.compile(r"(?:module\.[\w-]+(?:\[[^\]]*\])?\.)*")
_STACK_PATH = re.compile(r"(?:[^/]+/)*")
# The expressions for this account, region and partition.
_HCL_EXPRESSIONS = {
    "account": "data.aws_caller_identity.current.account_id",
    "region": "data.aws_region.current.name",
    "partition": "data.aws_partition.current.partition",
}
_PSEUDO_PARAMETERS = {"account": "AWS::AccountId", "region": "AWS::Region", "partition": "AWS::Partition"}


class _Reference(NamedTuple):
    """An expression for a table's ARN, or its stream's, and the text that follows it."""

    name: str
    attribute: str
    rest: str

    @property
    def expression(self) -> str:
        return f"{self.name}.{self.attribute}"


_DYNAMODB_ACTIONS = "its DynamoDB actions, in a separate statement:"
_TABLE_ACTIONS = "the DynamoDB actions that it needs, in a separate statement:"
_KEPT_PRINCIPALS = "a statement with the principals that it has now, and:"
_LEAVE_OUT = "remove the DynamoDB actions from this statement"
_STACK = frozenset({"${AWS::StackName}", "${AWS::StackId}"})  # the beginning of a table's name, and never all of it
_DELIMITERS = "-_."
_MAX_TABLES = 3  # tables named in one statement
_SUFFIXES = {"index": "/index/*", "stream": "/stream/*", "backup": "/backup/*", "export": "/export/*"}

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
    """A whole statement: these actions on these ARNs, with the grant's own conditions unless others are given."""
    names = sorted(set(actions))
    arns = list(dict.fromkeys(resources))
    conditions = conditions_of(grant) if conditions is None else conditions
    text = _statement(grant, names, arns, conditions)
    return f"{_KEPT_PRINCIPALS}\n{text}" if grant.of_resource else text


def _statement(grant: Grant, actions: list[str], resources: list[str], conditions: Conditions) -> str:
    if grant.spelling == "hcl":
        return _as_hcl(grant, actions, resources, conditions)
    if grant.spelling == "yaml":
        return _as_yaml(grant, actions, resources, conditions)
    resource_list = [_json_resource(grant, arn) for arn in resources]
    statement: dict[str, object] = {"Effect": "Allow", "Action": actions, "Resource": resource_list}
    if conditions:
        statement["Condition"] = conditions
    return _as_json(statement)


def _as_json(statement: Mapping[str, object]) -> str:
    """JSON with a line for each element, and one for each item of a long list."""
    lines = ",\n".join(f"  {json.dumps(key)}: {_json_element(value)}" for key, value in statement.items())
    return f"{{\n{lines}\n}}"


def _json_element(value: object) -> str:
    text = json.dumps(value)
    if len(text) <= _MAX_LINE or not isinstance(value, list):
        return text
    items = ",\n".join(f"    {json.dumps(item)}" for item in value)
    return f"[\n{items}\n  ]"


def conditions_of(grant: Grant, *without: str) -> Conditions:
    """The statement's own conditions by operator and key, without those on some keys."""
    conditions: dict[str, dict[str, tuple[str, ...]]] = {}
    for item in grant.statement.conditions:
        if item.key not in without:
            conditions.setdefault(item.spelled, {})[item.written or item.key] = _values(grant, item)
    return conditions


def spelled_out(grant: Grant, arn: str) -> str:
    """An ARN as its author writes it: a reference, where its name is not known."""
    reference = _reference(grant, arn) if has_symbol(arn) else None
    return _literal(grant, arn, "${%s}") if reference is None else f"{reference.expression}{reference.rest}"


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
        return _Reference(name, "Arn" if _is_template(grant) else "arn", _literal(grant, rest))
    return None


def _local_name(grant: Grant, address: str) -> str | None:
    """A resource's name in its own module or stack, where the grant is in the same one."""
    outer, mark = (_STACK_PATH, "/") if _is_template(grant) else (_MODULE_PATH, "module.")
    if mark not in address and mark not in grant.address:
        return address
    path, own_path = (match[0] if (match := outer.match(text)) else "" for text in (address, grant.address))
    return address[len(path) :] if path == own_path else None


def _literal(grant: Grant, text: str, variable: str | None = None) -> str:
    """A text with expressions for its symbols. ``variable`` is the format of IAM's policy variables."""
    if not has_symbol(text):
        return text
    variable = variable or _variable_format(grant, text)
    return "".join(_symbol_text(grant, part, variable) if is_symbol(part) else part for part in text)


def _symbol_text(grant: Grant, symbol: str, variable: str) -> str:
    if is_suffix(symbol):
        return ""
    name = grant.holder.symbols.shown(symbol)[2:-1]
    return variable % name if is_variable(symbol) else _expression(grant, name)


def _variable_format(grant: Grant, text: str) -> str:
    """The format of a policy variable in such a text, escaped where the language would replace it."""
    if _is_template(grant):
        return "${!%s}" if _needs_sub(text) else "${%s}"
    return "&{%s}" if grant.spelling == "hcl" else "$${%s}"


def _needs_sub(text: str) -> bool:
    return any(is_symbol(part) and not is_variable(part) and not is_suffix(part) for part in text)


def _expression(grant: Grant, name: str) -> str:
    """The language's expression for something that is not known."""
    own = (_PSEUDO_PARAMETERS if _is_template(grant) else _HCL_EXPRESSIONS).get(name, name)
    if not own.startswith(_NAME_OF):
        return f"${{{own}}}"
    table = _local_name(grant, own.removeprefix(_NAME_OF))
    if table is None:
        return "TABLE"
    return f"${{{table}}}" if _is_template(grant) else f"${{{table}.name}}"


def _as_hcl(grant: Grant, actions: list[str], resources: list[str], conditions: Conditions) -> str:
    listed = ", ".join(_hcl_resource(grant, arn) for arn in resources)
    lines = ["statement {", f"  actions   = {json.dumps(actions)}", f"  resources = [{listed}]"]
    for operator, keys in conditions.items():
        for key, values in keys.items():
            escaped = json.dumps(list(values)).replace("${", "&{")
            lines += ["  condition {", f'    test     = "{operator}"', f'    variable = "{key}"']
            lines += [f"    values   = {escaped}", "  }"]
    return "\n".join([*lines, "}"])


def _hcl_resource(grant: Grant, arn: str) -> str:
    reference = _reference(grant, arn)
    if reference is None:
        return json.dumps(_literal(grant, arn))
    return f'"${{{reference.expression}}}{reference.rest}"' if reference.rest else reference.expression


def _as_yaml(grant: Grant, actions: list[str], resources: list[str], conditions: Conditions) -> str:
    lines = ["- Effect: Allow", "  Action:", *(f"    - {action}" for action in actions), "  Resource:"]
    lines += [f"    - {_yaml_resource(grant, arn)}" for arn in resources]
    if conditions:
        lines.append("  Condition:")
        for operator, keys in conditions.items():
            lines.append(f"    {operator}:")
            lines += [f"      {key}: {json.dumps(list(values))}" for key, values in keys.items()]
    return "\n".join(lines)


def _yaml_resource(grant: Grant, arn: str) -> str:
    reference = _reference(grant, arn)
    if reference is None:
        return f"{'!Sub ' if _needs_sub(arn) else ''}{json.dumps(_literal(grant, arn))}"
    expression = reference.expression
    return f'!Sub "${{{expression}}}{reference.rest}"' if reference.rest else f"!GetAtt {expression}"


def _json_resource(grant: Grant, arn: str) -> object:
    reference = _reference(grant, arn)
    template = _is_template(grant)
    if reference is None:
        text = _literal(grant, arn)
        return {"Fn::Sub": text} if template and _needs_sub(arn) else text
    text = f"${{{reference.expression}}}{reference.rest}"
    if not template:
        return text
    return {"Fn::Sub": text} if reference.rest else {"Fn::GetAtt": [reference.name, reference.attribute]}


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
    """The statement without some actions, or with ``only`` some, on tables by name.

    ``renamed`` has other names for its action patterns, and ``beside`` adds resources. ``closed`` puts an account and
    a region in place of wildcards. Actions that work on no table go into a statement of their own.
    """
    names = _action_names(grant, frozenset(without), renamed or {})
    names = [name for name in names if only is None or _all_are(name, only)]
    if not names:
        return _LEAVE_OUT
    on_tables = [name for name in names if not _is_account_wide(name)]
    statements = []
    if on_tables:
        actions = frozenset(action for name in on_tables for action in expand(name))
        arns = [*_resource_names(grant, actions, closed=closed), *beside]
        statements.append(replacement_statement(grant, on_tables, arns, conditions))
    account_wide = [name for name in names if _is_account_wide(name)]
    account = _account_resources(grant) if account_wide else []
    if account:
        statements.append(replacement_statement(grant, account_wide, account, conditions))
    comment = _comment(grant)
    return "\n".join([comment, *statements] if comment else statements)


def where_it_works(grant: Grant, actions: Collection[Action]) -> str:
    """A statement of these actions alone, on resources that they work on."""
    names = [action.full_name for action in actions]
    if all(action.account_level for action in actions):
        return replacement_statement(grant, names, ["*"])
    texts = (":".join(part or "*" for part in text.split(":", 5)) for text in grant.statement.resources.texts)
    scopes = [scope for scope in map(scope_of, texts) if scope.tier is not Tier.NONE]
    arns = [_arn_to_fill_in(grant, scope) for scope in scopes] or [_arn_to_fill_in(grant, Scope(Tier.ALL))]
    ends = _arn_suffixes(Scope(Tier.ALL, below="*"), actions)
    return replacement_statement(grant, names, [f"{arn}{end}" for arn in arns for end in ends])


def named_resources(grant: Grant, pattern: str, actions: Collection[Action]) -> tuple[str, ...]:
    """ARNs to write instead of a pattern: of the tables that it reaches here, or with parts to fill in."""
    scope = scope_of(pattern)
    holder = grant.holder
    tables = tables_reached(grant, pattern)[:_MAX_TABLES]
    arns = [(arn_of(table, holder.symbols), _may_have_indexes(table)) for table in tables]
    arns = arns or [(_arn_to_fill_in(grant, scope), True)]
    ends = _arn_suffixes(scope, actions)
    return tuple(
        f"{arn}{end}"
        for arn, indexed in arns
        for end in ends
        if indexed or end != _SUFFIXES["index"] or scope.below == "index"
    )


def _may_have_indexes(table: Table) -> bool:
    kinds = (table.indexes, table.local_indexes, table.vector_indexes)
    return any(kind.content or not kind.known for kind in kinds)


def _action_names(grant: Grant, without: frozenset[Action], renamed: Mapping[str, Collection[str]]) -> list[str]:
    """The actions to write: as they are, unless one is too wide or to be left out."""
    actions = grant.statement.actions
    if actions.inverted:
        return list(ITEM_ACTIONS)
    deploys = grant.holder.kind is HolderKind.DEPLOY
    texts = (name for text in actions.texts for name in renamed.get(text, (text,)))
    return [name for text in texts for name in _narrowed_names(grant.document.shown(text), without, deploys=deploys)]


@lru_cache(maxsize=1024)
def _narrowed_names(text: str, without: frozenset[Action], *, deploys: bool) -> tuple[str, ...]:
    actions = expand(text)
    if is_service(text):
        return ("dynamodb:*",) if deploys else ITEM_ACTIONS
    if is_mixed(text) and not deploys:
        return tuple(sorted(action.full_name for action in actions - without if action.kind in ITEMS))
    if actions & without:
        return tuple(sorted(action.full_name for action in actions - without))
    return (text,) if actions or text.lower().startswith("dynamodb:") else ()


def _all_are(name: str, wanted: Callable[[Action], bool]) -> bool:
    actions = expand(name)
    return bool(actions) and all(map(wanted, actions))


@lru_cache(maxsize=1024)
def _is_account_wide(name: str) -> bool:
    """Whether an action pattern is for account-level actions, apart from harmless ones."""
    actions = expand(name)
    return any(action.account_level for action in actions) and all(
        action.account_level or action.kind in HARMLESS for action in actions
    )


def _resource_names(grant: Grant, actions: frozenset[Action], *, closed: bool) -> list[str]:
    """The ARNs to write: as they are, unless one is too wide."""
    resources = grant.statement.resources
    arns: list[str] = []
    for text in ("*",) if resources.inverted else resources.texts:
        scope = scope_of(text)
        if scope.tier is Tier.NONE:
            continue
        wide = scope.tier > Tier.VARIABLE or (closed and _has_open_location(scope))
        arns += named_resources(grant, text, actions) if wide else [text]
    return list(dict.fromkeys(arns)) or list(named_resources(grant, "*", actions))


def _has_open_location(scope: Scope) -> bool:
    return any(is_wildcard(part) for part in scope.where)


def _account_resources(grant: Grant) -> list[str]:
    """The resources of a statement that account-level actions have an effect on."""
    resources = grant.statement.resources
    return ["*"] if resources.inverted else [text for text in resources.texts if covers_account(scope_of(text))]


def _arn_suffixes(scope: Scope, actions: Collection[Action]) -> list[str]:
    """What to write after a table's ARN for these actions, as far as the pattern reaches it."""
    types = _resource_types(frozenset(actions)) or {"table"}
    itself = [""] if scope.itself and "table" in types else []
    below = [kind for kind in _SUFFIXES if kind in types and scope.below in ("*", kind)]
    return itself + (["/*"] if len(below) == len(_SUFFIXES) else [_SUFFIXES[kind] for kind in below])


@lru_cache(maxsize=1024)
def _resource_types(actions: frozenset[Action]) -> frozenset[str]:
    return frozenset(kind for action in actions for kind in _types_of(action))


def _types_of(action: Action) -> Iterable[str]:
    """The types of resource that an action must be granted on: the table alone, where that is enough."""
    if action.kind is Kind.STREAM_READ:
        return ("stream",)
    if action.kind in ITEMS:
        return (kind for kind in action.types if kind in ("table", *_SUFFIXES))
    return action.types if action.kind is Kind.DATA_COPY or "table" not in action.types else ("table",)


def _arn_to_fill_in(grant: Grant, scope: Scope) -> str:
    """An ARN with capitals for the parts to fill in, and the known start of the table's name."""
    template = grant.holder.estate.dialect is Dialect.CLOUDFORMATION
    parts = zip(scope.where, ("partition", "region", "account"), ("aws", "REGION", "ACCOUNT"), strict=True)
    filled = [
        part if part and not is_wildcard(part) else grant.holder.symbols.of(word) if template else capitals
        for part, word, capitals in parts
    ]
    partition, region, account = filled
    return f"arn:{partition}:dynamodb:{region}:{account}:table/{_table_name(scope, grant.holder.symbols)}"


def _table_name(scope: Scope, symbols: Symbols) -> str:
    pattern = scope.table or ""
    start = pattern.partition("*")[0].partition("?")[0]
    if not start:
        return "TABLE"
    if start == pattern:
        return start
    if scope.bleeds and (not has_symbol(start) or (len(start) == 1 and symbols.shown(start) not in _STACK)):
        return start
    return f"{start}{'' if start[-1] in _DELIMITERS else '-'}TABLE"


def _comment(grant: Grant) -> str | None:
    """The comment before the new statement, where it replaces only a part of the old one."""
    actions = grant.statement.actions
    if actions.inverted or "*" in actions.texts:
        return _TABLE_ACTIONS
    of_dynamodb = (bool(expand(text)) or text.lower().startswith("dynamodb:") for text in actions.texts)
    return None if all(of_dynamodb) else _DYNAMODB_ACTIONS
