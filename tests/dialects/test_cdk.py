"""CDK assemblies: stacks, stages, nested stacks, constructs, and unsafe paths."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tablegate.dialects import read
from tablegate.dialects.reading import Reading, ReadOptions
from tablegate.inputs.collect import collect
from tablegate.model.table import Construct, Table
from tablegate.model.value import Place
from tablegate.syntax.source import Beside, Source

ASSEMBLIES = Path(__file__).parents[2] / "fixtures" / "assemblies"
STACK: dict[str, Any] = {"type": "aws:cloudformation:stack", "properties": {"templateFile": "S.template.json"}}
TABLE = {"Resources": {"Orders": {"Type": "AWS::DynamoDB::Table", "Properties": {}}}}


def _assembly(name: str, monkeypatch: pytest.MonkeyPatch) -> Reading:
    monkeypatch.chdir(ASSEMBLIES)
    (source,) = collect([name]).sources
    return read(source, ReadOptions())


def _made(manifest: dict[str, Any], refused: dict[str, str] | None = None, **files: Any) -> Reading:
    """A small assembly; the files' names have __ for slashes and _ for dots."""
    named = {f"out/{name.replace('__', '/').replace('_', '.')}": json.dumps(held) for name, held in files.items()}
    beside = Beside({name: text.encode() for name, text in named.items()}, refused or {})
    return read(Source("out/manifest.json", json.dumps(manifest).encode(), beside=beside), ReadOptions())


def _of(*artifacts: tuple[str, dict[str, Any]], **members: Any) -> dict[str, Any]:
    return {"version": "36.0.0", "artifacts": dict(artifacts), **members}


def _tables(reading: Reading) -> dict[tuple[str, str], Table]:
    return {
        (part.input.path, table.address): table
        for part in reading.all()
        if part.estate is not None
        for table in part.estate.tables
    }


def _constructs(reading: Reading) -> dict[tuple[str, str], Construct]:
    return {
        (part.input.path, address): construct
        for part in reading.all()
        if part.estate is not None
        for address, construct in part.estate.constructs.items()
    }


def _faults(reading: Reading) -> list[tuple[str, bool, str]]:
    return [(fault.place.file, fault.blocks, fault.message) for part in reading.all() for fault in part.faults]


def test_stacks_stages_and_nested_stacks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every stack is read once, a nested one at the address of the resource that embeds it."""
    found = _tables(_assembly("shop", monkeypatch))
    nested = "OldNestedStackOldNestedStackResourceFE6649C7/ArchiveDA4CB258"
    assert {
        *(("shop/Shop.template.json", name) for name in ("OrdersA9B65338", "PricesEF2AB66A", "Raw", "CartsEE95721F")),
        ("shop/ShopOld7B2C17D5.nested.template.json", nested),
    } == {key for key in found if "assembly-Dev" not in key[0]}
    assert len(found) == 10


def test_a_stack_knows_its_environment_and_tags(monkeypatch: pytest.MonkeyPatch) -> None:
    """Region, account and tags of a stack come from the manifest, also for its nested stacks."""
    found = {key: it for key, it in _tables(_assembly("shop", monkeypatch)).items() if "assembly-Dev" in key[0]}
    assert {("eu-west-1", "123456789012")} == {(it.region.content, it.account.content) for it in found.values()}
    assert [{"environment": "dev"}] * 5 == [it.tags.content for it in found.values()]


def test_stacks_know_what_others_export(monkeypatch: pytest.MonkeyPatch) -> None:
    """Exports of another stack are resolved, also as parameters of a nested stack."""
    found = _tables(_assembly("shop", monkeypatch))
    orders = found["shop/Shop.template.json", "OrdersA9B65338"]
    archive = next(it for (_, address), it in found.items() if address.endswith("ArchiveDA4CB258"))
    assert "orders-prod" == orders.name.content
    for table in (orders, archive):
        assert table.encryption.resource is not None
        assert ("Keys/Key961B73FD", False) == (
            table.encryption.resource.address,
            table.encryption.resource.rotation.content,
        )
        assert "shop/Keys.template.json" == (table.encryption.resource.place or Place("")).file


def test_a_resource_knows_its_construct(monkeypatch: pytest.MonkeyPatch) -> None:
    """A construct has its path, the author's line, and the rules acknowledged on it or around it."""
    found = _constructs(_assembly("shop", monkeypatch))
    assert (
        Construct(
            path="Shop/Orders",
            place=Place("/srv/shop/app.js", 31, 20),
            acknowledged={"TG301": "refilled every night", "contributor-insights": "seen to by the platform"},
        )
        == found["shop/Shop.template.json", "OrdersA9B65338"]
    )
    raw = found["shop/Shop.template.json", "Raw"]
    assert ("Shop/Raw", {"contributor-insights": "seen to by the platform"}) == (raw.path, raw.acknowledged)


