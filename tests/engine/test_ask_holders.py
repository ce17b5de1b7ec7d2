"""A statement that several hold is one subject."""

from __future__ import annotations

from typing import Any

import pytest

from support.access import estate as world
from support.access import findings, holder, statement, whole
from support.policies import judge_all
from tablegate.iam.grants import Grant, HolderKind
from tablegate.model.value import Value, Verdict, fails, holds, unknown
from tablegate.policy.declare import HIGH, Policy, policy


def held(*kinds: HolderKind) -> Any:
    """A role of each kind, each with the same policy."""
    document = whole(statement("dynamodb:*", "*"))
    return world(*(holder(document, kind=kind, address=f"aws_iam_role.{n}") for n, kind in enumerate(kinds)))


def asked(answers: dict[str, Verdict]) -> Policy:
    """A policy that answers for each holder what is given, and nothing else."""

    @policy("XX001", HIGH, "Answers", docs="https://example.com", terraform="x", cloudformation="x")
    def answers_by_holder(grant: Grant) -> Verdict:
        """By its name."""
        return answers[grant.holder.address]

    return answers_by_holder


def said(*answers: Verdict) -> list[tuple[str, str, str]]:
    """Outcome, severity and message of the findings where the holders of one statement are answered so."""
    given = {f"aws_iam_role.{n}": answer for n, answer in enumerate(answers)}
    judgement = judge_all([held(*[HolderKind.RUNTIME] * len(answers))], [asked(given)])
    assert judgement.counts.verdicts == 1
    return [(str(one.outcome), str(one.severity), one.message) for one in judgement.findings]


def test_one_finding_names_all_who_hold_it() -> None:
    """At the document's address, with the severity of the worst."""
    (found,) = findings(held(HolderKind.DEPLOY, HolderKind.RUNTIME, HolderKind.HUMAN), "TG501")
    assert (found.address, str(found.severity)) == ("aws_iam_role_policy.worker", "critical")
    assert found.message.endswith("; the same goes for aws_iam_role.0, aws_iam_role.2")
    assert [str(value.content).partition(" (")[0] for value in found.evidence if value.name == "holder"] == [
        "aws_iam_role.1",
        "aws_iam_role.2",
        "aws_iam_role.0",
    ]


@pytest.mark.parametrize(
    ("answers", "expected"),
    [
        ([holds(), fails("a")], [("fails", "high", "a")]),
        ([unknown("u"), holds()], [("unknown", "high", "u")]),
        ([unknown("u"), fails("a").weighing("low")], [("fails", "low", "a")]),
        (
            [fails("a").weighing("low"), fails("b").weighing("medium")],
            [("fails", "medium", "b; the same goes for aws_iam_role.0")],
        ),
        (
            [fails("a").weighing("low"), fails("b")],
            [("fails", "high", "b; the same goes for aws_iam_role.0")],
        ),
        (
            [fails("a")] * 6,
            [
                (
                    "fails",
                    "high",
                    "a; the same goes for aws_iam_role.1, aws_iam_role.2, aws_iam_role.3 and 2 more",
                )
            ],
        ),
        ([holds(), holds()], []),
    ],
)
def test_the_worst_of_its_holders_decides(answers: list[Verdict], expected: list[tuple[str, str, str]]) -> None:
    """A failure before an unknown, and of failures the one that weighs most."""
    assert said(*answers) == expected


def test_a_fact_of_another_sort_is_not_added() -> None:
    """So that a finding's fingerprint does not change with who else holds the statement."""
    answers = {
        "aws_iam_role.0": fails("a", Value("holder", "one")),
        "aws_iam_role.1": fails("a", Value("holder", "two"), Value("other", "x")),
    }
    (found,) = judge_all([held(HolderKind.RUNTIME, HolderKind.RUNTIME)], [asked(answers)]).findings
    assert [(value.name, value.content) for value in found.evidence] == [("holder", "one"), ("holder", "two")]


def test_a_crash_for_one_holder_is_a_fault() -> None:
    """The results for the others do not count."""
    answers = {"aws_iam_role.0": fails("a")}
    judgement = judge_all([held(HolderKind.RUNTIME, HolderKind.RUNTIME)], [asked(answers)])
    assert [fault.message for fault in judgement.faults] == ["policy XX001 (answers-by-holder) raised KeyError"]
    assert [name.partition(" ")[0] for name in judgement.faults[0].subjects] == ["aws_iam_role_policy.worker"]
    assert judgement.findings == ()
