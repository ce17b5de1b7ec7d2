"""Terraform's addresses and references, taken apart: quoted keys may hold dots and brackets."""

from __future__ import annotations

import json
import re
from functools import lru_cache
from typing import TypeAlias

from tablegate.model.record import record

Key: TypeAlias = str | int | None

_STEP = re.compile(r'\.?([^.\[\]]+)|\[(?:"((?:[^"\\]|\\.)*)"|(\d+))\]')
_KEY = r'\[(?:"(?:[^"\\]|\\.)*"|\d+)\]'
_MODULE = rf"module\.([^.\[]+)({_KEY})?(?:\.|$)"


@record(kw_only=False)
class Step:
    """One name, or one key in brackets, of a reference."""

    name: str | None
    key: Key = None


@record(kw_only=False)
class Call:
    """One module of a module address: the address up to and with it, its name, its instance's key."""

    address: str
    name: str
    key: Key


@lru_cache(maxsize=4096)
def steps(reference: str) -> tuple[Step, ...]:
    """The parts of a reference, in their order."""
    found = []
    for name, quoted, number in _STEP.findall(reference):
        found.append(Step(name) if name else Step(None, int(number) if number else _unquoted(quoted)))
    return tuple(found)


def unkeyed(module: str) -> str:
    """A module address without the keys of its instances."""
    return re.sub(_KEY, "", module) if "[" in module else module


@lru_cache(maxsize=4096)
def calls(module: str) -> tuple[Call, ...]:
    """The modules of a module address, from the outermost; none for the root."""
    if not module:
        return ()
    found, position = [], 0
    at = re.compile(_MODULE).match
    while match := at(module, position):
        bracket = match[2]
        key = None if bracket is None else steps(bracket)[0].key
        found.append(Call(module[: match.end()].removesuffix("."), match[1], key))
        position = match.end()
    return tuple(found)


def parent(module: str) -> str:
    """The address of the module that calls this one."""
    path = calls(module)
    return path[-2].address if len(path) > 1 else ""


def bracketed(key: Key) -> str:
    """An instance key as Terraform writes it behind an address."""
    if key is None:
        return ""
    return f"[{key}]" if isinstance(key, int) else f"[{json.dumps(key, ensure_ascii=False)}]"


def _unquoted(quoted: str) -> str:
    return re.sub(r"\\(.)", r"\1", quoted)
