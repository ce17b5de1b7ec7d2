"""Finds and loads packs: installed ones by name, others from a path that somebody named on the command line."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from contextlib import nullcontext
from typing import TYPE_CHECKING

from tablegate.engine.judge import Guard
from tablegate.engine.nearest import meant
from tablegate.model.record import record
from tablegate.packs.installed import entry_points
from tablegate.packs.loading import from_package, from_path
from tablegate.policy.declare import Policy, PolicyError, without_twins

if TYPE_CHECKING:
    from pathlib import Path

SHIPPED = "baseline"
SECONDS = 10.0  # three thousand times what the slowest of ours takes on a thousand tables


@record(kw_only=False)
class Loaded:
    """The policies of all packs, and what must surround them while they run."""

    policies: tuple[Policy, ...]
    guard: Guard


def load(
    names: Iterable[str], paths: Iterable[str | Path], *, say: Callable[[str], None] = print, seconds: float = SECONDS
) -> Loaded:
    """The shipped pack, the installed packs of these names, and what lies at the paths.

    Whatever code of others prints goes to ``say``, and it has so many seconds for one policy on one input.
    PolicyError says what is wrong with a pack.
    """
    strangers, paths = tuple(dict.fromkeys(names)), tuple(paths)
    found = entry_points(sys.path)
    shipped = from_package(SHIPPED, found.get(SHIPPED, f"tablegate_{SHIPPED}"))
    if not strangers and not paths:
        return Loaded(shipped, nullcontext)
    from tablegate.packs.guard import guarded

    guard = guarded(say, seconds)
    with guard():
        named = [policy for name in strangers if name != SHIPPED for policy in _named(name, found)]
        lying = [policy for path in paths for policy in from_path(path)]
    return Loaded(without_twins((*shipped, *named, *lying)), guard)


def _named(name: str, found: dict[str, str]) -> tuple[Policy, ...]:
    if name not in found:
        hint = meant(name, found)
        raise PolicyError(f'no installed pack is called "{name}"' + (f"; {hint}" if hint else ""))
    return from_package(name, found[name])
