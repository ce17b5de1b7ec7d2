"""Tables that hold Terraform's state locks, which many policies do not apply to."""

from __future__ import annotations

from dataclasses import replace

import pytest

from support import tables as build
from tablegate.engine.ask import asker
from tablegate.engine.settings import Settings
from tablegate.model import facts
from tablegate.model.table import Table
from tablegate.policy import Policy, Verdict
from tablegate.policy.declare import policies_in

EXEMPT = ("TG101", "TG102", "TG104", "TG201", "TG301", "TG304", "TG305", "TG306", "TG401", "TG402", "TG602", "TG607")
POLICIES = {policy.id: policy for policy in policies_in("tablegate_baseline")}
LOCK = build.table(
    name=facts.NAME.of("tf-lock"),
    keys=facts.KEYS.of(build.key("LockID")),
    attributes=facts.ATTRIBUTES.of({"LockID": "S"}),
)


def with_purpose(table: Table, purpose: str | None) -> Table:
    declared = facts.declared_by(facts.TAGS.unset if purpose is None else facts.TAGS.of({"purpose": purpose}))
    return replace(table, declared=declared)


def check(policy: Policy, table: Table) -> tuple[bool | None, bool]:
    verdict = asker(policy, Settings())(table)
    assert isinstance(verdict, Verdict)
    return verdict.truth, verdict.applies


@pytest.mark.parametrize("id", EXEMPT)
def test_a_state_lock_is_exempt(id: str) -> None:
    """By its key, or by its tag if it has another one."""
    for table in (LOCK, with_purpose(LOCK, "Lock"), with_purpose(build.table(), "lock")):
        for mode in (facts.BILLING_MODE.unset, facts.BILLING_MODE.of("PAY_PER_REQUEST")):
            assert check(POLICIES[id], replace(table, billing_mode=mode))[0] is True


def test_unknown_tags_do_not_hide_a_state_lock() -> None:
    """Its key is enough; a table with another key needs a tag that is known."""
    unknown = facts.declared_by(build.doubted(facts.TAGS.unset))
    assert check(POLICIES["TG301"], replace(LOCK, declared=unknown)) == (True, False)
    assert check(POLICIES["TG304"], replace(build.table(), declared=unknown)) == (False, True)


@pytest.mark.parametrize(
    "table",
    [
        with_purpose(LOCK, "orders"),
        replace(LOCK, attributes=facts.ATTRIBUTES.of({"LockID": "N"})),
        replace(LOCK, keys=facts.KEYS.of(build.key("LockID", "at"))),
        replace(LOCK, keys=facts.KEYS.of(build.key("lockid"))),
        replace(LOCK, keys=build.doubted(facts.KEYS.unset)),
    ],
)
def test_other_tables_are_not(table: Table) -> None:
    """Another purpose, type, name or a second key."""
    assert check(POLICIES["TG304"], table) == (False, True)


def test_no_other_policy_exempts_them() -> None:
    """The handbook lists these."""
    exempt = {policy.id for policy in POLICIES.values() if not policy.state_locks}
    assert exempt == set(EXEMPT)
