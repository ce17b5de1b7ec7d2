"""Parameters and pseudo parameters of a stack, and the files that give parameters their values."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence

from tablegate.dialects.cloudformation.limits import is_list, limits_of, text_of_key, typed_text
from tablegate.dialects.cloudformation.placeholders import doubt_of, has_placeholder
from tablegate.dialects.cloudformation.values import UNFILLED, scalar_of, text_of
from tablegate.dialects.reading import Faults, ReadOptions
from tablegate.model.record import record
from tablegate.model.value import Doubt, Span
from tablegate.syntax.node import Node, ParseError
from tablegate.syntax.recognise import parse
from tablegate.syntax.toml import parse_toml

REGION = "AWS::Region"
ACCOUNT = "AWS::AccountId"
PARTITION = "AWS::Partition"
URL_SUFFIX = "AWS::URLSuffix"
STACK_NAME = "AWS::StackName"
STACK_ID = "AWS::StackId"
NO_VALUE = "AWS::NoValue"

_PARTITIONS = (  # https://docs.aws.amazon.com/whitepapers/latest/aws-fault-isolation-boundaries/partitions.html
    ("cn-", "aws-cn", "amazonaws.com.cn"),
    ("us-gov-", "aws-us-gov", "amazonaws.com"),
    ("us-iso-", "aws-iso", "c2s.ic.gov"),
    ("us-isob-", "aws-iso-b", "sc2s.sgov.gov"),
    ("eu-isoe-", "aws-iso-e", "cloud.adc-e.uk"),
    ("us-isof-", "aws-iso-f", "csp.hci.ic.gov"),
    ("eusc-", "aws-eusc", "amazonaws.eu"),
    ("", "aws", "amazonaws.com"),
)

_GIVE_REGION = "pass --region"
_PSEUDO_DOUBTS = {
    REGION: Doubt("the region of the stack is not known", _GIVE_REGION, (REGION,)),
    ACCOUNT: Doubt("the account of the stack is not known", "pass --account", (ACCOUNT,)),
    PARTITION: Doubt("the region of the stack is not known", _GIVE_REGION, (PARTITION,)),
    URL_SUFFIX: Doubt("the region of the stack is not known", _GIVE_REGION, (URL_SUFFIX,)),
    STACK_NAME: Doubt("the name of the stack is not known", None, (STACK_NAME,)),
    STACK_ID: Doubt("the stack's id is known only after it is created", None, (STACK_ID,)),
    "AWS::NotificationARNs": Doubt("the stack's notification topics are not known", None, ("AWS::NotificationARNs",)),
}


class ResolvedText(str):
    """The value of an SSM parameter, as AWS has already resolved it."""

    __slots__ = ()


@record(kw_only=False)
class ParameterValue:
    """A parameter's value: a text, a list of texts, one of its ``options``, or a doubt."""

    content: str | tuple[str, ...] | None = None
    options: tuple[str, ...] = ()
    doubt: Doubt | None = None
    secret: bool = False
    span: Span | None = None


def pseudo_parameters(options: ReadOptions) -> dict[str, ParameterValue]:
    """The pseudo parameters, as far as the options tell them."""
    values = {name: ParameterValue(doubt=doubt) for name, doubt in _PSEUDO_DOUBTS.items()}
    if options.account:
        values[ACCOUNT] = ParameterValue(options.account)
    if options.region:
        values[REGION] = ParameterValue(options.region)
        values[PARTITION], values[URL_SUFFIX] = map(ParameterValue, partition_of(options.region))
    return values


def partition_of(region: str) -> tuple[str, str]:
    """The partition of a region, and its domain."""
    return next((name, domain) for prefix, name, domain in _PARTITIONS if region.startswith(prefix))


