"""The commands explain, policies and config, which show what is known without an input."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from support.command import err, out, written
from support.command import tablegate as run


def test_explain_prints_a_page() -> None:
    """By id or by name, in any case."""
    pages = {run("explain", word).stdout for word in ("TG301", "tg301", "point-in-time-recovery")}
    assert len(pages) == 1
    assert pages.pop().decode().startswith("point-in-time-recovery (TG301) ")


def test_policies_are_listed() -> None:
    """As a table for people, and as JSON for tools."""
    listed = json.loads(out(run("policies", "--json")))
    assert [item["id"] for item in listed] == sorted(item["id"] for item in listed)
    assert {"id", "name", "severity", "family", "title", "judges", "runs", "reason", "options", "docs"} == set(
        listed[0]
    )
    assert f"of {len(listed)} policies run" in out(run("policies"))


def test_config_show_names_origins(tmp_path: Path) -> None:
    """Each key says where its value comes from."""
    folder = written(tmp_path, tablegate__toml='unknown = "warn"\n')
    shown = out(run("config", "show", cwd=folder, env={"TABLEGATE_FAIL_ON": "low"}))
    lines = [line.split() for line in shown.splitlines()]
    assert ["unknown", '"warn"', "tablegate.toml:1"] in lines
    assert ["fail-on", '"low"', "TABLEGATE_FAIL_ON"] in lines
    assert {"key": "unknown", "value": "warn", "origin": "tablegate.toml:1"} in json.loads(
        out(run("config", "show", "--json", cwd=folder))
    )


def test_config_schema_is_json() -> None:
    """Editors complete from it."""
    assert "point-in-time-recovery" in json.loads(out(run("config", "schema")))["properties"]["policies"]["properties"]


@pytest.mark.parametrize("command", [("explain", "TG301"), ("policies",), ("config", "schema")])
def test_a_broken_configuration_is_told_and_left_out(tmp_path: Path, command: tuple[str, ...]) -> None:
    """The schema is what helps to correct it. Showing the configuration is refused."""
    folder = written(tmp_path, tablegate__toml='fail-onn = "low"\n')
    ran = run(*command, cwd=folder)
    assert (ran.returncode, out(ran)) == (0, out(run(*command)))
    assert 'tablegate.toml:1: unknown key fail-onn\nhint: did you mean "fail-on"?\nnote: what follows is' in err(ran)
    assert run("config", "show", cwd=folder).returncode == 2
    assert run("explain", "TG999", cwd=folder).returncode == 2
    assert run("policies", env={"TABLEGATE_CONFIG": "missing.toml"}).returncode == 2
