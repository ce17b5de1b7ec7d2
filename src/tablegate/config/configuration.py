"""The configuration of a run: flags override environment variables, which override the file, which overrides defaults.

Where the working tree is not trusted, its file can only make the trusted configuration stricter.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from tablegate.config.find import ConfigFile, file_at_ref, named_file, nearest_file
from tablegate.config.options import FILE_KEYS, SETTINGS, Kind, Option
from tablegate.config.trust import Trust
from tablegate.engine.settings import (
    ConfigError,
    Keys,
    Settings,
    as_bool,
    as_table,
    as_text,
    as_texts,
    settings_from,
    unknown_key,
)
from tablegate.model.record import record, replace
from tablegate.model.value import Place
from tablegate.policy.declare import RELAXED_ENVIRONMENTS, Policy, Profile, Severity, reject_duplicates

Reader = Callable[[object, tuple[str, ...]], Any]

_READERS: Mapping[Kind, Reader] = {  # tables are the engine's to read
    Kind.FLAG: as_bool,
    Kind.TEXT: as_text,
    Kind.LIST: as_texts,
    Kind.WORDS: as_texts,
}
_TRUE, _FALSE = ("1", "true", "yes", "on"), ("0", "false", "no", "off")

_UNKNOWN_MODES = ("ignore", "warn", "block")  # the last is the strictest
_LEVELS = ("never", *Severity)  # the lower the severity that blocks, the stricter the gate


@record(kw_only=False)
class ConfiguredValue:
    """A value, and where it comes from: "default", "file:line", an environment variable, or a flag."""

    value: Any
    origin: str


@record()
class Configuration:
    """Every setting with its value. ``notes`` tell the reader what was found and is not applied."""

    values: Mapping[str, ConfiguredValue]
    file: ConfigFile | None = None
    notes: tuple[str, ...] = ()
    trust: Trust = Trust()

    def __getitem__(self, key: str) -> Any:
        return self.values[key].value

    @property
    def has_expressions(self) -> bool:
        """Whether it may hold regular expressions, which can take too long: in policies as data or in options."""
        return bool(self["policy"] or self["policies"])

    def resolve(self, packed: Iterable[Policy]) -> tuple[tuple[Policy, ...], Settings]:
        """All policies, with those written as data, and the engine's settings."""
        try:
            policies = reject_duplicates((*packed, *_data_policies(self["policy"])))
            settings = settings_from({key: configured.value for key, configured in self.values.items()}, policies)
            chosen = self.values["unknown"].origin != "default"
            return policies, replace(settings, unknown_chosen=chosen, heeds_acknowledged=self.trust.heeds_acknowledged)
        except ConfigError as error:
            raise self._placed(error) from None

    def shown(self) -> list[dict[str, object]]:
        """The rows of ``config show``: each key of a file, its value, and where it comes from."""
        return [
            {"key": key, "value": configured.value, "origin": configured.origin} for key, configured in self._rows()
        ]

    def place_of(self, key: str, *keys: str | int) -> Place:
        """Where the file sets a key; no file if something else does."""
        if self.file is None or not self.values[key].origin.startswith(self.file.name):
            return Place("")
        return Place(self.file.name, self.file.line_of((key, *keys)))

    def _rows(self) -> Iterable[tuple[str, ConfiguredValue]]:
        for key in FILE_KEYS:
            configured = self.values[key]
            if key == "policies" and self.file is not None:
                for word, table in configured.value.items():
                    for name, value in table.items():
                        origin = _location(self.file, (key, word, name))
                        yield f"policies.{word}.{name}", ConfiguredValue(value, origin)
            else:
                yield key, configured

    def _placed(self, error: ConfigError) -> ConfigError:
        """The error with the file, line or variable that the wrong value comes from."""
        key = str(error.keys[0]) if error.keys else ""
        if key not in self.values or self.file is None:
            return error
        origin = self.values[key].origin
        message = error.message.removeprefix(f"{key}: ") if origin == f"--{key}" else error.message
        if origin.startswith(self.file.name):
            origin = _location(self.file, error.keys)
        return ConfigError(f"{origin}: {message}", *error.keys, hint=error.hint)


def read_configuration(
    flags: Mapping[str, object],
    *,
    folder: str | Path,
    environment: Mapping[str, str],
    file: str | Path | ConfigFile | None = None,
    ref: str | None = None,
    search: bool = True,
    untrusted: bool = False,
    inputs: Iterable[str] = (),
) -> Configuration:
    """The configuration for a run in a folder on these inputs. ``flags`` hold only what was given, by key."""
    if file is None and ref is None:
        file = environment.get("TABLEGATE_CONFIG") or None
        ref = environment.get("TABLEGATE_CONFIG_REF") or None
    search = search and not _switched_on("TABLEGATE_NO_CONFIG", environment)
    untrusted = untrusted or _switched_on("TABLEGATE_UNTRUSTED", environment)
    trust = Trust(tree=ref is None and not untrusted, folders=(os.fspath(folder), *map(_folder_of, inputs)))
    if ref is None and isinstance(file, str | Path):
        trust.refuse("--config", os.fspath(file))
    config_file, notes = _find_file(os.fspath(folder), file, ref, search=search, untrusted=untrusted)
    values = {name: ConfiguredValue(option.unset, "default") for name, option in SETTINGS.items()}
    if config_file is not None:
        values |= _values_of_file(config_file)
    for name, option in SETTINGS.items():
        if option.variable is not None and option.variable in environment:
            values[name] = ConfiguredValue(_of_variable(option, environment[option.variable]), option.variable)
        if name in flags:
            values[name] = ConfiguredValue(flags[name], f"--{name}")
    return Configuration(values=values, file=config_file, notes=notes, trust=trust)


