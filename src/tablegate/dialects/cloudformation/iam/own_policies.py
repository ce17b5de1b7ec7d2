"""Policies of tables, streams, keys; other stacks' keys and roles."""

from __future__ import annotations

from collections.abc import Iterator

from tablegate.dialects.cloudformation.iam.arn_texts import ArnTexts
from tablegate.dialects.cloudformation.iam.context import PresentResource, TemplateContext
from tablegate.dialects.cloudformation.iam.document_trees import DocumentTrees
from tablegate.dialects.cloudformation.iam.documents import DocumentReader
from tablegate.dialects.cloudformation.properties import Resource, resource_named, resources_of
from tablegate.dialects.cloudformation.resolver import Resolver
from tablegate.dialects.cloudformation.template import (
    ENDPOINT,
    KEYS,
    ORGANIZATION_POLICY,
    POD_IDENTITY,
    ROLE,
    TABLES,
    TRANSFER_USER,
)
from tablegate.dialects.cloudformation.values import NameReference, is_call
from tablegate.dialects.holders import Evidence, HeldDocument
from tablegate.iam.arns import Symbols
from tablegate.iam.grants import DocumentRole, HolderForm
from tablegate.iam.roles import most_exposed, trust_of
from tablegate.model.table import GLOBAL_TABLE, Table

_SERVICES = (".dynamodb", ".dynamodb-streams")
_HOLDING = frozenset({"Replicas", "ResourcePolicy", "StreamSpecification"})  # parts of a table that may hold one
_LIMITS = {ORGANIZATION_POLICY: "Content", POD_IDENTITY: "Policy", TRANSFER_USER: "Policy"}
_CONTROL = ("SERVICE_CONTROL_POLICY", "RESOURCE_CONTROL_POLICY")
_KEY_POLICY = "the policy of a table's key"


def gather(context: TemplateContext) -> None:
    """Make a holder of each resource that has a policy of its own, and read the limits on accounts and sessions."""
    for table in resources_of(context.resolver, *TABLES):
        resource = context.present(table) if _may_have_policy(table) else None
        if resource is None:
            continue
        if table.type == GLOBAL_TABLE:
            for replica in context.sections(resource, "Replicas"):
                _replica(context, replica)
        else:
            _table(context, resource, "StreamSpecification", None, None)
    _keys(context)
    _keys_of_other_stacks(context)
    for resource in context.resources(ENDPOINT):
        _endpoint(context, resource)
    for resource in context.resources(*_LIMITS):
        _limit(context, resource)


def _may_have_policy(resource: Resource) -> bool:
    """Whether a table's properties are more than a plain mapping that holds nothing with a policy."""
    body = resource.body.members
    node = body.get("Properties")
    content = node.content if node is not None else None
    if not isinstance(content, dict) or is_call(content) or "Fn::Transform" in body:
        return True
    return not _HOLDING.isdisjoint(content)


def _replica(context: TemplateContext, replica: PresentResource) -> None:
    region = context.text(replica.section, "Region")
    shown = context.symbols.shown(region) if region else None
    _table(context, replica, "ReplicaStreamSpecification", region, shown)


def _table(
    context: TemplateContext, table: PresentResource, stream: str, region: str | None, within: str | None
) -> None:
    """The policy of a table or a replica, and that of its stream."""
    if "ResourcePolicy" not in table.section and stream not in table.section:
        return
    target = _target(context, table.address, region)
    for policy in context.sections(table, "ResourcePolicy"):
        _own_policy(context, policy, HolderForm.TABLE, target, within)
    label = context.symbols.of(f"{table.address}.StreamArn")
    for inner in context.sections(table, stream):
        for policy in context.sections(inner, "ResourcePolicy"):
            about = "stream" if within is None else f"{within}/stream"
            _own_policy(context, policy, HolderForm.STREAM, f"{target}/stream/{label}" if target else None, about)


def _own_policy(
    context: TemplateContext, policy: PresentResource, form: HolderForm, target: str | None, within: str | None
) -> None:
    node = policy.section.get("PolicyDocument")
    if node is None:
        context.resolver.wrong_shape(policy.node, "a ResourcePolicy needs a PolicyDocument")
        return
    key = f"{policy.address} {within}" if within else None
    holder = context.owner(form, policy, f"the policy of a {form}", key)
    address = context.resolver.context.full(policy.address)
    holder.name = next((table.name.content for table in context.tables if table.address == address), None)
    for held in context.reader.read(node, policy.address, certain=policy.certain, within=within, sized=True):
        holder.give(held, DocumentRole.RESOURCE, target=target)


