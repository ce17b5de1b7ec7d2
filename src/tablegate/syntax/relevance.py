"""Whether a file of a folder is worth reading, and the files that a template embeds: decided from bytes, unparsed.

Each word that is searched for is a pass over all bytes, so the words of a language are searched only in its files.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from enum import Enum, auto

from tablegate.syntax import source as text
from tablegate.syntax.node import Node, ParseError
from tablegate.syntax.raw_text import may_hide, may_say, opens, revealed
from tablegate.syntax.recognise import (
    LOCKED_START,
    OF_A_PLAN,
    OF_A_TEMPLATE,
    POINTER,
    TEMPLATE_BODY,
    WRAPPED,
    Kind,
    is_json,
    is_output,
    is_template,
    other_kind,
    parse,
    recognise,
)
from tablegate.syntax.source import Source, decode

# Contents that stand for others, which are deployed: a pointer of Git LFS, and a file that git-crypt keeps locked.
_STAND_INS = (POINTER.encode(), LOCKED_START)
_TEMPLATE_NAME = r"(?i)\.(?:ya?ml|template|cfn)\Z"
_PLAN_OR_TEMPLATE_NAME = r"(?i)(?:plan|template|stack)[^/]*\.(?:json|ya?ml|template)\Z"
# Resources with something below them, as in nearly every template.
_FILLED = re.compile(r"Resources[ \t]*:[ \t]*(?:#.*)?\r?\n(?:[ \t]*(?:#.*)?\r?\n)*+[ \t]+[A-Za-z0-9\"']")
_SERVERLESS = "AWS::Serverless"  # the transform that adds nothing to resources that are empty
_VERSION = "AWSTemplateFormatVersion"
_SIGNS = (
    '"ChangeSetId"',
    '"lineage"',
    f'"{_VERSION}"',
    '"resource_changes"',
    '"planned_values"',
    '"format_version"',
)


def looks_relevant(data: bytes, name: str) -> bool:
    """Whether this is a plan or a template, possibly a broken one."""
    if not data.strip():
        return re.search(_PLAN_OR_TEMPLATE_NAME, name) is not None  # the name is all that an empty file has
    if data.startswith(_STAND_INS):
        return re.search(_PLAN_OR_TEMPLATE_NAME, name) is not None or re.search(_TEMPLATE_NAME, name) is not None
    if data.startswith(b"PK\x03\x04"):
        return name.endswith(".json")
    text = _rough_text(data)
    if is_json(text):
        return _is_relevant_object(text)
    if text.startswith(WRAPPED):
        return _has_signs(text)
    if may_say(text, "::", _VERSION) and is_template(text):
        return not _is_empty(text)
    return is_output(text)


def _is_empty(text: str) -> bool:
    """Whether nobody has filled in this template yet: nothing is below its resources, and no macro adds any."""
    at = 0
    while at >= 0:
        if _FILLED.match(text, at):
            return False
        at = text.find("\nResources", at) + 1 or -1  # a pattern would be tried at every line
    try:
        content = parse(text, as_json=False).content
    except ParseError:
        return False
    if not isinstance(content, dict) or "Resources" not in content or "Fn::Transform" in content:
        return False
    macro = content["Transform"].content if "Transform" in content else _SERVERLESS
    return content["Resources"].content is None and isinstance(macro, str) and macro.startswith(_SERVERLESS)


def _is_relevant_object(text: str) -> bool:
    from tablegate.syntax.json.lazy import Document

    try:
        keys = Document(text).members.keys()
    except ParseError:
        return _has_signs(text)
    if "format_version" in keys and keys & OF_A_PLAN:
        return True
    if keys & OF_A_TEMPLATE:
        return _VERSION in keys or '"Type"' in text or '"Type"' in revealed(text)
    other = other_kind(keys)
    if other is not None:
        return other is not Kind.CDK_ASSEMBLY  # its folder is one source
    return not keys.isdisjoint({"resource_changes", "planned_values", "plan_format_version", TEMPLATE_BODY})


def _has_signs(text: str) -> bool:
    """Whether JSON that is broken, or that has other text around it, looks like an input."""
    text = revealed(text)
    if any(sign in text for sign in _SIGNS) or ('"Resources"' in text and '"AWS::' in text):
        return True
    return "AWS::" in text and opens(text, OF_A_TEMPLATE)


def _rough_text(data: bytes) -> str:
    """The text, decoded well enough to search words in it."""
    try:
        return decode(data)
    except ParseError:
        return data.replace(b"\0", b"").decode("latin-1").removeprefix("ÿþ").removeprefix("þÿ")


_OF_A_TEMPLATE = (b"aws::", b"::module", b"changeset")
_OF_A_PLAN = (b"format_version", b'"lineage"')
# Beside tables and access: types that create either, or lead to another template.
_TYPES = rb"::(?:iam|sso|dax|serverless|foreach|cloudformation::stack|module)"
_IN_A_TEMPLATE = (b"transform", b"export", b"changeset")
_IN_A_PLAN = (b"iam", b"dax")
_IN_SOURCE = rb"aws_(?:dax|iam|ssoadmin)"
_OBJECT = re.compile(rb"(?:\xef\xbb\xbf)?\s*+\{")
_READ_STARTS = (*(sign.encode() for sign in WRAPPED), *_STAND_INS)
_PARTIAL = (b'"errored":true', b'"complete":false', b"deferred", b"plan_format_version")  # of a plan


class Sniffed(Enum):
    """How to treat a file of a folder."""

    READ = auto()
    SILENT = auto()  # it may be an input, but mentions nothing that is checked
    OTHER = auto()  # it is not an input


def sniffed(data: bytes) -> Sniffed:
    """How to treat the file. If its bytes may hide a word, it is read."""
    if b"DynamoDB" in data or not data or data.isspace() or data.startswith(_READ_STARTS) or may_hide(data):
        return Sniffed.READ
    words = data.lower()
    if b"dynamodb" in words:
        return Sniffed.READ
    is_json = _OBJECT.match(data) is not None
    if is_json and not data[-64:].rstrip().endswith(b"}"):
        return Sniffed.READ  # truncated
    is_plan = is_json and _has_any(words, _OF_A_PLAN)
    if _has_any(words, _OF_A_TEMPLATE):
        may_matter = re.search(_TYPES, words) is not None or _has_any(words, _IN_A_TEMPLATE)
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
        or may_hide(data)
        or data.startswith(b"\xff")  # it could not be read
    )


# A function of SAM names its policies without IAM, and a loop may make any word.
_NAMES_TABLES = re.compile(rb"dynamo|simpletable|polic(?:y|ies)|foreach|(?<![a-z])(?:iam|dax|sso)")


def names_tables_or_access(data: bytes) -> bool:
    """Whether an input names DynamoDB or IAM. So may one that is empty, cut off or not to be read as text."""
    if not data.strip() or data.startswith((b"\xff", *_STAND_INS)) or may_hide(data):
        return True
    if _OBJECT.match(data) is not None and not _is_balanced(data):
        return True
    return _NAMES_TABLES.search(data.lower()) is not None


def _has_any(data: bytes, words: tuple[bytes, ...]) -> bool:
    for word in words:  # noqa: SIM110 - a generator takes longer than the search
        if word in data:
            return True
    return False


def _is_balanced(data: bytes) -> bool:
    """Whether JSON has as many closing as opening brackets."""
    return data.count(b"{") == data.count(b"}") and data.count(b"[") == data.count(b"]")


MANIFEST = "manifest.json"
TEMPLATES_OF_ASSEMBLY = (".template.json", ".template.yaml", ".template.yml")
MAX_EMBEDDED = 64  # files of one template

_EMBEDDING = ("AWS::CloudFormation::Stack", "AWS::Serverless::Application")
_NAMES_A_FILE = frozenset({"TemplateURL", "Location", "aws:asset:path"})
_PLAN = re.compile(rb'\s*+\{\s*+"format_version"')
_OF_OTHER_INPUTS = OF_A_PLAN | OF_A_TEMPLATE | {TEMPLATE_BODY}  # which are recognised first
_OF_AN_ASSEMBLY = ('"aws:cloudformation:stack"', '"cdk:')


def embedded_files(data: bytes) -> tuple[str, ...]:
    """The local files that a template embeds, as written in it: possibly more than it embeds, never fewer."""
    if begins_as_plan(data) or not may_say(data, *_EMBEDDING):
        return ()
    try:
        text = recognise(Source("", data)).text
        root = parse(text, as_json=is_json(text), wanted=_EMBEDDING.__contains__)
    except ParseError:
        return ()  # the dialect reports why
    return tuple(dict.fromkeys(name for name in _file_names(root) if "://" not in name))


def _file_names(root: Node) -> Iterator[str]:
    """All texts below the members that name a file, in the order of the text."""
    waiting = [(root, False)]
    while waiting:
        node, is_name = waiting.pop()
        content = node.content
        if isinstance(content, dict):
            waiting += [(child, is_name or key in _NAMES_A_FILE) for key, child in reversed(content.items())]
        elif isinstance(content, list):
            waiting += [(child, is_name) for child in reversed(content)]
        elif is_name and isinstance(content, str):
            yield content


def begins_as_plan(data: bytes) -> bool:
    """Whether this begins like the JSON of a Terraform plan or state."""
    return _PLAN.match(data) is not None


def is_terraform_plan(data: bytes) -> bool:
    """Whether this begins like a plan as JSON, and is no state."""
    return begins_as_plan(data) and b'"resource_changes"' in data


def is_manifest(data: bytes) -> bool:
    """Whether this is the manifest of a CDK assembly, possibly a broken one."""
    from tablegate.syntax.json.lazy import decode, members

    try:
        manifest = members(text.decode(data))
    except ParseError:
        return may_say(data, *_OF_AN_ASSEMBLY)
    if not {"version", "artifacts"} <= manifest.keys() or manifest.keys() & _OF_OTHER_INPUTS:
        return False
    return isinstance(decode(manifest["version"]), str) and isinstance(decode(manifest["artifacts"]), dict)
