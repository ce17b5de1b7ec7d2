"""Recovery, expiry, streams, tags and retention: one reader per setting of a table or a replica."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from tablegate.dialects.cloudformation.parameters import ACCOUNT, PARTITION, REGION, URL_SUFFIX
from tablegate.dialects.cloudformation.properties import (
    as_section,
    document,
    doubted,
    flag,
    number,
    reference,
    stated,
    subsection,
    told,
    word,
)
from tablegate.dialects.cloudformation.resolver import Resolver
from tablegate.dialects.cloudformation.schema import plain_pairs, text
from tablegate.dialects.cloudformation.template import Resource
from tablegate.dialects.cloudformation.values import INPUT, NameReference, Section, Unresolved, is_scalar, scalar_of
from tablegate.model import facts
from tablegate.model.facts import Fact
from tablegate.model.record import record
from tablegate.model.table import Recovery, Retention, Stream, Ttl
from tablegate.model.value import Doubt, Value
from tablegate.syntax.node import Node

_BILLING_MODES: Final = frozenset({"PROVISIONED", "PAY_PER_REQUEST"})
_CONSTANT_IN_A_STACK: Final = frozenset({REGION, ACCOUNT, PARTITION, URL_SUFFIX})
_GENERATED: Final = Doubt("the table is given no name, and the service makes one up")


def recovery(resolver: Resolver, section: Section) -> Recovery:
    """Point-in-time recovery."""
    inner = subsection(resolver, section, "PointInTimeRecoverySpecification")
    if inner is None:
        return facts.NO_RECOVERY
    return Recovery(
        enabled=flag(resolver, facts.RECOVERY, inner, "PointInTimeRecoveryEnabled"),
        days=number(resolver, facts.RECOVERY_DAYS, inner, "RecoveryPeriodInDays"),
    )


def ttl(resolver: Resolver, section: Section) -> Ttl:
    """Expiry of items."""
    inner = subsection(resolver, section, "TimeToLiveSpecification")
    if inner is None:
        return facts.NO_TTL
    return Ttl(
        enabled=flag(resolver, facts.TTL_ENABLED, inner, "Enabled"),
        attribute=word(resolver, facts.TTL_ATTRIBUTE, inner, "AttributeName"),
    )


def own_stream(resolver: Resolver, section: Section) -> Stream:
    """The change stream of a table that holds its stream's policy itself."""
    return stream(resolver, section, subsection(resolver, section, "StreamSpecification"))


def stream(resolver: Resolver, section: Section, policy_holder: Section | None) -> Stream:
    """The change stream, without its consumers: that it is specified turns it on."""
    node = resolver.get(section, "StreamSpecification")
    inner = as_section(resolver, node)
    if inner is None or node is None:
        return facts.NO_STREAM
    if isinstance(inner, Unresolved):
        enabled = doubted(resolver, facts.STREAM_ENABLED, inner)
    else:
        enabled = facts.STREAM_ENABLED.of(True, resolver.place(node.node if isinstance(node, Unresolved) else node))
    return Stream(
        enabled=enabled,
        view=word(resolver, facts.STREAM_VIEW, inner, "StreamViewType"),
        policy=policy(resolver, facts.STREAM_POLICY, {} if policy_holder is None else policy_holder),
    )


def policy(resolver: Resolver, fact: Fact[str], section: Section) -> Value[str]:
    """A resource policy."""
    inner = subsection(resolver, section, "ResourcePolicy")
    return fact.unset if inner is None else document(resolver, fact, inner, "PolicyDocument")


def resource_policy(resolver: Resolver, section: Section) -> Value[str]:
    """The table's resource policy."""
    return policy(resolver, facts.POLICY, section)


def retention(resolver: Resolver, resource: Resource) -> Retention:
    """What keeps the table when its code goes."""
    return Retention(
        deletion_policy=word(resolver, facts.DELETION_POLICY, resource.body, "DeletionPolicy"),
        update_replace_policy=word(resolver, facts.UPDATE_REPLACE_POLICY, resource.body, "UpdateReplacePolicy"),
        prevent_destroy=facts.PREVENT_DESTROY.unset,
    )


