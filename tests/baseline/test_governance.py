"""Governance: names, tags, and what a doubt leaves open."""

from __future__ import annotations

import pytest

from support import tables as build
from tablegate.model import facts
from tablegate.model.table import Dialect, Table
from tablegate.model.value import Place
from tablegate_baseline.governance import ENVIRONMENT_TAGS, fixed_name, required_tags, table_name

UNKNOWN_NAME = facts.NAME.doubted(build.DOUBT)


def named(name: str, **tags: str) -> Table:
    """A table with this name and these tags."""
    return build.table(name=facts.NAME.of(name), tags=facts.TAGS.of(tags))


@pytest.mark.parametrize("name", ["orders-prod", "prod.orders", "OrdersProd", "orders_PROD", "orders-dev2", "qaOrders"])
def test_an_environment_word_anywhere_in_the_name_tells_it(name: str) -> None:
    """As a whole word in any case style."""
    assert table_name.check(named(name)).truth is True


@pytest.mark.parametrize("name", ["orders", "products", "latest", "device-events", "prods"])
def test_a_name_without_one_does_not(name: str) -> None:
    """A word inside another is none."""
    assert table_name.check(named(name)).note == f"neither the table name '{name}' nor a tag tells the environment"


@pytest.mark.parametrize("tag", ["tablegate:environment", "environment", "env", "stage", "Environment"])
def test_a_tag_tells_it_too(tag: str) -> None:
    """Any of the common spellings, whatever its value."""
    assert table_name.check(build.table(name=facts.NAME.of("orders"), tags=facts.TAGS.of({tag: "blue"}))).truth is True


def test_a_name_or_a_tag_that_is_not_known_may_tell_it() -> None:
    """A tag settles an unknown name, and the other way round."""
    assert table_name.check(build.table(name=UNKNOWN_NAME)).truth is None
    tagged = build.table(name=UNKNOWN_NAME, tags=facts.TAGS.of({"env": "prod"}))
    assert table_name.check(tagged).truth is True
    unknown_tags = facts.TAGS.doubted(build.DOUBT)
    assert table_name.check(build.table(name=facts.NAME.of("orders"), tags=unknown_tags)).truth is None
    assert table_name.check(build.table(name=facts.NAME.of("orders-prod"), tags=unknown_tags)).truth is True


def test_candidates_that_all_tell_it_settle_an_unknown_name() -> None:
    """Whichever it is, it holds the word."""
    either = facts.NAME.doubted(build.DOUBT, None, ("orders-dev", "orders-prod"))
    assert table_name.check(build.table(name=either)).truth is True


def test_a_pattern_takes_the_place_of_the_words() -> None:
    """With a pattern, no tag helps."""
    check = table_name.check
    assert check(named("shop-orders"), pattern="^shop-").truth is True
    verdict = check(named("orders-prod", environment="prod"), pattern="^shop-")
    assert verdict.note == "the table name 'orders-prod' does not match ^shop-"
    assert check(build.table(name=UNKNOWN_NAME), pattern="^shop-").truth is None


def test_a_generated_name_is_not_judged() -> None:
    """The service makes it up."""
    assert table_name.check(build.table(name=UNKNOWN_NAME, name_generated=True)).applies is False


def test_tags_must_be_selected() -> None:
    """Which tags are required, a team decides for itself."""
    assert required_tags.profile is None


def test_a_missing_tag_stands_where_the_tags_are() -> None:
    """Or at the table where there are none."""
    tags = facts.TAGS.of({"owner": "me"}, Place("t.yaml", 9))
    verdict = required_tags.check(build.table(tags=tags))
    assert verdict.note == "tags missing from the table: environment, data-classification"
    assert verdict.evidence[0].place == Place("t.yaml", 9)
    assert required_tags.check(build.table()).evidence[0].place == build.table().place


@pytest.mark.parametrize("spelled", ["cost-center", "CostCenter", "cost_center", "Cost Center", "COST-CENTER"])
def test_a_tags_key_counts_in_any_spelling(spelled: str) -> None:
    """People spell one tag in many ways; a tag whose value is not known is there."""
    table = build.table(tags=facts.TAGS.of({spelled: None}))
    assert required_tags.check(table, tags=("cost-center",)).truth is True


def test_each_replica_has_tags_of_its_own() -> None:
    """The table's do not reach it."""
    tags = facts.TAGS.of({"owner": "me"})
    bare = facts.REPLICAS.of((build.replica("eu-west-1"), build.replica("eu-west-2", tags=tags)))
    verdict = required_tags.check(build.table(tags=tags, replicas=bare), tags=("owner",))
    assert verdict.note == "tags missing from the replica in eu-west-1: owner"


def test_tags_and_replicas_that_are_not_known_are_a_doubt() -> None:
    """What is missing elsewhere still fails."""
    tags = facts.TAGS.of({"owner": "me"})
    unlisted = facts.REPLICAS.doubted(build.DOUBT)
    check = required_tags.check
    assert check(build.table(tags=facts.TAGS.doubted(build.DOUBT)), tags=("owner",)).truth is None
    assert check(build.table(tags=tags, replicas=unlisted), tags=("owner",)).truth is None
    assert check(build.table(tags=tags, replicas=unlisted), tags=("team",)).truth is False


def test_a_fixed_name_is_a_matter_of_templates() -> None:
    """Terraform replaces a table by deleting it first, unless it is told otherwise."""
    place = Place("t.yaml", 4)
    fixed = build.table(dialect=Dialect.CLOUDFORMATION, name=facts.NAME.of("orders-prod", place), name_fixed=True)
    verdict = fixed_name.check(fixed)
    assert verdict.note == "fixed TableName 'orders-prod': CloudFormation cannot replace this table"
    assert verdict.evidence[0].place == place
    assert fixed_name.check(build.table(dialect=Dialect.CLOUDFORMATION)).truth is True
    assert fixed_name.check(build.table()).applies is False


@pytest.mark.parametrize("text", ["prod", None, ""])
def test_a_tag_tells_the_environment_whatever_its_value(text: str | None) -> None:
    """Also one whose value a variable gives."""
    tags = {key: facts.TAGS.of({key: text}) for key in ("Environment", "team")}
    truths = {key: table_name.check(build.table(name=facts.NAME.of("orders"), tags=tags[key])).truth for key in tags}
    assert truths == {"Environment": True, "team": False}


def test_the_tags_are_those_that_declare_an_environment() -> None:
    """The model reads the same ones."""
    assert ENVIRONMENT_TAGS == facts.ENVIRONMENT_TAGS
