"""Whether a file met in a folder is worth reading: most JSON and YAML of a repository is none of our business."""

from __future__ import annotations

import re

from tablegate.syntax.errors import ParseError
from tablegate.syntax.recognise import OF_A_PLAN, OF_A_TEMPLATE, WRAPPED, Kind, has_template_key, is_json, other_kind
from tablegate.syntax.text import decode

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
    from tablegate.syntax.raw_json import Document

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
