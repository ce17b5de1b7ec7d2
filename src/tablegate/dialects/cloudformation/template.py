"""A template's sections, the resource types that are read, and those that are not covered."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence

from tablegate.dialects.cloudformation.values import UNFILLED, is_scalar, scalar_of
from tablegate.dialects.reading import Faults
from tablegate.model.record import record, replace
from tablegate.model.table import GLOBAL_TABLE, SIMPLE_TABLE, TABLE
from tablegate.syntax.node import Node
from tablegate.syntax.raw_text import may_say

STACK_SET = "AWS::CloudFormation::StackSet"
_MAKE_OTHERS = {
    STACK_SET: "a child stack is not covered: tables in it are not checked",
    "AWS::CloudFormation::Macro": "a macro is not covered: its changes to other templates are not checked",
}
MODULE = "Rain::Module"
DIRECTIVES = ("Rain::Embed", "Rain::Env", "Rain::Include", MODULE, "Rain::S3", "Rain::S3Http")
CHECK_THE_RESULT = "check the template after its transforms"
PACKAGE = "check what rain makes of it: rain pkg TEMPLATE"
_HARMLESS = frozenset({"AWS::DynamoDB::Backup"})
_TABLE_LIKE = r"(?i)dynamo|(?<!route)table"
_HINTS = {STACK_SET: "check its template separately"}


def is_module(type_: Node | None) -> bool:
    """Whether a type is a module: its resources have logical ids that begin with the module's own."""
    content = type_.content if type_ is not None else None
    return MODULE in content if isinstance(content, dict) else isinstance(content, str) and content.endswith("::MODULE")


def report_uncovered(type_: str, known: Collection[str], node: Node, faults: Faults) -> bool:
    """Report a resource of a type that is not read but may matter. False if it does not matter."""
    body = node.content if isinstance(node.content, dict) else {}
    where = body.get("Type", node)
    similar = {name.lower(): name for name in known}.get(type_.strip().lower())
    if similar is not None:
        faults.unreadable(f"the type {type_!r} is not {similar!r}", where, f"write {similar}")
    elif not type_.isascii():
        faults.unreadable(f"the type {type_!r} has characters that no type has", where, "write it in plain ASCII")
    elif type_ in _MAKE_OTHERS:
        faults.incomplete(_MAKE_OTHERS[type_], node, _HINTS.get(type_))
    elif type_.endswith("::MODULE"):
        faults.incomplete(f"the module {type_} is not covered: tables in it are not checked", node)
    elif type_.startswith("Custom::") and re.search(_TABLE_LIKE, type_):
        faults.incomplete(f"the custom resource {type_} is not covered: it may make a table", node)
    elif type_.strip().lower().startswith("aws::dynamodb::") and type_ not in _HARMLESS:
        faults.incomplete(f"the type {type_} is not covered", node)
    else:
        return False
    return True


SCALABLE_TARGET = "AWS::ApplicationAutoScaling::ScalableTarget"
SCALING_POLICY = "AWS::ApplicationAutoScaling::ScalingPolicy"
DAX_CLUSTER = "AWS::DAX::Cluster"
BACKUP_SELECTION = "AWS::Backup::BackupSelection"
ALARM = "AWS::CloudWatch::Alarm"
EVENT_SOURCE_MAPPING = "AWS::Lambda::EventSourceMapping"
PIPE = "AWS::Pipes::Pipe"
MACHINE = "AWS::StepFunctions::StateMachine"
METHOD = "AWS::ApiGateway::Method"
DATA_SOURCE = "AWS::AppSync::DataSource"
RESOLVER = "AWS::AppSync::Resolver"
RESOLVER_FUNCTION = "AWS::AppSync::FunctionConfiguration"
TOPIC_RULE = "AWS::IoT::TopicRule"
FUNCTION = "AWS::Serverless::Function"
KINESIS_STREAM = "AWS::Kinesis::Stream"
KEY = "AWS::KMS::Key"
REPLICA_KEY = "AWS::KMS::ReplicaKey"
KEY_ALIAS = "AWS::KMS::Alias"
KEYS = (KEY, REPLICA_KEY)
LEGACY_REPLICA = "Custom::DynamoDBReplica"
STACK = "AWS::CloudFormation::Stack"
APPLICATION = "AWS::Serverless::Application"

