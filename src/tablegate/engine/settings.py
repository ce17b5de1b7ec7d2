"""Settings from a document; which policies run; did-you-mean."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from enum import StrEnum
from typing import Any, NoReturn

from tablegate.model.record import field, record
from tablegate.policy.declare import FAMILIES, Policy, Severity, accepted_value, type_in_words


class ConfigError(Exception):
    """What the user configured cannot be meant. ``keys`` lead to it from the top of the document."""

    def __init__(self, message: str, *keys: str, hint: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.keys = keys
        self.hint = hint


class UnknownMode(StrEnum):
    """What an unknown verdict does to the gate when its policy's severity reaches ``fail_on``."""

    BLOCK = "block"
    WARN = "warn"
    IGNORE = "ignore"


@record()
class PolicySettings:
    """What the configuration says of one policy."""

    severity: Severity | None = None
    options: Mapping[str, object] = field(default_factory=dict)


@record()
class Override:
    """What is said of the tables that match: every matcher given must match."""

    address: str | None = None
    path: str | None = None
    tags: Mapping[str, str] = field(default_factory=dict)
    purpose: str | None = None
    environment: str | None = None
    data_class: str | None = None
    capacity: str | None = None
    severity: Mapping[str, Severity] = field(default_factory=dict)


@record()
class Settings:
    """Everything that steers a run, as the engine needs it."""

    select: tuple[str, ...] = ()
    extend_select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    fail_on: Severity | None = Severity.HIGH  # None: never
    unknown: UnknownMode = UnknownMode.BLOCK
    unknown_chosen: bool = False  # otherwise what is unknown in Terraform source only warns: its plan will tell
    policies: Mapping[str, PolicySettings] = field(default_factory=dict)  # by policy id
    overrides: tuple[Override, ...] = ()
    heeds_acknowledged: bool = True  # what a program acknowledges of its own constructs is waived


def did_you_mean(word: str, known: Iterable[str]) -> str | None:
    """A hint that names the known word closest to this one, if one is close."""
    from difflib import get_close_matches

    by_fold = {item.lower(): item for item in sorted(known, reverse=True)}  # of two spellings, the one in capitals
    close = get_close_matches(word.lower(), by_fold, n=1)
    return f'did you mean "{by_fold[close[0]]}"?' if close else None


ALL = "ALL"


@record(kw_only=False)
class Selection:
    """One policy, whether it runs, and the word that decided it."""

    policy: Policy
    runs: bool
    reason: str


def selected(policies: Iterable[Policy], settings: Settings) -> tuple[Policy, ...]:
    """The policies that run, by id. Where none would, the gate could only stand open: that is refused."""
    running = tuple(item.policy for item in selection(tuple(policies), settings) if item.runs)
    if not running:
        raise ConfigError("no policy is selected, so nothing would be judged", "select")
    return running


def selection(policies: Sequence[Policy], settings: Settings) -> tuple[Selection, ...]:
    """Every policy with its fate, by id: what is selected replaces the defaults, and what is ignored goes last."""
    chosen = dict.fromkeys((policy.id for policy in policies), (False, "off by default"))
    if settings.select:
        chosen = dict.fromkeys(chosen, (False, "not selected")) | _said(policies, settings.select, True, "selected by")
    else:
        chosen |= {policy.id: (True, "on by default") for policy in policies if policy.on}
    chosen |= _said(policies, settings.extend_select, True, "selected by")
    chosen |= _said(policies, settings.ignore, False, "ignored by")
    ordered = sorted(policies, key=lambda policy: policy.id)
    return tuple(Selection(policy, *chosen[policy.id]) for policy in ordered)


def named(policies: Iterable[Policy], selector: str) -> tuple[Policy, ...]:
    """The policies that an id, a name, a family, a severity or ALL stands for."""
    policies = tuple(policies)
    if selector.upper() == ALL:
        return policies
    by_word = _by_word(policies)
    word = selector if selector in by_word else selector.lower()
    if word not in by_word:
        raise ConfigError(f'"{selector}" is no policy, family or severity', hint=did_you_mean(selector, by_word))
    return tuple(by_word[word])


def _said(policies: Sequence[Policy], selectors: Iterable[str], runs: bool, how: str) -> dict[str, tuple[bool, str]]:
    return {policy.id: (runs, f"{how} {word}") for word in selectors for policy in named(policies, word)}


def _by_word(policies: tuple[Policy, ...]) -> Mapping[str, list[Policy]]:
    words: dict[str, list[Policy]] = {word: [] for word in (ALL, ALL.lower(), *map(str, Severity))}
    words |= {word: [] for family in FAMILIES.items() for word in (*family, family[0].lower())}
    for policy in policies:
        for word in _words_for(policy):
            words.setdefault(word, []).append(policy)
    return words


def _words_for(policy: Policy) -> set[str]:
    letters = policy.id.rstrip("0123456789")
    hundred = policy.id[: len(letters) + 1]
    spelled = {policy.id, letters, hundred}
    return {*spelled, *(word.lower() for word in spelled), policy.name, policy.family, str(policy.severity)}


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
    raise ConfigError(f"unknown key {'.'.join((*keys, key))}", *keys, key, hint=did_you_mean(key, known))


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
    raise ConfigError(f'{".".join(keys[:-1])}: "{word}" is no policy', *keys, hint=did_you_mean(word, known))


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
                chosen[key.replace("-", "_")] = accepted_value(options[key], written)
            except TypeError:
                wrong(written, type_in_words(options[key]), keys)
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
