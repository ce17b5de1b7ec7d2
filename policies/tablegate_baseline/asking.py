"""How is a verdict on one value worded? It says what is wrong, or what nobody can tell."""

from __future__ import annotations

from collections.abc import Callable

from tablegate.policy import Replica, Table, Value, Verdict, fails, holds, unknown


def must_be(value: Value[object], wanted: object, otherwise: str, claim: str) -> Verdict:
    """The value is what is wanted. ``otherwise`` says what is wrong; ``claim`` is what cannot be told."""
    if not value.known:
        return worded(value.equals(wanted), otherwise, claim)  # its candidates may agree
    return holds(value) if value.content == wanted else fails(otherwise, value)


def worded(verdict: Verdict, otherwise: str, claim: str) -> Verdict:
    """The verdict, in the same two ways of speaking."""
    notes = {True: None, False: otherwise, None: f"cannot tell whether {claim}"}
    return verdict.because(notes[verdict.truth])


def of_replicas(table: Table, judge: Callable[[Replica], Verdict]) -> tuple[Verdict, ...]:
    """A verdict on each of the table's replicas, or one doubt where nobody can tell which there are."""
    replicas = table.replicas
    if not replicas.known:
        return (unknown("cannot tell which replicas the table has", replicas),)
    return tuple(map(judge, replicas.content or ()))


def replica_label(replica: Replica) -> str:
    """What a message calls a replica."""
    return f"the replica in {replica.region.shown}" if replica.region.known else "a replica whose region is not known"
