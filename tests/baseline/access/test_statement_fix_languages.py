"""Rewriting: the statement to write instead, as its author writes."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from support import tables as build
from support.access import HERE, findings, holder, statement, table, whole
from support.access import estate as world
from tablegate.iam.arns import Symbols
from tablegate.iam.documents import UnknownPart
from tablegate.iam.managed_policies import managed_policies
from tablegate.model import facts
from tablegate.model.table import Dialect
from tablegate_baseline.access.statement_fix import replacement_statement

INDEXED = facts.INDEXES.of((build.index(),))
VPCE = {"StringEquals": {"aws:SourceVpce": ["vpce-1", "${aws:PrincipalTag/team}"]}}


def fix(spelling: str, *statements: Any, policy: str = "TG504", address: str | None = None, **others: Any) -> str:
    """The fix of the one finding about these statements."""
    template = others.pop("template", False)
    name = "Orders" if template else "aws_dynamodb_table.orders"
    known = replace(table("app-orders", address=address or name, indexes=INDEXED), **others.pop("table", {}))
    dialect = Dialect.CLOUDFORMATION if template else Dialect.TERRAFORM_PLAN
    at = others.pop("at", "Policy" if template else "aws_iam_role_policy.worker")
    found = findings(
        world(holder(whole(*statements), spelling=spelling, at=at, **others), tables=[known], dialect=dialect), policy
    )
    (one,) = found
    assert one.fix is not None
    return one.fix


def test_a_plans_author_writes_blocks() -> None:
    """With references to the tables, and with the statement's own conditions."""
    assert fix("hcl", statement(["GetItem", "Query"], f"{HERE}app-*", VPCE)) == (
        "statement {\n"
        '  actions   = ["dynamodb:GetItem", "dynamodb:Query"]\n'
        '  resources = [aws_dynamodb_table.orders.arn, "${aws_dynamodb_table.orders.arn}/index/*"]\n'
        "  condition {\n"
        '    test     = "StringEquals"\n'
        '    variable = "aws:SourceVpce"\n'
        '    values   = ["vpce-1", "&{aws:PrincipalTag/team}"]\n'
        "  }\n"
        "}"
    )


def test_or_json() -> None:
    """Where it stands in a text or in jsonencode, references are filled in."""
    assert json.loads(fix("json", statement(["Query"], f"{HERE}app-*", VPCE))) == {
        "Effect": "Allow",
        "Action": ["dynamodb:Query"],
        "Resource": ["${aws_dynamodb_table.orders.arn}", "${aws_dynamodb_table.orders.arn}/index/*"],
        "Condition": VPCE,
    }


def test_a_templates_author_writes_yaml() -> None:
    """With short tags."""
    assert fix("yaml", statement(["Query"], f"{HERE}app-*", VPCE), template=True) == (
        "- Effect: Allow\n"
        "  Action:\n"
        "    - dynamodb:Query\n"
        "  Resource:\n"
        "    - !GetAtt Orders.Arn\n"
        '    - !Sub "${Orders.Arn}/index/*"\n'
        "  Condition:\n"
        "    StringEquals:\n"
        '      aws:SourceVpce: ["vpce-1", "${aws:PrincipalTag/team}"]'
    )


def test_or_json_with_functions() -> None:
    """Long forms."""
    assert json.loads(fix("json", statement(["Query"], f"{HERE}app-*"), template=True))["Resource"] == [
        {"Fn::GetAtt": ["Orders", "Arn"]},
        {"Fn::Sub": "${Orders.Arn}/index/*"},
    ]


@pytest.mark.parametrize(
    ("spelling", "template", "address", "expected"),
    [
        ("hcl", False, 'module.a["x"].aws_dynamodb_table.orders', f'["{HERE}app-orders", "{HERE}app-orders/index/*"]'),
        ("json", False, "module.a.aws_dynamodb_table.orders", f'"{HERE}app-orders/index/*"'),
        ("yaml", True, "Nested/Orders", f'- "{HERE}app-orders/index/*"'),
        ("json", True, "Nested/Orders", f'"{HERE}app-orders/index/*"'),
    ],
)
def test_a_table_of_another_module_or_stack_has_no_name_here(
    spelling: str, template: bool, address: str, expected: str
) -> None:
    """Its ARN is spelled out."""
    assert expected in fix(spelling, statement("Query", f"{HERE}app-*"), address=address, template=template)


def test_a_table_of_the_same_module_has() -> None:
    """Both are in it."""
    made = fix(
        "hcl",
        statement("Query", f"{HERE}app-*"),
        address="module.a.aws_dynamodb_table.orders[0]",
        at="module.a.aws_iam_role_policy.worker",
    )
    assert "resources = [aws_dynamodb_table.orders[0].arn, " in made


