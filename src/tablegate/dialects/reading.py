"""What every dialect takes and gives: options, readings and faults."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TypeAlias

from tablegate.findings import Fault, FaultCode, Input
from tablegate.model.estate import Estate
from tablegate.model.record import field, record, replace
from tablegate.model.value import Place
from tablegate.syntax.node import Node, ParseError
from tablegate.syntax.source import Source

At: TypeAlias = Place | Node | str | None

LONGEST_TEXT = 200_000  # characters; AWS takes no policy or name that is longer
UNKNOWN_LENGTH = 16  # of a part of a text that is not known
TOO_LONG = "a text that is too long to be read"
_LONG, _MOST_CHARACTERS = 1_000, 50_000_000

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tablegate.dialects.cloudformation.exports import Exports
    from tablegate.iam.grants import Grant
    from tablegate.iam.holders import Holder
    from tablegate.model.table import Table


@record()
class ReadOptions:
    """What the user says about the inputs, and what the inputs of one run know of each other."""

    allow_partial: bool = False
    parameters: Mapping[str, str] = field(default_factory=dict)
    parameter_files: Mapping[str, tuple[str, ...]] = field(default_factory=dict)  # the names that each file gives
    assume_defaults: bool = False
    region: str | None = None
    account: str | None = None
    stack_tags: Mapping[str, str] = field(default_factory=dict)
    variables: Mapping[str, str] = field(default_factory=dict)  # of Terraform source, as texts
    variable_files: tuple[Source, ...] = ()
    environment: Mapping[str, str] = field(default_factory=dict)  # such variables in the environment
    trusted_macros: tuple[str, ...] = ()  # of CloudFormation, that leave tables, roles and policies as they are
    tofu: bool = False  # whether files that only OpenTofu reads count beside those of Terraform
    grammar: str | None = None  # the file that caches the compiled grammar of Terraform's language
    nested: Mapping[str, Source] = field(default_factory=dict)  # templates of nested stacks, by logical id
    template: Source | None = None  # of a change set
    change_sets: Mapping[str, str] = field(default_factory=dict)  # addresses of nested stacks, by their change sets
    exports: Exports | None = None  # of the templates of one run
    shared: bool = False  # whether the options have what the sources of a run know of each other


class TextBudget:
    """What the texts may take that the expressions of one input make, known or not: they can double and double."""

    def __init__(self) -> None:
        self._left = _MOST_CHARACTERS

    def allows(self, length: int) -> bool:
        """Whether a text of this length may be made. A long one is counted."""
        if length <= _LONG:
            return True
        if length <= LONGEST_TEXT:
            self._left -= length
            return self._left >= 0
        return False


@record(kw_only=False)
class Access:
    """Holders and grants of one input, and how many of its documents were read in part or not at all."""

    holders: tuple[Holder, ...] = ()
    grants: tuple[Grant, ...] = ()
    documents: int = 0
    partly: int = 0
    unread: int = 0
    secrets: frozenset[str] = frozenset()
    neighbours: tuple[Table, ...] = ()  # tables of other stacks that documents name


class Faults:
    """What could not be read of one input, each fault once.

    ``at`` is a place, a node of the input's tree, or the path of a part of the input; None is the input as a whole.
    With the ``root`` of its tree, each fault gets the path that leads to it.
    """

    def __init__(self, file: str, root: Node | None = None) -> None:
        self.file = file
        self._root = root
        self._faults: dict[Fault, Node | None] = {}

    def unreadable(self, message: str, at: At, hint: str | None = None, *, blocks: bool = True) -> None:
        """A part is not what it must be: nothing that depends on it can be trusted."""
        self._add(FaultCode.UNREADABLE, message, at, hint, blocks=blocks)

    def duplicate_key(self, message: str, at: At, hint: str | None = None) -> None:
        """A mapping has a key twice: what is deployed may differ from what a reader sees."""
        self._add(FaultCode.DUPLICATE_KEY, message, at, hint, blocks=True)

    def incomplete(self, message: str, at: At = None, hint: str | None = None, *, blocks: bool = False) -> None:
        """A part that may matter is not in the input, or is not covered."""
        self._add(FaultCode.INCOMPLETE, message, at, hint, blocks=blocks)

    def all(self) -> tuple[Fault, ...]:
        """The faults of a tree as they were found, others by their places."""
        if self._root is None:
            return tuple(sorted(self._faults, key=_order))
        steps = list(_steps(self._root)) if self._faults else []
        by_node = {id(node): path for path, node in steps}
        by_place = {(node.line, node.column): path for path, node in reversed(steps)}  # for what is made of a node
        located: dict[tuple[FaultCode, Place], Fault] = {}
        for fault, node in self._faults.items():
            path = by_node.get(id(node)) or by_place.get((fault.place.line or 0, fault.place.column or 0))
            place = replace(fault.place, path=path) if path else fault.place
            message = f"{path}: {fault.message}" if path else fault.message
            # Two readers of one property report the same fault, perhaps in other words: the first counts.
            located.setdefault((fault.code, place), replace(fault, message=message, place=place))
        return tuple(located.values())

    def _add(self, code: FaultCode, message: str, at: At, hint: str | None, *, blocks: bool) -> None:
        if isinstance(at, Node):
            place = Place(self.file, at.line, at.column, at.end_column)
        else:
            place = at if isinstance(at, Place) else Place(self.file, path=at)
        self._faults.setdefault(Fault(code, message, place, blocks, hint), at if isinstance(at, Node) else None)


def _order(fault: Fault) -> tuple[str, str, int, str, str]:
    return fault.place.path or "", fault.place.file, fault.place.line or 0, fault.code, fault.message


def _steps(root: Node) -> Iterator[tuple[str, Node]]:
    """Each node of a tree with the path to it, in document order."""
    waiting = [("", root)]
    seen: set[int] = set()  # an alias is in several places of the tree
    while waiting:
        path, node = waiting.pop()
        if id(node) in seen:
            continue
        seen.add(id(node))
        yield path, node
        content = node.content
        if isinstance(content, dict):
            steps = [(f"{path}/{key}" if path else key, child) for key, child in content.items()]
        elif isinstance(content, (list, tuple)):
            steps = [(f"{path}/{number}", child) for number, child in enumerate(content)]
        else:
            continue
        waiting.extend(reversed(steps))


@record()
class Reading:
    """One input with its estate and its faults.

    ``inner`` holds the inputs inside of it: stacks of an assembly, templates of nested stacks.
    """

    input: Input
    estate: Estate | None
    faults: tuple[Fault, ...] = ()
    inner: tuple[Reading, ...] = ()

    def all(self) -> Iterator[Reading]:
        """This reading and all readings inside of it."""
        yield self
        for reading in self.inner:
            yield from reading.all()


def unreadable(error: ParseError, file: str) -> Reading:
    """An input that is not what it must be: its fault blocks."""
    code = FaultCode.UNREADABLE
    if error.duplicate:
        code = FaultCode.DUPLICATE_KEY
    elif error.incomplete:
        code = FaultCode.INCOMPLETE
    fault = Fault(code, error.message, Place(file, error.line, error.column), hint=error.hint)
    return Reading(input=Input(path=file, kind="unread"), estate=None, faults=(fault,))
