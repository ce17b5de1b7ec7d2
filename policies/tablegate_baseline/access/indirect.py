"""Indirect access: can a holder give itself more than it has?"""

from __future__ import annotations

from tablegate.policy import HIGH, INFO, MEDIUM, Doubt, Origin, Severity, Value, Verdict, fails, policy, unknown
from tablegate.policy.access import Holder, HolderForm, HolderKind, road_of
from tablegate_baseline.access.severity import DeployRoles, kind_of
from tablegate_baseline.access.wording import HOLDS, NOT_APPLICABLE, holder_label

_ESCALATION = "https://docs.aws.amazon.com/IAM/latest/UserGuide/access_policies_boundaries.html"
_CONDITION = Doubt("a condition or an unknown part of its policies decides", "write the statement out")
_SEVERITIES: dict[HolderKind, Severity] = {
    HolderKind.DEPLOY: INFO,
    HolderKind.HUMAN: INFO,
    HolderKind.SERVICE: INFO,
    HolderKind.UNKNOWN: MEDIUM,
}


@policy(
    "TG544",
    HIGH,
    "A holder must not be able to give itself more access",
    docs=_ESCALATION,
    terraform="""\
statement {
  actions   = ["iam:PassRole"]
  resources = [aws_iam_role.task.arn]
}""",
    cloudformation="""\
- Effect: Allow
  Action: iam:PassRole
  Resource: !GetAtt Task.Arn""",
)
def indirect_access(holder: Holder, *, deploy_roles: DeployRoles = ()) -> Verdict:
    """Who may edit the policies of a role that reaches a table, or run code with it, reaches that table, even if their
    own grants do not name it."""
    if holder.form not in (HolderForm.ROLE, HolderForm.USER) or not holder.estate.tables or not holder.grants:
        return NOT_APPLICABLE
    road = road_of(holder)
    if road is None:
        return HOLDS
    severity = _SEVERITIES.get(kind_of(holder, deploy_roles), HIGH)
    whose = "itself" if road.target == holder.address else road.target
    note = f"{holder_label(holder)} may {' with '.join(road.actions)} on {whose}, and so give itself more access"
    who = f"{holder_label(holder)} ({holder.kind}: {holder.why})"
    evidence: Value[object] = Value("holder", who, place=holder.place)
    if road.certain:
        return fails(note, evidence).weighing(severity)
    hidden: Value[object] = Value("its IAM statements", None, Origin.UNKNOWN, holder.place, _CONDITION)
    return unknown(f"perhaps {note}", evidence, hidden).weighing(severity)
