"""What a stock parser needs for the same inputs: prints the seconds, without its own start and without the reading.

python -m bench.parsers json|yaml|hcl PATH...
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from pathlib import Path

TAGS = ("Ref", "GetAtt", "Sub", "If", "Equals", "Join", "Select", "FindInMap")


def main(language: str, *paths: str) -> None:
    """Time the parser over all the files."""
    texts = [Path(path).read_text() for path in paths]
    parse = {"yaml": yaml_parser, "hcl": hcl_parser, "json": lambda: json.loads}[language]()
    began = time.perf_counter()
    for text in texts:
        parse(text)
    sys.stdout.write(f"{time.perf_counter() - began}\n")


def hcl_parser() -> Callable[[str], object]:
    """python-hcl2 as its page shows it, its grammar compiled before."""
    import hcl2

    hcl2.loads("x = 1\n")
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
