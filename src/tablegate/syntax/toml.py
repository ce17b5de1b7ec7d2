"""TOML, as far as it can be read: its parser has limits of its own, which end it with errors of any kind."""

from __future__ import annotations

from typing import Any

from tablegate.syntax.node import ParseError


def parse_toml(text: str) -> dict[str, Any]:
    """The tables of a document. ParseError says what is wrong."""
    import tomllib  # 3 ms, and most runs read none

    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ParseError(f"not valid TOML: {error}") from None
    except RecursionError:
        raise ParseError("not readable: its brackets are nested too deeply") from None
    except ValueError:
        raise ParseError("not readable: a number or a date in it is beyond all limits") from None
