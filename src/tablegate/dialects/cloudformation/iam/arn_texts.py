"""References as ARNs and names, with symbols for their unknown parts."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cached_property
from itertools import product
from math import prod
from typing import Any

from tablegate.dialects.cloudformation.parameters import ACCOUNT, PARTITION, REGION, usual_value
from tablegate.dialects.cloudformation.properties import Resource, resource_named, resources_of
from tablegate.dialects.cloudformation.resolver import Resolver
from tablegate.dialects.cloudformation.template import (
    FUNCTION,
    GROUP,
    MANAGED_POLICY,
    ROLE,
    STATE_MACHINE,
    TABLES,
    USER,
    Template,
)
from tablegate.dialects.cloudformation.values import (
    EXPRESSION,
    INPUT,
    OTHER_STACK,
    RESOURCE,
    NameReference,
    Part,
    Resolved,
    Unresolved,
    is_scalar,
    reference_text,
    scalar_of,
)
from tablegate.iam import arns
from tablegate.iam.arns import Symbols, arn_of, has_symbol
from tablegate.iam.documents import UnknownPart
from tablegate.model.record import replace
from tablegate.model.table import Table
from tablegate.model.value import Doubt
from tablegate.syntax.node import Node


def types_of(template: Template) -> Mapping[str, str]:
    """The type of every resource of the template, whether it is read or not, and of the roles that SAM makes."""
    types = {}
    for address, node in template.names.items():
        type_ = node.content.get("Type") if isinstance(node.content, dict) else None
        if type_ is not None and isinstance(type_.content, str):
            types[address] = type_.content
    if template.serverless:  # SAM makes the role of a function
        made = [address for address, type_ in types.items() if type_ in (FUNCTION, STATE_MACHINE)]
        types = {f"{address}Role": ROLE for address in made} | types
    return types


TablesOf = Callable[[Resolver], tuple[Table, ...]]
"""Builds the tables of another stack."""

_MOST = 256  # texts of one element; if there are more, it may be anything
_OWN = {REGION: arns.REGION, ACCOUNT: arns.ACCOUNT, PARTITION: arns.PARTITION}
_IDENTITIES = {
    ROLE: ("role", "RoleName"),
    USER: ("user", "UserName"),
    GROUP: ("group", "GroupName"),
    MANAGED_POLICY: ("policy", "ManagedPolicyName"),
}
# An attribute of these may be the ARN of anything.
_OPAQUE = ("Custom::", "AWS::CloudFormation::", "AWS::SSM::", "AWS::Serverless::Application", "AWS::ServiceCatalog::")
_NOTHING = ("", "")
_NOWHERE = Node(None, 1, 1)
HELD = Doubt("a part of the document is known only after deploy")


class ArnTexts:
    """The texts of one template's resolved values, with symbols for unknown parts."""

    def __init__(self, resolver: Resolver, symbols: Symbols, tables: Iterable[Table], tables_of: TablesOf) -> None:
        self.symbols = symbols
        self.neighbours: dict[str, tuple[Table, ...]] = {}
        self._tables_of = tables_of
        self._resolver = resolver
        self._tables: dict[str, list[Table]] = {}
        above = len(resolver.context.full(""))
        for table in tables:
            self._tables.setdefault(table.address[above:], []).append(table)
        self._arns: dict[str, tuple[str, ...]] = {}
        self._references: dict[str, NameReference] = {}
        self._words: dict[str, str] = {}
        self.region, self.account, self.partition = map(self._own, (REGION, ACCOUNT, PARTITION))

    def of(self, value: Node | Unresolved) -> tuple[str, ...] | UnknownPart:
        """All texts that an element of a document can be; an unknown part if it may be anything."""
        if isinstance(value, Node):
            text = scalar_of(value)
            if not self._references or not has_symbol(text):
                return self.canonical(text)
            return self.of(Unresolved(HELD, value, tuple(self._references.get(part, part) for part in text)))
        first, *behind = value.parts or (None,)
        if isinstance(first, NameReference) and first.attribute == "Arn" and self._is_table(first):
            if first.kind == RESOURCE and not behind:
                return self.arns_of(first.name)
            return tuple(self._made(value.parts)) or UnknownPart(value.doubt)
        if first is None or (isinstance(first, NameReference) and self._may_be_anything(first)):
            return UnknownPart(value.doubt)
        texts = dict.fromkeys(text for made in self._made(value.parts) for text in self.canonical(made))
        return tuple(texts) or UnknownPart(value.doubt)

    def usual(self, value: Node | Unresolved) -> tuple[str, ...]:
        """The texts that an element has by the defaults of its parameters; none if one of them has none."""
        parts = value.parts if isinstance(value, Unresolved) else ()
        inputs = [part for part in parts if isinstance(part, NameReference) and part.kind == INPUT]
        defaults = {part.name: self._default(part.name) for part in inputs if part.name not in _OWN}
        if not defaults or None in defaults.values():
            return ()
        texts = [
            [part]
            if isinstance(part, str)
            else (defaults[part.name] or "").split(",")
            if part.name in defaults
            else list(self._options(part, index))
            for index, part in enumerate(parts)
        ]
        return tuple("".join(made) for made in product(*texts)) if prod(map(len, texts)) <= _MOST else ()

    def _default(self, name: str) -> str | None:
        declared = self._resolver.template.parameters.get(name)
        content = declared.content if declared is not None else None
        return usual_value(content) if isinstance(content, dict) else None

    def one(self, value: Resolved) -> Any:
        """The first text that an element can be, or an unknown part. A mapping or list stays as it is."""
        if value is None:
            return None
        if isinstance(value, Node) and not is_scalar(value):
            return value.plain()
        texts = self.of(value)
        return texts if isinstance(texts, UnknownPart) else texts[0]

    def of_reference(self, node: Node) -> tuple[str, ...]:
        """The texts of a function that refers to the ARN of a table of this template; empty for anything else."""
        address, behind = _referred(node.content)
        if address not in self._tables or address not in self._resolver.template.names:
            return ()
        spelled = self._arns.get(address) or self.arns_of(address)
        return tuple([arn + behind for arn in spelled]) if behind else spelled

    def with_references(self, value: Unresolved) -> str:
        """The text of a JSON document with a symbol for each reference: ``of`` resolves them in the parsed document."""
        for part in value.parts:
            if isinstance(part, NameReference):
                self._references[self.symbols.of(f"a reference: {reference_text(part)}")] = part
        return "".join(
            part if isinstance(part, str) else self.symbols.of(f"a reference: {reference_text(part)}")
            for part in value.parts
        )

    def every(self, value: Node | Unresolved) -> tuple[str, ...]:
        """All texts that a part of an ARN can be; one symbol if it may be anything."""
        if isinstance(value, Node):
            return (scalar_of(value),)
        return tuple(dict.fromkeys(self._made(value.parts))) or (self.symbols.of(value.doubt.reason),)

    def symbolic(self, value: Node | Unresolved) -> str | None:
        """The text of a value, with symbols for its unknown parts; None if it is no text."""
        if isinstance(value, Node):
            return scalar_of(value) if is_scalar(value) else None
        texts = self._made(value.parts) if value.parts else ()
        return texts[0] if texts else None

    def canonical(self, text: str) -> tuple[str, ...]:
        """The text as a reference to the same table of this template gives it; itself if it names no table."""
        head, separator, tail = text.partition(":table/")
        if not separator or head.count(":") != 4:
            return (text,)
        name, slash, rest = tail.partition("/")
        bare = name.rstrip("*")
        address = self._by_name.get(bare)
        if address is None:
            return (text,)
        behind = name[len(bare) :] + slash + rest
        spelled = self.arns_of(address)
        exact = tuple(arn for arn in spelled if arn.partition(":table/")[2] == bare) or spelled
        return tuple(_at_its_place(head, arn) + behind for arn in exact)

    def arns_of(self, address: str) -> tuple[str, ...]:
        """The ARN of a table, in each of its scenarios."""
        if address not in self._arns:
            arns_ = (arn_of(table, self.symbols) for table in self._tables.get(address, ()))
            self._arns[address] = tuple(dict.fromkeys(arns_))
        return self._arns[address]

    def identity(self, address: str) -> str:
        """The name of a role, user, group or managed policy of this template."""
        return self._identity(NameReference(address, None, RESOURCE))

    def arn_of_identity(self, address: str) -> str:
        """The ARN of a role, user, group or managed policy of this template."""
        return self._arn_of_identity(NameReference(address, None, RESOURCE))

    def arn_of_name(self, sort: str, name: str) -> str:
        """The ARN of a role or user of this account that is not in the template."""
        return f"arn:{self.partition}:iam::{self.account}:{sort}/{name}"

    def _identity(self, symbol: NameReference) -> str:
        name = self._property(symbol, _IDENTITIES[self._type(symbol)][1])
        return name or self.symbols.of(f"name of {symbol.name}")

    def _property(self, symbol: NameReference, key: str) -> str | None:
        """A text of the resource that a symbol refers to."""
        home = symbol.stack or self._resolver
        resource = resource_named(home, symbol.resource or symbol.name, self._type(symbol))
        node = resource.properties.get(key) if resource else None
        return self.symbolic(node) if node is not None else None

    def _is_table(self, symbol: NameReference) -> bool:
        """Whether a reference leads to a table, of this template or of another stack of the run."""
        home, name = symbol.stack, symbol.resource
        if home is not None and name is not None and symbol.name not in self.neighbours:
            own = home.context.full(name)
            there = self._tables_of(home) if home.template.tables and name in home.template.tables else ()
            tables = tuple(replace(table, address=symbol.name) for table in there if table.address == own)
            self.neighbours[symbol.name] = tables
            self._tables.setdefault(symbol.name, []).extend(tables)
        return bool(self._tables.get(symbol.name))

    def _type(self, symbol: NameReference) -> str:
        if symbol.stack is None or symbol.resource is None:
            return self._types.get(symbol.name, "")
        return types_of(symbol.stack.template).get(symbol.resource, "")

    def _own(self, name: str) -> str:
        value = self._resolver.resolve_name(_NOWHERE, name)
        return scalar_of(value) if isinstance(value, Node) else self.symbols.of(_OWN[name])

    def _made(self, parts: tuple[Part, ...]) -> list[str]:
        choices = [(part,) if isinstance(part, str) else self._options(part, index) for index, part in enumerate(parts)]
        return ["".join(documents) for documents in product(*choices)] if prod(map(len, choices)) <= _MOST else []

    def _options(self, symbol: NameReference, index: int) -> tuple[str, ...]:
        if symbol.kind in (RESOURCE, OTHER_STACK):
            return self._of_resource(symbol, begins=index == 0)
        if symbol.name in _OWN and symbol.kind == INPUT:
            return ({REGION: self.region, ACCOUNT: self.account, PARTITION: self.partition}[symbol.name],)
        name = self._word(symbol.name) if symbol.kind == EXPRESSION else symbol.name
        return (self.symbols.of(f"parameter {name}" if name in _OWN.values() else name),)

    def _word(self, expression: str) -> str:
        """An expression without its punctuation, unless another one is the same without it."""
        word = expression.strip("{}").replace('"', "")
        return word if self._words.setdefault(word, expression) == expression else expression

    def _of_resource(self, symbol: NameReference, *, begins: bool) -> tuple[str, ...]:
        """What an attribute of a resource can be. A table that exists in no scenario is none of those that do."""
        if self._is_table(symbol):
            return self._of_table(symbol, self.arns_of(symbol.name))
        kind = self._type(symbol)
        what = symbol.name if symbol.attribute is None else f"{symbol.name}.{symbol.attribute}"
        if kind in _IDENTITIES:
            is_arn = symbol.attribute == "Arn" or (kind == MANAGED_POLICY and symbol.attribute is None)
            return (self._arn_of_identity(symbol) if is_arn else self._identity(symbol),)
        if not begins:
            return (self.symbols.of(what),)
        service = kind.split("::")[1].lower() if kind.count("::") == 2 and kind not in TABLES else "other"
        return (f"arn:{self.partition}:{service}:{self.symbols.of(what)}",)

    def _arn_of_identity(self, symbol: NameReference) -> str:
        path = (self._property(symbol, "Path") or "/").strip("/")
        name = f"{path}/{self._identity(symbol)}" if path else self._identity(symbol)
        return self.arn_of_name(_IDENTITIES[self._type(symbol)][0], name)

    def arn_of_key(self, address: str) -> str:
        """The ARN of a key of this template."""
        return f"arn:{self.partition}:kms:{self.region}:{self.account}:key/{self.symbols.of(f'{address}.KeyId')}"

    def _of_table(self, symbol: NameReference, spelled: tuple[str, ...]) -> tuple[str, ...]:
        if symbol.attribute is None:
            return tuple(arn.partition(":table/")[2] for arn in spelled)
        if symbol.attribute == "Arn":
            return spelled
        label = self.symbols.of(f"{symbol.name}.{symbol.attribute}")
        return tuple(f"{arn}/stream/{label}" for arn in spelled) if symbol.attribute == "StreamArn" else (label,)

    def _may_be_anything(self, symbol: NameReference) -> bool:
        if symbol.kind == INPUT:
            return not symbol.name.startswith("AWS::")
        if symbol.kind == EXPRESSION:
            return True
        kind = self._type(symbol)
        if not kind:
            return self._resolver.template.has_open_resources or not self._resolver.template.serverless
        return kind.startswith(_OPAQUE) or kind.endswith("::MODULE")

    @cached_property
    def _types(self) -> Mapping[str, str]:
        return types_of(self._resolver.template)

    @cached_property
    def _by_name(self) -> dict[str, str]:
        names: dict[str, str] = {}
        for resource in resources_of(self._resolver, *TABLES):
            for name in self._names(resource):
                names.setdefault(name, resource.address)
        return names

    def _names(self, resource: Resource) -> Iterator[str]:
        yield from (arn.partition(":table/")[2] for arn in self.arns_of(resource.address))
        node = resource.properties.get("TableName")
        text = self.symbolic(node) if node is not None else None
        if text:
            yield text


def _at_its_place(head: str, arn: str) -> str:
    """The table's ARN if the text may begin like it, or else the text's beginning with the table's name."""
    own, _, name = arn.partition(":table/")
    _, partition, _, region, account = own.split(":")
    _, spelled, service, where, whose = head.split(":")
    same = spelled == partition or (has_symbol(partition) and spelled.startswith("aws"))
    return arn if same and (service, where, whose) == ("dynamodb", region, account) else f"{head}:table/{name}"


def _referred(content: object) -> tuple[str, str]:
    """The resource whose ARN a function refers to, and the text behind it; both empty for anything else."""
    if isinstance(content, dict) and len(content) == 1:
        ((function, argument),) = content.items()
        given = argument.content
        if function == "Fn::GetAtt" and isinstance(given, (list, tuple)):
            if len(given) == 2 and given[1].content == "Arn" and isinstance(given[0].content, str):
                return given[0].content, ""
        elif function == "Fn::Sub" and isinstance(given, str) and given.startswith("${"):
            name, end, behind = given[2:].partition(".Arn}")
            if end and name.isalnum() and name.isascii() and "$" not in behind and "{" not in behind:
                return name, behind
    return _NOTHING
