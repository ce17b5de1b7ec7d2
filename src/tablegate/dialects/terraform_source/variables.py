"""The variables of the root module: what Terraform itself would read them from, and what the user names."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from tablegate.dialects.reading import ReadOptions
from tablegate.dialects.terraform_plan.unknowns import Unknown
from tablegate.dialects.terraform_source.definitions import Refuse, refuse_parsing
from tablegate.dialects.terraform_source.evaluate import evaluated
from tablegate.dialects.terraform_source.scopes import Module, Scope
from tablegate.dialects.terraform_source.types import converted, is_text
from tablegate.dialects.terraform_source.values import unknowns
from tablegate.syntax.errors import ParseError
from tablegate.syntax.hcl import File
from tablegate.syntax.hcl_json import JsonFile
from tablegate.syntax.hcl_nodes import Block, Expression
from tablegate.syntax.source import Source
from tablegate.syntax.text import decode

_HINT = "--var {0}=VALUE, --var-file FILE, or --assume-defaults"


class Given:
    """What the variables of a root module are set to, the strongest word last."""

    def __init__(self, options: ReadOptions, beside: Iterable[Source], refuse: Refuse) -> None:
        self._refuse = refuse
        self._grammar = options.grammar
        self._texts = options.variables
        self._environment = options.environment
        self._sure = options.assume_defaults or bool(options.variable_files or options.variables)
        self._files: dict[str, Expression] = {}
        for source in (*in_order(beside), *options.variable_files):
            self._files |= self._assigned(source)

    def value(self, name: str, block: Block, module: Module) -> object:
        """The content of one variable."""
        type_ = None if (found := block.body.attributes.get("type")) is None else found.value
        default = block.body.attributes.get("default")
        scope = Scope(module)
        if name in self._texts:
            return converted(self._of_text(self._texts[name], type_, scope), type_)
        if name in self._files:
            return converted(evaluated(self._files[name], scope), type_)
        if name in self._environment:
            return converted(self._of_text(self._environment[name], type_, scope), type_)
        settle = _HINT.format(name)
        if default is None:
            settle = settle.replace(", or --assume-defaults", "")
            return Unknown(f"the variable {name} has no value in source", settle, label=f"var.{name}")
        content = converted(evaluated(default.value, scope), type_)
        if self._sure or any(unknowns(content)):
            return content
        return Unknown(f"the variable {name} has only a default, which a run may replace", settle, label=f"var.{name}")

    def _of_text(self, text: str, type_: Expression | None, scope: Scope) -> object:
        if is_text(type_):
            return text
        try:
            body = File("", f"x = {text}\n", self._grammar).assignments()
            return evaluated(body.attributes["x"].value, scope)
        except ParseError:
            return Unknown("a value that is no expression", "a value in Terraform's syntax")

    def _assigned(self, source: Source) -> Mapping[str, Expression]:
        if not source.data.strip():
            return {}
        try:
            made = JsonFile if source.name.endswith(".json") else File
            body = made(source.name, decode(source.data), self._grammar).assignments()
        except ParseError as error:
            refuse_parsing(error, source.name, self._refuse)
            return {}
        return {name: attribute.value for name, attribute in body.attributes.items()}


def in_order(beside: Iterable[Source]) -> list[Source]:
    """Files that Terraform reads unasked: terraform.tfvars first, then the automatic ones by name."""
    own = {"terraform.tfvars": 0, "terraform.tfvars.json": 1}

    def rank(source: Source) -> tuple[int, str]:
        name = source.name.rpartition("/")[2]
        return own.get(name, 2), name

    return sorted((one for one in beside if is_automatic(one.name)), key=rank)


def is_automatic(name: str) -> bool:
    """Whether Terraform reads a file of variables without being told to."""
    name = name.rpartition("/")[2]
    return name in ("terraform.tfvars", "terraform.tfvars.json") or name.endswith((".auto.tfvars", ".auto.tfvars.json"))
