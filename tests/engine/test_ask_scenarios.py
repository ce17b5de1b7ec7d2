"""One table in several scenarios: one verdict, and the words that tell them apart."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from support.policies import declared, judge_all, recovery_on
from support.tables import DOUBT, estate, index, table
from tablegate.engine.ask import distinguishing_settings
from tablegate.engine.judge import Judgement
from tablegate.findings import Outcome
from tablegate.model import facts
from tablegate.model.estate import DaxCluster
from tablegate.model.table import Table
from tablegate.policy import Index, Policy, Verdict, fails, holds, not_applicable

ON = replace(facts.NO_RECOVERY, enabled=facts.RECOVERY.of(True))
UNSURE = replace(facts.NO_RECOVERY, enabled=facts.RECOVERY.doubted(DOUBT))


def judged(policy: Policy, *tables: Table, **stated: Any) -> Judgement:
    return judge_all([estate(*tables, **stated)], (policy,))


def test_what_fails_in_some_scenario_fails_and_names_it() -> None:
    """The finding says when it fails, and when it holds."""
    judgement = judged(recovery_on(), table(scenario={"Env": "dev"}), table(scenario={"Env": "prod"}, recovery=ON))
    [finding] = judgement.findings
    assert finding.outcome is Outcome.FAILS
    assert finding.scenario == {"Env": "dev"}
    assert finding.message == "point-in-time recovery is off (default); fails when Env = dev; holds when Env = prod"
    assert judgement.counts.failed == 1


def test_what_fails_in_every_scenario_names_none() -> None:
    """Then no parameter matters."""
    [finding] = judged(recovery_on(), table(scenario={"Env": "dev"}), table(scenario={"Env": "prod"})).findings
    assert (finding.scenario, finding.message) == (None, "point-in-time recovery is off (default)")


def test_a_failure_goes_before_an_unknown_and_an_unknown_before_the_rest() -> None:
    """The worst scenario speaks."""
    dev, qa, prod = ({"Env": name} for name in ("dev", "qa", "prod"))
    [finding] = judged(recovery_on(), table(scenario=dev, recovery=UNSURE), table(scenario=qa)).findings
    assert (finding.outcome, finding.scenario) == (Outcome.FAILS, {"Env": "qa"})
    assert finding.message == "point-in-time recovery is off (default); fails when Env = qa"
    [finding] = judged(recovery_on(), table(scenario=dev, recovery=UNSURE), table(scenario=prod, recovery=ON)).findings
    assert (finding.outcome, finding.scenario) == (Outcome.UNKNOWN, {"Env": "dev"})
    assert finding.message == (
        "point-in-time recovery is unknown: known only after apply; is unknown when Env = dev; holds when Env = prod"
    )


def test_a_policy_that_applies_in_no_scenario_is_not_applicable() -> None:
    """One that applies in some of them holds."""

    def exempt_in_dev(table: Table) -> Verdict:
        return not_applicable("dev") if (table.scenario or {}).get("Env") == "dev" else holds()

    dev, other, prod = (table(scenario={"Env": name}) for name in ("dev", "dev", "prod"))
    assert judged(declared(exempt_in_dev), dev, other).counts.not_applicable == 1
    assert judged(declared(exempt_in_dev), dev, prod).counts.held == 1


def test_a_crash_in_one_scenario_is_a_crash() -> None:
    """Nothing is known of the others."""

    def crashing(table: Table) -> Verdict:
        return holds() if table.recovery is ON else None  # type: ignore[return-value]

    judgement = judged(declared(crashing), table(scenario={"E": "a"}, recovery=ON), table(scenario={"E": "b"}))
    assert len(judgement.faults) == 1
    assert judgement.counts.verdicts == 0


def test_indexes_are_matched_over_scenarios_by_name() -> None:
    """An index is one subject in all its scenarios, also at another position."""

    def not_all(index: Index) -> Verdict:
        return ~index.projection.equals("ALL")

    everything = facts.PROJECTION.of("ALL")
    dev = table(scenario={"Env": "dev"}, indexes=facts.INDEXES.of((index("a"), index("b", projection=everything))))
    prod = table(scenario={"Env": "prod"}, indexes=facts.INDEXES.of((index("b"), index("a"), index("c"))))
    judgement = judged(declared(not_all), dev, prod)
    assert judgement.counts.verdicts == 3
    [finding] = judgement.findings
    assert (finding.part, finding.scenario) == ({"index": "b"}, {"Env": "dev"})


def test_parts_reach_the_table_of_their_own_scenario() -> None:
    """What is read by way of a part is that scenario's."""

    def of_its_table(index: Index) -> Verdict:
        return index.table.recovery.enabled.is_true

    parts = facts.INDEXES.of((index("a"),))
    dev, prod = (table(scenario={"Env": name}, indexes=parts) for name in ("dev", "prod"))
    prod = table(scenario={"Env": "prod"}, indexes=parts, recovery=ON)
    [finding] = judged(declared(of_its_table), dev, prod).findings
    assert finding.scenario == {"Env": "dev"}


