"""A plan and its source, which a test may change: what is found then, and where."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from tablegate.dialects.reading import ReadOptions
from tablegate.engine.settings import Settings
from tablegate.findings import Finding, Report
from tablegate.model.value import Place
from tablegate.policy.declare import policies_in
from tablegate.run.gate import check
from tablegate.syntax.source import Source

FIXTURES = Path(__file__).parents[2] / "fixtures"
PROJECT = FIXTURES / "examples" / "stores"
POLICIES = policies_in("tablegate_baseline")
EU, US = 'module.orders["eu"].aws_dynamodb_table.this', 'module.orders["us"].aws_dynamodb_table.this'

Files = dict[str, str]


class Held:
    """Source in memory: nothing but these files, and these modules from elsewhere."""

    def __init__(self, files: Mapping[str, str], modules: Mapping[str, str]) -> None:
        self._files = files
        self._modules = modules

    @property
    def root(self) -> str:
        """The folder of the root module."""
        return ""

    def files(self, folder: str) -> tuple[Source, ...]:
        """The files of a folder."""
        names = sorted(name for name in self._files if name.rpartition("/")[0] == folder)
        return tuple(Source(name, self._files[name].encode()) for name in names)

    def module(self, path: tuple[str, ...]) -> str | None:
        """The folder of a module."""
        return self._modules.get(".".join(path))

    def file(self, name: str) -> Source | None:
        """One file."""
        return Source(name, self._files[name].encode()) if name in self._files else None


def source(folder: Path = PROJECT) -> Files:
    """The files that a plan of the fixtures was made of."""
    paths = sorted(path for path in folder.rglob("*") if path.suffix in (".tf", ".tfvars"))
    return {path.relative_to(folder).as_posix(): path.read_text() for path in paths}


def changed(name: str, old: str, new: str) -> Files:
    """The source of the project with one text of a file replaced."""
    files = source()
    assert old in files[name]
    return {**files, name: files[name].replace(old, new)}


def judged(
    files: Mapping[str, str],
    folder: Path = PROJECT,
    modules: Mapping[str, str] | None = None,
    values: tuple[Source, ...] = (),
) -> Report:
    """The plan of a folder, judged with this source, and these files of variables."""
    held = Source("plan.json", (folder / "plan.json").read_bytes(), tree=Held(files, modules or {}))
    settings = Settings(select=tuple(policy.id for policy in POLICIES))
    return check((held,), POLICIES, settings, ReadOptions(region="us-east-1", variable_files=values))


def finding(report: Report, policy: str, address: str = EU) -> Finding:
    """What one policy says of one resource."""
    (found,) = (item for item in report.findings if (item.policy.id, item.address) == (policy, address))
    return found


def spot(place: Place | None) -> str:
    """A place in short: the file and what tells it there; the file alone where nothing does."""
    assert place is not None
    return place.file if place.line is None else f"{place.file}:{place.line}:{place.column}"


def reason(item: Finding) -> str | None:
    """In short where the first value of a finding was given."""
    place = item.evidence[0].place
    return spot(place.because) if place is not None and place.because is not None else None


def inside(item: Finding) -> str | None:
    """In short where the module takes what the place of a finding gives it."""
    return None if item.place is None or item.place.inside is None else spot(item.place.inside)
