"""What an input is, by its content and not its name; and for anything else, what to give instead."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from collections.abc import Set as AbstractSet
from enum import StrEnum
from typing import TYPE_CHECKING, TypeAlias

from tablegate.model.record import record
from tablegate.syntax import source as text
from tablegate.syntax.node import Node, ParseError
from tablegate.syntax.raw_text import may_say, opens, revealed
from tablegate.syntax.source import Source, utf8

if TYPE_CHECKING:
    from tablegate.syntax.json.lazy import Document


class Kind(StrEnum):
    """The kinds of input that are read."""

    TERRAFORM_PLAN = "terraform-plan"
    CLOUDFORMATION = "cloudformation"
    TERRAFORM_SOURCE = "terraform-source"
    CDK_ASSEMBLY = "cdk-assembly"
    CHANGE_SET = "change-set"
    TERRAFORM_STATE = "terraform-state"


@record(kw_only=False)
class Recognised:
    """An input and its kind: a plan as its members, a template as text. ``note`` says what was ignored."""

    kind: Kind
    content: Document | str
    note: str | None = None

    @property
    def text(self) -> str:
        """The text of the input."""
        return self.content if isinstance(self.content, str) else self.content.text


_MAJOR = 2  # first unsupported major version of the plan format
OF_A_PLAN = frozenset(
    {
        "plan_format_version",  # redacted by HCP Terraform; the dialect reports what is missing
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
TEMPLATE_BODY = "TemplateBody"
_OF_A_CHANGE_SET = frozenset({"ChangeSetId", "ChangeSetName", "changeSetId", "changeSetName"})
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
_SOURCE_ENDINGS = (".tf", ".tofu", ".tf.json", ".tofu.json")  # as Terraform, by the name
_NO_NEWLINE = r"[^\n]"
_SECTION = r"(?:\s|[#;][^\n]*\n)*\[{1,2}[A-Za-z][^\[\]\n,]*\]{1,2}\s*(?:[#;].*)?(?:\n|\Z)"  # of TOML and INI files
WRAPPED = ("[command]", "::")
LOCKED_START = b"\0GITCRYPT\0"
POINTER = "version https://git-lfs.github.com/spec/"


def recognise(source: Source) -> Recognised:
    """The kind and the text of an input. A ParseError says what else it is."""
    if source.data.startswith(b"PK\x03\x04"):
        raise (BINARY_PLAN if b"tfplan" in source.data[:256] else ARCHIVE).error()
    if source.data.startswith(LOCKED_START):
        raise LOCKED.error()
    data = utf8(source.data)
    if source.name.endswith(_SOURCE_ENDINGS):
        return Recognised(Kind.TERRAFORM_SOURCE, data.decode())
    return _of_object(data) if data.lstrip(b" \t\r\n").startswith(b"{") else _of_text(data.decode())


def is_json(text: str) -> bool:
    """Whether the text begins like JSON. CloudFormation decides the same way."""
    return text.lstrip(" \t\r\n").startswith("{")


def parse(text: str, *, as_json: bool, wanted: Callable[[str], bool] | None = None) -> Node:
    """The tree of a text in JSON or in YAML, where ``wanted`` says which types of resources are needed."""
    # Imported here: a run needs few of the readers.
    if as_json:
        from tablegate.syntax.json import parse_json

        return parse_json(text)
    from tablegate.syntax.yaml import parse_yaml

    return parse_yaml(text, wanted)


def is_template(text: str) -> bool:
    """Whether YAML is a template, or looks like a broken one."""
    first = re.match(_FIRST_LINE, text)
    if first is not None and any(match[1] == first[1] for match in re.finditer(_TEMPLATE_KEY, text)):
        return True  # as nearly every template is written: nothing is parsed
    return _has_key(text, OF_A_TEMPLATE)


def is_output(text: str) -> bool:
    """Whether YAML is what the command line prints of a template or of a change set, or looks like it."""
    return _has_key(text, _OF_A_CHANGE_SET | {TEMPLATE_BODY})


def _has_key(text: str, words: frozenset[str]) -> bool:
    if not may_say(text, *words):
        return False
    try:
        content = parse(text, as_json=False).content
    except ParseError:
        return opens(text, words)
    return isinstance(content, Mapping) and not words.isdisjoint(content)


def other_kind(keys: AbstractSet[str]) -> Kind | None:
    """The kind of an object that is neither a plan nor a template, by members that it always has."""
    return next((kind for signs, kind in _SIGNS if signs <= keys and not keys & _ENCRYPTED), None)


def _of_text(text: str) -> Recognised:
    if is_json(text):
        return _of_object(text.encode())
    if text.startswith(WRAPPED):
        return _of_wrapped(text)
    if is_template(text):
        return Recognised(Kind.CLOUDFORMATION, text)
    mistake = _mistake_by_text(text)
    if mistake is not None:
        raise mistake.error()
    if _is_source(text):
        return Recognised(Kind.TERRAFORM_SOURCE, text)
    return _of_yaml(text)


def _of_object(data: bytes) -> Recognised:
    from tablegate.syntax.json.lazy import Document
    from tablegate.syntax.json.lazy import decode as decoded

    if data.lstrip().startswith(LOG_START):
        raise LOG.error()
    document = Document(data)
    members = document.members
    keys = members.keys()
    if keys & OF_A_PLAN:
        if "plan_format_version" not in keys:
            _known_version(decoded(members["format_version"]) if "format_version" in keys else None)
        return Recognised(Kind.TERRAFORM_PLAN, document)
    if keys & OF_A_TEMPLATE:
        return Recognised(Kind.CLOUDFORMATION, data.decode())
    if TEMPLATE_BODY in keys:
        body = decoded(members[TEMPLATE_BODY])
        return _of_object_within(data, TEMPLATE_BODY) if isinstance(body, dict) else _of_body(body)
    kind = other_kind(keys)
    if kind is not None:
        return Recognised(kind, data.decode())
    raise _mistake_by_keys(keys).error()


def _of_wrapped(text: str) -> Recognised:
    """The output of setup-terraform's wrapper: the command, the plan, and the plan again in workflow commands."""
    start = text.find("\n{") + 1
    if not start:
        raise WRAPPER.error()
    end = text.find("\n::", start)
    inner = _of_object((text[start:] if end < 0 else text[start:end]).encode())
    return Recognised(inner.kind, inner.content, "ignored the lines of setup-terraform's wrapper")


