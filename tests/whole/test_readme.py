"""The README shows what the command really prints, and the handbook what the policies really say."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from support.command import tablegate

ROOT = Path(__file__).parents[2]
README = ROOT / "README.md"
BLOCK = re.compile(r"```console\n\$ tablegate (?P<arguments>.*)\n(?P<output>(?:.*\n)*?)```")


def printed(arguments: str) -> str:
    """What the command prints in the folder of examples."""
    ran = tablegate(*shlex.split(arguments), cwd=ROOT / "fixtures" / "examples")
    return ran.stdout.decode()


def refreshed(text: str) -> str:
    """The text with every console block as it would be printed today."""
    return BLOCK.sub(
        lambda found: f"```console\n$ tablegate {found['arguments']}\n{printed(found['arguments'])}```", text
    )


def test_the_readme_shows_real_output(request: pytest.FixtureRequest) -> None:
    """Every console block is what the command prints. ``make docs`` writes them anew."""
    text = README.read_text("utf-8")
    fresh = refreshed(text)
    if request.config.getoption("--update"):
        README.write_text(fresh, "utf-8")
    else:
        assert fresh == text
    assert fresh.count("```console") == 4


def test_the_handbook_is_fresh() -> None:
    """It is written from the policies; ``make docs`` does it."""
    assert printed("policies --no-config --markdown") == (ROOT / "policies" / "README.md").read_text("utf-8")


@pytest.mark.parametrize("document", ["README.md", "policies/README.md", "src/README.md", "CHANGELOG.md"])
def test_links_lead_somewhere(document: str) -> None:
    """Every relative link names a file, every anchor a heading."""
    path = ROOT / document
    text = path.read_text("utf-8")
    headings = {_anchor(title) for title in re.findall(r"^#+ (.*)$", text, re.MULTILINE)}
    for target in re.findall(r"\]\(([^)]+)\)", text):
        if target.startswith("#"):
            assert target[1:] in headings, target
        elif "://" not in target:
            assert (path.parent / target.partition("#")[0]).exists(), target


def test_examples_in_the_readme_are_true(tmp_path: Path) -> None:
    """The configuration and the policy that it shows are accepted."""
    text = README.read_text("utf-8")
    configurations = re.findall(r"```toml\n(.*?)```", text, re.DOTALL)
    (tmp_path / "tablegate.toml").write_text("\n".join(configurations))
    (tmp_path / "pack.py").write_text(re.findall(r"```python\n(.*?)```", text, re.DOTALL)[0])
    listed = printed(f"policies --config {tmp_path / 'tablegate.toml'} --policies {tmp_path / 'pack.py'}")
    assert "two-weeks-of-recovery" in listed
    assert "streamed" in listed


def _anchor(title: str) -> str:
    return re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-")


def test_the_map_names_every_room() -> None:
    """Whoever looks for a module's purpose finds it in the map: each folder and file at the top has its row."""
    told = (ROOT / "src" / "README.md").read_text("utf-8")
    rooms = sorted(
        path.name + ("/" if path.is_dir() else "")
        for path in (ROOT / "src" / "tablegate").iterdir()
        if path.name[0] != "_" and (path.is_dir() or path.suffix == ".py")
    )
    dialects = (path.parent.name + "/" for path in (ROOT / "src" / "tablegate" / "dialects").glob("*/__init__.py"))
    assert [room for room in (*rooms, *sorted(dialects)) if f"`{room}`" not in told] == []
