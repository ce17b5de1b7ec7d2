"""What documents refer to when nobody can read them yet, in the shapes that a configuration gives references."""

from __future__ import annotations

import json
from typing import Any

import pytest

from support.planned_access import grants, holders, unread
from support.plans import TABLE, change, configured, resource, written
from tablegate.dialects.reading import Reading
from tablegate.iam.grants import HolderForm
from tablegate.iam.holders import Holder

ARN = "arn:aws:dynamodb:eu-west-1:${account}:table/orders-prod"
READ = {"references": ["data.aws_iam_policy_document.a.json", "data.aws_iam_policy_document.a"]}


def text(*statements: Any) -> str:
    return json.dumps({"Version": "2012-10-17", "Statement": list(statements)})


def allow(action: str = "dynamodb:GetItem", resources: Any = "*") -> dict[str, Any]:
    return {"Effect": "Allow", "Action": action, "Resource": resources}


def composed(name: str, after: dict[str, Any], unknown: dict[str, Any], expressions: dict[str, Any]) -> tuple[Any, Any]:
    """A data source that is read during the apply, and how it was written."""
    made = change(after, type="aws_iam_policy_document", name=name, actions=["read"], unknown={"json": True, **unknown})
    told = resource(expressions, type="aws_iam_policy_document", name=name)
    return {**made, "mode": "data", "address": f"data.{made['address']}"}, {**told, "mode": "data"}


def plan(*pairs: tuple[Any, Any]) -> Reading:
    """Changes with their configurations, beside a table whose ARN only the apply knows."""
    table = (change(TABLE, unknown={"arn": True, "stream_arn": True, "id": True}), resource({}))
    changes = [change for change, _ in (table, *pairs)]
    return written(*changes, configuration=configured(*[told for _, told in (table, *pairs)]))


def consumer(expression: dict[str, Any], unknown: Any = True) -> tuple[Any, Any]:
    """A policy whose text only the apply knows."""
    made = change({"name": "p"}, type="aws_iam_policy", name="p", unknown={"policy": unknown})
    return made, resource({"policy": expression}, type="aws_iam_policy", name="p")


def read(*pairs: tuple[Any, Any]) -> Holder:
    return holders(plan(*pairs))["aws_iam_policy.p"]


def scan(name: str, reference: str, **more: Any) -> tuple[Any, Any]:
    """A document of one statement about one unknown element."""
    statement = {"actions": ["dynamodb:Scan"], "effect": None, "resources": [None], **more}
    expression = {"statement": [{"resources": {"references": [reference]}}]}
    return composed(name, {"statement": [statement]}, {"statement": [{"resources": [True]}]}, expression)


@pytest.mark.parametrize(
    ("reference", "reached"),
    [
        ("aws_dynamodb_table.t.arn", f"{ARN}…"),
        ("aws_dynamodb_table.t.id", f"{ARN}…"),
        ("aws_dynamodb_table.t.stream_arn", f"{ARN}/stream/${{aws_dynamodb_table.t.stream_label}}"),
    ],
)
def test_an_attribute_of_a_table_is_the_table(reference: str, reached: str) -> None:
    """The same table gives the same text, however it is referred to."""
    assert grants(read(consumer(READ), scan("a", reference))) == [
        f"aws_iam_policy.p 0: Allow dynamodb:Scan on {reached}"
    ]


@pytest.mark.parametrize(
    ("type_", "reference", "reached"),
    [
        ("aws_sqs_queue", "aws_sqs_queue.o.arn", "arn:aws:sqs:eu-west-1:${account}:${aws_sqs_queue.o.arn}"),
        ("aws_s3_bucket", "aws_s3_bucket.o.id", "arn:aws:s3:eu-west-1:${account}:${aws_s3_bucket.o.id}"),
        ("aws_iam_role", "aws_iam_role.o.arn", "arn:aws:iam::${account}:role/${aws_iam_role.o.name}"),
    ],
)
def test_an_arn_of_another_service_is_no_table(type_: str, reference: str, reached: str) -> None:
    """Nothing is said of what it will be, but that it is none of ours."""
    other = (change({}, type=type_, name="o", unknown={"arn": True, "id": True}), resource({}, type=type_, name="o"))
    holder = read(consumer(READ), scan("a", reference), other)
    assert grants(holder) == [f"aws_iam_policy.p 0: Allow dynamodb:Scan on {reached}"]
    assert unread(holder) == []


