"""A change set into an estate: alone, or with the template that it was made of."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import fields, is_dataclass
from functools import cache
from typing import Any

from tablegate.dialects.change_set.document import (
    Members,
    ResourceChange,
    change_of,
    changes,
    exists_after,
    exists_before,
    items,
    member,
    members,
    pairs,
    parsed,
    text,
)
from tablegate.dialects.cloudformation.estate import build_estate
from tablegate.dialects.cloudformation.loading import load_tree
from tablegate.dialects.cloudformation.parameters import ResolvedText
from tablegate.dialects.cloudformation.resolver import NO_CONTEXT, StackContext
from tablegate.dialects.cloudformation.stacks import read_stack
from tablegate.dialects.cloudformation.template import TABLES
from tablegate.dialects.reading import Reading, ReadOptions, unreadable
from tablegate.findings import Fault, FaultCode, Input
from tablegate.model import facts
from tablegate.model.estate import Change, Estate
from tablegate.model.record import replace, wire
from tablegate.model.table import Table
from tablegate.model.value import Doubt, Place, Value
from tablegate.syntax.node import Node, ParseError, collector_paused
from tablegate.syntax.recognise import Kind, recognise
from tablegate.syntax.source import Source

_MASK = "****"
# Fields of a table that come from its identity or from other resources, of which a change set shows too few.
_FROM_TEMPLATE = frozenset(
    {"address", "place", "dialect", "type", "kind", "label", "scenario", "backed_up", "change", "raw"}
)
KIND = "change-set"
_NOTHING_CHANGES = ("didn't contain changes", "No updates are to be performed")
_DONE = frozenset({"CREATE_COMPLETE", "FAILED", "DELETE_COMPLETE"})
_UNSEEN = Doubt(
    "a change set shows only changes; an unchanged resource may be about this table",
    "give the template of the change set: --template FILE",
)
_SHOW_VALUES = "aws cloudformation describe-change-set --include-property-values"
_ANOTHER = "give the template of this change set: aws cloudformation get-template --change-set-name NAME"


def read(text: str, name: str, options: ReadOptions) -> Reading:
    """Read a change set."""
    with collector_paused():
        return _ChangeSet(parsed(text), text, name, options).reading()


class _ChangeSet:
    """Turns one change set into an estate."""

    def __init__(self, root: Node, source_text: str, name: str, options: ReadOptions) -> None:
        self._name = name
        self._text = source_text
        self._root = members(root)
        self._options = _for_stack(self._root, options)
        self._faults: list[Fault] = []
        address = options.change_sets.get(text(self._root, "ChangeSetId") or "")
        self._context = NO_CONTEXT if address is None else StackContext(address=address)
        self._template = options.template if address is None else None

    def reading(self) -> Reading:
        """The reading of the change set."""
        resource_changes = list(changes(self._root))
        self._report_state(resource_changes)
        after, seen = self._side(resource_changes, "AfterContext", exists_after)
        before = cache(lambda: self._side(resource_changes, "BeforeContext", exists_before)[0])
        if self._template is not None:
            return self._with_template(self._template, resource_changes, after, before)
        existing = {self._context.full(it.address) for it in resource_changes if exists_before(it)}
        is_complete = all(it.action == "Add" for it in resource_changes)
        shown = tuple(table if is_complete else _doubted(table, table.address in existing) for table in after.tables)
        records = tuple(self._records(resource_changes, shown, before))
        estate = replace(after, tables=shown, changes=records)
        self._report_not_shown(resource_changes, {table.address for table in shown})
        if resource_changes and not is_complete:
            self._warn(
                "a change set shows only changes: unchanged resources are not checked",
                "give its template: --template FILE",
            )
        seen = replace(seen, resources=len(resource_changes), declared=_declared(self._root))
        return Reading(input=seen, estate=estate, faults=tuple(self._faults))

    def _with_template(
        self, source: Source, resource_changes: Sequence[ResourceChange], after: Estate, before: Callable[[], Estate]
    ) -> Reading:
        """The template, completed by the change set."""
        template = self._read_template(source)
        stack = text(self._root, "StackName")
        own = Input(path=self._name, kind=KIND, detail=stack, resources=len(resource_changes))
        if template.estate is not None:
            by_address = {table.address: table for table in template.estate.tables}
            self._report_other_template(resource_changes, by_address, source)
            tables = completed(template.estate.tables, {table.address: table for table in after.tables})
            records = tuple(self._records(resource_changes, tables, before))
            template = replace(template, estate=replace(template.estate, tables=tables, changes=records))
        return Reading(input=own, estate=None, faults=tuple(self._faults), inner=(template,))

    def _read_template(self, source: Source) -> Reading:
        options = replace(self._options, parameters={**parameters_of(self._root), **self._options.parameters})
        context = StackContext(name=text(self._root, "StackName"), beside=source.beside)
        try:
            recognised = recognise(source)
            if recognised.kind is Kind.CLOUDFORMATION:
                return read_stack(recognised.text, source.name, options, context)
        except ParseError as error:
            return unreadable(error, source.name)
        return unreadable(
            ParseError("this is not a CloudFormation template, which --template needs", hint=_ANOTHER), source.name
        )

    def _side(
        self, resource_changes: Sequence[ResourceChange], context: str, exists: Callable[[ResourceChange], bool]
    ) -> tuple[Estate, Input]:
        """The resources that the change set shows before or after its execution."""
        nodes = {it.address: it.resource(context) for it in resource_changes if exists(it) and not it.is_stack}
        shown = {address: node for address, node in nodes.items() if node is not None}
        root = Node({"Resources": Node(shown, 1, 1)}, 1, 1)
        template = load_tree(root, self._text, self._name, self._options, self._context)
        if template.resolver is None:
            raise ParseError("the change set holds no resources that can be read")
        built = build_estate(template.resolver, self._text)
        self._faults += [fault for fault in template.faults.all() if fault not in self._faults]
        return built.estate, replace(built.input, kind=KIND, detail=text(self._root, "StackName"))

    def _records(
        self, resource_changes: Sequence[ResourceChange], tables: Sequence[Table], before: Callable[[], Estate]
    ) -> list[Change]:
        by_address = {table.address: table for table in tables}

        def earlier(address: str) -> Table | None:
            return next((table for table in before().tables if table.address == address), None)

        own = [replace(it, address=self._context.full(it.address)) for it in resource_changes if it.type in TABLES]
        records = {
            it.address: change_of(
                it, Place(self._name, it.node.line, it.node.column), by_address.get(it.address), earlier
            )
            for it in sorted(own, key=lambda it: it.address)
        }
        for table in tables:
            wire(table, "change", records.get(table.address))
        return list(records.values())

    def _report_other_template(
        self, resource_changes: Sequence[ResourceChange], tables: Mapping[str, Table], source: Source
    ) -> None:
        """Report a template that cannot be the one that the change set was made of."""
        for it in resource_changes:
            if it.type in TABLES and exists_after(it) != (it.address in tables):
                where = "not in" if exists_after(it) else "still in"
                self._refuse(f"{it.address}: the table is {where} the template {source.name}", _ANOTHER)

    def _report_state(self, resource_changes: Sequence[ResourceChange]) -> None:
        """Report a change set that cannot be executed, or is not complete."""
        status = text(self._root, "Status") or "CREATE_COMPLETE"
        why = text(self._root, "StatusReason") or ""
        if member(self._root, "NextToken") is not None:
            self._refuse("this is only one page of a change set (it has a NextToken)", "describe it without paging")
        if status == "FAILED" and not any(words in why for words in _NOTHING_CHANGES):
            self._refuse("the change set failed and cannot be executed", "fix what its StatusReason reports")
        elif status not in _DONE:
            self._refuse("the change set is not created yet", "aws cloudformation wait change-set-create-complete")
        for it in resource_changes:
            if it.is_stack and text(it.members, "ChangeSetId") not in self._options.change_sets:
                self._warn(
                    f"{it.address}: the changes of a nested stack are in a change set of their own",
                    "create it with --include-nested-stacks, and check the nested change sets too",
                    it.node,
                )

    def _report_not_shown(self, resource_changes: Sequence[ResourceChange], shown: set[str]) -> None:
        for it in resource_changes:
            if it.type in TABLES and exists_after(it) and self._context.full(it.address) not in shown:
                self._refuse(f"{it.address}: the change set does not show the table's properties", _SHOW_VALUES)

    def _refuse(self, message: str, hint: str) -> None:
        self._faults.append(Fault(FaultCode.INCOMPLETE, message, Place(self._name), hint=hint))

    def _warn(self, message: str, hint: str, at: Node | None = None) -> None:
        place = Place(self._name) if at is None else Place(self._name, at.line, at.column)
        self._faults.append(Fault(FaultCode.INCOMPLETE, message, place, blocks=False, hint=hint))


def _declared(root: Members) -> frozenset[str]:
    """The names of all parameters of the change set."""
    names = (text(members(item), "ParameterKey") for item in items(member(root, "Parameters")))
    return frozenset(name for name in names if name is not None)


def parameters_of(root: Members) -> dict[str, str]:
    """The parameters of the change set, without those that it masks."""
    values: dict[str, str] = {}
    for item in items(member(root, "Parameters")):
        entry = members(item)
        name, value, resolved = (text(entry, key) for key in ("ParameterKey", "ParameterValue", "ResolvedValue"))
        if name is None or value == _MASK:
            continue
        if resolved is not None:
            values[name] = ResolvedText(resolved)
        elif member(entry, "ParameterValue") is not None:
            values[name] = value or ""
    return values


def completed(tables: Iterable[Table], shown: Mapping[str, Table]) -> tuple[Table, ...]:
    """The tables of the template. What is unknown there comes from the change set, if it shows it."""
    return tuple(_completed(table, shown[table.address]) if table.address in shown else table for table in tables)


def _completed(own: Any, shown: Any) -> Any:
    if isinstance(own, Value):
        if not own.known:
            return shown if shown.known else own
        if isinstance(own.content, tuple) and shown.known and _names(own.content) == _names(shown.content):
            pairs = zip(own.content, shown.content, strict=True)
            content = tuple(_completed(one, other) for one, other in pairs)
            return Value(own.name, content, own.origin, own.place)
        return own
    if not is_dataclass(own) or type(own) is not type(shown):
        return own
    part: Any = own
    names = [it.name for it in fields(part) if it.init and it.name not in _FROM_TEMPLATE]
    return replace(part, **{name: _completed(getattr(own, name), getattr(shown, name)) for name in names})


def _names(content: object) -> list[object] | None:
    """The names of the parts of a list; None if one has no known name."""
    if not isinstance(content, tuple):
        return None
    names = [getattr(part, "name", getattr(part, "region", None)) for part in content]
    return [name.content for name in names if isinstance(name, Value) and name.known]


def _for_stack(root: Members, options: ReadOptions) -> ReadOptions:
    """The options with region, account and tags of the stack."""
    parts = (text(root, "StackId") or text(root, "ChangeSetId") or "").split(":")
    region, account = (parts[3], parts[4]) if parts[0] == "arn" and len(parts) > 5 else (None, None)
    return replace(
        options,
        region=options.region or region or None,
        account=options.account or account or None,
        stack_tags={**options.stack_tags, **pairs(member(root, "Tags"))},
    )


def _doubted(table: Table, exists: bool) -> Table:
    """The table, with doubts where a resource that does not change may be about it."""
    backed_up = table.backed_up
    if backed_up.content is not True and backed_up.known:
        backed_up = facts.BACKED_UP.doubted(_UNSEEN, backed_up.place)
    if not exists:
        return replace(table, backed_up=backed_up)
    return replace(
        table,
        backed_up=backed_up,
        scaling_doubt=table.scaling_doubt or _UNSEEN,
        alarms_doubt=table.alarms_doubt or _UNSEEN,
    )


__all__ = ["read"]
