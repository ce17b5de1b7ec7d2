"""The statement to write instead, in the language of the statement's author."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping

from tablegate.policy import Dialect, Table
from tablegate.policy.access import Condition, Grant, arn_of, has_symbol, is_symbol
from tablegate_baseline.access.tables_here import tables_reached

ITEM_ACTIONS = ("dynamodb:GetItem", "dynamodb:PutItem", "dynamodb:Query", "dynamodb:UpdateItem")
Conditions = Mapping[str, Mapping[str, tuple[str, ...]]]

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


def _dumped(spelled: dict[str, object]) -> str:
    """JSON with a line for each element, or several for one that is long."""
    lines = []
    for key, value in spelled.items():
        text = json.dumps(value)
        lines.append(f"  {json.dumps(key)}: {text if len(text) <= _LONG else json.dumps(value, indent=2)}")
    return "{\n" + ",\n".join(line.replace("\n", "\n  ") for line in lines) + "\n}"


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
    if found is None:
        return _text(grant, arn)
    name, suffix = found
    return f"{f'{name}.Arn' if _is_template(grant) else name}{suffix}"


def _is_template(grant: Grant) -> bool:
    return grant.holder.estate.dialect is Dialect.CLOUDFORMATION


def _values(grant: Grant, item: Condition) -> tuple[str, ...]:
    return tuple(map(grant.document.shown, item.values)) or ("VALUE",)


def _reference(grant: Grant, arn: str) -> tuple[str, str] | None:
    """The expression that names a table's ARN where the grant stands, and what follows it."""
    for table in tables_reached(grant, arn):
        own = arn_of(table, grant.holder.symbols)
        name = _local_name(grant, table)
        if name and arn.startswith(own):
            suffix = "".join(part for part in arn[len(own) :] if not is_symbol(part))
            return (name if _is_template(grant) else f"{name}.arn"), suffix
    return None


def _local_name(grant: Grant, table: Table) -> str | None:
    """The table's name in its own module or stack, where the grant is in the same one."""
    outer = _STACKS if _is_template(grant) else _MODULES
    around, own = (match[0] if (match := outer.match(one.address)) else "" for one in (table, grant))
    return table.address[len(around) :] if around == own and table.address != grant.address else None


def _text(grant: Grant, text: str) -> str:
    """A literal text, with the language's own words for what is not known."""
    shown = grant.document.shown(text)
    for word, expression in (_PSEUDO if _is_template(grant) else _HCL).items():
        shown = shown.replace(f"${{{word}}}", f"${{{expression}}}")
    return shown


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
    name, suffix = found
    return f'"${{{name}}}{suffix}"' if suffix else name


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
        text = _text(grant, arn)
        return f'!Sub "{text}"' if "${" in text else json.dumps(text)
    name, suffix = found
    return f'!Sub "${{{name}.Arn}}{suffix}"' if suffix else f"!GetAtt {name}.Arn"


def _json_list(grant: Grant, resources: list[str]) -> list[object]:
    return [_json_resource(grant, arn) for arn in resources]


def _json_resource(grant: Grant, arn: str) -> object:
    found = _reference(grant, arn)
    template = _is_template(grant)
    if found is None:
        text = _text(grant, arn)
        return {"Fn::Sub": text} if template and "${" in text else text
    name, suffix = found
    if not template:
        return f"${{{name}}}{suffix}"
    return {"Fn::Sub": f"${{{name}.Arn}}{suffix}"} if suffix else {"Fn::GetAtt": [name, "Arn"]}
