"""What changes the text of an input, and not what it means, changes no verdict."""

from __future__ import annotations

import json
import random
import re
from copy import deepcopy
from functools import cache
from pathlib import Path

import pytest
import yaml
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from support import spellings as spelled
from support.rewriting import (
    STRANGERS,
    Renaming,
    configured,
    instances,
    knowns,
    plan_of,
    referring,
    relabelled,
    rewritten,
    scalars,
    shuffled,
    stranger,
    tables_of,
    template,
)
from tablegate.dialects.reading import ReadOptions
from tablegate.engine.settings import Settings
from tablegate.findings import Report
from tablegate.policy.declare import policies_in
from tablegate.run.gate import check
from tablegate.syntax.source import Source

POLICIES = policies_in("tablegate_baseline")
EVERY = Settings(select=("ALL",))
PLANS = sorted(spelled.TABLES.glob("*/plan.json"))
TEMPLATES = sorted((*spelled.TABLES.glob("*/template.yaml"), *spelled.TABLES.glob("*/global.yaml")))

# Few examples and always the same ones: these are laws to be kept, not a search for new breaches.
few = settings(max_examples=40, derandomize=True, deadline=None, database=None, suppress_health_check=list(HealthCheck))
plans = st.sampled_from(PLANS)
templates = st.sampled_from(TEMPLATES)
chances = st.randoms(use_true_random=True)

Verdict = tuple[str, str, str, str]  # policy, address, part, outcome


@few
@given(templates, chances)
def test_order_of_keys_in_a_template(path: Path, chance: random.Random) -> None:
    """The order of the keys of a mapping says nothing."""
    assert judged_template(path, shuffled(template(path), chance)) == as_written(path)


@few
@given(plans, chances)
def test_order_in_a_plan(path: Path, chance: random.Random) -> None:
    """Neither does the order of keys in a plan, nor that of its changes."""
    plan = shuffled(plan_of(path), chance)
    chance.shuffle(plan["resource_changes"])
    assert judged(path, plan) == as_written(path)


@few
@given(templates)
def test_yaml_is_json(path: Path) -> None:
    """A template says the same in both of its syntaxes, and with long functions as with short tags."""
    document = template(path)
    as_yaml = yaml.safe_dump(document, sort_keys=False).encode()
    assert verdicts(report(path, as_yaml)) == judged_template(path, document) == as_written(path)


@few
@given(templates)
def test_names_of_resources_in_a_template(path: Path) -> None:
    """A logical id is only a name: renamed wherever it is referred to, it is the same resource."""
    document = template(path)
    assume(not any(name.startswith("Fn::") for name in document["Resources"]))
    new = {name: f"Renamed{number}" for number, name in enumerate(document["Resources"])}
    document["Resources"] = {new[name]: referring(item, new) for name, item in document["Resources"].items()}
    assert judged_template(path, document) == renamed(as_written(path), new.__getitem__)


@few
@given(plans, chances)
def test_names_of_resources_in_a_plan(path: Path, chance: random.Random) -> None:
    """A resource's label is only a name: renamed throughout, it is the same resource."""
    plan = plan_of(path)
    labels = {(change["type"], change["name"]) for change in plan["resource_changes"] if change["mode"] == "managed"}
    new = {f"{kind}.{name}": f"{kind}.renamed_{number}" for number, (kind, name) in enumerate(sorted(labels))}
    pattern = re.compile(rf"\b(?:{'|'.join(map(re.escape, sorted(new, key=len, reverse=True)))})(?![\w-])")

    def rename(text: str) -> str:
        return pattern.sub(lambda match: new[match[0]], text)

    assert judged(path, relabelled(rewritten(plan, rename), new)) == renamed(as_written(path), rename)


@few
@given(templates)
def test_strangers_in_a_template(path: Path) -> None:
    """Resources that have nothing to do with a table change nothing about it."""
    document = template(path)
    document["Resources"] = STRANGERS | document["Resources"] | {f"{name}Too": item for name, item in STRANGERS.items()}
    assert judged_template(path, document) == as_written(path)


@few
@given(plans, chances)
def test_strangers_in_a_plan(path: Path, chance: random.Random) -> None:
    """Resources that have nothing to do with a table change nothing about it."""
    plan = plan_of(path)
    for number in range(3):
        place = chance.randint(0, len(plan["resource_changes"]))
        plan["resource_changes"].insert(place, stranger(number))
    assert judged(path, plan) == as_written(path)


@few
@given(templates, chances)
def test_the_same_either_way(path: Path, chance: random.Random) -> None:
    """A condition that chooses between a value and the same value chooses nothing."""
    document = template(path)
    document.setdefault("Parameters", {})["Coin"] = {"Type": "String"}
    document.setdefault("Conditions", {})["Heads"] = {"Fn::Equals": [{"Ref": "Coin"}, "heads"]}
    for properties in tables_of(document):
        for name in chance.sample(sorted(properties), k=min(2, len(properties))):
            properties[name] = {"Fn::If": ["Heads", properties[name], deepcopy(properties[name])]}
    assert judged_template(path, document) == as_written(path)


