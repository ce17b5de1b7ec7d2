"""Find, load and guard packs of policies."""

from __future__ import annotations

import ast
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, nullcontext, redirect_stdout
from importlib.metadata import entry_points
from io import StringIO
from itertools import count
from types import FrameType, ModuleType
from typing import NoReturn, TypeVar

from tablegate.engine.ask import OutOfTime
from tablegate.engine.judge import Guard
from tablegate.engine.settings import did_you_mean
from tablegate.interrupt import Interrupted
from tablegate.model.record import record
from tablegate.policy.declare import Policy, PolicyError, policies_in, policies_of, reject_duplicates

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pathlib import Path


GROUP = "tablegate.packs"


def installed_packs() -> dict[str, str]:
    """The module of every installed pack, by the pack's name."""
    modules: dict[str, str] = {}
    for entry in sorted(entry_points(group=GROUP)):
        if modules.setdefault(entry.name, entry.module) != entry.module:
            raise PolicyError(
                f'two installed packs are called "{entry.name}": {modules[entry.name]} and {entry.module}'
            )
    return modules


T = TypeVar("T")

_OURS = os.path.dirname(os.path.dirname(__file__))
_PYTHONS = os.path.dirname(os.__file__)


def from_package(name: str, module: str) -> tuple[Policy, ...]:
    """The policies of an installed package."""
    policies = _loaded(f'pack "{name}"', lambda: policies_in(module))
    return _some(policies, f'pack "{name}"')


def from_path(named: str | Path) -> tuple[Policy, ...]:
    """The policies of a file, or of every Python file in a folder."""
    from pathlib import Path

    path = Path(named)
    if path.is_dir():
        files = sorted(file for file in path.rglob("*.py") if not any(part.startswith(".") for part in file.parts[1:]))
    elif path.is_file():
        files = [path]
    else:
        raise PolicyError(f"{path.as_posix()}: there is no such file or folder")
    modules = [_loaded(file.as_posix(), lambda file=file: _module(file)) for file in files]  # type: ignore[misc]
    return _some(policies_of(modules), path.as_posix())


def _loaded(what: str, load: Callable[[], T]) -> T:
    """What the loader gives. Whatever it raises becomes a PolicyError that names the pack, the file and the line."""
    try:
        return load()
    except OutOfTime:
        raise PolicyError(f"{what} does not end") from None
    except Interrupted:
        raise
    except SyntaxError as error:
        where = f"{error.filename}:{error.lineno}" if error.lineno else what
        raise PolicyError(f"{where}: {error.msg}") from None
    except PolicyError as error:
        line = _line(error)
        raise PolicyError(f"{line}: {error}" if line else str(error)) from None
    except BaseException as error:  # noqa: BLE001  a pack may raise anything, SystemExit too
        text = f": {error}" if isinstance(error, ImportError) else ""
        raise PolicyError(f"{_line(error) or what}: {type(error).__name__} while it is loaded{text}") from None


def _line(error: BaseException) -> str | None:
    """The line of the pack's own code from which the error came: the last one that is not the tool's or Python's."""
    from traceback import extract_tb

    frames = [frame for frame in extract_tb(error.__traceback__) if _is_strange(frame.filename)]
    return f"{frames[-1].filename}:{frames[-1].lineno}" if frames else None


def _is_strange(file: str) -> bool:
    return not file.startswith(("<", _OURS)) and (not file.startswith(_PYTHONS) or "site-packages" in file)


_NUMBERS = count(1)  # of modules that are loaded from paths


def _module(file: Path) -> ModuleType:
    """The file as a module under a name of its own, from the bytes as they were read: nothing is cached beside it."""
    import ast

    module = ModuleType(f"_tablegate_pack_{next(_NUMBERS)}_{file.stem}")
    module.__file__ = str(file)
    sys.modules[module.__name__] = module  # what looks up a class's module must find it
    tree = ast.parse(file.read_bytes(), str(file))
    _refuse_twins(tree, file)
    exec(compile(tree, str(file), "exec", dont_inherit=True), module.__dict__)  # noqa: S102  what --policies is for
    return module


