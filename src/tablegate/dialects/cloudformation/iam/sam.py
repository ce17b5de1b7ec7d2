"""Sam roles, policy templates, connectors."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import product

from tablegate.dialects.cloudformation.iam import attachments as identities
from tablegate.dialects.cloudformation.iam.attachments import Attachments
from tablegate.dialects.cloudformation.iam.context import PresentResource, TemplateContext
from tablegate.dialects.cloudformation.iam.documents import HeldDocument
from tablegate.dialects.cloudformation.iam.holders import HolderDraft
from tablegate.dialects.cloudformation.template import (
    CONNECTOR,
    FUNCTION,
    GRAPHQL_API,
    ROLE,
    STATE_MACHINE,
    TABLES,
    Resource,
)
from tablegate.dialects.cloudformation.values import Unresolved
from tablegate.iam.documents import UnknownPart
from tablegate.iam.grants import HolderForm, HolderKind, Maker, MakerKind
from tablegate.iam.managed_policies import managed_policies
from tablegate.iam.roles import STATES
from tablegate.model.record import record
from tablegate.syntax.node import Node

_ITEMS = "GetItem DeleteItem PutItem Scan Query UpdateItem BatchWriteItem BatchGetItem DescribeTable ConditionCheckItem"
_ITSELF = ("", "/index/*")
_STREAM = "/stream/{StreamName}"


@record(kw_only=False)
class Given:
    """One statement: its actions, and what stands behind the table's ARN."""

    actions: tuple[str, ...]
    behind: tuple[str, ...]


def _given(names: str, *behind: str) -> Given:
    return Given(tuple(f"dynamodb:{name}" for name in names.split()), behind)


POLICY_TEMPLATES = {
    "DynamoDBBackupFullAccessPolicy": (
        _given("CreateBackup DescribeContinuousBackups", ""),
        _given("DeleteBackup DescribeBackup ListBackups", "/backup/*"),
    ),
    "DynamoDBCrudPolicy": (_given(_ITEMS, *_ITSELF),),
    "DynamoDBReadPolicy": (_given("GetItem Scan Query BatchGetItem DescribeTable", *_ITSELF),),
    "DynamoDBReconfigurePolicy": (_given("UpdateTable", ""),),
    "DynamoDBRestoreFromBackupPolicy": (
        _given("RestoreTableFromBackup", "/backup/*"),
        _given("PutItem UpdateItem DeleteItem GetItem Query Scan BatchWriteItem", ""),
    ),
    "DynamoDBStreamReadPolicy": (
        _given("DescribeStream GetRecords GetShardIterator", _STREAM),
        _given("ListStreams", "/stream/*"),
    ),
    "DynamoDBWritePolicy": (_given("PutItem UpdateItem BatchWriteItem", *_ITSELF),),
}

# What a connector grants: https://docs.aws.amazon.com/serverless-application-model/latest/developerguide/reference-sam-connector.html
CONNECTED = {
    "Read": _given("GetItem Query Scan BatchGetItem ConditionCheckItem PartiQLSelect", *_ITSELF),
    "Write": _given("PutItem UpdateItem DeleteItem BatchWriteItem PartiQLDelete PartiQLInsert PartiQLUpdate", *_ITSELF),
}
STREAMED = _given("DescribeStream GetRecords GetShardIterator ListStreams", "/stream/*")
EXECUTION = "service-role/AWSLambdaDynamoDBExecutionRole"


_SERVICES = {FUNCTION: "lambda.amazonaws.com", STATE_MACHINE: "states.amazonaws.com"}
_ARN = "arn:aws:iam::aws:policy/"