POLICY = "AWS::IAM::Policy"
MANAGED_POLICY = "AWS::IAM::ManagedPolicy"
ROLE_POLICY = "AWS::IAM::RolePolicy"
USER_POLICY = "AWS::IAM::UserPolicy"
GROUP_POLICY = "AWS::IAM::GroupPolicy"
ROLE = "AWS::IAM::Role"
USER = "AWS::IAM::User"
GROUP = "AWS::IAM::Group"
MEMBERSHIP = "AWS::IAM::UserToGroupAddition"
ENDPOINT = "AWS::EC2::VPCEndpoint"
PERMISSION_SET = "AWS::SSO::PermissionSet"
ORGANIZATION_POLICY = "AWS::Organizations::Policy"
POOL_ROLES = "AWS::Cognito::IdentityPoolRoleAttachment"
POD_IDENTITY = "AWS::EKS::PodIdentityAssociation"
TRANSFER_USER = "AWS::Transfer::User"
STATE_MACHINE = "AWS::Serverless::StateMachine"
GRAPHQL_API = "AWS::Serverless::GraphQLApi"
CONNECTOR = "AWS::Serverless::Connector"

TABLES = (TABLE, GLOBAL_TABLE, SIMPLE_TABLE)
ACCESS = (
    POLICY,
    MANAGED_POLICY,
    ROLE_POLICY,
    USER_POLICY,
    GROUP_POLICY,
    ROLE,
    USER,
    GROUP,
    MEMBERSHIP,
    ENDPOINT,
    PERMISSION_SET,
    ORGANIZATION_POLICY,
    POOL_ROLES,
    POD_IDENTITY,
    TRANSFER_USER,
    STATE_MACHINE,
    MACHINE,
    METHOD,
    DATA_SOURCE,
    RESOLVER,
    RESOLVER_FUNCTION,
    TOPIC_RULE,
    GRAPHQL_API,
    CONNECTOR,
)
"""Types that are read only for their policy documents, or for the integrations that use a role."""
USERS_OF_ROLES = (
    "AWS::ApiGatewayV2::Integration",
    "AWS::AppRunner::Service",
    "AWS::Batch::JobDefinition",
    "AWS::CodeBuild::Project",
    "AWS::CodePipeline::Pipeline",
    "AWS::ECS::TaskDefinition",
    "AWS::Events::Rule",
    "AWS::Glue::Job",
    "AWS::IAM::InstanceProfile",
    "AWS::Lambda::Function",
    "AWS::SageMaker::Model",
    "AWS::Scheduler::Schedule",
)
"""Types that are read only for the role that they use, and so matter only beside one."""
READ = frozenset(
    (
        *TABLES,
        SCALABLE_TARGET,
        SCALING_POLICY,
        DAX_CLUSTER,
        BACKUP_SELECTION,
        ALARM,
        EVENT_SOURCE_MAPPING,
        PIPE,
        FUNCTION,
        KINESIS_STREAM,
        *KEYS,
        KEY_ALIAS,
        LEGACY_REPLICA,
        *ACCESS,
        *USERS_OF_ROLES,
        STACK,
        APPLICATION,
    )
)

SERVERLESS = "AWS::Serverless-2016-10-31"
LANGUAGE_EXTENSIONS = "AWS::LanguageExtensions"
LOOP = "Fn::ForEach"
INCLUDE = "AWS::Include"
INSERTED = "Fn::Transform"
_RESOURCES, MAPPINGS, CONDITIONS = "Resources", "Mappings", "Conditions"
_MAY_ADD = {
    _RESOURCES: "resources that are not checked",
    MAPPINGS: "mappings that are not known",
    CONDITIONS: "conditions that are not known",
}
"""The sections that resources are read with, and what a macro in one of them may add."""
_HARMLESS_TRANSFORMS = ("AWS::CodeDeployBlueGreen", "AWS::CodeStar", "AWS::SecretsManager-", "AWS::ServiceCatalog")
"""Transforms of AWS that rewrite nothing that is read, by the beginning of their names."""


@record(eq=False, kw_only=False)
class ResourceEntry:
    """One entry of ``Resources``."""

    address: str
    type: str
    node: Node
    body: Mapping[str, Node]


