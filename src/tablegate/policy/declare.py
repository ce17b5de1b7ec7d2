"""What a policy is: the decorator that declares one, its options and their types, and the policies of a package."""

from __future__ import annotations

import inspect
import pkgutil
import re
from collections.abc import Callable, Iterable, Mapping
from enum import StrEnum
from importlib import import_module
from textwrap import dedent
from types import ModuleType
from typing import Annotated, Any, Literal, NewType, get_args, get_origin, get_type_hints

from tablegate.iam.grants import Grant, Unread
from tablegate.iam.holders import Holder
from tablegate.model.estate import Change, DaxCluster, Estate, LegacyGlobalTable
from tablegate.model.record import record
from tablegate.model.table import GLOBAL_TABLE, Dialect, Index, Replica, Table
from tablegate.model.value import Verdict

Predicate = Callable[..., Verdict]

SUBJECTS: tuple[type, ...] = (
    Table,
    Index,
    Replica,
    Grant,
    Holder,
    Unread,
    Change,
    DaxCluster,
    LegacyGlobalTable,
    Estate,
)

FAMILIES = {
    "TG0": "gate",
    "TG1": "capacity",
    "TG2": "encryption",
    "TG3": "recovery",
    "TG4": "ttl",
    "TG5": "access",
    "TG6": "keys",
    "TG7": "change",
    "TG8": "contract",
    "TG9": "governance",
}


# Families whose findings weigh less in an environment that holds nothing of worth.
RELAXED_FAMILIES = ("capacity", "recovery")
RELAXED_ENVIRONMENTS = ("dev", "development", "test", "testing", "qa", "sandbox", "demo", "ci", "local")  # the default

# The type of an option that is a regular expression. A text that is none is refused where it is written.
Expression = NewType("Expression", str)


class PolicyError(Exception):
    """A policy, or the pack that holds it, is not well formed."""


class Severity(StrEnum):
    """How much a broken policy matters, worst first."""

    CRITICAL = "critical"
    HIGH = "high"
    MEDIUM = "medium"
    LOW = "low"
    INFO = "info"

    def reaches(self, threshold: Severity) -> bool:
        """Whether this is at least as bad as the threshold."""
        order = tuple(Severity)
        return order.index(self) <= order.index(threshold)

    def one_step_lower(self) -> Severity:
        """The next one, or the lowest."""
        order = tuple(Severity)
        return order[min(order.index(self) + 1, len(order) - 1)]


CRITICAL, HIGH, MEDIUM, LOW, INFO = tuple(Severity)


class Profile(StrEnum):
    """How much a team asks of its tables. A policy belongs to the first profile that runs it, or to none."""

    STANDARD = "standard"
    STRICT = "strict"


@record(kw_only=False)
class InBothLanguages:
    """One text for each language. None: the language cannot express it."""

    terraform: str | None
    cloudformation: str | None
    global_table: str | None = None  # if it is another one for AWS::DynamoDB::GlobalTable

    def within(self, dialect: Dialect, type: str | None) -> str | None:
        """The text for a resource of this type."""
        if dialect is not Dialect.CLOUDFORMATION:
            return self.terraform
        return self.global_table if self.global_table and type == GLOBAL_TABLE else self.cloudformation


@record(kw_only=False)
class PolicyOption:
    """A keyword-only parameter of a predicate, which the configuration can set.

    ``Annotated[int, "shortest window in days"]`` gives it a sentence, which help, handbook and schema show.
    """

    name: str  # kebab-case, as in the configuration
    type: Any
    default: object
    about: str | None = None


