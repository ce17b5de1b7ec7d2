"""What has to be known of the providers' schemas to read a plan: what they compute, and how their blocks are matched.

Members are paths without indexes: ``replica.kms_key_arn``.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from tablegate.model.record import field, record

TABLE_TYPES = ("aws_dynamodb_table", "awscc_dynamodb_table", "awscc_dynamodb_global_table")
IN_ORDER: Final = ""  # blocks that a plan holds in the order of the configuration

_LIMITS = ("max_read_request_units", "max_write_request_units")
_WARM = ("warm_throughput", "warm_throughput.read_units_per_second", "warm_throughput.write_units_per_second")
_KEYS = ("key_schema", "hash_key")
_INDEX = (*_KEYS, *_WARM, *(f"on_demand_throughput.{name}" for name in _LIMITS))
_CAPACITY = ("read_capacity", "write_capacity")
_UNITS = ("read_capacity_units", "write_capacity_units")


@record()
class TypeSchema:
    """What is needed of the schema of one type."""

    computed: frozenset[str] = frozenset()  # filled in by provider or service if not written: unknown in a plan
    objects: frozenset[str] = frozenset()  # objects in attributes, where others are blocks
    text_numbers: frozenset[str] = frozenset()  # numbers that the provider keeps as texts
    matched_by: Mapping[str, str] = field(default_factory=dict)  # the argument that identifies the blocks of a set
    required: frozenset[str] = frozenset()  # of a Cloud Control type, and texts that name something
    is_cloud_control: bool = False  # what is not required is computed, and nothing is a block

    def is_computed(self, member: str) -> bool:
        """Whether a member that is not written is left to the provider or the service."""
        return member in self.computed or (self.is_cloud_control and member not in self.required)

    @property
    def has_objects(self) -> bool:
        """Whether any member is an object in an attribute."""
        return self.is_cloud_control or bool(self.objects)

    def is_object(self, member: str) -> bool:
        """Whether a member that occurs once is an object in an attribute."""
        return self.is_cloud_control or member in self.objects


def schema_of(type_: str, content: Mapping[str, object]) -> TypeSchema:
    """The schema of a type. A newer provider, which gives tables a region, computes their indexes too."""
    return _NEWER_TABLE if type_ == TABLE_TYPES[0] and "region" in content else _SCHEMAS.get(type_, _PLAIN)


_PLAIN = TypeSchema()
_INDEXES = "global_secondary_index"
_TABLE_COMPUTES = frozenset(
    {
        *_INDEX,
        *_CAPACITY,
        *(f"{_INDEXES}.{name}" for name in (*_INDEX, *_CAPACITY)),
        "attribute",
        "global_table_witness",
        "point_in_time_recovery",
        "point_in_time_recovery.recovery_period_in_days",
        "replica.deletion_protection_enabled",
        "replica.kms_key_arn",
        "server_side_encryption",
        "server_side_encryption.kms_key_arn",
        "stream_view_type",
        "ttl",
    }
)
_TABLE_BLOCKS = {_INDEXES: "name", "local_secondary_index": "name", "replica": "region_name"}
_NEWER_TABLE = TypeSchema(computed=_TABLE_COMPUTES | {_INDEXES}, matched_by=_TABLE_BLOCKS)
_SCHEMAS: Mapping[str, TypeSchema] = {
    "aws_appautoscaling_scheduled_action": TypeSchema(
        text_numbers=frozenset({"scalable_target_action.max_capacity", "scalable_target_action.min_capacity"})
    ),
    "aws_appautoscaling_target": TypeSchema(
        computed=frozenset(
            {
                "suspended_state",
                "suspended_state.dynamic_scaling_in_suspended",
                "suspended_state.dynamic_scaling_out_suspended",
            }
        )
    ),
    "aws_backup_selection": TypeSchema(
        computed=frozenset(
            {
                "condition",
                "condition.string_equals",
                "condition.string_like",
                "condition.string_not_equals",
                "condition.string_not_like",
                "not_resources",
                "resources",
            }
        )
    ),
    "aws_dax_cluster": TypeSchema(computed=frozenset({"cluster_endpoint_encryption_type"})),
    "aws_dynamodb_contributor_insights": TypeSchema(computed=frozenset({"index_name"})),
    "aws_dynamodb_global_secondary_index": TypeSchema(
        computed=frozenset({*_INDEX, "provisioned_throughput", *(f"provisioned_throughput.{name}" for name in _UNITS)}),
        objects=frozenset({"warm_throughput"}),
    ),
    "aws_dynamodb_table": TypeSchema(computed=_TABLE_COMPUTES, matched_by=_TABLE_BLOCKS),
    "aws_dynamodb_table_replica": TypeSchema(
        computed=frozenset({"deletion_protection_enabled", "kms_key_arn", "table_class_override"})
    ),
    "aws_iam_policy_document": TypeSchema(
        matched_by={
            "statement": IN_ORDER,
            "statement.condition": "variable",
            "statement.not_principals": "type",
            "statement.principals": "type",
        }
    ),
    "aws_iam_role": TypeSchema(computed=frozenset({"inline_policy"}), matched_by={"inline_policy": "name"}),
    "aws_lambda_event_source_mapping": TypeSchema(
        computed=frozenset({"maximum_record_age_in_seconds", "maximum_retry_attempts"}),
        required=frozenset({"destination_config.on_failure.destination_arn"}),
    ),
    "aws_pipes_pipe": TypeSchema(
        computed=frozenset(
            f"source_parameters.{kind}_stream_parameters.maximum_record_age_in_seconds"
            for kind in ("dynamodb", "kinesis")
        )
    ),
    "awscc_dynamodb_global_table": TypeSchema(
        required=frozenset({"replicas.tags.key", "replicas.tags.value"}),
        matched_by={"replicas": "region"},
        is_cloud_control=True,
    ),
    "awscc_dynamodb_table": TypeSchema(required=frozenset({"tags.key", "tags.value"}), is_cloud_control=True),
    "awscc_lambda_event_source_mapping": TypeSchema(is_cloud_control=True),
    "awscc_pipes_pipe": TypeSchema(is_cloud_control=True),
}