def _of_yaml(text: str) -> Recognised:
    """Any other text: broken YAML raises its own error, anything else is named."""
    if re.match(_SECTION, text):
        raise ParseError("not JSON or YAML: expected a Terraform plan or a template", hint=UNKNOWN.hint)
    content = parse(text, as_json=text.lstrip().startswith(("[", "/"))).content
    if not isinstance(content, Mapping):
        kind = "a list" if isinstance(content, list) else "a single value"
        raise ParseError(f"this is {UNKNOWN.what}, but {kind}", hint=UNKNOWN.hint)
    if TEMPLATE_BODY in content:
        return _of_body(content[TEMPLATE_BODY].plain())
    if other_kind(content.keys()) is Kind.CHANGE_SET:
        return Recognised(Kind.CHANGE_SET, text)
    raise _mistake_by_keys(content.keys()).error()


def _of_object_within(data: bytes, key: str) -> Recognised:
    """A template that is a member of an object: blanks replace what is before it, so that places stay."""
    from tablegate.syntax.json.lazy import raw_member

    inner = raw_member(data, key)
    if _of_object(inner).kind is not Kind.CLOUDFORMATION:
        raise UNKNOWN.error()
    written = max(data.find(f'"{key}"'.encode()), 0)  # the key may have escapes
    before = data[: data.index(inner, written)].decode()
    return Recognised(Kind.CLOUDFORMATION, re.sub(_NO_NEWLINE, " ", before) + inner.decode())


