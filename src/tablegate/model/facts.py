"""Every fact of the model by its name, with the service's default.

Defaults are those of the DynamoDB API: CreateTable, UpdateContinuousBackups, UpdateTimeToLive.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Generic, TypeVar

from tablegate.model.record import field, record, wire
from tablegate.model.table import (
    Declared,
    Encryption,
    FailureHandling,
    Index,
    KeyOwner,
    KeyPart,
    Recovery,
    Replica,
    Stream,
    Ttl,
    Units,
    VectorIndex,
)
from tablegate.model.value import Doubt, Origin, Place, Span, Value

T = TypeVar("T")

_SET, _UNKNOWN = Origin.SET, Origin.UNKNOWN  # looking up a member of an enum takes as long as making a value


@record(kw_only=False)
class Fact(Generic[T]):
    """A fact about a subject. ``unset`` is its value if the input does not set it."""

    name: str
    default: T | None = None
    unset: Value[T] = field(init=False)

    def __post_init__(self) -> None:
        wire(self, "unset", Value(self.name, self.default, Origin.DEFAULT))

    def of(self, content: T | None, place: Place | None = None, *, sensitive: bool = False) -> Value[T]:
        """The fact as the input sets it."""
        return Value(self.name, content, _SET, place, None, sensitive)

    def doubted(
        self, doubt: Doubt, place: Place | None = None, candidates: tuple[T, ...] = (), span: Span | None = None
    ) -> Value[T]:
        """The fact if it is unknown. Its candidates or its bounds may be known."""
        return Value(self.name, None, _UNKNOWN, place, doubt, False, candidates, span)


NAME = Fact[str]("table name")
ARN = Fact[str]("ARN")
REGION = Fact[str]("region")
ACCOUNT = Fact[str]("account")

KEYS = Fact[tuple[KeyPart, ...]]("key schema")
ATTRIBUTES = Fact[Mapping[str, str]]("attribute definitions", {})
INDEXES = Fact[tuple[Index, ...]]("global secondary indexes", ())
LOCAL_INDEXES = Fact[tuple[Index, ...]]("local secondary indexes", ())
VECTOR_INDEXES = Fact[tuple[VectorIndex, ...]]("vector indexes", ())
INDEX_NAME = Fact[str]("index name")
PROJECTION = Fact[str]("projection")
PROJECTED = Fact[tuple[str, ...]]("projected attributes", ())
VECTOR_ATTRIBUTE = Fact[str]("vector attribute")
VECTOR_DIMENSIONS = Fact[int]("vector dimensions")
VECTOR_DISTANCE = Fact[str]("distance function")

BILLING_MODE = Fact[str]("billing mode", "PROVISIONED")
READ_CAPACITY = Fact[int]("read capacity")
WRITE_CAPACITY = Fact[int]("write capacity")
MAX_READ = Fact[int]("maximum read request units")
MAX_WRITE = Fact[int]("maximum write request units")
WARM_READ = Fact[int]("warm read throughput")
WARM_WRITE = Fact[int]("warm write throughput")
TABLE_CLASS = Fact[str]("table class", "STANDARD")
INSIGHTS = Fact[bool]("Contributor Insights", False)

SCALING_MIN = Fact[int]("minimum capacity")
SCALING_MAX = Fact[int]("maximum capacity")
TRACKING = Fact[bool]("target-tracking policy", False)
UTILISATION = Fact[float]("target utilisation")
SCALE_IN_DISABLED = Fact[bool]("scale-in disabled", False)
SUSPENDED = Fact[bool]("scaling suspended", False)

KEY_OWNER = Fact[KeyOwner]("owner of the encryption key", KeyOwner.AWS_OWNED)
KEY = Fact[str]("encryption key")
KEY_REGION = Fact[str]("region of the encryption key")
ROTATION = Fact[bool]("key rotation", False)
KEY_ENABLED = Fact[bool]("key enabled", True)
GIVES_UP = Fact[bool]("confirm_remove_self_resource_access", False)
DESTINATION = Fact[str]("Kinesis stream")
DESTINATION_ENCRYPTED = Fact[bool]("encryption of the Kinesis stream", False)
DAX_ENCRYPTED = Fact[bool]("encryption at rest", False)
DAX_IN_TRANSIT = Fact[str]("endpoint encryption", "NONE")

RECOVERY = Fact[bool]("point-in-time recovery", False)
RECOVERY_DAYS = Fact[int]("recovery period in days", 35)
DELETION_PROTECTION = Fact[bool]("deletion protection", False)
DELETION_POLICY = Fact[str]("DeletionPolicy", "Delete")
UPDATE_REPLACE_POLICY = Fact[str]("UpdateReplacePolicy", "Delete")
RETAINED = Fact[bool]("retention of the object", False)
PREVENT_DESTROY = Fact[bool]("prevent_destroy", False)
BACKED_UP = Fact[bool]("backup selection", False)
IMPORT_SOURCE = Fact[str]("import source")
RESTORE_SOURCE = Fact[str]("restore source")

TTL_ENABLED = Fact[bool]("time to live", False)
TTL_ATTRIBUTE = Fact[str]("time-to-live attribute")
STREAM_ENABLED = Fact[bool]("stream", False)
STREAM_VIEW = Fact[str]("stream view type")
STREAM_POLICY = Fact[str]("stream resource policy")
FAILURE_DESTINATION = Fact[bool]("failure destination", False)
MAX_ATTEMPTS = Fact[int]("maximum retry attempts")
MAX_AGE = Fact[int]("maximum record age in seconds")

REPLICAS = Fact[tuple[Replica, ...]]("replicas", ())
CONSISTENCY = Fact[str]("consistency mode", "EVENTUAL")
WITNESS_REGION = Fact[str]("witness region")
SOURCE_TABLE = Fact[str]("source table")
SETTINGS_REPLICATION = Fact[str]("settings replication")

TAGS = Fact[Mapping[str, str | None]]("tags", {})
POLICY = Fact[str]("resource policy")
PURPOSE = Fact[str]("purpose")
ENVIRONMENT = Fact[str]("environment")
DATA_CLASS = Fact[str]("data class")
DECLARED_CAPACITY = Fact[str]("required capacity mode")

NO_CAPACITY = Units(read=READ_CAPACITY.unset, write=WRITE_CAPACITY.unset)
NO_CEILING = Units(read=MAX_READ.unset, write=MAX_WRITE.unset)
NO_WARMTH = Units(read=WARM_READ.unset, write=WARM_WRITE.unset)
NO_TTL = Ttl(enabled=TTL_ENABLED.unset, attribute=TTL_ATTRIBUTE.unset)
NO_STREAM = Stream(enabled=STREAM_ENABLED.unset, view=STREAM_VIEW.unset, policy=STREAM_POLICY.unset)
TRIES_AGAIN = FailureHandling(destination=FAILURE_DESTINATION.unset, attempts=MAX_ATTEMPTS.unset, age=MAX_AGE.unset)
NO_RECOVERY = Recovery(enabled=RECOVERY.unset, days=RECOVERY_DAYS.unset)
AWS_OWNED = Encryption(owner=KEY_OWNER.unset, key=KEY.unset, key_region=KEY_REGION.unset)

PURPOSE_TAGS = ("tablegate:purpose", "purpose")
ENVIRONMENT_TAGS = ("tablegate:environment", "environment", "env", "stage")
DATA_CLASS_TAGS = (
    "tablegate:data-class",
    "data-classification",
    "data_classification",
    "dataclassification",
    "data-class",
    "data_class",
    "classification",
)
CAPACITY_TAGS = ("tablegate:capacity",)


# The names of evidence about IAM: elements of a statement that name something, and its holder.
STATEMENT = frozenset(
    {
        "Action",
        "NotAction",
        "NotPrincipal",
        "NotResource",
        "Principal",
        "Resource",
        "holder",
        "tables newly reachable",
    }
)


def defined(pairs: Iterable[tuple[str, str]]) -> Mapping[str, str]:
    """Attributes and their types. One that is defined twice, which the service refuses, has both: ``S and N``."""
    types: dict[str, str] = {}
    for name, kind in pairs:
        types[name] = f"{types[name]} and {kind}" if name in types else kind
    return types


def declared_by(tags: Value[Mapping[str, str | None]]) -> Declared:
    """What a table's tags say it is for. Keys are compared in lower case; the first spelling in the list counts."""
    folded = {key.lower(): key for key in tags.content or ()}
    return Declared(
        purpose=_tagged(PURPOSE, tags, folded, PURPOSE_TAGS),
        environment=_tagged(ENVIRONMENT, tags, folded, ENVIRONMENT_TAGS),
        data_class=_tagged(DATA_CLASS, tags, folded, DATA_CLASS_TAGS),
        capacity=_tagged(DECLARED_CAPACITY, tags, folded, CAPACITY_TAGS),
    )


def _tagged(
    fact: Fact[str], tags: Value[Mapping[str, str | None]], folded: Mapping[str, str], spellings: tuple[str, ...]
) -> Value[str]:
    if tags.origin is _UNKNOWN:
        return fact.doubted(tags.doubt or Doubt("the tags are not known"), tags.place)
    for spelling in spellings:
        if spelling in folded:
            key = folded[spelling]
            text = (tags.content or {})[key]
            if text is None:
                return fact.doubted(Doubt(f"the value of tag {key!r} is not known"), tags.place)
            return fact.of(text.strip().lower(), tags.place, sensitive=tags.sensitive)
    return fact.unset
