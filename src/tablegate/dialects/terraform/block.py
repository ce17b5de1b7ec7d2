"""A block of a resource: its members, what of them is unknown or sensitive, and how they are written."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from typing import Any, Final, Protocol, TypeVar

from tablegate.dialects.terraform.configuration import NOTHING, Tree, tree
from tablegate.dialects.terraform.schema import IN_ORDER, TypeSchema
from tablegate.model.facts import Fact
from tablegate.model.record import record, replace
from tablegate.model.value import Doubt, Place, Value
from tablegate.syntax.json.lazy import kind_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tablegate.dialects.terraform.source_info import BlockLines, DocumentPlaces


@record(kw_only=False)
class BlockMatcher:
    """How a block of a plan is matched with one of the configuration."""

    match: str | None
    ordered: bool
    aligned: bool  # the configuration has as many blocks, in the same order


class InOrder(list[object]):
    """The configuration of blocks, in the order of the blocks themselves."""


_READS = frozenset({"references", "doubt"})


def matching_block(expression: object, number: int, item: Tree, source: BlockMatcher) -> Tree | None:
    """The block of the configuration that made this one. Sets lose their order, so an argument identifies it."""
    if isinstance(expression, InOrder):
        return tree(expression[number])
    if isinstance(expression, dict):
        return NOTHING if _READS.isdisjoint(expression) else _Everywhere(expression)
    blocks = [block for block in expression if isinstance(block, dict)] if isinstance(expression, list) else []
    if source.ordered:
        if source.aligned:
            return blocks[number] if number < len(blocks) else None
        # Some come from a dynamic block: only the one block that agrees in all its constants is certain.
        fitting = [block for block in blocks if _agrees(block, item)]
        return fitting[0] if len(fitting) == 1 else None
    match = source.match
    if len(blocks) == 1:
        return blocks[0]
    if match is None:
        return None
    same = [block for block in blocks if _constant(block.get(match)) == item.get(match)]
    if same:
        return same[0] if len(same) == 1 else _either(same)
    unnamed = [block for block in blocks if _constant(block.get(match)) is None]
    return unnamed[0] if len(unnamed) == 1 else None


def _either(blocks: Sequence[Tree]) -> Tree:
    """One block for many: each member reads what it reads in any of them."""
    members: dict[str, list[object]] = {}
    for block in blocks:
        for key, expression in block.items():
            references = expression.get("references") if isinstance(expression, dict) else None
            members.setdefault(key, []).extend(references if isinstance(references, list) else ())
    return {key: {"references": references} for key, references in members.items()}


def _agrees(block: Tree, item: Tree) -> bool:
    """Whether no constant of a configured block contradicts a block of the plan."""
    constants = ((key, _constant(expression)) for key, expression in block.items())
    return all(constant is None or _same(constant, item.get(key)) for key, constant in constants)


def _same(constant: object, content: object) -> bool:
    """Whether the content is the constant; a list may have become a set."""
    if isinstance(constant, list) and isinstance(content, list):
        return sorted(map(str, constant)) == sorted(map(str, content))
    return constant == content


def _constant(expression: object) -> object:
    return expression.get("constant_value") if isinstance(expression, dict) else None


def member_expressions(expression: object) -> Tree | None:
    """The expressions of an object's members. If it is not constant, any member may read all that it reads."""
    if not isinstance(expression, dict):
        return None if expression is None else NOTHING
    if isinstance(content := expression.get("constant_value"), dict):
        return {key: {"constant_value": value} for key, value in content.items()}
    return None if _READS.isdisjoint(expression) else _Everywhere(expression)


class _Everywhere(dict[str, object]):
    """The members of an object whose references plan JSON lists together: any may read any of them."""

    def __init__(self, expression: Tree) -> None:
        super().__init__()
        self._expression = expression

    def get(self, _key: str, _default: object = None) -> object:
        return self._expression


T = TypeVar("T")

