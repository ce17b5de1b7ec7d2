"""Whether source is what a plan was made of, as far as both say how a resource is written."""

from __future__ import annotations

from tablegate.dialects.source_map.reading import contradicts, references
from tablegate.dialects.terraform_plan.addresses import steps
from tablegate.dialects.terraform_plan.configuration import Tree, trees
from tablegate.dialects.terraform_source.definitions import inner_type
from tablegate.dialects.terraform_source.values import FailedError
from tablegate.syntax.errors import ParseError
from tablegate.syntax.hcl_nodes import Block, Body, Expression, Literal

# Arguments and blocks of Terraform itself: they are elsewhere in a plan, or not in it.
_META = frozenset({"count", "for_each", "provider", "depends_on"})
OF_CALLS = frozenset({"source", "version", "providers"})
_META_BLOCKS = frozenset({"lifecycle", "provisioner", "connection", "dynamic"})


def agrees(body: Body, expressions: Tree, own: frozenset[str] = frozenset()) -> bool:
    """Whether a block has the arguments and blocks that the configuration has, and they read the same.

    ``own`` are further arguments that Terraform itself takes from such a block.
    """
    try:
        return _agrees(body, expressions, own)
    except (FailedError, ParseError):
        return False


def _agrees(body: Body, expressions: Tree, own: frozenset[str]) -> bool:
    arguments = {name: one.value for name, one in body.attributes.items() if name not in _META | own}
    blocks: dict[str, list[Block]] = {}
    for block in body.blocks:
        if block.type not in _META_BLOCKS:
            blocks.setdefault(inner_type(block), []).append(block)
    if arguments.keys() | blocks.keys() != expressions.keys():
        return False
    return all(_same(value, expressions[name]) for name, value in arguments.items()) and all(
        _same_blocks(found, expressions[name]) for name, found in blocks.items()
    )


def _same_blocks(blocks: list[Block], expression: object) -> bool:
    written = [expression] if isinstance(expression, dict) else trees(expression)
    if len(written) != len(blocks):
        return False
    return all(_agrees(block.body, one, frozenset()) for block, one in zip(blocks, written, strict=True))


def _same(node: Expression, expression: object) -> bool:
    """Whether an expression reads what the configuration says it does: its text is not in a plan."""
    if not isinstance(expression, dict):
        return not isinstance(expression, list) or not isinstance(node, Literal)
    if "constant_value" in expression and isinstance(node, Literal):
        return not contradicts(node, expression["constant_value"])
    listed = expression.get("references")
    return {_root(str(one)) for one in (listed if isinstance(listed, list) else ())} == {
        one.root for one in references(node)
    }


def _root(reference: str) -> str:
    words = [str(step.name) for step in steps(reference) if step.name is not None]
    return ".".join(words[: 3 if words[:1] == ["data"] else 2])
