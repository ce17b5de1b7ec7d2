"""``python -m tablegate``: the command, with nothing of the working directory in the way."""

import sys

if not sys.flags.safe_path:
    del sys.path[0]  # python -m puts the working directory first: a json.py there would be run

from tablegate.cli import main

main()
