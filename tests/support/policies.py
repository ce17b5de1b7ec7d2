"""Small policies for tests: one predicate each, declared as a pack would."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, Literal

from tablegate.engine.judge import Judgement, Ledger, PreparedPolicies, judge
from tablegate.engine.settings import Settings
from tablegate.model.estate import Estate
from tablegate.policy import HIGH, Policy, Severity, Table, Verdict, policy


def declared(
    check: Callable[..., Any],
    id: str = "TT101",
    *,
    severity: Severity = HIGH,
    on: bool | Literal["strict"] = True,
    name: str | None = None,
) -> Policy:
    """The predicate as a policy. A predicate without a docstring is given one."""
    check.__doc__ = check.__doc__ or "Because a test says so."
    if name is not None:
        check.__name__ = name.replace("-", "_")
    declare = policy(
        id,
        severity,
        f"The title of {id}",
        docs="https://docs.example.com",
        terraform="ttl {}",
        cloudformation="Ttl: {}",
        on=on,
    )
    return declare(check)


def recovery_on(
    id: str = "TT101", *, severity: Severity = HIGH, on: bool | Literal["strict"] = True, name: str = "recovery-on"
) -> Policy:
    """A policy that asks every table for point-in-time recovery."""

    def check(table: Table) -> Verdict:
        return table.recovery.enabled.is_true

    return declared(check, id, severity=severity, on=on, name=name)


def judge_all(estates: Iterable[Estate], policies: Sequence[Policy], settings: Settings | None = None) -> Judgement:
    """The judgement on these estates."""
    ledger = Ledger(PreparedPolicies(policies, settings or Settings()))
    for estate in estates:
        judge(estate, ledger)
    return ledger.close()


def outcome(verdict: Verdict) -> str:
    """``fails``, ``holds``, ``unknown`` or ``exempt``."""
    words = {True: "holds", False: "fails", None: "unknown"}
    return words[verdict.truth] if verdict.applies else "exempt"


def names(verdict: Verdict) -> tuple[str, ...]:
    """The names of the facts that decided it, in their order."""
    return tuple(value.name for value in verdict.evidence)
