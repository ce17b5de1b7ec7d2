"""The tables of fixtures/tables show every fact of the model in each of its states, in each language."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from enum import Enum
from fnmatch import fnmatchcase
from types import UnionType
from typing import Any, NamedTuple, Union, get_args, get_origin, get_type_hints

import pytest

from support import spellings as spelled
from tablegate.model import table as model
from tablegate.model import table as scaling
from tablegate.model.estate import DaxCluster, LegacyGlobalTable
from tablegate.model.table import Dialect, KeyPart, Table
from tablegate.model.value import Doubt, Origin, Place, Value

NONE, SOME = "none", "some"
ROOTS = {"table": Table, "cluster": DaxCluster, "legacy": LegacyGlobalTable}
NAMES = {
    **vars(scaling),
    **vars(model),
    "Change": object,
    "Estate": object,
    "Place": Place,
    "Doubt": Doubt,
    "Value": Value,
}


class State(NamedTuple):
    """A field of the model, and one of the states it can be in."""

    field: str
    state: str


class Never(NamedTuple):
    """A state that one language cannot show. ``field`` is a glob."""

    field: str
    state: str
    why: str

    def excuses(self, state: State) -> bool:
        """Whether this speaks of that state."""
        return fnmatchcase(state.field, self.field) and fnmatchcase(state.state, self.state)


# In no language.
NOWHERE = (
    Never("table.name", "default", "a name is given, or made up: then it is not known"),
    Never("table.arn", "default", "every table has one, known or not"),
    Never("table.account", "default", "every table has one, known or not"),
    Never("table.region", "default", "every table has one, known or not"),
    Never("table.*indexes[[][]].name", "default", "every index is named"),
    Never("table.*indexes[[][]].keys", "default", "every index has keys"),
    Never("table.*indexes[[][]].projection", "default", "every index projects something"),
    Never("table.vector_indexes[[][]].*", "default", "all of it is demanded"),
    Never("table.indexes[[][]].local", "true", "these are the global ones"),
    Never("table.local_indexes[[][]].local", "false", "these are the local ones"),
    Never("table.local_indexes[[][]].capacity.*", "[!d]*", "a local index draws on the table's capacity"),
    Never("table.local_indexes[[][]].on_demand.*", "[!d]*", "a local index draws on the table's capacity"),
    Never("table.local_indexes[[][]].warm.*", "[!d]*", "a local index draws on the table's capacity"),
    Never("table.local_indexes[[][]].insights", "[!d]*", "only global indexes have them"),
    Never("table.replicas[[][]].region", "default", "every replica is somewhere"),
    Never(
        "table.replicas[[][]].encryption.resource.deleted", "true", "read like the table's own key, where it is shown"
    ),
    Never(
        "table.*destinations[[][]].consumers[[][]].doubt", "some", "what reads a stream that is not known is not listed"
    ),
    Never(
        "table.replicas[[][]].destinations[[][]].consumers", "some", "read like the table's own, where they are shown"
    ),
    Never("table.replicas[[][]].destinations[[][]].consumers[[][]].*", "*", "as their list"),
    Never("table.*destinations[[][]].stream", "default", "a destination leads to a stream"),
    Never("table.scaling[[][]].minimum", "default", "a target has both bounds"),
    Never("table.scaling[[][]].maximum", "default", "a target has both bounds"),
)
TERRAFORM = (
    *NOWHERE,
    Never("legacy.custom_resource", "true", "a construct of CloudFormation"),
    Never("legacy.deletion_policy", "[!d]*", "an attribute of CloudFormation's resources"),
    Never("legacy.table_retained", "[!d]*", "an attribute of CloudFormation's resources"),
    Never("table.retention.*_policy", "[!d]*", "an attribute of CloudFormation's resources"),
    Never("table.name_fixed", "true", "Terraform can replace a table under another name"),
    Never("table.destinations[[][]].encrypted", "default", "the provider writes NONE where nothing is written"),
    Never("table.replicas[[][]].destinations[[][]].encrypted", "default", "the provider writes NONE"),
)
# The Cloud Control provider can show these, in a plan. No source of the fixtures is written with it.
AWS = (
    Never("table.name_generated", "true", "Terraform names every table"),
    Never("table.replicas[[][]].recovery.days", "[!d]*", "the provider has no word for it"),
    Never("table.replicas[[][]].max_read", "[!d]*", "the provider has no word for it"),
    Never("table.replicas[[][]].read_capacity", "[!d]*", "the provider has no word for it"),
    Never("table.consistency", "set", "provider 5 has no word for it"),
    Never("table.witness_region", "[!d]*", "provider 5 has no word for it"),
    Never("table.warm.*", "[!d]*", "provider 5 has no word for it"),
    Never("table.indexes[[][]].warm.*", "[!d]*", "provider 5 has no word for it"),
    Never("table.vector_indexes", "[!d]*", "the provider has no word for it"),
    Never("table.vector_indexes[[][]].*", "*", "the provider has no word for it"),
    Never("table.source_table", "[!d]*", "the provider has no word for it"),
    Never("table.settings_replication", "[!d]*", "the provider has no word for it"),
)
IMPOSSIBLE = {
    Dialect.TERRAFORM_PLAN: (
        *TERRAFORM,
        Never("table.retention.prevent_destroy", "[!u]*", "not in the plan, so never known"),
    ),
    Dialect.TERRAFORM_SOURCE: (
        *TERRAFORM,
        *AWS,
        Never("table.retention.prevent_destroy", "unknown", "it takes no expression"),
        Never("table.encryption.resource.deleted", "true", "source does not show what it no longer holds"),
    ),
    Dialect.CLOUDFORMATION: (
        *NOWHERE,
        Never("legacy.custom_resource", "false", "CloudFormation never had the 2017 global table itself"),
        Never("legacy.table_retained", "default", "the table's own attribute says it"),
        Never("table.retention.prevent_destroy", "[!d]*", "a word of Terraform's"),
        Never("table.restore_source", "[!d]*", "CloudFormation does not restore tables"),
        Never("table.encryption.resource.deleted", "true", "a template does not show what it no longer holds"),
        Never("table.replicas[[][]].destinations[[][]].encrypted", "[!n]*", "a template holds no stream elsewhere"),
    ),
}


@pytest.mark.parametrize("dialect", list(Dialect))
def test_every_state_is_shown(dialect: Dialect) -> None:
    """Whatever a language can say of a field is said by some fixture."""
    missing = sorted(_declared() - _shown(dialect))
    assert [state for state in missing if not any(never.excuses(state) for never in IMPOSSIBLE[dialect])] == []


@pytest.mark.parametrize("dialect", list(Dialect))
def test_nothing_impossible_is_shown(dialect: Dialect) -> None:
    """What is said to be impossible is nowhere."""
    shown = _shown(dialect)
    for never in IMPOSSIBLE[dialect]:
        assert [state for state in shown if never.excuses(state)] == [], never


def _shown(dialect: Dialect) -> set[State]:
    """Every state that a spelling in this language has."""
    estates = [spelled.estate(path) for folder in spelled.folders() for path in spelled.spellings(folder)]
    return {
        state
        for made in estates
        if made.dialect is dialect
        for name, things in (
            ("table", made.tables),
            ("cluster", made.dax_clusters),
            ("legacy", made.legacy_global_tables),
        )
        for thing in things
        for state in _states_of(thing, name)
    }


def _states_of(thing: object, path: str) -> Iterator[State]:
    match thing:
        case Value():
            yield State(path, thing.origin)
            yield from _parts_of(thing.content, path)
        case bool() | Enum():
            yield State(path, str(thing).lower())
        case tuple() | frozenset() if not isinstance(thing, Doubt):
            yield State(path, SOME if thing else NONE)
            yield from _parts_of(thing, path)
        case _ if is_dataclass(thing):
            for field in _fields(type(thing)):
                yield from _field_states(
                    getattr(thing, field), f"{path}.{field}", get_type_hints(type(thing), NAMES)[field]
                )


def _field_states(thing: object, path: str, hint: Any) -> Iterator[State]:
    if _is_optional(hint):
        yield State(path, NONE if thing is None else SOME)
    yield from _states_of(thing, path)


def _parts_of(content: object, path: str) -> Iterator[State]:
    for part in content if isinstance(content, tuple) else ():
        if is_dataclass(part) and not isinstance(part, KeyPart):
            yield from _states_of(part, f"{path}[]")


def _declared() -> set[State]:
    """Every state that the model's types allow."""
    return {state for name, kind in ROOTS.items() for state in _of_class(kind, name)}


