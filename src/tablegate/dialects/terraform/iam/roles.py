"""Step a."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import cached_property
from typing import NamedTuple

from tablegate.dialects.terraform.configuration import Tree, trees
from tablegate.dialects.terraform.iam.attachments import HolderDraft, HolderIndex
from tablegate.dialects.terraform.iam.context import PlanContext, PolicyTexts
from tablegate.dialects.terraform.iam.documents import DocumentReader
from tablegate.dialects.terraform.resources import Resource, Snapshot
from tablegate.iam.documents import Document
from tablegate.iam.grants import HolderForm, HolderKind
from tablegate.iam.roles import (
    GATEWAY,
    NOTHING,
    PIPES,
    PUTS,
    READS_STREAMS,
    RESOLVERS,
    RULES,
    STATES,
    Calls,
    Trust,
    calls_of_gateway,
    calls_of_resolvers,
    calls_of_state_machine,
    declared_services,
    most_exposed,
    needs_of,
    trust_of,
)
from tablegate.model.record import replace
from tablegate.syntax.json import lazy as raw_json
from tablegate.syntax.node import ParseError

_TABLE_SOURCE = "AMAZON_DYNAMODB"
_PROGRAMS = ("code", "request_template", "request_mapping_template")


class Integrations:
    """The integrations of one plan. ``users`` finds the roles that an attribute names."""

    def __init__(self, world: Snapshot, users: Callable[[Resource, str], Iterable[HolderDraft]]) -> None:
        self._world = world
        self._users = users

    def needs(self, holder: HolderDraft, trust: Document | None) -> Calls:
        """All that the users of a role can call; None where that is not known."""
        services = NOTHING if trust is None else declared_services(trust)
        return needs_of(services, self._calls.get(holder, ())) if services else None

    @cached_property
    def _calls(self) -> dict[HolderDraft, list[tuple[str, Calls]]]:
        found: dict[HolderDraft, list[tuple[str, Calls]]] = {}
        for holder, service, calls in self._found():
            found.setdefault(holder, []).append((service, calls))
        return found

    def _found(self) -> Iterator[tuple[HolderDraft, str, Calls]]:
        for type_, path, service, read in (
            ("aws_sfn_state_machine", "role_arn", STATES, _of_machine),
            ("aws_api_gateway_integration", "credentials", GATEWAY, _of_integration),
            ("aws_apigatewayv2_integration", "credentials_arn", GATEWAY, _of_subtype),
            ("aws_appsync_datasource", "service_role_arn", RESOLVERS, self._of_source),
            ("aws_pipes_pipe", "role_arn", PIPES, _of_pipe),
            ("aws_iot_topic_rule", "dynamodb.role_arn", RULES, _of_rule),
            ("aws_iot_topic_rule", "dynamodbv2.role_arn", RULES, _of_rule),
        ):
            for one in self._world.of(type_):
                for holder in self._users(one, path):
                    yield holder, service, read(one)

    def _of_source(self, source: Resource) -> Calls:
        name = source.known_text("name")
        if source.known_text("type") != _TABLE_SOURCE:
            return NOTHING if source.known_text("type") else None
        used = (one for one in self._world.of("aws_appsync_resolver", "aws_appsync_function"))
        return calls_of_resolvers(_program(one) for one in used if name and one.known_text("data_source") == name)


def _program(one: Resource) -> str | None:
    return next((text for key in _PROGRAMS if (text := one.known_text(key))), None)


def _of_machine(machine: Resource) -> Calls:
    text = machine.known_text("definition")
    try:
        return None if text is None else calls_of_state_machine(raw_json.decode(raw_json.part_of(text)))
    except (ParseError, UnicodeEncodeError):
        return None


def _of_integration(integration: Resource) -> Calls:
    return calls_of_gateway(integration.known_text("uri"))


def _of_subtype(integration: Resource) -> Calls:
    """Integrations of HTTP interfaces: those with services have a subtype, and DynamoDB has none."""
    return NOTHING if integration.known_text("integration_subtype") else None


def _of_pipe(pipe: Resource) -> Calls:
    """A pipe reads what it comes from; where that is the stream of a table, its ARN says so."""
    source = pipe.known_text("source")
    if source is not None:
        return READS_STREAMS if ":dynamodb:" in source else NOTHING
    mentions = pipe.references("source")
    tables = [one.type.startswith(("aws_dynamodb_", "awscc_dynamodb_")) for one in mentions]
    return None if not tables or any(one.is_lost for one in mentions) else READS_STREAMS if any(tables) else NOTHING


def _of_rule(_: Resource) -> Calls:
    return PUTS


_RUNTIME = (
    ("aws_api_gateway_integration", "credentials"),
    ("aws_apigatewayv2_integration", "credentials_arn"),
    ("aws_appsync_datasource", "service_role_arn"),
    ("aws_apprunner_service", "instance_configuration.instance_role_arn"),
    ("aws_batch_job_definition", "job_role_arn"),
    ("aws_cloudwatch_event_target", "role_arn"),
    ("aws_ecs_task_definition", "task_role_arn"),
    ("aws_eks_pod_identity_association", "role_arn"),
    ("aws_glue_job", "role_arn"),
    ("aws_iam_instance_profile", "role"),
    ("aws_iot_topic_rule", "dynamodb.role_arn"),
    ("aws_iot_topic_rule", "dynamodbv2.role_arn"),
    ("aws_lambda_function", "role"),
    ("aws_pipes_pipe", "role_arn"),
    ("aws_sagemaker_model", "execution_role_arn"),
    ("aws_scheduler_schedule", "target.role_arn"),
    ("aws_sfn_state_machine", "role_arn"),
)
_DEPLOY = (
    ("aws_cloudformation_stack", "iam_role_arn"),
    ("aws_codebuild_project", "service_role"),
    ("aws_codepipeline", "role_arn"),
)
_SERVICE = (
    ("aws_appautoscaling_target", "role_arn"),
    ("aws_backup_selection", "iam_role_arn"),
)
_USES = (*((*use, HolderKind.RUNTIME) for use in _RUNTIME), *((*use, HolderKind.DEPLOY) for use in _DEPLOY))
_USES = (*_USES, *((*use, HolderKind.SERVICE) for use in _SERVICE))
_POOLS = "aws_cognito_identity_pool_roles_attachment"
_CACHES = "aws_dax_cluster"
_CACHE = "dax.amazonaws.com"
_TRUST_UNKNOWN = "its trust policy is not known"
_OUTSIDE = "it is not in this input"


class _Use(NamedTuple):
    """A resource that uses a role."""

    kind: HolderKind
    why: str


class RoleUsers:
    """Kinds of the roles of one plan."""

    def __init__(self, context: PlanContext, reader: DocumentReader, texts: PolicyTexts, roles: HolderIndex) -> None:
        self._context = context
        self._reader = reader
        self._texts = texts
        self._roles = roles
        self._integrations = Integrations(context.world, self._at)

    def needs(self, holder: HolderDraft) -> Calls:
        """All that the users of a role can call; None where that is not known."""
        if holder.form is not HolderForm.ROLE or holder.resource is None:
            return None
        return self._integrations.needs(holder, self._document(holder))

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
            services = trust.services | {_CACHE}
            trust = replace(trust, services=services)
            if trust.kind is HolderKind.UNKNOWN and not served:
                return Trust(HolderKind.SERVICE, "it is a DAX cluster's", services)
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
    def _uses(self) -> dict[HolderDraft, list[_Use]]:
        """What uses the roles, looked up when a role's trust does not tell."""
        return _gathered(
            (holder, _Use(kind, f"used by {one.address}"))
            for type_, path, kind in _USES
            for one in self._context.world.of(type_)
            for holder in self._at(one, path)
        )

    @cached_property
    def _dax_roles(self) -> set[HolderDraft]:
        return {holder for one in self._context.world.of(_CACHES) for holder in self._at(one, "iam_role_arn")}

    @cached_property
    def _identity_pool_roles(self) -> dict[HolderDraft, list[_Use]]:
        """Roles of identity pools: end users hold them, some without having signed in."""
        return _gathered(found for one in self._context.world.of(_POOLS) for found in self._of_pool(one))

    def _of_pool(self, pool: Resource) -> Iterator[tuple[HolderDraft, _Use]]:
        roles, unknown = pool.block.member("roles")
        named: Tree = roles if isinstance(roles, dict) else {}
        for key, arn in sorted(named.items()):
            if isinstance(arn, str):
                yield from _served(self._named(arn, pool), pool, anonymous=key == "unauthenticated")
        if unknown:
            keys = set(unknown) if isinstance(unknown, dict) else set()
            yield from _served(self._later(pool, "roles"), pool, anonymous=keys == {"unauthenticated"})
        for mapping in trees(pool.content.get("role_mapping")):
            for rule in trees(mapping.get("mapping_rule")):
                arn = rule.get("role_arn")
                yield from _served(self._named(arn, pool) if isinstance(arn, str) else (), pool, anonymous=False)

    def _at(self, one: Resource, path: str) -> Iterable[HolderDraft]:
        """The roles of this input that an attribute names, at most one block deep."""
        outer, _, inner = path.rpartition(".")
        if not outer:
            text = one.known_text(inner)
            return self._named(text, one) if text else self._later(one, inner)
        blocks = trees(one.content.get(outer))
        texts = [str(block.get(inner)) for block in blocks if block.get(inner)]
        if texts:
            return [holder for text in texts for holder in self._named(text, one)]
        return self._later(one, outer)

    def _named(self, text: str, one: Resource) -> list[HolderDraft]:
        return self._roles.known(text, one)

    def _later(self, one: Resource, key: str) -> list[HolderDraft]:
        world = self._context.world
        unknown = [mention for mention in one.references(key) if not world.is_known(mention)]
        return [holder for mention in unknown for holder in self._roles.mentioned(mention)]


def _served(indexes: Iterable[HolderDraft], pool: Resource, *, anonymous: bool) -> Iterator[tuple[HolderDraft, _Use]]:
    users = f"{'unauthenticated ' if anonymous else ''}users of {pool.address}"
    for holder in indexes:
        yield holder, _Use(HolderKind.END_USER, f"serves {users}")


def _gathered(found: Iterable[tuple[HolderDraft, _Use]]) -> dict[HolderDraft, list[_Use]]:
    gathered: dict[HolderDraft, list[_Use]] = {}
    for holder, use in found:
        gathered.setdefault(holder, []).append(use)
    return gathered
