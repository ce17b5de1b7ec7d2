"""Cdk assemblies: manifest, stacks, construct paths."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import TypeAlias

from tablegate.dialects.cloudformation.estate import readable_path
from tablegate.dialects.cloudformation.exports import Exports
from tablegate.dialects.cloudformation.loading import LoadedTemplate, load, load_tree
from tablegate.dialects.cloudformation.resolver import StackContext
from tablegate.dialects.cloudformation.stacks import EmbeddedStacks, reading_of
from tablegate.dialects.reading import Reading, ReadOptions, unreadable
from tablegate.findings import Fault, FaultCode, Input
from tablegate.model.record import record, replace
from tablegate.model.table import Construct
from tablegate.model.value import Place
from tablegate.syntax.json import load_json, parse_json
from tablegate.syntax.json.lazy import members
from tablegate.syntax.node import Node, ParseError, collector_paused
from tablegate.syntax.recognise import Kind, is_json, recognise
from tablegate.syntax.source import ALONE, Beside, Source, decode

Tree: TypeAlias = Mapping[str, object]

STACK = "aws:cloudformation:stack"
ASSETS = "cdk:asset-manifest"
STAGE = "cdk:cloud-assembly"
TREE = "cdk:tree"
_OF_NO_INTEREST = frozenset({TREE, "cdk:feature-flag-report", "none"})
_NEWEST = 60  # the last major version of the manifest that is known
_ENVIRONMENT = re.compile(r"aws://([^/]+)/([^/]+)")
_UNSAFE = "leaves the assembly's folder"


def tree(content: object) -> Tree:
    """The content if it is an object, else nothing."""
    return content if isinstance(content, dict) else {}


def text(content: object) -> str | None:
    """The content if it is a text with something in it."""
    return content if isinstance(content, str) and content else None


@record()
class Stack:
    """A stack as a manifest lists it."""

    id: str
    folder: str  # of its manifest
    template: str
    name: str
    account: str | None
    region: str | None
    tags: Mapping[str, str]
    artifact: Tree
    files: tuple[str, ...]  # asset manifests of its assembly


class Manifests:
    """The manifests of an assembly and of the assemblies within it, with the faults found in them."""

    def __init__(self, file: str, beside: Beside) -> None:
        self._root = posixpath.dirname(file)
        self._beside = beside
        self._seen: set[str] = set()
        self.faults: list[Fault] = []

    def stacks(self, manifest: str, file: str) -> Iterator[Stack]:
        """Every stack, stage by stage."""
        self._seen.add(file)
        content = tree(load_json(manifest))
        self._note_version(content.get("version"), file)
        self._note_missing(content.get("missing"), file)
        artifacts = content.get("artifacts")
        if not isinstance(artifacts, dict):
            self.refuse("artifacts must be an object", file)
            return
        folder = posixpath.dirname(file)
        listed = [(name, tree(artifact)) for name, artifact in sorted(artifacts.items())]
        files = tuple(self._files(listed, folder))
        for name, artifact in listed:
            kind = text(artifact.get("type"))
            if kind == STACK:
                yield from self._stack(name, artifact, file, files)
            elif kind == STAGE:
                yield from self._stage(name, artifact, file)
            elif kind != ASSETS and kind not in _OF_NO_INTEREST:
                shown = "missing" if kind is None else f"{kind[:60]!r}"
                hint = "synthesise with a version of the CDK that is known, or check the templates by themselves"
                self.refuse(f"{name}: the type of this artifact is {shown}, which is not known", file, hint)

    def inside(self, folder: str, path: str) -> str | None:
        """The name of a file of the assembly; None where the path leads out of it."""
        found = posixpath.normpath(posixpath.join(folder, path))
        root = f"{self._root}/" if self._root else ""
        out = posixpath.isabs(path) or not found.startswith(root) or (not root and found.startswith(("..", "/")))
        return None if out else found

    def content(self, file: str) -> Tree:
        """A file of the assembly that holds an object; nothing where it is not there."""
        data = self._beside.files.get(file)
        if data is None:
            return {}
        try:
            return tree(load_json(decode(data)))
        except ParseError as error:
            self.faults.append(
                Fault(FaultCode.UNREADABLE, error.message, Place(file, error.line, error.column), hint=error.hint)
            )
            return {}

    def refuse(self, message: str, file: str, hint: str | None = None) -> None:
        """Note what cannot be trusted."""
        self.faults.append(Fault(FaultCode.UNREADABLE, message, Place(file), hint=hint))

    def missing(self, name: str, what: str, file: str, path: str) -> None:
        """Note that a file of the assembly is not there, or not to be read."""
        refused = self._beside.refused.get(path)
        why = f"is not read: {refused}" if refused else "is not in the assembly"
        self.refuse(f"{name}: {what} {why}", file, "synthesise again: cdk synth")

    def _stack(self, name: str, artifact: Tree, file: str, files: tuple[str, ...]) -> Iterator[Stack]:
        properties = tree(artifact.get("properties"))
        stated = text(properties.get("templateFile"))
        folder = posixpath.dirname(file)
        template = self.inside(folder, stated) if stated is not None else None
        if stated is None:
            self.refuse(f"{name}: a stack needs a templateFile", file)
        elif template is None:
            self.refuse(f"{name}: its templateFile {_UNSAFE}", file)
        elif template not in self._beside.files:
            self.missing(name, "its template", file, template)
        else:
            account, region = _environment(artifact.get("environment"))
            yield Stack(
                id=name,
                folder=folder,
                template=template,
                name=text(properties.get("stackName")) or name,
                account=account,
                region=region,
                tags={key: str(value) for key, value in tree(properties.get("tags")).items()},
                artifact=artifact,
                files=files,
            )

    def _stage(self, name: str, artifact: Tree, file: str) -> Iterator[Stack]:
        stated = text(tree(artifact.get("properties")).get("directoryName"))
        folder = self.inside(posixpath.dirname(file), stated) if stated is not None else None
        manifest = f"{folder}/manifest.json"
        if stated is None:
            self.refuse(f"{name}: a stage needs a directoryName", file)
        elif folder is None:
            self.refuse(f"{name}: its directoryName {_UNSAFE}", file)
        elif manifest not in self._beside.files:
            self.missing(name, "its manifest", file, manifest if manifest in self._beside.refused else folder)
        elif manifest not in self._seen:
            yield from self.stacks(decode(self._beside.files[manifest]), manifest)

    def _files(self, listed: list[tuple[str, Tree]], folder: str) -> Iterator[str]:
        for _, artifact in listed:
            stated = text(tree(artifact.get("properties")).get("file")) if artifact.get("type") == ASSETS else None
            found = self.inside(folder, stated) if stated is not None else None
            if found is not None:
                yield found

    def _note_version(self, version: object, file: str) -> None:
        major = version.partition(".")[0] if isinstance(version, str) else ""
        if not major.isdigit() or int(major[:9]) > _NEWEST:
            told = f"version {str(version)[:20]} of the assembly's manifest is newer than those that are known"
            self.faults.append(Fault(FaultCode.INCOMPLETE, told, Place(file), blocks=False))

    def _note_missing(self, missing: object, file: str) -> None:
        if missing:
            told = "the synthesis is not complete: values of the environment were missing and stand for dummies"
            self.faults.append(
                Fault(FaultCode.INCOMPLETE, told, Place(file), hint="run cdk synth with access to the account")
            )


def _environment(stated: object) -> tuple[str | None, str | None]:
    """The account and the region of a stack, where it has its own."""
    found = _ENVIRONMENT.fullmatch(stated) if isinstance(stated, str) else None
    if found is None:
        return None, None
    account, region = found.groups()
    return (None if account == "unknown-account" else account), (None if region == "unknown-region" else region)


_LOGICAL_ID = "aws:cdk:logicalId"
_CREATION = "aws:cdk:creationStack"
_ACKNOWLEDGED = "aws:cdk:acknowledged-rules"
_FRAME = re.compile(r"\(?([^()\s]+):([0-9]{1,9}):([0-9]{1,9})\)?$")
_NOT_THE_AUTHORS = ("node_modules/", "node:", "jsii-kernel", "aws-cdk-lib")
_OURS = "tablegate::"


class Constructs:
    """The constructs of one stack."""

    def __init__(self, noted: Tree, paths: Iterable[tuple[str, str]]) -> None:
        self._noted = {f"/{path.strip('/')}": list(_entries(entries)) for path, entries in noted.items()}
        self._by_id: dict[str, list[str]] = {}
        for path, entries in self._noted.items():
            for entry in entries:
                if entry.get("type") == _LOGICAL_ID:
                    self._by_id.setdefault(str(entry.get("data")), []).append(path)
        for logical_id, path in paths:
            known = self._by_id.setdefault(logical_id, [])
            if f"/{path}" not in known:
                known.append(f"/{path}")

    def __call__(self, logical_id: str, path: str | None) -> Construct | None:
        """The construct that made a resource."""
        found = self._by_id.get(logical_id, ()) if path is None else (f"/{path.strip('/')}",)
        if len(found) != 1:
            return None
        return Construct(
            path=readable_path(found[0]),
            place=next(_author(self._noted.get(found[0], ())), None),
            acknowledged=self._acknowledged(found[0]),
        )

    def _acknowledged(self, path: str) -> Mapping[str, str]:
        """What was acknowledged of the construct, or of one that it is part of. The innermost reason counts."""
        rules: dict[str, str] = {}
        steps = path.split("/")
        for depth in range(1, len(steps) + 1):
            for entry in self._noted.get("/".join(steps[:depth]) or "/", ()):
                if entry.get("type") == _ACKNOWLEDGED:
                    said = tree(entry.get("data")).items()
                    rules.update({rule.removeprefix(_OURS): str(why) for rule, why in said if rule.startswith(_OURS)})
        return rules


def paths_of(content: object) -> Iterator[tuple[str, str]]:
    """Logical ids and construct paths, from the tree of constructs."""
    waiting = [content]
    while waiting:
        node = tree(waiting.pop())
        attributes = tree(node.get("attributes"))
        logical_id, path = attributes.get("aws:cdk:cloudformation:logicalId"), node.get("path")
        if isinstance(logical_id, str) and isinstance(path, str):
            yield logical_id, path
        waiting.extend(tree(node.get("children")).values())


def _entries(entries: object) -> Iterator[Tree]:
    return (entry for entry in entries if isinstance(entry, dict)) if isinstance(entries, list) else iter(())


def _author(entries: Iterable[Tree]) -> Iterator[Place]:
    """The lines of the author's own program that made the construct, the innermost first."""
    for entry in entries:
        trace = entry.get("data") if entry.get("type") == _CREATION else None
        for frame in trace if isinstance(trace, list) else ():
            found = _FRAME.search(frame.strip()) if isinstance(frame, str) else None
            if found is not None and not any(part in found[1] for part in _NOT_THE_AUTHORS):
                yield Place(found[1], int(found[2]), int(found[3]))


