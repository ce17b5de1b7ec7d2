"""Checks a path against the model's own types, so that a misspelt step is found when it is loaded."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import is_dataclass
from types import UnionType
from typing import Any, Union, get_args, get_origin, get_type_hints

from tablegate.engine.nearest import meant
from tablegate.engine.path import Path
from tablegate.engine.settings import ConfigError
from tablegate.engine.view import members
from tablegate.model.value import Value


def check_steps(path: Path, kind: Any) -> None:
    """Raise ConfigError where the path takes a name that its subject does not have."""
    at: Any = kind
    for step in path.steps:
        at = _content(at)
        if not is_dataclass(at):
            at = _entry(at, path, step.names)
            continue
        if len(step.names) != 1:
            return  # a wildcard or several names: the rest differs from one to the next
        known = members(at)
        name = step.names[0]
        if name not in known:
            raise ConfigError(
                f'"{path.text}": there is no {name}', hint=meant(name, known) or f"known: {', '.join(known)}"
            )
        at = _hints(at)[name]


def _content(kind: Any) -> Any:
    """What stands inside: of a value, its content; of something that may be missing, what it is when there."""
    while True:
        if get_origin(kind) is Value:
            kind = get_args(kind)[0]
        elif get_origin(kind) in (Union, UnionType):
            kind = next(item for item in get_args(kind) if item is not type(None))
        else:
            return kind


def _entry(kind: Any, path: Path, names: tuple[str, ...]) -> Any:
    """What stands one step below something that is no object of the model."""
    origin = get_origin(kind)
    if origin is tuple and not names:
        return get_args(kind)[0]
    if origin is not None and issubclass(origin, Mapping):
        return get_args(kind)[1]
    raise ConfigError(
        f'"{path.text}" goes on where nothing is', hint="lists are entered with [*], and texts not at all"
    )


def _hints(kind: Any) -> dict[str, Any]:
    return get_type_hints(kind, localns={"Change": object, "Estate": object})
