"""What an audit found and cannot read: it blocks only if it may be about tables or access."""

from __future__ import annotations

from pathlib import Path

import pytest

from tablegate import check
from tablegate.findings import Exit, Report
from tablegate.run.found import NOT_OURS

GOOD = """\
AWSTemplateFormatVersion: '2010-09-09'
Resources:
  Topic: {Type: AWS::SNS::Topic}
  Exported: {Type: AWS::IAM::ManagedPolicy, Properties: {PolicyDocument: {Statement: []}}}
"""
TWICE = """\
AWSTemplateFormatVersion: '2010-09-09'
Transform: AWS::Serverless-2016-10-31
Resources:
  A: {Type: AWS::SNS::Topic}
  A: {Type: AWS::SNS::Topic}
"""
MISSING = 'module "network" {\n  source = "%s"\n}\n'


def audit(folder: Path, *named: str, **files: str) -> Report:
    """The report on a folder, and on named inputs of it."""
    for name, text in files.items():
        path = folder / name.replace("__", "/").replace("_", ".")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return check(*(folder / name for name in named or (".",)))


def said(report: Report) -> list[tuple[str, bool]]:
    """The faults, by the names of their files."""
    return [(fault.place.file.rpartition("/")[2], fault.blocks) for fault in report.faults]


def test_a_template_about_something_else_warns(tmp_path: Path) -> None:
    """It is told all the same, with the reason and what to do if it must be read."""
    report = audit(tmp_path, good_yaml=GOOD, d__bad_yaml=TWICE)
    assert said(report) == [("bad.yaml", False)]
    assert report.faults[0].hint is not None
    assert report.faults[0].hint.endswith(NOT_OURS)
    assert report.exit is Exit.OPEN


@pytest.mark.parametrize(
    "word",
    [
        "AWS::DynamoDB::Table",
        "AWS::Dynam\\u006fDB::Table",
        "AWS::Serverless::SimpleTable",
        "AWS::IAM::Role",
        "AWS::DAX::Cluster",
        "dynamodb:GetItem",
        "Policies: AdministratorAccess",
        "AWS::SSO::PermissionSet",
        "Fn::ForEach::Part",
    ],
)
def test_one_that_names_tables_or_access_blocks(tmp_path: Path, word: str) -> None:
    """Wherever the word is, and in whatever spelling."""
    report = audit(tmp_path, good_yaml=GOOD, bad_yaml=f'{TWICE}Outputs: {{X: {{Value: "{word}"}}}}\n')
    assert ("bad.yaml", True) in said(report)
    assert report.exit is Exit.UNREAD


def test_what_stands_for_another_file_blocks(tmp_path: Path) -> None:
    """Nobody knows what is in that file."""
    pointer = "version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 12345\n"
    locked = "\0GITCRYPT\0\x12"
    report = audit(tmp_path, good_yaml=GOOD, orders_yaml=pointer, other_yaml=locked)
    assert said(report) == [("orders.yaml", True), ("other.yaml", True)]
    whats = [fault.message for fault in report.faults]
    assert whats == ["this is a pointer of Git LFS, not the file itself", "this is a file that git-crypt keeps locked"]


def test_what_is_cut_off_or_empty_blocks(tmp_path: Path) -> None:
    """Nobody knows what was in the rest of it."""
    cut = '{"AWSTemplateFormatVersion": "2010-09-09", "Resources": {"A": {"Type": "AWS::SNS::Topic"'
    report = audit(tmp_path, good_yaml=GOOD, template_json="", cut_json=cut)
    assert said(report) == [("cut.json", True), ("template.json", True)]


def test_a_partial_plan_blocks(tmp_path: Path) -> None:
    """What is not in it may be a table."""
    plan = '{"format_version": "1.2", "terraform_version": "1.9.0", "errored": true, "resource_changes": []}'
    report = audit(tmp_path, good_yaml=GOOD, plan_json=plan)
    assert ("plan.json", True) in said(report)


def test_an_input_that_the_user_names_blocks(tmp_path: Path) -> None:
    """A file, and a folder of source that is the root module itself."""
    assert said(audit(tmp_path, "good.yaml", "d/bad.yaml", good_yaml=GOOD, d__bad_yaml=TWICE)) == [("bad.yaml", True)]
    source = MISSING % "./nowhere"
    assert said(audit(tmp_path, "good.yaml", "r", r__main_tf=source)) == [("main.tf", True)]


def test_source_that_lacks_a_module(tmp_path: Path) -> None:
    """Unless the module, or anything else in the root, names what we check."""
    report = audit(tmp_path, good_yaml=GOOD, r__main_tf=MISSING % "./nowhere")
    assert said(report) == [("main.tf", False)]
    named = audit(tmp_path, good_yaml=GOOD, r__main_tf=MISSING % "./dynamo-tables")
    assert said(named) == [("main.tf", True)]


def test_a_module_of_several_roots_blocks_if_one_of_them_is_about_tables(tmp_path: Path) -> None:
    """And only then."""
    call = 'module "m" {\n  source = "../m"\n}\n'
    files = {"a__main_tf": call, "b__main_tf": call, "m__main_tf": 'resource "x" {\n'}
    assert {blocks for _, blocks in said(audit(tmp_path, good_yaml=GOOD, **files))} == {False}
    table = call + 'resource "aws_dynamodb_table" "t" {\n  name = "t"\n  hash_key = "id"\n}\n'
    assert ("main.tf", True) in said(audit(tmp_path, good_yaml=GOOD, **files | {"b__main_tf": table}))


def test_nothing_but_what_cannot_be_read_blocks(tmp_path: Path) -> None:
    """Else a folder in which nothing was checked would be open."""
    assert said(audit(tmp_path, bad_yaml=TWICE)) == [("bad.yaml", True)]
