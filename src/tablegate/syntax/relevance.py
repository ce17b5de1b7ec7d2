"""What bytes tell before parsing; files a template names."""

from __future__ import annotations

import re
from enum import Enum, auto

from tablegate.syntax import source as text
from tablegate.syntax.node import ParseError
from tablegate.syntax.recognise import OF_A_PLAN, OF_A_TEMPLATE, WRAPPED, Kind, has_template_key, is_json, other_kind
from tablegate.syntax.source import decode

_NAMED = r"(?i)(?:plan|template|stack)[^/]*\.(?:json|ya?ml|template)\Z"
# A template that nobody has filled in yet: nothing is below its Resources, and no macro puts anything there.
_EMPTY = re.compile(r"Resources[ \t]*:[ \t]*(?:#.*)?\r?\n(?:[ \t]*(?:#.*)?\r?\n)*+(?![ \t#-])")
_MACRO = r"(?m)^Transform[ \t]*:(?![ \t]*[\"']?AWS::Serverless)"
_SIGNS = (
    '"ChangeSetId"',
    '"lineage"',
    '"AWSTemplateFormatVersion"',
    '"resource_changes"',
    '"planned_values"',
    '"format_version"',
)


def looks_relevant(data: bytes, name: str) -> bool:
    """Whether this is a plan or a template, or set out to be one and is broken."""
    if not data.strip():
        return re.search(_NAMED, name) is not None  # nothing else tells what an empty file was to be
    if data.startswith(b"PK\x03\x04"):
        return name.endswith(".json")
    text = _roughly(data)
    if is_json(text):
        return _is_relevant_object(text)
    if text.startswith(WRAPPED):
        return _has_signs(text)
    says_so = "::" in text or "AWSTemplateFormatVersion" in text
    return says_so and has_template_key(text) and (not _is_empty(text) or re.search(_MACRO, text) is not None)


def _is_empty(text: str) -> bool:
    """Whether a line opens the resources, and none is below it."""
    at = 0
    while _EMPTY.match(text, at) is None:
        at = text.find("\nResources", at) + 1  # a pattern would be tried at every line
        if at == 0:
            return False
    return True


def _is_relevant_object(text: str) -> bool:
    from tablegate.syntax.json.lazy import Document

    try:
        keys = Document(text).members.keys()
    except ParseError:
        return _has_signs(text)
    other = other_kind(keys)
    if other is not None:
        return other is not Kind.CDK_ASSEMBLY  # whose folder is one source; what else looks like one is something else
    if "format_version" in keys:
        return bool(keys & OF_A_PLAN)
    if keys & OF_A_TEMPLATE:
        return "AWSTemplateFormatVersion" in keys or '"Type"' in text
    return not keys.isdisjoint({"resource_changes", "planned_values", "plan_format_version", "TemplateBody"})


def _has_signs(text: str) -> bool:
    return any(sign in text for sign in _SIGNS) or ('"Resources"' in text and '"AWS::' in text)


def _roughly(data: bytes) -> str:
    """Enough of the text to look for words in it, whatever is wrong with the rest."""
    try:
        return decode(data)
    except ParseError:
        return data.replace(b"\0", b"").decode("latin-1").removeprefix("ÿþ").removeprefix("þÿ")


_ODD = (b"\xff\xfe", b"\xfe\xff", b"PK\x03\x04")  # marks of UTF-16, and of an archive: no words can be looked for
_ESCAPES = (b"\\u", b"\\x", b"\\U", b"\\\n", b"\\\r")  # with which a text can be spelled so that it is not found
_OF_A_TEMPLATE = (b"aws::", b"::module")
_OF_A_PLAN = (b"format_version", b'"lineage"')
# Beside tables and access: what makes either, and what another template may lead to.
_TYPES = rb"::(?:iam|sso|dax|serverless|foreach|cloudformation::stack|module)"
_IN_A_TEMPLATE = (b"transform", b"export")
_IN_A_PLAN = (b"iam", b"dax")
_IN_SOURCE = rb"aws_(?:dax|iam|ssoadmin)"
_DOUBTS = (b'"errored":true', b'"complete":false', b"deferred", b"plan_format_version")  # it is not the whole plan


class Sniffed(Enum):
    """What is to be done with a file that was met in a folder."""

    READ = auto()
    SILENT = auto()  # it may be an input, and names nothing that is judged
    OTHER = auto()  # it is no input


def sniffed(data: bytes) -> Sniffed:
    """What the bytes tell. Where they may hide something, the file is to be read."""
    if _is_odd(data) or data.isspace() or b"DynamoDB" in data or not data:
        return Sniffed.READ
    words = data.lower()
    if b"dynamodb" in words or (b"\\" in data and _holds(data, _ESCAPES)):
        return Sniffed.READ
    is_json = data[:64].lstrip().startswith(b"{")
    if is_json and not data[-64:].rstrip().endswith(b"}"):
        return Sniffed.READ  # it is cut off
    is_plan = is_json and _holds(words, _OF_A_PLAN)
    if _holds(words, _OF_A_TEMPLATE):
        may_matter = re.search(_TYPES, words) is not None or _holds(words, _IN_A_TEMPLATE)
        may_matter = may_matter or (is_json and b"changeset" in words)
    elif is_plan:
        may_matter = _holds(words, _IN_A_PLAN)
    else:
        return Sniffed.OTHER
    if may_matter or (is_json and not _is_even(data)) or (is_plan and _holds(b"".join(words.split()), _DOUBTS)):
        return Sniffed.READ
    return Sniffed.SILENT


def may_concern_tables(data: bytes) -> bool:
    """Whether a table, or access to one, may be in a file of Terraform source."""
    words = data.lower()
    return (
        b"dynamodb" in words
        or re.search(_IN_SOURCE, words) is not None
        or (b"\\" in data and b"\\u" in data)
        or _is_odd(data)
        or data.startswith(b"\xff")
    )


def _holds(data: bytes, words: tuple[bytes, ...]) -> bool:
    for word in words:  # noqa: SIM110 - a generator takes longer than the search
        if word in data:
            return True
    return False


def _is_odd(data: bytes) -> bool:
    return b"\0" in data[:4] or data.startswith(_ODD)


def _is_even(data: bytes) -> bool:
    """Whether JSON ends as often as it begins."""
    return data.count(b"{") == data.count(b"}") and data.count(b"[") == data.count(b"]")


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
    from tablegate.syntax.json.lazy import decode, members

    try:
        found = members(text.decode(data))
    except ParseError:
        return any(sign in data for sign in _OF_AN_ASSEMBLY)
    if not {"version", "artifacts"} <= found.keys():
        return False
    return isinstance(decode(found["version"]), str) and isinstance(decode(found["artifacts"]), dict)
