"""What expressions come to: plain content, and in its place what source alone cannot know, with the reason."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from tablegate.dialects.terraform_plan.unknowns import PLAN, Reached, Unknown

APPLY = "applying that first, or the value itself in its place"


LONGEST = 1_000_000  # characters of one text
_LARGEST = 20_000  # items of one value, and lines of its texts


class Elements(list[object]):
    """The elements of a set, in their order."""


class FailedError(Exception):
    """An expression that Terraform would refuse as well."""


def later(name: str, reached: Reached) -> Unknown:
    """An attribute that only the apply makes."""
    return Unknown("known only after apply", APPLY, names=(name,), reached=(reached,), direct=True)


def read_later(name: str, reached: Reached) -> Unknown:
    """An attribute of a data source, which only a plan reads."""
    return Unknown("read when the plan is made", PLAN, names=(name,), reached=(reached,), direct=True)


def blended(
    unknowns: Iterable[Unknown], *, parts: tuple[str | Unknown, ...] = (), options: tuple[object, ...] = ()
) -> Unknown:
    """Unknown because of all of these. The first says why."""
    found = list(unknowns)
    first = found[0]
    alike = [one for one in found if one.reason == first.reason]
    return Unknown(
        first.reason,
        first.settle,
        names=tuple(dict.fromkeys(name for one in alike for name in one.names)),
        reached=tuple(dict.fromkeys(one for unknown in found for one in unknown.reached)),
        parts=parts,
        options=options,
    )


def written_out(pieces: Iterable[object]) -> object:
    """One text of these pieces. Of one that is known in part, the parts are kept."""
    parts: list[str | Unknown] = []
    whole, length = True, 0
    for piece in pieces:
        length += len(piece) if type(piece) is str else 1
        if length > LONGEST:
            raise FailedError
        if type(piece) is str:
            parts.append(piece)
        elif type(piece) is Unknown:
            parts += piece.parts or (piece,)
        elif found := list(unknowns(piece)):
            parts += found  # a list or an object, which is no text: Terraform will say so
            whole = False
        else:
            parts.append(as_text(piece))
    doubts = [one for one in parts if type(one) is Unknown]
    if doubts:
        return blended(doubts, parts=tuple(parts) if whole else ())
    return "".join(one for one in parts if type(one) is str)


def unknowns(content: object) -> Iterator[Unknown]:
    """Everything unknown in some content, however deep."""
    kind = type(content)
    if kind is Unknown:
        yield content  # type: ignore[misc]
    elif kind is dict:
        for item in content.values():  # type: ignore[attr-defined]
            yield from unknowns(item)
    elif kind is list or kind is Elements:
        for item in content:  # type: ignore[attr-defined]
            yield from unknowns(item)
    elif hasattr(content, "whole"):
        yield content.whole()


def is_large(content: object) -> bool:
    """Whether there is more in some content than anybody writes: it was made to keep its readers busy."""
    size, waiting = 0, [content]
    while waiting:
        item = waiting.pop()
        size += 1
        if isinstance(item, str):
            size += len(item) // 50
        elif isinstance(item, dict):
            waiting += item.values()
        elif isinstance(item, list):
            waiting += item
        if size + len(waiting) > _LARGEST:
            return True
    return False


def as_text(content: object) -> str:
    """A text, or what Terraform makes one of."""
    if isinstance(content, str):
        return content
    if isinstance(content, bool):
        return "true" if content else "false"
    if isinstance(content, int):
        return str(content)
    if isinstance(content, float):
        return str(int(content)) if content.is_integer() and abs(content) < 1e15 else repr(content)
    raise FailedError


def as_bool(content: object) -> bool:
    """True or false, or a text that says so."""
    if isinstance(content, bool):
        return content
    if content in ("true", "1"):
        return True
    if content in ("false", "0"):
        return False
    raise FailedError


def as_number(content: object) -> int | float:
    """A number, or a text that is one."""
    if isinstance(content, (int, float)) and not isinstance(content, bool):
        return int(content) if isinstance(content, float) and content.is_integer() else content
    if isinstance(content, str):
        try:
            return as_number(float(content)) if not content.lstrip("-").isdigit() else int(content)
        except ValueError:
            raise FailedError from None
    raise FailedError


def as_list(content: object) -> list[object]:
    """A list or a set."""
    if isinstance(content, list):
        return content
    raise FailedError


def as_map(content: object) -> dict[str, object]:
    """A map or an object."""
    if isinstance(content, dict):
        return content
    raise FailedError


def ordered(items: Iterable[object]) -> Elements:
    """A set of these, in Terraform's order."""
    found = list({(type(item) is bool, repr(item)): item for item in items}.values())
    if all(isinstance(item, str) for item in found):
        found.sort(key=str)
    elif all(isinstance(item, (int, float)) for item in found):
        found.sort()
    return Elements(found)
