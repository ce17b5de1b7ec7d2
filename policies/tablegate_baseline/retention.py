"""Retention: does it take more than one mistake to lose the table?"""

from __future__ import annotations

from tablegate.policy import (
    HIGH,
    MEDIUM,
    ChangeKind,
    Dialect,
    Table,
    Value,
    Verdict,
    all_of,
    holds,
    not_applicable,
    policy,
    unknown,
)
from tablegate_baseline.helpers import each_replica, otherwise, replica_label, require, worded

# RetainExceptOnCreate is documented for DeletionPolicy only; its author wants to keep the table in either attribute.
KEEPING = ("Retain", "RetainExceptOnCreate")

_CREATING = (ChangeKind.CREATE, ChangeKind.REPLACE, ChangeKind.UNKNOWN)


@policy(
    "TG304",
    MEDIUM,
    "Deletion protection must be on for the table and each replica",
    docs="https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/WorkingWithTables.Basics.html",
    terraform="""
deletion_protection_enabled = true
""",
    cloudformation="""
DeletionProtectionEnabled: true
""",
    global_table="""
Replicas:
  - Region: us-east-1
    DeletionProtectionEnabled: true
""",
    state_locks=False,
)
def deletion_protection(table: Table) -> Verdict:
    """One DeleteTable call loses everything: the wrong profile, a deleted stack, a rename. Protection makes it two
    calls. It is never copied to a replica."""
    own = _protected(table.deletion_protection, "the table")
    replicas = each_replica(table, lambda replica: _protected(replica.deletion_protection, replica_label(replica)))
    return all_of((own, *replicas)) if replicas else own


@policy(
    "TG305",
    MEDIUM,
    "A table must outlive its stack or module",
    docs="https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/aws-attribute-deletionpolicy.html",
    terraform="""
deletion_protection_enabled = true
""",
    cloudformation="""
DeletionPolicy: Retain
UpdateReplacePolicy: Retain
""",
    state_locks=False,
)
def retained_on_delete(table: Table) -> Verdict:
    """Code is deleted and renamed every day, and the table goes with it unless something keeps it. A template
    needs both attributes: one for deletion, one for the old table of a replacement."""
    protected = require(table.deletion_protection, True, "deletion protection is off", "deletion protection is on")
    if protected.truth is True:
        return protected
    retained = _is_retained(table)
    if table.dialect is Dialect.CLOUDFORMATION:
        missing = f"deleted: {(retained.note or '').replace(';', ',')}"
    else:
        missing = "destroyed: no prevent_destroy"
    note = f"nothing protects the table from being {missing}, no deletion protection"
    return otherwise(retained | protected, note)


@policy(
    "TG307",
    HIGH,
    "Imported and restored tables must not rely on deletion protection that is only set later",
    docs="https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_TableCreationParameters.html",
    terraform="""
deletion_protection_enabled = false # set it to true in the next apply, when the table exists
""",
    cloudformation=None,
)
def unprotected_birth(table: Table) -> Verdict:
    """The calls that import or restore a table cannot set deletion protection, so the first apply creates the table
    without it. The code looks safe, but the new table is not."""
    if table.dialect is Dialect.CLOUDFORMATION:
        # https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/aws-resource-dynamodb-table.html:
        # with an import source it needs UpdateTable, because it sets the rest once the table is there
        return not_applicable("CloudFormation sets the protection after the import")
    if table.change is not None and table.change.kind not in _CREATING:
        return not_applicable("the table already exists")
    if table.change is None and table.dialect is not Dialect.TERRAFORM_SOURCE:
        return not_applicable("no table is created")
    sources = (("import", table.import_source), ("restore", table.restore_source))
    asked = table.deletion_protection
    verdicts = [
        _is_set_at_creation(asked, how, source) for how, source in sources if source.content or not source.known
    ]
    if not verdicts:
        return not_applicable("the table is created empty")
    verdict = all_of(verdicts)
    if table.change is None and verdict.truth is False:
        return unknown("cannot tell from source whether the table already exists", *verdict.evidence)
    return verdict


def _protected(value: Value[bool], what: str) -> Verdict:
    return require(value, True, f"deletion protection is off for {what}", f"deletion protection is on for {what}")


def _is_retained(table: Table) -> Verdict:
    retention = table.retention
    if table.dialect is Dialect.CLOUDFORMATION:
        return all_of(map(keeps_resource, (retention.deletion_policy, retention.update_replace_policy)))
    return require(retention.prevent_destroy, True, "prevent_destroy is not set", "prevent_destroy is set")


def keeps_resource(attribute: Value[str]) -> Verdict:
    """The DeletionPolicy or UpdateReplacePolicy keeps its resource."""
    if attribute.known and attribute.content in KEEPING:
        return holds(attribute)
    otherwise = f"{attribute.name} is {attribute.shown}"
    return worded(attribute.one_of(*KEEPING), otherwise, f"{attribute.name} keeps the table")


def _is_set_at_creation(asked: Value[bool], how: str, source: Value[str]) -> Verdict:
    return worded(
        ~(asked.is_true & source.is_set),
        f"deletion protection is on in the code, but the {how} creates the table without it",
        f"the {how} creates the table without its deletion protection",
    )
