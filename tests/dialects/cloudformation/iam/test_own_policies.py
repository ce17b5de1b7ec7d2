"""Documents that resources hold of their own: tables, replicas, streams, keys, endpoints, and limits."""

from __future__ import annotations

from textwrap import dedent, indent

import pytest

from support.planned_access import counted, grants, holders
from support.templates import reading
from tablegate.dialects.reading import Reading
from tablegate.iam.grants import DocumentRole, HolderForm

OPEN = "{Statement: {Effect: Allow, Principal: '*', Action: dynamodb:GetItem, Resource: '*'}}"
SCHEMA = "KeySchema: [{AttributeName: pk, KeyType: HASH}]"
HOME = "arn:${partition}:dynamodb:${region}:${account}:table/orders"


def resources(text: str, head: str = "") -> Reading:
    """A template of these resources, which has to be read without a blocking fault."""
    found = reading(f"{dedent(head)}\nResources:\n{indent(dedent(text).strip(), '  ')}\n")
    assert [fault.message for fault in found.faults if fault.blocks] == []
    return found


def told(found: Reading) -> list[tuple[str, str, str, str, str | None]]:
    """Address, form, statement, role and target of each grant."""
    assert found.estate is not None
    return [
        (
            grant.address,
            grant.holder.form.value,
            grant.label,
            grant.role.value,
            grant.target and grant.document.shown(grant.target),
        )
        for grant in found.estate.grants
    ]


def test_tables_and_streams() -> None:
    """A table and its stream each have a policy, at the table's address."""
    found = resources(
        f"""
        Orders:
          Type: AWS::DynamoDB::Table
          Properties:
            TableName: orders
            {SCHEMA}
            ResourcePolicy: {{PolicyDocument: {OPEN}}}
            StreamSpecification: {{StreamViewType: NEW_IMAGE, ResourcePolicy: {{PolicyDocument: {OPEN}}}}}
        """
    )
    assert told(found) == [
        ("Orders", "table", "0", "resource", HOME),
        ("Orders", "stream", "stream/0", "resource", f"{HOME}/stream/${{Orders.StreamArn}}"),
    ]
    assert found.estate is not None
    assert [(holder.name, holder.why) for holder in found.estate.holders] == [
        ("orders", "the policy of a stream"),
        ("orders", "the policy of a table"),
    ]
    assert counted(found) == (2, 0, 0)


def test_each_replica_has_its_own() -> None:
    """The policy of one region says nothing about another."""
    found = resources(
        f"""
        Orders:
          Type: AWS::DynamoDB::GlobalTable
          Properties:
            TableName: orders
            {SCHEMA}
            StreamSpecification: {{StreamViewType: NEW_AND_OLD_IMAGES}}
            Replicas:
              - {{Region: us-east-1, ResourcePolicy: {{PolicyDocument: {OPEN}}}}}
              - Region: eu-west-1
                ReplicaStreamSpecification: {{ResourcePolicy: {{PolicyDocument: {OPEN}}}}}
        """
    )
    east, west = (f"arn:aws:dynamodb:{region}:${{account}}:table/orders" for region in ("us-east-1", "eu-west-1"))
    assert told(found) == [
        ("Orders", "stream", "eu-west-1/stream/0", "resource", f"{west}/stream/${{Orders.StreamArn}}"),
        ("Orders", "table", "us-east-1/0", "resource", east),
    ]


def test_the_size_of_a_policy() -> None:
    """DynamoDB takes so many bytes: they are counted as short as JSON can be."""
    found = resources(
        f"""
        Orders:
          Type: AWS::DynamoDB::Table
          Properties: {{TableName: orders, {SCHEMA}, ResourcePolicy: {{PolicyDocument: {OPEN}}}}}
        """
    )
    assert found.estate is not None
    expected = '{"Statement":{"Effect":"Allow","Principal":"*","Action":"dynamodb:GetItem","Resource":"*"}}'
    assert [grant.document.size for grant in found.estate.grants] == [len(expected)]


PRINCIPALS = [
    ("'*'", [("*", "*")], False),
    ("{AWS: '*'}", [("*", "*")], False),
    ("{AWS: ['*']}", [("*", "*")], False),
    ("{AWS: !GetAtt Worker.Arn}", [("AWS", "arn:${partition}:iam::${account}:role/worker")], False),
    ("{AWS: !Sub 'arn:aws:iam::${AWS::AccountId}:root'}", [("AWS", "arn:aws:iam::${account}:root")], False),
    ("{AWS: !Ref AWS::AccountId}", [("AWS", "${account}")], False),
    ("{Service: [redshift.amazonaws.com]}", [("Service", "redshift.amazonaws.com")], False),
    ("{AWS: !Ref Reader}", [], True),
]


