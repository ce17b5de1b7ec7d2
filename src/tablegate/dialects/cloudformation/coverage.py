"""Resources that may hold or make tables and are not read: each is named, none is passed over."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Collection, Mapping

from tablegate.dialects.cloudformation.faults import Faults
from tablegate.syntax.node import Node

CHILD_STACKS = {
    "AWS::CloudFormation::Stack": "TemplateURL",
    "AWS::Serverless::Application": "Location",
    "AWS::CloudFormation::StackSet": "TemplateURL",
}
_OTHERS = {
    "AWS::CloudFormation::Macro": "a macro is not covered: what it does to other templates is not seen",
}
_HARMLESS = frozenset({"AWS::DynamoDB::Backup"})
_TABLE_LIKE = re.compile(r"dynamo|(?<!route)table", re.IGNORECASE)
_SEE_CHILD = "check the child template as an input of its own"


def noted_as_uncovered(type_: str, known: Collection[str], node: Node, faults: Faults) -> bool:
    """Whether a resource of this type had to be noted; one of no interest is not."""
    body = node.content if isinstance(node.content, dict) else {}
    stated = body.get("Type", node)
    meant = {name.lower(): name for name in known}.get(type_.strip().lower())
    if meant is not None:
        faults.unreadable(stated, f"the type {type_!r} is not {meant!r}", f"write {meant}")
    elif not type_.isascii():
        faults.unreadable(stated, f"the type {type_!r} has letters that no type has", "write it in plain ASCII")
    elif type_ in CHILD_STACKS:
        _child(CHILD_STACKS[type_], node, body, faults)
    elif type_ in _OTHERS:
        faults.uncovered(node, _OTHERS[type_])
    elif type_.endswith("::MODULE"):
        faults.uncovered(node, f"the module {type_} is not covered: the tables it may hold are not seen")
    elif type_.startswith("Custom::") and _TABLE_LIKE.search(type_):
        faults.uncovered(node, f"the custom resource {type_} is not covered: it may make a table")
    elif type_.strip().lower().startswith("aws::dynamodb::") and type_ not in _HARMLESS:
        faults.uncovered(node, f"the type {type_} is not covered")
    else:
        return False
    return True


def _child(key: str, node: Node, body: Mapping[str, Node], faults: Faults) -> None:
    properties = body.get("Properties")
    where = properties.content.get(key) if properties is not None and isinstance(properties.content, dict) else None
    if where is not None and isinstance(where.content, str) and _leaves_root(faults.file, where.content):
        faults.unreadable(where, "the child template lies outside of the folder that is checked", _SEE_CHILD)
    faults.uncovered(node, "a child stack is not covered: the tables it may hold are not seen", _SEE_CHILD)


def _leaves_root(file: str, url: str) -> bool:
    """Whether a local path climbs out: of the working directory, or of the file's folder where that is elsewhere."""
    if "://" in url:
        return False
    here = posixpath.dirname(file)
    if here.startswith(("/", "..")):
        here = ""
    path = posixpath.normpath(posixpath.join(here, url))
    return path.startswith(("/", ".."))
