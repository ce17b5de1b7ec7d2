"""A kept speed layer: the resources of a template, read line by line.

Nearly every line of a template is complete in itself: a key, a short value, an item of a list. Such lines become nodes
without a parser, and what a line means is remembered, because the same lines recur. A resource with any other
line (an anchor, a block scalar, a quote that spans lines) is left to libyaml, at its place in the file; so is the whole
file if such a line can reach beyond its resource. Of resources whose type is not needed only the ``Type`` is read.

- It never guesses: a line that it does not know completely raises ``UnclearError``, and libyaml reads the resource.
- Errors inside a resource that is not needed are not found.
- It buys: `make bench`, row "check of 4.7 MB of YAML": 1.8 times as fast as with libyaml alone.
- It is held to the plain reader by tests/syntax/yaml/test_line_reader.py and test_line_reader_pruning.py, which compare
  its nodes and places with those of libyaml's events, also on generated templates.
- To switch it off, let ``parse_yaml`` in this package return ``document_of(text)`` always.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from functools import cache
from typing import Any, TypeAlias

from tablegate.model.record import record
from tablegate.syntax.node import Node, Scalar
from tablegate.syntax.yaml.scalars import FIRST, WORDS, long_form, resolve

_MAX_DEPTH = 30  # levels
_MAX_KEY = 200  # characters; libyaml allows 1024
_KNOWN_LINES = 8192  # cached

# A plain scalar begins with one of these characters; inside it only ": " and " #" have a meaning.
_WORD = r"[A-Za-z0-9_./$](?:[A-Za-z0-9_./$\-]++|:(?=[A-Za-z0-9_./$\-:]))*+"
_PLAIN = r"(?P<plain>[A-Za-z0-9_./$](?:[^:#]++|:(?=\S)|(?<=\S)#)*+)"
_QUOTED = r""""[^"\\]*+"|'[^']*+'"""
_TAG = r"(?:(?P<tag>![A-Za-z0-9:]++)(?: ++|$))?+"
_LINE = re.compile(
    rf" *+(?P<dashes>(?:- ++){{0,4}}+)(?:(?P<key>{_WORD}):(?: ++|$))?+"
    rf"{_TAG}(?P<value>{_QUOTED}|{_PLAIN}|\[(?P<items>[^\[\]]*+)\])?+ *+(?:(?<![^ ])#.*+)?+"
)
_SIMPLE = re.compile(
    r"(?:(?P<tag>![A-Za-z:]++) )?+"
    r"""(?P<value>"[ !#-\[\]-~]*+"|'[ -&(-~]++'|(?P<plain>[A-Za-z0-9_./$](?:[ !"$-9;-~]++|:(?=[!-~]))*+))"""
)  # what most values are
_ITEM = re.compile(rf" *+{_TAG}(?P<value>{_QUOTED}|(?P<plain>{_WORD})) *+(?P<more>,|$)")

_Value: TypeAlias = "tuple[Any, int, int | None]"
"""A scalar, a list of such values, or a function as its name and value; with its column and its end."""

_At: TypeAlias = "tuple[int, int] | None"
"""Column and end of a key."""

_Opening: TypeAlias = "tuple[int, tuple[tuple[type, int, int], ...], str | None, _At]"
"""The beginning of a line: its depth, the containers that its dashes open, its key and the key's place."""


class UnclearError(Exception):
    """A line that cannot be read by itself."""


_Line: TypeAlias = "tuple[int, tuple[tuple[type, int, int], ...], str | None, Any, int, int | None, bool, bool]"
"""A line as a tuple, which is quick to unpack: its depth; the containers that its dashes open, each with kind,
column and depth; its key; a scalar or another value, with column and end; whether it is a scalar;
whether its content is on the lines below.

The depth is twice the indentation, plus one for an item: items of a list may have the indentation of the list's key."""


