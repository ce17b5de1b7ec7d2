"""The committed sample: cases with their answers, which tests hold against without a translator."""

from __future__ import annotations

import json
import lzma
from collections.abc import Iterator
from pathlib import Path

from oracles.cloudformation import sam
from oracles.cloudformation.case import Case
from oracles.cloudformation.families import FAMILIES, case_of, text_of
from oracles.cloudformation.sam import Pair

SAMPLE = Path(__file__).parents[3] / "fixtures" / "oracles" / "cloudformation" / "sample.jsonl.xz"
OF_EACH_FAMILY, OF_SAM = 40, 130


def write_sample(seed: str, python: str | None) -> str:
    """Write the sample, and say how large it is."""
    lines = [json.dumps({"text": text, **case._asdict()}) for case, text in _cases(seed)]
    if python is not None:
        lines += [json.dumps(pair._asdict()) for pair in sam.pairs(seed, OF_SAM, python)]
    SAMPLE.write_bytes(lzma.compress("\n".join(lines).encode(), preset=9))
    return f"{len(lines)} cases, {SAMPLE.stat().st_size} bytes in {SAMPLE.name}"


def _cases(seed: str) -> Iterator[tuple[Case, str]]:
    for family in FAMILIES:
        for number in range(OF_EACH_FAMILY):
            name = f"{seed}-{number}"
            case = case_of(family, name)
            yield case, text_of(case, name)


def read_sample() -> tuple[list[tuple[Case, str]], list[Pair]]:
    """The cases with their texts, and the pairs of SAM."""
    cases: list[tuple[Case, str]] = []
    translated: list[Pair] = []
    for line in lzma.decompress(SAMPLE.read_bytes()).decode().splitlines():
        entry = json.loads(line)
        if "translated" in entry:
            translated.append(Pair(**entry))
        else:
            text = entry.pop("text")
            cases.append((Case(**entry), text))
    return cases, translated
