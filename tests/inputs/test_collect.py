"""What is found on disk, and how it is opened."""

from __future__ import annotations

import io
import os
import shutil
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from tablegate.findings import NO_INPUT, Skipped
from tablegate.inputs import files
from tablegate.inputs.collect import IGNORED, SILENT, UNFILLED, Collected, collect
from tablegate.syntax.recognise import PART, SERVICE, UNRENDERED, UNSYNTHESISED, Fragment
from tablegate.syntax.source import Source

TEMPLATE = b"Resources:\n  T:\n    Type: AWS::DynamoDB::Table\n"
PLAN = b'{"format_version": "1.2", "resource_changes": [], "variables": {"dynamodb": {}}}'


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every test has a working directory of its own."""
    monkeypatch.chdir(tmp_path)


def _write(**files: bytes) -> None:
    for name, data in files.items():
        path = Path(name.replace("__", "/").replace("_", "."))
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)


def _names(collected: Collected) -> list[str]:
    return [source.name for source in collected.sources]


def _faults(collected: Collected) -> list[tuple[str, str, bool]]:
    return [(fault.place.file, fault.message, fault.blocks) for fault in collected.faults]


def test_a_named_file_is_read_whatever_it_is() -> None:
    """A named file is read with any name and content."""
    _write(b_txt=b"no template", a_json=PLAN)
    expected = Collected((Source("a.json", PLAN), Source("b.txt", b"no template")), ())
    assert expected == collect(["b.txt", "./a.json"])


def test_a_folder_is_read_for_plans_and_templates() -> None:
    """Content decides; what is none of our business is passed over and counted."""
    _write(
        d__t_yaml=TEMPLATE,
        d__x__plan_JSON=PLAN,
        d__package_json=b"{}",
        d__readme_md=TEMPLATE,
        d__x__t_template=TEMPLATE,
        d__node_modules__x__t_yaml=TEMPLATE,
    )
    Path("d/.git").mkdir()
    Path("d/.git/t.yaml").write_bytes(TEMPLATE)
    Path("d/node_modules").mkdir()
    Path("d/node_modules/t.yaml").write_bytes(TEMPLATE)
    Path("d/asset.0123").mkdir()
    Path("d/asset.0123/t.yaml").write_bytes(TEMPLATE)
    collected = collect(["d"])
    assert ["d/node.modules/x/t.yaml", "d/t.yaml", "d/x/plan.JSON", "d/x/t.template"] == _names(collected)
    assert (Skipped(NO_INPUT, 1, ("d/package.json",)),) == collected.skipped
    assert () == collected.faults


@pytest.mark.parametrize(
    ("text", "what"),
    [
        (
            b"service: s\nprovider:\n  name: aws\nresources:\n  Resources:\n    T: {Type: AWS::DynamoDB::Table}\n",
            SERVICE,
        ),
        (b"service: s\nprovider:\n  iam:\n    - Action: dynamodb:Query\n", SERVICE),
        (b"service: s\nprovider: {name: aws}\nplugins: [serverless-dynamodb]\n", None),
        (b"OrdersTable:\n  Type: AWS::DynamoDB::Table\n", PART),
        (b"Type: 'AWS::DynamoDB::GlobalTable'\n", PART),
        (b'{"orders": {"Type": "AWS::DynamoDB::Table"}}', PART),
        (b"about: AWS::DynamoDB::Table is a table\n", None),
        (b"# Type: AWS::DynamoDB::Table\n", None),
        (b"name: x\n", None),
    ],
)
def test_what_declares_tables_and_is_no_template_is_told(text: bytes, what: Fragment | None) -> None:
    """It is not an input and does not block, but its tables are not checked, so it is reported."""
    _write(d__t_yaml=TEMPLATE, d__other_yml=text)
    collected = collect(["d"])
    assert ["d/t.yaml"] == _names(collected)
    assert ([("d/other.yml", what.what, False)] if what else []) == _faults(collected)


def test_where_nothing_else_is_judged_it_blocks() -> None:
    """A folder whose only tables cannot be checked does not pass."""
    _write(d__t_yaml=b"Resources:\n  Q: {Type: AWS::SQS::Queue}\n", d__part_yml=b"Type: AWS::DynamoDB::Table\n")
    message = "nothing in this folder can be checked, although it declares tables"
    assert [("d", message, True), ("d/part.yml", PART.what, False)] == _faults(collect(["d"]))


@pytest.mark.parametrize(
    ("text", "output", "told"),
    [
        (b'{"app": "npx ts-node bin/app.ts"}', "", True),
        (b'{"app": "python app.py", "context": {"@aws-cdk/aws-dynamodb:x": true}}', "", True),
        (b'{"app": "python app.py"}', "cdk.out", False),
        (b'{"app": "python app.py", "output": "dist"}', "dist", False),
        (b'{"app": "python app.py", "output": "dist"}', "cdk.out", True),
        (b'{"app": "python app.py", "output": "a\\u0000b"}', "", True),
        (b'{"context": {}}', "", False),
        (b'["app"]', "", False),
        (b'{"app": ', "", False),
    ],
)
def test_a_cdk_program_without_an_assembly_is_told(text: bytes, output: str, told: bool) -> None:
    """It does not block, but its tables are not checked, so it is reported."""
    _write(d__t_yaml=TEMPLATE, d__app__cdk_json=text)
    if output:
        Path("d/app", output).mkdir()
        Path("d/app", output, "manifest.json").write_text('{"version": "36.0.0", "artifacts": {}}')
    expected = [("d/app/cdk.json", UNSYNTHESISED.what, False)] if told else []
    assert expected == [fault for fault in _faults(collect(["d"])) if fault[0].endswith("cdk.json")]


def test_an_assembly_that_is_left_out_is_told_unless_it_is_named() -> None:
    """Ignore files exclude most assemblies; a named one is checked."""
    _write(d__t_yaml=TEMPLATE, d__cdk_json=b'{"app": "python app.py"}')
    Path("d/.gitignore").write_text("cdk.out\n")
    Path("d/cdk.out").mkdir()
    Path("d/cdk.out/manifest.json").write_text('{"version": "36.0.0", "artifacts": {}}')
    assert [("d/cdk.json", UNSYNTHESISED.what, False)] == _faults(collect(["d"]))
    assert () == collect(["d", "d/cdk.out"]).faults
    assert () == collect(["d"], use_ignore_files=False).faults


def test_a_folder_with_nothing_but_a_cdk_program_is_no_pass() -> None:
    """The hint is added to the refusal."""
    _write(d__cdk_json=b'{"app": "python app.py"}')
    message = "found no Terraform plan or source, template or CDK assembly in this folder (1 candidate file)"
    assert [("d", message, True), ("d/cdk.json", UNSYNTHESISED.what, False)] == _faults(collect(["d"]))


def test_every_file_is_judged_once() -> None:
    """Two names of one file, or a file and its folder, are one source."""
    _write(d__t_yaml=TEMPLATE, d__notes_txt=b"x")
    os.link("d/t.yaml", "d/u.yaml")
    Path("d/self").symlink_to(".")
    Path("d/v.yaml").symlink_to("t.yaml")
    assert ["d/t.yaml"] == _names(collect(["d/t.yaml", "d", "d/self", "./d/../d"]))
    assert () == collect(["d/t.yaml", "d"]).faults
    assert (["d/notes.txt", "d/t.yaml"], ()) == (_names(both := collect(["d", "d/notes.txt"])), both.skipped)


def test_names_are_relative_and_odd_ones_survive() -> None:
    """A name is the path from the working directory; what cannot be shown is for the reports to escape."""
    odd = os.fsdecode(b"bad\xff\nname.yaml")
    Path("d").mkdir()
    Path("d", odd).write_bytes(TEMPLATE)
    assert [f"d/{odd}"] == _names(collect([str(Path("d").resolve())]))


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("nowhere.json", "no such file or folder"),
        ("a\0b", "not a path"),
        ("x" * 300, "the path is too long"),
        ("fifo.json", "not a regular file"),
        ("zero.json", "not a regular file"),
        ("dangling.json", "a broken link"),
        ("loop.json", "a circular link"),
        ("empty", "found no Terraform plan or source, template or CDK assembly in this folder"),
        ("other", "found no Terraform plan or source, template or CDK assembly in this folder (1 candidate file)"),
        ("file.json/x", "not a directory"),
    ],
)
def test_what_cannot_be_read_is_a_fault(path: str, message: str) -> None:
    """Nothing hangs, nothing is passed over in silence: each path that gives no source says why, and blocks."""
    os.mkfifo("fifo.json")
    Path("zero.json").symlink_to("/dev/zero")
    Path("dangling.json").symlink_to("nowhere")
    Path("loop.json").symlink_to("loop.json")
    Path("empty").mkdir()
    _write(other__x_json=b"{}", file_json=b"{}")
    assert [(path, message, True)] == _faults(collect([path]))


def test_one_bad_path_does_not_hide_the_others() -> None:
    """The rest is still checked."""
    _write(a_json=PLAN)
    collected = collect(["nowhere.json", "a.json"])
    assert (["a.json"], 1) == (_names(collected), len(collected.faults))


def test_links_do_not_lead_out_of_a_folder() -> None:
    """A link out of the folder is not followed: a file or a folder behind it may be what is deployed, so it blocks."""
    _write(d__t_yaml=TEMPLATE, d__source=TEMPLATE, outside__u_yaml=TEMPLATE)
    Path("d/out.yaml").symlink_to("../outside/u.yaml")
    Path("d/out").symlink_to("../outside")
    Path("d/passwd").symlink_to("/etc/passwd")
    Path("d/gone.yaml").symlink_to("nowhere")
    Path("d/gone").symlink_to("nowhere")
    Path("d/inside.yaml").symlink_to("source")
    Path("d/folder.yaml").symlink_to(".")
    collected = collect(["d"])
    assert ["d/inside.yaml", "d/t.yaml"] == _names(collected)
    assert [
        ("d/gone.yaml", "a broken or circular link", True),
        ("d/out", "a link out of the folder, which is not followed", True),
        ("d/out.yaml", "a link out of the folder, which is not followed", True),
    ] == _faults(collected)


@pytest.mark.parametrize("name", ["node_modules", ".venv", ".terraform", "asset.1"])
def test_links_that_no_folder_is_entered_by_are_passed_over(name: str) -> None:
    """As folders of these names are."""
    _write(d__t_yaml=TEMPLATE, outside__u_yaml=TEMPLATE)
    Path("d", name).symlink_to("../outside")
    assert [] == _faults(collect(["d"]))


@pytest.mark.parametrize("name", ["node_modules", ".terraform", "asset.1", "x/.venv"])
@pytest.mark.parametrize("below", ["", "/stacks"])
def test_a_link_to_what_is_passed_over_is_entered(name: str, below: str) -> None:
    """A folder that deploys are made from may be such a link. Each is entered once."""
    folder = Path("d", name + below)
    folder.mkdir(parents=True)
    (folder / "t.yaml").write_bytes(TEMPLATE)
    (folder / "again").symlink_to(folder.resolve())
    Path("d/stacks").symlink_to(name + below)
    Path("d/twice").symlink_to(name + below)
    collected = collect(["d"])
    assert (1, []) == (len(collected.sources), _faults(collected))
    assert collected.sources[0].name in ("d/stacks/t.yaml", "d/twice/t.yaml")
    (folder / "out").symlink_to("/etc")
    assert ["a link out of the folder, which is not followed"] == [message for _, message, _ in _faults(collect(["d"]))]


def test_a_linked_file_of_source_is_read_where_the_link_is() -> None:
    """Terraform reads it there. One that leads out of the folder blocks."""
    table = b'resource "aws_dynamodb_table" "t" {}\n'
    _write(d__shared__table_txt=table, d__root__main_tf=b"locals {}", outside_tf=table)
    Path("d/root/linked.tf").symlink_to("../shared/table.txt")
    collected = collect(["d"])
    (source,) = collected.sources
    assert source.folder is not None
    assert ["d/root/linked.tf", "d/root/main.tf"] == [part.name for part in source.folder.parts]
    assert [] == _faults(collected)
    Path("d/root/out.tf").symlink_to("../../outside.tf")
    assert [("d/root/out.tf", "a link out of the folder, which is not followed", True)] == _faults(collect(["d"]))


def test_special_files_in_a_folder_are_faults() -> None:
    """A candidate that cannot be read as a file is reported."""
    _write(d__t_yaml=TEMPLATE)
    os.mkfifo("d/fifo.yaml")
    assert [("d/fifo.yaml", "not a regular file", True)] == _faults(collect(["d"]))


def test_size_has_a_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    """The size is asked before anything is read."""
    with Path("big.json").open("wb") as file:
        file.truncate(2**42)  # more than could ever be held
    assert [("big.json", "larger than 320 MB, the limit", True)] == _faults(collect(["big.json"]))
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(bytes(files.LIMIT + 1))))
    assert [("-", "larger than 320 MB, the limit", True)] == _faults(collect(["-"]))


def test_a_file_that_changes_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """What grows or shrinks while it is read is half of something."""
    _write(a_json=PLAN)
    fstat, sizes = os.fstat, iter((0, 1))

    def growing(descriptor: int) -> os.stat_result:
        if next(sizes, 0):
            Path("a.json").write_bytes(PLAN + b" ")
        return fstat(descriptor)

    monkeypatch.setattr(os, "fstat", growing)
    assert [("a.json", "the file changed while it was read", True)] == _faults(collect(["a.json"]))


def test_standard_input_is_a_source(monkeypatch: pytest.MonkeyPatch) -> None:
    """A dash is standard input, once, under the name that the user gives it."""
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(PLAN)))
    assert (Source("<stdin>", PLAN),) == collect(["-", "-"]).sources
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(PLAN)))
    assert (Source("p.json", PLAN),) == collect(["-"], "p.json").sources
    monkeypatch.setattr("sys.stdin", None)
    assert [("-", "standard input is closed", True)] == _faults(collect(["-"]))


def test_a_descriptor_is_a_source() -> None:
    """What a shell puts for <(command) is read to its end, though it is a pipe."""
    reading, writing = os.pipe()
    thread = threading.Thread(target=lambda: (os.write(writing, PLAN), os.close(writing)))
    thread.start()
    try:
        assert (Source(f"/dev/fd/{reading}", PLAN),) == collect([f"/dev/fd/{reading}"]).sources
    finally:
        thread.join()
        os.close(reading)


def test_permissions_are_told() -> None:
    """A file or a folder that may not be read is a fault, for the folder's sake too."""
    _write(d__locked__t_yaml=TEMPLATE, d__t_yaml=TEMPLATE, d__u_yaml=TEMPLATE, d__sealed_yaml=TEMPLATE)
    Path("d/locked").chmod(0)
    Path("d/sealed.yaml").chmod(0)
    code = (
        "import os\n"
        "from tablegate.inputs.collect import collect\n"
        "if os.geteuid() == 0: os.setegid(65534), os.seteuid(65534)\n"
        "for fault in collect(['d', 'd/sealed.yaml']).faults: print(fault.place.file, fault.message, fault.blocks)\n"
    )
    Path.cwd().chmod(0o755)
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={"PYTHONPATH": os.pathsep.join(sys.path)},
        capture_output=True,
        text=True,
        check=True,
    )
    Path("d/locked").chmod(0o700)
    assert [
        "d/locked permission denied True",
        "d/sealed.yaml permission denied True",
        "d/sealed.yaml permission denied True",
    ] == done.stdout.splitlines()


