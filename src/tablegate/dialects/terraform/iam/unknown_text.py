"""Document texts that the apply completes."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence

from tablegate.dialects.terraform.block import DYNAMIC, Block
from tablegate.dialects.terraform.configuration import tree
from tablegate.dialects.terraform.iam.context import PlanContext, PolicyTexts
from tablegate.dialects.terraform.references import ExpressionScope, Reference, UnknownValue
from tablegate.dialects.terraform.resource_changes import ResourceChange
from tablegate.dialects.terraform.resources import Resource, doubt_about
from tablegate.dialects.terraform.schema import TABLE_TYPES
from tablegate.iam.arns import ACCOUNT, PARTITION, REGION, arn_of, partition_of
from tablegate.iam.documents import ConditionalPart, UnknownPart
from tablegate.syntax.node import ParseError

_STREAM = frozenset({"stream_arn", "stream_label"})
IAM = {"aws_iam_role": "role", "aws_iam_user": "user", "aws_iam_group": "group", "aws_iam_policy": "policy"}
_ISSUER = "oidc.eks."
# Resources whose attributes may hold anything, also the ARN of a table.
_CARRIERS = ("aws_ssm_", "aws_secretsmanager_", "aws_cloudformation_", "aws_cloudcontrolapi_", "aws_lambda_invocation")


class UnknownElements:
    """Unknown elements of one plan's documents."""

    def __init__(self, context: PlanContext) -> None:
        self._context = context
        self._world = context.world

    def holes(
        self, resource: Resource, block: Block, key: str, count: int, expression: object = None
    ) -> list[UnknownPart | ConditionalPart]:
        """What so many unknown elements of a list may be: where they refer to more than there are, only perhaps."""
        expression = expression or block.expression(key)
        if expression is None:
            return [UnknownPart(DYNAMIC)]
        mentions = self._world.resolver.trace(expression, resource.scope)
        unknown = [one for one in mentions if not self._world.is_known(one)]
        name = f"{resource.address}.{block.path}{key}"
        named = [(one, tuple(self._texts(one, name))) for one in unknown]
        texts = tuple(dict.fromkeys(text for _, found in named for text in found))
        holes: list[UnknownPart | ConditionalPart] = []
        if texts:
            hole = UnknownPart(doubt_about(unknown), texts)
            holes.append(hole if len(texts) <= count else ConditionalPart(hole))
        unnamed = [one for one, found in named if not found]
        if not texts or _are_needed(unnamed, [one for one, found in named if found], expression, count):
            holes.append(UnknownPart(doubt_about(unnamed)))
        return holes

    def one(self, resource: Resource, block: Block, key: str) -> object:
        """A single value: its text, or what it may be."""
        content, unknown = block.member(key)
        return content if unknown is not True else self.holes(resource, block, key, 1)

    def _texts(self, mention: Reference, name: str) -> Iterator[str]:
        for instance in mention.targets:
            yield from self._of_instance(instance, mention, name)

    def _of_instance(self, instance: ResourceChange, mention: Reference, name: str) -> Iterator[str]:
        found = self._world.at(instance)
        if found is not None:
            yield from self.spellings(found, mention.attribute, self._context.symbols.suffix(name))

    def spellings(self, found: Resource, attribute: str, suffix: str = "") -> Iterator[str]:
        """What an attribute of a resource comes to where it names the resource, with whatever may follow."""
        instance = found.resource_change
        arn = self._arn(found)
        if arn is not None:
            label = self._context.symbols.of(f"{instance.address}.stream_label")
            stream = attribute in _STREAM
            yield f"{arn}/stream/{label}" if stream else arn + suffix
        elif instance.type in IAM:
            yield self._of_iam(found)
        elif instance.type == "aws_iam_openid_connect_provider":
            yield self._of_provider(found)
        elif _is_elsewhere(instance.type, attribute):
            yield self._elsewhere(found, attribute)

    def _arn(self, found: Resource) -> str | None:
        """The ARN of a table, or of its replica in another region."""
        instance, symbols = found.resource_change, self._context.symbols
        if instance.mode == "data" and instance.type == "aws_dynamodb_table":
            name = found.known_text("name")
            return None if name is None else self.spelled(found, "dynamodb", f"table/{name}")
        if instance.type in TABLE_TYPES:
            table = self._context.tables.get(instance.address)
            return None if table is None else arn_of(table, symbols)
        if instance.type != "aws_dynamodb_table_replica":
            return None
        link = self._context.finder.of(found, "global_table_arn").table
        table = None if link is None else self._context.tables.get(link)
        if table is None:
            return None
        parts = arn_of(table, symbols).split(":", 5)
        parts[3] = self._context.regions.name(found) or symbols.of(f"region of {instance.address}")
        return ":".join(parts)

    def _of_iam(self, found: Resource) -> str:
        path = found.known_text("path") or "/"
        name = found.known_text("name") or self._context.symbols.of(f"{found.address}.name")
        return self.spelled(found, "iam", f"{IAM[found.resource_change.type]}{path}{name}", region="")

    def _of_provider(self, found: Resource) -> str:
        url = found.known_text("url")
        if url is None:
            clusters = any(one.type == "aws_eks_cluster" for one in found.references("url"))
            url = (_ISSUER if clusters else "") + self._context.symbols.of(f"{found.address}.url")
        return self.spelled(found, "iam", f"oidc-provider/{url.removeprefix('https://')}", region="")

    def _elsewhere(self, found: Resource, attribute: str) -> str:
        """Something of another service: not known, but no table."""
        service = found.resource_change.type.split("_")[1]
        return self.spelled(found, service, self._context.symbols.of(f"{found.address}.{attribute}"))

    def spelled(self, found: Resource, service: str, tail: str, region: str | None = None) -> str:
        """The ARN of a resource, with a symbol for each part that is not known."""
        symbols = self._context.symbols
        where = self._context.regions.name(found)
        account = self._context.regions.account(found).content or symbols.of(ACCOUNT)
        spot = (where or symbols.of(REGION)) if region is None else region
        partition = partition_of(where) if where else symbols.of(PARTITION)
        return ":".join(("arn", partition, service, spot, account, tail))


