"""Policies of tables, streams, keys; other stacks' keys and roles."""

from __future__ import annotations

from collections.abc import Iterator

from tablegate.dialects.cloudformation.iam.arn_texts import ArnTexts
from tablegate.dialects.cloudformation.iam.context import NOBODY, PresentResource, TemplateContext
from tablegate.dialects.cloudformation.iam.document_trees import DocumentTrees
from tablegate.dialects.cloudformation.iam.documents import DocumentReader, HeldDocument
from tablegate.dialects.cloudformation.iam.holders import Evidence, HolderDraft
from tablegate.dialects.cloudformation.properties import properties
from tablegate.dialects.cloudformation.resolver import Resolver
from tablegate.dialects.cloudformation.template import (
    ENDPOINT,
    KEY,
    ORGANIZATION_POLICY,
    POD_IDENTITY,
    ROLE,
    TABLES,
    TRANSFER_USER,
    Resource,
)
from tablegate.dialects.cloudformation.values import NameReference, is_call
from tablegate.iam.arns import Symbols
from tablegate.iam.grants import DocumentRole, HolderForm, HolderKind
from tablegate.iam.roles import most_exposed, trust_of
from tablegate.model.table import GLOBAL_TABLE, Table
from tablegate.syntax.node import Node


def users_of(symbol: NameReference) -> Evidence | None:
    """Who uses the role that a symbol stands for; None where that is no role of another stack, or nothing tells."""
    home = symbol.stack
    role = home.template.named(symbol.resource, ROLE) if home is not None and symbol.resource is not None else None
    if home is None or role is None:
        return None
    documents = (held.document for held in _documents(home, role, "AssumeRolePolicyDocument", Symbols()))
    found = [trust_of(document, home.options.account) for document in documents if document.statements]
    return most_exposed([(each.kind, each.why) for each in found]) if found else None


def gather_keys_of_other_stacks(context: TemplateContext) -> None:
    """A holder for each key of another stack that encrypts a table here, unless its own stack judges it."""
    for address, (home, key) in sorted(context.resolver.keys_of_other_stacks.items(), key=lambda item: item[0]):
        if home.context.full(key.address) in keys_of(context.tables_of(home)):
            continue
        identity = HolderForm.KEY, address
        holder = HolderDraft(
            address=address,
            place=home.place(key.node),
            form=HolderForm.KEY,
            trusted=[(HolderKind.UNKNOWN, "the policy of a table's key")],
            whole=True,
            concerned=True,
        )
        context.holders[identity] = holder
        target = context.texts.arn_of_key(address)
        for held in _documents(home, key, "KeyPolicy", context.symbols):
            context.reader.counts.add(held.document)
            context.give(holder, held, address, role=DocumentRole.RESOURCE, target=target)


def keys_of(tables: tuple[Table, ...]) -> frozenset[str]:
    """The addresses of the keys that encrypt these tables."""
    found = [table.encryption for table in tables]
    found += [replica.encryption for table in tables for replica in table.replicas.content or ()]
    return frozenset(encryption.resource.address for encryption in found if encryption.resource is not None)


def _documents(home: Resolver, resource: Resource, key: str, symbols: Symbols) -> Iterator[HeldDocument]:
    """A document of a resource of another stack, read there."""
    node = properties(home, resource).members.get(key)
    if node is not None and node.content not in ("", None):
        reader = DocumentReader(home, DocumentTrees(home, ArnTexts(home, symbols, (), _no_tables)), symbols)
        yield from reader.uncounted(node)


def _no_tables(_: Resolver) -> tuple[Table, ...]:
    """Neither trust nor the policy of a key is about a table."""
    return ()


_SERVICES = (".dynamodb", ".dynamodb-streams")
_HOLDING = frozenset({"Replicas", "ResourcePolicy", "StreamSpecification"})  # parts of a table that may hold one
_LIMITS = {ORGANIZATION_POLICY: "Content", POD_IDENTITY: "Policy", TRANSFER_USER: "Policy"}
_CONTROL = ("SERVICE_CONTROL_POLICY", "RESOURCE_CONTROL_POLICY")


def gather(context: TemplateContext) -> None:
    """A holder for each resource that says itself who may do what with it."""
    for resource in context.resolver.template.of(*TABLES):
        present = context.present(resource) if _may_have_policy(resource) else None
        if present is None:
            continue
        if resource.type == GLOBAL_TABLE:
            for replica in context.sections(present, "Replicas"):
                _replica(context, replica)
        else:
            _table(context, present, "StreamSpecification", None, None)
    _keys(context)
    gather_keys_of_other_stacks(context)
    for present in context.resources(ENDPOINT):
        _endpoint(context, present)
    for present in context.resources(*_LIMITS):
        _limit(context, present)


