"""Inputs that are read and not judged: what the commands show and iam have in common."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from tablegate.cli.checking import given, read_options, with_grammar
from tablegate.cli.output import note
from tablegate.config import read_configuration
from tablegate.dialects.together import read_together
from tablegate.findings import Exit, Fault
from tablegate.model.estate import Estate
from tablegate.sources import collect
from tablegate.syntax.collector import collect_if_much
from tablegate.trees import with_trees


class Inputs:
    """What somebody named, found when they are made, and read one by one. What went wrong is kept for the end."""

    def __init__(self, names: Iterable[str], flags: Mapping[str, Any]) -> None:
        asked = read_configuration(given(flags), folder=Path.cwd(), environment=os.environ, search=False)
        trusting = asked["trust-modules"]
        found = collect(names, asked["stdin-filename"], trust_modules=trusting)
        self._sources = with_trees(found.sources, asked["source"], asked["plan-file"], trust_modules=trusting)
        self._options = with_grammar(read_options(asked), self._sources)
        self._faults: list[Fault] = [*found.faults]

    def estates(self) -> Iterator[Estate]:
        """The estate of each input that has one. None is kept: there may be thousands."""
        for reading in read_together(self._sources, self._options):
            self._faults += reading.faults
            if reading.estate is not None:
                yield reading.estate
            del reading
            collect_if_much()

    def ended(self) -> int:
        """The exit code, once all that went wrong has been said."""
        for fault in self._faults:
            place = ":".join(str(part) for part in (fault.place.file, fault.place.line, fault.place.column) if part)
            note(f"{fault.code}: {place}: {fault.message}", *([f"hint: {fault.hint}"] if fault.hint else []))
        unread = not self._sources or any(fault.blocks for fault in self._faults)
        return int(Exit.UNREAD if unread else Exit.OPEN)
