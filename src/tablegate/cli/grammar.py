"""Where the compiled grammar of Terraform's language is kept: in the user's cache, where nobody else can write."""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Mapping

_OTHERS = stat.S_IWGRP | stat.S_IWOTH


def grammar_file(environment: Mapping[str, str]) -> str | None:
    """The file of this Python; None where there is no safe place for it: then every run compiles it anew."""
    home = environment.get("HOME") or environment.get("USERPROFILE")
    base = environment.get("XDG_CACHE_HOME") or (f"{home}/.cache" if home else None)
    if base is None:
        return None
    folder = os.path.join(base, "tablegate")
    try:
        os.makedirs(folder, mode=0o700, exist_ok=True)
        found = os.stat(folder)
    except OSError:
        return None
    # It is unpickled: a file that somebody else could have put there is code of theirs.
    if hasattr(os, "getuid") and (found.st_uid != os.getuid() or found.st_mode & _OTHERS):
        return None
    return os.path.join(folder, f"hcl-{sys.version_info[0]}.{sys.version_info[1]}.bin")
