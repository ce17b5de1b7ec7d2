"""Modules into policies. A pack that does not load stops the run: a gate that silently lost a policy is worse."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from types import ModuleType
from typing import TYPE_CHECKING, TypeVar

from tablegate.engine.ask import OutOfTime
from tablegate.interrupt import Interrupted
from tablegate.policy.declare import Policy, PolicyError, policies_of
from tablegate.policy.package import policies_in

if TYPE_CHECKING:
    import ast
    from pathlib import Path

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


def _module(file: Path) -> ModuleType:
    """The file as a module under a name of its own, from the bytes as they were read: nothing is cached beside it."""
    import ast

    module = ModuleType(f"_tablegate_pack_{len(sys.modules)}_{file.stem}")
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