def import_source(resolver: Resolver, section: Section) -> Value[str]:
    """The bucket that the table is born from."""
    inner = subsection(resolver, section, "ImportSourceSpecification")
    if inner is None:
        return facts.IMPORT_SOURCE.unset
    bucket = subsection(resolver, inner, "S3BucketSource")
    return reference(resolver, facts.IMPORT_SOURCE, inner if bucket is None else bucket, "S3Bucket")


@record(kw_only=False)
class Named:
    """A table's name, what the template says of it, and whether the template fixes it."""

    value: Value[str]
    node: Node | Unresolved | None
    is_fixed: bool


UNNAMED: Final = Named(facts.NAME.doubted(_GENERATED), None, False)


def name(resolver: Resolver, section: Section) -> Named:
    """The table's name. Where there is none, the service makes one up."""
    node = resolver.get(section, "TableName")
    if node is None:
        return UNNAMED
    if isinstance(node, Unresolved):
        return Named(doubted(resolver, facts.NAME, node), node, _is_constant(node))
    return Named(told(resolver, facts.NAME, node), node, True)


def billing_mode(resolver: Resolver, section: Section) -> Value[str]:
    """How the table is paid for."""
    return word(resolver, facts.BILLING_MODE, section, "BillingMode", _BILLING_MODES)


def table_class(resolver: Resolver, section: Section) -> Value[str]:
    """How its storage is paid for."""
    return word(resolver, facts.TABLE_CLASS, section, "TableClass")


def deletion_protection(resolver: Resolver, section: Section) -> Value[bool]:
    """Whether it can be deleted."""
    return flag(resolver, facts.DELETION_PROTECTION, section, "DeletionProtectionEnabled")


def _is_constant(name: Unresolved) -> bool:
    """Whether the name is the same at every deploy of one stack."""
    symbols = [part for part in name.parts if isinstance(part, NameReference)]
    return bool(symbols) and all(it.kind == INPUT and it.name in _CONSTANT_IN_A_STACK for it in symbols)


def tags(resolver: Resolver, section: Section) -> Value[Mapping[str, str | None]]:
    """The tags that the template and the stack give."""
    fact = facts.TAGS
    given = resolver.options.stack_tags
    node = resolver.get(section, "Tags")
    if node is None:
        return fact.of(dict(given)) if given else fact.unset
    if isinstance(node, Unresolved):
        return doubted(resolver, fact, node)
    own = _tags_of_map(resolver, node) if isinstance(node.content, dict) else _tags_of_list(resolver, node)
    if isinstance(own, Unresolved):
        return doubted(resolver, fact, own)
    return stated(resolver, fact, {**given, **own} if given else own, node)


def _tags_of_list(resolver: Resolver, node: Node) -> dict[str, str | None] | Unresolved:
    if not isinstance(node.content, (list, tuple)):
        return resolver.wrong_shape(node, "a list of tags is needed")
    plain = plain_pairs(node.content, "Key", "Value")
    if plain is not None:
        return dict(plain)
    found: dict[str, str | None] = {}
    for item in node.content:
        pair = _resolved_tag(resolver, item)
        if isinstance(pair, Unresolved):
            return pair
        if pair is not None:
            found[pair[0]] = pair[1]
    return found


def _resolved_tag(resolver: Resolver, item: Node) -> tuple[str, str | None] | Unresolved | None:
    tag = resolver.head(item)
    if tag is None:
        return None
    key = text(resolver, tag, "Key")
    if isinstance(key, Unresolved):
        return key
    section = as_section(resolver, tag)
    return key, _tag(resolver.get(section, "Value") if section is not None else None)


def _tags_of_map(resolver: Resolver, node: Node) -> dict[str, str | None]:
    content = node.content if isinstance(node.content, dict) else {}
    return {key: _tag(resolver.head(value)) for key, value in content.items()}


def _tag(value: Node | Unresolved | None) -> str | None:
    if value is None:
        return ""
    return scalar_of(value) if isinstance(value, Node) and is_scalar(value) else None
