"""The command line: what it says, where it writes, and how it ends."""

from __future__ import annotations

import json
import os
import pty
import re
import subprocess
import termios
from pathlib import Path

import pytest

from support.command import ROOT, python, shell
from support.command import tablegate as run
from tablegate.iam.aws_data import ACTIONS_AS_OF, MANAGED_AS_OF

PLAN = "fixtures/examples/plan.json"
TEMPLATE = "fixtures/examples/template.yaml"


def out(ran: subprocess.CompletedProcess[bytes]) -> str:
    """What it printed."""
    return ran.stdout.decode()


def err(ran: subprocess.CompletedProcess[bytes]) -> str:
    """What it said beside its report."""
    return ran.stderr.decode()


def written(folder: Path, **files: str) -> Path:
    """A folder with these files."""
    for name, text in files.items():
        (folder / name.replace("__", ".")).write_text(text)
    return folder


GOOD = """\
Resources:
  Queue:
    Type: AWS::SQS::Queue
"""

BAD = """\
Resources:
  Orders:
    Type: AWS::DynamoDB::Table
    Properties:
      BillingMode: PAY_PER_REQUEST
      AttributeDefinitions: [{AttributeName: id, AttributeType: S}]
      KeySchema: [{AttributeName: id, KeyType: HASH}]
"""


@pytest.mark.parametrize("arguments", [("--version",), ("--version", "--debug")])
def test_the_version_is_one_line(arguments: tuple[str, ...]) -> None:
    """It is what packaging says, and the days that AWS's facts are of."""
    ran = run(*arguments)
    told = f"tablegate 0.1.0 (AWS actions of {ACTIONS_AS_OF}, managed policies of {MANAGED_AS_OF})\n"
    assert (0, told, "") == (ran.returncode, out(ran), err(ran))


@pytest.mark.parametrize("input", [PLAN, TEMPLATE])
def test_a_blocked_gate_is_one(input: str) -> None:
    """The examples hold what blocks."""
    ran = run("check", input)
    assert (1, "") == (ran.returncode, err(ran))
    assert out(ran).endswith("gate: blocked (exit 1)\n")


def test_an_open_gate_is_zero(tmp_path: Path) -> None:
    """An input that was understood and holds no table leaves the gate open, and says so."""
    ran = run("check", "t.yaml", cwd=written(tmp_path, t__yaml=GOOD))
    expected = "CloudFormation template: 1 resource, none of them DynamoDB\ngate: open, nothing to check (exit 0)\n"
    assert (0, "") == (ran.returncode, err(ran))
    assert out(ran).endswith(expected)


def test_never_failing_on_anything_is_zero() -> None:
    """Findings are shown all the same."""
    ran = run("check", "--fail-on", "never", TEMPLATE)
    assert ran.returncode == 0
    assert "TG301" in out(ran)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("check", "--no-such"), "No such option: --no-such"),
        (("chekc",), "No such command 'chekc'"),
        (("check", "--fail-on", "hihg", TEMPLATE), 'fail-on is "hihg"'),
        (("check", "--unknown", "maybe", TEMPLATE), 'unknown is "maybe"'),
        (("check", "--select", "TG3O1", TEMPLATE), '"TG3O1" is no policy'),
        (("check", "-o", "jsno", TEMPLATE), '"jsno" is not a format: text, json'),
        (("check", "-o", "json=", TEMPLATE), "json= has no file name"),
        (("check", "-o", "json", "-o", "text", TEMPLATE), "json and text cannot share standard output"),
        (("check", "-o", "json=a", "-o", "text=a", TEMPLATE), "two reports cannot go to one file"),
        (("check", "--color", "sometimes", TEMPLATE), '"sometimes" must be auto, always, never'),
        (("check", "-v", "-q", TEMPLATE), "--verbose and --quiet"),
        (("check", "--param", "Env", TEMPLATE), '"Env" must be NAME=VALUE'),
        (("check", "--params", "nowhere.json", TEMPLATE), "nowhere.json: no such file or directory"),
        (("check", "--config", "nowhere.toml", TEMPLATE), "nowhere.toml cannot be read"),
        (("check", "--policies", "nowhere", TEMPLATE), "nowhere: no such file or folder"),
        (("check", "--pack", "nobody", TEMPLATE), 'no installed pack is called "nobody"'),
        (("check", "--untrusted", TEMPLATE), "--untrusted takes no configuration from the working tree"),
        (("explain", "TG999"), '"TG999" is not a policy'),
        (("explain",), "Missing argument"),
        (("show", TEMPLATE, "-o", "xml"), '"xml" must be json or yaml'),
        (("show", TEMPLATE, "--path", "$["), '"$[" is no JSONPath'),
        ((), "a command is needed"),
    ],
)
def test_wrong_usage_is_two(arguments: tuple[str, ...], message: str) -> None:
    """What cannot be meant is said in a line or two, and nothing is judged."""
    ran = run(*arguments)
    if arguments:
        assert (2, "") == (ran.returncode, out(ran))
        assert message in err(ran)
        assert err(ran).startswith("tablegate: ")
        assert len(err(ran).splitlines()) <= 2
    else:
        assert ran.returncode == 2


