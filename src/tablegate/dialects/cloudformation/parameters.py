"""Parameter files, in every form that people keep them in."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tablegate.dialects.cloudformation.symbols import ResolvedText
from tablegate.dialects.cloudformation.unsettled import text_of
from tablegate.model.record import record
from tablegate.syntax.errors import ParseError

ACCEPTED = (
    'one of: a map of names to values in JSON or YAML; [{"ParameterKey": …, "ParameterValue": …}]; '
    '["Name=value", …]; {"Parameters": {…}, "Tags": {…}}; or a samconfig.toml or samconfig.yaml'
)


@record(kw_only=False)
class ParameterFile:
    """What a parameter file says of a stack."""

    values: Mapping[str, str]
    tags: Mapping[str, str]
    region: str | None = None


def parse_parameters(text: str, name: str) -> ParameterFile:
    """Read a parameter file. ``name`` tells TOML from the others. Raises ParseError."""
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
    import tomllib  # 3 ms, and most runs have no parameter file

    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise _not_understood(f"not valid TOML: {error}") from error


def _json_or_yaml(text: str) -> object:
    # Imported here: a run without a parameter file pays for neither reader.
    if text.lstrip("\ufeff \t\r\n")[:1] in ("{", "["):
        from tablegate.syntax.json_ import parse_json

        return parse_json(text).plain()
    from tablegate.syntax.yaml_ import parse_yaml

    return parse_yaml(text).plain()


def _values(content: object) -> dict[str, str]:
    if isinstance(content, str):
        import shlex

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
            raise ParseError(f"parameters are kept in another file: {word}", hint="pass that file to --params")
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
    """A samconfig file: the environment ``default``, or the only one there is; ``deploy`` wins over ``global``."""
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
