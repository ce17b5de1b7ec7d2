"""An input before anybody has looked into it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Source:
    """A named run of bytes. The name is what reports call it: a POSIX path, or ``<stdin>``."""

    name: str
    data: bytes
