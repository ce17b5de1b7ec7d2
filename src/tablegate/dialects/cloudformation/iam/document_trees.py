"""Policy documents with their functions resolved: plain trees, and the node of each part."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import product
from typing import Any, TypeVar

from tablegate.dialects.cloudformation.iam.arn_texts import HELD, ArnTexts
from tablegate.dialects.cloudformation.resolver import Resolver
from tablegate.dialects.cloudformation.values import (
    RESOURCE,
    NameReference,
    Resolved,
    Unresolved,
    is_call,
    is_plain,
    is_scalar,
    scalar_of,
)
from tablegate.iam.actions import may_concern_dynamodb
from tablegate.iam.arns import has_symbol
from tablegate.iam.documents import ConditionalPart, Path, UnknownPart
from tablegate.iam.patterns import Tier, scope_of
from tablegate.model.record import field, record, replace
from tablegate.model.value import Doubt
from tablegate.syntax.json import parse_json
from tablegate.syntax.node import Node, ParseError

T = TypeVar("T")

_LISTS = frozenset({"Action", "NotAction", "Resource", "NotResource"})
_RESOURCES = frozenset({"Resource", "NotResource"})
_WORDS = frozenset({"Sid", "Effect"})
_ACTIONS = frozenset({"Action", "NotAction"})
_PRINCIPALS = frozenset({"Principal", "NotPrincipal"})
_MOST = 8  # forms of one statement
_TOO_MANY = Doubt(f"the statement has more than {_MOST} forms", "pass --params FILE or --param NAME=VALUE")


class ConditionTrees:
    """Builds the trees of one template's conditions, in the scenario that its resolver is in."""

    def __init__(self, resolver: Resolver, texts: ArnTexts) -> None:
        self._resolver = resolver
        self._texts = texts

    def of(self, node: Node) -> Any:
        """A Condition, without members that are AWS::NoValue."""
        value = self._resolver.resolve(node)
        if not isinstance(value, Node) or not isinstance(value.content, dict):
            return self._texts.one(value)
        return _present({operator: self._block(operator, child) for operator, child in value.content.items()})

    def _block(self, operator: str, node: Node) -> Any:
        value = self._resolver.resolve(node)
        if not isinstance(value, Node) or not isinstance(value.content, dict):
            return self._texts.one(value)
        lower = operator.lower()
        patterned = "like" in lower or "arn" in lower  # an unknown value may be a wildcard
        return _present({key: self._operands(child, patterned=patterned) for key, child in value.content.items()})

    def _operands(self, node: Node, *, patterned: bool) -> Any:
        """The values of one key. Under a plain operator an unknown one is a symbol, which is no wildcard."""
        if isinstance(node.content, str) and "{{" not in node.content:
            return [node.content]  # nearly all of them
        value = self._resolver.resolve(node)
        if value is None:
            return None
        listed = isinstance(value, Node) and isinstance(value.content, (list, tuple))
        items = self._resolver.items(value) if listed and isinstance(value, Node) else [value]
        return [self._operand(item, patterned=patterned) for item in items]

    def _operand(self, value: Node | Unresolved, *, patterned: bool) -> Any:
        text = self._texts.symbolic(value)
        if isinstance(value, Node):
            return value.plain() if text is None else text
        if text is None:
            return UnknownPart(value.doubt)
        whole = value.reference is not None and len(text) == 1  # nothing of it is known
        return UnknownPart(value.doubt) if whole and patterned else text


def _present(members: dict[str, Any]) -> dict[str, Any]:
    """The members that are not None."""
    return {key: member for key, member in members.items() if member is not None}


@record(eq=False, frozen=False, kw_only=False)
class DocumentTree:
    """A document as a plain tree, and the nodes that its parts are from.

    ``nodes`` has the nodes of its statements, ``elements`` those of a statement's elements, ``items`` those of a list.
    """

    tree: Any
    node: Node
    nodes: dict[Path, Node] = field(default_factory=dict)
    elements: dict[Path, Mapping[str, Node]] = field(default_factory=dict)
    items: dict[Path, Sequence[Node]] = field(default_factory=dict)

    def at(self, path: Path) -> Node:
        """The node of a part, or the nearest one around it."""
        while path:
            node = self.nodes.get(path) or self._within(path[:-1], path[-1])
            if node is not None:
                return node
            path = path[:-1]
        return self.node

    def _within(self, around: Path, last: str | int) -> Node | None:
        if isinstance(last, int):
            return self.items[around][last] if around in self.items else None
        return self.elements[around].get(last) if around in self.elements else None


