"""Policies of tables and their streams, of the keys that encrypt tables, and of endpoints."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from tablegate.dialects.holders import HeldDocument, HolderAssembly, HolderDraft
from tablegate.dialects.joins import TableMatch
from tablegate.dialects.terraform.block import LATER, Block
from tablegate.dialects.terraform.configuration import trees
from tablegate.dialects.terraform.iam.context import PlanContext
from tablegate.dialects.terraform.iam.documents import DocumentReader, own_place
from tablegate.dialects.terraform.iam.unknown_text import UnknownElements
from tablegate.dialects.terraform.resources import Resource
from tablegate.iam.arns import arn_of
from tablegate.iam.documents import UnknownPart, parse_document
from tablegate.iam.grants import DocumentRole, HolderForm
from tablegate.model import facts
from tablegate.model.record import replace
from tablegate.model.value import Doubt, Place

_POLICY = "aws_dynamodb_resource_policy"
_SINGLE = "awscc_dynamodb_table"
_REPLICATED = "awscc_dynamodb_global_table"
_KEYS = ("aws_kms_key", "aws_kms_external_key", "aws_kms_replica_key", "aws_kms_replica_external_key")
_KEY_POLICY = "aws_kms_key_policy"
_KEY_GRANT = "aws_kms_grant"
_CONTEXTS = (("StringEquals", "encryption_context_equals"), ("StringEquals", "encryption_context_subset"))
_ENDPOINT = "aws_vpc_endpoint"
_ENDPOINT_POLICY = "aws_vpc_endpoint_policy"
_SERVICES = (".dynamodb", ".dynamodb-streams")


class OwnPolicies:
    """The resources of one plan that have policies of their own."""

    def __init__(self, context: PlanContext, reader: DocumentReader, assembly: HolderAssembly) -> None:
        self._context = context
        self._elements = UnknownElements(context)
        self._snapshot = context.snapshot
        self._reader = reader
        self._assembly = assembly

    def gather(self) -> None:
        """Make a holder of each, with its documents."""
        self._tables()
        self._cloud_control()
        self._keys()
        self._endpoints()

    def _tables(self) -> None:
        for policy in self._snapshot.of(_POLICY):
            held = self._reader.of(policy, "policy")
            match = self._context.finder.of(policy, "resource_arn")
            form = HolderForm.STREAM if match.stream else HolderForm.TABLE
            address = match.table or policy.address
            holder = self._table(form, address, policy.place)
            if held is not None:
                confirmed = policy.block.flag(facts.GIVES_UP, "confirm_remove_self_resource_access")
                held = replace(held, document=replace(held.document, gives_up=confirmed))
                holder.give(held, DocumentRole.RESOURCE, target=self._target(policy, match))

    def _table(self, form: HolderForm, address: str, place: Place) -> HolderDraft:
        """The holder of the policy of a table or a stream, at the table if it is in this plan."""
        table = self._context.tables.get(address)
        if table is not None and table.place is not None:
            place = table.place
        holder = self._assembly.owner(form, address, place, f"the policy of a {form}")
        holder.name = None if table is None else table.name.content
        return holder

    def _target(self, policy: Resource, match: TableMatch) -> str | None:
        """The ARN that a policy is attached to, as every reference to it is spelled."""
        table = None if match.table is None else self._context.tables.get(match.table)
        if table is None:
            return policy.known_text("resource_arn")
        arn = arn_of(table, self._context.symbols)
        if match.region is not None:
            parts = arn.split(":", 5)
            arn = ":".join((*parts[:3], match.region, *parts[4:]))
        if not match.stream:
            return arn
        label = match.rest.removeprefix("stream/") or self._label(table.address)
        return f"{arn}/stream/{label}"

    def _label(self, address: str) -> str:
        return self._context.symbols.of(f"{address}.stream_label")

    def _cloud_control(self) -> None:
        """Policies inside a table of the Cloud Control provider, or inside each of its replicas."""
        for table in self._snapshot.of(_SINGLE):
            self._inside(table, table.block, "stream_specification", None)
        for table in self._snapshot.of(_REPLICATED):
            replicas = table.block.many("replicas")
            for replica in () if isinstance(replicas, Doubt) else replicas:
                if isinstance(replica, Block):
                    region = replica.content.get("region")
                    within = region if isinstance(region, str) else None
                    self._inside(table, replica, "replica_stream_specification", within)

    def _inside(self, resource: Resource, block: Block, stream_key: str, region: str | None) -> None:
        """The policies of a table, or of its replica in a region."""
        table = self._context.tables.get(resource.address)
        if table is None:
            return
        parts = arn_of(table, self._context.symbols).split(":", 5)
        arn = ":".join((*parts[:3], region or parts[3], *parts[4:]))
        self._nested(resource, block.one("resource_policy"), HolderForm.TABLE, arn, region)
        stream = block.one(stream_key)
        if isinstance(stream, Block):
            target = f"{arn}/stream/{self._label(resource.address)}"
            within = "stream" if region is None else f"{region}/stream"
            self._nested(resource, stream.one("resource_policy"), HolderForm.STREAM, target, within)

    def _nested(
        self, resource: Resource, block: Block | Doubt | None, form: HolderForm, target: str, within: str | None
    ) -> None:
        if isinstance(block, Block):
            held = self._reader.of(resource, "policy_document", block=block, optional=True, within=within)
            if held is not None:
                holder = self._table(form, resource.address, resource.place)
                holder.give(held, DocumentRole.RESOURCE, target=target)

    def _keys(self) -> None:
        """Policies of the keys that encrypt a table of this plan, and grants on them."""
        wanted = set(self._keys_of_tables())
        keys = {key.address: key for key in self._snapshot.of(*_KEYS) if key.address in wanted} if wanted else {}
        for key in keys.values():
            self._key(key, self._reader.of(key, "policy", optional=True))
        for policy in self._snapshot.of(_KEY_POLICY) if keys else ():
            for key in self._named(policy, "key_id", keys):
                self._key(key, self._reader.of(policy, "policy"))
        for grant in self._snapshot.of(_KEY_GRANT) if keys else ():
            for key in self._named(grant, "key_id", keys):
                self._key(key, self._granted(grant))

    def _granted(self, grant: Resource) -> HeldDocument:
        """A grant on a key, as the statement that it comes to."""
        constraints = trees(grant.content.get("constraints"))
        contexts = [
            (operator, key_context)
            for constraint in constraints
            for operator, name in _CONTEXTS
            if isinstance(key_context := constraint.get(name), dict)
        ]
        operations = grant.content.get("operations")
        statement = {
            "Effect": "Allow",
            "Principal": {"AWS": self._elements.one(grant, grant.block, "grantee_principal")},
            "Action": [f"kms:{name}" for name in operations] if isinstance(operations, list) else UnknownPart(LATER),
            "Resource": "*",
            "Condition": {
                operator: {f"kms:EncryptionContext:{key}": value for key, value in key_context.items()}
                for operator, key_context in contexts
            },
        }
        place = own_place(grant, grant.block, "operations")
        content = {"Version": "2012-10-17", "Statement": statement}
        document = parse_document(content, self._context.symbols, lambda _: place)
        return HeldDocument(grant.address, place, document, "hcl")

    def _keys_of_tables(self) -> Iterator[str]:
        for table in self._context.tables.values():
            for encryption in (table.encryption, *(one.encryption for one in table.replicas.content or ())):
                if encryption.resource is not None:
                    yield encryption.resource.address

    def _key(self, key: Resource, held: HeldDocument | None) -> None:
        holder = self._assembly.owner(HolderForm.KEY, key.address, key.place, "the policy of a table's key")
        if held is not None:
            tail = f"key/{self._context.symbols.of(f'{key.address}.key_id')}"
            target = key.known_text("arn") or self._elements.arn(key, "kms", tail)
            holder.give(held, DocumentRole.RESOURCE, target=target)

    def _named(self, resource: Resource, argument: str, among: Mapping[str, Resource]) -> Iterator[Resource]:
        """Which of the resources an argument names by its id or ARN, or refers to."""
        text = resource.known_text(argument)
        if text is None:
            for reference in resource.references(argument):
                yield from (among[one.address] for one in reference.targets if one.address in among)
            return
        for candidate in among.values():
            if text in (candidate.known_text(key) for key in ("id", "arn", "key_id")):
                yield candidate

    def _endpoints(self) -> None:
        """Policies of the endpoints for DynamoDB. One in a resource of its own replaces the endpoint's."""
        endpoints = {one.address: one for one in self._snapshot.of(_ENDPOINT) if self._is_ours(one)}
        documents = {one.address: self._reader.of(one, "policy", optional=True) for one in endpoints.values()}
        for policy in self._snapshot.of(_ENDPOINT_POLICY) if endpoints else ():
            for endpoint in self._named(policy, "vpc_endpoint_id", endpoints):
                held = self._reader.of(policy, "policy", optional=True)
                documents[endpoint.address] = held or documents[endpoint.address]
        for endpoint in endpoints.values():
            why = "an endpoint for DynamoDB"
            holder = self._assembly.owner(HolderForm.ENDPOINT, endpoint.address, endpoint.place, why)
            held = documents[endpoint.address]
            if held is not None:
                holder.give(held, DocumentRole.CHANNEL)

    def _is_ours(self, endpoint: Resource) -> bool:
        """Whether an endpoint is for DynamoDB."""
        service = endpoint.known_text("service_name")
        if service is not None:
            return service.endswith(_SERVICES)
        lookups = (
            self._snapshot.at(target)
            for reference in endpoint.references("service_name")
            if reference.type == "aws_vpc_endpoint_service"
            for target in reference.targets
        )
        services = [lookup.content.get("service") for lookup in lookups if lookup is not None]
        return any(name in ("dynamodb", "dynamodb-streams") for name in services)
