"""The engine's settings: read from the tables of a configuration, with the policies that they select.

A mistake is a ConfigError with the keys that lead to it, and the word that was probably meant.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from difflib import get_close_matches
from enum import StrEnum
from posixpath import commonprefix
from typing import Any, NoReturn, TypeAlias, TypeVar

from tablegate.model.record import field, record
from tablegate.policy.declare import (
    FAMILIES,
    RELAXED_ENVIRONMENTS,
    Policy,
    Profile,
    Severity,
    accepted_value,
    type_in_words,
)

Keys: TypeAlias = tuple[str | int, ...]  # from the top of a document; a number counts the tables of a list


class ConfigError(Exception):
    """A mistake of the user in the configuration or the arguments. ``keys`` lead to it from the top of the document."""

    def __init__(self, message: str, *keys: str | int, hint: str | None = None) -> None:
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
    """The severity and the options that the configuration sets for one policy."""

    severity: Severity | None = None
    options: Mapping[str, object] = field(default_factory=dict)


@record()
class Override:
    """Declarations about the tables that every given matcher matches: ``address``, ``path`` and ``tags``."""

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
    """The settings of a run."""

    profile: Profile = Profile.STANDARD
    select: tuple[str, ...] = ()
    extend_select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    fail_on: Severity | None = Severity.HIGH  # None: never
    unknown: UnknownMode = UnknownMode.BLOCK
    unknown_chosen: bool = False  # if not, unknown values in Terraform source only warn: the plan will tell
    policies: Mapping[str, PolicySettings] = field(default_factory=dict)  # by policy id
    overrides: tuple[Override, ...] = ()
    relaxed_environments: tuple[str, ...] = RELAXED_ENVIRONMENTS  # findings on capacity and recovery weigh less there
    heeds_acknowledged: bool = True  # rules that a program acknowledges for its constructs are waived


_ALIKE = str.maketrans("oil", "011")  # letters that are taken for digits
_LISTED = 5  # words that one hint names


def did_you_mean(word: str, known: Iterable[str]) -> str | None:
    """A hint that names the known word closest to this one, if one is close, or those that it begins."""
    by_lower = {item.lower(): item for item in sorted(known, reverse=True)}  # the spelling in capitals comes last
    lower = word.lower()
    same = [item for item in by_lower if item.translate(_ALIKE) == lower.translate(_ALIKE)]
    longer = sorted(by_lower[item] for item in by_lower if lower[-1:].isdigit() and item.startswith(lower))
    if longer and not same:
        return f"did you mean one of {', '.join(longer[:_LISTED])}{', …' if len(longer) > _LISTED else ''}?"
    close = same or get_close_matches(lower, by_lower, n=3)
    if not close:
        return None
    nearest = max(close, key=lambda item: len(commonprefix((item, lower))))  # of those that are about as close
    return f'did you mean "{by_lower[nearest]}"?'


ALL = "ALL"


@record(kw_only=False)
class Selection:
    """Whether a policy runs, and which word of the settings decides it."""

    policy: Policy
    runs: bool
    reason: str


def selected_policies(policies: Iterable[Policy], settings: Settings) -> tuple[Policy, ...]:
    """The policies that run, by id. ConfigError if there is none: the gate could only be open."""
    running = tuple(item.policy for item in selection(tuple(policies), settings) if item.runs)
    if not running:
        raise ConfigError("no policy is selected, so nothing would be judged", "select")
    return running


def selection(policies: Sequence[Policy], settings: Settings) -> tuple[Selection, ...]:
    """The selection of every policy, by id. ``select`` replaces the defaults, and ``ignore`` comes last."""
    profile = settings.profile
    choices = {
        policy.id: (False, "off by default" if policy.profile is None else f"off in profile {profile}")
        for policy in policies
    }
    if settings.select:
        choices = dict.fromkeys(choices, (False, "not selected"))
        choices |= _choices(policies, settings.select, True, "selected by")
    else:
        choices |= {policy.id: (True, _on_by(policy)) for policy in policies if policy.is_on(profile)}
    choices |= _choices(policies, settings.extend_select, True, "selected by")
    choices |= _choices(policies, settings.ignore, False, "ignored by")
    ordered = sorted(policies, key=lambda policy: policy.id)
    return tuple(Selection(policy, *choices[policy.id]) for policy in ordered)


def added_by_strict(policies: Sequence[Policy], settings: Settings) -> int:
    """How many more policies profile strict would run."""
    if settings.profile is Profile.STRICT or settings.select:
        return 0
    strict = {policy.id for policy in policies if policy.profile is Profile.STRICT}
    return len(strict - {policy.id for _, policy in _named(policies, (*settings.ignore, *settings.extend_select))})


def _on_by(policy: Policy) -> str:
    return "on in profile strict" if policy.profile is Profile.STRICT else "on by default"


def policies_named(policies: Iterable[Policy], selector: str) -> tuple[Policy, ...]:
    """The policies that a selector names: an id, a name, a family, a severity or ALL."""
    return tuple(policy for _, policy in _named(tuple(policies), (selector,)))


def _policies_named(
    selector: str, policies: Sequence[Policy], by_word: Mapping[str, list[Policy]]
) -> tuple[Policy, ...]:
    if selector.upper() == ALL:
        return tuple(policies)
    word = selector if selector in by_word else selector.lower()
    if word not in by_word:
        raise ConfigError(f'"{selector}" is no policy, family or severity', hint=did_you_mean(selector, by_word))
    return tuple(by_word[word])


def _named(policies: Sequence[Policy], selectors: Iterable[str]) -> Iterator[tuple[str, Policy]]:
    """Each policy that each selector names, with the selector. The words are listed once for all selectors."""
    selectors = tuple(selectors)
    by_word = _by_word(policies) if any(selector.upper() != ALL for selector in selectors) else {}
    return ((selector, policy) for selector in selectors for policy in _policies_named(selector, policies, by_word))


def _choices(policies: Sequence[Policy], selectors: Iterable[str], runs: bool, how: str) -> dict[str, tuple[bool, str]]:
    return {policy.id: (runs, f"{how} {word}") for word, policy in _named(policies, selectors)}


def _by_word(policies: Iterable[Policy]) -> Mapping[str, list[Policy]]:
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
    """The settings in a document. Keys that are not the engine's are for the caller."""
    policies = tuple(policies)
    values = {key: read(document[key], (key,)) for key, read in _READERS.items() if key in document}
    fields = {key.replace("-", "_"): value for key, value in values.items()}
    for key in ("select", "extend-select", "ignore"):
        _refuse_useless_selectors(policies, values.get(key, ()), key)
    fields["policies"] = policy_settings(document.get("policies", {}), policies)
    fields["overrides"] = overrides_from(document.get("overrides", ()), policies)
    return Settings(**fields)


