"""Shapes of documents that other versions make, or nobody should: each is read, or said not to be."""

from __future__ import annotations

import json
from typing import Any

import pytest

from support.planned_access import counted, grants, holders, unread
from support.plans import TABLE, change, configured, faults, resource, written
from tablegate.iam.grants import HolderForm, HolderKind

EVERYTHING = {"Effect": "Allow", "Action": "dynamodb:*", "Resource": "*"}
ORDERS = "arn:aws:dynamodb:eu-west-1:123456789012:table/orders-prod"


def document(*statements: Any) -> str:
    return json.dumps({"Version": "2012-10-17", "Statement": list(statements)})


def policy(after: dict[str, Any], **members: Any) -> dict[str, Any]:
    return change({"name": "p", **after}, type="aws_iam_policy", name="p", **members)


def role(after: dict[str, Any], **members: Any) -> dict[str, Any]:
    trust = document({"Effect": "Allow", "Action": "sts:AssumeRole", "Principal": {"Service": "lambda.amazonaws.com"}})
    return change({"name": "r", "assume_role_policy": trust, **after}, type="aws_iam_role", name="r", **members)


def state(*resources: dict[str, Any]) -> dict[str, Any]:
    return {"values": {"root_module": {"resources": list(resources)}}}


def data(type_: str, values: dict[str, Any]) -> dict[str, Any]:
    return {"address": f"data.{type_}.d", "mode": "data", "type": type_, "name": "d", "values": values}


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("not json", ("TG001", True, "aws_iam_policy.p: policy is not JSON: expected a value")),
        ("", ("TG001", True, "aws_iam_policy.p: policy is empty")),
        (
            '{"Statement": [], "Statement": []}',
            ("TG003", True, 'aws_iam_policy.p: policy: duplicate key "Statement" on line 1 and again on line 1'),
        ),
        ("[]", ("TG001", True, "aws_iam_policy.p: policy: a policy document is an object")),
        (
            document({"Effect": "allow", "Action": "dynamodb:*", "Resource": "*"}),
            (
                "TG001",
                True,
                "aws_iam_policy.p: policy.Statement[0].Effect: Effect is Allow or Deny, in exactly these letters",
            ),
        ),
        ("\ud800", ("TG001", True, "aws_iam_policy.p: policy is not JSON: half a character")),
    ],
)
def test_a_text_that_is_no_document_is_refused(text: str, fault: tuple[str, bool, str]) -> None:
    """Never no statements and a pass: the fault names the resource and the attribute."""
    assert fault in faults(written(policy({"policy": text})))


def test_a_trust_policy_that_is_no_json_does_not_block() -> None:
    """It grants nothing: whose role it is stays unknown, and that is all."""
    reading = written(role({"assume_role_policy": "{...}"}))
    ((code, blocks, _),) = faults(reading)
    assert (code, blocks) == ("TG001", False)
    assert holders(reading)["aws_iam_role.r"].kind is HolderKind.UNKNOWN


def test_a_list_of_unknown_length_has_one_unknown_element_at_least() -> None:
    """Terraform 0.13 writes an empty list beside one that holds true."""
    deferred = {
        **change(
            {"statement": [{"actions": ["dynamodb:GetItem"], "effect": None, "resources": []}]},
            type="aws_iam_policy_document",
            name="d",
            actions=["read"],
            unknown={"json": True, "statement": [{"resources": [True]}]},
        ),
        "address": "data.aws_iam_policy_document.d",
        "mode": "data",
    }
    reference = {"references": ["aws_dynamodb_table.t.arn", "aws_dynamodb_table.t"]}
    configuration = configured(
        resource({"name": {"constant_value": "orders-prod"}}),
        {
            **resource({"statement": [{"resources": reference}]}, type="aws_iam_policy_document", name="d"),
            "mode": "data",
        },
        resource({"policy": {"references": ["data.aws_iam_policy_document.d.json"]}}, type="aws_iam_policy", name="p"),
    )
    reading = written(
        change(TABLE, unknown={"arn": True}),
        deferred,
        policy({}, unknown={"policy": True}),
        configuration=configuration,
    )
    assert grants(holders(reading)["aws_iam_policy.p"]) == [
        "aws_iam_policy.p 0: Allow dynamodb:GetItem on arn:aws:dynamodb:eu-west-1:${account}:table/orders-prod…"
    ]


