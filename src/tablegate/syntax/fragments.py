"""What makes tables and is no template yet: services of the Serverless Framework, parts of templates, CDK programs."""

from __future__ import annotations

import re

from tablegate.model.record import record
from tablegate.syntax import text
from tablegate.syntax.errors import ParseError

PROGRAM = "cdk.json"
# Compiled when a file is no input: most runs have none that is looked at.
_SPEAKS = rb"AWS::DynamoDB::|dynamodb:[A-Z*]"
_SERVICE = rb"(?m)^service[ \t]*:"
_PROVIDER = rb"(?m)^provider[ \t]*:"
_TABLE = rb"""(?m)(?:^|[{,])[ \t-]*(?:Type|"Type"|'Type')[ \t]*:[ \t]*["']?AWS::DynamoDB::(?:Global)?Table\b"""


@record(kw_only=False)
class Fragment:
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
    if re.search(_SPEAKS, data) is None:
        return None
    if re.search(_SERVICE, data) and re.search(_PROVIDER, data):
        return SERVICE
    return PART if re.search(_TABLE, data) else None
