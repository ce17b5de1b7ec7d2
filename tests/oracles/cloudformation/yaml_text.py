"""Writes a template as YAML, in short and long forms and in the odd styles that people and tools use."""

from __future__ import annotations

import json
import re
from random import Random
from typing import Any

from oracles.cloudformation.case import Tree, maybe

PLAIN = re.compile(r"[A-Za-z][A-Za-z0-9/_.-]*( [A-Za-z0-9]+)*")
WORDS = frozenset({"yes", "no", "true", "false", "on", "off", "null", "y", "n", "~"})
FLAGS = {True: ("true", "True", "TRUE", "yes", "on", "Yes"), False: ("false", "False", "no", "off", "No")}
_LONG = ("Fn::ForEach", "Fn::Transform")


def yaml_text(random: Random, template: Tree) -> str:
    """The template as YAML."""
    writer = _Writer(random)
    head = random.choice(["", "---\n", "# written by hand\n"])
    return head + "".join(f"{key}:{writer.block(value, 2)}" for key, value in template.items())


def _is_plain(text: str) -> bool:
    return PLAIN.fullmatch(text) is not None and text.lower() not in WORDS


def _short(value: Any) -> str | None:
    """The name of the function that a mapping is, if it has a short form."""
    if not isinstance(value, dict) or len(value) != 1:
        return None
    name: str = next(iter(value))
    has_short = name in ("Ref", "Condition") or (name.startswith("Fn::") and not name.startswith(_LONG))
    return name if has_short else None


class _Writer:
    def __init__(self, random: Random) -> None:
        self.random = random

    def block(self, value: Any, indent: int) -> str:
        """What stands behind a key or a dash, with its line breaks."""
        if not isinstance(value, (dict, list)) or not value or maybe(self.random, 0.12):
            return f" {self._flow(value)}\n"
        name = _short(value)
        if name is not None and maybe(self.random, 0.7) and _short(value[name]) is None:
            return self._tagged(name, value[name], indent)
        pad = " " * indent
        if isinstance(value, dict):
            return "\n" + "".join(f"{pad}{self._key(key)}:{self.block(it, indent + 2)}" for key, it in value.items())
        return "\n" + "".join(f"{pad}-{self._item(item, indent)}" for item in value)

    def _key(self, key: str) -> str:
        return key if _is_plain(key) and maybe(self.random, 0.9) else json.dumps(key)

    def _item(self, value: Any, indent: int) -> str:
        text = self.block(value, indent + 2)
        compact = isinstance(value, dict) and text.startswith("\n") and maybe(self.random, 0.6)
        return f" {text[1:].lstrip(' ')}" if compact else text

    def _tagged(self, name: str, argument: Any, indent: int) -> str:
        tag = f" !{name.removeprefix('Fn::')}"
        if isinstance(argument, (dict, list)) and argument:
            return tag + self.block(argument, indent)
        return f"{tag} {self._flow(argument)}\n"

    def _flow(self, value: Any) -> str:
        name = _short(value)
        if name is not None and maybe(self.random, 0.7) and not isinstance(value[name], dict):
            return self._short_flow(name, value[name])
        if isinstance(value, dict):
            return "{" + ", ".join(f"{json.dumps(key)}: {self._flow(item)}" for key, item in value.items()) + "}"
        if isinstance(value, list):
            return "[" + ", ".join(map(self._flow, value)) + "]"
        return self._scalar(value)

    def _short_flow(self, name: str, argument: Any) -> str:
        if name == "Fn::GetAtt" and isinstance(argument, list) and all(isinstance(it, str) for it in argument):
            return f"!GetAtt {json.dumps('.'.join(argument))}"
        text = json.dumps(argument) if isinstance(argument, str) else self._flow(argument)
        return f"!{name.removeprefix('Fn::')} {text}"

    def _scalar(self, value: Any) -> str:
        if isinstance(value, bool):
            return self.random.choice(FLAGS[value])
        if isinstance(value, int):
            forms = [str(value), f"!!int {value}", f"0x{value:x}" if value > 9 else str(value)]
            return self.random.choice(forms) if value >= 0 else str(value)
        if isinstance(value, str):
            forms = [json.dumps(value), "'" + value.replace("'", "''") + "'"]
            return self.random.choice([*forms, value, value] if _is_plain(value) else forms)
        return json.dumps(value)
