"""Recovery, expiry, streams, tags and retention: one reader per setting of a table or a replica."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from tablegate.dialects.cloudformation.parameters import ACCOUNT, PARTITION, REGION, URL_SUFFIX
from tablegate.dialects.cloudformation.properties import Resource, Section, section_of
from tablegate.dialects.cloudformation.resolver import Resolver
from tablegate.dialects.cloudformation.values import INPUT, NameReference, Unresolved, is_scalar, scalar_of
from tablegate.model import facts
from tablegate.model.facts import Fact
from tablegate.model.record import record, replace
from tablegate.model.table import Recovery, Retention, Stream, Ttl
from tablegate.model.value import Doubt, Value
from tablegate.syntax.node import Node

_BILLING_MODES: Final = frozenset({"PROVISIONED", "PAY_PER_REQUEST"})
_CONSTANT_IN_A_STACK: Final = frozenset({REGION, ACCOUNT, PARTITION, URL_SUFFIX})
_RETENTION: Final = frozenset({"Delete", "Retain", "RetainExceptOnCreate"})  # a table has no snapshots
_GENERATED: Final = Doubt("the table has no name, so the service generates one")


def recovery(section: Section) -> Recovery:
    """Point-in-time recovery."""
    inner = section.part("PointInTimeRecoverySpecification")
    return Recovery(
        enabled=inner.flag(facts.RECOVERY, "PointInTimeRecoveryEnabled"),
        days=inner.number(facts.RECOVERY_DAYS, "RecoveryPeriodInDays"),
    )


def ttl(section: Section) -> Ttl:
    """Expiry of items."""
    inner = section.part("TimeToLiveSpecification")
    return Ttl(
        enabled=inner.flag(facts.TTL_ENABLED, "Enabled"),
        attribute=inner.text(facts.TTL_ATTRIBUTE, "AttributeName"),
    )


def table_stream(section: Section) -> Stream:
    """The change stream of a table, with the policy in the same section."""
    return stream(section, section.section("StreamSpecification"))


def stream(section: Section, policy_holder: Section | None) -> Stream:
    """The change stream, without its consumers. A specification turns it on."""
    inner = section.section("StreamSpecification")
    if inner is None:
        return facts.NO_STREAM
    if inner.unresolved is not None:
        enabled = section.unknown(facts.STREAM_ENABLED, inner.unresolved)
    else:
        enabled = facts.STREAM_ENABLED.of(True, inner.place())
    return Stream(
        enabled=enabled,
        view=inner.text(facts.STREAM_VIEW, "StreamViewType"),
        policy=facts.STREAM_POLICY.unset if policy_holder is None else policy(facts.STREAM_POLICY, policy_holder),
    )


def policy(fact: Fact[str], section: Section) -> Value[str]:
    """A resource policy."""
    return section.part("ResourcePolicy").json(fact, "PolicyDocument")


def resource_policy(section: Section) -> Value[str]:
    """The table's resource policy."""
    return policy(facts.POLICY, section)


def retention(resource: Resource) -> Retention:
    """Whether the table outlives its resource."""
    section = resource.body
    return Retention(
        deletion_policy=section.text(facts.DELETION_POLICY, "DeletionPolicy", _RETENTION),
        update_replace_policy=section.text(facts.UPDATE_REPLACE_POLICY, "UpdateReplacePolicy", _RETENTION),
        prevent_destroy=facts.PREVENT_DESTROY.unset,
    )


def import_source(section: Section) -> Value[str]:
    """The bucket that the table is imported from."""
    inner = section.part("ImportSourceSpecification")
    bucket = inner.section("S3BucketSource")
    return (inner if bucket is None else bucket).text_or_reference(facts.IMPORT_SOURCE, "S3Bucket")


@record(kw_only=False)
class NameInfo:
    """A table's name, its node, and whether it is the same at every deploy."""

    value: Value[str]
    node: Node | Unresolved | None
    is_fixed: bool


UNNAMED: Final = NameInfo(facts.NAME.doubted(_GENERATED), None, False)


def name(section: Section) -> NameInfo:
    """The table's name. Without one, the service generates it."""
    node = section.get("TableName")
    if node is None:
        return UNNAMED
    if isinstance(node, Unresolved):
        parts = tuple(part if isinstance(part, str) else None for part in node.parts)
        return NameInfo(replace(section.unknown(facts.NAME, node), parts=parts), node, _is_constant(node))
    return NameInfo(section.text_of(facts.NAME, node), node, True)


def billing_mode(section: Section) -> Value[str]:
    """On-demand or provisioned billing."""
    return section.text(facts.BILLING_MODE, "BillingMode", _BILLING_MODES)


def table_class(section: Section) -> Value[str]:
    """Standard or infrequent access."""
    return section.text(facts.TABLE_CLASS, "TableClass")


def deletion_protection(section: Section) -> Value[bool]:
    """Whether the table is protected from deletion."""
    return section.flag(facts.DELETION_PROTECTION, "DeletionProtectionEnabled")


def _is_constant(name: Unresolved) -> bool:
    """Whether a name is the same at every deploy of a stack."""
    references = [part for part in name.parts if isinstance(part, NameReference)]
    return bool(references) and all(it.kind == INPUT and it.name in _CONSTANT_IN_A_STACK for it in references)


def tags(section: Section) -> Value[Mapping[str, str | None]]:
    """The tags of the table and of its stack."""
    fact = facts.TAGS
    stack_tags = section.resolver.options.stack_tags
    node = section.get("Tags")
    if node is None:
        return fact.of(dict(stack_tags)) if stack_tags else fact.unset
    if isinstance(node, Unresolved):
        return section.unknown(fact, node)
    read = _tags_of_map if isinstance(node.content, dict) else _tags_of_list
    own = read(section.resolver, node)
    if isinstance(own, Unresolved):
        return section.unknown(fact, own)
    return section.known(fact, {**stack_tags, **own} if stack_tags else own, node)


def _tags_of_list(resolver: Resolver, node: Node) -> dict[str, str | None] | Unresolved:
    if not isinstance(node.content, (list, tuple)):
        return resolver.wrong_shape(node, "must be a list of tags")
    own: dict[str, str | None] = {}
    for item in node.content:
        tag = section_of(resolver, resolver.resolve(item))
        key = None if tag is None else tag.required_text("Key")
        if isinstance(key, Unresolved):
            return key
        if tag is not None and key is not None:
            own[key] = _tag(tag.get("Value"))
    return own


def _tags_of_map(resolver: Resolver, node: Node) -> dict[str, str | None] | Unresolved:
    content = node.content if isinstance(node.content, dict) else {}
    return {key: _tag(resolver.resolve(value)) for key, value in content.items()}


def _tag(value: Node | Unresolved | None) -> str | None:
    if value is None:
        return ""
    return scalar_of(value) if isinstance(value, Node) and is_scalar(value) else None