@pytest.mark.parametrize(
    ("text", "message"),
    [("", "the file is empty"), ("{", "unexpected end of file"), ("Resources: [", "t.yaml")],
)
def test_what_cannot_be_read_is_three(tmp_path: Path, text: str, message: str) -> None:
    """Nothing that was not read passes."""
    ran = run("check", "t.yaml", cwd=written(tmp_path, t__yaml=text))
    assert ran.returncode == 3
    assert message in out(ran)
    assert out(ran).endswith("nothing was checked\ngate: failed, not everything could be checked (exit 3)\n")


@pytest.mark.parametrize("arguments", [("check",), ("check", "nowhere.json"), ("check", "empty")])
def test_nothing_to_judge_is_three(tmp_path: Path, arguments: tuple[str, ...]) -> None:
    """No input, a missing one and an empty folder are never a pass."""
    (tmp_path / "empty").mkdir()
    assert run(*arguments, cwd=tmp_path).returncode == 3


def test_several_words_may_be_given_at_once() -> None:
    """A comma does what repeating the flag does."""
    commas = run("check", TEMPLATE, "--select", "TG301,TG304", "--ignore", "TG304,TG305")
    assert out(commas) == out(run("check", TEMPLATE, "--select", "TG301"))


def test_findings_are_shown_beside_what_was_not_read(tmp_path: Path) -> None:
    """Code 3 outweighs 1, and hides nothing."""
    ran = run("check", "a.yaml", "b.yaml", cwd=written(tmp_path, a__yaml=BAD, b__yaml=""))
    assert ran.returncode == 3
    assert "TG301" in out(ran)
    assert "b.yaml" in out(ran)


def test_required_resources_that_are_not_there_are_three(tmp_path: Path) -> None:
    """Whoever expects tables is told when there are none."""
    ran = run("check", "--require-resources", "t.yaml", cwd=written(tmp_path, t__yaml=GOOD))
    assert ran.returncode == 3
    assert "no DynamoDB resource found" in out(ran)
    assert run("check", "--require-resources", TEMPLATE).returncode == 1


def test_a_policy_that_crashes_is_four(tmp_path: Path) -> None:
    """A fault inside is told by its kind, and the other policies are still asked."""
    pack = """\
from tablegate.policy import HIGH, Table, Verdict, policy

@policy("ACME001", HIGH, "It must not crash", docs="https://example.com", terraform="a = 1", cloudformation=None)
def crashing(table: Table) -> Verdict:
    \"\"\"It does.\"\"\"
    raise SystemExit(0)
"""
    ran = run("check", "--policies", "pack.py", "t.yaml", cwd=written(tmp_path, t__yaml=BAD, pack__py=pack))
    assert ran.returncode == 4
    assert "ACME001" in out(ran)
    assert "TG301" in out(ran)


