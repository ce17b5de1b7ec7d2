"""What an input is: its content decides, never its name, and what is something else is told what to give instead."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from enum import StrEnum

from tablegate.model.record import record
from tablegate.syntax import mistakes
from tablegate.syntax.errors import ParseError
from tablegate.syntax.source import Source
from tablegate.syntax.text import utf8

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tablegate.syntax.raw_json import Document


class Kind(StrEnum):
    """The languages that are read."""

    TERRAFORM_PLAN = "terraform-plan"
    CLOUDFORMATION = "cloudformation"
    TERRAFORM_SOURCE = "terraform-source"
    CDK_ASSEMBLY = "cdk-assembly"
    CHANGE_SET = "change-set"
    TERRAFORM_STATE = "terraform-state"


@record(kw_only=False)
class Recognised:
    """An input and its language: a plan as its members, a template as text. ``note`` says what was left out."""

    kind: Kind
    content: Document | str
    note: str | None = None

    @property
    def text(self) -> str:
        """The input as it was written."""
        return self.content if isinstance(self.content, str) else self.content.text


_MAJOR = 2  # the first major version of the plan format that is not known
OF_A_PLAN = frozenset(
    {
        "plan_format_version",  # redacted by HCP Terraform: the dialect says what is missing
        "resource_changes",
        "planned_values",
        "configuration",
        "prior_state",
        "resource_drift",
        "output_changes",
        "deferred_changes",
        "errored",
    }
)
OF_A_TEMPLATE = frozenset({"AWSTemplateFormatVersion", "Resources", "Transform"})
_SIGNS = (
    (frozenset({"version", "artifacts"}), Kind.CDK_ASSEMBLY),
    (frozenset({"Changes", "ChangeSetId"}), Kind.CHANGE_SET),
    (frozenset({"Changes", "ChangeSetName"}), Kind.CHANGE_SET),
    (frozenset({"changes", "changeSetId"}), Kind.CHANGE_SET),
    (frozenset({"changes", "changeSetName"}), Kind.CHANGE_SET),
    (frozenset({"format_version", "values"}), Kind.TERRAFORM_STATE),
    (frozenset({"format_version", "terraform_version"}), Kind.TERRAFORM_STATE),
    (frozenset({"version", "lineage"}), Kind.TERRAFORM_STATE),
    (frozenset({"version", "serial"}), Kind.TERRAFORM_STATE),
)
_ENCRYPTED = frozenset({"encrypted_data"})
_FIRST_LINE = r"\A(?:[ \t]*(?:#[^\n]*|---[^\n]*|%[^\n]*)?\r?\n)*+( *)"
_TEMPLATE_KEY = rf"(?m)^( *)[\"']?(?:{'|'.join(sorted(OF_A_TEMPLATE))})[\"']?[ \t]*:"
_OF_SOURCE = (".tf", ".tofu", ".tf.json", ".tofu.json")  # Terraform itself goes by the name
_VISIBLE = r"[^\n]"
WRAPPED = ("[command]", "::")


def recognise(source: Source) -> Recognised:
    """The kind and the text of an input. A ParseError says what it is instead."""
    if source.data.startswith(b"PK\x03\x04"):
        raise (mistakes.BINARY_PLAN if b"tfplan" in source.data[:256] else mistakes.ARCHIVE).error()
    data = utf8(source.data)
    if source.name.endswith(_OF_SOURCE):
        return Recognised(Kind.TERRAFORM_SOURCE, data.decode())
    return _of_object(data) if data.lstrip(b" \t\r\n").startswith(b"{") else _of_text(data.decode())


def is_json(text: str) -> bool:
    """Whether the text sets out to be JSON: CloudFormation decides by the same sign."""
    return text.lstrip(" \t\r\n").startswith("{")


def has_template_key(text: str) -> bool:
    """Whether one of a template's own sections is at the top of this YAML, without reading it."""
    first = re.match(_FIRST_LINE, text)
    return first is not None and any(found[1] == first[1] for found in re.finditer(_TEMPLATE_KEY, text))


def other_kind(keys: AbstractSet[str]) -> Kind | None:
    """The other languages, each known by a few members that always are there."""
    return next((kind for signs, kind in _SIGNS if signs <= keys and not keys & _ENCRYPTED), None)


