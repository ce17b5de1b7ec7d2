"""A repository: templates and modules of one table each, and beside them what has nothing to do with tables."""

from __future__ import annotations

import json
from pathlib import Path

from bench.shapes import Shape
from bench.sources import root_module
from bench.templates import template

EACH = 100  # roots in one folder
MODULES = 2  # every so many roots one is a module
OTHERS = 20_000


def write_roots(into: Path, shapes: list[Shape]) -> None:
    """One root for each table: every other one a template, and the rest modules."""
    for number, shape in enumerate(shapes):
        folder = into / f"team-{number // EACH:03d}"
        if number % MODULES:
            folder /= f"module-{number:05d}"
        folder.mkdir(parents=True, exist_ok=True)
        if number % MODULES:
            (folder / "main.tf").write_text(root_module([shape]))
        else:
            (folder / f"stack-{number:05d}.yaml").write_text(template([shape]))


def write_others(into: Path, files: int = OTHERS) -> None:
    """Files such as every repository is full of: none of them names a table or a document of access."""
    kinds = (_package, _manifest, _queues, _network)
    for number in range(files):
        folder = into / f"part-{number // EACH:03d}"
        folder.mkdir(parents=True, exist_ok=True)
        name, text = kinds[number % len(kinds)](number)
        path = folder / name.replace("#", f"{number:05d}")
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)


def _package(number: int) -> tuple[str, str]:
    wanted = {
        f"library-{each}": {"version": f"{each}.{number}", "integrity": "sha512-" + "q" * 80} for each in range(60)
    }
    return "lock-#.json", json.dumps({"name": f"package-{number}", "dependencies": wanted}, indent=2)


def _manifest(number: int) -> tuple[str, str]:
    containers = "".join(
        f"        - name: c{each}\n          image: registry.example.com/app:{number}\n"
        "          resources: {limits: {cpu: 100m, memory: 128Mi}}\n"
        for each in range(40)
    )
    head = f"apiVersion: apps/v1\nkind: Deployment\nmetadata: {{name: app-{number}}}\nspec:\n"
    return "deployment-#.yaml", f"{head}  template:\n    spec:\n      containers:\n{containers}"


def _queues(number: int) -> tuple[str, str]:
    queues = "".join(
        f"  Queue{each}:\n    Type: AWS::SQS::Queue\n    Properties:\n      QueueName: queue-{number}-{each}\n"
        "      VisibilityTimeout: 30\n"
        for each in range(40)
    )
    return "stack-#.yaml", f"AWSTemplateFormatVersion: '2010-09-09'\nResources:\n{queues}"


def _network(number: int) -> tuple[str, str]:
    subnets = "".join(
        f'resource "aws_subnet" "s{each}" {{\n  vpc_id     = var.vpc_id\n'
        f'  cidr_block = "10.{number % 250}.{each}.0/24"\n'
        f'  tags       = {{ Name = "subnet-{each}" }}\n}}\n\n'
        for each in range(40)
    )
    return "network-#/main.tf", f'variable "vpc_id" {{\n  type = string\n}}\n\n{subnets}'
