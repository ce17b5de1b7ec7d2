"""Needs: does somebody hold what nothing that uses it can call?"""

from __future__ import annotations

from tablegate.policy import LOW, Verdict, policy
from tablegate.policy.access import Grant, reaches
from tablegate_baseline.access.judged import is_written, telling
from tablegate_baseline.access.remedies import CLOUDFORMATION, LEAST, TERRAFORM
from tablegate_baseline.access.replacing import replaced
from tablegate_baseline.access.telling import FINE, OTHERS, actions_shown, against_reach, listed


@policy(
    "TG519",
    LOW,
    "A role must hold no more than its integrations call",
    docs=LEAST,
    on=False,
    terraform=TERRAFORM,
    cloudformation=CLOUDFORMATION,
)
def more_than_integrations_use(grant: Grant) -> Verdict:
    """Where nothing but declared integrations uses a role, all that it can ever call is written down: the rest serves
    whoever takes it over."""
    needs = grant.holder.needs
    if needs is None or not is_written(grant):
        return OTHERS
    for reach in reaches(grant):
        unused = [action for action in telling(reach) if action.name not in needs]
        if unused:
            used = listed(needs) or "none"
            note = f"{actions_shown(unused)}, and what uses the role calls {used}"
            return against_reach(reach, LOW, note, actions=unused, fix=replaced(grant, unused))
    return FINE
