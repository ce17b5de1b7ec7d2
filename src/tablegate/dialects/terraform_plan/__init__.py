"""Plans of Terraform and OpenTofu, as terraform show -json prints them.

Addresses and types are read of everything, and the rest only of what concerns a table. What is not known before
the apply is told apart from what nobody wrote, and followed through the configuration as far as a plan shows it.
"""

from __future__ import annotations

from tablegate.dialects.reading import Reading, ReadOptions
from tablegate.dialects.terraform_plan.plans import Plan
from tablegate.syntax.collector import collector_paused
from tablegate.syntax.errors import ParseError
from tablegate.syntax.raw_json import Document


def read(document: Document, name: str, options: ReadOptions) -> Reading:
    """The plan's tables, their changes, and what could not be read of it."""
    with collector_paused():
        try:
            return Plan(document, name, options).reading()
        except ParseError:
            # A part knows its own lines only; the whole document, read strictly, tells where in the file it is.
            document.check()
            raise