QUEUES = b"Resources:\n  Q:\n    Type: AWS::SQS::Queue\n"


def test_what_names_nothing_that_is_judged_is_not_read() -> None:
    """A template without a table or a document is counted, and its folder is not empty for that."""
    _write(d__q_yaml=QUEUES, d__notes_txt=b"x")
    assert Collected((), (), (Skipped(SILENT, 1, ("d/q.yaml",)), Skipped(NO_INPUT, 1, ("d/notes.txt",)))) == collect(
        ["d"]
    )
    assert ["d/q.yaml"] == _names(collect(["d/q.yaml"]))


def _ignored(*names: str) -> tuple[Skipped, ...]:
    return (Skipped(IGNORED, len(names), names),) if names else ()


@pytest.mark.parametrize(
    ("ignore", "left"),
    [
        (b"*.yaml\n", ("d/a.yaml", "d/sub/b.yaml")),
        (b"/a.yaml\n", ("d/a.yaml",)),
        (b"sub/\n", ("d/sub",)),
        (b"*.yaml\n!b.yaml\n", ("d/a.yaml",)),
        (b"sub\n!sub/b.yaml\n", ("d/sub",)),
        (b"**/b.*\n# a.yaml\n", ("d/sub/b.yaml",)),
        (b"a.yaml/\n", ()),
        (b"", ()),
    ],
)
def test_ignore_files_are_followed(ignore: bytes, left: tuple[str, ...]) -> None:
    """As git follows them: anchored, for folders, taken back, and never inside of a folder that is left out."""
    _write(d__a_yaml=TEMPLATE, d__sub__b_yaml=TEMPLATE)
    Path("d/.gitignore").write_bytes(ignore)
    collected = collect(["d"])
    assert _ignored(*left) == collected.skipped
    assert {"d/a.yaml", "d/sub/b.yaml"} - {*left} >= {*_names(collected)}
    assert ["d/a.yaml", "d/sub/b.yaml"] == _names(collect(["d"], use_ignore_files=False))


