"""SAM: the roles it makes, policies in all their forms, what it attaches unasked, and connectors."""

from __future__ import annotations

from textwrap import dedent, indent
from typing import Any

import pytest

from support.planned_access import counted, grants, holders, unread
from support.templates import reading
from tablegate.dialects.cloudformation.iam.sam import POLICY_TEMPLATES
from tablegate.dialects.reading import Reading
from tablegate.iam.grants import HolderForm, HolderKind, Maker, MakerKind

HOME = "arn:${partition}:dynamodb:${region}:${account}:table"
HEAD = """
Transform: AWS::Serverless-2016-10-31
Parameters: {Env: {Type: String}}
Conditions: {IsProd: !Equals [!Ref Env, prod]}
"""
ORDERS = """
Orders:
  Type: AWS::DynamoDB::Table
  Properties:
    TableName: orders
    AttributeDefinitions: [{AttributeName: pk, AttributeType: S}]
    KeySchema: [{AttributeName: pk, KeyType: HASH}]
"""


def resources(text: str, head: str = HEAD, **options: Any) -> Reading:
    """A SAM template of these resources beside ``Orders``, which has to be read without a blocking fault."""
    body = indent(ORDERS.strip() + "\n" + dedent(text).strip(), "  ")
    found = reading(f"{dedent(head)}\nResources:\n{body}\n", **options)
    assert [fault.message for fault in found.faults if fault.blocks] == []
    return found


def function(policies: str, more: str = "") -> Reading:
    """A function with these policies, at ``F``."""
    return resources(f"F: {{Type: AWS::Serverless::Function, Properties: {{{more} Policies: {policies}}}}}")


def test_a_function_has_a_role() -> None:
    """SAM makes one, that Lambda may assume."""
    role = holders(function("[]"))["F"]
    assert (role.form, role.kind, role.why, role.services) == (
        HolderForm.ROLE,
        HolderKind.RUNTIME,
        "trusts lambda.amazonaws.com",
        frozenset({"lambda.amazonaws.com"}),
    )


@pytest.mark.parametrize(
    "policies",
    [
        "AmazonDynamoDBFullAccess",
        "[AmazonDynamoDBFullAccess]",
        "[arn:aws:iam::aws:policy/AmazonDynamoDBFullAccess]",
        "!Sub 'arn:${AWS::Partition}:iam::aws:policy/AmazonDynamoDBFullAccess'",
    ],
)
def test_managed_policies(policies: str) -> None:
    """By their name, which SAM looks up, or by their ARN."""
    assert [(grant.managed, grant.address) for grant in holders(function(policies))["F"].grants] == [
        ("AmazonDynamoDBFullAccess", "F")
    ]


def test_names_that_sam_looks_up_have_paths() -> None:
    """A name stands for a policy below a path too; one that nobody knows is not read."""
    role = holders(function("[AWSLambdaDynamoDBExecutionRole, AWSLambdaBasicExecutionRole, AWSNewerThanUs]"))["F"]
    assert [grant.managed for grant in role.grants] == ["service-role/AWSLambdaDynamoDBExecutionRole"]
    ((_, relevant, _, why),) = unread(role)
    assert relevant
    assert why.startswith("the AWS managed policy AWSNewerThanUs is not among those known")


def test_a_policy_of_the_template() -> None:
    """A managed policy that the template makes is attached by reference."""
    found = resources(
        """
        F: {Type: AWS::Serverless::Function, Properties: {Policies: [!Ref P]}}
        P:
          Type: AWS::IAM::ManagedPolicy
          Properties: {PolicyDocument: {Statement: {Effect: Allow, Action: dynamodb:GetItem, Resource: '*'}}}
        """
    )
    assert {address: grants(holder) for address, holder in holders(found).items()} == {
        "F": ["P 0: Allow dynamodb:GetItem on *"]
    }


