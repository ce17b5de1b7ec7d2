"""YAML in other words: the same document in another style, made from the events of its parser.

Quotes, escapes, explicit keys, tags, anchors, flow style, block scalars, comments, odd line ends, indentation, the
order of keys, and short or long names of functions: none of them changes what a template means.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TypeAlias

import yaml
from yaml.events import (
    AliasEvent,
    MappingEndEvent,
    ScalarEvent,
    SequenceEndEvent,
    SequenceStartEvent,
)

from tablegate.syntax.yaml.scalars import long_form, resolve

CORE = "tag:yaml.org,2002:"


@dataclass
class Text:
    """A scalar. A plain one may be a number."""

    value: str
    tag: str | None = None
    plain: bool = False


@dataclass
class Items:
    """A sequence."""

    tag: str | None = None
    items: list[Tree] = field(default_factory=list)


@dataclass
class Members:
    """A mapping."""

    tag: str | None = None
    items: list[tuple[Text, Tree]] = field(default_factory=list)


Tree: TypeAlias = "Text | Items | Members"
LIBERTIES = (
    *("flow", "escape", "join", "block", "explicit", "tag", "anchor"),
    *("comment", "blank", "shuffle", "long", "odd"),
)
BREAKS = ("\r\n", "\r", "\x85", "\u2028", "\u2029")
COMMENTS = ("Resources: {", '"', "Type: AWS::S3::Bucket", "- [", "\u00e9", "plain", "'", "{{ x }}", "<<: *a", "\\u0041")
_PLAIN = re.compile(r"[A-Za-z_](?:[A-Za-z0-9_./-]|:(?=[A-Za-z0-9:])|[ ](?=[A-Za-z0-9_/]))*")
_PLAIN_IN_FLOW = re.compile(r"[A-Za-z_][A-Za-z0-9_./-]*")
_BLOCK = re.compile(r"[!-~](?:[ -~]|\n(?! ))*")
_ESCAPED = {"\n": "\\n", "\t": "\\t", '"': '\\"', "\\": "\\\\"}


def tree_of(text: str) -> Tree:
    """The only document of a text. Raises an error of PyYAML, or a ValueError for what cannot be written again."""
    events = yaml.parse(text, Loader=yaml.CSafeLoader)
    next(events), next(events)
    root = _tree(next(events), events, {})
    if [type(event) for event in events] != [yaml.DocumentEndEvent, yaml.StreamEndEvent]:
        raise ValueError("more than one document")
    return root


def _tree(event: yaml.Event, events: Iterator[yaml.Event], anchors: dict[str, Tree]) -> Tree:
    made: Tree
    if isinstance(event, AliasEvent):
        return anchors[event.anchor]
    if isinstance(event, ScalarEvent):
        made = Text(event.value, event.tag, not event.style and event.tag is None)
    elif isinstance(event, SequenceStartEvent):
        made = Items(event.tag)
        while not isinstance(inner := next(events), SequenceEndEvent):
            made.items.append(_tree(inner, events, anchors))
    else:
        made = Members(event.tag)
        while not isinstance(inner := next(events), MappingEndEvent):
            key = _tree(inner, events, anchors)
            made.items.append((key if isinstance(key, Text) else _refused(), _tree(next(events), events, anchors)))
    if event.anchor:
        anchors[event.anchor] = made
    return made


def _refused() -> Text:
    raise ValueError("a key that is no text")


def rewritten(root: Tree, chance: random.Random) -> bytes:
    """Another spelling of a document."""
    text = _Writer(chance).document(root)
    encoding = chance.choices(("utf-8", "utf-8-sig", "utf-16"), (12, 1, 1))[0]
    return text.encode(encoding)


class _Writer:
    def __init__(self, chance: random.Random) -> None:
        self._chance = chance
        # How often each liberty is taken: most texts take few of them, so that none hides another.
        few = chance.sample(LIBERTIES, k=chance.choice((0, 1, 1, 2, 3, len(LIBERTIES))))
        self._rates = {name: chance.choice((0.05, 0.3, 1)) if name in few else 0.0 for name in LIBERTIES}
        self._anchors = 0
        self._keeps_lines = False

    def document(self, root: Tree) -> str:
        """The text of the whole document."""
        chance = self._chance
        is_flow = isinstance(root, Text) or self._takes("flow")
        head = chance.choice(("", "", "", "---\n", "%YAML 1.1\n---\n", "# first\n", "\n")) if not is_flow else "--- "
        if is_flow:
            text = f"{head}{self._properties(root)}{self._flow(root, 1)}\n"
        else:
            properties = self._properties(root).strip()
            head = f"--- {properties}\n" if properties else head
            text = head + self._block(root, chance.choice((0, 0, 0, 2)))
        text += chance.choice(("", "", "", "...\n", "# last\n"))
        return self._with_breaks(text)

    def _takes(self, name: str) -> bool:
        rate = self._rates[name]
        return bool(rate) and self._chance.random() < rate

    def _with_breaks(self, text: str) -> str:
        """The text with other line ends."""
        if not self._takes("odd"):
            return text
        breaks = BREAKS[:3] if self._keeps_lines else BREAKS
        if self._chance.random() < 0.5:
            one = self._chance.choice(breaks)
            return text.replace("\n", one)
        often = self._chance.choice((0.05, 0.5))
        return "".join(
            self._chance.choice(breaks) if sign == "\n" and self._chance.random() < often else sign for sign in text
        )

    def _block(self, node: Tree, indent: int) -> str:
        """The lines of a collection."""
        lines = []
        for key, value in self._entries(node):
            lines.append(self._between(indent))
            if key is None:
                lines.append(f"{' ' * indent}-{self._after(value, indent)}")
            elif self._takes("explicit"):
                lines.append(f"{' ' * indent}?{self._scalar_after(key, indent)}")
                lines.append(f"{' ' * indent}:{self._after(value, indent)}")
            else:
                colon = " :" if self._takes("blank") else ":"
                lines.append(f"{' ' * indent}{self._key(key)}{colon}{self._after(value, indent)}")
        return "".join(lines)

    def _entries(self, node: Tree) -> list[tuple[Text | None, Tree]]:
        if isinstance(node, Items):
            return [(None, item) for item in node.items]
        assert isinstance(node, Members)
        entries: list[tuple[Text | None, Tree]] = [(key, value) for key, value in node.items]
        if self._takes("shuffle"):
            self._chance.shuffle(entries)
        return entries

    def _between(self, indent: int) -> str:
        if self._takes("comment"):
            return f"{' ' * self._chance.choice((0, indent, indent + 3))}# {self._chance.choice(COMMENTS)}\n"
        return "\n" if self._takes("blank") else ""

    def _after(self, node: Tree, indent: int) -> str:
        """A value after its indicator, to the end of its lines."""
        node = self._in_long_form(node)
        if isinstance(node, Text):
            return self._scalar_after(node, indent)
        properties = self._properties(node)
        if not node.items or self._takes("flow"):
            return f" {properties}{self._flow(node, indent + 1)}{self._end()}"
        deeper = indent + self._chance.choice((1, 2, 2, 4))
        return f"{' ' * bool(properties)}{properties.rstrip()}{self._end()}{self._block(node, deeper)}"

    def _scalar_after(self, node: Text, indent: int) -> str:
        properties = self._properties(node)
        if self._takes("block") and self._is_text(node) and _BLOCK.fullmatch(node.value):
            self._keeps_lines = True
            style = self._chance.choice("|>") if "\n" not in node.value else "|"
            chomp = "-" if not node.value.endswith("\n") else "" if not node.value.endswith("\n\n") else "+"
            lines = "".join(f"{' ' * (indent + 2)}{line}\n" if line else "\n" for line in _lines(node.value))
            return f" {properties}{style}{chomp}\n{lines}"
        return f" {properties}{self._scalar(node, indent + 2, in_flow=False, is_key=False)}{self._end()}"

    def _end(self) -> str:
        return f"  # {self._chance.choice(COMMENTS)}\n" if self._takes("comment") else "\n"

    def _key(self, key: Text) -> str:
        return self._properties(key) + self._scalar(key, 0, in_flow=False, is_key=True)

    def _flow(self, node: Tree, indent: int) -> str:
        """A node in flow style, without its properties."""
        if isinstance(node, Text):
            return self._scalar(node, indent, in_flow=True, is_key=False)
        parts = []
        for key, entry in self._entries(node):
            value = self._in_long_form(entry)
            written = self._properties(value) + self._flow(value, indent + 1)
            gap = self._gap(indent)
            if key is not None:
                name = self._properties(key) + self._scalar(key, indent, in_flow=True, is_key=True)
                explicit = "? " if self._takes("explicit") else ""
                written = f"{explicit}{name}{' ' if explicit else ''}: {written}"
            parts.append(gap + written)
        opened, closed = "[]" if isinstance(node, Items) else "{}"
        return f"{opened}{','.join(parts)}{self._gap(indent)}{closed}"

    def _gap(self, indent: int) -> str:
        if self._takes("comment"):
            return f" # {self._chance.choice(COMMENTS)}\n{' ' * indent}"
        return f"\n{' ' * indent}" if self._takes("blank") else " "

    def _properties(self, node: Tree) -> str:
        """The tag and the anchor of a node, each with a blank behind it."""
        parts = []
        tag = node.tag
        if tag is None and self._takes("tag"):
            tag = self._own_tag(node)
        if tag is not None:
            parts.append(self._tag(tag))
        if self._takes("anchor"):
            self._anchors += 1
            parts.insert(self._chance.choice((0, len(parts))), f"&a{self._anchors}")
        return "".join(f"{part} " for part in parts)

    def _own_tag(self, node: Tree) -> str | None:
        if isinstance(node, Items):
            return CORE + "seq"
        if isinstance(node, Members):
            return CORE + "map"
        if self._is_text(node):
            return CORE + "str"
        try:
            value = resolve(node.value)
        except ValueError:
            return None
        kind = {bool: "bool", int: "int"}.get(type(value))
        return None if kind is None else CORE + kind

    def _tag(self, tag: str) -> str:
        if self._takes("escape") and tag.startswith("!") and len(tag) > 1:
            at = self._chance.randrange(1, len(tag))
            return f"{tag[:at]}%{ord(tag[at]):02X}{tag[at + 1 :]}"
        if self._takes("tag"):
            return f"!<{tag}>" if tag != "!" else tag
        return tag if not tag.startswith(CORE) else f"!!{tag.removeprefix(CORE)}"

    def _in_long_form(self, node: Tree) -> Tree:
        """A short form of CloudFormation as a mapping, now and then."""
        form = long_form(node.tag) if node.tag is not None and node.tag != "!" else None
        if form is None or not self._takes("long") or form.startswith("Rain"):
            return node
        if isinstance(node, Text):
            parts = node.value.split(".", 1)
            whole = Text(node.value)
            inner: Tree = Items(None, [Text(part) for part in parts]) if form == "Fn::GetAtt" else whole
        elif isinstance(node, Items):
            inner = Items(None, node.items)
        else:
            inner = Members(None, node.items)
        return Members(None, [(Text(form, plain=True), inner)])

    def _is_text(self, node: Text) -> bool:
        try:
            return not node.plain or resolve(node.value) == node.value
        except ValueError:  # a number that is refused
            return False

    def _scalar(self, node: Text, indent: int, *, in_flow: bool, is_key: bool) -> str:
        value = node.value
        if not self._is_text(node):
            return value
        if self._takes("escape") or (self._takes("join") and not is_key):
            return self._double(value, indent, is_key=is_key)
        pattern = _PLAIN_IN_FLOW if in_flow else _PLAIN
        may_be_plain = pattern.fullmatch(value) is not None and self._is_text(Text(value, plain=True))
        single = value.isprintable() and value.isascii()
        styles = ["plain"] * 3 * may_be_plain + ["single"] * single + ["double"]
        style = self._chance.choice(styles)
        if style == "plain":
            return value
        return (
            f"'{value.replace(chr(39), chr(39) * 2)}'"
            if style == "single"
            else self._double(value, indent, is_key=is_key)
        )

    def _double(self, value: str, indent: int, *, is_key: bool) -> str:
        signs = []
        often = self._chance.choice((0.1, 0.3, 1)) if self._rates["escape"] else 0
        joins = 0.2 if self._rates["join"] and not is_key else 0
        joined = False
        for sign in value:
            must = not sign.isprintable() or sign in _ESCAPED or (joined and sign == " ")
            if must and sign in _ESCAPED and self._chance.random() > often:
                signs.append(_ESCAPED[sign])
            elif must or self._chance.random() < often:
                signs.append(self._escape(sign))
            else:
                signs.append(sign)
            joined = self._chance.random() < joins
            if joined:
                signs.append(f"\\\n{' ' * indent}")
        return f'"{"".join(signs)}"'

    def _escape(self, sign: str) -> str:
        code = ord(sign)
        forms = [f"\\U{code:08x}"]
        if code < 0x10000:
            forms.append(f"\\u{code:04X}")
        if code < 0x100:
            forms.append(f"\\x{code:02x}")
        return self._chance.choice(forms)


def _lines(value: str) -> list[str]:
    return value.removesuffix("\n").split("\n") if not value.endswith("\n\n") else value.split("\n")[:-1]
