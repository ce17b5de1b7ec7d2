"""What bytes tell before anybody reads them: a mistake here would let a table pass unseen."""

from __future__ import annotations

import pytest

from tablegate.syntax.relevance import Sniffed, embedded_files, is_manifest, looks_relevant, may_concern_tables, sniffed

QUEUE = b"Resources:\n  Q: {Type: AWS::SQS::Queue}\n"
EMPTY = b'{"format_version": "1.2", "resource_changes": []'


@pytest.mark.parametrize(
    "data",
    [
        b"hello",
        b'{"name": "x"}',
        b"resources:\n  limits: {cpu: 1}\n",
        b'{"a": "c:\\\\d"}',
        b"iam, dax and export",
        b"AWSTemplateFormatVersion: x",
    ],
)
def test_most_files_are_something_else(data: bytes) -> None:
    """No sign of an input is in them."""
    assert Sniffed.OTHER is sniffed(data)


@pytest.mark.parametrize(
    "data",
    [
        QUEUE,
        EMPTY + b"}",
        EMPTY + b', "errored": false, "complete": true}\n',
        b'{"version": 4, "lineage": "x"}',
    ],
)
def test_an_input_can_have_nothing_that_is_judged(data: bytes) -> None:
    """It is whole, and none of the words is in it."""
    assert Sniffed.SILENT is sniffed(data)


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
        QUEUE.replace(b"AWS::SQS::Queue", b'"AWS::Dynamo\\\r\nDB::Table"'),
        QUEUE.replace(b"AWS::SQS::Queue", b"Acme::Data::Table::MODULE"),
        QUEUE.replace(b"SQS::Queue", b"CloudFormation::StackSet"),
        QUEUE.replace(b"SQS::Queue", b"SSO::PermissionSet"),
        QUEUE + b"  Fn::ForEach::Each: []\n",
        QUEUE + b"Transform: Acme\n",
        QUEUE + b"Outputs: {A: {Value: 1, Export: {Name: x}}}\n",
        b'{"Resources": {"T": {"Type": "AWS::\\u0044ynamoDB::Table"}}}',
        b'{"Resources": {"Q": {"Type": "AWS::SQS::Queue"}}',
        b'{"Resources": {"Q": {"Type": "AWS::SQS::Queue"',
        b'{"ChangeSetName": "x", "Changes": [{"ResourceType": "AWS::SQS::Queue"}], "NextToken": "y"}',
        b'{"format_version": "1.2", "resource_changes": [{"type": "aws_iam_role"}]}',
        QUEUE.decode().encode("utf-16"),
        b"R\0e\0s\0o\0",
        b"PK\x03\x04",
        EMPTY,
        EMPTY + b', "errored": true}',
        EMPTY + b',\n "complete" :\tfalse}',
        EMPTY + b', "deferred_changes": []}',
        b'{"plan_format_version": "1.2", "resource_changes": []}',
        b"",
        b" \n",
        QUEUE.replace(b"SQS", b"!%53QS"),
        b"\xef\xbb\xbf" + EMPTY,
        b" " * 100 + EMPTY,
        b"[command]/bin/terraform show\n",
        b"Changes: []\nChangeSetId: x\nNextToken: y\n",
        QUEUE.replace(b"AWS::SQS::Queue", b'"AWS::Dynamo\\\xc2\x85DB::Table"'),
    ],
)
def test_whatever_may_hide_a_table_is_read(data: bytes) -> None:
    """A word, an escape, a macro, what others import, what is cut off, and a plan that is not the whole plan."""
    assert Sniffed.READ is sniffed(data)


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b'resource "aws_dynamodb_table" "t" {}', True),
        (b'resource "AWS_DynamoDB_table" "t" {}', True),
        (b'resource "aws_dynamo\\u0064b_table" "t" {}', True),
        (b'resource "aws_\\U00000064ynamodb_table" "t" {}', True),
        (b'resource "aws_dax_cluster" "c" {}', True),
        (b'resource "aws_iam_role" "r" {}', True),
        (b'resource "aws_ssoadmin_permission_set" "p" {}', True),
        ('resource "aws_dynamodb_table" "t" {}'.encode("utf-16"), True),
        (b"\xff", True),
        (b'resource "aws_sqs_queue" "q" {}', False),
        (b"", False),
    ],
)
def test_source_without_tables_is_known(data: bytes, expected: bool) -> None:
    """Also where the words cannot be looked for, it is read."""
    assert expected is may_concern_tables(data)


TABLE = "  T:\n    Type: AWS::DynamoDB::Table\n"


