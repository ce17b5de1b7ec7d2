"""The owners of keys. What an expression reads shows the owner also where the ARN is not known yet."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

from tablegate.dialects.terraform.block import Block
from tablegate.dialects.terraform.configuration import tree
from tablegate.dialects.terraform.prior_state import PriorState
from tablegate.dialects.terraform.references import ExpressionScope, Reference
from tablegate.dialects.terraform.regions import Regions, arn_part
from tablegate.dialects.terraform.resources import Resource, Snapshot, doubt_about
from tablegate.dialects.terraform.secrets import texts
from tablegate.model import facts
from tablegate.model.facts import Fact
from tablegate.model.table import Encryption, KeyOwner, KmsKey
from tablegate.model.value import Doubt, Place, Value

_KEYS = frozenset(
    {"aws_kms_key", "aws_kms_external_key", "aws_kms_replica_key", "aws_kms_replica_external_key", "aws_kms_alias"}
)
_REPLICA = "aws_kms_replica_key"
_SWITCHES = {"aws_kms_key": "is_enabled", _REPLICA: "enabled"}  # the keys whose health is known, and what turns one on
_NAMED_BY = {"aws_kms_alias": "name", "aws_kms_key": "key_id"}  # data sources, and the argument that names a key
_MANAGED = "alias/aws/dynamodb"
_EITHER = (KeyOwner.AWS_MANAGED, KeyOwner.CUSTOMER)
_WRITTEN_BY_WHOM = Doubt(
    "whether the key is written or filled in by the provider is not in the plan",
    "check the plan with the module's source",
)
_SWITCH = Fact[bool]("encryption under KMS", False)


class KmsKeys:
    """The keys of one snapshot."""

    def __init__(
        self, snapshot: Snapshot, before: Snapshot, regions: Regions, state: PriorState, managed: set[str]
    ) -> None:
        self._snapshot = snapshot
        self._before = before
        self._regions = regions
        self._state = state
        self._managed = managed  # ARNs of the AWS-managed key, from this plan
        self._by_id: dict[str, Resource] | None = None

    def of_block(self, resource: Resource, name: str, switch: str, argument: str) -> Encryption:
        """The encryption of a block that turns it on under KMS, and may name a key."""
        block = resource.block.one(name)
        if block is None:
            return facts.AWS_OWNED
        if isinstance(block, Doubt):
            return _doubted(block, resource.block.place(name), tuple(KeyOwner))
        enabled = block.flag(_SWITCH, switch)
        if enabled.doubt is not None:
            return _doubted(enabled.doubt, enabled.place, tuple(KeyOwner))
        if enabled.content is True:
            return self.of_key(resource, block, argument)
        owner = facts.KEY_OWNER.of(KeyOwner.AWS_OWNED, block.place(switch), sensitive=enabled.sensitive)
        return Encryption(owner=owner, key=facts.KEY.unset, key_region=facts.KEY_REGION.unset)

    def of_key(self, resource: Resource, block: Block, argument: str) -> Encryption:
        """The key of a block in which encryption under KMS is on: the AWS-managed one if none is named."""
        value = block.text(facts.KEY, argument)
        place = block.place(argument)
        if value.content is not None:
            return self._known(resource, block, value, argument)
        if value.doubt is not None:
            return self._unknown(resource, block, value, argument)
        if block.is_unknown(argument) and block.configured is None:
            return _doubted(
                Doubt("the key is in a dynamic block", "check the plan with the module's source"), place, _EITHER
            )
        return _managed(block.place(argument), facts.KEY.unset)

    def _known(self, resource: Resource, block: Block, value: Value[str], argument: str) -> Encryption:
        key = value.content or ""
        references = self._references(resource, block, argument)
        asked = {self._asked(one) for one in references if one.type in _NAMED_BY and one.data is not None}
        resource_of_key = self._resource(key)  # with ignore_changes a key stays that is no longer written
        managed = key.endswith(_MANAGED) or key in self._managed or key in self._looked_up
        owner: KeyOwner | None = KeyOwner.CUSTOMER
        if managed or asked == {KeyOwner.AWS_MANAGED}:
            owner = KeyOwner.AWS_MANAGED
        elif resource_of_key is None:
            owner = self._written_or_filled_in(resource, block, key, references)
        if owner is KeyOwner.AWS_MANAGED:
            self._managed.add(key)
            return _managed(value.place, value)
        region = arn_part(key, 3)
        return Encryption(
            owner=facts.KEY_OWNER.doubted(_WRITTEN_BY_WHOM, value.place, _EITHER)
            if owner is None
            else facts.KEY_OWNER.of(owner, value.place, sensitive=value.sensitive),
            key=value,
            key_region=facts.KEY_REGION.of(region, value.place) if region else self._region_of(resource_of_key),
            resource=None if resource_of_key is None else self._key(resource_of_key),
        )

    def _written_or_filled_in(
        self, resource: Resource, block: Block, key: str, references: Sequence[Reference]
    ) -> KeyOwner | None:
        """The owner of a key that is in the plan, and that no resource, alias or data source tells.

        Where no key is written, the provider fills in the AWS-managed key that it finds once the table exists. So a key
        that was not there before is written, and one that was may be either, unless the plan shows what is written.
        """
        if any(_shows(one, key) for one in references):
            return KeyOwner.CUSTOMER
        if block.configured is not None and all(one.content is None and not one.is_lost for one in references):
            return KeyOwner.AWS_MANAGED
        before = resource.resource_change.side("before") if resource.configured and self._snapshot.is_after else None
        return KeyOwner.CUSTOMER if before is None or key not in texts(before) else None

    @cached_property
    def _looked_up(self) -> set[str]:
        """The ARNs and ids of the AWS-managed key that data sources returned when the plan was made."""
        aliases = [one.values for one in self._state.data_of("aws_kms_alias")]
        managed = [values for values in aliases if str(values.get("name")).endswith(_MANAGED)]
        return {str(values.get(key)) for values in managed for key in ("arn", "target_key_arn", "target_key_id")}

    def _unknown(self, resource: Resource, block: Block, value: Value[str], argument: str) -> Encryption:
        """The encryption if the ARN is known only after apply: what the expression reads shows the owner."""
        references = self._references(resource, block, argument)
        unknown = [one for one in references if not self._snapshot.is_known(one) and not _is_no_key(one)]
        owners = {self._owner(one) for one in unknown}
        choice = [one for one in references if self._snapshot.is_known(one) and _decides(one)]
        doubt = value.doubt or doubt_about(unknown)
        if owners == {KeyOwner.AWS_MANAGED} and not choice:
            return _managed(value.place, value)
        if owners != {KeyOwner.CUSTOMER}:
            return _doubted(doubt, value.place, _EITHER)
        if choice and not self._exist_by(unknown, choice):
            reads = ", ".join(one.reference for one in choice)
            return _doubted(
                Doubt(
                    f"the key may be left out: its expression also reads {reads}",
                    "check the plan with the module's source",
                ),
                value.place,
                _EITHER,
            )
        keys = self._keys_behind(unknown)
        key = keys[0] if len(keys) == 1 else None
        regions = {self._regions.name(one) for one in keys}
        region = self._region_of(keys[0]) if len(regions) == 1 else facts.KEY_REGION.unset
        return Encryption(
            owner=facts.KEY_OWNER.of(KeyOwner.CUSTOMER, value.place),
            key=value,
            key_region=facts.KEY_REGION.doubted(doubt, value.place) if len(regions) > 1 else region,
            resource=None if key is None or key.type not in _SWITCHES else self._key(key),
        )

    def _references(self, resource: Resource, block: Block, argument: str) -> tuple[Reference, ...]:
        return self._snapshot.resolver.trace(block.expression(argument), resource.scope)

    def _owner(self, reference: Reference) -> KeyOwner | None:
        if reference.type in _NAMED_BY and reference.data is not None:
            return self._asked(reference)
        return KeyOwner.CUSTOMER if reference.type in _KEYS and reference.data is None else None

    def _asked(self, reference: Reference) -> KeyOwner | None:
        """The owner of the key that a data source looks up."""
        argument = _NAMED_BY[reference.type]
        expression = tree(tree(reference.data).get("expressions")).get(argument)
        contents = [one.content for one in self._snapshot.resolver.trace(expression, ExpressionScope(reference.module))]
        name = contents[0] if len(contents) == 1 else None
        if not isinstance(name, str):
            label = reference.reference.split(".")[2].partition("[")[0]
            values = self._state.data(reference.module, reference.type, label, None)
            name = tree(values).get(argument)
        if not isinstance(name, str):
            return None
        return KeyOwner.AWS_MANAGED if name.endswith(_MANAGED) else KeyOwner.CUSTOMER

    def _exist_by(self, keys: Sequence[Reference], choice: Sequence[Reference]) -> bool:
        """Whether keys exist only because of the values that decide about them: then they are not left out."""
        names = {one.reference for one in choice}
        for reference in keys:
            for instance in reference.targets:
                key = self._snapshot.at(instance)
                scope = None if key is None else key.scope
                read = () if scope is None else self._snapshot.resolver.trace(scope.repeats, scope)
                if names <= {one.reference for one in read}:
                    return True
        return False

    def _keys_behind(self, references: Sequence[Reference]) -> list[Resource]:
        """The keys that references lead to; of an alias, the key behind it."""
        keys = []
        for resource in self._targets(references):
            is_alias = resource.type == "aws_kms_alias"
            keys += self._targets(resource.references("target_key_id")) if is_alias else [resource]
        return keys

    def _targets(self, references: Sequence[Reference]) -> list[Resource]:
        targets = (self._snapshot.at(target) for reference in references for target in reference.targets)
        return [resource for resource in targets if resource is not None]

    def _resource(self, key: str) -> Resource | None:
        """The key of this input with an ARN or id, also one that the plan deletes."""
        if self._by_id is None:
            self._by_id = {}
            for resource in (*self._before.of(*_SWITCHES), *self._snapshot.of(*_SWITCHES)):
                for name in ("arn", "key_id", "id"):
                    if text := resource.known_text(name):
                        self._by_id[text] = resource
        return self._by_id.get(key)

    def _region_of(self, key: Resource | None) -> Value[str]:
        if key is None:
            return facts.KEY_REGION.unset
        region = self._regions.name(key)
        if region is not None:
            return facts.KEY_REGION.of(region, key.reference_place)
        doubt = self._regions.why_unknown(key)
        return facts.KEY_REGION.unset if doubt is None else facts.KEY_REGION.doubted(doubt, key.reference_place)

    def _key(self, key: Resource) -> KmsKey:
        return KmsKey(
            address=key.address,
            place=key.reference_place,
            rotation=key.block.flag(facts.ROTATION, "enable_key_rotation"),
            enabled=key.block.flag(facts.KEY_ENABLED, _SWITCHES[key.type]),
            deleted=self._snapshot.is_after and self._snapshot.at(key.resource_change) is None,
            replica=key.type == _REPLICA,
        )


def _managed(place: Place | None, key: Value[str]) -> Encryption:
    owner = facts.KEY_OWNER.of(KeyOwner.AWS_MANAGED, place, sensitive=key.sensitive)
    return Encryption(owner=owner, key=key, key_region=facts.KEY_REGION.unset)


def _doubted(doubt: Doubt, place: Place | None, candidates: tuple[KeyOwner, ...]) -> Encryption:
    return Encryption(
        owner=facts.KEY_OWNER.doubted(doubt, place, candidates),
        key=facts.KEY.doubted(doubt, place),
        key_region=facts.KEY_REGION.doubted(doubt, place),
    )


def _shows(reference: Reference, key: str) -> bool:
    """Whether a reference reads a key, a part of its ARN, or what may have a key: a resource or a data source."""
    if reference.type:
        return bool(reference.targets) or reference.data is not None
    return any(text and text in key for text in texts(reference.content))


def _is_no_key(reference: Reference) -> bool:
    """Whether it is the ARN of another service: an object that names a key may read that too."""
    is_aws = reference.type.startswith("aws_") and reference.data is None
    return is_aws and reference.attribute == "arn" and reference.type not in _KEYS


def _decides(reference: Reference) -> bool:
    """Whether a known value can decide between a key and none: a text or null cannot."""
    return not reference.type and reference.content is not None and not isinstance(reference.content, str)
