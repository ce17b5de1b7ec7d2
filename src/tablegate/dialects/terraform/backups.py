"""AWS Backup: whether a selection covers a table, by ARN, wildcard, tag or condition, less what it leaves out."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from tablegate.dialects.terraform.block import Block
from tablegate.dialects.terraform.joins import TableFinder, table_name
from tablegate.dialects.terraform.regions import Regions
from tablegate.dialects.terraform.resources import Resource, Snapshot, doubt_about
from tablegate.model import facts
from tablegate.model.value import Doubt, Value

_TAG = "aws:ResourceTag/"
_ARN_PARTS = 6
_CONDITIONS = ("string_equals", "string_like", "string_not_equals", "string_not_like")

Tags = Value[Mapping[str, str | None]]


class Backups:
    """The backup selections of a world."""

    def __init__(self, world: Snapshot, finder: TableFinder, regions: Regions) -> None:
        self._finder = finder
        self._regions = regions
        self._selections = world.of("aws_backup_selection")
        self.any = bool(self._selections)

    def of(self, table: Resource, tags: Tags) -> Value[bool]:
        """Whether any selection covers the table."""
        doubt: Doubt | None = None
        for selection in self._selections:
            covered = self._covers(selection, table, tags)
            if covered is True:
                return facts.BACKED_UP.of(True, selection.reference_place)
            if isinstance(covered, Doubt):
                doubt = doubt or covered
        return facts.BACKED_UP.unset if doubt is None else facts.BACKED_UP.doubted(doubt)

    def _covers(self, selection: Resource, table: Resource, tags: Tags) -> bool | Doubt:
        """By Kleene's logic: named or tagged, and on the conditions, and not left out."""
        named = self._named(selection, "resources", table)
        tagged = _tagged(selection, tags)
        conditioned = _conditioned(selection, tags)
        if named is None and tagged is None and conditioned is None:
            return False
        chosen = _any((named, tagged)) if (named, tagged) != (None, None) else True
        left_out = self._named(selection, "not_resources", table) or False
        return _all((chosen, True if conditioned is None else conditioned, _not(left_out)))

    def _named(self, selection: Resource, key: str, table: Resource) -> bool | Doubt | None:
        """Whether a list of ARNs holds the table's; None without a list."""
        content = selection.content.get(key)
        if isinstance(content, list):
            if not content:
                return None
            answers = [self._matches(one, table) for one in content if isinstance(one, str)]
            if None in content:
                answers.append(self._referred(selection, key, table))
            return _any(answers)
        if selection.block.doubt(key, computed=True) is None:
            return None
        return self._referred(selection, key, table)

    def _referred(self, selection: Resource, key: str, table: Resource) -> bool | Doubt:
        """The list is not known yet: it holds the tables that its expression refers to."""
        mentions = selection.references(key)
        mentioned = [
            one
            for mention in mentions
            if mention.data is None
            for instance in mention.targets
            if (one := selection.snapshot.at(instance)) is not None
        ]
        if table in mentioned or self._finder.by_mentions(mentions, selection).table is table:
            return True
        unknown = [one for one in mentions if not selection.snapshot.is_known(one)]
        if unknown and all(one.targets and one.type.startswith("aws") for one in unknown):
            return False  # other resources of AWS; a resource that only passes values on may pass anything
        return doubt_about(unknown) if unknown or not mentions else False

    def _matches(self, pattern: str, table: Resource) -> bool | Doubt:
        arn = table.known_text("arn")
        if arn is not None or pattern == "*":
            return _like(pattern, arn or "")
        parts = pattern.split(":", _ARN_PARTS - 1)
        if len(parts) < _ARN_PARTS and parts[-1] == "*":
            parts += ["*"] * (_ARN_PARTS - len(parts))
        if len(parts) < _ARN_PARTS or not _like(parts[2], "dynamodb"):
            return False
        name = table_name(table)
        known = (
            self._regions.region(table).content,
            self._regions.account(table).content,
            None if name is None else f"table/{name}",
        )
        pairs = list(zip(parts[3:], known, strict=True))
        if not all(_like(pattern, text) for pattern, text in pairs if text is not None):
            return False
        if all(text is not None or pattern == "*" for pattern, text in pairs):
            return True
        return Doubt(f"the ARN of {table.address} is known only after apply", "--account and --region")


def _tagged(selection: Resource, tags: Tags) -> bool | Doubt | None:
    """Whether any of the selection's tags is on the table; None without any."""
    wanted = selection.block.many("selection_tag")
    if isinstance(wanted, Doubt):
        return wanted
    if not wanted:
        return None
    return _any([_has_tag(one, tags) for one in wanted])


def _has_tag(wanted: Block | Doubt, tags: Tags) -> bool | Doubt:
    if isinstance(wanted, Doubt):
        return wanted
    key, value = wanted.content.get("key"), wanted.content.get("value")
    if not isinstance(key, str) or not isinstance(value, str):
        return wanted.doubt("key") or wanted.doubt("value") or False
    return _tag_is(tags, key, value, like=False)


def _conditioned(selection: Resource, tags: Tags) -> bool | Doubt | None:
    """Whether all conditions hold for the table; None without any."""
    blocks = selection.block.many("condition", computed=True)
    if isinstance(blocks, Doubt):
        return blocks
    if not blocks:
        return None
    return _all(
        [_condition(test, kind, tags) for block in blocks for kind in _CONDITIONS for test in _tests(block, kind)]
    )


def _tests(block: Block | Doubt, kind: str) -> Iterable[Block | Doubt]:
    if isinstance(block, Doubt):
        return (block,)
    found = block.many(kind, computed=True)
    return (found,) if isinstance(found, Doubt) else found


def _condition(test: Block | Doubt, kind: str, tags: Tags) -> bool | Doubt:
    if isinstance(test, Doubt):
        return test
    key, value = test.content.get("key"), test.content.get("value")
    if not isinstance(key, str) or not isinstance(value, str):
        return test.doubt("key") or test.doubt("value") or False
    held = _tag_is(tags, key.removeprefix(_TAG), value, like=kind.endswith("like"))
    return _not(held) if "_not_" in kind else held


def _tag_is(tags: Tags, key: str, value: str, *, like: bool) -> bool | Doubt:
    if not tags.known:
        return tags.doubt or Doubt("the tags are not known")
    text = (tags.content or {}).get(key, "")
    if text is None:
        return Doubt(f"the tag {key!r} is not known")
    if key not in (tags.content or {}):
        return False
    return _like(value, text) if like else text == value


def _like(pattern: str, text: str) -> bool:
    expression = ".*".join(re.escape(part) for part in pattern.split("*"))
    return re.fullmatch(expression, text, re.DOTALL) is not None


def _any(answers: Iterable[bool | Doubt | None]) -> bool | Doubt:
    found = [answer for answer in answers if answer is not None]
    if True in found:
        return True
    return next((answer for answer in found if isinstance(answer, Doubt)), False)


def _all(answers: Iterable[bool | Doubt]) -> bool | Doubt:
    found = list(answers)
    if False in found:
        return False
    return next((answer for answer in found if isinstance(answer, Doubt)), True)


def _not(answer: bool | Doubt) -> bool | Doubt:
    return answer if isinstance(answer, Doubt) else not answer
