"""The commands that print what is loaded and what is configured: policies, explain, config."""

from __future__ import annotations

import json
from collections.abc import Iterable

from tablegate.cli.checking import Where, prepare
from tablegate.cli.output import emit
from tablegate.config.schema import schema
from tablegate.engine.nearest import meant
from tablegate.engine.select import Selection, selection
from tablegate.engine.settings import ConfigError
from tablegate.handbook import handbook, page, written
from tablegate.reporters.safe import PROSE, show


def page_of(word: str, where: Where) -> int:
    """Print one policy's page."""
    prepared = prepare(where, {})
    for policy in prepared.policies:
        if word.lower() in {policy.id.lower(), policy.name}:
            _print(page(policy).splitlines())
            return 0
    known = [name for policy in prepared.policies for name in (policy.id, policy.name)]
    raise ConfigError(f'"{word}" is no policy', hint=meant(word, known) or "tablegate policies lists them")


def catalogue(where: Where, *, as_json: bool, as_markdown: bool) -> int:
    """Print every policy: its id, name, severity, family, title, and whether it runs."""
    prepared = prepare(where, {})
    if as_markdown:
        emit(handbook(prepared.policies))
        return 0
    rows = selection(prepared.policies, prepared.settings)
    if as_json:
        emit(json.dumps([_entry(row) for row in rows], indent=2) + "\n")
    else:
        _print(_table(rows))
    return 0


def settings(where: Where, *, as_json: bool) -> int:
    """Print every key of the configuration, its value, and where it comes from."""
    prepared = prepare(where, {})
    rows = prepared.configuration.shown()
    if as_json:
        emit(json.dumps(rows, indent=2, default=str) + "\n")
        return 0
    keys = [str(row["key"]) for row in rows]
    values = [_value(row["value"]) for row in rows]
    widths = (max(map(len, keys)), min(max(map(len, values)), 50))
    _print(
        f"{key:<{widths[0]}}  {value:<{widths[1]}}  {row['origin']}"
        for key, value, row in zip(keys, values, rows, strict=True)
    )
    return 0


def schema_of_config(where: Where) -> int:
    """Print the configuration's JSON schema."""
    emit(json.dumps(schema(prepare(where, {}).loaded.policies), indent=2) + "\n")
    return 0


def _value(content: object) -> str:
    if content is None:
        return "(not set)"
    return json.dumps(content, default=str) if isinstance(content, dict) else written(content)


def _entry(row: Selection) -> dict[str, object]:
    policy = row.policy
    return {
        "id": policy.id,
        "name": policy.name,
        "severity": str(policy.severity),
        "family": policy.family,
        "title": policy.title,
        "judges": policy.subject.__name__,
        "runs": row.runs,
        "reason": row.reason,
        "options": {option.name: option.default for option in policy.options},
        "docs": policy.docs,
    }


def _table(rows: Iterable[Selection]) -> Iterable[str]:
    rows = tuple(rows)
    ids, names = (max(len(getattr(row.policy, name)) for row in rows) for name in ("id", "name"))
    for row in rows:
        policy = row.policy
        mark = " " if row.runs else "-"
        yield f"{mark} {policy.id:<{ids}}  {policy.name:<{names}}  {policy.severity:<8}  {policy.title}"
    running = sum(row.runs for row in rows)
    yield ""
    yield f"{running} of {len(rows)} policies run" + ("" if running == len(rows) else "; - marks the others")


def _print(lines: Iterable[str]) -> None:
    """Lines of our own making, in which names may be somebody else's."""
    emit("".join(f"{show(line, PROSE)}\n".replace("\\\\", "\\") for line in lines))
