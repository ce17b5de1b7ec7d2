"""A table and its parts: indexes, replicas, capacity, encryption, streams, scaling targets, alarms."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from enum import StrEnum

from tablegate.model.record import field, record, wire
from tablegate.model.value import Doubt, Place, Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tablegate.model.estate import Change, Estate


@record()
class ScalingSchedule:
    """A scheduled change of a scaling target's bounds."""

    name: str
    minimum: Value[int]
    maximum: Value[int]


@record()
class ScalingTarget:
    """One dimension of capacity under application autoscaling, on the table or on one index."""

    address: str
    place: Place | None
    dimension: str  # "read" or "write"
    index: str | None = None
    region: str | None = None  # of a replica; None is the table's own
    minimum: Value[int]
    maximum: Value[int]
    tracking: Value[bool]  # a target-tracking policy is attached
    utilisation: Value[float]
    scale_in_disabled: Value[bool]
    suspended: Value[bool]
    schedules: tuple[ScalingSchedule, ...] = ()


TABLE, GLOBAL_TABLE = "AWS::DynamoDB::Table", "AWS::DynamoDB::GlobalTable"
SIMPLE_TABLE = "AWS::Serverless::SimpleTable"


class Dialect(StrEnum):
    """The language an input is written in."""

    TERRAFORM_PLAN = "terraform-plan"
    TERRAFORM_SOURCE = "terraform-source"
    CLOUDFORMATION = "cloudformation"


class TableKind(StrEnum):
    """Whether a table is in one region or in several."""

    REGIONAL = "regional"
    GLOBAL = "global"


class KeyOwner(StrEnum):
    """The owner of the key that encrypts a table, weakest first."""

    AWS_OWNED = "aws-owned"
    AWS_MANAGED = "aws-managed"
    CUSTOMER = "customer"


class Role(StrEnum):
    """The role of an attribute in a key."""

    HASH = "HASH"
    RANGE = "RANGE"


@record()
class KeyPart:
    """One attribute of a key schema, in its order."""

    attribute: str
    role: Role


@record()
class Units:
    """A number for reads and one for writes."""

    read: Value[int]
    write: Value[int]


@record()
class Encryption:
    """The key that encrypts, and its owner. The key is an ARN, an id, an alias, or a reference in the input."""

    owner: Value[KeyOwner]
    key: Value[str]
    key_region: Value[str]
    resource: KmsKey | None = None


@record()
class KmsKey:
    """A customer key that this input manages. A replica of a key is rotated with its primary key."""

    address: str
    place: Place | None
    rotation: Value[bool]
    enabled: Value[bool]
    deleted: bool = False
    replica: bool = False


@record()
class Recovery:
    """Point-in-time recovery."""

    enabled: Value[bool]
    days: Value[int]


@record()
class Ttl:
    """Expiry of items."""

    enabled: Value[bool]
    attribute: Value[str]


@record()
class FailureHandling:
    """What a consumer does with records that it cannot process. Without a bound it tries again until they expire."""

    destination: Value[bool]  # it sends them somewhere
    attempts: Value[int]
    age: Value[int]


@record()
class Consumer:
    """A resource that reads a table's changes. ``images`` are those that its filter needs: NEW_IMAGE, OLD_IMAGE.

    With a doubt, it may read the stream of another table.
    """

    address: str
    place: Place | None
    images: frozenset[str] = frozenset()
    failures: FailureHandling
    doubt: Doubt | None = None


@record()
class Stream:
    """The change stream of a table."""

    enabled: Value[bool]
    view: Value[str]
    policy: Value[str]
    consumers: tuple[Consumer, ...] = ()


@record()
class StreamDestination:
    """A Kinesis stream that receives the table's changes. ``encrypted`` is None if it is not in this input."""

    stream: Value[str]
    encrypted: Value[bool] | None = None
    address: str | None = None
    consumers: tuple[Consumer, ...] = ()


@record()
class Alarm:
    """A CloudWatch alarm on the table, or on one of its indexes."""

    address: str
    metric: str
    index: str | None = None