def test_the_nearest_ignore_file_decides() -> None:
    """.tablegateignore decides over .gitignore, and a folder's own files over those of its parents."""
    _write(r__d__a_yaml=TEMPLATE, r__d__b_yaml=TEMPLATE, r__d__c_yaml=TEMPLATE)
    Path("r/.git").mkdir()
    Path("r/.gitignore").write_text("*.yaml\n")
    Path("r/d/.gitignore").write_text("!b.yaml\n!c.yaml\n")
    Path("r/d/.tablegateignore").write_text("c.yaml\n")
    collected = collect(["r/d"])
    assert (["r/d/b.yaml"], _ignored("r/d/a.yaml", "r/d/c.yaml")) == (_names(collected), collected.skipped)


def test_what_is_named_is_read_though_it_is_ignored() -> None:
    """A named file or folder is checked, also if ignore files exclude it."""
    _write(build__a_yaml=TEMPLATE)
    Path(".git").mkdir()
    Path(".gitignore").write_text("build/\n")
    assert ["build/a.yaml"] == _names(collect(["build"]))
    assert ["build/a.yaml"] == _names(collect(["build/a.yaml"]))
    message = "found no Terraform plan or source, template or CDK assembly in this folder; ignore files exclude 1"
    assert [(".", message, True)] == _faults(collect(["."]))


