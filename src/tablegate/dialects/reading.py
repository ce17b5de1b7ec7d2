"""What a dialect gives back, and what it may be told."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from tablegate.findings import Fault, FaultCode, Input
from tablegate.model.estate import Estate
from tablegate.model.record import field, record
from tablegate.model.value import Place
from tablegate.syntax.node import ParseError
from tablegate.syntax.source import Source

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tablegate.dialects.cloudformation.exports import Exports
    from tablegate.dialects.terraform.configuration import Configuration, Tree
    from tablegate.dialects.terraform.source_info import SourceMap


@record()
class ReadOptions:
    """What the user says about the inputs, and what inputs of one run know of each other."""

    allow_partial: bool = False
    parameters: Mapping[str, str] = field(default_factory=dict)
    assume_defaults: bool = False
    region: str | None = None
    account: str | None = None
    stack_tags: Mapping[str, str] = field(default_factory=dict)
    variables: Mapping[str, str] = field(default_factory=dict)  # of Terraform source, as texts
    variable_files: tuple[Source, ...] = ()
    environment: Mapping[str, str] = field(default_factory=dict)  # such variables in the environment
    grammar: str | None = None  # the file that keeps the compiled grammar of Terraform's language
    nested: Mapping[str, Source] = field(default_factory=dict)  # templates of nested stacks, by logical id
    template: Source | None = None  # what a change set was made of
    change_sets: Mapping[str, str] = field(default_factory=dict)  # addresses of nested stacks, by their change sets
    exports: Exports | None = None  # what the templates of one run say to each other
    shared: bool = False  # whether the sources of the run know all of each other that they can
    source_map: Callable[[Configuration, Tree], SourceMap] | None = None  # of a plan with these variables


@record()
class Reading:
    """One input, read: what was seen, the estate it describes, and what could not be read of it.

    ``inner`` are the inputs that it holds: the stacks of an assembly, the templates of nested stacks.
    """

    input: Input
    estate: Estate | None
    faults: tuple[Fault, ...] = ()
    inner: tuple[Reading, ...] = ()

    def all(self) -> Iterator[Reading]:
        """This reading, and all that are in it."""
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
