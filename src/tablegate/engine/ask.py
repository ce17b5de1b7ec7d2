"""Asks a predicate about a subject. What it does other than to give a verdict is a crash, not an answer."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from types import CoroutineType
from typing import TypeAlias

from tablegate.engine.settings import Settings
from tablegate.interrupt import Interrupted
from tablegate.model.record import record
from tablegate.model.value import Value, Verdict
from tablegate.policy.declare import Policy, Severity

_SEVERITIES = frozenset({None, *Severity})


class OutOfTime(BaseException):
    """Raised from outside into a predicate that does not end."""


@record(kw_only=False)
class Crash:
    """What a predicate did instead of giving a verdict. Never the text of an exception: it may hold data."""

    what: str


Answer: TypeAlias = Verdict | Crash


def asker(policy: Policy, settings: Settings) -> Callable[[object], Answer]:
    """What asks the policy about one subject, with its options as they are set."""
    own = settings.policies.get(policy.id)
    check = partial(policy.check, **own.options) if own and own.options else policy.check

    def ask(subject: object) -> Answer:
        try:
            verdict = check(subject)
            # Nine of ten answers are this one.
            if type(verdict) is Verdict and verdict.truth is True:
                return verdict
            return verdict if _well_formed(verdict) else Crash(_instead(verdict))
        except (OutOfTime, Interrupted):
            raise
        except BaseException as error:  # noqa: BLE001  a pack may raise anything, SystemExit(0) too
            return Crash(f"raised {type(error).__name__}")

    return ask


def _well_formed(verdict: object) -> bool:
    """Whether this is what the types promise: a pack without types may break it."""
    if type(verdict) is not Verdict:
        return False
    note: object = verdict.note
    fix: object = verdict.fix
    if (note is not None and not isinstance(note, str)) or (fix is not None and not isinstance(fix, str)):
        return False
    for value in verdict.evidence:
        if not isinstance(value, Value):
            return False
    return (verdict.truth is None or verdict.truth is False) and verdict.severity in _SEVERITIES


def _instead(verdict: object) -> str:
    if isinstance(verdict, CoroutineType):
        verdict.close()  # so that nobody warns that it was never awaited
    if isinstance(verdict, Verdict):
        return "returned a Verdict that holds something of the wrong type"
    name = "None" if verdict is None else type(verdict).__name__
    return f"returned {name} where a Verdict is wanted"