class DocumentTrees:
    """Builds the trees of one template's documents."""

    def __init__(self, resolver: Resolver, texts: ArnTexts) -> None:
        self._resolver = resolver
        self._texts = texts
        self._conditions = ConditionTrees(resolver, texts)

    def values(self, node: Node) -> list[Resolved]:
        """The values of a node in all scenarios; None is no value."""
        content = node.content
        if isinstance(content, dict):
            if not is_call(content):
                return [node]
            value = self._resolver.resolve(node)
            return [value] if _is_constant(value) else self._explored(lambda: self._resolver.resolve(node))
        return [self._resolver.resolve(node)] if isinstance(content, str) and "{{" in content else [node]

    def elements(self, node: Node, *, certain: bool = True) -> Iterator[tuple[Node | Unresolved, bool]]:
        """The items of a list, or the one item, and whether each is present in every scenario."""
        values = self.values(node)
        certain = certain and len(values) == 1
        for value in values:
            if isinstance(value, Node) and isinstance(value.content, (list, tuple)):
                for item in value.content:
                    if isinstance(item.content, dict) and not is_call(item.content):
                        yield item, certain  # nearly every statement
                    else:
                        yield from self.elements(item, certain=certain)
            elif value is not None:
                yield value, certain

    def document(self, value: Node | Unresolved) -> DocumentTree:
        """The document of a resolved value: an object, or a JSON text. Raises ParseError."""
        node = value.node if isinstance(value, Unresolved) else value
        inner = node.content.get("Fn::ToJsonString") if isinstance(node.content, dict) else None
        if inner is not None:
            resolved = self._resolver.resolve(inner)
            return self.document(resolved) if resolved is not None else DocumentTree(None, node)
        if isinstance(value, Unresolved):
            first = value.parts[0] if value.parts else None
            if not isinstance(first, str) or not first.lstrip().startswith("{"):
                return DocumentTree(UnknownPart(value.doubt), node)
            try:
                return self._from_text(node, self._texts.with_references(value))
            except ParseError:
                return DocumentTree(UnknownPart(value.doubt), node)
        if isinstance(value.content, str):
            return self._from_text(node, value.content)
        return self._from_node(node)

    def _explored(self, build: Callable[[], T]) -> list[T]:
        values = self._resolver.scenarios.explore(build, self._resolver.conditions.possible)
        return values if len(values) == 1 else list({_identity(value): value for value in values}.values())

    def _from_text(self, node: Node, text: str) -> DocumentTree:
        root = parse_json(text)
        waiting = [root]
        while waiting:  # each node gets the place of the text
            inner = waiting.pop()
            inner.line, inner.column, inner.end_column = node.line, node.column, node.end_column
            content = inner.content
            waiting.extend(
                content.values() if isinstance(content, dict) else content if isinstance(content, list) else ()
            )
        return self._from_node(root)

    def _from_node(self, node: Node) -> DocumentTree:
        if not isinstance(node.content, dict):
            return DocumentTree(None, node)
        tree: dict[str, Any] = {}
        document = DocumentTree(tree, node)
        for key, child in node.content.items():
            if key == "Statement":
                tree[key] = self._statements(child, document)
            else:
                resolved = self._resolver.resolve(child)
                tree[key] = scalar_of(resolved) if isinstance(resolved, Node) and is_scalar(resolved) else None
        return document

    def _statements(self, node: Node, document: DocumentTree) -> Any:
        statements: list[Any] = []
        document.nodes["Statement",] = node
        if is_scalar(node) and "{{" not in str(node.content):
            return node.content
        for value, certain in self.elements(node):
            if isinstance(value, Unresolved):
                statements.append(UnknownPart(value.doubt))
            elif isinstance(value.content, dict):
                forms = self._forms(value.content, ("Statement", len(statements)), document)
                for form in forms:
                    document.nodes["Statement", len(statements)] = value
                    always = isinstance(form, UnknownPart) or (certain and len(forms) == 1)
                    statements.append(form if always else ConditionalPart(form))
            else:
                document.nodes["Statement", len(statements)] = value
                statements.append(value.content)
        return statements

    def _forms(
        self, content: Mapping[str, Node], path: Path, document: DocumentTree
    ) -> list[dict[str, Any] | UnknownPart]:
        """A statement in each of its forms. Its lists are the same in all of them."""
        common: dict[str, Any] = {}
        differing: dict[str, list[Any]] = {}
        document.elements[path] = content
        for key, child in content.items():
            if key in _LISTS:
                common[key] = self._list(child, (*path, key), document)
                continue
            if key in _WORDS and isinstance(child.content, str) and "{{" not in child.content:
                common[key] = child.content
                continue
            values = self._forms_of(key, child)
            if len(values) > 1:
                differing[key] = values
            elif values[0] is not None:
                common[key] = values[0]
        return list(_multiplied(common, differing)) if differing else [common]

    def _forms_of(self, key: str, node: Node) -> list[Any]:
        if key == "Condition":
            return [self._conditions.of(node)] if is_plain(node) else self._explored(lambda: self._conditions.of(node))
        values = self.values(node)
        if key in _PRINCIPALS:
            return [self._principals(value) for value in values]
        return [self._texts.one(value) for value in values]

    def _list(self, node: Node, path: Path, document: DocumentTree) -> list[Any]:
        items = node.content if isinstance(node.content, (list, tuple)) else (node,)
        texts = [item.content for item in items]
        if _are_plain(texts):
            document.items[path] = items
            return texts
        key = path[-1]
        referring = self._referring(items) if key in _RESOURCES else None
        if referring is not None:
            texts, document.items[path] = referring
            return texts
        elements: list[tuple[Any, Node, bool]] = []
        for item in items:
            spelled = self._texts.of_reference(item) if key in _RESOURCES else ()
            if spelled:
                elements += [(text, item, True) for text in spelled]
                continue
            for value, certain in self.elements(item):
                where = value.node if isinstance(value, Unresolved) else value
                elements += [(text, where, certain) for text in self._texts_of(value, key)]
        if False in [certain for _, _, certain in elements]:
            elements = _once(elements)
        document.items[path] = [where for _, where, _ in elements]
        return [text if certain else ConditionalPart(text) for text, _, certain in elements]

    def _referring(self, items: Sequence[Node]) -> tuple[list[Any], list[Node]] | None:
        """The texts of items that all refer to tables of the template, each with its node; None if one does not."""
        texts: list[Any] = []
        nodes: list[Node] = []
        for item in items:
            spelled = self._texts.of_reference(item)
            if not spelled:
                return None
            texts += spelled
            nodes += [item] * len(spelled)
        return texts, nodes

    def _texts_of(self, value: Node | Unresolved, key: str | int) -> tuple[Any, ...]:
        if isinstance(value, Node) and (value.content is None or not is_scalar(value)):
            return (value.plain(),)
        texts = self._texts.of(value)
        usual = self._texts.usual(value) if key in _RESOURCES else ()
        if isinstance(texts, UnknownPart):
            return (replace(texts, usual=usual),)
        if key not in _ACTIONS:
            wider = usual and max(map(_tier, usual)) > max(map(_tier, texts))
            doubt = value.doubt if isinstance(value, Unresolved) else HELD
            return (UnknownPart(doubt, texts, usual),) if wider else texts
        # an action that is known in part may be any with that beginning and end
        hole = UnknownPart(value.doubt if isinstance(value, Unresolved) else HELD)
        return tuple(hole if has_symbol(text) and may_concern_dynamodb(text) is not False else text for text in texts)

    def _principals(self, value: Resolved) -> Any:
        if not isinstance(value, Node) or not isinstance(value.content, dict):
            return self._texts.one(value)
        return {
            kind: [text for item, _ in self.elements(child) for text in self._texts_of(item, kind)]
            for kind, child in value.content.items()
        }


