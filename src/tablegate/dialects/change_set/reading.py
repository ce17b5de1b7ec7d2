"""A change set into an estate: the tables as they will be, and what happens to each."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache

from tablegate.dialects.change_set.document import Members, ResourceChange, changes, member, members, pairs, text
from tablegate.dialects.change_set.kinds import change_of, exists_after, exists_before
from tablegate.dialects.cloudformation.estates import built
from tablegate.dialects.cloudformation.opening import opened_tree
from tablegate.dialects.cloudformation.template import TABLES
from tablegate.dialects.reading import Reading, ReadOptions
from tablegate.findings import Fault, FaultCode, Input
from tablegate.model import facts
from tablegate.model.change import Change
from tablegate.model.estate import Estate
from tablegate.model.table import Table
from tablegate.model.value import Doubt, Place
from tablegate.syntax.collector import collector_paused
from tablegate.syntax.errors import ParseError
from tablegate.syntax.node import Node

KIND = "change-set"
_NOTHING_CHANGES = ("didn't contain changes", "No updates are to be performed")
_DONE = frozenset({"CREATE_COMPLETE", "FAILED", "DELETE_COMPLETE"})
_UNSEEN = Doubt(
    "a change set lists only what changes, and what stays as it is may speak of this table",
    "check the template of the change set: aws cloudformation get-template --change-set-name NAME",
)
_SHOW_VALUES = "aws cloudformation describe-change-set --include-property-values"


def read(text: str, name: str, options: ReadOptions) -> Reading:
    """The change set, read."""
    with collector_paused():
        return _ChangeSet(_parsed(text), text, name, options).reading()


def _parsed(text: str) -> Node:
    if text.lstrip("\ufeff \t\r\n").startswith("{"):
        from tablegate.syntax.json_ import parse_json

        return parse_json(text)
    from tablegate.syntax.yaml_ import parse_yaml

    return parse_yaml(text)


class _ChangeSet:
    """One change set on its way into an estate."""

    def __init__(self, root: Node, written: str, name: str, options: ReadOptions) -> None:
        self._name = name
        self._written = written
        self._root = members(root)
        self._options = _of_the_stack(self._root, options)
        self._faults: list[Fault] = []

    def reading(self) -> Reading:
        """What the change set says."""
        found = list(changes(self._root))
        self._note_state(found)
        after, resources = self._world(found, "AfterContext", exists_after)
        before = cache(lambda: self._world(found, "BeforeContext", exists_before)[0])
        existing = {it.address for it in found if exists_before(it)}
        whole = all(it.action == "Add" for it in found)
        shown = tuple(table if whole else _doubted(table, table.address in existing) for table in after.tables)
        records = tuple(self._records(found, shown, before))
        estate = replace(after, tables=shown, changes=records)
        self._note_unshown(found, {table.address for table in shown})
        return Reading(input=replace(resources, resources=len(found)), estate=estate, faults=tuple(self._faults))

    def _world(
        self, found: Sequence[ResourceChange], context: str, is_there: Callable[[ResourceChange], bool]
    ) -> tuple[Estate, Input]:
        """The resources that the change set shows of one side."""
        shown = {it.address: it.resource(context) for it in found if is_there(it) and not it.is_stack}
        held = {address: node for address, node in shown.items() if node is not None}
        root = Node({"Resources": Node(held, 1, 1)}, 1, 1)
        resolver, faults, _ = opened_tree(root, self._written, self._name, self._options)
        if resolver is None:
            raise ParseError("the change set holds no resources that can be read")
        estate, seen = built(resolver, self._written)
        self._faults += [fault for fault in faults.all() if fault not in self._faults]
        return estate, replace(seen, kind=KIND, detail=text(self._root, "StackName"))

    def _records(
        self, found: Sequence[ResourceChange], tables: Sequence[Table], before: Callable[[], Estate]
    ) -> list[Change]:
        by_address = {table.address: table for table in tables}

        def earlier(address: str) -> Table | None:
            return next((table for table in before().tables if table.address == address), None)

        return [
            change_of(it, Place(self._name, it.node.line, it.node.column), by_address.get(it.address), earlier)
            for it in sorted(found, key=lambda it: it.address)
            if it.type in TABLES
        ]

    def _note_state(self, found: Sequence[ResourceChange]) -> None:
        """Report what makes the change set less than the whole."""
        status = text(self._root, "Status") or "CREATE_COMPLETE"
        why = text(self._root, "StatusReason") or ""
        if member(self._root, "NextToken") is not None:
            self._refuse("one page of a change set: NextToken says that there are more", "describe it without paging")
        if status == "FAILED" and not any(words in why for words in _NOTHING_CHANGES):
            self._refuse("the change set failed: nobody can execute it", "mend what its StatusReason says")
        elif status not in _DONE:
            self._refuse("the change set is not made yet", "aws cloudformation wait change-set-create-complete")
        for it in found:
            if it.is_stack:
                self._tell(
                    f"{it.address}: the changes of a nested stack are in a change set of their own",
                    "make it with --include-nested-stacks, and check the nested change sets too",
                    it.node,
                )
        if found and any(it.action != "Add" for it in found):
            self._tell("a change set lists only what changes: what stays as it is, is not judged", "check its template")

    def _note_unshown(self, found: Sequence[ResourceChange], shown: set[str]) -> None:
        for it in found:
            if it.type in TABLES and exists_after(it) and it.address not in shown:
                self._refuse(f"{it.address}: the change set does not show the table's properties", _SHOW_VALUES)

    def _refuse(self, message: str, hint: str) -> None:
        self._faults.append(Fault(FaultCode.INCOMPLETE, message, Place(self._name), hint=hint))

    def _tell(self, message: str, hint: str, at: Node | None = None) -> None:
        place = Place(self._name) if at is None else Place(self._name, at.line, at.column)
        self._faults.append(Fault(FaultCode.INCOMPLETE, message, place, blocks=False, hint=hint))


def _of_the_stack(root: Members, options: ReadOptions) -> ReadOptions:
    """The options, with what the change set says of its stack."""
    parts = (text(root, "StackId") or text(root, "ChangeSetId") or "").split(":")
    region, account = (parts[3], parts[4]) if parts[0] == "arn" and len(parts) > 5 else (None, None)
    return replace(
        options,
        region=options.region or region or None,
        account=options.account or account or None,
        stack_tags={**options.stack_tags, **pairs(member(root, "Tags"))},
    )


def _doubted(table: Table, is_there: bool) -> Table:
    """The table, with a doubt wherever something that stays as it is may speak of it."""
    backed_up = table.backed_up
    if backed_up.content is not True and backed_up.known:
        backed_up = facts.BACKED_UP.doubted(_UNSEEN, backed_up.place)
    if not is_there:
        return replace(table, backed_up=backed_up)
    return replace(
        table,
        backed_up=backed_up,
        scaling_doubt=table.scaling_doubt or _UNSEEN,
        alarms_doubt=table.alarms_doubt or _UNSEEN,
    )
