"""A gate in front of a deploy, for DynamoDB."""

from __future__ import annotations

__version__ = "0.1.0"
