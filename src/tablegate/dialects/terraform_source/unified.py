"""Contents that must be of one type: Terraform makes texts of numbers and truth values that stand beside texts."""

from __future__ import annotations

from collections.abc import Sequence

from tablegate.dialects.terraform_plan.unknowns import Unknown
from tablegate.dialects.terraform_source.values import Elements, as_text

UNTYPED = "a value whose type only Terraform works out"
_SCALARS = frozenset({"text", "number", "flag"})


class UntypedError(Exception):
    """Contents of several types, which Terraform brings into one or refuses."""


def unified(items: Sequence[object]) -> list[object]:
    """The items as one type. Where nobody but Terraform can tell which that would be, this fails."""
    known = [item for item in items if _is_plain(item)]
    kinds = {_kind(item) for item in known}
    if len(kinds) <= 1 and kinds <= _SCALARS:
        return list(items)
    if kinds <= _SCALARS:
        if "text" not in kinds:
            raise UntypedError
        return [as_text(item) if _is_plain(item) else item for item in items]
    if kinds == {"object"}:
        made = iter(_objects([item for item in known if isinstance(item, dict)]))
    elif kinds == {"list"}:
        made = iter(_lists([item for item in known if isinstance(item, list)]))
    else:
        raise UntypedError
    return [next(made) if _is_plain(item) else item for item in items]


def beside(content: object, other: object) -> object:
    """The content as the type that it shares with what stands on the other side."""
    try:
        return unified([content, other])[0]
    except UntypedError:
        return Unknown(UNTYPED)


def same(left: object, right: object) -> bool:
    """Whether two contents are equal, and of one type."""
    return type(left) is type(right) and left == right


def is_settled(content: object) -> bool:
    """Whether no other type beside it could change anything in some content: it holds nothing but texts."""
    if isinstance(content, dict):
        return all(map(is_settled, content.values()))
    if isinstance(content, list):
        return all(map(is_settled, content))
    return not _is_plain(content) or isinstance(content, str)


def _objects(items: list[dict[str, object]]) -> list[object]:
    if len({frozenset(item) for item in items}) > 1:
        _one_kind([leaf for item in items for leaf in item.values()])
        return list(items)
    columns = {key: unified([item[key] for item in items]) for key in items[0]}
    return [{key: columns[key][row] for key in item} for row, item in enumerate(items)]


def _lists(items: list[list[object]]) -> list[object]:
    if len({len(item) for item in items}) > 1:
        made = iter(unified([leaf for item in items for leaf in item]))
        return [_like(item, [next(made) for _ in item]) for item in items]
    columns = [unified(column) for column in zip(*items, strict=True)]
    return [_like(item, [column[row] for column in columns]) for row, item in enumerate(items)]


def _like(item: list[object], made: list[object]) -> list[object]:
    return Elements(made) if isinstance(item, Elements) else made


def _one_kind(leaves: list[object]) -> None:
    kinds = {_kind(leaf) for leaf in leaves if _is_plain(leaf)}
    if len(kinds) > 1 or not kinds <= _SCALARS:
        raise UntypedError


def _is_plain(content: object) -> bool:
    return content is not None and not isinstance(content, Unknown) and not hasattr(content, "whole")


def _kind(content: object) -> str:
    if isinstance(content, bool):
        return "flag"
    if isinstance(content, (int, float)):
        return "number"
    if isinstance(content, str):
        return "text"
    return "object" if isinstance(content, dict) else "list"
