"""The configuration section of a plan: modules, calls and resources as they are written. Parts of addresses."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from functools import cached_property, lru_cache
from typing import TypeAlias

from tablegate.model.record import record

Key: TypeAlias = str | int | None

_STEP = re.compile(r'\.?([^.\[\]]+)|\[(?:"((?:[^"\\]|\\.)*)"|(\d+))\]')
_KEY = r'\[(?:"(?:[^"\\]|\\.)*"|\d+)\]'
_MOST_DIGITS = 18
_MODULE = rf"module\.([^.\[]+)({_KEY})?(?:\.|$)"


@record(kw_only=False)
class Step:
    """A name of a reference, or a key in brackets."""

    name: str | None
    key: Key = None


@record(kw_only=False)
class Call:
    """A module in a module address: the address up to it, its name, and the key of its instance."""

    address: str
    name: str
    key: Key


@lru_cache(maxsize=4096)
def steps(reference: str) -> tuple[Step, ...]:
    """The parts of a reference, in their order."""
    parts = []
    for name, quoted, number in _STEP.findall(reference):
        parts.append(Step(name) if name else Step(None, _number(number) if number else _unquoted(quoted)))
    return tuple(parts)


def unkeyed(module: str) -> str:
    """A module address without the keys of its instances."""
    return re.sub(_KEY, "", module) if "[" in module else module


@lru_cache(maxsize=4096)
def calls(module: str) -> tuple[Call, ...]:
    """The modules of a module address, outermost first; none for the root."""
    if not module:
        return ()
    modules, position = [], 0
    at = re.compile(_MODULE).match
    while match := at(module, position):
        bracket = match[2]
        key = None if bracket is None else steps(bracket)[0].key
        modules.append(Call(module[: match.end()].removesuffix("."), match[1], key))
        position = match.end()
    return tuple(modules)


def parent(module: str) -> str:
    """The address of the calling module."""
    path = calls(module)
    return path[-2].address if len(path) > 1 else ""


def bracketed(key: Key) -> str:
    """An instance key as Terraform writes it after an address."""
    if key is None:
        return ""
    return f"[{key}]" if isinstance(key, int) else f"[{json.dumps(key, ensure_ascii=False)}]"


def _number(digits: str) -> Key:
    """The number of an instance. One of so many digits has none."""
    return int(digits) if len(digits) <= _MOST_DIGITS else digits


def _unquoted(quoted: str) -> str:
    return re.sub(r"\\(.)", r"\1", quoted)


Tree: TypeAlias = Mapping[str, object]

NOTHING: Tree = {}


def tree(content: object) -> Tree:
    """The content if it is an object, else an empty one."""
    return content if isinstance(content, dict) else NOTHING


def trees(content: object) -> Sequence[Tree]:
    """The objects among the items of a list."""
    return [item for item in content if isinstance(item, dict)] if isinstance(content, list) else []


class Configuration:
    """Modules with their resources and calls, by module address."""

    def __init__(self, content: Tree) -> None:
        self.providers = tree(content.get("provider_config"))
        self._root = tree(content.get("root_module"))
        self._modules: dict[str, Tree] = {"": self._root}
        self._resources: dict[int, dict[tuple[str, str, str], Tree]] = {}

    @property
    def root(self) -> Tree:
        """The root module."""
        return self._root

    def provider_key(self, configured: Tree) -> str:
        """The key of the provider configuration of a resource."""
        key = str(configured.get("provider_config_key", ""))
        return self._inherited.get(key, key)

    @cached_property
    def _inherited(self) -> Mapping[str, str]:
        """The root's configuration, by the keys that stand for it.

        Terraform gives a module a key of its own, without a configuration, if a module between it and the root has
        no resource of the provider. It is the default configuration if the provider has no other.
        """
        own: dict[object, set[str]] = {}
        handed_down = {}
        for key, provider in self.providers.items():
            known = tree(provider)
            type_ = known.get("full_name")
            if not isinstance(type_, str):
                continue
            if ":" in key and "." not in key.rpartition(":")[2] and "expressions" not in known:
                handed_down[key] = type_
            else:
                own.setdefault(type_, set()).add(key)
        defaults = {key: key.rpartition(":")[2] for key in handed_down}
        return {key: name for key, name in defaults.items() if own.get(handed_down[key], set()) <= {name}}

    def module(self, address: str) -> Tree:
        """A module. All its instances have the same."""
        module = self._modules.get(address)
        if module is None:
            plain = unkeyed(address)
            module = self._modules.get(plain)
            if module is None:
                module = self._root
                for call in calls(plain):
                    module = tree(tree(tree(module.get("module_calls")).get(call.name)).get("module"))
                self._modules[plain] = module
            self._modules[address] = module
        return module

    def call(self, address: str) -> Tree:
        """The call of a module."""
        path = calls(address)
        above = self.module(path[-2].address if len(path) > 1 else "")
        return tree(tree(above.get("module_calls")).get(path[-1].name))

    def resource(self, module: str, mode: str, type_: str, name: str) -> Tree | None:
        """A resource as it is written; None if the configuration does not have it."""
        content = self.module(module)
        index = self._resources.get(id(content))
        if index is None:
            index = {
                (str(item.get("mode")), str(item.get("type")), str(item.get("name"))): item
                for item in trees(content.get("resources"))
            }
            self._resources[id(content)] = index
        return index.get((mode, type_, name))
