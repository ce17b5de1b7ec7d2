"""The policies that run, made ready once for all that a run judges."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from tablegate.engine.ask import asker
from tablegate.engine.finding import finder
from tablegate.engine.settings import Settings
from tablegate.policy.declare import Policy

if TYPE_CHECKING:
    from tablegate.engine.alike import Outlined


class Running:
    """Each policy with what asks it, by its id what makes its findings, and what is known of outlines by now."""

    def __init__(self, policies: Sequence[Policy], settings: Settings) -> None:
        self.policies = policies
        self.settings = settings
        self.askers = [(policy, asker(policy, settings)) for policy in policies]
        self.finders = {policy.id: finder(policy, settings) for policy in policies}
        self._outlined: Outlined | None = None

    @property
    def outlined(self) -> Outlined:
        """What earlier estates told of grants that differ in names alone."""
        if self._outlined is None:
            # Imported here: most inputs hold no grants.
            from tablegate.engine.alike import Outlined

            self._outlined = Outlined()
        return self._outlined
