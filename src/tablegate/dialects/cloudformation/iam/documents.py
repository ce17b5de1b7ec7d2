"""Policy documents in properties: each in every form that it can take, with what is not known of it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from tablegate.dialects.cloudformation.iam.document_trees import DocumentTrees
from tablegate.dialects.cloudformation.resolver import Resolver
from tablegate.dialects.cloudformation.values import SecretNode, Unresolved
from tablegate.dialects.holders import HeldDocument
from tablegate.iam.arns import Symbols
from tablegate.iam.documents import SENSITIVE, Document, hidden, parse_document
from tablegate.model.record import record, replace
from tablegate.model.value import Doubt
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


class DocumentReader:
    """Reads the documents of one template."""

    def __init__(self, resolver: Resolver, trees: DocumentTrees, symbols: Symbols, spelling: str) -> None:
        self.counts = Counts()
        self._resolver = resolver
        self._trees = trees
        self._symbols = symbols
        self._spelling = spelling

    def read(
        self, node: Node, address: str, *, certain: bool = True, within: str | None = None, sized: bool = False
    ) -> list[HeldDocument]:
        """A document in each of its forms; none if it is nothing. ``within`` begins the labels of its statements."""
        forms = self.uncounted(node, address, certain=certain, within=within)
        if sized:
            forms = [replace(form, document=replace(form.document, size=_size(node))) for form in forms]
        for form in forms:
            self.counts.add(form.document)
        return forms

    def uncounted(
        self, node: Node, address: str, *, certain: bool = True, within: str | None = None
    ) -> list[HeldDocument]:
        """The forms of a document that the report does not count: a trust policy, or one that another stack has."""
        values = self._trees.values(node)
        forms = [self._form(value, node, address, within) for value in values if value is not None]
        return forms if certain and len(values) == 1 else [form.perhaps() for form in forms]

    def composed(
        self, node: Node, address: str, statements: list[Any], within: str | None, *, certain: bool
    ) -> HeldDocument:
        """A document that SAM writes for its author."""
        place = self._resolver.place(node)
        document = parse_document({"Statement": statements}, self._symbols, lambda _: place, within)
        self.counts.add(document)
        held = HeldDocument(address, place, document, self._spelling, mentions_table=True)
        return held if certain else held.perhaps()

    def unknown(self, doubt: Doubt, node: Node, address: str) -> HeldDocument:
        """A document of which nothing is known but the node that gives it."""
        held = self._held(address, Document(doubt=doubt), node, mentions=self._mentions(node))
        self.counts.add(held.document)
        return held

    def _held(self, address: str, document: Document, node: Node, *, mentions: bool) -> HeldDocument:
        mentions_table = True if mentions else None
        return HeldDocument(address, self._resolver.place(node), document, self._spelling, mentions_table)

    def _form(self, value: Node | Unresolved, node: Node, address: str, within: str | None) -> HeldDocument:
        where = value.node if isinstance(value, Unresolved) else value
        sensitive = isinstance(value, SecretNode)
        try:
            tree = self._trees.document(value)
        except ParseError as error:
            return self._refused(
                ParseError(SENSITIVE, duplicate=error.duplicate) if sensitive else error, where, address
            )
        file = self._resolver.file  # a document must not keep the resolver, and with it the whole template
        document = parse_document(tree.tree, self._symbols, lambda path: tree.at(path).place(file), within)
        for part in document.malformed:
            self._resolver.wrong_shape(
                tree.at(part.path), f"IAM refuses it, and {SENSITIVE}" if sensitive else part.message
            )
        document = hidden(document) if sensitive else document
        mentions = bool(document.doubts) and (self._has_gap(document) or self._mentions(node))
        return self._held(address, document, tree.node, mentions=mentions)

    def _has_gap(self, document: Document) -> bool:
        """Whether a whole statement is not known, which may be about a table of the template."""
        return document.doubt is not None and bool(self._resolver.template.tables)

    def _refused(self, error: ParseError, node: Node, address: str) -> HeldDocument:
        what = f"a policy document is JSON: {error}"
        if error.duplicate:
            self._resolver.faults.duplicate_key(what, node)
        else:
            self._resolver.faults.unreadable(what, node)
        return self._held(address, Document(doubt=Doubt(what)), node, mentions=True)

    def _mentions(self, node: Node) -> bool:
        """Whether a node contains the word DynamoDB, or names a table of the template."""
        tables = self._resolver.template.tables
        waiting: list[Node] = [node]
        seen: set[int] = set()  # an alias is one node in several places
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


def _names(text: str, tables: Sequence[str]) -> bool:
    return any(table in text and (text.partition(".")[0] == table or f"${{{table}" in text) for table in tables)
