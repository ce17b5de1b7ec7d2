"""What the engine makes of verdicts: findings, counts and faults."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import pytest

from support.policies import declared, judge_all, recovery_on
from support.tables import DOUBT, estate, index, replica, table
from tablegate.engine.ask import OutOfTime
from tablegate.engine.judge import Judgement, Ledger, PreparedPolicies, Results, judge
from tablegate.engine.settings import Override, PolicySettings, Settings, UnknownMode
from tablegate.findings import Counts, FaultCode, Outcome
from tablegate.model import facts
from tablegate.model.estate import Change, ChangeKind, DaxCluster, Estate, LegacyGlobalTable
from tablegate.model.table import Dialect
from tablegate.model.value import Place
from tablegate.policy import (
    CRITICAL,
    HIGH,
    LOW,
    MEDIUM,
    Index,
    Policy,
    Replica,
    Table,
    Verdict,
    fails,
    holds,
    not_applicable,
    unknown,
)
from tablegate.policy.declare import Profile

SAFE = replace(facts.NO_RECOVERY, enabled=facts.RECOVERY.of(True, Place("plan.json", 7)))
UNSURE = replace(facts.NO_RECOVERY, enabled=facts.RECOVERY.doubted(DOUBT))


def judged(*policies: Policy, of: Estate | None = None, **settings: Any) -> Judgement:
    return judge_all([of or estate(table())], policies, Settings(**settings))


def test_a_table_that_breaks_a_policy_is_a_finding() -> None:
    """The finding says what fails, where, why, and how to fix it."""
    [finding] = judged(recovery_on()).findings
    assert finding.policy.id == "TT101"
    assert finding.outcome is Outcome.FAILS
    assert finding.severity is HIGH
    assert finding.blocks
    assert finding.file == "plan.json"
    assert finding.address == "aws_dynamodb_table.orders"
    assert finding.part is None
    assert finding.scenario is None
    assert finding.place == Place("plan.json", path="aws_dynamodb_table.orders")
    assert finding.message == "point-in-time recovery is off (default)"
    assert finding.evidence == (facts.RECOVERY.unset,)
    assert finding.fix == "ttl {}"
    assert len(finding.fingerprint) == 16


def test_a_table_that_holds_or_is_exempt_is_counted_only() -> None:
    """Verdicts without a finding are in the ledger too."""

    def exempt(table: Table) -> Verdict:
        return not_applicable("not this one")

    safe = estate(table(recovery=SAFE))
    judgement = judged(recovery_on(), declared(exempt, "TT102"), of=safe)
    assert judgement.findings == ()
    assert judgement.counts == Counts(tables=1, policies=2, verdicts=2, held=1, not_applicable=1)


@pytest.mark.parametrize(
    ("mode", "blocks", "listed"),
    [(UnknownMode.BLOCK, True, 1), (UnknownMode.WARN, False, 1), (UnknownMode.IGNORE, False, 0)],
)
def test_an_unknown_blocks_as_the_user_decides(mode: UnknownMode, blocks: bool, listed: int) -> None:
    """An unknown is never a pass: it is counted also if it is not reported."""
    judgement = judged(recovery_on(), of=estate(table(recovery=UNSURE)), unknown=mode)
    assert judgement.counts.unknown == 1
    assert len(judgement.findings) == listed
    for finding in judgement.findings:
        assert finding.outcome is Outcome.UNKNOWN
        assert finding.message == "point-in-time recovery is unknown: known only after apply"
        assert finding.blocks == blocks


@pytest.mark.parametrize(("fail_on", "blocks"), [(HIGH, False), (MEDIUM, True), (LOW, True), (None, False)])
def test_a_finding_blocks_when_its_severity_reaches_the_line(fail_on: Any, blocks: bool) -> None:
    """The line is the user's."""
    [finding] = judged(recovery_on(severity=MEDIUM), fail_on=fail_on).findings
    assert finding.blocks is blocks


