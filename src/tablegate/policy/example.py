"""The smallest file that holds a fragment: what the handbook prints, and what a pack's tests judge."""

from __future__ import annotations

import re
from textwrap import dedent, indent

from tablegate.model.table import GLOBAL_TABLE, TABLE

_TEMPLATE_PROPERTIES = """\
AttributeDefinitions:
  - AttributeName: id
    AttributeType: S
KeySchema:
  - AttributeName: id
    KeyType: HASH
"""

_REPLICAS = """\
Replicas:
  - Region: us-east-1
"""

_TERRAFORM_ARGUMENTS = """\
name     = "orders"
hash_key = "id"

attribute {
  name = "id"
  type = "S"
}
"""

_RESOURCE_ATTRIBUTES = ("Condition", "DeletionPolicy", "DependsOn", "Metadata", "UpdateReplacePolicy")


def smallest_template(fragment: str = "", type: str = TABLE) -> str:
    """The smallest CloudFormation template with one table, of this type, that holds the fragment.

    The fragment's keys go where they belong: properties of the table, attributes of its resource,
    or resources of their own (those with a ``Type`` of some service). A property that the smallest
    table also has gives way.
    """
    attributes, resources, properties = "", "", ""
    for key, text in _entries(fragment):
        if key in _RESOURCE_ATTRIBUTES:
            attributes += text
        elif re.search(r"^  Type: \w+::", text, re.MULTILINE):
            resources += text
        else:
            properties += text
    usual = _TEMPLATE_PROPERTIES + (_REPLICAS if type == GLOBAL_TABLE else "")
    given = {key for key, _ in _entries(properties)}
    own = "".join(text for key, text in _entries(usual) if key not in given)
    table = f"Table:\n  Type: {type}\n{indent(attributes, '  ')}"
    table += f"  Properties:\n{indent(own + properties, '    ')}"
    return f"Resources:\n{indent(table + resources, '  ')}"


def smallest_terraform(fragment: str = "") -> str:
    """The smallest Terraform file with one table that holds the fragment, beside it where it is a block of its own."""
    text = dedent(fragment).strip("\n")
    if re.match(r"(resource|data|provider|module|locals|variable)\b", text):
        return f"{_terraform_table('')}\n{text}\n"
    return _terraform_table(f"\n{text}\n" if text else "")


def _terraform_table(arguments: str) -> str:
    return f'resource "aws_dynamodb_table" "orders" {{\n{indent(_TERRAFORM_ARGUMENTS + arguments, "  ")}}}\n'


def _entries(fragment: str) -> list[tuple[str, str]]:
    """The fragment's outermost keys, each with all its lines."""
    text = dedent(fragment).strip("\n")
    starts = [(found.group(1), found.start()) for found in re.finditer(r"^([\w:]+):", text, re.MULTILINE)]
    ends = [start for _, start in starts[1:]] + [len(text)]
    return [(key, text[start:end].rstrip() + "\n") for (key, start), end in zip(starts, ends, strict=False)]
