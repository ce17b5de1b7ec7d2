"""The source of a plan, from its folders and from the plan file: what is read, and what never is."""

from __future__ import annotations

import io
import json
import struct
import zipfile
from pathlib import Path
from typing import Any

import pytest

from support import source_lines as mapping
from support.command import tablegate
from tablegate.engine.settings import ConfigError
from tablegate.inputs.collect import collect, sources_of_texts
from tablegate.inputs.terraform import FolderTree, SavedTree, with_source_trees
from tablegate.syntax.source import Source

Spot = tuple[str | None, int | None, int | None]

PROJECT = mapping.PROJECT
MODULES = [{"Key": "", "Dir": "."}, {"Key": "orders", "Source": "./modules/orders", "Dir": "modules/orders"}]
MEMBERS = {
    "tfplan": "",
    "tfconfig/modules.json": json.dumps(MODULES),
    "tfconfig/m-/main.tf": (PROJECT / "main.tf").read_text(),
    "tfconfig/m-orders/orders.tf": (PROJECT / "modules" / "orders" / "orders.tf").read_text(),
}


def saved(members: dict[str, Any]) -> bytes:
    """A plan file with these members, as Terraform lays them out."""
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return held.getvalue()


def refused(data: bytes) -> str:
    """Why a plan file is not read."""
    with pytest.raises(ConfigError) as caught:
        SavedTree("tfplan", data)
    return caught.value.message


def names(tree: FolderTree | SavedTree, folder: str) -> list[str]:
    """The files of a folder."""
    return [source.name for source in tree.files(folder)]


def test_a_plan_file_holds_its_source() -> None:
    """Under the names that its files had, beside the plan file."""
    tree = SavedTree("infra/tfplan", saved(MEMBERS))
    assert ("infra", "infra/modules/orders") == (tree.root, tree.module(("orders",)))
    assert ["infra/main.tf"] == names(tree, "infra")
    assert ["infra/modules/orders/orders.tf"] == names(tree, "infra/modules/orders")
    assert tree.file("infra/main.tf") == tree.files("infra")[0]
    assert tree.file("infra/other.tf") is None


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "not a plan file, or a broken one"),
        (b"{}", "not a plan file, or a broken one"),
        (b' {"meta":{},"encrypted_data":"AAAA","encryption_version":"v0"}', "a plan file that OpenTofu encrypted"),
        (saved(MEMBERS)[:-9], "not a plan file, or a broken one"),
        (saved({"tfplan": ""}), "not a plan file, or a broken one"),
        (saved(MEMBERS | {"tfconfig/modules.json": "{}"}), "a plan file without the source of its root module"),
        (saved(MEMBERS | {"tfconfig/modules.json": "[1]"}), "not a plan file, or a broken one"),
        (saved(MEMBERS | {"tfconfig/modules.json": "[" * 100_000}), "not a plan file, or a broken one"),
        (
            saved(MEMBERS | {"tfconfig/m-/big.tf": "#" * 5_000_000}),
            "tfconfig/m-/big.tf is too large for Terraform source",
        ),
        (
            saved(MEMBERS | {f"tfconfig/m-/{number}.tf": "#" * 4_000_000 for number in range(20)}),
            "tfconfig/m-/6.tf is too large for Terraform source",
        ),
        (saved({f"x{number}": "" for number in range(20_001)}), "more than 20000 members"),
    ],
    ids=["empty", "json", "encrypted", "cut", "bare", "no-list", "no-rows", "deep", "large", "large-in-sum", "many"],
)
def test_hostile_plan_files_are_refused(data: bytes, message: str) -> None:
    """Within bounds, and in words."""
    assert f"tfplan: {message}" == refused(data)


def test_a_broken_member_is_refused() -> None:
    """Its checksum tells."""
    data = bytearray(saved({name: text.encode() for name, text in MEMBERS.items()}))
    at = data.index(b"tfconfig/m-/main.tf")
    data[at - 16 : at - 12] = struct.pack("<I", 1)
    central = data.rindex(b"tfconfig/m-/main.tf")
    data[central - 30 : central - 26] = struct.pack("<I", 1)
    assert "tfplan: not a plan file, or a broken one" == refused(bytes(data))


