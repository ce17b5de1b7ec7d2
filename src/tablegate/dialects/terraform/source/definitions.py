"""The blocks of one module: its files, its override files and the values of root variables."""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterable, Mapping
from typing import NamedTuple, Protocol

from tablegate.dialects.reading import ReadOptions
from tablegate.dialects.terraform.references import UnknownValue
from tablegate.dialects.terraform.source.evaluate import evaluated
from tablegate.dialects.terraform.source.values import EvaluationScope, Module, converted, is_text, unknowns
from tablegate.model.value import Place
from tablegate.syntax.hcl import File
from tablegate.syntax.hcl.json_syntax import file_of
from tablegate.syntax.hcl.nodes import Attribute, Block, Body, Expression
from tablegate.syntax.node import ParseError
from tablegate.syntax.source import Source, decode

ENDINGS = (".tf", ".tofu", ".tf.json", ".tofu.json")
_OVERRIDES = ("override", "_override")
_READ_LATER = frozenset({"resource", "data", "ephemeral"})
_UTF16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


class Key(NamedTuple):
    """Identifies a resource or data source in its module."""

    mode: str
    type: str
    name: str


class NamedFile(Protocol):
    """Anything with a file name."""

    @property
    def name(self) -> str:
        """Its path."""


class Refuse(Protocol):
    """The function that reports what cannot be read."""

    def __call__(self, message: str, place: Place, *, duplicate: bool = False, hint: str | None = None) -> None:
        """Report a message at a place."""


class Definition:
    """The blocks of one module, by kind and name."""

    def __init__(self, folder: str) -> None:
        self.folder = folder
        self.resources: dict[Key, Block] = {}
        self.variables: dict[str, Block] = {}
        self.outputs: dict[str, Block] = {}
        self.calls: dict[str, Block] = {}
        self.providers: dict[str, Block] = {}
        self.locals: dict[str, Attribute] = {}

    def _room(self, block: Block) -> tuple[dict[object, Block], object] | None:
        """The dictionary that a block belongs to, and its key there."""
        labels = block.labels
        rooms = {"variable": self.variables, "output": self.outputs, "module": self.calls}
        if block.type in ("resource", "data") and len(labels) == 2:
            mode = "managed" if block.type == "resource" else "data"
            return self.resources, Key(mode, labels[0], labels[1])  # type: ignore[return-value]
        if block.type in rooms and len(labels) == 1:
            return rooms[block.type], labels[0]  # type: ignore[return-value]
        if block.type == "provider" and len(labels) == 1:
            alias = _literal(block, "alias")
            return self.providers, f"{labels[0]}.{alias}" if alias else labels[0]  # type: ignore[return-value]
        return None

    def define(self, block: Block, refuse: Refuse) -> None:
        """Add a block of an ordinary file. All but resources are parsed now, so that an error is reported once."""
        if block.type not in _READ_LATER:
            block.body  # noqa: B018 - a ParseError is the point
        if block.type == "locals":
            self._define_locals(block, refuse)
        elif match := self._room(block):
            room, name = match
            if name in room:
                refuse(f"{' '.join((block.type, *block.labels))} is defined twice", block.place, duplicate=True)
            else:
                room[name] = block

    def override(self, block: Block, refuse: Refuse) -> None:
        """Merge in a block of an override file."""
        if block.type == "locals":
            self.locals |= block.body.attributes
        elif match := self._room(block):
            room, name = match
            if name in room:
                room[name] = merged(room[name], block)
            elif room is self.providers and "." not in str(name):
                room[name] = block  # the default configuration of a provider need not be written
            else:
                refuse(f"{' '.join((block.type, *block.labels))} overrides nothing", block.place)

    def _define_locals(self, block: Block, refuse: Refuse) -> None:
        for name, attribute in block.body.attributes.items():
            if name in self.locals:
                refuse(f"local.{name} is defined twice", attribute.place, duplicate=True)
            self.locals.setdefault(name, attribute)


def definition_of(folder: str, files: Iterable[Source], grammar: str | None, refuse: Refuse) -> Definition:
    """The module defined by these files, in their order. A file that cannot be read is reported and left out."""
    definition = Definition(folder)
    overriding: list[Source] = []
    for source in files:
        if overrides(source):
            overriding.append(source)
        else:
            for block in blocks_of(source, grammar, refuse):
                _try(block, definition.define, refuse)
    for source in overriding:
        for block in blocks_of(source, grammar, refuse):
            _try(block, definition.override, refuse)
    return definition


def blocks_of(source: Source, grammar: str | None, refuse: Refuse) -> list[Block]:
    """The blocks of one file. Empty if it cannot be read, which is reported."""
    if is_blank(source.data):
        return []
    try:
        return file_of(source.name, utf8(source.data), grammar).blocks()
    except ParseError as error:
        refuse_parsing(error, source.name, refuse)
        return []


def is_blank(data: bytes) -> bool:
    """Whether a file has nothing but white space, with or without a mark: Terraform reads it as an empty one."""
    return not data.removeprefix(codecs.BOM_UTF8).strip()


def utf8(data: bytes) -> str:
    """Decode a file as Terraform does: UTF-8 only."""
    if data.startswith(_UTF16):
        raise ParseError("the file is UTF-16, which Terraform does not read", hint="save it as UTF-8")
    return decode(data)


def refuse_parsing(error: ParseError, file: str, refuse: Refuse) -> None:
    """Report that a file or a block cannot be read."""
    refuse(
        error.message, Place(error.file or file, error.line, error.column), duplicate=error.duplicate, hint=error.hint
    )


