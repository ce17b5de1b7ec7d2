"""Policies as pages."""

from __future__ import annotations

import re
import tomllib
from dataclasses import replace
from pathlib import Path
from textwrap import dedent
from typing import Annotated, Any

from support.reports import PROTECTION, RECOVERY
from tablegate.engine.data_policies import _KEYS, MUSTS, SUBJECTS, data_policies
from tablegate.model.table import Dialect
from tablegate.policy import LOW, Change, Index, Policy, Verdict, policy
from tablegate.policy.declare import InBothLanguages
from tablegate.reporters.authors import AUTHORS
from tablegate.reporters.handbook import entry, handbook, page, toml_text
from tablegate.testing import smallest_template

EVERY_SOURCE = ("Terraform plan", "Terraform state", "module's source", "template", "change set")


def sized(*, most: int = 5, words: tuple[str, ...] = ("a", "b")) -> Policy:
    """A policy of a pack of its own, with options, for one language."""

    @policy(
        "ACME001",
        LOW,
        "An index must be small",
        docs="https://wiki.example.com/small",
        terraform=None,
        cloudformation="""
            Projection:
              ProjectionType: KEYS_ONLY
        """,
        on=False,
    )
    def small(index: Index, *, most: Annotated[int, "largest size"] = most, words: tuple[str, ...] = words) -> Verdict:
        """Large ones are ``dear``.

        And slow.
        """
        return index.projection.equals("KEYS_ONLY")

    return small


def test_a_page_says_everything_on_one_screen() -> None:
    """What it asks, why, of what, when it cannot tell, its options, and the remedy in each language."""
    expected = """\
        Rule            An index must be small
        Why             Large ones are `dear`. And slow.
        Applies to      every index of every table, in templates of CloudFormation, SAM and the CDK, and
                        change sets
        Unknown if      a value that it needs is unknown; the handbook says when: tablegate policies
                        --markdown
        Options         # largest size
                        most = 5
                        words = ["a", "b"]
                        set under [policies.small]
        Terraform       does not apply
        CloudFormation  Projection:
                          ProjectionType: KEYS_ONLY
        More            https://wiki.example.com/small
        """
    head, _, rest = page(sized()).partition("\n\n")
    assert (head.split()[:2], head.endswith("low · acme · off by default")) == (["small", "(ACME001)"], True)
    assert dedent(expected) == rest


def test_what_a_global_table_says_otherwise_is_told_apart() -> None:
    """Its writers must not paste what only a table of one region understands."""
    apart = replace(sized(), remedy=InBothLanguages(None, "TableClass: X", "Replicas:\n  - TableClass: X"))
    assert "Global table    Replicas:\n                  - TableClass: X\nMore" in page(apart)
    fence = "```yaml\nReplicas:\n  - TableClass: X\n```"
    assert f"**CloudFormation, `AWS::DynamoDB::GlobalTable`**\n\n{fence}\n\n[Read more]" in entry(apart)


def test_a_page_without_options_has_no_such_row() -> None:
    """What is not there is not mentioned."""
    assert "Options" not in page(RECOVERY)
    assert "in Terraform plans, states and source; and in templates of" in page(RECOVERY)


def test_a_policy_without_a_remedy_is_judged_everywhere() -> None:
    """What cannot be mended in one way can be broken in every language."""
    text = page(replace(sized(), remedy=InBothLanguages(None, None)))
    assert "in Terraform plans, states and source; and in templates of" in " ".join(text.split())
    assert text.count("no fix given") == 2


def test_a_policy_on_changes_is_judged_where_changes_show() -> None:
    """A template and source say what will be, and not what it will be made of."""
    text = page(replace(sized(), remedy=InBothLanguages(None, None), subject=Change))
    assert "in a plan and in a change set\n" in text


def test_an_entry_in_markdown() -> None:
    """The same, with headings, tables and fences."""
    expected = """\
        ### ACME001 small

        **An index must be small.** (low · acme · off by default)

        **Why.** Large ones are `dear`. And slow.

        **Applies to** every index of every table, in templates of CloudFormation, SAM and the CDK, and change sets.

        **Unknown if** a value that it needs [is unknown](#unknown).

        **Options** under `[policies.small]`:

        | option | meaning | takes | default |
        | --- | --- | --- | --- |
        | `most` | largest size | a whole number | `5` |
        | `words` |  | a list of texts | `["a", "b"]` |

        **CloudFormation**

        ```yaml
        Projection:
          ProjectionType: KEYS_ONLY
        ```

        [Read more](https://wiki.example.com/small)
        """
    assert dedent(expected) == entry(sized())


def test_the_handbook_goes_by_family_and_links_every_policy() -> None:
    """Families come in the order of their hundreds, packs of others last."""
    text = handbook([sized(), PROTECTION, RECOVERY])
    links = ["](#tg301-point-in-time-recovery)", "](#tg304-deletion-protection)", "](#acme001-small)"]
    places = [text.index(link) for link in links]
    assert places == sorted(places)
    assert "- [recovery](#recovery): Can a lost or damaged table be brought back?\n- [acme](#acme): 1 policy\n" in text
    assert all(f"- in a {source}, if " in text for source in EVERY_SOURCE)
    assert "| environment | `tablegate:environment`, `environment`, `env`, `stage` |" in text


def test_defaults_are_written_as_the_configuration_spells_them() -> None:
    """Texts are quoted and escaped, lists bracketed."""
    spelled = [toml_text(content) for content in (True, False, 7, 0.5, 'a"\\b', ("x", "y"), ())]
    assert ["true", "false", "7", "0.5", '"a\\"\\\\b"', '["x", "y"]', "[]"] == spelled


def test_a_page_fits_the_width() -> None:
    """Only code and addresses are wider."""
    policy = replace(sized(), title="A long title " * 9, docs="https://x")
    assert max(map(len, page(policy, 60).splitlines())) <= 60


def test_authors_find_every_key_and_every_condition(tmp_path: Path) -> None:
    """And the examples are accepted: the policies by the engine, the code by Python."""
    words = (*_KEYS, *MUSTS, *SUBJECTS, *map(str, Dialect))
    assert [word for word in words if f"`{word}" not in AUTHORS and f" {word} = " not in AUTHORS] == []
    (configuration,) = re.findall(r"```toml\n(.*?)```", AUTHORS, re.DOTALL)
    policies = data_policies(tomllib.loads(configuration)["policy"])
    assert [policy.id for policy in policies] == ["ACME101", "ACME102", "ACME103"]
    (code,) = re.findall(r"```python\n(.*?)```", AUTHORS, re.DOTALL)
    names: dict[str, Any] = {}
    exec(code, names)  # noqa: S102 - the example that the handbook shows
    for name in ("fails", "holds"):
        folder = tmp_path / "ACME103" / name
        folder.mkdir(parents=True)
        given = "DeletionProtectionEnabled: true\n" if name == "holds" else ""
        (folder / "template.yaml").write_text(smallest_template(given))
    assert names["prove_all"]([policies[2]], tmp_path) == ()
