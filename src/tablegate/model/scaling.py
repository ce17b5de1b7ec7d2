"""What moves a table's capacity: the bounds of autoscaling, how it follows the traffic, and what moves the bounds."""

from __future__ import annotations

from tablegate.model.record import record
from tablegate.model.value import Place, Value


@record()
class ScalingSchedule:
    """A scheduled change of a scaling target's bounds."""

    name: str
    minimum: Value[int]
    maximum: Value[int]


@record()
class ScalingTarget:
    """One dimension of capacity under application autoscaling, on the table or on one index."""

    address: str
    place: Place | None
    dimension: str  # "read" or "write"
    index: str | None = None
    region: str | None = None  # of a replica; None is the table's own
    minimum: Value[int]
    maximum: Value[int]
    tracking: Value[bool]  # a target-tracking policy is attached
    utilisation: Value[float]
    scale_in_disabled: Value[bool]
    suspended: Value[bool]
    schedules: tuple[ScalingSchedule, ...] = ()
