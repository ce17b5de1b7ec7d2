"""What every test may ask of the command line."""

from __future__ import annotations

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    """``--update`` rewrites what is pinned; the difference is then reviewed like code."""
    parser.addoption("--update", action="store_true", help="rewrite pinned outputs instead of comparing with them")
