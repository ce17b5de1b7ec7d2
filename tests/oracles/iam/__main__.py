"""Holds what tablegate says of access against an IAM simulator: `make oracle-iam N=… SEED=…`.

N random worlds, each as a template and as Terraform source. Each role and user is asked whether it may do each action
on each table or index; the simulator answers for several requests. The exit code is 1 if tablegate says no where some
request is allowed, or if it says yes for certain where none is, more than once in 10,000. Without node or the simulator
it is skipped.
"""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from oracles.iam import worlds
from tablegate.dialects import read
from tablegate.dialects.reading import ReadOptions
from tablegate.iam.holders import Holder
from tablegate.syntax.source import Folder, Source

_HERE = Path(__file__).parent
_SHOWN = 8
_MOST_FALSE = 10_000  # answers for one that may be a wrong yes
_OPTIONS = ReadOptions(region=worlds.REGION, account=worlds.ACCOUNT)


class Question(NamedTuple):
    """Whether somebody may do an action on a table, or on what is below it."""

    world: int
    who: worlds.Who
    action: str
    table: str
    below: str


def main(words: list[str]) -> int:
    """Ask both, and tell where they differ."""
    arguments = argparse.ArgumentParser(prog="make oracle-iam")
    arguments.add_argument("worlds", type=int)
    arguments.add_argument("seed")
    arguments.add_argument("--modules", type=Path, required=True)
    chosen = arguments.parse_args(words)
    if shutil.which("node") is None or not (chosen.modules / "node_modules").is_dir():
        print("oracle-iam: skipped, since there is no node, or npm could not install the simulator")
        return 0
    made = list(worlds.worlds(chosen.worlds, chosen.seed))
    questions = [question for number, world in enumerate(made) for question in _questions(number, world)]
    allowed = _simulated(made, questions, chosen.modules)
    print(f"seed {chosen.seed}: {len(made)} worlds, {len(questions)} questions in two dialects")
    counts: Counter[str] = Counter()
    shown: Counter[str] = Counter()
    for dialect, write in (("template", worlds.as_template), ("source", worlds.as_source)):
        for (question, truth), requests in zip(_answers(made, questions, write), allowed, strict=True):
            how = _compared(truth, requests)
            counts[how] += 1
            if how in ("fail-open", "false yes") and shown[how] < _SHOWN:
                shown[how] += 1
                print(f"{how} in a {dialect}: here {truth}, there {requests}\n{_told(made[question.world], question)}")
    print(", ".join(f"{number} {how}" for how, number in counts.most_common()))
    too_many = counts["false yes"] * _MOST_FALSE > sum(counts.values())
    return 1 if counts["fail-open"] or too_many else 0


def _told(world: worlds.World, question: Question) -> str:
    who = question.who
    return json.dumps(
        {
            "seed's world": question.world,
            "asked": f"{who.arn} {question.action} {question.table} {question.below}",
            "identity": who.documents,
            "boundary": who.boundary,
            "table": world.policies.get(question.table),
        }
    )


def _questions(number: int, world: worlds.World) -> Iterator[Question]:
    for who in world.people:
        for table in worlds.TABLES:
            for action in worlds.ACTIONS:
                yield Question(number, who, action, table, "")
            for action in ("Query", "Scan"):
                yield Question(number, who, action, table, "index/by-status")


def _compared(truth: tuple[bool | None, bool], requests: list[bool]) -> str:
    """How an answer here agrees with what each request gets there."""
    answer, conditional = truth
    if answer is None:
        return "unknown"
    if answer is False:
        return "fail-open" if any(requests) else "no"
    if conditional:
        return "conditional" if any(requests) else "conditional, never met"
    return "yes" if all(requests) else "sometimes" if any(requests) else "false yes"


def _answers(
    made: list[worlds.World], questions: list[Question], write: Any
) -> Iterator[tuple[Question, tuple[bool | None, bool]]]:
    holders: list[dict[str, Holder]] = []
    tables = []
    for world in made:
        text = write(world)
        if write is worlds.as_template:
            source = Source("stack.json", text)
        else:
            source = Source(".", b"", Folder(root="", parts=(Source("main.tf.json", text),)))
        reading = read(source, _OPTIONS)
        assert reading.estate is not None, reading.faults
        holders.append({one.name or "": one for one in reading.estate.holders if one.arn is not None})
        tables.append({table.name.content: table for table in reading.estate.tables})
    for question in questions:
        holder = holders[question.world].get(question.who.name)
        if holder is None:
            yield question, (False, False)
            continue
        answer = holder.can(question.action, tables[question.world][question.table], question.below)
        yield question, (answer.truth, answer.conditional)


def _simulated(made: list[worlds.World], questions: list[Question], modules: Path) -> list[list[bool]]:
    """Whether each of the requests of each question is allowed."""
    lines: list[str] = []
    sizes: list[int] = []
    for question in questions:
        contexts = [context for context in worlds.CONTEXTS if _fits(context, question.action)]
        sizes.append(len(contexts))
        lines += (json.dumps(_simulation(made[question.world], question, context)) for context in contexts)
    script = modules / "simulate.mjs"
    shutil.copy(_HERE / "simulate.mjs", script)
    ran = subprocess.run(
        [str(shutil.which("node")), str(script)], input="\n".join(lines), capture_output=True, text=True, check=True
    )
    answers = [json.loads(line) for line in ran.stdout.splitlines()]
    strange = Counter(answer for answer in answers if answer not in ("Allowed", "ExplicitlyDenied", "ImplicitlyDenied"))
    if strange:
        raise SystemExit(f"oracle-iam: the simulator cannot answer: {strange.most_common(3)}")
    replies = iter(answers)
    return [[next(replies) == "Allowed" for _ in range(size)] for size in sizes]


def _fits(context: dict[str, Any], action: str) -> bool:
    """Whether a request for an action can be like this: item actions always carry the partition key."""
    return ("dynamodb:LeadingKeys" in context) is (action in worlds.CARRIES_KEYS)


def _of(who: worlds.Who) -> dict[str, Any]:
    """What every request of a role or user has."""
    name = {"aws:username": who.name} if who.form == "user" else {}
    return {"aws:PrincipalArn": who.arn, "aws:PrincipalAccount": worlds.ACCOUNT, **name}


def _simulation(world: worlds.World, question: Question, context: dict[str, Any]) -> dict[str, Any]:
    who = question.who
    arn = worlds.table_arn(question.table)
    target = f"{arn}/{question.below}" if question.below else arn
    simulation: dict[str, Any] = {
        "request": {
            "principal": who.arn,
            "action": f"dynamodb:{question.action}",
            "resource": {"resource": target, "accountId": worlds.ACCOUNT},
            "contextVariables": context | _of(who),
        },
        "identityPolicies": [{"name": f"p{number}", "policy": each} for number, each in enumerate(who.documents)],
        "serviceControlPolicies": [],
        "resourceControlPolicies": [],
    }
    if question.table in world.policies:
        simulation["resourcePolicy"] = world.policies[question.table]
    if who.boundary is not None:
        simulation["permissionBoundaryPolicies"] = [{"name": "limit", "policy": who.boundary}]
    return simulation


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