MISSHAPEN: Final = Doubt(
    "it does not have the shape that Terraform writes", "use the unedited output of terraform show -json"
)
DYNAMIC: Final = Doubt(
    "the contents of a dynamic block are known only after apply",
    "check the plan with the module's source, or apply what it depends on",
)
LATER: Final = Doubt("known only after apply", "apply what it depends on first, or write the value itself")
_NO_UNKNOWN: Tree = {}
_NUMBER = re.compile(r"\[[0-9]+\]")
_NAMED = Fact[str]("name")
_WHOLE = re.compile(r"-?[0-9]{1,18}")


@record()
class ResourceRef:
    """What a member names: a text, or an attribute of a resource that its expression reads."""

    text: str | None = None
    address: str | None = None  # of the resource
    type: str | None = None  # of the resource, also where its address is not known
    attribute: str | None = None
    doubt: Doubt | None = None  # why the text is not known


class BlockOwner(Protocol):
    """The resource that a block belongs to, as far as its blocks need to know it."""

    file: str
    prefix: str  # of the paths of all its members
    schema: TypeSchema

    @property
    def assumes_absent(self) -> bool: ...

    def why_unknown(self, expression: object, *, computed: bool) -> Doubt | None: ...

    def refs(self, expression: object) -> Sequence[ResourceRef]: ...

    def report_shape(self, path: str, expected: str, actual: str) -> None: ...


