"""What an input is, told from its content alone."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from tablegate.syntax.node import ParseError
from tablegate.syntax.recognise import Kind, Recognised, recognise
from tablegate.syntax.relevance import looks_relevant
from tablegate.syntax.source import Source

PLAN = '{"format_version": "1.2", "planned_values": {}}'
TEMPLATE = "Resources:\n  T:\n    Type: AWS::DynamoDB::Table\n"
JSON_TEMPLATE = '{"Resources": {"T": {"Type": "AWS::DynamoDB::Table"}}}'


def _recognised(text: str) -> Recognised:
    """With the text of a plan, where it is recognised as its members."""
    found = recognise(Source("x", text.encode()))
    return replace(found, content=found.content if isinstance(found.content, str) else found.content.text)


@pytest.mark.parametrize(
    "text",
    [
        PLAN,
        f"\n {PLAN}\n",
        '{"format_version": "0.1", "resource_changes": []}',
        '{"format_version": "1.2.3", "errored": true}',
        '{"plan_format_version": "1.2", "resource_changes": []}',
    ],
)
def test_plans_are_recognised(text: str) -> None:
    """The JSON of a plan has a format_version and at least one of a plan's sections, in any order."""
    assert Recognised(Kind.TERRAFORM_PLAN, text) == _recognised(text)
    assert looks_relevant(text.encode(), "x.json")


@pytest.mark.parametrize(
    "text",
    [
        TEMPLATE,
        f"# a comment\n\n---\n{TEMPLATE}",
        "\r\n  Description: x\r\n  Resources:\r\n    T: {Type: AWS::X}\r\n",
        '"Resources" : {T: {Type: AWS::X}}\n',
        "AWSTemplateFormatVersion: '2010-09-09'\n",
        "Transform: AWS::Serverless-2016-10-31\n",
        JSON_TEMPLATE,
        '{"AWSTemplateFormatVersion": "2010-09-09"}',
    ],
)
def test_templates_are_recognised(text: str) -> None:
    """JSON or YAML, whatever the file is called: one of a template's own sections is enough."""
    assert Recognised(Kind.CLOUDFORMATION, text) == _recognised(text)
    assert looks_relevant(text.encode(), "x.json")


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ('{"format_version": "1.0", "terraform_version": "1.5.0"}', Kind.TERRAFORM_STATE),
        ('{"format_version": "1.0", "values": {}}', Kind.TERRAFORM_STATE),
        ('{"version": 4, "lineage": ""}', Kind.TERRAFORM_STATE),
        ('{"version": 4, "serial": 1}', Kind.TERRAFORM_STATE),
        ('{"Changes": [], "ChangeSetId": ""}', Kind.CHANGE_SET),
        ('{"Changes": [], "ChangeSetName": ""}', Kind.CHANGE_SET),
        ('{"changes": [], "changeSetId": ""}', Kind.CHANGE_SET),
        ('{"version": "55.0.0", "artifacts": {}}', Kind.CDK_ASSEMBLY),
    ],
)
def test_other_languages_are_recognised(text: str, kind: Kind) -> None:
    """States, change sets and assemblies are known by a few members that they always have."""
    assert Recognised(kind, text) == _recognised(text)
    assert (kind is not Kind.CDK_ASSEMBLY) is looks_relevant(text.encode(), "x.json")


def test_a_change_set_may_be_yaml() -> None:
    """The command line prints YAML too, and the console spells the keys its own way."""
    text = "changes: []\nchangeSetName: x\n"
    assert Recognised(Kind.CHANGE_SET, text) == _recognised(text)


def test_the_wrapper_of_setup_terraform_is_taken_off() -> None:
    """The plan is there, after the command and before the workflow commands."""
    note = "ignored the lines of setup-terraform's wrapper"
    for text in (f"[command]/bin/terraform show\n{PLAN}", f"::debug::x\n{PLAN}\n::debug::exitcode: 0\n"):
        assert Recognised(Kind.TERRAFORM_PLAN, PLAN, note) == _recognised(text)
        assert looks_relevant(text.encode(), "plan.json")


@pytest.mark.parametrize(
    ("text", "inner"),
    [
        (json.dumps({"TemplateBody": TEMPLATE, "StagesAvailable": ["Original"]}), TEMPLATE),
        ("TemplateBody:\n  Resources: {T: {Type: X}}\n", '{"Resources": {"T": {"Type": "X"}}}'),
        ("TemplateBody: |\n  Resources:\n    T: {Type: X}\n", "Resources:\n  T: {Type: X}\n"),
    ],
)
def test_a_template_is_taken_out_of_its_body(text: str, inner: str) -> None:
    """What 'aws cloudformation get-template' prints holds the template as a text or as an object."""
    assert Recognised(Kind.CLOUDFORMATION, inner, "line numbers are counted within TemplateBody") == _recognised(text)


