"""The modules of a plan's source. A file is parsed only if it contains a name that is looked up."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from tablegate.dialects.terraform.source.definitions import (
    blocks_of,
    in_order,
    is_blank,
    merged,
    module_files,
    overrides,
    refuse_parsing,
)
from tablegate.findings import Fault, FaultCode
from tablegate.model.value import Place
from tablegate.syntax.hcl.json_syntax import file_of
from tablegate.syntax.hcl.nodes import Attribute, Block, Body, Literal
from tablegate.syntax.node import ParseError
from tablegate.syntax.raw_text import may_say
from tablegate.syntax.source import Source, Tree, decode, within

_EMPTY = Body({}, ())


class Folders:
    """The folders of a source tree, and the faults in them."""

    def __init__(self, tree: Tree, values: Iterable[Source], grammar: str | None, *, tofu: bool) -> None:
        self.tree = tree
        self._tofu = tofu
        self._values = tuple(values)
        self.faults: list[Fault] = []
        self.grammar = grammar
        self._sources: dict[str, list[Source]] = {}
        self._blocks: dict[str, list[Block]] = {}
        self._assigned: dict[str, Body] = {}

    def sources(self, folder: str) -> list[Source]:
        """The files of a module, override files last."""
        files = self._sources.get(folder)
        if files is None:
            code = [one for one in self.tree.files(folder) if not _is_values(one)]
            files = self._sources[folder] = sorted(module_files(code, tofu=self._tofu), key=overrides)
        return files

    def blocks(self, source: Source) -> list[Block]:
        """The blocks of a file."""
        blocks = self._blocks.get(source.name)
        if blocks is None:
            blocks = self._blocks[source.name] = blocks_of(source, self.grammar, self.refuse)
        return blocks

    def values(self) -> Iterator[Body]:
        """The variable files of the root, by descending precedence."""
        beside = [one for one in self.tree.files(self.tree.root) if _is_values(one)]
        for source in reversed((*in_order(beside), *self._values)):
            if source.name not in self._assigned:
                self._assigned[source.name] = self._values_of(source)
            yield self._assigned[source.name]

    def of_call(self, call: Block, folder: str, path: tuple[str, ...]) -> str | None:
        """The folder of a called module. None if it is not known."""
        attribute = self.body(call).attributes.get("source")
        source = attribute.value.content if attribute is not None and isinstance(attribute.value, Literal) else None
        if isinstance(source, str) and source.startswith(("./", "../")):
            return within(folder, source)
        return self.tree.module(path)

    def body(self, block: Block) -> Body:
        """The body of a block. Empty if it cannot be read, which is reported."""
        try:
            return block.body
        except ParseError as error:
            refuse_parsing(error, block.file.name, self.refuse)
            return _EMPTY

    def refuse(self, message: str, place: Place, *, duplicate: bool = False, hint: str | None = None) -> None:
        """Report a part of the source that cannot be read. The plan is checked without it."""
        code = FaultCode.DUPLICATE_KEY if duplicate else FaultCode.UNREADABLE
        fault = Fault(code, message, place, blocks=False, hint=hint)
        if fault not in self.faults:
            self.faults.append(fault)

    def _values_of(self, source: Source) -> Body:
        if is_blank(source.data):
            return _EMPTY
        try:
            return file_of(source.name, decode(source.data), self.grammar).assignments()
        except ParseError as error:
            refuse_parsing(error, source.name, self.refuse)
            return _EMPTY


class Module:
    """One module call. All its instances share it."""

    def __init__(
        self,
        folders: Folders,
        folder: str,
        path: tuple[str, ...] = (),
        call: Block | None = None,
        above: Module | None = None,
    ) -> None:
        self.folders = folders
        self.call = call
        self.above = above
        self.folder = folder
        self._path = path
        self._children: dict[str, Module | None] = {}
        self._found: dict[tuple[str, ...], Block | None] = {}
        self._locals: dict[str, Attribute | None] = {}

    def child(self, name: str) -> Module | None:
        """A module that this one calls. None if its source is not available."""
        if name not in self._children:
            call = self.block("module", name)
            path = (*self._path, name)
            folder = None if call is None else self.folders.of_call(call, self.folder, path)
            self._children[name] = None if folder is None else Module(self.folders, folder, path, call=call, above=self)
        return self._children[name]

    def block(self, type_: str, *labels: str) -> Block | None:
        """The block with these labels. None if there are several: it is not known which is meant."""
        wanted = (type_, *labels)
        if wanted not in self._found:
            self._found[wanted] = self._merged(list(self._named(wanted)))
        return self._found[wanted]

    def local(self, name: str) -> Attribute | None:
        """The attribute that defines a local."""
        if name not in self._locals:
            attribute = None
            for source in self._holding(name):
                for block in self.folders.blocks(source):
                    if block.type == "locals":
                        attribute = self.folders.body(block).attributes.get(name, attribute)
            self._locals[name] = attribute
        return self._locals[name]

    def _holding(self, name: str) -> Iterator[Source]:
        return (source for source in self.folders.sources(self.folder) if may_say(source.data, name))

    def _named(self, wanted: tuple[str, ...]) -> Iterator[Block]:
        for source in self._holding(wanted[-1]):
            for block in self.folders.blocks(source):
                if (block.type, *block.labels) == wanted:
                    yield block

    def _merged(self, blocks: list[Block]) -> Block | None:
        own = [block for block in blocks if not overrides(block.file)]
        if len(own) != 1:
            return None
        whole = own[0]
        for block in blocks[1:]:
            whole = merged(whole, block)
        return whole


def _is_values(source: Source) -> bool:
    return source.name.endswith((".tfvars", ".tfvars.json"))