@few
@given(templates, chances)
def test_a_doubt_mends_nothing(path: Path, chance: random.Random) -> None:
    """Where a value is replaced by one that nobody knows, what failed fails or is unknown: it never holds."""
    document = template(path)
    document.setdefault("Parameters", {})["Later"] = {"Type": "String"}
    leaves = [leaf for properties in tables_of(document) for leaf in scalars(properties)]
    holder, key = chance.choice(leaves)
    holder[key] = {"Ref": "Later"}
    before, after = as_written(path), judged_template(path, document)
    assert mended(before, after) == set()


@few
@given(plans, chances)
def test_a_doubt_in_a_plan_mends_nothing(path: Path, chance: random.Random) -> None:
    """The same, where a plan learns a value only after the apply."""
    plan = plan_of(path)
    tables = [item for item in plan["resource_changes"] if item["type"] == "aws_dynamodb_table"]
    table = chance.choice([item for item in tables if item["change"]["after"]])
    values, marks = table["change"]["after"], table["change"]["after_unknown"]
    planned = [item["values"] for item in instances(plan["planned_values"]) if item["address"] == table["address"]]
    known_values = [known for known in knowns(marks, values, *planned) if known[:2] != (marks, "name")]
    where, name, copies = chance.choice(known_values)  # not the table's name: what refers to it would be unknown too
    where[name] = True
    for copy in copies:
        del copy[name]
    before, after = as_written(path), judged(path, plan)
    assert mended(before, after) == set()


@few
@given(plans, chances)
def test_secrets_are_judged_alike(path: Path, chance: random.Random) -> None:
    """Marking a value sensitive hides it, and changes no verdict."""
    plan = plan_of(path)
    for item in plan["resource_changes"]:
        after = item["change"]["after"]
        if after:
            marked = dict.fromkeys(chance.sample(sorted(after), k=len(after) // 2), True)
            item["change"]["after_sensitive"] = marked if chance.random() < 0.8 else True
    assert judged(path, plan) == as_written(path)


@few
@given(plans, templates)
def test_two_inputs_are_judged_as_each_alone(one: Path, other: Path) -> None:
    """Of two inputs judged together, each is judged as if it were alone."""
    sources = (Source("one", one.read_bytes()), Source("other", other.read_bytes()))
    options = ReadOptions()
    together = check(sources, POLICIES, EVERY, options)
    alone = [check((source,), POLICIES, EVERY, options) for source in sources]
    assert together.findings == tuple(finding for report in alone for finding in report.findings)
    assert together.counts.verdicts == sum(report.counts.verdicts for report in alone)


def test_count_is_for_each() -> None:
    """Instances that are counted and instances with keys are judged alike."""
    path = spelled.TABLES / "counted" / "plan.json"
    plan = plan_of(path)
    for resource in configured(plan["configuration"]["root_module"]):
        if "count_expression" in resource:
            resource["for_each_expression"] = resource.pop("count_expression")

    def keyed(text: str) -> str:
        return re.sub(r"\[(\d+)\]", r'["\1"]', text)

    for instance in instances(plan):
        if isinstance(instance.get("index"), int):
            instance["index"] = str(instance["index"])
    assert judged(path, rewritten(plan, keyed)) == renamed(as_written(path), keyed)


NOT_OF_VALUES = {
    "TG903": "it judges how the template names a table, and a parameter is another way than a literal",
    "TG204": "it judges a key that is seen to be in this input, and an unknown one is not seen",
    "TG207": "it judges a stream that is seen to be in this input, and an unknown one is not seen",
}


@cache
def as_written(path: Path) -> tuple[Verdict, ...]:
    """The verdicts on the file as it is."""
    return verdicts(report(path, path.read_bytes()))


def judged_template(path: Path, document: object) -> tuple[Verdict, ...]:
    """The verdicts on another version of a template, written as JSON."""
    return verdicts(report(path, json.dumps(document).encode()))


def judged(path: Path, plan: object) -> tuple[Verdict, ...]:
    """The verdicts on another version of a plan."""
    return verdicts(report(path, json.dumps(plan).encode()))


def report(path: Path, data: bytes) -> Report:
    """The report on these bytes, under the name and with the options of the file."""
    made = check((Source(path.name, data),), POLICIES, EVERY, spelled.options(path.parent))
    assert [fault for fault in made.faults if fault.blocks] == []
    return made


def verdicts(made: Report) -> tuple[Verdict, ...]:
    """What was found, without where it stands and how it is worded."""
    return tuple(
        sorted(
            (item.policy.id, item.address, json.dumps(item.part and dict(item.part)), str(item.outcome))
            for item in made.findings
        )
    )


def mended(before: tuple[Verdict, ...], after: tuple[Verdict, ...]) -> set[tuple[str, str]]:
    """What failed before, and is not even unknown after."""
    failed = {(policy, address) for policy, address, _, outcome in before if outcome == "fails"}
    still = {(policy, address) for policy, address, _, _ in after}
    return {(policy, address) for policy, address in failed - still if policy not in NOT_OF_VALUES}


def renamed(found: tuple[Verdict, ...], rename: Renaming) -> tuple[Verdict, ...]:
    """The same verdicts about things of another name."""
    return tuple(sorted((policy, rename(address), part, outcome) for policy, address, part, outcome in found))


@pytest.mark.parametrize("path", TEMPLATES, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_the_file_itself_is_judged(path: Path) -> None:
    """The relations above are about something: every file gives findings."""
    assert as_written(path)