def _of_body(body: object) -> Recognised:
    """The output of 'aws cloudformation get-template', which has the template as a text or as an object."""
    try:
        inner = _of_text(body if isinstance(body, str) else json.dumps(body))
    except UnicodeEncodeError:
        raise ParseError("TemplateBody has half of a surrogate pair, which is not a character") from None
    if inner.kind is not Kind.CLOUDFORMATION:
        raise UNKNOWN.error()
    return Recognised(inner.kind, inner.content, "line numbers are counted within TemplateBody")


def _known_version(version: object) -> None:
    """Refuse a plan in an unsupported format."""
    match = re.fullmatch(r"([0-9]{1,9})\.[0-9]{1,9}(?:\.[0-9]{1,9})?", version) if isinstance(version, str) else None
    if match is None:
        raise ParseError("not the JSON of a Terraform plan: it has no format_version", hint=UNKNOWN.hint)
    if int(match[1]) >= _MAJOR:
        raise ParseError(f"unsupported plan format {version}; supported are 0.1 to 1.x")


PROGRAM = "cdk.json"
# Compiled only for files that are not inputs, which most runs do not have.
_SPEAKS = r"AWS::DynamoDB::|dynamodb:[A-Z*]"
_SERVICE = r"(?m)^[\"']?service[\"']?[ \t]*:"
_PROVIDER = r"(?m)^[\"']?provider[\"']?[ \t]*:"
_TABLE = (
    r"""(?m)(?:^|[{,])[ \t?-]*(?:[!&]\S* +)*["']?Type["']?\s*:\s*(?:[!&]\S* +)*["']?AWS::DynamoDB::(?:Global)?Table\b"""
)
_TABLE_OF_TERRAFORM = r"""(?m)^[ \t]*resource[ \t]+"?(?:aws_dynamodb_|awscc_dynamodb_)"""


@record(kw_only=False)
class Fragment:
    """A file that declares tables and is not a template, and what to check instead."""

    what: str
    hint: str


SERVICE = Fragment(
    "Serverless Framework services are not supported: their tables and roles are not checked",
    "run serverless package, then check .serverless/cloudformation-template-update-stack.json",
)
PART = Fragment(
    "it declares a table but is not a complete template: the table is not checked",
    "check the template that is built from it",
)
UNRENDERED = Fragment(
    "it declares a table but is made for a template engine: the table is not checked",
    "check what is rendered from it",
)
UNSYNTHESISED = Fragment(
    "CDK app without an assembly to check: its tables and roles are not checked",
    "run cdk synth, then check cdk.out",
)


def assembly_of(data: bytes) -> str | None:
    """The output folder that a ``cdk.json`` names; None if it names no app."""
    from tablegate.syntax.json import load_json

    try:
        stated = load_json(text.decode(data))
    except ParseError:
        return None
    if not isinstance(stated, dict) or not isinstance(stated.get("app"), str):
        return None
    output = stated.get("output")
    return output if isinstance(output, str) else "cdk.out"


def fragment_of(data: bytes) -> Fragment | None:
    """What a file that is not an input declares; None if it declares no table."""
    text = revealed(data.decode("utf-8", "replace"))
    if re.search(_SPEAKS, text) is None:
        return None
    if re.search(_SERVICE, text) and re.search(_PROVIDER, text):
        return SERVICE
    return PART if re.search(_TABLE, text) else None


def unrendered_of(data: bytes) -> Fragment | None:
    """What a file for a template engine declares; None if it declares no table."""
    text = revealed(data.decode("utf-8", "replace"))
    return UNRENDERED if re.search(_TABLE, text) or re.search(_TABLE_OF_TERRAFORM, text) else None


def is_whole(source: Source) -> bool:
    """Whether an input can be read as it is, without a template engine."""
    try:
        recognised = recognise(source)
        if recognised.kind is Kind.CLOUDFORMATION:
            parse(recognised.text, as_json=is_json(recognised.text))
    except ParseError:
        return False
    return recognised.kind is not Kind.TERRAFORM_SOURCE  # which Terraform reads by the file's name


