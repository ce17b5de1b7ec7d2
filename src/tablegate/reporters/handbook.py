"""Policies as pages: one for a terminal, and all of them for the handbook."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby

from tablegate.model import facts
from tablegate.model.table import GLOBAL_TABLE
from tablegate.policy.declare import FAMILIES, RELAXED_ENVIRONMENTS, Policy, PolicyOption, Profile, type_in_words
from tablegate.reporters.authors import AUTHORS

SUBJECTS = {
    "Table": "every table",
    "Index": "every index of every table",
    "Replica": "every replica of every table",
    "Grant": "every statement that grants access to a table",
    "Holder": "everyone with access to a table",
    "Unread": "every IAM document that could not be read completely",
    "Change": "every change that the input makes to a table",
    "DaxCluster": "every DAX cluster",
    "LegacyGlobalTable": "every global table of version 2017.11.29, and every replica made by a custom resource",
    "Estate": "the input as a whole",
}

QUESTIONS = {
    "capacity": "Does the table scale with its traffic, and is the bill bounded?",
    "encryption": "Who owns the key?",
    "recovery": "Can a lost or damaged table be brought back?",
    "ttl": "Does data that must expire, expire?",
    "access": "Who can do what to which table?",
    "keys": "Do the keys spread traffic and serve the queries?",
    "change": "What does this change do to data that exists?",
    "contract": "Is every access pattern served, and every index used?",
    "governance": "Can people find out what a table is for?",
}

DIALECTS = {
    "terraform": "Terraform plans, states and source",
    "cloudformation": "templates of CloudFormation, SAM and the CDK, and change sets",
}
# Each kind of input: its language, whether it shows what a deploy changes, and when a value is unknown there.
SOURCES = {
    "plan": ("terraform", True, "if it is known only after apply, and no reference in the plan leads to its value"),
    "state": ("terraform", False, "if the provider does not store it"),
    "source": (
        "terraform",
        False,
        "if it comes from a variable without a value, another resource, a data source, a file or a module that was "
        "not read",
    ),
    "template": (
        "cloudformation",
        False,
        "if it comes from a parameter without a value, an import, a dynamic reference or a macro",
    ),
    "change set": (
        "cloudformation",
        True,
        "if it is known only after the deploy, or the change set was described without `--include-property-values`",
    ),
}
_SHOWN = {
    "plan": "Terraform plan",
    "state": "Terraform state",
    "source": "module's source",
    "template": "template",
    "change set": "change set",
}

TAGS = {
    "purpose": facts.PURPOSE_TAGS,
    "environment": facts.ENVIRONMENT_TAGS,
    "data class": facts.DATA_CLASS_TAGS,
    "capacity mode": facts.CAPACITY_TAGS,
}

_MARGIN = 16  # columns of the words before a page's rows

INTRODUCTION = """\
<!-- Written by `make docs` from the policies themselves. Edit those. -->

# The policies of tablegate

Every policy has an id and a name. Use either one wherever a policy can be named; a family (`TG3`, `recovery`) or a
severity works there too. `tablegate explain TG301` prints one of these pages. High and critical policies block by
default; `--fail-on` changes the threshold.

## Unknown

A policy passes, fails, or is unknown because a value that it needs is unknown:

{sources}

The report names the value, the reason, and how to resolve it. Unknown values in Terraform source do not block unless
you pass `--unknown block`: the plan will know them. A setting that nobody sets is not unknown: it is checked as the
default that the service will use.

## Tags

Some policies depend on what a table is for. They read it from the first of these tags that the table has, in upper or
lower case, or from an override in the configuration:

| setting | tags |
| --- | --- |
{tags}

## Profiles

Profile `standard` is the default: what a team can block on from the first day. `profile = "strict"` in the
configuration, or `--profile strict`, runs more policies and raises the severity of some; their pages say so.

## Environments

Where a table's environment is known to be one of `relaxed-environments` ({relaxed}, unless the configuration sets
others), findings on capacity and recovery are one step less severe, and say so. If the environment depends on a
parameter, the most severe result counts.

## State locks

A table whose only key is `LockID`, a String, holds Terraform's state locks, unless a tag or an override gives it
another purpose. These do not apply to it, nor to a table whose purpose is `lock`: {locks}.

