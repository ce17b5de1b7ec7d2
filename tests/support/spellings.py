"""The tables of fixtures/tables: each spelled in several languages, and brought into one form to be compared."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields, is_dataclass, replace
from fnmatch import fnmatchcase
from functools import cache
from pathlib import Path
from typing import Any

from tablegate.dialects import read
from tablegate.dialects.reading import Reading, ReadOptions
from tablegate.iam.grants import HolderForm
from tablegate.inputs.collect import collect
from tablegate.model.estate import DaxCluster, Estate, LegacyGlobalTable
from tablegate.model.table import (
    Alarm,
    Consumer,
    Index,
    KeyPart,
    Replica,
    ScalingTarget,
    StreamDestination,
    VectorIndex,
)
from tablegate.model.value import Doubt, Value
from tablegate.syntax.recognise import Kind
from tablegate.syntax.source import Beside, Source

TABLES = Path(__file__).parents[2] / "fixtures" / "tables"
# The files of a folder, each with its language, in the order in which they are asked.
SPELLINGS = {
    "plan.json": Kind.TERRAFORM_PLAN,
    "main.tf": Kind.TERRAFORM_SOURCE,
    "awscc.json": Kind.TERRAFORM_PLAN,
    "awscc-global.json": Kind.TERRAFORM_PLAN,
    "template.yaml": Kind.CLOUDFORMATION,
    "template.json": Kind.CLOUDFORMATION,
    "global.yaml": Kind.CLOUDFORMATION,
    "sam.yaml": Kind.CLOUDFORMATION,
    "changeset.json": Kind.CHANGE_SET,
    "cdk.out": Kind.CDK_ASSEMBLY,
}
UNKNOWN = "(unknown)"
DOUBTED = "(doubted)"
IN_THIS_INPUT = "(in this input)"

# What a language cannot say in one of its spellings, it cannot say in the other.
_TERRAFORM = "terraform"
_LIKE = {
    "plan.json": (_TERRAFORM,),
    "main.tf": ("plan.json", _TERRAFORM),
    "awscc.json": ("template.yaml", _TERRAFORM),
    "awscc-global.json": ("global.yaml", "awscc.json", _TERRAFORM),
}

# Where a thing stands and what its language calls it: no two languages can agree on these.
UNCOMPARED = frozenset({"address", "place", "dialect", "type", "label", "scenario", "raw", "change", "estate", "table"})


@dataclass(frozen=True, slots=True)
class Difference:
    """What one spelling cannot say. ``field`` and ``spelling`` are globs."""

    field: str
    spelling: str
    why: str

    def excuses(self, path: str, spelling: str) -> bool:
        """Whether this speaks of that field in that spelling."""
        return fnmatchcase(path, self.field) and any(
            fnmatchcase(one, self.spelling) for one in (spelling, *_LIKE.get(spelling, ()))
        )


# What a whole language cannot say, whatever the table is.
EVERYWHERE = (
    Difference("*/name_fixed", _TERRAFORM, "Terraform names every table, and replaces it under another name"),
    Difference("*/retention.deletion_policy", _TERRAFORM, "an attribute of CloudFormation's resources"),
    Difference("*/retention.update_replace_policy", _TERRAFORM, "an attribute of CloudFormation's resources"),
    Difference(
        "*/retention.prevent_destroy", "*", "in Terraform's source, never in its plan; unknown to CloudFormation"
    ),
    Difference("*/arn", _TERRAFORM, "made by the apply; a template's follows from region, account and name"),
    Difference("*/account", _TERRAFORM, "stands in the ARN of what exists already; a template is told it"),
)


def folders() -> list[Path]:
    """Every table folder."""
    return sorted(path for path in TABLES.iterdir() if path.is_dir())


def spellings(folder: Path) -> list[Path]:
    """Every spelling of one folder, in the order in which they are asked."""
    return [folder / name for name in SPELLINGS if (folder / name).exists()]


def differences(folder: Path) -> list[Difference]:
    """What the spellings of this folder cannot say."""
    return [Difference(**entry) for entry in _toml(folder / "differs.toml").get("field", [])]


def silences(folder: Path) -> list[Difference]:
    """Which policies cannot say the same of every spelling of this folder."""
    return [
        Difference(entry["policy"], entry["spelling"], entry["why"])
        for entry in _toml(folder / "differs.toml").get("finding", [])
    ]


def options(folder: Path) -> ReadOptions:
    """What somebody says on the command line for this folder."""
    path = folder / "options.toml"
    given = _toml(path) if path.exists() else {"region": "us-east-1"}
    return ReadOptions(
        region=given.get("region"),
        account=given.get("account"),
        parameters=given.get("parameters", {}),
        stack_tags=given.get("stack-tags", {}),
    )


@cache
def reading(path: Path) -> Reading:
    """One spelling, read. Source takes its variables as the plan beside it did."""
    return read(source(path), source_options(path.parent) if path.name == "main.tf" else options(path.parent))


def source(path: Path) -> Source:
    """One spelling, and all that belongs to it."""
    if path.name == "main.tf":
        (found,) = collect([str(path)]).sources
        return found
    if not path.is_dir():
        return Source(path.name, path.read_bytes())
    files = {f"{path.name}/{file.name}": file.read_bytes() for file in sorted(path.iterdir())}
    return Source(f"{path.name}/manifest.json", files[f"{path.name}/manifest.json"], beside=Beside(files))


def source_options(folder: Path) -> ReadOptions:
    """The variables that the plan of a folder was made with."""
    return replace(options(folder), assume_defaults=True, variables=variables(folder))


def explained(folder: Path) -> Estate:
    """The folder's template, beside a change set: the folder's own, or one that shows no values."""
    template = source(folder / "template.yaml")
    path = folder / "changeset.json"
    tables = {table.address for table in estate(folder / "template.yaml").tables}
    listed = [
        {"Action": "Add", "LogicalResourceId": address, "ResourceType": "AWS::DynamoDB::Table"}
        for address in sorted(tables)
    ]
    made = {"ChangeSetId": "x", "Changes": [{"Type": "Resource", "ResourceChange": change} for change in listed]}
    data = path.read_bytes() if path.exists() else json.dumps(made).encode()
    (found,) = read(Source(path.name, data), replace(options(folder), template=template)).inner
    assert found.estate is not None
    return found.estate


def variables(folder: Path) -> dict[str, str]:
    """What the variables of a folder were set to when its plan was made."""
    path = folder / "plan.args"
    given = [line.removeprefix("-var=").partition("=") for line in path.read_text().split()] if path.exists() else []
    return {name: value for name, _, value in given}


def estate(path: Path) -> Estate:
    """The estate of one spelling."""
    (made,) = [part.estate for part in reading(path).all() if part.estate is not None]
    return made


def leaves(path: Path) -> dict[str, Any]:
    """Every fact of one spelling by its path: its content, or that it is not known."""
    return leaves_of(estate(path))


def leaves_of(made: Estate) -> dict[str, Any]:
    """Every fact of an estate."""
    whole = {
        **{f"table {_name(table.name)}": table for table in made.tables},
        **{f"cluster {place}": cluster for place, cluster in enumerate(made.dax_clusters)},
        **{f"legacy {place}": legacy for place, legacy in enumerate(made.legacy_global_tables)},
    }
    manages = {
        f"estate/{name}": getattr(made, name) for name in ("manages_alarms", "manages_consumers", "manages_backups")
    }
    mine = frozenset(_addresses(made))
    return manages | {
        f"{name}/{below}": leaf for name, thing in sorted(whole.items()) for below, leaf in _leaves(thing, "", mine)
    }


def by_address(made: Estate) -> dict[str, Any]:
    """Every fact of the tables by its address and path: two inputs of one language agree on addresses."""
    mine = frozenset(_addresses(made))
    tables = sorted(made.tables, key=lambda table: table.address)
    return {f"{table.address}/{below}": leaf for table in tables for below, leaf in _leaves(table, "", mine)}


def subjects(made: Estate) -> dict[str, str]:
    """What a finding's address means in any language: the same names as in ``leaves``."""
    named = {table.address: f"table {_name(table.name)}" for table in made.tables}
    clusters: list[tuple[str, DaxCluster | LegacyGlobalTable]] = [
        *((f"cluster {place}", item) for place, item in enumerate(made.dax_clusters)),
        *((f"legacy {place}", item) for place, item in enumerate(made.legacy_global_tables)),
    ]
    own = (holder for holder in made.holders if holder.form in (HolderForm.TABLE, HolderForm.STREAM))
    documents = {
        item.address: named[holder.address]
        for holder in own
        for item in (*holder.grants, *holder.unread)
        if holder.address in named
    }
    return documents | named | {item.address: name for name, item in clusters}