def test_a_pack_that_ends_the_process_while_it_loads_is_two(tmp_path: Path) -> None:
    """No pack can end a run as if all were well."""
    ran = run(
        "check", "--policies", "pack.py", "t.yaml", cwd=written(tmp_path, t__yaml=BAD, pack__py="raise SystemExit(0)")
    )
    assert ran.returncode == 2
    assert "pack.py:1: SystemExit while loading" in err(ran)


def test_standard_input_has_the_name_it_is_given() -> None:
    """Reports call it what the caller calls it."""
    ran = run("check", "-", "--stdin-filename", "stack.yaml", stdin=BAD.encode())
    assert ran.returncode == 1
    assert "--> stack.yaml:2:3" in out(ran)


def test_several_reports_in_one_run(tmp_path: Path) -> None:
    """Text goes to the screen unless another format does; files are written beside it."""
    folder = written(tmp_path, t__yaml=BAD)
    ran = run("check", "t.yaml", "-o", "json=r.json", "-o", "text=r.txt", cwd=folder)
    document = json.loads((folder / "r.json").read_text())
    assert (1, 1) == (ran.returncode, document["exit"])
    assert (folder / "r.txt").read_text() == out(ran)
    assert ["r.json", "r.txt", "t.yaml"] == sorted(path.name for path in folder.iterdir())


def test_json_on_the_screen_leaves_the_gate_to_standard_error(tmp_path: Path) -> None:
    """Standard output is the document and nothing else."""
    ran = run("check", "t.yaml", "-o", "json", cwd=written(tmp_path, t__yaml=BAD))
    assert json.loads(out(ran))["gate"] == "blocked"
    assert err(ran) == "gate: blocked (exit 1)\n"


def test_the_format_never_changes_the_code(tmp_path: Path) -> None:
    """Each format ends alike."""
    folder = written(tmp_path, t__yaml=BAD)
    assert {1} == {run("check", "t.yaml", "-o", form, cwd=folder).returncode for form in ("text", "json")}


def test_a_report_is_never_written_through_a_link(tmp_path: Path) -> None:
    """A link in a checked-out tree may lead anywhere, and so may a folder that is one."""
    folder = written(tmp_path, t__yaml=BAD, kept="as it was")
    (folder / "r.json").symlink_to(folder / "kept")
    (folder / "elsewhere").symlink_to(folder)
    for path in ("r.json", "elsewhere/x.json"):
        ran = run("check", "t.yaml", "-o", f"json={path}", cwd=folder)
        assert ran.returncode == 4
        assert "is a symbolic link" in err(ran)
    assert (folder / "kept").read_text() == "as it was"
    assert not (folder / "x.json").exists()


def test_a_report_that_cannot_be_written_is_four_and_leaves_the_old_one(tmp_path: Path) -> None:
    """A folder that is not there, or a folder in the way, is said in one line."""
    folder = written(tmp_path, t__yaml=BAD)
    (folder / "taken").mkdir()
    for path in ("nowhere/r.json", "taken"):
        ran = run("check", "t.yaml", "-o", f"json={path}", cwd=folder)
        assert ran.returncode == 4
        assert len(err(ran).splitlines()) == 1
        assert out(ran).endswith("gate: failed, not everything could be checked (exit 4)\n")
    assert ["t.yaml", "taken"] == sorted(path.name for path in folder.iterdir())


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
@pytest.mark.parametrize(
    "arguments", [("check", TEMPLATE), ("check", TEMPLATE, "-o", "json"), ("--version",), ("policies",)]
)
def test_a_full_disk_is_four(arguments: tuple[str, ...]) -> None:
    """A report that did not arrive is no report."""
    with Path("/dev/full").open("wb") as full:
        ran = run(*arguments, stdout=full.fileno())
    assert ran.returncode == 4
    assert "standard output: no space left on device" in err(ran)
    assert "Traceback" not in err(ran)