def test_the_last_word_on_severity_is_the_overrides() -> None:
    """The policy says one, then the verdict, then the configuration, then an override for the table."""

    def weighing(table: Table) -> Verdict:
        return fails("broken").weighing("low")

    def severity(**settings: Any) -> str:
        return judged(declared(weighing), **settings).findings[0].severity

    settings = {"TT101": PolicySettings(severity=MEDIUM)}
    elsewhere = Override(address="other", severity={"TT101": HIGH})
    here = Override(address="*.orders", severity={"TT101": HIGH})
    assert severity() == "low"
    assert severity(policies=settings) == "medium"
    assert severity(policies=settings, overrides=(elsewhere,)) == "medium"
    assert severity(policies=settings, overrides=(here, elsewhere)) == "high"


def test_a_policy_may_weigh_more_in_profile_strict() -> None:
    """The configuration still has the last word."""
    policy = replace(recovery_on(severity=MEDIUM), strict_severity=HIGH)
    own = {"TT101": PolicySettings(severity=LOW)}
    severities = [
        judged(policy, **settings).findings[0].severity
        for settings in ({}, {"profile": Profile.STRICT}, {"profile": Profile.STRICT, "policies": own})
    ]
    assert severities == ["medium", "high", "low"]


def environment(name: str | None) -> Any:
    return facts.declared_by(facts.TAGS.unset if name is None else facts.TAGS.of({"Env": name}))


@pytest.mark.parametrize(
    ("id", "name", "settings", "severity"),
    [
        ("TG302", "Dev", {}, "medium"),
        ("TG103", "dev", {}, "medium"),
        ("TG201", "dev", {}, "high"),  # another family
        ("TG302", "prod", {}, "high"),
        ("TG302", None, {}, "high"),
        ("TG302", "dev", {"relaxed_environments": ()}, "high"),
        ("TG302", "preview", {"relaxed_environments": ("Preview",)}, "medium"),
        ("TG302", "dev", {"policies": {"TG302": PolicySettings(severity=CRITICAL)}}, "critical"),
        ("TG302", "dev", {"overrides": (Override(address="*", severity={"TG302": LOW}),)}, "low"),
    ],
)
def test_capacity_and_recovery_weigh_less_where_nothing_of_worth_is(
    id: str, name: str | None, settings: dict[str, Any], severity: str
) -> None:
    """In the environments that are listed, unless the configuration sets the severity. The message gives the reason."""
    [finding] = judged(recovery_on(id), of=estate(table(declared=environment(name))), **settings).findings
    assert finding.severity == severity
    assert finding.message.endswith("; medium because its environment is dev") is (
        severity == "medium" and name != "preview"
    )


def test_parts_of_a_table_are_in_its_environment() -> None:
    """A verdict that weighs less for its own reason gives both."""

    def weighing(part: Index) -> Verdict:
        return fails("broken").weighing("medium", "it is small")

    tables = table(indexes=facts.INDEXES.of((index(),)), declared=environment("test"))
    [finding] = judged(declared(weighing, "TG106"), of=estate(tables)).findings
    assert (finding.severity, finding.message) == (
        "low",
        "broken; low because it is small and its environment is test",
    )


def test_the_most_severe_scenario_counts() -> None:
    """A table that fails in development and in production is not in a relaxed environment."""
    tables = [table(declared=environment(name), scenario={"Stage": name}) for name in ("dev", "prod")]
    [finding] = judged(recovery_on("TG302"), of=estate(*tables)).findings
    assert (finding.severity, finding.message) == ("high", "point-in-time recovery is off (default)")
    only_dev = [replace(tables[0]), replace(tables[1], recovery=SAFE)]
    [finding] = judged(recovery_on("TG302"), of=estate(*only_dev)).findings
    assert finding.severity == "medium"


def test_options_reach_the_predicate() -> None:
    """The configuration sets keyword-only parameters."""

    def with_option(table: Table, *, days: int = 35) -> Verdict:
        return holds() if days == 7 else fails(f"{days} days")

    assert judged(declared(with_option)).findings[0].message == "35 days"
    settings = {"TT101": PolicySettings(options={"days": 7})}
    assert judged(declared(with_option), policies=settings).findings == ()


