"""Gives a resource of source the shape it has in a plan (values, unknown marks, places): one reader serves both."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from tablegate.dialects.terraform.block import InOrder
from tablegate.dialects.terraform.configuration import tree
from tablegate.dialects.terraform.references import UnknownValue
from tablegate.dialects.terraform.source.definitions import inner_type, lifecycle_of
from tablegate.dialects.terraform.source.evaluate import evaluated
from tablegate.dialects.terraform.source.modules import ModuleInstance
from tablegate.dialects.terraform.source.scalars import FailedError, as_bool, as_number, as_text
from tablegate.dialects.terraform.source.values import (
    EvaluationScope,
    SetValue,
    merged_unknown,
    unknowns,
)
from tablegate.dialects.terraform.source_info import BlockLines, Lifecycle
from tablegate.syntax.hcl.nodes import Block, Body, Literal, Name, Tuple

# Arguments and blocks of Terraform itself, which no provider sees.
_META = frozenset({"count", "for_each", "provider", "depends_on", "lifecycle"})
_META_BLOCKS = frozenset({"lifecycle", "provisioner", "connection", "timeouts", "dynamic"})
_FLAGS = frozenset(
    {
        "deletion_protection_enabled",
        "disable_scale_in",
        "dynamic_scaling_in_suspended",
        "dynamic_scaling_out_suspended",
        "enable_key_rotation",
        "enabled",
        "is_enabled",
        "point_in_time_recovery",
        "point_in_time_recovery_enabled",
        "propagate_tags",
        "scheduled_scaling_suspended",
        "sse_enabled",
        "stream_enabled",
    }
)
_NUMBERS = frozenset(
    {
        "deletion_window_in_days",
        "dimensions_count",
        "max_capacity",
        "max_read_request_units",
        "max_write_request_units",
        "maximum_record_age_in_seconds",
        "maximum_retry_attempts",
        "min_capacity",
        "read_capacity",
        "read_capacity_units",
        "read_units_per_second",
        "recovery_period_in_days",
        "target_value",
        "write_capacity",
        "write_capacity_units",
        "write_units_per_second",
    }
)
_PARTLY_KNOWN = frozenset({"tags"})  # which a plan would lose: what is not among the keys is not said
_SETS = frozenset({"attribute", "global_secondary_index", "local_secondary_index", "replica"})
_TEXT_IN = frozenset({"aws_appautoscaling_scheduled_action"})  # whose provider keeps its numbers as texts
_KINDS = {**dict.fromkeys(_FLAGS, as_bool), **dict.fromkeys(_NUMBERS, as_number)}


class PlanObject(NamedTuple):
    """One object in the shape of a plan: known values, unknown marks, sensitive marks, expressions and places."""

    content: dict[str, object]
    unknown: dict[str, object]
    marks: dict[str, object]
    expressions: dict[str, object]
    written: BlockLines


def plan_object(
    body: Body, block: Block, scope: EvaluationScope, module: ModuleInstance, *, partly: bool = False
) -> PlanObject:
    """The object that a body describes. With ``partly`` a collection may be known in part."""
    children: dict[str, list[BlockLines]] = {}
    into = PlanObject({}, {}, {}, {}, BlockLines(body.attributes, children, block))
    for name, attribute in body.attributes.items():
        if name in _META:
            continue
        value = attribute.value
        if type(value) is Literal:
            content = _as_provider_stores(name, value.content)
        else:
            module.read_sensitive = False
            content = _as_provider_stores(name, evaluated(value, scope))
            if module.read_sensitive:
                into.marks[name] = True
        _put_argument(name, content, into, partly=partly)
    for type_, blocks in _grouped(body).items():
        children[type_] = _put_blocks(type_, blocks, into, scope, module, partly=partly)
    return into


def _put_argument(name: str, content: object, into: PlanObject, *, partly: bool) -> None:
    """Add one argument. Unless ``partly``, a collection with an unknown part is wholly unknown, as in a plan."""
    inner = list(unknowns(content))
    if inner:
        whole = isinstance(content, UnknownValue)
        unknown = inner[0] if whole else merged_unknown(inner)
        candidates = unknown.candidates if whole else ()
        into.expressions[name] = {
            "doubt": unknown.doubt(),
            "reached": unknown.references,
            "candidates": candidates,
            "given": content,
        }
        if whole or not (partly or name in _PARTLY_KNOWN) or hasattr(content, "whole"):
            into.unknown[name] = True
        else:
            into.content[name] = _known_part(content)
            into.unknown[name] = _unknown_marks(content)
    elif content is not None:
        into.content[name] = content
        into.expressions[name] = {"constant_value": content}


def _known_part(content: object) -> object:
    """The content with null in place of each unknown part."""
    if isinstance(content, dict):
        return {key: _known_part(item) for key, item in content.items()}
    if isinstance(content, list):
        return [_known_part(item) for item in content]
    return None if type(content) is UnknownValue or hasattr(content, "whole") else content


def _unknown_marks(content: object) -> object:
    if isinstance(content, dict):
        return {key: marks for key, item in content.items() if (marks := _unknown_marks(item))}
    if isinstance(content, list):
        marks = [_unknown_marks(item) for item in content]
        return marks if any(marks) else []
    return type(content) is UnknownValue or hasattr(content, "whole")


def _as_provider_stores(name: str, content: object) -> object:
    """A scalar converted to the type in the provider's schema, as Terraform does: "5" becomes 5."""
    kind = _KINDS.get(name)
    if content is None or isinstance(content, (dict, list, UnknownValue)) or hasattr(content, "whole"):
        if isinstance(content, UnknownValue) and content.candidates:
            fit = tuple(_as_provider_stores(name, candidate) for candidate in content.candidates)
            return UnknownValue(
                content.reason, content.settle, names=content.names, references=content.references, candidates=fit
            )
        return content
    try:
        return kind(content) if kind is not None else as_text(content)
    except FailedError:
        return content


