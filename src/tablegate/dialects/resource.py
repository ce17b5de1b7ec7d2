"""The one way that code for both languages reads a resource.

Terraform's blocks and CloudFormation's sections implement ``Properties``. Keys are the dialect's own, so code for both
takes them from a table with one column a language:

    TABLE = Spelling("table_name", "TableName")

    for reference in resource.properties.refs(TABLE[column]): ...
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import NamedTuple, Protocol

from tablegate.model.facts import Fact
from tablegate.model.record import record
from tablegate.model.value import Doubt, Place, Value

TERRAFORM, CLOUDFORMATION = 0, 1
"""The columns of a ``Spelling``."""


class Spelling(NamedTuple):
    """A property in each language: its key, or ``TYPE.path`` if the type belongs to it."""

    terraform: str = ""
    cloudformation: str = ""


@record()
class ResourceRef:
    """What a property names: an ARN, a name, or a resource of this input.

    ``!GetAtt Orders.StreamArn`` gives ``ResourceRef(text="${Orders.StreamArn}", address="Orders",
    type="AWS::DynamoDB::Table", attribute="StreamArn", doubt=...)``.
    """

    text: str | None = None  # with ${...} for each part that is not known; None if nothing of it is known
    address: str | None = None  # of the resource of this input that the reference leads to
    type: str | None = None  # of that resource, also where its address is not known
    attribute: str | None = None
    doubt: Doubt | None = None  # why the text is not known, or not all of it
    certain: bool = True  # False if it is one of several candidates, or only in some scenario


class Properties(Protocol):
    """A mapping inside a resource: a Terraform block or object, a CloudFormation section.

    A mapping that is unknown itself is a ``Properties`` too: each of its members is unknown for the same reason.
    """

    def text(self, fact: Fact[str], key: str, among: Collection[str] = ()) -> Value[str]:
        """A text. With ``among``, any other text is reported as a fault and unknown."""
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

    def refs(self, key: str) -> Sequence[ResourceRef]:
        """What a text or a list of texts names; empty if absent."""
        ...

    def doubt(self, key: str) -> Doubt | None:
        """Why a member is not known; None if it is known or absent."""
        ...

    def place(self, key: str | None = None) -> Place:
        """The place of a member, or of the mapping itself."""
        ...


class Resource(Protocol):
    """One resource of an input, in the scenario that is being read."""

    @property
    def address(self) -> str:
        """Terraform's address, or the logical id."""
        ...

    @property
    def type(self) -> str:
        """Such as ``aws_iam_role`` or ``AWS::IAM::Role``."""
        ...

    @property
    def region(self) -> Value[str]:
        """The region that the resource is in."""
        ...

    @property
    def owner(self) -> str:
        """The provider configuration (Terraform) or the stack (CloudFormation) that it belongs to."""
        ...

    @property
    def present(self) -> bool | None:
        """False if the resource does not exist in this scenario, None if that is unknown."""
        ...

    @property
    def place(self) -> Place:
        """The place of the resource."""
        ...

    @property
    def properties(self) -> Properties:
        """Its arguments or properties."""
        ...
