"""Assemblies and nested stacks from the command line: what is read from disk, waived, and never followed."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tablegate import cli
from tablegate.inputs.collect import collect

ROOT = Path(__file__).parents[2]
SHOP = ROOT / "fixtures" / "assemblies" / "shop"
PARENT = "Resources: {C: {Type: AWS::CloudFormation::Stack, Properties: {TemplateURL: %s}}}\n"
CHILD = "Resources: {T: {Type: AWS::DynamoDB::Table}}\n"


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every test has a working directory of its own."""
    monkeypatch.chdir(tmp_path)


def _checked(capfd: pytest.CaptureFixture[str], *arguments: str) -> dict[str, Any]:
    cli.run(["check", *arguments, "-o", "json"])
    report: dict[str, Any] = json.loads(capfd.readouterr().out)
    return report


def _outcomes(report: dict[str, Any], policy: str, address: str) -> list[tuple[str, Any]]:
    found = [item for item in report["findings"] if (item["policy"], item["address"]) == (policy, address)]
    return [(item["outcome"], item["waived"]) for item in found]


def test_what_the_program_acknowledges_is_waived(capfd: pytest.CaptureFixture[str]) -> None:
    """It is listed with its reason and counted, and does not block; its neighbours do."""
    shutil.copytree(SHOP, "cdk.out")
    report = _checked(capfd, "cdk.out", "--select", "TG301")
    reason = {"reason": "refilled every night"}
    assert [("waived", reason)] * 2 == _outcomes(report, "TG301", "OrdersA9B65338")
    assert [("fails", None)] * 2 == _outcomes(report, "TG301", "Raw")
    assert (2, 1) == (report["counts"]["waived"], report["exit"])
    assert {"Shop/Orders"} < {item["construct"]["path"] for item in report["findings"]}


def test_what_is_acknowledged_of_a_role_is_waived_in_its_policy(capfd: pytest.CaptureFixture[str]) -> None:
    """A policy that the CDK makes for a role is a part of the role, and names the tables of another stack."""
    shutil.copytree(SHOP.parent / "access", "cdk.out")
    report = _checked(capfd, "cdk.out", "--select", "TG503")
    (finding,) = report["findings"]
    message = "JanitorB1488369 has every action on one table"
    assert ("waived", {"reason": "it empties carts at night"}, "Api/Janitor/DefaultPolicy", message) == (
        finding["outcome"],
        finding["waived"],
        finding["construct"]["path"],
        finding["message"][: len(message)],
    )
    assert "table/TABLE" in finding["fix"]


def test_what_the_cdk_writes_for_itself_is_not_the_authors(capfd: pytest.CaptureFixture[str]) -> None:
    """Its provider of replicas works at deploy, and its grants name streams at the table: nobody can mend either."""
    for name in ("shop", "access"):
        shutil.copytree(SHOP.parent / name, name)
        report = _checked(capfd, name, "--select", "TG510", "--select", "TG531")
        assert ([], True) == (report["findings"], report["counts"]["held"] + report["counts"]["not_applicable"] > 0)


@pytest.mark.parametrize(
    ("flags", "environment"),
    [
        (("--untrusted", "--config", "../mine.toml"), {}),
        (("--config", "../mine.toml"), {"TABLEGATE_UNTRUSTED": "1"}),
        ((), {"TABLEGATE_UNTRUSTED": "1", "TABLEGATE_CONFIG": "../mine.toml"}),
        (("--untrusted", "--no-config"), {}),
        (("--config-ref", "HEAD"), {}),
        ((), {"TABLEGATE_CONFIG_REF": "HEAD"}),
    ],
)
def test_a_strangers_acknowledgements_waive_nothing(
    capfd: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    flags: tuple[str, ...],
    environment: dict[str, str],
) -> None:
    """What the working tree holds may only tighten where a flag or a variable says whose it is."""
    (tmp_path / "mine.toml").write_text("")
    shutil.copytree(SHOP, "tree/cdk.out")
    monkeypatch.chdir(tmp_path / "tree")
    commit = ("-c", "user.name=a", "-c", "user.email=a@example.com", "commit", "-q", "--allow-empty", "-m", "a")
    for command in (("init", "-q"), commit):
        subprocess.run(["git", *command], check=True)
    for name, text in environment.items():
        monkeypatch.setenv(name, text)
    report = _checked(capfd, "cdk.out", "--select", "TG301", *flags)
    assert [("fails", None)] * 2 == _outcomes(report, "TG301", "OrdersA9B65338")
    assert 0 == report["counts"]["waived"]


