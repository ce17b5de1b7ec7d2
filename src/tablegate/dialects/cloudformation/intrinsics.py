"""CloudFormation's functions. Each takes the resolver, the node of its call and its argument, and resolves that."""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TypeAlias

from tablegate.dialects.cloudformation.placeholders import doubt_of, pieces_of
from tablegate.dialects.cloudformation.scenarios import VALUE, Question
from tablegate.dialects.cloudformation.template import CHECK_THE_RESULT, DIRECTIVES, INSERTED, MAPPINGS, PACKAGE
from tablegate.dialects.cloudformation.values import (
    UNFILLED,
    Resolved,
    SecretNode,
    Unresolved,
    as_secret,
    assembled,
    expression,
    is_scalar,
    scalar_of,
    text_node,
    text_with_references,
)
from tablegate.model.value import Doubt
from tablegate.syntax.node import Node

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tablegate.dialects.cloudformation.resolver import Resolver


_ANY_OTHER = "any other"  # row of a map with a default
_FROM_OTHER_STACK = Doubt("another stack exports this value, which is read at deploy")

Function: TypeAlias = "Callable[[Resolver, Node, Node], Resolved]"


def ref(resolver: Resolver, node: Node, argument: Node) -> Resolved:
    """``Ref``. With AWS::LanguageExtensions its name may be an expression."""
    name = resolver.resolve(argument)
    if isinstance(name, Unresolved):
        return expression(node)
    if name is None or not isinstance(name.content, str):
        return resolver.wrong_shape(node, "Ref takes a name")
    return resolver.resolve_name(node, name.content)


def get_att(resolver: Resolver, node: Node, argument: Node) -> Resolved:
    """``Fn::GetAtt``, as a list or as a text with a dot."""
    content = argument.content
    if isinstance(content, str):
        if content.startswith(UNFILLED):
            return expression(node, doubt_of(content))
        name, _, attribute = content.partition(".")
    elif isinstance(content, (list, tuple)) and len(content) >= 2:
        first, *rest = map(resolver.resolve, content)
        if isinstance(first, Unresolved) or Unresolved in map(type, rest):
            return expression(node)
        name = first.content if isinstance(first, Node) and isinstance(first.content, str) else ""
        attribute = ".".join([scalar_of(item) for item in rest if isinstance(item, Node)])
    else:
        name = attribute = ""
    if not name or not attribute:
        return resolver.wrong_shape(node, "Fn::GetAtt takes a logical id and an attribute")
    return resolver.resolve_name(node, name, attribute)


def sub(resolver: Resolver, node: Node, argument: Node) -> Resolved:
    """``Fn::Sub``, with or without a map of its own names."""
    content = argument.content
    own: Mapping[str, Node] = {}
    if isinstance(content, (list, tuple)) and len(content) == 2 and isinstance(content[1].content, dict):
        own, content = content[1].content, content[0].content
    if isinstance(content, dict) and not content.keys().isdisjoint(DIRECTIVES):
        return packaged(resolver, node, argument)
    if not isinstance(content, str):
        return resolver.wrong_shape(node, "Fn::Sub takes a text, or a text and a map")
    if "{{resolve:" in content:
        return resolver.resolve(text_node(node, content))
    if content.startswith(UNFILLED):
        return _partly_filled(resolver, node, content, own)
    return assembled(node, _substituted(resolver, node, content, own), resolver.texts)


def _partly_filled(resolver: Resolver, node: Node, text: str, own: Mapping[str, Node]) -> Resolved:
    """A text with placeholders of another tool among the names."""
    pieces: list[str | Node | Unresolved] = []
    for piece in pieces_of(text):
        if isinstance(piece, str):
            pieces += _substituted(resolver, node, piece, own)
        else:
            pieces.append(Unresolved(doubt_of(text), node, (piece,)))
    return assembled(node, pieces, resolver.texts)


def _substituted(
    resolver: Resolver, node: Node, text: str, own: Mapping[str, Node]
) -> Sequence[str | Node | Unresolved]:
    head, *rest = text.split("${")
    values: dict[str, Resolved] = {}  # a map in a map in a map would be resolved again and again
    pieces: list[str | Node | Unresolved] = [head] if head else []
    for piece in rest:
        name, brace, behind = piece.partition("}")
        if not brace:
            pieces.append("${" + piece)
            continue
        if name.startswith("!"):
            pieces.append("${" + name[1:] + "}")
        else:
            if name not in values:
                values[name] = _named(resolver, node, name.strip(), own)
            value = values[name]
            if value is not None:
                pieces.append(value)
        if behind:
            pieces.append(behind)
    return pieces


