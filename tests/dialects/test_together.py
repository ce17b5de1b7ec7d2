"""Sources of one run that know of each other: exports, and templates that another one embeds."""

from __future__ import annotations

from textwrap import dedent

import pytest

from tablegate.dialects import read_all
from tablegate.dialects.reading import ReadOptions
from tablegate.model.table import Table
from tablegate.syntax.node import Node
from tablegate.syntax.source import Beside, Source
from tablegate.syntax.yaml import parse_yaml

KEYS = """
    Resources: {Key: {Type: AWS::KMS::Key, Properties: {EnableKeyRotation: true}}}
    Outputs:
      Key: {Value: !GetAtt Key.Arn, Export: {Name: shop-key}}
      Name: {Value: orders-prod, Export: {Name: !Sub '${AWS::Region}-name'}}
      Bare: {Value: 1}
"""
ORDERS = """
    Resources:
      Orders:
        Type: AWS::DynamoDB::Table
        Properties:
          TableName: !ImportValue {'Fn::Sub': '${AWS::Region}-name'}
          SSESpecification: {SSEEnabled: true, SSEType: KMS, KMSMasterKeyId: !ImportValue shop-key}
"""


def _tables(*texts: str) -> list[Table]:
    sources = [Source(f"{number}.yaml", dedent(text).encode()) for number, text in enumerate(texts)]
    readings = read_all(sources, ReadOptions(region="eu-west-1"))
    return [table for reading in readings if reading.estate for table in reading.estate.tables]


def test_an_export_is_what_it_is_where_it_comes_from() -> None:
    """A text is that text, and a key is that key, whichever template comes first."""
    for texts in ((KEYS, ORDERS), (ORDERS, KEYS)):
        (table,) = _tables(*texts)
        assert "orders-prod" == table.name.content
        assert table.encryption.resource is not None
        assert (True, "customer") == (table.encryption.resource.rotation.content, table.encryption.owner.content)


def test_a_template_that_exports_is_parsed_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its tree is kept for the run."""
    parsed: list[str] = []

    def parse(text: str, *more: object) -> Node:
        parsed.append(text)
        return parse_yaml(text, *more)

    monkeypatch.setattr("tablegate.syntax.yaml.parse_yaml", parse)
    _tables(KEYS, ORDERS)
    assert sorted(parsed) == sorted(map(dedent, (KEYS, ORDERS)))


def test_what_nobody_exports_here_is_unknown() -> None:
    """Another stack may export it."""
    (table,) = _tables(ORDERS)
    assert table.name.doubt is not None
    assert "another stack exports this value, which is read at deploy" == table.name.doubt.reason


def test_two_that_export_the_same_name() -> None:
    """Equal values are known; different ones are not."""
    (agreed,) = _tables(ORDERS, KEYS, KEYS.replace("true", "false"))
    assert "orders-prod" == agreed.name.content
    (doubted,) = _tables(ORDERS, KEYS, KEYS.replace("orders-prod", "orders-dev"))
    assert doubted.name.doubt is not None
    assert "several templates of this run export it, with different values" == doubted.name.doubt.reason


def test_stacks_that_import_in_a_circle() -> None:
    """It ends, and is unknown."""
    circle = """
        Resources: {T: {Type: AWS::DynamoDB::Table, Properties: {TableName: !ImportValue a}}}
        Outputs: {A: {Value: !ImportValue b, Export: {Name: a}}, B: {Value: !ImportValue a, Export: {Name: b}}}
    """
    (table,) = _tables(circle)
    assert table.name.doubt is not None


def test_an_output_of_a_stack_that_is_not_known() -> None:
    """A template does not have the name of its stack."""
    parts = "{StackName: keys, OutputName: Name}", "[]", "{StackName: keys}"
    for part in parts:
        properties = "{TableName: {'Fn::GetStackOutput': " + part + "}}"
        text = "Resources: {T: {Type: AWS::DynamoDB::Table, Properties: " + properties + "}}"
        (table,) = _tables(text, KEYS)
        assert table.name.doubt is not None


def test_what_another_template_embeds_is_not_read_twice() -> None:
    """With the parameters of its parent it is known better than alone."""
    parent = b"Resources: {C: {Type: AWS::CloudFormation::Stack, Properties: {TemplateURL: a.yaml}}}"
    child = b"Resources: {T: {Type: AWS::DynamoDB::Table}}"
    sources = [
        Source("a.yaml", child),
        Source("b.yaml", parent, beside=Beside({"a.yaml": child})),
        Source("c.yaml", child),
    ]
    readings = list(read_all(sources, ReadOptions()))
    assert ["b.yaml", "a.yaml", "c.yaml"] == [reading.input.path for reading in readings]
    tables = [table for reading in readings if reading.estate for table in reading.estate.tables]
    assert ["C/T", "T"] == [table.address for table in tables]


def test_a_broken_exporter_does_not_hide_the_others() -> None:
    """Its fault is reported when it is read itself."""
    (table,) = _tables(ORDERS, KEYS, "Outputs: {A: {Export: [}")
    assert "orders-prod" == table.name.content


@pytest.mark.parametrize(
    ("imported", "exported"),
    [
        ("!%49mportValue shop-key", "Export: {Name: shop-key}"),
        ('{"Fn::\\x49mportValue": shop-key}', "Export: {Name: shop-key}"),
        ("!ImportValue shop-key", '"E\\x78port": {Name: shop-key}'),
        ("!ImportValue shop-key", "? Export\n        : {Name: shop-key}"),
    ],
)
def test_an_import_in_another_spelling(imported: str, exported: str) -> None:
    """What the sources know of each other does not depend on how a word is written."""
    keys = (
        KEYS.replace("Export: {Name: shop-key}", exported)
        .replace("{Value: !GetAtt Key.Arn, ", "\n        Value: !GetAtt Key.Arn\n        ")
        .replace("shop-key}}", "shop-key}")
    )
    (table,) = _tables(keys, ORDERS.replace("!ImportValue shop-key", imported))
    (plain,) = _tables(KEYS, ORDERS)
    assert plain.encryption == table.encryption
