"""An input before anybody has looked into it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Beside:
    """Files that a source may name, by what reports call them, and why others of them were not read."""

    files: Mapping[str, bytes] = field(default_factory=dict)
    refused: Mapping[str, str] = field(default_factory=dict)


ALONE = Beside()


@dataclass(frozen=True, slots=True)
class Source:
    """A named run of bytes. The name is what reports call it: a POSIX path, or ``<stdin>``."""

    name: str
    data: bytes
    beside: Beside = field(default=ALONE, compare=False)
