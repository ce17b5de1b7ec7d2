"""The command line: arguments in, text and an exit code out. It decides nothing, and imports only what a run needs."""

from __future__ import annotations

import gc
import os
import sys
from contextlib import suppress

from tablegate import __version__
from tablegate.cli.output import OutputError, emit, note
from tablegate.interrupt import raised_on_ctrl_c

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import NoReturn


USAGE = 2
INTERRUPTED = 130
BROKEN_PIPE = 141
DEBUG = "--debug"


def main() -> NoReturn:
    """The console script. Its process is short-lived: it collects no garbage, and ends without a teardown."""
    gc.disable()
    code = run(sys.argv[1:])
    for stream in (sys.stdout, sys.stderr):
        with suppress(AttributeError, OSError, ValueError):
            stream.flush()  # output has its own flush, whose errors count; this is for what others printed
    os._exit(code)


def run(arguments: Sequence[str]) -> int:
    """Run one command. An error of tablegate's own is exit code 4, never Python's 1, which means blocked."""
    try:
        rest = [argument for argument in arguments if argument != DEBUG]
        return _version() if rest == ["--version"] else _command(rest)
    except KeyboardInterrupt:
        return INTERRUPTED
    except BaseException as error:  # noqa: BLE001 - also what a pack raises to end the process
        return _crashed(error, debug=DEBUG in arguments)


def _version() -> int:
    from tablegate.aws_schemas import SCHEMAS_AS_OF
    from tablegate.iam.aws_data import ACTIONS_AS_OF, MANAGED_AS_OF

    dates = f"AWS actions of {ACTIONS_AS_OF}, managed policies of {MANAGED_AS_OF}, schemas of {SCHEMAS_AS_OF}"
    emit(f"tablegate {__version__} ({dates})\n")  # type: ignore[arg-type]  # our own words, without an import
    return 0


def _command(arguments: Sequence[str]) -> int:
    from tablegate.cli.commands import run_command

    try:
        with raised_on_ctrl_c():
            return run_command(arguments)
    except Exception as error:
        lines = _usage_error(error)
        if lines is None:
            raise
        note(*lines)
        return USAGE


def _usage_error(error: Exception) -> tuple[str, ...] | None:
    """What to print if the error is the user's: wrong arguments, configuration or pack. None for any other error."""
    # The errors of click, or of the copy of it inside Typer, have this method.
    format_message = getattr(error, "format_message", None)
    if format_message is not None:
        message, *help_page = format_message().splitlines() or [""]
        if help_page:  # a command was called without arguments
            return "tablegate: a command is needed", message, *help_page
        return f"tablegate: {message or 'a command is needed'}", "try: tablegate --help"
    from tablegate.engine.settings import ConfigError
    from tablegate.policy.declare import PolicyError

    if isinstance(error, ConfigError):
        return (f"tablegate: {error.message}", *([f"hint: {error.hint}"] if error.hint else []))
    if isinstance(error, PolicyError):
        return (f"tablegate: {error}",)
    return None


def _crashed(error: BaseException, *, debug: bool) -> int:
    """Print one line, without the error's own text: that may quote an input."""
    if isinstance(error, SystemExit) and "_TABLEGATE_COMPLETE" in os.environ:
        return error.code if isinstance(error.code, int) else 0
    if isinstance(error, SystemExit) and isinstance(error.__context__, BrokenPipeError):
        return BROKEN_PIPE  # the reader of a help page left
    if isinstance(error, OutputError):
        note(f"tablegate: {error}")
        return 4
    note(f"tablegate: internal error: {type(error).__name__} (--debug shows where)")
    if debug:
        import traceback

        note(*(line for entry in traceback.format_tb(error.__traceback__) for line in entry.splitlines()))
    return 4
