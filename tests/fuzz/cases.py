"""The inputs of the fixtures as cases: a folder of files, what a user would name in it, and the files to rewrite."""

from __future__ import annotations

import json
import random
import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import yaml

from fuzz import hcl_rewriting, json_rewriting, yaml_rewriting
from tablegate.dialects.reading import ReadOptions
from tablegate.engine.judge import PreparedPolicies
from tablegate.engine.settings import Settings, selected_policies
from tablegate.findings import Exit, Report
from tablegate.inputs.collect import collect
from tablegate.model.record import replace
from tablegate.policy.declare import policies_in
from tablegate.run.gate import check_prepared
from tablegate.syntax.node import ParseError
from tablegate.syntax.yaml.events import document_of

FIXTURES = Path(__file__).parents[2] / "fixtures"
SETTINGS = Settings(select=("ALL",))
PREPARED = PreparedPolicies(selected_policies(policies_in("tablegate_baseline"), SETTINGS), SETTINGS)
DEEPEST = 100  # brackets
LARGEST = 60_000  # bytes of a file: larger ones take long and say no more

SET_ASIDE = {
    "hostile/tfplan/050b-deep-300.json": "an escape in a key has the plan read wholly, and its limits close the gate",
    "hostile/tfplan/050c-bigint.json": "the same",
}

FOLDER = Path("folder")
NEIGHBOUR = (
    b"Resources:\n  Queue:\n    Type: AWS::SQS::Queue\n"  # with it a folder holds an input, whatever is overlooked
)

PARENT = """\
Resources:
  Shop:
    Type: AWS::CloudFormation::Stack
    Properties:
      TemplateURL: parts/child.yaml
"""
KEYS = """\
Resources:
  Key:
    Type: AWS::KMS::Key
    Properties: {EnableKeyRotation: true}
Outputs:
  Key:
    Value: !GetAtt Key.Arn
    Export: {Name: shop-key}
"""
IMPORTING = """\
Resources:
  Orders:
    Type: AWS::DynamoDB::Table
    Properties:
      TableName: orders-prod
      SSESpecification: {SSEEnabled: true, SSEType: KMS, KMSMasterKeyId: !ImportValue shop-key}
"""

Outcome = tuple[int, tuple[tuple[str, str, str, str], ...]]
"""The exit code, and each finding as its policy, address, part and outcome."""


class Target(NamedTuple):
    """A file to rewrite, as the tree of its syntax."""

    name: str
    tree: Any
    rewrite: Callable[[Any, random.Random], bytes]
    plain: object = None  # what YAML must still mean


@dataclass(frozen=True)
class Case:
    """Files that are one input. ``named`` is empty where the folder itself is."""

    id: str
    files: dict[str, bytes]
    named: str
    targets: tuple[Target, ...]

    def write(self) -> None:
        """Put the files into the working directory, in place of those of the last case."""
        shutil.rmtree(FOLDER, ignore_errors=True)
        for name, data in self.files.items():
            path = FOLDER / "case" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
        (FOLDER / "neighbour.yaml").write_bytes(NEIGHBOUR)

    def write_one(self, name: str, data: bytes) -> None:
        """Replace the content of one file."""
        (FOLDER / "case" / name).write_bytes(data)

    def outcomes(self) -> tuple[Outcome, Outcome]:
        """What is said where the input is named, and where its folder is found beside another input."""
        return outcome_of(str(FOLDER / "case" / self.named)), outcome_of(str(FOLDER))


def outcome_of(path: str) -> Outcome:
    """What a check of a path says."""
    return outcome(report_of(path))


def report_of(path: str) -> Report:
    """The report on a path."""
    collected = collect([path], use_ignore_files=False)
    report = check_prepared(collected.sources, PREPARED, ReadOptions(), faults=collected.faults)
    nothing = not collected.sources and collected.skipped and not collected.faults
    return replace(report, exit=Exit.OPEN) if nothing else report  # as the command does


