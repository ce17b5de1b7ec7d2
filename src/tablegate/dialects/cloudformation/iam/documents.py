"""Documents read: each with what IAM would refuse of it told, and what could not be known of it kept."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from tablegate.dialects.cloudformation.iam.document_trees import DocumentTrees
from tablegate.dialects.cloudformation.resolver import Resolver
from tablegate.dialects.cloudformation.values import Unresolved
from tablegate.iam.actions import may_concern_dynamodb
from tablegate.iam.arns import Symbols
from tablegate.iam.documents import Document, Statement, parse_document
from tablegate.iam.grants import DocumentRole, Grant, Maker, Unread
from tablegate.iam.patterns import Tier, scope_of
from tablegate.model.record import record, replace
from tablegate.model.value import Doubt, Place
from tablegate.syntax.node import Node, ParseError


@record(eq=False, frozen=False, kw_only=False)
class Counts:
    """How many documents there are, and how many of them were read only in part, or not at all."""

    every: int = 0
    partly: int = 0
    unread: int = 0

    def add(self, document: Document) -> None:
        """Count one document."""
        self.every += 1
        if not document.doubts:
            return
        if document.statements:
            self.partly += 1
        else:
            self.unread += 1


@record(kw_only=False)
class HeldDocument:
    """One document in one of its forms. ``mentions`` tells whether its source speaks of a table or of DynamoDB."""

    document: Document
    place: Place
    mentions: bool

    def grants(
        self, address: str, role: DocumentRole, spelling: str, target: str | None = None, by: Maker | None = None
    ) -> tuple[Grant, ...]:
        """The document's statements, at the address that holds it."""
        return tuple(
            [
                Grant(
                    address=address,
                    place=self.place,
                    role=role,
                    document=self.document,
                    statement=statement,
                    target=target,
                    spelling=spelling,
                    made_by=by,
                )
                for statement in self.document.statements
            ]
        )

    def unread(self, address: str, *, concerned: bool) -> Unread:
        """What of it could not be read, in the hands of a holder that is concerned with tables, or not."""
        document = self.document
        doubtful = [statement for statement in document.statements if _may_matter(statement)]
        whole = document.doubt is not None and (self.mentions or concerned)
        own = (document.doubt,) if document.doubt is not None and whole else ()
        doubts = (*own, *(doubt for statement in doubtful for doubt in statement.doubts), *document.doubts)
        return Unread(
            address=address,
            place=doubtful[0].place if doubtful and not whole else self.place,
            doubt=doubts[0],
            relevant=whole or bool(doubtful),
            partly=bool(document.statements),
        )

    def perhaps(self) -> HeldDocument:
        """The same, where it is there only in some scenario."""
        statements = tuple(replace(statement, present=False) for statement in self.document.statements)
        return replace(self, document=replace(self.document, statements=statements))


