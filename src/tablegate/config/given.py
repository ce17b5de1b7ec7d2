"""Names that the user gives and that fit nothing: parameters, variables, and the addresses of overrides.

A flag that fits nothing in the whole run is a mistake. In a file, which may be for other inputs too, it is a warning.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from tablegate.config.configuration import Configuration
from tablegate.config.read_options import pairs
from tablegate.dialects.reading import ReadOptions
from tablegate.engine.settings import ConfigError, did_you_mean
from tablegate.findings import Exit, Fault, FaultCode, Input, Report
from tablegate.model.record import record, replace
from tablegate.model.value import Place
from tablegate.syntax.node import ParseError
from tablegate.syntax.source import Source

_NOUNS = {"param": ("parameter", "template or change set"), "var": ("variable", "root module or plan")}
_NAMED = 5  # in one message


@record(kw_only=False)
class GivenNames:
    """The names that one flag or file gives values for. ``word`` is param or var."""

    word: str
    names: tuple[str, ...]
    where: str  # "--param", a variable of the environment, or a file
    place: Place
    demanded: bool = False  # whether each must fit


def given_names(configuration: Configuration, options: ReadOptions) -> Iterator[GivenNames]:
    """What the flags, the environment and the files give, each with its names."""
    for word in _NOUNS:
        origin = configuration.values[word].origin
        names = tuple(pairs(configuration, word))
        yield GivenNames(word, names, origin, configuration.place_of(word), demanded=origin == f"--{word}")
    for file, names in options.parameter_files.items():
        yield GivenNames("param", names, file, Place(file))
    for source in options.variable_files:
        yield GivenNames("var", _assigned(source, options), source.name, Place(source.name))


def unfit_names(given: Iterable[GivenNames], inputs: Iterable[Input], *, everything: bool) -> Iterator[Fault]:
    """A warning for each file with names that no input has. ConfigError for such a flag, if everything was read."""
    declared: dict[str, frozenset[str]] = dict.fromkeys(_NOUNS, frozenset())
    for item in inputs:
        declared["var" if item.kind.startswith("terraform") else "param"] |= item.declared
    for one in given:
        unfit = [name for name in one.names if name not in declared[one.word]]
        if not unfit:
            continue
        noun, carriers = _NOUNS[one.word]
        shown = ", ".join(f'"{name}"' for name in unfit[:_NAMED]) + (", …" if len(unfit) > _NAMED else "")
        message = f"{one.where}: no {carriers} that was checked has the {noun}{'s' if len(unfit) > 1 else ''} {shown}"
        hint = did_you_mean(unfit[0], declared[one.word])
        if one.demanded and everything:
            raise ConfigError(message, hint=hint)
        yield Fault(FaultCode.INCOMPLETE, message, one.place, blocks=False, hint=hint)


def with_unfit_names(report: Report, given: Iterable[GivenNames], configuration: Configuration) -> Report:
    """The report, with warnings for names that fit nothing. ConfigError for a flag, if everything was read."""
    everything = report.exit in (Exit.OPEN, Exit.BLOCKED)  # else a name may fit what could not be read
    names = unfit_names(given, report.inputs, everything=everything)
    faults = (*names, *_unfit_overrides(report, configuration))
    return replace(report, faults=(*report.faults, *faults)) if faults else report


def _unfit_overrides(report: Report, configuration: Configuration) -> Iterator[Fault]:
    for number, table in enumerate(configuration["overrides"]):
        address = table.get("address")
        if address is not None and address not in report.addressed:
            message = f'override: nothing that was checked has the address "{address}"'
            place = configuration.place_of("overrides", number, "address")
            yield Fault(FaultCode.INCOMPLETE, message, place, blocks=False)


def _assigned(source: Source, options: ReadOptions) -> tuple[str, ...]:
    """The variables that a file assigns; none if it cannot be read, which its readers report."""
    from tablegate.dialects.terraform.source.definitions import assignments  # few runs have such files

    try:
        return tuple(assignments(source, options.grammar))
    except ParseError:
        return ()
