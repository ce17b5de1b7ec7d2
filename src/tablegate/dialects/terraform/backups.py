"""AWS Backup selections of Terraform, read for the joiner."""

from __future__ import annotations

from collections.abc import Mapping

from tablegate.dialects.joins import unknown_region
from tablegate.dialects.joins.backups import Selection, Truth, arn_covers, backed_up, conditions_in, tag_tests
from tablegate.dialects.resource import TERRAFORM
from tablegate.dialects.terraform.joins import TableFinder, table_name
from tablegate.dialects.terraform.regions import Regions
from tablegate.dialects.terraform.resources import Resource, Snapshot, doubt_about
from tablegate.iam.arns import Symbols
from tablegate.model.value import Doubt, Value


class Backups:
    """The backup selections of a snapshot."""

    def __init__(self, snapshot: Snapshot, finder: TableFinder, regions: Regions) -> None:
        self._finder = finder
        self._regions = regions
        self._symbols = Symbols()
        self._selections = snapshot.of("aws_backup_selection")
        self.any = bool(self._selections)

    def of(self, table: Resource, tags: Value[Mapping[str, str | None]]) -> Value[bool]:
        """Whether any selection covers the table."""
        if not self._selections:
            return backed_up((), tags)
        arn = self._arn(table)
        return backed_up((self._selection(one, table, arn) for one in self._selections), tags)

    def _selection(self, selection: Resource, table: Resource, arn: str) -> Selection:
        block = selection.block
        is_near = self._finder.location(selection).is_near(self._finder.location(table))
        return Selection(
            address=selection.address,
            place=selection.reference_place,
            present=unknown_region(selection.address) if is_near is None else is_near,
            resources=self._listed(selection, "resources", table, arn),
            excluded=self._listed(selection, "not_resources", table, arn),
            tags=tag_tests(block.many("selection_tag"), TERRAFORM),
            conditions=conditions_in(block.many("condition"), TERRAFORM),
        )

    def _listed(self, selection: Resource, key: str, table: Resource, arn: str) -> list[Truth]:
        """For each ARN of a list, whether it covers the table."""
        patterns = selection.content.get(key)
        if not isinstance(patterns, list):
            unknown = selection.block.doubt(key) is not None
            return [self._referenced(selection, key, table)] if unknown else []
        doubt = Doubt(f"the ARN of {table.address} is known only after apply", "pass --account and --region")
        covered = [arn_covers(pattern, arn, doubt) for pattern in patterns if isinstance(pattern, str)]
        return [*covered, self._referenced(selection, key, table)] if None in patterns else covered

    def _referenced(self, selection: Resource, key: str, table: Resource) -> Truth:
        """Whether a list that is not known yet holds the table: the tables that its expression refers to."""
        references = selection.references(key)
        targets = [
            resource
            for reference in references
            if reference.data is None
            for instance in reference.targets
            if (resource := selection.snapshot.at(instance)) is not None
        ]
        if table in targets or self._finder.by_references(references, selection).table == table.address:
            return True
        unknown = [reference for reference in references if not selection.snapshot.is_known(reference)]
        if unknown and all(reference.targets and reference.type.startswith("aws") for reference in unknown):
            return False  # other resources of AWS; a resource that only passes values on may pass anything
        return doubt_about(unknown) if unknown or not references else False

    def _arn(self, table: Resource) -> str:
        """The table's ARN, with symbols for what is not known of it."""
        parts = (self._regions.region(table).content, self._regions.account(table).content, table_name(table))
        region, account, name = (part or self._symbols.of(str(number)) for number, part in enumerate(parts))
        partition = self._symbols.of("partition")
        return table.known_text("arn") or f"arn:{partition}:dynamodb:{region}:{account}:table/{name}"
