"""Finds the configuration: upwards from a folder to the root of its git repository, or at a git ref."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from tablegate.config.git import commit_at
from tablegate.engine.settings import ConfigError, Keys
from tablegate.model.record import record
from tablegate.syntax.node import ParseError
from tablegate.syntax.toml import parse_toml

OWN = "tablegate.toml"
SHARED = "pyproject.toml"

_REF = r"[A-Za-z0-9][A-Za-z0-9._/@{}^~+-]*"


@record(kw_only=False)
class ConfigFile:
    """One configuration file: its name in reports, its text, its table, and the folder that its paths start from."""

    name: str
    text: str
    table: Mapping[str, Any]
    folder: str

    def line_of(self, keys: Keys) -> int | None:
        """The line of the innermost key that can be found. A number counts the tables of a list."""
        lines = self.text.splitlines()
        start, line, last = 0, None, ""
        for key in keys:
            if isinstance(key, int):
                heads = [
                    at for at, text in enumerate(lines) if re.match(rf"\s*\[\[[^\]]*\b{re.escape(last)}\s*\]", text)
                ]
                if key < len(heads):
                    start, line = heads[key], heads[key] + 1
                continue
            last = key
            quoted = rf"[\"']?{re.escape(key)}[\"']?"
            pattern = re.compile(rf"\s*(\[[^\]]*\b{quoted}|{quoted}\s*[=.])|.*[{{,]\s*{quoted}\s*=")
            index = next((number for number in range(start, len(lines)) if pattern.match(lines[number])), None)
            if index is not None:
                start, line = index, index + 1
        return line


def named_file(file: str | Path) -> ConfigFile:
    """The file of this name. It must exist and configure tablegate."""
    path = Path(file)
    config_file = _parsed(path.as_posix(), _text(str(path)), str(path.parent), own=path.name != SHARED)
    if config_file is None:
        raise ConfigError(f"{path.as_posix()} has no [tool.tablegate]")
    return config_file


def nearest_file(start: str) -> ConfigFile | None:
    """The nearest file that configures tablegate, from the folder up to the root of its git repository."""
    for path in _candidates(start):
        if os.path.isfile(path):
            folder, name = os.path.split(path)
            config_file = _parsed(_relative(path, start), _text(path), folder, own=name == OWN)
            if config_file is not None:
                return config_file
    return None


def file_at_ref(ref: str, start: str) -> ConfigFile | None:
    """The nearest file as it is at a git ref. The working tree is not read."""
    if not re.fullmatch(_REF, ref):
        raise ConfigError(f'"{ref}" is not the name of a git ref')
    root = repository_of(start)
    if root is None:
        raise ConfigError(f'the git ref "{ref}" cannot be found: no .git here or in a folder above')
    commit = commit_at(ref, root)
    for path in _candidates(start):
        folder, name = os.path.split(path)
        text = commit.text(_relative(path, root))
        if text is not None:
            config_file = _parsed(f"{ref}:{_relative(path, start)}", text, folder, own=name == OWN)
            if config_file is not None:
                return config_file
    return None


def _candidates(start: str) -> Iterator[str]:
    """Where a file can be: the folder and those above it, to the root of the repository; else the folder alone."""
    for folder in _folders(start):
        yield os.path.join(folder, OWN)
        yield os.path.join(folder, SHARED)


def _folders(start: str) -> list[str]:
    root = repository_of(start)
    folders = [start]
    while root is not None and folders[-1] != root:
        folders.append(os.path.dirname(folders[-1]))
    home = os.environ.get("HOME")
    return [folder for folder in folders if folder == start or folder != home]


def repository_of(start: str) -> str | None:
    """The folder that has ``.git``: this one, or the nearest above it."""
    folder = start
    while not os.path.lexists(os.path.join(folder, ".git")):
        parent = os.path.dirname(folder)
        if parent == folder:
            return None
        folder = parent
    return folder


def _parsed(name: str, text: str, folder: str, *, own: bool) -> ConfigFile | None:
    table: Any
    try:
        table = parse_toml(text)
    except ParseError as error:
        if not own and "tablegate" not in text:
            return None
        raise ConfigError(f"{name} is {error}") from None
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