def test_a_parameter_may_hold_anything() -> None:
    """A value that another system keeps may be the ARN of a table: that is not known, and it matters."""
    kept = change({}, type="aws_secretsmanager_secret_version", name="o", unknown={"arn": True})
    other = (kept, resource({}, type="aws_secretsmanager_secret_version", name="o"))
    holder = read(consumer(READ), scan("a", "aws_secretsmanager_secret_version.o.arn"), other)
    why = "known only after apply: aws_secretsmanager_secret_version.o.arn"
    assert unread(holder) == [("aws_iam_policy.p", True, True, why)]


def test_of_two_documents_each_is_there_only_perhaps() -> None:
    """A choice between documents shows the statements of both, and neither for certain."""
    either = {"references": ["data.aws_iam_policy_document.a.json", "data.aws_iam_policy_document.b.json"]}
    holder = read(
        consumer(either), scan("a", "aws_dynamodb_table.t.arn"), scan("b", "aws_dynamodb_table.t.arn", sid="B")
    )
    assert [(one.label, one.statement.present) for one in holder.grants] == [("0", False), ("B", False)]


def test_a_document_beside_something_else_is_read_in_part() -> None:
    """What a function adds to a document cannot be seen."""
    more = {"references": [*READ["references"], "aws_dynamodb_table.t.arn"]}
    holder = read(consumer(more), scan("a", "aws_dynamodb_table.t.arn"))
    assert [one.statement.present for one in holder.grants] == [False]
    why = "known only after apply: aws_dynamodb_table.t.arn"
    assert unread(holder) == [("aws_iam_policy.p", True, True, why)]


def test_a_policy_that_copies_another_is_that_one() -> None:
    """A reference to the text of another resource is followed."""
    copy = change({"role": "r"}, type="aws_iam_role_policy", name="copy", unknown={"policy": True})
    told = resource({"policy": {"references": ["aws_iam_policy.p.policy"]}}, type="aws_iam_role_policy", name="copy")
    reading = plan(consumer(READ), scan("a", "aws_dynamodb_table.t.arn"), (copy, told))
    assert grants(holders(reading)["aws_iam_role_policy.copy"]) == [
        f"aws_iam_role_policy.copy 0: Allow dynamodb:Scan on {ARN}…"
    ]


def test_a_source_that_is_no_json_is_refused() -> None:
    """The document that it goes into is read in part, and the run cannot be trusted."""
    document = composed("a", {"source_policy_documents": ["no json"], "statement": []}, {}, {})
    reading = plan(consumer(READ), document)
    assert [fault.message for fault in reading.faults] == [
        "data.aws_iam_policy_document.a: source_policy_documents[0] is not JSON: expected a value"
    ]
    assert [one[3] for one in unread(holders(reading)["aws_iam_policy.p"])] == ["one of its sources is not JSON"]


def test_a_source_that_is_hidden_leaves_a_doubt() -> None:
    """Its statements may be about anything."""
    references = {"references": ["aws_dynamodb_table.t.arn"]}
    document = composed(
        "a",
        {"source_policy_documents": [None, text(allow())], "statement": []},
        {"source_policy_documents": [True, False]},
        {"source_policy_documents": references},
    )
    holder = read(consumer(READ), document)
    assert grants(holder) == ["aws_iam_policy.p 1: Allow dynamodb:GetItem on *"]
    assert unread(holder) == [("aws_iam_policy.p", True, True, "known only after apply: aws_dynamodb_table.t.arn")]


def test_documents_that_are_made_of_each_other_come_to_an_end() -> None:
    """A plan that was tampered with cannot keep the reader busy."""
    source = {"source_policy_documents": READ}
    document = composed(
        "a", {"source_policy_documents": [None], "statement": []}, {"source_policy_documents": [True]}, source
    )
    assert [one[3] for one in unread(read(consumer(READ), document))] == ["its sources are nested too deeply"]


def test_statements_that_only_the_apply_makes_are_not_known() -> None:
    """A dynamic block over unknown values leaves nothing to read."""
    document = composed("a", {}, {"statement": True}, {})
    assert [one[1:3] for one in unread(read(consumer(READ), document))] == [(True, False)]


def test_an_effect_that_is_not_known_is_no_allow_for_certain() -> None:
    """It may grant, and it may deny."""
    document = composed(
        "a",
        {"statement": [{"actions": ["dynamodb:Scan"], "resources": ["*"]}]},
        {"statement": [{"effect": True}]},
        {},
    )
    (grant,) = read(consumer(READ), document).grants
    assert grant.statement.effect is None