class DocumentReader:
    """Reads the documents of one template."""

    def __init__(self, resolver: Resolver, trees: DocumentTrees, symbols: Symbols) -> None:
        self.counts = Counts()
        self._resolver = resolver
        self._trees = trees
        self._symbols = symbols

    def read(
        self, node: Node, *, certain: bool = True, within: str | None = None, sized: bool = False
    ) -> list[HeldDocument]:
        """A document in each of its forms; none where it comes to nothing."""
        documents = self.uncounted(node, certain=certain, within=within)
        if sized:
            documents = [replace(held, document=replace(held.document, size=_size(node))) for held in documents]
        for held in documents:
            self.counts.add(held.document)
        return documents

    def uncounted(self, node: Node, *, certain: bool = True, within: str | None = None) -> list[HeldDocument]:
        """The same for a document that grants nothing."""
        values = self._trees.values(node)
        documents = [self._held(value, node, within) for value in values if value is not None]
        return documents if certain and len(values) == 1 else [held.perhaps() for held in documents]

    def composed(self, node: Node, statements: list[Any], within: str | None, *, certain: bool) -> HeldDocument:
        """A document that something else writes in its author's place."""
        place = self._resolver.place(node)
        document = parse_document({"Statement": statements}, self._symbols, lambda _: place, within)
        self.counts.add(document)
        held = HeldDocument(document, place, mentions=True)
        return held if certain else held.perhaps()

    def unknown(self, doubt: Doubt, node: Node, *, mentions: bool) -> HeldDocument:
        """A document of which nothing is known."""
        held = HeldDocument(Document(doubt=doubt), self._resolver.place(node), mentions)
        self.counts.add(held.document)
        return held

    def _held(self, value: Node | Unresolved, node: Node, within: str | None) -> HeldDocument:
        where = value.node if isinstance(value, Unresolved) else value
        try:
            written = self._trees.document(value)
        except ParseError as error:
            return self._refused(error, where)
        file = self._resolver.file  # alone: a document would else keep the resolver, and with it the whole template
        document = parse_document(written.tree, self._symbols, lambda path: written.at(path).place(file), within)
        for part in document.malformed:
            self._resolver.wrong_shape(written.at(part.path), part.message)
        mentions = bool(document.doubts) and (self._has_gap(document) or self.mentions(node))
        return HeldDocument(document, self._resolver.place(written.node), mentions)

    def _has_gap(self, document: Document) -> bool:
        """Whether a whole statement is not known, which may be about a table of the template."""
        return document.doubt is not None and bool(self._resolver.template.tables)

    def _refused(self, error: ParseError, node: Node) -> HeldDocument:
        what = f"a policy document is JSON: {error}"
        if error.duplicate:
            self._resolver.faults.duplicate_key(what, node)
        else:
            self._resolver.faults.unreadable(what, node)
        return HeldDocument(Document(doubt=Doubt(what)), self._resolver.place(node), mentions=True)

    def mentions(self, node: Node) -> bool:
        """Whether anything in a node speaks of DynamoDB, or of a table of the template."""
        tables = self._resolver.template.tables
        waiting: list[Node] = [node]
        seen: set[int] = set()  # an alias stands in several places, and is walked once
        while waiting:
            inner = waiting.pop()
            if id(inner) in seen:
                continue
            seen.add(id(inner))
            content = inner.content
            if isinstance(content, dict):
                waiting.extend(content.values())
            elif isinstance(content, (list, tuple)):
                waiting.extend(content)
            elif isinstance(content, str) and ("dynamodb" in content.lower() or _names(content, tables)):
                return True
        return False


def _size(node: Node) -> int:
    """How many bytes a document has at least: as short as JSON can be."""
    content = node.plain()
    text = content if isinstance(content, str) else json.dumps(content, separators=(",", ":"), ensure_ascii=False)
    return len(text.encode())


def concerns_tables(statement: Statement) -> bool:
    """Whether a statement is about tables, for certain or perhaps."""
    resources = statement.resources
    return names_tables(statement) and (
        resources.inverted
        or resources.doubt is not None
        or any(scope_of(text).tier is not Tier.NONE for text in resources.texts)
    )


def names_tables(statement: Statement) -> bool:
    """Whether a statement names any action of DynamoDB, or may."""
    actions = statement.actions
    return (
        actions.inverted
        or actions.doubt is not None
        or any(may_concern_dynamodb(text) is not False for text in actions.texts)
    )


def _names(text: str, tables: Sequence[str]) -> bool:
    return any(table in text and (text.partition(".")[0] == table or f"${{{table}" in text) for table in tables)


def _may_matter(statement: Statement) -> bool:
    """Whether what is not known of a statement may be a grant on tables."""
    return bool(statement.doubts) and statement.allows and not _is_told(statement) and concerns_tables(statement)


def _is_told(statement: Statement) -> bool:
    """Whether only its principals are not known: who is let in is a question of its own."""
    return statement.principals is not None and set(statement.doubts) == {statement.principals.doubt}
