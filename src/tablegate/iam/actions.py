"""What each DynamoDB action does, and which actions a pattern stands for."""

from __future__ import annotations

from enum import StrEnum
from functools import cache, lru_cache

from tablegate.iam.arns import has_symbol
from tablegate.iam.aws_data import ACTIONS, ENCLOSING, NEWER
from tablegate.iam.patterns import matches
from tablegate.model.record import record

SERVICE = "dynamodb"
_ALL_TYPES = ("backup", "export", "global-table", "import", "index", "stream", "table")


class Kind(StrEnum):
    """What an action does, from the least to the most powerful: tablegate's own grouping."""

    DISCOVERY = "discovery"
    METADATA_READ = "metadata-read"
    ITEM_READ = "item-read"
    STREAM_READ = "stream-read"
    BULK_READ = "bulk-read"
    ITEM_WRITE = "item-write"
    ITEM_DELETE = "item-delete"
    TAGGING = "tagging"
    PROVISIONING = "provisioning"
    PROTECTION_CHANGE = "protection-change"
    DATA_COPY = "data-copy"
    DESTRUCTIVE = "destructive"
    PERMISSIONS = "permissions"
    REPLICATION = "replication"
    FAULT_INJECTION = "fault-injection"
    UNHEARD = "unheard"  # newer than the data here, or no action at all: it may do anything


HARMLESS = frozenset({Kind.DISCOVERY, Kind.METADATA_READ})
READS = frozenset({Kind.ITEM_READ, Kind.STREAM_READ, Kind.BULK_READ})
WRITES = frozenset({Kind.ITEM_WRITE, Kind.ITEM_DELETE})


@record(eq=False, kw_only=False)
class Action:
    """One DynamoDB action. ``types`` is empty for an action without a resource of its own."""

    name: str
    kind: Kind
    types: tuple[str, ...]
    keys: frozenset[str]
    in_resource_policy: bool | None
    across_accounts: bool | None
    listed: bool = True  # in the authorization reference; the types and keys of other actions are not known

    def __lt__(self, other: Action) -> bool:
        return self.name < other.name

    @property
    def account_level(self) -> bool:
        """Whether the action has no resource of its own: AWS checks it on all tables of the account."""
        return not self.types

    @property
    def full_name(self) -> str:
        """The action with its service, as in a policy: ``dynamodb:GetItem``."""
        return f"{SERVICE}:{self.name}"


@cache
def known_actions() -> tuple[Action, ...]:
    """Every action of the authorization reference, ordered by name."""
    return tuple(_action(line.split()) for line in ACTIONS.splitlines())


@cache
def newer_actions() -> tuple[Action, ...]:
    """Actions that AWS already uses and the authorization reference does not list yet."""
    return tuple(_action([*line.split(), "table", "-", "?", "?"], listed=False) for line in NEWER.splitlines())


@cache
def by_name() -> dict[str, Action]:
    """Every action by its lower-case name: IAM ignores the case of actions."""
    return {action.name.lower(): action for action in (*known_actions(), *newer_actions())}


@cache
def enclosing_operations() -> dict[str, tuple[str, ...]]:
    """Operations without an action of their own, by lower-case name, with the actions that authorise them."""
    return {name.lower(): tuple(names.split(",")) for name, names in map(str.split, ENCLOSING.splitlines())}


@cache
def service_keys() -> frozenset[str]:
    """Lower-case names of the service's own condition keys."""
    return frozenset(key.lower() for action in known_actions() for key in action.keys)


def action_named(name: str) -> Action:
    """The action of a name, with or without its service. An unknown action may work on every type of resource."""
    short = name.rpartition(":")[2]
    return by_name().get(short.lower()) or Action(short, Kind.UNHEARD, _ALL_TYPES, frozenset(), None, None, False)


@lru_cache(maxsize=2048)
def is_unheard(pattern: str) -> bool:
    """Whether a pattern names an unknown DynamoDB action: a newer one, or none at all."""
    service, _, name = pattern.lower().partition(":")
    if service != SERVICE or not name or has_symbol(pattern):
        return False
    return not expand(pattern) and name not in enclosing_operations()


@lru_cache(maxsize=2048)
def expand(pattern: str) -> frozenset[Action]:
    """The DynamoDB actions that an action pattern certainly matches, in any case. Wildcards match listed actions."""
    service, colon, name = pattern.lower().partition(":")
    if not colon:
        return frozenset(known_actions()) if service == "*" else frozenset()
    if matches(service, SERVICE) is not True:
        return frozenset()
    if not set(name) & {"*", "?"}:
        action = by_name().get(name)
        return frozenset() if action is None else frozenset({action})
    return frozenset(action for action in known_actions() if matches(name, action.name.lower()) is True)


def may_concern_dynamodb(pattern: str) -> bool | None:
    """Whether a pattern matches any DynamoDB action, known or not; None where a symbol decides."""
    service = pattern.lower().partition(":")[0]
    answer = matches(service, SERVICE)
    return answer if answer is not True or not has_symbol(pattern) else None


def is_wildcard(pattern: str) -> bool:
    """Whether a pattern can match more than one name."""
    return "*" in pattern or "?" in pattern


def _action(columns: list[str], *, listed: bool = True) -> Action:
    name, kind, types, keys, in_resource_policy, across_accounts = columns
    answers = {"yes": True, "no": False, "?": None}
    return Action(
        name=name,
        kind=Kind(kind),
        types=() if types == "-" else tuple(part.lstrip("?") for part in types.split(",")),
        keys=frozenset() if keys == "-" else frozenset(keys.split(",")),
        in_resource_policy=answers[in_resource_policy],
        across_accounts=answers[across_accounts],
        listed=listed,
    )
