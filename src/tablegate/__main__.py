"""``python -m tablegate``: the command, with nothing of the working directory in the way."""

from __future__ import annotations

import sys

from tablegate.cli import main

if not sys.flags.safe_path:
    del sys.path[0]  # python -m puts the working directory first: a json.py there would be run


main()
