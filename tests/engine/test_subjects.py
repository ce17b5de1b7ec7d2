"""Who is judged beside tables: everybody who holds grants, and each of their statements."""

from __future__ import annotations

from support.policies import declared, judge_all
from support.tables import estate
from tablegate.engine.judge import judge, self_check
from tablegate.engine.subjects import Subjects
from tablegate.model.value import Place
from tablegate.policy import Verdict, fails
from tablegate.policy.access import Document, DocumentRole, Grant, Holder, HolderForm, HolderKind, Patterns, Statement

PLACE = Place("plan.json", path="aws_iam_role_policy.worker")


def test_grants_and_holders_are_subjects() -> None:
    """A finding about a grant carries the address of what holds the document, and the statement as its part."""

    def granted(grant: Grant) -> Verdict:
        return fails("too wide")

    def held(holder: Holder) -> Verdict:
        return fails("too much")

    statement = Statement(
        label="ReadAll",
        index=0,
        place=PLACE,
        effect="Allow",
        actions=Patterns(),
        resources=Patterns(),
        principals=None,
        conditions=(),
        doubts=(),
    )
    grant = Grant(
        address="aws_iam_role_policy.worker",
        place=PLACE,
        role=DocumentRole.IDENTITY,
        document=Document(statements=(statement,)),
        statement=statement,
    )
    holder = Holder(
        address="aws_iam_role.worker",
        place=PLACE,
        form=HolderForm.ROLE,
        kind=HolderKind.RUNTIME,
        why="a function runs as it",
        grants=(grant,),
    )
    policies = (declared(granted, "TT501"), declared(held, "TT502"))
    findings = judge_all([estate(grants=(grant,), holders=(holder,))], policies).findings
    assert [(finding.address, finding.part, finding.message) for finding in findings] == [
        ("aws_iam_role.worker", None, "too much"),
        ("aws_iam_role_policy.worker", {"statement": "ReadAll"}, "too wide"),
    ]


def test_the_known_case_is_judged_as_it_must_be() -> None:
    """And an engine that says something else of it is not to be trusted."""
    assert self_check(judge) == ()
    [fault] = self_check(lambda *_: None)
    assert fault.blocks
    assert fault.message == "the engine does not judge a known case as it must, so nothing it says can be trusted"
    assert fault.hint == "does a pack change tablegate itself?"


def test_what_is_said_of_a_holder_with_a_sensitive_document_is_hidden() -> None:
    """Of the holder as of each of its statements: one may tell of another."""
    hidden, shown = (a_holder(name, sensitive=sensitive) for name, sensitive in (("a", True), ("b", False)))
    every = estate(grants=(*hidden.grants, *shown.grants), holders=(hidden, shown))
    for subject in (Holder, Grant):
        entries = Subjects(every).of(subject)
        assert [(entry.site.address[-1], entry.site.sensitive) for entry in entries] == [("a", True), ("b", False)]


def a_holder(name: str, *, sensitive: bool) -> Holder:
    """A role with one statement."""
    statement = Statement(
        label="0",
        index=0,
        place=PLACE,
        effect="Allow",
        actions=Patterns(),
        resources=Patterns(),
        principals=None,
        conditions=(),
        doubts=(),
    )
    grant = Grant(
        address=f"aws_iam_role_policy.{name}",
        place=PLACE,
        role=DocumentRole.IDENTITY,
        document=Document(statements=(statement,), sensitive=sensitive),
        statement=statement,
    )
    return Holder(
        address=f"aws_iam_role.{name}",
        place=PLACE,
        form=HolderForm.ROLE,
        kind=HolderKind.RUNTIME,
        why="",
        grants=(grant,),
    )
