"""The assembly of holders: what both languages add, in any order, and what comes out."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import permutations
from typing import Any

import pytest

from tablegate.dialects.holders import (
    AttachedPolicy,
    HeldDocument,
    HolderAssembly,
    HolderDraft,
    aws_policy,
    missing_policy,
    policy_of_arn,
)
from tablegate.dialects.resource import TERRAFORM
from tablegate.iam.arns import Symbols
from tablegate.iam.documents import Document, UnknownPart, parse_document
from tablegate.iam.grants import DocumentRole, Grant, HolderForm, HolderKind
from tablegate.iam.holders import Holder
from tablegate.model.value import Doubt, Place

TABLE = "arn:aws:dynamodb:eu-west-1:111122223333:table/orders"
PLACE = Place("f")
ROLE, USER, GROUP = HolderForm.ROLE, HolderForm.USER, HolderForm.GROUP
LATER = Doubt("known only after apply")


class Users:
    """The users of the roles of an input: those that a test names."""

    column = TERRAFORM

    def __init__(self, assembly: HolderAssembly, *types: str) -> None:
        self._assembly = assembly
        self._types = types
        self.read: list[str] = []

    def resources(self, type_: str) -> list[str]:
        self.read.append(type_)
        return [type_] if type_ in self._types else []

    def address_of(self, resource: str) -> str:
        return f"{resource}.u"

    def roles(self, _resource: str, _path: str) -> Iterator[HolderDraft]:
        role = self._assembly.at(ROLE, "role")
        if role is not None:
            yield role

    def text(self, _resource: str, _path: str) -> str | None:
        return None

    def names_stream(self, _resource: str, _path: str) -> bool | None:
        return None

    def definition(self, _machine: str) -> tuple[object, dict[str, str]]:
        return None, {}

    def programs(self, _source: str) -> list[str | None]:
        return []

    def pool_roles(self) -> list[tuple[HolderDraft, str, bool]]:
        return []


def document(action: str = "dynamodb:GetItem", resource: Any = TABLE, effect: str = "Allow") -> Document:
    statement = {"Effect": effect, "Action": action, "Resource": resource}
    return parse_document({"Statement": [statement]}, Symbols(), lambda _: PLACE)


def held(address: str, content: Document | None = None) -> HeldDocument:
    return HeldDocument(address, PLACE, content or document(), "json")


def trust(service: str) -> Document:
    statement = {"Effect": "Allow", "Principal": {"Service": service}, "Action": "sts:AssumeRole"}
    return parse_document({"Statement": [statement]}, Symbols(), lambda _: PLACE)


def build(assembly: HolderAssembly, *types: str) -> tuple[dict[str, Holder], tuple[Grant, ...]]:
    holders, grants = assembly.build(Users(assembly, *types))
    return {holder.address: holder for holder in holders}, grants


def test_the_order_in_which_anything_is_added_does_not_matter() -> None:
    """Holders are made first; a group that gets its policy late still gives it to its members."""
    own = AttachedPolicy("policy", "policy", PLACE, (held("policy"),))
    loose = AttachedPolicy("loose", "loose", PLACE, (held("loose"),))

    def steps(assembly: HolderAssembly) -> list[Callable[[], None]]:
        role, user, group = (assembly.holder(form, str(form), PLACE) for form in (ROLE, USER, GROUP))
        return [
            lambda: role.give(held("inline")),
            lambda: assembly.attach(group, own),
            lambda: assembly.bound(user, own),
            lambda: assembly.member(user, group),
            lambda: assembly.policy(own, PLACE, "own"),
            lambda: assembly.policy(loose, PLACE, "loose"),
        ]

    results = set()
    for order in permutations(range(6)):
        assembly = HolderAssembly(Symbols())
        todo = steps(assembly)
        for number in order:
            todo[number]()
        holders, grants = build(assembly)
        results.add(
            (
                tuple(
                    (it.address, tuple(one.address for one in it.grants), len(it.ceilings)) for it in holders.values()
                ),
                tuple((it.address, it.holder.address) for it in grants),
            )
        )
    assert results == {
        (
            (("group", ("policy",), 0), ("loose", ("loose",), 0), ("role", ("inline",), 0), ("user", ("policy",), 1)),
            (("inline", "role"), ("loose", "loose"), ("policy", "group")),
        )
    }


def test_a_policy_is_attached_once_however_often_it_is_named() -> None:
    """AWS's own by its path, in any partition."""
    assembly = HolderAssembly(Symbols())
    role = assembly.holder(ROLE, "role", PLACE)
    path = "AmazonDynamoDBReadOnlyAccess"
    for arn in (f"arn:aws:iam::aws:policy/{path}", f"arn:aws-cn:iam::aws:policy/{path}"):
        assembly.attach(role, policy_of_arn(arn, "attachment", PLACE, "hcl", LATER))
    (grant,) = build(assembly)[0]["role"].grants
    assert (grant.managed, grant.address) == (path, "attachment")


def test_a_policy_that_is_not_in_the_input_matters_to_whoever_has_access_to_tables() -> None:
    """Or if its name says DynamoDB, or the input has tables: one of AWS that is newer than the data too."""
    assembly = HolderAssembly(Symbols())
    for address, content in (("reader", document()), ("other", document("s3:GetObject", "*"))):
        role = assembly.holder(ROLE, address, PLACE)
        role.give(held(address, content))
        for name in ("arn:aws:iam::111122223333:policy/x", "arn:aws:iam::111122223333:policy/dynamodb-x"):
            assembly.attach(role, missing_policy(name, name, PLACE, LATER))
        assembly.attach(role, aws_policy("Unheard", "unheard", PLACE, "hcl"))
    holders, _ = build(assembly)
    assert [one.relevant for one in holders["reader"].unread] == [True, True, True]
    assert [one.relevant for one in holders["other"].unread] == [True, False, False]
    assert assembly.missing == 3


