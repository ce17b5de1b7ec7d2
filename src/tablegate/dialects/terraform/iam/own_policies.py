"""Documents that resources hold of their own: tables and their streams, the keys of tables, and endpoints."""

from __future__ import annotations

from collections.abc import Iterator

from tablegate.dialects.joins import TableMatch
from tablegate.dialects.terraform.block import LATER, Block
from tablegate.dialects.terraform.configuration import trees
from tablegate.dialects.terraform.iam.context import PlanContext
from tablegate.dialects.terraform.iam.documents import DocumentReader, HeldDocument, own_place
from tablegate.dialects.terraform.iam.unknown_text import UnknownElements
from tablegate.dialects.terraform.resources import Resource
from tablegate.iam.arns import arn_of
from tablegate.iam.documents import UnknownPart, parse_document
from tablegate.iam.grants import DocumentRole, HolderForm
from tablegate.model import facts
from tablegate.model.record import field, record, replace
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


@record(eq=False, frozen=False, kw_only=False)
class PolicyOwner:
    """A resource that holds documents: what sort, and which document is about which ARN."""

    form: HolderForm
    role: DocumentRole
    address: str
    place: Place | None
    name: str | None
    why: str
    documents: list[tuple[HeldDocument, str | None]] = field(default_factory=list)