def merged(block: Block, over: Block) -> Block:
    """Merge an override into a block: its arguments win, and its inner blocks replace those of the same type."""

    def read(_: Block) -> Body:
        below, above = block.body, over.body
        replaced = {inner_type(inner) for inner in above.blocks} - {"lifecycle"}
        remaining = tuple(inner for inner in below.blocks if inner_type(inner) not in replaced)
        return Body({**below.attributes, **above.attributes}, (*remaining, *above.blocks))

    return Block(
        block.type,
        block.labels,
        start=block.start,
        first=block.first,
        close=block.close,
        file=block.file,
        read=read,
        parts=(block, over),
    )


def lifecycle_of(body: Body) -> Mapping[str, Attribute]:
    """The arguments of a body's lifecycle: those of an override win."""
    attributes: dict[str, Attribute] = {}
    for block in body.blocks:
        if block.type == "lifecycle":
            attributes |= block.body.attributes
    return attributes


def inner_type(block: Block) -> str:
    """The type of an inner block. A dynamic block has the type of its label."""
    return block.labels[0] if block.type == "dynamic" and block.labels else block.type


def _try(block: Block, take: object, refuse: Refuse) -> None:
    try:
        take(block, refuse)  # type: ignore[operator]
    except ParseError as error:
        refuse_parsing(error, block.file.name, refuse)


def overrides(file: NamedFile) -> bool:
    """Whether this is an override file."""
    stem = _stem(file.name)
    return stem == _OVERRIDES[0] or stem.endswith(_OVERRIDES[1])


def module_files(files: Iterable[Source], *, tofu: bool) -> list[Source]:
    """The files of a module that the tool reads, by name. OpenTofu takes ``x.tofu`` in place of ``x.tf``."""
    in_order = sorted(files, key=lambda source: source.name)
    if not tofu:
        return [source for source in in_order if not is_tofu(source)]
    replaced = {re.sub(r"\.tofu(?=(?:\.json)?\Z)", ".tf", source.name) for source in in_order if is_tofu(source)}
    return [source for source in in_order if source.name not in replaced]


def is_tofu(source: Source) -> bool:
    """Whether only OpenTofu reads the file."""
    return source.name.endswith((".tofu", ".tofu.json"))


def _stem(name: str) -> str:
    name = name.rpartition("/")[2]
    return next((name.removesuffix(end) for end in sorted(ENDINGS, key=len, reverse=True) if name.endswith(end)), name)


def _literal(block: Block, name: str) -> object:
    attribute = block.body.attributes.get(name)
    return getattr(attribute.value, "content", None) if attribute is not None else None


_HINT = "pass --var {0}=VALUE, --var-file FILE, or --assume-defaults"


class RootVariables:
    """The values of root variables, by the precedence of Terraform: --var, then files, then the environment."""

    def __init__(self, options: ReadOptions, beside: Iterable[Source], refuse: Refuse) -> None:
        self._refuse = refuse
        self._grammar = options.grammar
        self._texts = options.variables
        self._environment = options.environment
        self._sure = options.assume_defaults or bool(options.variable_files or options.variables)
        self._files: dict[str, Expression] = {}
        for source in (*in_order(beside), *options.variable_files):
            self._files |= self._assigned(source)

    def value(self, name: str, block: Block, module: Module) -> object:
        """The value of one variable."""
        type_ = None if (type_attribute := block.body.attributes.get("type")) is None else type_attribute.value
        default = block.body.attributes.get("default")
        scope = EvaluationScope(module)
        if name in self._texts:
            return converted(self._of_text(self._texts[name], type_, scope), type_)
        if name in self._files:
            return converted(evaluated(self._files[name], scope), type_)
        if name in self._environment:
            return converted(self._of_text(self._environment[name], type_, scope), type_)
        resolve = _HINT.format(name)
        if default is None:
            resolve = resolve.replace(", or --assume-defaults", "")
            return UnknownValue(f"variable {name} has no value", resolve, label=f"var.{name}")
        content = converted(evaluated(default.value, scope), type_)
        if self._sure or any(unknowns(content)):
            return content
        reason = f"variable {name} has only a default, which is not assumed"
        return UnknownValue(reason, resolve, label=f"var.{name}", usual=content)

    def _of_text(self, text: str, type_: Expression | None, scope: EvaluationScope) -> object:
        if is_text(type_):
            return text
        try:
            body = File("", f"x = {text}\n", self._grammar).assignments()
            return evaluated(body.attributes["x"].value, scope)
        except ParseError:
            return UnknownValue("the value is not an expression", "write the value in Terraform's syntax")

    def _assigned(self, source: Source) -> Mapping[str, Expression]:
        try:
            return assignments(source, self._grammar)
        except ParseError as error:
            refuse_parsing(error, source.name, self._refuse)
            return {}


def assignments(source: Source, grammar: str | None) -> Mapping[str, Expression]:
    """The variables that a file assigns. ParseError if it cannot be read."""
    if is_blank(source.data):
        return {}
    body = file_of(source.name, decode(source.data), grammar).assignments()
    return {name: attribute.value for name, attribute in body.attributes.items()}


def in_order(beside: Iterable[Source]) -> list[Source]:
    """The variable files that Terraform loads by itself: terraform.tfvars first, then *.auto.tfvars by name."""
    own = {"terraform.tfvars": 0, "terraform.tfvars.json": 1}

    def rank(source: Source) -> tuple[int, str]:
        name = source.name.rpartition("/")[2]
        return own.get(name, 2), name

    return sorted((one for one in beside if is_automatic(one.name)), key=rank)


def is_automatic(name: str) -> bool:
    """Whether Terraform loads this variable file by itself."""
    name = name.rpartition("/")[2]
    return name in ("terraform.tfvars", "terraform.tfvars.json") or name.endswith((".auto.tfvars", ".auto.tfvars.json"))
