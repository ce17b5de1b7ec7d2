"""An input before anything has looked into it: its name, its bytes, the files beside it, and its text."""

from __future__ import annotations

import codecs
from collections.abc import Mapping
from typing import Protocol

from tablegate.model.record import field, record
from tablegate.syntax.node import ParseError


@record(eq=False, kw_only=False)
class Beside:
    """Files that a source may refer to, by their names in reports, and why others were not read."""

    files: Mapping[str, bytes] = field(default_factory=dict)
    refused: Mapping[str, str] = field(default_factory=dict)


ALONE = Beside()


@record(kw_only=False)
class Source:
    """A name with bytes. Reports use the name: a POSIX path, or ``<stdin>``.

    A folder that is one input has no bytes, but a ``folder``. A plan may have the ``tree`` that it was made from.
    """

    name: str
    data: bytes
    folder: Folder | None = None
    beside: Beside = field(default=ALONE, compare=False)
    twin: Source | None = field(default=None, compare=False)  # the source in the same folder as a plan
    found: bool = field(default=False, compare=False)  # in a folder; if not, the user named it
    tree: Tree | None = field(default=None, compare=False)


@record()
class Folder:
    """A folder of Terraform source: its own files, and those of the module folders that it calls.

    ``modules`` are the folders of downloaded modules by their paths, if they are trusted.
    ``left`` counts the files of the folder that were not named, and so not read.
    """

    root: str
    parts: tuple[Source, ...]
    beside: tuple[Source, ...] = ()
    modules: Mapping[str, str] = field(default_factory=dict)
    left: int = 0


class Tree(Protocol):
    """Terraform source that is read on demand: a root module and the modules that it calls."""

    @property
    def root(self) -> str:
        """The folder of the root module."""

    def files(self, folder: str) -> tuple[Source, ...]:
        """The files of a folder that Terraform reads, with its own ``.tfvars``."""

    def module(self, path: tuple[str, ...]) -> str | None:
        """The folder of a downloaded module, by the names of the calls that lead to it."""

    def file(self, name: str) -> Source | None:
        """One of all those files."""


def within(folder: str, path: str) -> str:
    """A path relative to a folder, normalised; both use slashes, and an empty text is the working directory."""
    steps = [step for step in folder.split("/") if step not in ("", ".")]
    root = "/" if folder.startswith("/") else ""
    for step in path.split("/"):
        if step == ".." and steps and steps[-1] != "..":
            steps.pop()
        elif (step == ".." and not root) or step not in ("", ".", ".."):
            steps.append(step)
    return root + "/".join(steps)


_AS_UTF8 = "save it as UTF-8"
_MARKS = (  # the longer mark first: UTF-32 LE begins with the mark of UTF-16 LE
    (codecs.BOM_UTF32_LE, "UTF-32"),
    (codecs.BOM_UTF32_BE, "UTF-32"),
    (codecs.BOM_UTF16_LE, "UTF-16"),
    (codecs.BOM_UTF16_BE, "UTF-16"),
)
_ZEROS = {"x000": "UTF-32 LE", "000x": "UTF-32 BE", "x0": "UTF-16 LE", "0x": "UTF-16 BE"}


def decode(data: bytes) -> str:
    """The text of an input: UTF-8 with or without a mark, or UTF-16 with one, as PowerShell writes it."""
    if not data:
        raise ParseError("the file is empty (0 bytes)", hint="the command that wrote it failed; its error is on stderr")
    text = _decoded(data)
    if not text or text.isspace():
        raise ParseError("the file has only white space", hint="the command that wrote it failed")
    return text


def utf8(data: bytes) -> bytes:
    """The text as UTF-8 without a mark. ASCII bytes are returned as they are, without a copy."""
    if data.isascii() and b"\0" not in data[:4] and data and not data.isspace():
        return data
    return decode(data).encode()


def _decoded(data: bytes) -> str:
    for mark, name in _MARKS:
        if data.startswith(mark):
            if name == "UTF-16":
                return _strictly(data, "utf-16", name)
            raise ParseError(f"the file is {name}, not UTF-8", hint=_AS_UTF8)
    if b"\0" in data[:4]:
        raise ParseError(f"the file is not UTF-8; it looks like {_by_zeros(data)}", hint=_AS_UTF8)
    return _strictly(data, "utf-8", "UTF-8").removeprefix("\ufeff")


def _by_zeros(data: bytes) -> str:
    """The encoding, by the position of the zeros if the text begins with an ASCII character."""
    zeros = "".join("0" if byte == 0 else "x" for byte in data[:4])
    for pattern, name in _ZEROS.items():
        if zeros.startswith(pattern):
            return f"{name} without a byte order mark"
    return "a binary file"


def _strictly(data: bytes, encoding: str, name: str) -> str:
    try:
        return data.decode(encoding)
    except UnicodeDecodeError as error:
        raise ParseError(f"not valid {name} at byte {error.start}", hint=_AS_UTF8) from None