def test_the_text_says_who_made_it_and_why_it_is_waived(capfd: pytest.CaptureFixture[str]) -> None:
    """The construct's path and the author's line stand beside the logical id."""
    shutil.copytree(SHOP, "cdk.out")
    cli.run(["check", "cdk.out", "--select", "TG301", "-v"])
    out = capfd.readouterr().out
    assert "construct: Shop/Orders  (/srv/shop/app.js:31:20)" in out
    assert "waived: refilled every night" in out


def test_a_remedy_for_an_assembly_is_in_json(capfd: pytest.CaptureFixture[str]) -> None:
    """Its templates are."""
    shutil.copytree(SHOP, "cdk.out")
    report = _checked(capfd, "cdk.out", "--select", "TG304")
    assert {'"DeletionProtectionEnabled": true'} == {item["fix"] for item in report["findings"]}


def test_an_assembly_is_one_source() -> None:
    """By its folder, by its manifest, or somewhere below: the same source, read once."""
    shutil.copytree(SHOP, "app/cdk.out")
    Path("app/t.yaml").write_text(CHILD)
    assembly = "app/cdk.out/manifest.json"
    for paths in (["app/cdk.out"], [assembly], [assembly, "app/cdk.out"]):
        assert [assembly] == [source.name for source in collect(paths).sources]
    assert [assembly, "app/t.yaml"] == [source.name for source in collect(["app"]).sources]
    assert "app/cdk.out/assembly-Dev/manifest.json" in collect(["app"]).sources[0].beside.files
    Path("only/below").mkdir(parents=True)
    shutil.copytree(SHOP, "only/below/cdk.out")
    assert () == collect(["only"]).faults


def test_assets_and_links_of_an_assembly_are_not_read() -> None:
    """The code of functions may look like templates; a link may lead anywhere."""
    shutil.copytree(SHOP, "cdk.out")
    Path("cdk.out/asset.0").mkdir()
    Path("cdk.out/asset.0/X.template.json").write_text("{}")
    Path("secret.json").write_text("{}")
    Path("cdk.out/Link.template.json").symlink_to("../secret.json")
    (source,) = collect(["cdk.out"]).sources
    assert not [name for name in source.beside.files if "asset." in name or "Link" in name]
    assert {"cdk.out/Link.template.json": "a link, which is not followed in an assembly"} == source.beside.refused


def test_another_manifest_is_none_of_ours() -> None:
    """Only what lists artifacts under a version is an assembly; what set out to be one and is broken is one too."""
    Path("d").mkdir()
    Path("d/t.yaml").write_text(CHILD)
    for text in ('{"version": 2, "artifacts": {}}', '{"version": "1"}', "[1]", '{"nested": {"artifacts": {}}}'):
        Path("d/manifest.json").write_text(text)
        assert ["d/t.yaml"] == [source.name for source in collect(["d"]).sources]
    Path("d/manifest.json").write_text('{"version": "1", "artifacts": {"S": {"type": "aws:cloudformation:stack"')
    assert ["d/manifest.json", "d/t.yaml"] == [source.name for source in collect(["d"]).sources]


EMPTY = '{"version": "48.0.0", "artifacts": {}}'
WITH_A_STACK = (
    '{"version": "48.0.0", "artifacts": {"S": {"type": "aws:cloudformation:stack", '
    '"properties": {"templateFile": "S.template.json"}}}}'
)


@pytest.mark.parametrize("place", ["d", "d/deploy"])
@pytest.mark.parametrize("manifest", [EMPTY, WITH_A_STACK])
@pytest.mark.parametrize(
    "hidden", ["t.yaml", "t.template", "below/t.yaml", "below/x.template.json", "assembly-X/t.yaml", "asset.t.yaml"]
)
def test_an_assembly_hides_no_other_file(place: str, manifest: str, hidden: str) -> None:
    """Whoever adds a manifest to a folder takes nothing out of the check: what the assembly lacks is read as ever."""
    below = Path(place, hidden).parent
    below.mkdir(parents=True)
    Path(place, "manifest.json").write_text(manifest)
    Path(place, "S.template.json").write_text('{"Resources": {}}')
    if "assembly" in hidden:
        Path(below, "manifest.json").write_text(EMPTY)
    Path(place, hidden).write_text(CHILD)
    assert {f"{place}/{hidden}", f"{place}/manifest.json"} == {source.name for source in collect(["d"]).sources}