_SHOW = "terraform show -json PLAN > plan.json"
_GIVE_A_PLAN = f"give the plan: terraform plan -out=PLAN && {_SHOW}"


@record(kw_only=False)
class Mistake:
    """An input that is neither a plan nor a template."""

    what: str
    hint: str

    def error(self) -> ParseError:
        """The error, with what to give instead."""
        return ParseError(f"this is {self.what}", hint=self.hint)


_Signs: TypeAlias = "tuple[tuple[frozenset[str], Mistake], ...]"

UNKNOWN = Mistake(
    "neither a Terraform plan nor a template",
    f"give the output of {_SHOW}, or a template with Resources",
)
BINARY_PLAN = Mistake("a binary plan", f"convert it: {_SHOW}")
ARCHIVE = Mistake("a ZIP archive", "give the plan or the template itself")
LOG = Mistake("the log stream of 'terraform plan -json', not a plan", _GIVE_A_PLAN)
HUMAN = Mistake("the human-readable output of 'terraform plan'", _GIVE_A_PLAN)
LOCKED = Mistake("a file that git-crypt keeps locked", "unlock it: git-crypt unlock")
NOT_FETCHED = Mistake("a pointer of Git LFS, not the file itself", "fetch it: git lfs pull")
COLOURED = Mistake("the coloured output of a terminal", _GIVE_A_PLAN)
ASSEMBLY = Mistake("a part of a CDK assembly", "give the assembly: its folder, cdk.out")
WRAPPER = Mistake(
    "the output of setup-terraform's wrapper, without a plan in it",
    "set terraform_wrapper: false in the workflow, and show the plan again",
)

_BY_KEYS: _Signs = (
    (
        frozenset({"encrypted_data", "encryption_version"}),
        Mistake("encrypted by OpenTofu", "give it decrypted: tofu show -json PLAN > plan.json"),
    ),
    (
        frozenset({"remote_plan_format"}),
        Mistake("a reference to a plan that is stored in HCP Terraform", f"give the plan itself: {_SHOW}"),
    ),
    (frozenset({"service", "provider"}), Mistake("a service of the Serverless Framework", SERVICE.hint)),
    (frozenset({"version", "tree"}), ASSEMBLY),
    (frozenset({"version", "files", "dockerImages"}), ASSEMBLY),
    (frozenset({"version", "testCases"}), ASSEMBLY),
    (frozenset({"provider_schemas"}), Mistake("the output of 'terraform providers schema'", _GIVE_A_PLAN)),
    (frozenset({"root_module", "provider_config"}), Mistake("a configuration, not a plan", _GIVE_A_PLAN)),
)

# Compiled only for texts that are not inputs.
_HUMAN_PLAN = (
    r"(?m)^(?:Terraform|OpenTofu) (?:used the selected providers|will perform the following)"
    r"|^An execution plan has been generated|^Plan: [0-9]+ to |: Refreshing state\.\.\."
)
_SOURCE_LINE = r'(?m)^(?:resource|data|module|variable|output|provider)(?: "[^"\n]*"){1,2} \{|^(?:terraform|locals) \{'
LOG_START = b'{"@'  # of every message in Terraform's machine-readable log


def _mistake_by_keys(keys: AbstractSet[str]) -> Mistake:
    """What an object with these top-level keys is."""
    for signs, mistake in _BY_KEYS:
        if signs <= keys:
            return mistake
    return UNKNOWN


def _mistake_by_text(text: str) -> Mistake | None:
    """What a text is that is neither JSON nor a template, if it is known."""
    if text.startswith(POINTER):
        return NOT_FETCHED
    if "\x1b[" in text:
        return COLOURED
    return HUMAN if re.search(_HUMAN_PLAN, text) else None


def _is_source(text: str) -> bool:
    """Whether a text is Terraform source."""
    return re.search(_SOURCE_LINE, text) is not None
