"""The report as JSON, version 1: a contract for other tools. Keys are added, never renamed."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping

from tablegate import __version__
from tablegate.findings import Counts, Fault, Finding, GatheredPolicy, Input, Report, Shard, Skipped
from tablegate.model.record import field_names
from tablegate.model.table import Construct
from tablegate.model.value import Doubt, Place, Value
from tablegate.policy.declare import Policy
from tablegate.reporters.safe import Plain, SafeText, Scrubber, addresses, json_text, plain
from tablegate.reporters.wording import ReportView

VERSION = 1


def render(report: Report, view: ReportView) -> SafeText:  # noqa: ARG001 - the bytes do not depend on the view
    """The whole report in ASCII, one finding a line."""
    encode = json.JSONEncoder(ensure_ascii=True, allow_nan=False).encode
    scrub = _Scrub(report)
    members = {
        "version": encode(VERSION),
        "tool": encode({"name": "tablegate", "version": __version__}),
        "inputs": _rows([encode(_input(item, scrub)) for item in report.inputs]),
        "findings": _rows([encode(_finding(item, scrub)) for item in report.findings]),
        "faults": _rows([encode(_fault(item, scrub)) for item in report.faults]),
        "counts": encode({name: getattr(report.counts, name) for name in field_names(Counts)}),
        "profile": encode(str(report.profile)),
        "strict_adds": encode(report.strict_adds),
        "gate": encode(report.gate),
        "exit": encode(int(report.exit)),
        "policies": _rows([encode(_policy(item)) for item in _named(report)]),
        "skipped": _rows([encode(_skipped(item, scrub)) for item in report.skipped]),
        "shard": encode(_shard(report.shard)),
    }
    return json_text("{\n" + ",\n".join(f'"{name}": {text}' for name, text in members.items()) + "\n}\n")


def _rows(rows: list[str]) -> str:
    return "[\n" + ",\n".join(rows) + "\n]" if rows else "[]"


class _Scrub:
    """Removes secrets, and surrogates, which strict JSON readers reject."""

    def __init__(self, report: Report) -> None:
        self._scrubber = Scrubber(report.secrets, addresses(report))
        self._known: dict[str, str] = {}

    def __call__(self, text: str) -> str:
        if text not in self._known:
            self._known[text] = self.name(self._scrubber(text))
        return self._known[text]

    def name(self, text: str) -> str:
        """An address, a file, or the name of an argument, which are no values."""
        return text if text.isascii() else text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")

    def optional(self, text: str | None) -> str | None:
        return None if text is None else self(text)


def _input(item: Input, scrub: _Scrub) -> Plain:
    return {
        "path": scrub.name(item.path),
        "kind": item.kind,
        "detail": scrub.optional(item.detail),
        "resources": item.resources,
        "tables": item.tables,
        "not_created": item.not_created,
        "indexes": item.indexes,
        "replicas": item.replicas,
        "documents": {
            "read": item.documents - item.documents_partly - item.documents_unread,
            "partly": item.documents_partly,
            "unread": item.documents_unread,
        },
    }


def _finding(item: Finding, scrub: _Scrub) -> Plain:
    return {
        "policy": item.policy.id,
        "name": item.policy.name,
        "severity": str(item.severity),
        "outcome": str(item.outcome),
        "blocks": item.blocks,
        "input": scrub.name(item.file),
        "address": scrub.name(item.address),
        "part": _texts(item.part, scrub),
        "place": _place(item.place or Place(item.file), scrub),
        "scenario": _texts(item.scenario, scrub),
        "message": scrub(item.message),
        "evidence": [_evidence(value, scrub) for value in item.evidence],
        "fix": scrub.optional(item.fix),
        "fingerprint": item.fingerprint,
        "construct": None if item.construct is None else _construct(item.construct, scrub),
        "waived": None if item.waived is None else {"reason": scrub(item.waived)},
        "also": [_gathered(other, scrub) for other in item.also],
    }


def _gathered(item: GatheredPolicy, scrub: _Scrub) -> Plain:
    return {
        "policy": item.policy,
        "name": item.name,
        "severity": str(item.severity),
        "message": scrub(item.message),
    }


def _construct(item: Construct, scrub: _Scrub) -> Plain:
    return {"path": scrub.name(item.path), "place": _place(item.place, scrub)}


def _texts(pairs: Mapping[str, str] | None, scrub: _Scrub) -> Plain:
    return None if pairs is None else {scrub.name(key): scrub(pairs[key]) for key in sorted(pairs)}


def _place(place: Place | None, scrub: _Scrub) -> Plain:
    if place is None:
        return None
    return {
        "file": scrub.name(place.file),
        "line": place.line,
        "column": place.column,
        "end_column": place.end_column,
        "path": place.path and scrub.name(place.path),
        **({"because": _place(place.because, scrub)} if place.because is not None else {}),
        **({"inside": _place(place.inside, scrub)} if place.inside is not None else {}),
    }


def _evidence(value: Value[object], scrub: _Scrub) -> Plain:
    return {
        "name": scrub.name(value.name),
        "value": plain(value, scrub),
        "origin": str(value.origin),
        "place": _place(value.place, scrub),
        "doubt": _doubt(value.doubt, scrub),
    }


def _doubt(doubt: Doubt | None, scrub: _Scrub) -> Plain:
    if doubt is None:
        return None
    return {"reason": scrub(doubt.reason), "settle": scrub.optional(doubt.settle)}


def _fault(item: Fault, scrub: _Scrub) -> Plain:
    return {
        "code": str(item.code),
        "blocks": item.blocks,
        "file": scrub.name(item.place.file),
        "line": item.place.line,
        "column": item.place.column,
        "path": item.place.path and scrub.name(item.place.path),
        "message": scrub(item.message),
        "hint": scrub.optional(item.hint),
        "accepted": None if item.accepted is None else {"reason": scrub(item.accepted)},
        **({"subjects": [scrub.name(name) for name in item.subjects]} if item.subjects else {}),
    }


def _named(report: Report) -> Iterable[Policy]:
    """The policies of the findings, by id."""
    named = {finding.policy.id: finding.policy for finding in report.findings}
    return (named[id] for id in sorted(named))


def _policy(item: Policy) -> Plain:
    return {
        "id": item.id,
        "name": item.name,
        "severity": str(item.severity),
        "title": item.title,
        "rationale": item.rationale,
        "docs": item.docs,
    }


def _skipped(item: Skipped, scrub: _Scrub) -> Plain:
    return {"why": item.why, "files": item.files, "first": [scrub.name(name) for name in item.first]}


def _shard(shard: Shard | None) -> Plain:
    if shard is None:
        return None
    return {"number": shard.number, "of": shard.of, "roots": shard.roots, "digest": shard.digest}
