"""The commands explain, policies and config: what is known without an input."""

from __future__ import annotations

import json
from collections.abc import Iterable

from tablegate.cli.check import ConfigSources, prepare
from tablegate.cli.output import emit
from tablegate.config.schema import schema
from tablegate.engine.settings import ConfigError, Selection, did_you_mean, selection
from tablegate.reporters.handbook import handbook, page, toml_text
from tablegate.reporters.safe import PROSE, safe_text

WIDEST_VALUE = 50  # columns of a value in the table of settings


def explain(word: str, sources: ConfigSources) -> int:
    """Print the page of the policy with this id or name."""
    policies = prepare(sources, {}).policies
    for policy in policies:
        if word.lower() in {policy.id.lower(), policy.name}:
            _print(page(policy).splitlines())
            return 0
    known = [name for policy in policies for name in (policy.id, policy.name)]
    raise ConfigError(f'"{word}" is not a policy', hint=did_you_mean(word, known) or "tablegate policies lists them")


def list_policies(sources: ConfigSources, *, as_json: bool, as_markdown: bool) -> int:
    """Print every policy: its id, name, severity and title, and whether it runs."""
    prepared = prepare(sources, {})
    if as_markdown:
        emit(handbook(prepared.policies))
        return 0
    rows = selection(prepared.policies, prepared.settings)
    if as_json:
        emit(json.dumps([_entry(row) for row in rows], indent=2) + "\n")
    else:
        _print(_table(rows))
    return 0


def show_configuration(sources: ConfigSources, *, as_json: bool) -> int:
    """Print every key of the configuration, its value, and where it comes from."""
    rows = prepare(sources, {}).configuration.shown()
    if as_json:
        emit(json.dumps(rows, indent=2, default=str) + "\n")
        return 0
    keys = [str(row["key"]) for row in rows]
    values = [_value(row["value"]) for row in rows]
    key_width, value_width = max(map(len, keys)), min(max(map(len, values)), WIDEST_VALUE)
    _print(
        f"{key:<{key_width}}  {value:<{value_width}}  {row['origin']}"
        for key, value, row in zip(keys, values, rows, strict=True)
    )
    return 0


def print_schema(sources: ConfigSources) -> int:
    """Print the configuration's JSON schema."""
    emit(json.dumps(schema(prepare(sources, {}).loaded.policies), indent=2) + "\n")
    return 0


def _value(content: object) -> str:
    if content is None:
        return "(not set)"
    return json.dumps(content, default=str) if isinstance(content, dict) else toml_text(content)


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
    yield f"{running} of {len(rows)} policies run" + ("" if running == len(rows) else "; - marks those that do not")


def _print(lines: Iterable[str]) -> None:
    """Print lines of tablegate's own, in which names may come from somebody else."""
    emit("".join(f"{safe_text(line, PROSE)}\n".replace("\\\\", "\\") for line in lines))
