"""Policy documents in arguments: each read once, as far as plan, source and data sources tell it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tablegate.dialects.holders import HeldDocument
from tablegate.dialects.terraform.block import DYNAMIC, LATER, Block
from tablegate.dialects.terraform.configuration import NOTHING, tree
from tablegate.dialects.terraform.iam.context import PlanContext, PolicyTexts, located, private
from tablegate.dialects.terraform.iam.data_source import DATA, PolicyDocumentData, written_as
from tablegate.dialects.terraform.iam.unknown_text import SourceTexts, UnknownElements
from tablegate.dialects.terraform.references import Reference, UnknownValue
from tablegate.dialects.terraform.resources import Resource, doubt_about
from tablegate.iam.arns import arn_of
from tablegate.iam.documents import Document, Locate, parse_document
from tablegate.model.record import replace
from tablegate.model.value import Doubt, Place

_TABLES = ("aws_dynamodb_", "awscc_dynamodb_", "aws_dax_")
_ARN_HERE = "__DYNAMODB_TABLE_ARN__"  # what a module for tables replaces in the policy that it is given
_EMPTY = Doubt("it is empty", "the policy as a JSON text")
_MISSING = Doubt("the plan does not hold it", "the plan as terraform show -json prints it")
_COMPOSE = "data.aws_iam_policy_document in place of a function: a plan shows its statements"


class DocumentReader:
    """The documents of one plan, each read once."""

    def __init__(self, context: PlanContext, texts: PolicyTexts) -> None:
        self._context = context
        self._snapshot = context.snapshot
        self._texts = texts
        elements = UnknownElements(context)
        self.source_texts = SourceTexts(context, texts, elements)
        self._data_documents = PolicyDocumentData(context, texts, elements, self.source_texts)
        self._read_documents: dict[tuple[str, str], HeldDocument | None] = {}
        self._secrets: set[str] = set()

    @property
    def counts(self) -> tuple[int, int, int]:
        """How many documents were read, how many of them only in part, and how many not at all."""
        documents = [held.document for held in self._read_documents.values() if held is not None]
        partly = sum(bool(document.doubts and document.statements) for document in documents)
        unread = sum(document.doubt is not None and not document.statements for document in documents)
        return len(documents), partly, unread

    @property
    def secrets(self) -> frozenset[str]:
        """Texts of documents that are marked sensitive."""
        return frozenset(self._secrets | self._data_documents.secrets)

    def of(
        self,
        resource: Resource,
        key: str,
        *,
        block: Block | None = None,
        optional: bool = False,
        within: str | None = None,
    ) -> HeldDocument | None:
        """The document of an attribute; None where an optional one is left out."""
        block = block or resource.block
        place = own_place(resource, block, key)
        path = place.path or ""
        if (resource.address, path) not in self._read_documents:
            held = self._read(resource, block, key, place, optional=optional)
            if held is not None and within:
                held = replace(held, document=_labelled(held.document, within))
            self._read_documents[(resource.address, path)] = held
        return self._read_documents[(resource.address, path)]

    def trust(self, resource: Resource) -> Document:
        """A role's trust policy: it grants nothing, and tells who may use the role."""
        key, text = "assume_role_policy", resource.known_text("assume_role_policy")
        if text is not None:
            return self._texts.document(text, resource, own_place(resource, resource.block, key), blocks=False)
        place = own_place(resource, resource.block, key)
        held = None if not resource.block.is_unknown(key) else self._later(resource, resource.block, key, place)
        return Document(doubt=_MISSING) if held is None else held.document

    def _read(self, resource: Resource, block: Block, key: str, place: Place, *, optional: bool) -> HeldDocument | None:
        content = block.content.get(key)
        if isinstance(content, str) and content:
            document = self._texts.document(content, resource, place, block.document_places(key))
            if block.is_sensitive(key):
                self._secrets.update(text for text in private(self._texts.tree(content)) if len(text) > 1)
            return HeldDocument(resource.address, place, document, written_as(block.expression(key)))
        if content == "" and not optional:
            self._context.snapshot.faults.unreadable(
                f"{resource.address}: {place.path} is empty",
                resource.source or f"{resource.resource_change.path}.change.after.{place.path}",
            )
            return HeldDocument(resource.address, place, Document(doubt=_EMPTY), "json")
        if content is not None and content != "":
            block.report_shape(key, "a text")
            return HeldDocument(resource.address, place, Document(doubt=_EMPTY), "json")
        if block.is_unknown(key):
            return self._later(resource, block, key, place, optional=optional)
        return (
            None
            if optional
            else HeldDocument(resource.address, place, Document(doubt=_MISSING), "json", mentions_table=True)
        )

    def _later(
        self, resource: Resource, block: Block, key: str, place: Place, *, optional: bool = False
    ) -> HeldDocument | None:
        """A document that the apply completes: what its expression reads may tell all of it, or some."""
        expression = block.expression(key)
        named = resource.configured is not NOTHING
        if expression is None:
            if optional and named:
                return None
            hidden = Document(doubt=DYNAMIC if named else LATER)
            return HeldDocument(resource.address, place, hidden, "json", mentions_table=not named or self._has_tables())
        references = self._snapshot.resolver.trace(expression, resource.scope)
        given = tree(expression).get("given")
        if isinstance(given, UnknownValue):
            document = self._option(given, resource, place)
        else:
            document = self._told(resource, block, key, place, references)
        mentions_table = self._mentions_table([*references, *self._behind(references)])
        anywhere = self._has_tables() or resource.source is not None  # a module's tables may be elsewhere
        if document.doubt is not None and not document.doubt.refs and anywhere:
            mentions_table = True  # nothing tells what is hidden there
        return HeldDocument(resource.address, place, document, written_as(expression), mentions_table)

    def _told(
        self, resource: Resource, block: Block, key: str, place: Place, references: Sequence[Reference]
    ) -> Document:
        """What a plan tells of a document by what its expression reads, or what its source tells of it."""
        found = self._composed_of(references) or self._filled_in(resource, references, place)
        found = found or self._spelled_out(block, key, resource, place)
        return found or Document(doubt=_unseen([one for one in references if not self._snapshot.is_known(one)]))

    def _spelled_out(self, block: Block, key: str, resource: Resource, place: Place) -> Document | None:
        """A text that a plan hides, and its source puts together."""
        given = None if block.is_sensitive(key) else block.source_value(key)
        if not isinstance(given, UnknownValue):
            return None
        found = self._drafted(given, resource, place)
        if found is None or found.malformed:
            return None
        return _placed(found, located(place, block.document_places(key))) if given.parts else found

    def _drafted(self, given: UnknownValue, resource: Resource, place: Place) -> Document | None:
        """What source tells of a document: all, some, or which of several it is."""
        if given.options:
            return _one_of([self._option(one, resource, place) for one in given.options if one])
        found = self.source_texts.tree(given.parts) if given.parts else None
        if found is not None:
            return parse_document(found, self._context.symbols, located(place))
        references = self.source_texts.references(given) if given.direct else ()
        documents = [document for reference in references for document in self._documents(reference)]
        return documents[0] if len(documents) == 1 else _one_of(documents) if documents else None

    def _option(self, given: object, resource: Resource, place: Place) -> Document:
        if isinstance(given, UnknownValue):
            return self._drafted(given, resource, place) or Document(doubt=given.doubt())
        return self._texts.document(given, resource, place) if isinstance(given, str) else Document(doubt=_EMPTY)

    def _behind(self, references: Sequence[Reference]) -> Iterator[Reference]:
        """What the data sources read that a document is composed by."""
        for reference in references:
            for resource in map(self._snapshot.at, reference.targets) if reference.type == DATA else ():
                if resource is not None:
                    yield from self._snapshot.resolver.trace(resource.configured.get("expressions"), resource.scope)

    def _composed_of(self, references: Sequence[Reference]) -> Document | None:
        """What data sources compose; of several, each statement is there only perhaps."""
        unknown = [one for one in references if not self._snapshot.is_known(one)]
        documents = [document for one in unknown for document in self._documents(one)]
        if not documents:
            return None
        others = [one for one in unknown if not any(True for _ in self._documents(one))]
        if len(documents) == 1 and not others:
            return documents[0]
        found = _one_of(documents)
        return replace(found, doubt=_unseen(others)) if others else found

    def _documents(self, reference: Reference) -> Iterator[Document]:
        for instance in reference.targets:
            resource = self._snapshot.at(instance)
            if resource is None:
                continue
            if reference.type == DATA and instance.mode == "data":
                yield self._data_documents.of(resource)
            elif reference.type == "aws_iam_policy" and reference.attribute == "policy" and instance.mode == "managed":
                held = self.of(resource, "policy")
                if held is not None:
                    yield held.document

    def _filled_in(self, resource: Resource, references: Sequence[Reference], place: Place) -> Document | None:
        """A constant text in which a module replaces a word by the ARN of the table that it makes."""
        texts = [one.content for one in references if isinstance(one.content, str) and _ARN_HERE in one.content]
        if len(texts) != 1:
            return None
        content = self._texts.tree(texts[0])
        arn = self._context.symbols.of(f"ARN of the table of {resource.address}")
        table = self._context.finder.of(resource, "resource_arn").table
        if table is not None and table in self._context.tables:
            arn = arn_of(self._context.tables[table], self._context.symbols)
        filled = _replaced(content, arn)
        return parse_document(filled, self._context.symbols, located(place))

    def _mentions_table(self, references: Sequence[Reference]) -> bool | None:
        """Whether an expression reads anything of a table; a dead end may, where there are tables."""
        if any(one.type.startswith(_TABLES) or "dynamodb" in str(one.content).lower() for one in references):
            return True
        return True if any(one.is_lost for one in references) and self._has_tables() else None

    def _has_tables(self) -> bool:
        return bool(self._context.tables)


