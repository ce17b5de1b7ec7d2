"""The uses of a role: which properties name it, who uses it then, and what an integration calls with it.

One table for both languages. An empty cell is a property that the language lacks, or that nobody reads yet.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, NamedTuple, Protocol, TypeVar

from tablegate.dialects.resource import Spelling
from tablegate.iam.grants import HolderKind
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
    calls_of_gateway,
    calls_of_resolvers,
    calls_of_state_machine,
)

Resource = TypeVar("Resource")
"""A resource, as the dialect reads it."""
Role = TypeVar("Role")
Role_co = TypeVar("Role_co", covariant=True)
"""A holder in the making."""


class RoleReader(Protocol[Resource, Role_co]):
    """One input, as far as it tells who uses its roles. A path leads through nested blocks or mappings: ``a.b``."""

    @property
    def column(self) -> int:
        """The language: ``TERRAFORM`` or ``CLOUDFORMATION``."""
        ...

    def resources(self, type_: str) -> Iterable[Resource]:
        """The resources of a type."""
        ...

    def address_of(self, resource: Resource) -> str:
        """The address of a resource."""
        ...

    def roles(self, resource: Resource, path: str) -> Iterable[Role_co]:
        """The roles of this input that a property names: by reference, name or ARN."""
        ...

    def text(self, resource: Resource, path: str) -> str | None:
        """A text; None if it is not known. Symbols stand for unknown parts, and are not ASCII."""
        ...

    def pool_roles(self) -> Iterable[tuple[Role_co, str, bool]]:
        """Roles of identity pools, with the address of the pool, and whether its users need not sign in."""
        ...

    def names_stream(self, resource: Resource, path: str) -> bool | None:
        """Whether a property names the stream of a table."""
        ...

    def definition(self, machine: Resource) -> tuple[object, Mapping[str, str]]:
        """The definition of a state machine, and the texts that replace its placeholders."""
        ...

    def programs(self, source: Resource) -> Iterable[str | None]:
        """The code and templates of the resolvers that use a data source."""
        ...


_TABLE_SOURCE = "AMAZON_DYNAMODB"
_URI = Spelling("uri", "Integration.Uri")
_SUBTYPE = Spelling("integration_subtype", "IntegrationSubtype")
_TYPE = Spelling("type", "Type")
_SOURCE = Spelling("source", "Source")


def _of_machine(reader: RoleReader[Resource, Role], machine: Resource) -> Calls:
    return calls_of_state_machine(*reader.definition(machine))


def _of_method(reader: RoleReader[Resource, Role], method: Resource) -> Calls:
    return calls_of_gateway(reader.text(method, _URI[reader.column]))


def _of_http_integration(reader: RoleReader[Resource, Role], integration: Resource) -> Calls:
    """An integration of an HTTP interface with a service has a subtype, and DynamoDB has none."""
    return NOTHING if reader.text(integration, _SUBTYPE[reader.column]) else None


def _of_data_source(reader: RoleReader[Resource, Role], source: Resource) -> Calls:
    kind = reader.text(source, _TYPE[reader.column])
    if kind == _TABLE_SOURCE:
        return calls_of_resolvers(reader.programs(source))
    return NOTHING if kind and kind.isascii() else None


def _of_pipe(reader: RoleReader[Resource, Role], pipe: Resource) -> Calls:
    match reader.names_stream(pipe, _SOURCE[reader.column]):
        case True:
            return READS_STREAMS
        case False:
            return NOTHING
    return None


def _of_rule(_: RoleReader[Resource, Role], __: Resource) -> Calls:
    return PUTS


class Use(NamedTuple):
    """A property that names a role, and who uses the role then. An integration has a service and what it calls."""

    kind: HolderKind
    spelling: Spelling
    service: str = ""
    calls: Callable[[RoleReader[Any, Any], Any], Calls] | None = None


_RUNTIME, _DEPLOY, _SERVICE = HolderKind.RUNTIME, HolderKind.DEPLOY, HolderKind.SERVICE
_METHOD = Spelling("aws_api_gateway_integration.credentials", "AWS::ApiGateway::Method.Integration.Credentials")
_HTTP = Spelling("aws_apigatewayv2_integration.credentials_arn", "AWS::ApiGatewayV2::Integration.CredentialsArn")
_DATA_SOURCE = Spelling("aws_appsync_datasource.service_role_arn", "AWS::AppSync::DataSource.ServiceRoleArn")
_RUNNER = Spelling(
    "aws_apprunner_service.instance_configuration.instance_role_arn",
    "AWS::AppRunner::Service.InstanceConfiguration.InstanceRoleArn",
)
_JOB = Spelling(
    "aws_batch_job_definition.container_properties.jobRoleArn",
    "AWS::Batch::JobDefinition.ContainerProperties.JobRoleArn",
)
_POD = Spelling("aws_eks_pod_identity_association.role_arn", "AWS::EKS::PodIdentityAssociation.RoleArn")
_RULE = "AWS::IoT::TopicRule.TopicRulePayload.Actions"
_PUT = Spelling("aws_iot_topic_rule.dynamodb.role_arn", f"{_RULE}.DynamoDB.RoleArn")
_PUT_V2 = Spelling("aws_iot_topic_rule.dynamodbv2.role_arn", f"{_RULE}.DynamoDBv2.RoleArn")
_MACHINE = Spelling("aws_sfn_state_machine.role_arn", "AWS::StepFunctions::StateMachine.RoleArn")
_SCALING = Spelling("aws_appautoscaling_target.role_arn", "AWS::ApplicationAutoScaling::ScalableTarget.RoleARN")
_BACKUP = Spelling("aws_backup_selection.iam_role_arn", "AWS::Backup::BackupSelection.BackupSelection.IamRoleArn")

USES = (
    Use(_RUNTIME, _METHOD, GATEWAY, _of_method),
    Use(_RUNTIME, _HTTP, GATEWAY, _of_http_integration),
    Use(_RUNTIME, _DATA_SOURCE, RESOLVERS, _of_data_source),
    Use(_RUNTIME, _RUNNER),
    Use(_RUNTIME, _JOB),
    Use(_RUNTIME, Spelling("aws_cloudwatch_event_target.role_arn", "AWS::Events::Rule.Targets.RoleArn")),
    Use(_RUNTIME, Spelling("aws_ecs_task_definition.task_role_arn", "AWS::ECS::TaskDefinition.TaskRoleArn")),
    Use(_RUNTIME, _POD),
    Use(_RUNTIME, Spelling("aws_glue_job.role_arn", "AWS::Glue::Job.Role")),
    Use(_RUNTIME, Spelling("aws_iam_instance_profile.role", "AWS::IAM::InstanceProfile.Roles")),
    Use(_RUNTIME, _PUT, RULES, _of_rule),
    Use(_RUNTIME, _PUT_V2, RULES, _of_rule),
    Use(_RUNTIME, Spelling("aws_lambda_function.role", "AWS::Lambda::Function.Role")),
    Use(_RUNTIME, Spelling("", "AWS::Serverless::Function.Role")),
    Use(_RUNTIME, Spelling("aws_pipes_pipe.role_arn", "AWS::Pipes::Pipe.RoleArn"), PIPES, _of_pipe),
    Use(_RUNTIME, Spelling("aws_sagemaker_model.execution_role_arn", "AWS::SageMaker::Model.ExecutionRoleArn")),
    Use(_RUNTIME, Spelling("aws_scheduler_schedule.target.role_arn", "AWS::Scheduler::Schedule.Target.RoleArn")),
    Use(_RUNTIME, _MACHINE, STATES, _of_machine),
    Use(_RUNTIME, Spelling("", "AWS::Serverless::StateMachine.Role"), STATES, _of_machine),
    Use(_DEPLOY, Spelling("aws_cloudformation_stack.iam_role_arn")),
    Use(_DEPLOY, Spelling("aws_codebuild_project.service_role", "AWS::CodeBuild::Project.ServiceRole")),
    Use(_DEPLOY, Spelling("aws_codepipeline.role_arn", "AWS::CodePipeline::Pipeline.RoleArn")),
    Use(_SERVICE, _SCALING),
    Use(_SERVICE, _BACKUP),
)
DAX = Spelling("aws_dax_cluster.iam_role_arn", "AWS::DAX::Cluster.IAMRoleARN")
DAX_SERVICE = "dax.amazonaws.com"
DAX_USE = (HolderKind.SERVICE, "it is a DAX cluster's")


def uses_of(reader: RoleReader[Resource, Role]) -> Iterator[tuple[Role, HolderKind, str]]:
    """Each role that a resource uses, with the kind of its user and the evidence in words."""
    for use in USES:
        for resource, role in _roles_at(reader, use.spelling):
            yield role, use.kind, f"used by {reader.address_of(resource)}"


def calls_of(reader: RoleReader[Resource, Role]) -> Iterator[tuple[Role, str, Calls]]:
    """Each role that an integration uses, with its service and the actions that it calls."""
    for use in USES:
        if use.calls is not None:
            for resource, role in _roles_at(reader, use.spelling):
                yield role, use.service, use.calls(reader, resource)


def dax_roles(reader: RoleReader[Resource, Role]) -> Iterator[Role]:
    """The roles of DAX clusters."""
    for _, role in _roles_at(reader, DAX):
        yield role


def served_by(reader: RoleReader[Resource, Role]) -> Iterator[tuple[Role, HolderKind, str]]:
    """Each role that end users hold by an identity pool, some without having signed in."""
    for role, address, anonymous in reader.pool_roles():
        yield role, HolderKind.END_USER, f"serves {'unauthenticated ' if anonymous else ''}users of {address}"


def _roles_at(reader: RoleReader[Resource, Role], spelling: Spelling) -> Iterator[tuple[Resource, Role]]:
    type_, _, path = spelling[reader.column].partition(".")
    for resource in reader.resources(type_) if type_ else ():
        for role in reader.roles(resource, path):
            yield resource, role