def parameter(name: str, node: Node, options: ReadOptions, faults: Faults) -> ParameterValue:
    """The value of a declared parameter."""
    declared = node.content
    if not isinstance(declared, dict):
        faults.unreadable("a parameter must be a mapping with a Type", node)
        return ParameterValue(doubt=Doubt(f"parameter {name} is not a mapping with a Type", None, (name,)))
    limits = limits_of(declared)
    type_ = limits.type
    secret = is_secret(node)
    text = options.parameters.get(name)
    if type_.startswith("AWS::SSM::Parameter::Value<"):  # the limits are those of its name
        if not isinstance(text, ResolvedText):
            return ParameterValue(doubt=_ssm_doubt(name))
    elif text is not None and has_placeholder(text):
        return ParameterValue(doubt=doubt_of(f"{UNFILLED}{text}"))
    elif text is not None and (refused := limits.refusal(text)) is not None:
        item, why = refused
        shown = "the value" if secret else repr(item)
        faults.unreadable(f"{shown} given for the parameter {name} {why}", node)
    default = _default(declared)
    if text is None and options.assume_defaults and default is not None and limits.refusal(default) is None:
        text = default
    if text is not None:
        return ParameterValue(typed_text(text, type_), secret=secret)
    if limits.allowed and not is_list(type_):
        possible = tuple(word for word in limits.allowed if limits.refusal(word) is None) or limits.allowed
        if len(possible) > 1:
            return ParameterValue(options=possible, secret=secret)
        return ParameterValue(possible[0], secret=secret)
    doubt = _doubt(name, None if secret else default, has_default="Default" in declared)
    return ParameterValue(doubt=doubt, span=limits.number)


def usual_value(declared: Mapping[str, Node]) -> str | None:
    """The default of a parameter that it may have; None if it has none, or if it is a secret."""
    default = _default(declared)
    secret = (text_of_key(declared, "NoEcho") or "").lower() == "true"
    return None if default is None or secret or limits_of(declared).refusal(default) is not None else default


def check_given(parameters: Mapping[str, Node], options: ReadOptions, faults: Faults) -> None:
    """Report each value that the service would refuse, even if nothing that is read uses it."""
    for name in options.parameters:
        if name in parameters:
            parameter(name, parameters[name], options, faults)


SHORTEST = 6  # characters of a text that is hidden wherever it occurs; shorter ones are ordinary words


def is_secret(node: Node) -> bool:
    """Whether a declared parameter is ``NoEcho``."""
    declared = node.content
    return isinstance(declared, dict) and (text_of_key(declared, "NoEcho") or "").lower() == "true"


def secrets_of(parameters: Mapping[str, Node], options: ReadOptions) -> frozenset[str]:
    """The texts of NoEcho parameters: those given, their defaults, and all that they may be.

    A short text that the template lists as allowed is an ordinary word, and hidden only where it is the value.
    """
    texts: set[str] = set()
    for name, node in parameters.items():
        if is_secret(node) and isinstance(node.content, dict):
            allowed = limits_of(node.content).allowed
            own = {options.parameters.get(name), _default(node.content)} - {None, "", "true", "false"}
            texts |= {text for text in own if text is not None} - set(allowed)
            texts |= {text for text in allowed if len(text) >= SHORTEST}
    return frozenset(texts)


def _default(declared: Mapping[str, Node]) -> str | None:
    node = declared.get("Default")
    if node is None or isinstance(node.content, dict):
        return None
    text = ",".join(map(scalar_of, node.content)) if isinstance(node.content, (list, tuple)) else scalar_of(node)
    return None if UNFILLED in text else text


def _ssm_doubt(name: str) -> Doubt:
    return Doubt(f"parameter {name} names an SSM parameter, which is read at the deploy", None, (name,))


def _doubt(name: str, default: str | None, *, has_default: bool) -> Doubt:
    give = f"pass --params FILE or --param {name}=VALUE"
    if not has_default:
        return Doubt(f"parameter {name} has no value", give, (name,))
    shown = f" {default}" if default else ""
    reason = f"parameter {name} has no value (its default{shown} is not assumed)"
    return Doubt(reason, f"{give}, or --assume-defaults", (name,))


ACCEPTED = (
    'one of: a map of names to values in JSON or YAML; [{"ParameterKey": …, "ParameterValue": …}]; '
    '["Name=value", …]; {"Parameters": {…}, "Tags": {…}}; or a samconfig.toml or samconfig.yaml'
)


@record(kw_only=False)
class ParameterFile:
    """Parameters, tags and region of a stack."""

    values: Mapping[str, str]
    tags: Mapping[str, str]
    region: str | None = None


