"""Placeholders of other tools, such as ``${self:custom.stage}``: filled in before CloudFormation sees the template.

They are marked when a template is loaded, and are unknown then. A template without one costs three searches.
"""

from __future__ import annotations

import re

from tablegate.dialects.cloudformation.values import EXPRESSION, UNFILLED, NameReference, Part, Unresolved
from tablegate.model.value import Doubt
from tablegate.syntax.node import Node

# The variables of the Serverless Framework. IAM has variables of its own: ${aws:username}, ${s3:prefix}.
_VARIABLE = (
    r"\$\{\s*+(?:(?:self|opt|env|sls|param|terraform|cf|cf\.[\w-]+):|(?:file|cf|ssm|s3|aws|strToBool)\(|ssm:/"
    r"|aws:(?:region|accountId)\s*\})"
)
_TEMPLATED = r"\{\{(?!(?:resolve|changeSet):)[^{}\n]*+\}\}"  # Jinja, Helm, GitHub
_EMBEDDED = r"<%[^\n]*?%>"  # ERB
_BRACES = r"\{(?:[^{}]|\{(?:[^{}]|\{[^{}]*+\})*+\})*+\}"
_PLACEHOLDER = re.compile(rf"(?=({_VARIABLE}))\$(?:{_BRACES}|.*)|\$?{_TEMPLATED}|{_EMBEDDED}", re.DOTALL)
_SIGNS = tuple(map(re.compile, (_VARIABLE, _TEMPLATED, _EMBEDDED)))  # each begins with a literal, which is fast to find
_SHOWN = 60
_PACKAGE = "check the template that serverless package writes"
_FILL_IN = "check the template after its placeholders are filled in"
_DYNAMIC = "{{resolve:"


def mark_placeholders(root: Node, text: str) -> None:
    """Mark every text of a template's tree that has a placeholder. ``text`` is what the tree was parsed from."""
    if not has_placeholder(text):
        return
    waiting, seen = [root], set()
    while waiting:
        node = waiting.pop()
        content = node.content
        if isinstance(content, str):
            if not content.startswith(UNFILLED) and has_placeholder(content):
                node.content = f"{UNFILLED}{content}"
        elif (
            isinstance(content, (dict, list, tuple)) and id(node) not in seen
        ):  # an alias is one node in several places
            seen.add(id(node))
            waiting.extend(content.values() if isinstance(content, dict) else content)


def has_placeholder(text: str) -> bool:
    """Whether a text has a placeholder of another tool."""
    return any(sign.search(text) for sign in _SIGNS)


def unfilled(node: Node, text: str) -> Unresolved:
    """A marked text, with a reference for each placeholder."""
    parts = pieces_of(text)
    return Unresolved(doubt_of(text), node, tuple(parts))


def doubt_of(text: str) -> Doubt:
    """Why a marked text is not known: its first placeholder."""
    match = _PLACEHOLDER.search(text, len(UNFILLED))
    shown = match[0] if match is not None else text
    shown = shown if len(shown) <= _SHOWN else f"{shown[: _SHOWN - 1]}…"
    return Doubt(f"{shown} is filled in before the deploy", _PACKAGE if match is not None and match[1] else _FILL_IN)


def pieces_of(text: str) -> list[Part]:
    """A marked text as texts and references. Equal placeholders are equal references."""
    text = text.removeprefix(UNFILLED)
    if _DYNAMIC in text:
        return [NameReference(text, kind=EXPRESSION)]
    pieces: list[Part] = []
    end = 0
    for match in _PLACEHOLDER.finditer(text):
        if match.start() > end:
            pieces.append(text[end : match.start()])
        name = match[0][2:-1] if match[1] is not None else match[0]
        pieces.append(NameReference(name, kind=EXPRESSION))
        end = match.end()
    return [*pieces, text[end:]] if end < len(text) else pieces
