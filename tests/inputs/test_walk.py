"""Ignore files: simple patterns are matched as the library for git's patterns matches them."""

from __future__ import annotations

from itertools import product

import pytest
from pathspec import GitIgnoreSpec

from tablegate.inputs.walk import NAMES, Ignores

PARTS = ("a", "ab", "b.a", ".b", "a-b")
STEPS = [parts for depth in (1, 2, 3) for parts in product(PARTS, repeat=depth)]
PATHS = [f"{'/'.join(parts)}{end}" for parts in STEPS for end in ("", "/")]


@pytest.mark.parametrize(
    "lines",
    [
        ["a"],
        ["a/"],
        ["/ab"],
        ["/ab/"],
        ["*.a"],
        ["/a*", "*-b/"],
        ["b.*"],
        ["a*b"],
        ["# a", "", ".b"],
        ["#"],
        ["a/b.a"],
        ["a", "!/a"],
        ["b.a", "\\", "ab/**"],
    ],
)
def test_names_are_told_as_git_tells_them(lines: list[str]) -> None:
    """Whether a line is a simple name or all that git knows of patterns makes no difference."""
    ignores = Ignores(lambda path: "\n".join(lines).encode() if path == f"/r/{NAMES[0]}" else None, lambda *_: None)
    within = ignores.within("/r", NAMES)
    spec = GitIgnoreSpec.from_lines([line for line in lines if line != "\\"])
    for path in PATHS:
        said = within.excludes(f"/r/{path.rstrip('/')}", is_folder=path.endswith("/"))
        assert spec.match_file(path) == said, path
