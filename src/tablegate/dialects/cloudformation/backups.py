"""AWS Backup: whether a selection of the template covers a table, by ARN, by wildcard or by tag."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from fnmatch import fnmatchcase

from tablegate.dialects.cloudformation.joins import TableIdentity
from tablegate.dialects.cloudformation.parameters import ACCOUNT, PARTITION, REGION
from tablegate.dialects.cloudformation.properties import as_section, exists, listed, properties, subsection
from tablegate.dialects.cloudformation.resolver import Resolver
from tablegate.dialects.cloudformation.template import BACKUP_SELECTION, Resource
from tablegate.dialects.cloudformation.values import RESOURCE, NameReference, Section, Unresolved, scalar_of
from tablegate.model import facts
from tablegate.model.value import Doubt, Value
from tablegate.syntax.node import Node

Tags = Value[Mapping[str, str | None]]
_OPENING, _CLOSING = "\ue000", "\ue001"  # of a hole; private characters, which no ARN has
_NOWHERE = Node(None, 1, 1)
_TAG_KEYS = "aws:ResourceTag/"
_CONDITIONS = {
    "StringEquals": (False, False),
    "StringLike": (True, False),
    "StringNotEquals": (False, True),
    "StringNotLike": (True, True),
}
"""Whether wildcards count, and whether the condition is turned round."""


class Backups:
    """The backup selections of one template."""

    def __init__(self, resolver: Resolver) -> None:
        self._resolver = resolver
        self.any = bool(resolver.template.resources.get(BACKUP_SELECTION))

    def cover(self, table: TableIdentity, tags: Tags) -> Value[bool]:
        """Whether some selection covers the table."""
        open_selections = []
        for selection in self._resolver.template.of(BACKUP_SELECTION):
            there = exists(self._resolver, selection)
            covers = False if there is False else _all((there, self._covers(selection, table, tags)))
            if covers:
                return facts.BACKED_UP.of(True, self._resolver.place(selection.node))
            if covers is None:
                open_selections.append(selection)
        if open_selections:
            first = open_selections[0]
            doubt = Doubt(f"the backup selection {first.address} may or may not cover it", None, (first.address,))
            return facts.BACKED_UP.doubted(doubt, self._resolver.place(first.node))
        return facts.BACKED_UP.unset

    def _covers(self, selection: Resource, table: TableIdentity, tags: Tags) -> bool | None:
        section = subsection(self._resolver, properties(self._resolver, selection), "BackupSelection")
        if section is None or isinstance(section, Unresolved):
            return None if section is not None else False
        arn = self._arn(table)
        chosen = [*self._listed(section, "Resources", table, arn), *self._tagged(section, tags)]
        excluded = [*self._listed(section, "NotResources", table, arn)]
        conditions = [*self._conditions(section, tags)]
        narrowed = bool(excluded or conditions) and not chosen
        return _all((True if narrowed else _any(chosen), _not(_any(excluded)), _all(conditions)))

    def _listed(self, section: Section, key: str, table: TableIdentity, arn: str) -> Iterator[bool | None]:
        found = listed(self._resolver, section, key)
        if isinstance(found, Unresolved):
            yield None
        for item in found if isinstance(found, list) else ():
            yield self._matches_arn(item, table, arn)

    def _tagged(self, section: Section, tags: Tags) -> Iterator[bool | None]:
        found = listed(self._resolver, section, "ListOfTags")
        if isinstance(found, Unresolved):
            yield None
        for item in found if isinstance(found, list) else ():
            yield self._holds(as_section(self._resolver, item), tags, like=False)

    def _conditions(self, section: Section, tags: Tags) -> Iterator[bool | None]:
        conditions = subsection(self._resolver, section, "Conditions")
        if isinstance(conditions, Unresolved):
            yield None
        for kind, (like, turned) in _CONDITIONS.items():
            found = listed(self._resolver, conditions, kind) if isinstance(conditions, Mapping) else None
            if isinstance(found, Unresolved):
                yield None
            for item in found if isinstance(found, list) else ():
                holds = self._holds(as_section(self._resolver, item), tags, like=like)
                yield _not(holds) if turned else holds

    def _holds(self, condition: Section | None, tags: Tags, *, like: bool) -> bool | None:
        if condition is None:
            return None
        key, value = (self._resolver.get(condition, name) for name in ("ConditionKey", "ConditionValue"))
        if not isinstance(key, Node) or not isinstance(value, Node) or not tags.known:
            return None
        wanted, name = scalar_of(value), scalar_of(key).removeprefix(_TAG_KEYS)
        if name not in (tags.content or {}):
            return False
        text = (tags.content or {})[name]
        if text is None:
            return True if like and wanted == "*" else None
        return fnmatchcase(text, wanted.replace("[", "[[]")) if like else text == wanted

    def _arn(self, table: TableIdentity) -> str:
        """The table's ARN, with holes where it is not known."""
        stack = (self._resolver.resolve_name(_NOWHERE, name) for name in (PARTITION, REGION, ACCOUNT))
        partition, region, account = (_encoded(value) for value in stack)
        name = _hole(NameReference(table.address, None, RESOURCE)) if table.name is None else _encoded(table.name)
        return f"arn:{partition}:dynamodb:{region}:{account}:table/{name}"

    def _matches_arn(self, pattern: Node | Unresolved, table: TableIdentity, arn: str) -> bool | None:
        parts = pattern.parts if isinstance(pattern, Unresolved) else (scalar_of(pattern),)
        resources = [part for part in parts if isinstance(part, NameReference) and part.kind == RESOURCE]
        if NameReference(table.address, "Arn", RESOURCE) in parts:
            return True
        if any(part.name != table.address for part in resources):
            return False
        text, own = _encoded(pattern), _hole(NameReference(table.address, None, RESOURCE))
        name = arn.partition(":table/")[2]
        return _matched(text.replace(own, name), arn) if parts else None


def _encoded(value: Node | Unresolved | None) -> str:
    if isinstance(value, Unresolved):
        return "".join(part if isinstance(part, str) else _hole(part) for part in value.parts) or _hole(
            NameReference("?")
        )
    return scalar_of(value) if value is not None else ""


def _hole(symbol: NameReference) -> str:
    """A symbol in a text that is split at colons."""
    return _OPENING + ".".join((symbol.kind, symbol.name, symbol.attribute or "")).replace(":", ".") + _CLOSING


def _matched(pattern: str, arn: str) -> bool | None:
    """Whether a pattern with wildcards and holes covers an ARN with holes."""
    if pattern == "*":
        return True
    wanted, own = pattern.split(":", 5), arn.split(":", 5)
    if len(wanted) != len(own):
        return None if _OPENING in pattern and len(wanted) == 1 else False
    if _OPENING in own[1]:
        own[1] = wanted[1]  # who writes a partition down deploys to it
    return _all(map(_covered, wanted, own))


def _covered(pattern: str, own: str) -> bool | None:
    if pattern == own or fnmatchcase(own, pattern.replace("[", "[[]")):
        return True
    if _OPENING not in pattern + own:
        return False
    heads = sorted((_before(pattern), _before(own)), key=len)
    return None if heads[1].startswith(heads[0]) else False


def _before(text: str) -> str:
    """What stands before the first hole or wildcard."""
    return text.partition(_OPENING)[0].partition("*")[0]


def _all(truths: Iterable[bool | None]) -> bool | None:
    seen = list(truths)
    return False if False in seen else None if None in seen else True


def _any(truths: Iterable[bool | None]) -> bool | None:
    return _not(_all(map(_not, truths)))


def _not(truth: bool | None) -> bool | None:
    return None if truth is None else not truth
