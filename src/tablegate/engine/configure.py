"""A configuration document into settings: every key known, every value of its type."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, NoReturn

from tablegate.engine.nearest import meant
from tablegate.engine.select import named
from tablegate.engine.settings import ConfigError, Override, PolicySettings, Settings, UnknownMode
from tablegate.policy.declare import Policy, Severity
from tablegate.policy.options import accepted, wanted

NEVER = "never"


def settings_from(document: Mapping[str, object], policies: Iterable[Policy]) -> Settings:
    """The settings that the document describes. Keys that are not the engine's are the caller's to read."""
    policies = tuple(policies)
    given = {key: read(document[key], (key,)) for key, read in _READERS.items() if key in document}
    fields = {key.replace("-", "_"): value for key, value in given.items()}
    for key in ("select", "extend-select", "ignore"):
        _known_selectors(policies, given.get(key, ()), key)
    fields["policies"] = policy_settings(document.get("policies", {}), policies)
    fields["overrides"] = overrides_from(document.get("overrides", ()), policies)
    return Settings(**fields)


def policy_settings(written: object, policies: tuple[Policy, ...]) -> dict[str, PolicySettings]:
    """The ``[policies.<id or name>]`` tables, by id."""
    settings: dict[str, PolicySettings] = {}
    for word, table in as_table(written, ("policies",)).items():
        policy = _one_policy(policies, "policies", word)
        if policy.id in settings:
            raise ConfigError(f"{policy.id} is set twice: by id and by name", "policies", word)
        settings[policy.id] = _policy_settings(policy, as_table(table, ("policies", word)), word)
    return settings


def overrides_from(written: object, policies: tuple[Policy, ...]) -> tuple[Override, ...]:
    """The ``[[overrides]]`` tables, in their order."""
    if not isinstance(written, (list, tuple)):
        wrong(written, "a list of tables: [[overrides]]", ("overrides",))
    return tuple(_override(as_table(table, ("overrides",)), policies) for table in written)


def as_table(written: object, keys: tuple[str, ...]) -> Mapping[str, Any]:
    """The written value, which must be a table."""
    return written if isinstance(written, Mapping) else wrong(written, "a table", keys)


def as_text(written: object, keys: tuple[str, ...]) -> str:
    """The written value, which must be a text."""
    return written if isinstance(written, str) else wrong(written, "a text", keys)


def as_bool(written: object, keys: tuple[str, ...]) -> bool:
    """The written value, which must be true or false."""
    return written if isinstance(written, bool) else wrong(written, "true or false", keys)


def as_texts(written: object, keys: tuple[str, ...]) -> tuple[str, ...]:
    """The written value, which must be a list of texts; a text alone stands for a list of one."""
    if isinstance(written, str):
        return (written,)
    if isinstance(written, (list, tuple)) and all(isinstance(item, str) for item in written):
        return tuple(written)
    return wrong(written, "a list of texts", keys)


def as_text_table(written: object, keys: tuple[str, ...]) -> dict[str, str]:
    """The written value, which must be a table of texts."""
    return {key: as_text(text, (*keys, key)) for key, text in as_table(written, keys).items()}


def as_severity(written: object, keys: tuple[str, ...]) -> Severity:
    """The written value, which must be one of the severities."""
    if isinstance(written, str) and written in tuple(Severity):
        return Severity(written)
    return wrong(written, f"one of {', '.join(Severity)}", keys)


def wrong(written: object, right: str, keys: tuple[str, ...]) -> NoReturn:
    """Refuse a value: it is named, with what would be right."""
    shown = f'"{written}"' if isinstance(written, str) else type(written).__name__
    raise ConfigError(f"{'.'.join(keys)} is {shown} and must be {right}", *keys)


def unknown_key(key: str, known: Iterable[str], keys: tuple[str, ...]) -> NoReturn:
    """Refuse a key, and name the one that was probably meant."""
    raise ConfigError(f"unknown key {'.'.join((*keys, key))}", *keys, key, hint=meant(key, known))


def _fail_on(written: object, keys: tuple[str, ...]) -> Severity | None:
    if written == NEVER:
        return None
    if isinstance(written, str) and written in tuple(Severity):
        return Severity(written)
    return wrong(written, f"one of {', '.join(Severity)}, {NEVER}", keys)


def _unknown_mode(written: object, keys: tuple[str, ...]) -> UnknownMode:
    if isinstance(written, str) and written in tuple(UnknownMode):
        return UnknownMode(written)
    return wrong(written, f"one of {', '.join(UnknownMode)}", keys)


_READERS: Mapping[str, Callable[[object, tuple[str, ...]], Any]] = {
    "select": as_texts,
    "extend-select": as_texts,
    "ignore": as_texts,
    "fail-on": _fail_on,
    "unknown": _unknown_mode,
}

ENGINE_KEYS = (*_READERS, "policies", "overrides")

_OVERRIDE_TEXTS = ("address", "path", "purpose", "environment", "data-class", "capacity")
_OVERRIDE_KEYS = (*_OVERRIDE_TEXTS, "tags", "severity")


def _known_selectors(policies: tuple[Policy, ...], selectors: Iterable[str], key: str) -> None:
    for selector in selectors:
        try:
            named(policies, selector)
        except ConfigError as error:
            raise ConfigError(f"{key}: {error.message}", key, hint=error.hint) from None


def _one_policy(policies: tuple[Policy, ...], *keys: str) -> Policy:
    word = keys[-1]
    for policy in policies:
        if word in (policy.id, policy.name):
            return policy
    known = [name for policy in policies for name in (policy.id, policy.name)]
    raise ConfigError(f'{".".join(keys[:-1])}: "{word}" is no policy', *keys, hint=meant(word, known))


def _policy_settings(policy: Policy, table: Mapping[str, object], word: str) -> PolicySettings:
    options = {option.name: option for option in policy.options}
    severity, chosen = None, {}
    for key, written in table.items():
        keys = ("policies", word, key)
        if key == "severity":
            severity = as_severity(written, keys)
        elif key not in options:
            unknown_key(key, (*options, "severity"), ("policies", word))
        else:
            try:
                chosen[key.replace("-", "_")] = accepted(options[key], written)
            except TypeError:
                wrong(written, wanted(options[key]), keys)
    return PolicySettings(severity=severity, options=chosen)


def _override(table: Mapping[str, object], policies: tuple[Policy, ...]) -> Override:
    for key in table:
        if key not in _OVERRIDE_KEYS:
            unknown_key(key, _OVERRIDE_KEYS, ("overrides",))
    if not {"address", "path", "tags"} & set(table):
        raise ConfigError("an override needs address, path or tags to say which tables it is about", "overrides")
    texts = {key.replace("-", "_"): as_text(table[key], ("overrides", key)) for key in _OVERRIDE_TEXTS if key in table}
    severity = as_table(table.get("severity", {}), ("overrides", "severity"))
    return Override(
        **texts,
        tags=as_text_table(table.get("tags", {}), ("overrides", "tags")),
        severity={
            _one_policy(policies, "overrides", "severity", word).id: as_severity(level, ("overrides", "severity", word))
            for word, level in severity.items()
        },
    )
