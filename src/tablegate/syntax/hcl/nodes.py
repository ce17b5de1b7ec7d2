"""What Terraform's expressions and bodies are read into, whatever reads them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple, Protocol, TypeAlias

from tablegate.model.value import Place
from tablegate.syntax.node import ParseError


class Literal(NamedTuple):
    """A text without templates, a number, true, false or null."""

    content: str | int | float | bool | None


class Name(NamedTuple):
    """A word that stands for something: ``var``, ``local``, ``each``, a resource's type, a loop's variable."""

    name: str


class Attr(NamedTuple):
    """``.name`` behind something."""

    name: str


class At(NamedTuple):
    """``[key]`` behind something."""

    key: Expression


class Splat(NamedTuple):
    """``[*]`` or ``.*`` behind something."""


Step: TypeAlias = Attr | At | Splat


class Access(NamedTuple):
    """Something, and the way into it."""

    base: Expression
    steps: tuple[Step, ...]


class Template(NamedTuple):
    """A text with expressions in it."""

    parts: tuple[Expression, ...]


class Tuple(NamedTuple):
    """``[a, b]``."""

    items: tuple[Expression, ...]


class Object(NamedTuple):
    """``{ a = b }``. A key that is a bare word is a text."""

    items: tuple[tuple[Expression, Expression], ...]


class Call(NamedTuple):
    """``name(a, b...)``."""

    name: str
    arguments: tuple[Expression, ...]
    spread: bool = False


class Unary(NamedTuple):
    """``-a`` and ``!a``."""

    operator: str
    operand: Expression


class Binary(NamedTuple):
    """``a + b``."""

    operator: str
    left: Expression
    right: Expression


class Conditional(NamedTuple):
    """``test ? yes : no``."""

    test: Expression
    yes: Expression
    no: Expression


class For(NamedTuple):
    """``[for k, v in all : result if condition]``, and the same in braces with a ``key``."""

    names: tuple[str, ...]
    all: Expression
    key: Expression | None
    result: Expression
    condition: Expression | None
    grouped: bool = False


class Opaque(NamedTuple):
    """What is valid, and not read any further."""

    text: str


Expression: TypeAlias = (
    Literal | Name | Access | Template | Tuple | Object | Call | Unary | Binary | Conditional | For | Opaque
)


class Located(Protocol):
    """The file that something stands in."""

    name: str

    def place(self, start: int, end: int | None = None) -> Place:
        """The place of what starts here."""

    def says(self, start: int, end: int, word: str) -> bool:
        """Whether a word stands there, in whatever case."""

    def inner(self, start: int, steps: Sequence[str | int]) -> tuple[int, int] | None:
        """Where a part of the object or list that starts here stands; None where it is not spelled out."""

    def heredoc(self, start: int) -> Place | None:
        """Where the text of a heredoc that starts here stands, without its margin; None where none does."""


class Attribute(NamedTuple):
    """``name = expression``: where the name starts, and where the expression starts and ends."""

    name: str
    start: int
    value: Expression
    first: int
    end: int
    file: Located

    @property
    def place(self) -> Place:
        """Where its expression stands."""
        return self.file.place(self.first, self.end)


class Body(NamedTuple):
    """What stands between the braces of a block, or in a file of assignments."""

    attributes: Mapping[str, Attribute]
    blocks: tuple[Block, ...]


class Block:
    """A block: its header at once, its body when somebody asks. Its place is where its type stands."""

    __slots__ = ("_body", "_read", "close", "file", "first", "labels", "start", "type")

    def __init__(
        self,
        type_: str,
        labels: tuple[str, ...],
        *,
        start: int,
        first: int,
        close: int,
        file: Located,
        read: Callable[[Block], Body],
    ) -> None:
        self.type = type_
        self.labels = labels
        self.start = start
        self.first = first
        self.close = close
        self.file = file
        self._read = read
        self._body: Body | None = None

    @property
    def place(self) -> Place:
        """Where its header stands."""
        return self.file.place(self.start)

    @property
    def body(self) -> Body:
        """What stands in it. A ParseError says where it is wrong."""
        if self._body is None:
            try:
                self._body = self._read(self)
            except ParseError as error:
                error.file = error.file or self.file.name
                raise
        return self._body