class Serverless:
    """Gathers what SAM makes of one template."""

    def __init__(self, context: TemplateContext, attachments: Attachments) -> None:
        self._context = context
        self._attachments = attachments
        self._paths = {policy.name: path for path, policy in managed_policies().items()}

    def gather(self) -> None:
        """A holder for each role that is made, with all that is attached to it."""
        for present in self._context.resources(FUNCTION, STATE_MACHINE):
            made = self._is_made(present)
            if made is not False:
                self._role(
                    PresentResource(present.resource, self._with_globals(present), present.certain and made is True)
                )

    def _is_made(self, present: PresentResource) -> bool | None:
        """Whether SAM makes the role: not where one is given, and with that its policies are silenced."""
        if "Role" not in present.section:
            return True
        values = self._context.trees.values(present.section["Role"])
        given = [value for value in values if not _is_nothing(value)]
        if len(given) == len(values):
            return False
        return None if given else True

    def _with_globals(self, present: PresentResource) -> Mapping[str, Node]:
        if present.resource.type != FUNCTION:
            return present.section
        shared = self._context.resolver.template.globals.get("Function")
        return (
            {**shared.content, **present.section}
            if shared is not None and isinstance(shared.content, dict)
            else present.section
        )

    def _role(self, present: PresentResource) -> None:
        context, service = self._context, _SERVICES[present.resource.type]
        holder = context.holder(HolderForm.ROLE, present.resource, HolderKind.RUNTIME, f"trusts {service}")
        holder.services.add(service)
        identities.trust(context, holder, present.section.get("AssumeRolePolicyDocument"))
        if present.resource.type == STATE_MACHINE:
            holder.declared = frozenset({STATES})
        self._attachments.bound(holder, present.section)
        own_documents = 0
        used: dict[str, int] = {}
        for value, certain in context.items(present.section, "Policies"):
            part = PresentResource(present.resource, present.section, certain and present.certain)
            if isinstance(value, Unresolved):
                self._attachments.attach(holder, value, present.address, certain=part.certain)
            elif not isinstance(value.content, dict):
                self._named(holder, value, part)
            elif "Statement" in value.content:
                for held in context.reader.read(
                    value, certain=part.certain, within=str(own_documents) if own_documents else None
                ):
                    context.give(holder, held, present.address)
                own_documents += 1
            else:
                self._templates(holder, value, part, used)
        self._event(holder, present)

    def _named(self, holder: HolderDraft, value: Node, present: PresentResource) -> None:
        """A managed policy by its name or ARN."""
        name = self._context.shown(value)
        arn = name if name.startswith("arn:") else f"{_ARN}{self._paths.get(name, name)}"
        if self._attachments.policy(value) is not None:
            self._attachments.attach(holder, value, present.address, certain=present.certain)
        else:
            holder.attach(
                arn, present.address, self._context.place(value), self._context.spelling, certain=present.certain
            )

    def _templates(self, holder: HolderDraft, value: Node, present: PresentResource, used: dict[str, int]) -> None:
        """A policy template with its parameters; those of other services grant nothing on tables."""
        content = value.content if isinstance(value.content, dict) else {}
        if len(content) != 1:
            self._context.resolver.wrong_shape(value, "a policy is a name, a document, or one policy template")
            return
        for name, node in content.items():
            if name in POLICY_TEMPLATES:
                used[name] = used.get(name, 0) + 1
                within = name if used[name] == 1 else f"{name} {used[name]}"
                parameters = {key: self._texts(parameter) for key, parameter in _mapping(node).items()}
                statements = [_statement(given, self._resources(given, parameters)) for given in POLICY_TEMPLATES[name]]
                held = self._context.reader.composed(value, statements, within, certain=present.certain)
                self._context.give(holder, held, present.address, by=Maker(MakerKind.TEMPLATE, name))
            elif name.startswith("DynamoDB"):
                self._context.resolver.wrong_shape(value, f"there is no policy template {name[:40]!r}")

    def _texts(self, node: Node) -> tuple[str, ...]:
        """All that a parameter of a policy template can be: it stands in an ARN, so that a hole is one unknown name."""
        found = [text for value, _ in self._context.items({"": node}, "") if (text := self._context.texts.every(value))]
        return tuple(text for texts in found for text in texts)

    def _resources(self, given: Given, parameters: Mapping[str, tuple[str, ...]]) -> list[str | UnknownPart]:
        texts = self._context.texts
        head = f"arn:{texts.partition}:dynamodb:{texts.region}:{texts.account}:table/"
        tables, streams = parameters.get("TableName", ()), parameters.get("StreamName", ("",))
        made = [
            f"{head}{table}{behind.replace('{StreamName}', stream)}"
            for table, behind, stream in product(tables, given.behind, streams)
        ]
        return list(dict.fromkeys(text for each in made for text in texts.canonical(each)))

    def _event(self, holder: HolderDraft, present: PresentResource) -> None:
        """What SAM attaches for an event without being asked: once, however many events there are."""
        for name, node in self._events(present):
            place, by = self._context.resolver.place(node), Maker(MakerKind.EVENT, name)
            arn = f"{_ARN}{EXECUTION}"
            holder.attach(arn, present.address, place, self._context.spelling, certain=present.certain, by=by)
            return

    def _events(self, present: PresentResource) -> Iterator[tuple[str, Node]]:
        events = present.section.get("Events")
        for name, node in _mapping(events).items() if events is not None else ():
            kind = _mapping(node).get("Type")
            if kind is not None and kind.content == "DynamoDB" and present.resource.type == FUNCTION:
                yield name, node


def _statement(given: Given, resources: list[str | UnknownPart]) -> dict[str, object]:
    return {"Effect": "Allow", "Action": list(given.actions), "Resource": resources}


def _mapping(node: Node) -> Mapping[str, Node]:
    return node.content if isinstance(node.content, dict) else {}


def _is_nothing(value: Node | Unresolved | None) -> bool:
    """Whether a property is left out, or set to nothing."""
    return value is None or (isinstance(value, Node) and value.content in (None, ""))


_BOTH = ("Read", "Write")


@record(kw_only=False)
class _End:
    """One end of a connector: a resource of the template, or one that is described."""

    address: str | None
    section: Mapping[str, Node]
    type: str | None


