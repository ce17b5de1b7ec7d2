"""Broken and odd versions of real inputs: of their bytes, and of their trees."""

from __future__ import annotations

import json
import random
from copy import deepcopy
from typing import Any

from fuzz import json_rewriting, yaml_rewriting
from fuzz.yaml_rewriting import Items, Members, Text

TOKENS = (
    *"{}[]\"'\\:,-#&*!|>%@`$~=<()\n\t\0 ",
    *(
        "null",
        "true",
        "-1",
        "0",
        "1e999",
        "9" * 40,
        "0x1F",
        "1.5",
        ".inf",
        "''",
        '""',
        "[]",
        "{}",
        "${",
        "${{",
        "}}",
        "%{",
    ),
    *(
        "!Ref ",
        "!Sub ",
        "!If [",
        "!GetAtt ",
        "!!str ",
        "!!binary ",
        "&a ",
        "*a",
        "<<: *a",
        "? ",
        "- ",
        "---\n",
        "...\n",
    ),
    *("Ref", "Fn::If", "Fn::Sub", "Fn::ForEach::X", "Fn::Transform", "AWS::NoValue", "Resources", "Type", "Properties"),
    *("AWS::DynamoDB::Table", "AWS::DynamoDB::GlobalTable", "AWS::IAM::Role", "Condition", "Parameters", "Transform"),
    *(
        "aws_dynamodb_table",
        "resource",
        "dynamic",
        "for_each",
        "count",
        "module",
        "each.value",
        "<<EOT\n",
        "<<-E\n",
        "EOT",
    ),
    *(
        "resource_changes",
        "planned_values",
        "after_unknown",
        "before",
        "after",
        "known after apply",
        "\u2028",
        "\x85",
        "\ufeff",
    ),
    *(
        "\\u0041",
        "\\x41",
        "\\ud800",
        "\\N",
        "\xff",
        "a" * 300,
        "(" * 50,
        "[" * 50,
        "{" * 50,
        "é",
        "🎉",
        "\r",
        "\x1b[31m",
    ),
)
VALUES: tuple[Any, ...] = (
    *(
        None,
        True,
        False,
        0,
        -1,
        1.5,
        10**30,
        "",
        "x",
        "*",
        "arn:aws:dynamodb:*:*:table/*",
        [],
        {},
        [None],
        [[]],
        {"": None},
    ),
    *(
        {"Ref": "AWS::Region"},
        {"Ref": "Nothing"},
        {"Fn::Sub": "${A}${B.C}"},
        {"Fn::If": ["C", 1, {"Ref": "AWS::NoValue"}]},
    ),
    *(
        {"Fn::GetAtt": ["A", "Arn"]},
        {"Fn::Join": ["", ["a", {"Ref": "X"}]]},
        {"Fn::ForEach::L": ["V", ["a"], {"K${V}": {}}]},
    ),
    *(
        {"Fn::FindInMap": ["M", "a", "b"]},
        {"Fn::Transform": {"Name": "X"}},
        {"Fn::Split": [",", "a,b"]},
        {"Fn::Cidr": []},
    ),
    *(
        {"Effect": "Allow", "Action": "*", "Resource": "*"},
        ["create"],
        ["delete", "create"],
        "aws_dynamodb_table",
        "2012-10-17",
    ),
)
DEEPEST = 80


def mutated(data: bytes, others: tuple[bytes, ...], chance: random.Random) -> bytes:
    """A version of an input that is broken somewhere."""
    for _ in range(chance.choice((1, 1, 2, 3, 8))):
        start = chance.randrange(len(data) + 1)
        end = min(len(data), start + chance.choice((0, 1, 1, 4, 20, 200)))
        way = chance.randrange(7)
        if way == 0:
            piece = b""
        elif way == 1:
            piece = bytes([chance.randrange(256)])
        elif way in (2, 3):
            piece = chance.choice(TOKENS).encode()
        elif way == 4:
            piece = data[start:end] * 2
        elif way == 5:
            other = chance.choice(others)
            at = chance.randrange(len(other) + 1)
            piece = other[at : at + chance.choice((5, 50, 500))]
        else:
            lines = data.split(b"\n")
            number = chance.randrange(len(lines))
            move = chance.randrange(len(lines))
            lines[number], lines[move] = lines[move], lines[number] if chance.random() < 0.5 else b""
            data = b"\n".join(lines)
            continue
        data = data[:start] + piece + data[end:]
    return data[: chance.randrange(len(data) + 1)] if chance.random() < 0.03 else data


def mutated_tree(root: Any, chance: random.Random, *, as_yaml: bool) -> bytes:
    """A well-formed version of plain content, in which some values are others."""
    root = json.loads(json.dumps(root))
    for _ in range(chance.choice((1, 1, 2, 4))):
        holders = list(_holders(root))
        if not holders:
            break
        holder = chance.choice(holders)
        key = chance.choice(list(holder) if isinstance(holder, dict) else range(len(holder)))
        _change(holder, key, holders, chance)
    text = json.dumps(root)
    if as_yaml and _depth(root) < DEEPEST:
        return yaml_rewriting.rewritten(_yaml_tree(root), chance)
    if chance.random() < 0.2 and _depth(root) < DEEPEST:
        return json_rewriting.rewritten(json_rewriting.tree_of(text), chance)
    return text.encode()


def _change(holder: Any, key: Any, holders: list[Any], chance: random.Random) -> None:
    way = chance.randrange(7)
    if way == 0:
        del holder[key]
    elif way in (1, 2):
        holder[key] = deepcopy(chance.choice(VALUES))
    elif way == 3:
        other = chance.choice(holders)
        holder[key] = json.loads(
            json.dumps(other[chance.choice(list(other) if isinstance(other, dict) else range(len(other)))])
        )
    elif way == 4:
        holder[key] = [holder[key]] if chance.random() < 0.5 else {"Ref": holder[key]}
    elif way == 5 and isinstance(holder, dict):
        holder[chance.choice((*TOKENS[40:], "x"))] = holder.pop(key)
    else:
        deep: Any = holder[key]
        for _ in range(chance.choice((1, 10, 70, 250))):
            deep = [deep] if chance.random() < 0.5 else {"Fn::Sub": deep}
        holder[key] = deep


def _holders(root: Any) -> Any:
    waiting = [root]
    while waiting:
        item = waiting.pop()
        if isinstance(item, (dict, list)) and item:
            yield item
            waiting += item.values() if isinstance(item, dict) else item


def _depth(root: Any) -> int:
    depth, level = 0, [root]
    while level:
        depth += 1
        level = [
            below
            for item in level
            if isinstance(item, (dict, list))
            for below in (item.values() if isinstance(item, dict) else item)
        ]
    return depth


def _yaml_tree(item: Any) -> yaml_rewriting.Tree:
    if isinstance(item, dict):
        return Members(None, [(Text(key), _yaml_tree(value)) for key, value in item.items()])
    if isinstance(item, list):
        return Items(None, [_yaml_tree(value) for value in item])
    return Text(item) if isinstance(item, str) else Text(json.dumps(item), plain=True)