def test_closed_standard_output_is_four() -> None:
    """It was due there."""
    ran = shell(f"$TABLEGATE check {TEMPLATE} >&-")
    assert (4, b"tablegate: standard output is closed\n") == (ran.returncode, ran.stderr)


def test_a_reader_who_leaves_early_changes_nothing() -> None:
    """A broken pipe is quiet, and the gate keeps its code."""
    ran = shell(f"($TABLEGATE check {TEMPLATE} -v; echo $? >&2) | true")
    assert ran.stderr == b"1\n"


@pytest.mark.parametrize("command", [("--help",), ("check", "--help")])
def test_help_into_a_closed_pipe_is_quiet(command: tuple[str, ...]) -> None:
    """Nobody is bothered with a traceback."""
    ran = shell(f"$TABLEGATE {' '.join(command)} | true")
    assert ran.stderr == b""


def test_a_terminal_without_unicode_is_given_ascii() -> None:
    """Whatever the locale, nothing is lost and nothing fails."""
    narrow = {"LANG": "C", "LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    ran = run("check", TEMPLATE, env=narrow)
    assert (1, b"") == (ran.returncode, ran.stderr)
    assert ran.stdout.isascii()
    assert out(ran).startswith("tablegate 0.1.0 - CloudFormation template - 2 tables")


@pytest.mark.parametrize(
    ("env", "arguments", "expected"),
    [
        ({}, (), False),
        ({"FORCE_COLOR": "1"}, (), True),
        ({"CLICOLOR_FORCE": "1"}, (), True),
        ({"FORCE_COLOR": "1", "NO_COLOR": "1"}, (), False),
        ({"NO_COLOR": "1"}, ("--color", "always"), True),
        ({"FORCE_COLOR": "1"}, ("--color", "never"), False),
        ({"FORCE_COLOR": "0"}, (), False),
    ],
)
def test_colour_is_for_those_who_want_it(env: dict[str, str], arguments: tuple[str, ...], expected: bool) -> None:
    """The flag decides, then NO_COLOR, then what forces it; a pipe has none."""
    assert expected == (b"\x1b[" in run("check", TEMPLATE, *arguments, env=env).stdout)


def test_a_file_is_never_coloured(tmp_path: Path) -> None:
    """Colour is for terminals."""
    folder = written(tmp_path, t__yaml=BAD)
    run("check", "t.yaml", "--color", "always", "-o", "text=r.txt", cwd=folder)
    assert "\x1b" not in (folder / "r.txt").read_text()


def test_the_same_input_gives_the_same_bytes() -> None:
    """Hash seed, time zone, locale and order do not show."""
    environments = [
        {"PYTHONHASHSEED": "0", "TZ": "UTC"},
        {"PYTHONHASHSEED": "7", "TZ": "Pacific/Kiritimati", "LANG": "de_DE.UTF-8"},
        {"PYTHONHASHSEED": "99", "COLUMNS": "40"},
    ]
    for form in ("text", "json"):
        first = {run("check", PLAN, TEMPLATE, "-o", form, env=env).stdout for env in environments}
        assert first == {run("check", TEMPLATE, PLAN, "-o", form).stdout}


def test_parameters_settle_scenarios(tmp_path: Path) -> None:
    """A value on the command line outweighs one in a file."""
    (tmp_path / "params.json").write_text('{"Env": "dev"}')
    path = str(tmp_path / "params.json")
    chosen = ("check", TEMPLATE, "--select", "TG301", "--params", path)
    assert "when Env is dev" not in out(run(*chosen))
    assert (1, 0) == (run(*chosen).returncode, run(*chosen, "--param", "Env=prod").returncode)


def test_configuration_is_found_and_can_be_left_alone(tmp_path: Path) -> None:
    """A file beside the input counts, unless it is not wanted."""
    folder = written(tmp_path, t__yaml=BAD, tablegate__toml='fail-on = "never"\n')
    assert (0, 1) == (
        run("check", "t.yaml", cwd=folder).returncode,
        run("check", "t.yaml", "--no-config", cwd=folder).returncode,
    )


def test_a_wrong_configuration_is_two_and_has_a_place(tmp_path: Path) -> None:
    """The file, the line and the nearest key are named."""
    folder = written(tmp_path, t__yaml=BAD, tablegate__toml='fail-onn = "never"\n')
    ran = run("check", "t.yaml", cwd=folder)
    assert ran.returncode == 2
    assert 'tablegate: tablegate.toml:1: unknown key fail-onn\nhint: did you mean "fail-on"?\n' == err(ran)


def test_a_name_in_an_error_stays_in_its_line() -> None:
    """What a user passes on from somewhere else cannot speak to a build server."""
    for arguments in (
        ("check", "--color", "a\n::error::b", TEMPLATE),
        ("check", "--a\n::error::b"),
        ("explain", "\x1b[2J"),
    ):
        text = err(run(*arguments))
        assert "\n::" not in text
        assert "\x1b" not in text


def test_explain_prints_a_page() -> None:
    """By id or by name, in any case."""
    pages = {run("explain", word).stdout for word in ("TG301", "tg301", "point-in-time-recovery")}
    assert len(pages) == 1
    assert pages.pop().decode().startswith("point-in-time-recovery (TG301) ")


def test_policies_are_listed() -> None:
    """As a table for people, and as JSON for tools."""
    listed = json.loads(out(run("policies", "--json")))
    assert [item["id"] for item in listed] == sorted(item["id"] for item in listed)
    assert {"id", "name", "severity", "family", "title", "judges", "runs", "reason", "options", "docs"} == set(
        listed[0]
    )
    assert f"of {len(listed)} policies run" in out(run("policies"))


def test_config_show_names_origins(tmp_path: Path) -> None:
    """Each key says where its value comes from."""
    folder = written(tmp_path, tablegate__toml='unknown = "warn"\n')
    shown = out(run("config", "show", cwd=folder, env={"TABLEGATE_FAIL_ON": "low"}))
    lines = [line.split() for line in shown.splitlines()]
    assert ["unknown", '"warn"', "tablegate.toml:1"] in lines
    assert ["fail-on", '"low"', "TABLEGATE_FAIL_ON"] in lines
    assert {"key": "unknown", "value": "warn", "origin": "tablegate.toml:1"} in json.loads(
        out(run("config", "show", "--json", cwd=folder))
    )


def test_config_schema_is_json() -> None:
    """Editors complete from it."""
    assert "point-in-time-recovery" in json.loads(out(run("config", "schema")))["properties"]["policies"]["properties"]


def test_show_prints_what_policies_see() -> None:
    """The whole model, or what a path leads to; as JSON or YAML."""
    document = json.loads(out(run("show", PLAN)))
    addresses = [table["address"] for table in document["tables"]]
    assert ["aws_dynamodb_table.customers", "aws_dynamodb_table.orders", "aws_dynamodb_table.sessions"] == addresses
    found = json.loads(out(run("show", PLAN, "--path", "$.recovery.enabled")))
    assert [True, False, True] == [item["value"] for item in found]
    assert "address: aws_dynamodb_table.orders" in out(run("show", PLAN, "-o", "yaml"))


def test_show_of_what_cannot_be_read_is_three(tmp_path: Path) -> None:
    """It says why, like check."""
    ran = run("show", "t.yaml", cwd=written(tmp_path, t__yaml=""))
    assert (3, "") == (ran.returncode, out(ran))
    assert "t.yaml: the file is empty" in err(ran)


def test_an_interrupt_is_130() -> None:
    """As shells expect."""
    code = "import sys; sys.argv = ['x', 'config', 'show']; import tablegate.cli.commands as c\n"
    code += "def stop(*a): raise KeyboardInterrupt\nc.run_command = stop\nimport tablegate.cli as m; m.main()"
    ran = python(code)
    assert (130, b"") == (ran.returncode, ran.stderr)


def test_an_error_inside_is_four_without_its_text() -> None:
    """The error's own words may quote an input; where it happened is said only when asked."""
    code = "import sys; sys.argv = ['x', 'config', 'show', {}]; import tablegate.cli.commands as c\n"
    code += "def stop(*a): raise ValueError('hunter%d' % 2)\nc.run_command = stop\nimport tablegate.cli as m; m.main()"
    for debug, lines in (("'-q'", 1), ("'--debug'", 3)):
        ran = python(code.format(debug))
        assert ran.returncode == 4
        assert ran.stderr.startswith(b"tablegate: internal error: ValueError (--debug shows where)\n")
        assert (b"hunter2" in ran.stderr, len(ran.stderr.splitlines()) >= lines) == (False, True)


def test_the_working_directory_is_not_where_code_comes_from(tmp_path: Path) -> None:
    """A file called like a module of Python's is not run when the command is."""
    folder = written(tmp_path, t__yaml=BAD, json__py="raise SystemExit(0)", typer__py="raise SystemExit(0)")
    assert run("check", "t.yaml", "-o", "json", cwd=folder).returncode == 1


def test_completion_is_there() -> None:
    """Shells can be taught the options."""
    ran = run(env={"_TABLEGATE_COMPLETE": "complete_bash", "COMP_WORDS": "tablegate che", "COMP_CWORD": "1"})
    assert (0, "check\n") == (ran.returncode, out(ran))


def test_reports_go_to_devices_and_pipes_as_they_are(tmp_path: Path) -> None:
    """What is no file is written to, and never replaced."""
    os.mkfifo(tmp_path / "pipe")
    ran = shell(f"cat pipe > read & $TABLEGATE check {ROOT / TEMPLATE} -q -o json=pipe > /dev/null; wait", cwd=tmp_path)
    assert ran.stderr == b""
    assert json.loads((tmp_path / "read").read_text())["gate"] == "blocked"
    ran = run("check", TEMPLATE, "-q", "-o", "json=/dev/stdout")
    assert '"gate": "blocked"' in out(ran)


def test_a_file_that_cannot_be_finished_is_not_there(tmp_path: Path) -> None:
    """A full disk leaves the old report, and no draft beside it."""
    (tmp_path / "r.json").write_text("old")
    ran = shell(f"ulimit -f 1; $TABLEGATE check {ROOT / TEMPLATE} -q -o json=r.json", cwd=tmp_path)
    assert (4, b"tablegate: r.json: file too large\n") == (ran.returncode, ran.stderr)
    assert [("r.json", "old")] == [(path.name, path.read_text()) for path in tmp_path.iterdir()]


def test_closed_standard_error_changes_nothing() -> None:
    """What cannot be said is not said, and the code stays."""
    assert shell("$TABLEGATE explain TG999 2>&-").returncode == 2
    assert shell("$TABLEGATE explain TG999 2>/dev/full").returncode == 2


def test_what_a_pack_prints_is_quoted(tmp_path: Path) -> None:
    """It reaches no report, and no line begins with it."""
    pack = """\
from tablegate.policy import HIGH, Table, Verdict, policy

print("::error::loaded")

@policy("ACME001", HIGH, "It may talk", docs="https://example.com", terraform="a = 1", cloudformation=None)
def talking(table: Table) -> Verdict:
    \"\"\"It does.\"\"\"
    print("::error::asked")
    return table.recovery.enabled.is_set
"""
    ran = run(
        "check", "--policies", "pack.py", "t.yaml", "-o", "json", cwd=written(tmp_path, t__yaml=BAD, pack__py=pack)
    )
    assert json.loads(out(ran))["exit"] == 1
    assert ["pack: ::error::loaded", "pack: ::error::asked", "gate: blocked (exit 1)"] == err(ran).splitlines()


def test_a_parameter_file_that_cannot_be_read_is_two(tmp_path: Path) -> None:
    """The file and the place are named."""
    ran = run("check", "t.yaml", "--params", "p.json", cwd=written(tmp_path, t__yaml=BAD, p__json='{"a": }'))
    assert ran.returncode == 2
    assert err(ran).startswith("tablegate: p.json:1:")


def test_a_configuration_at_a_git_ref_is_what_counts(tmp_path: Path) -> None:
    """What the working tree would loosen is not applied, and said."""
    folder = written(tmp_path, t__yaml=BAD, tablegate__toml='fail-on = "high"\n')
    commit = "git init -q . && git add -A && git -c user.name=a -c user.email=a@example.com commit -qm a"
    assert shell(commit, cwd=folder).returncode == 0
    (folder / "tablegate.toml").write_text('fail-on = "never"\n')
    ran = run("check", "t.yaml", "--untrusted", "--config-ref", "HEAD", "-q", cwd=folder)
    assert ran.returncode == 1
    assert err(ran).startswith("note: tablegate.toml: fail-on differs from the trusted configuration")


@pytest.mark.parametrize(("columns", "widest"), [(72, 72), (30, 60), (500, 120)])
def test_a_terminal_has_colour_and_a_width(tmp_path: Path, columns: int, widest: int) -> None:
    """Prose is wrapped to the reader's width, within reason."""
    ours, theirs = pty.openpty()
    termios.tcsetwinsize(theirs, (24, columns))
    ran = run("check", "t.yaml", "--select", "TG301", cwd=written(tmp_path, t__yaml=BAD), stdout=theirs)
    os.close(theirs)
    text = os.read(ours, 100_000).decode()
    os.close(ours)
    assert ran.returncode == 1
    assert "\x1b[1;31mhigh[TG301" in text
    prose = [re.sub(r"\x1b\[[\d;]*m", "", line) for line in text.splitlines() if "why:" in line]
    assert [True] == [len(line) <= widest for line in prose]


def test_a_terminal_that_is_dumb_has_no_colour(tmp_path: Path) -> None:
    """TERM says so."""
    ours, theirs = pty.openpty()
    run("check", "t.yaml", "-q", cwd=written(tmp_path, t__yaml=BAD), stdout=theirs, env={"TERM": "dumb"})
    os.close(theirs)
    text = os.read(ours, 100_000)
    os.close(ours)
    assert b"gate: blocked" in text
    assert b"\x1b" not in text


def test_the_module_runs_with_a_safe_path_too() -> None:
    """Where Python puts no folder first, none is taken away."""
    assert run("--version", python=("-P",)).returncode == 0


ACCESS = "fixtures/projects/access/stack.yaml"


def test_iam_prints_a_matrix() -> None:
    """Holders and what they may do, and nothing beside it."""
    ran = run("iam", ACCESS)
    assert (0, "") == (ran.returncode, err(ran))
    assert "\nOperator " in out(ran)
    assert "RWDSTA" in out(ran)


@pytest.mark.parametrize(("form", "start"), [("markdown", "### `"), ("csv", "file,holder,"), ("json", '{"version": 1')])
def test_iam_writes_every_format_to_a_file(form: str, start: str, tmp_path: Path) -> None:
    """The screen has the text."""
    ran = run("iam", ACCESS, "-o", "text", "-o", f"{form}={tmp_path / 'matrix'}")
    assert (0, "") == (ran.returncode, err(ran))
    assert (tmp_path / "matrix").read_text().startswith(start)


def test_iam_of_what_was_not_read_is_three() -> None:
    """What could be read is shown all the same."""
    ran = run("iam", ACCESS, "gone.json")
    assert 3 == ran.returncode
    assert "Operator" in out(ran)
    assert "gone.json" in err(ran)


@pytest.mark.parametrize("arguments", [("iam",), ("iam", ACCESS, "-o", "html"), ("iam", ACCESS, "--param", "x")])
def test_iam_that_cannot_be_meant_is_two(arguments: tuple[str, ...]) -> None:
    """No input, no such format, no such value."""
    assert 2 == run(*arguments).returncode