def test_inline_documents() -> None:
    """One or many; each after the first is numbered."""
    document = "{Statement: {Effect: Allow, Action: dynamodb:GetItem, Resource: !GetAtt Orders.Arn}}"
    assert grants(holders(function(document))["F"]) == [f"F 0: Allow dynamodb:GetItem on {HOME}/orders"]
    found = function(f"[{document}, {document}]")
    assert [grant.label for grant in holders(found)["F"].grants] == ["0", "1/0"]
    assert counted(found) == (2, 0, 0)


def test_policy_templates() -> None:
    """A template's statements are written by SAM, for the table that it is given."""
    role = holders(function("[DynamoDBWritePolicy: {TableName: !Ref Orders}]"))["F"]
    assert grants(role) == [
        "F DynamoDBWritePolicy/0: Allow dynamodb:PutItem, dynamodb:UpdateItem, dynamodb:BatchWriteItem on "
        f"{HOME}/orders, {HOME}/orders/index/*"
    ]
    assert [grant.made_by for grant in role.grants] == [Maker(MakerKind.TEMPLATE, "DynamoDBWritePolicy")]


@pytest.mark.parametrize(
    ("parameters", "present"),
    [
        ("TableName: !If [IsProd, !Ref Orders, other], StreamName: '*'", False),
        ("TableName: !Ref Orders, StreamName: !If [IsProd, a, b]", False),
        ("TableName: !If [IsProd, !Ref Orders, !Ref Orders], StreamName: '*'", True),
        ("TableName: !Ref Env, StreamName: '*'", True),
    ],
)
def test_policy_templates_of_one_table_or_another(parameters: str, *, present: bool) -> None:
    """What is granted on a table in some scenarios is granted perhaps."""
    role = holders(function(f"[DynamoDBStreamReadPolicy: {{{parameters}}}]"))["F"]
    assert {grant.statement.present for grant in role.grants} == {present}


@pytest.mark.parametrize("name", sorted(POLICY_TEMPLATES))
def test_every_policy_template_is_below_its_table(name: str) -> None:
    """Each statement of each of the seven reaches that table, or what is below it."""
    role = holders(function(f"{{{name}: {{TableName: !Ref Orders, StreamName: '*'}}}}"))["F"]
    assert len(role.grants) == len(POLICY_TEMPLATES[name])
    texts = [role.grants[0].document.shown(text) for grant in role.grants for text in grant.statement.resources.texts]
    assert all(text.startswith(f"{HOME}/orders") for text in texts)


def test_parameters_are_put_in_as_they_are() -> None:
    """A star for a table is all tables; a stream's ARN in a stream's ARN is nothing."""
    role = holders(
        function(
            "[DynamoDBReconfigurePolicy: {TableName: '*'}, "
            "DynamoDBStreamReadPolicy: {TableName: !Ref Orders, StreamName: !GetAtt Orders.StreamArn}]"
        )
    )["F"]
    resources_ = [role.grants[0].document.shown(grant.statement.resources.texts[0]) for grant in role.grants]
    assert resources_ == [
        f"{HOME}/*",
        f"{HOME}/orders/stream/{HOME}/orders/stream/${{Orders.StreamArn}}",
        f"{HOME}/orders/stream/*",
    ]


def test_a_template_twice_and_perhaps() -> None:
    """The second use is numbered; a use under a condition is there perhaps."""
    found = function(
        "[DynamoDBReadPolicy: {TableName: !Ref Orders}, "
        "!If [IsProd, {DynamoDBReadPolicy: {TableName: other}}, !Ref AWS::NoValue]]"
    )
    assert [(grant.label, grant.statement.present) for grant in holders(found)["F"].grants] == [
        ("DynamoDBReadPolicy 2/0", False),
        ("DynamoDBReadPolicy/0", True),
    ]