def test_without_the_authors_frames_there_is_no_line(monkeypatch: pytest.MonkeyPatch) -> None:
    """A trace without frames of the author gives no line."""
    constructs = _constructs(_assembly("python", monkeypatch)).values()
    assert {None} == {it.place for it in constructs}
    assert "MyStack/Legacy" in {it.path for it in constructs}


def test_every_sort_of_table(monkeypatch: pytest.MonkeyPatch) -> None:
    """Table, TableV2, autoscaling, replicas old and new, a witness."""
    reading = _assembly("python", monkeypatch)
    found = _tables(reading)
    legacy = found["python/MyStack.template.json", "LegacyFA07BB5D"]
    assert [("read", 70), ("write", 70)] == [(it.dimension, it.utilisation.content) for it in legacy.scaling]
    strong = found["python/RegStack.template.json", "MrscF6F53D1A"]
    assert ("STRONG", "us-west-2") == (strong.consistency.content, strong.witness_region.content)
    assert ["us-east-2"] == [it.region.content for it in strong.replicas.content or ()]
    estates = [part.estate for part in reading.all() if part.estate is not None]
    assert [("RepReplicauswest2DA94F4B9", "RepEB302808")] == [
        (it.address, it.table) for estate in estates for it in estate.legacy_global_tables
    ]


@pytest.mark.parametrize(
    ("template", "message"),
    [
        ("../../etc/passwd", "S: its templateFile leaves the assembly's folder"),
        ("/etc/passwd", "S: its templateFile leaves the assembly's folder"),
        ("x/../../y.json", "S: its templateFile leaves the assembly's folder"),
        ("gone.template.json", "S: its template is not in the assembly"),
        (None, "S: a stack needs a templateFile"),
    ],
)
def test_only_what_lies_inside_is_read(template: str | None, message: str) -> None:
    """A path that leads out of the assembly, or to nothing, leaves the stack unread."""
    artifact = {"type": "aws:cloudformation:stack", "properties": {"templateFile": template}}
    assert [("out/manifest.json", True, message)] == _faults(_made(_of(("S", artifact))))


def test_a_link_in_an_assembly_is_not_followed() -> None:
    """A link could lead out of the assembly."""
    reading = _made(_of(("S", STACK)), {"out/S.template.json": "a link, which is not followed in an assembly"})
    message = "S: its template is not read: a link, which is not followed in an assembly"
    assert [("out/manifest.json", True, message)] == _faults(reading)


@pytest.mark.parametrize(
    ("properties", "message"),
    [
        ({}, "P: a stage needs a directoryName"),
        ({"directoryName": "../other"}, "P: its directoryName leaves the assembly's folder"),
        ({"directoryName": "assembly-P"}, "P: its manifest is not in the assembly"),
    ],
)
def test_stages_lie_inside_too(properties: dict[str, str], message: str) -> None:
    """A stage is an assembly in a folder of this one."""
    artifact = {"type": "cdk:cloud-assembly", "properties": properties}
    assert [("out/manifest.json", True, message)] == _faults(_made(_of(("P", artifact))))


def test_templates_that_no_manifest_names_are_judged_and_told() -> None:
    """A stale or hidden template is read and reported, and a broken one is a fault."""
    files = {"Hidden_template_json": TABLE, "Broken_template_json": [], "notes_json": {}}
    reading = _made(_of(), **files)
    unlisted = "no manifest of the assembly lists this template: it is stale or hidden"
    assert [("out/Hidden.template.json", "Orders")] == list(_tables(reading))
    assert {("out/Hidden.template.json", False, unlisted), ("out/Broken.template.json", False, unlisted)} < {
        *_faults(reading)
    }


@pytest.mark.parametrize(
    ("manifest", "blocks", "message"),
    [
        (_of(), True, "there is no stack in this assembly"),
        ({"version": "36.0.0", "artifacts": []}, True, "artifacts must be an object"),
        (_of(("S", {"type": "aws:x"})), True, "S: the type of this artifact is 'aws:x', which is not known"),
        (_of(("S", {})), True, "S: the type of this artifact is missing, which is not known"),
        (_of(("S", {"type": ["x"]})), True, "S: the type of this artifact is missing, which is not known"),
        (
            _of(missing=[{"key": "vpc"}]),
            True,
            "the synthesis is not complete: missing values of the environment were replaced by dummies",
        ),
        (
            {"version": "9999.0.0", "artifacts": {"T": {"type": "cdk:tree"}}},
            False,
            "version 9999.0.0 of the assembly's manifest is newer than the known versions",
        ),
    ],
)
def test_what_a_manifest_does_not_say_as_it_must(manifest: dict[str, Any], blocks: bool, message: str) -> None:
    """Nothing that a manifest lists is passed over without a word."""
    assert ("out/manifest.json", blocks, message) in _faults(_made(manifest))


