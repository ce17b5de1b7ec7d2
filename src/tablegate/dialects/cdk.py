"""CDK assemblies: manifests, stacks with their account and region, and construct paths."""

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
from tablegate.syntax.relevance import TEMPLATES_OF_ASSEMBLY
from tablegate.syntax.source import ALONE, Beside, Source, decode

Tree: TypeAlias = Mapping[str, object]

STACK = "aws:cloudformation:stack"
ASSETS = "cdk:asset-manifest"
STAGE = "cdk:cloud-assembly"
TREE = "cdk:tree"
_IGNORED = frozenset({TREE, "cdk:feature-flag-report", "none"})
_NEWEST = 60  # the last major version of the manifest that is known
_ENVIRONMENT = re.compile(r"aws://([^/]+)/([^/]+)")
_UNSAFE = "leaves the assembly's folder"


def tree(content: object) -> Tree:
    """The content if it is an object, else nothing."""
    return content if isinstance(content, dict) else {}


def text(content: object) -> str | None:
    """The content if it is a text that is not empty."""
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
    """The manifests of an assembly and of its stages, with their faults."""

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
            elif kind != ASSETS and kind not in _IGNORED:
                shown = "missing" if kind is None else f"{kind[:60]!r}"
                hint = "synthesise with a version of the CDK that is known, or check the templates by themselves"
                self.refuse(f"{name}: the type of this artifact is {shown}, which is not known", file, hint)

    def inside(self, folder: str, path: str) -> str | None:
        """The name of a file of the assembly; None if the path leads out of it."""
        name = posixpath.normpath(posixpath.join(folder, path))
        root = f"{self._root}/" if self._root else ""
        is_outside = posixpath.isabs(path) or not name.startswith(root) or (not root and name.startswith(("..", "/")))
        return None if is_outside else name

    def content(self, file: str) -> Tree:
        """The object in a file of the assembly; empty if there is no such file."""
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
        """Report a file that cannot be trusted."""
        self.faults.append(Fault(FaultCode.UNREADABLE, message, Place(file), hint=hint))

    def missing(self, name: str, what: str, file: str, path: str) -> None:
        """Report a file of the assembly that is missing, or refused."""
        refused = self._beside.refused.get(path)
        why = f"is not read: {refused}" if refused else "is not in the assembly"
        self.refuse(f"{name}: {what} {why}", file, "synthesise again: cdk synth")

    def _stack(self, name: str, artifact: Tree, file: str, files: tuple[str, ...]) -> Iterator[Stack]:
        properties = tree(artifact.get("properties"))
        path = text(properties.get("templateFile"))
        folder = posixpath.dirname(file)
        template = self.inside(folder, path) if path is not None else None
        if path is None:
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
        path = text(tree(artifact.get("properties")).get("directoryName"))
        folder = self.inside(posixpath.dirname(file), path) if path is not None else None
        manifest = f"{folder}/manifest.json"
        if path is None:
            self.refuse(f"{name}: a stage needs a directoryName", file)
        elif folder is None:
            self.refuse(f"{name}: its directoryName {_UNSAFE}", file)
        elif manifest not in self._beside.files:
            self.missing(name, "its manifest", file, manifest if manifest in self._beside.refused else folder)
        elif manifest not in self._seen:
            yield from self.stacks(decode(self._beside.files[manifest]), manifest)

    def _files(self, listed: list[tuple[str, Tree]], folder: str) -> Iterator[str]:
        for _, artifact in listed:
            path = text(tree(artifact.get("properties")).get("file")) if artifact.get("type") == ASSETS else None
            file = self.inside(folder, path) if path is not None else None
            if file is not None:
                yield file

    def _note_version(self, version: object, file: str) -> None:
        major = version.partition(".")[0] if isinstance(version, str) else ""
        if not major.isdigit() or int(major[:9]) > _NEWEST:
            message = f"version {str(version)[:20]} of the assembly's manifest is newer than the known versions"
            self.faults.append(Fault(FaultCode.INCOMPLETE, message, Place(file), blocks=False))

    def _note_missing(self, missing: object, file: str) -> None:
        if missing:
            message = "the synthesis is not complete: missing values of the environment were replaced by dummies"
            self.faults.append(
                Fault(FaultCode.INCOMPLETE, message, Place(file), hint="run cdk synth with access to the account")
            )


def _environment(environment: object) -> tuple[str | None, str | None]:
    """The account and the region of a stack, if it has its own."""
    match = _ENVIRONMENT.fullmatch(environment) if isinstance(environment, str) else None
    if match is None:
        return None, None
    account, region = match.groups()
    return (None if account == "unknown-account" else account), (None if region == "unknown-region" else region)


_LOGICAL_ID = "aws:cdk:logicalId"
_CREATION_STACK = "aws:cdk:creationStack"
_ACKNOWLEDGED = "aws:cdk:acknowledged-rules"
_FRAME = re.compile(r"\(?([^()\s]+):([0-9]{1,9}):([0-9]{1,9})\)?$")
_LIBRARIES = ("node_modules/", "node:", "jsii-kernel", "aws-cdk-lib")
_OWN_RULES = "tablegate::"