def policy_settings(tables: object, policies: tuple[Policy, ...]) -> dict[str, PolicySettings]:
    """The ``[policies.<id or name>]`` tables, by id."""
    settings: dict[str, PolicySettings] = {}
    for word, table in as_table(tables, ("policies",)).items():
        policy = _one_policy(policies, "policies", word)
        if policy.id in settings:
            raise ConfigError(f"{policy.id} is set twice: by id and by name", "policies", word)
        settings[policy.id] = _policy_settings(policy, as_table(table, ("policies", word)), word)
    return settings


def overrides_from(tables: object, policies: tuple[Policy, ...]) -> tuple[Override, ...]:
    """The ``[[overrides]]`` tables, in their order."""
    if not isinstance(tables, (list, tuple)):
        wrong_value(tables, "a list of tables: [[overrides]]", ("overrides",))
    return each_table(tables, "overrides", lambda table: _override(table, policies))


T = TypeVar("T")


def each_table(tables: Sequence[object], key: str, read: Callable[[Mapping[str, Any]], T]) -> tuple[T, ...]:
    """What each table of a list comes to. A ConfigError in one of them leads to it by its number."""
    results = []
    for number, table in enumerate(tables):
        try:
            results.append(read(as_table(table, (key,))))
        except ConfigError as error:
            raise ConfigError(error.message, key, number, *error.keys[1:], hint=error.hint) from None
    return tuple(results)


def as_table(value: object, keys: tuple[str, ...]) -> Mapping[str, Any]:
    """The value. ConfigError unless it is a table."""
    return value if isinstance(value, Mapping) else wrong_value(value, "a table", keys)


def as_text(value: object, keys: tuple[str, ...]) -> str:
    """The value. ConfigError unless it is a text."""
    return value if isinstance(value, str) else wrong_value(value, "a text", keys)


def as_bool(value: object, keys: tuple[str, ...]) -> bool:
    """The value. ConfigError unless it is true or false."""
    return value if isinstance(value, bool) else wrong_value(value, "true or false", keys)


