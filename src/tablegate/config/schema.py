"""The JSON schema of the configuration, for editors."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from tablegate.config.options import FILE_KEYS, SETTINGS, Kind, Option
from tablegate.engine.data_policies import MUSTS, NEEDED, SUBJECTS
from tablegate.model.table import Dialect
from tablegate.policy.declare import Policy, Severity, option_schema

Schema = dict[str, object]

_TEXT: Schema = {"type": "string"}
_TEXTS: Schema = {"type": "array", "items": _TEXT}
_TEXT_TABLE: Schema = {"type": "object", "additionalProperties": _TEXT}
_SEVERITY: Schema = {"enum": [str(level) for level in Severity]}

_OVERRIDE_TEXTS = {
    "address": "which tables: pattern of the address",
    "path": "which tables: pattern of the input's path",
    "purpose": "what the tables are for",
    "environment": "environment of the tables",
    "data-class": "class of the data in the tables",
    "capacity": "capacity mode that the tables must have",
}
_DATA_POLICY_TEXTS = {
    "id": "id: 2 to 8 capital letters and 3 or 4 digits",
    "name": "name (default: the id)",
    "title": "one line that says what is required",
    "path": "JSONPath of the value to check",
    "docs": "address of a page with more",
    "rationale": "why it is required",
    "fix": "what to write instead",
}


def schema(policies: Iterable[Policy]) -> Schema:
    """The schema of ``tablegate.toml``, and of ``[tool.tablegate]``."""
    tables = dict(sorted((word, _policy(policy)) for policy in policies for word in (policy.id, policy.name)))
    of_tables: Mapping[str, Schema] = {
        "policies": _object(tables),
        "overrides": {"type": "array", "items": _override(tables)},
        "policy": {"type": "array", "items": _data_policy()},
        "audit": _object({"accept": {"type": "array", "items": _accepted()}}),
    }
    properties = {
        key: {"description": SETTINGS[key].sentence, **(of_tables.get(key) or _setting(SETTINGS[key]))}
        for key in FILE_KEYS
    }
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "The configuration of tablegate",
        **_object(properties),
    }


def _object(properties: Mapping[str, object], about: str | None = None, needed: Iterable[str] = ()) -> Schema:
    described: Schema = {"description": about} if about else {}
    required: Schema = {"required": list(needed)} if needed else {}
    return {"type": "object", "additionalProperties": False, "properties": dict(properties), **described, **required}


def _setting(option: Option) -> Schema:
    if option.choices:
        return {"enum": list(option.choices), "default": option.default}
    if option.is_list:
        return {"oneOf": [_TEXT, _TEXTS], **({"default": list(option.default)} if option.default else {})}
    return {"type": "boolean", "default": False} if option.kind is Kind.FLAG else _TEXT


def _policy(policy: Policy) -> Schema:
    own = {option.name: option_schema(option) for option in policy.options}
    return _object({"severity": {"description": "severity of its findings", **_SEVERITY}, **own}, policy.title)


def _texts(sentences: Mapping[str, str]) -> dict[str, object]:
    return {key: {"description": sentence, **_TEXT} for key, sentence in sentences.items()}


def _override(words: Iterable[str]) -> Schema:
    return _object(
        {
            **_texts(_OVERRIDE_TEXTS),
            "tags": {"description": "which tables: tags with these values", **_TEXT_TABLE},
            "severity": _object(dict.fromkeys(words, _SEVERITY), "severities of policies, by id or name"),
        }
    )


def _accepted() -> Schema:
    texts = {"path": "file or folder, a pattern", "reason": "why it may stay unread"}
    return _object(_texts(texts), "what may stay unread", needed=tuple(texts))


def _data_policy() -> Schema:
    claims: dict[str, object] = {word: {} for word in MUSTS}
    dialects = [str(dialect) for dialect in Dialect]
    return _object(
        {
            **_texts(_DATA_POLICY_TEXTS),
            "severity": {"description": "severity of its findings", **_SEVERITY},
            "subject": {"description": "what is checked (default: table)", "enum": list(SUBJECTS)},
            "dialect": {"description": "check only inputs in this language", "enum": dialects},
            "on": {"description": "whether it runs unless selected", "type": "boolean", "default": True},
            "must": _object(claims, "what the value must be"),
            "when": _object({"path": _TEXT, **claims}, "check only if the value at this path is so", needed=("path",)),
        },
        needed=NEEDED,
    )
