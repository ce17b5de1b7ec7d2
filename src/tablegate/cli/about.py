"""The commands that tell of policies and of the configuration, and judge nothing."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from tablegate.cli.lean import LeanCommand, LeanGroup
from tablegate.cli.options import ConfigFile, ConfigRef, NoConfig, Packs, Policies

config_app = typer.Typer(cls=LeanGroup, help="Show the configuration, or the schema for editors.", no_args_is_help=True)


def explain(
    word: Annotated[str, typer.Argument(metavar="POLICY", hidden=True)],
    *,
    pack: Packs = None,
    policies: Policies = None,
    config: ConfigFile = None,
    no_config: NoConfig = False,
) -> int:
    """Print the page of a POLICY: an id such as TG301, or a name."""
    from tablegate.cli.pages import page_of

    return page_of(word, where_of(pack, policies, config, no_config=no_config))


def list_policies(
    *,
    json: Annotated[bool, typer.Option("--json", help="print the list as JSON")] = False,
    markdown: Annotated[bool, typer.Option("--markdown", help="print the handbook: every page, in Markdown")] = False,
    pack: Packs = None,
    policies: Policies = None,
    config: ConfigFile = None,
    no_config: NoConfig = False,
) -> int:
    """List every policy that is loaded, and whether it runs."""
    from tablegate.cli.pages import catalogue

    return catalogue(where_of(pack, policies, config, no_config=no_config), as_json=json, as_markdown=markdown)


@config_app.command("show", cls=LeanCommand)
def show_config(
    *,
    json: Annotated[bool, typer.Option("--json", help="print it as JSON")] = False,
    pack: Packs = None,
    policies: Policies = None,
    config: ConfigFile = None,
    no_config: NoConfig = False,
    config_ref: ConfigRef = None,
) -> int:
    """Show every setting, and where it comes from."""
    from tablegate.cli.pages import settings

    return settings(where_of(pack, policies, config, no_config=no_config, config_ref=config_ref), as_json=json)


@config_app.command("schema", cls=LeanCommand)
def show_schema(
    *, pack: Packs = None, policies: Policies = None, config: ConfigFile = None, no_config: NoConfig = False
) -> int:
    """Print the JSON schema of the configuration, for editors."""
    from tablegate.cli.pages import schema_of_config

    return schema_of_config(where_of(pack, policies, config, no_config=no_config))


def add_to(app: typer.Typer) -> None:
    """Make these commands of the application."""
    app.command(cls=LeanCommand)(explain)
    app.command("policies", cls=LeanCommand)(list_policies)
    app.add_typer(config_app, name="config")


def where_of(
    pack: list[str] | None,
    policies: list[str] | None,
    config: str | None,
    *,
    no_config: bool,
    config_ref: str | None = None,
    untrusted: bool = False,
) -> Any:
    """Where the configuration and the packs are looked for."""
    from tablegate.cli.checking import Where

    return Where(
        packs=tuple(pack or ()),
        policies=tuple(policies or ()),
        config=config,
        no_config=no_config,
        config_ref=config_ref,
        untrusted=untrusted,
    )
