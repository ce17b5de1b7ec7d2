"""The smallest file around a fragment."""

from __future__ import annotations

from tablegate.testing import smallest_template, smallest_terraform


def test_what_a_fragment_is_decides_where_it_goes() -> None:
    """Properties into the table, attributes onto its resource, resources beside it."""
    fragment = """
    BillingMode: PAY_PER_REQUEST
    DeletionPolicy: Retain
    Alarm:
      Type: AWS::CloudWatch::Alarm
      Properties: {}
    """
    assert smallest_template(fragment) == (
        "Resources:\n"
        "  Table:\n"
        "    Type: AWS::DynamoDB::Table\n"
        "    DeletionPolicy: Retain\n"
        "    Properties:\n"
        "      AttributeDefinitions:\n"
        "        - AttributeName: id\n"
        "          AttributeType: S\n"
        "      KeySchema:\n"
        "        - AttributeName: id\n"
        "          KeyType: HASH\n"
        "      BillingMode: PAY_PER_REQUEST\n"
        "  Alarm:\n"
        "    Type: AWS::CloudWatch::Alarm\n"
        "    Properties: {}\n"
    )


def test_a_property_of_the_fragment_takes_the_place_of_the_smallest_tables_own() -> None:
    """No key occurs twice."""
    text = smallest_template("KeySchema:\n  - AttributeName: pk\n    KeyType: HASH\n")
    assert text.count("KeySchema") == 1
    assert "AttributeName: pk" in text
    assert smallest_template().count("AttributeName: id") == 2


def test_a_fragment_of_terraform_goes_into_the_table_or_beside_it() -> None:
    """A block of its own stays beside the table."""
    inside = smallest_terraform("\n    ttl {\n      enabled = true\n    }\n")
    assert inside.endswith("  }\n\n  ttl {\n    enabled = true\n  }\n}\n")
    beside = smallest_terraform('resource "aws_kms_key" "k" {}')
    assert beside.endswith('  }\n}\n\nresource "aws_kms_key" "k" {}\n')
    assert smallest_terraform().startswith('resource "aws_dynamodb_table" "orders" {\n  name     = "orders"\n')