def test_a_predicate_is_asked_again_only_where_the_answer_may_differ() -> None:
    """Scenarios that agree in all that was read share one answer."""
    asked = []

    def counting(table: Table) -> Verdict:
        asked.append(dict(table.scenario or {})["Env"])
        return table.recovery.enabled.is_true

    def reading_less(table: Table) -> Verdict:
        asked.append("less")
        assert table.__class__ is not Table  # it is watched
        return table.recovery.enabled.is_true & fails("x")

    tables = [table(scenario={"Env": str(number)}, recovery=ON if number % 2 else UNSURE) for number in range(6)]
    judged(declared(reading_less), *tables)
    assert asked == ["less", "less"]
    asked.clear()
    judged(declared(counting), *tables)
    assert asked == ["0", "1", "2", "3", "4", "5"]


def test_clusters_have_scenarios_too() -> None:
    """Only tables are watched; the others are asked in each scenario."""

    def encrypted(cluster: DaxCluster) -> Verdict:
        return cluster.encrypted.is_true

    clusters = tuple(
        DaxCluster(
            address="Dax",
            place=None,
            encrypted=facts.DAX_ENCRYPTED.of(name == "prod"),
            in_transit=facts.DAX_IN_TRANSIT.unset,
            scenario={"Env": name},
        )
        for name in ("dev", "prod")
    )
    [finding] = judged(declared(encrypted), dax_clusters=clusters).findings
    assert finding.scenario == {"Env": "dev"}


def test_the_fewest_settings_tell_scenarios_apart() -> None:
    """What does not matter is not named."""
    scenarios = [{"Env": env, "Size": size} for env in ("dev", "qa", "prod") for size in ("s", "l")]
    dev = [at for at in scenarios if at["Env"] == "dev"]
    assert distinguishing_settings(dev, [at for at in scenarios if at not in dev]) == [{"Env": "dev"}]
    small = [{"Env": "dev", "Size": "s"}]
    assert distinguishing_settings(small, [at for at in scenarios if at not in small]) == [{"Env": "dev", "Size": "s"}]
    two = [at for at in scenarios if at["Env"] != "prod"]
    assert distinguishing_settings(two, [at for at in scenarios if at not in two]) == [{"Env": "dev"}, {"Env": "qa"}]


def test_three_settings_that_only_work_together_are_all_named() -> None:
    """More than two are thinned out one by one."""
    bits = [{"A": a, "B": b, "C": c, "D": d} for a in "01" for b in "01" for c in "01" for d in "01"]
    chosen = [at for at in bits if at["A"] == at["B"] == at["C"] == "1"]
    assert distinguishing_settings(chosen, [at for at in bits if at not in chosen]) == [{"A": "1", "B": "1", "C": "1"}]


def test_many_scenarios_are_counted_not_listed() -> None:
    """A message stays a sentence."""
    tables = [table(scenario={"Env": str(number)}) for number in range(5)]
    [finding] = judged(recovery_on(), *tables, table(scenario={"Env": "x"}, recovery=ON)).findings
    assert "fails when Env = 0, or Env = 1, or Env = 2, or in 2 more scenarios; holds when Env = x" in finding.message
