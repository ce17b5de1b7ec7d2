"""One judgement whose outcome is known: an engine that something has meddled with does not give it."""

from __future__ import annotations

from collections.abc import Callable

from tablegate.engine.judge import Judgement
from tablegate.engine.running import Running
from tablegate.engine.settings import Settings
from tablegate.findings import Fault, FaultCode
from tablegate.model import facts
from tablegate.model.estate import DaxCluster, Estate
from tablegate.model.table import Dialect
from tablegate.model.value import Doubt, Place, Verdict
from tablegate.policy.declare import Policy, Severity, Spelled


def unsound(judge: Callable[[tuple[Estate, ...], Running], Judgement]) -> tuple[Fault, ...]:
    """A fault, unless a bad cluster fails, a good one holds, and one of which nothing is known is unknown."""
    encrypted = (facts.DAX_ENCRYPTED.of(False), facts.DAX_ENCRYPTED.of(True), facts.DAX_ENCRYPTED.doubted(_DOUBT))
    clusters = tuple(
        DaxCluster(address=str(number), place=None, encrypted=value, in_transit=facts.DAX_IN_TRANSIT.unset)
        for number, value in enumerate(encrypted)
    )
    estate = Estate(file="", dialect=Dialect.CLOUDFORMATION, dax_clusters=clusters)
    counts = judge((estate,), Running((_POLICY,), Settings())).counts
    if (counts.failed, counts.held, counts.unknown) == (1, 1, 1):
        return ()
    message = "the engine does not judge a known case as it must, so nothing it says can be trusted"
    return (Fault(FaultCode.INTERNAL, message, Place(""), hint="does a pack change tablegate itself?"),)


def _encrypted(cluster: DaxCluster) -> Verdict:
    return cluster.encrypted.is_true


_DOUBT = Doubt("nobody says")
_POLICY = Policy(
    id="TG000",
    name="canary",
    severity=Severity.HIGH,
    title="",
    rationale="",
    docs="",
    remedy=Spelled(None, None),
    subject=DaxCluster,
    options=(),
    on=True,
    check=_encrypted,
)