class Constructs:
    """The constructs of one stack."""

    def __init__(self, metadata: Tree, paths: Iterable[tuple[str, str]]) -> None:
        self._metadata = {f"/{path.strip('/')}": list(_entries(entries)) for path, entries in metadata.items()}
        self._by_id: dict[str, list[str]] = {}
        for path, entries in self._metadata.items():
            for entry in entries:
                if entry.get("type") == _LOGICAL_ID:
                    self._by_id.setdefault(str(entry.get("data")), []).append(path)
        for logical_id, path in paths:
            known = self._by_id.setdefault(logical_id, [])
            if f"/{path}" not in known:
                known.append(f"/{path}")

    def __call__(self, logical_id: str, path: str | None) -> Construct | None:
        """The construct of a resource, if it is the only one."""
        paths = self._by_id.get(logical_id, ()) if path is None else (f"/{path.strip('/')}",)
        if len(paths) != 1:
            return None
        return Construct(
            path=readable_path(paths[0]),
            place=next(_author_lines(self._metadata.get(paths[0], ())), None),
            acknowledged=self._acknowledged(paths[0]),
        )

    def _acknowledged(self, path: str) -> Mapping[str, str]:
        """Rules that are acknowledged on the construct or on one around it. The innermost reason counts."""
        rules: dict[str, str] = {}
        steps = path.split("/")
        for depth in range(1, len(steps) + 1):
            for entry in self._metadata.get("/".join(steps[:depth]) or "/", ()):
                if entry.get("type") == _ACKNOWLEDGED:
                    reasons = tree(entry.get("data")).items()
                    own = ((rule, why) for rule, why in reasons if rule.startswith(_OWN_RULES))
                    rules.update({rule.removeprefix(_OWN_RULES): str(why) for rule, why in own})
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


def _author_lines(entries: Iterable[Tree]) -> Iterator[Place]:
    """The lines of the author's own program that created the construct, the innermost first."""
    for entry in entries:
        trace = entry.get("data") if entry.get("type") == _CREATION_STACK else None
        for frame in trace if isinstance(trace, list) else ():
            match = _FRAME.search(frame.strip()) if isinstance(frame, str) else None
            if match is not None and not any(part in match[1] for part in _LIBRARIES):
                yield Place(match[1], int(match[2]), int(match[3]))


KIND = "cdk-assembly"
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
_UNLISTED = "no manifest of the assembly lists this template: it is stale or hidden"


def read(manifest: str, name: str, options: ReadOptions, beside: Beside = ALONE) -> Reading:
    """Read every stack of an assembly, in its own account and region."""
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
        """Read each stack. All are loaded first, so that each knows what the others export."""
        loaded = [(stack, self._load(stack)) for stack in stacks]
        resolvers = [it.resolver for _, it in loaded if isinstance(it, LoadedTemplate) and it.resolver is not None]
        exports = Exports(resolvers, self._options.exports)
        for resolver in resolvers:
            resolver.context = replace(resolver.context, exports=exports)
        for stack, it in loaded:
            yield it if isinstance(it, Reading) else reading_of(stack.template, it)

    def _load(self, stack: Stack) -> LoadedTemplate | Reading:
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
        assets = {}
        for file in stack.files:
            for key, asset in tree(self._manifests.content(file).get("files")).items():
                path = text(tree(tree(asset).get("source")).get("path"))
                if path is not None:
                    assets[key] = path
        return assets

    def _constructs(self, stack: Stack) -> Constructs:
        metadata = dict(tree(stack.artifact.get("metadata")))
        further = text(stack.artifact.get("additionalMetadataFile"))
        file = self._manifests.inside(stack.folder, further) if further is not None else None
        if file is not None:
            metadata |= self._manifests.content(file)
        has_ids = any("aws:cdk:logicalId" in str(entries) for entries in metadata.values())
        return Constructs(metadata, () if has_ids else self._tree(stack))

    def _tree(self, stack: Stack) -> list[tuple[str, str]]:
        """Ids and paths from the tree of constructs, for assemblies without logical ids in their metadata."""
        if self._paths is None:
            file = posixpath.join(stack.folder, "tree.json")
            self._paths = list(paths_of(self._manifests.content(file).get("tree")))
        return [(id_, path) for id_, path in self._paths if path.startswith(f"{stack.id}/")]


def _template(name: str, data: bytes, options: ReadOptions, context: StackContext) -> LoadedTemplate:
    """Load the template of a stack. That of an empty stack has no resources."""
    text = decode(data)
    if is_json(text) and members(text).keys() <= _WITHOUT_RESOURCES:
        root = parse_json(text)
        sections = root.content if isinstance(root.content, dict) else {}
        empty = {**sections, "Resources": Node({}, root.line, root.column)}
        return load_tree(Node(empty, root.line, root.column), text, name, options, context)
    recognised = recognise(Source(name, data))
    if recognised.kind is not Kind.CLOUDFORMATION:
        raise ParseError("this is not a template, though the manifest lists it as one")
    return load(recognised.text, name, options, context)


def _unlisted(read: Iterable[Reading], beside: Beside, options: ReadOptions) -> list[Reading]:
    """Read the templates of the folder that no manifest names. Each is reported."""
    known = {reading.input.path for outer in read for reading in outer.all()}
    readings = []
    for name in sorted(beside.files):
        if name.endswith(TEMPLATES_OF_ASSEMBLY) and name not in known:
            fault = Fault(FaultCode.INCOMPLETE, _UNLISTED, Place(name), blocks=False)
            try:
                context = StackContext(beside=beside, embedded=EmbeddedStacks())
                reading = reading_of(name, _template(name, beside.files[name], options, context))
            except ParseError as error:
                reading = unreadable(error, name)
            readings.append(replace(reading, faults=(*reading.faults, fault)))
    return readings


__all__ = ["read"]