def test_principals_and_conditions_of_unknown_shape_are_doubts() -> None:
    """What a dynamic block inside a statement makes is not taken for nothing."""
    statement = {"actions": ["dynamodb:Scan"], "resources": ["*"], "effect": None}
    document = composed("a", {"statement": [statement]}, {"statement": [{"principals": True, "condition": True}]}, {})
    (grant,) = read(consumer(READ), document).grants
    assert grant.statement.principals is not None
    assert grant.statement.principals.doubt is not None
    assert len(grant.statement.doubts) == 2


def test_marked_values_of_a_composed_document_are_secrets() -> None:
    """What is marked in a data source is kept back where its document is judged."""
    made, told = scan("a", "aws_dynamodb_table.t.arn", sid="S3CRET-sid")
    made["change"]["after_sensitive"] = {"statement": [{"sid": True}]}
    reading = plan(consumer(READ), (made, told))
    assert reading.estate is not None
    assert "S3CRET-sid" in reading.estate.secrets


def test_an_attachment_that_only_the_apply_knows_is_followed_to_its_policy() -> None:
    """The role by its id, the policy by its ARN."""
    role = change({"name": "r"}, type="aws_iam_role", name="r", unknown={"id": True})
    attachment = change({}, type="aws_iam_role_policy_attachment", name="a", unknown={"role": True, "policy_arn": True})
    told = {"role": {"references": ["aws_iam_role.r.id"]}, "policy_arn": {"references": ["aws_iam_policy.p.arn"]}}
    policy = change({"name": "p", "policy": text(allow())}, type="aws_iam_policy", name="p", unknown={"arn": True})
    reading = plan(
        (role, resource({}, type="aws_iam_role", name="r")),
        (policy, resource({}, type="aws_iam_policy", name="p")),
        (attachment, resource(told, type="aws_iam_role_policy_attachment", name="a")),
    )
    assert grants(holders(reading)["aws_iam_role.r"]) == ["aws_iam_policy.p 0: Allow dynamodb:GetItem on *"]
    assert "aws_iam_policy.p" not in holders(reading)


def test_an_attachment_of_something_unknown_is_not_read() -> None:
    """A policy that a local value names cannot be found, and its holder is whoever it is."""
    attachment = change({}, type="aws_iam_role_policy_attachment", name="a", unknown={"role": True, "policy_arn": True})
    told = {"role": {"references": ["local.role"]}, "policy_arn": {"references": ["local.policy"]}}
    found = holders(plan((attachment, resource(told, type="aws_iam_role_policy_attachment", name="a"))))
    holder = found["aws_iam_role_policy_attachment.a"]
    assert (holder.form, holder.name) == (HolderForm.ROLE, None)
    assert [one[3] for one in unread(holder)] == ["known only after apply: local.policy, which is not in the plan"]


def test_policies_inside_tables_of_cloud_control_are_theirs() -> None:
    """Each replica has its own, and each stream."""
    policy = {"policy_document": text(allow())}
    replica = {
        "region": "us-east-1",
        "resource_policy": policy,
        "replica_stream_specification": {"resource_policy": policy},
    }
    table = change(
        {"table_name": "orders", "replicas": [{"region": "eu-west-1"}, replica]},
        type="awscc_dynamodb_global_table",
    )
    single = change(
        {"table_name": "single", "resource_policy": policy, "stream_specification": {"resource_policy": policy}},
        type="awscc_dynamodb_table",
    )
    estate = written(table, single).estate
    assert estate is not None
    found = [(one.label, one.document.shown(one.target or "")) for one in estate.grants]
    label = "${awscc_dynamodb_global_table.t.stream_label}"
    assert found == [
        ("us-east-1/0", "arn:${partition}:dynamodb:us-east-1:${account}:table/orders"),
        ("us-east-1/stream/0", f"arn:${{partition}}:dynamodb:us-east-1:${{account}}:table/orders/stream/{label}"),
        ("0", "arn:${partition}:dynamodb:${region}:${account}:table/single"),
        (
            "stream/0",
            "arn:${partition}:dynamodb:${region}:${account}:table/single/stream/${awscc_dynamodb_table.t.stream_label}",
        ),
    ]


def test_an_endpoint_is_known_by_the_service_that_it_asks_for() -> None:
    """Its service's name comes from a data source as often as from a text."""
    service = {
        **change(
            {"service": "dynamodb"},
            type="aws_vpc_endpoint_service",
            name="s",
            actions=["read"],
            unknown={"service_name": True},
        ),
        "mode": "data",
        "address": "data.aws_vpc_endpoint_service.s",
    }
    endpoint = change({}, type="aws_vpc_endpoint", name="e", unknown={"service_name": True, "policy": True})
    told = {"service_name": {"references": ["data.aws_vpc_endpoint_service.s.service_name"]}}
    reading = plan(
        (service, {**resource({}, type="aws_vpc_endpoint_service", name="s"), "mode": "data"}),
        (endpoint, resource(told, type="aws_vpc_endpoint", name="e")),
    )
    assert (holders(reading)["aws_vpc_endpoint.e"].form, grants(holders(reading)["aws_vpc_endpoint.e"])) == (
        HolderForm.ENDPOINT,
        [],
    )


