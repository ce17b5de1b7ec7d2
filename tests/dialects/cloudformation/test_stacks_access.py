"""Access in nested stacks: holders with their addresses, over the scenarios of the parent."""

from __future__ import annotations

from textwrap import dedent

from tablegate.dialects import read
from tablegate.dialects.reading import ReadOptions
from tablegate.iam.grants import Grant, HolderKind
from tablegate.iam.holders import Holder
from tablegate.model.estate import Estate
from tablegate.syntax.source import Beside, Source

CHILD = """
    Parameters: {Wide: {Type: String, Default: 'no'}}
    Conditions: {IsWide: !Equals [!Ref Wide, 'yes']}
    Resources:
      Key:
        Type: AWS::KMS::Key
        Properties:
          KeyPolicy: {Statement: [{Effect: Allow, Principal: '*', Action: 'kms:*', Resource: '*'}]}
      Orders:
        Type: AWS::DynamoDB::Table
        Properties: {SSESpecification: {SSEEnabled: true, SSEType: KMS, KMSMasterKeyId: !GetAtt Key.Arn}}
      Role:
        Type: AWS::IAM::Role
        Properties:
          Policies:
            - PolicyName: own
              PolicyDocument:
                Statement:
                  - {Sid: Read, Effect: Allow, Action: 'dynamodb:GetItem', Resource: !GetAtt Orders.Arn}
                  - !If
                    - IsWide
                    - {Sid: All, Effect: Allow, Action: 'dynamodb:*', Resource: '*'}
                    - !Ref AWS::NoValue
"""
PARENT = """
    Parameters: {{Env: {{Type: String, AllowedValues: [dev, prod]}}}}
    Conditions: {{IsDev: !Equals [!Ref Env, dev]}}
    Resources:
      Child:
        Type: AWS::CloudFormation::Stack
        Properties: {{TemplateURL: ./child.yaml, Parameters: {{Wide: {given}}}}}
"""


def _inner(given: str) -> Estate:
    beside = Beside({"app/child.yaml": dedent(CHILD).encode()})
    source = Source("app/parent.yaml", dedent(PARENT.format(given=given)).encode(), beside=beside)
    _, inner = read(source, ReadOptions(region="eu-west-1")).all()
    assert inner.estate is not None
    return inner.estate


def _grants(holder: Holder) -> list[tuple[str, str, bool]]:
    return [(grant.address, grant.label, grant.statement.present) for grant in holder.grants]


def _holder(estate: Estate, address: str) -> Holder:
    (found,) = (holder for holder in estate.holders if holder.address == address)
    return found


def _texts(grant: Grant) -> tuple[str, ...]:
    return tuple(map(grant.document.shown, grant.statement.resources.texts))


def test_holders_stand_at_their_own_address() -> None:
    """Holders and their documents have addresses through the stacks, as tables have."""
    estate = _inner("'yes'")
    assert ["Child/Key", "Child/Role"] == [holder.address for holder in estate.holders]
    expected = [("Child/Role", "own/Read", True), ("Child/Role", "own/All", True)]
    assert expected == _grants(_holder(estate, "Child/Role"))


def test_a_table_of_the_nested_stack_is_reached() -> None:
    """A reference to a table inside of the nested stack is the table that the estate holds."""
    estate = _inner("'no'")
    role, (table,) = _holder(estate, "Child/Role"), estate.tables
    assert ("Child/Orders", True) == (table.address, role.can("GetItem", table).truth)
    own, account = "${name of Child/Orders}", "${account}"
    assert (f"arn:aws:dynamodb:eu-west-1:{account}:table/{own}",) == _texts(role.grants[0])


def test_what_one_scenario_gives_is_there_perhaps() -> None:
    """A holder of a nested stack has the statements of all scenarios of the parent."""
    estate = _inner("!If [IsDev, 'yes', 'no']")
    expected = [("Child/Role", "own/Read", True), ("Child/Role", "own/All", False)]
    role = _holder(estate, "Child/Role")
    assert expected == _grants(role)
    assert ["Child/Key", "Child/Role"] == [holder.address for holder in estate.holders]
    assert [("Child/Key", "0"), *(grant[:2] for grant in expected)] == [(it.address, it.label) for it in estate.grants]
    assert {id(estate)} == {id(holder.estate) for holder in estate.holders}


def test_the_answer_is_the_same_for_a_table_in_each_scenario() -> None:
    """The estates of several scenarios share their symbols: a table is itself in all of them."""
    estate = _inner("!If [IsDev, 'yes', 'no']")
    role = _holder(estate, "Child/Role")
    assert [True, True] == [role.can("GetItem", table).truth for table in estate.tables]
    assert [None, None] == [role.can("DeleteTable", table).truth for table in estate.tables]


def test_a_stack_that_only_is_called_like_the_cdks_own() -> None:
    """The CDK's own stack for replicas has no table; a stack with one is read like any other."""
    provider = "awscdkawsdynamodbReplicaProviderNestedStack"
    trust = "{Statement: [{Effect: Allow, Action: 'sts:AssumeRole', Principal: {Service: lambda.amazonaws.com}}]}"
    role = f"Role: {{Type: AWS::IAM::Role, Properties: {{AssumeRolePolicyDocument: {trust}}}}}"
    table = "Orders: {Type: AWS::DynamoDB::Table}"
    parent = f"Resources: {{{provider}: {{Type: AWS::CloudFormation::Stack, Properties: {{TemplateURL: child.yaml}}}}}}"
    kinds = []
    for child in (f"Resources:\n  {role}\n", f"Resources:\n  {role}\n  {table}\n"):
        source = Source("parent.yaml", parent.encode(), beside=Beside({"child.yaml": child.encode()}))
        _, inner = read(source, ReadOptions()).all()
        assert inner.estate is not None
        kinds.append(_holder(inner.estate, f"{provider}/Role").kind)
    assert [HolderKind.DEPLOY, HolderKind.RUNTIME] == kinds