@record()
class Policy:
    """A predicate on one kind of subject, with what a reader of its findings needs."""

    id: str
    name: str
    severity: Severity
    title: str
    rationale: str
    docs: str
    remedy: InBothLanguages
    subject: type
    options: tuple[PolicyOption, ...]
    profile: Profile | None  # the first that runs it; None: it must be selected
    check: Predicate
    strict_severity: Severity | None = None  # its severity in profile strict, if that is another one
    state_locks: bool = True  # whether it applies to tables that hold Terraform's state locks
    cause: str | None = None  # policies that fail for one cause are one finding, the most severe of them
    follows: bool = False  # another policy of the cause that is as severe leads; what none leads is one per document

    @property
    def family(self) -> str:
        """The name of its family: by the hundred of a shipped id, or the letters of another one."""
        return FAMILIES.get(self.id[:3], self.id.rstrip("0123456789").lower())

    def is_on(self, profile: Profile) -> bool:
        """Whether it runs in a profile unless it is selected or ignored."""
        return self.profile is profile or self.profile is Profile.STANDARD

    def severity_in(self, profile: Profile) -> Severity:
        """Its severity in a profile."""
        return self.strict_severity if self.strict_severity and profile is Profile.STRICT else self.severity


def policy(
    id: str,
    severity: Severity,
    title: str,
    *,
    docs: str,
    terraform: str | None,
    cloudformation: str | None,
    global_table: str | None = None,
    on: bool | Literal["strict"] = True,
    strict_severity: Severity | None = None,
    state_locks: bool = True,
    cause: str | None = None,
    follows: bool = False,
) -> Callable[[Predicate], Policy]:
    """Make a policy of the decorated predicate. Its docstring is the rationale, its name the policy's name.

    ``global_table`` is the remedy for ``AWS::DynamoDB::GlobalTable`` if it is not that of other CloudFormation tables.
    A policy that is on in "strict" runs in that profile only. Policies that fail for one ``cause`` are one finding.
    """

    def declare(check: Predicate) -> Policy:
        where = f"{id} ({check.__module__}.{check.__qualname__})"
        if not re.fullmatch(r"[A-Z]{2,8}[0-9]{3,4}", id):
            raise PolicyError(f"{where}: an id is 2 to 8 capital letters and 3 or 4 digits")
        if not isinstance(severity, Severity):
            raise PolicyError(f"{where}: the severity is one of CRITICAL, HIGH, MEDIUM, LOW, INFO")
        rationale = inspect.cleandoc(check.__doc__ or "")
        if not rationale:
            raise PolicyError(f"{where}: the docstring is the policy's rationale, and it is missing")
        if terraform is None and cloudformation is None:
            raise PolicyError(f"{where}: a remedy is needed in at least one language")
        subject, options = _signature(check, where)
        return Policy(
            id=id,
            name=check.__name__.rstrip("_").replace("_", "-"),
            severity=severity,
            title=title,
            rationale=rationale,
            docs=docs,
            remedy=InBothLanguages(_fragment(terraform), _fragment(cloudformation), _fragment(global_table)),
            subject=subject,
            options=options,
            profile=Profile.STRICT if on == "strict" else Profile.STANDARD if on else None,
            check=check,
            strict_severity=strict_severity,
            state_locks=state_locks,
            cause=cause,
            follows=follows,
        )

    return declare


def policies_of(modules: Iterable[ModuleType]) -> tuple[Policy, ...]:
    """The policies that the modules declare, by id. PolicyError if two share an id or a name."""
    policies = [item for module in modules for item in vars(module).values() if isinstance(item, Policy)]
    return reject_duplicates({id(policy): policy for policy in policies}.values())


def policies_in(package: str) -> tuple[Policy, ...]:
    """The policies that a package and its modules declare, by id."""
    root = import_module(package)
    names = sorted(module.name for module in pkgutil.walk_packages(getattr(root, "__path__", ()), f"{package}."))
    return policies_of([root, *(import_module(name) for name in names)])


def reject_duplicates(policies: Iterable[Policy]) -> tuple[Policy, ...]:
    """The policies by id. PolicyError if two share an id or a name."""
    by_word: dict[str, Policy] = {}
    for policy in policies:
        for word in (policy.id, policy.name):
            if word in by_word:
                raise PolicyError(f"{word} is declared twice: {_home(by_word[word])} and {_home(policy)}")
            by_word[word] = policy
    return tuple(sorted({policy.id: policy for policy in by_word.values()}.values(), key=lambda policy: policy.id))


