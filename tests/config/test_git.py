"""Git is asked about the repository that was found, and runs nothing that a pull request configures."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from tablegate.config.find import file_at_ref
from tablegate.engine.settings import ConfigError


@pytest.fixture(autouse=True)
def _author(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "home").mkdir()
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    for role in ("AUTHOR", "COMMITTER"):
        monkeypatch.setenv(f"GIT_{role}_NAME", "a")
        monkeypatch.setenv(f"GIT_{role}_EMAIL", "a@example.com")


def git(folder: Path, *arguments: str) -> str:
    return subprocess.run(["git", *arguments], cwd=folder, check=True, capture_output=True, text=True).stdout


def repository(folder: Path, text: str = 'fail-on = "low"\n', *, name: str = "tablegate.toml") -> Path:
    """A repository with one commit, on its branch main."""
    (folder / name).parent.mkdir(parents=True)
    (folder / name).write_text(text)
    git(folder, "init", "-q", "-b", "main")
    git(folder, "add", ".")
    git(folder, "commit", "-qm", "first")
    return folder


def level(folder: Path, ref: str = "main") -> object:
    file = file_at_ref(ref, str(folder))
    return None if file is None else file.table["fail-on"]


def refusal(folder: Path, ref: str = "main") -> tuple[str, str | None]:
    with pytest.raises(ConfigError) as caught:
        file_at_ref(ref, str(folder))
    return caught.value.message, caught.value.hint


@pytest.mark.parametrize("place", [".", "a/b"])
def test_a_bare_repository_in_the_working_tree_does_not_answer(tmp_path: Path, place: str) -> None:
    """A folder with HEAD, config, objects and refs is a repository to git, and every commit can have one."""
    ours = repository(tmp_path / "ours")
    theirs = repository(tmp_path / "theirs", 'fail-on = "never"\n')
    (ours / place).mkdir(parents=True, exist_ok=True)
    for name in ("HEAD", "config", "objects", "refs"):
        copy = shutil.copytree if (theirs / ".git" / name).is_dir() else shutil.copy
        copy(theirs / ".git" / name, ours / place / name)  # type: ignore[operator]
    assert "low" == level(ours / place)
    shutil.rmtree(ours / ".git")
    assert refusal(ours / place)[0] == 'the git ref "main" cannot be found: no .git here or in a folder above'


def _on_ssh(folder: Path, touch: str) -> None:
    git(folder, "config", "remote.origin.url", "ssh://x@localhost/x")
    git(folder, "config", "core.sshCommand", touch)


def _on_ext(folder: Path, touch: str) -> None:
    git(folder, "config", "remote.origin.url", f"ext::sh -c {touch.replace(' ', '% ')}")
    git(folder, "config", "protocol.ext.allow", "always")


def _on_upload(folder: Path, touch: str) -> None:
    git(folder, "config", "remote.origin.url", str(folder.parent / "origin"))
    git(folder, "config", "remote.origin.uploadpack", f"{touch};false")
    git(folder, "config", "protocol.file.allow", "always")


def _on_helper(folder: Path, touch: str) -> None:
    git(folder, "config", "remote.origin.url", "https://localhost:1/x")
    git(folder, "config", "credential.helper", f"!{touch}")
    git(folder, "config", "protocol.https.allow", "always")


@pytest.mark.parametrize("trap", [_on_ssh, _on_ext, _on_upload, _on_helper])
def test_what_is_missing_is_never_fetched(tmp_path: Path, trap: object) -> None:
    """A promisor remote fetches what a commit lacks, by a command of the configuration. A gap is not "no file"."""
    origin = repository(tmp_path / "origin")
    git(origin, "config", "uploadpack.allowFilter", "true")
    git(tmp_path, "clone", "-q", "--no-checkout", "--filter=blob:none", f"file://{origin}", "ours")
    ours = tmp_path / "ours"
    mark = tmp_path / "touched"
    trap(ours, f"touch {mark}")  # type: ignore[operator]
    assert ("main:tablegate.toml cannot be read: git does not have it here", "fetch it whole") == refusal(ours)
    assert not mark.exists()


def test_hooks_monitors_and_pagers_of_the_repository_do_not_run(tmp_path: Path) -> None:
    """Whoever writes its configuration names programs for each."""
    ours = repository(tmp_path / "ours")
    mark = tmp_path / "touched"
    for key in ("core.fsmonitor", "core.pager", "pager.cat-file", "core.editor", "diff.external", "diff.x.textconv"):
        git(ours, "config", key, f"touch {mark}")
    (ours / ".gitattributes").write_text("* diff=x\n")
    assert ("low", False) == (level(ours), mark.exists())


def test_the_environment_names_no_other_repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In a hook of git, GIT_DIR and its like are set."""
    ours = repository(tmp_path / "ours")
    theirs = repository(tmp_path / "theirs", 'fail-on = "never"\n')
    monkeypatch.setenv("GIT_DIR", str(theirs / ".git"))
    monkeypatch.setenv("GIT_OBJECT_DIRECTORY", str(theirs / ".git" / "objects"))
    assert "low" == level(ours)


