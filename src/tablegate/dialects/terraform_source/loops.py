"""Loops: what they run over, and what they gather."""

from __future__ import annotations

from collections.abc import Iterator

from tablegate.dialects.terraform_source.scopes import Scope
from tablegate.dialects.terraform_source.values import Elements, FailedError
from tablegate.syntax.hcl_nodes import For

_MOST = 10_000  # items of one loop


def spelled(content: object) -> object:
    """The instances of something that is repeated, where a function wants a map; else the content as it is."""
    if not hasattr(content, "keys") or isinstance(content, dict):
        return content
    return content.keys()


def put(made: dict[str, object], key: str, result: object, *, grouped: bool) -> None:
    """One more item of an object. A key may stand twice only where its items are gathered."""
    if grouped:
        group = made.setdefault(key, [])
        if isinstance(group, list):
            group.append(result)
    elif key in made:
        raise FailedError
    else:
        made[key] = result


def scopes(node: For, everything: object, scope: Scope) -> Iterator[Scope]:
    """Where the inside of a loop stands, for each item of what it runs over."""
    if isinstance(everything, dict):
        pairs = [(key, everything[key]) for key in sorted(everything)]
    elif isinstance(everything, list):
        pairs = [(item if isinstance(everything, Elements) else place, item) for place, item in enumerate(everything)]
    else:
        raise FailedError
    if len(pairs) > _MOST:
        raise FailedError
    for key, item in pairs:
        scope.module.spend()
        names = {node.names[-1]: item} if len(node.names) == 1 else {node.names[0]: key, node.names[1]: item}
        yield scope._replace(names={**scope.names, **names})
