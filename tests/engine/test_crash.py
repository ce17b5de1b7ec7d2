"""What is told of an error inside a policy: where it is, and nothing of the input."""

from __future__ import annotations

import json
from functools import partial

import pytest

from tablegate.engine.crash import crash_of, is_of_pack, line_of_pack, line_of_predicate
from tablegate.model import facts


def raised(call: partial[object]) -> BaseException:
    """What the call raises."""
    with pytest.raises(Exception, match=r".") as caught:
        call()
    return caught.value


def of_a_pack(text: str) -> object:
    """A line of a pack that calls Python, which raises."""
    return json.loads(text)


def test_the_line_is_the_packs_own() -> None:
    """What it calls is Python's or tablegate's."""
    crash = crash_of(raised(partial(of_a_pack, "S3CRET")))
    assert crash.what == "raised JSONDecodeError"
    assert crash.line is not None
    assert (crash.line.file, crash.line.line) == (__file__, of_a_pack.__code__.co_firstlineno + 2)
    assert "S3CRET" not in repr(crash)


def test_our_own_text_is_told() -> None:
    """It names the value and what to ask."""
    crash = crash_of(raised(partial(bool, facts.RECOVERY.of(True))))
    assert crash.what.startswith("raised TypeError: the value 'point-in-time recovery' may be unknown")
    assert crash.remedy is None


def test_code_that_is_no_packs_has_no_line() -> None:
    """Policies written as data are ours, and what C implements has no code at all."""
    assert line_of_pack(ValueError()) is None
    assert line_of_predicate(crash_of) is None
    assert line_of_predicate(len) is None
    place = line_of_predicate(of_a_pack)
    assert (place and place.file, place and place.line) == (__file__, of_a_pack.__code__.co_firstlineno)


def test_an_installed_pack_is_a_pack_beside_tablegate_and_python() -> None:
    """It lies in the same folder as tablegate, below that of Python."""
    packages = json.__file__.rpartition("json")[0] + "site-packages/"
    assert is_of_pack(f"{packages}acme/policies.py")
    assert not is_of_pack(json.__file__)
    assert not is_of_pack("<string>")
