"""Collects the resources, data sources and provider configurations of all modules as rows of a plan."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from msgspec import UNSET, Raw

from tablegate.dialects.reading import Faults
from tablegate.dialects.terraform import coverage
from tablegate.dialects.terraform.configuration import bracketed, calls, unkeyed
from tablegate.dialects.terraform.coverage import POLICY_TYPES, READ
from tablegate.dialects.terraform.references import UnknownValue
from tablegate.dialects.terraform.resource_changes import ChangeRow, ResourceChanges
from tablegate.dialects.terraform.schema import TABLE_TYPES
from tablegate.dialects.terraform.source.definitions import Key, Refuse, refuse_parsing
from tablegate.dialects.terraform.source.evaluate import evaluated
from tablegate.dialects.terraform.source.modules import (
    ModuleInstance,
    Repetition,
    instance_key,
    repetition_of,
)
from tablegate.dialects.terraform.source.plan_shape import PlanObject, ignores_all_changes, keeping, plan_object
from tablegate.dialects.terraform.source.provider_names import provider_use
from tablegate.dialects.terraform.source.values import EvaluationScope
from tablegate.dialects.terraform.source_info import BlockLines, LazySourceResource, Lifecycle, SourceResource
from tablegate.model.value import Doubt
from tablegate.syntax.hcl.nodes import Block
from tablegate.syntax.json.lazy import Plain
from tablegate.syntax.node import ParseError

_HANDED_IN = Doubt("the provider's configuration is not in this source", "check the folder that calls this module")
_ANY = UnknownValue("which instance of the provider's configuration it uses is not known")


class Providers:
    """Provider configurations, each read when the first resource uses it."""

    def __init__(self) -> None:
        self.found: dict[str, dict[str, object]] = {}
        self._tags: dict[str, object] = {}

    def key_of(self, scope: EvaluationScope, module: ModuleInstance, block: Block, address: str) -> str:
        """The key of a resource's provider configuration."""
        attribute = block.body.attributes.get("provider")
        use = provider_use(None if attribute is None else attribute.value, scope, block.labels[0])
        configured = module.provider(use)
        if configured is None:
            if "." in use.name:  # whoever calls this module passes it in: it may be in any region
                self.found[use.name] = {"alias": use.name, "expressions": {"region": {"doubt": _HANDED_IN}}}
            return use.name
        owner, (own, key) = configured
        full = f"{owner.address}:{own}" if owner.address else own
        if key is not None:  # one that is not known may be any
            full += bracketed(address if isinstance(key, UnknownValue) else instance_key(key))
        if full not in self.found:
            self.found[full] = {"alias": own.partition(".")[2]} if "." in own else {}
            self._configure(full, owner, owner.definition.providers[own], key)
        return full

    def _configure(self, full: str, owner: ModuleInstance, block: Block, key: object) -> None:
        scope = EvaluationScope(owner)
        if key is not None:
            pairs = () if isinstance(key, UnknownValue) else repetition_of(block.body, scope).pairs
            own = next((pair for pair in pairs if pair[0] == key), (_ANY, _ANY))
            scope = EvaluationScope(owner, *own)
        region = block.body.attributes.get("region")
        if region is not None:
            content = evaluated(region.value, scope)
            known = {"doubt": content.doubt()} if isinstance(content, UnknownValue) else {"constant_value": content}
            self.found[full]["expressions"] = {"region": known}
        for inner in block.body.blocks:
            tags = inner.body.attributes.get("tags") if inner.type == "default_tags" else None
            if tags is not None:
                self._tags[full] = evaluated(tags.value, scope)

    def merge_tags(self, resource: PlanObject, provider: str) -> None:
        """Add the default tags of the provider, which the resource's own tags override."""
        if "tags" in resource.unknown and "tags" not in resource.content:
            return
        defaults = self._tags.get(provider)
        if isinstance(defaults, UnknownValue):
            resource.expressions["tags_all"] = {
                "doubt": defaults.doubt(),
                "reached": defaults.references,
                "candidates": (),
            }
            return
        tags = resource.content.get("tags")
        own = tags if isinstance(tags, dict) else {}
        merged = {**defaults, **own} if isinstance(defaults, dict) else own
        if merged:
            resource.content["tags_all"] = {
                name: None if isinstance(text, UnknownValue) else text for name, text in merged.items()
            }
        resource.expressions["tags_all"] = resource.expressions.get("tags", {"constant_value": None})


