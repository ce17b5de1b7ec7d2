"""The region and the account that a resource is in."""

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
_NO_REGION = Doubt("the provider's region is not in the plan", "pass --region")
_NO_ACCOUNT = Doubt("only the provider knows the account", "pass --account")


class Regions:
    """The regions and accounts of a plan's resources, from the plan, else from the options."""

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
        """The region; None if it is not known."""
        return (
            resource.known_text("region")
            or arn_part(resource.known_text("arn"), 3)
            or self._of_provider(resource.owner)
            or self._region
        )

    def region(self, resource: Resource) -> Value[str]:
        """The region as a fact of the resource."""
        name = self.name(resource)
        if not name:
            return facts.REGION.doubted(_NO_REGION)
        key = next((key for key in ("region", "arn") if resource.content.get(key)), None)
        return facts.REGION.of(name, None if key is None else resource.block.place(key))

    def account(self, resource: Resource) -> Value[str]:
        """The account, from the resource itself or from another of its provider."""
        own = arn_part(resource.known_text("arn"), 4)
        if own:
            return facts.ACCOUNT.of(own, resource.block.place("arn"))
        account = self._account or self._accounts.get(resource.owner) or self._identities.get(resource.owner)
        return facts.ACCOUNT.of(account) if account else facts.ACCOUNT.doubted(_NO_ACCOUNT)

    def learn(self, resource: Resource) -> None:
        """Remember the account in a resource's ARN for others of its provider."""
        account = arn_part(resource.known_text("arn"), 4)
        if account:
            self._accounts.setdefault(resource.owner, account)

    @cached_property
    def _identities(self) -> dict[str, str]:
        """The accounts of ``aws_caller_identity``, by provider."""
        accounts = {}
        for one in self._state.data_of("aws_caller_identity"):
            configured = self._configuration.resource(one.module, "data", one.type, one.name)
            account = one.values.get("account_id")
            if configured is not None and isinstance(account, str):
                accounts[str(configured.get("provider_config_key", ""))] = account
        return accounts

    def default_tags(self, resource: Resource) -> Tree | None:
        """The tags that its provider adds to every resource; None if they are not constant."""
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
            contents = [one.content for one in self._resolver.trace(expression, ExpressionScope(module))]
            # `var.x` and "us-${var.x}" have the same references: a value counts only if it is a region itself.
            region = contents[0] if len(contents) == 1 else None
            self._regions[key] = region if isinstance(region, str) and re.fullmatch(_REGION, region) else None
        return self._regions[key]


def arn_part(arn: str | None, number: int) -> str | None:
    """A part of an ARN; None if it is no ARN or the part is empty."""
    parts = (arn or "").split(":", _ARN_PARTS - 1)
    return parts[number] or None if len(parts) == _ARN_PARTS and parts[0] == "arn" else None
