"""The outside of a plan: its version, and what it says of itself."""

from __future__ import annotations

import re

from tablegate.dialects.terraform_plan.faults import Faults
from tablegate.syntax import raw_json
from tablegate.syntax.errors import ParseError

_SECTIONS = ("resource_changes", "planned_values", "configuration", "prior_state", "resource_drift")
_VERSION = re.compile(r"(\d+)\.(\d+)")
_TO_SHOW = "terraform show -json PLANFILE"
_PARTIAL = "plan without -target, or accept the rest unseen with --allow-partial"
_REFRESH = "fix what made it fail and plan again, or accept it with --allow-partial"


class Envelope:
    """The members of a plan, undecoded, and its flags."""

    def __init__(self, document: raw_json.Document) -> None:
        self.members = document.members
        self.redacted = "plan_format_version" in self.members and "format_version" not in self.members
        version = self._plain("plan_format_version" if self.redacted else "format_version")
        found = _VERSION.fullmatch(version) if isinstance(version, str) else None
        if found is None:
            raise ParseError("not a Terraform plan: it has no format_version", hint=_TO_SHOW)
        if int(found[1]) > 1:
            raise ParseError(f"unsupported plan format {found[0]}; formats 0.1 to 1.x are read")
        if not any(name in self.members for name in _SECTIONS) and "values" in self.members:
            raise ParseError("a state, not a plan", hint=_TO_SHOW)

    def part(self, name: str) -> raw_json.Part | None:
        """A member; None when it is missing or null."""
        found = self.members.get(name)
        return None if found is None or raw_json.is_null(found) else found

    def mapping(self, name: str, faults: Faults) -> dict[str, object]:
        """A member that is an object, decoded."""
        part = self.part(name)
        content = {} if part is None else raw_json.decode(part)
        if isinstance(content, dict):
            return content
        faults.refuse(f"{name} must be an object, not {raw_json.kind_of(content)}", name)
        return {}

    def made_by(self) -> str | None:
        """The version of Terraform or OpenTofu that made it."""
        version = self._plain("terraform_version")
        return f"Terraform {version}" if isinstance(version, str) else None

    def note(self, faults: Faults, *, allow_partial: bool) -> bool:
        """Report what makes the plan partial; whether anything does."""
        found = []
        if self._flag("errored", faults) is True:
            found.append(("the plan failed: what failed is missing from it", _REFRESH))
        elif self._flag("complete", faults) is False:
            found.append(("a partial plan (-target, or deferred changes): what it leaves out is not judged", _PARTIAL))
        elif self.part("deferred_changes") is not None:
            found.append(("the plan defers changes to a later one", _PARTIAL))
        if self.redacted:
            found.append(("a redacted plan: values are missing from it", "the plan as terraform show -json prints it"))
        for message, hint in found:
            faults.incomplete(message, blocks=not allow_partial, hint=hint)
        return bool(found)

    def _flag(self, name: str, faults: Faults) -> bool | None:
        content = self._plain(name)
        if content is None or isinstance(content, bool):
            return content
        faults.refuse(f"{name} must be true or false, not {raw_json.kind_of(content)}", name)
        return None

    def _plain(self, name: str) -> object:
        part = self.members.get(name)
        return None if part is None else raw_json.decode(part)
