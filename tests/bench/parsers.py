"""The least that any other tool does with the same inputs: read the files and parse them, with stock settings.

python -m bench.parsers json|yaml|hcl|bytes PATH...
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from pathlib import Path

TAGS = ("Ref", "GetAtt", "Sub", "If", "Equals", "Join", "Select", "FindInMap")


def main(language: str, *paths: str) -> None:
    """Parse all the files, and keep what is in them, as a tool would that goes on to look at it.

    ``bytes`` reads all that is in a folder, and does nothing with it.
    """
    if language == "bytes":
        sys.stdout.write(f"{read_all(paths[0])}\n")
        return
    parse = {"yaml": yaml_parser, "hcl": hcl_parser, "json": lambda: json.loads}[language]()
    documents = [parse(Path(path).read_text()) for path in paths]
    sys.stdout.write(f"{len(documents)}\n")


def read_all(folder: str) -> int:
    """The bytes below a folder."""
    size = 0
    waiting = [folder]
    while waiting:
        with os.scandir(waiting.pop()) as entries:
            for entry in entries:
                if entry.is_dir():
                    waiting.append(entry.path)
                else:
                    with open(entry.path, "rb") as file:  # noqa: PTH123 - nothing is quicker
                        size += len(file.read())
    return size


def hcl_parser() -> Callable[[str], object]:
    """python-hcl2 as its page shows it, its grammar compiled before."""
    import hcl2

    return hcl2.loads


def yaml_parser() -> Callable[[str], object]:
    """libyaml's safe loader with a constructor for each short tag, as most tools set it up."""
    import yaml

    class Loader(yaml.CSafeLoader):
        """The stock loader, and the short tags."""

    def construct(loader: yaml.CSafeLoader, node: yaml.Node) -> object:
        if isinstance(node, yaml.ScalarNode):
            return {node.tag: loader.construct_scalar(node)}
        if isinstance(node, yaml.SequenceNode):
            return {node.tag: loader.construct_sequence(node, deep=True)}
        return {node.tag: loader.construct_mapping(node, deep=True)}

    for tag in TAGS:
        Loader.add_constructor(f"!{tag}", construct)
    return lambda text: yaml.load(text, Loader)  # noqa: S506 - a safe loader


if __name__ == "__main__":
    main(*sys.argv[1:])
