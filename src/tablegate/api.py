"""The door for programs: hooks, editors, notebooks and engines call ``check``.

>>> from tablegate import Text, check
>>> template = "Resources: {Orders: {Type: 'AWS::DynamoDB::Table', Properties: {BillingMode: PAY_PER_REQUEST}}}"
>>> report = check(Text("orders.yaml", template), select=["TG301"])
>>> [(finding.policy.id, finding.address, finding.blocks) for finding in report.findings]
[('TG301', 'Orders', True)]
>>> report.gate, int(report.exit)
('blocked', 1)
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Mapping
from os import PathLike
from typing import Literal, NamedTuple

from tablegate.config.accepted import accepted_in, with_accepted_faults
from tablegate.config.configuration import read_configuration
from tablegate.config.find import ConfigFile
from tablegate.config.given import GivenNames, given_names, with_unfit_names
from tablegate.config.read_options import read_options, with_grammar
from tablegate.engine.settings import ConfigError, as_texts
from tablegate.findings import Report
from tablegate.inputs.collect import Collected, collect, sources_of_texts
from tablegate.inputs.files import name_of
from tablegate.inputs.terraform import with_source_trees
from tablegate.model.record import replace
from tablegate.model.value import Place
from tablegate.packs import load
from tablegate.policy.declare import Policy, PolicyError
from tablegate.reporters import REPORTERS
from tablegate.reporters.wording import ReportView
from tablegate.run import gate
from tablegate.run.found import with_harmless_faults
from tablegate.syntax.source import Source

__all__ = ["ConfigError", "PolicyError", "Report", "Text", "check", "render"]

Level = Literal["critical", "high", "medium", "low", "info", "never"]
UnknownValues = Literal["block", "warn", "ignore"]


class Text(NamedTuple):
    """An input that is no file, such as the text in an editor, under the name that reports give it.

    Terraform source needs a name that ends as its files do. Everything else is recognised by its content.
    """

    name: str
    text: str | bytes


def check(
    *inputs: str | PathLike[str] | Text,
    select: Iterable[str] | None = None,
    ignore: Iterable[str] | None = None,
    fail_on: Level | None = None,
    unknown: UnknownValues | None = None,
    parameters: Mapping[str, str] | None = None,
    variables: Mapping[str, str] | None = None,
    region: str | None = None,
    account: str | None = None,
    policies: Iterable[str | PathLike[str] | Policy] = (),
    config: str | PathLike[str] | Mapping[str, object] | None = None,
) -> Report:
    """Check files, folders and texts as ``tablegate check`` does, and return the report.

    - ``inputs``: plans, templates, Terraform source, change sets, states, or folders of them.
    - ``select``, ``ignore``: ids, names, families or severities of policies.
    - ``fail_on``, ``unknown``: the lowest severity that blocks, and what an unknown value does.
    - ``parameters``, ``variables``: values for parameters of CloudFormation and variables of Terraform.
    - ``region``, ``account``: where the input will be deployed, if it does not say.
    - ``policies``: policies, or files and folders of them. A path is loaded by every call, and its code runs.
    - ``config``: a ``tablegate.toml``, or its keys as a mapping. The other arguments override it.

    ``report.findings`` are the policies that fail or are unknown, ``report.faults`` what could not be read, and
    ``report.exit`` is the exit code that the command would have. ConfigError is raised for a wrong argument, and
    PolicyError for policies that cannot be loaded.

    The same arguments and files give the same report: no environment variable counts, no configuration is searched, and
    no file beside a ``Text`` is read. Threads may call this at the same time.
    """
    own, paths = _policies_and_paths(policies)
    flags: dict[str, object] = {"fail-on": fail_on, "unknown": unknown, "region": region, "account": account}
    flags |= {"select": _words("select", select), "ignore": _words("ignore", ignore)}
    configuration = read_configuration(
        {key: value for key, value in flags.items() if value is not None},
        folder=os.curdir,
        environment={},
        file=_config_file(config),
        search=False,
    )
    packs = load(configuration["packs"], paths, say=_print_on_stderr, limited=configuration.has_expressions)
    every, settings = configuration.resolve((*packs.policies, *own))
    accepted = accepted_in(configuration)
    collected = _collected(inputs, trust_modules=configuration["trust-modules"])
    options = with_grammar(read_options(configuration, {}), collected.sources, os.environ)
    options = replace(
        options,
        parameters={**options.parameters, **(parameters or {})},
        variables={**options.variables, **(variables or {})},
    )
    report = gate.check(collected.sources, every, settings, options, faults=collected.faults, guard=packs.guard)
    report = with_harmless_faults(replace(report, skipped=collected.skipped), collected.sources)
    named = {name_of(os.fspath(each)) for each in inputs if not isinstance(each, Text)}
    report = with_accepted_faults(report, accepted, configuration, named)
    arguments = [
        GivenNames(word, tuple(names or ()), argument, Place(""), demanded=True)
        for word, argument, names in (("param", "parameters", parameters), ("var", "variables", variables))
    ]
    report = with_unfit_names(report, (*given_names(configuration, options), *arguments), configuration)
    return gate.with_required_resources(report) if configuration["require-resources"] else report


def render(report: Report, format: str = "text") -> str:
    """The report in a format of ``tablegate check -o``, such as "text" or "json"."""
    if format not in REPORTERS:
        raise ConfigError(f'"{format}" is no format', hint=f"known: {', '.join(REPORTERS)}")
    return REPORTERS[format](report, ReportView())


def _policies_and_paths(
    policies: Iterable[str | PathLike[str] | Policy],
) -> tuple[tuple[Policy, ...], tuple[str, ...]]:
    listed = tuple(policies)
    paths = tuple(os.fspath(each) for each in listed if not isinstance(each, Policy))
    return tuple(each for each in listed if isinstance(each, Policy)), paths


def _print_on_stderr(text: str) -> None:
    print(text.rstrip("\n"), file=sys.stderr)  # noqa: T201 - what a pack prints must not get into a program's output


def _words(key: str, words: Iterable[str] | None) -> tuple[str, ...] | None:
    return None if words is None else as_texts(words if isinstance(words, str) else list(words), (key,))


def _config_file(config: str | PathLike[str] | Mapping[str, object] | None) -> ConfigFile | str | None:
    if isinstance(config, Mapping):
        return ConfigFile("config", "", config, os.curdir)
    return None if config is None else os.fspath(config)


def _collected(inputs: Iterable[str | PathLike[str] | Text], *, trust_modules: bool) -> Collected:
    """Files and texts as sources. A plan among the files has the Terraform source that lies beside it."""
    texts = [each for each in inputs if isinstance(each, Text)]
    collected = collect([os.fspath(each) for each in inputs if not isinstance(each, Text)], trust_modules=trust_modules)
    sources = with_source_trees(collected.sources, None, None, trust_modules=trust_modules)
    of_texts = sources_of_texts(Source(each.name, _bytes(each.text)) for each in texts)
    names = [source.name for source in (*sources, *of_texts)]
    for name in names:
        if names.count(name) > 1:
            raise ConfigError(f'two inputs are called "{name}"')
    return replace(collected, sources=(*sources, *of_texts))


def _bytes(text: str | bytes) -> bytes:
    return text.encode() if isinstance(text, str) else text