@pytest.mark.parametrize("line", ["*a*a*a*a*a*b", "**/a/**/a/**/a/**/a", "\\"])
def test_a_line_that_cannot_be_followed_leaves_nothing_out(line: str) -> None:
    """Nor does it keep the run busy for ever, and the lines beside it count."""
    _write(d__a_yaml=TEMPLATE, d__b_yaml=TEMPLATE)
    Path("d/" + "a" * 200 + ".yaml").write_bytes(TEMPLATE)
    Path("d/.gitignore").write_text(f"{line}\nb.yaml\n")
    collected = collect(["d"])
    assert [("d/.gitignore", "line 1 is not a valid pattern, so it excludes nothing", False)] == _faults(collected)
    assert _ignored("d/b.yaml") == collected.skipped


def test_an_ignore_file_that_is_none_leaves_nothing_out() -> None:
    """A link may lead anywhere, and a pipe never ends."""
    _write(d__a_yaml=TEMPLATE, outside=b"*.yaml\n")
    Path("d/.gitignore").symlink_to("../outside")
    os.mkfifo("d/.tablegateignore")
    collected = collect(["d"])
    assert ["d/a.yaml"] == _names(collected)
    assert [
        ("d/.gitignore", "a link, so it excludes nothing", False),
        ("d/.tablegateignore", "not a regular file, so it excludes nothing", False),
    ] == _faults(collected)


