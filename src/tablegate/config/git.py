"""Asks git for files of a commit. Git gets the path of the repository, and runs nothing that its tree configures.

Git would look for a repository by itself: a folder of a pull request with the files of a bare one would answer, and
its configuration names commands. So the repository is the folder with ``.git``, which no commit can contain.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess

from tablegate.engine.settings import ConfigError
from tablegate.model.record import record

# Every option here is stronger than the repository's own configuration.
_OPTIONS = (
    "safe.bareRepository=explicit",
    "protocol.allow=never",
    "core.fsmonitor=false",
    f"core.hooksPath={os.devnull}",
    "core.pager=cat",
    "credential.helper=",
)
_ENVIRONMENT = {
    "GIT_ALLOW_PROTOCOL": "none",  # also before Git 2.45, and if the repository allows a protocol by its name
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_NO_REPLACE_OBJECTS": "1",
    "GIT_LITERAL_PATHSPECS": "1",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_TERMINAL_PROMPT": "0",
    "LC_ALL": "C",
}
_SUBMODULE = re.compile(rb"gitdir:.*[/\\]modules[/\\]")
_INSTALL = "git is not installed; a configuration at a git ref needs it"


@record(kw_only=False)
class Commit:
    """A commit of the repository whose folder is ``root``."""

    root: str
    ref: str
    digest: str

    def text(self, path: str) -> str | None:
        """The text of a file, or None if the commit has no such file."""
        entry = _git(self.root, "ls-tree", "-z", "--full-tree", self.digest, "--", path)
        if not entry.stdout and entry.returncode == 0:
            return None
        fields = entry.stdout.split(b"\t")[0].split()
        blob = _git(self.root, "cat-file", "blob", fields[2].decode()) if entry.returncode == 0 else entry
        if blob.returncode:
            raise ConfigError(f"{self.ref}:{path} cannot be read: git does not have it here", hint="fetch it whole")
        try:
            return blob.stdout.decode("utf-8")
        except UnicodeDecodeError:
            raise ConfigError(f"{self.ref}:{path} is not UTF-8") from None


def commit_at(ref: str, root: str) -> Commit:
    """The commit that a ref names in the repository whose folder has ``.git``."""
    _refuse_submodule(root)
    _refuse_foreign(root)
    parsed = _git(root, "rev-parse", "--verify", "--quiet", f"{ref}^{{commit}}")
    if parsed.returncode:
        raise ConfigError(f'the git ref "{ref}" cannot be found', hint="fetch it first")
    return Commit(root, ref, parsed.stdout.decode().strip())


def _refuse_submodule(root: str) -> None:
    """Refuse a submodule: the author of the pull request chooses its repository, and so its refs."""
    path = os.path.join(root, ".git")
    if os.path.isfile(path):
        with open(path, "rb") as file:
            if _SUBMODULE.match(file.read(4096)):
                raise ConfigError(
                    "--config-ref: this folder is a submodule, whose repository a pull request can choose",
                    hint="run tablegate in the repository above it, or give --config",
                )


def _refuse_foreign(root: str) -> None:
    """Refuse a repository of another user, as git does unless the path is given."""
    asked = _run(root, ["-C", root, "rev-parse", "--git-dir"], {"GIT_CEILING_DIRECTORIES": os.path.dirname(root)})
    if b"dubious ownership" in asked.stderr:
        raise ConfigError(
            f"--config-ref: git does not read {root}, since it belongs to another user (usual in containers)",
            hint=f"git config --global --add safe.directory '{root}'",
        )


def _git(root: str, *arguments: str) -> subprocess.CompletedProcess[bytes]:
    options = [f"--git-dir={os.path.join(root, '.git')}", f"--work-tree={root}"]
    return _run(root, [*options, *arguments], {"GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": os.devnull})


def _run(root: str, arguments: list[str], more: dict[str, str]) -> subprocess.CompletedProcess[bytes]:
    options = [word for option in _OPTIONS for word in ("-c", option)]
    own = {name: text for name, text in os.environ.items() if not name.startswith(("GIT_", "SSH_ASKPASS"))}
    command = [_program(root), "--no-pager", *options, *arguments]
    environment = {**own, **_ENVIRONMENT, **more}
    try:
        return subprocess.run(  # noqa: S603
            command, cwd=root, env=environment, stdin=subprocess.DEVNULL, capture_output=True, check=False
        )
    except OSError:
        raise ConfigError(_INSTALL) from None


def _program(root: str) -> str:
    """The path of git. A program of that name inside the repository is not git, even if PATH leads to it."""
    inside = os.path.join(os.path.realpath(root), "")
    for folder in os.environ.get("PATH", os.defpath).split(os.pathsep):
        path = shutil.which("git", path=folder) if os.path.isabs(folder) else None
        if path and not os.path.realpath(path).startswith(inside):
            return path
    raise ConfigError(_INSTALL)
