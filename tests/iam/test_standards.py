"""The standards' own sample policy: what tablegate has to say of it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from support.access import findings
from tablegate.dialects import cloudformation
from tablegate.dialects.reading import ReadOptions
from tablegate.dialects.terraform import plan as terraform_plan
from tablegate.model.estate import Estate
from tablegate.syntax.json.lazy import Document

SAMPLE = Path(__file__).parents[2] / "fixtures" / "access" / "standards"


def of_plan() -> Estate | None:
    """The sample in a plan."""
    text = (SAMPLE / "plan.json").read_text()
    return terraform_plan.read(Document(text), "plan.json", ReadOptions()).estate


def of_template() -> Estate | None:
    """The sample in a template."""
    return cloudformation.read((SAMPLE / "template.yaml").read_text(), "template.yaml", ReadOptions()).estate


@pytest.mark.parametrize("estate", [of_plan(), of_template()], ids=["plan", "template"])
def test_the_sample_reaches_too_far_and_scans(estate: Estate | None) -> None:
    """A name's beginning, in every account and region, with a scan among its actions: three findings, no others."""
    assert estate is not None
    assert {(item.policy.id, str(item.severity), str(item.outcome)) for item in findings(estate)} == {
        ("TG504", "medium", "fails"),
        ("TG506", "low", "fails"),
        ("TG514", "info", "fails"),
    }


def test_both_spellings_hold_the_sample() -> None:
    """Action by action, as it was adopted."""
    written = json.loads((SAMPLE / "policy.json").read_text())["Statement"][0]
    for estate in (of_plan(), of_template()):
        assert estate is not None
        (grant,) = estate.grants
        spelled = (list(grant.statement.actions.texts), list(grant.statement.resources.texts))
        assert spelled == (written["Action"], [written["Resource"]])
