"""Documents that data.aws_iam_policy_document composes: merged as the provider merges them, holes and all."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TypeAlias

from tablegate.dialects.terraform.block import LATER, Block
from tablegate.dialects.terraform.configuration import tree
from tablegate.dialects.terraform.iam.context import PlanContext, PolicyTexts, spelled
from tablegate.dialects.terraform.iam.unknown_text import SourceTexts, UnknownElements
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
_TOO_FAR = Doubt("its sources go deeper than is followed", "fewer documents that are composed of documents")
_NO_SOURCE = Doubt("one of its sources is not JSON", "the source as a JSON text")
_VALUES = (UnknownPart(LATER),)  # what the values of a condition refer to says nothing of what they are
_LISTS = (
    ("Action", "actions"),
    ("NotAction", "not_actions"),
    ("Resource", "resources"),
    ("NotResource", "not_resources"),
)
_WHO = (("Principal", "principals"), ("NotPrincipal", "not_principals"))
_ARGUMENTS = dict((*_LISTS, *_WHO, ("Condition", "condition")))
_WITH_VARIABLES = frozenset({"resources", "not_resources", "identifiers", "values"})

_Spelled: TypeAlias = dict[str, object]


@record(kw_only=False)
class StatementBlock:
    """One statement of a composed document, and where it stands."""

    tree: _Spelled | UnknownPart
    place: Place
    block: Block | None = None  # where it is written as one, whose arguments have names of their own

    def at(self, path: Path) -> Place:
        """Where a part of the statement stands."""
        if self.block is not None and path:
            return self.block.place(_ARGUMENTS.get(str(path[0]), str(path[0])))
        return replace(self.place, path=f"{self.place.path}{spelled(path)}")

    @property
    def sid(self) -> str | None:
        """What a later statement replaces it by."""
        sid = self.tree.get("Sid") if isinstance(self.tree, dict) else None
        return sid if isinstance(sid, str) and sid else None


class PolicyDocumentData:
    """The composed documents of one plan."""

    def __init__(
        self, context: PlanContext, texts: PolicyTexts, elements: UnknownElements, source_texts: SourceTexts
    ) -> None:
        self._context = context
        self._texts = texts
        self._elements = elements
        self._source_texts = source_texts
        self._made: dict[str, Document] = {}
        self.secrets: set[str] = set()

    def of(self, resource: Resource) -> Document:
        """The document of a data source that is read during the apply."""
        found = self._made.get(resource.address)
        if found is None:
            self.secrets.update(of_changes([resource.resource_change]))
            found = self._made[resource.address] = self._document(self._parts(resource, 0), resource)
            self._texts.note(found, resource, "statement")
        return found

    def _document(self, parts: Sequence[StatementBlock], resource: Resource) -> Document:
        content = {"Version": resource.known_text("version") or _VERSION, "Statement": [part.tree for part in parts]}

        def locate(path: Path) -> Place | None:
            number = path[1] if len(path) > 1 else None
            return parts[number].at(path[2:]) if isinstance(number, int) else None

        return parse_document(content, self._context.symbols, locate)

    def _parts(self, resource: Resource, depth: int) -> list[StatementBlock]:
        """Its sources, then its own statements, then what overrides both."""
        found: list[StatementBlock] = []
        if depth > _FAR:
            return [StatementBlock(UnknownPart(_TOO_FAR), resource.reference_place)]
        for key in ("source_json", "source_policy_documents"):
            for source in self._sources(resource, key, depth):
                _merge(found, source)
        _merge(found, list(self._own(resource)))
        for key in ("override_policy_documents", "override_json"):
            for source in self._sources(resource, key, depth):
                _merge(found, source)
        return found

    def _sources(self, resource: Resource, key: str, depth: int) -> Iterator[list[StatementBlock]]:
        """Each document of an argument, in its order. Unknown ones are those that the argument refers to."""
        content, unknown = resource.block.member(key)
        given = tree(resource.block.expression(key)).get("given")
        if given is not None:
            yield from self._given(given, resource, key, depth)
            return
        listed = content if isinstance(content, list) else [content]
        marks = unknown if isinstance(unknown, list) else [unknown] if unknown is True else []
        waiting = self._referred(resource, key, depth) if True in marks else []
        for number, item in enumerate(listed):
            path = f"{key}[{number}]" if isinstance(content, list) else key
            if isinstance(item, str) and item:
                yield self._text(item, resource, replace(resource.block.place(key), path=f"{resource.address}.{path}"))
            elif number < len(marks) and marks[number] is True and waiting:
                yield waiting.pop(0)
        yield from waiting

    def _given(self, given: object, resource: Resource, key: str, depth: int) -> Iterator[list[StatementBlock]]:
        """The same of source, which tells what each of them is."""
        place = resource.block.place(key)
        for item in given if isinstance(given, list) else [given]:
            if isinstance(item, str) and item:
                yield self._text(item, resource, place)
            elif isinstance(item, UnknownValue):
                yield self._unknown(item, place, depth)

    def _unknown(self, item: UnknownValue, place: Place, depth: int) -> list[StatementBlock]:
        found = self._source_texts.tree(item.parts) if item.parts else None
        if found is not None:
            return _parts_of(found, place)
        references = self._source_texts.references(item) if item.direct else ()
        if any(one.type == DATA for one in references):
            return [part for one in references for part in self._mentioned(one, depth)]
        return [StatementBlock(UnknownPart(item.doubt()), place)]

    def _referred(self, resource: Resource, key: str, depth: int) -> list[list[StatementBlock]]:
        snapshot = self._context.snapshot
        unknown = [one for one in resource.references(key) if not snapshot.is_known(one)]
        found = [self._mentioned(one, depth) for one in unknown]
        return found or [[StatementBlock(UnknownPart(doubt_about(unknown)), resource.reference_place)]]

    def _mentioned(self, reference: Reference, depth: int) -> list[StatementBlock]:
        snapshot = self._context.snapshot
        resources = [snapshot.at(one) for one in reference.targets] if reference.type == DATA else []
        parts = [part for one in resources if one is not None for part in self._parts(one, depth + 1)]
        return parts or [
            StatementBlock(UnknownPart(doubt_about([reference])), Place(snapshot.file, path=reference.reference))
        ]

    def _text(self, text: str, resource: Resource, place: Place) -> list[StatementBlock]:
        content = self._texts.tree(text)
        if isinstance(content, ParseError):
            self._texts.refuse(resource, (place.path or "").removeprefix(f"{resource.address}."), content)
            return [StatementBlock(UnknownPart(_NO_SOURCE), resource.reference_place)]
        return _parts_of(content, place)

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

    def _statement(self, resource: Resource, block: Block) -> _Spelled:
        content: _Spelled = {}
        effect, unknown = block.member("effect")
        content["Effect"] = UnknownPart(doubt_about(())) if unknown is True and effect is None else effect or "Allow"
        if isinstance(block.content.get("sid"), str):
            content["Sid"] = block.content["sid"]
        for name, key in _LISTS:
            listed = self._listed(resource, block, key)
            if listed:
                content[name] = listed
        for name, key in _WHO:
            principals = self._principals(resource, block, key)
            if principals:
                content[name] = principals
        conditions = self._conditions(resource, block)
        if conditions:
            content["Condition"] = conditions
        return content

    def _listed(self, resource: Resource, block: Block, key: str) -> list[object]:
        """The elements of a list: those that are known, and a hole for what the others may be."""
        content, unknown = block.member(key)
        listed: list[object] = [item for item in content if item is not None] if isinstance(content, list) else []
        if key in _WITH_VARIABLES:
            listed = [item.replace("&{", "${") if isinstance(item, str) else item for item in listed]
        count = 1 if unknown is True else unknown.count(True) if isinstance(unknown, list) else 0
        if not count:
            return listed
        given = tree(block.expression(key)).get("given") or self._hidden(block, key, count)
        if given is not None:
            return [*listed, *self._source_texts.elements(given, resource, block, key)]
        return [*listed, *(_VALUES if key == "values" else self._elements.parts(resource, block, key, count))]

    def _hidden(self, block: Block, key: str, count: int) -> object:
        """The elements that a plan hides, where its source tells every one of them."""
        given = None if block.is_sensitive(key) else block.source_value(key)
        items = [item for item in given if isinstance(item, UnknownValue)] if isinstance(given, list) else []
        return items if len(items) == count else None

    def _principals(self, resource: Resource, block: Block, key: str) -> object:
        blocks = block.many(key)
        if isinstance(blocks, Doubt):
            return UnknownPart(blocks)
        found: dict[str, list[object]] = {}
        for one in blocks:
            if isinstance(one, Doubt):
                return UnknownPart(one)
            type_ = one.content.get("type")
            if not isinstance(type_, str):
                return UnknownPart(doubt_about(()))
            found.setdefault(type_, []).extend(self._listed(resource, one, "identifiers"))
        return "*" if found.get("*") == ["*"] and len(found) == 1 else found

    def _conditions(self, resource: Resource, block: Block) -> object:
        """Blocks with the same test and variable are one: their values are alternatives."""
        blocks = block.many("condition")
        if isinstance(blocks, Doubt):
            return UnknownPart(blocks)
        found: dict[str, dict[str, list[object]]] = {}
        for one in blocks:
            if isinstance(one, Doubt):
                return UnknownPart(one)
            test, variable = one.content.get("test"), one.content.get("variable")
            if not isinstance(test, str) or not isinstance(variable, str):
                return UnknownPart(doubt_about(()))
            found.setdefault(test, {}).setdefault(variable, []).extend(self._listed(resource, one, "values"))
        return found


def _parts_of(content: object, place: Place) -> list[StatementBlock]:
    """The statements of a document that is read, at the place of its text."""
    statements = tree(content).get("Statement", [])
    if isinstance(statements, UnknownPart):
        return [StatementBlock(statements, place)]
    listed = statements if isinstance(statements, list) else [statements]
    return [
        StatementBlock(item, replace(place, path=f"{place.path}{spelled(('Statement', number))}"))
        for number, item in enumerate(listed)
        if isinstance(item, (dict, UnknownPart))
    ]


def _merge(found: list[StatementBlock], added: Sequence[StatementBlock]) -> None:
    """A statement takes the place of one with the same Sid; the others come behind."""
    for part in added:
        same = [number for number, other in enumerate(found) if part.sid is not None and other.sid == part.sid]
        if same:
            found[same[0]] = part
        else:
            found.append(part)


def written_as(expression: object) -> str:
    """How the author of a policy attribute writes statements: as blocks in HCL, or as JSON."""
    written = tree(expression)
    references, reached = written.get("references"), written.get("reached")
    texts = [*map(str, references)] if isinstance(references, list) else []
    texts += [reference for _, reference in reached] if isinstance(reached, tuple) else []
    return "hcl" if any(one.startswith(f"data.{DATA}.") for one in texts) else "json"
