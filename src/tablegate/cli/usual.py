"""The usual command line, read without Typer: importing what that is made of takes as long as a check of a small plan.

A check whose words are options spelled in full, their values and inputs needs nobody to explain or to complain.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any


FLAGS = frozenset(
    {
        *("--allow-partial", "--assume-defaults", "--no-config", "--no-ignore", "--quiet", "--require-resources"),
        *("--trust-modules", "--untrusted", "--verbose"),
    }
)
ONCE = frozenset(
    {
        *("--account", "--color", "--config", "--config-ref", "--fail-on", "--jobs", "--plan-file"),
        *("--region", "--shard", "--source", "--stdin-filename", "--template", "--unknown"),
    }
)
REPEATED = frozenset(
    {
        *("--extend-select", "--ignore", "--nested", "--output", "--pack", "--param", "--params", "--policies"),
        *("--select", "--var", "--var-file"),
    }
)
SHORT = {"-o": "--output", "-q": "--quiet", "-v": "--verbose"}


def usual(arguments: Sequence[str]) -> dict[str, Any] | None:
    """What a check is given, by the names of its options; None where Typer has to read it."""
    if not arguments or arguments[0] != "check":
        return None
    given: dict[str, Any] = {"inputs": []}
    words = iter(arguments[1:])
    for word in words:
        option = SHORT.get(word, word)
        if option in FLAGS:
            given[option[2:]] = True
        elif option in ONCE or option in REPEATED:
            value = next(words, "-")
            if value.startswith("-"):
                return None
            if option in ONCE:
                given[option[2:]] = value
            else:
                given.setdefault(option[2:], []).append(value)
        elif word.startswith("-") and word != "-":
            return None
        else:
            given["inputs"].append(word)
    return given
