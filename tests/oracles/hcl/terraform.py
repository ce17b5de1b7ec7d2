"""Asks `terraform console` what expressions and local values come to."""

from __future__ import annotations

import base64
import binascii
import json
import os
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from oracles.hcl.calls import UNKNOWN
from oracles.hcl.modules import ASKED

_ENVIRONMENT = {"TF_INPUT": "0", "TF_IN_AUTOMATION": "1", "CHECKPOINT_DISABLE": "1"}
_MODULES = {"Modules": [{"Key": "", "Source": "", "Dir": "."}, {"Key": "m", "Source": "./m", "Dir": "m"}]}


class Console:
    """A module in which calls are asked, many at a time."""

    def __init__(self) -> None:
        self._folder = tempfile.TemporaryDirectory()
        Path(self._folder.name, "main.tf").write_text('resource "terraform_data" "unknown" {}\n', encoding="utf-8")
        _terraform(self._folder.name, "init")

    def answers(self, expressions: Sequence[str]) -> list[str]:
        """What each comes to, as JSON; "refused" or "unknown"."""
        asked = [f'try(jsonencode({one.replace("UNKNOWN", UNKNOWN)}), "refused")' for one in expressions]
        found = _console(self._folder.name, asked)
        if len(found) == len(asked):
            return found
        if len(asked) == 1:
            return ["refused"]  # before it is evaluated
        half = len(asked) // 2
        return [*self.answers(expressions[:half]), *self.answers(expressions[half:])]


def module_answer(files: Mapping[str, str]) -> str:
    """What the local value of a root module comes to, as JSON; "refused" or "unknown"."""
    with tempfile.TemporaryDirectory() as folder:
        for name, text in files.items():
            path = Path(folder, name)
            path.parent.mkdir(exist_ok=True)
            path.write_text(text, encoding="utf-8")
        if any(name.startswith("m/") for name in files):
            installed = Path(folder, ".terraform", "modules")
            installed.mkdir(parents=True)
            (installed / "modules.json").write_text(json.dumps(_MODULES), encoding="utf-8")
        return next(iter(_console(folder, [ASKED])), "refused")


def _console(folder: str, expressions: Sequence[str]) -> list[str]:
    """What a list of them is shown as, item by item. Nothing if one is refused."""
    asked = ", ".join(f"base64encode(nonsensitive({one}))" for one in expressions)
    shown = _terraform(folder, "console", f"[{asked}]\n").splitlines()
    return [_shown(line.strip(" ,")) for line in shown if line.startswith("  ")]


def _shown(line: str) -> str:
    if not line.startswith('"'):
        return "unknown"
    try:
        return base64.b64decode(line.strip('"')).decode()
    except (binascii.Error, UnicodeDecodeError):
        return "unknown"


def _terraform(folder: str, command: str, lines: str = "") -> str:
    ran = subprocess.run(
        ["terraform", command, "-no-color"] if command == "init" else ["terraform", command],
        cwd=folder,
        input=lines.encode(),
        capture_output=True,
        env=os.environ | _ENVIRONMENT,
        check=False,
    )
    return ran.stdout.decode()
