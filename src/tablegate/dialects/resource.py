"""The one way that code for both languages reads properties.

Terraform's blocks and CloudFormation's sections implement ``Properties``. Keys are the dialect's own, so code for both
takes them from a table with one column a language:

    TABLE = Spelling("table_name", "TableName")

    name = properties.text(facts.NAME, TABLE[column])
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import NamedTuple, Protocol

from tablegate.model.facts import Fact
from tablegate.model.value import Doubt, Place, Value

TERRAFORM, CLOUDFORMATION = 0, 1
"""The columns of a ``Spelling``."""


class Spelling(NamedTuple):
    """A property in each language: its key, or ``TYPE.path`` if the type belongs to it."""

    terraform: str = ""
    cloudformation: str = ""


class Properties(Protocol):
    """A mapping inside a resource: a Terraform block or object, a CloudFormation section.

    A mapping that is unknown itself is a ``Properties`` too: each of its members is unknown for the same reason.
    """

    def text(self, fact: Fact[str], key: str, among: Collection[str] = ()) -> Value[str]:
        """A text. With ``among``, any other text is reported as a fault and unknown."""
        ...

    def is_named(self, fact: Fact[bool], key: str) -> Value[bool]:
        """Whether a text that names something is set. A reference names something, though its text is not known."""
        ...

    def flag(self, fact: Fact[bool], key: str) -> Value[bool]:
        """True or false; the fact's default if absent."""
        ...

    def number(self, fact: Fact[int], key: str, none: tuple[int, ...] = ()) -> Value[int]:
        """A whole number, also written as a text. A number in ``none`` stands for no number at all, like -1."""
        ...

    def decimal(self, fact: Fact[float], key: str) -> Value[float]:
        """A number with or without a fraction."""
        ...

    def one(self, key: str) -> Properties | Doubt | None:
        """A block or object that occurs at most once."""
        ...

    def many(self, key: str) -> Sequence[Properties | Doubt] | Doubt:
        """Blocks or objects in their order. A doubt for an unknown item, or for the whole list."""
        ...

    def place(self, key: str | None = None) -> Place:
        """The place of a member, or of the mapping itself."""
        ...