def _of_class(kind: type, path: str) -> Iterator[State]:
    hints = get_type_hints(kind, NAMES)
    for field in _fields(kind):
        yield from _of_type(hints[field], f"{path}.{field}")


def _of_type(hint: Any, path: str) -> Iterator[State]:
    origin, inner = get_origin(hint), get_args(hint)
    if _is_optional(hint):
        yield from (State(path, NONE), State(path, SOME))
        yield from _of_type(next(each for each in inner if each is not type(None)), path)
    elif origin is Value:
        yield from (State(path, state) for state in Origin)
        yield from _of_parts(inner[0], path)
    elif origin in (tuple, frozenset):
        yield from (State(path, NONE), State(path, SOME))
        yield from _of_parts(hint, path)
    elif hint is bool:
        yield from (State(path, "true"), State(path, "false"))
    elif isinstance(hint, type) and issubclass(hint, Enum):
        yield from (State(path, str(member).lower()) for member in hint)
    elif is_dataclass(hint):
        yield from _of_class(hint, path)


def _of_parts(hint: Any, path: str) -> Iterator[State]:
    part = get_args(hint)[0] if get_origin(hint) is tuple else None
    if part is not KeyPart and is_dataclass(part):
        yield from _of_class(part, f"{path}[]")


def _fields(kind: type) -> list[str]:
    return [field.name for field in fields(kind) if field.name not in spelled.UNCOMPARED]


def _is_optional(hint: Any) -> bool:
    return get_origin(hint) in (Union, UnionType) and type(None) in get_args(hint)
