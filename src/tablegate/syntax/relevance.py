"""Whether a file of a folder is worth reading, and the files that a template embeds: decided from bytes, unparsed.

Each word that is searched for is a pass over all bytes, so the words of a language are searched only in its files.
"""

from __future__ import annotations

import re
from enum import Enum, auto

from tablegate.syntax import source as text
from tablegate.syntax.node import ParseError
from tablegate.syntax.recognise import OF_A_PLAN, OF_A_TEMPLATE, WRAPPED, Kind, has_template_key, is_json, other_kind
from tablegate.syntax.source import decode

_PLAN_OR_TEMPLATE_NAME = r"(?i)(?:plan|template|stack)[^/]*\.(?:json|ya?ml|template)\Z"
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
    """Whether this is a plan or a template, possibly a broken one."""
    if not data.strip():
        return re.search(_PLAN_OR_TEMPLATE_NAME, name) is not None  # the name is all that an empty file has
    if data.startswith(b"PK\x03\x04"):
        return name.endswith(".json")
    text = _rough_text(data)
    if is_json(text):
        return _is_relevant_object(text)
    if text.startswith(WRAPPED):
        return _has_signs(text)
    says_so = "::" in text or "AWSTemplateFormatVersion" in text
    return says_so and has_template_key(text) and (not _is_empty(text) or re.search(_MACRO, text) is not None)


def _is_empty(text: str) -> bool:
    """Whether the resources are opened and empty."""
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
        return other is not Kind.CDK_ASSEMBLY  # its folder is one source
    if "format_version" in keys:
        return bool(keys & OF_A_PLAN)
    if keys & OF_A_TEMPLATE:
        return "AWSTemplateFormatVersion" in keys or '"Type"' in text
    return not keys.isdisjoint({"resource_changes", "planned_values", "plan_format_version", "TemplateBody"})


def _has_signs(text: str) -> bool:
    return any(sign in text for sign in _SIGNS) or ('"Resources"' in text and '"AWS::' in text)


def _rough_text(data: bytes) -> str:
    """The text, decoded well enough to search words in it."""
    try:
        return decode(data)
    except ParseError:
        return data.replace(b"\0", b"").decode("latin-1").removeprefix("ÿþ").removeprefix("þÿ")


_BINARY_STARTS = (
    b"\xff\xfe",
    b"\xfe\xff",
    b"PK\x03\x04",
)  # of UTF-16 and of an archive: words cannot be searched
_ESCAPES = (b"\\u", b"\\x", b"\\U", b"\\\n", b"\\\r")  # that can hide a word
_OF_A_TEMPLATE = (b"aws::", b"::module")
_OF_A_PLAN = (b"format_version", b'"lineage"')
# Beside tables and access: types that create either, or lead to another template.
_TYPES = rb"::(?:iam|sso|dax|serverless|foreach|cloudformation::stack|module)"
_IN_A_TEMPLATE = (b"transform", b"export")
_IN_A_PLAN = (b"iam", b"dax")
_IN_SOURCE = rb"aws_(?:dax|iam|ssoadmin)"
_PARTIAL = (b'"errored":true', b'"complete":false', b"deferred", b"plan_format_version")  # of a plan


class Sniffed(Enum):
    """How to treat a file of a folder."""

    READ = auto()
    SILENT = auto()  # it may be an input, but mentions nothing that is checked
    OTHER = auto()  # it is not an input


def sniffed(data: bytes) -> Sniffed:
    """How to treat the file. If its bytes may hide a word, it is read."""
    if _is_binary(data) or data.isspace() or b"DynamoDB" in data or not data:
        return Sniffed.READ
    words = data.lower()
    if b"dynamodb" in words or (b"\\" in data and _has_any(data, _ESCAPES)):
        return Sniffed.READ
    is_json = data[:64].lstrip().startswith(b"{")
    if is_json and not data[-64:].rstrip().endswith(b"}"):
        return Sniffed.READ  # truncated
    is_plan = is_json and _has_any(words, _OF_A_PLAN)
    if _has_any(words, _OF_A_TEMPLATE):
        may_matter = re.search(_TYPES, words) is not None or _has_any(words, _IN_A_TEMPLATE)
        may_matter = may_matter or (is_json and b"changeset" in words)
    elif is_plan:
        may_matter = _has_any(words, _IN_A_PLAN)
    else:
        return Sniffed.OTHER
    if may_matter or (is_json and not _is_balanced(data)) or (is_plan and _has_any(b"".join(words.split()), _PARTIAL)):
        return Sniffed.READ
    return Sniffed.SILENT


def may_concern_tables(data: bytes) -> bool:
    """Whether a file of Terraform source may concern a table, or access to one."""
    words = data.lower()
    return (
        b"dynamodb" in words
        or re.search(_IN_SOURCE, words) is not None
        or (b"\\" in data and b"\\u" in words)  # an escape of four or eight digits
        or _is_binary(data)
        or data.startswith(b"\xff")
    )


def _has_any(data: bytes, words: tuple[bytes, ...]) -> bool:
    for word in words:  # noqa: SIM110 - a generator takes longer than the search
        if word in data:
            return True
    return False


def _is_binary(data: bytes) -> bool:
    return b"\0" in data[:4] or data.startswith(_BINARY_STARTS)


def _is_balanced(data: bytes) -> bool:
    """Whether JSON has as many closing as opening brackets."""
    return data.count(b"{") == data.count(b"}") and data.count(b"[") == data.count(b"]")


MANIFEST = "manifest.json"
MAX_EMBEDDED = 64  # files of one template

_EMBEDS = (b"AWS::CloudFormation::Stack", b"AWS::Serverless::Application")  # faster to search than the pattern
_EMBEDDING = rb"AWS::(?:CloudFormation::Stack|Serverless::Application)\b"
_MENTION = r"""(?:TemplateURL|Location|aws:asset:path)["']?\s*:\s*["']?([^\s"',{}\[\]!]+)"""  # few templates have one
_PLAN = re.compile(rb'\s*+\{\s*+"format_version"')
_OF_AN_ASSEMBLY = (b'"aws:cloudformation:stack"', b'"cdk:')


def embedded_files(data: bytes) -> tuple[str, ...]:
    """The local files that a template embeds, as written in it: possibly more than it embeds, never fewer."""
    if begins_as_plan(data) or not any(word in data for word in _EMBEDS) or not re.search(_EMBEDDING, data):
        return ()
    names = re.findall(_MENTION, data.decode("utf-8", "replace"))
    return tuple(dict.fromkeys(name for name in names if "://" not in name))


def begins_as_plan(data: bytes) -> bool:
    """Whether this begins like the JSON of a Terraform plan or state."""
    return _PLAN.match(data) is not None


def is_manifest(data: bytes) -> bool:
    """Whether this is the manifest of a CDK assembly, possibly a broken one."""
    from tablegate.syntax.json.lazy import decode, members

    try:
        manifest = members(text.decode(data))
    except ParseError:
        return any(sign in data for sign in _OF_AN_ASSEMBLY)
    if not {"version", "artifacts"} <= manifest.keys():
        return False
    return isinstance(decode(manifest["version"]), str) and isinstance(decode(manifest["artifacts"]), dict)
