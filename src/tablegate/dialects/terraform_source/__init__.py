"""Terraform's own source, without a plan: one root module and all the modules that it calls.

What expressions come to is worked out as far as source alone tells; the rest is unknown, with the reason. Resources
take the shape that a plan gives them, so that both are read by the same field maps.
"""

from __future__ import annotations

from tablegate.dialects.reading import Reading, ReadOptions
from tablegate.dialects.terraform_source.project import Project
from tablegate.syntax.collector import collector_paused
from tablegate.syntax.source import Folder, Source


def read(text: str, name: str, options: ReadOptions) -> Reading:
    """One file, judged alone."""
    folder = name.rpartition("/")[0]
    return read_folder(Source(name, b"", Folder(root=folder, parts=(Source(name, text.encode()),))), options)


def read_folder(source: Source, options: ReadOptions) -> Reading:
    """A folder of files, with the modules that it leads to."""
    if source.folder is None:
        raise AssertionError(source.name)
    with collector_paused():
        return Project(source.name, source.folder, options).reading()
