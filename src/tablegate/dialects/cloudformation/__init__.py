"""CloudFormation templates into estates. This room knows no policy, no plan and no file but the text it is given."""

from __future__ import annotations

from tablegate.dialects.cloudformation.stacks import read

__all__ = ["read"]
