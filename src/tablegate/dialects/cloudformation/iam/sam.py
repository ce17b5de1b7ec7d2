"""Sam roles, policy templates, connectors."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import product

from tablegate.dialects.cloudformation.iam import attachments as identities
from tablegate.dialects.cloudformation.iam.attachments import Attachments
from tablegate.dialects.cloudformation.iam.context import Ground, There
from tablegate.dialects.cloudformation.iam.documents import Piece
from tablegate.dialects.cloudformation.iam.holders import Draft
from tablegate.dialects.cloudformation.template import (
    CONNECTOR,
    FUNCTION,
    GRAPHQL_API,
    ROLE,
    STATE_MACHINE,
    TABLES,
    Resource,
)
from tablegate.dialects.cloudformation.values import Unsettled
from tablegate.iam.documents import Hole
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

    def __init__(self, ground: Ground, attachments: Attachments) -> None:
        self._ground = ground
        self._attachments = attachments
        self._paths = {policy.name: path for path, policy in managed_policies().items()}

    def gather(self) -> None:
        """A holder for each role that is made, with all that is attached to it."""
        for there in self._ground.resources(FUNCTION, STATE_MACHINE):
            made = self._is_made(there)
            if made is not False:
                self._role(There(there.resource, self._with_globals(there), there.sure and made is True))

    def _is_made(self, there: There) -> bool | None:
        """Whether SAM makes the role: not where one is given, and with that its policies are silenced."""
        if "Role" not in there.section:
            return True
        values = self._ground.trees.values(there.section["Role"])
        given = [value for value in values if not _is_nothing(value)]
        if len(given) == len(values):
            return False
        return None if given else True

    def _with_globals(self, there: There) -> Mapping[str, Node]:
        if there.resource.type != FUNCTION:
            return there.section
        shared = self._ground.resolver.template.globals.get("Function")
        return (
            {**shared.content, **there.section}
            if shared is not None and isinstance(shared.content, dict)
            else there.section
        )

    def _role(self, there: There) -> None:
        ground, service = self._ground, _SERVICES[there.resource.type]
        draft = ground.draft(HolderForm.ROLE, there.resource, HolderKind.RUNTIME, f"trusts {service}")
        draft.services.add(service)
        identities.trust(ground, draft, there.section.get("AssumeRolePolicyDocument"))
        if there.resource.type == STATE_MACHINE:
            draft.declared = frozenset({STATES})
        self._attachments.bound(draft, there.section)
        documents = 0
        used: dict[str, int] = {}
        for value, sure in ground.items(there.section, "Policies"):
            part = There(there.resource, there.section, sure and there.sure)
            if isinstance(value, Unsettled):
                self._attachments.attach(draft, value, there.address, sure=part.sure)
            elif not isinstance(value.content, dict):
                self._named(draft, value, part)
            elif "Statement" in value.content:
                for piece in ground.documents.read(value, sure=part.sure, within=str(documents) if documents else None):
                    ground.hand(draft, piece, there.address)
                documents += 1
            else:
                self._templates(draft, value, part, used)
        self._event(draft, there)

    def _named(self, draft: Draft, value: Node, there: There) -> None:
        """A managed policy by its name or ARN."""
        name = self._ground.shown(value)
        arn = name if name.startswith("arn:") else f"{_ARN}{self._paths.get(name, name)}"
        if self._attachments.policy(value) is not None:
            self._attachments.attach(draft, value, there.address, sure=there.sure)
        else:
            draft.attach(arn, there.address, self._ground.place(value), self._ground.spelling, sure=there.sure)

    def _templates(self, draft: Draft, value: Node, there: There, used: dict[str, int]) -> None:
        """A policy template with its parameters; those of other services grant nothing on tables."""
        content = value.content if isinstance(value.content, dict) else {}
        if len(content) != 1:
            self._ground.resolver.misfit(value, "a policy is a name, a document, or one policy template")
            return
        for name, node in content.items():
            if name in POLICY_TEMPLATES:
                used[name] = used.get(name, 0) + 1
                within = name if used[name] == 1 else f"{name} {used[name]}"
                parameters = {key: self._texts(parameter) for key, parameter in _mapping(node).items()}
                statements = [_statement(given, self._resources(given, parameters)) for given in POLICY_TEMPLATES[name]]
                piece = self._ground.documents.composed(value, statements, within, sure=there.sure)
                self._ground.hand(draft, piece, there.address, by=Maker(MakerKind.TEMPLATE, name))
            elif name.startswith("DynamoDB"):
                self._ground.resolver.misfit(value, f"there is no policy template {name[:40]!r}")

    def _texts(self, node: Node) -> tuple[str, ...]:
        """All that a parameter of a policy template can be: it stands in an ARN, so that a hole is one unknown name."""
        found = [text for value, _ in self._ground.items({"": node}, "") if (text := self._ground.texts.every(value))]
        return tuple(text for texts in found for text in texts)

    def _resources(self, given: Given, parameters: Mapping[str, tuple[str, ...]]) -> list[str | Hole]:
        texts = self._ground.texts
        head = f"arn:{texts.partition}:dynamodb:{texts.region}:{texts.account}:table/"
        tables, streams = parameters.get("TableName", ()), parameters.get("StreamName", ("",))
        made = [
            f"{head}{table}{behind.replace('{StreamName}', stream)}"
            for table, behind, stream in product(tables, given.behind, streams)
        ]
        return list(dict.fromkeys(text for each in made for text in texts.canonical(each)))

    def _event(self, draft: Draft, there: There) -> None:
        """What SAM attaches for an event without being asked: once, however many events there are."""
        for name, node in self._events(there):
            place, by = self._ground.resolver.place(node), Maker(MakerKind.EVENT, name)
            arn = f"{_ARN}{EXECUTION}"
            draft.attach(arn, there.address, place, self._ground.spelling, sure=there.sure, by=by)
            return

    def _events(self, there: There) -> Iterator[tuple[str, Node]]:
        events = there.section.get("Events")
        for name, node in _mapping(events).items() if events is not None else ():
            kind = _mapping(node).get("Type")
            if kind is not None and kind.content == "DynamoDB" and there.resource.type == FUNCTION:
                yield name, node


def _statement(given: Given, resources: list[str | Hole]) -> dict[str, object]:
    return {"Effect": "Allow", "Action": list(given.actions), "Resource": resources}


def _mapping(node: Node) -> Mapping[str, Node]:
    return node.content if isinstance(node.content, dict) else {}


def _is_nothing(value: Node | Unsettled | None) -> bool:
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

    def __init__(self, ground: Ground, attachments: Attachments) -> None:
        self._ground = ground
        self._attachments = attachments

    def gather(self) -> None:
        """Hand each its grants. The holders that the template makes must be begun."""
        for there in self._ground.resources(CONNECTOR):
            for source in self._ground.sections(there, "Source"):
                self._connect(there, there.address, None, self._end(source.section))
        for there, name in self._embedded():
            self._connect(there, name, name, self._end_at(there.address))
        for there in self._ground.resources(GRAPHQL_API):
            self._data_sources(there)

    def _embedded(self) -> Iterator[tuple[There, str]]:
        """Connectors that stand in the resource that is their source."""
        for address, node in self._ground.resolver.template.names.items():
            body = node.content if isinstance(node.content, dict) else {}
            stated, listed = body.get("Type"), body.get("Connectors")
            if listed is None or stated is None or not isinstance(listed.content, dict):
                continue
            resource = Resource(address, str(stated.content), node, body)
            for name, connector in listed.content.items():
                inner = connector.content.get("Properties") if isinstance(connector.content, dict) else None
                if inner is not None and isinstance(inner.content, dict):
                    yield There(resource, inner.content, "Condition" not in body), name

    def _connect(self, there: There, name: str, within: str | None, source: _End) -> None:
        destinations = list(self._ground.sections(there, "Destination"))
        for number, destination in enumerate(destinations):
            target = self._end(destination.section)
            own = within if len(destinations) == 1 else f"{within or 'to'} {number}"
            if source.type in TABLES:
                piece = self._piece(there, own, self._arns(source), (STREAMED,))
                self._grant(there, name, target, piece)
            elif target.type in TABLES:
                piece = self._piece(there, own, self._arns(target), self._permitted(there))
                self._grant(there, name, source, piece)

    def _permitted(self, there: There) -> tuple[Given, ...]:
        named = [
            value.content for value, _ in self._ground.items(there.section, "Permissions") if isinstance(value, Node)
        ]
        return tuple(CONNECTED[each] for each in _BOTH if each in named or not named)

    def _grant(self, there: There, name: str, holder: _End, piece: Piece) -> None:
        by = Maker(MakerKind.CONNECTOR, name)
        self._ground.hand(self._draft(there, name, holder), piece, there.address, by=by)

    def _piece(self, there: There, within: str | None, arns: Iterable[str], given: tuple[Given, ...]) -> Piece:
        statements = [
            {
                "Effect": "Allow",
                "Action": list(each.actions),
                "Resource": [f"{arn}{behind}" for arn in arns for behind in each.behind],
            }
            for each in given
        ]
        return self._ground.documents.composed(there.resource.node, statements, within, sure=there.sure)

    def _arns(self, table: _End) -> tuple[str, ...]:
        if table.address is not None:
            return self._ground.texts.arns_of(table.address)
        texts = (self._ground.texts.every(value) for value, _ in self._ground.items(table.section, "Arn"))
        return tuple(text for every in texts for text in every)

    def _draft(self, there: There, name: str, end: _End) -> Draft:
        """Who holds what a connector grants: the role of one of its ends."""
        own = self._ground.drafts.get((HolderForm.ROLE, end.address or ""))
        if own is not None:
            return own
        for key in ("Role", "RoleName", "ServiceRoleArn", "RoleArn"):
            for value, _ in self._ground.items(end.section, key):
                return self._attachments.holder(value, ROLE) or self._attachments.stranger(there, value, ROLE)
        why = f"the role of {end.address or name}"
        return self._ground.draft(HolderForm.ROLE, there.resource, HolderKind.RUNTIME, why, f"{there.address} {name}")

    def _end(self, section: Mapping[str, Node]) -> _End:
        identity = section.get("Id")
        if identity is not None and isinstance(identity.content, str):
            return self._end_at(identity.content)
        kind = section.get("Type")
        return _End(None, section, str(kind.content) if kind is not None else None)

    def _end_at(self, address: str) -> _End:
        node = self._ground.resolver.template.names.get(address)
        body = node.content if node is not None and isinstance(node.content, dict) else {}
        stated, inner = body.get("Type"), body.get("Properties")
        section = inner.content if inner is not None and isinstance(inner.content, dict) else {}
        return _End(address, section, str(stated.content) if stated is not None else None)

    def _data_sources(self, there: There) -> None:
        """Tables that an interface reads and writes: both, where it does not say."""
        for sources in self._ground.sections(there, "DataSources"):
            for tables in self._ground.sections(sources, "DynamoDb"):
                for name in tables.section:
                    for source in self._ground.sections(tables, name):
                        self._data_source(source, name)

    def _data_source(self, source: There, name: str) -> None:
        key = "TableArn" if "TableArn" in source.section else "TableName"
        values: list[Node | Unsettled] = [value for value, _ in self._ground.items(source.section, key)]
        if "ServiceRoleArn" in source.section or not values:
            return
        texts = self._ground.texts
        head = "" if key == "TableArn" else f"arn:{texts.partition}:dynamodb:{texts.region}:{texts.account}:table/"
        arns = [arn for value in values for text in texts.every(value) for arn in texts.canonical(f"{head}{text}")]
        piece = self._piece(source, name, arns, self._permitted(source))
        why = "trusts appsync.amazonaws.com"
        draft = self._ground.draft(HolderForm.ROLE, source.resource, HolderKind.RUNTIME, why)
        draft.services.add("appsync.amazonaws.com")
        self._ground.hand(draft, piece, source.address, by=Maker(MakerKind.CONNECTOR, name))
