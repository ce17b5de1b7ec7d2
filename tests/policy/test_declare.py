"""How a policy is declared, and what is refused."""

from __future__ import annotations

from types import ModuleType
from typing import Any, Literal

import pytest

from tablegate.model.table import Dialect
from tablegate.policy import (
    HIGH,
    LOW,
    MEDIUM,
    Expression,
    Policy,
    PolicyError,
    Severity,
    Table,
    Verdict,
    holds,
    policies_of,
    policy,
)
from tablegate.policy.declare import Profile, accepted_value, option_schema, type_in_words


def declare(check: Any, id: str = "TG301", severity: Any = HIGH, **stated: Any) -> Policy:
    spelled = {"docs": "", "terraform": "ttl {}", "cloudformation": None} | stated
    return policy(id, severity, "A title", **spelled)(check)


def good(table: Table, *, max_days: int = 7) -> Verdict:
    """It is needed.

    For more than one reason."""
    return holds()


def test_everything_about_a_policy_comes_from_its_function() -> None:
    """Name, rationale, subject and options."""
    declared = declare(good, terraform="\n    ttl {\n      enabled = true\n    }\n", cloudformation="A:\n  B: 1")
    assert (declared.name, declared.family, declared.subject, declared.profile) == (
        "good",
        "recovery",
        Table,
        Profile.STANDARD,
    )
    assert declared.rationale == "It is needed.\n\nFor more than one reason."
    assert [(option.name, option.type, option.default) for option in declared.options] == [("max-days", int, 7)]
    assert (declared.remedy.terraform, declared.remedy.cloudformation) == ("ttl {\n  enabled = true\n}", "A:\n  B: 1")
    assert declare(good, "ACME001").family == "acme"


def test_a_policy_belongs_to_a_profile_and_may_weigh_more_in_strict() -> None:
    """What is on in standard is on in strict too."""
    standard, strict, selected = (declare(good, on=on) for on in (True, "strict", False))
    profiles = (Profile.STANDARD, Profile.STRICT)
    assert [each.is_on(profile) for each in (standard, strict, selected) for profile in profiles] == [
        *(True, True),
        *(False, True),
        *(False, False),
    ]
    raised = declare(good, severity=LOW, strict_severity=HIGH)
    assert [raised.severity_in(profile) for profile in profiles] == [LOW, HIGH]
    assert standard.severity_in(Profile.STRICT) is HIGH


def test_a_remedy_is_that_of_the_resource() -> None:
    """A global table has a remedy of its own only if it differs."""
    one = declare(good, terraform="ttl {}", cloudformation="A: 1").remedy
    apart = declare(good, terraform="ttl {}", cloudformation="A: 1", global_table="\n  B: 1\n").remedy
    asked = [
        (Dialect.TERRAFORM_PLAN, "aws_dynamodb_table"),
        (Dialect.CLOUDFORMATION, "AWS::DynamoDB::Table"),
        (Dialect.CLOUDFORMATION, "AWS::DynamoDB::GlobalTable"),
        (Dialect.CLOUDFORMATION, None),
    ]
    assert ["ttl {}", "A: 1", "A: 1", "A: 1"] == [one.within(*each) for each in asked]
    assert ["ttl {}", "A: 1", "B: 1", "A: 1"] == [apart.within(*each) for each in asked]


def undocumented(table: Table) -> Verdict:
    return holds()


def unannotated(table):  # type: ignore[no-untyped-def]
    """It is needed."""


def without_subject() -> Verdict:
    """It is needed."""
    return holds()


def returning_bool(table: Table) -> bool:
    """It is needed."""
    return True


def positional(table: Table, days: int = 7) -> Verdict:
    """It is needed."""
    return holds()


def undefaulted(table: Table, *, days: int) -> Verdict:
    """It is needed."""
    return holds()


def strangely_typed(table: Table, *, days: dict[str, int] = {}) -> Verdict:  # noqa: B006
    """It is needed."""
    return holds()


def numbered(table: Table, *, days: Literal[1, 2] = 1) -> Verdict:
    """It is needed."""
    return holds()


@pytest.mark.parametrize(
    ("check", "stated", "message"),
    [
        (good, {"id": "X|`<b>\n::error::"}, "an id is 2 to 8 capital letters and 3 or 4 digits"),
        (good, {"severity": "high"}, "the severity is one of CRITICAL, HIGH, MEDIUM, LOW, INFO"),
        (good, {"terraform": None}, "a remedy is needed in at least one language"),
        (undocumented, {}, "the docstring is the policy's rationale, and it is missing"),
        (unannotated, {}, "the first parameter's annotation says what is checked: one of Table, Index"),
        (without_subject, {}, "the first parameter's annotation says what is checked"),
        (returning_bool, {}, "a predicate must return a Verdict, and its annotation must say so"),
        (positional, {}, "the option 'days' must be keyword-only and have a default"),
        (undefaulted, {}, "the option 'days' must be keyword-only and have a default"),
        (strangely_typed, {}, "the option 'days' must be bool, int, float, str, Expression, a Literal"),
        (numbered, {}, "the option 'days' must be bool"),
    ],
)
def test_a_policy_that_is_not_well_formed_is_refused(check: Any, stated: dict[str, Any], message: str) -> None:
    """When it is declared, not when it first matters."""
    with pytest.raises(PolicyError) as caught:
        declare(check, **stated)
    assert message in str(caught.value)


def test_policies_of_modules_are_gathered_once_each() -> None:
    """One that two modules show is one; two that share an id or a name are refused."""
    one, other = ModuleType("one"), ModuleType("other")
    first = declare(good)
    one.__dict__.update(first=first, again=first, x=1)
    other.__dict__.update(first=first)
    assert policies_of((one, other)) == (first,)
    other.__dict__.update(second=declare(good, "TG302"))
    with pytest.raises(PolicyError, match="good is declared twice"):
        policies_of((one, other))


def test_severities_are_ordered() -> None:
    """The worst reach every line."""
    assert [level for level in Severity if level.reaches(MEDIUM)] == [*Severity][:3]
    assert not LOW.reaches(MEDIUM)


def test_an_option_is_described_for_people_and_for_editors() -> None:
    """In words, and as JSON schema."""

    def check(
        table: Table, *, a: bool = True, b: tuple[str, ...] = ("x",), c: Literal["p", "q"] = "p", d: float = 0.5
    ) -> Verdict:
        """It is needed."""
        return holds()

    options = declare(check).options
    assert [type_in_words(option) for option in options] == [
        "true or false",
        "a list of texts",
        'one of "p", "q"',
        "a number",
    ]
    assert [option_schema(option) for option in options] == [
        {"type": "boolean", "default": True},
        {"type": "array", "items": {"type": "string"}, "default": ["x"]},
        {"enum": ["p", "q"], "default": "p"},
        {"type": "number", "default": 0.5},
    ]


BEGINNING = Expression("^x")


def test_an_expression_that_is_none_is_refused_where_it_is_written() -> None:
    """And not by a policy that crashes on it."""

    def check(table: Table, *, pattern: Expression = BEGINNING) -> Verdict:
        """It is needed."""
        return holds()

    (option,) = declare(check).options
    assert accepted_value(option, "^[a-z]+$") == "^[a-z]+$"
    assert (type_in_words(option), option_schema(option)) == (
        "a regular expression",
        {"type": "string", "format": "regex", "default": "^x"},
    )
    for written in ("(", "(" * 3000 + ")" * 3000, "a{99999999999}", 1):
        with pytest.raises(TypeError, match="a regular expression"):
            accepted_value(option, written)
