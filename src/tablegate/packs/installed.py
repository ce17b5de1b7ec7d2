"""Reads which packs are installed. ``importlib.metadata`` knows it too, and costs 25 ms at every start."""

from __future__ import annotations

import os
from collections.abc import Iterable

from tablegate.policy.declare import PolicyError

GROUP = "[tablegate.packs]"


def entry_points(folders: Iterable[str]) -> dict[str, str]:
    """The module of every installed pack, by the pack's name."""
    found: dict[str, str] = {}
    for folder in dict.fromkeys(folders):
        for name, module in _in_folder(folder or "."):
            if found.setdefault(name, module) != module:
                raise PolicyError(f'two installed packs are called "{name}": {found[name]} and {module}')
    return found


def _in_folder(folder: str) -> Iterable[tuple[str, str]]:
    try:
        names = sorted(name for name in os.listdir(folder) if name.endswith(".dist-info"))
    except OSError:
        return
    for name in names:
        try:
            with open(os.path.join(folder, name, "entry_points.txt"), encoding="utf-8") as file:
                yield from _in_group(file)
        except OSError:
            continue


def _in_group(lines: Iterable[str]) -> Iterable[tuple[str, str]]:
    inside = False
    for line in map(str.strip, lines):
        if line.startswith("["):
            inside = line == GROUP
        elif inside and "=" in line and not line.startswith(("#", ";")):
            name, _, target = line.partition("=")
            yield name.strip(), target.partition(":")[0].strip()
