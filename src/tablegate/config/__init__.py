"""Flags, environment, file, defaults; tightening."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from typing import Any

from tablegate.config.find import ConfigFile, file_at_ref, named_file, nearest_file
from tablegate.config.options import FILE_KEYS, KEYS, from_environment, switched_on
from tablegate.engine.settings import ConfigError, Settings, as_table, settings_from, unknown_key
from tablegate.model.record import record, replace
from tablegate.policy.declare import Policy, Severity, reject_duplicates

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pathlib import Path


_UNKNOWN = ("ignore", "warn", "block")
_LEVELS = ("never", *Severity)  # the lower the level that blocks, the stricter the gate


def tightened(trusted: ConfigFile | None, tree: ConfigFile | None) -> tuple[ConfigFile | None, tuple[str, ...]]:
    """The trusted configuration with what the working tree tightens, and notes on what was not applied."""
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
    if trusted is None:
        return replace(tree, table=table), tuple(notes)
    return replace(trusted, table=table), tuple(notes)


def _stricter(key: str, base: Any, proposed: Any) -> Any:
    """The proposed value where it is stricter than the trusted one, joined with it where both can stand."""
    if key == "extend-select" and isinstance(proposed, list) and all(word in proposed for word in base or ()):
        return proposed
    if key == "fail-on" and proposed in _LEVELS and _LEVELS.index(proposed) > _LEVELS.index(base or "high"):
        return proposed
    if key == "unknown" and proposed in _UNKNOWN and _UNKNOWN.index(proposed) > _UNKNOWN.index(base or "block"):
        return proposed
    if key == "require-resources" and proposed is True:
        return True
    return None


@record(kw_only=False)
class ConfiguredValue:
    """A value, and where it comes from."""

    value: Any
    origin: str  # "default", "file:line", an environment variable, or a flag


@record()
class Configuration:
    """Every key with its value. ``notes`` are what a reader should know: what was found and not applied.

    The working tree is not trusted where the configuration comes from a git ref, or somebody says so.
    """

    values: Mapping[str, ConfiguredValue]
    found: ConfigFile | None = None
    notes: tuple[str, ...] = ()
    trusts_tree: bool = True

    def __getitem__(self, key: str) -> Any:
        return self.values[key].value

    def resolve(self, packed: Iterable[Policy]) -> tuple[tuple[Policy, ...], Settings]:
        """All policies, those written as data among them, and what the engine needs to know."""
        packed = tuple(packed)
        try:
            policies = reject_duplicates((*packed, *_written(self["policy"])))
            settings = settings_from({key: given.value for key, given in self.values.items()}, policies)
            return policies, replace(settings, unknown_chosen=self.values["unknown"].origin != "default")
        except ConfigError as error:
            raise self._placed(error) from None

    def shown(self) -> list[dict[str, object]]:
        """What ``config show`` prints: each key of a file, its value, and where it comes from."""
        return [{"key": key, "value": given.value, "origin": given.origin} for key, given in self._leaves()]

    def _leaves(self) -> Iterable[tuple[str, ConfiguredValue]]:
        for key in FILE_KEYS:
            given = self.values[key]
            if key == "policies" and self.found is not None:
                for word, table in given.value.items():
                    for name, value in table.items():
                        origin = _line(self.found, (key, word, name))
                        yield f"policies.{word}.{name}", ConfiguredValue(value, origin)
            else:
                yield key, given

    def _placed(self, error: ConfigError) -> ConfigError:
        """The error with its place, where the value at fault comes from a file."""
        key = error.keys[0] if error.keys else None
        if key is None or key not in self.values or self.found is None:
            return error
        if not self.values[key].origin.startswith(self.found.name):
            return ConfigError(f"{self.values[key].origin}: {error.message}", *error.keys, hint=error.hint)
        return ConfigError(f"{_line(self.found, error.keys)}: {error.message}", *error.keys, hint=error.hint)


def read_configuration(
    flags: Mapping[str, object],
    *,
    folder: str | Path,
    environment: Mapping[str, str],
    file: str | Path | None = None,
    ref: str | None = None,
    search: bool = True,
    untrusted: bool = False,
) -> Configuration:
    """The configuration for a run in a folder. ``flags`` hold only what was given, by key."""
    if file is None and ref is None:
        file = environment.get("TABLEGATE_CONFIG") or None
        ref = environment.get("TABLEGATE_CONFIG_REF") or None
    search = search and not switched_on("TABLEGATE_NO_CONFIG", environment)
    untrusted = untrusted or switched_on("TABLEGATE_UNTRUSTED", environment)
    found, notes = _found(os.fspath(folder), file, ref, search=search, untrusted=untrusted)
    values = {name: ConfiguredValue(key.default, "default") for name, key in KEYS.items()}
    if found is not None:
        values |= _values_of(found)
    for name, key in KEYS.items():
        if key.variable in environment and key.read is not None:
            values[name] = ConfiguredValue(from_environment(key, environment[key.variable]), key.variable)
        if name in flags:
            values[name] = ConfiguredValue(flags[name], f"--{name}")
    trusts_tree = ref is None and not untrusted
    return Configuration(values=values, found=found, notes=notes, trusts_tree=trusts_tree)


def _found(
    folder: str, file: str | Path | None, ref: str | None, *, search: bool, untrusted: bool
) -> tuple[ConfigFile | None, tuple[str, ...]]:
    if file is not None and ref is not None:
        raise ConfigError("--config and --config-ref cannot both say where the configuration is")
    if file is not None:
        return named_file(file), ()
    if ref is not None:
        return tightened(file_at_ref(ref, folder), nearest_file(folder) if search else None)
    if untrusted and search:
        raise ConfigError(
            "--untrusted takes no configuration from the working tree", hint="give --config or --config-ref"
        )
    return (nearest_file(folder) if search else None), ()


def _values_of(found: ConfigFile) -> dict[str, ConfiguredValue]:
    values = {}
    for name, written in found.table.items():
        try:
            if name not in FILE_KEYS:
                unknown_key(name, FILE_KEYS, ())
            read = KEYS[name].read
            value = written if read is None else read(written, (name,))
            if name == "packs":
                _installed_only(value)
            if name == "policies":
                value = {word: as_table(table, (name, word)) for word, table in as_table(written, (name,)).items()}
        except ConfigError as error:
            raise ConfigError(f"{_line(found, error.keys)}: {error.message}", *error.keys, hint=error.hint) from None
        values[name] = ConfiguredValue(value, _line(found, (name,)))
    return values


def _written(tables: object) -> tuple[Policy, ...]:
    if not tables:
        return ()
    from tablegate.engine.data_policies import written_policies

    return written_policies(tables)


def _installed_only(packs: Iterable[str]) -> None:
    """A file may name packs that somebody installed, never code that lies beside it."""
    for pack in packs:
        if "/" in pack or "\\" in pack or pack.startswith(".") or pack.endswith(".py"):
            raise ConfigError(f'packs: "{pack}" is a path', "packs", hint="a path is loaded only by --policies PATH")


def _line(found: ConfigFile, keys: tuple[str, ...]) -> str:
    line = found.line_of(keys)
    return found.name if line is None else f"{found.name}:{line}"
