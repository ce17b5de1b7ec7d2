"""AWS Backup selections of CloudFormation, read for the joiner."""

from __future__ import annotations

from collections.abc import Mapping

from tablegate.dialects.cloudformation.joins import TableIdentity
from tablegate.dialects.cloudformation.parameters import ACCOUNT, PARTITION, REGION
from tablegate.dialects.cloudformation.properties import Resource, Section, resources_of
from tablegate.dialects.cloudformation.resolver import Resolver
from tablegate.dialects.cloudformation.template import BACKUP_SELECTION
from tablegate.dialects.cloudformation.values import RESOURCE, NameReference, Unresolved, scalar_of
from tablegate.dialects.joins.backups import Selection, Truth, arn_covers, backed_up, conditions_in, tag_tests
from tablegate.dialects.resource import CLOUDFORMATION
from tablegate.iam.arns import Symbols
from tablegate.model.value import Doubt, Value
from tablegate.syntax.node import Node

_NOWHERE = Node(None, 1, 1)
_NOT_EVERYWHERE = Doubt("whether it exists depends on a condition that is not known")
_UNKNOWN_ARN = Doubt("the ARN of the table is not known", "pass --account and --region")


class Backups:
    """The backup selections of one template."""

    def __init__(self, resolver: Resolver) -> None:
        self._resolver = resolver
        self._symbols = Symbols()
        self.any = bool(resolver.template.resources.get(BACKUP_SELECTION))

    def of(self, table: TableIdentity, tags: Value[Mapping[str, str | None]]) -> Value[bool]:
        """Whether some selection covers the table."""
        selections = resources_of(self._resolver, BACKUP_SELECTION)
        return backed_up((self._selection(selection, table) for selection in selections), tags)

    def _selection(self, resource: Resource, table: TableIdentity) -> Selection:
        address, place = resource.address, resource.place
        present = resource.present
        section = resource.properties.section("BackupSelection")
        if present is False or section is None:
            return Selection(address=address, place=place, present=False)
        if section.unresolved is not None:
            return Selection(address=address, place=place, present=section.unresolved.doubt)
        arn = self._arn(table)
        conditions = section.one("Conditions")
        return Selection(
            address=address,
            place=place,
            present=_NOT_EVERYWHERE if present is None else True,
            resources=self._listed(section, "Resources", table, arn),
            excluded=self._listed(section, "NotResources", table, arn),
            tags=tag_tests(section.many("ListOfTags"), CLOUDFORMATION),
            conditions=conditions_in(() if conditions is None else (conditions,), CLOUDFORMATION),
        )

    def _listed(self, section: Section, key: str, table: TableIdentity, arn: str) -> list[Truth]:
        """For each ARN of a list, whether it covers the table."""
        patterns = section.items(key)
        if isinstance(patterns, Unresolved):
            return [patterns.doubt]
        return [self._covers(pattern, table, arn) for pattern in patterns or ()]

    def _arn(self, table: TableIdentity) -> str:
        """The table's ARN, with symbols for what is not known of it."""
        stack = (self._resolver.resolve_name(_NOWHERE, name) for name in (PARTITION, REGION, ACCOUNT))
        partition, region, account = (self._encoded(value) for value in stack)
        own = NameReference(table.address, None, RESOURCE)
        name = self._symbol(own) if table.name is None else self._encoded(table.name)
        return f"arn:{partition}:dynamodb:{region}:{account}:table/{name}"

    def _covers(self, pattern: Node | Unresolved, table: TableIdentity, arn: str) -> Truth:
        parts = pattern.parts if isinstance(pattern, Unresolved) else (scalar_of(pattern),)
        resources = [part for part in parts if isinstance(part, NameReference) and part.kind == RESOURCE]
        if NameReference(table.address, "Arn", RESOURCE) in parts:
            return True
        if any(part.name != table.address for part in resources):
            return False
        own = self._symbol(NameReference(table.address, None, RESOURCE))
        name = arn.partition(":table/")[2]
        doubt = pattern.doubt if isinstance(pattern, Unresolved) else _UNKNOWN_ARN
        return arn_covers(self._encoded(pattern).replace(own, name), arn, doubt) if parts else doubt

    def _encoded(self, value: Node | Unresolved | None) -> str:
        """A text with a symbol for each part that is not known."""
        if isinstance(value, Unresolved):
            parts = value.parts or (NameReference("?"),)
            return "".join(part if isinstance(part, str) else self._symbol(part) for part in parts)
        return scalar_of(value) if value is not None else ""

    def _symbol(self, reference: NameReference) -> str:
        return self._symbols.of(f"{reference.kind} {reference.name} {reference.attribute}")
