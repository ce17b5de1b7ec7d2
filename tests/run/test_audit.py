"""Many sources as one run: neither the number of processes nor the end of one changes the report."""

from __future__ import annotations

import gc
import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterable
from dataclasses import replace
from functools import partial
from pathlib import Path
from textwrap import dedent
from types import ModuleType

import pytest

from support.command import ENVIRONMENT, ROOT, tablegate
from tablegate.dialects.reading import ReadOptions
from tablegate.engine.settings import Settings
from tablegate.findings import NOTHING, Fault, FaultCode, Report, merged
from tablegate.iam.grants import Grant
from tablegate.inputs.collect import collect
from tablegate.model.table import Index, Table
from tablegate.model.value import Place
from tablegate.packs import load
from tablegate.reporters import REPORTERS
from tablegate.reporters.wording import ReportView
from tablegate.run.audit import ENOUGH, audit
from tablegate.run.gate import check
from tablegate.run.parts import BYTES, SOURCES, check_part, groups, in_parts
from tablegate.syntax.source import Beside, Source

TABLE = """\
Resources:
  {name}:
    Type: AWS::DynamoDB::Table
    Properties:
      BillingMode: PAY_PER_REQUEST
      AttributeDefinitions: [{{AttributeName: id, AttributeType: S}}]
      KeySchema: [{{AttributeName: id, KeyType: HASH}}]
"""
HELD = (
    TABLE.format(name="Orders")
    + """\
      GlobalSecondaryIndexes: [{IndexName: by-id, KeySchema: [{AttributeName: id, KeyType: HASH}]}]
  Reader:
    Type: AWS::IAM::ManagedPolicy
    Properties:
      PolicyDocument:
        Statement: [{Effect: Allow, Action: "dynamodb:*", Resource: !GetAtt Orders.Arn}]
"""
)
HEAD = """\
import os, signal
from tablegate.policy import HIGH, Table, Verdict, holds, policy

@policy("XX001", HIGH, "x", docs="https://x.example.com", terraform="x = 1", cloudformation="X: 1")
def check(table: Table) -> Verdict:
    "Why."
"""


def folder(at: Path, *names: str, pack: str = "    return holds()\n") -> Path:
    """A folder of templates with one table each, and a pack beside them."""
    (at / "stacks").mkdir()
    for name in names:
        (at / "stacks" / f"{name.lower()}.yaml").write_text(TABLE.format(name=name))
    (at / "pack.py").write_text(HEAD + pack)
    return at


def parts_of(*sizes: int) -> list[list[str]]:
    """How sources of these sizes are shared out."""
    sources = [Source(str(number), bytes(size)) for number, size in enumerate(sizes)]
    return [[source.name for source in part] for part in in_parts(sources)]


def test_parts_are_of_about_the_same_size() -> None:
    """Small sources share a part, in their order; a large one has its own, and nothing is left out."""
    assert [["0", "1"], ["2"], ["3"]] == parts_of(9, 9, 10**6, 9)
    assert [SOURCES, 1] == [len(part) for part in parts_of(*([1] * (SOURCES + 1)))]
    assert [] == parts_of()


def test_what_a_source_embeds_is_judged_with_it() -> None:
    """However far apart they stand, and through others too."""
    inner, leaf = Source("c/inner.yaml", b""), Source("z.yaml", b"")
    outer = Source("a.yaml", b"", beside=Beside({"c/inner.yaml": b"", "elsewhere.yaml": b""}))
    middle = Source("b.yaml", b"", beside=Beside({"z.yaml": b"", "c/inner.yaml": b""}))
    alone = Source("d.yaml", b"")
    assert [(outer, middle, inner, leaf), (alone,)] == groups([outer, middle, inner, alone, leaf])


def test_what_tablegate_fails_at_does_not_hide_the_others() -> None:
    """It is a fault of that one source, with the kind of the error and not its text."""

    def failing(sources: Iterable[Source]) -> Report:
        for source in sources:
            if source.name == "bad":
                raise KeyError("hunter2")
        return NOTHING

    report = check_part((Source("a", b""), Source("bad", b""), Source("c", b"")), failing)
    assert [("bad", "tablegate failed on this input: KeyError", FaultCode.INTERNAL)] == [
        (fault.place.file, fault.message, fault.code) for fault in report.faults
    ]


