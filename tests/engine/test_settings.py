"""A configuration document into settings, and the errors for wrong ones."""

from __future__ import annotations

from typing import Any, Literal

import pytest

from support.policies import declared, recovery_on
from tablegate.engine.settings import ConfigError, Override, PolicySettings, Settings, UnknownMode, settings_from
from tablegate.policy import HIGH, LOW, MEDIUM, Table, Verdict, holds


def with_options(
    table: Table,
    *,
    strict: bool = False,
    max_units: int = 5,
    share: float = 0.5,
    pattern: str = "",
    mode: Literal["always", "never"] = "always",
    words: tuple[str, ...] = (),
) -> Verdict:
    return holds()


POLICIES = (recovery_on("TG301", name="point-in-time"), declared(with_options, "TG302", name="with-options"))


def settings(**document: Any) -> Settings:
    return settings_from({key.replace("_", "-"): value for key, value in document.items()}, POLICIES)


def test_every_key_is_read() -> None:
    """A document says all that the engine needs."""
    assert settings(
        select=["TG3"],
        extend_select="high",
        ignore=["TG301"],
        fail_on="medium",
        unknown="warn",
        policies={
            "TG301": {"severity": "low"},
            "with-options": {"strict": True, "max-units": 7, "share": 1, "mode": "never", "words": ["a"]},
        },
        overrides=[
            {"address": "*.x", "tags": {"env": "dev"}, "data-class": "pii", "severity": {"point-in-time": "medium"}}
        ],
    ) == Settings(
        select=("TG3",),
        extend_select=("high",),
        ignore=("TG301",),
        fail_on=MEDIUM,
        unknown=UnknownMode.WARN,
        policies={
            "TG301": PolicySettings(severity=LOW),
            "TG302": PolicySettings(
                options={"strict": True, "max_units": 7, "share": 1, "mode": "never", "words": ("a",)}
            ),
        },
        overrides=(Override(address="*.x", tags={"env": "dev"}, data_class="pii", severity={"TG301": MEDIUM}),),
    )


def test_an_empty_document_is_all_defaults() -> None:
    """Nothing needs to be configured."""
    assert settings() == Settings()
    assert settings().fail_on is HIGH


def test_nothing_may_block() -> None:
    """``never`` turns the gate into a report."""
    assert settings(fail_on="never").fail_on is None


@pytest.mark.parametrize(
    ("document", "message", "hint"),
    [
        ({"select": [1]}, "select is a list and must be a list of texts", None),
        ({"select": 7}, "select is 7 and must be a list of texts", None),
        (
            {"select": ["TG310"]},
            'select: "TG310" is no policy, family or severity',
            'did you mean "TG302"?',
        ),
        ({"fail_on": "hihg"}, 'fail-on is "hihg" and must be one of critical, high, medium, low, info, never', None),
        ({"profile": "srict"}, 'profile is "srict" and must be one of standard, strict', None),
        ({"unknown": True}, "unknown is true and must be one of block, warn, ignore", None),
        ({"policies": []}, "policies is a list and must be a table", None),
        ({"policies": {"TG30": {}}}, 'policies: "TG30" is no policy', "did you mean one of TG301, TG302?"),
        ({"policies": {"TG301": 1}}, "policies.TG301 is 1 and must be a table", None),
        (
            {"policies": {"TG301": {}, "point-in-time": {}}},
            "TG301 is set twice: by id and by name",
            None,
        ),
        (
            {"policies": {"TG302": {"max-unit": 1}}},
            "unknown key policies.TG302.max-unit",
            'did you mean "max-units"?',
        ),
        ({"policies": {"TG301": {"severity": "x"}}}, None, None),
        ({"policies": {"TG302": {"strict": "yes"}}}, 'policies.TG302.strict is "yes" and must be true or false', None),
        (
            {"policies": {"TG302": {"max-units": True}}},
            "policies.TG302.max-units is true and must be a whole number",
            None,
        ),
        ({"policies": {"TG302": {"max-units": 1.5}}}, None, None),
        ({"policies": {"TG302": {"share": "1"}}}, 'policies.TG302.share is "1" and must be a number', None),
        ({"policies": {"TG302": {"pattern": 1}}}, "policies.TG302.pattern is 1 and must be a text", None),
        (
            {"policies": {"TG302": {"mode": "often"}}},
            'policies.TG302.mode is "often" and must be one of "always", "never"',
            None,
        ),
        ({"policies": {"TG302": {"words": "a"}}}, 'policies.TG302.words is "a" and must be a list of texts', None),
        ({"overrides": {}}, "overrides is a table and must be a list of tables: [[overrides]]", None),
        ({"overrides": [{"adress": "x"}]}, "unknown key overrides.adress", 'did you mean "address"?'),
        (
            {"overrides": [{"purpose": "cache"}]},
            "an override needs address, path or tags to say which tables it is about",
            None,
        ),
        ({"overrides": [{"address": 1}]}, "overrides.address is 1 and must be a text", None),
        ({"overrides": [{"tags": {"a": 1}}]}, "overrides.tags.a is 1 and must be a text", None),
        ({"overrides": [{"address": "*", "severity": {"TG9": "low"}}]}, 'overrides.severity: "TG9" is no policy', None),
    ],
)
def test_a_mistake_is_named_with_what_would_be_right(
    document: dict[str, Any], message: str | None, hint: str | None
) -> None:
    """A key or a value that is not understood is never passed over."""
    with pytest.raises(ConfigError) as caught:
        settings(**document)
    if message is not None:
        assert (caught.value.message, caught.value.hint) == (message, hint)
    assert caught.value.keys[0] == next(iter(document)).replace("_", "-")


def test_other_keys_are_their_readers_business() -> None:
    """The shell has keys of its own."""
    assert settings(packs=["acme"]) == Settings()


def test_a_mistake_is_said_as_it_is() -> None:
    """Also where somebody prints the exception."""
    error = ConfigError("no such key", "policies", 0, hint="look")
    assert (str(error), error.keys, error.hint) == ("no such key", ("policies", 0), "look")
