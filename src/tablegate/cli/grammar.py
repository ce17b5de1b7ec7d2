"""Where the compiled grammar of Terraform's language is kept: in the user's cache, where nobody else can write."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path


def grammar_file(environment: Mapping[str, str]) -> str | None:
    """The file of this Python. It need not be there, and need not be writable: then every run compiles it anew."""
    home = environment.get("HOME") or environment.get("USERPROFILE")
    base = environment.get("XDG_CACHE_HOME") or (f"{home}/.cache" if home else None)
    if base is None:
        return None
    return str(Path(base) / "tablegate" / f"hcl-{sys.version_info[0]}.{sys.version_info[1]}.bin")