def test_replaced_objects_do_not_count(tmp_path: Path) -> None:
    """A ref below refs/replace says that one commit is another."""
    ours = repository(tmp_path / "ours")
    (ours / "tablegate.toml").write_text('fail-on = "never"\n')
    git(ours, "commit", "-qam", "loose")
    git(ours, "replace", "main~1", "main")
    assert "low" == level(ours, "main~1")


@pytest.mark.parametrize("entry", [".", "", "{tree}/bin"])
def test_a_program_of_the_tree_is_not_git(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, entry: str) -> None:
    """PATH may lead into the tree, as it does in a script of npm."""
    ours = repository(tmp_path / "ours")
    mark = tmp_path / "touched"
    for folder in (ours, ours / "bin"):
        folder.mkdir(exist_ok=True)
        (folder / "git").write_text(f"#!/bin/sh\ntouch {mark}\n")
        (folder / "git").chmod(0o755)
    monkeypatch.chdir(ours)
    monkeypatch.setenv("PATH", entry.format(tree=ours) + os.pathsep + os.environ["PATH"])
    assert ("low", False) == (level(ours), mark.exists())
    monkeypatch.setenv("PATH", entry.format(tree=ours))
    assert refusal(ours)[0] == "git is not installed; a configuration at a git ref needs it"


def test_a_linked_worktree_is_read(tmp_path: Path) -> None:
    """Its .git is a file."""
    ours = repository(tmp_path / "ours")
    git(ours, "worktree", "add", "-q", "../other")
    assert "low" == level(tmp_path / "other")


def test_a_submodule_does_not_answer(tmp_path: Path) -> None:
    """A pull request can make a folder a submodule of a repository of its own."""
    ours = repository(tmp_path / "ours")
    theirs = repository(tmp_path / "theirs", 'fail-on = "never"\n')
    git(ours, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(theirs), "deploy")
    message, hint = refusal(ours / "deploy")
    assert message == "--config-ref: this folder is a submodule, whose repository a pull request can choose"
    assert hint == "run tablegate in the repository above it, or give --config"


@pytest.mark.skipif(not hasattr(os, "getuid") or os.getuid() != 0, reason="only root can give a folder away")
def test_a_repository_of_another_user_is_read_once_git_is_told_so(tmp_path: Path) -> None:
    """In the container of a build, the checkout belongs to somebody else."""
    ours = repository(tmp_path / "ours", name="a/tablegate.toml")
    for path in (ours, ours / ".git"):
        os.chown(path, 12345, 12345)
    message, hint = refusal(ours / "a")
    assert message == f"--config-ref: git does not read {ours}, since it belongs to another user (usual in containers)"
    assert hint == f"git config --global --add safe.directory '{ours}'"
    subprocess.run(hint, shell=True, check=True)  # noqa: S602 - what the hint says is tried
    assert "low" == level(ours / "a")
