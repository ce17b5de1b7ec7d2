"""The check command; shards of an audit."""

from __future__ import annotations

import os
import re
import stat
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

from tablegate.cli.output import OutputError, Progress, emit, note, quote, save
from tablegate.cli.reports import PIPED, Destination, Lines, coloured, destinations, width
from tablegate.config import Configuration, read_configuration
from tablegate.dialects import with_shared_inputs
from tablegate.dialects.reading import ReadOptions
from tablegate.engine.judge import Running
from tablegate.engine.settings import ConfigError, Settings, selected
from tablegate.findings import NOTHING, Counts, Exit, Fault, FaultCode, Report, Shard, digest, merged
from tablegate.inputs.collect import Collected, collect
from tablegate.inputs.files import name_of
from tablegate.inputs.terraform import with_source_trees
from tablegate.model.estate import Estate
from tablegate.model.record import record, replace
from tablegate.model.value import Place
from tablegate.packs import LoadedPacks, load
from tablegate.policy.declare import Policy
from tablegate.reporters import REPORTERS
from tablegate.reporters.wording import Detail, ReportView
from tablegate.run.gate import checked
from tablegate.run.parts import Judge, groups, weight
from tablegate.syntax.source import Source

_OTHERS = stat.S_IWGRP | stat.S_IWOTH


def grammar_file(environment: Mapping[str, str]) -> str | None:
    """The file of this Python; None where there is no safe place for it: then every run compiles it anew."""
    home = environment.get("HOME") or environment.get("USERPROFILE")
    base = environment.get("XDG_CACHE_HOME") or (f"{home}/.cache" if home else None)
    if base is None:
        return None
    folder = os.path.join(base, "tablegate")
    try:
        os.makedirs(folder, mode=0o700, exist_ok=True)
        found = os.stat(folder)
    except OSError:
        return None
    # It is unpickled: a file that somebody else could have put there is code of theirs.
    if hasattr(os, "getuid") and (found.st_uid != os.getuid() or found.st_mode & _OTHERS):
        return None
    return os.path.join(folder, f"hcl-{sys.version_info[0]}.{sys.version_info[1]}.bin")


@record()
class Run:
    """How the user wants the work to be done. It changes no finding."""

    stdin_name: str | None
    jobs: int | None
    shard: tuple[int, int] | None
    nested: frozenset[str]  # templates that stacks embed by their user's word: who does is known only in the end
    trust_modules: bool
    source: str | None
    plan_file: str | None
    ignoring: bool
    silent: bool


def wanted(configuration: Configuration) -> Run:
    """What the flags say. Where the working tree is not trusted, nothing in it leaves out a file."""
    return Run(
        stdin_name=configuration["stdin-filename"],
        jobs=_jobs(configuration["jobs"]),
        shard=_shard(configuration["shard"]),
        nested=frozenset(name_of(word.partition("=")[2]) for word in configuration["nested"]),
        trust_modules=configuration["trust-modules"],
        source=configuration["source"],
        plan_file=configuration["plan-file"],
        ignoring=configuration.trusts_tree and not configuration["no-ignore"],
        silent=configuration["quiet"],
    )


def judged(inputs: Iterable[str], judge_of: Callable[[Sequence[Source]], Judge], run: Run) -> tuple[Report, Lines]:
    """What the gate says of all that was found, and the lines to show with it."""
    progress = Progress(silent=run.silent)
    try:
        collected = _collected(inputs, run, progress)
        judge = judge_of(collected.sources)
        if run.shard is None:
            return _judged(collected, judge, run, progress), Lines(collected.sources)

        collected, shard = share(collected, *run.shard)
        return replace(_judged(collected, judge, run, progress), shard=shard), Lines(collected.sources)
    finally:
        progress.end()


def _collected(inputs: Iterable[str], run: Run, progress: Progress) -> Collected:
    found = collect(inputs, run.stdin_name, trust_modules=run.trust_modules, ignoring=run.ignoring, tell=progress.met)
    sources = with_source_trees(found.sources, run.source, run.plan_file, trust_modules=run.trust_modules)
    return replace(found, sources=sources)


