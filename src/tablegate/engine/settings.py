"""What the user decided: which policies run, how hard they weigh, and what people said of their tables."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum

from tablegate.model.record import field, record
from tablegate.policy.declare import Severity


class ConfigError(Exception):
    """What the user configured cannot be meant. ``keys`` lead to it from the top of the document."""

    def __init__(self, message: str, *keys: str, hint: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.keys = keys
        self.hint = hint


class UnknownMode(StrEnum):
    """What an unknown verdict does to the gate when its policy's severity reaches ``fail_on``."""

    BLOCK = "block"
    WARN = "warn"
    IGNORE = "ignore"


@record()
class PolicySettings:
    """What the configuration says of one policy."""

    severity: Severity | None = None
    options: Mapping[str, object] = field(default_factory=dict)


@record()
class Override:
    """What is said of the tables that match: every matcher given must match."""

    address: str | None = None
    path: str | None = None
    tags: Mapping[str, str] = field(default_factory=dict)
    purpose: str | None = None
    environment: str | None = None
    data_class: str | None = None
    capacity: str | None = None
    severity: Mapping[str, Severity] = field(default_factory=dict)


@record()
class Settings:
    """Everything that steers a run, as the engine needs it."""

    select: tuple[str, ...] = ()
    extend_select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    fail_on: Severity | None = Severity.HIGH  # None: never
    unknown: UnknownMode = UnknownMode.BLOCK
    unknown_chosen: bool = False  # otherwise what is unknown in Terraform source only warns: its plan will tell
    policies: Mapping[str, PolicySettings] = field(default_factory=dict)  # by policy id
    overrides: tuple[Override, ...] = ()
    heeds_acknowledged: bool = True  # what a program acknowledges of its own constructs is waived