@pytest.mark.parametrize(
    "name",
    [
        "tfconfig/m-/../../evil.tf",
        "tfconfig/m-/a/b.tf",
        "/etc/evil.tf",
        "../evil.tf",
        "tfconfig/m-/e\\vil.tf",
        "tfconfig/m-unknown/evil.tf",
        "tfconfig/m-/evil.sh",
    ],
)
def test_members_of_other_names_are_not_read(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither what leads elsewhere, nor what belongs to no module; and nothing is written anywhere."""
    monkeypatch.chdir(tmp_path)
    tree = SavedTree("tfplan", saved(MEMBERS | {name: "resource {"}))
    assert ["main.tf"] == names(tree, "")
    assert [] == list(tmp_path.iterdir())


def test_a_module_may_have_come_from_anywhere() -> None:
    """Its folder is a name, and nothing is looked up there."""
    rows = [MODULES[0], {"Key": "orders", "Dir": "../../common/orders"}, {"Key": "far", "Dir": "/etc/"}]
    tree = SavedTree("infra/tfplan", saved(MEMBERS | {"tfconfig/modules.json": json.dumps(rows)}))
    assert ("../common/orders", "/etc") == (tree.module(("orders",)), tree.module(("far",)))
    assert ["../common/orders/orders.tf"] == names(tree, "../common/orders")


def test_a_plan_file_gives_the_same_report(tmp_path: Path) -> None:
    """As the folder that it was saved from, but for files of variables, which it does not hold."""
    (tmp_path / "plan.json").write_bytes((PROJECT / "plan.json").read_bytes())
    (tmp_path / "tfplan").write_bytes(saved(MEMBERS))
    given = ("check", "--no-config", "-o", "json", "plan.json")
    with_file = _findings(tablegate(*given, "--plan-file", "tfplan", cwd=tmp_path).stdout)
    beside = _findings(tablegate(*given, cwd=PROJECT).stdout)
    reasons = {("terraform.tfvars", 2, 13): ("main.tf", 14, 15)}  # the call, where nobody tells what it was given
    expected = [(said, place, reasons.get(because, because)) for said, place, because in beside]
    nowhere = (None, None, None)
    assert [(said, place, nowhere if because == place else because) for said, place, because in expected] == with_file


def _findings(report: bytes) -> list[tuple[str, Spot, Spot]]:
    return [
        (f"{item['policy']} {item['address']}", _spot(item["place"]), _spot(item["place"].get("because") or {}))
        for item in json.loads(report)["findings"]
    ]


def _spot(place: dict[str, Any]) -> Spot:
    return place.get("file"), place.get("line"), place.get("column")


def test_a_folder_may_be_named(tmp_path: Path) -> None:
    """Source that lies elsewhere, for a plan that comes through a pipe too."""
    plan = (PROJECT / "plan.json").read_bytes()
    ran = tablegate("check", "--no-config", "-", "--source", str(PROJECT), cwd=tmp_path, stdin=plan)
    assert b"orders.tf:17:15" in ran.stdout


def test_what_cannot_be_meant_is_refused(tmp_path: Path) -> None:
    """A folder without source, a plan file that is none, and one for several plans."""
    (tmp_path / "plan.json").write_bytes((PROJECT / "plan.json").read_bytes())
    (tmp_path / "tfplan").write_bytes(saved(MEMBERS))
    wrong = {
        ("plan.json", "--source", "."): "tablegate: .: no Terraform source in this folder\n",
        ("plan.json", "--plan-file", "none"): "tablegate: none: no such file or folder\n",
        ("plan.json", "--plan-file", "tfplan", "--source", "."): (
            "tablegate: --source and --plan-file cannot be combined\n"
        ),
        ("plan.json", "-", "--plan-file", "tfplan"): (
            "tablegate: --plan-file needs exactly one plan\nhint: name only that plan\n"
        ),
    }
    ran = {words: tablegate("check", "--no-config", *words, cwd=tmp_path) for words in wrong}
    assert {words: (2, told) for words, told in wrong.items()} == {
        words: (one.returncode, one.stderr.decode()) for words, one in ran.items()
    }


def test_source_is_read_inside_of_the_repository_alone(tmp_path: Path) -> None:
    """Neither above it, nor through a link, nor where nothing is source."""
    here = tmp_path / "repository" / "infra"
    here.mkdir(parents=True)
    (tmp_path / "repository" / ".git").mkdir()
    (tmp_path / "outside.tf").write_text("")
    (here / "main.tf").write_text("")
    (here / "x.auto.tfvars").write_text("")
    (here / "notes.txt").write_text("")
    (here / "link").symlink_to(tmp_path)
    (here / "linked.tf").symlink_to(tmp_path / "outside.tf")
    tree = FolderTree(str(here), trust_modules=False)
    assert [f"{here}/main.tf", f"{here}/x.auto.tfvars"] == names(tree, str(here))
    assert [] == names(tree, str(tmp_path))
    assert [] == names(tree, str(here / "link"))
    assert tree.file(f"{here}/notes.txt") is None
    assert tree.module(("orders",)) is None


def test_modules_from_elsewhere_are_read_where_they_are_trusted(tmp_path: Path) -> None:
    """terraform init says where it put them."""
    (tmp_path / ".terraform" / "modules").mkdir(parents=True)
    (tmp_path / "main.tf").write_text("")
    manifest = {"Modules": [{"Key": "", "Dir": "."}, {"Key": "a.b", "Dir": ".terraform/modules/a.b"}]}
    (tmp_path / ".terraform" / "modules" / "modules.json").write_text(json.dumps(manifest))
    trusting, careful = (FolderTree(str(tmp_path), trust_modules=one) for one in (True, False))
    assert (f"{tmp_path}/.terraform/modules/a.b", None) == (trusting.module(("a", "b")), careful.module(("a", "b")))


def test_what_lies_nowhere_has_no_source() -> None:
    """A plan out of a pipe, unless a folder is named."""
    sources = (Source("<stdin>", b""), Source("a/plan.json", b""))
    piped, beside = with_source_trees(sources, None, None, trust_modules=False)
    assert (None, "a") == (piped.tree, beside.tree and beside.tree.root)


TABLE = 'resource "aws_dynamodb_table" "t" {\n}\n'
CALL = 'variable "kind" {\n  default = "a"\n}\nmodule "m" {\n  source = %s\n}\n'


def computed(folder: Path, source: str, *modules: str) -> list[list[str]]:
    """The files of each root module in a folder, whose main module computes the source of a call."""
    texts = {"main.tf": CALL % source, **dict.fromkeys((f"{name}/t.tf" for name in modules), TABLE)}
    for name, text in texts.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    roots = [one.folder for one in collect([str(folder)]).sources if one.folder is not None]
    return [sorted(part.name.partition(f"/{folder.name}/")[2] for part in root.parts) for root in roots]


@pytest.mark.parametrize(
    "source", ['"./modules/${var.kind}"', '"./modules/a${var.kind}"', '"./${var.kind}/a"', '"./modules/${var.kind}a"']
)
def test_a_module_whose_source_is_computed(tmp_path: Path, source: str) -> None:
    """What an expression may mean is at hand where it is evaluated."""
    assert computed(tmp_path, source, "modules/a") == [["main.tf", "modules/a/t.tf"]]


def test_modules_whose_source_is_computed(tmp_path: Path) -> None:
    """Of several, those that are not called are modules of their own."""
    found = computed(tmp_path, '"./modules/${var.kind}"', "modules/a", "modules/b", "modules/.hidden")
    a, b = "modules/a/t.tf", "modules/b/t.tf"
    assert {"main.tf", a, b} <= {*found[0]}
    assert [a] in found[1:]
    assert [b] in found[1:]


def test_a_module_whose_source_leads_deeper(tmp_path: Path) -> None:
    """A part of a path may be several folders."""
    found = computed(tmp_path, '"./${var.kind}"', "modules/a", "b")
    assert found[0] == ["b/t.tf", "main.tf", "modules/a/t.tf"]


def test_a_module_whose_source_cannot_be_told(tmp_path: Path) -> None:
    """A root module that calls one is read, though it says nothing of tables."""
    assert computed(tmp_path, '"./none/${var.kind}"') == [["main.tf"]]
    assert computed(tmp_path, "var.kind") == [["main.tf"]]


def test_texts_have_no_folders_beside_them() -> None:
    """The source of a program is looked for nowhere."""
    (root,) = sources_of_texts([Source("main.tf", (CALL % '"./src/${var.kind}"').encode())])
    assert root.folder is not None
    assert [part.name for part in root.folder.parts] == ["main.tf"]