def _addresses(made: Estate) -> Iterator[str]:
    for table in made.tables:
        yield table.address
        for part in (table, *(table.replicas.content or ())):
            if part.encryption.resource is not None:
                yield part.encryption.resource.address
            yield from (item.address for item in part.destinations if item.address is not None)


def _leaves(thing: object, path: str, mine: frozenset[str]) -> Iterator[tuple[str, Any]]:
    match thing:
        case Value() if thing.known:
            yield from _leaves(thing.content, path, mine)
        case Value():
            yield path, UNKNOWN
        case Doubt():
            yield path, DOUBTED
        case tuple() if thing and is_dataclass(thing[0]) and not isinstance(thing[0], KeyPart):
            for name, part in sorted(_named(thing), key=lambda pair: pair[0]):
                yield from _leaves(part, f"{path}[{name}]", mine)
        case _ if is_dataclass(thing) and not isinstance(thing, KeyPart):
            for field in fields(thing):
                if field.name not in UNCOMPARED:
                    yield from _leaves(getattr(thing, field.name), f"{path}.{field.name}".lstrip("."), mine)
        case _:
            yield path, _plain(thing, mine)


def _named(parts: tuple[Any, ...]) -> list[tuple[str, Any]]:
    seen: dict[str, int] = {}
    named = []
    for part in parts:
        name = _part_name(part)
        seen[name] = seen.get(name, 0) + 1
        named.append((name if seen[name] == 1 else f"{name} {seen[name]}", part))
    return named


