"""Plants a secret in every text of a report or of a matrix, and knows where each one is."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from enum import Enum
from typing import Any

from tablegate.model.record import field_names, replace
from tablegate.policy import Policy

# Texts that tablegate or a policy writes itself: nothing of an input is in them.
OURS = frozenset(
    {
        "Input.kind",
        "Skipped.why",
        "Shard.digest",
        "Finding.known_as",
        "Report.secrets",
        "KeyPart.role",
        "Row.form",
        "Row.kind",
    }
)

# Addresses, files, and the names of arguments and facts: these come from a configuration, and are no values.
NAMES = frozenset(
    {
        "Column.address",
        "Construct.path",
        "Finding.address",
        "Finding.file",
        "Input.path",
        "Matrix.file",
        "Place.file",
        "Place.path",
        "Row.address",
        "Skipped.first",
        "Value.name",
    }
)


class Planter:
    """Replaces texts by secrets. ``paths`` says for each secret which text it is: ``findings.0.message``."""

    def __init__(self) -> None:
        self.paths: dict[str, str] = {}

    def plant(self, thing: Any, path: str = "") -> Any:
        """The same thing with a secret of its own for each text in it."""
        match thing:
            case Enum() | Policy():
                return thing
            case str():
                secret = f"s3cr3t-{len(self.paths):03}-planted"
                self.paths[secret] = path
                return secret
            case tuple() if hasattr(thing, "_fields"):
                return type(thing)(
                    *(self.plant(item, f"{path}.{name}") for name, item in zip(thing._fields, thing, strict=True))
                )
            case tuple():
                return tuple(self.plant(item, f"{path}.{at}") for at, item in enumerate(thing))
            case Mapping():
                return {key: self.plant(item, path) for key, item in thing.items()}
        if not hasattr(type(thing), "__struct_fields__"):
            return thing
        kind = type(thing).__name__
        names = [name for name in field_names(type(thing)) if f"{kind}.{name}" not in OURS | NAMES]
        fields = {name: self.plant(getattr(thing, name), f"{path}.{name}".strip(".")) for name in names}
        return replace(thing, **fields)

    def in_text(self, text: str) -> list[str]:
        """The paths of all secrets that are in the text."""
        return sorted({path for secret, path in self.paths.items() if secret in text})

    def all(self) -> list[str]:
        """The paths of all secrets."""
        return sorted(set(self.paths.values()))


def shown(texts: Iterable[str], out: str) -> list[str]:
    """The texts that are in what was printed."""
    return [text for text in texts if text in out]
