"""Holds templates against SAM's translator, and against answers that are known by construction.

    make oracle-cfn N=10000 SEED=mine

Every difference that has no name in ``sam.NAMED`` is printed, with the seed that makes its template again.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from time import monotonic

from oracles.cloudformation import sam
from oracles.cloudformation.families import FAMILIES, case_of, text_of
from oracles.cloudformation.sample import write_sample
from oracles.cloudformation.seen import differences, milder

MOST_SHOWN = 40


def main() -> int:
    """The exit code: 1 if anything differs."""
    parser = argparse.ArgumentParser(prog="make oracle-cfn")
    parser.add_argument("number", type=int, help="how many templates")
    parser.add_argument("seed", help="any word: the same one makes the same templates")
    parser.add_argument("--sam", metavar="PYTHON", help="a Python that has aws-sam-translator")
    parser.add_argument("--sample", action="store_true", help="write the committed sample instead")
    asked = parser.parse_args()
    if asked.sample:
        print(write_sample(asked.seed, asked.sam))
        return 0
    found: Counter[str] = Counter()
    first: dict[str, str] = {}
    each = max(1, asked.number // (len(FAMILIES) + 1))
    for family in FAMILIES:
        begun = monotonic()
        same = 0
        for number in range(each):
            name = f"{asked.seed}-{number}"
            case = case_of(family, name)
            differing = differences(case, text_of(case, name))
            if case.can_be_opened and number % 4 == 0:
                differing += milder(case)
            same += not differing
            for one in differing:
                found[f"{family}: {one}"] += 1
                first.setdefault(f"{family}: {one}", name)
        print(f"{family}: {each} templates, {same} alike, {monotonic() - begun:.0f} s", flush=True)
    if asked.sam is None:
        print("serverless: skipped, since there is no aws-sam-translator")
    else:
        compared = sam.compare(asked.seed, each, asked.sam)
        print(compared.summary)
        found.update(compared.found)
        first.update(compared.first)
    for what, number in found.most_common(MOST_SHOWN):
        print(f"{number:5} {what}  (seed {first[what]})")
    print(f"{found.total()} differences")
    return 1 if found else 0


sys.exit(main())
