"""SAM's connectors, and the data sources of its GraphQL interfaces: grants that are asked for by naming two ends."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from tablegate.access.grants import HolderForm, HolderKind, Maker, MakerKind
from tablegate.dialects.cloudformation.access.attachments import Attachments
from tablegate.dialects.cloudformation.access.drafts import Draft
from tablegate.dialects.cloudformation.access.ground import Ground, There
from tablegate.dialects.cloudformation.access.pieces import Piece
from tablegate.dialects.cloudformation.access.sam_templates import CONNECTED, STREAMED, Given
from tablegate.dialects.cloudformation.template import CONNECTOR, GRAPHQL_API, ROLE, TABLES, Resource
from tablegate.dialects.cloudformation.unsettled import Unsettled
from tablegate.model.record import record
from tablegate.syntax.node import Node

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
