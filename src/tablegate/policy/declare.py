"""Policy, the decorator, options and their types."""

from __future__ import annotations

import inspect
import pkgutil
import re
from collections.abc import Callable, Iterable, Mapping
from enum import StrEnum
from importlib import import_module
from types import FunctionType, ModuleType
from typing import Any, Literal, NewType, get_args, get_origin, get_type_hints

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


# An option that is a regular expression: one that is none is refused where it is written.
Expression = NewType("Expression", str)


_PLAIN: dict[object, object] = {"bool": bool, "int": int, "str": str, "tuple[str, ...]": tuple[str, ...]}


_EMPTY: Any = inspect.Parameter.empty


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


CRITICAL, HIGH, MEDIUM, LOW, INFO = tuple(Severity)


@record(kw_only=False)
class InBothLanguages:
    """One thing in both languages. None: it cannot be said there."""

    terraform: str | None
    cloudformation: str | None
    global_table: str | None = None  # where AWS::DynamoDB::GlobalTable says it otherwise

    def within(self, dialect: Dialect, type: str | None) -> str | None:
        """What is said about a resource of this type."""
        if dialect is not Dialect.CLOUDFORMATION:
            return self.terraform
        return self.global_table if self.global_table and type == GLOBAL_TABLE else self.cloudformation


@record(kw_only=False)
class PolicyOption:
    """A keyword-only parameter of a predicate, which the configuration may set."""

    name: str  # kebab-case, as in the configuration
    type: Any
    default: object


@record()
class Policy:
    """A predicate over one kind of subject, with all that a reader of its findings needs."""

    id: str
    name: str
    severity: Severity
    title: str
    rationale: str
    docs: str
    remedy: InBothLanguages
    subject: type
    options: tuple[PolicyOption, ...]
    on: bool
    check: Predicate

    @property
    def family(self) -> str:
        """The name of its family: its id's hundred, or the id's letters for a pack of its own."""
        return FAMILIES.get(self.id[:3], self.id.rstrip("0123456789").lower())


def policy(
    id: str,
    severity: Severity,
    title: str,
    *,
    docs: str,
    terraform: str | None,
    cloudformation: str | None,
    global_table: str | None = None,
    on: bool = True,
) -> Callable[[Predicate], Policy]:
    """Declare the decorated predicate a policy. Its docstring is the rationale, its name the policy's name.

    ``global_table`` is the remedy for ``AWS::DynamoDB::GlobalTable``, where it is not CloudFormation's usual one.
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
            on=on,
            check=check,
        )

    return declare


def policies_of(modules: Iterable[ModuleType]) -> tuple[Policy, ...]:
    """Every policy that the modules hold, by id. An id or a name used twice is refused."""
    found = [item for module in modules for item in vars(module).values() if isinstance(item, Policy)]
    return reject_duplicates({id(item): item for item in found}.values())


def reject_duplicates(policies: Iterable[Policy]) -> tuple[Policy, ...]:
    """The policies by id; two that share an id or a name are refused."""
    seen: dict[str, Policy] = {}
    for item in policies:
        for key in (item.id, item.name):
            if key in seen:
                other = seen[key]
                raise PolicyError(f"{key} is declared twice: {_home(other)} and {_home(item)}")
            seen[key] = item
    return tuple(sorted({item.id: item for item in seen.values()}.values(), key=lambda item: item.id))


def _fragment(text: str | None) -> str | None:
    """A remedy as it is printed, however far a pack indents it. What YAML nests stays nested."""
    if text is None:
        return None
    if text.lstrip("\n").startswith((" ", "\t")) or " \n" in text or "\t\n" in text:
        from textwrap import dedent  # ours are at the margin already

        text = dedent(text)
    return text.strip()


def _home(item: Policy) -> str:
    return f"{item.check.__module__}.{item.check.__qualname__}"


def _signature(check: Predicate, where: str) -> tuple[type, tuple[PolicyOption, ...]]:
    subject, *given = _parameters(check).items() or [("", _EMPTY)]
    hints = _hints(check)
    if hints.get(subject[0]) not in SUBJECTS:
        names = ", ".join(subject.__name__ for subject in SUBJECTS)
        raise PolicyError(f"{where}: the first parameter's annotation says what is judged: one of {names}")
    if hints.get("return") is not Verdict:
        raise PolicyError(f"{where}: a predicate returns a Verdict, and its annotation says so")
    options = tuple([_option(name, default, hints, where) for name, default in given])
    return hints[subject[0]], options


def _parameters(check: Predicate) -> dict[str, object]:
    """The parameters in their order, each with its default: empty where it has none, or need not be named.

    A plain function tells them itself, in a tenth of the time.
    """
    if isinstance(check, FunctionType) and not vars(check):
        code = check.__code__
        if not code.co_flags & (inspect.CO_VARARGS | inspect.CO_VARKEYWORDS):
            names = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
            return dict.fromkeys(names, _EMPTY) | (check.__kwdefaults__ or {})
    every = inspect.signature(check).parameters.values()
    return {each.name: each.default if each.kind is inspect.Parameter.KEYWORD_ONLY else _EMPTY for each in every}


def _hints(check: Predicate) -> dict[str, Any]:
    """What the annotations mean. Nearly all are plain names: looking these up is a tenth of the work."""
    if not isinstance(check, FunctionType) or hasattr(check, "__wrapped__"):
        return get_type_hints(check)
    names = check.__globals__
    hints = {name: names.get(text, _PLAIN.get(text)) for name, text in check.__annotations__.items()}
    return get_type_hints(check) if None in hints.values() else hints


def _option(name: str, default: object, hints: dict[str, Any], where: str) -> PolicyOption:
    if default is _EMPTY:
        raise PolicyError(f"{where}: the option {name!r} must be keyword-only and have a default")
    hint = hints.get(name)
    if not _is_option_type(hint):
        types = "bool, int, float, str, Expression, a Literal, or a tuple of str"
        raise PolicyError(f"{where}: the option {name!r} must be {types}")
    return PolicyOption(name.replace("_", "-"), hint, default)


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
    """What the predicate is given for the option. TypeError says what would be right."""
    if _fits(option.type, written):
        return tuple(written) if isinstance(written, list) else written
    raise TypeError(type_in_words(option))


def type_in_words(option: PolicyOption) -> str:
    """What the option takes, in words."""
    if get_origin(option.type) is Literal:
        return "one of " + ", ".join(f'"{choice}"' for choice in get_args(option.type))
    return _WORDS.get(option.type, "a list of texts")


def option_schema(option: PolicyOption) -> dict[str, object]:
    """The option as JSON schema."""
    default = list(option.default) if isinstance(option.default, tuple) else option.default
    return {**_type_schema(option.type), "default": default}


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
    except re.error:
        return False
    return True


def policies_in(package: str) -> tuple[Policy, ...]:
    """Every policy that the package and its modules declare, by id."""
    root = import_module(package)
    found = pkgutil.walk_packages(getattr(root, "__path__", ()), f"{package}.")
    names = sorted(module.name for module in found)
    return policies_of([root, *(import_module(name) for name in names)])
