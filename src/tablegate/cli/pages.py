"""Policies, explain, config, schema."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping

from tablegate.cli.check import ConfigSources, prepare
from tablegate.cli.output import emit
from tablegate.config.options import KEYS, Key
from tablegate.engine.data_policies import MUSTS, NEEDED, SUBJECTS
from tablegate.engine.settings import NEVER, ConfigError, Selection, UnknownMode, as_bool, meant, selection
from tablegate.model.table import Dialect
from tablegate.policy import declare as options
from tablegate.policy.declare import Policy, Severity
from tablegate.reporters.handbook import handbook, page, toml_text
from tablegate.reporters.safe import PROSE, safe_text

Schema = dict[str, object]

_TEXT: Schema = {"type": "string"}
_TEXTS: Schema = {"type": "array", "items": _TEXT}
_TEXT_TABLE: Schema = {"type": "object", "additionalProperties": _TEXT}
_SEVERITY: Schema = {"enum": [str(level) for level in Severity]}


def schema(policies: Iterable[Policy]) -> Schema:
    """The schema of ``tablegate.toml``, and of ``[tool.tablegate]``."""
    policies = tuple(policies)
    properties: dict[str, object] = {
        key.name: {"description": key.about, **_of_key(key)} for key in KEYS.values() if key.in_file
    }
    tables = {word: _policy(policy) for policy in policies for word in (policy.id, policy.name)}
    properties["policies"] = _object(dict(sorted(tables.items())), KEYS["policies"].about)
    properties["overrides"] = {"type": "array", "items": _override(tables), "description": KEYS["overrides"].about}
    properties["policy"] = {"type": "array", "items": _written(), "description": KEYS["policy"].about}
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "The configuration of tablegate",
        **_object(properties),
    }


def _object(properties: Mapping[str, object], about: str | None = None, needed: Iterable[str] = ()) -> Schema:
    described: Schema = {"description": about} if about else {}
    required: Schema = {"required": list(needed)} if needed else {}
    return {"type": "object", "additionalProperties": False, "properties": dict(properties), **described, **required}


def _of_key(key: Key) -> Schema:
    if key.name == "fail-on":
        return {"enum": [*(str(level) for level in Severity), NEVER], "default": key.default}
    if key.name == "unknown":
        return {"enum": [str(mode) for mode in UnknownMode], "default": key.default}
    if key.as_list:
        return {"oneOf": [_TEXT, _TEXTS]}
    return {"type": "boolean", "default": False} if key.read is as_bool else _TEXT


def _policy(policy: Policy) -> Schema:
    own = {option.name: options.schema(option) for option in policy.options}
    return _object({"severity": _SEVERITY, **own}, policy.title)


def _override(words: Iterable[str]) -> Schema:
    texts = ("address", "path", "purpose", "environment", "data-class", "capacity")
    severity = _object(dict.fromkeys(sorted(words), _SEVERITY))
    return _object({**dict.fromkeys(texts, _TEXT), "tags": _TEXT_TABLE, "severity": severity})


def _written() -> Schema:
    claims: dict[str, object] = {word: {} for word in MUSTS}
    texts = ("id", "name", "title", "path", "docs", "rationale", "fix")
    return _object(
        {
            **dict.fromkeys(texts, _TEXT),
            "severity": _SEVERITY,
            "subject": {"enum": list(SUBJECTS)},
            "dialect": {"enum": [str(dialect) for dialect in Dialect]},
            "on": {"type": "boolean", "default": True},
            "must": _object(claims),
            "when": _object({"path": _TEXT, **claims}, needed=("path",)),
        },
        needed=NEEDED,
    )


def page_of(word: str, where: ConfigSources) -> int:
    """Print one policy's page."""
    prepared = prepare(where, {})
    for policy in prepared.policies:
        if word.lower() in {policy.id.lower(), policy.name}:
            _print(page(policy).splitlines())
            return 0
    known = [name for policy in prepared.policies for name in (policy.id, policy.name)]
    raise ConfigError(f'"{word}" is no policy', hint=meant(word, known) or "tablegate policies lists them")


def catalogue(where: ConfigSources, *, as_json: bool, as_markdown: bool) -> int:
    """Print every policy: its id, name, severity, family, title, and whether it runs."""
    prepared = prepare(where, {})
    if as_markdown:
        emit(handbook(prepared.policies))
        return 0
    rows = selection(prepared.policies, prepared.settings)
    if as_json:
        emit(json.dumps([_entry(row) for row in rows], indent=2) + "\n")
    else:
        _print(_table(rows))
    return 0


def settings(where: ConfigSources, *, as_json: bool) -> int:
    """Print every key of the configuration, its value, and where it comes from."""
    prepared = prepare(where, {})
    rows = prepared.configuration.shown()
    if as_json:
        emit(json.dumps(rows, indent=2, default=str) + "\n")
        return 0
    keys = [str(row["key"]) for row in rows]
    values = [_value(row["value"]) for row in rows]
    widths = (max(map(len, keys)), min(max(map(len, values)), 50))
    _print(
        f"{key:<{widths[0]}}  {value:<{widths[1]}}  {row['origin']}"
        for key, value, row in zip(keys, values, rows, strict=True)
    )
    return 0


def schema_of_config(where: ConfigSources) -> int:
    """Print the configuration's JSON schema."""
    emit(json.dumps(schema(prepare(where, {}).loaded.policies), indent=2) + "\n")
    return 0


def _value(content: object) -> str:
    if content is None:
        return "(not set)"
    return json.dumps(content, default=str) if isinstance(content, dict) else toml_text(content)


def _entry(row: Selection) -> dict[str, object]:
    policy = row.policy
    return {
        "id": policy.id,
        "name": policy.name,
        "severity": str(policy.severity),
        "family": policy.family,
        "title": policy.title,
        "judges": policy.subject.__name__,
        "runs": row.runs,
        "reason": row.reason,
        "options": {option.name: option.default for option in policy.options},
        "docs": policy.docs,
    }


def _table(rows: Iterable[Selection]) -> Iterable[str]:
    rows = tuple(rows)
    ids, names = (max(len(getattr(row.policy, name)) for row in rows) for name in ("id", "name"))
    for row in rows:
        policy = row.policy
        mark = " " if row.runs else "-"
        yield f"{mark} {policy.id:<{ids}}  {policy.name:<{names}}  {policy.severity:<8}  {policy.title}"
    running = sum(row.runs for row in rows)
    yield ""
    yield f"{running} of {len(rows)} policies run" + ("" if running == len(rows) else "; - marks the others")


def _print(lines: Iterable[str]) -> None:
    """Lines of our own making, in which names may be somebody else's."""
    emit("".join(f"{safe_text(line, PROSE)}\n".replace("\\\\", "\\") for line in lines))
