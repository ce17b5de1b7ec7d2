"""The map and the guide for contributors name files and folders that exist."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
CODE = ROOT / "src" / "tablegate"
STARTS = (ROOT, ROOT / "src", CODE, CODE / "dialects", ROOT / "policies" / "tablegate_baseline")
PAGES = ("src/README.md", ".github/CONTRIBUTING.md", "fixtures/README.md")
PATH = re.compile(r"`([\w./*-]+(?:/|\.py|\.json))`")  # in code style, with a folder or an ending of ours
EXAMPLES = ("fixtures/cases/TG905/",)


def named(page: str) -> list[str]:
    """The paths that a page names, without bare file names, whose folder is in the text."""
    paths = PATH.findall((ROOT / page).read_text(encoding="utf-8"))
    return [path for path in dict.fromkeys(paths) if "/" in path.rstrip("/") and path not in EXAMPLES]


@pytest.mark.parametrize("page", PAGES)
def test_every_path_on_the_page_exists(page: str) -> None:
    """Relative to the root, the package or the dialects."""
    paths = [path.removeprefix("../") for path in named(page)]
    missing = [path for path in paths if not any(list(start.glob(path.rstrip("/"))) for start in STARTS)]
    assert (missing, len(paths) > 5) == ([], True)


def test_the_map_has_a_row_for_every_room() -> None:
    """Packages and single modules alike."""
    rooms = [path.name for path in CODE.iterdir() if path.name[0] not in "_." and path.suffix in ("", ".py")]
    text = (ROOT / "src" / "README.md").read_text(encoding="utf-8").partition("## Where a change goes")[0]
    assert [room for room in rooms if f"`{room}`" not in text and f"`{room}/`" not in text] == []
