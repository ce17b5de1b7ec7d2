"""The command line: what it says, where it writes, and how it ends."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from support.command import PLAN, TEMPLATE, err, out, python, shell, written
from support.command import tablegate as run
from tablegate.aws_schemas import SCHEMAS_AS_OF
from tablegate.iam.aws_data import ACTIONS_AS_OF, MANAGED_AS_OF

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
    dates = f"AWS actions of {ACTIONS_AS_OF}, managed policies of {MANAGED_AS_OF}, schemas of {SCHEMAS_AS_OF}"
    told = f"tablegate 0.1.0 ({dates})\n"
    assert (0, told, "") == (ran.returncode, out(ran), err(ran))


@pytest.mark.parametrize("input", [PLAN, TEMPLATE])
def test_a_blocked_gate_is_one(input: str) -> None:
    """The examples hold what blocks."""
    ran = run("check", input)
    assert (1, "") == (ran.returncode, err(ran))
    assert "\ngate: blocked (exit 1)\nnext: fix what blocks; tablegate explain TG" in out(ran)


def test_an_open_gate_is_zero(tmp_path: Path) -> None:
    """An input that was understood and holds no table leaves the gate open, and says so."""
    ran = run("check", "t.yaml", cwd=written(tmp_path, t__yaml=GOOD))
    expected = "CloudFormation template: 1 resource, none of them DynamoDB\ngate: open, nothing to check (exit 0)\n"
    assert (0, "") == (ran.returncode, err(ran))
    assert out(ran).endswith(expected)


def test_never_failing_on_anything_is_zero() -> None:
    """Findings are shown too."""
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
        (("check", "--color", "sometimes", TEMPLATE), '"sometimes" must be one of auto, always, never'),
        (("check", "-v", "-q", TEMPLATE), "--verbose and --quiet"),
        (("check", "--param", "Env", TEMPLATE), "--param: number 1 must be NAME=VALUE"),
        (("check", "--params", "nowhere.json", TEMPLATE), "nowhere.json: no such file or directory"),
        (("check", "--config", "nowhere.toml", TEMPLATE), "nowhere.toml cannot be read"),
        (("check", "--policies", "nowhere", TEMPLATE), "nowhere: no such file or folder"),
        (("check", "--pack", "nobody", TEMPLATE), 'no installed pack is called "nobody"'),
        (("check", "--untrusted", TEMPLATE), "--untrusted takes no configuration from the working tree"),
        (("explain", "TG999"), '"TG999" is not a policy'),
        (("explain",), "Missing argument"),
        (("show", TEMPLATE, "-o", "xml"), '"xml" must be json or yaml'),
        (("show", TEMPLATE, "--path", "$["), '"$[" is no JSONPath'),
    ],
)
def test_wrong_usage_is_two(arguments: tuple[str, ...], message: str) -> None:
    """A usage error takes a line or two, and nothing is checked."""
    ran = run(*arguments)
    assert (2, "") == (ran.returncode, out(ran))
    assert message in err(ran)
    assert err(ran).startswith("tablegate: ")
    assert len(err(ran).splitlines()) <= 2


@pytest.mark.parametrize("arguments", [(), ("config",)])
def test_a_missing_command_shows_the_help(arguments: tuple[str, ...]) -> None:
    """The help page has one line for each command, as ``--help`` prints it."""
    ran = run(*arguments)
    first, *page = err(ran).splitlines()
    assert (2, "tablegate: a command is needed") == (ran.returncode, first)
    assert page == out(run(*arguments, "--help")).splitlines()


@pytest.mark.parametrize(
    ("text", "message"),
    [("", "the file is empty"), ("{", "unexpected end of file"), ("Resources: [", "t.yaml")],
)
def test_what_cannot_be_read_is_three(tmp_path: Path, text: str, message: str) -> None:
    """Nothing that was not read passes."""
    ran = run("check", "t.yaml", cwd=written(tmp_path, t__yaml=text))
    assert ran.returncode == 3
    assert message in out(ran)
    assert "\nnothing was checked\ngate: failed, not everything could be checked (exit 3)\nnext: " in out(ran)


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
    """--require-resources reports that there are none."""
    ran = run("check", "--require-resources", "t.yaml", cwd=written(tmp_path, t__yaml=GOOD))
    assert ran.returncode == 3
    assert "no DynamoDB resource found" in out(ran)
    assert run("check", "--require-resources", TEMPLATE).returncode == 1


def test_a_policy_that_crashes_is_four(tmp_path: Path) -> None:
    """A crash is reported by its type, and the other policies run."""
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


@pytest.mark.parametrize("command", [("--help",), ("check", "--help")])
def test_help_into_a_closed_pipe_is_quiet(command: tuple[str, ...]) -> None:
    """Nobody is bothered with a traceback."""
    ran = shell(f"$TABLEGATE {' '.join(command)} | true")
    assert ran.stderr == b""


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


def test_an_interrupt_is_130() -> None:
    """As shells expect."""
    code = "import sys; sys.argv = ['x', 'config', 'show']; import tablegate.cli.commands as c\n"
    code += "def stop(*a): raise KeyboardInterrupt\nc.run_command = stop\nimport tablegate.cli as m; m.main()"
    ran = python(code)
    assert (130, b"") == (ran.returncode, ran.stderr)


def test_an_error_inside_is_four_without_its_text() -> None:
    """The error's own text may quote an input; --debug shows where it happened."""
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
    """What the working tree would loosen is not applied but reported."""
    folder = written(tmp_path, t__yaml=BAD, tablegate__toml='fail-on = "high"\n')
    commit = "git init -q . && git add -A && git -c user.name=a -c user.email=a@example.com commit -qm a"
    assert shell(commit, cwd=folder).returncode == 0
    (folder / "tablegate.toml").write_text('fail-on = "never"\n')
    ran = run("check", "t.yaml", "--untrusted", "--config-ref", "HEAD", "-q", cwd=folder)
    assert ran.returncode == 1
    assert err(ran).startswith("note: tablegate.toml: fail-on differs from the trusted configuration")


def test_the_module_runs_with_a_safe_path_too() -> None:
    """Where Python puts no folder first, none is taken away."""
    assert run("--version", python=("-P",)).returncode == 0