def _named(resolver: Resolver, node: Node, name: str, own: Mapping[str, Node]) -> Resolved:
    """What a name in a text comes to."""
    if name in own:
        value = resolver.resolve(own[name])
    else:
        own_name, dot, attribute = name.partition(".")
        value = resolver.resolve_name(node, own_name, attribute if dot else None)
    if isinstance(value, Node) and not isinstance(value.content, str) and not is_scalar(value):
        return resolver.wrong_shape(node, f"{name} is not a text")
    return value


def join(resolver: Resolver, node: Node, argument: Node) -> Resolved:
    """``Fn::Join``."""
    delimited = _delimited(argument)
    if delimited is None:
        return resolver.wrong_shape(node, "Fn::Join takes a delimiter and a list")
    delimiter, items = delimited
    listed = resolver.resolve(items)
    if isinstance(listed, Unresolved):
        return expression(node, listed.doubt)
    if listed is None or not isinstance(listed.content, (list, tuple)):
        return resolver.wrong_shape(node, "Fn::Join takes a delimiter and a list")
    return assembled(node, _joined(resolver, node, delimiter, resolver.items(listed)), resolver.texts)


def _delimited(argument: Node) -> tuple[str, Node] | None:
    """The delimiter and the other argument of ``Fn::Join`` or ``Fn::Split``; None if these are not two."""
    content = argument.content
    if isinstance(content, (list, tuple)) and len(content) == 2 and isinstance(content[0].content, str):
        delimiter = content[0].content
        return None if delimiter.startswith(UNFILLED) else (delimiter, content[1])
    return None


def _joined(
    resolver: Resolver, node: Node, delimiter: str, items: Sequence[Node | Unresolved]
) -> Iterator[str | Node | Unresolved]:
    for number, item in enumerate(items):
        if number:
            yield delimiter
        if isinstance(item, Node) and isinstance(item.content, (list, tuple)):
            yield from _joined(resolver, node, delimiter, resolver.items(item))
        elif isinstance(item, Node) and not is_scalar(item):
            yield resolver.wrong_shape(node, "Fn::Join joins texts")
        else:
            yield item


def split(resolver: Resolver, node: Node, argument: Node) -> Resolved:
    """``Fn::Split``."""
    delimited = _delimited(argument)
    if delimited is None:
        return resolver.wrong_shape(node, "Fn::Split takes a delimiter and a text")
    delimiter, value = delimited
    text = resolver.resolve(value)
    if not isinstance(text, Node) or not is_scalar(text) or not delimiter:
        return expression(node, text.doubt if isinstance(text, Unresolved) else None)
    pieces = scalar_of(text).split(delimiter)
    secret = isinstance(text, SecretNode)
    if secret:
        resolver.keep_secret(pieces)
    return _text_list(node, pieces, secret=secret)


def select(resolver: Resolver, node: Node, argument: Node) -> Resolved:
    """``Fn::Select``."""
    content = argument.content
    if not isinstance(content, (list, tuple)) or len(content) != 2:
        return resolver.wrong_shape(node, "Fn::Select takes a number and a list")
    number, listed = resolver.resolve(content[0]), resolver.resolve(content[1])
    if isinstance(number, Unresolved) or isinstance(listed, Unresolved):
        doubt = next(it.doubt for it in (number, listed) if isinstance(it, Unresolved))
        return expression(node, doubt)
    if number is None or listed is None or not isinstance(listed.content, (list, tuple)):
        return resolver.wrong_shape(node, "Fn::Select takes a number and a list")
    index = scalar_of(number)
    if not (index.isascii() and index.isdigit() and len(index) < 9) or int(index) >= len(listed.content):
        shown = "" if isinstance(number, SecretNode) else f" {index[:20]!r}"
        return resolver.wrong_shape(node, f"Fn::Select has no item{shown} to select")
    return resolver.resolve(listed.content[int(index)])


def if_(resolver: Resolver, node: Node, argument: Node) -> Resolved:
    """``Fn::If``: the branch of this scenario. If both branches are equal, nothing is asked."""
    content = argument.content
    if not isinstance(content, (list, tuple)) or len(content) != 3 or not isinstance(content[0].content, str):
        return resolver.wrong_shape(node, "Fn::If takes a condition's name and two values")
    name, then, otherwise = content[0].content, content[1], content[2]
    if _same(then, otherwise) and resolver.conditions.is_declared(name):
        return resolver.resolve(then)
    truth = resolver.conditions.truth(name, content[0])
    if truth is None:
        return Unresolved(resolver.conditions.doubt(name), node)
    return resolver.resolve(then if truth else otherwise)