class DataSources:
    """The data sources of each module, as the configuration of a plan lists them."""

    def __init__(self) -> None:
        self._found: dict[str, list[dict[str, object]]] = {}

    def keep(self, module: str, key: Key, expressions: Mapping[str, object]) -> None:
        """Add a data source."""
        written: dict[str, object] = {"mode": "data", "type": key.type, "name": key.name, "expressions": expressions}
        self._found.setdefault(unkeyed(module), []).append(written)

    def module(self) -> dict[str, object]:
        """The root module of a configuration with all data sources."""
        root: dict[str, object] = {"resources": self._found.get("", []), "module_calls": {}}
        for address, resources in sorted(self._found.items()):
            inside = root
            for call in calls(address):
                below = inside.setdefault("module_calls", {})
                inside = below.setdefault(call.name, {"module": {}})["module"]  # type: ignore[attr-defined]
            inside["resources"] = resources
        return root


# Looked at where something refers to them.
_REFERRED = frozenset({"aws_kms_external_key", "aws_kms_replica_external_key"})
_COMPUTED = dict.fromkeys(("arn", "id", "stream_arn", "stream_label", "key_id", "target_key_arn", "tags_all"), True)
_COMPUTED_IN_IAM = {**_COMPUTED, **dict.fromkeys(("name", "unique_id", "policy_id", "json", "minified_json"), True)}
_IAM_TYPES = ("aws_iam_", "aws_ssoadmin_")
_PARTLY_KNOWN_TYPES = ("awscc_", "aws_iam_", "aws_ssoadmin_", "aws_vpc_", "aws_kms_", "aws_cognito_")
_REPEATING = ("count", "for_each")
_MAX_RESOURCES = 20_000  # resources of one root
_NOTHING_TO_READ = Plain(None)  # an origin tells instead


class _UnknownUnlessSet(dict[str, object]):
    """The unknown marks of a resource without a field map: every attribute that is not set is unknown."""

    def __init__(self, content: Mapping[str, object], unknown: Mapping[str, object]) -> None:
        super().__init__(unknown)
        self._content = content

    def get(self, key: str, default: object = None) -> object:
        return super().get(key, default) if key in self._content or key in self else True


