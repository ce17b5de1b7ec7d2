"""A pack as a Python package: every policy in every module of it, with no list kept by hand."""

from __future__ import annotations

import pkgutil
from importlib import import_module

from tablegate.policy.declare import Policy, policies_of


def policies_in(package: str) -> tuple[Policy, ...]:
    """Every policy that the package and its modules declare, by id."""
    root = import_module(package)
    found = pkgutil.walk_packages(getattr(root, "__path__", ()), f"{package}.")
    names = sorted(module.name for module in found)
    return policies_of([root, *(import_module(name) for name in names)])