@record(eq=False)
class Template:
    """A template's sections, and its resources of the types that are read."""

    file: str
    parameters: Mapping[str, Node]
    mappings: Mapping[str, Node]
    conditions: Mapping[str, Node]
    rules: Mapping[str, Node]
    outputs: Mapping[str, Node]
    names: Mapping[str, Node]
    resources: Mapping[str, Sequence[ResourceEntry]]
    macros: tuple[str, ...]  # those that may rewrite anything
    open_sections: frozenset[str]  # those to which a macro may add entries
    rewritten: frozenset[str]  # those whose entries a macro may change
    serverless: bool

    @property
    def has_open_resources(self) -> bool:
        """Whether a macro may add resources of any name."""
        return _RESOURCES in self.open_sections

    @property
    def tables(self) -> tuple[str, ...]:
        """The logical ids of its tables."""
        return tuple(resource.address for resource in self.of(*TABLES))

    def of(self, *types: str) -> Iterable[ResourceEntry]:
        """The resources of these types, in the template's order."""
        if len(types) == 1:
            return self.resources.get(types[0], ())
        return [resource for type_ in types for resource in self.resources.get(type_, ())]

    def named(self, address: str, type_: str) -> ResourceEntry | None:
        """The resource with this logical id, if it is of this type."""
        node = self.names.get(address)
        body = node.content if node is not None else None
        if node is None or not isinstance(body, dict) or "Type" not in body or body["Type"].content != type_:
            return None
        return ResourceEntry(address, type_, node, body)


def is_read(type_: str) -> bool:
    """Whether resources of this type are read."""
    return type_ in READ or type_ == STACK_SET


def transforms_of(root: Mapping[str, Node]) -> tuple[str, ...]:
    """The names of the transforms that the template asks for, in order."""
    node = root.get("Transform")
    if node is None:
        return ()
    listed = node.content if isinstance(node.content, (list, tuple)) else (node,)
    return tuple(name for name in map(_transform_name, listed) if name)


def section_of(root: Mapping[str, Node], name: str, faults: Faults) -> Mapping[str, Node]:
    """One section of the template; empty if it is absent."""
    node = root.get(name)
    if node is None or node.content is None:
        return {}
    if isinstance(node.content, dict):
        return node.content
    faults.unreadable(f"{name} must be a mapping", node)
    return {}


def template_of(file: str, root: Mapping[str, Node], faults: Faults, trusted: Collection[str] = ()) -> Template | None:
    """The template; None if it has no resources. ``trusted`` are macros that leave alone what is read."""
    entries = root.get(_RESOURCES)
    transforms = transforms_of(root)
    if entries is None and (INSERTED in root or INCLUDE in transforms):
        entries = Node({}, 1, 1)  # a macro may insert them
    if entries is None or not isinstance(entries.content, dict):
        where = entries or next(iter(root.values()), None) or Node(None, 1, 1)
        what = "a template needs Resources" if entries is None else "Resources must be a mapping of logical ids"
        faults.unreadable(what, where, "give a CloudFormation template with a Resources section")
        return None
    return replace(
        bare_template(file, root, faults, trusted),
        names=entries.content,
        resources=_resources(entries.content, faults),
        macros=_macros(root, faults, trusted),
        serverless=SERVERLESS in transforms,
    )


def bare_template(file: str, root: Mapping[str, Node], faults: Faults, trusted: Collection[str] = ()) -> Template:
    """The template's sections, without its resources."""
    inserted = _inserted(root, trusted)
    at_the_top = any(name == INCLUDE or _rewrites(name) for name, _ in _transforms(root, trusted))
    return Template(
        file=file,
        parameters=section_of(root, "Parameters", faults),
        mappings=section_of(root, "Mappings", faults),
        conditions=section_of(root, "Conditions", faults),
        rules=section_of(root, "Rules", faults),
        outputs=section_of(root, "Outputs", faults),
        names={},
        resources={},
        macros=(),
        open_sections=frozenset(_MAY_ADD if at_the_top else inserted),
        rewritten=frozenset(name for name, node in inserted.items() if _transform_name(node) != INCLUDE),
        serverless=False,
    )


def _transforms(root: Mapping[str, Node], trusted: Collection[str]) -> list[tuple[str, Node]]:
    """The transforms of the whole template, but for trusted ones, each with the node that names it."""
    named = [(name, root["Transform"]) for name in transforms_of(root)]
    if INSERTED in root:
        named.append((_transform_name(root[INSERTED]) or INSERTED, root[INSERTED]))
    return [(name, node) for name, node in named if name not in trusted]