class Block:
    """A block or object of a resource: the ``Properties`` of Terraform.

    ``configured`` is its part of the configuration; None where plan JSON does not show it. A computed member that is
    not written is unknown in a plan too. Only its expression in the configuration, or the lack of one, shows whether
    it is set.
    """

    __slots__ = ("_inner", "_marks", "_owner", "_source", "_unknown", "configured", "content", "path")

    def __init__(
        self,
        owner: BlockOwner,
        content: Tree,
        unknown: object,
        marks: object,
        *,
        configured: Tree | None,
        path: str,
        inner: bool = True,
        source: BlockLines | None = None,
    ) -> None:
        self._owner = owner
        self._source = source
        self.content = content
        self._unknown = unknown if isinstance(unknown, dict) else _NO_UNKNOWN
        self._marks = marks
        self.configured = configured
        self.path = path
        self._inner = inner

    def text(self, fact: Fact[str], key: str, among: Collection[str] = ()) -> Value[str]:
        """A text. An empty one is unset; one that is not among those allowed is a fault."""
        value = self._scalar(fact, key, (str,))
        if among and value.content is not None and value.content not in among:
            self._owner.report_shape(self.path + key, f"one of {', '.join(sorted(among))}", "another text")
            return fact.doubted(MISSHAPEN, self.place(key))
        return value

    def is_named(self, fact: Fact[bool], key: str) -> Value[bool]:
        """Whether a text that names something is set. A reference to a resource names it, though it is not known."""
        named = self.text(_NAMED, key)
        if named.doubt is None:
            return fact.unset if named.content is None else fact.of(True, named.place)
        required = self._member(key) in self._owner.schema.required
        if required or any(ref.address is not None for ref in self.refs(key)):
            return fact.of(True, named.place)
        return fact.doubted(named.doubt, named.place)

    def flag(self, fact: Fact[bool], key: str) -> Value[bool]:
        """True or false."""
        return self._scalar(fact, key, (bool,))

    def number(self, fact: Fact[int], key: str, none: tuple[int, ...] = ()) -> Value[int]:
        """A whole number, also as a text where the provider keeps it so; one of those in ``none`` is unset."""
        content = self.content.get(key)
        if type(content) is int and content in none:
            return fact.unset
        if (
            isinstance(content, str)
            and _WHOLE.fullmatch(content)
            and self._member(key) in self._owner.schema.text_numbers
        ):
            return fact.of(int(content), self.place(key), sensitive=self.is_sensitive(key))
        return self._scalar(fact, key, (int,))

    def decimal(self, fact: Fact[float], key: str) -> Value[float]:
        """A number with or without a fraction."""
        return self._scalar(fact, key, (float, int))

    def one(self, key: str) -> Block | Doubt | None:
        """An object in an attribute, or a block that occurs at most once."""
        content = self.content.get(key)
        if content is None and key not in self._unknown:
            return None
        schema = self._owner.schema
        if isinstance(content, dict) or (content is not None and schema.has_objects):
            if schema.is_object(self._member(key)):
                return self._object(key, content)
        elif content == []:
            return None
        blocks = self.many(key)
        if isinstance(blocks, Doubt):
            return blocks
        if not blocks:
            return None
        if len(blocks) > 1:
            self._owner.report_shape(self.path + key, "at most one block", f"{len(blocks)}")
            return MISSHAPEN
        return blocks[0]

    def many(self, key: str) -> Sequence[Block | Doubt] | Doubt:
        """The blocks of one name, or the objects in a list."""
        content = self.content.get(key)
        if content == []:
            return ()
        unknown = self._unknown.get(key)
        if content is None:
            return (self._block_doubt(key) if unknown is True else None) or ()
        if not isinstance(content, list):
            self._owner.report_shape(self.path + key, "a list of blocks", kind_of(content))
            return MISSHAPEN
        expression, marks = self.expression(key), self._marks_of(key)
        matcher = None if expression is None else self._matcher(key, expression, content)
        blocks: list[Block | Doubt] = []
        for number, item in enumerate(content):
            path = f"{self.path}{key}[{number}]"
            if isinstance(item, dict):
                configured = None if matcher is None else matching_block(expression, number, item, matcher)
                doubts, secrets = _at(unknown, number), _at(marks, number)
                lines = None if self._source is None else self._source.child(key, number, item)
                if configured is None and lines is not None and _any_true(doubts):
                    configured = lines.configured()
                blocks.append(
                    Block(self._owner, item, doubts, secrets, configured=configured, path=f"{path}.", source=lines)
                )
            else:
                blocks.append(self._no_block(path, item, _at(unknown, number)))
        return blocks

    def refs(self, key: str) -> Sequence[ResourceRef]:
        """What a text or a list of texts names. Where that is not known, the resources that its expression reads."""
        content = self.content.get(key)
        listed = content if isinstance(content, list) else [content]
        texts = [item for item in listed if isinstance(item, str) and item]
        whole = content is not None and len(texts) == len(listed)
        known = [ResourceRef(text=text) for text in texts]
        return known if whole else [*known, *self._owner.refs(self.expression(key))]

    def doubt(self, key: str) -> Doubt | None:
        """Why a member is not known; None if it is known or absent."""
        return self._doubt(key) if self.is_unknown(key) else None

    def place(self, key: str | None = None) -> Place:
        """The place of a member, or of the block itself. Its path begins at the resource."""
        path = self.path.removesuffix(".") if key is None else self.path + key
        if self._source is None:
            return Place(self._owner.file, None, None, None, path)
        return replace(self._source.own_place if key is None else self._source.place(key), path=path)

    def members(self) -> list[str]:
        """The members that the plan has, those that are unknown as well."""
        return list(dict.fromkeys((*self.content, *self._unknown)))

    def why_unknown(self, key: str) -> Doubt:
        """Why a part of a member is not known."""
        return self._doubt(key) or LATER

    def member(self, key: str) -> tuple[object, object]:
        """A member as the plan has it, and what of it is unknown: true, or the same shape with true inside."""
        return self.content.get(key), self._unknown.get(key)

    @property
    def unknown(self) -> Tree:
        """What of the members is unknown, as the plan marks it."""
        return self._unknown

    def is_unknown(self, key: str) -> bool:
        """Whether nothing at all is known of a member."""
        return self._unknown.get(key) is True and self.content.get(key) is None

    def expression(self, key: str) -> object:
        """How a member was written; None where it was not, or where plan JSON does not show it."""
        return None if self.configured is None else self.configured.get(key)

    def source_value(self, key: str) -> object:
        """The value of a member that is unknown in the plan, where its source shows it."""
        return None if self._source is None else self._source.source_value(key)

    def document_places(self, key: str) -> DocumentPlaces | None:
        """The places of the parts of a policy document, where its source shows them."""
        return None if self._source is None else self._source.document_places(key)

    def is_sensitive(self, key: str) -> bool:
        """Whether the member, or anything in it, is marked sensitive."""
        marks = self._marks
        return marks is not None and (marks is True or (isinstance(marks, dict) and _any_true(marks.get(key))))

    def report_shape(self, key: str, expected: str) -> None:
        """Report a member that has not the expected shape."""
        self._owner.report_shape(self.path + key, expected, kind_of(self.content.get(key)))

    def _object(self, key: str, content: object) -> Block | Doubt:
        if not isinstance(content, dict):
            self.report_shape(key, "an object")
            return MISSHAPEN
        return Block(
            self._owner,
            content,
            self._unknown.get(key),
            self._marks_of(key),
            configured=member_expressions(self.expression(key)),
            path=f"{self.path}{key}.",
            source=None if self._source is None else self._source.inner(key),
        )

    def _member(self, key: str) -> str:
        """The path of a member in the schema: without indexes."""
        path = (self.path + key).removeprefix(self._owner.prefix)
        return _NUMBER.sub("", path) if "[" in path else path

    def _matcher(self, key: str, expression: object, content: list[object]) -> BlockMatcher:
        argument = self._owner.schema.matched_by.get(self._member(key))
        ordered = argument == IN_ORDER
        aligned = ordered and isinstance(expression, list) and len(expression) == len(content)
        return BlockMatcher(argument or None, ordered, aligned)

    def _scalar(self, fact: Fact[T], key: str, kinds: tuple[type, ...]) -> Value[T]:
        content = self.content.get(key)
        if type(content) in kinds and content != "":
            return self._known(fact, key, content)  # type: ignore[arg-type]
        if content is None or content == "":
            if self._unknown.get(key) is not True:
                return fact.unset
            doubt = self._doubt(key)
            return fact.unset if doubt is None else fact.doubted(doubt, self.place(key), self._candidates(key))
        self._owner.report_shape(self.path + key, _NAMES[kinds[0]], kind_of(content))
        return fact.doubted(MISSHAPEN, self.place(key))

    def _known(self, fact: Fact[T], key: str, content: T) -> Value[T]:
        """The content. A default that is not written is the provider's, which fills in what its schema says."""
        if content == fact.default and self.configured is not None and self.configured.get(key) is None:
            return fact.unset
        return fact.of(content, self.place(key), sensitive=self._marks is not None and self.is_sensitive(key))

    def _candidates(self, key: str) -> tuple[Any, ...]:
        """The only values that an unknown member can have, where its expression shows them."""
        candidates = tree(self.expression(key)).get("candidates", ())
        return candidates if isinstance(candidates, tuple) and None not in candidates else ()

    def _doubt(self, key: str) -> Doubt | None:
        """Why an unknown member is unknown; None if it is computed and not written."""
        expression, computed = self.expression(key), self._owner.schema.is_computed(self._member(key))
        if expression is not None:
            return self._owner.why_unknown(expression, computed=computed)
        return None if computed else LATER

    def _block_doubt(self, key: str) -> Doubt | None:
        """Why unknown blocks are unknown. A dynamic block leaves no expression."""
        expression, computed = self.expression(key), self._owner.schema.is_computed(self._member(key))
        if expression is not None:
            return self._owner.why_unknown(expression, computed=computed)
        dynamic = None if self._source is None else self._source.dynamic(key)
        if dynamic is not None:
            return DYNAMIC if any(self._owner.why_unknown(one, computed=True) for one in dynamic) else None
        return None if computed and (self._inner or self._owner.assumes_absent) else DYNAMIC

    def _marks_of(self, key: str) -> object:
        return True if self._marks is True else self._marks.get(key) if isinstance(self._marks, dict) else None

    def _no_block(self, path: str, item: object, unknown: object) -> Doubt:
        if item is None and unknown is True:
            return LATER
        self._owner.report_shape(path, "a block", kind_of(item))
        return MISSHAPEN


_NAMES: dict[type, str] = {str: "a text", bool: "true or false", int: "a whole number", float: "a number"}


def _at(parallel: object, number: int) -> object:
    if isinstance(parallel, list):
        return parallel[number] if number < len(parallel) else None
    return parallel


def _any_true(marks: object) -> bool:
    if isinstance(marks, dict):
        return any(map(_any_true, marks.values()))
    if isinstance(marks, list):
        return any(map(_any_true, marks))
    return marks is True