def test_parts_are_judged_one_by_one() -> None:
    """A finding about an index or a replica carries the table's address, and its part."""

    def every_index(index: Index) -> Verdict:
        return fails("no index", index.projection)

    def every_replica(replica: Replica) -> Verdict:
        return fails("no replica")

    place = Place("plan.json", 3)
    subject = table(
        indexes=facts.INDEXES.of((index("a", place=place), index("b"))),
        local_indexes=facts.LOCAL_INDEXES.of((replace(index(local=True), name=facts.INDEX_NAME.doubted(DOUBT)),)),
        replicas=facts.REPLICAS.of((replica("eu-west-1"),)),
    )
    findings = judged(declared(every_index), declared(every_replica, "TT102"), of=estate(subject)).findings
    assert [(finding.address, finding.part, finding.place and finding.place.line) for finding in findings] == [
        ("aws_dynamodb_table.orders", {"index": "?"}, None),
        ("aws_dynamodb_table.orders", {"index": "b"}, None),
        ("aws_dynamodb_table.orders", {"replica": "eu-west-1"}, None),
        ("aws_dynamodb_table.orders", {"index": "a"}, 3),
    ]


def test_two_indexes_of_one_name_are_two() -> None:
    """That they share a name is a policy's business, not a reason to lose one."""

    def every_index(index: Index) -> Verdict:
        return fails("no index")

    subject = table(indexes=facts.INDEXES.of((index("a"), index("a"))))
    assert len(judged(declared(every_index), of=estate(subject)).findings) == 2


def test_parts_that_cannot_be_listed_are_one_unknown_of_the_table() -> None:
    """Their number is not known, so there is one unknown for the table."""

    def every_index(index: Index) -> Verdict:
        return holds()

    subject = table(
        indexes=facts.INDEXES.doubted(DOUBT), local_indexes=facts.LOCAL_INDEXES.of((index("c", local=True),))
    )
    judgement = judged(declared(every_index), of=estate(subject))
    [finding] = judgement.findings
    assert (finding.outcome, finding.part) == (Outcome.UNKNOWN, None)
    assert finding.message == "global secondary indexes are unknown: known only after apply"
    assert judgement.counts.verdicts == 2


def test_clusters_changes_and_the_whole_are_subjects_too() -> None:
    """What is judged is what the first parameter's annotation names."""

    def dax(cluster: DaxCluster) -> Verdict:
        return cluster.encrypted.is_true

    def legacy(table: LegacyGlobalTable) -> Verdict:
        return fails("old")

    def changed(change: Change) -> Verdict:
        return fails(f"it is a {change.kind}")

    def whole(estate: Estate) -> Verdict:
        return fails("all of it")

    after = table()
    place = Place("template.yaml", 9)
    subject = Estate(
        file="template.yaml",
        dialect=Dialect.CLOUDFORMATION,
        tables=(after,),
        changes=(Change(address="gone", place=place, kind=ChangeKind.DELETE, make_before=lambda: None),),
        dax_clusters=(
            DaxCluster(
                address="Dax",
                place=place,
                encrypted=facts.DAX_ENCRYPTED.unset,
                in_transit=facts.DAX_IN_TRANSIT.unset,
            ),
        ),
        legacy_global_tables=(
            LegacyGlobalTable(
                address="Old",
                place=place,
                custom_resource=True,
                table=None,
                table_retained=facts.PREVENT_DESTROY.unset,
                deletion_policy=facts.DELETION_POLICY.unset,
            ),
        ),
    )
    policies = [declared(check, f"TT10{number}") for number, check in enumerate((dax, legacy, changed, whole))]
    findings = judged(*policies, of=subject).findings
    assert [(finding.policy.name, finding.address, finding.message, finding.fix) for finding in findings] == [
        ("whole", "template.yaml", "all of it", "Ttl: {}"),
        ("dax", "Dax", "encryption at rest is off (default)", "Ttl: {}"),
        ("legacy", "Old", "old", "Ttl: {}"),
        ("changed", "gone", "it is a delete", "Ttl: {}"),
    ]