def _judged(collected: Collected, judge: Judge, run: Run, progress: Progress) -> Report:
    counts = Counts(policies=len(judge.policies))
    met = replace(NOTHING, faults=collected.faults, skipped=collected.skipped, counts=counts)
    if len(collected.sources) == 1 or not run.nested.isdisjoint(source.name for source in collected.sources):
        return merged((judge.check(collected.sources), met))
    if collected == Collected((), ()) and run.shard is None:
        return judge.check(())
    from tablegate.run.audit import audit  # imported here: most runs have one source

    return merged((audit(collected.sources, judge, jobs=run.jobs, tell=progress), met))


def _jobs(word: str | None) -> int | None:
    """How many processes somebody asked for. None: as many as pay."""
    if word is None or word == "auto":
        return None
    if not re.fullmatch(r"[1-9][0-9]{0,2}", word):
        raise ConfigError(f'--jobs: "{word}" must be a number from 1 to 999, or auto', "jobs")
    return int(word)


def _shard(word: str | None) -> tuple[int, int] | None:
    """Which part of how many somebody asked for."""
    if word is None:
        return None
    found = re.fullmatch(r"([0-9]{1,4})/([0-9]{1,4})", word)
    if found is None or not 1 <= int(found[1]) <= int(found[2]):
        raise ConfigError(f'--shard: "{word}" must be I/N, such as 2/8', "shard")
    return int(found[1]), int(found[2])


_OF_TERRAFORM = "TF_VAR_"
_ELSEWHERE = frozenset({"inputs", "pack", "policies", "config", "no-config", "config-ref", "untrusted"})
_OF_WORDS = ("select", "extend-select", "ignore")


@record()
class ConfigSources:
    """Where the configuration and the packs are looked for."""

    packs: tuple[str, ...] = ()
    policies: tuple[str, ...] = ()
    config: str | None = None
    no_config: bool = False
    config_ref: str | None = None
    untrusted: bool = False


@record()
class Prepared:
    """All that was decided before an input is opened."""

    configuration: Configuration
    policies: tuple[Policy, ...]
    settings: Settings
    loaded: LoadedPacks


def check_command(given: Mapping[str, Any]) -> int:
    """The check command, by the names of its options: Typer's, or those of whoever read them without it."""
    where = ConfigSources(
        packs=tuple(given.get("pack") or ()),
        policies=tuple(given.get("policies") or ()),
        config=given.get("config"),
        no_config=bool(given.get("no-config")),
        config_ref=given.get("config-ref"),
        untrusted=bool(given.get("untrusted")),
    )
    flags = {name: value for name, value in given.items() if name not in _ELSEWHERE}
    flags |= {name: _words(given.get(name)) for name in _OF_WORDS}
    return check(given.get("inputs") or (), where, flags)


def _words(given: list[str] | None) -> list[str] | None:
    """The words of a repeatable flag, also where several were given at once: ``TG301,TG302``."""
    return given and [word for item in given for word in item.split(",") if word]


def prepare(where: ConfigSources, flags: Mapping[str, Any]) -> Prepared:
    """Read the configuration and load the packs."""
    configuration = read_configuration(
        given(flags),
        folder=os.getcwd(),
        environment=os.environ,
        file=where.config,
        ref=where.config_ref,
        search=not where.no_config,
        untrusted=where.untrusted,
    )
    for told in configuration.notes:
        note(f"note: {told}")
    loaded = load((*configuration["packs"], *where.packs), where.policies, say=quote)
    policies, settings = configuration.resolve(loaded.policies)
    if where.config_ref or where.untrusted:  # what the working tree holds may only tighten
        settings = replace(settings, heeds_acknowledged=False)
    return Prepared(configuration=configuration, policies=policies, settings=settings, loaded=loaded)


def given(flags: Mapping[str, Any]) -> dict[str, Any]:
    """The flags that somebody wrote, with lists as the configuration holds them."""
    written = {key: value for key, value in flags.items() if value not in (None, False, [])}
    return {key: tuple(value) if isinstance(value, list) else value for key, value in written.items()}


