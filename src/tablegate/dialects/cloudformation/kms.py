"""Whose key encrypts a table, and the template's own keys and Kinesis streams that the table uses."""

from __future__ import annotations

from tablegate.dialects.cloudformation.parameters import REGION
from tablegate.dialects.cloudformation.properties import Resource, Section, resource_named, resources_of
from tablegate.dialects.cloudformation.resolver import Resolver
from tablegate.dialects.cloudformation.template import KEY_ALIAS, KEYS, KINESIS_STREAM, REPLICA_KEY
from tablegate.dialects.cloudformation.values import (
    OTHER_STACK,
    RESOURCE,
    NameReference,
    Part,
    SecretNode,
    Unresolved,
    scalar_of,
    text_with_references,
)
from tablegate.model import facts
from tablegate.model.facts import Fact
from tablegate.model.table import Encryption, KeyOwner, KmsKey, StreamDestination
from tablegate.model.value import Doubt, Place, Value
from tablegate.syntax.node import Node

_ENABLED = Fact[bool]("server-side encryption", False)
_STREAM_ENCRYPTION = Fact[str]("encryption type of the stream", "NONE")
_AWS_MANAGED_ALIAS = "alias/aws/dynamodb"
_EITHER = (KeyOwner.AWS_MANAGED, KeyOwner.CUSTOMER)
_REGION_UNKNOWN = Doubt("the region of the key is not known", "pass the key's ARN as a parameter: --param NAME=ARN")


def encryption(section: Section) -> Encryption:
    """The encryption of a table with one section for both switch and key."""
    inner = section.section("SSESpecification")
    return facts.AWS_OWNED if inner is None else encryption_with_key(inner, inner)


def encryption_with_key(enabling: Section, naming: Section | None) -> Encryption:
    """The encryption that one section turns on, with the key that another names."""
    resolver = enabling.resolver
    enabled = enabling.flag(_ENABLED, "SSEEnabled")
    if enabled.doubt is not None:
        return _doubted(enabled.doubt, enabled.place, tuple(KeyOwner))
    if not enabled.content:
        if enabled.place is None:
            return facts.AWS_OWNED
        return _keyless(facts.KEY_OWNER.of(KeyOwner.AWS_OWNED, enabled.place))
    key = naming.get("KMSMasterKeyId") if naming is not None else None
    if key is None:
        return _keyless(facts.KEY_OWNER.of(KeyOwner.AWS_MANAGED, enabled.place))
    text = text_with_references(key)
    if text is None:
        unknown = (
            key if isinstance(key, Unresolved) else resolver.wrong_shape(key, "must be the id, ARN or alias of a key")
        )
        return _doubted(unknown.doubt, resolver.place(unknown.node), _EITHER)
    return _with_key(resolver, key, text)


def _keyless(owner: Value[KeyOwner]) -> Encryption:
    return Encryption(owner=owner, key=facts.KEY.unset, key_region=facts.KEY_REGION.unset)


def _doubted(doubt: Doubt, place: Place | None, candidates: tuple[KeyOwner, ...]) -> Encryption:
    return Encryption(
        owner=facts.KEY_OWNER.doubted(doubt, place, candidates),
        key=facts.KEY.doubted(doubt, place),
        key_region=facts.KEY_REGION.doubted(doubt, place),
    )


def _with_key(resolver: Resolver, key: Node | Unresolved, text: str) -> Encryption:
    place = resolver.place(key.node if isinstance(key, Unresolved) else key)
    managed = text in ("", _AWS_MANAGED_ALIAS) or text.endswith(f":{_AWS_MANAGED_ALIAS}")
    owner = facts.KEY_OWNER.of(KeyOwner.AWS_MANAGED if managed else KeyOwner.CUSTOMER, place)
    if isinstance(key, Unresolved) and not managed and not _is_customer_key(resolver, key):
        owner = facts.KEY_OWNER.doubted(key.doubt, place, _EITHER)
    return Encryption(
        owner=owner,
        key=facts.KEY.of(text, place, sensitive=isinstance(key, SecretNode)) if text else facts.KEY.unset,
        key_region=facts.KEY_REGION.unset if managed else _key_region(resolver, key, text, place),
        resource=None if managed else _key_resource(resolver, key, text),
    )


def _is_customer_key(resolver: Resolver, key: Unresolved) -> bool:
    """Whether it is surely no alias of AWS's own key: the ARN of a key, or a key or alias of a template."""
    references = [part for part in key.parts if isinstance(part, NameReference)]
    return any(isinstance(part, str) and ":key/" in part for part in key.parts) or any(
        _resource_of(resolver, reference, *KEYS, KEY_ALIAS) is not None for reference in references
    )


