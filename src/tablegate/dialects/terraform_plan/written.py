"""How a block of the plan was written: which block of the configuration it came from."""

from __future__ import annotations

from collections.abc import Sequence

from tablegate.dialects.terraform_plan.configuration import NOTHING, Tree, tree
from tablegate.model.record import record


@record(kw_only=False)
class Source:
    """How a block finds the one in the source that it comes from."""

    match: str | None
    ordered: bool
    aligned: bool  # the source has as many blocks, in the same order


class InOrder(list[object]):
    """How blocks were written, in the order of the blocks themselves."""


_READS = frozenset({"references", "doubt"})


def written_of(expression: object, number: int, item: Tree, source: Source) -> Tree | None:
    """Which of the blocks in the source became this one: sets lose their order, so a name must tell."""
    if isinstance(expression, InOrder):
        return tree(expression[number])
    if isinstance(expression, dict):
        return NOTHING if _READS.isdisjoint(expression) else _Everywhere(expression)
    blocks = [block for block in expression if isinstance(block, dict)] if isinstance(expression, list) else []
    if source.ordered:
        if source.aligned:
            return blocks[number] if number < len(blocks) else None
        # Others come from a dynamic block: only one that agrees in all its constants can be told from them.
        fitting = [block for block in blocks if _agrees(block, item)]
        return fitting[0] if len(fitting) == 1 else None
    match = source.match
    if len(blocks) == 1:
        return blocks[0]
    if match is None:
        return None
    same = [block for block in blocks if _constant(block.get(match)) == item.get(match)]
    if same:
        return same[0] if len(same) == 1 else _either(same)
    unnamed = [block for block in blocks if _constant(block.get(match)) is None]
    return unnamed[0] if len(unnamed) == 1 else None


def _either(blocks: Sequence[Tree]) -> Tree:
    """One of several blocks: each member reads what it reads in any of them."""
    found: dict[str, list[object]] = {}
    for block in blocks:
        for key, expression in block.items():
            references = expression.get("references") if isinstance(expression, dict) else None
            found.setdefault(key, []).extend(references if isinstance(references, list) else ())
    return {key: {"references": references} for key, references in found.items()}


def _agrees(block: Tree, item: Tree) -> bool:
    """Whether nothing constant in a block of the source contradicts a block of the plan."""
    constants = ((key, _constant(expression)) for key, expression in block.items())
    return all(constant is None or _same(constant, item.get(key)) for key, constant in constants)


def _same(constant: object, content: object) -> bool:
    """Whether the content is the constant; a list may have become a set."""
    if isinstance(constant, list) and isinstance(content, list):
        return sorted(map(str, constant)) == sorted(map(str, content))
    return constant == content


def _constant(expression: object) -> object:
    return expression.get("constant_value") if isinstance(expression, dict) else None


def within(expression: object) -> Tree | None:
    """The expressions of an object's members: those of a constant are its own, those of others all it reads."""
    if not isinstance(expression, dict):
        return None if expression is None else NOTHING
    if isinstance(content := expression.get("constant_value"), dict):
        return {key: {"constant_value": value} for key, value in content.items()}
    return None if _READS.isdisjoint(expression) else _Everywhere(expression)


class _Everywhere(dict[str, object]):
    """Any member may read any of the references: plan JSON does not tell which."""

    def __init__(self, expression: Tree) -> None:
        super().__init__()
        self._expression = expression

    def get(self, _key: str, _default: object = None) -> object:
        return self._expression