def _same(one: Node, other: Node) -> bool:
    """Whether two expressions are written the same way. True and 1 are not."""
    left, right = one.content, other.content
    if type(left) is not type(right):
        return False
    if isinstance(left, dict) and isinstance(right, dict):
        return left.keys() == right.keys() and all(_same(child, right[key]) for key, child in left.items())
    if isinstance(left, (list, tuple)) and isinstance(right, (list, tuple)):
        return len(left) == len(right) and all(map(_same, left, right))
    return left == right


def find_in_map(resolver: Resolver, node: Node, argument: Node) -> Resolved:
    """``Fn::FindInMap``. If a key is not known, each row is a scenario."""
    content = argument.content
    if not isinstance(content, (list, tuple)) or len(content) not in (3, 4):
        return resolver.wrong_shape(node, "Fn::FindInMap takes a map and two keys")
    default = _default(content)
    name = resolver.resolve(content[0])
    if not isinstance(name, Node):
        return expression(node, name.doubt if name else None)
    template = resolver.template
    value: Node | Unresolved | None = template.mappings.get(scalar_of(name))
    if MAPPINGS in template.rewritten or (value is None and MAPPINGS in template.open_sections):
        return expression(node, Doubt(f"a macro may insert the mapping {scalar_of(name)}", CHECK_THE_RESULT))
    for key in content[1:3]:
        if isinstance(value, Node):
            value = _row(resolver, node, value, key, *((_ANY_OTHER,) if default else ()))
    if isinstance(value, Unresolved):
        return value
    if value is None:
        return resolver.resolve(default) if default is not None else _no_row(resolver, node, scalar_of(name))
    if isinstance(value.content, dict) and INSERTED not in value.content:
        return resolver.wrong_shape(node, "Fn::FindInMap must find a text or a list")
    found = resolver.resolve(value)
    is_secret = any(isinstance(key.content, dict) and _is_secret(resolver, key) for key in content[1:3])
    return as_secret(found) if is_secret and isinstance(found, Node) else found


def _is_secret(resolver: Resolver, key: Node) -> bool:
    """Whether a key is a secret, which what it finds would tell."""
    return isinstance(resolver.resolve(key), SecretNode)


def _default(content: Sequence[Node]) -> Node | None:
    last = content[3].content if len(content) == 4 else None
    return last.get("DefaultValue") if isinstance(last, dict) else None


def _row(resolver: Resolver, node: Node, rows: Node, key: Node, *others: str) -> Node | Unresolved | None:
    value = resolver.resolve(key)
    if value is None or not isinstance(rows.content, dict):
        return resolver.wrong_shape(node, "Fn::FindInMap takes the name of a map with two levels, and two keys")
    if INSERTED in rows.content:
        return transform(resolver, node, rows.content[INSERTED])
    if isinstance(value, Node):
        return rows.content.get(scalar_of(value))
    reference = value.reference
    subject = reference.name if reference is not None else text_with_references(value)
    possible = [row for row in rows.content if reference is None or resolver.can_be(reference.name, row)]
    options = (*possible, *others)
    row = resolver.scenarios.ask(Question(VALUE, subject), options) if subject and options else None
    return rows.content.get(row) if row is not None else Unresolved(value.doubt, node)


def _no_row(resolver: Resolver, node: Node, mapping: str) -> Unresolved:
    what = f"there is no mapping {mapping!r} with this key"
    if resolver.scenarios.answers:
        return Unresolved(Doubt(f"{what} in this scenario"), node)
    return resolver.wrong_shape(node, what)


def length(resolver: Resolver, node: Node, argument: Node) -> Resolved:
    """``Fn::Length``."""
    listed = resolver.resolve(argument)
    if not isinstance(listed, Node) or not isinstance(listed.content, (list, tuple)):
        return expression(node, listed.doubt if isinstance(listed, Unresolved) else None)
    items = resolver.items(listed)
    kind = SecretNode if any(isinstance(item, SecretNode) for item in items) else Node
    return kind(len(items), node.line, node.column, node.end_column)


def to_json_string(resolver: Resolver, node: Node, argument: Node) -> Resolved:
    """``Fn::ToJsonString``, if everything in it is known. What is ``AWS::NoValue`` is left out."""
    secrets: list[Node] = []
    plain = _plain(resolver.resolve(argument), resolver, secrets)
    if isinstance(plain, Unresolved):
        return expression(node, plain.doubt)
    if plain is _ABSENT:
        return expression(node)
    return text_node(node, json.dumps(plain, separators=(",", ":")), secret=bool(secrets))