@pytest.mark.parametrize(("spelled", "expected", "doubtful"), PRINCIPALS)
def test_principals(spelled: str, expected: list[tuple[str, str]], doubtful: bool) -> None:
    """Whoever is let in is told as far as it is known: an own role is of the own account."""
    document = f"{{Statement: {{Effect: Allow, Principal: {spelled}, Action: dynamodb:GetItem, Resource: '*'}}}}"
    found = resources(
        f"""
        Orders:
          Type: AWS::DynamoDB::Table
          Properties:
            TableName: orders
            {SCHEMA}
            ResourcePolicy: {{PolicyDocument: {document}}}
        Worker:
          Type: AWS::IAM::Role
          Properties: {{RoleName: worker, AssumeRolePolicyDocument: {{Statement: []}}}}
        """,
        "Parameters: {Reader: {Type: String}}",
    )
    (grant,) = holders(found)["Orders"].grants
    principals = grant.statement.principals
    assert principals is not None
    assert [(it.kind.value, grant.document.shown(it.text)) for it in principals.items] == expected
    assert (principals.doubt is not None) is doubtful


@pytest.mark.parametrize("type_", ["AWS::KMS::Key", "AWS::KMS::ReplicaKey"])
def test_keys_of_tables(type_: str) -> None:
    """Only a key that encrypts a table of the template is of interest."""
    document = "{Statement: {Effect: Allow, Principal: '*', Action: 'kms:*', Resource: '*'}}"
    found = resources(
        f"""
        Orders:
          Type: AWS::DynamoDB::Table
          Properties:
            {SCHEMA}
            SSESpecification: {{SSEEnabled: true, SSEType: KMS, KMSMasterKeyId: !GetAtt Mine.Arn}}
        Mine: {{Type: "{type_}", Properties: {{PrimaryKeyArn: a, KeyPolicy: {document}}}}}
        Other: {{Type: "{type_}", Properties: {{KeyPolicy: {document}}}}}
        """
    )
    assert {address: (holder.form, grants(holder)) for address, holder in holders(found).items()} == {
        "Mine": (HolderForm.KEY, ["Mine 0: Allow kms:* on *"])
    }


@pytest.mark.parametrize(
    ("service", "ours"),
    [
        ("!Sub 'com.amazonaws.${AWS::Region}.dynamodb'", True),
        ("com.amazonaws.eu-west-1.dynamodb-streams", True),
        ("!Join ['.', [com.amazonaws, !Ref AWS::Region, dynamodb]]", True),
        ("com.amazonaws.eu-west-1.s3", False),
    ],
)
def test_endpoints_for_dynamodb(service: str, ours: bool) -> None:
    """Other services' endpoints let no request to a table pass."""
    found = resources(
        f"""
        Gate:
          Type: AWS::EC2::VPCEndpoint
          Properties: {{ServiceName: {service}, VpcId: v, PolicyDocument: {OPEN}}}
        """
    )
    assert [(address, role) for address, _, _, role, _ in told(found)] == ([("Gate", "channel")] if ours else [])


def test_an_endpoint_without_a_policy() -> None:
    """It is there, and holds nothing back."""
    found = resources(
        "Gate: {Type: AWS::EC2::VPCEndpoint, Properties: {ServiceName: com.amazonaws.eu-west-1.dynamodb, VpcId: v}}"
    )
    assert (holders(found)["Gate"].form, grants(holders(found)["Gate"])) == (HolderForm.ENDPOINT, [])


@pytest.mark.parametrize(
    "resource",
    [
        "{Type: AWS::Organizations::Policy, Properties: {Type: SERVICE_CONTROL_POLICY, Content: %s}}",
        "{Type: AWS::Organizations::Policy, Properties: {Type: RESOURCE_CONTROL_POLICY, Content: %s}}",
        "{Type: AWS::EKS::PodIdentityAssociation, Properties: {Policy: %s}}",
        "{Type: AWS::Transfer::User, Properties: {Policy: %s}}",
    ],
)
def test_limits_grant_nothing(resource: str) -> None:
    """A ceiling is read, counted, and in nobody's hands."""
    document = "{Statement: {Effect: Allow, Action: '*', Resource: '*'}}"
    found = resources(f"Limit: {resource % document}")
    assert told(found) == [("Limit", "unattached", "0", "ceiling", None)]
    assert counted(found) == (1, 0, 0)
    assert [grant.role for grant in holders(found)["Limit"].grants] == [DocumentRole.CEILING]


def test_other_policies_of_an_organization() -> None:
    """A tag policy is no policy of IAM's."""
    found = resources("Limit: {Type: AWS::Organizations::Policy, Properties: {Type: TAG_POLICY, Content: {tags: {}}}}")
    assert (told(found), counted(found)) == ([], (0, 0, 0))


def test_shapes_of_resource_policies() -> None:
    """A policy that is no mapping, or has no document, is a fault."""
    for policy, what in (("x", "must be a mapping"), ("{}", "a ResourcePolicy needs a PolicyDocument")):
        found = reading(
            f"""
            Resources:
              Orders:
                Type: AWS::DynamoDB::Table
                Properties:
                  {SCHEMA}
                  ResourcePolicy: {policy}
            """
        )
        assert what in "; ".join(fault.message for fault in found.faults if fault.blocks)


def test_a_table_that_a_macro_rewrites_has_no_policy_here() -> None:
    """Nothing of it is known, and that is said where its facts are."""
    found = reading(
        f"""
        Transform: Rewriter
        Resources:
          Orders: {{Type: AWS::DynamoDB::Table, Properties: {{ResourcePolicy: {{PolicyDocument: {OPEN}}}}}}}
        """
    )
    assert told(found) == []
