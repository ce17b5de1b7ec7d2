"""Writes the inputs of the benchmark.

python -m bench.inputs FOLDER TABLES...
"""

from __future__ import annotations

import hashlib
import sys
from pathlib import Path

from bench.plans import write_plan
from bench.repository import write_others, write_roots
from bench.shapes import Shape
from bench.sources import root_module
from bench.templates import TABLES_EACH, template

HERE = Path(__file__).parent
DOCUMENTED = 1000  # tables, at most, for which a plan with a second document each is written
PARTS = ("shapes", "resources", "plans", "sources", "templates", "repository")
ROOTS = (500, 5000)  # in the repositories


def main(folder: str, *sizes: str) -> None:
    """Write the inputs of each size, unless these very ones are there."""
    written = b"".join((HERE / f"{name}.py").read_bytes() for name in PARTS)
    digest = hashlib.sha256(written).hexdigest()
    for size in sizes:
        into = Path(folder, size)
        mark = into / "made"
        if not mark.exists() or mark.read_text() != digest:
            _write(into, int(size))
            mark.write_text(digest)
    _write_repositories(Path(folder, "repositories"), digest)


def _write_repositories(into: Path, digest: str) -> None:
    mark = into / "made"
    if mark.exists() and mark.read_text() == digest:
        return
    for roots in ROOTS:
        write_roots(into / str(roots), [Shape(number) for number in range(roots)])
    write_others(into / "others")
    mark.write_text(digest)


def _write(into: Path, size: int) -> None:
    (into / "templates").mkdir(parents=True, exist_ok=True)
    shapes = [Shape(number) for number in range(size)]
    with (into / "plan.json").open("w") as file:
        write_plan(file, shapes)
    if size <= DOCUMENTED:
        with (into / "documents.json").open("w") as file:
            write_plan(file, [Shape(number, documents=2) for number in range(size)])
    for first in range(0, len(shapes), TABLES_EACH):
        root = into / "source" / f"root-{first // TABLES_EACH:04d}"
        root.mkdir(parents=True, exist_ok=True)
        (root / "main.tf").write_text(root_module(shapes[first : first + TABLES_EACH]))
    for first in range(0, len(shapes), TABLES_EACH):
        text = template(shapes[first : first + TABLES_EACH])
        (into / "templates" / f"stack-{first // TABLES_EACH:04d}.yaml").write_text(text)


if __name__ == "__main__":
    main(*sys.argv[1:])