def test_without_a_configuration_an_unknown_document_matters() -> None:
    """Nothing says what it refers to, so nothing says that it is not about tables."""
    reading = written(policy({}, unknown={"policy": True}))
    assert unread(holders(reading)["aws_iam_policy.p"]) == [("aws_iam_policy.p", True, False, "known only after apply")]
    assert counted(reading) == (1, 0, 1)


def test_a_hidden_document_matters_in_the_hands_of_one_who_is_concerned_with_tables() -> None:
    """What else such a holder may do can be about tables too."""
    hidden = change({"role": "r"}, type="aws_iam_role_policy", name="hidden", unknown={"policy": True})
    told = resource({"policy": {"references": ["aws_sqs_queue.q.arn"]}}, type="aws_iam_role_policy", name="hidden")
    plain = change({"role": "r", "policy": document(EVERYTHING)}, type="aws_iam_role_policy", name="plain")
    alone = written(role({}), hidden, configuration=configured(told))
    together = written(role({}), hidden, plain, configuration=configured(told))
    assert [one[1] for one in unread(holders(alone)["aws_iam_role.r"])] == [False]
    assert [one[1] for one in unread(holders(together)["aws_iam_role.r"])] == [True]


def test_a_policy_that_a_data_source_read_is_read_here() -> None:
    """The text of a managed policy that is in the plan goes before what is known of its name."""
    arn = "arn:aws:iam::111122223333:policy/team"
    attachment = change({"role": "r", "policy_arn": arn}, type="aws_iam_role_policy_attachment", name="a")
    given = state(data("aws_iam_policy", {"arn": arn, "policy": document(EVERYTHING)}))
    assert grants(holders(written(role({}), attachment, prior_state=given))["aws_iam_role.r"]) == [
        "aws_iam_role_policy_attachment.a 0: Allow dynamodb:* on *"
    ]
    missing = unread(holders(written(role({}), attachment))["aws_iam_role.r"])
    assert missing == [("aws_iam_role_policy_attachment.a", False, False, f"the policy {arn} is not in this input")]


def test_a_policy_is_attached_to_each_role_that_is_not_in_the_plan() -> None:
    """Both are known by the attachment that names them."""
    arn = "arn:aws:iam::aws:policy/AmazonDynamoDBFullAccess"
    attachment = change({"roles": ["a", "b"], "policy_arn": arn}, type="aws_iam_policy_attachment", name="p")
    reading = written(attachment)
    assert reading.estate is not None
    assert [(one.name, len(one.grants)) for one in reading.estate.holders] == [("a", 1), ("b", 1)]


def test_a_role_that_a_data_source_read_is_known_by_its_trust() -> None:
    """It is not in the input, and who uses it is all the same."""
    trust = document({"Effect": "Allow", "Action": "sts:AssumeRole", "Principal": {"Service": "ec2.amazonaws.com"}})
    inline = change({"role": "elsewhere", "policy": document(EVERYTHING)}, type="aws_iam_role_policy", name="p")
    given = state(data("aws_iam_role", {"name": "elsewhere", "assume_role_policy": trust}))
    found = holders(written(inline, prior_state=given))["aws_iam_role_policy.p"]
    assert (found.form, found.name, found.kind) == (HolderForm.ROLE, "elsewhere", HolderKind.RUNTIME)


def test_documents_of_one_stranger_are_his_together() -> None:
    """Somebody who is only named holds all that is given to that name, and is known by the first of it."""
    first = change({"role": "elsewhere", "policy": document(EVERYTHING)}, type="aws_iam_role_policy", name="b")
    second = change({"role": "elsewhere", "policy": document()}, type="aws_iam_role_policy", name="a")
    assert list(holders(written(first, second))) == ["aws_iam_role_policy.a"]


def test_the_account_is_that_which_the_provider_was_asked_for() -> None:
    """A table's ARN is known as soon as its region and its provider's account are."""
    identity = data("aws_caller_identity", {"account_id": "123456789012"})
    told = {**resource({}, type="aws_caller_identity", name="d"), "mode": "data"}
    table = written(
        change(TABLE, unknown={"arn": True}),
        configuration=configured(resource({"name": {"constant_value": "orders-prod"}}), told),
        prior_state=state(identity),
    )
    assert table.estate is not None
    assert table.estate.tables[0].arn.content == ORDERS


