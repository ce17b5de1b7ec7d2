"""What was named on the command line, found and judged: all of it or one shard, by as many processes as are wanted."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence

from tablegate.cli.lines import Lines
from tablegate.cli.progress import Progress
from tablegate.config import Configuration
from tablegate.engine.settings import ConfigError
from tablegate.files import name_of
from tablegate.findings import Counts, Report
from tablegate.merge import NOTHING, merged
from tablegate.model.record import record, replace
from tablegate.parts import Judge
from tablegate.sources import Collected, collect
from tablegate.syntax.source import Source
from tablegate.trees import with_trees


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
        from tablegate.cli.shards import share

        collected, shard = share(collected, *run.shard)
        return replace(_judged(collected, judge, run, progress), shard=shard), Lines(collected.sources)
    finally:
        progress.end()


def _collected(inputs: Iterable[str], run: Run, progress: Progress) -> Collected:
    found = collect(inputs, run.stdin_name, trust_modules=run.trust_modules, ignoring=run.ignoring, tell=progress.met)
    sources = with_trees(found.sources, run.source, run.plan_file, trust_modules=run.trust_modules)
    return replace(found, sources=sources)


def _judged(collected: Collected, judge: Judge, run: Run, progress: Progress) -> Report:
    counts = Counts(policies=len(judge.policies))
    met = replace(NOTHING, faults=collected.faults, skipped=collected.skipped, counts=counts)
    if len(collected.sources) == 1 or not run.nested.isdisjoint(source.name for source in collected.sources):
        return merged((judge.check(collected.sources), met))
    if collected == Collected((), ()) and run.shard is None:
        return judge.check(())
    from tablegate.audit import audit  # imported here: most runs have one source

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