def check(inputs: Iterable[str], where: ConfigSources, flags: Mapping[str, Any]) -> int:
    """Judge the inputs, write every report that is due, and say how it ended."""
    prepared = prepare(where, flags)
    configuration = prepared.configuration
    due = destinations(configuration["output"])
    view = look_of(configuration)
    run = wanted(configuration)
    options = read_options(configuration)

    def judge_of(sources: Sequence[Source]) -> Judge:
        known = with_shared_inputs(sources, with_grammar(options, sources))
        running = Running(selected(prepared.policies, prepared.settings), prepared.settings)
        estates: list[Estate] = []
        check = partial(checked, running=running, options=known, guard=prepared.loaded.guard, keep=estates.append)
        return Judge(check, running.policies, estates)

    report, lines = judged(inputs, judge_of, run)
    lines.keep((*options.nested.values(), *([options.template] if options.template else ())))
    if report.shard is None:  # of a part nothing is required: what all parts hold together counts
        report = explained(required(report, configuration), options)
    return deliver(report, due, replace(view, line=lines.of(report)))


def look_of(configuration: Configuration) -> ReportView:
    """How the reader wants to see the report."""
    return ReportView(colour=coloured(configuration["color"], os.environ), width=width(), detail=_detail(configuration))


def read_options(configuration: Configuration) -> ReadOptions:
    """What the user says about the inputs."""
    values: dict[str, str] = {}
    tags: dict[str, str] = {}
    region = configuration["region"]
    for name in configuration["params"]:
        held = _parameter_file(name)
        values |= held.values
        tags |= held.tags
        region = region or held.region
    values |= _pairs(configuration, "param")
    return ReadOptions(
        nested=dict(map(_nested, configuration["nested"])),
        template=_template(configuration["template"]),
        allow_partial=configuration["allow-partial"],
        assume_defaults=configuration["assume-defaults"],
        parameters=values,
        stack_tags=tags,
        region=region,
        account=configuration["account"],
        variables=_pairs(configuration, "var"),
        variable_files=tuple(map(_variable_file, configuration["var-file"])),
        environment={
            name.removeprefix(_OF_TERRAFORM): text
            for name, text in sorted(os.environ.items())
            if name.startswith(_OF_TERRAFORM)
        },
    )


def with_grammar(options: ReadOptions, sources: Iterable[Source]) -> ReadOptions:
    """The same, with a place for the compiled grammar where one is needed."""
    needed = any(source.folder is not None or source.tree is not None for source in sources)
    return replace(options, grammar=grammar_file(os.environ)) if needed else options


def _pairs(configuration: Configuration, key: str) -> dict[str, str]:
    found = {}
    for word in configuration[key]:
        name, given, value = word.partition("=")
        if not name or not given:
            raise ConfigError(f'--{key}: "{word}" must be NAME=VALUE', key)
        found[name] = value
    return found


def _variable_file(name: str) -> Source:
    try:
        return Source(name, _bytes(name))
    except OSError as error:
        raise ConfigError(f"{name}: {(error.strerror or 'cannot be read').lower()}", "var-file") from None


def _bytes(name: str) -> bytes:
    with open(name, "rb") as file:
        return file.read()


def deliver(report: Report, due: Iterable[Destination], view: ReportView) -> int:
    """Write the reports, files first. The exit code is the report's own, or 4 where one could not be written."""
    due = tuple(due)
    for destination in due:
        if destination.path is not None:
            text = REPORTERS[destination.format](report, replace(view, colour=False, width=PIPED))
            try:
                save(destination.path, text)
            except OutputError as error:
                note(f"tablegate: {error}")
                report = _unwritten(report, str(error))
    for destination in due:
        if destination.path is None:
            emit(REPORTERS[destination.format](report, view))
            if destination.format != "text":
                note(f"gate: {report.gate} (exit {int(report.exit)})")
    return int(report.exit)


def _unwritten(report: Report, what: str) -> Report:
    missing = Fault(FaultCode.INTERNAL, f"a report could not be written: {what}", Place(""))
    return replace(report, faults=(*report.faults, missing), exit=Exit.INTERNAL)


