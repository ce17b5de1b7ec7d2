"""What the working tree may do. `Trust` answers for all options; flags and environment count alike."""

from __future__ import annotations

import os

from tablegate.config.find import repository_of
from tablegate.engine.settings import ConfigError
from tablegate.model.record import record


@record()
class Trust:
    """What the working tree may do: the folder that tablegate runs in, and its inputs.

    The tree is a stranger's with ``--untrusted``, or if the configuration comes from a git ref.
    """

    tree: bool = True
    folders: tuple[str, ...] = ()  # where the tree is

    @property
    def uses_ignore_files(self) -> bool:
        """Whether an ignore file of the tree hides files."""
        return self.tree

    @property
    def heeds_acknowledged(self) -> bool:
        """Whether what a program in the tree acknowledges is waived."""
        return self.tree

    def refuse(self, option: str, path: str) -> None:
        """Raise ConfigError if the option takes a file or folder that a stranger could have written."""
        if not self.tree and any(_is_in(folder, path) for folder in self.folders):
            raise ConfigError(
                f"{option}: {path.replace(os.sep, '/')} is in the working tree, which is not trusted",
                hint="give a copy from another checkout, or --config-ref for the configuration",
            )


def _is_in(folder: str, path: str) -> bool:
    """Whether the path is in the same checkout as the folder. A checkout inside of it is another one."""
    start, real = os.path.realpath(folder), os.path.realpath(path)
    root = repository_of(start) or start
    is_below = real == root or real.startswith(os.path.join(root, ""))
    return is_below and (repository_of(os.path.dirname(real)) or root) == root