def _may_have_policy(resource: Resource) -> bool:
    """Whether a table's properties are more than a plain mapping that holds nothing with a policy."""
    stated = resource.body.get("Properties")
    content = stated.content if stated is not None else None
    if not isinstance(content, dict) or is_call(content) or "Fn::Transform" in resource.body:
        return True
    return not _HOLDING.isdisjoint(content)


def _replica(context: TemplateContext, replica: PresentResource) -> None:
    region = context.text(replica.section, "Region")
    shown = context.symbols.shown(region) if region else None
    _table(context, replica, "ReplicaStreamSpecification", region, shown)


def _table(
    context: TemplateContext, present: PresentResource, stream: str, region: str | None, within: str | None
) -> None:
    """The policy of a table or a replica, and that of its stream."""
    if "ResourcePolicy" not in present.section and stream not in present.section:
        return
    target = _target(context, present.address, region)
    for policy in context.sections(present, "ResourcePolicy"):
        _hold(context, policy, HolderForm.TABLE, target, within)
    label = context.symbols.of(f"{present.address}.StreamArn")
    for inner in context.sections(present, stream):
        for policy in context.sections(inner, "ResourcePolicy"):
            about = "stream" if within is None else f"{within}/stream"
            _hold(context, policy, HolderForm.STREAM, f"{target}/stream/{label}" if target else None, about)


def _hold(
    context: TemplateContext, present: PresentResource, form: HolderForm, target: str | None, within: str | None
) -> None:
    node = present.section.get("PolicyDocument")
    if node is None:
        context.resolver.wrong_shape(present.resource.node, "a ResourcePolicy needs a PolicyDocument")
        return
    holder = _own(context, present, form, f"the policy of a {form}", within)
    address = context.resolver.context.full(present.address)
    holder.name = next((table.name.content for table in context.tables if table.address == address), None)
    for held in context.reader.read(node, certain=present.certain, within=within, sized=True):
        context.give(holder, held, present.address, role=DocumentRole.RESOURCE, target=target)


def _target(context: TemplateContext, address: str, region: str | None) -> str | None:
    arn = next(iter(context.texts.arns_of(address)), None)
    if arn is None or region is None:
        return arn
    parts = arn.split(":", 5)
    return ":".join((*parts[:3], region, *parts[4:]))


def _own(
    context: TemplateContext, present: PresentResource, form: HolderForm, why: str, key: str | None = None
) -> HolderDraft:
    identity = f"{present.address} {key}" if key else None
    holder = context.holder(form, present.resource, HolderKind.UNKNOWN, why, identity)
    holder.concerned = True
    return holder


def _keys(context: TemplateContext) -> None:
    """Policies of the keys that encrypt a table of this template."""
    wanted = keys_of(context.tables)
    for present in context.resources(KEY) if wanted else ():
        if context.resolver.context.full(present.address) in wanted:
            holder = _own(context, present, HolderForm.KEY, "the policy of a table's key")
            target = context.texts.arn_of_key(present.address)
            for held in _documents_of(context, present, "KeyPolicy"):
                context.give(holder, held, present.address, role=DocumentRole.RESOURCE, target=target)


def _endpoint(context: TemplateContext, present: PresentResource) -> None:
    names = [context.texts.symbolic(value) or "" for value, _ in context.items(present.section, "ServiceName")]
    if any(name.endswith(_SERVICES) for name in names):
        holder = _own(context, present, HolderForm.ENDPOINT, "an endpoint for DynamoDB")
        for held in _documents_of(context, present, "PolicyDocument"):
            context.give(holder, held, present.address, role=DocumentRole.CHANNEL)


def _limit(context: TemplateContext, present: PresentResource) -> None:
    """A limit on an account or a session: it grants nothing."""
    kind = context.text(present.section, "Type")
    if present.resource.type == ORGANIZATION_POLICY and kind not in _CONTROL:
        return
    for held in _documents_of(context, present, _LIMITS[present.resource.type]):
        holder = context.holder(HolderForm.UNATTACHED, present.resource, HolderKind.UNKNOWN, NOBODY)
        holder.grants.extend(held.grants(present.address, DocumentRole.CEILING, context.spelling))


def _documents_of(context: TemplateContext, present: PresentResource, key: str) -> list[HeldDocument]:
    node: Node | None = present.section.get(key)
    return [] if node is None or node.content in ("", None) else context.reader.read(node, certain=present.certain)
