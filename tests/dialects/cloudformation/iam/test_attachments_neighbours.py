"""Grants on what another stack of the run makes: its tables, its roles, its streams."""

from __future__ import annotations

from textwrap import dedent

from tablegate.dialects import read_all
from tablegate.dialects.reading import ReadOptions
from tablegate.iam.grants import HolderForm, HolderKind
from tablegate.iam.holders import Holder
from tablegate.model.estate import Estate
from tablegate.syntax.source import Beside, Source

DATA = """
    Resources:
      Orders:
        Type: AWS::DynamoDB::Table
        Properties: {TableName: orders, StreamSpecification: {StreamViewType: KEYS_ONLY}}
      Carts: {Type: AWS::DynamoDB::Table}
      Worker:
        Type: AWS::IAM::Role
        Properties:
          RoleName: worker
          AssumeRolePolicyDocument:
            Statement: [{Effect: Allow, Action: 'sts:AssumeRole', Principal: {Service: lambda.amazonaws.com}}]
      Other: {Type: AWS::SQS::Queue}
    Outputs:
      Orders: {Value: !GetAtt Orders.Arn, Export: {Name: orders-arn}}
      Stream: {Value: !GetAtt Orders.StreamArn, Export: {Name: orders-stream}}
      Name: {Value: !Ref Carts, Export: {Name: carts-name}}
      Role: {Value: !Ref Worker, Export: {Name: worker-name}}
      Other: {Value: !GetAtt Other.Arn, Export: {Name: queue-arn}}
"""
HOME = "arn:aws:dynamodb:eu-west-1:${account}:table"


def _policy(resource: str, role: str = "r") -> str:
    return f"""
    Resources:
      P:
        Type: AWS::IAM::Policy
        Properties:
          Roles: [{role}]
          PolicyDocument: {{Statement: [{{Effect: Allow, Action: 'dynamodb:GetItem', Resource: {resource}}}]}}
    """


def _estate(*texts: str, named: str = "1.yaml") -> Estate:
    sources = [Source(f"{number}.yaml", dedent(text).encode()) for number, text in enumerate(texts)]
    readings = read_all(sources, ReadOptions(region="eu-west-1"))
    (found,) = (reading.estate for reading in readings if reading.input.path == named)
    assert found is not None
    return found


def _resources(estate: Estate) -> list[str]:
    return [grant.document.shown(text) for grant in estate.grants for text in grant.statement.resources.texts]


def test_an_exported_arn_is_the_tables() -> None:
    """A grant on an imported ARN is one on the table of the stack that exports it, whether or not it has a name."""
    assert [f"{HOME}/orders"] == _resources(_estate(DATA, _policy("!ImportValue orders-arn")))
    by_name = _policy("!Sub ['arn:aws:dynamodb:${AWS::Region}:*:table/${T}', {T: !ImportValue carts-name}]")
    assert ["arn:aws:dynamodb:eu-west-1:*:table/${name of 0.yaml/Carts}"] == _resources(_estate(DATA, by_name))


def test_an_exported_stream_lies_below_its_table() -> None:
    """Reading a stream is reading the table's."""
    expected = [f"{HOME}/orders/stream/${{0.yaml/Orders.StreamArn}}"]
    assert expected == _resources(_estate(DATA, _policy("!ImportValue orders-stream")))


def test_what_is_no_table_is_none() -> None:
    """An imported ARN of something else names no table, and is not all that could be."""
    assert ["arn:aws:sqs:${0.yaml/Other.Arn}"] == _resources(_estate(DATA, _policy("!ImportValue queue-arn")))


def test_the_table_is_a_neighbour() -> None:
    """The tables of other stacks that a grant names stand beside the estate's own: policies and matrix know them."""
    estate = _estate(DATA, _policy("!ImportValue orders-arn"))
    assert ([], ["0.yaml/Orders"]) == ([*estate.tables], [table.address for table in estate.neighbours])
    (holder,) = estate.holders
    assert True is holder.can("GetItem", estate.neighbours[0]).truth
    assert () == _estate(DATA, _policy("'*'")).neighbours


def test_a_role_of_another_stack_is_known_by_its_name() -> None:
    """Where its own stack names it; otherwise all that is given to it is still one role's."""
    named = _holder(_estate(DATA, _policy("'*'", "!ImportValue worker-name")))
    assert (HolderForm.ROLE, "worker") == (named.form, named.name)
    assert (HolderKind.RUNTIME, "trusts lambda.amazonaws.com") == (named.kind, named.why)
    nameless = DATA.replace("RoleName: worker", "Path: /")
    assert None is _holder(_estate(nameless, _policy("'*'", "!ImportValue worker-name"))).name