def raising(error: BaseException) -> Policy:
    def check(table: Table) -> Verdict:
        raise error

    return declared(check)


@pytest.mark.parametrize(
    ("error", "name"),
    [
        (ValueError("S3CRET"), "ValueError"),
        (SystemExit(0), "SystemExit"),
        (KeyboardInterrupt(), "KeyboardInterrupt"),
        (MemoryError(), "MemoryError"),
    ],
)
def test_a_predicate_that_raises_is_a_fault_and_the_others_go_on(error: BaseException, name: str) -> None:
    """The fault names the policy, the table and the type. The text of an exception may hold data, so it stays out."""
    judgement = judged(raising(error), recovery_on("TT102"))
    [fault] = judgement.faults
    assert fault.code is FaultCode.INTERNAL
    assert fault.blocks
    assert fault.message == f"policy TT101 (check) raised {name}"
    assert fault.subjects == ("aws_dynamodb_table.orders in plan.json",)
    assert "S3CRET" not in repr(fault)
    assert [finding.policy.id for finding in judgement.findings] == ["TT102"]
    assert judgement.counts.verdicts == 1


def test_endless_recursion_is_a_fault() -> None:
    """A policy that calls itself does not take the gate with it."""

    def check(table: Table) -> Verdict:
        return check(table)

    assert judged(declared(check)).faults[0].message.startswith("policy TT101 (check) raised RecursionError")


async def _later() -> bool:
    return False


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        (lambda: None, "returned None where a Verdict is wanted"),
        (lambda: "no", "returned str where a Verdict is wanted"),
        (lambda: True, "returned bool where a Verdict is wanted"),
        (_later, "returned coroutine where a Verdict is wanted"),
        (lambda: (item for item in ()), "returned generator where a Verdict is wanted"),
        (lambda: Verdict("no"), "returned a Verdict that holds something of the wrong type"),  # type: ignore[arg-type]
        (lambda: fails(7), "returned a Verdict that holds something of the wrong type"),  # type: ignore[arg-type]
        (lambda: fails("x", 7), "returned a Verdict that holds something of the wrong type"),  # type: ignore[arg-type]
        (lambda: fails("x").weighing("urgent"), "returned a Verdict that holds something of the wrong type"),
    ],
)
def test_what_is_no_verdict_is_a_fault(answer: Any, told: str) -> None:
    """Nothing that merely counts as true or false ever decides."""

    def check(table: Table) -> Verdict:
        return answer()  # type: ignore[no-any-return]

    judgement = judged(declared(check))
    [fault] = judgement.faults
    assert fault.message == f"policy TT101 (check) {told}"
    assert (fault.place.file, fault.subjects) == (__file__, ("aws_dynamodb_table.orders in plan.json",))
    assert "return a Verdict" in (fault.hint or "")
    assert judgement.counts.verdicts == 0


def test_a_policy_out_of_time_is_given_up_and_the_others_go_on() -> None:
    """One fault for where it hung, and for all subjects that it never came to."""
    ran = []

    def check(table: Table) -> Verdict:
        ran.append(table.address)
        if len(ran) == 2:
            raise OutOfTime
        return holds()

    tables = [table(address=f"t{number}") for number in range(4)]
    judgement = judged(declared(check), recovery_on("TT102"), of=estate(*tables))
    [fault] = judgement.faults
    assert fault.message == "policy TT101 (check) did not end in time, and was given up"
    assert [subject.partition(" ")[0] for subject in fault.subjects] == ["t1", "t2", "t3"]
    assert fault.place.file == __file__
    assert judgement.counts.held == 1
    assert judgement.counts.failed == 4


def test_the_guard_surrounds_every_policy() -> None:
    """It is entered once for each policy and estate."""
    entered = []

    @contextmanager
    def guard() -> Iterator[None]:
        entered.append("in")
        yield
        entered.append("out")

    ledger = Ledger(PreparedPolicies((recovery_on(), recovery_on("TT102", name="b")), Settings()))
    for each in (estate(table()), estate(table())):
        judge(each, ledger, guard=guard)
    assert entered == ["in", "out"] * 4


