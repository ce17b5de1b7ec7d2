"""How the access family words its findings: the statement, its elements, and the statement to write instead."""

from __future__ import annotations

import json
from collections.abc import Iterable

from tablegate.policy import Place, Value
from tablegate.policy.access import Action, Grant, Reach, matches

_SHOWN = 6


def listed(names: Iterable[str]) -> str:
    """Some of the names, and how many more there are."""
    every = sorted(set(names))
    more = len(every) - _SHOWN
    return ", ".join(every[:_SHOWN]) + (f" and {more} more" if more > 0 else "")


def actions_shown(actions: Iterable[Action]) -> str:
    """Action names without their service."""
    return listed(action.name for action in actions)


def statement(grant: Grant) -> Value[object]:
    """The statement, as evidence: its actions as they are written."""
    spelled = grant.statement.actions
    text = ", ".join(map(grant.document.shown, spelled.texts[:_SHOWN]))
    return Value(
        "NotAction" if spelled.inverted else "actions", text or None, place=grant.statement.place or grant.place
    )


def element(grant: Grant, pattern: str) -> Value[object]:
    """The resource element that decides, as it is written."""
    return Value("resource", grant.document.shown(pattern), place=_place(grant))


def holder(grant: Grant) -> Value[object]:
    """Who holds the grant, and how that is known."""
    who = grant.holder
    return Value("holder", f"{who.address} ({who.kind}: {who.why})", place=who.place)


def told(reach: Reach) -> tuple[Value[object], ...]:
    """The evidence of a reach: statement, element, holder."""
    return (statement(reach.grant), element(reach.grant, reach.pattern), holder(reach.grant))


def tables_reached(grant: Grant, pattern: str) -> tuple[str, ...]:
    """The names of this input's tables that a pattern reaches for certain."""
    names = (table.name.content for table in grant.holder.estate.tables)
    tail = pattern.split(":", 5)[-1]
    return tuple(sorted({name for name in names if name and matches(tail, f"table/{name}") is True}))


def instead(grant: Grant, actions: Iterable[str], resources: Iterable[str], condition: str | None = None) -> str:
    """The statement to write instead, in the language of its author."""
    named, where = sorted(set(actions)), list(dict.fromkeys(map(grant.document.shown, resources)))
    if grant.spelling == "hcl":
        return _hcl(named, where, condition)
    if grant.spelling == "yaml":
        return _yaml(named, where, condition)
    spelled: dict[str, object] = {"Effect": "Allow", "Action": named, "Resource": where}
    if condition:
        spelled["Condition"] = json.loads(condition)
    return json.dumps(spelled, indent=2)


def exact(grant: Grant, pattern: str) -> tuple[str, ...]:
    """ARNs to name instead of a pattern: the tables it reaches here, or one to fill in."""
    names = tables_reached(grant, pattern) or ("TABLE",)
    head = pattern.split(":", 5)[:5] if pattern.count(":") >= 5 else ["arn", "aws", "dynamodb", "REGION", "ACCOUNT"]
    where = ":".join(part if part not in ("", "*") else fill for part, fill in zip(head, _FILL, strict=True))
    return tuple(arn for name in names[:3] for arn in (f"{where}:table/{name}", f"{where}:table/{name}/index/*"))


_FILL = ("arn", "aws", "dynamodb", "REGION", "ACCOUNT")


def _place(grant: Grant) -> Place | None:
    return grant.statement.place or grant.place


def _hcl(actions: list[str], resources: list[str], condition: str | None) -> str:
    lines = ["statement {", f"  actions   = {json.dumps(actions)}", f"  resources = {json.dumps(resources)}"]
    for operator, keys in json.loads(condition or "{}").items():
        for key, values in keys.items():
            listed_values = values if isinstance(values, list) else [values]
            escaped = json.dumps(listed_values).replace("${", "$${")
            lines += [
                "  condition {",
                f'    test     = "{operator}"',
                f'    variable = "{key}"',
                f"    values   = {escaped}",
                "  }",
            ]
    return "\n".join([*lines, "}"])


def _yaml(actions: list[str], resources: list[str], condition: str | None) -> str:
    lines = ["- Effect: Allow", "  Action:", *(f"    - {action}" for action in actions), "  Resource:"]
    lines += [f"    - {json.dumps(resource)}" for resource in resources]
    if condition:
        lines.append(f"  Condition: {condition}")
    return "\n".join(lines)
