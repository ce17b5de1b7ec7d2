"""AWS Backup: whether a selection covers a table, by ARN, wildcard, tag or condition, less what it excludes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from fnmatch import fnmatchcase
from typing import TypeAlias

from tablegate.dialects.resource import Properties, Spelling
from tablegate.iam.patterns import matches
from tablegate.model import facts
from tablegate.model.facts import Fact
from tablegate.model.record import record
from tablegate.model.value import Doubt, Place, Value

Tags: TypeAlias = Value[Mapping[str, str | None]]
Truth: TypeAlias = bool | Doubt
"""Kleene's three values; the third says why it is not known."""

_KEY = Spelling("key", "ConditionKey")
_VALUE = Spelling("value", "ConditionValue")
_EQUALS = Spelling("string_equals", "StringEquals")
_LIKE = Spelling("string_like", "StringLike")
_NOT_EQUALS = Spelling("string_not_equals", "StringNotEquals")
_NOT_LIKE = Spelling("string_not_like", "StringNotLike")
_PREFIX = "aws:ResourceTag/"
_TEXT = Fact[str]("tag")


@record(kw_only=False)
class TagTest:
    """A tag that a selection asks for. ``like`` allows wildcards in its value."""

    key: str
    value: str
    like: bool = False
    negated: bool = False


@record()
class Selection:
    """A backup selection, as far as it concerns one table. A doubt stands for each part that is not known."""

    address: str
    place: Place
    present: Truth = True
    resources: Sequence[Truth] = ()  # for each ARN of the list, whether it covers the table
    excluded: Sequence[Truth] = ()
    tags: Sequence[TagTest | Doubt] = ()  # any of them is enough
    conditions: Sequence[TagTest | Doubt] = ()  # all of them must hold


def tag_tests(tags: Sequence[Properties | Doubt] | Doubt, column: int) -> list[TagTest | Doubt]:
    """The tags of a selection."""
    return _tests(tags, _EQUALS, column)


def conditions_in(holders: Sequence[Properties | Doubt] | Doubt, column: int) -> list[TagTest | Doubt]:
    """The conditions of a selection, from the blocks or the mapping that hold them by kind."""
    tests: list[TagTest | Doubt] = []
    for holder in (holders,) if isinstance(holders, Doubt) else holders:
        if isinstance(holder, Doubt):
            tests.append(holder)
        else:
            for kind in (_EQUALS, _LIKE, _NOT_EQUALS, _NOT_LIKE):
                tests += _tests(holder.many(kind[column]), kind, column)
    return tests


def arn_covers(pattern: str, arn: str, doubt: Doubt) -> Truth:
    """Whether an ARN with wildcards covers a table's. Both may have symbols for parts that are not known."""
    wanted, own = pattern.split(":", 5), arn.split(":", 5)
    is_plain = len(wanted) == len(own) and (wanted[-1] + own[-1]).isascii()
    if is_plain and not fnmatchcase(own[-1], wanted[-1].replace("[", "[[]")):
        return False  # in short: most patterns name other tables
    if len(wanted) > 2 and not own[1].isascii():
        pattern = ":".join((wanted[0], own[1], *wanted[2:]))  # a partition is written where it is deployed to
    covers = matches(pattern, arn)
    return doubt if covers is None else covers


def backed_up(selections: Iterable[Selection], tags: Tags) -> Value[bool]:
    """Whether any of the selections covers a table with these tags."""
    possible: Value[bool] | None = None
    for selection in selections:
        covered = all_of((selection.present, _covers(selection, tags)))
        if covered is True:
            return facts.BACKED_UP.of(True, selection.place)
        if isinstance(covered, Doubt) and possible is None:
            reason = f"{selection.address} may or may not cover the table: {covered.reason}"
            doubt = Doubt(reason, covered.settle, (selection.address, *covered.refs))
            possible = facts.BACKED_UP.doubted(doubt, selection.place)
    return facts.BACKED_UP.unset if possible is None else possible


def _tests(tests: Sequence[Properties | Doubt] | Doubt, kind: Spelling, column: int) -> list[TagTest | Doubt]:
    return [tests] if isinstance(tests, Doubt) else [_test(test, kind, column) for test in tests]


def _test(test: Properties | Doubt, kind: Spelling, column: int) -> TagTest | Doubt:
    if isinstance(test, Doubt):
        return test
    key, value = test.text(_TEXT, _KEY[column]), test.text(_TEXT, _VALUE[column])
    name = (key.content or "").removeprefix(_PREFIX)
    like, negated = kind in (_LIKE, _NOT_LIKE), kind in (_NOT_EQUALS, _NOT_LIKE)
    return key.doubt or value.doubt or TagTest(name, value.content or "", like, negated)


def _covers(selection: Selection, tags: Tags) -> Truth:
    """Named or tagged, and under all conditions, and not excluded. Without names and tags, everything is chosen."""
    chosen = [*selection.resources, *(_holds(test, tags) for test in selection.tags)]
    narrowed = bool(selection.conditions or selection.excluded)
    return all_of(
        (
            any_of(chosen) if chosen else narrowed,
            all_of(_holds(test, tags) for test in selection.conditions),
            negated(any_of(selection.excluded)),
        )
    )


def _holds(test: TagTest | Doubt, tags: Tags) -> Truth:
    if isinstance(test, Doubt):
        return test
    if not tags.known:
        return tags.doubt or Doubt("the tags are not known")
    content = tags.content or {}
    text = content.get(test.key, "")
    if text is None:
        return Doubt(f"the tag {test.key!r} is not known")
    equal = test.key in content and (matches(test.value, text) is True if test.like else text == test.value)
    return equal is not test.negated


def any_of(truths: Iterable[Truth]) -> Truth:
    """True if any is; else the first doubt; else false."""
    return negated(all_of(map(negated, truths)))


def all_of(truths: Iterable[Truth]) -> Truth:
    """False if any is; else the first doubt; else true."""
    doubt: Truth = True
    for truth in truths:
        if truth is False:
            return False
        if doubt is True:
            doubt = truth
    return doubt


def negated(truth: Truth) -> Truth:
    """The opposite; a doubt stays one."""
    return truth if isinstance(truth, Doubt) else not truth
