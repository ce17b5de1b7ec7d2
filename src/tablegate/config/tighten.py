"""A configuration at a git ref, and what the working tree may add to it: only what makes the gate stricter."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tablegate.config.find import Found
from tablegate.model.record import replace
from tablegate.policy.declare import Severity

_UNKNOWN = ("ignore", "warn", "block")
_LEVELS = ("never", *Severity)  # the lower the level that blocks, the stricter the gate


def tightened(trusted: Found | None, tree: Found | None) -> tuple[Found | None, tuple[str, ...]]:
    """The trusted configuration with what the working tree tightens, and notes on what was not applied."""
    if tree is None:
        return trusted, ()
    base: Mapping[str, Any] = trusted.table if trusted else {}
    table = dict(base)
    notes = []
    for key in sorted({*base, *tree.table}):
        if key in tree.table and tree.table[key] == base.get(key):
            continue
        stricter = _stricter(key, base.get(key), tree.table.get(key))
        if stricter is None:
            notes.append(f"{tree.name}: {key} differs from the trusted configuration, and is not applied")
        else:
            table[key] = stricter
    if trusted is None:
        return replace(tree, table=table), tuple(notes)
    return replace(trusted, table=table), tuple(notes)


def _stricter(key: str, base: Any, proposed: Any) -> Any:
    """The proposed value where it is stricter than the trusted one, joined with it where both can stand."""
    if key == "extend-select" and isinstance(proposed, list) and all(word in proposed for word in base or ()):
        return proposed
    if key == "fail-on" and proposed in _LEVELS and _LEVELS.index(proposed) > _LEVELS.index(base or "high"):
        return proposed
    if key == "unknown" and proposed in _UNKNOWN and _UNKNOWN.index(proposed) > _UNKNOWN.index(base or "block"):
        return proposed
    if key == "require-resources" and proposed is True:
        return True
    return None
