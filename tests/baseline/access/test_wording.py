"""Telling: who holds what, on which element, in words that whoever wrote the statement knows."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from support.access import HERE, ITEMS, ORDERS, estate, findings, holder, named, of, statement, table, whole
from tablegate.findings import Finding
from tablegate.iam.arns import Symbols
from tablegate.iam.grants import DocumentRole, HolderForm, HolderKind
from tablegate.model import facts
from tablegate.model.estate import Estate
from tablegate.model.table import Dialect


def found(world: Estate, policy: str) -> Finding:
    """The one finding of a policy."""
    (one,) = findings(world, policy)
    return one


def evidence(world: Estate, policy: str) -> dict[str, Any]:
    """What the finding of a policy shows, by name."""
    return {value.name: value.content for value in found(world, policy).evidence}


def test_a_long_list_of_actions_begins_with_those_that_matter() -> None:
    """Of 51 actions the first six by the alphabet tell nobody what there is to lose."""
    message = found(of(statement("dynamodb:*", "*")), "TG501").message
    told = "DeleteTable, PutResourcePolicy, ExportTableToPointInTime, UpdateTable, UpdateContinuousBackups"
    names = f"{told}, UpdateTimeToLive"
    assert message == f"aws_iam_role.worker has full control of every table (51 actions, among them {names})"


@pytest.mark.parametrize(
    ("actions", "shown"),
    [
        (["GetItem", "PutItem"], "dynamodb:GetItem, dynamodb:PutItem"),
        (["s3:GetObject", "GetItem", "sqs:*"], "dynamodb:GetItem and 2 of other services"),
        (["*"], "*"),
        (
            ["s3:GetObject", *ITEMS, "Scan", "BatchGetItem"],
            f"{', '.join(named(*ITEMS, 'Scan'))} and 1 more and 1 of other services",
        ),
    ],
)
def test_a_statement_shows_its_dynamodb_actions(actions: list[str], shown: str) -> None:
    """Those of other services are counted: a reader looks for what the finding is about."""
    assert evidence(of(statement(actions, "*")), "TG501" if actions == ["*"] else "TG502")["Action"] == shown


def test_what_is_left_out_is_shown_whole() -> None:
    """Every service that a NotAction names says what it does not leave."""
    world = of(statement(None, "*", NotAction=["iam:*", "s3:*"]))
    assert evidence(world, "TG508")["NotAction"] == "iam:*, s3:*"


def test_a_holder_that_is_not_here_is_called_by_its_name() -> None:
    """Its address is that of the document, which says nothing of who it is."""
    outside = holder(
        whole(statement("DeleteTable")), address="aws_iam_role_policy.worker", outside=True, kind=HolderKind.UNKNOWN
    )
    assert found(estate(outside), "TG510").message == "the role worker (unknown) may DeleteTable"
    assert evidence(estate(outside), "TG510")["holder"] == "the role worker (unknown: trusts lambda.amazonaws.com)"


def test_a_holder_that_has_no_name_is_told_by_what_names_it() -> None:
    """As where a parameter, or another stack, says who it is."""
    outside = holder(whole(statement("DeleteTable")), address="aws_iam_role_policy.p", outside=True)
    message = found(estate(replace(outside, name=None)), "TG510").message
    assert message == "a role that aws_iam_role_policy.p names (runtime) may DeleteTable"


def test_decrypting_is_shown_where_it_is_the_matter() -> None:
    """A statement without an action of DynamoDB's shows those of its keys."""
    world = of(statement("GetItem"), statement(["rds:*", "kms:Decrypt", "s3:*"], "*"))
    assert evidence(world, "TG537")["Action"] == "kms:Decrypt and 2 of other services"


def test_the_table_before_the_star_is_meant() -> None:
    """Newly reachable is what begins with its name."""
    world = of(statement("GetItem", f"{ORDERS}*"), tables=[table(), table("Orders-archive")])
    assert evidence(world, "TG505")["tables newly reachable"] == "Orders-archive"
    assert "tables newly reachable" not in evidence(of(statement("GetItem", f"{ORDERS}*"), tables=[table()]), "TG505")


def test_whom_a_tables_policy_lets_in_is_shown() -> None:
    """A statement of a table is about its principals."""
    own = {"form": HolderForm.TABLE, "role": DocumentRole.RESOURCE, "target": ORDERS, "services": ()}
    world = of(statement("GetItem", Principal={"AWS": ["999988887777", "111122223333"]}), **own)
    assert evidence(world, "TG528")["Principal"] == "111122223333, 999988887777"
    inverted = of(statement("GetItem", NotPrincipal={"AWS": "999988887777"}), **own)
    assert evidence(inverted, "TG527")["NotPrincipal"] == "999988887777"


@pytest.mark.parametrize(
    ("dialect", "own", "index"),
    [
        (
            Dialect.CLOUDFORMATION,
            "Orders.Arn",
            "arn:${AWS::Partition}:dynamodb:${AWS::Region}:${AWS::AccountId}:table/*",
        ),
        (
            Dialect.TERRAFORM_PLAN,
            "aws_dynamodb_table.orders.arn",
            "arn:${data.aws_partition.current.partition}:dynamodb:${data.aws_region.current.name}:"
            "${data.aws_caller_identity.current.account_id}:table/*",
        ),
    ],
)
def test_an_element_is_spelled_as_its_author_does(dialect: Dialect, own: str, index: str) -> None:
    """By reference where nothing else is known of it, and with the language's own words for this account."""
    symbols = Symbols()
    here = f"arn:{symbols.of('partition')}:dynamodb:{symbols.of('region')}:{symbols.of('account')}:table/"
    address = own.rpartition(".")[0]
    unknown = {"region": facts.REGION.unset, "account": facts.ACCOUNT.unset}
    known = replace(table(address=address, **unknown), name=facts.NAME.unset)
    one = f"{here}{symbols.of(f'name of {address}')}"
    stated = holder(whole(statement("DeleteTable", one), statement("DeleteItem", f"{here}*")), symbols=symbols)
    world = estate(stated, tables=[known], dialect=dialect)
    assert evidence(world, "TG510")["Resource"] == own
    assert evidence(world, "TG502")["Resource"] == index


def test_an_element_that_is_known_stays_as_it_is() -> None:
    """A reference would say less than the ARN."""
    assert evidence(of(statement("DeleteTable"), tables=[table()]), "TG510")["Resource"] == f"{HERE}Orders"
