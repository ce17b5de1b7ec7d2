"""Change sets of nested stacks: which of a run's are made by which, and so where their resources are."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from tablegate.dialects.change_set.document import Members, changes, member, members, parsed, text
from tablegate.syntax.errors import ParseError
from tablegate.syntax.recognise import Kind, recognise
from tablegate.syntax.source import Source


def addresses_of(sources: Iterable[Source]) -> dict[str, str]:
    """The addresses of nested stacks by the ids of their change sets. A set that cannot be read says so itself."""
    parents: dict[str, tuple[str, str]] = {}
    known: set[str] = set()
    for root in _roots(sources):
        own = text(root, "ChangeSetId")
        if own is None:
            continue
        known.add(own)
        for change in changes(root):
            nested = text(change.members, "ChangeSetId")
            if change.is_stack and nested is not None and nested != own:
                parents[nested] = (own, change.address)
    return {nested: _address(nested, parents) for nested in parents if nested in known}


def _roots(sources: Iterable[Source]) -> Iterable[Members]:
    for source in sources:
        try:
            found = recognise(source)
            root = members(parsed(found.text)) if found.kind is Kind.CHANGE_SET else {}
            if member(root, "Changes") is not None and list(changes(root)):
                yield root
        except ParseError:
            continue


def _address(nested: str, parents: Mapping[str, tuple[str, str]]) -> str:
    steps: list[str] = []
    seen: set[str] = set()
    while nested in parents and nested not in seen:
        seen.add(nested)
        nested, address = parents[nested]
        steps.append(address)
    return "/".join(reversed(steps))
