"""What the configuration says of tables, and where it is silent."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from support.tables import DOUBT, estate, table
from tablegate.engine.finding import overridden
from tablegate.engine.settings import Override
from tablegate.model import facts
from tablegate.model.estate import Change, ChangeKind
from tablegate.model.record import wire
from tablegate.model.table import Table
from tablegate.policy import HIGH


def purpose(subject: Table, *overrides: Override, file: str = "plan.json") -> str | None:
    return overridden(estate(subject, file=file), overrides).tables[0].declared.purpose.content


@pytest.mark.parametrize(
    ("glob", "address", "matches"),
    [
        ("aws_dynamodb_table.orders", "aws_dynamodb_table.orders", True),
        ("aws_dynamodb_table.order", "aws_dynamodb_table.orders", False),
        ("module.*.aws_dynamodb_table.*", 'module.a["x"].aws_dynamodb_table.b[0]', True),
        ('*.orders["eu"]', 'aws_dynamodb_table.orders["eu"]', True),
        ('*.orders["eu"]', "aws_dynamodb_table.orderse", False),
        ("*", "Parent/Child", True),
    ],
)
def test_an_address_glob_takes_brackets_as_they_are(glob: str, address: str, matches: bool) -> None:
    """Brackets are part of Terraform's addresses, so only the star is special."""
    assert (purpose(table(address=address), Override(address=glob, purpose="cache")) == "cache") is matches


@pytest.mark.parametrize(
    ("glob", "path", "matches"),
    [
        ("stacks/*.yaml", "stacks/a.yaml", True),
        ("stacks/*.yaml", "stacks/b/a.yaml", False),
        ("stacks/**", "stacks/b/a.yaml", True),
        ("**/a.yaml", "a.yaml", True),
        ("**/a.yaml", "x/y/a.yaml", True),
        ("?.yaml", "a.yaml", True),
        ("a.yaml", "aXyaml", False),
    ],
)
def test_a_path_glob_knows_folders(glob: str, path: str, matches: bool) -> None:
    """One star stays within a name, two cross folders."""
    assert (purpose(table(), Override(path=glob, purpose="cache"), file=path) == "cache") is matches


NAMES = st.text("ab/", max_size=8)


@given(glob=st.text("ab/*?", max_size=8), path=NAMES)
def test_a_path_glob_is_its_expression(glob: str, path: str) -> None:
    """Whatever stars follow each other."""
    meanings = {"**/": "(?:.*/)?", "**": ".*", "*": "[^/]*", "?": "[^/]"}
    pieces = re.split(r"(\*\*/|\*\*|\*|\?)", glob)
    expression = "".join(meanings.get(piece, re.escape(piece)) for piece in pieces)
    expected = re.fullmatch(expression, path) is not None
    assert (purpose(table(), Override(path=glob, purpose="cache"), file=path) == "cache") is expected


@given(glob=st.text("ab[*", max_size=8), address=st.text("ab[", max_size=8))
def test_an_address_glob_is_its_expression(glob: str, address: str) -> None:
    """A star is any text."""
    expected = re.fullmatch(".*".join(map(re.escape, glob.split("*"))), address) is not None
    assert (purpose(table(address=address), Override(address=glob, purpose="cache")) == "cache") is expected


def test_many_stars_take_no_longer() -> None:
    """They would be tried in every combination."""
    glob, text = "*" + "a*" * 20 + "b", "a" * 200
    assert purpose(table(address=text), Override(address=glob, purpose="cache")) is None
    assert purpose(table(), Override(path=glob, purpose="cache"), file=text) is None


def test_tags_match_when_they_are_equal() -> None:
    """A tag that is missing, different or not known does not match."""
    override = Override(tags={"env": "dev"}, purpose="cache")
    assert purpose(table(tags=facts.TAGS.of({"env": "dev", "x": "y"})), override) == "cache"
    assert purpose(table(tags=facts.TAGS.of({"env": "prod"})), override) is None
    assert purpose(table(tags=facts.TAGS.of({"env": None})), override) is None
    assert purpose(table(tags=facts.TAGS.doubted(DOUBT)), override) is None
    assert purpose(table(), override) is None


def test_every_matcher_given_must_match() -> None:
    """Address and path together are narrower than each."""
    override = Override(address="*.orders", path="other.json", purpose="cache")
    assert purpose(table(), override) is None


def test_tags_go_before_overrides() -> None:
    """An override fills what no tag says. A tag that is not known may say otherwise, so it stays unknown."""
    override = Override(address="*", purpose=" Cache ", environment="dev", data_class="pii", capacity="provisioned")
    declared = overridden(estate(table(tags=facts.TAGS.of({"purpose": "orders"}))), (override,)).tables[0].declared
    assert declared.purpose.content == "orders"
    assert (declared.environment.content, declared.data_class.content, declared.capacity.content) == (
        "dev",
        "pii",
        "provisioned",
    )
    assert purpose(table(), override) == "cache"
    unsure = overridden(estate(table(tags=facts.TAGS.of({"purpose": None}))), (override,)).tables[0]
    assert not unsure.declared.purpose.known


def test_the_last_override_that_speaks_counts() -> None:
    """Earlier ones fill what it leaves open."""
    first, last = Override(address="*", purpose="lock", environment="dev"), Override(address="*", purpose="cache")
    declared = overridden(estate(table()), (first, last)).tables[0].declared
    assert (declared.purpose.content, declared.environment.content) == ("cache", "dev")


def test_changes_follow_their_tables() -> None:
    """A change leads to the table as the overrides leave it, and back."""
    touched, other = table(), table(address="other")
    changes = tuple(
        Change(address=name, place=None, kind=ChangeKind.CREATE, make_before=lambda: None, after=after)
        for name, after in (("a", touched), ("b", other), ("c", None))
    )
    wire(touched, "change", changes[0])
    before = estate(touched, other, changes=changes)
    after = overridden(before, (Override(address="*.orders", purpose="cache"),))
    assert after.changes[0].after is after.tables[0]
    assert after.tables[0].change is after.changes[0]
    assert after.tables[0].estate is after
    assert after.changes[1:] == changes[1:]
    assert touched.declared.purpose.content is None


def test_overrides_that_declare_nothing_change_nothing() -> None:
    """One that only weighs a policy leaves the model alone."""
    before = estate(table())
    assert overridden(before, (Override(address="*", severity={"TG301": HIGH}),)) is before
