"""A gate in front of a deploy, for DynamoDB. Programs call ``check``."""

from __future__ import annotations

__version__ = "0.1.0"
__all__ = ["ConfigError", "PolicyError", "Report", "Text", "__version__", "check", "render"]

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tablegate.api import ConfigError, PolicyError, Report, Text, check, render


def __getattr__(name: str) -> object:
    """What programs use, imported when it is first used: ``--version`` needs none of it."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module("tablegate.api"), name)