def _tier(text: str) -> Tier:
    return scope_of(text).tier


def _multiplied(
    common: Mapping[str, Any], differing: Mapping[str, list[Any]]
) -> Iterator[dict[str, Any] | UnknownPart]:
    """A statement with each choice of the parts that differ."""
    for number, chosen in enumerate(product(*differing.values())):
        if number == _MOST:
            yield UnknownPart(_TOO_MANY)
            return
        statement = {**common, **dict(zip(differing, chosen, strict=True))}
        yield {key: form for key, form in statement.items() if form is not None}


def _are_plain(texts: list[Any]) -> bool:
    """Whether these are texts that are the same in every scenario and name no table."""
    try:
        joined = "\n".join(texts)
    except TypeError:
        return False
    return joined.isascii() and "{{" not in joined and ":table/" not in joined


def _is_constant(value: Resolved) -> bool:
    """Whether a value is the same in every scenario: it depends on no parameter or condition."""
    if not isinstance(value, Unresolved):
        return True
    refers = False
    for part in value.parts:
        if isinstance(part, NameReference):
            if part.kind != RESOURCE and not part.name.startswith("AWS::"):
                return False
            refers = True
    return refers


def _once(elements: list[tuple[Any, Node, bool]]) -> list[tuple[Any, Node, bool]]:
    """The elements without those that another branch repeats, or that are always present."""
    seen = {text for text, _, certain in elements if certain and isinstance(text, str)}
    unique = []
    for text, node, certain in elements:
        if not isinstance(text, str):
            unique.append((text, node, certain))
        elif certain or text not in seen:
            unique.append((text, node, certain))
            seen.add(text)
    return unique


def _identity(value: object) -> object:
    """Equal for two values that are the same alternative."""
    if isinstance(value, Unresolved):
        return value.parts or id(value)
    if isinstance(value, Node):
        return (type(value.content), value.content) if is_scalar(value) else id(value.content)
    return repr(value)