KIND = "cdk-assembly"
_TEMPLATES = (".template.json", ".template.yaml", ".template.yml")
_WITHOUT_RESOURCES = frozenset(
    {
        "AWSTemplateFormatVersion",
        "Conditions",
        "Description",
        "Mappings",
        "Metadata",
        "Outputs",
        "Parameters",
        "Rules",
    }
)
_UNLISTED = "no manifest of the assembly names this template: it is stale, or it is hidden"


def read(manifest: str, name: str, options: ReadOptions, beside: Beside = ALONE) -> Reading:
    """Every stack of the assembly, in its own account and region."""
    with collector_paused():
        manifests = Manifests(name, beside)
        stacks = list(manifests.stacks(manifest, name))
        inner = list(_Assembly(manifests, beside, options).readings(stacks))
        inner += _unlisted(inner, beside, options)
    if not inner and not manifests.faults:
        manifests.refuse("there is no stack in this assembly", name, "synthesise it again: cdk synth")
    return Reading(input=Input(path=name, kind=KIND), estate=None, faults=tuple(manifests.faults), inner=tuple(inner))


class _Assembly:
    """The stacks of an assembly, which know of each other."""

    def __init__(self, manifests: Manifests, beside: Beside, options: ReadOptions) -> None:
        self._manifests = manifests
        self._beside = beside
        self._options = options
        self._paths: list[tuple[str, str]] | None = None

    def readings(self, stacks: Iterable[Stack]) -> Iterator[Reading]:
        """A reading for each stack. They are opened first, so that each knows what the others export."""
        found = [(stack, self._opened(stack)) for stack in stacks]
        known = [it.resolver for _, it in found if isinstance(it, LoadedTemplate) and it.resolver is not None]
        exports = Exports(known, self._options.exports)
        for resolver in known:
            resolver.context = replace(resolver.context, exports=exports)
        for stack, it in found:
            yield it if isinstance(it, Reading) else reading_of(stack.template, it)

    def _opened(self, stack: Stack) -> LoadedTemplate | Reading:
        options = replace(
            self._options,
            region=stack.region or self._options.region,
            account=stack.account or self._options.account,
            stack_tags={**self._options.stack_tags, **stack.tags},
        )
        context = StackContext(
            name=stack.name,
            beside=self._beside,
            assets=self._assets(stack),
            constructs=self._constructs(stack),
            embedded=EmbeddedStacks(),
        )
        try:
            return _template(stack.template, self._beside.files[stack.template], options, context)
        except ParseError as error:
            return unreadable(error, stack.template)

    def _assets(self, stack: Stack) -> dict[str, str]:
        """The files that the stack's assembly publishes, by their hashes."""
        found = {}
        for file in stack.files:
            for key, asset in tree(self._manifests.content(file).get("files")).items():
                path = text(tree(tree(asset).get("source")).get("path"))
                if path is not None:
                    found[key] = path
        return found

    def _constructs(self, stack: Stack) -> Constructs:
        noted = dict(tree(stack.artifact.get("metadata")))
        further = text(stack.artifact.get("additionalMetadataFile"))
        file = self._manifests.inside(stack.folder, further) if further is not None else None
        if file is not None:
            noted |= self._manifests.content(file)
        has_ids = any("aws:cdk:logicalId" in str(entries) for entries in noted.values())
        return Constructs(noted, () if has_ids else self._tree(stack))

    def _tree(self, stack: Stack) -> list[tuple[str, str]]:
        """The ids and paths in the tree of constructs: for assemblies that note them nowhere else."""
        if self._paths is None:
            file = posixpath.join(stack.folder, "tree.json")
            self._paths = list(paths_of(self._manifests.content(file).get("tree")))
        return [(id_, path) for id_, path in self._paths if path.startswith(f"{stack.id}/")]


