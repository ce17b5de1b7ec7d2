"""Where the compiled grammar of Terraform's language is kept, which is read as code."""

from __future__ import annotations

from pathlib import Path

from tablegate.config.read_options import grammar_file


def test_it_is_in_the_users_cache(tmp_path: Path) -> None:
    """Where the user says, else in the home; and nowhere where there is neither."""
    named = grammar_file({"XDG_CACHE_HOME": str(tmp_path), "HOME": "/nowhere"})
    at_home = grammar_file({"HOME": str(tmp_path)})
    assert named is not None
    assert Path(named).parent == tmp_path / "tablegate"
    assert at_home is not None
    assert Path(at_home).parent == tmp_path / ".cache" / "tablegate"
    assert grammar_file({}) is None


def test_it_is_nowhere_that_others_can_write(tmp_path: Path) -> None:
    """What somebody else could have put there is code of theirs."""
    folder = tmp_path / "tablegate"
    folder.mkdir()
    folder.chmod(0o777)
    assert grammar_file({"XDG_CACHE_HOME": str(tmp_path)}) is None


def test_it_is_nowhere_where_no_folder_can_be(tmp_path: Path) -> None:
    """Then every run compiles it anew."""
    (tmp_path / "file").write_text("")
    assert grammar_file({"XDG_CACHE_HOME": str(tmp_path / "file")}) is None
