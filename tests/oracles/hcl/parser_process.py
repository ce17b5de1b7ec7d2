"""HashiCorp's parser as a process: built from `parser/`, asked file by file."""

from __future__ import annotations

import base64
import json
import subprocess
from pathlib import Path
from typing import Any

_CODE = Path(__file__).parent / "parser"
_BUILT = Path(__file__).parents[3] / "build" / "oracle-hcl"


class Parser:
    """The running process."""

    def __enter__(self) -> Parser:
        _BUILT.parent.mkdir(exist_ok=True)
        subprocess.run(["go", "build", "-o", str(_BUILT), "."], cwd=_CODE, check=True)
        command = [str(_BUILT), str(_CODE / "schemas.json")]
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        return self

    def __exit__(self, *_: object) -> None:
        self._process.communicate()

    def answer(self, name: str, data: bytes) -> dict[str, Any]:
        """What it reads in a file."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        question = json.dumps({"name": name, "data": base64.b64encode(data).decode()})
        self._process.stdin.write(question.encode() + b"\n")
        self._process.stdin.flush()
        answer: dict[str, Any] = json.loads(self._process.stdout.readline())
        return answer
