"""Nested stacks: their templates, parameters and outputs."""

from __future__ import annotations

import json
from textwrap import dedent, indent
from typing import Any

import pytest

from tablegate.dialects import read
from tablegate.dialects.reading import Reading, ReadOptions
from tablegate.model.table import Table
from tablegate.syntax.source import Beside, Source

CHILD = """
    Parameters:
      Name: {Type: String, Default: spare}
      Key: {Type: String, Default: ''}
      Recovery: {Type: String, Default: 'false'}
    Resources:
      Orders:
        Type: AWS::DynamoDB::Table
        Properties:
          TableName: !Ref Name
          SSESpecification: {SSEEnabled: true, SSEType: KMS, KMSMasterKeyId: !Ref Key}
          PointInTimeRecoverySpecification: {PointInTimeRecoveryEnabled: !Ref Recovery}
      Other: {Type: AWS::KMS::Key, Properties: {EnableKeyRotation: true}}
    Outputs:
      Fixed: {Value: orders-old}
      Key: {Value: !GetAtt Other.Arn}
      Passed: {Value: !Ref Name}
"""
UNCOVERED = "a child stack is not covered: tables in it are not checked"


def _read(parent: str, options: ReadOptions | None = None, refused: Any = None, **files: str) -> Reading:
    """A template with files beside it, whose names have _ for dots."""
    beside = {f"app/{name.replace('_', '.')}": dedent(text).encode() for name, text in files.items()}
    source = Source("app/parent.yaml", dedent(parent).encode(), beside=Beside(beside, refused or {}))
    return read(source, options or ReadOptions(region="eu-west-1"))


def _stack(given: str = "", url: str = "./child.yaml", head: str = "", rest: str = "", more: str = "") -> str:
    child = f"  Child:\n    Type: AWS::CloudFormation::Stack\n    {more}\n"
    child += f"    Properties: {{TemplateURL: {url}, Parameters: {{{given}}}}}\n"
    return f"{head}\nResources:\n{child}  Key: {{Type: AWS::KMS::Key}}\n{indent(dedent(rest), '  ')}"


def _tables(reading: Reading) -> list[Table]:
    return [table for part in reading.all() if part.estate is not None for table in part.estate.tables]


def _only(reading: Reading) -> Table:
    (table,) = _tables(reading)
    return table


def _faults(reading: Reading) -> list[tuple[str, bool, str]]:
    return [
        (part.input.path, fault.blocks, fault.message.partition(": ")[2])
        for part in reading.all()
        for fault in part.faults
    ]


def test_a_child_is_read_at_its_own_address() -> None:
    """The address leads through the stacks, the place into the child's own file."""
    table = _only(_read(_stack("Name: orders-prod"), child_yaml=CHILD))
    assert ("Child/Orders", "orders-prod", None) == (table.address, table.name.content, table.scenario)
    assert table.place is not None
    assert ("app/child.yaml", 7) == (table.place.file, table.place.line)


def test_what_is_not_given_is_the_default() -> None:
    """A nested stack takes the defaults of parameters that its parent does not set."""
    table = _only(_read(_stack(), child_yaml=CHILD))
    assert ("spare", False) == (table.name.content, table.recovery.enabled.content)


def test_a_key_of_the_parent_is_known_below() -> None:
    """A parameter that refers to a resource of the parent leads to that resource."""
    table = _only(_read(_stack("Key: !GetAtt Key.Arn"), child_yaml=CHILD))
    assert ("customer", "eu-west-1") == (table.encryption.owner.content, table.encryption.key_region.content)
    assert table.encryption.resource is not None
    assert ("Key", False) == (table.encryption.resource.address, table.encryption.resource.rotation.content)


def test_what_the_parent_does_not_know_is_unknown_below() -> None:
    """A parameter of the parent without a value keeps its own reason."""
    head = "Parameters: {TableName: {Type: String}}"
    table = _only(_read(_stack("Name: !Ref TableName", head=head), child_yaml=CHILD))
    assert table.name.doubt is not None
    assert "parameter TableName has no value" == table.name.doubt.reason


