"""Policies as data: each ``[[policy]]`` table of the configuration becomes a policy with a compiled predicate."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import is_dataclass
from types import UnionType
from typing import Any, Union, get_args, get_origin, get_type_hints

from tablegate.engine.jsonpath import Match, Path, compile_path, compile_regex, is_equal, is_number, members
from tablegate.engine.settings import (
    ConfigError,
    as_bool,
    as_severity,
    as_table,
    as_text,
    did_you_mean,
    each_table,
    unknown_key,
    wrong_value,
)
from tablegate.model.table import Dialect, Index, Replica, Table
from tablegate.model.value import Value, Verdict, all_of, any_of, fails, not_applicable, unknown, when
from tablegate.policy.declare import InBothLanguages, Policy, Profile

SUBJECTS: Mapping[str, type] = {"table": Table, "index": Index, "replica": Replica, "resource": Table}
MUSTS = ("exist", "equal", "one-of", "match", "at-least", "at-most")
NEEDED = ("id", "severity", "title", "path", "must")

_TEXTS = ("id", "name", "severity", "title", "subject", "dialect", "path", "docs", "rationale", "fix")
_KEYS = (*_TEXTS, "must", "when", "on")

Claim = Callable[[object], Verdict]  # what a table says about a subject
Keys = tuple[str, ...]  # from the top of the configuration to a value


def data_policies(tables: object) -> tuple[Policy, ...]:
    """The policies of the ``[[policy]]`` tables. ConfigError if one is wrong."""
    if not isinstance(tables, (list, tuple)):
        wrong_value(tables, "a list of tables: [[policy]]", ("policy",))
    return each_table(tables, "policy", _policy)


def _policy(table: Mapping[str, Any]) -> Policy:
    for key in table:
        if key not in _KEYS:
            unknown_key(key, _KEYS, ("policy",))
    for key in NEEDED:
        if key not in table:
            raise ConfigError(
                f"a policy needs {', '.join(NEEDED)}, and {table.get('id', 'one')} has no {key}", "policy"
            )
    text = {key: as_text(table[key], ("policy", key)) for key in _TEXTS if key in table}
    if not re.fullmatch(r"[A-Z]{2,8}[0-9]{3,4}", text["id"]):
        wrong_value(text["id"], "2 to 8 capital letters and 3 or 4 digits", ("policy", "id"))
    subject = text.get("subject", "table")
    if subject not in SUBJECTS:
        wrong_value(subject, f"one of {', '.join(SUBJECTS)}", ("policy", "subject"))
    return Policy(
        id=text["id"],
        name=text.get("name", text["id"].lower()),
        severity=as_severity(text["severity"], ("policy", "severity")),
        title=text["title"],
        rationale=text.get("rationale", text["title"]),
        docs=text.get("docs", ""),
        remedy=InBothLanguages(text.get("fix"), text.get("fix")),
        subject=SUBJECTS[subject],
        options=(),
        profile=Profile.STANDARD if as_bool(table.get("on", True), ("policy", "on")) else None,
        check=_check(table, subject, text.get("dialect")),
    )


def _check(table: Mapping[str, Any], subject: str, dialect: str | None) -> Callable[[Any], Verdict]:
    if dialect is not None and dialect not in tuple(Dialect):
        wrong_value(dialect, f"one of {', '.join(Dialect)}", ("policy", "dialect"))
    claim = _claim(table, subject, ("policy",))
    condition = _condition(table["when"], subject) if "when" in table else None

    def check(root: Any) -> Verdict:
        owner = root if isinstance(root, Table) else root.table
        if dialect is not None and owner.dialect != dialect:
            return not_applicable(f"it judges {dialect} only")
        if subject == "resource":
            if owner.raw is None:
                return unknown("the resource as it is written is not at hand")
            root = owner.raw()
        if condition is None:
            return claim(root)
        return when(condition(root), lambda: claim(root), "its condition does not hold")

    return check


def _condition(written: object, subject: str) -> Claim:
    table = as_table(written, ("policy", "when"))
    for key in table:
        if key != "path" and key not in MUSTS:
            unknown_key(key, ("path", *MUSTS), ("policy", "when"))
    must = {key: table[key] for key in table if key != "path"}
    return _claim({"path": table.get("path"), "must": must}, subject, ("policy", "when"))


def _claim(table: Mapping[str, Any], subject: str, keys: Keys) -> Claim:
    """What ``path`` and ``must`` say: something about each match, or whether there is one."""
    path = _compiled(as_text(table["path"], (*keys, "path")), subject, keys)
    must = as_table(table["must"], (*keys, "must"))
    if len(must) != 1:
        at = ".".join((*keys, "must"))
        raise ConfigError(f"{at} takes exactly one of {', '.join(MUSTS)}; {len(must)} are given", *keys, "must")
    [(word, wanted)] = must.items()
    if word not in MUSTS:
        unknown_key(word, MUSTS, (*keys, "must"))
    if word == "exist":
        exists = as_bool(wanted, (*keys, "must", word))
        return lambda root: _existing(path, root) if exists else ~_existing(path, root)
    test = _test(word, wanted, (*keys, "must", word))
    return lambda root: all_of(_verdict(match, test) for match in _matches(path, root))


def _compiled(text: str, subject: str, keys: Keys) -> Path:
    try:
        path = compile_path(text)
        if subject != "resource":
            check_steps(path, SUBJECTS[subject])
    except ConfigError as error:
        raise ConfigError(error.message, *keys, "path", hint=error.hint) from None
    return path


def _existing(path: Path, root: object) -> Verdict:
    """Whether a match is there and not empty."""
    matches = _matches(path, root)
    if not matches:
        return fails(f"nothing stands at {path.text}")
    return any_of(_verdict(match, lambda content: content not in (None, (), [], {})) for match in matches)


def _matches(path: Path, root: object) -> list[Match]:
    """The matches of a path. If it can have one only and has none, the one match is nothing."""
    matches = path.matches(root)
    return matches if matches or path.plural else [Match(None, path.text)]


def _verdict(match: Match, test: Callable[[object], bool]) -> Verdict:
    verdict = match.value().satisfies(test)
    return verdict if match.condition is None else match.condition.implies(verdict)


def _test(word: str, wanted: Any, keys: Keys) -> Callable[[object], bool]:
    match word:
        case "equal":
            return lambda content: is_equal(content, wanted)
        case "one-of":
            if not isinstance(wanted, list):
                wrong_value(wanted, "a list", keys)
            return lambda content: any(is_equal(content, item) for item in wanted)
        case "match":
            search = compile_regex(as_text(wanted, keys), *keys).search
            return lambda content: isinstance(content, str) and search(content) is not None
    if isinstance(wanted, bool) or not isinstance(wanted, (int, float)):
        wrong_value(wanted, "a number", keys)
    if word == "at-least":
        return lambda content: is_number(content) and content >= wanted
    return lambda content: is_number(content) and content <= wanted


def check_steps(path: Path, kind: Any) -> None:
    """Raise ConfigError if the path takes a name that its subject does not have."""
    last = "$"
    for step in path.steps:
        kind = _inside(kind)
        if not is_dataclass(kind):
            kind = _entry(kind, path, step.names, last)
            last = step.names[0] if len(step.names) == 1 else f"{last}[*]"
            continue
        if len(step.names) != 1:
            return  # a wildcard or several names: from here on the kinds differ
        known = members(kind)
        name = step.names[0]
        if name not in known:
            hint = did_you_mean(name, known) or f"known: {', '.join(known)}"
            raise ConfigError(f'"{path.text}": there is no {name}', hint=hint)
        kind = get_type_hints(kind, localns={"Change": object, "Estate": object})[name]
        last = name


def _inside(kind: Any) -> Any:
    """The type of a value's content, and of an optional field if it is set."""
    while True:
        if get_origin(kind) is Value:
            kind = get_args(kind)[0]
        elif get_origin(kind) in (Union, UnionType):
            kind = next(item for item in get_args(kind) if item is not type(None))
        else:
            return kind


def _entry(kind: Any, path: Path, names: tuple[str, ...], last: str) -> Any:
    """The type of an entry of a list or mapping, which is the field ``last``."""
    origin = get_origin(kind)
    if origin is tuple and not names:
        return get_args(kind)[0]
    if origin is not None and issubclass(origin, Mapping):
        return get_args(kind)[1]
    if origin is tuple:
        raise ConfigError(f'"{path.text}": {last} is a list', hint=f"write {last}[*] for its items")
    raise ConfigError(f'"{path.text}": {last} has no members')
