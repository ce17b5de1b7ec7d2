"""Where configuration is found, what it may say, and what of it counts."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from support.policies import declared, recovery_on
from tablegate.config.configuration import Configuration, read_configuration
from tablegate.config.schema import schema
from tablegate.engine.settings import ConfigError, Settings
from tablegate.policy import LOW, PolicyError, Table, Verdict, holds

POLICIES = (recovery_on("TG301", name="point-in-time"), recovery_on("TG302", name="other"))


def read(
    folder: Path, *, flags: Mapping[str, object] | None = None, environment: Mapping[str, str] | None = None, **how: Any
) -> Configuration:
    return read_configuration(flags or {}, folder=folder, environment=environment or {}, **how)


def write(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def refused(folder: Path, **how: Any) -> tuple[str, str | None]:
    with pytest.raises(ConfigError) as caught:
        read(folder, **how).resolve(POLICIES)
    return caught.value.message, caught.value.hint


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    (tmp_path / ".git").mkdir()
    return tmp_path


def test_it_is_found_from_the_folder_up_to_the_root_of_the_repository(repository: Path) -> None:
    """As with every linter: the nearest file counts."""
    write(repository / "tablegate.toml", 'fail-on = "low"')
    deep = repository / "a" / "b"
    deep.mkdir(parents=True)
    assert read(deep)["fail-on"] == "low"
    write(repository / "a" / "tablegate.toml", 'fail-on = "info"')
    assert read(deep)["fail-on"] == "info"


def test_it_is_not_found_above_the_repository(tmp_path: Path) -> None:
    """What lies outside is somebody else's."""
    write(tmp_path / "tablegate.toml", 'fail-on = "low"')
    (tmp_path / "repo" / ".git").mkdir(parents=True)
    assert read(tmp_path / "repo").file is None


def test_outside_a_repository_only_the_folder_itself_counts(tmp_path: Path) -> None:
    """There is no root to stop at."""
    write(tmp_path / "tablegate.toml", 'fail-on = "low"')
    (tmp_path / "a").mkdir()
    assert read(tmp_path / "a").file is None
    assert read(tmp_path)["fail-on"] == "low"


