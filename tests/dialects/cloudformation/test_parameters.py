"""Parameter files: every accepted format."""

from __future__ import annotations

import pytest

from tablegate.dialects.cloudformation.parameters import ParameterFile, ResolvedText, parse_parameters
from tablegate.syntax.node import ParseError

BOTH = {"Env": "prod", "Size": "5"}


@pytest.mark.parametrize(
    ("text", "file"),
    [
        ('{"Env": "prod", "Size": 5}', "p.json"),
        ("Env: prod\nSize: 5\n", "p.yaml"),
        (
            '[{"ParameterKey": "Env", "ParameterValue": "prod"}, {"ParameterKey": "Size", "ParameterValue": "5"}]',
            "p.json",
        ),
        ('["Env=prod", "Size=5"]', "p.json"),
        ('{"Parameters": {"Env": "prod", "Size": "5"}, "Tags": {}, "StackPolicy": {}}', "p.json"),
        ("template-file-path: t.yaml\nparameters:\n  Env: prod\n  Size: 5\n", "deployment.yaml"),
        ("- Env=prod\n- Size=5\n", "p.yaml"),
        ("- {Env: prod}\n- {Size: 5}\n", "p.yaml"),
        ('version = 0.1\n[default.deploy.parameters]\nparameter_overrides = "Env=prod Size=\\"5\\""', "samconfig.toml"),
        ('version = 0.1\n[default.deploy.parameters]\nparameter_overrides = ["Env=prod", "Size=5"]', "samconfig.toml"),
        ("version: 0.1\ndefault:\n  deploy:\n    parameters:\n      parameter_overrides: Env=prod Size=5\n", "s.yaml"),
        (
            "version = 0.1\n[prod.global.parameters]\nparameter_overrides = "
            '"ParameterKey=Env,ParameterValue=prod ParameterKey=Size,ParameterValue=5"',
            "samconfig.toml",
        ),
        ("version = 0.1\n[default.deploy.parameters.parameter_overrides]\nEnv = 'prod'\nSize = 5", "samconfig.toml"),
        ("[Parameters]\nEnv = 'prod'\nSize = 5", "p.toml"),
    ],
)
def test_form(text: str, file: str) -> None:
    """Every accepted format gives the same values."""
    assert parse_parameters(text, file).values == BOTH


def test_tags_and_region() -> None:
    """A file can have tags and the region of the stack."""
    text = """
version = 0.1
[default.global.parameters]
region = "eu-west-1"
[default.deploy.parameters]
tags = "team=orders cost=1"
"""
    assert parse_parameters(text, "samconfig.toml") == ParameterFile({}, {"team": "orders", "cost": "1"}, "eu-west-1")
    assert parse_parameters('{"Parameters": {}, "Tags": {"team": "orders"}}', "p.json").tags == {"team": "orders"}


def test_lists_and_truth_values() -> None:
    """Values become the texts that CloudFormation sees."""
    assert parse_parameters('{"L": ["a", 1], "B": true, "F": 1.5}', "p.json").values == {
        "L": "a,1",
        "B": "true",
        "F": "1.5",
    }


def test_previous_value() -> None:
    """The value of the last deploy is not in the file."""
    assert parse_parameters('[{"ParameterKey": "Env", "UsePreviousValue": true}]', "p.json").values == {}


def test_resolved_value() -> None:
    """A resolved SSM parameter has its value, not its name."""
    text = '[{"ParameterKey": "Env", "ParameterValue": "/env", "ResolvedValue": "prod"}]'
    value = parse_parameters(text, "p.json").values["Env"]
    assert (value, isinstance(value, ResolvedText)) == ("prod", True)


@pytest.mark.parametrize(
    ("text", "file", "message"),
    [
        ("just words", "p.yaml", "the file must hold a map or a list"),
        ('{"Env": {"a": 1}}', "p.json", "the value of Env must be a text"),
        ('{"Env": null}', "p.json", "the value of Env must be a text"),
        ("[1]", "p.json", "an entry of the list is neither Name=value nor a parameter"),
        ('["Env"]', "p.json", "an entry is not Name=value"),
        ('["file://p.json"]', "p.json", "the parameters are in another file"),
        ('[{"ParameterKey": "Env"}]', "p.json", "the parameter Env has no ParameterValue"),
        ("a = ", "p.toml", "not valid TOML"),
        ("[a.deploy.parameters]\n[b.deploy.parameters]", "p.toml", "needs the environment 'default', or just one"),
        ("version = 0.1", "samconfig.toml", "needs the environment 'default', or just one"),
        ("version = 0.1\n[default.deploy.parameters]\nparameter_overrides = 5", "s.toml", "must be a map"),
        ("{", "p.json", "truncated"),
    ],
)
def test_refused(text: str, file: str, message: str) -> None:
    """Anything else is refused, with the accepted formats."""
    with pytest.raises(ParseError, match=message):
        parse_parameters(text, file)


def test_refusal_says_what_is_accepted() -> None:
    """The hint lists the forms."""
    with pytest.raises(ParseError) as caught:
        parse_parameters("5", "p.yaml")
    assert caught.value.hint is not None
    assert "ParameterKey" in caught.value.hint
