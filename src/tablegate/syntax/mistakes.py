"""What people give by mistake, how it is told, and what to give instead."""

from __future__ import annotations

import re
from collections.abc import Set as AbstractSet
from typing import TypeAlias

from tablegate.model.record import record
from tablegate.syntax.errors import ParseError
from tablegate.syntax.fragments import SERVICE

_SHOW = "terraform show -json PLAN > plan.json"
_GIVE_A_PLAN = f"give the plan: terraform plan -out=PLAN && {_SHOW}"


@record(kw_only=False)
class Mistake:
    """An input that is something else than a plan or a template."""

    what: str
    hint: str

    def error(self) -> ParseError:
        """The refusal, with its remedy."""
        return ParseError(f"this is {self.what}", hint=self.hint)


_Signs: TypeAlias = "tuple[tuple[frozenset[str], Mistake], ...]"

UNKNOWN = Mistake(
    "not recognised as a Terraform plan or a CloudFormation template",
    f"give the output of: {_SHOW}; or a template, which has Resources",
)
BINARY_PLAN = Mistake("a binary plan", f"give what is in it: {_SHOW}")
ARCHIVE = Mistake("a ZIP archive", "give the plan or the template itself")
LOG = Mistake("the log stream of 'terraform plan -json', not a plan", _GIVE_A_PLAN)
HUMAN = Mistake("the output of 'terraform plan' for people to read", _GIVE_A_PLAN)
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
        Mistake("a bookmark of a plan that HCP Terraform keeps", f"give the plan itself: {_SHOW}"),
    ),
    (frozenset({"service", "provider"}), Mistake("a service of the Serverless Framework", SERVICE.hint)),
    (frozenset({"version", "tree"}), ASSEMBLY),
    (frozenset({"version", "files", "dockerImages"}), ASSEMBLY),
    (frozenset({"version", "testCases"}), ASSEMBLY),
    (frozenset({"provider_schemas"}), Mistake("the output of 'terraform providers schema'", _GIVE_A_PLAN)),
    (frozenset({"root_module", "provider_config"}), Mistake("a configuration, not a plan", _GIVE_A_PLAN)),
)

# Compiled when something is no input, which hardly anything is.
_FOR_PEOPLE = (
    r"(?m)^(?:Terraform|OpenTofu) (?:used the selected providers|will perform the following)"
    r"|^An execution plan has been generated|^Plan: [0-9]+ to |: Refreshing state\.\.\."
)
_OF_SOURCE = r'(?m)^(?:resource|data|module|variable|output|provider)(?: "[^"\n]*"){1,2} \{|^(?:terraform|locals) \{'
LOG_START = b'{"@'  # the first member of every message of Terraform's machine-readable log


def by_keys(keys: AbstractSet[str]) -> Mistake:
    """What an object with these keys at its top is, if not what was wanted."""
    for signs, mistake in _BY_KEYS:
        if signs <= keys:
            return mistake
    return UNKNOWN


def by_text(text: str) -> Mistake | None:
    """What a text is that is neither JSON nor a template, if that can be told."""
    if "\x1b[" in text:
        return COLOURED
    return HUMAN if re.search(_FOR_PEOPLE, text) else None


def is_source(text: str) -> bool:
    """Whether a text is written in Terraform's language."""
    return re.search(_OF_SOURCE, text) is not None
