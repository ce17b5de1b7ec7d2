"""Which policies run, and the errors for wrong selectors."""

from __future__ import annotations

import pytest

from support.policies import recovery_on
from tablegate.engine.settings import (
    ConfigError,
    Settings,
    added_by_strict,
    did_you_mean,
    policies_named,
    selected_policies,
    selection,
)
from tablegate.policy import CRITICAL, HIGH, LOW
from tablegate.policy.declare import Profile

POLICIES = (
    recovery_on("TG301", severity=HIGH, name="point-in-time"),
    recovery_on("TG306", severity=LOW, on=False, name="backup-plan"),
    recovery_on("TG701", severity=CRITICAL, name="table-loss"),
    recovery_on("ACME001", severity=HIGH, name="acme-thing"),
)


def ids(**settings: tuple[str, ...]) -> list[str]:
    return [policy.id for policy in selected_policies(POLICIES, Settings(**settings))]


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        ("TG301", ["TG301"]),
        ("tg301", ["TG301"]),
        ("point-in-time", ["TG301"]),
        ("TG3", ["TG301", "TG306"]),
        ("recovery", ["TG301", "TG306"]),
        ("high", ["ACME001", "TG301"]),
        ("ACME", ["ACME001"]),
        ("acme", ["ACME001"]),
        ("ALL", ["ACME001", "TG301", "TG306", "TG701"]),
    ],
)
def test_a_selector_is_an_id_a_name_a_family_a_severity_or_all(word: str, expected: list[str]) -> None:
    """Ids and names work everywhere, and so do families and severities, in any case."""
    assert ids(select=(word,)) == expected


def test_what_is_on_by_default_runs() -> None:
    """Without a selection, the defaults run."""
    assert ids() == ["ACME001", "TG301", "TG701"]


def test_a_profile_adds_policies() -> None:
    """What is added is counted, unless a selection or the profile leaves nothing to add."""
    policies = (*POLICIES, recovery_on("TG104", on="strict", name="ceiling"))
    strict = Settings(profile=Profile.STRICT)
    assert [policy.id for policy in selected_policies(policies, strict)] == ["ACME001", "TG104", "TG301", "TG701"]
    reasons = {item.policy.id: item.reason for item in selection(policies, Settings())}
    assert (reasons["TG104"], reasons["TG306"]) == ("off in profile standard", "off by default")
    assert {item.policy.id: item.reason for item in selection(policies, strict)}["TG104"] == "on in profile strict"
    assert added_by_strict(policies, Settings()) == 1
    assert added_by_strict(policies, strict) == added_by_strict(policies, Settings(select=("high",))) == 0


def test_select_replaces_and_extend_select_adds_and_ignore_removes() -> None:
    """The three lists apply in that order."""
    assert ids(extend_select=("TG306",)) == ["ACME001", "TG301", "TG306", "TG701"]
    assert ids(select=("TG3",), ignore=("low",)) == ["TG301"]
    assert ids(select=("TG3",), extend_select=("critical",), ignore=("TG306",)) == ["TG301", "TG701"]


def test_each_policy_knows_why_it_runs_or_not() -> None:
    """The reason names the word that decided it."""
    fates = {item.policy.id: (item.runs, item.reason) for item in selection(POLICIES, Settings(ignore=("critical",)))}
    assert fates == {
        "ACME001": (True, "on by default"),
        "TG301": (True, "on by default"),
        "TG306": (False, "off by default"),
        "TG701": (False, "ignored by critical"),
    }
    fates = {item.policy.id: (item.runs, item.reason) for item in selection(POLICIES, Settings(select=("TG3",)))}
    assert fates["TG301"] == (True, "selected by TG3")
    assert fates["TG701"] == (False, "not selected")


def test_a_word_that_selects_nothing_known_names_the_nearest() -> None:
    """A typo must not silently switch a policy off."""
    with pytest.raises(ConfigError) as caught:
        policies_named(POLICIES, "point-in-tim")
    assert (caught.value.message, caught.value.hint) == (
        '"point-in-tim" is no policy, family or severity',
        'did you mean "point-in-time"?',
    )
    with pytest.raises(ConfigError) as caught:
        policies_named(POLICIES, "%")
    assert caught.value.hint is None


def test_a_selection_of_nothing_is_refused() -> None:
    """A gate without policies would only stand open."""
    with pytest.raises(ConfigError, match="no policy is selected"):
        ids(ignore=("ALL",))


@pytest.mark.parametrize(
    ("word", "hint"),
    [
        ("TG3O1", 'did you mean "TG301"?'),
        ("tgl0l", 'did you mean "TG101"?'),
        ("TG30", "did you mean one of TG301, TG302, TG309?"),
        ("TG9", "did you mean one of TG901, TG902, TG903, TG904, TG905, …?"),
        ("TG399", 'did you mean "TG309"?'),
        ("recovry", 'did you mean "recovery"?'),
        ("zzzzzz", None),
    ],
)
def test_an_id_is_taken_for_what_it_looks_like(word: str, hint: str | None) -> None:
    """A letter like a digit, the beginning of ids, and else the closest word that begins alike."""
    known = (
        "TG101",
        "TG301",
        "TG302",
        "TG309",
        "TG531",
        "TG539",
        *(f"TG90{number}" for number in range(1, 8)),
        "recovery",
    )
    assert did_you_mean(word, known) == hint
