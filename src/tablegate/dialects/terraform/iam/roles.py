"""Who uses the roles of a plan, and what for."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from tablegate.dialects.holders import HolderAssembly, HolderDraft
from tablegate.dialects.resource import TERRAFORM
from tablegate.dialects.terraform.configuration import Tree, trees
from tablegate.dialects.terraform.iam.attachments import HolderIndex
from tablegate.dialects.terraform.iam.context import PlanContext, PolicyTexts
from tablegate.dialects.terraform.iam.documents import DocumentReader
from tablegate.dialects.terraform.resources import Resource, Snapshot
from tablegate.iam.grants import HolderForm
from tablegate.syntax.json import lazy as raw_json
from tablegate.syntax.node import ParseError

_PROGRAMS = ("code", "request_template", "request_mapping_template")
_POOLS = "aws_cognito_identity_pool_roles_attachment"


class PlanRoles:
    """The roles of one plan, as its resources name them."""

    column = TERRAFORM

    def __init__(self, snapshot: Snapshot, roles: HolderIndex) -> None:
        self._snapshot = snapshot
        self._roles = roles

    def resources(self, type_: str) -> Iterable[Resource]:
        """The resources of a type."""
        return self._snapshot.of(type_)

    def address_of(self, resource: Resource) -> str:
        """Its address."""
        return resource.address

    def roles(self, resource: Resource, path: str) -> Iterable[HolderDraft]:
        """The roles of this input that an argument names, at most one block or JSON text deep."""
        outer, _, inner = path.rpartition(".")
        if not outer:
            text = resource.known_text(inner)
            return self._roles.known(text, resource) if text else self._referred(resource, inner)
        content = resource.content.get(outer)
        blocks = trees([_decoded(content)] if isinstance(content, str) else content)
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
        return _decoded(machine.known_text("definition")), {}

    def programs(self, source: Resource) -> Iterator[str | None]:
        """The code and templates of the resolvers that name a data source."""
        name = source.known_text("name")
        for resolver in self._snapshot.of("aws_appsync_resolver", "aws_appsync_function") if name else ():
            if resolver.known_text("data_source") == name:
                yield next((text for key in _PROGRAMS if (text := resolver.known_text(key))), None)

    def pool_roles(self) -> Iterator[tuple[HolderDraft, str, bool]]:
        """Roles of identity pools, and whether users hold them without having signed in."""
        for pool in self._snapshot.of(_POOLS):
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
        unknown = [reference for reference in resource.references(key) if not self._snapshot.is_known(reference)]
        return [holder for reference in unknown for holder in self._roles.referred(reference)]


def _decoded(text: str | None) -> object:
    """A JSON text as plain objects; None if it is not JSON."""
    try:
        return None if text is None else raw_json.decode(raw_json.part_of(text))
    except (ParseError, UnicodeEncodeError):
        return None


def add_trusts(
    context: PlanContext, assembly: HolderAssembly, roles: HolderIndex, reader: DocumentReader, texts: PolicyTexts
) -> None:
    """Add the trust policies of the roles: of those of this plan, and of those that data sources read."""
    for resource, role in roles.inside:
        role.trust([reader.trust(resource)], context.regions.account(resource).content)
    for data in context.state.data_of("aws_iam_role"):
        name, text = data.values.get("name"), data.values.get("assume_role_policy")
        if isinstance(name, str) and isinstance(text, str):
            outside = assembly.at_outside(HolderForm.ROLE, name)
            if outside is not None:
                outside.trust([texts.plain(text, context.snapshot.file)], None)