def test_progress_is_reported() -> None:
    """After each part, until all is done."""
    told: list[tuple[int, int]] = []
    sources = [Source(str(number), b"") for number in range(SOURCES + 3)]
    audit(sources, lambda _: NOTHING, (), jobs=1, on_progress=lambda done, total: told.append((done, total)))
    assert [(SOURCES, SOURCES + 3), (SOURCES + 3, SOURCES + 3)] == told


@pytest.mark.parametrize("form", ["text", "json"])
def test_the_number_of_processes_does_not_show(form: str) -> None:
    """Plans, templates, modules, assemblies and unreadable files give equal bytes and exit codes."""
    inputs = (
        "fixtures/tables/hot-keys",
        "fixtures/tables/module-for-each",
        "fixtures/projects",
        "fixtures/hostile/cfn",
    )
    one, two, five = (
        tablegate("check", "--no-config", "-v", "-o", form, "--jobs", jobs, *inputs) for jobs in ("1", "2", "5")
    )
    assert one.returncode == 3, one.stderr.decode()
    for other in (two, five):
        assert (one.returncode, one.stdout, one.stderr) == (other.returncode, other.stdout, other.stderr)


def test_exports_cross_processes(tmp_path: Path) -> None:
    """What one template exports another one imports, whichever process judges it."""
    (tmp_path / "keys.yaml").write_text(
        "Outputs: {A: {Value: PAY_PER_REQUEST, Export: {Name: mode}}}\nResources: {Q: {Type: AWS::SQS::Queue}}\n"
    )
    for name in "abcd":
        text = TABLE.format(name="T").replace("PAY_PER_REQUEST", "!ImportValue mode")
        (tmp_path / f"{name}.yaml").write_text(text)
    told = [tablegate("check", "--no-config", "--jobs", jobs, ".", "-o", "json", cwd=tmp_path).stdout for jobs in "13"]
    assert told[0] == told[1]
    for number in "12":
        run = tablegate("check", "--no-config", ".", "--shard", f"{number}/2", "-o", f"json={number}.out", cwd=tmp_path)
        assert run.returncode == 1, run.stderr.decode()
    assert told[0] == tablegate("render", "1.out", "2.out", "-o", "json", cwd=tmp_path).stdout
    found = json.loads(told[0])["findings"]
    assert [] == [item for item in found if item["outcome"] == "unknown" and "billing" in item["message"]]


def test_a_process_that_is_killed_is_named(tmp_path: Path) -> None:
    """It is no pass and no hang, and what the others found is there."""
    pack = "    if table.address == 'Bad': os.kill(os.getpid(), signal.SIGKILL)\n    return holds()\n"
    here = folder(tmp_path, "Good", "Bad", "Fine", "Well", pack=pack)
    ran = tablegate("check", "--no-config", "--policies", "pack.py", "stacks", "--jobs", "2", "-o", "json", cwd=here)
    report = json.loads(ran.stdout)
    assert (4, ["stacks/fine.yaml", "stacks/good.yaml", "stacks/well.yaml"]) == (
        ran.returncode,
        [item["path"] for item in report["inputs"]],
    )
    assert [("stacks/bad.yaml", "the process that checked it was killed")] == [
        (fault["file"], fault["message"]) for fault in report["faults"]
    ]
    assert {"stacks/fine.yaml", "stacks/good.yaml", "stacks/well.yaml"} == {it["input"] for it in report["findings"]}


KILLED_ONCE = """\
    try:
        open("killed", "x").close()
    except FileExistsError:
        return holds()
    os.kill(os.getpid(), signal.SIGKILL)
"""


def test_a_process_that_is_killed_by_others_is_reported(tmp_path: Path) -> None:
    """What it had in hand is judged again, and found; that it was killed is still no pass."""
    here = folder(tmp_path, "A", "B", pack=KILLED_ONCE)
    ran = tablegate("check", "--no-config", "--policies", "pack.py", "stacks", "--jobs", "2", "-o", "json", cwd=here)
    report = json.loads(ran.stdout)
    assert (4, ["stacks/a.yaml", "stacks/b.yaml"]) == (ran.returncode, [item["path"] for item in report["inputs"]])
    [told] = [fault["message"] for fault in report["faults"]]
    assert told.startswith("a process that checked it")
    assert told.endswith("was killed; they were checked again")


