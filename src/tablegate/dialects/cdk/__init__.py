"""CDK assemblies, entered through their manifest: stages, stacks, and what they embed."""

from __future__ import annotations

from tablegate.dialects.cdk.assembly import read

__all__ = ["read"]
