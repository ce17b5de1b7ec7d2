"""What the configuration says of the tables that match: what they are for, and how hard a policy weighs there."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache

from tablegate.engine.settings import Override
from tablegate.engine.subjects import Site
from tablegate.model import facts
from tablegate.model.change import Change
from tablegate.model.estate import Estate
from tablegate.model.facts import Fact
from tablegate.model.record import replace, wire
from tablegate.model.table import Declared, Table
from tablegate.model.value import Origin, Value
from tablegate.policy.declare import Policy, Severity


def overridden(estate: Estate, overrides: Sequence[Override]) -> Estate:
    """The estate, with what the overrides declare of its tables where no tag says it. The last one counts."""
    speaking = [item for item in overrides if item.purpose or item.environment or item.data_class or item.capacity]
    if not speaking:
        return estate
    tables = {id(table): _overridden(table, estate.file, speaking) for table in estate.tables}
    return replace(
        estate,
        tables=tuple(tables.values()),
        changes=tuple(_rewired(change, tables) for change in estate.changes),
    )


def severity_at(policy: Policy, site: Site, overrides: Sequence[Override]) -> Severity | None:
    """How hard the policy weighs at the site, if an override says so. The last one counts."""
    for override in reversed(overrides):
        if policy.id in override.severity and _matches(override, site.address, site.file, site.tags):
            return override.severity[policy.id]
    return None


def _overridden(table: Table, file: str, overrides: Sequence[Override]) -> Table:
    declared = table.declared
    for override in reversed(overrides):
        if _matches(override, table.address, file, table.tags):
            declared = Declared(
                purpose=_said(facts.PURPOSE, declared.purpose, override.purpose),
                environment=_said(facts.ENVIRONMENT, declared.environment, override.environment),
                data_class=_said(facts.DATA_CLASS, declared.data_class, override.data_class),
                capacity=_said(facts.DECLARED_CAPACITY, declared.capacity, override.capacity),
            )
    return table if declared is table.declared else replace(table, declared=declared)


def _said(fact: Fact[str], tagged: Value[str], text: str | None) -> Value[str]:
    """A tag that is not known may say otherwise, so it stays unknown."""
    return tagged if text is None or tagged.origin is not Origin.DEFAULT else fact.of(text.strip().lower())


def _rewired(change: Change, tables: Mapping[int, Table]) -> Change:
    after = tables.get(id(change.after), change.after)
    if after is None or after is change.after:
        return change
    rewired = replace(change, after=after)
    wire(after, "change", rewired)
    return rewired


def _matches(override: Override, address: str, file: str, tags: Value[Mapping[str, str | None]] | None) -> bool:
    if override.address is not None and not _address_pattern(override.address).fullmatch(address):
        return False
    if override.path is not None and not _path_pattern(override.path).fullmatch(file):
        return False
    content: Mapping[str, str | None] = {} if tags is None or tags.content is None else tags.content
    return all(content.get(key) == text for key, text in override.tags.items())


@lru_cache
def _address_pattern(glob: str) -> re.Pattern[str]:
    """``*`` is any text. Brackets are just brackets: they belong to Terraform's addresses."""
    return re.compile(".*".join(re.escape(text) for text in glob.split("*")), re.DOTALL)


@lru_cache
def _path_pattern(glob: str) -> re.Pattern[str]:
    """``*`` is any text within a name, ``**/`` any folders, ``?`` one character."""
    spelled = {"**/": "(?:.*/)?", "**": ".*", "*": "[^/]*", "?": "[^/]"}
    pieces = re.split(r"(\*\*/|\*\*|\*|\?)", glob)
    return re.compile("".join(spelled.get(piece, re.escape(piece)) for piece in pieces), re.DOTALL)