def test_a_template_of_an_assembly_may_be_broken() -> None:
    """One that cannot be read does not hide the others."""
    second = {"type": "aws:cloudformation:stack", "properties": {"templateFile": "T.template.json"}}
    reading = _made(_of(("S", STACK), ("T", second)), S_template_json={"a": 1}, T_template_json=TABLE)
    assert [("out/T.template.json", "Orders")] == list(_tables(reading))
    assert [("out/S.template.json", True)] == [fault[:2] for fault in _faults(reading)]
    state = {"format_version": "1.0", "values": {}}
    said = "this is not a template, though the manifest lists it as one"
    assert [("out/S.template.json", True, said)] == _faults(_made(_of(("S", STACK)), S_template_json=state))


@pytest.mark.parametrize("template", [{}, {"Parameters": {"BootstrapVersion": {"Type": "String"}}, "Rules": {}}])
def test_a_stack_may_be_empty(template: dict[str, Any]) -> None:
    """The manifest names it, so it is a template, and nothing is in it."""
    (stack,) = (reading := _made(_of(("S", STACK)), S_template_json=template)).inner
    assert ([], ("out/S.template.json", "cloudformation")) == (_faults(reading), (stack.input.path, stack.input.kind))


def test_an_empty_stack_exports_what_it_says() -> None:
    """A stack of parameters and outputs has a name for others to import."""
    second = {"type": "aws:cloudformation:stack", "properties": {"templateFile": "T.template.json"}}
    exporting = {"Outputs": {"Name": {"Value": "orders", "Export": {"Name": "orders-name"}}}}
    table = {"Type": "AWS::DynamoDB::Table", "Properties": {"TableName": {"Fn::ImportValue": "orders-name"}}}
    files = {"S_template_json": exporting, "T_template_json": {"Resources": {"Orders": table}}}
    (found,) = _tables(_made(_of(("S", STACK), ("T", second)), **files)).values()
    assert "orders" == found.name.content


def test_older_assemblies_note_constructs_elsewhere() -> None:
    """Metadata stood in the manifest itself; without the CDK's command, only the tree has the paths."""
    noted = {"/S/Orders/Resource": [{"type": "aws:cdk:logicalId", "data": "Orders"}]}
    inline = _made(_of(("S", {**STACK, "metadata": noted})), S_template_json=TABLE)
    node = {"attributes": {"aws:cdk:cloudformation:logicalId": "Orders"}, "path": "S/Orders/Resource"}
    held = {"version": "tree-0.1", "tree": {"children": {"S": {"children": {"Orders": node}}}}}
    by_tree = _made(_of(("S", STACK)), S_template_json=TABLE, tree_json=held)
    for reading in (inline, by_tree):
        assert [Construct(path="S/Orders")] == list(_constructs(reading).values())
    assert {} == _constructs(_made(_of(("S", STACK)), S_template_json=TABLE))


def test_a_nested_stack_is_found_by_its_hash() -> None:
    """Without metadata, the address of the published template ends in the hash that the asset manifest lists."""
    url = {"Fn::Join": ["", ["https://s3.", {"Ref": "AWS::URLSuffix"}, "/assets/0123abcd.json"]]}
    child = {"Type": "AWS::CloudFormation::Stack", "Properties": {"TemplateURL": url}}
    assets = {"type": "cdk:asset-manifest", "properties": {"file": "S.assets.json"}}
    listed = {"files": {"0123abcd": {"source": {"path": "Child.nested.template.json"}}}}
    files = {"S_template_json": {"Resources": {"Child": child}}, "S_assets_json": listed}
    manifest = _of(("S", STACK), ("S.assets", assets))
    found = _made(manifest, **files, Child_nested_template_json=TABLE)
    assert [("out/Child.nested.template.json", "Child/Orders")] == list(_tables(found))
    ((file, blocks, message),) = _faults(_made(manifest, **files))
    assert ("out/S.template.json", True) == (file, blocks)
    assert message.endswith("the child template is not in the assembly")


def test_a_broken_note_of_an_assembly_is_a_fault() -> None:
    """A file that the manifest names is read strictly."""
    assets = {"type": "cdk:asset-manifest", "properties": {"file": "S.assets.json"}}
    files = {"out/S.template.json": json.dumps(TABLE).encode(), "out/S.assets.json": b"{"}
    manifest = json.dumps(_of(("A", assets), ("S", STACK))).encode()
    reading = read(Source("out/manifest.json", manifest, beside=Beside(files)), ReadOptions())
    assert [("out/S.assets.json", True)] == [fault[:2] for fault in _faults(reading)]
    assert [("out/S.template.json", "Orders")] == list(_tables(reading))
