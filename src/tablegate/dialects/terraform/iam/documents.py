"""Policy documents in arguments, each read once: from the plan, from source, or from the data sources behind it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tablegate.dialects.holders import HeldDocument
from tablegate.dialects.terraform.block import DYNAMIC, LATER, Block
from tablegate.dialects.terraform.configuration import NOTHING, tree
from tablegate.dialects.terraform.iam.context import PlanContext, PolicyTexts, located, secret_texts
from tablegate.dialects.terraform.iam.data_source import DATA, PolicyDocumentData, written_as
from tablegate.dialects.terraform.iam.unknown_text import SourceTexts, UnknownElements
from tablegate.dialects.terraform.references import Reference, UnknownValue
from tablegate.dialects.terraform.resources import Resource, doubt_about
from tablegate.iam.arns import arn_of
from tablegate.iam.documents import Document, Locate, hidden, parse_document
from tablegate.model.record import replace
from tablegate.model.value import Doubt, Place

_TABLES = ("aws_dynamodb_", "awscc_dynamodb_", "aws_dax_")
_ARN_HERE = "__DYNAMODB_TABLE_ARN__"  # a module for tables replaces it by the ARN of its table
_EMPTY = Doubt("it is empty", "write the policy as JSON")
_MISSING = Doubt("it is not in the plan", "use the unedited output of terraform show -json")
_COMPOSE = "use data.aws_iam_policy_document instead of a function: a plan shows its statements"
_GIVE_SOURCE = f"pass --source DIR with the source of the plan, or {_COMPOSE}"


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
        """The document of an argument; None if an optional one is absent. ``within`` begins its labels."""
        block = block or resource.block
        place = own_place(resource, block, key)
        path = place.path or ""
        if (resource.address, path) not in self._read_documents:
            held = self._read(resource, block, key, place, optional=optional)
            if held is not None and block.is_sensitive(key):
                held = replace(held, document=hidden(held.document))
            if held is not None and within:
                held = replace(held, document=_labelled(held.document, within))
            self._read_documents[(resource.address, path)] = held
        return self._read_documents[(resource.address, path)]

    def trust(self, resource: Resource) -> Document:
        """The trust policy of a role."""
        key, text = "assume_role_policy", resource.known_text("assume_role_policy")
        place, sensitive = own_place(resource, resource.block, key), resource.block.is_sensitive(key)
        if text is not None:
            document = self._texts.document(text, resource, place, blocks=False, sensitive=sensitive)
        else:
            held = None if not resource.block.is_unknown(key) else self._later(resource, resource.block, key, place)
            document = Document(doubt=_MISSING) if held is None else held.document
        if sensitive:
            self._hide(text)
        return hidden(document) if sensitive else document

    def _hide(self, text: object) -> None:
        """Keep the texts of a sensitive document out of every report."""
        if isinstance(text, str):
            self._secrets.update(secret_texts(self._texts.tree(text)))

    def _read(self, resource: Resource, block: Block, key: str, place: Place, *, optional: bool) -> HeldDocument | None:
        content = block.content.get(key)
        if isinstance(content, str) and content:
            sensitive = block.is_sensitive(key)
            places = block.document_places(key)
            document = self._texts.document(content, resource, place, places, sensitive=sensitive)
            if sensitive:
                self._hide(content)
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
        if optional:
            return None
        return HeldDocument(resource.address, place, Document(doubt=_MISSING), "json", mentions_table=True)

    def _later(
        self, resource: Resource, block: Block, key: str, place: Place, *, optional: bool = False
    ) -> HeldDocument | None:
        """A document that the apply completes, as far as its expression shows it."""
        expression = block.expression(key)
        is_configured = resource.configured is not NOTHING
        if expression is None:
            if optional and is_configured:
                return None
            document = Document(doubt=DYNAMIC if is_configured else LATER)
            mentions = not is_configured or self._has_tables()
            return HeldDocument(resource.address, place, document, "json", mentions_table=mentions)
        references = self._snapshot.resolver.trace(expression, resource.scope)
        value = tree(expression).get("given")
        if isinstance(value, UnknownValue):
            document = self._of_option(value, resource, place)
        else:
            document = (
                self._of_data_sources(references)
                or self._of_module_text(resource, references, place)
                or self._of_source(block, key, resource, place)
                or Document(doubt=self._unseen([one for one in references if not self._snapshot.is_known(one)]))
            )
        mentions_table = self._mentions_table([*references, *self._behind(references)])
        may_mention = self._has_tables() or resource.source is not None  # a module's tables may be in another module
        if document.doubt is not None and not document.doubt.refs and may_mention:
            mentions_table = True  # the expression refers to nothing that shows what the document is about
        return HeldDocument(resource.address, place, document, written_as(expression), mentions_table)

    def _unseen(self, references: Sequence[Reference]) -> Doubt:
        """Why a text is not in the plan, and how it would be. Without its source, one remedy is right for all."""
        doubt = doubt_about(references)
        if self._snapshot.lacks_source:
            return doubt._replace(settle=_GIVE_SOURCE)
        return doubt if all(one.is_lost for one in references) else doubt._replace(settle=_COMPOSE)

    def _of_source(self, block: Block, key: str, resource: Resource, place: Place) -> Document | None:
        """A text that the plan hides and its source composes."""
        value = None if block.is_sensitive(key) else block.source_value(key)
        if not isinstance(value, UnknownValue):
            return None
        document = self._of_unknown(value, resource, place)
        if document is None or document.malformed:
            return None
        return _placed(document, located(place, block.document_places(key))) if value.parts else document

    def _of_unknown(self, value: UnknownValue, resource: Resource, place: Place) -> Document | None:
        """The document of a value that source does not know completely: its parts, its options, or what it reads."""
        if value.options:
            return _one_of([self._of_option(option, resource, place) for option in value.options if option])
        content = self.source_texts.tree(value.parts) if value.parts else None
        if content is not None:
            return parse_document(content, self._context.symbols, located(place))
        references = self.source_texts.references(value) if value.direct else ()
        documents = [document for reference in references for document in self._documents(reference)]
        return documents[0] if len(documents) == 1 else _one_of(documents) if documents else None

    def _of_option(self, value: object, resource: Resource, place: Place) -> Document:
        if isinstance(value, UnknownValue):
            return self._of_unknown(value, resource, place) or Document(doubt=value.doubt())
        return self._texts.document(value, resource, place) if isinstance(value, str) else Document(doubt=_EMPTY)

    def _behind(self, references: Sequence[Reference]) -> Iterator[Reference]:
        """What is read by the data sources that compose a document."""
        for reference in references:
            for resource in map(self._snapshot.at, reference.targets) if reference.type == DATA else ():
                if resource is not None:
                    yield from self._snapshot.resolver.trace(resource.configured.get("expressions"), resource.scope)

    def _of_data_sources(self, references: Sequence[Reference]) -> Document | None:
        """The document of a data source. If there are several, each statement is there only perhaps."""
        unknown = [reference for reference in references if not self._snapshot.is_known(reference)]
        by_reference = [(reference, list(self._documents(reference))) for reference in unknown]
        documents = [document for _, each in by_reference for document in each]
        others = [reference for reference, each in by_reference if not each]
        if not documents:
            return None
        if len(documents) == 1 and not others:
            return documents[0]
        document = _one_of(documents)
        return replace(document, doubt=self._unseen(others)) if others else document

    def _documents(self, reference: Reference) -> Iterator[Document]:
        """The documents of the data sources and policies that a reference leads to."""
        for target in reference.targets:
            resource = self._snapshot.at(target)
            if resource is None:
                continue
            if reference.type == DATA and target.mode == "data":
                yield self._data_documents.of(resource)
            elif reference.type == "aws_iam_policy" and reference.attribute == "policy" and target.mode == "managed":
                held = self.of(resource, "policy")
                if held is not None:
                    yield held.document

    def _of_module_text(self, resource: Resource, references: Sequence[Reference], place: Place) -> Document | None:
        """A constant text in which a module replaces a word by the ARN of the table that it makes."""
        texts = [one.content for one in references if isinstance(one.content, str) and _ARN_HERE in one.content]
        if len(texts) != 1:
            return None
        content = self._texts.tree(texts[0])
        arn = self._context.symbols.of(f"ARN of the table of {resource.address}")
        address = self._context.finder.of(resource, "resource_arn").table
        if address is not None and address in self._context.tables:
            arn = arn_of(self._context.tables[address], self._context.symbols)
        return parse_document(_replaced(content, arn), self._context.symbols, located(place))

    def _mentions_table(self, references: Sequence[Reference]) -> bool | None:
        """Whether an expression reads anything of a table. A lost reference may, if there are tables."""
        if any(one.type.startswith(_TABLES) or "dynamodb" in str(one.content).lower() for one in references):
            return True
        return True if any(one.is_lost for one in references) and self._has_tables() else None

    def _has_tables(self) -> bool:
        return bool(self._context.tables)


def own_place(resource: Resource, block: Block, key: str) -> Place:
    """The place of an argument, with its path in the resource."""
    place = block.place(key)
    return replace(place, path=(place.path or "").removeprefix(f"{resource.address}."))


def _placed(document: Document, locate: Locate) -> Document:
    """The document with each statement at the place where it is written."""
    statements = tuple(replace(one, place=locate(one.path), locate=locate) for one in document.statements)
    return replace(document, statements=statements)


def _one_of(documents: Sequence[Document]) -> Document:
    """One of these documents: each statement is there only perhaps."""
    statements = tuple(replace(one, present=False) for document in documents for one in document.statements)
    doubt = next((document.doubt for document in documents if document.doubt), None)
    return replace(documents[0], statements=statements, doubt=doubt) if documents else Document()


def _labelled(document: Document, within: str) -> Document:
    """The document with labels that set its statements apart from others at the same address."""
    statements = tuple(replace(one, label=f"{within}/{one.label}") for one in document.statements)
    return replace(document, statements=statements)


def _replaced(content: object, arn: str) -> object:
    if isinstance(content, str):
        return content.replace(_ARN_HERE, arn)
    if isinstance(content, dict):
        return {key: _replaced(item, arn) for key, item in content.items()}
    return [_replaced(item, arn) for item in content] if isinstance(content, list) else content