NETWORK = b'resource "aws_vpc" "v" {}\n'
TABLE_SOURCE = b'resource "aws_dynamodb_table" "t" {}\n'
CALLING = b'module "m" {\n  source = "%s"\n}\n'


@pytest.mark.parametrize(
    ("files", "judged"),
    [
        ({"d/main.tf": NETWORK}, []),
        ({"d/main.tf": NETWORK, "d/t.tf": TABLE_SOURCE}, ["d"]),
        ({"d/main.tf": NETWORK, "d/r.tf": b'resource "aws_iam_role" "r" {}\n'}, ["d"]),
        ({"d/main.tf": CALLING % b"./m", "d/m/m.tf": NETWORK}, []),
        ({"d/main.tf": CALLING % b"./m", "d/m/m.tf": TABLE_SOURCE}, ["d"]),
        ({"d/main.tf": CALLING % b"terraform-aws-modules/dynamodb-table/aws"}, ["d"]),
        ({"d/main.tf": CALLING % b"acme/vpc/aws"}, ["d"]),
        ({"d/main.tf": CALLING % b"../../outside"}, ["d"]),
        ({"d/main.tf.json": b'{"module": {"m": {"source": "acme/x/aws"}}}'}, ["d"]),
        ({"d/main.tf": NETWORK, "d/#t.tf": TABLE_SOURCE}, ["d"]),
        ({"d/main.tf": NETWORK, "d/.t.tf": TABLE_SOURCE}, []),
        ({"d/main.tf": CALLING % b"\\u002e/m", "d/m/m.tf": TABLE_SOURCE}, ["d"]),
        ({"d/main.tf.json": b'{"mod\\u0075le": {"m": {"source": ".\\/m"}}}', "d/m/m.tf": TABLE_SOURCE}, ["d"]),
        ({"d/main.tf": b'module "m" {\n  source /* a */ = "./m"\n}\n', "d/m/m.tf": TABLE_SOURCE}, ["d"]),
        ({"d/main.tf": b'/* a */ module"m"{\n  source = "acme/vpc/aws"\n}\n'}, ["d"]),
        ({"d/main.tf": b'\xef\xbb\xbfmodule "m" {\n  source = "acme/vpc/aws"\n}\n'}, ["d"]),
        ({"d/main.tf": CALLING % b"acme/vpc/aws" + b'resource "aws_s3_object" "o" {\n  source = "./x"\n}\n'}, ["d"]),
        ({"d/main.tf": CALLING % b"acme/vpc/aws" + b'# source = "./x"\n'}, ["d"]),
        ({"d/main.tf": b"# what a module needs\n" + NETWORK}, []),
        ({"d/main.tf.json": b'{"mod\\u0075le": {"m": {"source": "acme/x/aws"}}}'}, ["d"]),
        ({"d/main.tf": b"module m {\n  source =\n"}, ["d"]),
        ({"d/main.tf": b"# a module \n}"}, []),
    ],
)
def test_source_is_read_where_a_table_may_be_in_it(files: dict[str, bytes], judged: list[str]) -> None:
    """In it, in a module that it calls, or in one that cannot be read. What is skipped is counted."""
    for name, data in files.items():
        Path(name).parent.mkdir(parents=True, exist_ok=True)
        Path(name).write_bytes(data)
    collected = collect(["d"])
    assert judged == _names(collected)
    assert bool(judged) is not any(item.why == SILENT for item in collected.skipped)