def _detail(configuration: Configuration) -> Detail:
    if configuration["verbose"] and configuration["quiet"]:
        raise ConfigError("--verbose and --quiet cannot both be meant", "verbose")
    if configuration["verbose"]:
        return Detail.FULL
    return Detail.BRIEF if configuration["quiet"] else Detail.USUAL


def required(report: Report, configuration: Configuration) -> Report:
    """The report, with a fault where it judges nothing and somebody asked for more."""
    if not configuration["require-resources"] or report.counts.verdicts or report.exit > Exit.USAGE:
        return report
    name = report.inputs[0].path if len(report.inputs) == 1 else ""
    missing = Fault(
        FaultCode.UNREADABLE, "no input holds any DynamoDB, and --require-resources asks for some", Place(name)
    )
    return replace(report, faults=(*report.faults, missing), exit=Exit.UNREAD)


def explained(report: Report, options: ReadOptions) -> Report:
    """The report, with a fault where a template was given for a change set that is not there."""
    if options.template is None or any(item.kind == "change-set" for item in report.inputs):
        return report
    said, hint = "there is no change set that this template goes with", "give the template as an INPUT"
    alone = Fault(FaultCode.UNREADABLE, said, Place(options.template.name), hint=hint)
    return replace(report, faults=(*report.faults, alone), exit=max(report.exit, Exit.UNREAD))


def _nested(word: str) -> tuple[str, Source]:
    key, given, path = word.partition("=")
    if not key or not given:
        raise ConfigError(f'--nested: "{word}" must be LOGICALID=FILE', "nested")
    return key, _one(path, "nested")


def _template(path: str | None) -> Source | None:
    return None if path is None else _one(path, "template")


def _one(path: str, key: str) -> Source:
    collected = collect((path,))
    if collected.faults or len(collected.sources) != 1:
        what = collected.faults[0].message if collected.faults else "one template is needed"
        raise ConfigError(f"--{key}: {path}: {what}", key)
    return collected.sources[0]


def _parameter_file(name: str) -> Any:
    from tablegate.dialects.cloudformation.parameters import parse_parameters
    from tablegate.syntax.node import ParseError
    from tablegate.syntax.source import decode

    try:
        return parse_parameters(decode(_bytes(name)), name)
    except OSError as error:
        raise ConfigError(f"{name}: {(error.strerror or 'cannot be read').lower()}", "params") from None
    except ParseError as error:
        at = f":{error.line}:{error.column}" if error.line else ""
        raise ConfigError(f"{name}{at}: {error.message}", "params", hint=error.hint) from None


def share(collected: Collected, number: int, of: int) -> tuple[Collected, Shard]:
    """One part of what was found: every so many sources one, and in the first all that could not be read."""
    found = groups(collected.sources)
    seen = "\0".join(f"{source.name}\0{weight((source,))}" for source in collected.sources)
    shard = Shard(number, of, len(collected.sources), digest(f"{of}\0{seen}"))
    own = replace(collected, sources=tuple(source for group in found[number - 1 :: of] for source in group))
    return (own if number == 1 else replace(own, faults=(), skipped=())), shard


def missing(reports: Iterable[Report]) -> Iterator[Fault]:
    """What stands in the way of taking these reports for the whole of an audit."""
    audits: dict[tuple[int, str], list[int]] = {}
    for report in reports:
        if report.shard is not None:
            audits.setdefault((report.shard.of, report.shard.digest), []).append(report.shard.number)
    if len(audits) > 1:
        yield _fault("these are shards of different audits", "give those that one commit was split into")
    for (of, _), numbers in sorted(audits.items()):
        for number in range(1, of + 1):
            if numbers.count(number) != 1:
                what = "missing" if number not in numbers else "there more than once"
                yield _fault(f"shard {number} of {of} is {what}", "give the report of every shard, each once")


def _fault(message: str, hint: str) -> Fault:
    return Fault(FaultCode.INCOMPLETE, message, Place(""), hint=hint)
