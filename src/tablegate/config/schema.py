"""The configuration as JSON schema, with every option of every policy: what editors complete from."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from tablegate.config.keys import KEYS, Key
from tablegate.engine.configure import NEVER, as_bool
from tablegate.engine.settings import UnknownMode
from tablegate.engine.written import MUSTS, NEEDED, SUBJECTS
from tablegate.model.table import Dialect
from tablegate.policy import options
from tablegate.policy.declare import Policy, Severity

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
