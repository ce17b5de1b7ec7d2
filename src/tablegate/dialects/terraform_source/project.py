"""One root module and all that it calls, on its way into an estate: judged as the plan of it would be, without one."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import UNSET, Raw

from tablegate.dialects.reading import Reading, ReadOptions
from tablegate.dialects.terraform_plan import coverage
from tablegate.dialects.terraform_plan.access import POLICY_TYPES
from tablegate.dialects.terraform_plan.addresses import bracketed, calls, unkeyed
from tablegate.dialects.terraform_plan.configuration import Configuration
from tablegate.dialects.terraform_plan.coverage import READ
from tablegate.dialects.terraform_plan.descriptions import Description
from tablegate.dialects.terraform_plan.faults import Faults
from tablegate.dialects.terraform_plan.instances import Instances, Item
from tablegate.dialects.terraform_plan.origins import Origin
from tablegate.dialects.terraform_plan.secrets import texts
from tablegate.dialects.terraform_plan.unknowns import Unknown
from tablegate.dialects.terraform_source.definitions import Definition, Key, defined, refuse_parsing
from tablegate.dialects.terraform_source.evaluate import evaluated
from tablegate.dialects.terraform_source.modules import ModuleInstance, provider_key
from tablegate.dialects.terraform_source.scopes import Scope
from tablegate.dialects.terraform_source.things import instance_key
from tablegate.dialects.terraform_source.variables import Given
from tablegate.dialects.terraform_source.writing import Made, lifecycle, made
from tablegate.findings import FaultCode
from tablegate.model.table import Dialect
from tablegate.model.value import Place
from tablegate.syntax.errors import ParseError
from tablegate.syntax.hcl_nodes import Block, Literal
from tablegate.syntax.raw_json import Plain
from tablegate.syntax.source import Folder, Source, within

# Types whose instances are looked at where something refers to them.
_REFERRED = frozenset({"aws_kms_external_key", "aws_kms_replica_key", "aws_kms_replica_external_key"})
_ASKED = frozenset({"aws_kms_alias", "aws_kms_key"})  # data sources
_MADE = dict.fromkeys(("arn", "id", "stream_arn", "stream_label", "key_id", "target_key_arn", "tags_all"), True)
_MOST = 20_000  # resources of one root
_TRUST = "terraform init, then --trust-modules; or judge the plan, which holds every module"


class Project:
    """The modules of one root, and everything that was found in them."""

    def __init__(self, name: str, folder: Folder, options: ReadOptions) -> None:
        self._folder = folder
        self._options = options
        self._faults = Faults(name)
        self._folders: dict[str, list[Source]] = {}
        for part in folder.parts:
            self._folders.setdefault(part.name.rpartition("/")[0], []).append(part)
        self._definitions: dict[str, Definition] = {}
        self._secrets: set[str] = set()
        self._instances = Instances(self._faults)
        self._providers: dict[str, dict[str, object]] = {}
        self._tags: dict[str, object] = {}
        self._data: dict[str, list[dict[str, object]]] = {}
        self._uncovered: dict[str, None] = {}
        self._doubts = 0
        self._resources = 0
        self._left: list[str] = []
        self._given = Given(options, folder.beside, self.refuse)

    def reading(self) -> Reading:
        """What the source says."""
        root = ModuleInstance(self, self._definition(self._folder.root))
        for module in self._modules(root):
            self._read_module(module)
        coverage.note_left(self._left, self._faults)
        self._note_alone()
        configuration = Configuration({"root_module": self._configured(), "provider_config": self._providers})
        dialect = Dialect.TERRAFORM_SOURCE
        description = Description(dialect, configuration, self._instances, self._faults, self._options)
        tables = description.tables()
        estate = description.estate(tables, (), self._secrets)
        seen = description.input(tables, self._detail(), self._resources)
        return Reading(input=seen, estate=estate, faults=self._faults.found)

    def _note_alone(self) -> None:
        left = self._folder.left
        if left:
            files = "file" if left == 1 else "files"
            message = f"judged without the {left} other {files} of its folder"
            self._faults.incomplete(message, blocks=False, hint="give the folder: a module is all of its files")

    def _detail(self) -> str:
        values = "value" if self._doubts == 1 else "values"
        return f"source mode: {self._doubts} {values} only a plan can tell"

    def _modules(self, root: ModuleInstance) -> Iterator[ModuleInstance]:
        waiting = [root]
        while waiting:
            module = waiting.pop(0)
            yield module
            waiting += module.children()

    def _definition(self, folder: str) -> Definition:
        found = self._definitions.get(folder)
        if found is None:
            files = self._folders.get(folder, [])
            found = self._definitions[folder] = defined(folder, files, self._options.grammar, self.refuse)
        return found

    def refuse(self, message: str, place: Place, *, duplicate: bool = False, hint: str | None = None) -> None:
        """A part of the source that is not what it should be."""
        code = FaultCode.DUPLICATE_KEY if duplicate else FaultCode.UNREADABLE
        self._faults.refuse_at(message, place, code=code, hint=hint)

    def called(self, block: Block, folder: str, path: tuple[str, ...]) -> Definition | None:
        """The module that a block calls; None where it was not read, which is said."""
        attribute = block.body.attributes.get("source")
        value = attribute.value if attribute is not None else None
        source = value.content if isinstance(value, Literal) else None
        target = None
        if isinstance(source, str) and source.startswith(("./", "../")):
            target = within(folder, source)
        elif self._folder.modules:
            target = self._folder.modules.get(".".join(path))
        if target is not None and target in self._folders:
            return self._definition(target)
        self._not_covered(block, source if isinstance(source, str) else None)
        return None

    def _not_covered(self, block: Block, source: str | None) -> None:
        name = block.labels[0]
        what = f"module.{name} ({source})" if source else f"module.{name}"
        if what not in self._uncovered:
            self._uncovered[what] = None
            if source is not None and source.startswith(("./", "../")):
                message = f"{what} was not read: no such folder of source, or it lies outside of the repository"
                self._faults.refuse_at(message, block.place, code=FaultCode.UNREADABLE)
            else:
                message = f"{what} is not covered: nothing is known of what is in it"
                self._faults.incomplete_at(message, block.place, blocks=False, hint=_TRUST)

    def given(self, name: str, block: Block, module: ModuleInstance) -> object:
        """The content of a variable of the root module."""
        return self._given.value(name, block, module)

    def keep_secret(self, content: object) -> None:
        """Texts that no report may hold."""
        self._secrets.update(texts(content))

    def _read_module(self, module: ModuleInstance) -> None:
        for key, block in sorted(module.definition.resources.items()):
            try:
                self._read_resource(module, key, block)
            except ParseError as error:
                refuse_parsing(error, block.file.name, self.refuse)

    def _read_resource(self, module: ModuleInstance, key: Key, block: Block) -> None:
        self._note_running(key, block)
        wanted = _ASKED if key.mode == "data" else READ | _REFERRED
        if key.mode == "managed":
            self._resources += 1
        if key.type in wanted:
            self._read_instances(module, key, block)
        elif key.mode == "managed" and (coverage.is_left(key.type) or key.type in POLICY_TYPES):
            self._left.append(key.type)

    def _note_running(self, key: Key, block: Block) -> None:
        """Say that something is run there that may do anything to a table."""
        runs = key.mode == "managed" and block.file.says(block.start, block.close, "provisioner")
        if (runs or key == ("data", "external", key.name)) and block.file.says(block.start, block.close, "dynamodb"):
            what = "a provisioner" if runs else "an external program"
            message = f"{key.type}.{key.name} is not covered: {what} speaks of DynamoDB, and may do anything to it"
            self._faults.incomplete_at(message, block.place, blocks=False)

    def _read_instances(self, module: ModuleInstance, key: Key, block: Block) -> None:
        repeats = module.repeats(key)
        partly = key.type.startswith("awscc_")
        provider = self._provider(module, block, key.type)
        if lifecycle(block.body)[1] and key.type in READ:
            message = f"{key.type}.{key.name} ignores all changes: what is written may never be applied"
            self._faults.incomplete_at(message, block.place, blocks=False)
        for at, value in repeats.pairs:
            if len(self._instances.items) >= _MOST:
                self._faults.incomplete_at(f"more than {_MOST} resources", block.place, blocks=True)
                return
            one = made(block.body, block, Scope(module, at, value, repeats.counts), module, partly=partly)
            self._add(module, key, at, one, Origin(one.expressions, one.written, provider, lifecycle(block.body)[0]))

    def _add(self, module: ModuleInstance, key: Key, at: object, one: Made, origin: Origin) -> None:
        data = "data." if key.mode == "data" else ""
        instance = instance_key(at)
        address = f"{module.address}.{data}{key.type}.{key.name}{bracketed(instance)}".removeprefix(".")
        if key.mode == "managed" and key.type in READ:
            self._doubts += _counted(one.unknown)
            self._merge_tags(one, origin.provider)
        if key.mode == "data":
            self._keep_data(module, key, one)
        item = Item(
            address=address,
            type=key.type,
            name=key.name,
            change=Raw(b"{}"),
            mode=key.mode,
            module_address=module.address or UNSET,
            index=UNSET if instance is None else instance,
        )
        change = {
            "actions": ["create"] if key.mode == "managed" else ["read"],
            "before": None,
            "after": one.content,
            "after_unknown": {**{name: True for name in _MADE if name not in one.content}, **one.unknown},
            "after_sensitive": one.marks,
        }
        self._instances.add(item, Plain(change), address, origin)

    def _keep_data(self, module: ModuleInstance, key: Key, one: Made) -> None:
        written: dict[str, object] = {
            "mode": "data",
            "type": key.type,
            "name": key.name,
            "expressions": one.expressions,
        }
        self._data.setdefault(unkeyed(module.address), []).append(written)

    def _configured(self) -> dict[str, object]:
        """The data sources in the modules they stand in, as the configuration of a plan has them."""
        root: dict[str, object] = {"resources": self._data.get("", []), "module_calls": {}}
        for address, resources in sorted(self._data.items()):
            inside = root
            for call in calls(address):
                below = inside.setdefault("module_calls", {})
                inside = below.setdefault(call.name, {"module": {}})["module"]  # type: ignore[attr-defined]
            inside["resources"] = resources
        return root

    def _merge_tags(self, one: Made, provider: str) -> None:
        """What the provider adds: its default tags below the resource's own."""
        if "tags" in one.unknown and "tags" not in one.content:
            return
        defaults = self._tags.get(provider)
        if isinstance(defaults, Unknown):
            one.expressions["tags_all"] = {"doubt": defaults.doubt(), "reached": defaults.reached, "candidates": ()}
            return
        tags = one.content.get("tags")
        own = tags if isinstance(tags, dict) else {}
        merged = {**defaults, **own} if isinstance(defaults, dict) else own
        if merged:
            one.content["tags_all"] = {
                name: None if isinstance(text, Unknown) else text for name, text in merged.items()
            }
        one.expressions["tags_all"] = one.expressions.get("tags", {"constant_value": None})

    def _provider(self, module: ModuleInstance, block: Block, type_: str) -> str:
        """The key of a resource's provider configuration, which is read when it is first met."""
        attribute = block.body.attributes.get("provider")
        name = provider_key(None if attribute is None else attribute.value, type_)
        found = module.provider(name)
        if found is None:
            return name
        owner, own = found
        full = f"{owner.address}:{own}" if owner.address else own
        if full not in self._providers:
            self._providers[full] = {}
            self._configure(full, owner, owner.definition.providers[own])
        return full

    def _configure(self, full: str, owner: ModuleInstance, block: Block) -> None:
        region = block.body.attributes.get("region")
        if region is not None:
            content = evaluated(region.value, Scope(owner))
            known = {} if isinstance(content, Unknown) else {"constant_value": content}
            self._providers[full] = {"expressions": {"region": known}}
        for one in block.body.blocks:
            tags = one.body.attributes.get("tags") if one.type == "default_tags" else None
            if tags is not None:
                self._tags[full] = evaluated(tags.value, Scope(owner))


def _counted(unknown: object) -> int:
    """How many values are unknown."""
    if unknown is True:
        return 1
    if isinstance(unknown, dict):
        return sum(map(_counted, unknown.values()))
    return sum(map(_counted, unknown)) if isinstance(unknown, list) else 0
