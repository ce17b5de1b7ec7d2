"""What every test may ask of the command line."""

from __future__ import annotations

import pytest
from hypothesis import settings

# A slow machine proves nothing, and luck neither: no example has a deadline, and they are the same every time.
settings.register_profile("unhurried", deadline=None, derandomize=True)
settings.load_profile("unhurried")


def pytest_addoption(parser: pytest.Parser) -> None:
    """``--update`` rewrites what is pinned; the difference is then reviewed like code."""
    parser.addoption("--update", action="store_true", help="rewrite pinned outputs instead of comparing with them")
