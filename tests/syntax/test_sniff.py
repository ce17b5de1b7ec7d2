"""What bytes tell before anybody reads them: a mistake here would let a table pass unseen."""

from __future__ import annotations

import pytest

from tablegate.syntax.sniff import is_other, is_silent

QUEUE = b"Resources:\n  Q: {Type: AWS::SQS::Queue}\n"
EMPTY = b'{"format_version": "1.2", "resource_changes": []'


@pytest.mark.parametrize("data", [b"", b"hello", b'{"name": "x"}', b"resources:\n  limits: {cpu: 1}\n"])
def test_most_files_are_something_else(data: bytes) -> None:
    """No sign of an input is in them."""
    assert is_other(data)


@pytest.mark.parametrize(
    "data",
    [
        QUEUE,
        b"Resources:",
        EMPTY,
        b'{"planned_values',
        b'{"TemplateBody": ""}',
        b'{"Changes": [], "ChangeSetName": "x"}',
        b'{"version": 4, "serial": 1}',
        b'{"\\u0052esources": {}}',
        QUEUE.decode().encode("utf-16"),
        b"R\0e\0s\0o\0",
        b"PK\x03\x04",
    ],
)
def test_a_sign_of_an_input_is_enough(data: bytes) -> None:
    """Also of a broken one, and where words cannot be looked for."""
    assert not is_other(data)


@pytest.mark.parametrize("data", [QUEUE, EMPTY + b"}", EMPTY + b', "errored": false, "complete": true}'])
def test_an_input_can_have_nothing_that_is_judged(data: bytes) -> None:
    """It is whole, and none of the words is in it."""
    assert is_silent(data)


@pytest.mark.parametrize(
    "data",
    [
        QUEUE.replace(b"SQS", b"DynamoDB"),
        QUEUE.replace(b"SQS::Queue", b"DYNAMODB::table"),
        QUEUE.replace(b"SQS", b"IAM"),
        QUEUE.replace(b"SQS", b"DAX"),
        QUEUE.replace(b"SQS::Queue", b"Serverless::SimpleTable"),
        QUEUE.replace(b"AWS::SQS::Queue", b'"AWS::\\x44ynamo\\x44B::Table"'),
        QUEUE.replace(b"AWS::SQS::Queue", b'"AWS::Dynamo\\\nDB::Table"'),
        QUEUE.replace(b"AWS::SQS::Queue", b"Acme::Data::Table::MODULE"),
        QUEUE + b"Transform: Acme\n",
        QUEUE + b"Outputs: {A: {Value: 1, Export: {Name: x}}}\n",
        b'{"Resources": {"T": {"Type": "AWS::\\u0044ynamoDB::Table"}}}',
        QUEUE.decode().encode("utf-16"),
        EMPTY,
        EMPTY + b', "errored": true}',
        EMPTY + b',\n "complete" :\tfalse}',
        EMPTY + b', "deferred_changes": []}',
        b'{"plan_format_version": "1.2", "resource_changes": []}',
        b"",
        b" \n",
    ],
)
def test_whatever_may_hide_a_table_is_read(data: bytes) -> None:
    """A word, an escape, a macro, what others import, what is cut off, and a plan that is not the whole plan."""
    assert not is_silent(data)