def test_the_home_folder_is_passed_over(repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A home that is a repository configures no project within it."""
    write(repository / "tablegate.toml", 'fail-on = "low"')
    (repository / "project").mkdir()
    monkeypatch.setenv("HOME", str(repository))
    assert read(repository / "project").file is None
    assert read(repository).file is not None


@pytest.mark.parametrize("text", ["x = " + "[" * 5_000 + "]" * 5_000, "x = " + "1" * 5_000])
def test_a_file_beyond_the_limits_of_the_parser_is_refused(repository: Path, text: str) -> None:
    """With a reason, like any other mistake in it."""
    write(repository / "tablegate.toml", text)
    assert refused(repository)[0].startswith("tablegate.toml is not readable: ")


def test_pyproject_counts_where_it_speaks_of_tablegate(repository: Path) -> None:
    """A project file of something else is passed over, even a broken one."""
    deep = repository / "a"
    write(deep / "pyproject.toml", "[tool.other]\nx = 1")
    write(repository / "pyproject.toml", '[tool.tablegate]\nfail-on = "low"')
    assert read(deep)["fail-on"] == "low"
    write(deep / "pyproject.toml", "[tool.other\n")
    assert read(deep)["fail-on"] == "low"
    write(deep / "pyproject.toml", "tool = 1")
    assert read(deep)["fail-on"] == "low"
    write(deep / "pyproject.toml", "[tool.tablegate\n")
    assert refused(deep)[0].startswith("pyproject.toml is not valid TOML")
    write(deep / "pyproject.toml", "[project]\n")
    write(deep / "tablegate.toml", 'fail-on = "info"')
    assert read(deep)["fail-on"] == "info"


def test_flags_go_before_environment_before_file_before_defaults(repository: Path) -> None:
    """And each value knows where it comes from."""
    write(repository / "tablegate.toml", 'unknown = "warn"\nfail-on = "low"\nregion = "eu-west-1"\n')
    environment = {"TABLEGATE_FAIL_ON": "medium", "TABLEGATE_REGION": "us-east-1", "TABLEGATE_SELECT": "TG301, TG302"}
    configuration = read(repository, flags={"region": "ap-south-1"}, environment=environment)
    origins = {row["key"]: (row["value"], row["origin"]) for row in configuration.shown()}
    assert origins["unknown"] == ("warn", "tablegate.toml:1")
    assert origins["fail-on"] == ("medium", "TABLEGATE_FAIL_ON")
    assert origins["region"] == ("ap-south-1", "--region")
    assert origins["select"] == (("TG301", "TG302"), "TABLEGATE_SELECT")
    assert origins["account"] == (None, "default")
    assert "output" not in origins


@pytest.mark.parametrize(("text", "value"), [("1", True), ("Yes", True), ("off", False), ("0", False)])
def test_a_switch_in_the_environment(tmp_path: Path, text: str, value: bool) -> None:
    """In the words that people use."""
    assert read(tmp_path, environment={"TABLEGATE_ALLOW_PARTIAL": text})["allow-partial"] is value


def test_a_switch_that_is_neither_is_refused(tmp_path: Path) -> None:
    """A guess could open the gate."""
    assert refused(tmp_path, environment={"TABLEGATE_ALLOW_PARTIAL": "maybe"}) == (
        'TABLEGATE_ALLOW_PARTIAL is "maybe" and must be true or false',
        None,
    )


def test_a_file_can_be_named_and_none_can_be_wanted(repository: Path) -> None:
    """A named file is read instead of a found one."""
    write(repository / "tablegate.toml", 'fail-on = "low"')
    named = write(repository / "ci.toml", 'fail-on = "info"')
    assert read(repository, file=named)["fail-on"] == "info"
    assert read(repository, search=False)["fail-on"] == "high"


def test_the_environment_can_say_where_the_configuration_is(committed: Path) -> None:
    """Every flag has a variable; a flag goes before it."""
    named = write(committed / "ci.toml", 'fail-on = "info"')
    assert read(committed, environment={"TABLEGATE_CONFIG": str(named)})["fail-on"] == "info"
    assert read(committed, environment={"TABLEGATE_CONFIG_REF": "HEAD"}).file is not None
    assert read(committed, environment={"TABLEGATE_CONFIG": str(named)}, ref="HEAD")["fail-on"] == "medium"
    assert read(committed, environment={"TABLEGATE_NO_CONFIG": "1"}).file is None
    assert "--untrusted" in refused(committed, environment={"TABLEGATE_UNTRUSTED": "yes"})[0]
    assert refused(committed, environment={"TABLEGATE_CONFIG": "x", "TABLEGATE_CONFIG_REF": "HEAD"})[0].startswith(
        "--config"
    )


def test_a_named_file_must_be_one(tmp_path: Path) -> None:
    """It is missing, not text, or about something else."""
    assert refused(tmp_path, file=tmp_path / "no.toml")[0].endswith("no.toml cannot be read: no such file or directory")
    (tmp_path / "bytes.toml").write_bytes(b"\xff")
    assert refused(tmp_path, file=tmp_path / "bytes.toml")[0].endswith("cannot be read: it is not UTF-8")
    other = write(tmp_path / "pyproject.toml", "[project]")
    assert refused(tmp_path, file=other)[0].endswith("pyproject.toml has no [tool.tablegate]")
    (tmp_path / "tablegate.toml").write_bytes(b"\xff")
    assert refused(tmp_path) == (f"{(tmp_path / 'tablegate.toml').as_posix()} cannot be read: it is not UTF-8", None)


@pytest.mark.parametrize(
    ("text", "message", "hint"),
    [
        ('\nfail-onn = "low"', "tablegate.toml:2: unknown key fail-onn", 'did you mean "fail-on"?'),
        ('output = "json"', "tablegate.toml:1: unknown key output", None),
        ("select = 1", "tablegate.toml:1: select is 1 and must be a list of texts", None),
        ('x = "', None, None),
        ('fail-on = "bad"', None, None),
        (
            '[policies.TG301]\nseverity = "low"\n[policies.TG302]\nexempt = 1',
            "tablegate.toml:4: unknown key policies.TG302.exempt",
            None,
        ),
        (
            "[policies.TG302]\n[policies]\nTG301 = {seveirty = 1}",
            "tablegate.toml:3: unknown key policies.TG301.seveirty",
            'did you mean "severity"?',
        ),
        ("policies = 1", "tablegate.toml:1: policies is 1 and must be a table", None),
        ('[[policy]]\nid = "AC001"', None, None),
        (
            'packs = ["./mine"]',
            'tablegate.toml:1: packs: "./mine" is a path',
            "a path is loaded only by --policies PATH",
        ),
        ('packs = ["mine.py"]', 'tablegate.toml:1: packs: "mine.py" is a path', None),
    ],
)
def test_a_mistake_names_the_file_the_line_and_the_nearest_key(
    repository: Path, text: str, message: str | None, hint: str | None
) -> None:
    """Exit code 2 comes with a place."""
    write(repository / "tablegate.toml", text)
    said = refused(repository)
    assert said[0].startswith("tablegate.toml")
    if message is not None:
        assert said[0] == message
    if hint is not None:
        assert said[1] == hint


def test_a_mistake_in_the_environment_or_a_flag_names_it(repository: Path) -> None:
    """Not the file, which has no part in it."""
    write(repository / "tablegate.toml", 'fail-on = "low"')
    assert refused(repository, environment={"TABLEGATE_UNKNOWN": "x"})[0] == (
        'TABLEGATE_UNKNOWN: unknown is "x" and must be one of block, warn, ignore'
    )
    assert refused(repository, flags={"select": ("nope",)})[0].startswith('--select: "nope" is no policy')
    assert refused(repository, search=False, flags={"fail-on": "x"})[0].startswith('fail-on is "x"')


def test_a_configuration_settles_policies_and_settings(repository: Path) -> None:
    """Policies written as data join those of the packs, and can be configured like them."""
    write(
        repository / "tablegate.toml",
        """
        select = ["AC001"]
        [policies.named]
        severity = "low"
        [[policy]]
        id = "AC001"
        name = "named"
        severity = "high"
        title = "A name"
        path = "$.name"
        must = { exist = true }
        """,
    )
    assert read(repository).has_expressions
    policies, settings = read(repository).resolve(POLICIES)
    assert [policy.id for policy in policies] == ["AC001", "TG301", "TG302"]
    assert settings.policies["AC001"].severity is LOW
    shown = {row["key"]: row["origin"] for row in read(repository).shown()}
    assert shown["policies.named.severity"] == "tablegate.toml:4"


def test_a_written_policy_cannot_take_the_id_of_another(repository: Path) -> None:
    """A policy cannot be replaced by a weaker one of the same name."""
    text = '[[policy]]\nid = "TG301"\nseverity = "low"\ntitle = "x"\npath = "$.name"\nmust = {exist = true}'
    write(repository / "tablegate.toml", text)
    with pytest.raises(PolicyError, match="TG301 is declared twice"):
        read(repository).resolve(POLICIES)


def test_without_a_file_everything_has_its_default(tmp_path: Path) -> None:
    """Nothing needs to be configured."""
    configuration = read(tmp_path)
    assert configuration.resolve(POLICIES) == (POLICIES, Settings())
    assert configuration.notes == ()


@pytest.fixture
def committed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository with one commit, in which the gate blocks from medium."""
    for name in ("GIT_AUTHOR_NAME", "GIT_COMMITTER_NAME"):
        monkeypatch.setenv(name, "a")
    for name in ("GIT_AUTHOR_EMAIL", "GIT_COMMITTER_EMAIL"):
        monkeypatch.setenv(name, "a@example.com")
    write(tmp_path / "tablegate.toml", 'fail-on = "medium"\nignore = ["TG302"]\n')
    for command in (["init", "-q"], ["add", "."], ["commit", "-qm", "first"]):
        subprocess.run(["git", *command], cwd=tmp_path, check=True, env={**os.environ, "GIT_CONFIG_GLOBAL": os.devnull})
    return tmp_path


def test_a_configuration_is_read_at_a_git_ref(committed: Path) -> None:
    """What a pull request changes does not count."""
    (committed / "tablegate.toml").unlink()
    (committed / "a").mkdir()
    assert read(committed, ref="HEAD")["fail-on"] == "medium"
    assert read(committed / "a", ref="HEAD")["fail-on"] == "medium"


def test_the_working_tree_may_only_tighten(committed: Path) -> None:
    """What is stricter applies; what is not is named, and does not."""
    text = (
        'fail-on = "low"\nignore = ["TG302"]\nunknown = "warn"\nextend-select = ["TG301"]\nrequire-resources = true\n'
        'profile = "strict"\n'
    )
    write(committed / "tablegate.toml", text)
    configuration = read(committed, ref="HEAD")
    assert (configuration["fail-on"], configuration["unknown"], configuration["ignore"]) == ("low", "block", ("TG302",))
    assert (configuration["require-resources"], configuration["profile"]) == (True, "strict")
    assert configuration["extend-select"] == ("TG301",)
    assert configuration.notes == (
        "tablegate.toml: unknown differs from the trusted configuration, and is not applied",
    )
    write(committed / "tablegate.toml", 'fail-on = "never"\nignore = ["ALL"]\n')
    configuration = read(committed, ref="HEAD")
    assert (configuration["fail-on"], configuration["ignore"]) == ("medium", ("TG302",))
    assert len(configuration.notes) == 2


def test_a_loose_trusted_configuration_can_be_tightened_too(committed: Path) -> None:
    """The working tree may block what the trusted configuration only warns of. A pack is not its to name."""
    write(committed / "tablegate.toml", 'unknown = "warn"\npacks = ["acme"]\n')
    write(committed / "deep" / "pyproject.toml", "[project]\n")
    subprocess.run(["git", "add", "."], cwd=committed, check=True)
    subprocess.run(["git", "commit", "-qm", "loose"], cwd=committed, check=True)
    write(committed / "tablegate.toml", 'unknown = "block"\npacks = ["other"]\n')
    configuration = read(committed / "deep", ref="HEAD")
    assert (configuration["unknown"], configuration["packs"]) == ("block", ("acme",))


def test_the_working_tree_may_relax_fewer_environments(committed: Path) -> None:
    """More, or others, are not applied."""
    write(committed / "tablegate.toml", 'fail-on = "medium"\nignore = ["TG302"]\nrelaxed-environments = ["dev"]\n')
    assert read(committed, ref="HEAD")["relaxed-environments"] == ("dev",)
    write(committed / "tablegate.toml", 'relaxed-environments = ["dev", "prod"]\n')
    configuration = read(committed, ref="HEAD")
    assert "prod" not in configuration["relaxed-environments"]
    assert any("relaxed-environments" in note for note in configuration.notes)


def test_what_the_working_tree_leaves_out_stays(committed: Path) -> None:
    """Taking a line away loosens nothing either."""
    write(committed / "tablegate.toml", "")
    assert read(committed, ref="HEAD")["fail-on"] == "medium"


def test_a_tree_without_a_trusted_configuration_may_only_tighten_the_defaults(committed: Path) -> None:
    """The first configuration of a repository comes with a pull request."""
    subprocess.run(["git", "rm", "-q", "--cached", "tablegate.toml"], cwd=committed, check=True)
    subprocess.run(["git", "commit", "-qm", "none"], cwd=committed, check=True)
    configuration = read(committed, ref="HEAD")
    assert (configuration["fail-on"], configuration["ignore"]) == ("medium", ())
    assert configuration.notes == ("tablegate.toml: ignore differs from the trusted configuration, and is not applied",)
    assert read(committed, ref="HEAD", search=False).file is None


@pytest.mark.parametrize(
    ("ref", "message"),
    [
        ("--output=x", '"--output=x" is not the name of a git ref'),
        ("HEAD:x", '"HEAD:x" is not the name of a git ref'),
        ("nowhere", 'the git ref "nowhere" cannot be found'),
    ],
)
def test_a_ref_that_is_none_is_refused(committed: Path, ref: str, message: str) -> None:
    """Nothing that git could take for an option ever reaches it."""
    assert refused(committed, ref=ref)[0] == message


def test_a_ref_outside_a_repository_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """There is nothing to read it from; nor is there without git."""
    message = 'the git ref "HEAD" cannot be found: no .git here or in a folder above'
    assert refused(tmp_path, ref="HEAD")[0] == message
    (tmp_path / ".git").mkdir()
    assert refused(tmp_path, ref="HEAD")[0] == 'the git ref "HEAD" cannot be found'
    monkeypatch.setenv("PATH", str(tmp_path))
    assert refused(tmp_path, ref="HEAD")[0] == "git is not installed; a configuration at a git ref needs it"


def test_bytes_that_are_no_text_at_a_ref_are_refused(committed: Path) -> None:
    """As they are in a file."""
    (committed / "tablegate.toml").write_bytes(b"\xff")
    subprocess.run(["git", "commit", "-qam", "bytes"], cwd=committed, check=True)
    assert refused(committed, ref="HEAD")[0] == "HEAD:tablegate.toml is not UTF-8"


def test_an_untrusted_tree_is_not_read(repository: Path) -> None:
    """Somebody else must say where the configuration is."""
    write(repository / "tablegate.toml", 'fail-on = "never"')
    assert refused(repository, untrusted=True) == (
        "--untrusted takes no configuration from the working tree",
        "give --config or --config-ref",
    )
    assert read(repository, untrusted=True, search=False)["fail-on"] == "high"


@pytest.mark.parametrize("how", [{"untrusted": True}, {"environment": {"TABLEGATE_UNTRUSTED": "1"}}])
def test_a_file_of_an_untrusted_tree_cannot_be_named(tmp_path: Path, how: dict[str, Any]) -> None:
    """A pull request would write the gate that it has to pass. A checkout beside it, or within, is another one."""
    tree, base, inner = tmp_path / "tree", tmp_path / "base", tmp_path / "tree" / "base"
    for folder in (tree, base, inner):
        (folder / ".git").mkdir(parents=True)
        write(folder / "tablegate.toml", 'fail-on = "never"')
    (base / "link.toml").symlink_to(tree / "tablegate.toml")
    for file, folder in ((tree / "tablegate.toml", tree), (base / "link.toml", tree)):
        message, hint = refused(folder, file=file, **how)
        assert message == f"--config: {file.as_posix()} is in the working tree, which is not trusted"
        assert hint == "give a copy from another checkout, or --config-ref for the configuration"
    assert "is in the working tree" in refused(base, file=tree / "tablegate.toml", inputs=[str(tree)], **how)[0]
    for file in (base / "tablegate.toml", inner / "tablegate.toml"):
        assert read(tree, file=file, **how)["fail-on"] == "never"
    shutil.rmtree(tree / ".git")
    assert "is in the working tree" in refused(tree, file=tree / "tablegate.toml", **how)[0]


@pytest.mark.parametrize(
    ("how", "environment", "trusted"),
    [
        ({}, {}, True),
        ({"untrusted": True}, {}, False),
        ({"ref": "HEAD"}, {}, False),
        ({}, {"TABLEGATE_UNTRUSTED": "true"}, False),
        ({}, {"TABLEGATE_CONFIG_REF": "HEAD"}, False),
        ({}, {"TABLEGATE_UNTRUSTED": "false"}, True),
    ],
)
def test_whoever_says_that_the_tree_is_not_trusted_is_heard(
    committed: Path, how: dict[str, Any], environment: dict[str, str], trusted: bool
) -> None:
    """A variable says as much as a flag: ignore files hide nothing, and what a program acknowledges is not waived."""
    configuration = read(committed, environment={"TABLEGATE_NO_CONFIG": "1", **environment}, **how)
    assert configuration.trust.uses_ignore_files is trusted
    assert configuration.resolve(POLICIES)[1].heeds_acknowledged is trusted


def test_a_file_and_a_ref_cannot_both_be_meant(repository: Path) -> None:
    """One of them would be passed over in silence."""
    assert refused(repository, file=repository / "x", ref="HEAD")[0] == ("--config and --config-ref cannot be combined")


def test_the_schema_knows_every_key_and_every_option() -> None:
    """Editors complete from it."""

    def with_option(table: Table, *, days: int = 35, words: tuple[str, ...] = ("a",)) -> Verdict:
        return holds()

    described: Any = schema((*POLICIES, declared(with_option, "TG303", name="window")))
    properties = described["properties"]
    assert properties["fail-on"]["enum"] == ["critical", "high", "medium", "low", "info", "never"]
    assert properties["unknown"]["enum"] == ["block", "warn", "ignore"]
    assert properties["policies"]["properties"]["window"]["properties"]["days"] == {"type": "integer", "default": 35}
    assert properties["policies"]["properties"]["TG303"]["properties"]["words"] == {
        "type": "array",
        "items": {"type": "string"},
        "default": ["a"],
    }
    assert properties["policy"]["items"]["required"] == ["id", "severity", "title", "path", "must"]
    assert properties["overrides"]["items"]["properties"]["purpose"]["type"] == "string"
    assert properties["region"]["type"] == "string"
    assert properties["allow-partial"]["type"] == "boolean"
    assert described["additionalProperties"] is False


@pytest.mark.parametrize("name", ["policy", "overrides"])
def test_a_mistake_in_the_third_table_is_at_its_line(repository: Path, name: str) -> None:
    """The tables before it have the same keys."""
    good = {
        "policy": 'id = "ACME00{}"\nseverity = "high"\ntitle = "t"\npath = "$.name"\nmust = {{ exist = true }}\n',
        "overrides": 'address = "a{}"\npurpose = "p"\nseverity = {{ TG301 = "low" }}\n',
    }[name]
    text = "".join(f"[[{name}]]\n{good.format(number)}" for number in range(3))
    lines = text.splitlines()
    third = [at for at, line in enumerate(lines) if line == f"[[{name}]]"][2]
    wrong = {
        "policy": [
            ("severity", 'severity = "hihg"'),
            ("title", "titel = 't'"),
            ("must", "must = {equal = 1, match = 'x'}"),
        ],
        "overrides": [
            ("address", "adress = 'x'"),
            ("purpose", "purpose = 3"),
            ("severity", "severity = { TG301 = 'x' }"),
        ],
    }[name]
    for key, mistake in wrong:
        at = next(at for at in range(third, len(lines)) if lines[at].startswith(key))
        write(repository / "tablegate.toml", "\n".join([*lines[:at], mistake, *lines[at + 1 :]]))
        assert refused(repository)[0].startswith(f"tablegate.toml:{at + 1}: ")
    write(repository / "pyproject.toml", text.replace("[[", "[[tool.tablegate.").replace('"low"', '"lwo"'))
    (repository / "tablegate.toml").unlink()
    assert name == "policy" or refused(repository)[0].startswith("pyproject.toml:4: ")
