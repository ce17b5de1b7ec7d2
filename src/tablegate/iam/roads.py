"""Indirect access: how a holder can give itself, or a role that reaches tables, more than it has."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import lru_cache

from tablegate.iam.actions import HARMLESS
from tablegate.iam.arns import at_home
from tablegate.iam.conditions import Condition
from tablegate.iam.documents import Document, Patterns, Statement
from tablegate.iam.evaluation import all_of, any_of, covers_any, reaches_of
from tablegate.iam.grants import HolderForm
from tablegate.iam.holders import Holder
from tablegate.iam.patterns import matches
from tablegate.model.estate import Estate
from tablegate.model.record import record

ROADS_AS_OF = "2026-11-19"
"""When the lists of roads were last compared with what IAM and the services offer."""

# What changes the policies of a role, of a user, or of a managed policy.
_ON_ROLES = ("iam:PutRolePolicy", "iam:AttachRolePolicy")
_ON_USERS = ("iam:PutUserPolicy", "iam:AttachUserPolicy", "iam:AddUserToGroup")
_ON_GROUPS = ("iam:PutGroupPolicy", "iam:AttachGroupPolicy")
_ON_POLICIES = ("iam:CreatePolicyVersion", "iam:SetDefaultPolicyVersion")
# What makes one somebody else.
_BECOMES_ROLE = ("iam:UpdateAssumeRolePolicy",)
_BECOMES_USER = ("iam:CreateAccessKey", "iam:CreateLoginProfile")
# What runs code with a role that is passed to it.
_GIVES_ROLE = "iam:PassRole"
_RUNS_CODE = (
    "lambda:CreateFunction",
    "lambda:UpdateFunctionCode",
    "ecs:RunTask",
    "ec2:RunInstances",
    "glue:CreateJob",
    "cloudformation:CreateStack",
    "sagemaker:CreateNotebookInstance",
    "states:CreateStateMachine",
)
_PASSED_TO = "iam:passedtoservice"
_DOMAIN = ".amazonaws.com"
_PASSED_AS = {"ecs": "ecs-tasks"}


@record(kw_only=False)
class Road:
    """One way to more access. ``certain`` is false where a condition or something unknown decides."""

    actions: tuple[str, ...]
    target: str  # the address of the role, user or policy that is changed
    certain: bool = True


def road_of(holder: Holder) -> Road | None:
    """The first way by which a role or user can reach tables of the input that its own grants do not show."""
    if holder.arn is None or not any(_is_about_iam(statement.actions) for statement in _allows(holder)):
        return None
    if _has_everything(holder):
        return None
    found = None
    for road in _roads(holder):
        if road.certain:
            return road
        found = found or road
    return found


def _roads(holder: Holder) -> Iterator[Road]:
    estate = holder.estate
    if not estate.tables:
        return
    others = [other for other in _reaching(estate) if other is not holder]
    own = [holder]
    roles = [other for other in others if other.form is HolderForm.ROLE]
    users = [other for other in others if other.form is HolderForm.USER]
    is_role = holder.form is HolderForm.ROLE
    yield from _over(holder, _ON_ROLES, [*(own if is_role else ()), *roles])
    yield from _over(holder, _ON_USERS, [*(() if is_role else own), *users])
    yield from _over(holder, _BECOMES_ROLE, roles)
    yield from _over(holder, _BECOMES_USER, users)
    account = (holder.arn or "").rsplit(":", 1)[0]
    yield from _over_any(holder, _ON_POLICIES, f"{account}:policy/\0", "every policy")
    if not is_role:
        yield from _over_any(holder, _ON_GROUPS, f"{account}:group/\0", "every group")
    for role in roles:
        passes = _may(holder, _GIVES_ROLE, role.arn or "")
        for action in _RUNS_CODE if passes is not False else ():
            runs = all_of((_may(holder, action, None), _may_pass_to(holder, action, role.arn or "")))
            if runs is not False:
                yield Road((_GIVES_ROLE, action), role.address, bool(passes and runs))
                break


def _over(holder: Holder, actions: Iterable[str], targets: Iterable[Holder]) -> Iterator[Road]:
    for target in targets:
        for action in actions:
            answer = _may(holder, action, target.arn or "")
            if answer is not False:
                yield Road((action,), target.address, bool(answer))


def _over_any(holder: Holder, actions: Iterable[str], arn: str, name: str) -> Iterator[Road]:
    """A road over resources whose names nobody knows here: only a wildcard covers them."""
    for action in actions:
        answer = _may(holder, action, arn)
        if answer is not False:
            yield Road((action,), name, bool(answer))


@lru_cache(maxsize=1)
def _reaching(estate: Estate) -> tuple[Holder, ...]:
    """The roles and users of an input that reach tables."""
    return tuple([holder for holder in estate.holders if holder.arn is not None and _reaches_table(holder)])


def _reaches_table(holder: Holder) -> bool:
    return any(action.kind not in HARMLESS for reach in reaches_of(holder) for action in reach.actions)


def _allows(holder: Holder) -> Iterator[Statement]:
    return (grant.statement for grant in holder.grants if grant.gives and not grant.of_resource)


def _may(holder: Holder, action: str, arn: str | None) -> bool | None:
    """Whether a holder may do an action on an ARN, or on anything; None under a condition."""
    denied = [_answer(grant.statement, action, arn) for grant in holder.grants if grant.takes and not grant.of_resource]
    if True in denied:
        return False
    limits = [_limit(document, action, arn) for document in holder.ceilings]
    allowed = any_of(_answer(statement, action, arn) for statement in _allows(holder))
    doubt = None in denied or holder.ceiling_doubt is not None
    answer = all_of((allowed, *limits))
    return None if answer and doubt else answer


def _limit(document: Document, action: str, arn: str | None) -> bool | None:
    answers = [(statement, _answer(statement, action, arn)) for statement in document.statements]
    if any(statement.denies and answer for statement, answer in answers):
        return False
    allowed = any_of(answer for statement, answer in answers if statement.allows)
    return None if document.doubt is not None else allowed


def _answer(statement: Statement, action: str, arn: str | None) -> bool | None:
    """Whether a statement is about an action on an ARN, or on anything; None under a condition."""

    def names(text: str) -> bool | None:
        return matches(text.lower(), action.lower()) if ":" in text else text == "*"

    def covers(text: str) -> bool | None:
        return arn is None or matches(at_home(text, arn), arn)

    certain = statement.present and statement.unsettled is None and not _conditions(statement)
    answers = (covers_any(statement.actions, names), covers_any(statement.resources, covers))
    return all_of((*answers, True if certain else None))


def _conditions(statement: Statement) -> list[Condition]:
    return [item for item in statement.conditions if item.key != _PASSED_TO]


def _may_pass_to(holder: Holder, action: str, arn: str) -> bool | None:
    """Whether the conditions of what lets a holder pass the role allow the service that runs its code."""
    service = action.partition(":")[0]
    principal = f"{_PASSED_AS.get(service, service)}{_DOMAIN}"
    answers = []
    for statement in _allows(holder):
        if _answer(statement, _GIVES_ROLE, arn) is not False:
            limits = [item for item in statement.conditions if item.key == _PASSED_TO]
            answers.append(all_of(_passes(item, principal) for item in limits))
    return any_of(answers)


def _passes(item: Condition, principal: str) -> bool | None:
    if item.unread:
        return None
    listed = any_of(matches(value, principal) for value in item.values)
    return listed if not item.negated or listed is None else not listed


@lru_cache(maxsize=2048)
def _is_iam(texts: tuple[str, ...]) -> bool:
    return any(matches(text.lower().partition(":")[0], "iam") is not False for text in texts)


def _is_about_iam(actions: Patterns) -> bool:
    return actions.inverted or actions.doubt is not None or _is_iam(actions.texts)


def _has_everything(holder: Holder) -> bool:
    """Whether nothing is left for a holder to give itself: it may do everything, and nothing limits it."""
    if holder.ceilings or holder.ceiling_doubt is not None or any(grant.takes for grant in holder.grants):
        return False
    return any(
        "*" in statement.actions.sure
        and "*" in statement.resources.sure
        and not (statement.actions.inverted or statement.resources.inverted or statement.conditions)
        and statement.present
        and statement.unsettled is None
        for statement in _allows(holder)
    )