@pytest.mark.parametrize(
    "text",
    [
        f"? Resources\n:\n{TABLE}",
        f"? |-\n  Resources\n:\n{TABLE}",
        f"!!str Resources:\n{TABLE}",
        f"&a Resources:\n{TABLE}",
        f'"Reso\\x75rces":\n{TABLE}',
        f'? "Reso\\\n  urces"\n:\n{TABLE}',
        "--- {Resources: {T: {Type: AWS::DynamoDB::Table}}}\n",
        "# flow\n{Resources: {T: {Type: AWS::DynamoDB::Table}}}\n",
        "{Resources: {T: {Type: AWS::DynamoDB::Table}}}\n",
        f"A: 1\x85Resources:\n{TABLE}",
        f"# c\u2028Resources:\n{TABLE}",
        f"A: 1\rResources:\r{TABLE}",
        f"Resources:\n\x85{TABLE}",
        f"Resources:\n\r{TABLE}",
        f"Resources:\nResources:\n{TABLE}",
        f"Resources: # empty\n? A\nResources:\n{TABLE}",
        "Resources:\n  T:\n    Type: 'AWS\\x3a\\x3aDynamoDB'\n",
        'Resources:\n  T:\n    "Type": "AWS\\x3a\\x3aDynamo\\x44B\\x3a\\x3aTable"\n',
        '{"Resources":{"T":{"\\u0054ype":"AWS::Dynamo\\u0044B::Table"}}}',
        '{"Re\\u0073ources":{"T":{"\\u0054ype":"AWS::Dynamo\\u0044B::Table"}',
        '{"Resources": {"T": {"Type": "AWS::DynamoDB::Table"}}, "format_version": "1"}',
        '{"Resources": {"T": {"Type": "AWS::DynamoDB::Table"}}, "version": 1, "artifacts": {}}',
        f"? Resources\n: [\n{TABLE}",
        f"!!str Resources: [\n{TABLE}",
        '{ /* all */ "Resources": {"T": {"Type": "AWS::DynamoDB::Table"}}',
        "{Resources: {T: {Type: 'AWS::DynamoDB::Table'}}",
        "Resources:\nTransform: Acme::Tables\n",
        "Resources:\n? Transform\n: Acme::Tables\n",
        "Resources:\nTransform: [AWS::Serverless-2016-10-31, Acme::Tables]\n",
        "Resources:\n'Fn::Transform': {Name: Acme::Tables}\n",
        "Changes: []\nChangeSetId: x\n",
        "changeSetName: x\nchanges: []\n",
        "ChangeSetId: x\nChanges: [\n",
        "TemplateBody:\n  Resources: {T: {Type: AWS::DynamoDB::Table}}\n",
    ],
)
def test_a_template_in_any_spelling_is_found(text: str) -> None:
    """Also one that is broken: found in a folder it blocks, as it does where it is named."""
    assert looks_relevant(text.encode(), "x.yaml")


@pytest.mark.parametrize(
    "text",
    [
        "service: x\nresources:\n  Resources:\n    T: {Type: AWS::DynamoDB::Table}\n",
        "Resources of a queue: AWS::SQS\n",
        "the Resources: [AWS::SQS\n",
        "- Resources: AWS::SQS\n",
        "AWS::SQS Resources\n",
        "Resources: {{ values }}\n",
        "Resources:\n\n# later\nAWSTemplateFormatVersion: 2010-09-09 AWS::X\n",
        "Resources:\nA: AWS::X\n",
        "Resources:\nTransform: AWS::Serverless-2016-10-31\n",
        "Resources: null\nA: AWS::X\n",
        '"Resources": ~\nA: AWS::X\n',
        "? Resources\n:\nA: AWS::X\n",
        '// comment\n{"a": "AWS::X"}',
        '{"Resources": ["AWS::X"], "x": "\\u0041"}',
        '{ // "Resources" of AWS::X\n}',
        "TemplateBodies: AWS::X\n",
        "see the TemplateBody [\n",
    ],
)
def test_what_only_mentions_a_template_is_passed_over(text: str) -> None:
    """Fragments, prose, and a template that nobody has filled in."""
    assert not looks_relevant(text.encode(), "x.yaml")


STACK = "Resources:\n  S:\n    Type: AWS::CloudFormation::Stack\n    Properties:\n      {}\n"


@pytest.mark.parametrize(
    "line",
    [
        "TemplateURL: child.yaml",
        "? TemplateURL\n      : child.yaml",
        "!!str TemplateURL: !!str child.yaml",
        '"Template\\x55RL": "ch\\x69ld.yaml"',
        "TemplateURL: &a child.yaml",
        "TemplateURL: >-\n        child.yaml",
        "TemplateURL: !Sub child.yaml",
    ],
)
def test_files_that_a_template_embeds(line: str) -> None:
    """In any spelling of the member that names them, and in any encoding."""
    text = STACK.format(line)
    assert ("child.yaml",) == embedded_files(text.encode())
    assert ("child.yaml",) == embedded_files(text.encode("utf-16"))
    assert ("child.yaml",) == embedded_files(
        text.replace("AWS::Cloud", '"AWS::Cl\\x6fud').replace("Stack", 'Stack"').encode()
    )


def test_files_that_json_embeds() -> None:
    """A slash may have an escape, a list may have several names, and what is broken embeds nothing that is known."""
    text = '{"Resources": {"S": {"Type": "AWS::CloudFormation::Stack", "Properties": {"TemplateURL": ["a\\/b", 1]}}}'
    assert ("a/b",) == embedded_files(f"{text}}}".encode())
    assert () == embedded_files(text.encode())
    assert () == embedded_files(QUEUE)


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b'{"version": "1", "artifacts": {}}', True),
        (b'{"version": "1", "artifacts": []}', False),
        (b'{"version": "1"}', False),
        (b'{"type": "cdk:asset-manifest",', True),
        (b'{"type": "\\u0063dk:asset-manifest",', True),
        (b'{"name": "x",', False),
    ],
)
def test_a_manifest_is_known(data: bytes, expected: bool) -> None:
    """Also a broken one, if it may have a word of an assembly."""
    assert expected is is_manifest(data)


POINTED = b"version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 12345\n"


@pytest.mark.parametrize("data", [POINTED, b"\0GITCRYPT\0\x12\x80"])
@pytest.mark.parametrize(
    ("name", "matters"),
    [
        ("d/orders.yaml", True),
        ("d/x.template", True),
        ("d/plan.json", True),
        ("d/data.json", False),
        ("d/a.txt", False),
    ],
)
def test_what_stands_for_another_file_is_read_where_that_may_be_a_template(
    data: bytes, name: str, matters: bool
) -> None:
    """The job that deploys may have the file itself, so it must not be passed over."""
    assert (sniffed(data), looks_relevant(data, name)) == (Sniffed.READ, matters)