def _is_elsewhere(type_: str, attribute: str) -> bool:
    """Whether an attribute names something of another service than DynamoDB for certain."""
    if not type_.startswith("aws_") or type_.startswith(("aws_dynamodb_", *_CARRIERS)):
        return False
    return attribute.endswith("arn") or (type_.startswith("aws_s3_bucket") and attribute in ("id", "bucket"))


def _are_needed(unnamed: Sequence[Reference], named: Sequence[Reference], expression: object, count: int) -> bool:
    """Whether some unknown element can only come from references that tell nothing.

    A local value is not known to be unknown: it counts only where the others do not account for every element.
    """
    if any(not one.is_lost for one in unnamed):
        return True
    references = tree(expression).get("references")
    times = Counter(map(str, references)) if isinstance(references, list) else Counter[str]()
    return bool(unnamed) and count > sum(max(1, times[one.reference]) for one in named)


# Stands for a part while a text is read as JSON: private to this, and no part of any text that is read.
_MARK = re.compile("\ue000([0-9]+)\ue001")
_NAMES = frozenset({"name", "id", "table_name"})
_STREAM_ARN = "stream_arn"


class SourceTexts:
    """The texts of one root."""

    def __init__(self, context: PlanContext, texts: PolicyTexts, elements: UnknownElements) -> None:
        self._context = context
        self._world = context.world
        self._texts = texts
        self._elements = elements
        self._numbers: dict[int, tuple[int, UnknownValue]] = {}

    def mentions(self, given: UnknownValue) -> tuple[Reference, ...]:
        """What something unknown reads."""
        return self._world.resolver.trace({"reached": given.references}, ExpressionScope(""))

    def tree(self, parts: Sequence[str | UnknownValue]) -> object | None:
        """The document that the parts of a text come to; None where they are no JSON."""
        holes = [part for part in parts if isinstance(part, UnknownValue)]
        texts = [part for part in parts if isinstance(part, str)]
        if any("\ue000" in text for text in texts):
            return None
        numbers = iter(range(len(holes)))
        found = self._texts.tree("".join(p if isinstance(p, str) else f"\ue000{next(numbers)}\ue001" for p in parts))
        return None if isinstance(found, ParseError) else self._filled(found, holes)

    def elements(
        self, given: object, resource: Resource, block: Block, key: str
    ) -> Iterator[str | UnknownPart | ConditionalPart]:
        """What the unknown elements of a list are, or may be."""
        for item in given if isinstance(given, list) else [given]:
            if isinstance(item, UnknownValue):
                found = self._element(item)
                if found is None:
                    yield from self._elements.holes(resource, block, key, 1, {"reached": item.references})
                else:
                    yield found

    def _filled(self, content: object, holes: Sequence[UnknownValue]) -> object:
        if isinstance(content, str):
            whole = _MARK.fullmatch(content)
            if whole is None:
                return _MARK.sub(lambda found: self.word(holes[int(found[1])]), content)
            hole = holes[int(whole[1])]
            found = self._element(hole)
            return UnknownPart(hole.doubt()) if found is None else found
        if isinstance(content, dict):
            return {str(self._plain(key, holes)): self._filled(item, holes) for key, item in content.items()}
        return [self._filled(item, holes) for item in content] if isinstance(content, list) else content

    def _plain(self, key: str, holes: Sequence[UnknownValue]) -> str:
        return _MARK.sub(lambda found: self.word(holes[int(found[1])]), key)

    def _element(self, given: UnknownValue) -> str | None:
        """The text of something unknown, as far as it can be spelled; None where nothing is known of it."""
        if given.parts:
            return "".join(part if isinstance(part, str) else self.word(part) for part in given.parts)
        return self._spelled(given)

    def word(self, given: UnknownValue) -> str:
        """What stands for something unknown in a text."""
        if given.parts:
            return str(self._element(given))
        found = self._spelled(given)
        if found is not None:
            return found
        if given.direct and given.names:
            return self._context.symbols.of(given.names[0])
        if given.label:
            return self._context.symbols.of(given.label)
        number, _ = self._numbers.setdefault(id(given), (len(self._numbers) + 1, given))
        return self._context.symbols.of(f"unknown {number}")

    def _spelled(self, given: UnknownValue) -> str | None:
        if not given.direct:
            return None
        found = [
            (resource, mention.attribute)
            for mention in self.mentions(given)
            for instance in mention.targets
            if (resource := self._world.at(instance)) is not None
        ]
        return self._of(*found[0]) if len(found) == 1 else None

    def _of(self, found: Resource, attribute: str) -> str | None:
        """An attribute of a resource, with symbols for what is not known of it."""
        type_ = found.resource_change.type
        if found.resource_change.mode == "data" and type_ in ("aws_caller_identity", "aws_region", "aws_partition"):
            return self._of_provider(found, type_, attribute)
        if type_ in TABLE_TYPES and found.resource_change.mode == "managed":
            return self._of_table(found, attribute)
        if (known := found.known_text(attribute)) is not None:
            return known
        if attribute == "arn" or (attribute.endswith("arn") and type_ not in IAM):
            texts = tuple(self._elements.spellings(found, attribute))
            return texts[0] if len(texts) == 1 else None
        return None

    def _of_table(self, found: Resource, attribute: str) -> str | None:
        table, symbols = self._context.tables.get(found.address), self._context.symbols
        if table is None:
            return None
        if attribute in _NAMES:
            return table.name.content or symbols.of(f"name of {table.address}")
        label = symbols.of(f"{found.address}.stream_label")
        arns = {"arn": arn_of(table, symbols), _STREAM_ARN: f"{arn_of(table, symbols)}/stream/{label}"}
        return label if attribute == "stream_label" else arns.get(attribute)

    def _of_provider(self, found: Resource, type_: str, attribute: str) -> str | None:
        regions, symbols = self._context.regions, self._context.symbols
        where = regions.name(found)
        if type_ == "aws_caller_identity" and attribute in ("account_id", "id"):
            return regions.account(found).content or symbols.of(ACCOUNT)
        if type_ == "aws_region" and attribute in ("name", "region", "id"):
            return where or symbols.of(REGION)
        if type_ == "aws_partition" and attribute in ("partition", "id"):
            return partition_of(where) if where else symbols.of(PARTITION)
        return None
