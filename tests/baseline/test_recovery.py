"""Point-in-time recovery and backups: the verdicts that cases cannot show."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from support.policies import names, outcome
from support.tables import doubted, replica, table
from tablegate.model import facts
from tablegate.model.table import Recovery, Replica
from tablegate.model.value import Place, Value
from tablegate_baseline.recovery import backup_plan, point_in_time_recovery, recovery_window, replica_recovery

LINE = Place("template.yaml", 9, 7)
ON, OFF = facts.RECOVERY.of(True, LINE), facts.RECOVERY.of(False, LINE)
UNSEEN = doubted(ON)
CACHE = facts.TAGS.of({"purpose": "Cache"})
UNSEEN_TAGS = doubted(facts.TAGS.unset)


def recovery(enabled: Value[bool], days: Value[int] = facts.RECOVERY_DAYS.unset) -> Recovery:
    """Point-in-time recovery as stated."""
    return Recovery(enabled=enabled, days=days)


def copied(enabled: Value[bool], **stated: Any) -> Replica:
    """The replica in eu-west-1 of a table."""
    one = replica("eu-west-1", recovery=recovery(enabled))
    return (table(replicas=facts.REPLICAS.of((one,)), **stated).replicas.content or ())[0]


def test_recovery_weighs_less_where_items_expire() -> None:
    """Also where it is not known whether recovery is on."""
    for enabled in (OFF, UNSEEN):
        lasting = table(recovery=recovery(enabled))
        assert point_in_time_recovery.check(lasting).severity is None
        expiring = replace(lasting, ttl=replace(lasting.ttl, enabled=facts.TTL_ENABLED.of(True)))
        verdict = point_in_time_recovery.check(expiring)
        assert (verdict.severity, verdict.reason) == ("medium", "its items expire")


@pytest.mark.parametrize(
    ("enabled", "tags", "expected"),
    [
        (facts.RECOVERY.unset, facts.TAGS.unset, "fails"),
        (OFF, facts.TAGS.unset, "fails"),
        (ON, facts.TAGS.unset, "holds"),
        (UNSEEN, facts.TAGS.unset, "unknown"),
        (OFF, CACHE, "exempt"),
        (UNSEEN, CACHE, "exempt"),
        (OFF, facts.TAGS.of({"purpose": "orders"}), "fails"),
        (ON, UNSEEN_TAGS, "holds"),
        (OFF, UNSEEN_TAGS, "unknown"),
        (UNSEEN, UNSEEN_TAGS, "unknown"),
    ],
)
def test_recovery_is_on_unless_the_purpose_excuses_it(enabled: Value[bool], tags: Any, expected: str) -> None:
    """On the table and on a replica alike: an unknown purpose may excuse, so it leaves a doubt."""
    assert expected == outcome(point_in_time_recovery.check(table(recovery=recovery(enabled), tags=tags)))
    assert expected == outcome(replica_recovery.check(copied(enabled, tags=tags)))


def test_the_exemptions_are_an_option() -> None:
    """What excuses a table is for the configuration to say, in any case of letters."""
    cache = table(tags=CACHE)
    assert outcome(point_in_time_recovery.check(cache, exempt=())) == "fails"
    assert outcome(point_in_time_recovery.check(cache, exempt=("CACHE",))) == "exempt"


def test_the_message_names_the_replica() -> None:
    """A replica is told from the others by its region."""
    verdict = replica_recovery.check(copied(OFF))
    assert (verdict.note, verdict.evidence) == ("point-in-time recovery is off for the replica in eu-west-1", (OFF,))


def test_a_doubt_about_the_purpose_names_it() -> None:
    """The reader learns that settling the purpose would settle the verdict."""
    verdict = point_in_time_recovery.check(table(recovery=recovery(OFF), tags=UNSEEN_TAGS))
    assert names(verdict) == ("point-in-time recovery", "purpose")


@pytest.mark.parametrize(
    ("enabled", "days", "expected"),
    [
        (ON, facts.RECOVERY_DAYS.unset, "holds"),
        (ON, facts.RECOVERY_DAYS.of(35), "holds"),
        (ON, facts.RECOVERY_DAYS.of(34), "fails"),
        (ON, facts.RECOVERY_DAYS.of(None), "holds"),
        (ON, doubted(facts.RECOVERY_DAYS.unset), "unknown"),
        (OFF, facts.RECOVERY_DAYS.of(7), "exempt"),
        (OFF, doubted(facts.RECOVERY_DAYS.unset), "exempt"),
        (UNSEEN, facts.RECOVERY_DAYS.of(35), "holds"),
        (UNSEEN, facts.RECOVERY_DAYS.of(7), "unknown"),
    ],
)
def test_the_period_is_long_enough_where_recovery_is_on(enabled: Value[bool], days: Value[int], expected: str) -> None:
    """A period that is not stated is the service's, 35 days; where recovery is off there is none."""
    assert expected == outcome(recovery_window.check(table(recovery=recovery(enabled, days))))


def test_a_replica_s_period_counts_also_where_the_table_s_recovery_is_off() -> None:
    """Each region has a period of its own."""
    short = replica("eu-west-1", recovery=recovery(ON, facts.RECOVERY_DAYS.of(7)))
    verdict = recovery_window.check(table(replicas=facts.REPLICAS.of((short,))))
    assert (verdict.truth, verdict.note) == (
        False,
        "the recovery period of the replica in eu-west-1 must be at least 35 days, but is 7 days",
    )


def test_replicas_without_recovery_have_no_period() -> None:
    """A table whose every region is off is not judged."""
    plain = table(replicas=facts.REPLICAS.of((replica("eu-west-1"),)))
    assert outcome(recovery_window.check(plain)) == "exempt"


def test_replicas_that_cannot_be_listed_may_have_a_short_period() -> None:
    """Not knowing the replicas is not knowing their periods."""
    unlisted = table(recovery=recovery(ON), replicas=doubted(facts.REPLICAS.unset))
    assert outcome(recovery_window.check(unlisted)) == "unknown"


@pytest.mark.parametrize(
    ("covered", "expected"),
    [
        (facts.BACKED_UP.unset, "fails"),
        (facts.BACKED_UP.of(True), "holds"),
        (doubted(facts.BACKED_UP.unset), "unknown"),
    ],
)
def test_a_backup_selection_covers_the_table(covered: Value[bool], expected: str) -> None:
    """Whether one does, the dialect has found out."""
    assert expected == outcome(backup_plan.check(table(backed_up=covered)))
    assert backup_plan.profile is None


def test_what_is_not_asked_says_why() -> None:
    """With the fact that decides it."""
    cache = point_in_time_recovery.check(table(recovery=recovery(OFF), tags=CACHE))
    assert (cache.note, names(cache)) == ("a table whose purpose is cache can be filled again", ("purpose",))
    off = recovery_window.check(table(recovery=recovery(OFF)))
    assert (off.note, names(off)) == ("point-in-time recovery is off", ("point-in-time recovery",))
