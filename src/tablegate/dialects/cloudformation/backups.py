"""AWS Backup selections of CloudFormation, read for the joiner."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from tablegate.dialects.cloudformation.joins import TableIdentity
from tablegate.dialects.cloudformation.parameters import ACCOUNT, PARTITION, REGION
from tablegate.dialects.cloudformation.properties import Section, exists, properties, section_of
from tablegate.dialects.cloudformation.resolver import Resolver
from tablegate.dialects.cloudformation.template import BACKUP_SELECTION, Resource
from tablegate.dialects.cloudformation.values import RESOURCE, NameReference, Unresolved, scalar_of
from tablegate.dialects.joins.backups import Selection, TagTest, Truth, arn_covers, backed_up, condition
from tablegate.iam.arns import Symbols
from tablegate.model.value import Doubt, Value
from tablegate.syntax.node import Node

_NOWHERE = Node(None, 1, 1)
_CONDITIONS = ("StringEquals", "StringLike", "StringNotEquals", "StringNotLike")


class Backups:
    """The backup selections of one template."""

    def __init__(self, resolver: Resolver) -> None:
        self._resolver = resolver
        self._symbols = Symbols()
        self.any = bool(resolver.template.resources.get(BACKUP_SELECTION))

    def of(self, table: TableIdentity, tags: Value[Mapping[str, str | None]]) -> Value[bool]:
        """Whether some selection covers the table."""
        selections = self._resolver.template.of(BACKUP_SELECTION)
        return backed_up((self._selection(selection, table) for selection in selections), tags)

    def _selection(self, resource: Resource, table: TableIdentity) -> Selection:
        doubt = Doubt(f"the backup selection {resource.address} may or may not cover it", None, (resource.address,))
        present = exists(self._resolver, resource)
        place = self._resolver.place(resource.node)
        section = properties(self._resolver, resource).section("BackupSelection")
        if present is False or section is None or section.unresolved is not None:
            return Selection(
                place=place, doubt_place=place, present=False if present is False or section is None else doubt
            )
        arn = self._arn(table)
        return Selection(
            place=place,
            doubt_place=place,
            present=doubt if present is None else True,
            resources=list(self._listed(section, "Resources", table, arn, doubt)),
            excluded=list(self._listed(section, "NotResources", table, arn, doubt)),
            tags=list(self._tests(section, "ListOfTags", "StringEquals", doubt)),
            conditions=list(self._conditions(section, doubt)),
        )

    def _listed(self, section: Section, key: str, table: TableIdentity, arn: str, doubt: Doubt) -> Iterator[Truth]:
        """For each ARN of a list, whether it covers the table."""
        patterns = section.items(key)
        if isinstance(patterns, Unresolved):
            yield doubt
        for pattern in patterns if isinstance(patterns, list) else ():
            yield self._arn_covers(pattern, table, arn, doubt)

    def _conditions(self, section: Section, doubt: Doubt) -> Iterator[TagTest | Truth]:
        conditions = section.section("Conditions")
        if conditions is not None and conditions.unresolved is not None:
            yield doubt
        elif conditions is not None:
            for kind in _CONDITIONS:
                yield from self._tests(conditions, kind, kind, doubt)

    def _tests(self, section: Section, key: str, kind: str, doubt: Doubt) -> Iterator[TagTest | Truth]:
        tests = section.items(key)
        if isinstance(tests, Unresolved):
            yield doubt
        for test in tests if isinstance(tests, list) else ():
            inner = section_of(self._resolver, test)
            pair = [inner.get(name) if inner is not None else None for name in ("ConditionKey", "ConditionValue")]
            texts = [scalar_of(text) for text in pair if isinstance(text, Node)]
            yield condition(kind, *texts) if len(texts) == len(pair) else doubt

    def _arn(self, table: TableIdentity) -> str:
        """The table's ARN, with symbols for what is not known of it."""
        stack = (self._resolver.resolve_name(_NOWHERE, name) for name in (PARTITION, REGION, ACCOUNT))
        partition, region, account = (self._encoded(value) for value in stack)
        own = NameReference(table.address, None, RESOURCE)
        name = self._symbol(own) if table.name is None else self._encoded(table.name)
        return f"arn:{partition}:dynamodb:{region}:{account}:table/{name}"

    def _arn_covers(self, pattern: Node | Unresolved, table: TableIdentity, arn: str, doubt: Doubt) -> Truth:
        parts = pattern.parts if isinstance(pattern, Unresolved) else (scalar_of(pattern),)
        resources = [part for part in parts if isinstance(part, NameReference) and part.kind == RESOURCE]
        if NameReference(table.address, "Arn", RESOURCE) in parts:
            return True
        if any(part.name != table.address for part in resources):
            return False
        own = self._symbol(NameReference(table.address, None, RESOURCE))
        name = arn.partition(":table/")[2]
        return arn_covers(self._encoded(pattern).replace(own, name), arn, doubt) if parts else doubt

    def _encoded(self, value: Node | Unresolved | None) -> str:
        """A text with a symbol for each part that is not known."""
        if isinstance(value, Unresolved):
            parts = value.parts or (NameReference("?"),)
            return "".join(part if isinstance(part, str) else self._symbol(part) for part in parts)
        return scalar_of(value) if value is not None else ""

    def _symbol(self, reference: NameReference) -> str:
        return self._symbols.of(f"{reference.kind} {reference.name} {reference.attribute}")
