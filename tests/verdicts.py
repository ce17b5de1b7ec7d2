"""What a verdict says, in the one word that a case directory would use."""

from __future__ import annotations

from tablegate.model.value import Verdict


def outcome(verdict: Verdict) -> str:
    """``fails``, ``holds``, ``unknown`` or ``exempt``."""
    words = {True: "holds", False: "fails", None: "unknown"}
    return words[verdict.truth] if verdict.applies else "exempt"


def names(verdict: Verdict) -> tuple[str, ...]:
    """The names of the facts that decided it, in their order."""
    return tuple(value.name for value in verdict.evidence)
