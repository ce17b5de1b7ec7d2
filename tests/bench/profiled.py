"""Where the time of one check goes.

make profile I=plan.json
"""

from __future__ import annotations

import cProfile
import os
import pstats
import sys

from tablegate.cli import run

SHOWN = 40


def main(*inputs: str) -> None:
    """Check the inputs with every policy on, and print the functions that took longest themselves."""
    profile = cProfile.Profile()
    kept = os.dup(1)
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    profile.enable()
    run(["check", "--no-config", "--select", "ALL", "--jobs", "1", *inputs])
    profile.disable()
    os.dup2(kept, 1)
    pstats.Stats(profile).sort_stats("tottime").print_stats(SHOWN)


if __name__ == "__main__":
    main(*sys.argv[1:])