@pytest.mark.parametrize(
    ("spelling", "template", "expected"),
    [
        (
            "hcl",
            False,
            '"arn:aws:dynamodb:us-east-1:${data.aws_caller_identity.current.account_id}:table/app-orders/index/*"',
        ),
        ("yaml", True, '!Sub "arn:aws:dynamodb:us-east-1:${AWS::AccountId}:table/app-orders/index/*"'),
        ("json", True, '"Fn::Sub": "arn:aws:dynamodb:us-east-1:${AWS::AccountId}:table/app-orders"'),
    ],
)
def test_what_is_not_known_is_said_in_the_languages_own_words(spelling: str, template: bool, expected: str) -> None:
    """This account, region and partition."""
    symbols = Symbols()
    others = {"address": "Nested/Orders" if template else "module.a.aws_dynamodb_table.orders", "template": template}
    made = fix(
        spelling,
        statement("Query", f"arn:aws:dynamodb:us-east-1:{symbols.of('account')}:table/app-*"),
        symbols=symbols,
        table={"account": facts.ACCOUNT.unset},
        **others,
    )
    assert expected in made


def test_a_value_that_is_not_known_is_left_to_fill_in() -> None:
    """Also that of a condition."""
    hidden = {"StringEquals": {"aws:SourceVpce": UnknownPart(build.DOUBT)}}
    assert '"VALUE"' in fix("json", statement("Query", f"{HERE}app-*", hidden))


SYMBOLS = Symbols()
OWN = f"{HERE}{SYMBOLS.of('name of Orders')}"
OWN_HCL = f"{HERE}{SYMBOLS.of('name of aws_dynamodb_table.orders')}"
USER = SYMBOLS.with_variables("${aws:username}")
ELSEWHERE = HERE.replace("us-east-1", "eu-west-1")


@pytest.mark.parametrize(
    ("spelling", "resource", "expected"),
    [
        ("yaml", OWN, "- !GetAtt Orders.Arn"),
        ("yaml", f"{OWN}/index/*", '- !Sub "${Orders.Arn}/index/*"'),
        ("yaml", f"{OWN}/stream/{SYMBOLS.of('Orders.StreamArn')}", "- !GetAtt Orders.StreamArn"),
        ("yaml", OWN.replace(HERE, ELSEWHERE), f'- !Sub "{ELSEWHERE}${{Orders}}"'),
        ("yaml", f"{HERE}{SYMBOLS.of('name of Nested/Users')}", f'- !Sub "{HERE}TABLE"'),
        ("yaml", f"{HERE}{USER}", f'- "{HERE}${{aws:username}}"'),
        ("yaml", f"{HERE}{SYMBOLS.of('Env')}-{USER}", f'- !Sub "{HERE}${{Env}}-${{!aws:username}}"'),
        ("hcl", OWN_HCL, "[aws_dynamodb_table.orders.arn]"),
        ("hcl", f"{OWN_HCL}/stream/{SYMBOLS.of('label')}", "[aws_dynamodb_table.orders.stream_arn]"),
        ("hcl", f"{OWN_HCL}{SYMBOLS.suffix('x')}", "[aws_dynamodb_table.orders.arn]"),
        ("hcl", OWN_HCL.replace(HERE, ELSEWHERE), f'["{ELSEWHERE}${{aws_dynamodb_table.orders.name}}"]'),
        ("hcl", f"{HERE}{USER}", f'["{HERE}&{{aws:username}}"]'),
        ("json", f"{HERE}{USER}", f'["{HERE}$${{aws:username}}"]'),
    ],
)
def test_what_is_not_known_has_an_expression(spelling: str, resource: str, expected: str) -> None:
    """Of the table itself, of its name, of its stream; a policy's variable is left to IAM."""
    template = spelling == "yaml"
    known = table(address="Orders" if template else "aws_dynamodb_table.orders")
    held = holder(whole(statement("GetItem", resource)), spelling=spelling, symbols=SYMBOLS)
    dialect = Dialect.CLOUDFORMATION if template else Dialect.TERRAFORM_PLAN
    here = world(held, tables=[replace(known, name=facts.NAME.unset)], dialect=dialect)
    (grant,) = here.grants
    assert expected in replacement_statement(grant, ["dynamodb:GetItem"], [resource])


def test_a_managed_policys_fix_is_spelled_in_the_inputs_words() -> None:
    """Its document is AWS's and knows nothing of this account."""
    attached = managed_policies()["PowerUserAccess"].document()
    held = holder(attached, managed="PowerUserAccess")
    (found,) = findings(world(held, dialect=Dialect.CLOUDFORMATION), "TG517")
    assert "arn:${AWS::Partition}:dynamodb:${AWS::Region}:${AWS::AccountId}:table/TABLE" in (found.fix or "")


def test_a_long_list_has_a_line_for_each_item() -> None:
    """Each whole on its line."""
    made = fix("json", statement("Query", f"{HERE}app-*"), template=True, address="Nested/Orders")
    assert made.splitlines() == [
        "{",
        '  "Effect": "Allow",',
        '  "Action": ["dynamodb:Query"],',
        '  "Resource": [',
        f'    "{HERE}app-orders",',
        f'    "{HERE}app-orders/index/*"',
        "  ]",
        "}",
    ]