def test_what_is_no_role_of_another_stack_tells_nothing() -> None:
    """A parameter, a resource of another sort, a role without a trust policy."""
    for role in ("!ImportValue carts-name", "!ImportValue strange"):
        assert HolderKind.UNKNOWN is _holder(_estate(DATA, _policy("'*'", role))).kind
    untrusting = DATA.replace("AssumeRolePolicyDocument", "Unknown")
    assert HolderKind.UNKNOWN is _holder(_estate(untrusting, _policy("'*'", "!ImportValue worker-name"))).kind


def _holder(estate: Estate) -> Holder:
    (found,) = estate.holders
    return found


def test_nested_stacks_know_of_each_other() -> None:
    """What goes down as a parameter or comes up as an output is the table that it was."""
    inner = f"Parameters: {{Table: {{Type: String}}}}\n{dedent(_policy('!Ref Table'))}"
    parent = """
    Resources:
      Data: {Type: AWS::CloudFormation::Stack, Properties: {TemplateURL: data.yaml}}
      Own: {Type: AWS::DynamoDB::Table}
      Api:
        Type: AWS::CloudFormation::Stack
        Properties: {TemplateURL: api.yaml, Parameters: {Table: !GetAtt Data.Outputs.Orders}}
      Low:
        Type: AWS::CloudFormation::Stack
        Properties: {TemplateURL: api.yaml, Parameters: {Table: !GetAtt Own.Arn}}
    """
    files = Beside({"data.yaml": dedent(DATA).encode(), "api.yaml": inner.encode()})
    source = Source("parent.yaml", dedent(parent).encode(), beside=files)
    estates = [reading.estate for reading in read_all([source], ReadOptions(region="eu-west-1"))]
    found = {
        grant.address: (_resources(estate), [table.address for table in estate.neighbours])
        for estate in estates
        if estate is not None
        for grant in estate.grants
    }
    assert {
        "Api/P": ([f"{HOME}/orders"], ["Data/Orders"]),
        "Low/P": ([f"{HOME}/${{name of parent.yaml/Own}}"], ["parent.yaml/Own"]),
    } == found


KEYS = """
    Resources:
      Key:
        Type: AWS::KMS::Key
        Properties:
          KeyPolicy: {Statement: [{Effect: Allow, Principal: '*', Action: 'kms:*', Resource: '*'}]}
    Outputs:
      Key: {Value: !GetAtt Key.Arn, Export: {Name: key-arn}}
"""
ENCRYPTED = """
    Resources:
      Orders:
        Type: AWS::DynamoDB::Table
        Properties:
          SSESpecification: {SSEEnabled: true, SSEType: KMS, KMSMasterKeyId: !ImportValue key-arn}
"""


def test_the_policy_of_a_key_of_another_stack() -> None:
    """It is judged with the table that it encrypts, and stands in the file of its own stack."""
    estate = _estate(KEYS, ENCRYPTED)
    (key,), (table,) = estate.holders, estate.tables
    assert table.encryption.resource is not None
    assert ("0.yaml/Key", HolderForm.KEY) == (key.address, key.form)
    assert key.address == table.encryption.resource.address
    (grant,) = key.grants
    assert grant.place is not None
    assert ("0.yaml/Key", "0.yaml", 6) == (grant.address, grant.place.file, grant.place.line)


def test_a_key_that_its_own_stack_judges_is_judged_there() -> None:
    """One policy of a key is one, however many stacks encrypt by it."""
    own = KEYS.replace("Outputs:", "  " + ENCRYPTED.partition("Resources:")[2].strip() + "\n    Outputs:")
    own = own.replace("!ImportValue key-arn", "!GetAtt Key.Arn")
    assert ["Key"] == [holder.address for holder in _estate(own, ENCRYPTED, named="0.yaml").holders]
    assert () == _estate(own, ENCRYPTED).holders


def test_a_key_of_the_stack_above_keeps_its_address() -> None:
    """What a nested stack is given is where it is, not below the nested stack."""
    inner = "Parameters: {Key: {Type: String}}\n" + dedent(ENCRYPTED).replace("!ImportValue key-arn", "!Ref Key")
    parent = dedent(KEYS).replace(
        "Outputs:",
        """\
  Child:
    Type: AWS::CloudFormation::Stack
    Properties: {TemplateURL: child.yaml, Parameters: {Key: !GetAtt Key.Arn}}
Outputs:""",
    )
    source = Source("parent.yaml", parent.encode(), beside=Beside({"child.yaml": inner.encode()}))
    _, child = read_all([source], ReadOptions(region="eu-west-1"))
    assert child.estate is not None
    assert ["Key"] == [holder.address for holder in child.estate.holders]
    assert ["Child/Orders"] == [table.address for table in child.estate.tables]
