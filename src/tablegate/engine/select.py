"""Which policies run, and why."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from tablegate.engine.nearest import meant
from tablegate.engine.settings import ConfigError, Settings
from tablegate.model.record import record
from tablegate.policy.declare import FAMILIES, Policy, Severity

ALL = "ALL"


@record(kw_only=False)
class Selection:
    """One policy, whether it runs, and the word that decided it."""

    policy: Policy
    runs: bool
    reason: str


def selected(policies: Iterable[Policy], settings: Settings) -> tuple[Policy, ...]:
    """The policies that run, by id. Where none would, the gate could only stand open: that is refused."""
    running = tuple(item.policy for item in selection(tuple(policies), settings) if item.runs)
    if not running:
        raise ConfigError("no policy is selected, so nothing would be judged", "select")
    return running


def selection(policies: Sequence[Policy], settings: Settings) -> tuple[Selection, ...]:
    """Every policy with its fate, by id: what is selected replaces the defaults, and what is ignored goes last."""
    chosen = dict.fromkeys((policy.id for policy in policies), (False, "off by default"))
    if settings.select:
        chosen = dict.fromkeys(chosen, (False, "not selected")) | _said(policies, settings.select, True, "selected by")
    else:
        chosen |= {policy.id: (True, "on by default") for policy in policies if policy.on}
    chosen |= _said(policies, settings.extend_select, True, "selected by")
    chosen |= _said(policies, settings.ignore, False, "ignored by")
    ordered = sorted(policies, key=lambda policy: policy.id)
    return tuple(Selection(policy, *chosen[policy.id]) for policy in ordered)


def named(policies: Iterable[Policy], selector: str) -> tuple[Policy, ...]:
    """The policies that an id, a name, a family, a severity or ALL stands for."""
    policies = tuple(policies)
    if selector.upper() == ALL:
        return policies
    by_word = _by_word(policies)
    word = selector if selector in by_word else selector.lower()
    if word not in by_word:
        raise ConfigError(f'"{selector}" is no policy, family or severity', hint=meant(selector, by_word))
    return tuple(by_word[word])


def _said(policies: Sequence[Policy], selectors: Iterable[str], runs: bool, how: str) -> dict[str, tuple[bool, str]]:
    return {policy.id: (runs, f"{how} {word}") for word in selectors for policy in named(policies, word)}


def _by_word(policies: tuple[Policy, ...]) -> Mapping[str, list[Policy]]:
    words: dict[str, list[Policy]] = {word: [] for word in (ALL, ALL.lower(), *map(str, Severity))}
    words |= {word: [] for family in FAMILIES.items() for word in (*family, family[0].lower())}
    for policy in policies:
        for word in _words_for(policy):
            words.setdefault(word, []).append(policy)
    return words


def _words_for(policy: Policy) -> set[str]:
    letters = policy.id.rstrip("0123456789")
    hundred = policy.id[: len(letters) + 1]
    spelled = {policy.id, letters, hundred}
    return {*spelled, *(word.lower() for word in spelled), policy.name, policy.family, str(policy.severity)}
