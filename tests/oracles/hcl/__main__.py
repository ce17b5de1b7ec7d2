"""Holds tablegate's reading of Terraform source against HashiCorp's parser and Terraform: `make oracle-hcl N=… SEED=…`.

Both read N files. `terraform console` is asked what N / 10 calls of functions and operators come to, and the local value
of N / 60 root modules with odd variables, files of values and override files. The exit code is 1 if something is read
otherwise than there, or refused though it is legal; what tablegate leaves unknown is counted. A part whose program is
missing, Go or Terraform, is skipped.
"""

from __future__ import annotations

import argparse
import shutil
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from typing import TypeVar

from oracles.hcl import calls, modules, readings, sample
from oracles.hcl.files import files
from oracles.hcl.parser_process import Parser
from oracles.hcl.terraform import Console, module_answer

_BATCH = 400  # calls asked at once
_SHOWN = 12  # differences of one part
_FINE = ("same", "same error", "only here", "limit", "unknown here", "known later")
_LATER = ('"x"', '"true"', '"false"', '"1"')  # what a text may be that is known only after apply

T = TypeVar("T")
Judged = tuple[str, object, object, object]  # how they compare, the question, the answer there and here


def main(words: list[str]) -> int:
    """Run the parts whose programs are there."""
    arguments = argparse.ArgumentParser(prog="make oracle-hcl")
    arguments.add_argument("files", type=int)
    arguments.add_argument("seed")
    arguments.add_argument("--calls", type=int)
    arguments.add_argument("--modules", type=int)
    arguments.add_argument("--sample", action="store_true", help="replace the sample in fixtures/oracles")
    chosen = arguments.parse_args(words)
    many_calls = chosen.files // 10 if chosen.calls is None else chosen.calls
    many_modules = chosen.files // 60 if chosen.modules is None else chosen.modules
    parts: list[tuple[str, int, str, Callable[[], Iterable[Judged]]]] = [
        ("files", chosen.files, "go", lambda: _files(chosen.files, chosen.seed)),
        ("calls", many_calls, "terraform", lambda: _calls(many_calls, chosen.seed)),
        ("modules", many_modules, "terraform", lambda: _modules(many_modules, chosen.seed)),
    ]
    print(f"seed {chosen.seed}")
    wrong = 0
    asked: list[sample.Case] = []
    for name, count, program, judge in parts:
        if shutil.which(program) is None:
            print(f"{name}: skipped {count}, since there is no {program}")
            continue
        judged = list(judge())
        asked += (sample.Case(name, one[1], one[2]) for one in judged)
        wrong += _tell(name, judged)
    if chosen.sample:
        sample.write(asked)
    return 1 if wrong else 0


def _tell(name: str, judged: list[Judged]) -> int:
    """Print the counts and the first differences; how many there are."""
    kinds = Counter(kind if kind in _FINE else "DIFFERENT" for kind, *_ in judged)
    print(f"{name}: {len(judged)},", ", ".join(f"{kind} {count}" for kind, count in kinds.most_common()))
    different = [one for one in judged if one[0] not in _FINE]
    for kind, question, there, here in islice(different, _SHOWN):
        print(f"  {kind}\n    {question!r:.600}\n    there {there!r:.400}\n    here  {here!r:.400}")
    return len(different)


def _files(count: int, seed: str) -> Iterator[Judged]:
    with Parser() as parser:
        for name, data in files(count, seed):
            there = parser.answer(name, data)
            try:
                here = readings.reading(name, data)
            except Exception as error:  # noqa: BLE001 - a crash is a difference
                yield f"crash: {error!r}", (name, data), there, None
                continue
            yield readings.verdict(there, here), (name, data), there, here


def _calls(count: int, seed: str) -> Iterator[Judged]:
    console = Console()
    expressions = calls.calls(count, seed)
    while batch := list(islice(expressions, _BATCH)):
        for expression, there in zip(batch, console.answers(batch), strict=True):
            judged = _judged(expression, there, calls.answered)
            yield ("known later", *judged[1:]) if judged[0] == "known here" and _holds(console, judged) else judged


def _holds(console: Console, judged: Judged) -> bool:
    """Whether what is known here is so whatever is known only after apply."""
    _, expression, _, here = judged
    answers = console.answers([str(expression).replace("UNKNOWN", text) for text in _LATER])
    return {here} == (set(answers) - {"refused"} or {"refused"})


def _modules(count: int, seed: str) -> Iterator[Judged]:
    for one in modules.modules(count, seed):
        judged = _judged(one, module_answer(one), modules.answered)
        # Terraform refuses the whole configuration.
        yield (
            ("only here", *judged[1:]) if judged[2] == "refused" and judged[0] in ("value", "unknown here") else judged
        )


def _judged(question: T, there: str, answered: Callable[[T], str]) -> Judged:
    try:
        here = answered(question)
    except Exception as error:  # noqa: BLE001 - a crash is a difference
        return f"crash: {error!r}", question, there, None
    return calls.compared(there, here), question, there, here


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