def _grouped(body: Body) -> dict[str, list[Block]]:
    grouped: dict[str, list[Block]] = {}
    for block in body.blocks:
        if block.type not in _META_BLOCKS or block.type == "dynamic":
            grouped.setdefault(inner_type(block), []).append(block)
    return grouped


def _put_blocks(
    type_: str, blocks: list[Block], into: PlanObject, scope: EvaluationScope, module: ModuleInstance, *, partly: bool
) -> list[BlockLines]:
    """Add the blocks of one type. If the number of one dynamic block is unknown, all of them are."""
    objects: list[PlanObject] = []
    for block in blocks:
        for body, inner in bodies(block, scope):
            if isinstance(inner, UnknownValue):
                into.unknown[type_] = True
                into.expressions[type_] = {"doubt": inner.doubt(), "reached": inner.references, "candidates": ()}
                return [BlockLines(body.attributes, {}, block)]
            objects.append(plan_object(body, block, inner, module, partly=partly))
    if len(objects) > 1 and type_ in _SETS:
        objects = _folded(objects)
    into.content[type_] = [each.content for each in objects]
    into.expressions[type_] = InOrder(each.expressions for each in objects)
    if any(each.unknown for each in objects):
        into.unknown[type_] = [each.unknown for each in objects]
    if any(each.marks for each in objects):
        into.marks[type_] = [each.marks for each in objects]
    return [each.written for each in objects]


def _folded(objects: list[PlanObject]) -> list[PlanObject]:
    """The blocks of a set: those that are known and equal are one."""
    kept: list[PlanObject] = []
    for each in objects:
        if each.unknown or not any(each.content == other.content and not other.unknown for other in kept):
            kept.append(each)
    return kept


def bodies(block: Block, scope: EvaluationScope) -> Iterator[tuple[Body, EvaluationScope | UnknownValue]]:
    """The bodies of a block: its own, or one for each item of a dynamic block."""
    if block.type != "dynamic":
        yield block.body, scope
        return
    contents = [one for one in block.body.blocks if one.type == "content"]
    if len(contents) != 1 or "for_each" not in block.body.attributes:
        yield block.body, UnknownValue("a dynamic block without for_each and content")
        return
    each = block.body.attributes["for_each"]
    items = _dynamic_items(evaluated(each.value, scope))
    if isinstance(items, UnknownValue):
        doubt = items.doubt()
        yield (
            contents[0].body,
            UnknownValue(f"a dynamic block: {doubt.reason}", items.settle, references=items.references),
        )
        return
    name = _iterator(block)
    for key, value in items:
        yield contents[0].body, scope._replace(names={**scope.names, name: {"key": key, "value": value}})


def plainly(expressions: Mapping[str, object]) -> dict[str, object]:
    """The expressions as the configuration of a plan lists them: blocks in the order of source."""
    return {
        name: [plainly(tree(item)) for item in one] if isinstance(one, InOrder) else one
        for name, one in expressions.items()
    }


def _dynamic_items(content: object) -> list[tuple[object, object]] | UnknownValue:
    if hasattr(content, "keys") and not isinstance(content, dict):
        content = content.keys()
    if isinstance(content, dict):
        return [(key, content[key]) for key in sorted(content)]
    if isinstance(content, list):
        return [(item if isinstance(content, SetValue) else at, item) for at, item in enumerate(content)]
    return content if isinstance(content, UnknownValue) else UnknownValue("for_each is neither a list nor a map")


def _iterator(block: Block) -> str:
    attribute = block.body.attributes.get("iterator")
    if attribute is not None and isinstance(attribute.value, Name):
        return attribute.value.name
    return block.labels[0]


def keeping(body: Body) -> Lifecycle:
    """The arguments that keep the resource of a body."""
    attributes = lifecycle_of(body)
    return Lifecycle(attributes.get("prevent_destroy"), attributes.get("destroy"))


def ignores_all_changes(body: Body) -> bool:
    """Whether what a body says may never be applied."""
    ignored = lifecycle_of(body).get("ignore_changes")
    value = None if ignored is None else ignored.value
    return value in (Name("all"), Literal("all"), Tuple((Literal("all"),)), Tuple((Literal("*"),)))
