"""What a plan or source tells of texts that the apply completes: elements of a document, or all of it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence

from tablegate.dialects.terraform.block import DYNAMIC, Block
from tablegate.dialects.terraform.configuration import tree
from tablegate.dialects.terraform.iam.context import PlanContext, PolicyTexts
from tablegate.dialects.terraform.references import ExpressionScope, Reference, UnknownValue
from tablegate.dialects.terraform.resources import Resource, doubt_about
from tablegate.dialects.terraform.schema import TABLE_TYPES
from tablegate.iam.arns import ACCOUNT, PARTITION, REGION, arn_of, partition_of
from tablegate.iam.documents import ConditionalPart, UnknownPart
from tablegate.iam.patterns import scope_of
from tablegate.syntax.node import ParseError

_STREAM = frozenset({"stream_arn", "stream_label"})
IAM = {"aws_iam_role": "role", "aws_iam_user": "user", "aws_iam_group": "group", "aws_iam_policy": "policy"}
_ISSUER = "oidc.eks."
# Resources whose attributes may hold anything, also the ARN of a table.
_CARRIERS = ("aws_ssm_", "aws_secretsmanager_", "aws_cloudformation_", "aws_cloudcontrolapi_", "aws_lambda_invocation")


class UnknownElements:
    """The unknown elements of documents of one plan."""

    def __init__(self, context: PlanContext) -> None:
        self._context = context
        self._snapshot = context.snapshot

    def parts(
        self, resource: Resource, block: Block, key: str, count: int, expression: object = None
    ) -> list[UnknownPart | ConditionalPart]:
        """What ``count`` unknown elements of a list may be: only perhaps, if the references are more than them."""
        expression = expression or block.expression(key)
        if expression is None:
            return [UnknownPart(DYNAMIC)]
        references = self._snapshot.resolver.trace(expression, resource.scope)
        unknown = [reference for reference in references if not self._snapshot.is_known(reference)]
        name = f"{resource.address}.{block.path}{key}"
        spelled = [(reference, tuple(self._texts(reference, name))) for reference in unknown]
        texts = tuple(dict.fromkeys(text for _, each in spelled for text in each))
        parts: list[UnknownPart | ConditionalPart] = []
        if texts:
            part = UnknownPart(doubt_about(unknown), texts)
            parts.append(part if len(texts) <= count else ConditionalPart(part))
        silent = [reference for reference, each in spelled if not each]
        if not texts or _are_needed(silent, [reference for reference, each in spelled if each], expression, count):
            parts.append(UnknownPart(doubt_about(silent)))
        return parts

    def one(self, resource: Resource, block: Block, key: str) -> object:
        """A single value: its text, or what it may be."""
        content, unknown = block.member(key)
        return content if unknown is not True else self.parts(resource, block, key, 1)

    def _texts(self, reference: Reference, name: str) -> Iterator[str]:
        for target in reference.targets:
            resource = self._snapshot.at(target)
            if resource is not None:
                yield from self.spellings(resource, reference.attribute, self._context.symbols.suffix(name))

    def spellings(self, resource: Resource, attribute: str, suffix: str = "") -> Iterator[str]:
        """The texts of an attribute that names the resource. ``suffix`` is the symbol for what may follow."""
        change = resource.resource_change
        arn = self._arn(resource)
        if arn is not None:
            label = self._context.symbols.of(f"{change.address}.stream_label")
            stream = attribute in _STREAM
            yield f"{arn}/stream/{label}" if stream else arn + suffix
        elif change.type in IAM:
            yield self.arn_of_identity(resource)
        elif change.type == "aws_iam_openid_connect_provider":
            yield self._of_provider(resource)
        elif _is_of_other_service(change.type, attribute):
            yield self._of_other_service(resource, attribute)

    def _arn(self, resource: Resource) -> str | None:
        """The ARN of a table, or of its replica in another region."""
        change, symbols = resource.resource_change, self._context.symbols
        if change.mode == "data" and change.type == "aws_dynamodb_table":
            name = resource.known_text("name")
            return None if name is None else self.arn(resource, "dynamodb", f"table/{name}")
        if change.type in TABLE_TYPES:
            table = self._context.tables.get(change.address)
            return None if table is None else arn_of(table, symbols)
        if change.type != "aws_dynamodb_table_replica":
            return None
        address = self._context.finder.of(resource, "global_table_arn").table
        table = None if address is None else self._context.tables.get(address)
        if table is None:
            return None
        parts = arn_of(table, symbols).split(":", 5)
        parts[3] = self._context.regions.name(resource) or symbols.of(f"region of {change.address}")
        return ":".join(parts)

    def arn_of_identity(self, resource: Resource) -> str:
        """The ARN of a role, user, group or policy."""
        path = resource.known_text("path") or "/"
        name = resource.known_text("name") or self._context.symbols.of(f"{resource.address}.name")
        return self.arn(resource, "iam", f"{IAM[resource.resource_change.type]}{path}{name}", region="")

    def _of_provider(self, resource: Resource) -> str:
        url = resource.known_text("url")
        if url is None:
            clusters = any(one.type == "aws_eks_cluster" for one in resource.references("url"))
            url = (_ISSUER if clusters else "") + self._context.symbols.of(f"{resource.address}.url")
        return self.arn(resource, "iam", f"oidc-provider/{url.removeprefix('https://')}", region="")

    def _of_other_service(self, resource: Resource, attribute: str) -> str:
        """A resource of another service: its ARN is not known, but is not a table's."""
        service = resource.resource_change.type.split("_")[1]
        return self.arn(resource, service, self._context.symbols.of(f"{resource.address}.{attribute}"))

    def arn(self, resource: Resource, service: str, tail: str, region: str | None = None) -> str:
        """The ARN of a resource, with a symbol for each part that is not known."""
        symbols = self._context.symbols
        home = self._context.regions.name(resource)
        account = self._context.regions.account(resource).content or symbols.of(ACCOUNT)
        partition = partition_of(home) if home else symbols.of(PARTITION)
        if region is None:
            region = home or symbols.of(REGION)
        return ":".join(("arn", partition, service, region, account, tail))