def _part_name(part: object) -> str:
    match part:
        case Index() | VectorIndex():
            return _name(part.name)
        case Replica():
            return _name(part.region)
        case ScalingTarget():
            return " ".join(word for word in (part.index, part.region, part.dimension) if word)
        case Alarm():
            return " ".join(word for word in (part.index, part.metric) if word)
        case Consumer():
            return "consumer"
        case StreamDestination():
            return "destination"
    return getattr(part, "name", type(part).__name__)


def _name(value: Value[str]) -> str:
    return str(value.content) if value.known and value.content else UNKNOWN


def _plain(content: object, mine: frozenset[str]) -> Any:
    match content:
        case KeyPart():
            return f"{content.attribute} {content.role}"
        case Mapping():
            return {key: UNKNOWN if content[key] is None else content[key] for key in sorted(content)}
        case frozenset() | tuple() if all(isinstance(item, str) for item in content):
            return sorted(content)
        case tuple():
            return [_plain(item, mine) for item in content]
        case float() if content.is_integer():
            return int(content)
        case str():
            return _text(content, mine)
    return content


def _text(content: str, mine: frozenset[str]) -> Any:
    if content in mine:
        return IN_THIS_INPUT
    if "${" in content:
        return UNKNOWN  # a template keeps the name of what the deploy makes, and a plan does not
    return json.loads(content) if content.startswith("{") else str(content)


def _toml(path: Path) -> dict[str, Any]:
    return tomllib.loads(path.read_text()) if path.exists() else {}
