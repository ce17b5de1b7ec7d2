"""Finds the configuration: upwards from a folder to the root of its git repository, or at a git ref."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from typing import Any

from tablegate.engine.settings import ConfigError
from tablegate.model.record import record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pathlib import Path


OWN = "tablegate.toml"
SHARED = "pyproject.toml"

_REF = r"[A-Za-z0-9][A-Za-z0-9._/@{}^~+-]*"


@record(kw_only=False)
class ConfigFile:
    """One configuration file: what reports call it, its text, its table, and the folder its paths start from."""

    name: str
    text: str
    table: Mapping[str, Any]
    folder: str

    def line_of(self, keys: tuple[str, ...]) -> int | None:
        """The line where the innermost of the keys that can be found is written."""
        lines = self.text.splitlines()
        start, line = 0, None
        for key in keys:
            quoted = rf"[\"']?{re.escape(key)}[\"']?"
            written = re.compile(rf"\s*(\[[^\]]*\b{quoted}|{quoted}\s*[=.])|.*[{{,]\s*{quoted}\s*=")
            hit = next((number for number in range(start, len(lines)) if written.match(lines[number])), None)
            if hit is not None:
                start, line = hit, hit + 1
        return line


def named_file(file: str | Path) -> ConfigFile:
    """The file that somebody named: it must be there, and it must configure tablegate."""
    from pathlib import Path  # 2 ms, and most runs can do without

    path = Path(file)
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, ValueError) as error:
        raise ConfigError(f"{path.as_posix()} cannot be read: {_reason(error)}") from None
    found = _found(path.as_posix(), text, str(path.parent), own=path.name != SHARED)
    if found is None:
        raise ConfigError(f"{path.as_posix()} holds no [tool.tablegate]")
    return found


def nearest_file(start: str) -> ConfigFile | None:
    """The nearest file that configures tablegate, from the folder up to the root of its git repository."""
    for folder in _folders(start):
        for name in (OWN, SHARED):
            path = os.path.join(folder, name)
            if os.path.isfile(path):
                found = _found(_relative(path, start), _text(path), folder, own=name == OWN)
                if found is not None:
                    return found
    return None


def file_at_ref(ref: str, start: str) -> ConfigFile | None:
    """The same, as it is at a git ref: what the working tree holds is not looked at."""
    if not re.fullmatch(_REF, ref):
        raise ConfigError(f'"{ref}" is no name of a git ref')
    if _git(start, "rev-parse", "--verify", "--quiet", f"{ref}^{{commit}}") is None:
        raise ConfigError(f'the git ref "{ref}" is not known here', hint="fetch it first")
    for folder in _folders(start):
        for name in (OWN, SHARED):
            text = _git(folder, "cat-file", "blob", f"{ref}:./{name}")
            if text is not None:
                found = _found(f"{ref}:{_relative(os.path.join(folder, name), start)}", text, folder, own=name == OWN)
                if found is not None:
                    return found
    return None


def _folders(start: str) -> list[str]:
    """The folder and those above it, to the root of the repository; outside of one, the folder alone."""
    folders = [start]
    while not os.path.exists(os.path.join(folders[-1], ".git")):
        above = os.path.dirname(folders[-1])
        if above == folders[-1]:
            return [start]
        folders.append(above)
    home = os.environ.get("HOME")
    return [folder for folder in folders if folder == start or folder != home]


def _found(name: str, text: str, folder: str, *, own: bool) -> ConfigFile | None:
    import tomllib  # 2 ms, and most folders have no configuration

    table: Any
    try:
        table = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        if not own and "tablegate" not in text:
            return None
        raise ConfigError(f"{name} is not TOML: {error}") from None
    if not own:
        tool = table.get("tool")
        table = tool.get("tablegate") if isinstance(tool, dict) else None
    return ConfigFile(name, text, table, folder) if isinstance(table, dict) else None


def _text(path: str) -> str:
    try:
        with open(path, encoding="utf-8") as file:
            return file.read()
    except (OSError, ValueError) as error:
        raise ConfigError(f"{path.replace(os.sep, '/')} cannot be read: {_reason(error)}") from None


def _reason(error: Exception) -> str:
    return (error.strerror or "it cannot be opened").lower() if isinstance(error, OSError) else "it is not UTF-8"


def _relative(path: str, start: str) -> str:
    return os.path.relpath(path, start).replace(os.sep, "/")


def _git(folder: str, *arguments: str) -> str | None:
    """What git says, or None. Nothing that the repository configures may run."""
    import subprocess

    command = ["git", "-c", "core.fsmonitor=false", "-c", f"core.hooksPath={os.devnull}", *arguments]
    environment = {**os.environ, "GIT_CONFIG_NOSYSTEM": "1", "GIT_OPTIONAL_LOCKS": "0"}
    try:
        ran = subprocess.run(command, cwd=folder, env=environment, capture_output=True, check=False)  # noqa: S603
    except OSError:
        raise ConfigError("git is not here, and a configuration at a git ref needs it") from None
    try:
        return ran.stdout.decode("utf-8") if ran.returncode == 0 else None
    except UnicodeDecodeError:
        raise ConfigError(f"{arguments[-1]} is not UTF-8") from None
