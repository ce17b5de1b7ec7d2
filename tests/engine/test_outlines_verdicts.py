"""A verdict that needs no names is asked for once for all grants of one shape, and is the verdict on each of them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from support.access import HERE, estate, holder, statement, whole
from support.policies import declared, judge_all
from tablegate.dialects import read_all
from tablegate.dialects.reading import ReadOptions
from tablegate.engine.ask import OutOfTime, asker
from tablegate.engine.judge import Judgement
from tablegate.engine.outlines import ShapeVerdicts
from tablegate.engine.settings import Settings
from tablegate.engine.subjects import Subjects
from tablegate.inputs.collect import collect
from tablegate.model.estate import Estate
from tablegate.policy import Grant, Policy, Verdict, fails, holds, not_applicable
from tablegate.policy.declare import policies_in

FIXTURES = Path(__file__).parents[2] / "fixtures"
FOLDERS = ("access", "cases", "projects", "tables", "assemblies", "states")
ASKERS = [asker(policy, Settings()) for policy in policies_in("tablegate_baseline") if policy.subject is Grant]
VERDICTS = ShapeVerdicts()  # one for all: what is known of one estate's outlines holds in the next
NAMES = ("Orders", "Users", "Carts")


def three() -> Estate:
    """Three roles, each with an equal grant on a table of its own."""
    return estate(
        *(
            holder(whole(statement("GetItem", HERE + name)), address=f"aws_iam_role.{name}", at=f"policy.{name}")
            for name in NAMES
        )
    )


def judged(policy: Policy) -> Judgement:
    return judge_all([three()], (policy,))


def test_what_needs_no_name_is_asked_once() -> None:
    """All three verdicts are counted."""
    asked = []

    def check(grant: Grant) -> Verdict:
        asked.append(grant)
        return holds() if grant.statement.allows else fails("no")

    counts = judged(declared(check)).counts
    assert (len(asked), counts.verdicts, counts.held) == (1, 3, 3)


def test_what_is_not_for_them_is_counted_apart() -> None:
    """Not applicable is shared as well."""

    def check(grant: Grant) -> Verdict:
        return not_applicable("no") if grant.statement.allows else holds()

    counts = judged(declared(check)).counts
    assert (counts.verdicts, counts.held, counts.not_applicable) == (3, 0, 3)


def test_what_needs_a_name_is_asked_of_each() -> None:
    """One of them fails, and it is the right one."""

    def check(grant: Grant) -> Verdict:
        return fails("it is Users") if grant.address == "policy.Users" else holds()

    judgement = judged(declared(check))
    assert [finding.address for finding in judgement.findings] == ["policy.Users"]
    assert (judgement.counts.held, judgement.faults) == (2, ())


def test_what_catches_everything_is_asked_of_each() -> None:
    """A policy that swallows the refusal has not got a name by it."""

    def check(grant: Grant) -> Verdict:
        try:
            return fails("it is Users") if grant.address == "policy.Users" else holds()
        except BaseException:  # noqa: BLE001
            return holds()

    assert [finding.address for finding in judged(declared(check)).findings] == ["policy.Users"]


def test_verdicts_of_one_estate_are_known_in_the_next() -> None:
    """Also of a grant that has none like it there; what was withheld once is not asked of the outline again."""
    asked = []

    def check(grant: Grant) -> Verdict:
        asked.append(grant)
        return holds()

    def naming(grant: Grant) -> Verdict:
        asked.append(type(grant))
        return fails("it is Users") if grant.address == "policy.Users" else holds()

    one = estate(holder(whole(statement("GetItem", HERE + "Users")), address="aws_iam_role.Users", at="policy.Users"))
    counts = judge_all([three(), three(), one], (declared(check),)).counts
    assert (len(asked), counts.held) == (1, 7)
    asked.clear()
    judgement = judge_all([three(), one], (declared(naming),))
    assert (asked.count(Grant), len(asked), len(judgement.findings)) == (4, 5, 2)


def test_only_so_many_shapes_are_kept() -> None:
    """A run of any length stays small: past that many all are forgotten, and drawn anew."""
    verdicts = ShapeVerdicts(most=1)
    first, second = (verdicts.shapes(each.holders, Subjects(each).of(Grant)).by_outline for each in (three(), three()))
    assert first[0][0] is not second[0][0]


def test_a_failure_is_reported_for_each() -> None:
    """Findings have their addresses, in the order of the input."""

    def check(grant: Grant) -> Verdict:
        return fails("it grants") if grant.statement.allows else holds()

    assert [finding.address for finding in judged(declared(check)).findings] == [
        "policy.Carts",
        "policy.Orders",
        "policy.Users",
    ]


def test_a_crash_is_reported_once_with_each() -> None:
    """It is one mistake of the policy on every one of them."""

    def check(grant: Grant) -> Verdict:
        raise ValueError(grant.role)

    (fault,) = judged(declared(check)).faults
    assert len(fault.subjects) == 3


def test_time_that_runs_out_on_an_outline_runs_out_on_all() -> None:
    """No verdict was given."""

    def check(grant: Grant) -> Verdict:
        raise OutOfTime

    judgement = judged(declared(check))
    (fault,) = judgement.faults
    assert fault.message == "policy TT101 (check) did not end in time, and was given up"
    assert [name.partition(" ")[0] for name in fault.subjects] == ["policy.Orders", "policy.Users", "policy.Carts"]


def estates(folder: str) -> Iterator[Estate]:
    """Every input of a folder in which somebody holds something."""
    readings = read_all(collect([str(FIXTURES / folder)]).sources, ReadOptions())
    return (reading.estate for reading in readings if reading.estate is not None and reading.estate.grants)


@pytest.mark.parametrize("folder", FOLDERS)
def test_an_outline_says_of_a_grant_what_the_grant_says(folder: str) -> None:
    """Every policy on every grant of every fixture: what is shared is what each would have got."""
    agreed = [
        isinstance(own, Verdict) and own.truth is True and own.applies is verdict.applies
        for each in estates(folder)
        for entries in (Subjects(each).of(Grant),)
        for shapes in (VERDICTS.shapes((*each.holders, *each.holders), entries),)  # twice: every grant has an outline
        for outline, numbers in shapes.by_outline
        for ask in ASKERS
        for verdict in (shapes.verdict(ask, outline),)
        if verdict is not None
        for own in (ask(entries[number].subject) for number in numbers)
    ]
    assert (len(agreed) > 50, set(agreed)) == (True, {True})
