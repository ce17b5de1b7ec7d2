"""Resources and modules as expressions see them: looked into where somebody asks, and unknown as a whole."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, NamedTuple

from tablegate.dialects.terraform_plan.addresses import Key as InstanceKey
from tablegate.dialects.terraform_plan.addresses import bracketed
from tablegate.dialects.terraform_plan.unknowns import Unknown
from tablegate.dialects.terraform_source.evaluate import evaluated
from tablegate.dialects.terraform_source.scopes import Scope
from tablegate.dialects.terraform_source.values import (
    Elements,
    FailedError,
    as_number,
    as_text,
    blended,
    later,
    read_later,
    unknowns,
)
from tablegate.syntax.hcl_nodes import Body

if TYPE_CHECKING:
    from tablegate.dialects.terraform_source.definitions import Key
    from tablegate.dialects.terraform_source.modules import ModuleInstance

_MOST = 5_000  # instances of one resource
# Resources that hand on what they are given.
_HANDED_ON = {"terraform_data": ("output", "input")}


class Repeats(NamedTuple):
    """The instances of something: each with its key and its value. With a doubt there may be others, or none."""

    pairs: tuple[tuple[object, object], ...] = ((None, None),)
    counts: bool = False
    single: bool = True
    doubt: Unknown | None = None


def repeated(body: Body, scope: Scope) -> Repeats:
    """How often something stands there."""
    count, each = body.attributes.get("count"), body.attributes.get("for_each")
    if count is not None:
        return _counted(evaluated(count.value, scope))
    if each is not None:
        return _for_each(_spelled(evaluated(each.value, scope)))
    return _ONCE


def _counted(content: object) -> Repeats:
    if type(content) is not Unknown:
        try:
            number = as_number(content)
        except FailedError:
            number = -1
        if isinstance(number, int) and 0 <= number <= _MOST:
            return Repeats(tuple((one, None) for one in range(number)), counts=True, single=False)
        content = Unknown("a count that is no number of instances")
    return Repeats(((0, None),), counts=True, single=False, doubt=content)


def _for_each(content: object) -> Repeats:
    if isinstance(content, dict):
        return Repeats(tuple((key, content[key]) for key in sorted(content)), single=False)
    if isinstance(content, list) and all(isinstance(item, str) for item in content):
        items = content if isinstance(content, Elements) else sorted(content)
        return Repeats(tuple((item, item) for item in items), single=False)
    found = [*unknowns(content), Unknown("a for_each that is neither a map nor a set of texts")]
    doubt = blended(found[:-1] or found)
    return Repeats(((doubt, doubt),), single=False, doubt=doubt)


def _spelled(content: object) -> object:
    return content.keys() if hasattr(content, "keys") and not isinstance(content, dict) else content


_ONCE = Repeats()


def instance_key(key: object) -> InstanceKey:
    """The key in an address: none where it is not known."""
    return key if isinstance(key, (str, int)) else None


class Instances:
    """All instances of a resource or of a called module. Alone, they are the one."""

    def __init__(self, repeats: Repeats, one: Callable[[object, object], Thing], address: str) -> None:
        self._repeats = repeats
        self._one = one
        self._address = address

    def get(self, name: str) -> object:
        """An attribute of the one that there is."""
        if not self._repeats.single:
            if self._repeats.doubt is not None:
                return blended([self._repeats.doubt])
            raise FailedError
        return self._one(None, None).get(name)

    def at(self, key: object) -> object:
        """The one with this key."""
        repeats = self._repeats
        wanted = as_number(key) if repeats.counts else as_text(key)
        for known, value in repeats.pairs:
            if known == wanted and type(known) is type(wanted):
                return self._one(known, value)
        if repeats.doubt is not None:
            return repeats.doubt
        raise FailedError

    def each(self) -> list[object] | Unknown:
        """Every one."""
        if self._repeats.doubt is not None:
            return self._repeats.doubt
        return [self._one(key, value) for key, value in self._repeats.pairs]

    def keys(self) -> Mapping[str, object] | list[object] | Unknown:
        """Every one by its key, or a list of all that are counted."""
        if self._repeats.doubt is not None:
            return self._repeats.doubt
        if self._repeats.single or self._repeats.counts:
            return [self._one(key, value) for key, value in self._repeats.pairs]
        return {str(key): self._one(key, value) for key, value in self._repeats.pairs}

    def whole(self) -> Unknown:
        """All of them as a value."""
        return Unknown(f"{self._address} is not spelled out as a whole")


class Thing:
    """One instance of a resource."""

    def __init__(self, module: ModuleInstance, name: Key, key: object, value: object, *, counts: bool) -> None:
        self._module = module
        self._name = name
        self._key = key
        self._scope = Scope(module, key, value, counts)

    def _reference(self, attribute: str) -> str:
        data = "data." if self._name.mode == "data" else ""
        behind = f".{attribute}" if attribute else ""
        return f"{data}{self._name.type}.{self._name.name}{bracketed(instance_key(self._key))}{behind}"

    def get(self, name: str) -> object:
        """An attribute: what was written for it, or what only the apply makes."""
        reference = self._reference(name)
        shown = f"{self._module.address}.{reference}".removeprefix(".")
        own = later(shown, (self._module.address, reference))
        if self._name.mode == "data":
            own = read_later(shown, (self._module.address, reference))
        body = self._module.body(self._name)
        output, given = _HANDED_ON.get(self._name.type, ("", ""))
        written = body.attributes.get(given if name == output else name)
        if written is None:
            return own
        content = self._module.guarded((self._name, self._key, name), lambda: evaluated(written.value, self._scope))
        if name == output:
            inner = tuple(reached for one in unknowns(content) for reached in one.reached)
            return Unknown(own.reason, own.settle, names=own.names, reached=inner or own.reached)
        if type(content) is Unknown:
            return Unknown(content.reason, content.settle, names=content.names, reached=own.reached, direct=True)
        return content

    def at(self, key: object) -> object:
        """Nothing reaches into a resource by a key but a text."""
        return self.get(as_text(key))

    def each(self) -> list[object] | Unknown:
        """It alone."""
        return [self]

    def whole(self) -> Unknown:
        """The resource as a value."""
        reference = self._reference("")
        return later(f"{self._module.address}.{reference}".removeprefix("."), (self._module.address, reference))


class Called:
    """One instance of a called module: its outputs."""

    def __init__(self, module: ModuleInstance) -> None:
        self._module = module

    def get(self, name: str) -> object:
        """An output."""
        return self._module.output(name)

    def at(self, key: object) -> object:
        """An output, by a computed name."""
        return self._module.output(as_text(key))

    def each(self) -> list[object] | Unknown:
        """It alone."""
        return [self]

    def whole(self) -> Unknown:
        """The module as a value."""
        return Unknown(f"{self._module.address} is not spelled out as a whole")
