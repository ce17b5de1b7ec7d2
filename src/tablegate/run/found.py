"""What an audit found and could not read: which faults of it do not block."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from tablegate.findings import Fault, FaultCode, Report, exit_of
from tablegate.model.record import replace
from tablegate.syntax.relevance import names_tables_or_access
from tablegate.syntax.source import Source

NOT_OURS = "it names neither DynamoDB nor IAM, so it does not block; name it as an INPUT if it must be read"
_UNREAD = "unread"  # the kind of an input that could not be read


def with_harmless_faults(report: Report, sources: Iterable[Source]) -> Report:
    """The report, in which faults of what was found and names neither DynamoDB nor IAM are warnings.

    A fault blocks if the user named its input, if the input has tables or documents, and if nothing else was read. What
    is left out on purpose, such as the rest of a targeted plan, may be anything, and so blocks.
    """
    if all(item.kind == _UNREAD for item in report.inputs) or not any(map(_may_be_harmless, report.faults)):
        return report
    judged = {item.path for item in report.inputs if item.tables or item.documents}
    owners = _owners(sources)
    harmless: dict[str, bool] = {}

    def is_harmless(source: Source) -> bool:
        if source.name not in harmless:
            names_ours = any(map(names_tables_or_access, _texts(source)))
            harmless[source.name] = source.found and source.name not in judged and not names_ours
        return harmless[source.name]

    def tempered(fault: Fault) -> Fault:
        of = owners.get(fault.place.file, ())
        partial = fault.code is FaultCode.INCOMPLETE and any(source.folder is None for source in of)
        if not of or partial or fault.place.file in judged or not all(map(is_harmless, of)):
            return fault
        return replace(fault, blocks=False, hint=f"{fault.hint}; {NOT_OURS}" if fault.hint else NOT_OURS)

    faults = tuple(tempered(fault) if _may_be_harmless(fault) else fault for fault in report.faults)
    return replace(report, faults=faults, exit=exit_of(report.findings, faults))


def _may_be_harmless(fault: Fault) -> bool:
    return fault.blocks and fault.code is not FaultCode.INTERNAL


def _owners(sources: Iterable[Source]) -> Mapping[str, Sequence[Source]]:
    """The sources that a file belongs to. Several root modules can call one module."""
    owners: dict[str, list[Source]] = {}
    for source in (each for one in sources for each in (one, one.twin) if each is not None):
        parts = [part.name for part in source.folder.parts] if source.folder is not None else []
        for name in {source.name, *parts, *source.beside.files}:
            owners.setdefault(name, []).append(source)
    return owners


def _texts(source: Source) -> Iterable[bytes]:
    if source.folder is not None:
        return (part.data for part in source.folder.parts if part.data.strip())
    return (source.data, *source.beside.files.values())