def as_texts(value: object, keys: tuple[str, ...]) -> tuple[str, ...]:
    """The value as a list of texts; one text is a list of one. ConfigError if it is anything else."""
    if isinstance(value, str):
        return (value,)
    if isinstance(value, (list, tuple)) and all(isinstance(item, str) for item in value):
        return tuple(value)
    return wrong_value(value, "a list of texts", keys)


def as_text_table(value: object, keys: tuple[str, ...]) -> dict[str, str]:
    """The value. ConfigError unless it is a table of texts."""
    return {key: as_text(text, (*keys, key)) for key, text in as_table(value, keys).items()}


def as_severity(value: object, keys: tuple[str, ...]) -> Severity:
    """The value. ConfigError unless it is a severity."""
    if isinstance(value, str) and value in tuple(Severity):
        return Severity(value)
    return wrong_value(value, f"one of {', '.join(Severity)}", keys)


def wrong_value(value: object, right: str, keys: tuple[str, ...]) -> NoReturn:
    """Raise ConfigError with the value, and what it must be."""
    raise ConfigError(f"{'.'.join(keys)} is {_in_words(value)} and must be {right}", *keys)


def _in_words(value: object) -> str:
    if isinstance(value, str):
        return f'"{value}"'
    if value is None:
        return "not set"
    if isinstance(value, (bool, int, float)):
        return str(value).lower()
    return "a table" if isinstance(value, Mapping) else "a list" if isinstance(value, (list, tuple)) else "a date"


def unknown_key(key: str, known: Iterable[str], keys: tuple[str, ...]) -> NoReturn:
    """Raise ConfigError with the key, and the one that was probably meant."""
    raise ConfigError(f"unknown key {'.'.join((*keys, key))}", *keys, key, hint=did_you_mean(key, known))


def _fail_on(value: object, keys: tuple[str, ...]) -> Severity | None:
    if value == NEVER:
        return None
    if isinstance(value, str) and value in tuple(Severity):
        return Severity(value)
    return wrong_value(value, f"one of {', '.join(Severity)}, {NEVER}", keys)


def _unknown_mode(value: object, keys: tuple[str, ...]) -> UnknownMode:
    if isinstance(value, str) and value in tuple(UnknownMode):
        return UnknownMode(value)
    return wrong_value(value, f"one of {', '.join(UnknownMode)}", keys)


def _profile(value: object, keys: tuple[str, ...]) -> Profile:
    if isinstance(value, str) and value in tuple(Profile):
        return Profile(value)
    return wrong_value(value, f"one of {', '.join(Profile)}", keys)


_READERS: Mapping[str, Callable[[object, tuple[str, ...]], Any]] = {
    "profile": _profile,
    "select": as_texts,
    "extend-select": as_texts,
    "ignore": as_texts,
    "fail-on": _fail_on,
    "relaxed-environments": as_texts,
    "unknown": _unknown_mode,
}

_OVERRIDE_TEXTS = ("address", "path", "purpose", "environment", "data-class", "capacity")
_OVERRIDE_KEYS = (*_OVERRIDE_TEXTS, "tags", "severity")


def _refuse_useless_selectors(policies: tuple[Policy, ...], selectors: Iterable[str], key: str) -> None:
    for selector in selectors:
        try:
            named = policies_named(policies, selector)
        except ConfigError as error:
            raise ConfigError(f"{key}: {error.message}", key, hint=error.hint) from None
        if not named and key != "ignore":
            raise ConfigError(
                f'{key}: no policy that is loaded is "{selector}"', key, hint="tablegate policies lists all"
            )


def _one_policy(policies: tuple[Policy, ...], *keys: str) -> Policy:
    word = keys[-1]
    for policy in policies:
        if word in (policy.id, policy.name):
            return policy
    known = [name for policy in policies for name in (policy.id, policy.name)]
    raise ConfigError(f'{".".join(keys[:-1])}: "{word}" is no policy', *keys, hint=did_you_mean(word, known))


def _policy_settings(policy: Policy, table: Mapping[str, object], word: str) -> PolicySettings:
    options = {option.name: option for option in policy.options}
    severity, values = None, {}
    for key, value in table.items():
        keys = ("policies", word, key)
        if key == "severity":
            severity = as_severity(value, keys)
        elif key not in options:
            unknown_key(key, (*options, "severity"), ("policies", word))
        else:
            try:
                values[key.replace("-", "_")] = accepted_value(options[key], value)
            except TypeError:
                wrong_value(value, type_in_words(options[key]), keys)
    return PolicySettings(severity=severity, options=values)


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
