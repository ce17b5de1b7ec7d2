"""The families of cases whose answers are known by construction."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import partial
from random import Random

from oracles.cloudformation.case import Case
from oracles.cloudformation.loops import loops
from oracles.cloudformation.scenarios import bounds, choices, includes
from oracles.cloudformation.tables import stacks, tables
from oracles.cloudformation.yaml_text import yaml_text

FAMILIES: dict[str, Callable[[Random, str], Case]] = {
    "functions": partial(tables, extended=False),
    "language extensions": partial(tables, extended=True),
    "stacks": partial(stacks, extended=False),
    "stacks with language extensions": partial(stacks, extended=True),
    "loops": loops,
    "choices": choices,
    "bounds": bounds,
    "includes": includes,
}


def case_of(family: str, seed: str) -> Case:
    """The case that a seed makes."""
    return FAMILIES[family](Random(f"{family} {seed}"), family)


def text_of(case: Case, seed: str) -> str:
    """Its template as JSON or, as often, as YAML."""
    random = Random(f"text {seed}")
    if random.random() < 0.5:
        return json.dumps(case.template, indent=random.choice([None, 1, 2]))
    return yaml_text(random, case.template)