def test_an_unknown_table_is_one_unknown_name() -> None:
    """A parameter without a value is no wildcard."""
    role = holders(function("{DynamoDBReconfigurePolicy: {TableName: !Ref Env}}"))["F"]
    assert grants(role) == [f"F DynamoDBReconfigurePolicy/0: Allow dynamodb:UpdateTable on {HOME}/${{Env}}"]
    assert unread(role) == []


def test_templates_of_other_services() -> None:
    """They grant nothing on tables."""
    found = function("[SQSPollerPolicy: {QueueName: q}, AWSXRayDaemonWriteAccess]")
    assert grants(holders(found)["F"]) == []


@pytest.mark.parametrize(
    ("policy", "what"),
    [
        ("DynamoDBCrudPolcy: {TableName: x}", "there is no policy template 'DynamoDBCrudPolcy'"),
        ("{PolicyName: a, PolicyDocument: {}}", "a policy is a name, a document, or one policy template"),
    ],
)
def test_a_policy_that_is_none(policy: str, what: str) -> None:
    """What SAM does not know fails its transform."""
    text = f"F: {{Type: AWS::Serverless::Function, Properties: {{Policies: [{policy}]}}}}"
    found = reading(f"Transform: AWS::Serverless-2016-10-31\nResources:\n  {text}\n")
    assert [fault.message.rpartition(": ")[2] for fault in found.faults if fault.blocks] == [what]


ROLE = "R: {Type: AWS::IAM::Role, Properties: {AssumeRolePolicyDocument: {Statement: []}}}"


def test_a_role_of_ones_own_silences_policies() -> None:
    """SAM ignores them, and so does the event: only the role counts, and is used by the function."""
    found = resources(
        f"""
        F:
          Type: AWS::Serverless::Function
          Properties:
            Role: !GetAtt R.Arn
            Policies: [AmazonDynamoDBFullAccess]
            Events: {{E: {{Type: DynamoDB, Properties: {{Stream: !GetAtt Orders.StreamArn}}}}}}
        {ROLE}
        """
    )
    assert {address: (holder.why, grants(holder)) for address, holder in holders(found).items()} == {
        "R": ("used by F", [])
    }


def test_a_role_that_may_be_left_out() -> None:
    """Then SAM may make one, with the policies."""
    found = resources(
        f"""
        F:
          Type: AWS::Serverless::Function
          Properties: {{Role: !If [IsProd, !GetAtt R.Arn, !Ref AWS::NoValue], Policies: [AmazonDynamoDBFullAccess]}}
        {ROLE}
        """
    )
    assert [(grant.managed, grant.statement.present) for grant in holders(found)["F"].grants] == [
        ("AmazonDynamoDBFullAccess", False)
    ]


@pytest.mark.parametrize("role", ["null", "''"])
def test_a_role_that_is_nothing(role: str) -> None:
    """Is no role: SAM makes one, as generated templates have it."""
    found = function("[AmazonDynamoDBFullAccess]", f"Role: {role},")
    assert [(grant.managed, grant.statement.present) for grant in holders(found)["F"].grants] == [
        ("AmazonDynamoDBFullAccess", True)
    ]


def test_what_an_event_attaches() -> None:
    """A DynamoDB event brings a managed policy on every stream: once, and not written by anybody."""
    found = resources(
        """
        F:
          Type: AWS::Serverless::Function
          Properties:
            Events:
              Api: {Type: Api, Properties: {Path: /, Method: get}}
              First: {Type: DynamoDB, Properties: {Stream: !GetAtt Orders.StreamArn}}
              Second: {Type: DynamoDB, Properties: {Stream: !GetAtt Orders.StreamArn}}
        """
    )
    assert [(grant.managed, grant.made_by) for grant in holders(found)["F"].grants] == [
        ("service-role/AWSLambdaDynamoDBExecutionRole", Maker(MakerKind.EVENT, "First"))
    ]


