"""Reports made by hand, for tests of what is said about them."""

from __future__ import annotations

from typing import Any

from tablegate.findings import Counts, Exit, Fault, FaultCode, Finding, Input, Outcome, Report
from tablegate.model import facts
from tablegate.model.value import Place
from tablegate.policy import HIGH, MEDIUM, Policy, Severity, Table, Verdict, policy

TEMPLATE = """\
Resources:
  Orders:
    Type: AWS::DynamoDB::Table
    Properties:
      PointInTimeRecoverySpecification:
        PointInTimeRecoveryEnabled: false
"""


def a_policy(id: str = "TG301", name: str = "point_in_time_recovery", severity: Severity = HIGH) -> Policy:
    """A policy that is never asked."""

    def check(table: Table) -> Verdict:
        """Without it a bad deploy loses every write since the last backup. It is cheap."""
        return table.recovery.enabled.is_true

    check.__name__ = name
    return policy(
        id,
        severity,
        f"{name} must be on",
        docs="https://docs.example.com/recovery",
        terraform="point_in_time_recovery {\n  enabled = true\n}",
        cloudformation="PointInTimeRecoverySpecification:\n  PointInTimeRecoveryEnabled: true",
    )(check)


RECOVERY = a_policy()
PROTECTION = a_policy("TG304", "deletion_protection", MEDIUM)


def finding(**stated: Any) -> Finding:
    """A blocking finding in a template, on the line that says so."""
    place = Place("template.yaml", 6, 37, 42)
    base: dict[str, Any] = {
        "policy": RECOVERY,
        "severity": stated.get("policy", RECOVERY).severity,
        "outcome": Outcome.FAILS,
        "blocks": True,
        "file": "template.yaml",
        "address": "Orders",
        "part": None,
        "place": place,
        "scenario": None,
        "message": "point-in-time recovery is off",
        "evidence": (facts.RECOVERY.of(False, place),),
        "fix": "PointInTimeRecoverySpecification:\n  PointInTimeRecoveryEnabled: true",
    }
    return Finding(**(base | stated))


def fault(**stated: Any) -> Fault:
    """A plan that is none."""
    base: dict[str, Any] = {
        "code": FaultCode.UNREADABLE,
        "message": "the file is empty",
        "place": Place("plan.json"),
        "hint": "terraform show -json tfplan > plan.json",
    }
    return Fault(**(base | stated))


def report(*findings: Finding, **stated: Any) -> Report:
    """A report of one template with these findings."""
    base: dict[str, Any] = {
        "inputs": (Input(path="template.yaml", kind="cloudformation", resources=4, tables=1, indexes=2),),
        "findings": findings,
        "faults": (),
        "counts": Counts(
            tables=1, policies=41, verdicts=60, held=50 - len(findings), failed=len(findings), not_applicable=10
        ),
        "exit": Exit.BLOCKED if any(item.blocks for item in findings) else Exit.OPEN,
    }
    return Report(**(base | stated))


def line_of_template(file: str, line: int) -> str | None:
    """The lines that a reader of the template may see."""
    lines = TEMPLATE.splitlines()
    return lines[line - 1] if file == "template.yaml" and line <= len(lines) else None