def _folder_of(path: str) -> str:
    return path if os.path.isdir(path) else os.path.dirname(path) or os.curdir


def _find_file(
    folder: str, file: str | Path | ConfigFile | None, ref: str | None, *, search: bool, untrusted: bool
) -> tuple[ConfigFile | None, tuple[str, ...]]:
    if file is not None and ref is not None:
        raise ConfigError("--config and --config-ref cannot be combined")
    if file is not None:
        return file if isinstance(file, ConfigFile) else named_file(file), ()
    if ref is not None:
        return tightened(file_at_ref(ref, folder), nearest_file(folder) if search else None)
    if untrusted and search:
        raise ConfigError(
            "--untrusted takes no configuration from the working tree", hint="give --config or --config-ref"
        )
    return (nearest_file(folder) if search else None), ()


def tightened(trusted: ConfigFile | None, tree: ConfigFile | None) -> tuple[ConfigFile | None, tuple[str, ...]]:
    """The trusted configuration with the stricter values of the working tree, and notes on what is not applied."""
    if tree is None:
        return trusted, ()
    base: Mapping[str, Any] = trusted.table if trusted else {}
    table = dict(base)
    notes = []
    for key in sorted({*base, *tree.table}):
        if key in tree.table and tree.table[key] == base.get(key):
            continue
        stricter = _stricter(key, base.get(key), tree.table.get(key))
        if stricter is None:
            notes.append(f"{tree.name}: {key} differs from the trusted configuration, and is not applied")
        else:
            table[key] = stricter
    return replace(trusted or tree, table=table), tuple(notes)


def _stricter(key: str, base: Any, proposed: Any) -> Any:
    """The proposed value if it is stricter than the trusted one, else None."""
    if key == "extend-select" and isinstance(proposed, list) and all(word in proposed for word in base or ()):
        return proposed
    if key == "fail-on" and proposed in _LEVELS and _LEVELS.index(proposed) > _LEVELS.index(base or "high"):
        return proposed
    if (
        key == "unknown"
        and proposed in _UNKNOWN_MODES
        and _UNKNOWN_MODES.index(proposed) > _UNKNOWN_MODES.index(base or "block")
    ):
        return proposed
    if key == "relaxed-environments" and isinstance(proposed, list):
        trusted = RELAXED_ENVIRONMENTS if base is None else as_texts(base, (key,))
        return proposed if set(proposed) <= set(trusted) else None
    if key == "profile" and proposed == Profile.STRICT:
        return proposed
    if key == "require-resources" and proposed is True:
        return True
    return None


def _values_of_file(file: ConfigFile) -> dict[str, ConfiguredValue]:
    values = {}
    for name, written in file.table.items():
        try:
            value = _value_of_file(name, written)
        except ConfigError as error:
            raise ConfigError(f"{_location(file, error.keys)}: {error.message}", *error.keys, hint=error.hint) from None
        values[name] = ConfiguredValue(value, _location(file, (name,)))
    return values


def _value_of_file(name: str, written: object) -> Any:
    if name not in FILE_KEYS:
        unknown_key(name, FILE_KEYS, ())
    if name == "policies":
        return {word: as_table(table, (name, word)) for word, table in as_table(written, (name,)).items()}
    read = _READERS.get(SETTINGS[name].kind)
    value: Any = written if read is None else read(written, (name,))
    if name == "packs":
        _refuse_paths(value)
    return value


def _refuse_paths(packs: Iterable[str]) -> None:
    """A file can name installed packs, never code that lies beside it."""
    for pack in packs:
        if "/" in pack or "\\" in pack or pack.startswith(".") or pack.endswith(".py"):
            raise ConfigError(f'packs: "{pack}" is a path', "packs", hint="a path is loaded only by --policies PATH")


def _data_policies(tables: object) -> tuple[Policy, ...]:
    if not tables:
        return ()
    from tablegate.engine.data_policies import data_policies  # imports jsonpath-ng, which few runs need

    return data_policies(tables)


def _of_variable(option: Option, text: str) -> object:
    """The value of an environment variable. The items of a list are separated by commas."""
    if option.is_list:
        return tuple(item.strip() for item in text.split(",") if item.strip())
    return _switch(str(option.variable), text) if option.kind is Kind.FLAG else text


def _switched_on(variable: str, environment: Mapping[str, str]) -> bool:
    return _switch(variable, environment.get(variable, "false"))


def _switch(variable: str, text: str) -> bool:
    if text.lower() not in (*_TRUE, *_FALSE):
        raise ConfigError(f'{variable} is "{text}" and must be true or false')
    return text.lower() in _TRUE


def _location(file: ConfigFile, keys: Keys) -> str:
    line = file.line_of(keys)
    return file.name if line is None else f"{file.name}:{line}"