@pytest.mark.parametrize("key", ["TemplateBody", "Template\\u0042ody"])
def test_the_key_of_a_body_may_have_escapes(key: str) -> None:
    """The template is the same, though its key is not found as it is."""
    found = _recognised(f'{{"StagesAvailable": [], "{key}": {JSON_TEMPLATE}}}')
    assert (Kind.CLOUDFORMATION, json.loads(JSON_TEMPLATE)) == (found.kind, json.loads(found.text))


@pytest.mark.parametrize(
    "text",
    [
        "? Resources\n: {T: {Type: AWS::X}}\n",
        "!!str Resources: {T: {Type: AWS::X}}\n",
        "--- {Resources: {T: {Type: AWS::X}}}\n",
        '"Reso\\x75rces": {T: {Type: AWS::X}}\n',
        "A: 'Plan: 1 to add'\x85Resources: {T: {Type: AWS::X}}\n",
        "? Resources\n: [AWS::X\n",
    ],
)
def test_templates_in_odd_spellings_are_recognised(text: str) -> None:
    """By their keys, or, if they are broken, by what looks like one."""
    assert Recognised(Kind.CLOUDFORMATION, text) == _recognised(text)
    assert looks_relevant(text.encode(), "x.json")


def test_a_template_in_an_object_keeps_its_lines() -> None:
    """What is around it goes, and leaves its place: lines and columns are those of the file."""
    text = json.dumps(
        {"Stages\u00e9": ["a", "b"], "TemplateBody": json.loads(JSON_TEMPLATE), "z": 1}, indent=1, ensure_ascii=False
    )
    found = _recognised(text)
    inner = found.text
    lines = text.split("\n")
    assert (Kind.CLOUDFORMATION, None, json.loads(JSON_TEMPLATE)) == (found.kind, found.note, json.loads(inner))
    shown = [(number, line) for number, line in enumerate(inner.split("\n")) if line.strip()]
    assert 4 < shown[0][0]
    assert all(lines[number].startswith(line.rstrip()[-1], len(line.rstrip()) - 1) for number, line in shown)
    assert [line for _, line in shown][1:] == [lines[number][: len(line)] for number, line in shown][1:]


def test_a_body_with_half_a_character_is_refused() -> None:
    """JSON can spell what no encoding can hold."""
    with pytest.raises(ParseError, match="half of a surrogate pair"):
        _recognised(r'{"TemplateBody": "{\"Resources\": \"\ud800\"}"}')


def test_source_is_known_by_its_name_too() -> None:
    """Terraform itself goes by the name, whatever is in the file."""
    assert Recognised(Kind.TERRAFORM_SOURCE, "{}") == recognise(Source("x.tf.json", b"{}"))


