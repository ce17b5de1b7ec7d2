"""The committed sample: questions with the answers of HashiCorp's parser and of Terraform."""

from __future__ import annotations

import gzip
import json
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any, NamedTuple

_SIZES = {"files": 2000, "calls": 850, "modules": 150}
_LONGEST = 600  # characters of a file
SAMPLE = Path(__file__).parents[3] / "fixtures" / "oracles" / "hcl.jsonl.gz"


class Case(NamedTuple):
    """A file, a call or a module, and what is made of it there."""

    part: str
    question: Any
    answer: Any


def write(cases: Iterable[Case]) -> None:
    """Replace the sample by the first short cases that are legal and known there."""
    left = Counter(_SIZES)
    chosen: list[Case] = []
    for case in cases:
        refused = "error" in case.answer if case.part == "files" else case.answer == "unknown"
        if left[case.part] and not refused and len(str(case.question)) < _LONGEST:
            left[case.part] -= 1
            chosen.append(case)
    lines = "".join(
        json.dumps([case.part, _as_text(case.question), case.answer], sort_keys=True) + "\n" for case in chosen
    )
    SAMPLE.parent.mkdir(exist_ok=True)
    SAMPLE.write_bytes(gzip.compress(lines.encode(), mtime=0))


def read() -> list[Case]:
    """The cases of the sample. The bytes of a file are Latin-1 in it."""
    lines = gzip.decompress(SAMPLE.read_bytes()).decode().splitlines()
    return [Case(*json.loads(line)) for line in lines]


def _as_text(question: Any) -> Any:
    if isinstance(question, tuple):
        name, data = question
        return [name, data.decode("latin-1")]
    return question
