"""The command line: arguments in, text and an exit code out. It decides nothing, and imports only what a run needs."""

from __future__ import annotations

import gc
import os
import sys
from contextlib import suppress

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import NoReturn


USAGE = 2
INTERRUPTED = 130
BROKEN_PIPE = 141
DEBUG = "--debug"


def main() -> NoReturn:
    """The console script. It is short-lived: no garbage is collected in it, and nothing is taken apart at its end."""
    gc.disable()
    code = run(sys.argv[1:])
    for stream in (sys.stdout, sys.stderr):
        with suppress(AttributeError, OSError, ValueError):
            stream.flush()  # what was due has been flushed, and judged, when it was written
    os._exit(code)


def run(arguments: Sequence[str]) -> int:
    """Run one command. Whatever goes wrong inside ends in code 4, never in Python's own 1, which means blocked."""
    try:
        wanted = [argument for argument in arguments if argument != DEBUG]
        return _version() if wanted == ["--version"] else _command(wanted)
    except KeyboardInterrupt:
        return INTERRUPTED
    except BaseException as error:  # noqa: BLE001 - also what a pack raises to end the process
        return _crashed(error, debug=DEBUG in arguments)


def _version() -> int:
    from tablegate import __version__
    from tablegate.cli.output import emit
    from tablegate.iam.aws_data import ACTIONS_AS_OF, MANAGED_AS_OF

    emit(f"tablegate {__version__} (AWS actions of {ACTIONS_AS_OF}, managed policies of {MANAGED_AS_OF})\n")
    return 0


def _command(arguments: Sequence[str]) -> int:
    from tablegate.interrupt import heeded

    try:
        with heeded():
            return _obeyed(arguments)
    except Exception as error:
        told = _told(error)
        if told is None:
            raise
        from tablegate.cli.output import note

        note(*told)
        return USAGE


def _obeyed(arguments: Sequence[str]) -> int:
    from tablegate.cli.commands import command

    return command(arguments)


def _told(error: Exception) -> tuple[str, ...] | None:
    """What the user did that cannot be meant, or None where it is not their mistake."""
    # The errors of click, or of the copy of it inside Typer, can speak for themselves.
    speak = getattr(error, "format_message", None)
    if speak is not None:
        return f"tablegate: {speak() or 'a command is needed'}", "try: tablegate --help"
    from tablegate.engine.settings import ConfigError
    from tablegate.policy.declare import PolicyError

    if isinstance(error, ConfigError):
        return (f"tablegate: {error.message}", *([f"hint: {error.hint}"] if error.hint else []))
    if isinstance(error, PolicyError):
        return (f"tablegate: {error}",)
    return None


def _crashed(error: BaseException, *, debug: bool) -> int:
    """One line, without the error's own text: that may quote an input."""
    if isinstance(error, SystemExit) and "_TABLEGATE_COMPLETE" in os.environ:
        return error.code if isinstance(error.code, int) else 0
    if isinstance(error, SystemExit) and isinstance(error.__context__, BrokenPipeError):
        return BROKEN_PIPE  # the reader of a help page left
    from tablegate.cli.output import OutputError, note

    if isinstance(error, OutputError):
        note(f"tablegate: {error}")
        return 4
    note(f"tablegate: internal error: {type(error).__name__} (--debug shows where)")
    if debug:
        import traceback

        note(*(line for entry in traceback.format_tb(error.__traceback__) for line in entry.splitlines()))
    return 4
