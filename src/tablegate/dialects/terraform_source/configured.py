"""What surrounds resources, as the configuration of a plan has it: their providers, and the data sources."""

from __future__ import annotations

from collections.abc import Mapping

from tablegate.dialects.terraform_plan.addresses import calls, unkeyed
from tablegate.dialects.terraform_plan.unknowns import Unknown
from tablegate.dialects.terraform_source.definitions import Key
from tablegate.dialects.terraform_source.evaluate import evaluated
from tablegate.dialects.terraform_source.modules import ModuleInstance, provider_key
from tablegate.dialects.terraform_source.scopes import Scope
from tablegate.dialects.terraform_source.writing import Made
from tablegate.syntax.hcl_nodes import Block


class Providers:
    """Provider configurations, each read when a resource of it is first met."""

    def __init__(self) -> None:
        self.found: dict[str, dict[str, object]] = {}
        self._tags: dict[str, object] = {}

    def key_of(self, module: ModuleInstance, block: Block, type_: str) -> str:
        """The key of a resource's provider configuration."""
        attribute = block.body.attributes.get("provider")
        name = provider_key(None if attribute is None else attribute.value, type_)
        found = module.provider(name)
        if found is None:
            return name
        owner, own = found
        full = f"{owner.address}:{own}" if owner.address else own
        if full not in self.found:
            self.found[full] = {}
            self._configure(full, owner, owner.definition.providers[own])
        return full

    def _configure(self, full: str, owner: ModuleInstance, block: Block) -> None:
        region = block.body.attributes.get("region")
        if region is not None:
            content = evaluated(region.value, Scope(owner))
            known = {} if isinstance(content, Unknown) else {"constant_value": content}
            self.found[full] = {"expressions": {"region": known}}
        for one in block.body.blocks:
            tags = one.body.attributes.get("tags") if one.type == "default_tags" else None
            if tags is not None:
                self._tags[full] = evaluated(tags.value, Scope(owner))

    def merge_tags(self, one: Made, provider: str) -> None:
        """What the provider adds: its default tags below the resource's own."""
        if "tags" in one.unknown and "tags" not in one.content:
            return
        defaults = self._tags.get(provider)
        if isinstance(defaults, Unknown):
            one.expressions["tags_all"] = {"doubt": defaults.doubt(), "reached": defaults.reached, "candidates": ()}
            return
        tags = one.content.get("tags")
        own = tags if isinstance(tags, dict) else {}
        merged = {**defaults, **own} if isinstance(defaults, dict) else own
        if merged:
            one.content["tags_all"] = {
                name: None if isinstance(text, Unknown) else text for name, text in merged.items()
            }
        one.expressions["tags_all"] = one.expressions.get("tags", {"constant_value": None})


class Data:
    """Data sources in the modules they stand in."""

    def __init__(self) -> None:
        self._found: dict[str, list[dict[str, object]]] = {}

    def keep(self, module: str, key: Key, expressions: Mapping[str, object]) -> None:
        """One more."""
        written: dict[str, object] = {"mode": "data", "type": key.type, "name": key.name, "expressions": expressions}
        self._found.setdefault(unkeyed(module), []).append(written)

    def module(self) -> dict[str, object]:
        """The root module with all of them."""
        root: dict[str, object] = {"resources": self._found.get("", []), "module_calls": {}}
        for address, resources in sorted(self._found.items()):
            inside = root
            for call in calls(address):
                below = inside.setdefault("module_calls", {})
                inside = below.setdefault(call.name, {"module": {}})["module"]  # type: ignore[attr-defined]
            inside["resources"] = resources
        return root
