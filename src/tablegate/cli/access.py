"""The iam command: who can do what to which table."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from tablegate.access.matrix import Matrix, matrix_of
from tablegate.cli.destinations import destinations, width
from tablegate.cli.output import emit, save
from tablegate.cli.reading import Inputs
from tablegate.engine.settings import ConfigError
from tablegate.model.estate import Estate
from tablegate.reporters.matrix import RENDERERS
from tablegate.reporters.safe import Shower


def show(names: Sequence[str], flags: Mapping[str, Any]) -> int:
    """Print the matrix of every input."""
    if not names:
        raise ConfigError("an INPUT is needed", hint="a plan, a template, a folder that holds some, or -")
    asked = destinations(flags.get("output") or (), RENDERERS)
    inputs = Inputs(names, {key: value for key, value in flags.items() if key != "output"})
    matrices, secrets = _gathered(inputs.estates())
    shower = Shower(secrets)
    for destination in asked:
        text = RENDERERS[destination.format](matrices, shower, width())
        if destination.path is None:
            emit(text)
        else:
            save(destination.path, text)
    return inputs.ended()


def _gathered(estates: Iterable[Estate]) -> tuple[list[Matrix], set[str]]:
    """The matrices by their files, and the secrets."""
    matrices, secrets = [], set()  # type: list[Matrix], set[str]
    for estate in estates:
        matrices.append(matrix_of(estate))
        secrets |= estate.secrets
        del estate  # or it would stay until the next one is there
    return sorted(matrices, key=lambda matrix: matrix.file), secrets