def read_block(lines: Iterable[str], first: int, indent: int) -> dict[str, Node]:  # noqa: C901, PLR0912 - for speed
    """The lines as a mapping with this indentation. ``first`` is the number of the first line."""
    top: dict[str, Node] = {}
    content, current, stack = top, 2 * indent, [(top, -1)]  # type: Any, int, list[tuple[Any, int]]
    waiting: Node | None = None  # its content is on the lines below
    for number, line in enumerate(map(_LINES.__getitem__, lines), first):
        if line is None:
            continue
        depth, inner, key, stated, start, end, is_scalar, is_open = line
        if waiting is not None:
            if depth <= current or len(stack) > _MAX_DEPTH:
                raise UnclearError
            stack.append((content, current))
            waiting.content = content = [] if depth % 2 else {}
            current, waiting = depth, None
        elif depth != current:
            while depth < current:
                content, current = stack.pop()
            if depth != current:
                raise UnclearError
        if inner:
            for kind, at, deeper in inner:
                stack.append((content, current))
                begun = kind()
                content.append(Node(begun, number, at))
                content, current = begun, deeper
        node = Node(stated, number, start, end) if is_scalar else _node_of(stated, number)
        if key is None:
            content.append(node)
        elif key in content:
            raise UnclearError
        else:
            content[key] = node
        if is_open:
            waiting = node if is_scalar else _tagged(node)
    if waiting is not None:
        raise UnclearError
    return top


def is_closed(line: str) -> bool:
    """Whether the line closes its quotes and brackets; False if that is not certain."""
    match = _LINE.fullmatch(line)
    if match is None or match["items"] is None:
        return match is not None
    try:
        _items(line, *match.span("items"))
    except UnclearError:
        return False
    return True


def _tagged(node: Node) -> Node:
    """The value of a short tag."""
    (inner,) = node.content.values()  # type: ignore[union-attr]
    return inner


def _node_of(value: _Value, number: int) -> Node:
    """The value as nodes on this line."""
    content, start, end = value
    kind = content.__class__
    if kind is tuple:
        name, inner = content
        content = {name: _node_of(inner, number)}
    elif kind is list:
        content = [_node_of(part, number) for part in content]
    return Node(content, number, start, end)


class _Lines(dict[str, "_Line | None"]):
    """A cache of lines, emptied when it is full. Values are immutable, so threads may share it."""

    def __missing__(self, text: str) -> _Line | None:
        if len(self) >= _KNOWN_LINES:
            self.clear()
            _OPENINGS.clear()
        line = self[text] = _parsed_line(text)
        return line


_LINES = _Lines()
_OPENINGS: dict[str, _Opening] = {}  # by the text before the value


def _parsed_line(text: str) -> _Line | None:
    """The meaning of a line; None if it is empty or a comment. Often only the value is new."""
    before, sign, rest = text.partition(": ")
    if not sign:
        before, sign, rest = text.partition("- ")
    opening = _OPENINGS.get(before + sign)
    match = None if opening is None else _SIMPLE.fullmatch(rest)
    if opening is None or match is None:
        return _parsed_new_line(text)
    depth, inner, key, at = opening
    own, behind = len(before) + 2, match.start("value")
    stated = _scalar(match.groups(), own + behind, own, at)
    content, start, end = stated
    return depth, inner, key, stated if behind else content, start, end, not behind, False


def _parsed_new_line(text: str) -> _Line | None:
    """The meaning of a line with a new beginning, or with a value that is not simple."""
    match = _LINE.fullmatch(text)
    if match is None or not text.isprintable():
        raise UnclearError
    dashes, key, tag, value, plain, items = match.groups()
    before = match.end("dashes")
    if key is None and not dashes:
        if tag or value:
            raise UnclearError
        return None
    if key in WORDS or (key is not None and len(key) > _MAX_KEY):
        raise UnclearError
    at = None if key is None else (before + 1, before + 1 + len(key))
    if not value:
        stated = _open_value(match, tag, at)
    elif items is None:
        stated = _scalar((tag, value, plain), match.start("value"), match.start("tag"), at)
    else:
        stated = _flow_list(match, tag, at)
    content, start, end = stated
    is_scalar = tag is None and items is None
    indent = before - len(dashes)
    depth, inner = (2 * indent + 1, _containers(dashes, indent, key)) if dashes else (2 * indent, ())
    if at is not None or dashes == "- ":
        _OPENINGS[text[:before] if at is None else f"{text[: at[1] - 1]}: "] = depth, inner, key, at
    return depth, inner, key, content if is_scalar else stated, start, end, is_scalar, not value