def _of_text(text: str) -> Recognised:
    if is_json(text):
        return _of_object(text.encode())
    if text.startswith(WRAPPED):
        return _of_wrapped(text)
    if has_template_key(text):
        return Recognised(Kind.CLOUDFORMATION, text)
    mistake = mistakes.by_text(text)
    if mistake is not None:
        raise mistake.error()
    if mistakes.is_source(text):
        return Recognised(Kind.TERRAFORM_SOURCE, text)
    return _of_yaml(text)


def _of_object(data: bytes) -> Recognised:
    from tablegate.syntax.raw_json import Document
    from tablegate.syntax.raw_json import decode as decoded

    if data.lstrip().startswith(mistakes.LOG_START):
        raise mistakes.LOG.error()
    document = Document(data)
    found = document.members
    keys = found.keys()
    if keys & OF_A_PLAN:
        if "plan_format_version" not in keys:
            _known_version(decoded(found["format_version"]) if "format_version" in keys else None)
        return Recognised(Kind.TERRAFORM_PLAN, document)
    if keys & OF_A_TEMPLATE:
        return Recognised(Kind.CLOUDFORMATION, data.decode())
    if "TemplateBody" in keys:
        body = decoded(found["TemplateBody"])
        return _of_object_within(data, "TemplateBody") if isinstance(body, dict) else _of_body(body)
    kind = other_kind(keys)
    if kind is not None:
        return Recognised(kind, data.decode())
    raise mistakes.by_keys(keys).error()


def _of_wrapped(text: str) -> Recognised:
    """What setup-terraform's wrapper prints: the command, the plan, and the plan again in workflow commands."""
    start = text.find("\n{") + 1
    if not start:
        raise mistakes.WRAPPER.error()
    end = text.find("\n::", start)
    inner = _of_object((text[start:] if end < 0 else text[start:end]).encode())
    return Recognised(inner.kind, inner.content, "lines of setup-terraform's wrapper were left out")


def _of_yaml(text: str) -> Recognised:
    """What is no template at first sight: broken YAML says so itself, and the rest is named for what it is."""
    from tablegate.syntax.json_ import parse_json
    from tablegate.syntax.yaml_ import parse_yaml

    content = (parse_json if text.lstrip().startswith(("[", "/")) else parse_yaml)(text).content
    if not isinstance(content, Mapping):
        kind = "a list" if isinstance(content, list) else "a single value"
        raise ParseError(f"the top level must be an object, not {kind}", hint=mistakes.UNKNOWN.hint)
    if "TemplateBody" in content:
        return _of_body(content["TemplateBody"].plain())
    if other_kind(content.keys()) is Kind.CHANGE_SET:
        return Recognised(Kind.CHANGE_SET, text)
    raise mistakes.by_keys(content.keys()).error()


def _of_object_within(data: bytes, key: str) -> Recognised:
    """A template that is a member of an object: where it stands, with nothing around it."""
    from tablegate.syntax.raw_json import written

    inner = written(data, key)
    if _of_object(inner).kind is not Kind.CLOUDFORMATION:
        raise mistakes.UNKNOWN.error()
    before = data[: data.index(inner, data.index(f'"{key}"'.encode()))].decode()
    return Recognised(Kind.CLOUDFORMATION, re.sub(_VISIBLE, " ", before) + inner.decode())


def _of_body(body: object) -> Recognised:
    """What 'aws cloudformation get-template' prints: the template is a text in it, or an object."""
    try:
        inner = _of_text(body if isinstance(body, str) else json.dumps(body))
    except UnicodeEncodeError:
        raise ParseError("TemplateBody holds half of a surrogate pair, which is no character") from None
    if inner.kind is not Kind.CLOUDFORMATION:
        raise mistakes.UNKNOWN.error()
    return Recognised(inner.kind, inner.content, "lines are counted inside of TemplateBody")


def _known_version(version: object) -> None:
    """Refuse a plan whose format nobody has seen yet."""
    found = re.fullmatch(r"([0-9]{1,9})\.[0-9]{1,9}(?:\.[0-9]{1,9})?", version) if isinstance(version, str) else None
    if found is None:
        raise ParseError("not the JSON of a Terraform plan: it has no format_version", hint=mistakes.UNKNOWN.hint)
    if int(found[1]) >= _MAJOR:
        raise ParseError(f"unsupported plan format {version}, where 0.1 to 1.x are known")