class Resources:
    """Collects the resources of modules."""

    def __init__(self, faults: Faults, refuse: Refuse) -> None:
        self.instances = ResourceChanges(faults)
        self.providers = Providers()
        self.data = DataSources()
        self.doubts = 0  # values only a plan can tell
        self.managed = 0
        self.not_created = 0  # tables whose count is 0
        self._faults = faults
        self._refuse = refuse
        self._left: list[str] = []

    def add(self, module: ModuleInstance) -> None:
        """Add all resources of a module instance."""
        for key, block in sorted(module.definition.resources.items()):
            self._note_running(key, block)
            if key.mode == "managed":
                self.managed += 1
                if coverage.is_unread(key.type):
                    self._left.append(key.type)
            concerns = key.type in READ or key.type in _REFERRED
            try:
                if concerns:
                    self._note_ignored(key, block)
                self._add(module, key, block, concerns=concerns)
            except ParseError as error:
                if concerns or key.type in POLICY_TYPES:
                    refuse_parsing(error, block.file.name, self._refuse)

    def note_unread(self) -> None:
        """Report the types that are not read."""
        coverage.note_unread(self._left, self._faults)

    def _note_running(self, key: Key, block: Block) -> None:
        """Report a provisioner or external program that mentions DynamoDB: it may do anything to a table."""
        runs = key.mode == "managed" and block.says("provisioner")
        if (runs or key == ("data", "external", key.name)) and block.says("dynamodb"):
            what = "a provisioner" if runs else "an external program"
            message = f"{key.type}.{key.name} is not covered: {what} speaks of DynamoDB, and may do anything to it"
            self._faults.incomplete(message, block.place)

    def _note_ignored(self, key: Key, block: Block) -> None:
        if key.type in READ and ignores_all_changes(block.body):
            message = f"{key.type}.{key.name} ignores all changes: what is written may never be applied"
            self._faults.incomplete(message, block.place)

    def _add(self, module: ModuleInstance, key: Key, block: Block, *, concerns: bool) -> None:
        repeated = any(map(block.says, _REPEATING)) or (block.says("lifecycle") and block.says("enabled"))
        repeats = module.repeats(key) if repeated else Repetition()
        if not repeats.pairs and key.mode == "managed" and key.type in TABLE_TYPES:
            self.not_created += 1
        for at, value in repeats.pairs:
            if len(self.instances.rows) >= _MAX_RESOURCES:
                if concerns:
                    self._faults.incomplete(f"more than {_MAX_RESOURCES} resources", block.place, blocks=True)
                return
            origin = LazySourceResource(
                self._maker(module, key, block, EvaluationScope(module, at, value, repeats.counts)),
                module.conditions_of(repeats),
            )
            if concerns and key.mode == "managed" and key.type in READ:
                self.doubts += origin.loaded.doubts
            if key.mode == "data" and key.type.startswith("aws_kms_"):
                self.data.keep(module.address, key, origin.loaded.expressions)
            self.instances.add(_change_row(module, key, at), _NOTHING_TO_READ, "", origin)

    def _maker(
        self, module: ModuleInstance, key: Key, block: Block, scope: EvaluationScope
    ) -> Callable[[], SourceResource]:
        def make() -> SourceResource:
            try:
                resource = plan_object(
                    block.body, block, scope, module, partly=key.type.startswith(_PARTLY_KNOWN_TYPES)
                )
                kept = keeping(block.body)
            except ParseError as error:
                refuse_parsing(error, block.file.name, self._refuse)
                resource, kept = _unread(block), Lifecycle()
            provider = self.providers.key_of(scope, module, block, _address(module, key, scope.key))
            if key.type in READ:
                self.providers.merge_tags(resource, provider)
            return SourceResource(
                _change(key, resource),
                resource.expressions,
                resource.written,
                provider,
                kept,
                _count_unknown(resource.unknown),
            )

        return make


def _unread(block: Block) -> PlanObject:
    return PlanObject({}, {}, {}, {}, BlockLines({}, {}, block))


def _change(key: Key, resource: PlanObject) -> dict[str, object]:
    unknown: Mapping[str, object]
    if key.type in READ:
        unknown = {**{name: True for name in _COMPUTED if name not in resource.content}, **resource.unknown}
    elif key.type.startswith(_IAM_TYPES):
        unknown = {**{name: True for name in _COMPUTED_IN_IAM if name not in resource.content}, **resource.unknown}
    else:
        unknown = _UnknownUnlessSet(resource.content, resource.unknown)
    return {
        "actions": ["create"] if key.mode == "managed" else ["read"],
        "before": None,
        "after": resource.content,
        "after_unknown": unknown,
        "after_sensitive": resource.marks,
    }


def _change_row(module: ModuleInstance, key: Key, at: object) -> ChangeRow:
    instance = instance_key(at)
    return ChangeRow(
        address=_address(module, key, at),
        type=key.type,
        name=key.name,
        change=Raw(b"{}"),
        mode=key.mode,
        module_address=module.address or UNSET,
        index=UNSET if instance is None else instance,
    )


def _address(module: ModuleInstance, key: Key, at: object) -> str:
    data = "data." if key.mode == "data" else ""
    return f"{module.address}.{data}{key.type}.{key.name}{bracketed(instance_key(at))}".removeprefix(".")


def _count_unknown(unknown: object) -> int:
    """Count the unknown values."""
    if unknown is True:
        return 1
    if isinstance(unknown, dict):
        return sum(map(_count_unknown, unknown.values()))
    return sum(map(_count_unknown, unknown)) if isinstance(unknown, list) else 0
