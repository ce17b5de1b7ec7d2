"""What a plan hides of a called module, and its source tells: tags, blocks of dynamic blocks, documents, names."""

from __future__ import annotations

import pytest

from support.plans import made
from support.source_lines import FIXTURES, POLICIES, finding, judged, source
from tablegate.findings import Report
from tablegate.model.table import KeyOwner, Table

(TAGS,) = (policy for policy in POLICIES if policy.id == "TG902")  # which is off unless asked for
FOLDER = FIXTURES / "plans" / "called-modules"


@pytest.fixture(scope="module", name="report")
def judged_with_source() -> Report:
    """The plan with its source."""
    return judged(source(FOLDER), FOLDER)


@pytest.fixture(scope="module", name="alone")
def judged_alone() -> Report:
    """The plan without any source."""
    return judged({}, FOLDER)


def said(report: Report, module: str) -> dict[str, str]:
    """What is said of a module's resources, at medium and above."""
    own = (item for item in report.findings if item.address.startswith(f"module.{module}."))
    return {
        one.policy.id: str(one.outcome) for one in own if one.severity not in ("low", "info") and one.policy != TAGS
    }


def test_tags_are_known_one_by_one(report: Report, alone: Report) -> None:
    """One tag is known after the apply, and a plan withholds all of them. The name's literal part tells prod."""
    assert {} == said(report, "named_later")
    assert {"TG101", "TG202", "TG401", "TG901"} & set(said(alone, "named_later"))


def test_keys_of_replicas_in_dynamic_blocks(report: Report, alone: Report) -> None:
    """No key is given, or a key of the plan, of whose region the replica is or is not."""
    assert "unknown" == said(alone, "replicated")["TG203"]
    assert "TG203" not in said(report, "replicated")
    assert "TG203" not in said(report, "with_a_key")
    assert "fails" == said(report, "key_elsewhere")["TG203"]


def test_a_document_in_a_function(report: Report) -> None:
    """What the data source returned is in the plan, and what is made of it in source."""
    assert {"TG527": "fails"} == said(report, "open")


def test_a_document_of_a_data_source_alone(alone: Report) -> None:
    """Without source it is not known what the module replaces, and the source is asked for."""
    (doubt,) = (value.doubt for value in finding(alone, "TG541", OPEN).evidence if value.doubt is not None)
    assert doubt.settle is not None
    assert doubt.settle.startswith("pass --source DIR with the source of the plan, or ")


OPEN = "module.open.aws_dynamodb_resource_policy.this[0]"


def table(name: str) -> Table:
    """A table of the plan alone."""
    return next(one for one in made("called-modules").estate.tables if one.address.startswith(f"module.{name}."))


def test_alone_the_key_stays_unknown() -> None:
    """The plan alone does not show what a dynamic block writes."""
    (replica,) = table("with_a_key").replicas.content or ()
    assert not replica.encryption.owner.known
    assert (KeyOwner.AWS_MANAGED, KeyOwner.CUSTOMER) == replica.encryption.owner.candidates


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('lookup(replica.value, "kms_key_arn", null)', "each.value"),
        ("for_each = var.replicas", "for_each = var.policy"),
    ],
)
def test_source_that_differs_settles_nothing(old: str, new: str) -> None:
    """Blocks that the source does not make as the plan has them stay unknown."""
    files = source(FOLDER)
    changed = {name: text.replace(old, new) for name, text in files.items()}
    assert changed != files
    assert "unknown" == said(judged(changed, FOLDER), "with_a_key")["TG203"]