def _fragment(text: str | None) -> str | None:
    """A remedy as it is printed, without the indentation of the pack's source."""
    return None if text is None else dedent(text).strip()


def _home(policy: Policy) -> str:
    return f"{policy.check.__module__}.{policy.check.__qualname__}"


def _signature(check: Predicate, where: str) -> tuple[type, tuple[PolicyOption, ...]]:
    """The subject that the first parameter's annotation names, and the options that the others are."""
    parameters = list(inspect.signature(check).parameters.values())
    hints = get_type_hints(check, include_extras=True)
    subject = hints.get(parameters[0].name) if parameters else None
    if subject not in SUBJECTS:
        names = ", ".join(each.__name__ for each in SUBJECTS)
        raise PolicyError(f"{where}: the first parameter's annotation says what is checked: one of {names}")
    if hints.get("return") is not Verdict:
        raise PolicyError(f"{where}: a predicate must return a Verdict, and its annotation must say so")
    return subject, tuple(_option(parameter, hints.get(parameter.name), where) for parameter in parameters[1:])


def _option(parameter: inspect.Parameter, hint: Any, where: str) -> PolicyOption:
    if parameter.kind is not inspect.Parameter.KEYWORD_ONLY or parameter.default is inspect.Parameter.empty:
        raise PolicyError(f"{where}: the option {parameter.name!r} must be keyword-only and have a default")
    about = None
    if get_origin(hint) is Annotated:
        hint, *notes = get_args(hint)
        about = next((note for note in notes if isinstance(note, str)), None)
    if not _is_option_type(hint):
        types = "bool, int, float, str, Expression, a Literal, or a tuple of str"
        raise PolicyError(f"{where}: the option {parameter.name!r} must be {types}")
    return PolicyOption(parameter.name.replace("_", "-"), hint, parameter.default, about)


def _is_option_type(hint: Any) -> bool:
    if get_origin(hint) is Literal:
        return all(isinstance(choice, str) for choice in get_args(hint))
    return hint in (bool, int, float, str, Expression) or (
        get_origin(hint) is tuple and get_args(hint) == (str, Ellipsis)
    )


_WORDS: Mapping[Any, str] = {
    bool: "true or false",
    int: "a whole number",
    float: "a number",
    str: "a text",
    Expression: "a regular expression",
}


def accepted_value(option: PolicyOption, written: object) -> object:
    """The written value as the predicate receives it. TypeError if the option does not take it."""
    if _fits(option.type, written):
        return tuple(written) if isinstance(written, list) else written
    raise TypeError(type_in_words(option))


def type_in_words(option: PolicyOption) -> str:
    """What the option takes: "a whole number"."""
    if get_origin(option.type) is Literal:
        return "one of " + ", ".join(f'"{choice}"' for choice in get_args(option.type))
    return _WORDS.get(option.type, "a list of texts")


def option_schema(option: PolicyOption) -> dict[str, object]:
    """The option as JSON schema."""
    default = list(option.default) if isinstance(option.default, tuple) else option.default
    described = {"description": option.about} if option.about else {}
    return {**described, **_type_schema(option.type), "default": default}


def _type_schema(kind: Any) -> dict[str, object]:
    if get_origin(kind) is Literal:
        return {"enum": list(get_args(kind))}
    if kind is Expression:
        return {"type": "string", "format": "regex"}
    names = {bool: "boolean", int: "integer", float: "number", str: "string"}
    return {"type": names[kind]} if kind in names else {"type": "array", "items": {"type": "string"}}


def _fits(kind: Any, written: object) -> bool:
    if get_origin(kind) is Literal:
        return written in get_args(kind)
    if kind in (int, float):
        numeric = (int, float) if kind is float else int
        return isinstance(written, numeric) and not isinstance(written, bool)
    if kind in (bool, str):
        return isinstance(written, kind)
    if kind is Expression:
        return isinstance(written, str) and _compiles(written)
    return isinstance(written, list) and all(isinstance(item, str) for item in written)


def _compiles(expression: str) -> bool:
    try:
        re.compile(expression)
    except (re.error, OverflowError, RecursionError):
        return False
    return True