## One cause, one finding

Policies that fail for one cause are one finding: the most severe of them, with the others listed inside it. One fix
serves them all. All of them count as failed checks. A policy whose leader is ignored or waived is reported alone.

{causes}

{authors}## Families

"""


def page(policy: Policy, width: int = 100) -> str:
    """One policy for a terminal of this width."""
    room = width - _MARGIN
    head = f"{policy.name} ({policy.id})"
    rows = [
        ("Rule", policy.title),
        ("Why", _flat(policy.rationale)),
        ("Applies to", f"{_subject(policy)}, in {_dialects(policy)}"),
    ]
    rows.append(
        ("Unknown if", "a value that it needs is unknown; the handbook says when: tablegate policies --markdown")
    )
    blocks = [_row(word, textwrap.wrap(text, room, break_on_hyphens=False)) for word, text in rows]
    if policy.options:
        blocks.append(_row("Options", [line for option in policy.options for line in _option_lines(option, room)]))
        blocks.append(_row("", [f"set under [policies.{policy.name}]"]))
    no_fix = "no fix given" if _has_no_fix(policy) else "does not apply"
    for word, fix in (("Terraform", policy.remedy.terraform), ("CloudFormation", policy.remedy.cloudformation)):
        blocks.append(_row(word, _fragment(fix).splitlines() if fix else [no_fix]))
    if policy.remedy.global_table:
        blocks.append(_row("Global table", _fragment(policy.remedy.global_table).splitlines()))
    blocks.append(_row("More", [policy.docs]))
    facts = _facts(policy)
    gap = width - len(head) - len(facts)
    return f"{head}{' ' * gap if gap >= 2 else f'{chr(10)}  '}{facts}\n\n" + "\n".join(blocks) + "\n"


def handbook(policies: Iterable[Policy]) -> str:
    """All policies in Markdown, with an index by family."""
    families = [
        (family, list(members))
        for family, members in groupby(sorted(policies, key=_order), key=lambda policy: policy.family)
    ]
    parts = [_introduction([policy for _, members in families for policy in members])]
    for family, members in families:
        parts.append(f"- [{family}](#{family}): {_question(family, members)}\n")
    for family, members in families:
        parts.append(f"\n## {family}\n\n{_question(family, members)}\n\n{_table(members)}")
        parts += [f"\n{entry(policy)}" for policy in members]
    return "".join(parts)


def entry(policy: Policy) -> str:
    """One policy in Markdown."""
    return "\n\n".join(_sections(policy)) + "\n"


def _sections(policy: Policy) -> Iterator[str]:
    yield f"### {policy.id} {policy.name}"
    yield f"**{policy.title}.** ({_facts(policy)})"
    yield f"**Why.** {_flat(policy.rationale)}"
    yield f"**Applies to** {_subject(policy)}, in {_dialects(policy)}."
    yield "**Unknown if** a value that it needs [is unknown](#unknown)."
    if policy.options:
        rows = [
            "| option | meaning | takes | default |",
            "| --- | --- | --- | --- |",
            *map(_option_row, policy.options),
        ]
        yield f"**Options** under `[policies.{policy.name}]`:\n\n" + "\n".join(rows)
    if policy.remedy.terraform:
        yield f"**Terraform**\n\n```hcl\n{_fragment(policy.remedy.terraform)}\n```"
    if policy.remedy.cloudformation:
        yield f"**CloudFormation**\n\n```yaml\n{_fragment(policy.remedy.cloudformation)}\n```"
    if policy.remedy.global_table:
        yield f"**CloudFormation, `{GLOBAL_TABLE}`**\n\n```yaml\n{_fragment(policy.remedy.global_table)}\n```"
    yield f"[Read more]({policy.docs})"


def toml_text(content: object) -> str:
    """A value as TOML."""
    match content:
        case bool():
            return "true" if content else "false"
        case str():
            return '"' + content.replace("\\", "\\\\").replace('"', '\\"') + '"'
        case tuple() | list():
            return "[" + ", ".join(map(toml_text, content)) + "]"
        case _:
            return str(content)


def _question(family: str, members: list[Policy]) -> str:
    """The question of the family, or its number of policies."""
    return QUESTIONS.get(family, "1 policy" if len(members) == 1 else f"{len(members)} policies")


def _table(members: list[Policy]) -> str:
    rows = [
        f"| [{policy.id}](#{_anchor(policy)}) | {policy.name} | {_weight(policy)} | {policy.title} |"
        for policy in members
    ]
    return "\n".join(["| id | name | severity | rule |", "| --- | --- | --- | --- |", *rows]) + "\n"


def _option_lines(option: PolicyOption, width: int) -> Iterator[str]:
    """The option as in the configuration file, below its sentence."""
    yield from (f"# {line}" for line in textwrap.wrap(option.about or "", width - 2))
    yield f"{option.name} = {toml_text(option.default)}"


def _option_row(option: PolicyOption) -> str:
    cells = (f"`{option.name}`", option.about or "", type_in_words(option), f"`{toml_text(option.default)}`")
    return f"| {' | '.join(cells)} |".replace("``", "` `")


def _row(word: str, lines: list[str]) -> str:
    return "\n".join(f"{word if at == 0 else '':<{_MARGIN}}{line}".rstrip() for at, line in enumerate(lines or [""]))


def _facts(policy: Policy) -> str:
    return f"{policy.severity} · {policy.family} · {_when_on(policy)}"


def _weight(policy: Policy) -> str:
    return str(policy.severity) if policy.is_on(Profile.STANDARD) else f"{policy.severity}, {_when_on(policy)}"


def _when_on(policy: Policy) -> str:
    if policy.profile is Profile.STRICT:
        return "on in profile strict"
    raised = f", {policy.strict_severity} in profile strict" if policy.strict_severity else ""
    return ("off by default" if policy.profile is None else "on by default") + raised


def _subject(policy: Policy) -> str:
    return SUBJECTS[policy.subject.__name__]


def _dialects(policy: Policy) -> str:
    if _is_of_changes(policy):
        sources = (
            word for word, (language, changes, _) in SOURCES.items() if changes and language in _languages(policy)
        )
        return " and in ".join(f"a {word}" for word in sources)
    return "; and in ".join(DIALECTS[language] for language in _languages(policy))


def _is_of_changes(policy: Policy) -> bool:
    return policy.subject.__name__ == "Change"


def _known_sources() -> str:
    lines = [f"- in a {_SHOWN[word]}, {why}" for word, (_, _, why) in SOURCES.items()]
    return ";\n".join(lines) + "."


def _introduction(policies: Sequence[Policy]) -> str:
    causes: dict[str, list[str]] = {}
    for policy in policies:
        if policy.cause is not None:
            causes.setdefault(policy.cause, []).append(policy.id)
    exempt = ", ".join(policy.id for policy in policies if not policy.state_locks)
    return INTRODUCTION.format(
        authors=AUTHORS,
        sources=_known_sources(),
        tags=_tags(),
        relaxed=", ".join(RELAXED_ENVIRONMENTS),
        locks=exempt or "none",
        causes="\n".join(f"- {cause}: {', '.join(ids)}" for cause, ids in causes.items()),
    )


def _tags() -> str:
    """A row for each setting that tags can state."""
    return "\n".join(f"| {setting} | {', '.join(f'`{tag}`' for tag in tags)} |" for setting, tags in TAGS.items())


def _languages(policy: Policy) -> list[str]:
    """The languages that the policy has a remedy for, or all of them."""
    spelled = [language for language in DIALECTS if getattr(policy.remedy, language) is not None]
    return spelled or list(DIALECTS)


def _has_no_fix(policy: Policy) -> bool:
    return all(getattr(policy.remedy, language) is None for language in DIALECTS)


def _fragment(text: str) -> str:
    return textwrap.dedent(text).strip("\n")


def _flat(text: str) -> str:
    return " ".join(text.split()).replace("``", "`")


def _anchor(policy: Policy) -> str:
    """The anchor that GitHub gives to the policy's heading."""
    return re.sub(r"[^\w\- ]", "", f"{policy.id} {policy.name}".lower()).replace(" ", "-")


def _order(policy: Policy) -> tuple[bool, str]:
    return (policy.id[:3] not in FAMILIES, policy.id)