def _is_of_other_service(type_: str, attribute: str) -> bool:
    """Whether an attribute certainly names a resource of another service than DynamoDB."""
    if not type_.startswith("aws_") or type_.startswith(("aws_dynamodb_", *_CARRIERS)):
        return False
    return attribute.endswith("arn") or (type_.startswith("aws_s3_bucket") and attribute in ("id", "bucket"))


def _are_needed(silent: Sequence[Reference], spelled: Sequence[Reference], expression: object, count: int) -> bool:
    """Whether some unknown element can only come from references without a text.

    A local value may be known: it counts only if the others do not account for every element.
    """
    if any(not reference.is_lost for reference in silent):
        return True
    written = tree(expression).get("references")
    times = Counter(map(str, written)) if isinstance(written, list) else Counter[str]()
    return bool(silent) and count > sum(max(1, times[reference.reference]) for reference in spelled)


# Replaces a part while a text is read as JSON. These characters are private to this module.
_RESOURCES = frozenset({"Resource", "NotResource", "resources", "not_resources"})
_MARK = re.compile("\ue000([0-9]+)\ue001")
_NAMES = frozenset({"name", "id", "table_name"})


def _with_usual(text: str, usual: tuple[str, ...], value: UnknownValue) -> str | UnknownPart:
    """A text that is known in part; with its default, if that reaches more."""
    wider = any(scope_of(one).tier > scope_of(text).tier for one in usual)
    return UnknownPart(value.doubt(), (text,), usual) if wider else text


def with_others(parts: list[UnknownPart | ConditionalPart]) -> list[UnknownPart | ConditionalPart]:
    """The elements of a list of which not even the number is known: what it reads, and an unknown rest."""
    if any(isinstance(one, UnknownPart) and not one.reaches for one in parts):
        return parts
    first = parts[0].tree if isinstance(parts[0], ConditionalPart) else parts[0]
    return [*parts, UnknownPart(first.doubt)]


