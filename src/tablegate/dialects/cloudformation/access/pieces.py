"""Documents read: each with what IAM would refuse of it told, and what could not be known of it kept."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from tablegate.access.actions import may_concern_dynamodb
from tablegate.access.documents import Document, Statement, parse_document
from tablegate.access.grants import DocumentRole, Grant, Unread
from tablegate.access.scope import Tier, scope_of
from tablegate.access.symbols import Symbols, has_symbol
from tablegate.dialects.cloudformation.access.trees import Trees
from tablegate.dialects.cloudformation.resolver import Resolver
from tablegate.dialects.cloudformation.unsettled import Unsettled
from tablegate.model.value import Doubt, Place
from tablegate.syntax.errors import ParseError
from tablegate.syntax.node import Node


@dataclass(slots=True)
class Counts:
    """How many documents there are, and how many of them were read only in part, or not at all."""

    every: int = 0
    partly: int = 0
    unread: int = 0

    def add(self, document: Document) -> None:
        """Count one document."""
        self.every += 1
        if document.doubts and document.statements:
            self.partly += 1
        elif document.doubts:
            self.unread += 1


@dataclass(frozen=True, slots=True)
class Piece:
    """One document in one of its forms. ``mentions`` tells whether its source speaks of a table or of DynamoDB."""

    document: Document
    place: Place
    mentions: bool

    def grants(self, address: str, role: DocumentRole, spelling: str, target: str | None = None) -> tuple[Grant, ...]:
        """The document's statements, at the address that holds it."""
        return tuple(
            Grant(
                address=address,
                place=self.place,
                role=role,
                document=self.document,
                statement=statement,
                target=target,
                spelling=spelling,
            )
            for statement in self.document.statements
        )

    def unread(self, address: str) -> Iterator[Unread]:
        """What of it could not be read."""
        document = self.document
        if document.doubt is not None:
            partly = bool(document.statements)
            yield _unread(address, self.place, document.doubt, relevant=self.mentions, partly=partly)
        for statement in document.statements:
            doubt = _doubt_of(statement)
            if doubt is not None:
                yield _unread(address, statement.place, doubt, relevant=_may_matter(statement), partly=True)

    def perhaps(self) -> Piece:
        """The same, where it is there only in some scenario."""
        statements = tuple(replace(statement, present=False) for statement in self.document.statements)
        return replace(self, document=replace(self.document, statements=statements))


class Documents:
    """Reads the documents of one template."""

    def __init__(self, resolver: Resolver, trees: Trees, symbols: Symbols) -> None:
        self.counts = Counts()
        self._resolver = resolver
        self._trees = trees
        self._symbols = symbols

    def read(self, node: Node, *, sure: bool = True, within: str | None = None) -> list[Piece]:
        """A document in each of its forms; none where it comes to nothing."""
        pieces = self.uncounted(node, sure=sure, within=within)
        for piece in pieces:
            self.counts.add(piece.document)
        return pieces

    def uncounted(self, node: Node, *, sure: bool = True, within: str | None = None) -> list[Piece]:
        """The same for a document that grants nothing."""
        values = self._trees.values(node)
        pieces = [self._piece(value, node, within) for value in values if value is not None]
        return pieces if sure and len(values) == 1 else [piece.perhaps() for piece in pieces]

    def unknown(self, doubt: Doubt, node: Node, *, mentions: bool) -> Piece:
        """A document of which nothing is known."""
        piece = Piece(Document(doubt=doubt), self._resolver.place(node), mentions)
        self.counts.add(piece.document)
        return piece

    def _piece(self, value: Node | Unsettled, node: Node, within: str | None) -> Piece:
        where = value.node if isinstance(value, Unsettled) else value
        try:
            written = self._trees.document(value)
        except ParseError as error:
            return self._refused(error, where)
        document = parse_document(written.tree, self._symbols, lambda path: self._trees.place(written.at(path)), within)
        for part in document.malformed:
            self._resolver.misfit(written.at(part.path), part.message)
        mentions = bool(document.doubts) and self.mentions(node)
        return Piece(document, self._resolver.place(written.node), mentions)

    def _refused(self, error: ParseError, node: Node) -> Piece:
        what = f"a policy document is JSON: {error}"
        if error.duplicate:
            self._resolver.faults.duplicated(node, what)
        else:
            self._resolver.faults.unreadable(node, what)
        return Piece(Document(doubt=Doubt(what)), self._resolver.place(node), mentions=True)

    def mentions(self, node: Node) -> bool:
        """Whether anything in a node speaks of DynamoDB, or of a table of the template."""
        tables = self._resolver.template.tables
        waiting: list[Node] = [node]
        while waiting:
            content = waiting.pop().content
            if isinstance(content, dict):
                waiting.extend(content.values())
            elif isinstance(content, (list, tuple)):
                waiting.extend(content)
            elif isinstance(content, str) and ("dynamodb" in content.lower() or _names(content, tables)):
                return True
        return False


def concerns_tables(statement: Statement) -> bool:
    """Whether a statement names any action of DynamoDB, or may."""
    actions = statement.actions
    if actions.inverted or actions.doubt is not None:
        return True
    return any(may_concern_dynamodb(text) is not False for text in actions.texts)


def _names(text: str, tables: Sequence[str]) -> bool:
    return any(table in text and (text.partition(".")[0] == table or f"${{{table}" in text) for table in tables)


def _unread(address: str, place: Place | None, doubt: Doubt, *, relevant: bool, partly: bool) -> Unread:
    return Unread(address=address, place=place, doubt=doubt, relevant=relevant, partly=partly)


def _doubt_of(statement: Statement) -> Doubt | None:
    """What is not known of a statement, apart from its principals: who is let in is a question of its own."""
    principals = statement.principals.doubt if statement.principals is not None else None
    return next((doubt for doubt in statement.doubts if doubt is not principals), None)


def _may_matter(statement: Statement) -> bool:
    """Whether what is not known of a statement can matter to a table."""
    if not concerns_tables(statement):
        return False
    resources = statement.resources
    if resources.doubt is not None or resources.inverted or not resources.texts:
        return True
    return any(scope_of(text).tier is not Tier.NONE or _is_open(text) for text in resources.texts)


def _is_open(text: str) -> bool:
    return has_symbol(text[:1])