def _containers(dashes: str, start: int, key: str | None) -> tuple[tuple[type, int, int], ...]:
    """The containers that the dashes of a line open."""
    inner: list[tuple[type, int, int]] = []
    if "-" in dashes[1:]:
        inner += [(list, at + 1, 2 * at + 1) for at, sign in enumerate(dashes[1:], start + 1) if sign == "-"]
    if key is not None:
        inner.append((dict, start + len(dashes) + 1, 2 * (start + len(dashes))))
    return tuple(inner)


def _open_value(match: re.Match[str], tag: str | None, at: _At) -> _Value:
    """The value of a key whose content is on the lines below."""
    if at is None:
        raise UnclearError
    return None if tag is None else (_form(tag), (None, match.start("tag") + 1, None)), *at


def _flow_list(match: re.Match[str], tag: str | None, at: _At) -> _Value:
    """A list in brackets. A value that is not a scalar has the place of its key."""
    start, end = match.start("value") + 1, match.start("value") + 2
    own = (start if tag is None else match.start("tag") + 1, end)
    held = _items(match.string, *match.span("items"))
    return (held, *(at or own)) if tag is None else ((_form(tag), (held, *own)), *(at or own))


def _items(text: str, start: int, end: int) -> list[_Value]:
    items: list[_Value] = []
    more = bool(text[start:end].strip(" "))
    while more:
        match = _ITEM.match(text, start, end)
        if match is None:
            raise UnclearError
        tag, value, plain, _ = match.groups()
        items.append(_scalar((tag, value, plain), match.start("value"), match.start("tag"), None))
        start, more = match.end(), bool(match["more"])
    return items


def _scalar(groups: tuple[str | Any, ...], start: int, before: int, at: _At) -> _Value:
    """A scalar from the groups tag, value and plain; the starts of the value and of the tag."""
    tag, value, plain = groups
    text = value[1:-1] if plain is None else plain.rstrip(" ")
    end = start + 1 + len(value if plain is None else text)
    if tag is None:
        return _resolved(text) if plain is not None and text[0] in FIRST else text, start + 1, end
    own, form = (before + 1, end), _form(tag)
    content: Any = [(part, *own) for part in text.split(".", 1)] if form == "Fn::GetAtt" else text
    return (form, (content, *own)), *(at or own)


def _resolved(text: str) -> Scalar:
    try:
        return resolve(text)
    except ValueError:
        raise UnclearError from None


def _form(tag: str) -> str:
    form = long_form(tag)
    if form is None:
        raise UnclearError
    return form


SECTION = "Resources"

# Parts that end on their line. A plain scalar that begins with one of these characters is text up to " #" or ": ",
# with quotes and brackets; inside brackets a quote counts only where a scalar can begin.
_QUOTED_IN_LINE = r"""(?:"(?:[^"\\\n]|\\[^\n])*+"|'(?:[^'\n]|'')*+')"""
_PLAIN_IN_LINE = r"[A-Za-z0-9_./$](?:[^\n:#]++|:(?=\S)|(?<=\S)#)*+"
_OPTIONAL_TAG = r"(?:![A-Za-z0-9:]++ ++)?+"

