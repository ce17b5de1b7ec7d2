"""What a dialect gives back, and what it may be told."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field

from tablegate.findings import Fault, Input
from tablegate.model.estate import Estate
from tablegate.model.record import record
from tablegate.syntax.source import Source


@record()
class ReadOptions:
    """What the user says about the inputs: nothing here is found by looking."""

    allow_partial: bool = False
    parameters: Mapping[str, str] = field(default_factory=dict)
    assume_defaults: bool = False
    region: str | None = None
    account: str | None = None
    stack_tags: Mapping[str, str] = field(default_factory=dict)
    variables: Mapping[str, str] = field(default_factory=dict)  # of Terraform source, as texts
    variable_files: tuple[Source, ...] = ()
    environment: Mapping[str, str] = field(default_factory=dict)  # such variables in the environment
    grammar: str | None = None  # the file that keeps the compiled grammar of Terraform's language


@record()
class Reading:
    """One input, read: what was seen, the estate it describes, and what could not be read of it."""

    input: Input
    estate: Estate | None
    faults: tuple[Fault, ...] = ()
