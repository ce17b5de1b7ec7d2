"""What the configuration lets an audit leave unread: ``[[audit.accept]]``, each with a path and a reason."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping

from tablegate.config.configuration import Configuration
from tablegate.engine.finding import path_matches
from tablegate.engine.settings import ConfigError, as_table, as_text, each_table, unknown_key, wrong_value
from tablegate.findings import Fault, FaultCode, Report, exit_of
from tablegate.model.record import record, replace

_NAME = "audit.accept"
_KEYS = ("path", "reason")


@record(kw_only=False)
class Accepted:
    """Files that may stay unread: the pattern of a path, or of a folder with all below it."""

    path: str
    reason: str

    def covers(self, file: str) -> bool:
        """Whether the file is meant."""
        own = self.path.rstrip("/")
        return path_matches(own, file) or path_matches(f"{own}/**/*", file)


def accepted_in(configuration: Configuration) -> tuple[Accepted, ...]:
    """The tables of the configuration, in their order."""
    tables = as_table(configuration["audit"], ("audit",))
    for key in tables:
        if key != "accept":
            unknown_key(key, ("accept",), ("audit",))
    listed = tables.get("accept", ())
    if not isinstance(listed, (list, tuple)):
        wrong_value(listed, "a list of tables: [[audit.accept]]", ("audit", "accept"))
    try:
        return each_table(listed, _NAME, _accepted)
    except ConfigError as error:
        raise ConfigError(error.message, "audit", "accept", *error.keys[1:], hint=error.hint) from None


def _accepted(table: Mapping[str, object]) -> Accepted:
    for key in table:
        if key not in _KEYS:
            unknown_key(key, _KEYS, (_NAME,))
    path, reason = (as_text(table.get(key), (_NAME, key)) for key in _KEYS)
    for key, text in (("path", path), ("reason", reason)):
        if not text.strip():
            raise ConfigError(f"{_NAME}.{key} is empty", _NAME, key)
    return Accepted(path, reason)


def with_accepted_faults(
    report: Report, accepted: Collection[Accepted], configuration: Configuration, named: Collection[str]
) -> Report:
    """The report, in which what may stay unread does not block. Files that the user names as INPUT must be read.

    What covers nothing is a warning, except in a shard, which sees a part.
    """
    if not accepted:
        return report
    used: set[Accepted] = set()

    def tempered(fault: Fault) -> Fault:
        file = fault.place.file
        covering = next((each for each in accepted if each.covers(file)), None)
        if covering is None or fault.code is FaultCode.INTERNAL or not file or file in named:
            return fault
        used.add(covering)
        return replace(fault, blocks=False, accepted=covering.reason)

    faults = tuple(map(tempered, report.faults))
    left = () if report.shard is not None else _unused(accepted, used, configuration)
    faults = (*faults, *left)
    return replace(report, faults=faults, exit=exit_of(report.findings, faults))


def _unused(
    accepted: Collection[Accepted], used: Collection[Accepted], configuration: Configuration
) -> Iterator[Fault]:
    for number, each in enumerate(accepted):
        if each not in used:
            message = f'{_NAME}: nothing that could not be read has the path "{each.path}"'
            place = configuration.place_of("audit", "accept", number)
            yield Fault(FaultCode.INCOMPLETE, message, place, blocks=False)
