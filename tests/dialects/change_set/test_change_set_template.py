"""A change set with its template, and with the change sets of nested stacks."""

from __future__ import annotations

import json
from textwrap import dedent
from typing import Any

from tablegate.dialects import read_all
from tablegate.dialects.reading import Reading, ReadOptions
from tablegate.model.estate import ChangeKind, Estate
from tablegate.syntax.source import Beside, Source

STACK = "arn:aws:cloudformation:eu-west-1:123456789012:stack/shop/1"
TEMPLATE = """
    Parameters:
      Env: {Type: String}
      Secret: {Type: String, NoEcho: true}
      Image: {Type: 'AWS::SSM::Parameter::Value<String>', Default: /shop/name}
    Conditions: {IsProd: !Equals [!Ref Env, prod]}
    Resources:
      Orders:
        Type: AWS::DynamoDB::Table
        Properties:
          TableName: !Sub 'orders-${Env}'
          BillingMode: !ImportValue billing-mode
          AttributeDefinitions: [{AttributeName: id, AttributeType: S}]
          GlobalSecondaryIndexes:
            - IndexName: by-id
              KeySchema: [{AttributeName: id, KeyType: HASH}]
              Projection: {ProjectionType: !ImportValue projection}
      Quiet:
        Type: AWS::DynamoDB::Table
        Properties: {TableName: !Ref Image}
      Spare: {Type: AWS::DynamoDB::Table, Condition: IsProd}
      Alarm:
        Type: AWS::CloudWatch::Alarm
        Properties:
          Namespace: AWS/DynamoDB
          MetricName: ReadThrottleEvents
          Dimensions: [{Name: TableName, Value: !Ref Orders}]
      Worker:
        Type: AWS::IAM::Role
        Properties:
          Policies:
            - PolicyName: own
              PolicyDocument: {Statement: [{Effect: Allow, Action: 'dynamodb:*', Resource: !GetAtt Orders.Arn}]}
"""
ORDERS = {
    "TableName": "orders-dev",
    "BillingMode": "PAY_PER_REQUEST",
    "GlobalSecondaryIndexes": [{"IndexName": "by-id", "Projection": {"ProjectionType": "ALL"}}],
}
GIVEN = [
    {"ParameterKey": "Env", "ParameterValue": "dev"},
    {"ParameterKey": "Secret", "ParameterValue": "****"},
    {"ParameterKey": "Image", "ParameterValue": "/shop/name", "ResolvedValue": "quiet"},
]


def _change(address: str = "Orders", action: str = "Modify", **members: Any) -> dict[str, Any]:
    contexts = {key: json.dumps({"Properties": members.pop(key)}) for key in list(members) if key.endswith("Context")}
    held = {"Action": action, "LogicalResourceId": address, "ResourceType": "AWS::DynamoDB::Table"}
    return {"Type": "Resource", "ResourceChange": {**held, **members, **contexts}}


def _set(*changes: dict[str, Any], name: str = "set.json", **members: Any) -> Source:
    content = {"Changes": changes, "ChangeSetId": name, "StackId": STACK, "StackName": "shop", "Parameters": GIVEN}
    return Source(name, json.dumps({**content, **members}).encode())


def _template(text: str = TEMPLATE, name: str = "app.yaml", **files: str) -> Source:
    beside = {f"{key}.yaml": dedent(inner).encode() for key, inner in files.items()}
    return Source(name, dedent(text).encode(), beside=Beside(beside))


def _readings(*sources: Source, template: Source | None = None) -> list[Reading]:
    return list(read_all(sources, ReadOptions(template=template)))


def _estate(readings: list[Reading]) -> Estate:
    (estate,) = (reading.estate for reading in readings if reading.estate is not None)
    return estate


def _faults(readings: list[Reading]) -> list[tuple[str, bool, str]]:
    return [(it.place.file, it.blocks, it.message) for reading in readings for it in reading.faults]


def test_the_template_tells_the_rest() -> None:
    """Unchanged resources are checked too, with the parameters of the change set."""
    found = _readings(_set(_change(AfterContext=ORDERS, BeforeContext=ORDERS)), template=_template())
    estate = _estate(found)
    assert [("set.json", "change-set"), ("app.yaml", "cloudformation")] == [
        (reading.input.path, reading.input.kind) for reading in found
    ]
    assert ["orders-dev", "quiet"] == [table.name.content for table in estate.tables]
    assert [] == _faults(found)
    orders = estate.tables[0]
    assert ("eu-west-1", None) == (orders.region.content, orders.alarms_doubt)
    assert ["Alarm"] == [alarm.address for alarm in orders.alarms]
    assert ["Worker"] == [holder.address for holder in estate.holders]


def test_the_change_set_knows_what_the_template_comes_to() -> None:
    """A value that only the deploy knows is in the change set; the others keep their lines."""
    (orders, _) = _estate(_readings(_set(_change(AfterContext=ORDERS)), template=_template())).tables
    assert ("PAY_PER_REQUEST", "set.json") == (
        orders.billing_mode.content,
        orders.billing_mode.place and orders.billing_mode.place.file,
    )
    assert orders.name.place is not None
    assert ("app.yaml", 11) == (orders.name.place.file, orders.name.place.line)
    (index,) = orders.indexes.content or ()
    assert ("ALL", orders) == (index.projection.content, index.table)