def test_processes_are_started_where_there_is_enough_to_do() -> None:
    """By default, by as many as there are cores; and none where one is done before another would have begun."""

    def here(sources: Iterable[Source]) -> Report:
        fault = Fault(FaultCode.UNREADABLE, str(os.getpid()), Place(",".join(source.name for source in sources)))
        return replace(NOTHING, faults=(fault,))

    def judging(size: int) -> set[int]:
        sources = [Source(str(number), bytes(size)) for number in range(8)]
        report = audit(sources, here, (), on_progress=lambda *_: None)
        return {int(fault.message) for fault in report.faults}

    assert {os.getpid()} == judging(1)
    assert (os.getpid() in judging(ENOUGH)) is (len(os.sched_getaffinity(0)) == 1)


WAITING = """\
    with open("begun", "w") as begun:
        begun.write("x")
        begun.flush()
        while True:
            signal.pause()
"""


@pytest.mark.parametrize("jobs", ["1", "2"])
@pytest.mark.parametrize(("sent", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, -15), (signal.SIGKILL, -9)])
def test_a_run_that_is_ended_leaves_nobody_behind(tmp_path: Path, jobs: str, sent: int, code: int) -> None:
    """Ctrl-C is exit code 130, also inside a predicate, and all processes end with the run."""
    here = folder(tmp_path, "A", "B", "C", pack=WAITING)
    os.mkfifo(here / "begun")
    command = [sys.executable, "-m", "tablegate", "check", "--no-config", "--policies", "pack.py", "stacks"]
    with subprocess.Popen([*command, "--jobs", jobs], cwd=here, env=ENVIRONMENT, stderr=subprocess.PIPE) as run:
        with (here / "begun").open() as begun:
            assert begun.read(1) == "x"
            run.send_signal(sent)
            assert (run.wait(), begun.read().strip("x")) == (code, "")  # the end comes when nobody can write any more
        assert run.stderr is not None
        assert b"Traceback" not in run.stderr.read()


def test_ctrl_c_is_heeded_while_packs_are_loaded(tmp_path: Path) -> None:
    """It is no mistake of a pack."""
    os.mkfifo(tmp_path / "begun")
    (tmp_path / "pack.py").write_text("import signal\n" + dedent(WAITING))
    command = [sys.executable, "-m", "tablegate", "policies", "--policies", "pack.py"]
    with subprocess.Popen(command, cwd=tmp_path, env=ENVIRONMENT, stderr=subprocess.PIPE) as run:
        with (tmp_path / "begun").open() as begun:
            assert begun.read(1) == "x"
            run.send_signal(signal.SIGINT)
        assert run.wait() == 130


def test_one_wrong_word_is_code_2(tmp_path: Path) -> None:
    """Before anything is judged."""
    for flags, told in (
        (("--jobs", "0"), '--jobs: "0" must be a number from 1 to 999, or auto'),
        (("--jobs", "many"), '--jobs: "many" must be a number from 1 to 999, or auto'),
        (("--shard", "3/2"), '--shard: "3/2" must be I/N, such as 2/8'),
        (("--shard", "0/2"), '--shard: "0/2" must be I/N, such as 2/8'),
        (("--select", "nothing"), 'select: "nothing" is no policy, family or severity'),
    ):
        ran = tablegate("check", "fixtures/projects", "--jobs", "2", *flags)
        assert (2, told) == (ran.returncode, ran.stderr.decode().splitlines()[0].removeprefix("tablegate: "))


def reports(at: Path, of: int) -> list[str]:
    """The reports of all shards."""
    names = [str(at / f"{number}.json") for number in range(1, of + 1)]
    for number, name in enumerate(names, start=1):
        ran = tablegate("check", "--no-config", "fixtures/projects", "--shard", f"{number}/{of}", "-o", f"json={name}")
        assert ran.returncode in (1, 3), ran.stderr.decode()
    return names


def test_shards_come_together_again(tmp_path: Path) -> None:
    """The report and the exit code are those of one machine."""
    whole = tablegate("check", "--no-config", "fixtures/projects", "-o", "json")
    again = tablegate("render", "-o", "json", *reports(tmp_path, 3))
    assert (whole.returncode, whole.stdout, whole.stderr) == (again.returncode, again.stdout, again.stderr)


def test_a_shard_that_is_not_there_is_noticed(tmp_path: Path) -> None:
    """So is one that is there twice, one of another audit, and a file that is no report."""
    one, two, three = reports(tmp_path, 3)
    (tmp_path / "again.json").write_bytes(Path(two).read_bytes())
    (tmp_path / "other.json").write_text(
        Path(three).read_text().replace('"roots": ', '"roots": 1').replace('"digest": "', '"digest": "0')
    )
    for given, told in (
        ((one, three), ["shard 2 of 3 is missing"]),
        ((one, two, three, str(tmp_path / "again.json")), ["shard 2 of 3 is given more than once"]),
        ((one, two, str(tmp_path / "other.json")), ["these are shards of different audits"]),
        ((one, two, three, "fixtures/examples/plan.json"), ["not a report of tablegate"]),
        ((one, two, three, "nowhere.json"), ["no such file or folder"]),
        ((), ["there is no report to render"]),
    ):
        ran = tablegate("render", "-o", "json", *given)
        said = {fault["message"] for fault in json.loads(ran.stdout)["faults"] if fault["blocks"]}
        assert (3, True) == (ran.returncode, said >= {*told}), (told, said)


