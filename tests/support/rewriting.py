"""Other texts with the same meaning: plans and templates as plain data, rewritten."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from tablegate.syntax.yaml import parse_yaml

Renaming = Callable[[str], str]
STRANGERS = {
    "StrangerQueue": {"Type": "AWS::SQS::Queue", "Properties": {"QueueName": "strangers"}},
    "StrangerTopic": {"Type": "AWS::SNS::Topic"},
    "StrangerBucket": {"Type": "AWS::S3::Bucket", "DeletionPolicy": "Retain", "Properties": {"Tags": []}},
}


def stranger(number: int) -> dict[str, Any]:
    """A change of a resource that is none of tablegate's business."""
    return {
        "address": f"aws_sqs_queue.stranger[{number}]",
        "mode": "managed",
        "type": "aws_sqs_queue",
        "name": "stranger",
        "index": number,
        "provider_name": "registry.terraform.io/hashicorp/aws",
        "change": {
            "actions": ["create"],
            "before": None,
            "after": {"name": "orders-prod"},
            "after_unknown": {"arn": True},
            "before_sensitive": False,
            "after_sensitive": {},
        },
    }


def template(path: Path) -> dict[str, Any]:
    """A template as plain data, with the long names of its functions."""
    document = parse_yaml(path.read_text()).plain()
    assert isinstance(document, dict)
    return document


def plan_of(path: Path) -> dict[str, Any]:
    """A plan as plain data."""
    plan: dict[str, Any] = json.loads(path.read_text())
    return plan


def tables_of(document: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The properties of every table in a template, also of those in a loop."""
    found = []
    for name, resource in document["Resources"].items():
        for item in resource[2].values() if name.startswith("Fn::ForEach") else (resource,):
            found += [item["Properties"]] if item["Type"].startswith("AWS::DynamoDB::") else []
    return found


def scalars(item: Any) -> Iterator[tuple[Any, Any]]:
    """Every scalar below, as what holds it and under which key. Functions are values themselves."""
    for key, below in item.items() if isinstance(item, dict) else enumerate(item):
        if isinstance(below, dict) and any(name == "Ref" or name.startswith("Fn::") for name in below):
            yield item, key
        elif isinstance(below, (dict, list)):
            yield from scalars(below)
        elif key != "KeyType":
            yield item, key


Known = tuple[dict[str, Any], str, list[dict[str, Any]]]


def knowns(marks: dict[str, Any], *copies: dict[str, Any]) -> Iterator[Known]:
    """Every known scalar at whatever depth: where it would be marked, its key, and all that hold a copy of it."""
    for name, value in copies[0].items():
        if isinstance(value, list) and isinstance(marks.get(name), list):
            for place, block in enumerate(value):
                if isinstance(block, dict):
                    yield from knowns(marks[name][place], *(copy[name][place] for copy in copies))
        elif isinstance(value, (str, bool, int)):
            yield marks, name, list(copies)


def shuffled(item: Any, chance: random.Random) -> Any:
    """The same, with the keys of every mapping in another order."""
    if isinstance(item, dict):
        return {key: shuffled(item[key], chance) for key in chance.sample(list(item), k=len(item))}
    return [shuffled(below, chance) for below in item] if isinstance(item, list) else item


def rewritten(item: Any, rename: Renaming) -> Any:
    """The same, with every text and every key put through the renaming."""
    if isinstance(item, dict):
        return {rename(key): rewritten(below, rename) for key, below in item.items()}
    if isinstance(item, list):
        return [rewritten(below, rename) for below in item]
    return rename(item) if isinstance(item, str) else item


def referring(item: Any, new: Mapping[str, str]) -> Any:
    """The same, with every reference to a resource by its new name."""
    match item:
        case {"Ref": str(name)}:
            return {"Ref": new.get(name, name)}
        case {"Fn::GetAtt": [name, *rest]}:
            return {"Fn::GetAtt": [new.get(name, name), *rest]}
        case {"Fn::Sub": str(text)}:
            return {"Fn::Sub": re.sub(r"\$\{(\w+)", lambda match: "${" + new.get(match[1], match[1]), text)}
        case dict():
            return {key: referring(below, new) for key, below in item.items()}
        case list():
            return [referring(below, new) for below in item]
    return item


def relabelled(item: Any, new: Mapping[str, str]) -> Any:
    """The same plan, with the ``name`` beside each ``type`` renamed too."""
    if isinstance(item, list):
        return [relabelled(below, new) for below in item]
    if not isinstance(item, dict):
        return item
    made = {key: relabelled(below, new) for key, below in item.items()}
    label = new.get(f"{made.get('type')}.{made.get('name')}")
    return made | {"name": label.partition(".")[2]} if label else made


def instances(item: Any) -> Iterator[dict[str, Any]]:
    """Every mapping below that has an address."""
    if isinstance(item, dict):
        if "address" in item:
            yield item
        item = list(item.values())
    if isinstance(item, list):
        for below in item:
            yield from instances(below)


def configured(module: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The resources that a module's configuration declares."""
    return list(module.get("resources", []))
