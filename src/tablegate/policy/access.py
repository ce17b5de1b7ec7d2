"""What a pack may see of access: grants, holders, and what they reach."""

from __future__ import annotations

from tablegate.iam.actions import (
    HARMLESS,
    READS,
    WRITES,
    Action,
    Kind,
    by_name,
    enclosing_operations,
    expand,
    is_wildcard,
    known_actions,
    may_concern_dynamodb,
    newer_actions,
    service_keys,
)
from tablegate.iam.arns import Symbols, arn_of, at_home, has_symbol, is_suffix, is_symbol, is_variable
from tablegate.iam.aws_data import ACTIONS_AS_OF
from tablegate.iam.conditions import PARTITION_KEYS, Condition, Narrowing, closed_by_null, narrowing
from tablegate.iam.documents import Document, Patterns, Principal, PrincipalKind, Principals, Statement
from tablegate.iam.evaluation import Reach, actions_of, covers_account, fits, reaches, reaches_of, resources_of
from tablegate.iam.grants import DocumentRole, Grant, HolderForm, HolderKind, MakerKind, Unread
from tablegate.iam.holders import Answer, Holder, can
from tablegate.iam.managed_policies import ManagedPolicy, managed_path, managed_policies
from tablegate.iam.patterns import Scope, Tier, intersects, lacks_place, matches, scope_of, subset
from tablegate.iam.roads import Road, road_of

__all__ = [
    "ACTIONS_AS_OF",
    "HARMLESS",
    "PARTITION_KEYS",
    "READS",
    "WRITES",
    "Action",
    "Answer",
    "Condition",
    "Document",
    "DocumentRole",
    "Grant",
    "Holder",
    "HolderForm",
    "HolderKind",
    "Kind",
    "MakerKind",
    "ManagedPolicy",
    "Narrowing",
    "Patterns",
    "Principal",
    "PrincipalKind",
    "Principals",
    "Reach",
    "Road",
    "Scope",
    "Statement",
    "Symbols",
    "Tier",
    "Unread",
    "actions_of",
    "arn_of",
    "at_home",
    "by_name",
    "can",
    "closed_by_null",
    "covers_account",
    "enclosing_operations",
    "expand",
    "fits",
    "has_symbol",
    "intersects",
    "is_suffix",
    "is_symbol",
    "is_variable",
    "is_wildcard",
    "known_actions",
    "lacks_place",
    "managed_path",
    "managed_policies",
    "matches",
    "may_concern_dynamodb",
    "narrowing",
    "newer_actions",
    "reaches",
    "reaches_of",
    "resources_of",
    "road_of",
    "scope_of",
    "service_keys",
    "subset",
]
