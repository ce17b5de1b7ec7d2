"""The documents of data.aws_iam_policy_document, merged as the provider merges them, with their unknown parts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TypeAlias

from tablegate.dialects.terraform.block import LATER, Block
from tablegate.dialects.terraform.configuration import tree
from tablegate.dialects.terraform.iam.context import PlanContext, PolicyTexts, path_text
from tablegate.dialects.terraform.iam.unknown_text import SourceTexts, UnknownElements, with_others
from tablegate.dialects.terraform.references import Reference, UnknownValue
from tablegate.dialects.terraform.resources import Resource, doubt_about
from tablegate.dialects.terraform.secrets import of_changes
from tablegate.iam.documents import Document, Path, UnknownPart, parse_document
from tablegate.model.record import record, replace
from tablegate.model.value import Doubt, Place
from tablegate.syntax.node import ParseError

DATA = "aws_iam_policy_document"
_VERSION = "2012-10-17"
_FAR = 8  # documents that are composed of documents, and so on
_TOO_FAR = Doubt("its sources are nested too deeply", "nest fewer policy documents in each other")
_NO_SOURCE = Doubt("one of its sources is not JSON", "write the source as JSON")
_VALUES = (UnknownPart(LATER),)  # the references of a condition's values do not show what they are
_LISTS = (
    ("Action", "actions"),
    ("NotAction", "not_actions"),
    ("Resource", "resources"),
    ("NotResource", "not_resources"),
)
_WHO = (("Principal", "principals"), ("NotPrincipal", "not_principals"))
_ARGUMENTS = dict((*_LISTS, *_WHO, ("Condition", "condition")))
_WITH_VARIABLES = frozenset({"resources", "not_resources", "identifiers", "values"})

_Tree: TypeAlias = dict[str, object]


@record(kw_only=False)
class StatementBlock:
    """One statement of a composed document, with its place."""

    tree: _Tree | UnknownPart
    place: Place
    block: Block | None = None  # that it is written as, with the provider's names for its members

    def at(self, path: Path) -> Place:
        """The place of a part of the statement."""
        if self.block is not None and path:
            return self.block.place(_ARGUMENTS.get(str(path[0]), str(path[0])))
        return replace(self.place, path=f"{self.place.path}{path_text(path)}")

    @property
    def sid(self) -> str | None:
        """Its Sid: a later statement with the same one replaces it."""
        sid = self.tree.get("Sid") if isinstance(self.tree, dict) else None
        return sid if isinstance(sid, str) and sid else None


class PolicyDocumentData:
    """The documents that the data sources of one plan compose."""

    def __init__(
        self, context: PlanContext, texts: PolicyTexts, elements: UnknownElements, source_texts: SourceTexts
    ) -> None:
        self._context = context
        self._texts = texts
        self._elements = elements
        self._source_texts = source_texts
        self._documents: dict[str, Document] = {}
        self.secrets: set[str] = set()

    def of(self, resource: Resource) -> Document:
        """The document of a data source that is read during the apply."""
        document = self._documents.get(resource.address)
        if document is None:
            self.secrets.update(of_changes([resource.resource_change]))
            document = self._documents[resource.address] = self._document(self._statements(resource, 0), resource)
            self._texts.report_malformed(document, resource, "statement")
        return document

    def _document(self, statements: Sequence[StatementBlock], resource: Resource) -> Document:
        trees = [statement.tree for statement in statements]
        content = {"Version": resource.known_text("version") or _VERSION, "Statement": trees}

        def locate(path: Path) -> Place | None:
            number = path[1] if len(path) > 1 else None
            return statements[number].at(path[2:]) if isinstance(number, int) else None

        return parse_document(content, self._context.symbols, locate)

    def _statements(self, resource: Resource, depth: int) -> list[StatementBlock]:
        """The statements of its sources, then its own, then those that override both."""
        if depth > _FAR:
            return [StatementBlock(UnknownPart(_TOO_FAR), resource.reference_place)]
        statements: list[StatementBlock] = []
        for key in ("source_json", "source_policy_documents"):
            for source in self._sources(resource, key, depth):
                _merge(statements, source)
        _merge(statements, list(self._own(resource)))
        for key in ("override_policy_documents", "override_json"):
            for source in self._sources(resource, key, depth):
                _merge(statements, source)
        return statements

    def _sources(self, resource: Resource, key: str, depth: int) -> Iterator[list[StatementBlock]]:
        """Each document of an argument, in its order. Unknown ones are those that the argument refers to."""
        content, unknown = resource.block.member(key)
        value = tree(resource.block.expression(key)).get("given")
        if value is not None:
            yield from self._of_source(value, resource, key, depth)
            return
        items = content if isinstance(content, list) else [content]
        marks = unknown if isinstance(unknown, list) else [unknown] if unknown is True else []
        waiting = self._referred(resource, key, depth) if True in marks else []
        for number, item in enumerate(items):
            path = f"{key}[{number}]" if isinstance(content, list) else key
            if isinstance(item, str) and item:
                yield self._text(item, resource, replace(resource.block.place(key), path=f"{resource.address}.{path}"))
            elif number < len(marks) and marks[number] is True and waiting:
                yield waiting.pop(0)
        yield from waiting

    def _of_source(self, value: object, resource: Resource, key: str, depth: int) -> Iterator[list[StatementBlock]]:
        """Each document of an argument as source knows it."""
        place = resource.block.place(key)
        for item in value if isinstance(value, list) else [value]:
            if isinstance(item, str) and item:
                yield self._text(item, resource, place)
            elif isinstance(item, UnknownValue):
                yield self._unknown(item, place, depth)

    def _unknown(self, item: UnknownValue, place: Place, depth: int) -> list[StatementBlock]:
        content = self._source_texts.tree(item.parts) if item.parts else None
        if content is not None:
            return _statements_of(content, place)
        references = self._source_texts.references(item) if item.direct else ()
        if any(reference.type == DATA for reference in references):
            return [statement for reference in references for statement in self._behind(reference, depth)]
        return [StatementBlock(UnknownPart(item.doubt()), place)]

    def _referred(self, resource: Resource, key: str, depth: int) -> list[list[StatementBlock]]:
        snapshot = self._context.snapshot
        unknown = [reference for reference in resource.references(key) if not snapshot.is_known(reference)]
        documents = [self._behind(reference, depth) for reference in unknown]
        return documents or [[StatementBlock(UnknownPart(doubt_about(unknown)), resource.reference_place)]]

    def _behind(self, reference: Reference, depth: int) -> list[StatementBlock]:
        """The statements of the data sources that a reference leads to."""
        snapshot = self._context.snapshot
        resources = [snapshot.at(target) for target in reference.targets] if reference.type == DATA else []
        statements = [
            statement
            for resource in resources
            if resource is not None
            for statement in self._statements(resource, depth + 1)
        ]
        unknown = UnknownPart(doubt_about([reference]))
        return statements or [StatementBlock(unknown, Place(snapshot.file, path=reference.reference))]

    def _text(self, text: str, resource: Resource, place: Place) -> list[StatementBlock]:
        content = self._texts.tree(text)
        if isinstance(content, ParseError):
            self._texts.refuse(resource, (place.path or "").removeprefix(f"{resource.address}."), content)
            return [StatementBlock(UnknownPart(_NO_SOURCE), resource.reference_place)]
        return _statements_of(content, place)

    def _own(self, resource: Resource) -> Iterator[StatementBlock]:
        blocks = resource.block.many("statement")
        if isinstance(blocks, Doubt):
            yield StatementBlock(UnknownPart(blocks), resource.reference_place)
            return
        for number, block in enumerate(blocks):
            if isinstance(block, Doubt):
                place = replace(resource.block.place(), path=f"{resource.address}.statement[{number}]")
                yield StatementBlock(UnknownPart(block), place)
            else:
                place = replace(block.place(), path=f"{resource.address}.statement[{number}]")
                yield StatementBlock(self._statement(resource, block), place, block)

    def _statement(self, resource: Resource, block: Block) -> _Tree:
        content: _Tree = {}
        effect, unknown = block.member("effect")
        content["Effect"] = UnknownPart(doubt_about(())) if unknown is True and effect is None else effect or "Allow"
        if isinstance(block.content.get("sid"), str):
            content["Sid"] = block.content["sid"]
        for name, key in _LISTS:
            if elements := self._listed(resource, block, key):
                content[name] = elements
        for name, key in _WHO:
            if principals := self._principals(resource, block, key):
                content[name] = principals
        if conditions := self._conditions(resource, block):
            content["Condition"] = conditions
        return content

    def _listed(self, resource: Resource, block: Block, key: str) -> list[object]:
        """The elements of a list: those that are known, then what each of the others may be."""
        content, unknown = block.member(key)
        known: list[object] = [item for item in content if item is not None] if isinstance(content, list) else []
        if key in _WITH_VARIABLES:
            known = [item.replace("&{", "${") if isinstance(item, str) else item for item in known]
        count = 1 if unknown is True else unknown.count(True) if isinstance(unknown, list) else 0
        if not count:
            return known
        value = tree(block.expression(key)).get("given") or self._hidden(block, key, count)
        if value is not None:
            return [*known, *self._source_texts.elements(value, resource, block, key)]
        if key == "values":
            return [*known, *_VALUES]
        parts = self._elements.parts(resource, block, key, count)
        return [*known, *(with_others(parts) if unknown is True else parts)]

    def _hidden(self, block: Block, key: str, count: int) -> object:
        """The elements that a plan hides, if its source shows all of them."""
        value = None if block.is_sensitive(key) else block.source_value(key)
        items = [item for item in value if isinstance(item, UnknownValue)] if isinstance(value, list) else []
        return items if len(items) == count else None

    def _principals(self, resource: Resource, block: Block, key: str) -> object:
        blocks = block.many(key)
        if isinstance(blocks, Doubt):
            return UnknownPart(blocks)
        by_type: dict[str, list[object]] = {}
        for one in blocks:
            if isinstance(one, Doubt):
                return UnknownPart(one)
            type_ = one.content.get("type")
            if not isinstance(type_, str):
                return UnknownPart(doubt_about(()))
            by_type.setdefault(type_, []).extend(self._listed(resource, one, "identifiers"))
        return "*" if by_type == {"*": ["*"]} else by_type

    def _conditions(self, resource: Resource, block: Block) -> object:
        """The values of blocks with the same test and variable are alternatives."""
        blocks = block.many("condition")
        if isinstance(blocks, Doubt):
            return UnknownPart(blocks)
        by_test: dict[str, dict[str, list[object]]] = {}
        for one in blocks:
            if isinstance(one, Doubt):
                return UnknownPart(one)
            test, variable = one.content.get("test"), one.content.get("variable")
            if not isinstance(test, str) or not isinstance(variable, str):
                return UnknownPart(doubt_about(()))
            by_test.setdefault(test, {}).setdefault(variable, []).extend(self._listed(resource, one, "values"))
        return by_test


def _statements_of(content: object, place: Place) -> list[StatementBlock]:
    """The statements of a document whose text is at a place."""
    statements = tree(content).get("Statement", [])
    if isinstance(statements, UnknownPart):
        return [StatementBlock(statements, place)]
    return [
        StatementBlock(item, replace(place, path=f"{place.path}{path_text(('Statement', number))}"))
        for number, item in enumerate(statements if isinstance(statements, list) else [statements])
        if isinstance(item, (dict, UnknownPart))
    ]


def _merge(statements: list[StatementBlock], added: Sequence[StatementBlock]) -> None:
    """Add statements: each replaces one with the same Sid, or comes last."""
    for statement in added:
        sids = [other.sid for other in statements]
        if statement.sid is not None and statement.sid in sids:
            statements[sids.index(statement.sid)] = statement
        else:
            statements.append(statement)


def written_as(expression: object) -> str:
    """The language in which the author of a policy writes statements: blocks in HCL, or JSON."""
    members = tree(expression)
    references, reached = members.get("references"), members.get("reached")
    texts = [*map(str, references)] if isinstance(references, list) else []
    texts += [reference for _, reference in reached] if isinstance(reached, tuple) else []
    return "hcl" if any(one.startswith(f"data.{DATA}.") for one in texts) else "json"
