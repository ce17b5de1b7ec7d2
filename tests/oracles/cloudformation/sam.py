"""Compares what is seen of SAM templates with what is seen of their translations."""

from __future__ import annotations

import json
import re
import subprocess
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import NamedTuple

from oracles.cloudformation.case import Tree
from oracles.cloudformation.seen import Differences, Seen, compared, seen
from oracles.cloudformation.serverless import serverless

NAMED = {
    "TG514": "how many documents a role has is a matter of spelling: SAM's transform makes several of one",
    "TG517": "a policy template is named in a message of its own, and its translation is not known to be one",
    "TG518": "a policy template is named in a message of its own, and its translation is not known to be one",
    "TG531": "the name of the role that SAM makes is not known before",
}
"""Policies that say how a grant is written, so that they differ by design, with the reason."""
_TRANSLATE = Path(__file__).with_name("translate.py")
_POLICY = re.compile(r"^(Link|First|Second|Orders)(?:Own|Readers)?Policy(?:Destination[0-9])?$")
_MADE = (
    re.compile(r"^(First|Second|Machine)Role$"),
    re.compile(r"^(Interface)Data(?:Role|DynamoDB\w*)$"),
    _POLICY,
)


class Pair(NamedTuple):
    """A SAM template with its values, and its translation."""

    seed: str
    template: Tree
    values: dict[str, str]
    translated: Tree


class Compared(NamedTuple):
    """The differences of a run, with the first seed of each."""

    summary: str
    found: Counter[str]
    first: dict[str, str]


def pairs(seed: str, number: int, python: str) -> Iterator[Pair]:
    """Templates that the translator takes, with what it makes of them."""
    made = [(f"{seed}-{each}", *serverless(Random(f"serverless {seed}-{each}"))) for each in range(number)]
    asked = "".join(json.dumps(template) + "\n" for _, template, _ in made)
    ran = subprocess.run([python, _TRANSLATE], input=asked, capture_output=True, text=True, check=True)
    for (name, template, values), answer in zip(made, ran.stdout.splitlines(), strict=True):
        translated = json.loads(answer)
        if "refused" not in translated and not _refers_to_nothing(template, values):
            yield Pair(name, template, values, translated)


def _refers_to_nothing(template: Tree, values: dict[str, str]) -> bool:
    """Whether a table is referred to that does not exist with these values: CloudFormation refuses the translation."""
    others = {address: it for address, it in template["Resources"].items() if address != "Simple"}
    is_absent = values.get("Mode") == "b" and "Condition" in template["Resources"]["Simple"]
    return is_absent and "Simple" in json.dumps(others).replace("SimpleTable", "")


def compare(seed: str, number: int, python: str) -> Compared:
    """What differs between templates and their translations."""
    found: Counter[str] = Counter()
    first: dict[str, str] = {}
    taken = same = 0
    for pair in pairs(seed, number, python):
        differing = [f"serverless: {one}" for one in differences(pair)]
        taken += 1
        same += not differing
        found.update(differing)
        for one in differing:
            first.setdefault(one, pair.seed)
    summary = f"serverless: {number} templates, {taken} that SAM's translator takes, {same} alike"
    return Compared(summary, found, first)


def differences(pair: Pair) -> Differences:
    """What differs between a template and its translation."""
    own, want = seen(json.dumps(pair.template), pair.values), seen(json.dumps(pair.translated), pair.values)
    ours, theirs = _refusals(own), _refusals(want)
    faults = [f"fault: {message}" for message in sorted(ours - theirs)]
    faults += [f"fault of the answer: {message}" for message in sorted(theirs - ours)]
    found = compared(_by_author(own), _by_author(want))
    return [*faults, *(one for one in found if not any(f"'{name}'" in one for name in NAMED))]


def _refusals(it: Seen) -> set[str]:
    """What both refuse is the same wherever it stands: the transform moves and copies."""
    return {message.rpartition(": ")[2] for _, message in it.faults if message}


def _by_author(it: Seen) -> Seen:
    """Under the addresses that the author wrote: a role that the transform makes is that of its function.

    How many statements a finding is about is not compared: it is the transform that names documents. A connector's
    policy is its own holder only if its role is under a condition that does not hold: CloudFormation refuses that.
    """
    findings = Counter({(policy, _address(at), *said): 1 for policy, at, *said in it.findings})
    cells = {
        (_address(holder), table, index): cell
        for (holder, table, index), cell in it.cells.items()
        if not _POLICY.match(holder)
    }
    return Seen(it.tables, findings, cells, it.faults)


def _address(made: str) -> str:
    made = made.removesuffix(" Data")
    for pattern in _MADE:
        made = pattern.sub(r"\1", made)
    return made
