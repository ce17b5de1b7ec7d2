"""Managed policies: those of this input, those of AWS by name, and those that are somewhere else."""

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
from tablegate.iam.managed_policies import managed_policies
from tablegate.model.value import Doubt, Place

_OUTSIDE = "the policy {} is not in this input"
_TO_READ = "the policy in this input, or data.aws_iam_policy for it"


class ManagedPolicies:
    """The managed policies that a plan makes or refers to."""

    def __init__(self, context: PlanContext, reader: DocumentReader, texts: PolicyTexts) -> None:
        self._context = context
        self._reader = reader
        self._texts = texts
        self._own_policies = context.snapshot.of("aws_iam_policy")
        self._by_arn: dict[str, Resource] = {}
        self._by_name: dict[str, Resource] = {}
        for one in self._own_policies:
            if arn := one.known_text("arn"):
                self._by_arn[arn] = one
            elif name := one.known_text("name"):
                self._by_name[f"{one.known_text('path') or '/'}{name}"] = one

    def own(self) -> Iterator[tuple[AttachedPolicy, str | None]]:
        """The policies of this plan, with their names."""
        for policy in self._own_policies:
            yield self._own(policy), policy.known_text("name")

    def of(self, resource: Resource, key: str, block: Block | None = None) -> Iterator[AttachedPolicy]:
        """The policies that an argument names: one ARN, or a list of them."""
        block = block or resource.block
        content, unknown = block.member(key)
        place = own_place(resource, block, key)
        given = tree(block.expression(key)).get("given")
        if given is not None:
            yield from self._given(given, resource, place)
            return
        for item in content if isinstance(content, list) else [content]:
            if isinstance(item, str) and item:
                yield self._by_text(item, resource.address, place)
        if unknown is True or (isinstance(unknown, list) and True in unknown):
            yield from self._unknown(resource, block, key, place)

    def _given(self, given: object, resource: Resource, place: Place) -> Iterator[AttachedPolicy]:
        """The same of source, which tells what each of them is."""
        for item in given if isinstance(given, list) else [given]:
            if isinstance(item, str) and item:
                yield self._by_text(item, resource.address, place)
            elif isinstance(item, UnknownValue) and item.parts:
                yield self._by_text(self._reader.source_texts.word(item), resource.address, place)
            elif isinstance(item, UnknownValue):
                yield from self._unspelled(item, resource, place)

    def _unspelled(self, item: UnknownValue, resource: Resource, place: Place) -> list[AttachedPolicy]:
        """What an unknown ARN refers to; where it refers to nothing, it may be any policy."""
        references = self._reader.source_texts.references(item) if item.direct else ()
        found = [one for reference in references for one in self._those(reference)]
        found += [
            self._looked_up(name, resource, place)
            for reference in references
            for one in map(self._context.snapshot.at, reference.targets)
            if one is not None and one.resource_change.mode == "data" and (name := one.known_text("name"))
        ]
        relevant = None if item.references else True
        return found or [AttachedPolicy(item.reason, resource.address, place, doubt=item.doubt(), relevant=relevant)]

    def _looked_up(self, name: str, resource: Resource, place: Place) -> AttachedPolicy:
        """A policy that a data source looks up by its name: one of AWS's own, or the account's."""
        path = next((path for path in managed_policies() if path.rpartition("/")[2] == name), None)
        return (
            self.named(name, "/", resource, place) if path is None else aws_policy(path, resource.address, place, "hcl")
        )

    def _those(self, reference: Reference) -> list[AttachedPolicy]:
        return [one for instance in reference.targets if (one := self.made(instance)) is not None]

    def named(self, name: str, path: str, resource: Resource, place: Place) -> AttachedPolicy:
        """The policy of this name."""
        found = self._by_name.get(f"{path}{name}")
        found = found or next((one for arn, one in self._by_arn.items() if arn.endswith(f":policy{path}{name}")), None)
        if found is not None:
            return self._own(found)
        name = f"{path}{name}".lstrip("/")
        return missing_policy(name, resource.address, place, self._missing(name))

    def _by_text(self, arn: str, address: str, place: Place) -> AttachedPolicy:
        found = self._by_arn.get(arn) or self._by_name.get(arn.partition(":policy")[2])
        if found is not None:
            return self._own(found)
        if arn in self._read:
            held = HeldDocument(address, place, self._read[arn], "hcl")
            return AttachedPolicy(arn, address, place, (held,), arn=arn)
        return policy_of_arn(arn, address, place, "hcl", self._missing(arn))

    def made(self, instance: ResourceChange) -> AttachedPolicy | None:
        """The policy that an instance is; None where it is something else."""
        found = self._context.snapshot.at(instance) if instance.type == "aws_iam_policy" else None
        return None if found is None or instance.mode != "managed" else self._own(found)

    def _own(self, policy: Resource) -> AttachedPolicy:
        place = own_place(policy, policy.block, "policy")
        held = self._reader.of(policy, "policy")
        documents = () if held is None else (held,)
        return AttachedPolicy(policy.address, policy.address, place, documents, arn=policy.known_text("arn"))

    def _missing(self, name: str) -> Doubt:
        return Doubt(_OUTSIDE.format(self._context.symbols.shown(name)), _TO_READ)

    def _unknown(self, resource: Resource, block: Block, key: str, place: Place) -> Iterator[AttachedPolicy]:
        """Policies whose ARN only the apply knows: those of this input that are referred to."""
        expression = block.expression(key)
        if expression is None:
            if key not in ("managed_policy_arns", "permissions_boundary"):  # computed, and nobody wrote it
                yield AttachedPolicy(resource.address, resource.address, place, doubt=DYNAMIC)
            return
        snapshot = self._context.snapshot
        references = snapshot.resolver.trace(expression, resource.scope)
        for reference in references:
            if not snapshot.is_known(reference):
                yield from self._mentioned(reference, resource, place)

    def _mentioned(self, reference: Reference, resource: Resource, place: Place) -> Iterator[AttachedPolicy]:
        found = self._those(reference)
        if found:
            yield from found
            return
        yield AttachedPolicy(reference.reference, resource.address, place, doubt=doubt_about([reference]))

    @cached_property
    def _read(self) -> dict[str, Document]:
        """Policies that data sources read when the plan was made, by ARN."""
        found: dict[str, Document] = {}
        for one in self._context.state.data_of("aws_iam_policy"):
            values = one.values
            arn, text = values.get("arn"), values.get("policy")
            if isinstance(arn, str) and isinstance(text, str):
                found[arn] = self._texts.plain(text, self._context.snapshot.file)
        return found
