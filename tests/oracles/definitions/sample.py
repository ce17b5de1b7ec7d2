"""The committed definitions, with the rules that each breaks."""

from __future__ import annotations

import json
import lzma
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from oracles.definitions import judged, spellings
from oracles.definitions.rules import broken, is_unsure

SAMPLE = Path(__file__).parents[3] / "fixtures" / "oracles" / "definitions.jsonl.xz"


class Case(NamedTuple):
    """A definition, the rules that it breaks, and those that what Terraform makes of it breaks; None if it cannot."""

    definition: dict[str, Any]
    rules: list[str]
    in_terraform: list[str] | None


class Spelled(NamedTuple):
    """A case in one language: the name of the table, the rules that it breaks there, and what is written."""

    name: str | None
    rules: list[str]
    body: Mapping[str, Any]


def cases(definitions: Iterable[dict[str, Any]]) -> Iterator[Case]:
    """The definitions with their verdicts, without those that nobody is sure of."""
    for definition in definitions:
        if not is_unsure(definition):
            sent = spellings.sent_by_provider(definition)
            yield Case(definition, list(broken(definition)), None if sent is None else list(broken(sent)))


def write(chosen: Iterable[Case]) -> None:
    """Replace the sample."""
    lines = (json.dumps(case, ensure_ascii=False) + "\n" for case in chosen)
    SAMPLE.write_bytes(lzma.compress("".join(lines).encode(), preset=9))


def read() -> list[Case]:
    """The cases of the sample."""
    lines = lzma.decompress(SAMPLE.read_bytes()).decode().splitlines()
    return [Case(*json.loads(line)) for line in lines]


def differences(language: str, chosen: Sequence[Case]) -> Iterator[tuple[list[str], set[str], Mapping[str, Any]]]:
    """Where a language says otherwise than the rules: these, the policies that object, and what is written."""
    spelled, write_document = LANGUAGES[language]
    for batch in _without_namesakes([one for case in chosen if (one := spelled(case)) is not None]):
        document = write_document([one.body for one in batch])
        for one, objections in zip(batch, judged.said(document, len(batch)), strict=True):
            if bool(one.rules) is not bool(objections):
                yield one.rules, objections, one.body


def said_in(language: str, chosen: Iterable[Case]) -> tuple[int, int]:
    """How many of the cases a language can say, and how many of these the service refuses."""
    spelled = [one for case in chosen if (one := LANGUAGES[language][0](case)) is not None]
    return len(spelled), sum(bool(one.rules) for one in spelled)


def _without_namesakes(spelled: list[Spelled]) -> Iterator[list[Spelled]]:
    """In batches: two tables of one name in one document are a fault of their own."""
    while spelled:
        seen: set[str] = set()
        batch, later = [], []
        for one in spelled:
            (later if one.name in seen else batch).append(one)
            if one.name is not None:
                seen.add(one.name)
        yield batch
        spelled = later


def _of_template(write_resource: Callable[[dict[str, Any]], dict[str, Any] | None]) -> Callable[[Case], Spelled | None]:
    def spelled(case: Case) -> Spelled | None:
        body = write_resource(case.definition)
        return None if body is None else Spelled(case.definition.get("TableName"), case.rules, body)

    return spelled


def _source(case: Case) -> Spelled | None:
    if case.in_terraform is None:
        return None
    body = spellings.as_arguments(case.definition)
    return Spelled(body["name"], case.in_terraform, body)


def _plan(case: Case) -> Spelled | None:
    sent = spellings.sent_by_provider(case.definition)
    if sent is None or case.in_terraform is None or spellings.REFUSED_BY_PROVIDER.intersection(case.in_terraform):
        return None
    body = spellings.as_arguments(sent)
    return Spelled(body["name"], case.in_terraform, body)


LANGUAGES: Mapping[
    str, tuple[Callable[[Case], Spelled | None], Callable[[list[Mapping[str, Any]]], judged.Document]]
] = {
    "table": (_of_template(spellings.as_table), judged.template),
    "global table": (_of_template(spellings.as_global_table), judged.template),
    "simple table": (_of_template(spellings.as_simple_table), judged.template),
    "awscc": (_of_template(spellings.as_awscc), judged.cloud_control),
    "source": (_source, judged.source),
    "plan": (_plan, judged.plan),
}
