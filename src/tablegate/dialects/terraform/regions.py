"""Which region and account a resource lives in."""

from __future__ import annotations

import re
from functools import cached_property

from tablegate.dialects.terraform.configuration import NOTHING, Configuration, Tree, tree
from tablegate.dialects.terraform.prior_state import PriorState
from tablegate.dialects.terraform.references import ExpressionScope, ReferenceResolver
from tablegate.model import facts
from tablegate.model.value import Doubt, Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tablegate.dialects.terraform.resources import Resource

_REGION = r"[a-z]{2,4}(-[a-z]+)+-[0-9]"
_ARN_PARTS = 6
_NO_REGION = Doubt("the plan does not spell out the region of the provider", "--region")
_NO_ACCOUNT = Doubt("the account is known only to the provider", "--account")


class Regions:
    """Regions and accounts of one plan's resources, by what the plan says and then by what the user says."""

    def __init__(
        self,
        configuration: Configuration,
        resolver: ReferenceResolver,
        state: PriorState,
        region: str | None,
        account: str | None,
    ) -> None:
        self._configuration = configuration
        self._state = state
        self._providers = configuration.providers
        self._resolver = resolver
        self._region = region
        self._account = account
        self._regions: dict[str, str | None] = {}
        self._accounts: dict[str, str] = {}

    def name(self, resource: Resource) -> str | None:
        """The region, where it is known."""
        return (
            resource.known_text("region")
            or arn_part(resource.known_text("arn"), 3)
            or self._of_provider(resource.owner)
            or self._region
        )

    def region(self, resource: Resource) -> Value[str]:
        """The region as a fact of the resource."""
        for key in ("region", "arn"):
            if resource.content.get(key):
                found = self.name(resource)
                return facts.REGION.of(found, resource.block.place(key)) if found else facts.REGION.doubted(_NO_REGION)
        found = self.name(resource)
        return facts.REGION.of(found) if found else facts.REGION.doubted(_NO_REGION)

    def account(self, resource: Resource) -> Value[str]:
        """The account, from the resource itself or from another of the same provider."""
        found = arn_part(resource.known_text("arn"), 4)
        if found:
            return facts.ACCOUNT.of(found, resource.block.place("arn"))
        found = self._account or self._accounts.get(resource.owner) or self._identities.get(resource.owner)
        return facts.ACCOUNT.of(found) if found else facts.ACCOUNT.doubted(_NO_ACCOUNT)

    def learn(self, resource: Resource) -> None:
        """Keep the account that a resource's ARN tells."""
        account = arn_part(resource.known_text("arn"), 4)
        if account:
            self._accounts.setdefault(resource.owner, account)

    @cached_property
    def _identities(self) -> dict[str, str]:
        """Accounts by provider, as the providers themselves were asked when the plan was made."""
        found = {}
        for one in self._state.data_of("aws_caller_identity"):
            written = self._configuration.resource(one.module, "data", one.type, one.name)
            account = one.values.get("account_id")
            if written is not None and isinstance(account, str):
                found[str(written.get("provider_config_key", ""))] = account
        return found

    def default_tags(self, resource: Resource) -> Tree | None:
        """The tags that its provider puts on everything; None where they are not constant."""
        blocks = tree(self._provider(resource.owner).get("expressions")).get("default_tags")
        if blocks is None:
            return NOTHING
        tags = tree(blocks[0]).get("tags") if isinstance(blocks, list) and len(blocks) == 1 else None
        constant = tree(tags).get("constant_value")
        return constant if isinstance(constant, dict) else None

    def _provider(self, key: str) -> Tree:
        return tree(self._providers.get(key))

    def _of_provider(self, key: str) -> str | None:
        if key not in self._regions:
            module = key.rpartition(":")[0]
            expression = tree(self._provider(key).get("expressions")).get("region")
            found = [one.content for one in self._resolver.trace(expression, ExpressionScope(module))]
            # References do not tell `var.x` from "us-${var.x}": only what is a region itself is taken for one.
            known = found[0] if len(found) == 1 else None
            self._regions[key] = known if isinstance(known, str) and re.fullmatch(_REGION, known) else None
        return self._regions[key]


def arn_part(arn: str | None, number: int) -> str | None:
    """One part of an ARN, where it is an ARN and the part is not empty."""
    parts = (arn or "").split(":", _ARN_PARTS - 1)
    return parts[number] or None if len(parts) == _ARN_PARTS and parts[0] == "arn" else None