_SAFE = r"""[^\n#"'\[{|>&*]*+"""
_ODD_LINE = re.compile(rf"""\n({_SAFE}[#"'\[{{|>&*][^\n]*+)""")
_COMMENT = re.compile(rf"""(?:{_SAFE}(?<= ))?+#.*+""")
_RESOURCES = re.compile(rf"^{SECTION}: *+\n(?: *+(?:#[^\n]*+)?\n)*+( ++)(?=[A-Za-z0-9])", re.MULTILINE)
_ORDINARY = bytes(range(0x20, 0x7F)) + b"\n"
_NO_NAMES = {None, *WORDS}


@record(kw_only=False)
class Piece:
    """Lines of a text, with the number of the first."""

    line: int
    text: str


@record(kw_only=False)
class Extracted:
    """The resources that were extracted from a text, and the rest of it.

    If there are any, the first piece is before the section ``Resources``, the second opens it, the last follows it.
    """

    pieces: list[Piece]
    resources: dict[str, Node]

    @property
    def text(self) -> str:
        """The rest, on its lines."""
        parts: list[str] = []
        line = 1
        for piece in self.pieces:
            if piece.line > line:
                parts += ["#", "\n" * (piece.line - line)]
            parts.append(piece.text)
            line = piece.line + piece.text.count("\n")
        return "".join(parts)


def extract_resources(text: str, wanted: Callable[[str], bool]) -> Extracted:
    """The resources that can be read by lines. Of types that are not wanted only the ``Type`` is read."""
    section = _RESOURCES.search(text)
    extracted = None if section is None else _extract(text, section, wanted)
    return extracted or Extracted([Piece(1, text)], {})


def _extract(text: str, section: re.Match[str], wanted: Callable[[str], bool]) -> Extracted | None:
    left = _before(text, section)
    resources: dict[str, Node] = {}
    names: list[str | None] = []
    unchecked: list[str] = []  # lines that may open what they do not close
    line, stop, column = left[-1].line + left[-1].text.count("\n"), section.start(1), len(section[1]) + 1
    search = _head(len(section[1])).search
    head = search(text, stop - 1)
    while head is not None and head.end() > head.start() + 1:  # a line at the margin is the next section
        start, (name, indent, type_) = stop, head.groups()
        is_read = type_ is not None and wanted(type_)
        known = head.end() if type_ is None or is_read else _end_of_plain(text, head.end(), indent)
        following = search(text, known)
        stop = len(text) if following is None else following.start() + 1
        lines = text[start:stop].split("\n") if is_read else []
        body: dict[str, Node] | None = None
        if is_read:
            body = _read(lines[1:], line + 1, indent)
        elif type_ is not None and (known >= stop - 1 or not _stray(len(indent)).search(text, known, stop)):
            unchecked.append(text[known:stop])
            body = _type_of(head, line + 1)
        if body is None:
            left.append(Piece(line, text[start:stop]))
        else:
            resources[name] = Node(body, line, column, column + len(name))
        names.append(name)
        line += len(lines) - 1 if is_read else text.count("\n", start, stop)
        head = following
    left.append(Piece(line, text[stop:]))
    rest = "".join([*(piece.text for piece in left), *unchecked])
    is_certain = _are_names(names) and _is_ordinary(rest) and _closes_every_line(rest)
    return Extracted(left, resources) if resources and is_certain else None


def _before(text: str, section: re.Match[str]) -> list[Piece]:
    """The text before the resources, and the line that opens them."""
    before, opening = text[: section.start()], text[section.start() : section.start(1)]
    return [Piece(1, before), Piece(1 + before.count("\n"), opening)]


def _are_names(names: list[str | None]) -> bool:
    """Whether all resources have a name, and no two the same."""
    return len({*names}) == len(names) and _NO_NAMES.isdisjoint(names)


def _read(lines: Iterable[str], line: int, indent: str) -> dict[str, Node] | None:
    """The members of a wanted resource; None if a line is unclear."""
    try:
        return read_block(lines, line, len(indent))
    except UnclearError:
        return None


def _end_of_plain(text: str, start: int, indent: str) -> int:
    """The end of the lines of a resource that need not be read."""
    plain = _plain(len(indent)).match(text, start)
    return start if plain is None else plain.end()


