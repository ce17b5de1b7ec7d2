"""What an assembly notes of its constructs: their paths, the author's lines, and rules that the author acknowledged."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping

from tablegate.dialects.cdk.manifest import Tree, tree
from tablegate.dialects.cloudformation.constructs import readable
from tablegate.model.table import Construct
from tablegate.model.value import Place

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
            path=readable(found[0]),
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