def test_each_kind_of_root_is_one_source(tmp_path: Path) -> None:
    """A plan, a template, a folder of source with its modules, and an assembly with its stacks, in one tree."""
    tables = Path(__file__).parents[2] / "fixtures" / "tables" / "hot-keys"
    for name in ("cdk.out", "template.yaml", "plan.json"):
        (shutil.copytree if (tables / name).is_dir() else shutil.copy)(tables / name, tmp_path / name)
    _write(infra__main_tf=CALLING % b"./m", infra__m__table_tf=b'resource "aws_dynamodb_table" "t" {}\n')
    assert ["cdk.out/manifest.json", "infra", "plan.json", "template.yaml"] == _names(collect(["."]))


def test_what_is_met_is_told_now_and_then() -> None:
    """Progress is reported for large folders."""
    _write(**{f"d__f{number}_txt": b"x" for number in range(250)})
    told: list[int] = []
    collect(["d"], tell=told.append)
    assert [100, 200] == told


@pytest.mark.parametrize(
    "path", ["a/b.tf", "./a/b.tf", "a//b.tf", "../b.tf", "a/..", "a/../b.tf", "/b.tf", "/", "/x/y/b.tf", "."]
)
def test_a_file_is_called_as_seen_from_the_working_directory(path: str) -> None:
    """Whichever way a path is spelled, its name is the shortest way there."""
    assert files.name_of(path) == os.path.relpath(path)


