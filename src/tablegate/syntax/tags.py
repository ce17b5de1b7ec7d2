"""What a tag means: CloudFormation's short forms, and the few of YAML's own that change no more than a type."""

from __future__ import annotations

from functools import cache

from tablegate.syntax.node import Scalar
from tablegate.syntax.scalars import resolve

CORE = "tag:yaml.org,2002:"
COLLECTIONS = {CORE + "map": dict, CORE + "seq": list}

# As cfn-flip has them, which takes as long to import as a template of ten tables to read. A test compares.
PREFIX = "Fn::"
AS_THEY_ARE = ("Ref", "Condition")

_KINDS: dict[str, tuple[type, ...]] = {
    CORE + "bool": (bool,),
    CORE + "float": (float, int),
    CORE + "int": (int,),
    CORE + "null": (type(None),),
}
_FUNCTIONS = frozenset(
    {
        "Ref",
        "Condition",
        "And",
        "Base64",
        "Cidr",
        "Contains",
        "EachMemberEquals",
        "EachMemberIn",
        "Equals",
        "FindInMap",
        "ForEach",
        "GetAtt",
        "GetAZs",
        "GetStackOutput",
        "If",
        "Implies",
        "ImportValue",
        "Join",
        "Length",
        "Not",
        "Or",
        "RefAll",
        "Select",
        "Split",
        "Sub",
        "ToJsonString",
        "Transform",
        "ValueOf",
        "ValueOfAll",
    }
)
# What the tool of AWS that packages templates puts into them, before CloudFormation sees them.
_DIRECTIVES = frozenset(f"!Rain::{name}" for name in ("Embed", "Env", "Include", "Module", "S3", "S3Http"))


@cache
def long_form(tag: str) -> str | None:
    """The key that a short form stands for: ``!Sub`` is ``Fn::Sub``. None for what is no short form.

    The rule is cfn-flip's; which functions there are is ours to say, for it turns any tag whatever into a function.
    """
    if tag in _DIRECTIVES:
        return tag[1:]
    name = tag.removeprefix("!").split("::")[0]
    if not tag.startswith("!") or name not in _FUNCTIONS:
        return None
    return tag[1:] if tag[1:] in AS_THEY_ARE else PREFIX + tag[1:]


def core_scalar(tag: str, text: str) -> Scalar:
    """A scalar with one of YAML's own tags. LookupError for a tag that is not allowed, ValueError for a bad value."""
    if tag == CORE + "str":
        return text
    kinds = _KINDS[tag]
    value = resolve(text)
    if type(value) not in kinds:
        raise ValueError(f"the value is not what its tag {shown(tag)} says")
    return float(value) if float in kinds and isinstance(value, int) else value


def shown(tag: str) -> str:
    """The tag as people write it."""
    return "!!" + tag.removeprefix(CORE) if tag.startswith(CORE) else tag
