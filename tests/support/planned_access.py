"""Holders and grants for tests: read from plans that Terraform made, and told in few words."""

from __future__ import annotations

from pathlib import Path

from tablegate.dialects.reading import Reading, ReadOptions
from tablegate.dialects.terraform.plan import read
from tablegate.iam.grants import Grant
from tablegate.iam.holders import Holder
from tablegate.syntax.json.lazy import Document

PLANS = Path(__file__).parents[2] / "fixtures" / "access" / "plans"


def made(name: str) -> Reading:
    """A plan that Terraform made."""
    return read(Document((PLANS / name / "plan.json").read_bytes()), "plan.json", ReadOptions())


def holders(reading: Reading) -> dict[str, Holder]:
    """The holders by address, those of tables and streams by address and form."""
    assert reading.estate is not None
    found = {}
    for one in reading.estate.holders:
        key = one.address if one.address not in found else f"{one.address} {one.form}"
        found[key] = one
    return found


def told(grant: Grant) -> str:
    """A grant in one line: whose document, which statement, what it says."""
    statement, shown = grant.statement, grant.document.shown
    actions = ("not " if statement.actions.inverted else "") + ", ".join(map(shown, statement.actions.texts))
    resources = ("not " if statement.resources.inverted else "") + ", ".join(map(shown, statement.resources.texts))
    line = f"{grant.address} {grant.label}: {statement.effect} {actions} on {resources}"
    return line if statement.resources.doubt is None else f"{line} and more"


def grants(holder: Holder) -> list[str]:
    """All that somebody holds."""
    return [told(grant) for grant in holder.grants]


def unread(holder: Holder) -> list[tuple[str, bool, bool, str]]:
    """What could not be read: address, whether it matters, whether it was read in part, and why."""
    return [(one.address, one.relevant, one.partly, one.doubt.reason) for one in holder.unread]


def counted(reading: Reading) -> tuple[int, int, int]:
    """Documents: all, those read in part, and those not read."""
    seen = reading.input
    return seen.documents, seen.documents_partly, seen.documents_unread
