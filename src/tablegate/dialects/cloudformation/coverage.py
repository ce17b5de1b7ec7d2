"""Resources that may hold or make tables and are not read: each is named, none is passed over."""

from __future__ import annotations

import re
from collections.abc import Collection

from tablegate.dialects.cloudformation.faults import Faults
from tablegate.syntax.node import Node

STACK_SET = "AWS::CloudFormation::StackSet"
_OTHERS = {
    STACK_SET: "a child stack is not covered: the tables it may hold are not seen",
    "AWS::CloudFormation::Macro": "a macro is not covered: what it does to other templates is not seen",
}
MODULE = "Rain::Module"
DIRECTIVES = ("Rain::Embed", "Rain::Env", "Rain::Include", MODULE, "Rain::S3", "Rain::S3Http")
PACKAGE = "check what rain makes of it: rain pkg TEMPLATE"
_HARMLESS = frozenset({"AWS::DynamoDB::Backup"})
_TABLE_LIKE = r"(?i)dynamo|(?<!route)table"
_HINTS = {STACK_SET: "check its template as an input of its own"}


def is_module(stated: Node | None) -> bool:
    """Whether this type stands for resources of their own, whose logical ids begin with that of the module."""
    content = stated.content if stated is not None else None
    return MODULE in content if isinstance(content, dict) else isinstance(content, str) and content.endswith("::MODULE")


def noted_as_uncovered(type_: str, known: Collection[str], node: Node, faults: Faults) -> bool:
    """Whether a resource of this type had to be noted; one of no interest is not."""
    body = node.content if isinstance(node.content, dict) else {}
    stated = body.get("Type", node)
    meant = {name.lower(): name for name in known}.get(type_.strip().lower())
    if meant is not None:
        faults.unreadable(stated, f"the type {type_!r} is not {meant!r}", f"write {meant}")
    elif not type_.isascii():
        faults.unreadable(stated, f"the type {type_!r} has letters that no type has", "write it in plain ASCII")
    elif type_ in _OTHERS:
        faults.uncovered(node, _OTHERS[type_], _HINTS.get(type_))
    elif type_.endswith("::MODULE"):
        faults.uncovered(node, f"the module {type_} is not covered: the tables it may hold are not seen")
    elif type_.startswith("Custom::") and re.search(_TABLE_LIKE, type_):
        faults.uncovered(node, f"the custom resource {type_} is not covered: it may make a table")
    elif type_.strip().lower().startswith("aws::dynamodb::") and type_ not in _HARMLESS:
        faults.uncovered(node, f"the type {type_} is not covered")
    else:
        return False
    return True
