"""The shape of a template, and resources that are not read: each is reported."""

from __future__ import annotations

import pytest

from support.templates import UNKNOWN, reading, said, tables, template


def faults(text: str, **options: object) -> list[tuple[str, bool, str]]:
    """The code, whether it blocks, and the words of every fault."""
    return [(fault.code.value, fault.blocks, fault.message) for fault in reading(text, **options).faults]


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("Resources:", "Resources: Resources must be a mapping of logical ids"),
        ("Resources: [a]", "Resources: Resources must be a mapping of logical ids"),
        ("AWSTemplateFormatVersion: '2010-09-09'", "AWSTemplateFormatVersion: a template needs Resources"),
        ("[a]", "a template must be a mapping"),
        ("Resources: {T: text}", "Resources/T: a resource must be a mapping with a Type"),
        ("Resources: {T: }", "Resources/T: a resource must be a mapping with a Type"),
        ("Resources: {T: {Properties: {}}}", "Resources/T: a resource needs a Type"),
        ("Resources: {T: {Type: [a]}}", "Resources/T/Type: Type must be a text"),
        ("Resources: {}\nParameters: [a]", "Parameters: Parameters must be a mapping"),
        ("Resources: {}\nConditions: text", "Conditions: Conditions must be a mapping"),
        (
            "Resources: {T: {Type: 'AWS::DynamoDB::Table', Properties: [a]}}",
            "Resources/T/Properties: must be a mapping, not a list",
        ),
        (
            "Resources: {T: {Type: 'AWS::DynamoDB::Table', Properties: text}}",
            "Resources/T/Properties: must be a mapping, not 'text'",
        ),
        (
            "Resources: {T: {Type: 'AWS::DynamoDB::Table', Condition: Nobody}}",
            "Resources/T/Condition: there is no condition 'Nobody'",
        ),
        (
            "Resources: {T: {Type: 'AWS::DynamoDB::Table', Condition: [a]}}",
            "Resources/T/Condition: Condition takes the name of a condition",
        ),
        (
            "Resources: {T: {Type: 'AWS::DynamoDB::Table '}}",
            "Resources/T/Type: the type 'AWS::DynamoDB::Table ' is not 'AWS::DynamoDB::Table'",
        ),
        (
            "Resources: {T: {Type: 'aws::dax::cluster'}}",
            "Resources/T/Type: the type 'aws::dax::cluster' is not 'AWS::DAX::Cluster'",
        ),
        (
            "Resources: {T: {Type: 'AWS::DynamoDB::Tаble'}}",  # noqa: RUF001
            "Resources/T/Type: the type 'AWS::DynamoDB::Tаble' has characters that no type has",  # noqa: RUF001
        ),
    ],
)
def test_wrong_shape(text: str, what: str) -> None:
    """A template of a wrong shape is a fault that blocks, with its path."""
    assert faults(text) == [("TG001", True, what)]


@pytest.mark.parametrize(
    ("condition", "what"),
    [
        ("!Condition C", "Conditions/C: the condition 'C' depends on itself"),
        ("text", "Conditions/C: a condition is one function: Fn::Equals, Fn::And, Fn::Or, Fn::Not or Condition"),
        ("!Equals [a]", "Conditions/C: Fn::Equals is not a condition, or has wrong arguments"),
        ("!Not []", "Conditions/C: Fn::Not is not a condition, or has wrong arguments"),
        (
            "!And [!Equals [a, a]]",
            "Conditions/C: Fn::And is not a condition, or has wrong arguments",
        ),
        ("!If [a, b, c]", "Conditions/C: Fn::If is not a condition, or has wrong arguments"),
        ("!Cidr []", "Conditions/C: Fn::Cidr is not a condition, or has wrong arguments"),
        ("{Fn::Nothing: []}", "Conditions/C: Fn::Nothing is not a condition, or has wrong arguments"),
        ("{Ref: []}", "Conditions/C: Ref is not a condition, or has wrong arguments"),
        ("{Condition: []}", "Conditions/C: Condition is not a condition, or has wrong arguments"),
        ("!Not [!Condition Nobody]", "Conditions/C/Fn::Not/0/Condition: there is no condition 'Nobody'"),
    ],
)
def test_wrong_condition(condition: str, what: str) -> None:
    """A wrong condition is a fault that blocks; its table is read."""
    text = f"Conditions: {{C: {condition}}}\nResources: {{T: {{Type: 'AWS::DynamoDB::Table', Condition: C}}}}"
    assert faults(text) == [("TG001", True, what)]
    made = reading(text)
    assert made.estate is not None
    assert len(made.estate.tables) == 1