def test_what_others_make_of_a_table_is_the_templates_to_say() -> None:
    """A change set without backup selections does not mean that there are none."""
    selected = """
      Saved:
        Type: AWS::Backup::BackupSelection
        Properties: {BackupSelection: {Resources: [!ImportValue something]}}
    """
    found = _readings(_set(_change(AfterContext=ORDERS)), template=_template(TEMPLATE + selected))
    assert None is not _estate(found).tables[0].backed_up.doubt


def test_changes_are_those_of_the_change_set() -> None:
    """Each table has its change; one that is not listed does not change."""
    estate = _estate(_readings(_set(_change(Replacement="True", AfterContext=ORDERS)), template=_template()))
    (change,) = estate.changes
    assert (ChangeKind.REPLACE, "Orders") == (change.kind, change.address)
    assert [change, None] == [table.change for table in estate.tables]
    assert change.after is estate.tables[0]


def test_values_need_not_be_shown_beside_a_template() -> None:
    """Without --include-property-values the template tells them."""
    assert [] == _faults(_readings(_set(_change()), template=_template()))


def test_a_template_of_another_change_set_is_refused() -> None:
    """Tables that exist afterwards must be in the template, removed ones must not."""
    found = _readings(
        _set(_change("Strange"), _change("Quiet", "Remove"), _change("Spare", "Remove")), template=_template()
    )
    assert [
        ("set.json", True, "Strange: the table is not in the template app.yaml"),
        ("set.json", True, "Quiet: the table is still in the template app.yaml"),
    ] == _faults(found)


def test_what_is_no_template_is_a_fault() -> None:
    """A file that is not a template is a fault; the change set is not checked without it."""
    found = _readings(_set(_change(AfterContext=ORDERS)), template=_template("{"))
    assert [("app.yaml", True)] == [fault[:2] for fault in _faults(found)]
    other = _readings(_set(_change(AfterContext=ORDERS)), template=_set(name="other.json"))
    assert [("other.json", True, "this is not a CloudFormation template, which --template needs")] == _faults(other)


def test_a_template_without_its_change_set() -> None:
    """Without a change set, the template is an input like any other."""
    assert ["app.yaml"] == [reading.input.path for reading in _readings(_template(), template=_template())]


def test_a_template_that_is_an_input_too_is_judged_once() -> None:
    """A folder may hold both."""
    found = _readings(_template(), _set(_change(AfterContext=ORDERS)), template=_template())
    assert ["set.json", "app.yaml"] == [reading.input.path for reading in found]


def test_nested_stacks_of_the_template_are_read() -> None:
    """Nested stacks of the template are read as without a change set."""
    embeds = "Resources: {Child: {Type: AWS::CloudFormation::Stack, Properties: {TemplateURL: child.yaml}}}"
    child = "Resources: {Orders: {Type: AWS::DynamoDB::Table}}"
    change = _change("Child", ResourceType="AWS::CloudFormation::Stack")
    found = _readings(_set(change), template=_template(embeds, child=child))
    estates = [reading.estate for reading in found if reading.estate is not None]
    assert ["Child/Orders"] == [table.address for estate in estates for table in estate.tables]


def test_change_sets_of_nested_stacks() -> None:
    """The change set of a nested stack has the address of its stack, at any depth."""

    def nests(address: str, inner: str) -> dict[str, Any]:
        return _change(address, ResourceType="AWS::CloudFormation::Stack", ChangeSetId=inner)

    leaf = _set(_change(AfterContext=ORDERS, BeforeContext=ORDERS), name="leaf.json", ParentChangeSetId="mid.json")
    middle = _set(nests("Leaf", "leaf.json"), name="mid.json", ParentChangeSetId="root.json")
    root = _set(nests("Middle", "mid.json"), nests("Else", "else.json"), name="root.json")
    found = _readings(leaf, middle, root)
    (table,) = (table for reading in found if reading.estate for table in reading.estate.tables)
    assert "Middle/Leaf/Orders" == table.address
    assert table.change is not None
    assert ("Middle/Leaf/Orders", table) == (table.change.address, table.change.after)
    assert table.change.before is not None
    told = [message for _, _, message in _faults(found) if "nested" in message]
    assert ["Else: the changes of a nested stack are in a change set of their own"] == told


def test_change_sets_that_make_each_other_end() -> None:
    """Change sets that refer to each other in a cycle have no address, and are read once."""
    stack = {"ResourceType": "AWS::CloudFormation::Stack"}
    one = _set(_change("A", ChangeSetId="b.json", **stack), name="a.json", ParentChangeSetId="b.json")
    other = _set(_change("B", ChangeSetId="a.json", **stack), name="b.json", ParentChangeSetId="a.json")
    broken = Source("c.json", b'{"Changes": 1, "ChangeSetId": "c", "ParentChangeSetId": "a.json"}')
    assert ["a.json", "b.json", "c.json"] == [reading.input.path for reading in _readings(one, other, broken)]