def test_a_replica_is_its_table_in_another_region() -> None:
    """A reference to a replica's ARN is the table's, with the replica's region."""
    replica = change(
        {"region": "us-east-1"},
        type="aws_dynamodb_table_replica",
        name="r",
        unknown={"arn": True, "global_table_arn": True},
    )
    source = {"global_table_arn": {"references": ["aws_dynamodb_table.t.arn"]}}
    holder = read(
        consumer(READ),
        scan("a", "aws_dynamodb_table_replica.r.arn"),
        (replica, resource(source, type="aws_dynamodb_table_replica", name="r")),
    )
    assert grants(holder) == [f"aws_iam_policy.p 0: Allow dynamodb:Scan on {ARN.replace('eu-west-1', 'us-east-1')}…"]


def test_a_table_that_a_data_source_will_find_is_known_by_its_name() -> None:
    """It is looked up during the apply, and its name is what it is looked up by."""
    made = change({"name": "other"}, type="aws_dynamodb_table", name="o", actions=["read"], unknown={"arn": True})
    table = {**made, "mode": "data", "address": "data.aws_dynamodb_table.o"}
    told = {**resource({}, name="o"), "mode": "data"}
    holder = read(consumer(READ), scan("a", "data.aws_dynamodb_table.o.arn"), (table, told))
    assert grants(holder) == [f"aws_iam_policy.p 0: Allow dynamodb:Scan on {ARN.replace('orders-prod', 'other')}…"]


def test_a_policy_in_another_region_is_the_replicas() -> None:
    """Each region has its own: the target says which."""
    elsewhere = "arn:aws:dynamodb:us-east-1:111122223333:table/orders-prod"
    policy = change({"resource_arn": elsewhere, "policy": text(allow())}, type="aws_dynamodb_resource_policy", name="p")
    found = holders(plan((policy, resource({}, type="aws_dynamodb_resource_policy", name="p"))))
    (grant,) = found["aws_dynamodb_table.t"].grants
    assert grant.target is not None
    assert grant.document.shown(grant.target) == ARN.replace("eu-west-1", "us-east-1")


def test_a_local_value_beside_enough_references_is_no_doubt() -> None:
    """Where every unknown element is accounted for, a value that the plan does not spell out is taken for known."""
    statement = {"actions": ["dynamodb:Scan"], "effect": None, "resources": [None, None]}
    document = composed(
        "a",
        {"statement": [statement]},
        {"statement": [{"resources": [True, True]}]},
        {"statement": [{"resources": {"references": ["aws_dynamodb_table.t.arn", "local.suffix"] * 2}}]},
    )
    assert unread(read(consumer(READ), document)) == []


def test_a_boundary_of_a_permission_set_may_be_one_of_aws() -> None:
    """By its ARN, and one that grants nothing we know is a doubt."""
    given = {"instance_arn": "i", "permission_set_arn": "arn:aws:sso:::permissionSet/i/p"}
    boundary = change(
        {
            **given,
            "permissions_boundary": [{"managed_policy_arn": "arn:aws:iam::aws:policy/AmazonDynamoDBReadOnlyAccess"}],
        },
        type="aws_ssoadmin_permissions_boundary_attachment",
        name="b",
    )
    people = change({"name": "p", "arn": given["permission_set_arn"]}, type="aws_ssoadmin_permission_set", name="p")
    holder = holders(written(boundary, people))["aws_ssoadmin_permission_set.p"]
    assert (len(holder.ceilings), holder.ceiling_doubt) == (1, None)


def test_a_policy_that_is_no_text_is_refused() -> None:
    """Terraform writes policies as texts."""
    reading = written(change({"name": "p", "policy": {"Statement": []}}, type="aws_iam_policy", name="p"))
    assert [fault.message for fault in reading.faults] == ["aws_iam_policy.p: policy must be a text, not an object"]


def test_a_policy_that_a_plan_leaves_out_is_not_read() -> None:
    """A redacted plan holds no text, and nothing says that there is none."""
    holder = holders(written(change({"name": "p"}, type="aws_iam_policy", name="p")))["aws_iam_policy.p"]
    assert unread(holder) == [("aws_iam_policy.p", True, False, "it is not in the plan")]
