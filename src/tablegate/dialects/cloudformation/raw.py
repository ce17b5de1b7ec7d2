"""A resource as the template has it, for policies that look at more than the model: what is computed is a doubt."""

from __future__ import annotations

import re

from tablegate.dialects.cloudformation.unsettled import LATER
from tablegate.model.value import Doubt
from tablegate.syntax.node import Node


def unevaluated(node: Node) -> object:
    """The content without places. An expression is not evaluated here, so nobody may take it for its own result."""
    content = node.content
    if isinstance(content, dict):
        name = next(iter(content), "")
        if len(content) == 1 and (name == "Ref" or name.startswith("Fn::")):
            return Doubt(f"it is computed by {name}, and a resource as it is written is not evaluated")
        return {key: unevaluated(child) for key, child in content.items()}
    if isinstance(content, (list, tuple)):
        return [unevaluated(child) for child in content]
    if isinstance(content, str) and re.search(LATER, content):
        return Doubt("it is looked up when the stack is deployed")
    return content
