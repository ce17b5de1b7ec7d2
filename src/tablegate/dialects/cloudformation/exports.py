"""Outputs of stacks, for the other stacks of the same run."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from tablegate.dialects.cloudformation.loading import load_tree, parse
from tablegate.dialects.cloudformation.resolver import Resolver, from_other_stack
from tablegate.dialects.cloudformation.values import Unresolved, expression, is_scalar, scalar_of, text_with_references
from tablegate.dialects.reading import ReadOptions
from tablegate.model.record import record
from tablegate.model.value import Doubt
from tablegate.syntax.node import Node, ParseError
from tablegate.syntax.raw_text import may_say
from tablegate.syntax.recognise import Kind, recognise
from tablegate.syntax.source import Source

_SEVERAL = Doubt("several templates of this run export it, with different values", "check them separately")
_CIRCULAR = Doubt("stacks import it from each other in a cycle")


@record(kw_only=False)
class _Output:
    stack: Resolver
    value: Node


class Exports:
    """The outputs of stacks by export name, and by stack and output name."""

    def __init__(
        self, stacks: Iterable[Resolver], beyond: Exports | None = None, trees: Mapping[str, Node] | None = None
    ) -> None:
        self._beyond = beyond
        self.trees = trees or {}  # of the templates that are parsed already, by file
        self._by_export: dict[str, list[_Output]] = {}
        self._by_stack: dict[tuple[str, str], list[_Output]] = {}
        self._asking: set[int] = set()
        for stack in stacks:
            self._add(stack)

    def exported(self, asker: Resolver, node: Node, name: str) -> Node | Unresolved | None:
        """What an export comes to, at the place where it is imported; None if no template exports it."""
        value = self._value(asker, node, self._by_export.get(name, ()))
        return value or (self._beyond.exported(asker, node, name) if self._beyond is not None else None)

    def output(self, asker: Resolver, node: Node, stack: str, name: str) -> Node | Unresolved | None:
        """What an output of a stack comes to; None if no such stack is known."""
        value = self._value(asker, node, self._by_stack.get((stack, name), ()))
        return value or (self._beyond.output(asker, node, stack, name) if self._beyond is not None else None)

    def _add(self, stack: Resolver) -> None:
        for name, node in stack.template.outputs.items():
            declared = node.content if isinstance(node.content, dict) else {}
            value, export = declared.get("Value"), declared.get("Export")
            if value is None:
                continue
            output = _Output(stack, value)
            if stack.context.name is not None:
                self._by_stack.setdefault((stack.context.name, name), []).append(output)
            if export is not None and isinstance(export.content, dict):
                export_name = stack.get(export.content, "Name")
                if isinstance(export_name, Node) and is_scalar(export_name):
                    self._by_export.setdefault(scalar_of(export_name), []).append(output)

    def _value(self, asker: Resolver, node: Node, outputs: Iterable[_Output]) -> Node | Unresolved | None:
        values = [self._value_of(output, node) for output in outputs if _can_share_exports(asker, output.stack)]
        if not values:
            return None
        texts = {text_with_references(value) for value in values}
        return values[0] if len(texts) == 1 else expression(node, _SEVERAL)

    def _value_of(self, output: _Output, node: Node) -> Node | Unresolved:
        if id(output.value) in self._asking:
            return expression(node, _CIRCULAR)
        self._asking.add(id(output.value))
        try:
            with output.stack.scenarios.without_asking():
                value = from_other_stack(output.stack.resolve(output.value), node, output.stack)
        finally:
            self._asking.discard(id(output.value))
        return expression(node) if value is None else value


def _can_share_exports(asker: Resolver, other: Resolver) -> bool:
    """Whether two stacks can be in the same region of the same account, which share exports."""
    mine, theirs = asker.options, other.options
    return all(
        not one or not another or one == another
        for one, another in ((mine.region, theirs.region), (mine.account, theirs.account))
    )


def exports_of(sources: Iterable[Source], options: ReadOptions) -> Exports:
    """What the templates among the sources export. One that cannot be read is reported when it is read itself."""
    stacks: list[Resolver] = []
    trees: dict[str, Node] = {}
    for source in sources:
        if may_say(source.data, "Export", "ForEach") and may_say(source.data, "Outputs"):
            try:
                recognised = recognise(source)
                if recognised.kind is Kind.CLOUDFORMATION:
                    tree = trees[source.name] = parse(recognised.text)
                    resolver = load_tree(tree, recognised.text, source.name, options).resolver
                    stacks += [] if resolver is None else [resolver]
            except ParseError:
                continue
    return Exports(stacks, trees=trees)
