"""The manifest of an assembly: what it lists, and which of it is safe to follow."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Mapping
from typing import TypeAlias

from tablegate.findings import Fault, FaultCode
from tablegate.model.record import record
from tablegate.model.value import Place
from tablegate.syntax.errors import ParseError
from tablegate.syntax.json_ import load_json
from tablegate.syntax.source import Beside
from tablegate.syntax.text import decode

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