def _resource_of(resolver: Resolver, reference: NameReference, *types: str) -> Resource | None:
    """The resource of one of these types that a reference leads to, also in another stack."""
    stack = reference.stack or resolver
    name = reference.name if reference.stack is None else reference.resource
    if name is None or reference.kind not in (RESOURCE, OTHER_STACK):
        return None
    return next((it for type_ in types if (it := resource_named(stack, name, type_)) is not None), None)


def _key_region(resolver: Resolver, key: Node | Unresolved, text: str, place: Place) -> Value[str]:
    """The region in the key's ARN. A bare id or alias is looked up in the region of the table."""
    fact = facts.KEY_REGION
    if isinstance(key, Node):
        segments = text.split(":")
        return fact.of(segments[3], place) if segments[0] == "arn" and len(segments) > 5 else fact.unset
    segment = _fourth_segment(key)
    if isinstance(segment, str):
        return fact.of(segment, place) if segment else fact.doubted(_REGION_UNKNOWN, place)
    reference = segment or key.reference
    if reference is not None and reference.stack is not None:
        return _region_of(reference.stack, place)
    if reference is not None and (reference.name == REGION or reference.kind == RESOURCE):
        region = resolver.resolve_name(key.node, REGION)
        return fact.of(scalar_of(region), place) if isinstance(region, Node) else fact.doubted(_REGION_UNKNOWN, place)
    return fact.unset if text.startswith("alias/") else fact.doubted(_REGION_UNKNOWN, place)


def _region_of(stack: Resolver, place: Place) -> Value[str]:
    """The region of the key's stack."""
    region = stack.options.region
    return facts.KEY_REGION.of(region, place) if region else facts.KEY_REGION.doubted(_REGION_UNKNOWN, place)


def _fourth_segment(key: Unresolved) -> str | NameReference | None:
    """The region in an ARN with references."""
    segments: list[list[Part]] = [[]]
    for part in key.parts:
        first, *rest = part.split(":") if isinstance(part, str) else [part]
        segments[-1].append(first)
        segments.extend([text] for text in rest)
    region = [part for part in segments[3] if part != ""] if len(segments) > 4 else []
    return region[0] if len(region) == 1 else None


def _key_resource(resolver: Resolver, key: Node | Unresolved, text: str) -> KmsKey | None:
    """The key, if it is in a template: named itself, or by an alias in a template."""
    references = [part for part in key.parts if isinstance(part, NameReference)] if isinstance(key, Unresolved) else []
    aliases = [it for reference in references if (it := _resource_of(resolver, reference, KEY_ALIAS)) is not None]
    if "alias/" in text:
        aliases += [alias for alias in resources_of(resolver, KEY_ALIAS) if _alias_name(alias) == text]
    pairs = [(resolver, reference) for reference in references]
    for alias in aliases:
        target = alias.properties.get("TargetKeyId")
        parts = target.parts if isinstance(target, Unresolved) else ()
        pairs += [(alias.resolver, part) for part in parts if isinstance(part, NameReference)]
    keys = (_resource_of(stack, reference, *KEYS) for stack, reference in pairs)
    resource = next((key for key in keys if key is not None), None)
    if resource is None or resource.present is False:
        return None
    address = resource.resolver.address_for(resolver, resource.address)
    if resource.resolver is not resolver:
        resolver.keys_of_other_stacks[address] = resource
    return _kms_key(resource, address)


def _alias_name(alias: Resource) -> str | None:
    value = alias.properties.get("AliasName")
    return text_with_references(value) if value is not None else None


def _kms_key(resource: Resource, address: str) -> KmsKey:
    section = resource.properties
    return KmsKey(
        address=address,
        place=resource.place,
        rotation=section.flag(facts.ROTATION, "EnableKeyRotation"),
        enabled=section.flag(facts.KEY_ENABLED, "Enabled"),
        replica=resource.type == REPLICA_KEY,
    )


def destinations(section: Section) -> tuple[StreamDestination, ...]:
    """The Kinesis stream that receives the table's changes."""
    resolver, inner = section.resolver, section.section("KinesisStreamSpecification")
    if inner is None:
        return ()
    arn = inner.get("StreamArn")
    reference = arn.reference if isinstance(arn, Unresolved) else None
    resource = resource_named(resolver, reference.name, KINESIS_STREAM) if reference is not None else None
    stream = inner.text_or_reference(facts.DESTINATION, "StreamArn")
    if resource is None or resource.present is False:
        return (StreamDestination(stream=stream),)
    encrypted = _stream_encrypted(resource)
    return (StreamDestination(stream=stream, encrypted=encrypted, address=resource.address),)


def _stream_encrypted(resource: Resource) -> Value[bool]:
    fact = facts.DESTINATION_ENCRYPTED
    inner = resource.properties.section("StreamEncryption")
    if inner is None:
        return fact.unset
    kind = inner.text(_STREAM_ENCRYPTION, "EncryptionType")
    if kind.doubt is not None:
        return fact.doubted(kind.doubt, kind.place)
    return fact.of(kind.content == "KMS", kind.place) if kind.place else fact.unset