class OwnPolicies:
    """The resources of one plan that hold documents of their own."""

    def __init__(self, context: PlanContext, reader: DocumentReader) -> None:
        self._context = context
        self._elements = UnknownElements(context)
        self._world = context.world
        self._reader = reader
        self._found: dict[tuple[HolderForm, str], PolicyOwner] = {}

    def all(self) -> list[PolicyOwner]:
        """All of them."""
        self._tables()
        self._cloud_control()
        self._keys()
        self._endpoints()
        return list(self._found.values())

    def _tables(self) -> None:
        for one in self._world.of(_POLICY):
            held = self._reader.of(one, "policy")
            link = self._context.finder.of(one, "resource_arn")
            form = HolderForm.STREAM if link.stream else HolderForm.TABLE
            address = one.address if link.table is None else link.table
            owner = self._owner(form, DocumentRole.RESOURCE, address, f"the policy of a {form}", one.place)
            if held is not None:
                confirmed = one.block.flag(facts.GIVES_UP, "confirm_remove_self_resource_access")
                document = replace(held.document, gives_up=confirmed)
                owner.documents.append((replace(held, document=document), self._target(one, link)))

    def _target(self, policy: Resource, link: TableMatch) -> str | None:
        """The ARN that a policy is attached to, as every reference to it is spelled."""
        table = None if link.table is None else self._context.tables.get(link.table)
        if table is None:
            return policy.known_text("resource_arn")
        arn = arn_of(table, self._context.symbols)
        if link.region is not None:
            parts = arn.split(":", 5)
            arn = ":".join((*parts[:3], link.region, *parts[4:]))
        if not link.stream:
            return arn
        label = link.rest.removeprefix("stream/") or self._label(table.address)
        return f"{arn}/stream/{label}"

    def _label(self, address: str) -> str:
        return self._context.symbols.of(f"{address}.stream_label")

    def _cloud_control(self) -> None:
        """Policies that stand in a table of the Cloud Control provider, or in each of its replicas."""
        for one in self._world.of(_SINGLE):
            self._own(one, one.block, "stream_specification", None)
        for one in self._world.of(_REPLICATED):
            replicas = one.block.many("replicas")
            for replica in () if isinstance(replicas, Doubt) else replicas:
                if isinstance(replica, Block):
                    region = replica.content.get("region")
                    within = region if isinstance(region, str) else None
                    self._own(one, replica, "replica_stream_specification", within)

    def _own(self, one: Resource, block: Block, streaming: str, region: str | None) -> None:
        """The policies of a table, or of its replica in a region."""
        table = self._context.tables.get(one.address)
        if table is None:
            return
        parts = arn_of(table, self._context.symbols).split(":", 5)
        arn = ":".join((*parts[:3], region or parts[3], *parts[4:]))
        self._nested(one, block.one("resource_policy"), HolderForm.TABLE, arn, region)
        stream = block.one(streaming)
        if isinstance(stream, Block):
            target = f"{arn}/stream/{self._label(one.address)}"
            within = "stream" if region is None else f"{region}/stream"
            self._nested(one, stream.one("resource_policy"), HolderForm.STREAM, target, within)

    def _nested(
        self, one: Resource, block: Block | Doubt | None, form: HolderForm, target: str, within: str | None
    ) -> None:
        held = None
        if isinstance(block, Block):
            held = self._reader.of(one, "policy_document", block=block, optional=True, within=within)
        if held is not None:
            owner = self._owner(form, DocumentRole.RESOURCE, one.address, f"the policy of a {form}", one.place)
            owner.documents.append((held, target))

    def _keys(self) -> None:
        """Policies of the keys that encrypt a table of this input."""
        wanted = set(self._keys_of_tables())
        keys = {one.address: one for one in self._world.of(*_KEYS) if one.address in wanted} if wanted else {}
        for one in keys.values():
            self._key(one, self._reader.of(one, "policy", optional=True))
        for one in self._world.of(_KEY_POLICY) if keys else ():
            for key in self._named(one, "key_id", keys):
                self._key(key, self._reader.of(one, "policy"))
        for one in self._world.of(_KEY_GRANT) if keys else ():
            for key in self._named(one, "key_id", keys):
                self._key(key, self._granted(one))

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
        owner = self._owner(
            HolderForm.KEY, DocumentRole.RESOURCE, key.address, "the policy of a table's key", key.place
        )
        if held is not None:
            tail = f"key/{self._context.symbols.of(f'{key.address}.key_id')}"
            owner.documents.append((held, key.known_text("arn") or self._elements.spelled(key, "kms", tail)))

    def _named(self, one: Resource, argument: str, among: dict[str, Resource]) -> Iterator[Resource]:
        """The resource that an argument names by its id or ARN, or refers to."""
        text = one.known_text(argument)
        for found in among.values():
            if text is not None and text in (
                found.known_text("id"),
                found.known_text("arn"),
                found.known_text("key_id"),
            ):
                yield found
        if text is None:
            for mention in one.references(argument):
                yield from (among[found.address] for found in mention.targets if found.address in among)

    def _endpoints(self) -> None:
        """Policies of the endpoints for DynamoDB: one in a resource of its own takes the place of the endpoint's."""
        endpoints = {one.address: one for one in self._world.of(_ENDPOINT) if self._is_ours(one)}
        for one in endpoints.values():
            self._endpoint(one, self._reader.of(one, "policy", optional=True))
        for one in self._world.of(_ENDPOINT_POLICY) if endpoints else ():
            for endpoint in self._named(one, "vpc_endpoint_id", endpoints):
                self._endpoint(endpoint, self._reader.of(one, "policy", optional=True))

    def _endpoint(self, endpoint: Resource, held: HeldDocument | None) -> None:
        form, why = HolderForm.ENDPOINT, "an endpoint for DynamoDB"
        owner = self._owner(form, DocumentRole.CHANNEL, endpoint.address, why, endpoint.place)
        if held is not None:
            owner.documents = [(held, None)]

    def _is_ours(self, endpoint: Resource) -> bool:
        service = endpoint.known_text("service_name")
        if service is not None:
            return service.endswith(_SERVICES)
        asked = (
            found.content.get("service")
            for mention in endpoint.references("service_name")
            if mention.type == "aws_vpc_endpoint_service"
            for instance in mention.targets
            if (found := self._world.at(instance)) is not None
        )
        return any(name in ("dynamodb", "dynamodb-streams") for name in asked)

    def _owner(self, form: HolderForm, role: DocumentRole, address: str, why: str, here: Place) -> PolicyOwner:
        key = (form, address)
        if key not in self._found:
            table = self._context.tables.get(address)
            name, place = (None, here) if table is None else (table.name.content, table.place)
            self._found[key] = PolicyOwner(form, role, address, place, name, why)
        return self._found[key]
