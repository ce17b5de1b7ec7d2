"""What the configuration and the environment say about inputs: values, templates, the compiled grammar of HCL."""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Iterable, Mapping
from typing import Any

from tablegate.config.configuration import Configuration
from tablegate.dialects.reading import ReadOptions
from tablegate.engine.settings import ConfigError
from tablegate.inputs.collect import collect
from tablegate.model.record import replace
from tablegate.syntax.node import ParseError
from tablegate.syntax.source import Source, decode

_TERRAFORM_PREFIX = "TF_VAR_"
_WRITABLE_BY_OTHERS = stat.S_IWGRP | stat.S_IWOTH


def read_options(configuration: Configuration, environment: Mapping[str, str]) -> ReadOptions:
    """What the configuration says about the inputs."""
    values: dict[str, str] = {}
    tags: dict[str, str] = {}
    region = configuration["region"]
    names: dict[str, tuple[str, ...]] = {}
    for name in configuration["params"]:
        parameters = _parameter_file(name)
        names[name] = tuple(parameters.values)
        values |= parameters.values
        tags |= parameters.tags
        region = region or parameters.region
    values |= pairs(configuration, "param")
    return ReadOptions(
        nested=dict(map(_nested, configuration["nested"])),
        template=_template(configuration["template"]),
        allow_partial=configuration["allow-partial"],
        assume_defaults=configuration["assume-defaults"],
        tofu=configuration["tofu"],
        trusted_macros=tuple(configuration["trusted-macros"]),
        parameters=values,
        parameter_files=names,
        stack_tags=tags,
        region=region,
        account=configuration["account"],
        variables=pairs(configuration, "var"),
        variable_files=tuple(map(_variable_file, configuration["var-file"])),
        environment={
            name.removeprefix(_TERRAFORM_PREFIX): text
            for name, text in sorted(environment.items())
            if name.startswith(_TERRAFORM_PREFIX)
        },
    )


def pairs(configuration: Configuration, key: str) -> dict[str, str]:
    """The values that ``--param`` or ``--var`` gives, by name."""
    pairs = {}
    for number, word in enumerate(configuration[key], start=1):
        name, equals, value = word.partition("=")
        if not name or not equals:  # the word is not quoted: it may be a secret value
            raise ConfigError(f"--{key}: number {number} must be NAME=VALUE", key)
        pairs[name] = value
    return pairs


def _variable_file(name: str) -> Source:
    try:
        return Source(name, _bytes(name))
    except OSError as error:
        raise ConfigError(f"{name}: {(error.strerror or 'cannot be read').lower()}", "var-file") from None


def _parameter_file(name: str) -> Any:
    from tablegate.dialects.cloudformation.parameters import parse_parameters  # plans are read without it

    try:
        return parse_parameters(decode(_bytes(name)), name)
    except OSError as error:
        raise ConfigError(f"{name}: {(error.strerror or 'cannot be read').lower()}", "params") from None
    except ParseError as error:
        place = f":{error.line}:{error.column}" if error.line else ""
        raise ConfigError(f"{name}{place}: {error.message}", "params", hint=error.hint) from None


def _bytes(name: str) -> bytes:
    with open(name, "rb") as file:
        return file.read()


def _nested(word: str) -> tuple[str, Source]:
    key, equals, path = word.partition("=")
    if not key or not equals:
        raise ConfigError(f'--nested: "{word}" must be LOGICALID=FILE', "nested")
    return key, _one_template(path, "nested")


def _template(path: str | None) -> Source | None:
    return None if path is None else _one_template(path, "template")


def _one_template(path: str, key: str) -> Source:
    collected = collect((path,))
    if collected.faults or len(collected.sources) != 1:
        what = collected.faults[0].message if collected.faults else "one template is needed"
        raise ConfigError(f"--{key}: {path}: {what}", key)
    return collected.sources[0]


def with_grammar(options: ReadOptions, sources: Iterable[Source], environment: Mapping[str, str]) -> ReadOptions:
    """The options, with a place for the compiled grammar of HCL if a source needs it."""
    needed = any(source.folder is not None or source.tree is not None for source in sources)
    return replace(options, grammar=grammar_file(environment)) if needed else options


def grammar_file(environment: Mapping[str, str]) -> str | None:
    """The file for this version of Python. None if there is no safe place: then every run compiles the grammar."""
    home = environment.get("HOME") or environment.get("USERPROFILE")
    base = environment.get("XDG_CACHE_HOME") or (f"{home}/.cache" if home else None)
    if base is None:
        return None
    folder = os.path.join(base, "tablegate")
    try:
        os.makedirs(folder, mode=0o700, exist_ok=True)
        status = os.stat(folder)
    except OSError:
        return None
    # The file is unpickled: if somebody else can write it, they can run code here.
    if hasattr(os, "getuid") and (status.st_uid != os.getuid() or status.st_mode & _WRITABLE_BY_OTHERS):
        return None
    return os.path.join(folder, f"hcl-{sys.version_info[0]}.{sys.version_info[1]}.bin")