def _target(context: TemplateContext, address: str, region: str | None) -> str | None:
    arn = next(iter(context.texts.arns_of(address)), None)
    if arn is None or region is None:
        return arn
    parts = arn.split(":", 5)
    return ":".join((*parts[:3], region, *parts[4:]))


def _keys(context: TemplateContext) -> None:
    """The policies of the keys that encrypt a table of this template."""
    wanted = _keys_that_encrypt(context.tables)
    for key in context.resources(*KEYS) if wanted else ():
        if context.resolver.context.full(key.address) in wanted:
            holder = context.owner(HolderForm.KEY, key, _KEY_POLICY)
            target = context.texts.arn_of_key(key.address)
            for held in context.read(key, "KeyPolicy"):
                holder.give(held, DocumentRole.RESOURCE, target=target)


def _endpoint(context: TemplateContext, endpoint: PresentResource) -> None:
    names = [context.texts.symbolic(value) or "" for value, _ in context.items(endpoint.section, "ServiceName")]
    if any(name.endswith(_SERVICES) for name in names):
        holder = context.owner(HolderForm.ENDPOINT, endpoint, "an endpoint for DynamoDB")
        for held in context.read(endpoint, "PolicyDocument"):
            holder.give(held, DocumentRole.CHANNEL)


def _limit(context: TemplateContext, resource: PresentResource) -> None:
    """A limit on an account or a session: it grants nothing."""
    if resource.type == ORGANIZATION_POLICY and context.text(resource.section, "Type") not in _CONTROL:
        return
    place = resource.place
    for held in context.read(resource, _LIMITS[resource.type]):
        context.assembly.unattached(held, place, DocumentRole.CEILING)


def _keys_of_other_stacks(context: TemplateContext) -> None:
    """A holder for each key of another stack that encrypts a table here, unless its own stack has it."""
    for address, key in sorted(context.resolver.keys_of_other_stacks.items(), key=lambda item: item[0]):
        stack = key.resolver
        if stack.context.full(key.address) in _keys_that_encrypt(context.tables_of(stack)):
            continue
        holder = context.assembly.owner(HolderForm.KEY, address, key.place, _KEY_POLICY)
        holder.is_full = True
        target = context.texts.arn_of_key(address)
        for held in _read_there(key, "KeyPolicy", address, context):
            context.reader.counts.add(held.document)
            holder.give(held, DocumentRole.RESOURCE, target=target)


def users_of(symbol: NameReference) -> Evidence | None:
    """Who uses the role of another stack that a reference names; None if it is no such role, or not known."""
    home = symbol.stack
    role = resource_named(home, symbol.resource, ROLE) if home is not None and symbol.resource is not None else None
    if home is None or role is None:
        return None
    documents = (held.document for held in _read_there(role, "AssumeRolePolicyDocument", role.address))
    trusts = [trust_of(document, home.options.account) for document in documents if document.statements]
    return most_exposed([(trust.kind, trust.why) for trust in trusts]) if trusts else None


def _keys_that_encrypt(tables: tuple[Table, ...]) -> frozenset[str]:
    """The addresses of the keys that encrypt these tables."""
    encryptions = [table.encryption for table in tables]
    encryptions += [replica.encryption for table in tables for replica in table.replicas.content or ()]
    return frozenset(each.resource.address for each in encryptions if each.resource is not None)


def _read_there(
    resource: Resource, key: str, address: str, context: TemplateContext | None = None
) -> Iterator[HeldDocument]:
    """A document of a resource of another stack, read in that stack."""
    node = resource.properties.members.get(key)
    if node is not None and node.content not in ("", None):
        symbols = Symbols() if context is None else context.symbols
        spelling = "" if context is None else context.spelling
        stack = resource.resolver
        trees = DocumentTrees(stack, ArnTexts(stack, symbols, (), _no_tables))
        yield from DocumentReader(stack, trees, symbols, spelling).uncounted(node, address)


def _no_tables(_: Resolver) -> tuple[Table, ...]:
    """Neither a trust policy nor the policy of a key is about a table."""
    return ()
