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
_NO_REGION_THERE = Doubt(
    "the region of its provider's configuration is not known", "write the region itself, or give the source of the plan"
)
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
        self._repeated: dict[str, bool] = {}
        self._accounts: dict[str, str] = {}

    def owner(self, configured: Tree) -> str:
        """The key of the provider configuration of a resource."""
        return self._configuration.provider_key(configured)

    def name(self, resource: Resource) -> str | None:
        """The region; None if it is not known. The region of the options is not that of what names another one."""
        known = resource.known_text("region") or arn_part(resource.known_text("arn"), 3)
        if known or _has_unknown_region(resource):
            return known
        return self._of_provider(resource.owner) or (None if self._names_another(resource.owner) else self._region)

    def site(self, resource: Resource) -> str:
        """What is equal for two resources only if they are in the same region, known or not.

        That is the provider's configuration, unless the resource has an unknown region of its own, or the
        configuration has an instance for each of several regions.
        """
        if resource.known_text("region") is None and _has_unknown_region(resource):
            given = tree(resource.block.expression("region")).get("given")
            return f"{resource.owner} {getattr(given, 'label', '') or resource.address}"
        return f"{resource.owner} {resource.address}" if self._is_repeated(resource.owner) else resource.owner

    def why_unknown(self, resource: Resource) -> Doubt | None:
        """Why a region is not known that a resource, or a provider's configuration beside the default one, writes."""
        if _has_unknown_region(resource):
            return resource.block.doubt("region")
        if not self._names_another(resource.owner):
            return None
        doubt = tree(self._expression(resource.owner)).get("doubt")
        return doubt if isinstance(doubt, Doubt) else _NO_REGION_THERE

    def region(self, resource: Resource) -> Value[str]:
        """The region as a fact of the resource."""
        name = self.name(resource)
        if not name:
            return facts.REGION.doubted(self.why_unknown(resource) or _NO_REGION)
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
                accounts[self.owner(configured)] = account
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

    def _expression(self, key: str) -> object:
        """How a provider's configuration writes its region."""
        return tree(self._provider(key).get("expressions")).get("region")

    def _names_another(self, key: str) -> bool:
        """Whether a configuration beside the default one writes a region."""
        return "alias" in self._provider(key) and self._expression(key) is not None

    def _is_repeated(self, key: str) -> bool:
        """Whether OpenTofu makes an instance of a configuration for each region of a list."""
        if key not in self._repeated:
            references = tree(self._expression(key)).get("references")
            listed = references if isinstance(references, list) else ()
            self._repeated[key] = any(str(one).startswith("each.") for one in listed)
        return self._repeated[key]

    def _of_provider(self, key: str) -> str | None:
        if key not in self._regions:
            module = key.rpartition(":")[0]
            expression = self._expression(key)
            contents = [one.content for one in self._resolver.trace(expression, ExpressionScope(module))]
            # `var.x` and "us-${var.x}" have the same references: a value counts only if it is a region itself.
            region = contents[0] if len(contents) == 1 else None
            self._regions[key] = region if isinstance(region, str) and re.fullmatch(_REGION, region) else None
        return self._regions[key]


def _has_unknown_region(resource: Resource) -> bool:
    """Whether a resource writes a region of its own that is not known."""
    return resource.block.is_unknown("region") and resource.block.expression("region") is not None


def arn_part(arn: str | None, number: int) -> str | None:
    """A part of an ARN; None if it is no ARN or the part is empty."""
    parts = (arn or "").split(":", _ARN_PARTS - 1)
    return parts[number] or None if len(parts) == _ARN_PARTS and parts[0] == "arn" else None
