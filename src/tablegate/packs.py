"""Finds and loads packs of policies, and limits what their code can do while it runs."""

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
from pathlib import Path
from types import FrameType, ModuleType
from typing import NoReturn, TypeVar

from tablegate.engine.ask import OutOfTime
from tablegate.engine.crash import line_of_pack
from tablegate.engine.judge import Guard
from tablegate.engine.settings import did_you_mean
from tablegate.interrupt import Interrupted
from tablegate.model.record import record
from tablegate.policy.declare import Policy, PolicyError, policies_in, policies_of, reject_duplicates

T = TypeVar("T")

GROUP = "tablegate.packs"
SHIPPED = "baseline"
SECONDS = 10.0  # for one policy on one input: three thousand times what the slowest of ours takes on a thousand tables

_REPEAT = 0.2  # seconds until the next OutOfTime, for a policy that catches the first
_MOST_PRINTED = 10_000  # characters that are passed on
_NUMBERS = count(1)  # of modules that are loaded from paths
_ONE_AT_A_TIME = threading.RLock()  # standard output, os._exit and the timer belong to the process
_MOST_TOLD = 300  # characters of an error


@record(kw_only=False)
class LoadedPacks:
    """The policies of all packs, and the guard to run them in."""

    policies: tuple[Policy, ...]
    guard: Guard


def load(
    names: Iterable[str],
    paths: Iterable[str | Path],
    *,
    say: Callable[[str], None] = print,
    seconds: float = SECONDS,
    limited: bool = False,
) -> LoadedPacks:
    """The shipped pack, the installed packs of these names, and the policies in these files and folders.

    What the code of other packs prints is passed to ``say``. Policies run under a limit of time if there are
    other packs, or with ``limited``. PolicyError says what is wrong with a pack.
    """
    names, paths = tuple(dict.fromkeys(names)), tuple(paths)
    modules = installed_packs()
    shipped = from_package(SHIPPED, modules.get(SHIPPED, f"tablegate_{SHIPPED}"))
    if not names and not paths:
        return LoadedPacks(shipped, guarded(say, seconds) if limited else nullcontext)

    guard = guarded(say, seconds)
    with guard():
        installed = [policy for name in names if name != SHIPPED for policy in _installed(name, modules)]
        local = [policy for path in paths for policy in from_path(path)]
    return LoadedPacks(reject_duplicates((*shipped, *installed, *local)), guard)


def installed_packs() -> dict[str, str]:
    """The module of every installed pack, by the pack's name."""
    modules: dict[str, str] = {}
    for entry in sorted(entry_points(group=GROUP)):
        if modules.setdefault(entry.name, entry.module) != entry.module:
            raise PolicyError(
                f'two installed packs are called "{entry.name}": {modules[entry.name]} and {entry.module}'
            )
    return modules


def _installed(name: str, modules: dict[str, str]) -> tuple[Policy, ...]:
    if name not in modules:
        hint = did_you_mean(name, modules)
        raise PolicyError(f'no installed pack is called "{name}"' + (f"; {hint}" if hint else ""))
    return from_package(name, modules[name])


def from_package(name: str, module: str) -> tuple[Policy, ...]:
    """The policies of an installed package."""
    what = f'pack "{name}"'
    return _at_least_one(_loaded(what, lambda: policies_in(module)), what)


def from_path(name: str | Path) -> tuple[Policy, ...]:
    """The policies of a file, or of every Python file in a folder."""
    path = Path(name)
    if path.is_dir():
        files = sorted(file for file in path.rglob("*.py") if not any(part.startswith(".") for part in file.parts[1:]))
    elif path.is_file():
        files = [path]
    else:
        raise PolicyError(f"{path.as_posix()}: no such file or folder")
    modules = [_loaded(file.as_posix(), lambda file=file: _module(file)) for file in files]  # type: ignore[misc]
    return _at_least_one(policies_of(modules), path.as_posix())


def _at_least_one(policies: tuple[Policy, ...], what: str) -> tuple[Policy, ...]:
    if not policies:
        raise PolicyError(f"{what} declares no policy")
    return policies


def _loaded(what: str, load: Callable[[], T]) -> T:
    """What ``load`` returns. Any error it raises becomes a PolicyError with the pack, or its file and line."""
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
        line = line_of_pack(error)
        raise PolicyError(f"{line.file}:{line.line}: {error}" if line else str(error)) from None
    except BaseException as error:  # noqa: BLE001  a pack may raise anything, SystemExit too
        line = line_of_pack(error)
        where = f"{line.file}:{line.line}" if line else what
        text = " ".join(str(error).split())[:_MOST_TOLD]  # no input is read yet that it could quote
        raise PolicyError(f"{where}: {type(error).__name__} while loading{f': {text}' if text else ''}") from None


def _module(file: Path) -> ModuleType:
    """The file as a module with a unique name. No bytecode is written beside it."""
    module = ModuleType(f"_tablegate_pack_{next(_NUMBERS)}_{file.stem}")
    module.__file__ = str(file)
    sys.modules[module.__name__] = module  # typing looks up the module of a class there
    tree = ast.parse(file.read_bytes(), str(file))
    _refuse_duplicates(tree, file)
    exec(compile(tree, str(file), "exec", dont_inherit=True), module.__dict__)  # noqa: S102  what --policies is for
    return module


def _refuse_duplicates(tree: ast.Module, file: Path) -> None:
    """Refuse two functions of one name: Python would keep the last, and a policy would be lost."""
    names: set[str] = set()
    for node in tree.body:
        if isinstance(node, ast.FunctionDef):
            if node.name in names:
                raise PolicyError(f"{file}:{node.lineno}: {node.name} is defined twice")
            names.add(node.name)


def guarded(say: Callable[[str], None], seconds: float) -> Guard:
    """A guard for one policy on one input: it has a time limit, cannot end the process, and its output goes to say.

    Threads take turns.
    """

    @contextmanager
    def guard() -> Iterator[None]:
        with _ONE_AT_A_TIME:
            printed = _Printed()
            try:
                with redirect_stdout(printed), _exit_refused(), _limited(seconds):
                    yield
            finally:
                text = printed.getvalue()
                if text:
                    say(text[:_MOST_PRINTED])

    return guard


class _Printed(StringIO):
    """Takes what a pack prints. The pack cannot close it, and other threads print to standard output as before."""

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
def _exit_refused() -> Iterator[None]:
    """Make an error of os._exit, which ends a process without a word, also with code 0. It is no sandbox."""
    leave = os._exit
    os._exit = _refuse_exit  # type: ignore[assignment]
    try:
        yield
    finally:
        os._exit = leave


def _refuse_exit(_status: int) -> NoReturn:
    raise SystemExit


@contextmanager
def _limited(seconds: float) -> Iterator[None]:
    """Raise OutOfTime after so many seconds. In other threads, and without timers, there is no limit."""
    if threading.current_thread() is not threading.main_thread() or not hasattr(signal, "setitimer"):
        yield
        return
    before = signal.signal(signal.SIGALRM, _out_of_time)
    signal.setitimer(signal.ITIMER_REAL, seconds, _REPEAT)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def _out_of_time(_signal: int, _frame: FrameType | None) -> None:
    raise OutOfTime
