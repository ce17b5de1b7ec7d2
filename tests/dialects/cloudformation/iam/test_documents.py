"""Policy documents in every form that a template takes, and what IAM would refuse of them."""

from __future__ import annotations

import json
from typing import Any

import pytest

from support.planned_access import counted, grants, holders, unread
from support.templates import reading, template
from tablegate.dialects.cloudformation.stacks import read
from tablegate.dialects.reading import Reading, ReadOptions

STATEMENT = {"Effect": "Allow", "Action": "dynamodb:*", "Resource": "*"}
HEAD = "Parameters: {P: {Type: String}, Env: {Type: String}}\nConditions: {IsProd: !Equals [!Ref Env, prod]}"


def policy(document: str, head: str = HEAD) -> Reading:
    """A managed policy with this document, at ``Orders``."""
    return reading(template(f"PolicyDocument: {document}", head, "AWS::IAM::ManagedPolicy"))


def faults(found: Reading) -> list[tuple[str, str]]:
    return [(fault.code.value, fault.message) for fault in found.faults if fault.blocks]


@pytest.mark.parametrize(
    "document",
    [
        json.dumps({"Statement": [STATEMENT]}),
        json.dumps({"Statement": STATEMENT}),
        json.dumps({"Version": "2012-10-17", "Id": "x", "Statement": [STATEMENT]}),
        f"'{json.dumps({'Statement': [STATEMENT]})}'",
        f"!Sub '{json.dumps({'Statement': STATEMENT})}'",
        f"{{'Fn::ToJsonString': {json.dumps({'Statement': STATEMENT})}}}",
        f"{{'Fn::ToJsonString': {json.dumps({'Statement': STATEMENT | {'Condition': {'Ref': 'AWS::NoValue'}}})}}}",
        f"{json.dumps({'Statement': [STATEMENT, {'Ref': 'AWS::NoValue'}], 'Id': {'Ref': 'AWS::NoValue'}})}",
        f"!If [IsProd, {json.dumps({'Statement': STATEMENT})}, {json.dumps({'Statement': STATEMENT})}]",
        "{Statement: {Effect: Allow, Action: [dynamodb:*], Resource: ['*']}}",
    ],
)
def test_one_document_in_many_forms(document: str) -> None:
    """An object, a text of JSON, one statement or a list: it is the same grant."""
    found = policy(document)
    assert faults(found) == []
    assert grants(holders(found)["Orders"]) == ["Orders 0: Allow dynamodb:* on *"]
    assert counted(found) == (1, 0, 0)


SECRET = "Parameters: {P: {Type: String, NoEcho: true}}"


def test_a_document_that_is_a_secret_is_sensitive() -> None:
    """Its statements are called by their numbers, as a Sid is a part of it."""
    text = template("PolicyDocument: !Ref P", SECRET, "AWS::IAM::ManagedPolicy")
    found = reading(text, parameters={"P": json.dumps({"Statement": [{**STATEMENT, "Sid": "S3cr3t"}]})})
    (grant,) = holders(found)["Orders"].grants
    assert ("0", True) == (grant.label, grant.document.sensitive)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ("s3cr3t", "a policy document is JSON: what it says is sensitive"),
        ('{"S3cr3t": 1, "S3cr3t": 2}', "a policy document is JSON: what it says is sensitive"),
        ('{"Statement": {"S3cr3t": 1, "Action": "a"}}', "IAM refuses it, and what it says is sensitive"),
    ],
)
def test_what_is_wrong_with_a_secret_document_tells_nothing_of_it(given: str, message: str) -> None:
    """Neither the names of its elements nor its text."""
    found = reading(template("PolicyDocument: !Ref P", SECRET, "AWS::IAM::ManagedPolicy"), parameters={"P": given})
    assert {message} == {told.rpartition("PolicyDocument: ")[2] for _, told in faults(found)}


def test_a_text_with_references() -> None:
    """Holes of a JSON text are filled where they stand."""
    document = '!Sub \'{"Statement": {"Effect": "Allow", "Action": "dynamodb:GetItem", "Resource": "${T.Arn}/*"}}\''
    found = reading(
        f"""
        Resources:
          T: {{Type: AWS::Serverless::SimpleTable}}
          Orders: {{Type: AWS::IAM::ManagedPolicy, Properties: {{PolicyDocument: {document}}}}}
        """
    )
    assert grants(holders(found)["Orders"]) == [
        "Orders 0: Allow dynamodb:GetItem on arn:${partition}:dynamodb:${region}:${account}:table/${name of T}/*"
    ]


