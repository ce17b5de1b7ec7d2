"""CloudFormation change sets, as aws cloudformation describe-change-set prints them."""

from __future__ import annotations

from tablegate.dialects.change_set.reading import read

__all__ = ["read"]
