"""Policies written as data."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import is_dataclass
from types import UnionType
from typing import Any, Union, get_args, get_origin, get_type_hints

from tablegate.engine.jsonpath import Match, Path, compiled, is_number, members, regex, same
from tablegate.engine.settings import (
    ConfigError,
    as_bool,
    as_severity,
    as_table,
    as_text,
    did_you_mean,
    unknown_key,
    wrong,
)
from tablegate.model.table import Dialect, Index, Replica, Table
from tablegate.model.value import Value, Verdict, all_of, any_of, fails, not_applicable, unknown, when
from tablegate.policy.declare import InBothLanguages, Policy


def check_steps(path: Path, kind: Any) -> None:
    """Raise ConfigError where the path takes a name that its subject does not have."""
    at: Any = kind
    for step in path.steps:
        at = _content(at)
        if not is_dataclass(at):
            at = _entry(at, path, step.names)
            continue
        if len(step.names) != 1:
            return  # a wildcard or several names: the rest differs from one to the next
        known = members(at)
        name = step.names[0]
        if name not in known:
            raise ConfigError(
                f'"{path.text}": there is no {name}', hint=did_you_mean(name, known) or f"known: {', '.join(known)}"
            )
        at = _hints(at)[name]


def _content(kind: Any) -> Any:
    """What stands inside: of a value, its content; of something that may be missing, what it is when there."""
    while True:
        if get_origin(kind) is Value:
            kind = get_args(kind)[0]
        elif get_origin(kind) in (Union, UnionType):
            kind = next(item for item in get_args(kind) if item is not type(None))
        else:
            return kind


def _entry(kind: Any, path: Path, names: tuple[str, ...]) -> Any:
    """What stands one step below something that is no object of the model."""
    origin = get_origin(kind)
    if origin is tuple and not names:
        return get_args(kind)[0]
    if origin is not None and issubclass(origin, Mapping):
        return get_args(kind)[1]
    raise ConfigError(
        f'"{path.text}" goes on where nothing is', hint="lists are entered with [*], and texts not at all"
    )


def _hints(kind: Any) -> dict[str, Any]:
    return get_type_hints(kind, localns={"Change": object, "Estate": object})


SUBJECTS: Mapping[str, type] = {"table": Table, "index": Index, "replica": Replica, "resource": Table}
MUSTS = ("exist", "equal", "one-of", "match", "at-least", "at-most")

_TEXTS = ("id", "name", "severity", "title", "subject", "dialect", "path", "docs", "rationale", "fix")
_KEYS = (*_TEXTS, "must", "when", "on")
NEEDED = ("id", "severity", "title", "path", "must")

Judge = Callable[[object], Verdict]
Keys = tuple[str, ...]


def data_policies(written: object) -> tuple[Policy, ...]:
    """The policies of the ``[[policy]]`` tables, compiled and checked."""
    if not isinstance(written, (list, tuple)):
        wrong(written, "a list of tables: [[policy]]", ("policy",))
    return tuple(_policy(as_table(table, ("policy",))) for table in written)


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
        wrong(text["id"], "2 to 8 capital letters and 3 or 4 digits", ("policy", "id"))
    subject = text.get("subject", "table")
    if subject not in SUBJECTS:
        wrong(subject, f"one of {', '.join(SUBJECTS)}", ("policy", "subject"))
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
        on=as_bool(table.get("on", True), ("policy", "on")),
        check=_check(table, subject, text.get("dialect")),
    )


def _check(table: Mapping[str, Any], subject: str, dialect: str | None) -> Callable[[Any], Verdict]:
    if dialect is not None and dialect not in tuple(Dialect):
        wrong(dialect, f"one of {', '.join(Dialect)}", ("policy", "dialect"))
    claim = _claim(table, subject, ("policy",))
    limit = _claim_when(table["when"], subject) if "when" in table else None

    def check(root: Any) -> Verdict:
        owner = root if isinstance(root, Table) else root.table
        if dialect is not None and owner.dialect != dialect:
            return not_applicable(f"it judges {dialect} only")
        if subject == "resource":
            if owner.raw is None:
                return unknown("the resource as it is written is not at hand")
            root = owner.raw()
        return claim(root) if limit is None else when(limit(root), lambda: claim(root), "its condition does not hold")

    return check


def _claim_when(written: object, subject: str) -> Judge:
    table = as_table(written, ("policy", "when"))
    for key in table:
        if key != "path" and key not in MUSTS:
            unknown_key(key, ("path", *MUSTS), ("policy", "when"))
    must = {key: table[key] for key in table if key != "path"}
    return _claim({"path": table.get("path"), "must": must}, subject, ("policy", "when"))


def _claim(table: Mapping[str, Any], subject: str, keys: Keys) -> Judge:
    """What is said of a path: of each thing it leads to, or of there being one."""
    path = _compiled(as_text(table["path"], (*keys, "path")), subject, keys)
    must = as_table(table["must"], (*keys, "must"))
    if len(must) != 1:
        wrong(dict(must), f"one of {', '.join(MUSTS)}", (*keys, "must"))
    [(word, wanted)] = must.items()
    if word not in MUSTS:
        unknown_key(word, MUSTS, (*keys, "must"))
    if word == "exist":
        exists = as_bool(wanted, (*keys, "must", word))
        return lambda root: _existing(path, root) if exists else ~_existing(path, root)
    test = _test(word, wanted, (*keys, "must", word))
    return lambda root: all_of(_each(match, test) for match in _found(path, root))


def _compiled(text: str, subject: str, keys: Keys) -> Path:
    try:
        path = compiled(text)
        if subject != "resource":
            check_steps(path, SUBJECTS[subject])
    except ConfigError as error:
        raise ConfigError(error.message, *keys, "path", hint=error.hint) from None
    return path


def _existing(path: Path, root: object) -> Verdict:
    """Something stands there that is not empty."""
    found = _found(path, root)
    if not found:
        return fails(f"nothing stands at {path.text}")
    return any_of(_each(match, lambda content: content not in (None, (), [], {})) for match in found)


def _found(path: Path, root: object) -> list[Match]:
    """What the path leads to. A path that can lead to one thing only leads to nothing where that is not there."""
    matches = path.matches(root)
    return matches if matches or path.plural else [Match(None, path.text)]


def _each(match: Match, test: Callable[[object], bool]) -> Verdict:
    verdict = match.value().satisfies(test)
    return verdict if match.given is None else match.given.implies(verdict)


def _test(word: str, wanted: Any, keys: Keys) -> Callable[[object], bool]:
    match word:
        case "equal":
            return lambda content: same(content, wanted)
        case "one-of":
            if not isinstance(wanted, list):
                wrong(wanted, "a list", keys)
            return lambda content: any(same(content, item) for item in wanted)
        case "match":
            found = regex(as_text(wanted, keys), *keys).search
            return lambda content: isinstance(content, str) and found(content) is not None
    if isinstance(wanted, bool) or not isinstance(wanted, (int, float)):
        wrong(wanted, "a number", keys)
    if word == "at-least":
        return lambda content: is_number(content) and content >= wanted
    return lambda content: is_number(content) and content <= wanted
