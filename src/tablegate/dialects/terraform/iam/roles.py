"""Who uses the roles of a plan, and what for."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from typing import TypeAlias

from tablegate.dialects.resource import TERRAFORM
from tablegate.dialects.roles import DAX_SERVICE, DAX_USE, calls_of, dax_roles, served_by, uses_of
from tablegate.dialects.terraform.configuration import Tree, trees
from tablegate.dialects.terraform.iam.attachments import HolderDraft, HolderIndex
from tablegate.dialects.terraform.iam.context import PlanContext, PolicyTexts
from tablegate.dialects.terraform.iam.documents import DocumentReader
from tablegate.dialects.terraform.resources import Resource, Snapshot
from tablegate.iam.documents import Document
from tablegate.iam.grants import HolderForm, HolderKind
from tablegate.iam.roles import NOTHING, Calls, Trust, declared_services, most_exposed, needs_of, trust_of
from tablegate.model.record import replace
from tablegate.syntax.json import lazy as raw_json
from tablegate.syntax.node import ParseError

Evidence: TypeAlias = tuple[HolderKind, str]

_PROGRAMS = ("code", "request_template", "request_mapping_template")
_POOLS = "aws_cognito_identity_pool_roles_attachment"
_TRUST_UNKNOWN = "its trust policy is not known"
_OUTSIDE = "it is not in this input"


class PlanRoles:
    """The roles of one plan, as its resources name them."""

    column = TERRAFORM

    def __init__(self, world: Snapshot, roles: HolderIndex) -> None:
        self._world = world
        self._roles = roles

    def resources(self, type_: str) -> Iterable[Resource]:
        """The resources of a type."""
        return self._world.of(type_)

    def address_of(self, resource: Resource) -> str:
        """Its address."""
        return resource.address

    def roles(self, resource: Resource, path: str) -> Iterable[HolderDraft]:
        """The roles of this input that an argument names, at most one block deep."""
        outer, _, inner = path.rpartition(".")
        if not outer:
            text = resource.known_text(inner)
            return self._roles.known(text, resource) if text else self._referred(resource, inner)
        blocks = trees(resource.content.get(outer))
        texts = [str(block.get(inner)) for block in blocks if block.get(inner)]
        if texts:
            return [holder for text in texts for holder in self._roles.known(text, resource)]
        return self._referred(resource, outer)

    def text(self, resource: Resource, path: str) -> str | None:
        """A text of the resource, if it is known."""
        return resource.known_text(path)

    def names_stream(self, resource: Resource, path: str) -> bool | None:
        """Whether an argument names the stream of a table, by its ARN or by reference."""
        source = resource.known_text(path)
        if source is not None:
            return ":dynamodb:" in source
        references = resource.references(path)
        if not references or any(one.is_lost for one in references):
            return None
        return any(one.type.startswith(("aws_dynamodb_", "awscc_dynamodb_")) for one in references)

    def definition(self, machine: Resource) -> tuple[object, Mapping[str, str]]:
        """The definition of a state machine; Terraform fills in its placeholders."""
        text = machine.known_text("definition")
        try:
            return None if text is None else raw_json.decode(raw_json.part_of(text)), {}
        except (ParseError, UnicodeEncodeError):
            return None, {}

    def programs(self, source: Resource) -> Iterator[str | None]:
        """The code and templates of the resolvers that name a data source."""
        name = source.known_text("name")
        for resolver in self._world.of("aws_appsync_resolver", "aws_appsync_function") if name else ():
            if resolver.known_text("data_source") == name:
                yield next((text for key in _PROGRAMS if (text := resolver.known_text(key))), None)

    def pool_roles(self) -> Iterator[tuple[HolderDraft, str, bool]]:
        """Roles of identity pools, and whether users hold them without having signed in."""
        for pool in self._world.of(_POOLS):
            for role, anonymous in self._of_pool(pool):
                yield role, pool.address, anonymous

    def _of_pool(self, pool: Resource) -> Iterator[tuple[HolderDraft, bool]]:
        roles, unknown = pool.block.member("roles")
        named: Tree = roles if isinstance(roles, dict) else {}
        for key, arn in sorted(named.items()):
            if isinstance(arn, str):
                yield from ((role, key == "unauthenticated") for role in self._roles.known(arn, pool))
        if unknown:
            keys = set(unknown) if isinstance(unknown, dict) else set()
            yield from ((role, keys == {"unauthenticated"}) for role in self._referred(pool, "roles"))
        for mapping in trees(pool.content.get("role_mapping")):
            for rule in trees(mapping.get("mapping_rule")):
                arn = rule.get("role_arn")
                if isinstance(arn, str):
                    yield from ((role, False) for role in self._roles.known(arn, pool))

    def _referred(self, resource: Resource, key: str) -> list[HolderDraft]:
        unknown = [reference for reference in resource.references(key) if not self._world.is_known(reference)]
        return [holder for reference in unknown for holder in self._roles.mentioned(reference)]


class RoleUsers:
    """Kinds of the roles of one plan."""

    def __init__(self, context: PlanContext, reader: DocumentReader, texts: PolicyTexts, roles: HolderIndex) -> None:
        self._context = context
        self._reader = reader
        self._texts = texts
        self._roles = PlanRoles(context.world, roles)

    def needs(self, holder: HolderDraft) -> Calls:
        """All that the users of a role can call; None where that is not known."""
        if holder.form is not HolderForm.ROLE or holder.resource is None:
            return None
        trust = self._document(holder)
        services = NOTHING if trust is None else declared_services(trust)
        return needs_of(services, self._calls.get(holder, ())) if services else None

    def of(self, holder: HolderDraft) -> Trust:
        """Who uses it."""
        match holder.form:
            case HolderForm.ROLE:
                return self._of_role(holder)
            case HolderForm.PERMISSION_SET:
                return Trust(HolderKind.HUMAN, "a permission set is people's")
        return Trust(HolderKind.HUMAN, f"it is an IAM {holder.form}")

    def _of_role(self, holder: HolderDraft) -> Trust:
        trust = self._trust(holder)
        served = list(self._identity_pool_roles.get(holder, ()))
        if trust.kind is HolderKind.UNKNOWN:
            served += self._uses.get(holder, ())
        if holder in self._dax_roles:
            services = trust.services | {DAX_SERVICE}
            trust = replace(trust, services=services)
            if trust.kind is HolderKind.UNKNOWN and not served:
                return Trust(*DAX_USE, services)
        if not served:
            return trust
        named = [] if trust.kind is HolderKind.UNKNOWN else [(trust.kind, trust.why)]
        kind, why = most_exposed([*named, *served])
        return Trust(kind, why, trust.services)

    def _trust(self, holder: HolderDraft) -> Trust:
        document = self._document(holder)
        if document is None:
            return Trust(HolderKind.UNKNOWN, _OUTSIDE)
        account = None
        if holder.resource is not None:
            account = self._context.regions.account(holder.resource).content
        return trust_of(document, account)

    def _document(self, holder: HolderDraft) -> Document | None:
        if holder.resource is not None:
            return self._reader.trust(holder.resource)
        text = self._read.get(holder.name or "")
        return None if text is None else self._texts.plain(text, self._context.world.file)

    @cached_property
    def _read(self) -> dict[str, str]:
        """Trust policies of roles that data sources read when the plan was made, by name."""
        found = {}
        for one in self._context.state.data_of("aws_iam_role"):
            values = one.values
            name, text = values.get("name"), values.get("assume_role_policy")
            if isinstance(name, str) and isinstance(text, str):
                found[name] = text
        return found

    @cached_property
    def _calls(self) -> dict[HolderDraft, list[tuple[str, Calls]]]:
        calls: dict[HolderDraft, list[tuple[str, Calls]]] = {}
        for role, service, names in calls_of(self._roles):
            calls.setdefault(role, []).append((service, names))
        return calls

    @cached_property
    def _uses(self) -> dict[HolderDraft, list[Evidence]]:
        """The uses of each role, which count if its trust policy does not tell."""
        return _by_role(uses_of(self._roles))

    @cached_property
    def _dax_roles(self) -> set[HolderDraft]:
        return set(dax_roles(self._roles))

    @cached_property
    def _identity_pool_roles(self) -> dict[HolderDraft, list[Evidence]]:
        return _by_role(served_by(self._roles))


def _by_role(uses: Iterable[tuple[HolderDraft, HolderKind, str]]) -> dict[HolderDraft, list[Evidence]]:
    by_role: dict[HolderDraft, list[Evidence]] = {}
    for role, kind, why in uses:
        by_role.setdefault(role, []).append((kind, why))
    return by_role