def test_an_empty_shard_is_no_failure(tmp_path: Path) -> None:
    """More machines than sources: one has nothing to do, and says nothing against it."""
    here = folder(tmp_path, "A")
    ran = tablegate("check", "--no-config", "stacks", "--shard", "2/2", "--require-resources", cwd=here)
    assert 0 == ran.returncode, ran.stdout.decode()


def test_no_estate_outlives_its_part() -> None:
    """A report holds texts: tables and grants are gone with the next collection."""
    check_sources = partial(check, policies=load((), ()).policies, settings=Settings(), options=ReadOptions())
    report = check_part((Source("first.yaml", HELD.encode()),), check_sources)
    assert {Table, Index, Grant} <= kinds_in("first.yaml")
    for module in pack_modules():
        for function in vars(module).values():
            if getattr(function, "__module__", "") == module.__name__:  # what a pack imports stays as it is
                getattr(function, "cache_clear", int)()
    gc.collect()
    assert (len(report.findings) > 3, kinds_in("first.yaml")) == (True, set())


def kinds_in(file: str) -> set[type]:
    """The kinds of objects of an estate that are alive."""
    kinds = (Table, Index, Grant)
    return {type(it) for it in gc.get_objects() if type(it) in kinds and it.place is not None and it.place.file == file}


def test_a_process_ends_after_some_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its memory goes with it, and the report is complete."""
    monkeypatch.setattr("tablegate.run.audit.PARTS_EACH", 1)

    def check_sources(sources: Iterable[Source]) -> Report:
        [source] = sources
        return replace(NOTHING, faults=(Fault(FaultCode.UNREADABLE, str(os.getpid()), Place(source.name)),))

    sources = [Source(str(number), bytes(BYTES)) for number in range(6)]
    progress: list[tuple[int, int]] = []
    report = audit(sources, check_sources, (), jobs=2, on_progress=lambda done, total: progress.append((done, total)))
    assert [fault.place.file for fault in report.faults] == [source.name for source in sources]
    assert len({fault.message for fault in report.faults}) >= 3
    assert progress[-1] == (6, 6)


def test_the_parts_say_what_the_whole_says() -> None:
    """The report is the same if parts are checked one by one."""
    sources = collect(
        [str(ROOT / "fixtures" / "cases" / name) for name in ("TG301", "TG507", "TG508", "TG601")]
    ).sources
    policies = load((), ()).policies
    check_sources = partial(check, policies=policies, settings=Settings(), options=ReadOptions())
    one_by_one = merged(check_part(part, check_sources) for part in groups(sources))
    assert len(sources) > 20
    assert REPORTERS["json"](check_sources(sources), ReportView()) == REPORTERS["json"](one_by_one, ReportView())


def pack_modules() -> list[ModuleType]:
    """The modules of the shipped pack."""
    return [module for name, module in sys.modules.items() if name.startswith("tablegate_baseline")]


def test_what_is_embedded_by_word_is_judged_with_all(tmp_path: Path) -> None:
    """Which stack embeds it is known only when all have been read."""
    parent = (
        "Resources:\n  Child:\n    Type: AWS::CloudFormation::Stack\n    Properties: {TemplateURL: s3.example.com/x}\n"
    )
    (tmp_path / "a.yaml").write_text(parent)
    (tmp_path / "b.yaml").write_text(TABLE.format(name="Orders"))
    for name in "cdef":
        (tmp_path / f"{name}.yaml").write_text(TABLE.format(name=name.upper()))
    given = ("check", "--no-config", ".", "--nested", "Child=b.yaml", "-o", "json")
    one, five = (tablegate(*given, "--jobs", jobs, cwd=tmp_path) for jobs in "15")
    assert (one.returncode, one.stdout) == (five.returncode, five.stdout)
    found = {item["address"] for item in json.loads(one.stdout)["findings"]}
    assert ("Child/Orders" in found, "Orders" in found) == (True, False)
