"""What went wrong inside a policy: told without the text of an exception, which may hold values of an input."""

from __future__ import annotations

import traceback
from types import TracebackType

from tablegate.model.record import record
from tablegate.model.value import Place, TruthValueError

_OURS = __file__.rpartition("engine")[0]
_PYTHONS = traceback.__file__.rpartition("traceback")[0]


@record(kw_only=False)
class Crash:
    """What a predicate did instead of returning a verdict, and the line of its pack, if it is known."""

    what: str
    line: Place | None = None
    remedy: str | None = None


def crash_of(error: BaseException) -> Crash:
    """An exception as a crash. Only a text of tablegate itself is shown."""
    if type(error) is TruthValueError:
        return Crash(f"raised TypeError: {error}", line_of_pack(error))
    remedy = "correct the policy; the text of the error is not shown, as it may hold values of the input"
    return Crash(f"raised {type(error).__name__}", line_of_pack(error), remedy)


def line_of_pack(error: BaseException) -> Place | None:
    """The last line of the traceback that is in a pack, not in tablegate or Python."""
    last, step = None, error.__traceback__
    while isinstance(step, TracebackType):
        file = step.tb_frame.f_code.co_filename
        if is_of_pack(file):
            last = Place(file, step.tb_lineno)
        step = step.tb_next
    return last


def line_of_predicate(check: object) -> Place | None:
    """The line on which a predicate begins, if it is code of a pack."""
    code = getattr(check, "__code__", None)
    file = getattr(code, "co_filename", "<")
    return Place(file, getattr(code, "co_firstlineno", None)) if is_of_pack(file) else None


def is_of_pack(file: str) -> bool:
    """Whether a file of code is neither tablegate's nor Python's."""
    return not file.startswith(("<", _OURS)) and (not file.startswith(_PYTHONS) or "site-packages" in file)
