"""The matrix of who can do what, in each of its formats. A format is imported when somebody asks for it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TypeAlias

from tablegate.access.matrix import Matrix
from tablegate.reporters.safe import Shower

Render: TypeAlias = Callable[[Sequence[Matrix], Shower, int], str]


def _text(matrices: Sequence[Matrix], show: Shower, width: int) -> str:
    from tablegate.reporters.matrix_text import render

    return render(matrices, show, width)


def _markdown(matrices: Sequence[Matrix], show: Shower, _: int) -> str:
    from tablegate.reporters.matrix_markdown import render

    return render(matrices, show)


def _csv(matrices: Sequence[Matrix], show: Shower, _: int) -> str:
    from tablegate.reporters.matrix_csv import render

    return render(matrices, show)


def _json(matrices: Sequence[Matrix], show: Shower, _: int) -> str:
    from tablegate.reporters.matrix_json import render

    return render(matrices, show.scrub)


RENDERERS: Mapping[str, Render] = {"text": _text, "markdown": _markdown, "csv": _csv, "json": _json}