def _inserted(root: Mapping[str, Node], trusted: Collection[str]) -> Mapping[str, Node]:
    """The macros that stand in sections, among the entries, by the name of the section."""
    sections = {name: root[name].content for name in _MAY_ADD if name in root}
    return {
        name: content[INSERTED]
        for name, content in sections.items()
        if isinstance(content, dict) and INSERTED in content and _transform_name(content[INSERTED]) not in trusted
    }


def _rewrites(name: str) -> bool:
    """Whether a transform of the whole template may rewrite anything."""
    return name not in (INCLUDE, SERVERLESS, LANGUAGE_EXTENSIONS) and not name.startswith(_HARMLESS_TRANSFORMS)


def _transform_name(node: Node) -> str | None:
    content = node.content
    if isinstance(content, dict):
        name = content.get("Name")
        return scalar_of(name) if name is not None and is_scalar(name) else None
    return scalar_of(node) if is_scalar(node) else None


def _unnamed_transforms(root: Mapping[str, Node]) -> Iterable[Node]:
    """What is listed as a transform and has no name, so that nobody knows what it rewrites."""
    node = root.get("Transform")
    if node is None or node.content is None:
        return ()
    listed = node.content if isinstance(node.content, (list, tuple)) else (node,)
    return [item for item in listed if not _transform_name(item)]


def _macros(root: Mapping[str, Node], faults: Faults, trusted: Collection[str]) -> tuple[str, ...]:
    """The macros that may rewrite any resource. What a macro may add is reported."""
    for unnamed in _unnamed_transforms(root):
        faults.unreadable("a transform must be a name, or a mapping with a Name", unnamed)
    macros = []
    for name, node in _transforms(root, trusted):
        if name == INCLUDE:
            faults.incomplete(f"{INCLUDE} may add {_MAY_ADD[_RESOURCES]}", node)
        elif _rewrites(name):
            macros.append(name)
            faults.incomplete(
                f"the macro {name} can rewrite this template: its values are unknown",
                node,
                "check the result: aws cloudformation get-template --template-stage Processed",
            )
    for section, node in _inserted(root, trusted).items():
        name = _transform_name(node) or INSERTED
        faults.incomplete(f"{name} may add {_MAY_ADD[section]}", node)
        if name != INCLUDE and section == _RESOURCES:
            macros.append(name)
    return tuple(macros)


def _resources(entries: Mapping[str, Node], faults: Faults) -> Mapping[str, Sequence[ResourceEntry]]:
    by_type: dict[str, list[ResourceEntry]] = {}
    ignored: set[str] = set()
    for address, node in entries.items():
        body = node.content
        type_node = body.get("Type") if isinstance(body, dict) else None
        type_ = type_node.content if type_node is not None else None
        if not isinstance(body, dict) or not isinstance(type_, str):
            _report_shape(address, node, type_node, faults)
        elif type_.startswith(UNFILLED):
            faults.incomplete("the type of this resource is filled in before the deploy", type_node, blocks=True)
        elif type_ in READ:
            by_type.setdefault(type_, []).append(ResourceEntry(address, type_, node, body))
        elif type_ not in ignored and not report_uncovered(type_, READ, node, faults):
            ignored.add(type_)
    return by_type


def _report_shape(address: str, node: Node, type_: Node | None, faults: Faults) -> None:
    if address == INSERTED:
        return
    if address.startswith("Fn::ForEach"):
        faults.unreadable("Fn::ForEach needs its transform", node, "add Transform: AWS::LanguageExtensions")
    elif not isinstance(node.content, dict):
        faults.unreadable("a resource must be a mapping with a Type", node)
    elif type_ is None and INSERTED in node.content:
        faults.incomplete("a macro may insert a table here, which is not checked", node)
    elif type_ is None:
        faults.unreadable("a resource needs a Type", node)
    elif is_module(type_):
        faults.incomplete("a module of rain is not covered: tables in it are not checked", node, PACKAGE)
    else:
        faults.unreadable("Type must be a text", type_)


_RESOURCE_POLICY = "ResourcePolicy"


def may_hold_documents(template: Template, text: str) -> bool:
    """Whether anything in a template may hold a policy document."""
    return (
        template.serverless
        or any(type_ in template.resources for type_ in (*ACCESS, FUNCTION, *KEYS))
        or may_say(text, _RESOURCE_POLICY, "ForEach")  # a loop makes keys
    )