_ABSENT = object()


def _plain(value: Resolved, resolver: Resolver, secrets: list[Node]) -> object:
    """A value with all that is in it; ``_ABSENT`` if there is none, and the first part that is not known.

    The parts that are secret are added to ``secrets``.
    """
    if isinstance(value, Unresolved):
        return value
    if value is None:
        return _ABSENT
    content = value.content
    if isinstance(content, dict):
        members = {key: _plain(resolver.resolve(child), resolver, secrets) for key, child in content.items()}
        present = {key: plain for key, plain in members.items() if plain is not _ABSENT}
        return _first_open(present.values()) or present
    if isinstance(content, (list, tuple)):
        items = [_plain(item, resolver, secrets) for item in resolver.items(value)]
        return _first_open(items) or items
    if isinstance(value, SecretNode):
        secrets.append(value)
    return content


def _first_open(parts: Iterable[object]) -> Unresolved | None:
    return next((part for part in parts if isinstance(part, Unresolved)), None)


def to_base64(resolver: Resolver, node: Node, argument: Node) -> Resolved:
    """``Fn::Base64``."""
    text = resolver.resolve(argument)
    if not isinstance(text, Node) or not is_scalar(text):
        return expression(node, text.doubt if isinstance(text, Unresolved) else None)
    encoded = b64encode(scalar_of(text).encode()).decode()
    return text_node(node, encoded, secret=isinstance(text, SecretNode))


def import_value(resolver: Resolver, node: Node, argument: Node) -> Resolved:
    """``Fn::ImportValue``: what another template of the run exports under this name."""
    name = resolver.resolve(argument)
    exports = resolver.context.exports or resolver.options.exports
    if exports is None or not isinstance(name, Node) or not is_scalar(name):
        return expression(node, _FROM_OTHER_STACK)
    return exports.exported(resolver, node, scalar_of(name)) or expression(node, _FROM_OTHER_STACK)


def stack_output(resolver: Resolver, node: Node, argument: Node) -> Resolved:
    """``Fn::GetStackOutput``: an output of another stack of the run."""
    exports = resolver.context.exports or resolver.options.exports
    if not isinstance(argument.content, dict):
        return resolver.wrong_shape(node, "Fn::GetStackOutput takes a mapping with StackName and OutputName")
    named = [resolver.get(argument.content, key) for key in ("StackName", "OutputName")]
    stack, output = (scalar_of(it) if isinstance(it, Node) and is_scalar(it) else None for it in named)
    if exports is None or not stack or not output:
        return expression(node, _FROM_OTHER_STACK)
    return exports.output(resolver, node, stack, output) or expression(node, _FROM_OTHER_STACK)


def transform(resolver: Resolver, node: Node, argument: Node) -> Resolved:
    """``Fn::Transform``: neither what it gives nor what it does to its siblings is known."""
    named = argument.content.get("Name") if isinstance(argument.content, dict) else None
    name = scalar_of(named) if named is not None else "Fn::Transform"
    what = f"the macro {name} may insert anything here"
    resolver.faults.incomplete(what, node)
    return Unresolved(Doubt(what, CHECK_THE_RESULT), node)


def packaged(_resolver: Resolver, node: Node, _argument: Node) -> Resolved:
    """A directive of rain, which packages templates: what it inserts is not read."""
    return Unresolved(Doubt("rain inserts a file or a module here", PACKAGE), node)


def deployed(_resolver: Resolver, node: Node, _argument: Node) -> Resolved:
    """``Fn::GetAZs`` and ``Fn::Cidr``: known at the deploy."""
    return expression(node)


def _text_list(node: Node, texts: Sequence[str], *, secret: bool) -> Node:
    items = [text_node(node, text, secret=secret) for text in texts]
    return Node(items, node.line, node.column, node.end_column)


FUNCTIONS: Mapping[str, Function] = {
    "Ref": ref,
    "Fn::GetAtt": get_att,
    "Fn::Sub": sub,
    "Fn::Join": join,
    "Fn::Split": split,
    "Fn::Select": select,
    "Fn::If": if_,
    "Fn::FindInMap": find_in_map,
    "Fn::Length": length,
    "Fn::ToJsonString": to_json_string,
    "Fn::Base64": to_base64,
    "Fn::ImportValue": import_value,
    "Fn::GetStackOutput": stack_output,
    "Fn::GetAZs": deployed,
    "Fn::Cidr": deployed,
    "Fn::Transform": transform,
    **dict.fromkeys(DIRECTIVES, packaged),
}