def test_globals() -> None:
    """Boundaries and trust of all functions stand in one place."""
    head = f"""{HEAD.strip()}
Globals:
  Function:
    PermissionsBoundary: arn:aws:iam::aws:policy/PowerUserAccess
    AssumeRolePolicyDocument:
      Statement: {{Effect: Allow, Action: 'sts:AssumeRole', Principal: {{Service: edgelambda.amazonaws.com}}}}
"""
    role = holders(resources("F: {Type: AWS::Serverless::Function}", head))["F"]
    assert (len(role.ceilings), role.why, role.services) == (
        1,
        "trusts edgelambda.amazonaws.com",
        frozenset({"edgelambda.amazonaws.com"}),
    )


def test_state_machines() -> None:
    """They have roles and policies as functions do."""
    found = resources("M: {Type: AWS::Serverless::StateMachine, Properties: {Policies: AmazonDynamoDBFullAccess}}")
    machine = holders(found)["M"]
    assert (machine.services, [grant.managed for grant in machine.grants]) == (
        frozenset({"states.amazonaws.com"}),
        ["AmazonDynamoDBFullAccess"],
    )


@pytest.mark.parametrize(
    ("role", "made"),
    [("!If [IsProd, !GetAtt R.Arn, !Ref AWS::NoValue]", False), ("!Ref AWS::NoValue", False), ("''", True)],
)
def test_the_role_of_a_state_machine(role: str, *, made: bool) -> None:
    """The transform makes none if one is written, even as a function that gives none."""
    found = resources(f"M: {{Type: AWS::Serverless::StateMachine, Properties: {{Role: {role}}}}}\n{ROLE}")
    assert ("M" in holders(found)) is made


READ = (
    "dynamodb:GetItem, dynamodb:Query, dynamodb:Scan, dynamodb:BatchGetItem, dynamodb:ConditionCheckItem, "
    "dynamodb:PartiQLSelect"
)
WRITE = (
    "dynamodb:PutItem, dynamodb:UpdateItem, dynamodb:DeleteItem, dynamodb:BatchWriteItem, dynamodb:PartiQLDelete, "
    "dynamodb:PartiQLInsert, dynamodb:PartiQLUpdate"
)
STREAM = "dynamodb:DescribeStream, dynamodb:GetRecords, dynamodb:GetShardIterator, dynamodb:ListStreams"
BELOW = f"on {HOME}/orders, {HOME}/orders/index/*"


def test_connectors_from_a_function() -> None:
    """The function's role gets what is permitted, on the table and its indexes."""
    found = resources(
        """
        F: {Type: AWS::Serverless::Function}
        C:
          Type: AWS::Serverless::Connector
          Properties: {Source: {Id: F}, Destination: {Id: Orders}, Permissions: [Read, Write]}
        """
    )
    role = holders(found)["F"]
    assert grants(role) == [f"C 0: Allow {READ} {BELOW}", f"C 1: Allow {WRITE} {BELOW}"]
    assert {grant.made_by for grant in role.grants} == {Maker(MakerKind.CONNECTOR, "C")}


def test_connectors_from_a_table() -> None:
    """The function's role gets to read the stream; an embedded connector stands in its source."""
    found = resources(
        """
        F: {Type: AWS::Serverless::Function}
        Items:
          Type: AWS::DynamoDB::Table
          Properties: {TableName: items}
          Connectors: {ToF: {Properties: {Destination: {Id: F}, Permissions: [Read]}}}
        """
    )
    assert grants(holders(found)["F"]) == [f"Items ToF/0: Allow {STREAM} on {HOME}/items/stream/*"]


def test_connectors_of_a_role_of_ones_own() -> None:
    """It is the given role that gets the grants; several tables are told apart."""
    found = resources(
        f"""
        F: {{Type: AWS::Serverless::Function, Properties: {{Role: !GetAtt R.Arn}}}}
        {ROLE}
        C:
          Type: AWS::Serverless::Connector
          Properties: {{Source: {{Id: F}}, Destination: [{{Id: Orders}}, {{Id: Orders}}], Permissions: [Read]}}
        """
    )
    assert [grant.label for grant in holders(found)["R"].grants] == ["to 0/0", "to 1/0"]