@pytest.mark.parametrize("text", ['resource "aws_dynamodb_table" "t" {\n}\n', "# x\nterraform {\n}\n"])
def test_source_is_known_by_its_blocks(text: str) -> None:
    """Terraform source from standard input needs no name."""
    assert Recognised(Kind.TERRAFORM_SOURCE, text) == _recognised(text)


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("PK\x03\x04\x14\0\x08\0\x08\0tfplan", "a binary plan"),
        ("PK\x03\x04\x14\0", "a ZIP archive"),
        ('{"@level":"info","@message":"Terraform 1.11.4"}\n{}', "the log stream of 'terraform plan -json', not a plan"),
        ("\nTerraform will perform the following actions:\n", "the human-readable output of 'terraform plan'"),
        ("aws_x.y: Refreshing state...\n", "the human-readable output of 'terraform plan'"),
        ("version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\n", "a pointer of Git LFS, not the file itself"),
        ("\0GITCRYPT\0\x12", "a file that git-crypt keeps locked"),
        ("\x1b[1mTerraform", "the coloured output of a terminal"),
        ("[command]/bin/terraform\nError\n", "the output of setup-terraform's wrapper, without a plan in it"),
        ('{"encrypted_data": "", "encryption_version": "v0"}', "encrypted by OpenTofu"),
        ('{"remote_plan_format": 1}', "a reference to a plan that is stored in HCP Terraform"),
        ('{"version": "tree-0.1", "tree": {}}', "a part of a CDK assembly"),
        ('{"version": "55.0.0", "files": {}, "dockerImages": {}}', "a part of a CDK assembly"),
        ('{"version": "55.0.0", "testCases": {}}', "a part of a CDK assembly"),
        ('{"format_version": "1.0", "provider_schemas": {}}', "the output of 'terraform providers schema'"),
        ('{"root_module": {}, "provider_config": {}}', "a configuration, not a plan"),
        ("service: s\nprovider: {name: aws}\n", "a service of the Serverless Framework"),
        ("{}", "neither a Terraform plan nor a template"),
        ("a: b\n", "neither a Terraform plan nor a template"),
        (
            '{"TemplateBody": {"format_version": "1.2", "resource_changes": []}}',
            "neither a Terraform plan nor a template",
        ),
        (json.dumps({"TemplateBody": PLAN}), "neither a Terraform plan nor a template"),
    ],
)
def test_what_is_something_else_is_told_so(text: str, what: str) -> None:
    """Each mistake is named, and comes with what to give instead."""
    with pytest.raises(ParseError) as caught:
        _recognised(text)
    assert f"this is {what}" == caught.value.message
    assert caught.value.hint


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"planned_values": {}}', "not the JSON of a Terraform plan: it has no format_version"),
        ('{"format_version": 1.2, "planned_values": {}}', "not the JSON of a Terraform plan: it has no format_version"),
        ('{"format_version": "2.0", "planned_values": {}}', "unsupported plan format 2.0; supported are 0.1 to 1.x"),
        ("null", "this is neither a Terraform plan nor a template, but a single value"),
        ('"x"', "this is neither a Terraform plan nor a template, but a single value"),
        ("- a\n", "this is neither a Terraform plan nor a template, but a list"),
        ("[1]", "this is neither a Terraform plan nor a template, but a list"),
        ("[" * 300, "nested deeper than 200 levels"),
        ("// x\n{}", "comments are not JSON"),
        ("# x\n[project]\nname = 'shop'\n", "not JSON or YAML: expected a Terraform plan or a template"),
        ("; x\n[core]\nbare = false\n", "not JSON or YAML: expected a Terraform plan or a template"),
        ("[[tool.x]]", "not JSON or YAML: expected a Terraform plan or a template"),
        ('{"a": 1} {"b": 2}', "extra data after the end of the document"),
        ("a: [\n", "not valid YAML"),
    ],
)
def test_what_is_broken_is_told_so(text: str, message: str) -> None:
    """An input that is no document at all says where it breaks."""
    with pytest.raises(ParseError) as caught:
        _recognised(text)
    assert caught.value.message.startswith(message)


@pytest.mark.parametrize(
    ("data", "name", "expected"),
    [
        (b"", "out/plan.json", True),
        (b"\n", "empty.json", False),
        (b"", "templates/NOTES.txt", False),
        (b"", "templates/values.yaml", False),
        (
            b"AWSTemplateFormatVersion: x\nTransform: AWS::Serverless-2016-10-31\nResources:\n\nOutputs:\n",
            "t.yaml",
            False,
        ),
        (b"AWSTemplateFormatVersion: x\nResources: # none\n\n  # yet\n", "t.yaml", False),
        (b"AWSTemplateFormatVersion: x\nResources:\n\n\n  A: {}\n", "t.yaml", True),
        (b"AWSTemplateFormatVersion: x\nTransform: Macro\nResources:\nOutputs: {}\n", "t.yaml", True),
        (b"AWSTemplateFormatVersion: x\nTransform:\n  - Macro\nResources:\n", "t.yaml", True),
        (b"PK\x03\x04", "plan.json", True),
        (b"PK\x03\x04", "plan.zip", False),
        (b'{"format_version": "1.0", "values": {}}', "state.json", True),
        (b'{"version": 4, "lineage": "x", "resou', "terraform.tfstate", True),
        (b'{"Changes": [], "ChangeSetId": "x", "Sta', "x.json", True),
        (b'{"name": "x", "version": "1"}', "package.json", False),
        (b'{"Resources": []}', "x.json", False),
        (b'{"compilerOptions": {}, // x\n}', "tsconfig.json", False),
        (b'{"format_version": "1.2", "terraform_ver', "x.json", True),
        (b'{"Resources": {"T": {"Type": "AWS::DynamoDB::Table",}}}', "x.json", True),
        (b'{"Resources": {}, "Resources": {"Type": 1}', "x.json", False),
        (b"Resources:\n  cpu: 1\n", "values.yaml", False),
        (b"resources:\n  Resources:\n    T: {Type: AWS::X}\n", "serverless.yml", False),
        (b"Resources:\n  T: {{ x }}::\n", "t.yaml", True),
        ("Resources:\n  T: AWS::X".encode("utf-16"), "t.yaml", True),
        ("Resources:\n  T: AWS::X".encode("utf-32"), "t.yaml", True),
        (b"Resources: AWS::X \xff", "t.yaml", True),
        (b"[command]terraform show\nnothing", "x.json", False),
    ],
)
def test_a_folder_holds_other_things_too(data: bytes, name: str, expected: bool) -> None:
    """What is no plan and no template is passed over; what set out to be one and is broken is not."""
    assert expected == looks_relevant(data, name)
