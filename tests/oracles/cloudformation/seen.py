"""What tablegate sees in a template, as plain data that can be compared."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from oracles.cloudformation.case import ACCOUNT, REGION, Case, Tree
from support.access import POLICIES
from tablegate.dialects.cloudformation.stacks import read
from tablegate.dialects.reading import Reading, ReadOptions
from tablegate.engine.jsonpath import view
from tablegate.engine.judge import Ledger, PreparedPolicies, judge
from tablegate.engine.settings import Settings
from tablegate.iam.matrix import Cell, matrix_of
from tablegate.model.estate import Estate

FACTS = (
    *("name", "keys", "attributes", "indexes", "local_indexes", "billing_mode", "capacity", "on_demand", "warm"),
    *("table_class", "insights", "encryption", "recovery", "deletion_protection", "retention", "ttl", "stream"),
    *("destinations", "replicas", "tags", "declared", "policy"),
)
LEFT_OUT = frozenset({"place", "resource", "consumers", "scaling"})  # where it stands; findings tell what they decide
NAME = "TG903"  # a name that functions make is not a fixed one
OPEN = {
    NAME: "a name that is open is not a fixed one",
    "TG601": "two tables of a loop whose rounds are open are one",
    "TG103": "if what scales a table is open, TG102 fails for the scenario in which nothing does",
    "TG525": "a role whose name is open is not the one that a policy lists by its name",
    "TG532": "who holds a grant on a table alone is open with the role's name",
    "TG539": "a role whose name is open is not the one that a policy lists by its name",
}
"""Policies that may have less to say where parameters are open, with the reason."""

Differences = list[str]
_PREPARED = PreparedPolicies(POLICIES, Settings())


class Seen(NamedTuple):
    """Facts of tables by address, findings with how often, cells of the matrix by holder and column, and faults."""

    tables: Mapping[str, list[Any]]
    findings: Counter[tuple[str, str, str, str]]
    cells: Mapping[tuple[str, str, str], str]
    faults: tuple[tuple[str, str], ...]  # the code, and the message; a fault that does not block has none


def seen(text: str, values: Mapping[str, str] | None = None, *, assume_defaults: bool = False) -> Seen:
    """What is seen of a template with these values."""
    options = ReadOptions(parameters=values or {}, assume_defaults=assume_defaults, region=REGION, account=ACCOUNT)
    reading = read(text, "template", options)
    estate = reading.estate
    tables: dict[str, list[Any]] = {}
    for table in estate.tables if estate is not None else ():
        facts = {name: _slim(view(getattr(table, name))) for name in FACTS}
        tables.setdefault(table.address, []).append(facts)
    return Seen(
        tables,
        Counter() if estate is None else _findings(estate),
        {} if estate is None else dict(_cells(estate)),
        tuple(_faults(reading)),
    )


def _faults(reading: Reading) -> Iterator[tuple[str, str]]:
    for fault in reading.faults:
        yield str(fault.code), fault.message if fault.blocks else ""


def _findings(estate: Estate) -> Counter[tuple[str, str, str, str]]:
    ledger = Ledger(_PREPARED)
    judge(estate, ledger)
    found: Counter[tuple[str, str, str, str]] = Counter()
    for it in ledger.close().findings:
        found[it.policy.id, it.address, str(it.outcome), str(it.severity)] += 1
        found.update((also.policy, it.address, str(it.outcome), str(also.severity)) for also in it.also)
    return found


def _cells(estate: Estate) -> Iterator[tuple[tuple[str, str, str], str]]:
    matrix = matrix_of(estate)
    for row in matrix.rows:
        for number, cell in row.cells.items():
            column = matrix.columns[number]
            yield (row.address, column.address, column.index or ""), _shown(cell)


def _shown(cell: Cell) -> str:
    marked = [(cell.sure, ""), (cell.bound, "*"), (cell.unknown, "?")]
    return " ".join(sorted(f"{right}{mark}" for rights, mark in marked for right in rights))


def _slim(value: Any) -> Any:
    if isinstance(value, Mapping):
        if "unknown" in value and set(value) <= {"unknown", "candidates", "span"}:
            return "unknown"
        return {key: _slim(item) for key, item in value.items() if key not in LEFT_OUT}
    return list(map(_slim, value)) if isinstance(value, (list, tuple)) else value


def differences(case: Case, text: str) -> Differences:
    """How what is seen of a case differs from what it comes to."""
    own = seen(text, case.values)
    blocking = [message for _, message in own.faults if message]
    if case.refused is not None:
        is_refused = any(case.refused in message for message in blocking)
        return [] if is_refused else [f"not refused: {case.refused}"]
    wanted = [seen(json.dumps(tree), assume_defaults=True) for tree in case.wanted]
    found = [f"fault: {message}" for message in blocking]
    found += [f"fault of the answer: {message}" for one in wanted for _, message in one.faults if message]
    if case.unknown:
        return found + _but_unknown(own, wanted[0], case.unknown)
    if case.template.get("Parameters") and not case.values:
        return found + _scenarios(own, wanted)
    return found + compared(own, wanted[0])


def compared(own: Seen, want: Seen) -> Differences:
    """Facts, findings and cells that are not the same."""
    found = []
    for address in sorted({*own.tables, *want.tables}):
        ours, theirs = own.tables.get(address, []), want.tables.get(address, [])
        if len(ours) != len(theirs):
            found.append(f"tables: {address} is there in {len(ours)} scenarios, not in {len(theirs)}")
        elif ours != theirs:
            facts = [name for one, other in zip(ours, theirs, strict=True) for name in one if one[name] != other[name]]
            found.append(f"facts: {address} {', '.join(dict.fromkeys(facts))}")
    found += [f"finding more: {each}" for each in own.findings - want.findings if each[0] != NAME]
    found += [f"finding less: {each}" for each in want.findings - own.findings if each[0] != NAME]
    for where in sorted({*own.cells, *want.cells}):
        one, other = own.cells.get(where, ""), want.cells.get(where, "")
        if one != other:
            found.append(f"cell: {where} is {one!r}, not {other!r}")
    return found


def _scenarios(own: Seen, wanted: list[Seen]) -> Differences:
    """Every scenario that can be must be seen, and no other."""
    found = []
    for address in sorted({*own.tables, *(address for one in wanted for address in one.tables)}):
        ours = {json.dumps(facts, sort_keys=True) for facts in own.tables.get(address, ())}
        theirs = {json.dumps(facts, sort_keys=True) for one in wanted for facts in one.tables.get(address, ())}
        found += [f"scenario of {address} that cannot be"] * len(ours - theirs)
        found += [f"scenario of {address} that is not seen"] * len(theirs - ours)
    bad = {each[:3] for one in wanted for each in one.findings if each[0] != NAME}
    ours_bad = {each[:3] for each in own.findings}
    found += [f"finding less: {each}" for each in sorted(bad - ours_bad)]
    found += [f"finding more: {each}" for each in sorted(ours_bad - bad) if each[0] != NAME]
    return found


def _but_unknown(own: Seen, want: Seen, unknown: Iterable[str]) -> Differences:
    found = [] if any(code == "TG002" for code, _ in own.faults) else ["the macro is not reported"]
    for address in sorted({*own.tables, *want.tables}):
        ours, theirs = own.tables.get(address, [{}]), want.tables.get(address, [{}])
        known = {name for facts in ours for name in unknown if "unknown" not in json.dumps(facts.get(name))}
        found += [f"known: {name} of {address}" for name in sorted(known)]
        differing = {
            name for one in ours for name in FACTS if name not in unknown and one.get(name) != theirs[0].get(name)
        }
        found += [f"facts: {name} of {address}" for name in sorted(differing)]
    return found


def without_values(template: Tree, values: Mapping[str, str]) -> Tree:
    """The template with its parameters open: each can be its value, and what else is allowed."""
    made: Tree = json.loads(json.dumps(template))
    for name, declared in made.get("Parameters", {}).items():
        if declared["Type"] in ("String", "Number"):
            declared.setdefault("AllowedValues", [values[name]])
            declared.pop("Default", None)
        else:
            declared["Default"] = values[name]
    return made


def milder(case: Case) -> Differences:
    """What fails with the values and would hold without them: not to know must never be better."""
    opened = seen(json.dumps(without_values(case.template, case.values)), assume_defaults=True)
    if any(message for _, message in opened.faults):
        return []  # a value that is allowed and cannot be: nothing passes
    want = seen(json.dumps(case.wanted[0]), assume_defaults=True)
    known = 1 if case.family == "loops" else 2  # a table of a loop that is open has the loop's address
    told = {each[:known] for each in opened.findings}
    return [f"milder: {each}" for each in want.findings if each[:known] not in told and each[0] not in OPEN]
