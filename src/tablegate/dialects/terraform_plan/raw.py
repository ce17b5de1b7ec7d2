"""A resource as the plan has it, for policies that look at more than the model: doubts and secrets in their places."""

from __future__ import annotations

from tablegate.dialects.terraform_plan.blocks import LATER
from tablegate.model.value import Value


def overlaid(content: object, unknown: object, marks: object, name: str = "") -> object:
    """The content, with a doubt where it is known only after apply, and a sensitive value where it is marked."""
    if unknown is True:
        return LATER
    if isinstance(content, list):
        return [
            overlaid(item, _of(unknown, number), _of(marks, number), f"{name}[{number}]")
            for number, item in enumerate(content)
        ]
    if isinstance(content, dict):
        keys = dict.fromkeys((*content, *(unknown if isinstance(unknown, dict) else ())))
        return {
            key: overlaid(content.get(key), _of(unknown, key), _of(marks, key), f"{name}.{key}" if name else key)
            for key in keys
        }
    return content if marks is not True or content is None else Value(name, content, sensitive=True)


def _of(marks: object, key: str | int) -> object:
    """What is marked below a key: all of it, where all above is marked."""
    if marks is True:
        return True
    if isinstance(key, int):
        return marks[key] if isinstance(marks, list) and key < len(marks) else None
    return marks.get(key) if isinstance(marks, dict) else None