def _template(name: str, data: bytes, options: ReadOptions, context: StackContext) -> LoadedTemplate:
    """The template of a stack, which may be without resources: the CDK writes that of an empty stack too."""
    text = decode(data)
    if is_json(text) and members(text).keys() <= _WITHOUT_RESOURCES:
        root = parse_json(text)
        sections = root.content if isinstance(root.content, dict) else {}
        empty = {**sections, "Resources": Node({}, root.line, root.column)}
        return load_tree(Node(empty, root.line, root.column), text, name, options, context)
    recognised = recognise(Source(name, data))
    if recognised.kind is not Kind.CLOUDFORMATION:
        raise ParseError("this is no template, though the manifest says so")
    return load(recognised.text, name, options, context)


def _unlisted(read: Iterable[Reading], beside: Beside, options: ReadOptions) -> list[Reading]:
    """The templates of the folder that nothing names: judged like the others, and told."""
    known = {reading.input.path for outer in read for reading in outer.all()}
    found = []
    for name in sorted(beside.files):
        if name.endswith(_TEMPLATES) and name not in known:
            fault = Fault(FaultCode.INCOMPLETE, _UNLISTED, Place(name), blocks=False)
            try:
                context = StackContext(beside=beside, embedded=EmbeddedStacks())
                reading = reading_of(name, _template(name, beside.files[name], options, context))
            except ParseError as error:
                reading = unreadable(error, name)
            found.append(replace(reading, faults=(*reading.faults, fault)))
    return found


__all__ = ["read"]
