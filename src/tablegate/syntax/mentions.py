"""Which files a template names, and which folder is an assembly: told from the text, before anybody reads it whole."""

from __future__ import annotations

import re

from tablegate.syntax import text
from tablegate.syntax.errors import ParseError

MANIFEST = "manifest.json"
MOST = 64  # files that one template leads to

_EMBEDS = (b"AWS::CloudFormation::Stack", b"AWS::Serverless::Application")  # found in half of the time of their pattern
_EMBEDDING = rb"AWS::(?:CloudFormation::Stack|Serverless::Application)\b"
_MENTION = r"""(?:TemplateURL|Location|aws:asset:path)["']?\s*:\s*["']?([^\s"',{}\[\]!]+)"""  # few templates have one
_PLAN = re.compile(rb'\s*+\{\s*+"format_version"')
_OF_AN_ASSEMBLY = (b'"aws:cloudformation:stack"', b'"cdk:')


def mentioned(data: bytes) -> tuple[str, ...]:
    """The local files that a template embeds, as it writes them: perhaps more than it does embed, never fewer."""
    if begins_as_plan(data) or not any(word in data for word in _EMBEDS) or not re.search(_EMBEDDING, data):
        return ()
    found = re.findall(_MENTION, data.decode("utf-8", "replace"))
    return tuple(dict.fromkeys(name for name in found if "://" not in name))


def begins_as_plan(data: bytes) -> bool:
    """Whether this begins as Terraform's plans and states do: there is no use in searching those."""
    return _PLAN.match(data) is not None


def is_manifest(data: bytes) -> bool:
    """Whether this is, or set out to be, the manifest of a CDK assembly."""
    from tablegate.syntax.raw_json import decode, members

    try:
        found = members(text.decode(data))
    except ParseError:
        return any(sign in data for sign in _OF_AN_ASSEMBLY)
    if not {"version", "artifacts"} <= found.keys():
        return False
    return isinstance(decode(found["version"]), str) and isinstance(decode(found["artifacts"]), dict)
