"""The command line: arguments in, text and an exit code out. It decides nothing, and imports only what a run needs."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from typing import NoReturn

INTERRUPTED = 130


def main() -> NoReturn:
    """The console script."""
    code = run(sys.argv[1:])
    sys.exit(code)


def run(arguments: Sequence[str]) -> int:
    """Run one command. Whatever goes wrong inside ends in code 4, never in Python's own 1, which means blocked."""
    try:
        return _version() if list(arguments) == ["--version"] else _command(arguments)
    except KeyboardInterrupt:
        return INTERRUPTED
    except BaseException as error:  # noqa: BLE001 - also what a pack raises to end the process
        return _crashed(error, debug="--debug" in arguments)


def _version() -> int:
    from tablegate import __version__
    from tablegate.cli.output import emit

    emit(f"tablegate {__version__}\n")
    return 0


def _command(arguments: Sequence[str]) -> int:
    from tablegate.cli.commands import command

    return command(arguments)


def _crashed(error: BaseException, *, debug: bool) -> int:
    """One line, without the error's own text: that may quote an input."""
    if isinstance(error, SystemExit) and "_TABLEGATE_COMPLETE" in os.environ:
        return error.code if isinstance(error.code, int) else 0
    from tablegate.cli.output import note

    note(f"tablegate: internal error: {type(error).__name__} (--debug shows where)")
    if debug:
        import traceback

        note("".join(traceback.format_tb(error.__traceback__)))
    return 4
