"""Which modules are mutated, and which tests are their nearest."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

PACKAGE = "src/tablegate"
_PACK = "policies/tablegate_baseline"
_DATA = frozenset({"aws_data.py", "aws_other_policies.py"})
_TERRAFORM = ("table", "table_parts", "autoscaling", "joins", "related_resources", "kms")
_CLOUDFORMATION = ("table", "global_table", "autoscaling", "joins", "related_resources", "kms")


@dataclass(frozen=True, slots=True)
class Room:
    """Modules of one kind, as globs below the package, and the tests that are asked, the nearest first."""

    name: str
    modules: tuple[str, ...]
    tests: tuple[str, ...]
    package: str = PACKAGE
    by_name: bool = False  # mutated only if somebody asks for the room

    def paths(self, root: Path) -> Iterator[Path]:
        """The modules."""
        for glob in self.modules:
            yield from sorted(path for path in (root / self.package).glob(glob) if path.name not in _DATA)

    def rounds(self, root: Path, module: Path) -> list[list[str]]:
        """The tests of a module: those that have its name, then the others of the room, then what lies farther away."""
        own, rest, far = [], [], []
        for number, folder in enumerate(self.tests):
            path, _, test = folder.partition("::")
            files = sorted((root / path).rglob("test_*.py")) if (root / path).is_dir() else [root / path]
            for file in files:
                named = f"{file.relative_to(root)}{'::' + test if test else ''}"
                (far if number and test else own if _is_of(file, module) else rest).append(named)
        return [each for each in (own, rest, far) if each]


def _is_of(test: Path, module: Path) -> bool:
    return test.stem == f"test_{module.stem}" or test.stem.startswith(f"test_{module.stem}_")


_PINNED = "tests/whole/test_parity.py::test_same_model"  # every fact of every fixture, in every language
ROOMS = (
    Room("engine", ("engine/*.py",), ("tests/engine",)),
    Room("model", ("model/*.py",), ("tests/model",)),
    Room("access", ("iam/*.py",), ("tests/iam",)),
    Room("findings", ("findings.py",), ("tests/test_findings.py",)),
    Room("gate", ("run/gate.py",), ("tests/run/test_gate.py",)),
    Room(
        "field maps of Terraform",
        tuple(f"dialects/terraform/{name}.py" for name in _TERRAFORM),
        ("tests/dialects/terraform", "tests/dialects/joins", _PINNED),
    ),
    Room(
        "field maps of CloudFormation",
        tuple(f"dialects/cloudformation/{name}.py" for name in _CLOUDFORMATION),
        ("tests/dialects/cloudformation", "tests/dialects/joins", _PINNED),
    ),
    Room("policies", ("*.py", "access/*.py"), ("tests/baseline",), _PACK, by_name=True),
    Room("joins", ("dialects/joins/*.py",), ("tests/dialects/joins", _PINNED)),
)