def test_two_documents_under_a_condition() -> None:
    """Each branch is read, and each is there only perhaps."""
    found = policy(
        "!If [IsProd, {Statement: {Sid: A, Effect: Allow, Action: a:b, Resource: c}}, "
        "{Statement: {Sid: B, Effect: Allow, Action: a:b, Resource: c}}]"
    )
    assert [(it.label, it.statement.present) for it in holders(found)["Orders"].grants] == [("A", False), ("B", False)]
    assert counted(found) == (2, 0, 0)


@pytest.mark.parametrize("document", ["!Ref P", "!ImportValue x", "!Sub '${P}'", "!Sub '{\"Statement\": ${P}}'"])
def test_a_document_that_is_not_known(document: str) -> None:
    """Nothing of it is read: that is said, and matters if its holder is concerned with tables."""
    found = policy(document)
    assert faults(found) == []
    assert [(relevant, partly) for _, relevant, partly, _ in unread(holders(found)["Orders"])] == [(False, False)]
    assert counted(found) == (1, 0, 1)


def test_an_unknown_document_beside_a_grant_on_tables() -> None:
    """What a holder of tables has in hand besides them may be about tables too."""
    found = reading(
        """
        Parameters: {P: {Type: String}}
        Resources:
          Worker:
            Type: AWS::IAM::Role
            Properties:
              AssumeRolePolicyDocument: {Statement: []}
              Policies:
                - {PolicyName: a, PolicyDocument: !Ref P}
                - {PolicyName: b, PolicyDocument: {Statement: {Effect: Allow, Action: dynamodb:GetItem, Resource: '*'}}}
        """
    )
    assert unread(holders(found)["Worker"]) == [("Worker", True, False, "parameter P has no value")]
    assert counted(found) == (2, 0, 1)


@pytest.mark.parametrize(
    ("document", "code", "message"),
    [
        ("[]", "TG001", "Resources/Orders/Properties/PolicyDocument: a policy document is an object"),
        ("''", "TG001", "PolicyDocument: a policy document is JSON: "),
        ("not json", "TG001", "PolicyDocument: a policy document is JSON: "),
        ('\'{"Statement": [], "Statement": []}\'', "TG003", "PolicyDocument: a policy document is JSON: duplicate key"),
        ("{Statement: x}", "TG001", "PolicyDocument/Statement: Statement is a list or an object"),
        ("{Statement: [x]}", "TG001", "Statement/0: a statement is an object"),
        (
            "{Statement: {Effect: allow, Action: a:b, Resource: c}}",
            "TG001",
            "Effect: Effect is Allow or Deny, in exactly",
        ),
        ("{Statement: {Effect: Allow, Resource: c}}", "TG001", "a statement has an Action or a NotAction"),
        ("{Statement: {Effect: Allow, Action: a:b, NotAction: c:d}}", "TG001", "Action or NotAction, not both"),
        ("{Statement: {Effect: Allow, Action: a:b, Resources: c}}", "TG001", "a statement has no element 'Resources'"),
        ("{Statement: {Effect: Allow, Action: [{a: b}], Resource: c}}", "TG001", "Action/0: a pattern is a text"),
        ("{Statement: {Effect: Allow, Action: a:b, Condition: x}}", "TG001", "Condition: a Condition is an object"),
    ],
)
def test_what_iam_would_refuse_is_a_fault(document: str, code: str, message: str) -> None:
    """It is named by its path, and no verdict rests on it."""
    found = faults(policy(document))
    assert [(fault[0], message in fault[1]) for fault in found] == [(code, True)], found


@pytest.mark.parametrize("type_", ["Policy", "ManagedPolicy", "RolePolicy", "UserPolicy", "GroupPolicy"])
def test_a_policy_without_a_document(type_: str) -> None:
    """A document that is left out is no empty one."""
    found = reading(template("PolicyName: p", "", f"AWS::IAM::{type_}"))
    assert faults(found) == [("TG001", "Resources/Orders: a policy needs a PolicyDocument")]


def test_a_json_template_is_spelled_in_json() -> None:
    """Fixes are printed as the author writes."""
    content: dict[str, Any] = {
        "Type": "AWS::IAM::ManagedPolicy",
        "Properties": {"PolicyDocument": {"Statement": STATEMENT}},
    }
    found = read(json.dumps({"Resources": {"P": content}}), "t.json", ReadOptions())
    assert [grant.spelling for grant in holders(found)["P"].grants] == ["json"]


def test_a_macro_makes_documents_unknown() -> None:
    """What a macro may rewrite is not read as if it stood."""
    found = policy(json.dumps({"Statement": STATEMENT}), "Transform: Rewriter")
    holder = holders(found)["Orders"]
    assert (grants(holder), [(relevant, partly) for _, relevant, partly, _ in unread(holder)]) == ([], [(True, False)])
