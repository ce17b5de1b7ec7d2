"""Policies of tables, streams, keys; other stacks' keys and roles."""

from __future__ import annotations

from collections.abc import Iterator

from tablegate.dialects.cloudformation.iam.arn_texts import Texts
from tablegate.dialects.cloudformation.iam.context import NOBODY, Ground, There
from tablegate.dialects.cloudformation.iam.document_trees import Trees
from tablegate.dialects.cloudformation.iam.documents import Documents, Piece
from tablegate.dialects.cloudformation.iam.holders import Draft, Evidence
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
from tablegate.dialects.cloudformation.values import Symbol, is_call
from tablegate.iam.arns import Symbols
from tablegate.iam.grants import DocumentRole, HolderForm, HolderKind
from tablegate.iam.roles import most_exposed, trust_of
from tablegate.model.table import GLOBAL_TABLE, Table
from tablegate.syntax.node import Node


def users_of(symbol: Symbol) -> Evidence | None:
    """Who uses the role that a symbol stands for; None where that is no role of another stack, or nothing tells."""
    home = symbol.home
    role = home.template.named(symbol.resource, ROLE) if home is not None and symbol.resource is not None else None
    if home is None or role is None:
        return None
    documents = (piece.document for piece in _pieces(home, role, "AssumeRolePolicyDocument", Symbols()))
    found = [trust_of(document, home.options.account) for document in documents if document.statements]
    return most_exposed([(each.kind, each.why) for each in found]) if found else None


def gather_keys(ground: Ground) -> None:
    """A holder for each key of another stack that encrypts a table here, unless its own stack judges it."""
    for address, (home, key) in sorted(ground.resolver.foreign_keys.items(), key=lambda item: item[0]):
        if home.around.full(key.address) in keys_of(ground.tables_of(home)):
            continue
        identity = HolderForm.KEY, address
        draft = Draft(
            address=address,
            place=home.place(key.node),
            form=HolderForm.KEY,
            trusted=[(HolderKind.UNKNOWN, "the policy of a table's key")],
            whole=True,
            concerned=True,
        )
        ground.drafts[identity] = draft
        target = ground.texts.arn_of_key(address)
        for piece in _pieces(home, key, "KeyPolicy", ground.symbols):
            ground.documents.counts.add(piece.document)
            ground.hand(draft, piece, address, role=DocumentRole.RESOURCE, target=target)


def keys_of(tables: tuple[Table, ...]) -> frozenset[str]:
    """The addresses of the keys that encrypt these tables."""
    found = [table.encryption for table in tables]
    found += [replica.encryption for table in tables for replica in table.replicas.content or ()]
    return frozenset(encryption.resource.address for encryption in found if encryption.resource is not None)


def _pieces(home: Resolver, resource: Resource, key: str, symbols: Symbols) -> Iterator[Piece]:
    """A document of a resource of another stack, read there."""
    section = properties(home, resource)
    node = section.get(key) if isinstance(section, dict) else None
    if node is not None and node.content not in ("", None):
        documents = Documents(home, Trees(home, Texts(home, symbols, (), _no_tables)), symbols)
        yield from documents.uncounted(node)


def _no_tables(_: Resolver) -> tuple[Table, ...]:
    """Neither trust nor the policy of a key is about a table."""
    return ()


_SERVICES = (".dynamodb", ".dynamodb-streams")
_HOLDING = frozenset({"Replicas", "ResourcePolicy", "StreamSpecification"})  # parts of a table that may hold one
_LIMITS = {ORGANIZATION_POLICY: "Content", POD_IDENTITY: "Policy", TRANSFER_USER: "Policy"}
_CONTROL = ("SERVICE_CONTROL_POLICY", "RESOURCE_CONTROL_POLICY")


def gather(ground: Ground) -> None:
    """A holder for each resource that says itself who may do what with it."""
    for resource in ground.resolver.template.of(*TABLES):
        there = ground.there(resource) if _may_have_policy(resource) else None
        if there is None:
            continue
        if resource.type == GLOBAL_TABLE:
            for replica in ground.sections(there, "Replicas"):
                _replica(ground, replica)
        else:
            _table(ground, there, "StreamSpecification", None, None)
    _keys(ground)
    gather_keys(ground)
    for there in ground.resources(ENDPOINT):
        _endpoint(ground, there)
    for there in ground.resources(*_LIMITS):
        _limit(ground, there)