class Connectors:
    """Gathers the connectors of one template."""

    def __init__(self, context: TemplateContext, attachments: Attachments) -> None:
        self._context = context
        self._attachments = attachments

    def gather(self) -> None:
        """Hand each its grants. The holders that the template makes must be begun."""
        for present in self._context.resources(CONNECTOR):
            for source in self._context.sections(present, "Source"):
                self._connect(present, present.address, None, self._end(source.section))
        for present, name in self._embedded():
            self._connect(present, name, name, self._end_at(present.address))
        for present in self._context.resources(GRAPHQL_API):
            self._data_sources(present)

    def _embedded(self) -> Iterator[tuple[PresentResource, str]]:
        """Connectors that stand in the resource that is their source."""
        for address, node in self._context.resolver.template.names.items():
            body = node.content if isinstance(node.content, dict) else {}
            stated, listed = body.get("Type"), body.get("Connectors")
            if listed is None or stated is None or not isinstance(listed.content, dict):
                continue
            resource = Resource(address, str(stated.content), node, body)
            for name, connector in listed.content.items():
                inner = connector.content.get("Properties") if isinstance(connector.content, dict) else None
                if inner is not None and isinstance(inner.content, dict):
                    yield PresentResource(resource, inner.content, "Condition" not in body), name

    def _connect(self, present: PresentResource, name: str, within: str | None, source: _End) -> None:
        destinations = list(self._context.sections(present, "Destination"))
        for number, destination in enumerate(destinations):
            target = self._end(destination.section)
            own = within if len(destinations) == 1 else f"{within or 'to'} {number}"
            if source.type in TABLES:
                held = self._held(present, own, self._arns(source), (STREAMED,))
                self._grant(present, name, target, held)
            elif target.type in TABLES:
                held = self._held(present, own, self._arns(target), self._permitted(present))
                self._grant(present, name, source, held)

    def _permitted(self, present: PresentResource) -> tuple[Given, ...]:
        named = [
            value.content for value, _ in self._context.items(present.section, "Permissions") if isinstance(value, Node)
        ]
        return tuple(CONNECTED[each] for each in _BOTH if each in named or not named)

    def _grant(self, present: PresentResource, name: str, end: _End, held: HeldDocument) -> None:
        by = Maker(MakerKind.CONNECTOR, name)
        self._context.give(self._holder(present, name, end), held, present.address, by=by)

    def _held(
        self, present: PresentResource, within: str | None, arns: Iterable[str], given: tuple[Given, ...]
    ) -> HeldDocument:
        statements = [
            {
                "Effect": "Allow",
                "Action": list(each.actions),
                "Resource": [f"{arn}{behind}" for arn in arns for behind in each.behind],
            }
            for each in given
        ]
        return self._context.reader.composed(present.resource.node, statements, within, certain=present.certain)

    def _arns(self, table: _End) -> tuple[str, ...]:
        if table.address is not None:
            return self._context.texts.arns_of(table.address)
        texts = (self._context.texts.every(value) for value, _ in self._context.items(table.section, "Arn"))
        return tuple(text for every in texts for text in every)

    def _holder(self, present: PresentResource, name: str, end: _End) -> HolderDraft:
        """Who holds what a connector grants: the role of one of its ends."""
        own = self._context.holders.get((HolderForm.ROLE, end.address or ""))
        if own is not None:
            return own
        for key in ("Role", "RoleName", "ServiceRoleArn", "RoleArn"):
            for value, _ in self._context.items(end.section, key):
                return self._attachments.holder(value, ROLE) or self._attachments.outside_holder(present, value, ROLE)
        why = f"the role of {end.address or name}"
        return self._context.holder(
            HolderForm.ROLE, present.resource, HolderKind.RUNTIME, why, f"{present.address} {name}"
        )

    def _end(self, section: Mapping[str, Node]) -> _End:
        identity = section.get("Id")
        if identity is not None and isinstance(identity.content, str):
            return self._end_at(identity.content)
        kind = section.get("Type")
        return _End(None, section, str(kind.content) if kind is not None else None)

    def _end_at(self, address: str) -> _End:
        node = self._context.resolver.template.names.get(address)
        body = node.content if node is not None and isinstance(node.content, dict) else {}
        stated, inner = body.get("Type"), body.get("Properties")
        section = inner.content if inner is not None and isinstance(inner.content, dict) else {}
        return _End(address, section, str(stated.content) if stated is not None else None)

    def _data_sources(self, present: PresentResource) -> None:
        """Tables that an interface reads and writes: both, where it does not say."""
        for sources in self._context.sections(present, "DataSources"):
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
        why = "trusts appsync.amazonaws.com"
        holder = self._context.holder(HolderForm.ROLE, source.resource, HolderKind.RUNTIME, why)
        holder.services.add("appsync.amazonaws.com")
        self._context.give(holder, held, source.address, by=Maker(MakerKind.CONNECTOR, name))