def _refuse_twins(tree: ast.Module, file: Path) -> None:
    """Two functions of one name: Python would keep the last, and a policy would be lost in silence."""
    import ast

    seen: set[str] = set()
    for node in tree.body:
        if isinstance(node, ast.FunctionDef):
            if node.name in seen:
                raise PolicyError(f"{file}:{node.lineno}: {node.name} is defined twice")
            seen.add(node.name)


def _some(policies: tuple[Policy, ...], what: str) -> tuple[Policy, ...]:
    if not policies:
        raise PolicyError(f"{what} declares no policy")
    return policies


SHIPPED = "baseline"
SECONDS = 10.0  # three thousand times what the slowest of ours takes on a thousand tables


@record(kw_only=False)
class LoadedPacks:
    """The policies of all packs, and what must surround them while they run."""

    policies: tuple[Policy, ...]
    guard: Guard


def load(
    names: Iterable[str], paths: Iterable[str | Path], *, say: Callable[[str], None] = print, seconds: float = SECONDS
) -> LoadedPacks:
    """The shipped pack, the installed packs of these names, and what lies at the paths.

    Whatever code of others prints goes to ``say``, and it has so many seconds for one policy on one input.
    PolicyError says what is wrong with a pack.
    """
    strangers, paths = tuple(dict.fromkeys(names)), tuple(paths)
    found = installed_packs()
    shipped = from_package(SHIPPED, found.get(SHIPPED, f"tablegate_{SHIPPED}"))
    if not strangers and not paths:
        return LoadedPacks(shipped, nullcontext)

    guard = guarded(say, seconds)
    with guard():
        named = [policy for name in strangers if name != SHIPPED for policy in _named(name, found)]
        lying = [policy for path in paths for policy in from_path(path)]
    return LoadedPacks(reject_duplicates((*shipped, *named, *lying)), guard)


def _named(name: str, found: dict[str, str]) -> tuple[Policy, ...]:
    if name not in found:
        hint = did_you_mean(name, found)
        raise PolicyError(f'no installed pack is called "{name}"' + (f"; {hint}" if hint else ""))
    return from_package(name, found[name])


_AGAIN = 0.2  # for a policy that catches everything, also what should end it
_MUCH = 10_000
_ONE_AT_A_TIME = threading.RLock()  # standard output, os._exit and the timer belong to the process


def guarded(say: Callable[[str], None], seconds: float) -> Guard:
    """What surrounds one policy while it runs on one input. Threads take turns."""

    @contextmanager
    def guard() -> Iterator[None]:
        with _ONE_AT_A_TIME:
            printed = _Printed()
            try:
                with redirect_stdout(printed), _staying(), _limited(seconds):
                    yield
            finally:
                text = printed.getvalue()
                if text:
                    say(text[:_MUCH])

    return guard


class _Printed(StringIO):
    """Where a pack prints. It cannot close it, and what other threads print goes where it always goes."""

    def __init__(self) -> None:
        super().__init__()
        self._thread = threading.get_ident()
        self._stdout = sys.stdout

    def write(self, text: str) -> int:
        """Keep what this thread prints."""
        return super().write(text) if threading.get_ident() == self._thread else self._stdout.write(text)

    def close(self) -> None:
        """Stay open."""


@contextmanager
def _staying() -> Iterator[None]:
    """Turn the one call that ends a process without a word, with code 0 at will, into an error. No sandbox: a slip."""
    leave = os._exit
    os._exit = _refuse  # type: ignore[assignment]
    try:
        yield
    finally:
        os._exit = leave


def _refuse(_status: int) -> NoReturn:
    raise SystemExit


@contextmanager
def _limited(seconds: float) -> Iterator[None]:
    """Raise OutOfTime in the main thread when the time is over. Elsewhere, and without timers, there is no limit."""
    if threading.current_thread() is not threading.main_thread() or not hasattr(signal, "setitimer"):
        yield
        return
    before = signal.signal(signal.SIGALRM, _out_of_time)
    signal.setitimer(signal.ITIMER_REAL, seconds, _AGAIN)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def _out_of_time(_signal: int, _frame: FrameType | None) -> None:
    raise OutOfTime
