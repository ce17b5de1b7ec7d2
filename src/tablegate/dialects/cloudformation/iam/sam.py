"""SAM: the roles that it makes, policy templates, connectors, and data sources of interfaces."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from itertools import product

from tablegate.dialects.cloudformation.iam.attachments import Attachments, add_trust
from tablegate.dialects.cloudformation.iam.context import PresentResource, TemplateContext
from tablegate.dialects.cloudformation.properties import Resource
from tablegate.dialects.cloudformation.template import (
    CONNECTOR,
    FUNCTION,
    GRAPHQL_API,
    ROLE,
    STATE_MACHINE,
    TABLES,
    ResourceEntry,
)
from tablegate.dialects.cloudformation.values import Unresolved
from tablegate.dialects.holders import HeldDocument, HolderDraft
from tablegate.iam.documents import UnknownPart
from tablegate.iam.grants import HolderForm, HolderKind, Maker, MakerKind
from tablegate.iam.managed_policies import paths_by_name
from tablegate.iam.roles import STATES
from tablegate.model.record import record
from tablegate.syntax.node import Node

_ITEMS = "GetItem DeleteItem PutItem Scan Query UpdateItem BatchWriteItem BatchGetItem DescribeTable ConditionCheckItem"
_ITSELF = ("", "/index/*")
_STREAM = "/stream/{StreamName}"


@record(kw_only=False)
class TableStatement:
    """One statement: its actions, and what follows the ARN of the table."""

    actions: tuple[str, ...]
    suffixes: tuple[str, ...]


def _on_table(names: str, *suffixes: str) -> TableStatement:
    return TableStatement(tuple(f"dynamodb:{name}" for name in names.split()), suffixes)


POLICY_TEMPLATES = {
    "DynamoDBBackupFullAccessPolicy": (
        _on_table("CreateBackup DescribeContinuousBackups", ""),
        _on_table("DeleteBackup DescribeBackup ListBackups", "/backup/*"),
    ),
    "DynamoDBCrudPolicy": (_on_table(_ITEMS, *_ITSELF),),
    "DynamoDBReadPolicy": (_on_table("GetItem Scan Query BatchGetItem DescribeTable", *_ITSELF),),
    "DynamoDBReconfigurePolicy": (_on_table("UpdateTable", ""),),
    "DynamoDBRestoreFromBackupPolicy": (
        _on_table("RestoreTableFromBackup", "/backup/*"),
        _on_table("PutItem UpdateItem DeleteItem GetItem Query Scan BatchWriteItem", ""),
    ),
    "DynamoDBStreamReadPolicy": (
        _on_table("DescribeStream GetRecords GetShardIterator", _STREAM),
        _on_table("ListStreams", "/stream/*"),
    ),
    "DynamoDBWritePolicy": (_on_table("PutItem UpdateItem BatchWriteItem", *_ITSELF),),
}

# What a connector grants: https://docs.aws.amazon.com/serverless-application-model/latest/developerguide/reference-sam-connector.html
CONNECTED = {
    "Read": _on_table("GetItem Query Scan BatchGetItem ConditionCheckItem PartiQLSelect", *_ITSELF),
    "Write": _on_table(
        "PutItem UpdateItem DeleteItem BatchWriteItem PartiQLDelete PartiQLInsert PartiQLUpdate", *_ITSELF
    ),
}
STREAMED = _on_table("DescribeStream GetRecords GetShardIterator ListStreams", "/stream/*")
EXECUTION = "service-role/AWSLambdaDynamoDBExecutionRole"


_SERVICES = {FUNCTION: "lambda.amazonaws.com", STATE_MACHINE: "states.amazonaws.com"}
_ARN = "arn:aws:iam::aws:policy/"
_IF = "Fn::If"


class Serverless:
    """Gathers what SAM makes of one template."""

    def __init__(self, context: TemplateContext, attachments: Attachments) -> None:
        self._context = context
        self._attachments = attachments
        self._roles: list[tuple[HolderDraft, PresentResource]] = []

    def make_roles(self) -> None:
        """Make a holder of each role that SAM makes. The template can refer to it as ``FunctionRole``."""
        resolver, context = self._context.resolver, self._context
        for entry in resolver.template.of(FUNCTION, STATE_MACHINE):
            made = self._made(Resource(resolver, entry))
            if made is not None:
                service = _SERVICES[made.type]
                role = context.make(HolderForm.ROLE, made, (HolderKind.RUNTIME, f"trusts {service}"))
                role.services.add(service)
                role.arn = context.texts.arn_of_identity(f"{made.address}Role")
                self._attachments.made[f"{made.address}Role"] = made.address
                self._roles.append((role, made))

    def gather(self) -> None:
        """Give each of these roles all that SAM attaches to it."""
        for role, made in self._roles:
            self._give(role, made)

    def _made(self, resource: Resource) -> PresentResource | None:
        """The function or state machine for which SAM makes a role; None if it makes none."""
        section = resource.properties
        if section.unresolved is not None:
            return None
        role = section.members.get("Role")
        # A role that is needed in one branch only is made whenever the branch is taken, with or without the function.
        always = (
            resource.type == FUNCTION and role is not None and isinstance(role.content, dict) and _IF in role.content
        )
        present = True if always else resource.present
        if present is False:
            return None
        made = PresentResource(resource, section.members, present is True)
        is_made = self._is_made(made)
        return None if is_made is False else made.part(made.section, certain=is_made is True)

    def _is_made(self, resource: PresentResource) -> bool | None:
        """Whether SAM makes the role. It does not if one is given, and then ignores the policies."""
        if "Role" not in resource.section:
            return True
        if resource.type == STATE_MACHINE:  # the transform looks at no function here
            return not resource.section["Role"].content
        values = self._context.trees.values(resource.section["Role"])
        roles = [value for value in values if not _is_nothing(value)]
        if len(roles) == len(values):
            return False
        return None if roles else True

    def _give(self, holder: HolderDraft, resource: PresentResource) -> None:
        context = self._context
        add_trust(context, holder, resource)
        if resource.type == STATE_MACHINE:
            holder.declared = frozenset({STATES})
        self._attachments.bound(holder, resource)
        documents = 0
        used: Counter[str] = Counter()
        for value, certain in context.items(resource.section, "Policies"):
            part = resource.part(resource.section, certain=certain)
            if isinstance(value, Unresolved):
                self._attachments.attach(holder, value, part)
            elif not isinstance(value.content, dict):
                self._attach_by_name(holder, value, part)
            elif "Statement" in value.content:
                within = str(documents) if documents else None
                for held in context.reader.read(value, part.address, certain=part.certain, within=within):
                    holder.give(held)
                documents += 1
            else:
                self._apply_template(holder, value, part, used)
        self._attach_for_events(holder, resource)

    def _attach_by_name(self, holder: HolderDraft, value: Node, resource: PresentResource) -> None:
        """Attach a managed policy by its name or ARN."""
        policy = self._attachments.policy(value)
        if policy is None:
            name = self._context.shown(value)
            arn = name if name.startswith("arn:") else f"{_ARN}{paths_by_name().get(name, name)}"
            policy = self._attachments.not_in_template(arn, value, resource.address)
        self._context.assembly.attach(holder, policy, certain=resource.certain)

    def _apply_template(self, holder: HolderDraft, value: Node, resource: PresentResource, used: Counter[str]) -> None:
        """Give a holder what a policy template grants. Those of other services grant nothing on tables."""
        content = _mapping(value)
        if len(content) != 1:
            self._context.resolver.wrong_shape(value, "a policy is a name, a document, or one policy template")
            return
        for name, node in content.items():
            if name in POLICY_TEMPLATES:
                used[name] += 1
                within = name if used[name] == 1 else f"{name} {used[name]}"
                values = {key: list(self._context.items({"": it}, "")) for key, it in _mapping(node).items()}
                parameters = {key: self._texts(value for value, _ in listed) for key, listed in values.items()}
                certain = all(is_sure for listed in values.values() for _, is_sure in listed)
                statements = [
                    _statement(statement, self._resources(statement, parameters))
                    for statement in POLICY_TEMPLATES[name]
                ]
                held = self._context.reader.composed(
                    value, resource.address, statements, within, certain=certain and resource.certain
                )
                holder.give(held, by=Maker(MakerKind.TEMPLATE, name))
            elif name.startswith("DynamoDB"):
                self._context.resolver.wrong_shape(value, f"there is no policy template {name[:40]!r}")

    def _texts(self, values: Iterable[Node | Unresolved]) -> tuple[str, ...]:
        """All texts that a parameter of a policy template can be. It is a part of an ARN."""
        return tuple(text for value in values for text in self._context.texts.every(value))

    def _resources(
        self, statement: TableStatement, parameters: Mapping[str, tuple[str, ...]]
    ) -> list[str | UnknownPart]:
        texts = self._context.texts
        head = f"arn:{texts.partition}:dynamodb:{texts.region}:{texts.account}:table/"
        tables, streams = parameters.get("TableName", ()), parameters.get("StreamName", ("",))
        made = [
            f"{head}{table}{suffix.replace('{StreamName}', stream)}"
            for table, suffix, stream in product(tables, statement.suffixes, streams)
        ]
        return list(dict.fromkeys(text for each in made for text in texts.canonical(each)))

    def _attach_for_events(self, holder: HolderDraft, resource: PresentResource) -> None:
        """Attach the policy that SAM adds for the streams among the events: once."""
        for name, node in self._events(resource):
            policy = self._attachments.not_in_template(f"{_ARN}{EXECUTION}", node, resource.address)
            by = Maker(MakerKind.EVENT, name)
            self._context.assembly.attach(holder, policy, certain=resource.certain, by=by)
            return

    def _events(self, resource: PresentResource) -> Iterator[tuple[str, Node]]:
        events = resource.section.get("Events")
        for name, node in _mapping(events).items():
            kind = _mapping(node).get("Type")
            if kind is not None and kind.content == "DynamoDB" and resource.type == FUNCTION:
                yield name, node


def _statement(statement: TableStatement, resources: list[str | UnknownPart]) -> dict[str, object]:
    return {"Effect": "Allow", "Action": list(statement.actions), "Resource": resources}


def _mapping(node: Node | None) -> Mapping[str, Node]:
    return node.content if node is not None and isinstance(node.content, dict) else {}


def _is_nothing(value: Node | Unresolved | None) -> bool:
    """Whether a property is left out, or set to nothing."""
    return value is None or (isinstance(value, Node) and value.content in (None, ""))


@record(kw_only=False)
class _End:
    """One end of a connector: a resource of the template, or one that is described."""

    address: str | None
    section: Mapping[str, Node]
    type: str | None


class Connectors:
    """Gathers the connectors of one template, and the data sources of its interfaces."""

    def __init__(self, context: TemplateContext, attachments: Attachments) -> None:
        self._context = context
        self._attachments = attachments

    def gather(self) -> None:
        """Give each grants to its holder. The holders that the template makes must be made."""
        for connector in self._context.resources(CONNECTOR):
            for source in self._context.sections(connector, "Source"):
                self._connect(connector, connector.address, None, self._end(source.section))
        for connector, name in self._embedded():
            self._connect(connector, name, name, self._end_at(connector.address))
        for interface in self._context.resources(GRAPHQL_API):
            self._data_sources(interface)

    def _embedded(self) -> Iterator[tuple[PresentResource, str]]:
        """Connectors inside the resource that is their source, with their names.

        Their policies exist in every scenario: the condition of the resource is not theirs.
        """
        for address, node in self._context.resolver.template.names.items():
            body = _mapping(node)
            type_, connectors = body.get("Type"), body.get("Connectors")
            if connectors is None or type_ is None:
                continue
            entry = ResourceEntry(address, str(type_.content), node, body)
            resource = Resource(self._context.resolver, entry)
            for name, connector in _mapping(connectors).items():
                properties = _mapping(connector).get("Properties")
                if properties is not None and isinstance(properties.content, dict):
                    yield PresentResource(resource, properties.content, certain=True), name

    def _connect(self, connector: PresentResource, name: str, within: str | None, source: _End) -> None:
        destinations = list(self._context.sections(connector, "Destination"))
        for number, destination in enumerate(destinations):
            target = self._end(destination.section)
            own = within if len(destinations) == 1 else f"{within or 'to'} {number}"
            if source.type in TABLES:
                held = self._held(connector, own, self._arns(source), (STREAMED,))
                self._grant(connector, name, target, held)
            elif target.type in TABLES:
                held = self._held(connector, own, self._arns(target), self._permitted(connector))
                self._grant(connector, name, source, held)

    def _permitted(self, connector: PresentResource) -> tuple[TableStatement, ...]:
        values = [value for value, _ in self._context.items(connector.section, "Permissions")]
        named = [value.content for value in values if isinstance(value, Node)]
        return tuple(statement for name, statement in CONNECTED.items() if name in named or not named)

    def _grant(self, connector: PresentResource, name: str, end: _End, held: HeldDocument) -> None:
        holder = self._holder(connector, name, end)
        if holder is not None:
            holder.give(held, by=Maker(MakerKind.CONNECTOR, name))

    def _held(
        self, connector: PresentResource, within: str | None, arns: Iterable[str], granted: tuple[TableStatement, ...]
    ) -> HeldDocument:
        statements = [
            {
                "Effect": "Allow",
                "Action": list(each.actions),
                "Resource": [f"{arn}{suffix}" for arn in arns for suffix in each.suffixes],
            }
            for each in granted
        ]
        return self._context.reader.composed(
            connector.node, connector.address, statements, within, certain=connector.certain
        )

    def _arns(self, table: _End) -> tuple[str, ...]:
        if table.address is not None:
            return self._context.texts.arns_of(table.address)
        texts = (self._context.texts.every(value) for value, _ in self._context.items(table.section, "Arn"))
        return tuple(text for every in texts for text in every)

    def _holder(self, connector: PresentResource, name: str, end: _End) -> HolderDraft | None:
        """Who holds what a connector grants: the role of one of its ends. None if SAM would make it and does not."""
        own = self._context.assembly.at(HolderForm.ROLE, end.address or "")
        if own is not None:
            return own
        for key in ("Role", "RoleName", "ServiceRoleArn", "RoleArn"):
            for value, _ in self._context.items(end.section, key):
                return self._attachments.holder_or_outside(value, ROLE, connector)
        if end.type in _SERVICES:
            return None
        evidence = HolderKind.RUNTIME, f"the role of {end.address or name}"
        return self._context.make(HolderForm.ROLE, connector, evidence, f"{connector.address} {name}")

    def _end(self, section: Mapping[str, Node]) -> _End:
        identity = section.get("Id")
        if identity is not None and isinstance(identity.content, str):
            return self._end_at(identity.content)
        kind = section.get("Type")
        return _End(None, section, str(kind.content) if kind is not None else None)

    def _end_at(self, address: str) -> _End:
        body = _mapping(self._context.resolver.template.names.get(address))
        type_ = body.get("Type")
        return _End(address, _mapping(body.get("Properties")), str(type_.content) if type_ is not None else None)

    def _data_sources(self, interface: PresentResource) -> None:
        """The tables that an interface reads and writes. It does both if it does not say."""
        for sources in self._context.sections(interface, "DataSources"):
            for tables in self._context.sections(sources, "DynamoDb"):
                for name in tables.section:
                    for source in self._context.sections(tables, name):
                        self._data_source(source, name)

    def _data_source(self, source: PresentResource, name: str) -> None:
        key = "TableArn" if "TableArn" in source.section else "TableName"
        values: list[Node | Unresolved] = [value for value, _ in self._context.items(source.section, key)]
        if "ServiceRoleArn" in source.section or not values:
            return
        texts = self._context.texts
        head = "" if key == "TableArn" else f"arn:{texts.partition}:dynamodb:{texts.region}:{texts.account}:table/"
        arns = [arn for value in values for text in texts.every(value) for arn in texts.canonical(f"{head}{text}")]
        held = self._held(source, name, arns, self._permitted(source))
        holder = self._context.make(HolderForm.ROLE, source, (HolderKind.RUNTIME, "trusts appsync.amazonaws.com"))
        holder.services.add("appsync.amazonaws.com")
        holder.give(held, by=Maker(MakerKind.CONNECTOR, name))
