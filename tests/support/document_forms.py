"""One policy document in every dress: each state of a plan, and each spelling of a template."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from tablegate.dialects import cloudformation
from tablegate.dialects.reading import Reading, ReadOptions
from tablegate.dialects.terraform import plan as terraform_plan
from tablegate.model.estate import Estate
from tablegate.syntax.json.lazy import Document

FIXTURES = Path(__file__).parents[2] / "fixtures" / "access"
_ADDRESSES = {"known", "deferred", "unknown"}
_DATA = "data.aws_iam_policy_document.deferred"
_TRUST = {
    "Version": "2012-10-17",
    "Statement": [{"Effect": "Allow", "Action": "sts:AssumeRole", "Principal": {"Service": "lambda.amazonaws.com"}}],
}


def vectors() -> list[dict[str, Any]]:
    """The documents, each with what is expected of it."""
    found: list[dict[str, Any]] = json.loads((FIXTURES / "vectors.json").read_text())["vectors"]
    return found


def known(document: Mapping[str, Any]) -> Estate:
    """A plan in which the document stands as a text."""
    plan = _plan("known")
    _change(plan, "aws_iam_role_policy.known")["after"]["policy"] = json.dumps(document)
    return _planned(plan)


def deferred(document: Mapping[str, Any]) -> Estate:
    """A plan in which a data source composes the document later, together with a statement that is not known yet."""
    plan = _plan("deferred")
    change = _change(plan, _DATA)
    last, marked = change["after"]["statement"][-1], change["after_unknown"]["statement"][-1]
    blocks = [_block(statement, last) for statement in document["Statement"]]
    change["after"]["version"] = document.get("Version")
    change["after"]["statement"] = [*blocks, last]
    change["after_unknown"]["statement"] = [*map(_unmarked, blocks), marked]
    change["after_sensitive"] = {}
    return _planned(plan)


def unknown() -> Estate:
    """A plan that shows nothing of a document but that it refers to a table."""
    return _planned(_plan("unknown"))


def template(document: Any) -> Estate:
    """A template in which the document is an object."""
    policy = {"PolicyName": "worker", "PolicyDocument": document, "Roles": [{"Ref": "Worker"}]}
    return _read_template(
        {
            "Worker": {"Type": "AWS::IAM::Role", "Properties": {"AssumeRolePolicyDocument": _TRUST}},
            "Policy": {"Type": "AWS::IAM::Policy", "Properties": policy},
        }
    )


def text(document: Mapping[str, Any]) -> Estate:
    """A template in which the document is a text of JSON."""
    return template(json.dumps(document))


def function(document: Mapping[str, Any]) -> Estate:
    """A template in which a function of SAM's holds the document."""
    properties = {"Handler": "a.b", "Runtime": "python3.12", "InlineCode": "pass", "Policies": [document]}
    return _read_template({"Worker": {"Type": "AWS::Serverless::Function", "Properties": properties}}, sam=True)


DRESSES: dict[str, Callable[[Mapping[str, Any]], Estate]] = {
    "plan-known": known,
    "plan-deferred": deferred,
    "template-object": template,
    "template-text": text,
    "template-function": function,
}


def _read_template(resources: Mapping[str, Any], *, sam: bool = False) -> Estate:
    content = {"Transform": "AWS::Serverless-2016-10-31"} if sam else {}
    written = json.dumps(content | {"Resources": resources})
    return _estate(cloudformation.read(written, "template.json", ReadOptions()))


def _planned(plan: Mapping[str, Any]) -> Estate:
    return _estate(terraform_plan.read(Document(json.dumps(plan)), "plan.json", ReadOptions()))


def _estate(reading: Reading) -> Estate:
    assert [fault.message for fault in reading.faults] == []
    assert reading.estate is not None
    return reading.estate


@cache
def _made() -> str:
    return (FIXTURES / "plans" / "dresses" / "plan.json").read_text()


def _plan(which: str) -> dict[str, Any]:
    """The real plan, with one of its three documents."""
    plan: dict[str, Any] = json.loads(_made())
    others = {f"aws_iam_role_policy.{name}" for name in _ADDRESSES - {which}}
    if which != "deferred":
        others.add(_DATA)
    plan["resource_changes"] = [one for one in plan["resource_changes"] if one["address"] not in others]
    module = plan["planned_values"]["root_module"]
    module["resources"] = [one for one in module["resources"] if one["address"] not in others]
    return plan


def _change(plan: Mapping[str, Any], address: str) -> dict[str, Any]:
    found: dict[str, Any] = next(one["change"] for one in plan["resource_changes"] if one["address"] == address)
    return found


def _block(statement: Mapping[str, Any], shape: Mapping[str, Any]) -> dict[str, Any]:
    """A statement as the data source has it."""
    block = dict.fromkeys(shape) | {"not_principals": [], "principals": []}
    block["effect"] = statement["Effect"]
    for element, name in (
        ("Action", "actions"),
        ("NotAction", "not_actions"),
        ("Resource", "resources"),
        ("NotResource", "not_resources"),
    ):
        if element in statement:
            block[name] = _listed(statement[element])
    block["condition"] = [
        {"test": test, "variable": key, "values": [value.replace("${", "&{") for value in _listed(values)]}
        for test, keys in statement.get("Condition", {}).items()
        for key, values in keys.items()
    ]
    return block


def _unmarked(block: Any) -> Any:
    """What says of a block that all of it is known."""
    if isinstance(block, dict):
        return {key: _unmarked(part) for key, part in block.items() if isinstance(part, (dict, list))}
    return [_unmarked(part) if isinstance(part, (dict, list)) else False for part in block]


def _listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]