@pytest.mark.parametrize("more", ['"Resources": {}', '"resource_changes": []', '"TemplateBody": {}'])
def test_what_is_recognised_as_something_else_is_no_manifest(more: str) -> None:
    """Otherwise the templates beside it would be left to an assembly that nobody reads."""
    Path("d").mkdir()
    Path("d/manifest.json").write_text(f'{{"version": "1", "artifacts": {{}}, {more}}}')
    Path("d/x.template.json").write_text('{"Resources": {"T": {"Type": "AWS::DynamoDB::Table"}}}')
    assert "d/x.template.json" in [source.name for source in collect(["d"]).sources]


def test_a_link_in_an_assembly_is_a_link_in_a_folder() -> None:
    """The assembly does not follow it, so that what it leads to is read by itself."""
    shutil.copytree(SHOP, "d/cdk.out")
    Path("d/notes.md").write_text(CHILD)
    Path("d/cdk.out/x.template.json").symlink_to("../notes.md")
    assert ["d/cdk.out/manifest.json", "d/cdk.out/x.template.json"] == [it.name for it in collect(["d"]).sources]


def test_the_templates_that_a_template_embeds_come_with_it(capfd: pytest.CaptureFixture[str]) -> None:
    """From where they lie, as long as they lie inside; what lies outside blocks."""
    Path("app/inner").mkdir(parents=True)
    Path("app/parent.yaml").write_text(PARENT % "./inner/middle.yaml")
    Path("app/inner/middle.yaml").write_text(PARENT % "child.yaml")
    Path("app/inner/child.yaml").write_text(CHILD)
    for inputs in ("app/parent.yaml", "app"):
        report = _checked(capfd, inputs, "--select", "TG301")
        assert ["C/C/T"] == [item["address"] for item in report["findings"]]
        assert 3 == len(report["inputs"])
    outside = Path("outside.yaml")
    outside.write_text(CHILD)
    Path("app/link.yaml").symlink_to("/etc/hostname")
    Path("app/parent.yaml").write_text(PARENT % "link.yaml")
    report = _checked(capfd, "app/parent.yaml")
    assert (3, "the child template is not read: it is outside t") == (
        report["exit"],
        report["faults"][0]["message"].partition(": ")[2][:47],
    )


def test_the_template_of_a_nested_stack_may_be_given(capfd: pytest.CaptureFixture[str]) -> None:
    """--nested names a stack and a file; what it names wrongly is wrong usage."""
    Path("parent.yaml").write_text(PARENT % "'https://bucket/child.yaml'")
    Path("elsewhere.yaml").write_text(CHILD)
    report = _checked(capfd, "parent.yaml", "--nested", "C=elsewhere.yaml", "--select", "TG301")
    assert ["C/T"] == [item["address"] for item in report["findings"]]
    for word in ("C", "=x", "C=absent.yaml"):
        assert 2 == cli.run(["check", "parent.yaml", "--nested", word])
    assert "--nested" in capfd.readouterr().err


def test_a_change_set_may_come_with_its_template(capfd: pytest.CaptureFixture[str]) -> None:
    """--template names it: what the set does not list is judged, with the lines of the template."""
    Path("app.yaml").write_text(CHILD)
    Path("set.json").write_text('{"ChangeSetId": "x", "Changes": []}')
    cli.run(["check", "set.json", "--template", "app.yaml", "--select", "TG301"])
    assert "--> app.yaml:1:" in capfd.readouterr().out
    report = _checked(capfd, "app.yaml", "--template", "app.yaml", "--select", "TG301")
    assert (3, ["--template is given, but no input is a change set"]) == (
        report["exit"],
        [fault["message"] for fault in report["faults"]],
    )
    assert ["T"] == [finding["address"] for finding in report["findings"]]


def test_a_tree_of_plans_is_read_unit_by_unit(capfd: pytest.CaptureFixture[str]) -> None:
    """Terragrunt writes one plan a unit: the path tells the unit, the address is that in the unit."""
    plan = (ROOT / "fixtures" / "tables" / "minimal" / "plan.json").read_bytes()
    for unit in ("live/eu/orders", "live/us/orders"):
        Path(unit).mkdir(parents=True)
        Path(unit, "tfplan.json").write_bytes(plan)
        Path(unit, "tfplan.tfplan").write_bytes(b"PK\x03\x04")
    report = _checked(capfd, "live", "--select", "TG301")
    assert ["live/eu/orders/tfplan.json", "live/us/orders/tfplan.json"] == [it["path"] for it in report["inputs"]]
    assert 1 == len({item["address"] for item in report["findings"]})
