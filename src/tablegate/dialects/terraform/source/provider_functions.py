"""The functions of the AWS provider, ``provider::aws::name``."""

from __future__ import annotations

from tablegate.dialects.terraform.source.scalars import FailedError, as_text
from tablegate.dialects.terraform.source.values import joined_text

_PARTS = ("partition", "service", "region", "account_id", "resource")
_ROLE = "role/"


def arn_build(partition: object, service: object, region: object, account_id: object, resource: object) -> object:
    """An ARN of its parts. If some are unknown, the others are kept."""
    return joined_text(["arn:", partition, ":", service, ":", region, ":", account_id, ":", resource])


def arn_parse(arn: object) -> dict[str, object]:
    """The parts of an ARN."""
    parts = as_text(arn).split(":", len(_PARTS))
    if parts[0] != "arn" or len(parts) != len(_PARTS) + 1:
        raise FailedError
    return dict(zip(_PARTS, parts[1:], strict=True))


def trim_iam_role_path(arn: object) -> object:
    """The ARN of a role without the path before its name."""
    parts = arn_parse(arn)
    resource = str(parts["resource"])
    if parts["service"] != "iam" or parts["region"] or not resource.startswith(_ROLE):
        raise FailedError
    return arn_build(*{**parts, "resource": _ROLE + resource.rpartition("/")[2]}.values())