def _may_have_policy(resource: Resource) -> bool:
    """Whether a table's properties are more than a plain mapping that holds nothing with a policy."""
    stated = resource.body.get("Properties")
    content = stated.content if stated is not None else None
    if not isinstance(content, dict) or is_call(content) or "Fn::Transform" in resource.body:
        return True
    return not _HOLDING.isdisjoint(content)


def _replica(ground: Ground, replica: There) -> None:
    region = ground.text(replica.section, "Region")
    shown = ground.symbols.shown(region) if region else None
    _table(ground, replica, "ReplicaStreamSpecification", region, shown)


def _table(ground: Ground, there: There, stream: str, region: str | None, within: str | None) -> None:
    """The policy of a table or a replica, and that of its stream."""
    if "ResourcePolicy" not in there.section and stream not in there.section:
        return
    target = _target(ground, there.address, region)
    for policy in ground.sections(there, "ResourcePolicy"):
        _hold(ground, policy, HolderForm.TABLE, target, within)
    label = ground.symbols.of(f"{there.address}.StreamArn")
    for inner in ground.sections(there, stream):
        for policy in ground.sections(inner, "ResourcePolicy"):
            about = "stream" if within is None else f"{within}/stream"
            _hold(ground, policy, HolderForm.STREAM, f"{target}/stream/{label}" if target else None, about)


def _hold(ground: Ground, there: There, form: HolderForm, target: str | None, within: str | None) -> None:
    node = there.section.get("PolicyDocument")
    if node is None:
        ground.resolver.misfit(there.resource.node, "a ResourcePolicy needs a PolicyDocument")
        return
    draft = _own(ground, there, form, f"the policy of a {form}", within)
    address = ground.resolver.around.full(there.address)
    draft.name = next((table.name.content for table in ground.tables if table.address == address), None)
    for piece in ground.documents.read(node, sure=there.sure, within=within, sized=True):
        ground.hand(draft, piece, there.address, role=DocumentRole.RESOURCE, target=target)


def _target(ground: Ground, address: str, region: str | None) -> str | None:
    arn = next(iter(ground.texts.arns_of(address)), None)
    if arn is None or region is None:
        return arn
    parts = arn.split(":", 5)
    return ":".join((*parts[:3], region, *parts[4:]))


def _own(ground: Ground, there: There, form: HolderForm, why: str, key: str | None = None) -> Draft:
    identity = f"{there.address} {key}" if key else None
    draft = ground.draft(form, there.resource, HolderKind.UNKNOWN, why, identity)
    draft.concerned = True
    return draft


def _keys(ground: Ground) -> None:
    """Policies of the keys that encrypt a table of this template."""
    wanted = keys_of(ground.tables)
    for there in ground.resources(KEY) if wanted else ():
        if ground.resolver.around.full(there.address) in wanted:
            draft = _own(ground, there, HolderForm.KEY, "the policy of a table's key")
            target = ground.texts.arn_of_key(there.address)
            for piece in _pieces_resources(ground, there, "KeyPolicy"):
                ground.hand(draft, piece, there.address, role=DocumentRole.RESOURCE, target=target)


def _endpoint(ground: Ground, there: There) -> None:
    names = [ground.texts.symbolic(value) or "" for value, _ in ground.items(there.section, "ServiceName")]
    if any(name.endswith(_SERVICES) for name in names):
        draft = _own(ground, there, HolderForm.ENDPOINT, "an endpoint for DynamoDB")
        for piece in _pieces_resources(ground, there, "PolicyDocument"):
            ground.hand(draft, piece, there.address, role=DocumentRole.CHANNEL)


def _limit(ground: Ground, there: There) -> None:
    """A limit on an account or a session: it grants nothing."""
    kind = ground.text(there.section, "Type")
    if there.resource.type == ORGANIZATION_POLICY and kind not in _CONTROL:
        return
    for piece in _pieces_resources(ground, there, _LIMITS[there.resource.type]):
        draft = ground.draft(HolderForm.UNATTACHED, there.resource, HolderKind.UNKNOWN, NOBODY)
        draft.grants.extend(piece.grants(there.address, DocumentRole.CEILING, ground.spelling))


def _pieces_resources(ground: Ground, there: There, key: str) -> list[Piece]:
    node: Node | None = there.section.get(key)
    return [] if node is None or node.content in ("", None) else ground.documents.read(node, sure=there.sure)