def test_beside_a_table_a_policy_that_is_not_in_the_input_matters_to_everybody() -> None:
    """It may be about that table; and what a group has, its users have."""
    assembly = HolderAssembly(Symbols(), has_tables=True)
    user, group = assembly.holder(HolderForm.USER, "user", PLACE), assembly.holder(HolderForm.GROUP, "group", PLACE)
    assembly.member(user, group)
    assembly.attach(group, missing_policy("arn:aws:iam::111122223333:policy/x", "x", PLACE, LATER))
    holders, _ = build(assembly)
    assert [(one.relevant, one.elsewhere) for name in ("group", "user") for one in holders[name].unread] == [
        (True, True),
        (True, True),
    ]


def test_a_policy_of_aws_that_is_known() -> None:
    """One that is about other services grants nothing, and as a boundary it leaves nothing; AWSDenyAll denies."""
    assembly = HolderAssembly(Symbols())
    role = assembly.holder(ROLE, "role", PLACE)
    assembly.bound(role, aws_policy("service-role/AWSLambdaBasicExecutionRole", "boundary", PLACE, "hcl"))
    assembly.attach(role, aws_policy("AWSDenyAll", "deny", PLACE, "hcl"))
    made = build(assembly)[0]["role"]
    assert [document.statements for document in made.ceilings] == [()]
    assert ([grant.statement.effect for grant in made.denials], made.unread) == (["Deny"], ())


def test_what_could_not_be_read_is_at_the_statement_that_may_matter() -> None:
    """One about another service does not matter."""
    first = {"Effect": "Allow", "Action": "s3:GetObject", "Resource": UnknownPart(Doubt("first"))}
    second = {"Effect": "Allow", "Action": "dynamodb:Query", "Resource": UnknownPart(Doubt("second"))}
    content = parse_document({"Statement": [first, second]}, Symbols(), lambda path: Place("f", path=str(path)))
    assembly = HolderAssembly(Symbols())
    assembly.holder(ROLE, "role", PLACE).give(held("role", content))
    (unread,) = build(assembly)[0]["role"].unread
    assert (unread.doubt.reason, unread.relevant, unread.place) == ("second", True, content.statements[1].place)


@pytest.mark.parametrize(
    ("form", "kind", "why"),
    [
        (ROLE, HolderKind.UNKNOWN, "its trust policy is not known"),
        (USER, HolderKind.HUMAN, "it is an IAM user"),
        (HolderForm.PERMISSION_SET, HolderKind.HUMAN, "a permission set is people's"),
    ],
)
def test_who_uses_a_holder_of_which_nothing_is_known(form: HolderForm, kind: HolderKind, why: str) -> None:
    assembly = HolderAssembly(Symbols())
    assembly.holder(form, "holder", PLACE)
    holder = build(assembly)[0]["holder"]
    assert (holder.kind, holder.why) == (kind, why)


def test_users_of_roles_are_read_only_if_a_trust_policy_does_not_show_them() -> None:
    """A large plan then decodes no function for them."""
    for service, reads in (("lambda.amazonaws.com", False), ("unheard.amazonaws.com", True)):
        assembly = HolderAssembly(Symbols())
        assembly.holder(ROLE, "role", PLACE).trust([trust(service)], None)
        users = Users(assembly, "aws_codebuild_project")
        (holder,), _ = assembly.build(users)
        assert ("aws_lambda_function" in users.read) is reads
        assert holder.kind is (HolderKind.DEPLOY if reads else HolderKind.RUNTIME)


def test_holders_that_are_not_in_the_input_are_one_for_each_name() -> None:
    """Their address is the first one of what names them; those without a name stay apart."""
    assembly = HolderAssembly(Symbols())
    for name, address in (("x", "b"), ("x", "a"), (None, "c"), (None, "d")):
        assembly.outside(ROLE, name, address, PLACE).give(held(address))
    holders, _ = build(assembly)
    assert {address: [one.address for one in holder.grants] for address, holder in holders.items()} == {
        "a": ["a", "b"],
        "c": ["c"],
        "d": ["d"],
    }
    assert {holder.why for holder in holders.values()} == {"it is not in this input"}


def test_a_limit_grants_nothing_and_is_not_reported_as_unread() -> None:
    assembly = HolderAssembly(Symbols())
    assembly.unattached(held("scp", Document(doubt=LATER)), PLACE, DocumentRole.CEILING)
    holder = build(assembly)[0]["scp"]
    assert (holder.form, holder.grants, holder.unread) == (HolderForm.UNATTACHED, (), ())


def test_addresses_of_a_nested_stack_start_at_the_topmost_one() -> None:
    """A key of another stack has its full address already."""
    assembly = HolderAssembly(Symbols())
    assembly.holder(ROLE, "role", PLACE).give(held("policy"))
    key = assembly.owner(HolderForm.KEY, "Other/key", PLACE, "the policy of a table's key")
    key.is_full = True
    key.give(held("Other/key"), DocumentRole.RESOURCE)
    holders, grants = assembly.build(Users(assembly), full="Nested/{}".format)
    assert [holder.address for holder in holders] == ["Nested/role", "Other/key"]
    assert [grant.address for grant in grants] == ["Nested/policy", "Other/key"]