def own_place(resource: Resource, block: Block, key: str) -> Place:
    """Where an attribute stands, its path from the resource on."""
    place = block.place(key)
    return replace(place, path=(place.path or "").removeprefix(f"{resource.address}."))


def _placed(document: Document, locate: Locate) -> Document:
    """The document, its statements where they are written."""
    statements = tuple(replace(one, place=locate(one.path), locate=locate) for one in document.statements)
    return replace(document, statements=statements)


def _one_of(documents: Sequence[Document]) -> Document:
    """One of several: each statement is there only perhaps."""
    statements = tuple(replace(one, present=False) for document in documents for one in document.statements)
    doubt = next((document.doubt for document in documents if document.doubt), None)
    return replace(documents[0], statements=statements, doubt=doubt) if documents else Document()


def _unseen(references: Sequence[Reference]) -> Doubt:
    """Why a text cannot be seen, and how it could be."""
    found = doubt_about(references)
    return found if not references or all(one.is_lost for one in references) else found._replace(settle=_COMPOSE)


def _labelled(document: Document, within: str) -> Document:
    """The document, its statements told from those of others at the same address."""
    statements = tuple(replace(one, label=f"{within}/{one.label}") for one in document.statements)
    return replace(document, statements=statements)


def _replaced(content: object, arn: str) -> object:
    if isinstance(content, str):
        return content.replace(_ARN_HERE, arn)
    if isinstance(content, dict):
        return {key: _replaced(item, arn) for key, item in content.items()}
    return [_replaced(item, arn) for item in content] if isinstance(content, list) else content
