"""Who uses a role: by its trust policy, and by the resources that refer to it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cached_property
from typing import NamedTuple

from tablegate.access.documents import Document
from tablegate.access.grants import HolderForm, HolderKind
from tablegate.access.integrations import Calls
from tablegate.access.trust import Trust, most_exposed, trust_of
from tablegate.dialects.terraform_plan.access.deeds import Deeds
from tablegate.dialects.terraform_plan.access.ground import Ground
from tablegate.dialects.terraform_plan.access.integrations import Integrations
from tablegate.dialects.terraform_plan.access.people import People, Person
from tablegate.dialects.terraform_plan.access.texts import Texts
from tablegate.dialects.terraform_plan.configuration import Tree, trees
from tablegate.dialects.terraform_plan.worlds import Resource
from tablegate.model.record import replace

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
_UNTOLD = "its trust policy is not known"
_ELSEWHERE = "it is not in this input"


class _Use(NamedTuple):
    """A resource that uses a role."""

    kind: HolderKind
    why: str


class Kinds:
    """Kinds of the roles of one plan."""

    def __init__(self, ground: Ground, deeds: Deeds, texts: Texts, roles: People) -> None:
        self._ground = ground
        self._deeds = deeds
        self._texts = texts
        self._roles = roles
        self._integrations = Integrations(ground.world, self._at)

    def needs(self, person: Person) -> Calls:
        """All that the users of a role can call; None where that is not known."""
        if person.form is not HolderForm.ROLE or person.resource is None:
            return None
        return self._integrations.needs(person, self._document(person))

    def of(self, person: Person) -> Trust:
        """Who uses it."""
        match person.form:
            case HolderForm.ROLE:
                return self._of_role(person)
            case HolderForm.PERMISSION_SET:
                return Trust(HolderKind.HUMAN, "a permission set is people's")
        return Trust(HolderKind.HUMAN, f"it is an IAM {person.form}")

    def _of_role(self, person: Person) -> Trust:
        trust = self._trust(person)
        served = list(self._pools.get(person, ()))
        if trust.kind is HolderKind.UNKNOWN:
            served += self._uses.get(person, ())
        if person in self._caches:
            services = trust.services | {_CACHE}
            trust = replace(trust, services=services)
            if trust.kind is HolderKind.UNKNOWN and not served:
                return Trust(HolderKind.SERVICE, "it is a DAX cluster's", services)
        if not served:
            return trust
        told = [] if trust.kind is HolderKind.UNKNOWN else [(trust.kind, trust.why)]
        kind, why = most_exposed([*told, *served])
        return Trust(kind, why, trust.services)

    def _trust(self, person: Person) -> Trust:
        document = self._document(person)
        if document is None:
            return Trust(HolderKind.UNKNOWN, _ELSEWHERE)
        account = None
        if person.resource is not None:
            account = self._ground.regions.account(person.resource).content
        return trust_of(document, account)

    def _document(self, person: Person) -> Document | None:
        if person.resource is not None:
            return self._deeds.trust(person.resource)
        text = self._read.get(person.name or "")
        return None if text is None else self._texts.plain(text, self._ground.world.file)

    @cached_property
    def _read(self) -> dict[str, str]:
        """Trust policies of roles that data sources read when the plan was made, by name."""
        found = {}
        for one in self._ground.state.data_of("aws_iam_role"):
            values = one.values
            name, text = values.get("name"), values.get("assume_role_policy")
            if isinstance(name, str) and isinstance(text, str):
                found[name] = text
        return found

    @cached_property
    def _uses(self) -> dict[Person, list[_Use]]:
        """What uses the roles, looked up when a role's trust does not tell."""
        return _gathered(
            (person, _Use(kind, f"used by {one.address}"))
            for type_, path, kind in _USES
            for one in self._ground.world.of(type_)
            for person in self._at(one, path)
        )

    @cached_property
    def _caches(self) -> set[Person]:
        return {person for one in self._ground.world.of(_CACHES) for person in self._at(one, "iam_role_arn")}

    @cached_property
    def _pools(self) -> dict[Person, list[_Use]]:
        """Roles of identity pools: end users hold them, some without having signed in."""
        return _gathered(found for one in self._ground.world.of(_POOLS) for found in self._of_pool(one))

    def _of_pool(self, pool: Resource) -> Iterator[tuple[Person, _Use]]:
        roles, unknown = pool.root.member("roles")
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

    def _at(self, one: Resource, path: str) -> Iterable[Person]:
        """The roles of this input that an attribute names, at most one block deep."""
        outer, _, inner = path.rpartition(".")
        if not outer:
            text = one.known(inner)
            return self._named(text, one) if text else self._later(one, inner)
        blocks = trees(one.content.get(outer))
        texts = [str(block.get(inner)) for block in blocks if block.get(inner)]
        if texts:
            return [person for text in texts for person in self._named(text, one)]
        return self._later(one, outer)

    def _named(self, text: str, one: Resource) -> list[Person]:
        return self._roles.known(text, one)

    def _later(self, one: Resource, key: str) -> list[Person]:
        world = self._ground.world
        unknown = [mention for mention in one.mentions(key) if not world.is_known(mention)]
        return [person for mention in unknown for person in self._roles.mentioned(mention)]


def _served(people: Iterable[Person], pool: Resource, *, anonymous: bool) -> Iterator[tuple[Person, _Use]]:
    users = f"{'unauthenticated ' if anonymous else ''}users of {pool.address}"
    for person in people:
        yield person, _Use(HolderKind.END_USER, f"serves {users}")


def _gathered(found: Iterable[tuple[Person, _Use]]) -> dict[Person, list[_Use]]:
    gathered: dict[Person, list[_Use]] = {}
    for person, use in found:
        gathered.setdefault(person, []).append(use)
    return gathered