def _type_of(head: re.Match[str], line: int) -> dict[str, Node]:
    """The ``Type`` of a resource that is not wanted."""
    (start, end), before = head.span("type"), head.start("indent") - 1
    return {"Type": Node(head["type"], line, start - before, end - before)}


def _is_ordinary(text: str) -> bool:
    """Whether there are no tabs, no line ends but line feeds, and no control characters."""
    return text.encode().translate(None, _ORDINARY).decode().isprintable()


def _closes_every_line(text: str) -> bool:
    """Whether no quote, bracket or anchor extends beyond its line."""
    return all(
        is_closed(line) or _COMMENT.fullmatch(line) or _closing().fullmatch(line)
        for line in set(_ODD_LINE.findall("\n" + text))
    )


@cache
def _closing() -> re.Pattern[str]:
    """A line that closes all that it opens. Few templates need it, and it is slow to compile."""
    flow = _flow("|" + _flow(""))  # deeper nesting is rare
    key = rf"(?:{_WORD}|{_QUOTED_IN_LINE}):(?![^ \n]) *+"
    node = rf"{_OPTIONAL_TAG}(?:{_QUOTED_IN_LINE}|{flow}|[|>][-+0-9]{{0,2}}|{_PLAIN_IN_LINE})"
    return re.compile(rf" *+(?:- ++)*+(?:{key})?+(?:{node})?+ *+(?:(?<= )#[^\n]*+)?")


def _flow(inner: str) -> str:
    item = rf"{_OPTIONAL_TAG}(?:{_QUOTED_IN_LINE}|{_WORD}{inner})"
    pair = rf"(?:{_QUOTED_IN_LINE}|{_WORD}): ++{item}"
    return rf"(?:\[ *+(?:{item} *+(?:, *+{item} *+)*+)?+\]|\{{ *+(?:{pair} *+(?:, *+{pair} *+)*+)?+\}})"


@cache
def _head(indent: int) -> re.Pattern[str]:
    """A line at the indentation of the resources' names or less, with the type if it fills the next line."""
    name = r"(?P<name>[A-Za-z0-9]++(?:::[A-Za-z0-9]++)*+):(?=[ \n])"
    type_ = r"(?P<type>[A-Za-z][A-Za-z0-9]*+(?:::[A-Za-z0-9@_-]++)*+) *+(?=\n)"
    resource = rf" *+\n(?P<indent> {{{indent + 1},}}+)Type: ++{type_}(?!\n(?: *+\n)*+(?P=indent) )"
    return re.compile(rf"\n {{0,{indent}}}+(?=[^ \n#])(?:(?<=\n {{{indent}}}){name}(?:{resource})?+)?+")


@cache
def _plain(indent: int) -> re.Pattern[str]:
    """Ordinary members of a resource: no type, and each line closes what it opens."""
    end, quoted = r"(?![^\n])", r"""(?:"[ !#-\[\]-~]*+"|'[ -&(-~]*+')"""
    characters = r"[ !$%()+-=?-Z\\-z}~]*+"
    safe = rf"{characters}(?:(?<= )#[ -~]*+)?+{end}"
    text = rf" *+(?:- ++)*+(?:{_WORD}: ++)?+{_OPTIONAL_TAG}{quoted} *+{end}"
    most = rf" {{{indent}}}[ A-SU-Za-z]{characters}(?=\n)"
    member = rf" {{{indent}}}(?=[ A-SU-Za-z]|T(?!ype\b))(?:{safe}|{text})"
    return re.compile(rf"(?:\n(?:{most}|{member}| *+(?:#[ -~]*+)?+{end}))*+")


@cache
def _stray(indent: int) -> re.Pattern[str]:
    """A line that is not a member of the resource, or a second type."""
    return re.compile(rf"\n(?: {{0,{indent - 1}}}[^ \n#]| {{{indent}}}(?:Type\b|[^ \nA-Za-z#]))")
