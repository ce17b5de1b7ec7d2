"""The statement to write instead, in the language of the statement's author."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from tablegate.policy import Dialect
from tablegate.policy.access import Condition, Grant, arn_of, has_symbol, is_suffix, is_symbol, is_variable
from tablegate_baseline.access.tables_here import tables_reached

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


def instead(
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


class _Reference(NamedTuple):
    """An expression for a table's ARN, or its stream's, where a grant stands, and what follows it."""

    name: str
    attribute: str
    rest: str


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
