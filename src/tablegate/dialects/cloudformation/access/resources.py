"""Documents that resources hold of their own: tables and their streams, the keys of tables, endpoints, and limits."""

from __future__ import annotations

from tablegate.access.grants import DocumentRole, HolderForm, HolderKind
from tablegate.dialects.cloudformation.access.drafts import Draft
from tablegate.dialects.cloudformation.access.elsewhere import gather_keys, keys_of
from tablegate.dialects.cloudformation.access.ground import NOBODY, Ground, There
from tablegate.dialects.cloudformation.access.pieces import Piece
from tablegate.dialects.cloudformation.template import (
    ENDPOINT,
    KEY,
    ORGANIZATION_POLICY,
    POD_IDENTITY,
    TABLES,
    TRANSFER_USER,
    Resource,
)
from tablegate.dialects.cloudformation.unsettled import is_call
from tablegate.model.table import GLOBAL_TABLE
from tablegate.syntax.node import Node

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
            for piece in _pieces(ground, there, "KeyPolicy"):
                ground.hand(draft, piece, there.address, role=DocumentRole.RESOURCE, target=target)


def _endpoint(ground: Ground, there: There) -> None:
    names = [ground.texts.symbolic(value) or "" for value, _ in ground.items(there.section, "ServiceName")]
    if any(name.endswith(_SERVICES) for name in names):
        draft = _own(ground, there, HolderForm.ENDPOINT, "an endpoint for DynamoDB")
        for piece in _pieces(ground, there, "PolicyDocument"):
            ground.hand(draft, piece, there.address, role=DocumentRole.CHANNEL)


def _limit(ground: Ground, there: There) -> None:
    """A limit on an account or a session: it grants nothing."""
    kind = ground.text(there.section, "Type")
    if there.resource.type == ORGANIZATION_POLICY and kind not in _CONTROL:
        return
    for piece in _pieces(ground, there, _LIMITS[there.resource.type]):
        draft = ground.draft(HolderForm.UNATTACHED, there.resource, HolderKind.UNKNOWN, NOBODY)
        draft.grants.extend(piece.grants(there.address, DocumentRole.CEILING, ground.spelling))


def _pieces(ground: Ground, there: There, key: str) -> list[Piece]:
    node: Node | None = there.section.get(key)
    return [] if node is None or node.content in ("", None) else ground.documents.read(node, sure=there.sure)