class SourceTexts:
    """Texts of one root module that source knows in part."""

    def __init__(self, context: PlanContext, texts: PolicyTexts, elements: UnknownElements) -> None:
        self._context = context
        self._snapshot = context.snapshot
        self._texts = texts
        self._elements = elements
        self._numbers: dict[int, tuple[int, UnknownValue]] = {}

    def references(self, value: UnknownValue) -> tuple[Reference, ...]:
        """What an unknown value reads."""
        return self._snapshot.resolver.trace({"reached": value.references}, ExpressionScope(""))

    def tree(self, parts: Sequence[str | UnknownValue]) -> object | None:
        """The document that the parts of a text make; None if they are not JSON."""
        unknown = [part for part in parts if isinstance(part, UnknownValue)]
        if any("\ue000" in part for part in parts if isinstance(part, str)):
            return None
        numbers = iter(range(len(unknown)))
        marked = (part if isinstance(part, str) else f"\ue000{next(numbers)}\ue001" for part in parts)
        content = self._texts.tree("".join(marked))
        return None if isinstance(content, ParseError) else self._filled(content, unknown)

    def elements(
        self, value: object, resource: Resource, block: Block, key: str
    ) -> Iterator[str | UnknownPart | ConditionalPart]:
        """What each unknown element of a list is, or may be."""
        for item in value if isinstance(value, list) else [value]:
            if isinstance(item, UnknownValue):
                text, usual = self._text(item), self.usual(item) if key in _RESOURCES else ()
                if text is None and usual:
                    yield UnknownPart(item.doubt(), usual=usual)
                elif text is None:
                    parts = self._elements.parts(resource, block, key, 1, {"reached": item.references})
                    yield from parts if isinstance(value, list) else with_others(parts)
                else:
                    yield _with_usual(text, usual, item)

    def _filled(self, content: object, unknown: Sequence[UnknownValue], key: str = "") -> object:
        """The content with the unknown values in place of their marks. ``key`` is that of a member."""
        if isinstance(content, str):
            whole = _MARK.fullmatch(content)
            if whole is None:
                return self._filled_part(content, unknown, key)
            value = unknown[int(whole[1])]
            text, usual = self._text(value), self.usual(value) if key in _RESOURCES else ()
            return UnknownPart(value.doubt(), usual=usual) if text is None else _with_usual(text, usual, value)
        if isinstance(content, dict):
            return {
                self._filled_text(name, unknown): self._filled(item, unknown, name)
                for name, item in ((str(name), item) for name, item in content.items())
            }
        return [self._filled(item, unknown, key) for item in content] if isinstance(content, list) else content

    def _filled_part(self, text: str, unknown: Sequence[UnknownValue], key: str) -> object:
        filled = self._filled_text(text, unknown)
        values = [unknown[int(mark[1])] for mark in _MARK.finditer(text)] if key in _RESOURCES else []
        if all(value.usual is None for value in values):
            return filled
        usual = _MARK.sub(lambda mark: "".join(self.usual(unknown[int(mark[1])])[:1]) or mark[0], text)
        return _with_usual(filled, (self._filled_text(usual, unknown),), values[0])

    def usual(self, value: UnknownValue) -> tuple[str, ...]:
        """The texts that a value has by the defaults of its variables; none if one of them has none."""
        if value.parts:
            parts = [(part,) if isinstance(part, str) else self.usual(part) for part in value.parts]
            return ("".join(part[0] for part in parts),) if all(parts) else ()
        usual = value.usual if isinstance(value.usual, list) else [value.usual]
        return tuple(text for text in usual if isinstance(text, str))

    def _filled_text(self, text: str, unknown: Sequence[UnknownValue]) -> str:
        return _MARK.sub(lambda match: self.word(unknown[int(match[1])]), text)

    def _text(self, value: UnknownValue) -> str | None:
        """The text of an unknown value, with symbols for its unknown parts; None if nothing of it is known."""
        if value.parts:
            return "".join(part if isinstance(part, str) else self.word(part) for part in value.parts)
        return self._referred_text(value)

    def word(self, value: UnknownValue) -> str:
        """The text of an unknown value inside another text: at least a symbol."""
        text = self._text(value)
        if text is not None:
            return text
        if value.direct and value.names:
            return self._context.symbols.of(value.names[0])
        if value.label:
            return self._context.symbols.of(value.label)
        number, _ = self._numbers.setdefault(id(value), (len(self._numbers) + 1, value))
        return self._context.symbols.of(f"unknown {number}")

    def _referred_text(self, value: UnknownValue) -> str | None:
        """The text of a value that is one attribute of one resource."""
        if not value.direct:
            return None
        targets = [
            (resource, reference.attribute)
            for reference in self.references(value)
            for target in reference.targets
            if (resource := self._snapshot.at(target)) is not None
        ]
        return self._of_attribute(*targets[0]) if len(targets) == 1 else None

    def _of_attribute(self, resource: Resource, attribute: str) -> str | None:
        """An attribute of a resource, with symbols for its unknown parts."""
        type_, mode = resource.resource_change.type, resource.resource_change.mode
        if mode == "data" and type_ in ("aws_caller_identity", "aws_region", "aws_partition"):
            return self._of_provider(resource, type_, attribute)
        if type_ in TABLE_TYPES and mode == "managed":
            return self._of_table(resource, attribute)
        if (text := resource.known_text(attribute)) is not None:
            return text
        if attribute == "arn" or (attribute.endswith("arn") and type_ not in IAM):
            texts = tuple(self._elements.spellings(resource, attribute))
            return texts[0] if len(texts) == 1 else None
        return None

    def _of_table(self, resource: Resource, attribute: str) -> str | None:
        table, symbols = self._context.tables.get(resource.address), self._context.symbols
        if table is None:
            return None
        if attribute in _NAMES:
            return table.name.content or symbols.of(f"name of {table.address}")
        label = symbols.of(f"{resource.address}.stream_label")
        texts = {
            "arn": arn_of(table, symbols),
            "stream_arn": f"{arn_of(table, symbols)}/stream/{label}",
            "stream_label": label,
        }
        return texts.get(attribute)

    def _of_provider(self, data: Resource, type_: str, attribute: str) -> str | None:
        regions, symbols = self._context.regions, self._context.symbols
        region = regions.name(data)
        if type_ == "aws_caller_identity" and attribute in ("account_id", "id"):
            return regions.account(data).content or symbols.of(ACCOUNT)
        if type_ == "aws_region" and attribute in ("name", "region", "id"):
            return region or symbols.of(REGION)
        if type_ == "aws_partition" and attribute in ("partition", "id"):
            return partition_of(region) if region else symbols.of(PARTITION)
        return None