@record()
class Retention:
    """What keeps the table if its resource is removed."""

    deletion_policy: Value[str]
    update_replace_policy: Value[str]
    prevent_destroy: Value[bool]


@record()
class Declared:
    """What a table is for, by its tags or by an override in the configuration."""

    purpose: Value[str]
    environment: Value[str]
    data_class: Value[str]
    capacity: Value[str]


@record()
class Construct:
    """The construct of a CDK program that makes a resource: its path, its line, and the rules acknowledged there."""

    path: str
    place: Place | None = None
    acknowledged: Mapping[str, str] = field(default_factory=dict)  # reasons by rule


@record()
class Index:
    """A secondary index, global or local."""

    name: Value[str]
    place: Place | None
    local: bool
    keys: Value[tuple[KeyPart, ...]]
    projection: Value[str]
    projected: Value[tuple[str, ...]]
    capacity: Units
    on_demand: Units
    warm: Units
    insights: Value[bool]
    table: Table = field(init=False, compare=False, repr=False)


@record()
class VectorIndex:
    """An index over vectors."""

    name: Value[str]
    attribute: Value[str]
    dimensions: Value[int]
    distance: Value[str]
    place: Place | None = None


@record()
class Replica:
    """The table's copy in another region, with the settings that can differ there."""

    region: Value[str]
    place: Place | None
    address: str | None = None  # of the resource that declares it, if that is not the table's
    encryption: Encryption
    recovery: Recovery
    deletion_protection: Value[bool]
    table_class: Value[str]
    tags: Value[Mapping[str, str | None]]
    insights: Value[bool]
    policy: Value[str]
    read_capacity: Value[int]
    max_read: Value[int]
    destinations: tuple[StreamDestination, ...] = ()
    table: Table = field(init=False, compare=False, repr=False)


@record(eq=False)
class Table:
    """One DynamoDB table as it will be after the deploy. Every dialect fills every field."""

    address: str
    place: Place | None
    dialect: Dialect
    type: str  # of the resource that declares it
    kind: TableKind
    label: str  # the resource's own name in its source: label or logical id
    scenario: Mapping[str, str] | None = None

    name: Value[str]
    name_generated: bool  # CloudFormation or the provider makes it up
    name_fixed: bool  # the template fixes the physical name
    arn: Value[str]
    region: Value[str]
    account: Value[str]

    keys: Value[tuple[KeyPart, ...]]
    attributes: Value[Mapping[str, str]]
    indexes: Value[tuple[Index, ...]]
    local_indexes: Value[tuple[Index, ...]]
    vector_indexes: Value[tuple[VectorIndex, ...]]

    billing_mode: Value[str]
    capacity: Units
    on_demand: Units
    warm: Units
    scaling: tuple[ScalingTarget, ...]
    scaling_doubt: Doubt | None  # there is a target that may be this table's
    table_class: Value[str]
    insights: Value[bool]
    alarms: tuple[Alarm, ...]
    alarms_doubt: Doubt | None

    encryption: Encryption
    recovery: Recovery
    deletion_protection: Value[bool]
    retention: Retention
    backed_up: Value[bool]
    import_source: Value[str]
    restore_source: Value[str]

    ttl: Ttl
    stream: Stream
    destinations: tuple[StreamDestination, ...]

    replicas: Value[tuple[Replica, ...]]
    consistency: Value[str]
    witness_region: Value[str]
    source_table: Value[str]  # of a global table in several accounts
    settings_replication: Value[str]

    tags: Value[Mapping[str, str | None]]  # None is an unknown value of a tag
    declared: Declared
    policy: Value[str]

    change: Change | None = None
    raw: Callable[[], object] | None = field(default=None, repr=False)  # the resource as it is written
    estate: Estate = field(init=False, compare=False, repr=False)

    def __post_init__(self) -> None:
        for part in (
            *(self.indexes.content or ()),
            *(self.local_indexes.content or ()),
            *(self.replicas.content or ()),
        ):
            wire(part, "table", self)
