"""Progress of long runs: shown on terminals and in logs, and not if a run is short."""

from __future__ import annotations

import io

import pytest

from tablegate.cli.output import Progress


class Terminal(io.StringIO):
    """A stream that is a terminal."""

    def isatty(self) -> bool:
        return True


class Broken(Terminal):
    """A terminal that has gone."""

    def flush(self) -> None:
        raise OSError(5, "Input/output error")


def told(stream: io.StringIO, *moments: float, silent: bool = False) -> None:
    """Tell of a hundred inputs at each of these moments, in seconds, and end."""
    times = iter((0.0, *moments))
    progress = Progress(stream, silent=silent, clock=lambda: next(times))
    for done, _ in enumerate(moments, start=1):
        progress(done, 100)
    progress.end()


def test_a_terminal_has_one_line_that_goes_again() -> None:
    """From one second on, ten times a second at most."""
    terminal = Terminal()
    told(terminal, 0.5, 0.99, 1.0, 1.05, 1.1)
    assert "\r\x1b[Kchecked 3 of 100 inputs\r\x1b[Kchecked 5 of 100 inputs\r\x1b[K" == terminal.getvalue()


def test_a_log_has_a_line_every_ten_seconds(capsys: pytest.CaptureFixture[str]) -> None:
    """Whole lines, on standard error."""
    told(io.StringIO(), 9.9, 10.0, 15.0, 20.0, 29.0)
    assert "checked 2 of 100 inputs\nchecked 4 of 100 inputs\n" == capsys.readouterr().err


@pytest.mark.parametrize("stream", [Terminal(), io.StringIO()])
def test_nothing_is_told_where_it_is_quick_or_nobody_asks(
    stream: io.StringIO, capsys: pytest.CaptureFixture[str]
) -> None:
    """Also with --quiet."""
    told(stream, 0.1, 0.9)
    told(stream, 5.0, 50.0, silent=True)
    assert ("", "") == (stream.getvalue(), capsys.readouterr().err)


def test_a_terminal_that_goes_does_not_stop_the_run() -> None:
    """A stream that fails is not written to again."""
    told(Broken(), 2.0, 3.0)


def test_looking_for_inputs_is_told_too(capsys: pytest.CaptureFixture[str]) -> None:
    """A repository can have many more files than inputs."""
    times = iter((0.0, 10.0, 12.0, 21.0))
    progress = Progress(io.StringIO(), clock=lambda: next(times))
    for files in (100, 200, 300):
        progress.met(files)
    assert "looked at 100 files\nlooked at 300 files\n" == capsys.readouterr().err
