"""Managed policies: of this plan, of AWS by name, or of an account by ARN, name or data source."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property

from tablegate.dialects.holders import AttachedPolicy, HeldDocument, aws_policy, missing_policy, policy_of_arn
from tablegate.dialects.terraform.block import DYNAMIC, Block
from tablegate.dialects.terraform.configuration import tree
from tablegate.dialects.terraform.iam.context import PlanContext, PolicyTexts
from tablegate.dialects.terraform.iam.documents import DocumentReader, own_place
from tablegate.dialects.terraform.references import Reference, UnknownValue
from tablegate.dialects.terraform.resource_changes import ResourceChange
from tablegate.dialects.terraform.resources import Resource, doubt_about
from tablegate.iam.documents import Document
from tablegate.iam.managed_policies import paths_by_name
from tablegate.model.record import replace
from tablegate.model.value import Doubt, Place

_OUTSIDE = "the policy {} is not in this input"
_TO_READ = "add the policy to this input, or read it with data.aws_iam_policy"


class ManagedPolicies:
    """The managed policies that a plan makes or refers to."""

    def __init__(self, context: PlanContext, reader: DocumentReader, texts: PolicyTexts) -> None:
        self._context = context
        self._reader = reader
        self._texts = texts
        self._own_policies = context.snapshot.of("aws_iam_policy")
        self._by_arn: dict[str, Resource] = {}
        self._by_name: dict[str, Resource] = {}
        for policy in self._own_policies:
            if arn := policy.known_text("arn"):
                self._by_arn[arn] = policy
            elif name := policy.known_text("name"):
                self._by_name[f"{policy.known_text('path') or '/'}{name}"] = policy

    def own(self) -> Iterator[tuple[AttachedPolicy, str | None]]:
        """The policies of this plan, with their names."""
        for policy in self._own_policies:
            yield self._own(policy), policy.known_text("name")

    def of(self, resource: Resource, key: str, block: Block | None = None) -> Iterator[AttachedPolicy]:
        """The policies that an argument names: one ARN, or a list of them."""
        block = block or resource.block
        content, unknown = block.member(key)
        place = own_place(resource, block, key)
        value = tree(block.expression(key)).get("given")
        if value is not None:
            yield from self._of_source(value, resource, place)
            return
        for item in content if isinstance(content, list) else [content]:
            if isinstance(item, str) and item:
                yield self._by_text(item, resource.address, place)
        if unknown is True or (isinstance(unknown, list) and True in unknown):
            yield from self._unknown(resource, block, key, place)

    def _of_source(self, value: object, resource: Resource, place: Place) -> Iterator[AttachedPolicy]:
        """The policies of a value as source knows it, item by item."""
        for item in value if isinstance(value, list) else [value]:
            if isinstance(item, str) and item:
                yield self._by_text(item, resource.address, place)
            elif isinstance(item, UnknownValue) and item.parts:
                texts = self._reader.source_texts
                yield replace(self._by_text(texts.word(item), resource.address, place), usual=texts.usual(item))
            elif isinstance(item, UnknownValue):
                yield from self._of_unknown(item, resource, place)

    def _of_unknown(self, item: UnknownValue, resource: Resource, place: Place) -> list[AttachedPolicy]:
        """The policies that an unknown ARN refers to. One that refers to nothing may be any policy."""
        references = self._reader.source_texts.references(item) if item.direct else ()
        policies = [policy for reference in references for policy in self._referred(reference)]
        targets = [self._context.snapshot.at(target) for reference in references for target in reference.targets]
        policies += [
            self._by_data_source(name, resource, place)
            for target in targets
            if target is not None and target.resource_change.mode == "data" and (name := target.known_text("name"))
        ]
        relevant = None if item.references else True
        usual = self._reader.source_texts.usual(item)
        missing = AttachedPolicy(
            item.reason, resource.address, place, doubt=item.doubt(), relevant=relevant, usual=usual
        )
        return policies or [missing]

    def _by_data_source(self, name: str, resource: Resource, place: Place) -> AttachedPolicy:
        """A policy that a data source looks up by its name: one of AWS's own, or the account's."""
        path = paths_by_name().get(name)
        if path is None:
            return self.named(name, "/", resource, place)
        return aws_policy(path, resource.address, place, "hcl")

    def _referred(self, reference: Reference) -> list[AttachedPolicy]:
        return [policy for target in reference.targets if (policy := self.at(target)) is not None]

    def at(self, change: ResourceChange) -> AttachedPolicy | None:
        """The policy that a resource is; None if it is something else."""
        resource = self._context.snapshot.at(change) if change.type == "aws_iam_policy" else None
        return None if resource is None or change.mode != "managed" else self._own(resource)

    def named(self, name: str, path: str, resource: Resource, place: Place) -> AttachedPolicy:
        """The policy with a name and a path."""
        whole = f"{path}{name}"
        by_arn = (policy for arn, policy in self._by_arn.items() if arn.endswith(f":policy{whole}"))
        policy = self._by_name.get(whole) or next(by_arn, None)
        if policy is not None:
            return self._own(policy)
        name = whole.lstrip("/")
        return missing_policy(name, resource.address, place, self._missing(name))

    def _by_text(self, arn: str, address: str, place: Place) -> AttachedPolicy:
        policy = self._by_arn.get(arn) or self._by_name.get(arn.partition(":policy")[2])
        if policy is not None:
            return self._own(policy)
        if arn in self._read:
            held = HeldDocument(address, place, self._read[arn], "hcl")
            return AttachedPolicy(arn, address, place, (held,), arn=arn)
        return policy_of_arn(arn, address, place, "hcl", self._missing(arn))

    def _own(self, policy: Resource) -> AttachedPolicy:
        place = own_place(policy, policy.block, "policy")
        held = self._reader.of(policy, "policy")
        documents = () if held is None else (held,)
        return AttachedPolicy(policy.address, policy.address, place, documents, arn=policy.known_text("arn"))

    def _missing(self, name: str) -> Doubt:
        return Doubt(_OUTSIDE.format(self._context.symbols.shown(name)), _TO_READ)

    def _unknown(self, resource: Resource, block: Block, key: str, place: Place) -> Iterator[AttachedPolicy]:
        """Policies whose ARN only the apply knows: those that the argument refers to."""
        expression = block.expression(key)
        if expression is None:
            if key not in ("managed_policy_arns", "permissions_boundary"):  # computed, and not configured
                yield AttachedPolicy(resource.address, resource.address, place, doubt=DYNAMIC)
            return
        snapshot = self._context.snapshot
        for reference in snapshot.resolver.trace(expression, resource.scope):
            if not snapshot.is_known(reference):
                missing = AttachedPolicy(reference.reference, resource.address, place, doubt=doubt_about([reference]))
                yield from self._referred(reference) or [missing]

    @cached_property
    def _read(self) -> dict[str, Document]:
        """The policies that data sources read when the plan was made, by ARN."""
        documents: dict[str, Document] = {}
        for data in self._context.state.data_of("aws_iam_policy"):
            arn, text = data.values.get("arn"), data.values.get("policy")
            if isinstance(arn, str) and isinstance(text, str):
                documents[arn] = self._texts.plain(text, self._context.snapshot.file)
        return documents
