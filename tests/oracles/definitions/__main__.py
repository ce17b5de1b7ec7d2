"""Holds tablegate against the service's rules: `make oracle-definitions N=… SEED=…`.

Every single change of some sound definitions, and N with several changes at random, are written in each language that
can say them. The exit code is 1 if one that the service refuses passes, or one that it takes does not.
"""

from __future__ import annotations

import argparse
import json
import sys
from itertools import chain, islice

from oracles.definitions import generate, sample

_SHOWN = 12  # differences of one language
_SIZE = 4000  # of the sample
_SINGLE = 1000  # definitions with one change in the sample, or a few more


def main(words: list[str]) -> int:
    """Compare, and replace the sample on demand."""
    arguments = argparse.ArgumentParser(prog="make oracle-definitions")
    arguments.add_argument("count", type=int)
    arguments.add_argument("seed")
    arguments.add_argument("--sample", action="store_true", help="replace the sample in fixtures/oracles")
    chosen = arguments.parse_args(words)
    print(f"seed {chosen.seed}")
    definitions = chain(generate.single_changes(), generate.at_random(chosen.seed))
    cases = list(islice(sample.cases(definitions), _SIZE if chosen.sample else _SINGLE + chosen.count))
    if chosen.sample:
        sample.write(cases)
    wrong = 0
    for language in sample.LANGUAGES:
        found = list(sample.differences(language, cases))
        said, refused = sample.said_in(language, cases)
        print(f"{language}: {said} said, {refused} refused by the service, {len(found)} DIFFERENT")
        for rules, objections, body in found[:_SHOWN]:
            print(
                f"  {', '.join(rules) or 'taken'}, here {', '.join(sorted(objections)) or 'held'}: {json.dumps(body)}"
            )
        wrong += len(found)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
