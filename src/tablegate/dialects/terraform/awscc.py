"""Tables of the Cloud Control provider (``awscc``): CloudFormation's properties in snake case.

A resource is presented as the CloudFormation resource that it is made from, and read by CloudFormation's own readers.
Keys of KMS, Kinesis streams and what other resources say of a table are found in the plan.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tablegate.dialects.cloudformation.definitions import check_resource
from tablegate.dialects.cloudformation.global_table import global_table
from tablegate.dialects.cloudformation.properties import Resource as CfnResource
from tablegate.dialects.cloudformation.resolver import Resolver
from tablegate.dialects.cloudformation.table import TableJoins as StackJoins
from tablegate.dialects.cloudformation.table import regional_table, table_of
from tablegate.dialects.cloudformation.template import ResourceEntry, Template
from tablegate.dialects.cloudformation.values import NO_NODE, Resolved, SecretNode, Unresolved
from tablegate.dialects.reading import ReadOptions
from tablegate.dialects.terraform.block import MISSHAPEN, Block
from tablegate.dialects.terraform.resources import Resource
from tablegate.dialects.terraform.table import TableJoins, retention_of
from tablegate.model import facts
from tablegate.model.record import replace
from tablegate.model.table import Encryption, StreamDestination, Table
from tablegate.model.value import Doubt, Place
from tablegate.syntax.json.lazy import decode, part_of
from tablegate.syntax.node import Node, ParseError, Scalar

_GLOBAL = "awscc_dynamodb_global_table"
_TYPES = {
    "awscc_dynamodb_table": ("AWS::DynamoDB::Table", regional_table),
    _GLOBAL: ("AWS::DynamoDB::GlobalTable", global_table),
}
_ACRONYMS = {"sse": "SSE", "kms": "KMS"}
_JSON = frozenset({"key_schema", "policy_document"})  # texts that hold JSON
TEXTS = frozenset(  # those of any content: other attributes are objects, numbers, true or false, or one of a few texts
    {
        "attribute_name",
        "delimiter",
        "global_table_source_arn",
        "header_list",
        "index_name",
        "input_compression_type",
        "input_format",
        "key",
        "key_schema",
        "key_type",
        "kms_master_key_id",
        "non_key_attributes",
        "policy_document",
        "region",
        "s3_bucket",
        "s3_bucket_owner",
        "s3_key_prefix",
        "stream_arn",
        "table_name",
        "value",
    }
)
_IDENTIFIERS = frozenset({"arn", "id", "key_id", "name"})


def read_awscc_table(table: Resource, joins: TableJoins) -> Table:
    """The table. Of a global one, the entry of its own region is the table and the others are its replicas."""
    region, account = table.region, joins.regions.account(table)
    read = _read_by_cloudformation(table, ReadOptions(region=region.content, account=account.content))
    tags = joins.tags_by_table.added(read.tags, table)
    scaling, scaling_doubt = joins.scaling.of(table)
    alarms, alarms_doubt = joins.alarms.of(table)
    unknown = [target for target in read.scaling if target.minimum.doubt is not None]  # perhaps it does not scale
    has_stream = read.stream.enabled.content is not False
    return replace(
        _with_resources(table, read, joins),
        place=table.place,
        dialect=table.snapshot.dialect,
        type=table.type,
        label=table.resource_change.name,
        name_fixed=False,
        arn=joins.arn(table, region.content, account.content),
        region=region,
        account=account,
        scaling=(*scaling, *(target for target in read.scaling if target not in unknown)),
        scaling_doubt=next((target.minimum.doubt for target in unknown), scaling_doubt),
        alarms=alarms,
        alarms_doubt=alarms_doubt,
        retention=retention_of(table),
        backed_up=joins.backups.of(table, tags),
        stream=replace(read.stream, consumers=joins.consumers.of(table)) if has_stream else read.stream,
        tags=tags,
        declared=facts.declared_by(tags),
        raw=table.raw,
    )


def property_name(attribute: str) -> str:
    """The property that an attribute is made from: ``SSEEnabled`` of ``sse_enabled``."""
    return "".join(_ACRONYMS.get(word, word.capitalize()) for word in attribute.split("_"))


def _read_by_cloudformation(table: Resource, options: ReadOptions) -> Table:
    type_, read_type = _TYPES[table.type]
    nodes = _Nodes(table.block)
    body = {"Type": Node(type_, 0, 0), "Properties": nodes.of_block(table.block)}
    node = Node(body, 0, 0)
    template = Template(
        file=table.file,
        parameters={},
        mappings={},
        conditions={},
        rules={},
        outputs={},
        names={table.address: node},
        resources={},
        macros=(),
        open_sections=frozenset(),
        rewritten=frozenset(),
        serverless=False,
    )
    resolver = _PlanResolver(table, nodes, template, options)
    resource = CfnResource(resolver, ResourceEntry(table.address, type_, node, body))
    read = table_of(StackJoins(resolver), resource, read_type)
    check_resource(resource, new_members=False)  # those of the provider are its own
    return read


def _with_resources(table: Resource, read: Table, joins: TableJoins) -> Table:
    """The table and its replicas with the keys and Kinesis streams of the plan."""
    if table.type != _GLOBAL:
        return replace(read, encryption=_encryption(table, None, joins), destinations=_destinations(table.block, joins))
    blocks = table.block.many("replicas") if isinstance(table.block.content.get("replicas"), list) else MISSHAPEN
    known = [] if isinstance(blocks, Doubt) else [block for block in blocks if isinstance(block, Block)]
    entries: dict[Place | None, Block] = {block.place(): block for block in known}
    replicas = tuple(
        replace(
            replica,
            encryption=_encryption(table, entries[replica.place], joins),
            destinations=_destinations(entries[replica.place], joins),
        )
        for replica in read.replicas.content or ()
    )
    if replicas:
        read = replace(read, replicas=facts.REPLICAS.of(replicas, read.replicas.place))
    for replica in replicas:
        del entries[replica.place]
    own = next(iter(entries.values()), None)
    if own is None:
        return read
    return replace(read, encryption=_encryption(table, own, joins), destinations=_destinations(own, joins))


def _encryption(table: Resource, region: Block | None, joins: TableJoins) -> Encryption:
    """The table turns encryption on. Of a global table, each region names its key."""
    whole = joins.keys.of_block(table, "sse_specification", "sse_enabled", "kms_master_key_id")
    named = None if region is None else region.one("sse_specification")
    if whole.owner.content is None or whole is facts.AWS_OWNED or not isinstance(named, Block):
        return whole
    return joins.keys.of_key(table, named, "kms_master_key_id")


def _destinations(block: Block, joins: TableJoins) -> tuple[StreamDestination, ...]:
    name = "kinesis_stream_specification"
    inner = None if _is_left_out(block, name) else block.one(name)
    if inner is None:
        return ()
    if isinstance(inner, Doubt):
        return (StreamDestination(stream=facts.DESTINATION.doubted(inner, block.place(name))),)
    return (joins.destinations.of_block(inner),)


class _Nodes:
    """Blocks as the nodes of a template. The line of a node is the number of its place."""

    def __init__(self, root: Block) -> None:
        self._places = [root.place()]
        self._doubts: dict[int, Doubt] = {}

    def of_block(self, block: Block) -> Node:
        """A block: its members by the names of their properties."""
        members = {property_name(key): self._member(block, key) for key in block.members()}
        return self._node({key: node for key, node in members.items() if node is not None}, block.place())

    def place(self, node: Node) -> Place:
        """The place of a node; that of the resource for one that is made elsewhere."""
        return self._places[node.line if node.line < len(self._places) and node is not NO_NODE else 0]

    def resolved(self, node: Node) -> Resolved:
        """What a node comes to. A plan has no expressions left in it."""
        doubt = self._doubts.get(node.line)
        if doubt is not None:
            return Unresolved(doubt, node)
        return None if node.content is None else node

    def _member(self, block: Block, key: str) -> Node | None:
        content, place = block.content.get(key), block.place(key)
        if content is None:
            doubt = None if _is_left_out(block, key) else block.doubt(key)
            return None if doubt is None else self._unknown(doubt, place)
        if isinstance(content, dict):
            inner = block.one(key)
            return self.of_block(inner) if isinstance(inner, Block) else self._unknown(inner or MISSHAPEN, place)
        if isinstance(content, list) and any(isinstance(item, dict) for item in content):
            blocks = block.many(key)
            items = [blocks] if isinstance(blocks, Doubt) else blocks
            nodes = [self.of_block(it) if isinstance(it, Block) else self._unknown(it, place) for it in items]
            return self._node(nodes, place, secret=block.is_sensitive(key))
        if isinstance(content, list) and None in content:
            return self._unknown(block.why_unknown(key), place)
        return self._plain(_parsed(content) if key in _JSON else content, place, secret=block.is_sensitive(key))

    def _plain(self, content: object, place: Place, *, secret: bool) -> Node:
        if isinstance(content, dict):
            members = {str(k): self._plain(it, place, secret=secret) for k, it in content.items()}
            return self._node(members, place, secret=secret)
        if isinstance(content, list):
            return self._node([self._plain(it, place, secret=secret) for it in content], place, secret=secret)
        scalar = content if isinstance(content, (str, int, float, bool)) else None
        return self._node(scalar, place, secret=secret)

    def _unknown(self, doubt: Doubt, place: Place) -> Node:
        node = self._node(None, place)
        self._doubts[node.line] = doubt
        return node

    def _node(
        self, content: Scalar | Sequence[Node] | Mapping[str, Node], place: Place, *, secret: bool = False
    ) -> Node:
        self._places.append(place)
        return (SecretNode if secret else Node)(content, len(self._places) - 1, 0)


class _PlanResolver(Resolver):
    """The resolver of a plan's nodes: nothing is left to resolve."""

    def __init__(self, table: Resource, nodes: _Nodes, template: Template, options: ReadOptions) -> None:
        super().__init__(template, options, table.snapshot.faults, {})
        self._table = table
        self._nodes = nodes

    def resolve(self, node: Node) -> Resolved:
        return self._nodes.resolved(node)

    def place(self, node: Node) -> Place:
        return self._nodes.place(node)

    def wrong_shape(self, node: Node, what: str, hint: str | None = None) -> Unresolved:
        path = self._nodes.place(node).path or ""
        self._table.refuse(path, f"{path}: {what}" if path else what, hint)
        return Unresolved(Doubt(what, hint), node)


def _is_left_out(block: Block, key: str) -> bool:
    """Whether an unknown attribute cannot be set to what its expression reads: an ARN is a text, and no object.

    A plan shows for a whole attribute what it reads, and not which of its members does.
    """
    if key in TEXTS or not block.is_unknown(key):
        return False
    unknown = [ref for ref in block.refs(key) if ref.doubt is not None]
    return bool(unknown) and all(ref.attribute in _IDENTIFIERS for ref in unknown)


def _parsed(content: object) -> object:
    """The content of a text of JSON; the text itself if it is none."""
    try:
        return decode(part_of(content)) if isinstance(content, str) else content
    except ParseError:
        return content
