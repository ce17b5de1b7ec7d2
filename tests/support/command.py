"""The command in a process of its own, in an environment that only the test sets."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

ROOT = Path(__file__).parents[2]
PLAN = "fixtures/examples/plan.json"
TEMPLATE = "fixtures/examples/template.yaml"
CLEAN = {
    "PATH": os.environ["PATH"],
    "PYTHONPATH": f"{ROOT / 'src'}{os.pathsep}{ROOT / 'policies'}",
    "LANG": "C.UTF-8",
}
MEASURING = {key: value for key, value in os.environ.items() if key.startswith("COVERAGE_")}
ENVIRONMENT = CLEAN | MEASURING | ({"COVERAGE_FILE": str(ROOT / ".coverage")} if MEASURING else {})


def tablegate(
    *arguments: str,
    cwd: Path = ROOT,
    env: Mapping[str, str] | None = None,
    stdin: bytes = b"",
    stdout: int = subprocess.PIPE,
    python: tuple[str, ...] = (),
    measured: bool = True,
) -> subprocess.CompletedProcess[bytes]:
    """Run the command. ``python`` are options of the interpreter; coverage is measured where it is not in the way."""
    return subprocess.run(
        [sys.executable, *python, "-m", "tablegate", *arguments],
        cwd=cwd,
        env=(ENVIRONMENT if measured else CLEAN) | dict(env or {}),
        input=stdin,
        stdout=stdout,
        stderr=subprocess.PIPE,
        check=False,
    )


def shell(line: str, cwd: Path = ROOT) -> subprocess.CompletedProcess[bytes]:
    """Run a line of shell in which ``$TABLEGATE`` is the command. Nothing is measured: streams may be closed."""
    environment = CLEAN | {"TABLEGATE": f"{sys.executable} -m tablegate"}
    return subprocess.run(["sh", "-c", line], cwd=cwd, env=environment, capture_output=True, check=False)


def python(code: str) -> subprocess.CompletedProcess[bytes]:
    """Run a piece of Python beside the package."""
    return subprocess.run([sys.executable, "-c", code], cwd=ROOT, env=ENVIRONMENT, capture_output=True, check=False)


def out(ran: subprocess.CompletedProcess[bytes]) -> str:
    """What it printed to standard output."""
    return ran.stdout.decode()


def err(ran: subprocess.CompletedProcess[bytes]) -> str:
    """What it printed to standard error."""
    return ran.stderr.decode()


def written(folder: Path, **files: str) -> Path:
    """The folder, with these files written."""
    for name, text in files.items():
        (folder / name.replace("__", ".")).write_text(text)
    return folder