@pytest.mark.parametrize(
    ("resource", "what"),
    [
        ("{Type: 'AWS::CloudFormation::Stack'}", "a child stack is not covered"),
        ("{Type: 'AWS::Serverless::Application', Properties: {Location: ./a.yaml}}", "a child stack is not covered"),
        ("{Type: 'AWS::CloudFormation::StackSet'}", "a child stack is not covered"),
        ("{Type: 'My::Org::Table::MODULE'}", "the module My::Org::Table::MODULE is not covered"),
        ("{Type: 'Custom::DynamoTable'}", "the custom resource Custom::DynamoTable is not covered"),
        ("{Type: 'AWS::DynamoDB::NewThing'}", "the type AWS::DynamoDB::NewThing is not covered"),
        ("{Type: 'AWS::CloudFormation::Macro'}", "a macro is not covered"),
        ("{Type: !Rain::Module table.yaml}", "a module of rain is not covered"),
        ("{Type: {'Rain::Module': table.yaml}}", "a module of rain is not covered"),
    ],
)
def test_not_covered(resource: str, what: str) -> None:
    """A resource that may create a table and is not read is reported, and does not block."""
    ((code, blocks, message),) = faults(f"Resources: {{R: {resource}}}")
    assert (code, blocks, message.partition(": ")[2][: len(what)]) == ("TG002", False, what)


@pytest.mark.parametrize(
    "type_", ["AWS::DynamoDB::Backup", "AWS::S3::Bucket", "Custom::RouteTableLookup", "Custom::Mail"]
)
def test_of_no_interest(type_: str) -> None:
    """Other resources are not reported."""
    assert faults(f"Resources: {{R: {{Type: '{type_}'}}}}") == []


@pytest.mark.parametrize("url", ["../../etc/passwd", "/etc/passwd", "a/../../b.yaml"])
def test_child_outside_of_the_root(url: str) -> None:
    """A child template that lies outside of the working directory is refused."""
    text = f"Resources: {{S: {{Type: 'AWS::CloudFormation::Stack', Properties: {{TemplateURL: {url}}}}}}}"
    assert ("TG001", True) in [fault[:2] for fault in faults(text)]


def test_include_at_the_top() -> None:
    """An include may add resources, and leaves those that are there."""
    text = """
    Transform: {Name: AWS::Include, Parameters: {Location: s3://b/k}}
    Resources: {T: {Type: 'AWS::DynamoDB::Table', Properties: {DeletionProtectionEnabled: true}}}
    """
    assert [fault[:2] for fault in faults(text)] == [("TG002", False)]
    assert [said(it.deletion_protection) for it in tables(text)] == [True]


@pytest.mark.parametrize(("name", "known"), [("AWS::Include", True), ("Macro", False)])
def test_transform_among_resources(name: str, *, known: bool) -> None:
    """An include adds resources; any other macro may rewrite its neighbours too."""
    text = f"""
    Resources:
      Fn::Transform: {{Name: '{name}'}}
      T: {{Type: 'AWS::DynamoDB::Table', Properties: {{DeletionProtectionEnabled: true}}}}
    """
    assert {fault[:2] for fault in faults(text)} == {("TG002", False)}
    assert [said(it.deletion_protection) for it in tables(text)] == [True if known else UNKNOWN]


def test_transform_beside_a_type() -> None:
    """A macro beside a resource's type may rewrite all of the resource."""
    text = """
    Resources:
      T:
        Type: AWS::DynamoDB::Table
        Fn::Transform: {Name: Macro}
        Properties: {DeletionProtectionEnabled: true}
    """
    assert [said(it.deletion_protection) for it in tables(text)] == [UNKNOWN]


