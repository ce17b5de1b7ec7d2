"""Guards of dead grants and surroundings: what is no slip after all."""

from __future__ import annotations

import pytest

from support import tables as build
from support.access import HERE, ITEMS, ORDERS, of, statement, table
from support.access_estates import INDEXED, OWN, endpoint, opened
from support.access_guards import Guard
from tablegate.iam.arns import Symbols
from tablegate.iam.grants import HolderForm, HolderKind
from tablegate.model import facts
from tablegate.model.table import KeyOwner

DEPLOY = {"kind": HolderKind.DEPLOY}
HUMAN = {"kind": HolderKind.HUMAN}
SYMBOLS = Symbols()
SUFFIX = SYMBOLS.suffix("what follows")
UNDER_KEY = table(encryption=build.encrypted(owner=facts.KEY_OWNER.of(KeyOwner.CUSTOMER)))
VIA = {"StringLike": {"kms:ViaService": "dynamodb.*.amazonaws.com"}}


DEAD = [
    Guard("TG530", "seen, and in no reference", of(statement("CreateItem")), of(statement("DisassociateTableReplica"))),
    Guard("TG531", "a wildcard", of(statement("GetRecords")), of(statement("dynamodb:*", f"{ORDERS}/index/*"))),
    Guard(
        "TG531",
        "what frameworks write",
        of(statement(["GetRecords", "GetShardIterator"])),
        of(statement(["GetItem", "Query", "GetRecords", "GetShardIterator"])),
    ),
    Guard(
        "TG531",
        "listing beside streams",
        of(statement("ListStreams", f"{ORDERS}/stream/*")),
        of(statement(["DescribeStream", "ListStreams"], f"{ORDERS}/stream/*")),
    ),
    Guard(
        "TG532",
        "no index",
        of(statement("Query"), tables=[INDEXED]),
        of(statement("Query"), tables=[table()]),
    ),
    Guard(
        "TG532",
        "what follows is not known",
        of(statement("Query"), tables=[INDEXED]),
        of(statement("Query", f"{ORDERS}{SUFFIX}"), tables=[INDEXED], symbols=SYMBOLS),
    ),
    *(
        Guard(
            "TG532",
            f"below the table by {end}",
            of(statement("Query"), tables=[INDEXED]),
            of(statement("Query", [ORDERS, f"{ORDERS}{end}"]), tables=[INDEXED]),
        )
        for end in ("/*", "*")
    ),
]

DECRYPTING = statement("kms:Decrypt", "*")
SURROUNDINGS = [
    Guard(
        "TG536",
        "the principal of an endpoint is everybody",
        endpoint("*"),
        endpoint("*", {"StringEquals": {"aws:ResourceAccount": "111122223333"}}),
    ),
    Guard(
        "TG537",
        "tables under the key that AWS owns",
        of(statement("GetItem"), statement("kms:Decrypt", "*"), tables=[UNDER_KEY]),
        of(statement("GetItem"), statement("kms:Decrypt", "*"), tables=[table()]),
    ),
    Guard(
        "TG537",
        "only through DynamoDB",
        of(statement("GetItem"), DECRYPTING),
        of(statement("GetItem"), statement("kms:Decrypt", "*", VIA)),
    ),
    Guard(
        "TG539",
        "named tables",
        of(statement(ITEMS, f"{HERE}app-*")),
        of(statement(ITEMS)),
    ),
    Guard(
        "TG540",
        "groups by option",
        of(statement("PutItem"), form=HolderForm.USER, **HUMAN),
        of(statement("PutItem"), form=HolderForm.GROUP, **HUMAN),
        options={"allow_groups": True},
    ),
    Guard(
        "TG542",
        "making replicas is a deploy role's",
        of(statement("AssociateTableReplica")),
        of(statement(["AssociateTableReplica", "CreateTableReplica"]), **DEPLOY),
    ),
    Guard(
        "TG542",
        "the service that replicates",
        opened("ReadDataForReplication", {"AWS": OWN}),
        opened("ReadDataForReplication", {"Service": "replication.dynamodb.amazonaws.com"}),
    ),
]


@pytest.mark.parametrize("guard", [*DEAD, *SURROUNDINGS], ids=str)
def test_a_guard_takes_a_finding_back(guard: Guard) -> None:
    """Without it something is told; with it nothing, or less."""
    without, left = guard.told()
    assert without not in (None, guard.left)
    assert left == guard.left