def test_findings_are_sorted_by_file_line_address_part_and_policy() -> None:
    """Same input, same bytes."""
    estates = [
        estate(table(address="b"), table(address="a"), file="z.json"),
        estate(
            table(address="c", place=Place("a.json", 9)), table(address="d", place=Place("a.json", 2)), file="a.json"
        ),
    ]
    findings = judge_all(estates, (recovery_on("TT102", name="b"), recovery_on())).findings
    assert [(finding.file, finding.address, finding.policy.id) for finding in findings] == [
        ("a.json", "d", "TT101"),
        ("a.json", "d", "TT102"),
        ("a.json", "c", "TT101"),
        ("a.json", "c", "TT102"),
        ("z.json", "a", "TT101"),
        ("z.json", "a", "TT102"),
        ("z.json", "b", "TT101"),
        ("z.json", "b", "TT102"),
    ]


def test_a_fingerprint_holds_no_line_no_value_and_no_file() -> None:
    """It depends on the policy, the subject and the names of facts."""

    def fingerprint(subject: Table, id: str = "TT101", file: str = "plan.json") -> str:
        return judged(recovery_on(id), of=estate(subject, file=file)).findings[0].fingerprint

    off = replace(facts.NO_RECOVERY, enabled=facts.RECOVERY.of(False, Place("x", 99)))
    first = fingerprint(table())
    assert fingerprint(table(recovery=off), file="other.json") == first
    assert fingerprint(table(recovery=UNSURE)) == first
    assert fingerprint(table(address="other")) != first
    assert fingerprint(table(), "TT102") != first


def test_a_part_has_a_fingerprint_of_its_own() -> None:
    """Two indexes that break one policy are two findings."""

    def every_index(index: Index) -> Verdict:
        return fails("no index")

    subject = table(indexes=facts.INDEXES.of((index("a"), index("b"))))
    prints = {finding.fingerprint for finding in judged(declared(every_index), of=estate(subject)).findings}
    assert len(prints) == 2


def test_a_verdict_brings_its_own_note_place_and_fix() -> None:
    """What a policy says of this very subject goes before what it says of all."""

    def check(table: Table) -> Verdict:
        value = facts.RECOVERY.of(False, Place("main.tf", 5))
        return fails("in these words", facts.RECOVERY.unset, value).fixed_by("do this")

    [finding] = judged(declared(check)).findings
    assert (finding.message, finding.place, finding.fix) == ("in these words", Place("main.tf", 5), "do this")


def test_a_table_twice_in_the_ledger_is_one_table() -> None:
    """A table is counted once, not once for each scenario."""
    dev, prod = table(scenario={"Env": "dev"}), table(scenario={"Env": "prod"})
    counts = judged(recovery_on(), of=estate(dev, prod)).counts
    assert (counts.tables, counts.verdicts) == (1, 1)


def test_a_ledger_that_does_not_close_is_a_fault() -> None:
    """Verdicts that were due and never given end the run with code 4."""
    policy = recovery_on()
    ledger = Ledger(PreparedPolicies((policy,), Settings()))
    ledger.due = 2
    ledger.enter(policy, Results(held=1, not_applicable=0, rest=()))
    [fault] = ledger.close().faults
    assert (fault.code, fault.message) == (FaultCode.INTERNAL, "2 verdicts were due and 1 were given")


def test_an_unknown_says_its_note_and_what_is_not_known() -> None:
    """Unknown always says which value is not known, and why."""

    def check(table: Table) -> Verdict:
        return unknown("it may be off", facts.RECOVERY.doubted(DOUBT), facts.NAME.of("x"))

    def without_words(table: Table) -> Verdict:
        return Verdict(None)

    findings = judged(declared(check), declared(without_words, "TT102")).findings
    assert [finding.message for finding in findings] == [
        "it may be off; point-in-time recovery is unknown: known only after apply",
        "it cannot be known",
    ]