def test_the_scenarios_of_the_parent_reach_the_child() -> None:
    """One table for each scenario that gives the child something else, as in one template."""
    head = "Parameters: {Env: {Type: String, AllowedValues: [dev, prod]}}\nConditions: {P: !Equals [!Ref Env, prod]}"
    given = "Recovery: !If [P, true, false]"
    found = _tables(_read(_stack(given, head=head), child_yaml=CHILD))
    assert [({"Env": "dev"}, False), ({"Env": "prod"}, True)] == [
        (table.scenario, table.recovery.enabled.content) for table in found
    ]
    assert {"Child/Orders"} == {table.address for table in found}
    same = _tables(_read(_stack("Recovery: !If [P, true, true]", head=head), child_yaml=CHILD))
    assert [(None, True)] == [(table.scenario, table.recovery.enabled.content) for table in same]


def test_a_stack_that_is_never_there_has_no_tables() -> None:
    """A condition that cannot hold takes the child away."""
    reading = _read(_stack(head="Conditions: {Never: !Equals [a, b]}", more="Condition: Never"), child_yaml=CHILD)
    assert ([], []) == (_tables(reading), _faults(reading))


def test_outputs_come_up() -> None:
    """An output can be a text, a reference, or a parameter from the parent."""
    rest = """
        One: {Type: AWS::DynamoDB::Table, Properties: {TableName: !GetAtt Child.Outputs.Fixed}}
        Two: {Type: AWS::DynamoDB::Table, Properties: {TableName: !Sub '${Child.Outputs.Passed}-two'}}
        Three:
          Type: AWS::DynamoDB::Table
          Properties: {SSESpecification: {SSEEnabled: true, KMSMasterKeyId: !GetAtt Child.Outputs.Key}}
        Four: {Type: AWS::DynamoDB::Table, Properties: {TableName: !GetAtt Child.Outputs.Absent}}
        """
    found = {table.address: table for table in _tables(_read(_stack("Name: orders", rest=rest), child_yaml=CHILD))}
    assert ("orders-old", "orders-two") == (found["One"].name.content, found["Two"].name.content)
    key = found["Three"].encryption.resource
    assert key is not None
    assert ("Child/Other", True) == (key.address, key.rotation.content)
    assert found["Four"].name.doubt is not None


def test_children_have_children() -> None:
    """Every level adds its logical id, and can pass on its parameters."""
    middle = """
        Parameters: {Name: {Type: String}}
        Resources:
          Inner:
            Type: AWS::CloudFormation::Stack
            Properties: {TemplateURL: child.yaml, Parameters: {Name: !Ref Name}}
    """
    table = _only(_read(_stack("Name: orders", url="middle.yaml"), middle_yaml=middle, child_yaml=CHILD))
    assert ("Child/Inner/Orders", "orders") == (table.address, table.name.content)


def test_lists_tags_and_secrets_go_down() -> None:
    """A list becomes a text with commas, tags of the stack are tags of its tables, and a secret stays one."""
    head = "Parameters: {Secret: {Type: String, NoEcho: true}}"
    parent = _stack("Name: !Ref Secret", head=head).replace(
        "Properties: {", "Properties: {Tags: [{Key: owner, Value: shop}], ", 1
    )
    options = ReadOptions(region="eu-west-1", parameters={"Secret": "hidden-name"}, stack_tags={"env": "dev"})
    table = _only(_read(parent, options, child_yaml=CHILD))
    assert ("hidden-name", True) == (table.name.content, table.name.sensitive)
    assert {"env": "dev", "owner": "shop"} == table.tags.content


def test_an_application_has_a_location() -> None:
    """SAM's word for the same."""
    parent = "Resources: {App: {Type: AWS::Serverless::Application, Properties: {Location: child.yaml}}}"
    assert "App/Orders" == _only(_read(parent, child_yaml=CHILD)).address
    from_the_store = "Resources: {A: {Type: AWS::Serverless::Application, Properties: {Location: {ApplicationId: x}}}}"
    assert [("app/parent.yaml", False, UNCOVERED)] == _faults(_read(from_the_store))


