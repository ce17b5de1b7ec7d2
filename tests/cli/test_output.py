"""Streams and files that fail, from inside the process."""

from __future__ import annotations

import io
import os
import sys
from pathlib import Path

import pytest

from tablegate.cli import run
from tablegate.cli.output import OutputError, emit, note, save


class Broken(io.TextIOWrapper):
    """A stream that fails with a given error."""

    def __init__(self, error: Exception) -> None:
        super().__init__(io.BytesIO(), encoding="utf-8")
        self.error = error

    def flush(self) -> None:
        """Fail."""
        if not self.closed:
            raise self.error

    def fileno(self) -> int:
        """There is no file below."""
        raise io.UnsupportedOperation

    def __del__(self) -> None:
        self.error = ValueError()


def test_a_closed_stream_is_said_or_left(monkeypatch: pytest.MonkeyPatch) -> None:
    """A lost report is an error, a lost message is not."""
    monkeypatch.setattr(sys, "stdout", None)
    monkeypatch.setattr(sys, "stderr", None)
    with pytest.raises(OutputError, match="standard output is closed"):
        emit("x")
    note("x")


@pytest.mark.parametrize("error", [OSError(28, "No space left on device"), ValueError("I/O operation on closed file")])
def test_a_stream_that_fails_is_an_error(monkeypatch: pytest.MonkeyPatch, error: Exception) -> None:
    """The reason is the system's, never the text."""
    monkeypatch.setattr(sys, "stdout", Broken(error))
    monkeypatch.setattr(sys, "stderr", Broken(error))
    with pytest.raises(OutputError, match=r"standard output: (no space left on device|valueerror)"):
        emit("x")
    note("x")


def test_a_reader_who_left_is_no_error(monkeypatch: pytest.MonkeyPatch) -> None:
    """The gate decides, not the pipe."""
    monkeypatch.setattr(sys, "stdout", Broken(BrokenPipeError()))
    emit("x")


def test_a_draft_that_cannot_be_finished_is_taken_away(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The old report stays, and nothing lies beside it."""

    def full(handle: int) -> None:
        raise OSError(28, "No space left on device")

    (tmp_path / "r.json").write_text("old")
    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OutputError, match=r"r\.json: no space left on device"):
        save(tmp_path / "r.json", "new")
    assert [("r.json", "old")] == [(path.name, path.read_text()) for path in tmp_path.iterdir()]


@pytest.mark.parametrize(
    ("error", "expected"),
    [
        (KeyboardInterrupt(), 130),
        (SystemExit(0), 4),
        (RecursionError(), 4),
        (MemoryError(), 4),
        (OutputError("x"), 4),
    ],
)
def test_nothing_inside_ends_as_a_pass(
    monkeypatch: pytest.MonkeyPatch, error: BaseException, expected: int, capfd: pytest.CaptureFixture[str]
) -> None:
    """For any exception the code is neither 0 nor Python's 1."""

    def fails(arguments: list[str]) -> int:
        raise error

    monkeypatch.delenv("_TABLEGATE_COMPLETE", raising=False)
    monkeypatch.setattr("tablegate.cli._command", fails)
    assert run(["check"]) == expected


def test_help_into_a_closed_pipe_is_141(monkeypatch: pytest.MonkeyPatch) -> None:
    """Typer ends the process with 1 then, which would read as blocked."""

    def fails(arguments: list[str]) -> int:
        read, write = os.pipe()
        os.close(read)
        try:
            return os.write(write, b"help")
        except BrokenPipeError:
            sys.exit(1)

    monkeypatch.delenv("_TABLEGATE_COMPLETE", raising=False)
    monkeypatch.setattr("tablegate.cli._command", fails)
    assert run(["--help"]) == 141
