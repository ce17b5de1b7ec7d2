"""The check command: configuration, packs and inputs are read, judged, and reported. Shards of an audit."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

from tablegate.cli.output import Progress, note, quote
from tablegate.cli.reports import Lines, deliver, destinations, report_view
from tablegate.config.accepted import accepted_in, with_accepted_faults
from tablegate.config.configuration import Configuration, read_configuration
from tablegate.config.given import given_names, with_unfit_names
from tablegate.config.read_options import read_options, with_grammar
from tablegate.dialects import with_shared_inputs
from tablegate.dialects.reading import ReadOptions
from tablegate.engine.settings import ConfigError, Settings
from tablegate.findings import NOTHING, Counts, Exit, Fault, FaultCode, Report, Shard, digest, merged
from tablegate.inputs.collect import Collected, collect
from tablegate.inputs.files import name_of
from tablegate.inputs.terraform import with_source_trees
from tablegate.model.record import record, replace
from tablegate.model.value import Place
from tablegate.packs import LoadedPacks, load
from tablegate.policy.declare import Policy
from tablegate.run.found import with_harmless_faults
from tablegate.run.gate import check_prepared, prepare_policies, with_required_resources
from tablegate.run.parts import Check, groups, size_of


@record()
class ConfigSources:
    """Where the configuration and the packs come from."""

    packs: tuple[str, ...] = ()
    policies: tuple[str, ...] = ()
    config: str | None = None
    no_config: bool = False
    config_ref: str | None = None
    untrusted: bool = False


@record()
class Prepared:
    """What is decided before an input is opened."""

    configuration: Configuration
    policies: tuple[Policy, ...]
    settings: Settings
    loaded: LoadedPacks


@record()
class RunOptions:
    """How the work is done. It changes no finding."""

    stdin_name: str | None
    jobs: int | None
    shard: tuple[int, int] | None
    nested: frozenset[str]  # templates given by --nested: all inputs are read together to find who embeds them
    trust_modules: bool
    source: str | None
    plan_file: str | None
    use_ignore_files: bool
    silent: bool


def check(inputs: Iterable[str], sources: ConfigSources, flags: Mapping[str, Any]) -> int:
    """Check the inputs, write every report, and return the exit code."""
    inputs = tuple(inputs)
    prepared = prepare(sources, flags, inputs)
    configuration = prepared.configuration
    targets = destinations(configuration["output"])
    view = report_view(configuration)
    run = run_options(configuration)
    options = read_options(configuration, os.environ)

    accepted = accepted_in(configuration)
    policies = prepare_policies(prepared.policies, prepared.settings)
    progress = Progress(silent=run.silent)
    try:
        collected = _collected(inputs, run, progress)
        shared = with_shared_inputs(collected.sources, with_grammar(options, collected.sources, os.environ))
        check_sources = partial(check_prepared, prepared=policies, options=shared, guard=prepared.loaded.guard)
        collected, shard = (collected, None) if run.shard is None else share(collected, *run.shard)
        report = replace(_report_on(collected, check_sources, policies.policies, run, progress), shard=shard)
        report = with_harmless_faults(report, collected.sources)
    finally:
        progress.end()
    report = with_accepted_faults(report, accepted, configuration, {name_of(path) for path in inputs})
    lines = Lines(collected.sources)
    lines.keep((*options.nested.values(), *([options.template] if options.template else ())))
    if report.shard is None:  # render requires them of all shards together
        report = with_unused_template(report, options)
        report = with_unfit_names(report, given_names(configuration, shared), configuration)
        if configuration["require-resources"]:
            report = with_required_resources(report)
    return deliver(report, targets, replace(view, line=lines.of(report)))


def prepare(sources: ConfigSources, flags: Mapping[str, Any], inputs: Iterable[str] = ()) -> Prepared:
    """Read the configuration and load the packs, for a run on these inputs."""
    configuration = read_configuration(
        flags,
        folder=os.getcwd(),
        environment=os.environ,
        file=sources.config,
        ref=sources.config_ref,
        search=not sources.no_config,
        untrusted=sources.untrusted,
        inputs=inputs,
    )
    for path in sources.policies:
        configuration.trust.refuse("--policies", path)
    for line in configuration.notes:
        note(f"note: {line}")
    loaded = load(
        (*configuration["packs"], *sources.packs), sources.policies, say=quote, limited=configuration.has_expressions
    )
    policies, settings = configuration.resolve(loaded.policies)
    return Prepared(configuration=configuration, policies=policies, settings=settings, loaded=loaded)


def run_options(configuration: Configuration) -> RunOptions:
    """The options of the work."""
    return RunOptions(
        stdin_name=configuration["stdin-filename"],
        jobs=_jobs(configuration["jobs"]),
        shard=_shard(configuration["shard"]),
        nested=frozenset(name_of(word.partition("=")[2]) for word in configuration["nested"]),
        trust_modules=configuration["trust-modules"],
        source=configuration["source"],
        plan_file=configuration["plan-file"],
        use_ignore_files=uses_ignore_files(configuration),
        silent=configuration["quiet"],
    )


def uses_ignore_files(configuration: Configuration) -> bool:
    """Whether ignore files hide files of folders."""
    return configuration.trust.uses_ignore_files and not configuration["no-ignore"]


def _jobs(word: str | None) -> int | None:
    """The number of processes. None: as many as pay."""
    if word is None or word == "auto":
        return None
    if not re.fullmatch(r"[1-9][0-9]{0,2}", word):
        raise ConfigError(f'--jobs: "{word}" must be a number from 1 to 999, or auto', "jobs")
    return int(word)


def _shard(word: str | None) -> tuple[int, int] | None:
    """The number of the shard, and of how many."""
    if word is None:
        return None
    match = re.fullmatch(r"([0-9]{1,4})/([0-9]{1,4})", word)
    if match is None or not 1 <= int(match[1]) <= int(match[2]):
        raise ConfigError(f'--shard: "{word}" must be I/N, such as 2/8', "shard")
    return int(match[1]), int(match[2])


def _collected(inputs: Iterable[str], run: RunOptions, progress: Progress) -> Collected:
    collected = collect(
        inputs,
        run.stdin_name,
        trust_modules=run.trust_modules,
        use_ignore_files=run.use_ignore_files,
        tell=progress.met,
    )
    sources = with_source_trees(collected.sources, run.source, run.plan_file, trust_modules=run.trust_modules)
    return replace(collected, sources=sources)


def _report_on(
    collected: Collected, check: Check, policies: Sequence[Policy], run: RunOptions, progress: Progress
) -> Report:
    counts = Counts(policies=len(policies))
    faults_alone = replace(NOTHING, faults=collected.faults, skipped=collected.skipped, counts=counts)
    if len(collected.sources) == 1 or not run.nested.isdisjoint(source.name for source in collected.sources):
        return merged((check(collected.sources), faults_alone))
    if collected == Collected((), ()) and run.shard is None:
        return check(())
    from tablegate.run.audit import audit  # imports multiprocessing, and most runs have one source

    return merged((audit(collected.sources, check, policies, jobs=run.jobs, on_progress=progress), faults_alone))


def with_unused_template(report: Report, options: ReadOptions) -> Report:
    """The report, with a fault if --template is given and no input is a change set."""
    if options.template is None or any(item.kind == "change-set" for item in report.inputs):
        return report
    message, hint = "--template is given, but no input is a change set", "give the template as an INPUT"
    fault = Fault(FaultCode.UNREADABLE, message, Place(options.template.name), hint=hint)
    return replace(report, faults=(*report.faults, fault), exit=max(report.exit, Exit.UNREAD))


def share(collected: Collected, number: int, of: int) -> tuple[Collected, Shard]:
    """One shard of the sources: every N-th group. Faults and skipped files belong to the first shard."""
    names_and_sizes = "\0".join(f"{source.name}\0{size_of((source,))}" for source in collected.sources)
    shard = Shard(number, of, len(collected.sources), digest(f"{of}\0{names_and_sizes}"))
    own = [source for group in groups(collected.sources)[number - 1 :: of] for source in group]
    part = replace(collected, sources=tuple(own))
    return (part if number == 1 else replace(part, faults=(), skipped=())), shard


def missing_shards(reports: Iterable[Report]) -> Iterator[Fault]:
    """Why these reports are not the whole of one audit."""
    audits: dict[tuple[int, str], list[int]] = {}
    for report in reports:
        if report.shard is not None:
            audits.setdefault((report.shard.of, report.shard.digest), []).append(report.shard.number)
    if len(audits) > 1:
        yield _incomplete("these are shards of different audits", "give the shards of one commit")
    for (of, _), numbers in sorted(audits.items()):
        for number in range(1, of + 1):
            if numbers.count(number) != 1:
                what = "is missing" if number not in numbers else "is given more than once"
                yield _incomplete(f"shard {number} of {of} {what}", "give the report of every shard, each once")


def _incomplete(message: str, hint: str) -> Fault:
    return Fault(FaultCode.INCOMPLETE, message, Place(""), hint=hint)
