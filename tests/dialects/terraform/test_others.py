"""DAX clusters and global tables of 2017 are subjects beside the tables."""

from __future__ import annotations

from typing import Any

import pytest

from support.plans import TABLE, change, told, written
from tablegate.model.estate import DaxCluster


def cluster(after: dict[str, Any], **members: Any) -> DaxCluster:
    """The one DAX cluster."""
    estate = written(change(after, type="aws_dax_cluster", name="d", **members)).estate
    assert estate is not None
    (found,) = estate.dax_clusters
    return found


@pytest.mark.parametrize(
    ("block", "encrypted"), [(None, ...), ([], ...), ([{"enabled": True}], True), ([{"enabled": False}], False)]
)
def test_encryption_at_rest(block: Any, encrypted: object) -> None:
    """Without a block a cluster is not encrypted."""
    found = cluster({"server_side_encryption": block})
    assert (found.address, told(found.encrypted)) == ("aws_dax_cluster.d", encrypted)


def test_encryption_at_rest_in_doubt() -> None:
    """A dynamic block may encrypt it."""
    assert not cluster({}, unknown={"server_side_encryption": True}).encrypted.known


def test_encryption_in_transit() -> None:
    """The endpoint's encryption."""
    assert told(cluster({"cluster_endpoint_encryption_type": "TLS"}).in_transit) == "TLS"
    assert told(cluster({"cluster_endpoint_encryption_type": None}).in_transit) is ...


@pytest.mark.parametrize(("name", "table"), [("orders-prod", "aws_dynamodb_table.t"), ("elsewhere", None)])
def test_global_table_of_2017(name: str, table: str | None) -> None:
    """It extends the table of its own name, where that is here."""
    legacy = change({"name": name}, type="aws_dynamodb_global_table", name="g")
    estate = written(change({**TABLE, "deletion_protection_enabled": True}), legacy).estate
    assert estate is not None
    (found,) = estate.legacy_global_tables
    assert (found.address, found.table, found.custom_resource) == ("aws_dynamodb_global_table.g", table, False)
    assert told(found.table_retained) is (... if table is None else True)