def test_what_is_marked_sensitive_is_kept_back() -> None:
    """Of a marked document everything but its actions is a secret."""
    text = document({"Effect": "Allow", "Action": "dynamodb:GetItem", "Resource": "arn:aws:dynamodb:::table/S3CRET"})
    reading = written(policy({"policy": text}, sensitive={"policy": True}))
    assert reading.estate is not None
    assert "arn:aws:dynamodb:::table/S3CRET" in reading.estate.secrets
    assert "dynamodb:GetItem" not in reading.estate.secrets


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"S3cr3t": 1, "S3cr3t": 2}', "policy: what it says is sensitive"),
        ("s3cr3t", "policy is not JSON: what it says is sensitive"),
        (document({"S3cr3tElement": 1, "Effect": "s3cr3t"}), "policy: IAM refuses it, and what it says is sensitive"),
    ],
)
def test_what_is_wrong_with_a_sensitive_document_tells_nothing_of_it(text: str, message: str) -> None:
    """Neither the names of its elements nor their places."""
    reading = written(policy({"policy": text}, sensitive={"policy": True}))
    assert [f"aws_iam_policy.p: {message}"] == [told[2] for told in faults(reading)]


def test_the_statements_of_a_sensitive_document_are_called_by_their_numbers() -> None:
    """A Sid is a part of the document, and so is who may assume a role."""
    text = document({**EVERYTHING, "Sid": "S3cr3t"}, {**EVERYTHING, "Sid": "Other"})
    trust = document({"Sid": "S3cr3t", "Effect": "Allow", "Action": "sts:AssumeRole", "Principal": {"AWS": "s3cr3t-1"}})
    inline = change({"role": "r", "policy": text}, type="aws_iam_role_policy", name="i", sensitive={"policy": True})
    reading = written(role({"assume_role_policy": trust}, sensitive={"assume_role_policy": True}), inline)
    holder = holders(reading)["aws_iam_role.r"]
    assert ["0", "1"] == [grant.label for grant in holder.grants]
    assert (HolderKind.HUMAN, "its trust policy, which is sensitive") == (holder.kind, holder.why)
    assert reading.estate is not None
    assert {"S3cr3t", "s3cr3t-1"} <= reading.estate.secrets


def test_roles_of_an_identity_pool_are_end_users() -> None:
    """Those that anybody gets without signing in are told apart."""
    pool = change(
        {"roles": {"unauthenticated": "arn:aws:iam::111122223333:role/r"}},
        type="aws_cognito_identity_pool_roles_attachment",
        name="pool",
    )
    guest = holders(written(role({}), pool))["aws_iam_role.r"]
    assert (guest.kind, guest.why) == (
        HolderKind.END_USER,
        "serves unauthenticated users of aws_cognito_identity_pool_roles_attachment.pool",
    )


def test_a_session_policy_is_a_ceiling_for_its_sessions_alone() -> None:
    """It limits what is done under it, and takes nothing from the role otherwise."""
    session = change(
        {"role_arn": "arn:aws:iam::111122223333:role/r", "policy": document(EVERYTHING)},
        type="aws_eks_pod_identity_association",
        name="pods",
    )
    found = holders(written(role({}), session))
    assert found["aws_iam_role.r"].ceilings == ()
    assert [one.role for one in found["aws_eks_pod_identity_association.pods"].grants] == ["ceiling"]


@pytest.mark.parametrize(("name", "role"), [("p", "identity"), ("Developer-Boundary", "ceiling")])
def test_a_boundary_for_roles_elsewhere_is_a_ceiling(name: str, role: str) -> None:
    """A policy that nobody here holds is told by its name."""
    found = holders(written(policy({"name": name, "policy": document(EVERYTHING)})))
    assert [one.role for one in found["aws_iam_policy.p"].grants] == [role]


def test_equal_texts_are_parsed_once() -> None:
    """A thousand copies of one policy cost one."""
    copies = [policy({"policy": document(EVERYTHING)}) for _ in range(3)]
    for number, one in enumerate(copies):
        one["name"], one["address"] = f"p{number}", f"aws_iam_policy.p{number}"
    reading = written(*copies)
    assert reading.estate is not None
    assert len({id(one.document) for one in reading.estate.grants}) == 1
    assert len(reading.estate.grants) == 3


def test_a_policy_without_statements_for_tables_is_read_all_the_same() -> None:
    """A document of another service counts as read, and is in its holder's hands."""
    other = document({"Effect": "Allow", "Action": "s3:GetObject", "Resource": "*"})
    reading = written(policy({"policy": other}))
    assert counted(reading) == (1, 0, 0)
    assert grants(holders(reading)["aws_iam_policy.p"]) == ["aws_iam_policy.p 0: Allow s3:GetObject on *"]
