"""An input before anybody has looked into it."""

from __future__ import annotations

from tablegate.model.record import record


@record(kw_only=False)
class Source:
    """A named run of bytes. The name is what reports call it: a POSIX path, or ``<stdin>``."""

    name: str
    data: bytes