def test_a_template_may_be_named() -> None:
    """--nested names the template of a nested stack."""
    given = Source("elsewhere.yaml", dedent(CHILD).encode())
    for name in ("Child", "Inner"):
        parent = _stack(url="https://bucket.s3.amazonaws.com/child.yaml").replace("Child:", f"{name}:")
        reading = _read(parent, ReadOptions(nested={name: given}))
        assert [f"{name}/Orders"] == [table.address for table in _tables(reading)]


@pytest.mark.parametrize(
    ("url", "blocks", "message"),
    [
        ("https://bucket.s3.amazonaws.com/child.yaml", False, UNCOVERED),
        ("!Sub 'https://${AWS::Region}/child.yaml'", False, UNCOVERED),
        ("absent.yaml", False, UNCOVERED),
        ("[]", False, UNCOVERED),
        ("../../child.yaml", True, "the child template is outside of the folder that is checked"),
        ("parent.yaml", True, "the child template is this template, or one that embeds it"),
        ("linked.yaml", True, "the child template is not read: it is outside the folder that is checked"),
        ("broken.yaml", True, "the child template app/broken.yaml is not read: "),
        ("state.json", True, "the child template app/state.json is not a CloudFormation template"),
    ],
)
def test_a_template_that_is_not_at_hand(url: str, blocks: bool, message: str) -> None:
    """A missing template is reported; one that cannot be read blocks."""
    reading = _read(
        _stack(url=url),
        refused={"app/linked.yaml": "it is outside the folder that is checked"},
        broken_yaml="a: [",
        parent_yaml="x",
        state_json=json.dumps({"format_version": "1.0", "values": {}}),
    )
    ((file, found, said),) = _faults(reading)
    assert ("app/parent.yaml", blocks) == (file, found)
    assert said.startswith(message)


def test_a_child_with_mistakes_says_where() -> None:
    """The faults of a child are in its own file."""
    reading = _read(_stack(), child_yaml="Resources: {T: {Type: AWS::DynamoDB::Table, Properties: {Tags: 1}}}")
    assert [("app/child.yaml", True)] == [fault[:2] for fault in _faults(reading)]
    assert [("app/child.yaml", True)] == [fault[:2] for fault in _faults(_read(_stack(), child_yaml="Resources: 1"))]


def test_parameters_that_only_a_macro_knows() -> None:
    """If the names of the parameters are unknown, defaults are not assumed."""
    parent = _stack().replace("Parameters: {}", "Parameters: {'Fn::Transform': {Name: Given}}")
    table = _only(_read(parent, child_yaml=CHILD))
    assert table.name.doubt is not None


def test_an_output_of_a_template_that_is_broken_is_unknown() -> None:
    """The fault is in the broken template, and the table of its parent is read."""
    own = "Own: {Type: AWS::DynamoDB::Table, Properties: {TableName: !GetAtt Child.Outputs.Name}}"
    reading = _read(_stack(rest=own), child_yaml="Resources: [")
    assert None is not _only(reading).name.doubt
    assert [("app/child.yaml", True)] == [fault[:2] for fault in _faults(reading)]


def test_lists_come_up_and_go_down() -> None:
    """A list of texts is one in every stack; of one that is more than texts nothing is known elsewhere."""
    child = """
        Parameters: {Names: {Type: CommaDelimitedList}}
        Resources:
          Orders: {Type: AWS::DynamoDB::Table, Properties: {TableName: !Select [1, !Ref Names]}}
        Outputs: {Names: {Value: !Ref Names}}
    """
    own = "Own: {Type: AWS::DynamoDB::Table, Properties: {TableName: !Select [0, !GetAtt Child.Outputs.Names]}}"
    plain = _tables(_read(_stack("Names: [one, two]", rest=own), child_yaml=child))
    assert ["one", "two"] == [table.name.content for table in plain]
    mixed = _tables(_read(_stack("Names: [one, !GetAtt Key.Arn]", rest=own), child_yaml=child))
    assert [True, True] == [table.name.doubt is not None for table in mixed]