@pytest.mark.parametrize("type_", ["Org::Thing::Table::MODULE", "!Rain::Module table.yaml"])
def test_names_that_a_module_makes(type_: str) -> None:
    """References to resources of a module are valid."""
    text = f"""
    Resources:
      M: {{Type: {type_}}}
      T: {{Type: 'AWS::DynamoDB::Table', Properties: {{TableName: !Ref MTable}}}}
    """
    assert [said(it.name) for it in tables(text)] == [UNKNOWN]
    assert [fault[:2] for fault in faults(text)] == [("TG002", False)]


def test_what_a_packager_puts_there_is_not_known() -> None:
    """A directive of rain makes its own value unknown, and nothing else."""
    table = "Resources: {{T: {{Type: 'AWS::DynamoDB::Table', Properties: {{TableName: {}, TableClass: STANDARD}}}}}}"
    for text in (table.format("!Rain::Embed name.txt"), table.format("!Sub [!Rain::Embed name.txt, {}]")):
        assert [(said(it.name), said(it.table_class)) for it in tables(text)] == [(UNKNOWN, "STANDARD")]


def test_events_of_other_services_are_not_read() -> None:
    """Events of other services may have any shape."""
    function = "{Type: 'AWS::Serverless::Function', Properties: {Events: {E: {Type: %s, Properties: ''}}}}"
    text = "Transform: AWS::Serverless-2016-10-31\nResources: {F: " + function + "}"
    assert [] == faults(text % "Api")
    assert [("TG001", True)] == [fault[:2] for fault in faults(text % "DynamoDB")]


def test_undeclared_parameter_shape() -> None:
    """A parameter that is not declared as it must be is a fault, and its value unknown."""
    text = "Parameters: {P: text}\nResources: {T: {Type: 'AWS::DynamoDB::Table', Properties: {TableName: !Ref P}}}"
    assert faults(text) == [("TG001", True, "Parameters/P: a parameter must be a mapping with a Type")]


@pytest.mark.parametrize(
    ("declared", "given", "expected"),
    [
        ("{Type: 'AWS::SSM::Parameter::Value<String>', Default: /name}", {}, UNKNOWN),
        ("{Type: 'AWS::SSM::Parameter::Value<String>'}", {"P": "/name"}, UNKNOWN),
        ("{Type: 'AWS::EC2::VPC::Id'}", {"P": "vpc-1"}, "vpc-1"),
        ("{Type: Number, Default: 5}", {"P": "6"}, "6"),
        ("{Type: String, AllowedValues: [true]}", {}, "true"),
    ],
)
def test_types_of_parameters(declared: str, given: dict[str, str], expected: object) -> None:
    """Parameters are texts; an SSM parameter's value is read at deploy, and its default is a name."""
    text = template("TableName: !Ref P", f"Parameters: {{P: {declared}}}")
    assert [said(it.name) for it in tables(text, parameters=given, assume_defaults=True)] == [expected]


def test_what_was_seen() -> None:
    """The input counts resources, tables, indexes and replicas, each once for all scenarios."""
    text = """
    Parameters: {P: {Type: String, AllowedValues: [a, b]}}
    Resources:
      T:
        Type: AWS::DynamoDB::Table
        Properties:
          TableName: !Ref P
          GlobalSecondaryIndexes: [{IndexName: i}]
          LocalSecondaryIndexes: [{IndexName: l}]
      G: {Type: 'AWS::DynamoDB::GlobalTable', Properties: {Replicas: [{Region: a}, {Region: b}]}}
      B: {Type: 'AWS::S3::Bucket'}
    """
    seen = reading(text).input
    assert (seen.path, seen.kind, seen.resources, seen.tables, seen.indexes, seen.replicas) == (
        "template.yaml",
        "cloudformation",
        3,
        2,
        2,
        1,
    )


def test_each_fault_once() -> None:
    """A fault of every scenario is reported once."""
    text = """
    Parameters: {P: {Type: String, AllowedValues: [a, b]}}
    Resources: {T: {Type: 'AWS::DynamoDB::Table', Properties: {TableName: !Ref P, DeletionProtectionEnabled: 1}}}
    """
    assert len(faults(text)) == 1