def outcome(report: Report) -> Outcome:
    """What a report says, without lines and wording."""
    findings = (
        (item.policy.id, item.address, json.dumps(item.part and dict(item.part)), str(item.outcome))
        for item in report.findings
    )
    return int(report.exit), tuple(sorted(findings))


def rewriting(target: Target, chance: random.Random) -> bytes | None:
    """Another spelling of a file. None if libyaml does not read it as the same document."""
    data = target.rewrite(target.tree, chance)
    if target.rewrite is yaml_rewriting.rewritten:
        try:
            plain = document_of(data.decode("utf-16" if data[:1] in b"\xff\xfe" else "utf-8-sig")).plain()
        except ParseError:
            return None
        return data if plain == target.plain else None
    return data


def cases() -> Iterator[Case]:
    """Every input of the fixtures that can be written in other words."""
    for path in sorted(FIXTURES.rglob("*")):
        if path.is_file() and path.suffix in (".json", ".yaml", ".yml") and not _is_part(path):
            id_ = path.relative_to(FIXTURES).as_posix()
            target = _target(path.name, path.read_bytes())
            if target is not None and id_ not in SET_ASIDE:
                yield Case(id_, {path.name: path.read_bytes()}, path.name, (target,))
    yield from _of_several()
    for folder in sorted({path.parent for path in FIXTURES.rglob("*.tf")}):
        yield from _of_folder(folder, ("*.tf", "*.tofu", "*.tf.json", "*.tfvars"))
    for manifest in sorted(FIXTURES.rglob("manifest.json")):
        yield from _of_folder(manifest.parent, ("*.json",))


def _of_several() -> Iterator[Case]:
    """Templates that know of each other: one embeds another, one imports what another exports."""
    child = (FIXTURES / "examples" / "template.yaml").read_bytes()
    yield _case("nested", {"parent.yaml": PARENT.encode(), "parts/child.yaml": child}, "parent.yaml")
    yield _case("imported", {"keys.yaml": KEYS.encode(), "tables.yaml": IMPORTING.encode()}, "")


def _case(id_: str, files: dict[str, bytes], named: str) -> Case:
    targets = [target for name, data in files.items() if (target := _target(name, data)) is not None]
    return Case(id_, files, named, tuple(targets))


def _of_folder(folder: Path, patterns: tuple[str, ...]) -> Iterator[Case]:
    paths = sorted({path for pattern in patterns for path in folder.glob(pattern) if path.is_file()})
    files = {path.name: path.read_bytes() for path in paths}
    case = _case(f"{folder.relative_to(FIXTURES).as_posix()}/", files, "")
    if case.targets:
        yield case


def _is_part(path: Path) -> bool:
    """Whether a file belongs to an assembly or is no input."""
    within = (path.parent, *path.parent.parents)
    return any((folder / "manifest.json").exists() for folder in within) or path.name.endswith(
        (".tf.json", "table.json", "package.json", "expect.json")
    )


def _target(name: str, data: bytes) -> Target | None:
    if len(data) > LARGEST or not data.strip() or _depth(data) > DEEPEST:
        return None
    try:
        text = data.decode()
        if name.endswith(".json"):
            return Target(name, json_rewriting.tree_of(text), json_rewriting.rewritten)
        if name.endswith((".yaml", ".yml")) and not text.lstrip().startswith("{"):
            return Target(name, yaml_rewriting.tree_of(text), yaml_rewriting.rewritten, document_of(text).plain())
        if name.endswith((".tf", ".tofu")):
            return Target(name, hcl_rewriting.tree_of(text), hcl_rewriting.rewritten)
    except (ValueError, yaml.YAMLError, ParseError, RecursionError, KeyError, StopIteration):
        pass
    return None


def _depth(data: bytes) -> int:
    depth = deepest = 0
    for sign in data:
        depth += (sign in b"[{") - (sign in b"]}")
        deepest = max(deepest, depth)
    return deepest