@pytest.mark.parametrize("name", ["template.yaml.tpl", "stack.template.j2", "x.JINJA2", "plan.json.tmpl"])
def test_files_for_template_engines_are_found_by_content(name: str) -> None:
    """What can be read as it is, is checked; what is no input is counted."""
    _write(d__t_yaml=TEMPLATE)
    Path("d", name).write_bytes(PLAN if "plan" in name else TEMPLATE)
    assert sorted([f"d/{name}", "d/t.yaml"]) == _names(collect(["d"]))
    Path("d", name).write_bytes(b"Hello, {{ name }}")
    assert (Skipped(NO_INPUT, 1, (f"d/{name}",)),) == collect(["d"]).skipped


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (b"{% if x %}\nResources:\n  T:\n    Type: AWS::DynamoDB::Table\n{% endif %}\n", True),
        (b"Resources:\n  T:\n    Type: AWS::DynamoDB::Table\n    Properties: {{ properties }}\n", True),
        (b'Resources:\n  T:\n    ? {{ x }}\n    "Type": "AWS::Dynamo\\x44B::Table"\n', True),
        (b'resource "aws_dynamodb_table" "t" {\n  name = ${name}\n}\n', True),
        (b'resource "aws_dynamodb_table" "t" {}\n', True),
        (b"{{ greeting }}\ndynamodb is what we use: [\n", False),
    ],
)
def test_files_for_template_engines_that_are_not_filled_in(text: bytes, told: bool) -> None:
    """They are counted with the reason. One that declares a table is reported, and alone it is no pass."""
    _write(d__t_yaml=TEMPLATE)
    Path("d/stack.j2").write_bytes(text)
    collected = collect(["d"])
    assert (["d/t.yaml"], (Skipped(UNFILLED, 1, ("d/stack.j2",)),)) == (_names(collected), collected.skipped)
    assert ([("d/stack.j2", UNRENDERED.what, False)] if told else []) == _faults(collected)
    Path("d/t.yaml").write_bytes(QUEUES)
    assert told is any(fault.blocks for fault in collect(["d"]).faults)


@pytest.mark.parametrize("mention", ["x" * 5000, "a\\0b", "a\\nb", "..", "\\uD800"])
def test_odd_names_of_embedded_files(mention: str) -> None:
    """They name no file, and the template is checked."""
    text = f'Resources: {{S: {{Type: AWS::CloudFormation::Stack, Properties: {{TemplateURL: "{mention}"}}}}}}\n'
    Path("t.yaml").write_text(text)
    collected = collect(["t.yaml"])
    assert (["t.yaml"], ()) == (_names(collected), collected.faults)


def test_a_folder_without_inputs_among_several_warns() -> None:
    """Unless nothing was found in any of them, or its files cannot be read."""
    _write(a__t_yaml=TEMPLATE, b__notes_json=b"{}", c__notes_json=b"{}", t_yaml=TEMPLATE)
    message = "found no Terraform plan or source, template or CDK assembly in this folder (1 candidate file)"
    assert _faults(collect(["a", "b"])) == [("b", message, False)]
    assert _faults(collect(["b", "t.yaml"])) == [("b", message, False)]
    assert _faults(collect(["b", "c"])) == [("b", message, True), ("c", message, True)]
    assert [blocks for _, _, blocks in _faults(collect(["a", "nowhere"]))] == [True]


def test_what_was_found_is_told_from_what_was_named() -> None:
    """A fault of the former may be none of our business."""
    _write(d__t_yaml=TEMPLATE, d__r__main_tf=b'resource "aws_dynamodb_table" "t" {}', d__main_tf=b"# dynamodb")
    assert {source.name: source.found for source in collect(["d"]).sources} == {
        "d": False,
        "d/r": True,
        "d/t.yaml": True,
    }
    assert [source.found for source in collect(["d/t.yaml"]).sources] == [False]
    assert [source.found for source in collect(["d/r/main.tf"]).sources] == [False]
