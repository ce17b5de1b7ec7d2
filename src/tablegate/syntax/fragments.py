"""What makes tables and is no template yet: services of the Serverless Framework, parts of templates, CDK programs."""

from __future__ import annotations

import re
from typing import NamedTuple

from tablegate.syntax import text
from tablegate.syntax.errors import ParseError

PROGRAM = "cdk.json"
_SPEAKS = re.compile(rb"AWS::DynamoDB::|dynamodb:[A-Z*]")
_SERVICE = re.compile(rb"^service[ \t]*:", re.MULTILINE)
_PROVIDER = re.compile(rb"^provider[ \t]*:", re.MULTILINE)
_TABLE = re.compile(
    rb"""(?:^|[{,])[ \t-]*(?:Type|"Type"|'Type')[ \t]*:[ \t]*["']?AWS::DynamoDB::(?:Global)?Table\b""", re.MULTILINE
)


class Fragment(NamedTuple):
    """What a file is in place of a template, and what to check instead."""

    what: str
    hint: str


SERVICE = Fragment(
    "a service of the Serverless Framework is not covered: the tables and roles that it makes are not seen",
    "serverless package, then check .serverless/cloudformation-template-update-stack.json",
)
PART = Fragment(
    "it declares a table and is no template by itself: the table is not seen as it will be made",
    "check the template that is made of it",
)
UNSYNTHESISED = Fragment(
    "a CDK program without an assembly that is judged: the tables and roles that it makes are not seen",
    "cdk synth, then check cdk.out",
)


def assembly_of(data: bytes) -> str | None:
    """The folder that a CDK program is synthesised into, as its ``cdk.json`` says; None where it names no program."""
    from tablegate.syntax.json_ import load_json

    try:
        stated = load_json(text.decode(data))
    except ParseError:
        return None
    if not isinstance(stated, dict) or not isinstance(stated.get("app"), str):
        return None
    output = stated.get("output")
    return output if isinstance(output, str) else "cdk.out"


def fragment_of(data: bytes) -> Fragment | None:
    """What a file that is no template declares; None where it has nothing to do with tables."""
    if _SPEAKS.search(data) is None:
        return None
    if _SERVICE.search(data) and _PROVIDER.search(data):
        return SERVICE
    return PART if _TABLE.search(data) else None