def test_connectors_of_a_plain_function() -> None:
    """A connector in a resource of a type that is not read is seen all the same."""
    found = resources(
        f"""
        G:
          Type: AWS::Lambda::Function
          Properties: {{Role: !GetAtt R.Arn}}
          Connectors: {{ToOrders: {{Properties: {{Destination: {{Id: Orders}}, Permissions: [Write]}}}}}}
        {ROLE}
        """
    )
    assert grants(holders(found)["R"]) == [f"G ToOrders/0: Allow {WRITE} {BELOW}"]


def test_data_sources_read_and_write() -> None:
    """An interface's data source gets both unless it says less; with a role of its own, nothing is made."""
    found = resources(
        """
        Api:
          Type: AWS::Serverless::GraphQLApi
          Properties:
            DataSources:
              DynamoDb:
                Both: {TableName: !Ref Orders}
                Less: {TableName: !Ref Orders, TableArn: !GetAtt Orders.Arn, Permissions: [Read]}
                Given: {TableName: !Ref Orders, ServiceRoleArn: arn:aws:iam::111122223333:role/r}
        """
    )
    api = holders(found)["Api"]
    assert api.services == frozenset({"appsync.amazonaws.com"})
    assert grants(api) == [
        f"Api Both/0: Allow {READ} {BELOW}",
        f"Api Less/0: Allow {READ} {BELOW}",
        f"Api Both/1: Allow {WRITE} {BELOW}",
    ]


def test_without_the_transform_nothing_is_made() -> None:
    """The types are SAM's only where its transform runs."""
    found = resources("F: {Type: AWS::Serverless::Function, Properties: {Policies: [AmazonDynamoDBFullAccess]}}", "")
    assert holders(found) == {}


def test_connectors_between_ends_that_are_described() -> None:
    """A table by its ARN, a function by the name of its role."""
    found = resources(
        f"""
        {ROLE.replace("Properties: {", "Properties: {RoleName: r, ")}
        C:
          Type: AWS::Serverless::Connector
          Properties:
            Source: {{Type: AWS::Lambda::Function, RoleName: r, Arn: arn:aws:lambda:us-east-1:111122223333:function:f}}
            Destination: {{Type: AWS::DynamoDB::Table, Arn: !GetAtt Orders.Arn}}
            Permissions: [Read]
        Out:
          Type: AWS::Serverless::Connector
          Properties:
            Source: {{Type: AWS::Lambda::Function, RoleName: elsewhere}}
            Destination: {{Id: Orders}}
            Permissions: [Read]
        Gone:
          Type: AWS::Serverless::Connector
          Properties: {{Source: {{Id: Nobody}}, Destination: {{Id: Orders}}, Permissions: [Read]}}
        Queue:
          Type: AWS::Serverless::Connector
          Properties: {{Source: {{Id: Nobody}}, Destination: {{Type: AWS::SQS::Queue}}, Permissions: [Read]}}
        """
    )
    assert {address: (holder.why, grants(holder)) for address, holder in holders(found).items()} == {
        "R": ("its trust policy is not known", [f"C 0: Allow {READ} {BELOW}"]),
        "Out": ("it is not in this input", [f"Out 0: Allow {READ} {BELOW}"]),
        "Gone": ("the role of Nobody", [f"Gone 0: Allow {READ} {BELOW}"]),
    }


def test_data_sources_by_an_arn_that_is_not_known() -> None:
    """It is one table, whichever."""
    found = resources(
        """
        Api:
          Type: AWS::Serverless::GraphQLApi
          Properties: {DataSources: {DynamoDb: {One: {TableArn: !ImportValue arn, Permissions: [Read]}, None: {}}}}
        """
    )
    assert [grant.label for grant in holders(found)["Api"].grants] == ["One/0"]
