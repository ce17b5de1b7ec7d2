"""What source tells of texts that only the apply completes: documents, and their elements, in which some is not known.

A plan hides the whole of a text if it does not know a part. Source shows how it is put together: each part
that refers to a table stands there as the table's ARN, and any other as a symbol.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from tablegate.access.arns import ACCOUNT, PARTITION, REGION, arn_of, partition_of
from tablegate.access.documents import Hole, Perhaps
from tablegate.dialects.terraform_plan.access.elements import IAM, Elements
from tablegate.dialects.terraform_plan.access.ground import Ground
from tablegate.dialects.terraform_plan.access.texts import Texts
from tablegate.dialects.terraform_plan.blocks import Block
from tablegate.dialects.terraform_plan.references import Mention, Scope
from tablegate.dialects.terraform_plan.unknowns import Unknown
from tablegate.dialects.terraform_plan.worlds import TABLE_TYPES, Resource
from tablegate.syntax.errors import ParseError

# Stands for a part while a text is read as JSON: private to this, and no part of any text that is read.
_MARK = re.compile("\ue000([0-9]+)\ue001")
_NAMES = frozenset({"name", "id", "table_name"})
_STREAM = "stream_arn"


class Drafts:
    """The texts of one root."""

    def __init__(self, ground: Ground, texts: Texts, elements: Elements) -> None:
        self._ground = ground
        self._world = ground.world
        self._texts = texts
        self._elements = elements
        self._numbers: dict[int, tuple[int, Unknown]] = {}

    def mentions(self, given: Unknown) -> tuple[Mention, ...]:
        """What something unknown reads."""
        return self._world.tracer.trace({"reached": given.reached}, Scope(""))

    def tree(self, parts: Sequence[str | Unknown]) -> object | None:
        """The document that the parts of a text come to; None where they are no JSON."""
        holes = [part for part in parts if isinstance(part, Unknown)]
        texts = [part for part in parts if isinstance(part, str)]
        if any("\ue000" in text for text in texts):
            return None
        numbers = iter(range(len(holes)))
        found = self._texts.tree("".join(p if isinstance(p, str) else f"\ue000{next(numbers)}\ue001" for p in parts))
        return None if isinstance(found, ParseError) else self._filled(found, holes)

    def elements(self, given: object, resource: Resource, block: Block, key: str) -> Iterator[str | Hole | Perhaps]:
        """What the unknown elements of a list are, or may be."""
        for item in given if isinstance(given, list) else [given]:
            if isinstance(item, Unknown):
                found = self._element(item)
                if found is None:
                    yield from self._elements.holes(resource, block, key, 1, {"reached": item.reached})
                else:
                    yield found

    def _filled(self, content: object, holes: Sequence[Unknown]) -> object:
        if isinstance(content, str):
            whole = _MARK.fullmatch(content)
            if whole is None:
                return _MARK.sub(lambda found: self.word(holes[int(found[1])]), content)
            hole = holes[int(whole[1])]
            found = self._element(hole)
            return Hole(hole.doubt()) if found is None else found
        if isinstance(content, dict):
            return {str(self._plain(key, holes)): self._filled(item, holes) for key, item in content.items()}
        return [self._filled(item, holes) for item in content] if isinstance(content, list) else content

    def _plain(self, key: str, holes: Sequence[Unknown]) -> str:
        return _MARK.sub(lambda found: self.word(holes[int(found[1])]), key)

    def _element(self, given: Unknown) -> str | None:
        """The text of something unknown, as far as it can be spelled; None where nothing is known of it."""
        if given.parts:
            return "".join(part if isinstance(part, str) else self.word(part) for part in given.parts)
        return self._spelled(given)

    def word(self, given: Unknown) -> str:
        """What stands for something unknown in a text."""
        if given.parts:
            return str(self._element(given))
        found = self._spelled(given)
        if found is not None:
            return found
        if given.direct and given.names:
            return self._ground.symbols.of(given.names[0])
        if given.label:
            return self._ground.symbols.of(given.label)
        number, _ = self._numbers.setdefault(id(given), (len(self._numbers) + 1, given))
        return self._ground.symbols.of(f"unknown {number}")

    def _spelled(self, given: Unknown) -> str | None:
        if not given.direct:
            return None
        found = [
            (resource, mention.attribute)
            for mention in self.mentions(given)
            for instance in mention.instances
            if (resource := self._world.at(instance)) is not None
        ]
        return self._of(*found[0]) if len(found) == 1 else None

    def _of(self, found: Resource, attribute: str) -> str | None:
        """An attribute of a resource, with symbols for what is not known of it."""
        type_ = found.instance.type
        if found.instance.mode == "data" and type_ in ("aws_caller_identity", "aws_region", "aws_partition"):
            return self._of_provider(found, type_, attribute)
        if type_ in TABLE_TYPES and found.instance.mode == "managed":
            return self._of_table(found, attribute)
        if (known := found.known(attribute)) is not None:
            return known
        if attribute == "arn" or (attribute.endswith("arn") and type_ not in IAM):
            texts = tuple(self._elements.spellings(found, attribute))
            return texts[0] if len(texts) == 1 else None
        return None

    def _of_table(self, found: Resource, attribute: str) -> str | None:
        table, symbols = self._ground.tables.get(found.address), self._ground.symbols
        if table is None:
            return None
        if attribute in _NAMES:
            return table.name.content or symbols.of(f"name of {table.address}")
        label = symbols.of(f"{found.address}.stream_label")
        arns = {"arn": arn_of(table, symbols), _STREAM: f"{arn_of(table, symbols)}/stream/{label}"}
        return label if attribute == "stream_label" else arns.get(attribute)

    def _of_provider(self, found: Resource, type_: str, attribute: str) -> str | None:
        regions, symbols = self._ground.regions, self._ground.symbols
        where = regions.name(found)
        if type_ == "aws_caller_identity" and attribute in ("account_id", "id"):
            return regions.account(found).content or symbols.of(ACCOUNT)
        if type_ == "aws_region" and attribute in ("name", "region", "id"):
            return where or symbols.of(REGION)
        if type_ == "aws_partition" and attribute in ("partition", "id"):
            return partition_of(where) if where else symbols.of(PARTITION)
        return None