def parse_parameters(text: str, name: str) -> ParameterFile:
    """Read a parameter file. One whose ``name`` ends with .toml is TOML. Raises ParseError."""
    content = _toml(text) if name.lower().endswith(".toml") else _json_or_yaml(text)
    if isinstance(content, (list, tuple)):
        return ParameterFile(_from_list(content), {})
    if not isinstance(content, dict):
        raise _not_understood("the file must hold a map or a list")
    if any(_is_environment(part) for part in content.values()):
        return _sam(content)
    for parameters, tags in (("Parameters", "Tags"), ("parameters", "tags")):
        if isinstance(content.get(parameters), (dict, list)):
            return ParameterFile(_values(content[parameters]), _values(content.get(tags) or {}))
    if name.lower().endswith(".toml"):
        return _sam(content)
    return ParameterFile(_from_map(content), {})


def _not_understood(what: str) -> ParseError:
    return ParseError(what, hint=f"give {ACCEPTED}")


def _toml(text: str) -> object:
    try:
        return parse_toml(text)
    except ParseError as error:
        raise _not_understood(error.message) from error


def _json_or_yaml(text: str) -> object:
    return parse(text, as_json=text.lstrip("\ufeff \t\r\n")[:1] in ("{", "[")).plain()


def _values(content: object) -> dict[str, str]:
    if isinstance(content, str):
        return _from_words(shlex.split(content))
    if isinstance(content, dict):
        return _from_map(content)
    if isinstance(content, (list, tuple)):
        return _from_list(content)
    raise _not_understood("parameters must be a map, a list or a text")


def _from_map(content: Mapping[str, object]) -> dict[str, str]:
    return {name: _text(name, value) for name, value in content.items()}


def _from_list(content: Sequence[object]) -> dict[str, str]:
    values: dict[str, str] = {}
    for entry in content:
        if isinstance(entry, str):
            values.update(_from_words([entry]))
        elif isinstance(entry, dict) and ("ParameterKey" in entry or "Key" in entry):
            values.update(_from_entry(entry))
        elif isinstance(entry, dict) and entry:
            values.update(_from_map(entry))
        else:
            raise _not_understood("an entry of the list is neither Name=value nor a parameter")
    return values


def _from_entry(entry: Mapping[str, object]) -> dict[str, str]:
    name = str(entry.get("ParameterKey", entry.get("Key")))
    if "ResolvedValue" in entry:
        return {name: ResolvedText(_text(name, entry["ResolvedValue"]))}
    for key in ("ParameterValue", "Value"):
        if key in entry:
            return {name: _text(name, entry[key])}
    if entry.get("UsePreviousValue") in (True, "true"):
        return {}
    raise _not_understood(f"the parameter {name} has no ParameterValue")


def _from_words(words: Sequence[str]) -> dict[str, str]:
    values: dict[str, str] = {}
    for word in words:
        name, equals, value = word.partition("=")
        if name == "ParameterKey":
            name, _, value = value.partition(",ParameterValue=")
        if word.startswith("file://"):
            raise ParseError(f"the parameters are in another file: {word}", hint="pass that file to --params")
        if not equals or not name:
            raise _not_understood("an entry is not Name=value")
        values[name] = value
    return values


def _text(name: str, value: object) -> str:
    if isinstance(value, (str, bool, int, float)):
        return text_of(value)
    if isinstance(value, (list, tuple)):
        return ",".join(_text(name, item) for item in value)
    raise _not_understood(f"the value of {name} must be a text, a number, true or false, or a list of these")


def _is_environment(part: object) -> bool:
    return isinstance(part, dict) and any(
        isinstance(command, dict) and "parameters" in command for command in part.values()
    )


def _sam(content: Mapping[str, object]) -> ParameterFile:
    """A samconfig file: the environment ``default``, or the only one. ``deploy`` overrides ``global``."""
    environments = {name: part for name, part in content.items() if isinstance(part, dict) and _is_environment(part)}
    if "default" not in environments and len(environments) != 1:
        raise _not_understood("a samconfig file needs the environment 'default', or just one")
    environment = environments.get("default") or next(iter(environments.values()))
    merged: dict[str, object] = {}
    for command in ("global", "deploy"):
        part = environment.get(command)
        if isinstance(part, dict) and isinstance(part.get("parameters"), dict):
            merged.update(part["parameters"])
    region = merged.get("region")
    return ParameterFile(
        _values(merged.get("parameter_overrides") or {}),
        _values(merged.get("tags") or {}),
        region if isinstance(region, str) else None,
    )
