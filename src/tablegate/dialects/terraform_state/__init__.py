"""States of Terraform and OpenTofu: what terraform show -json prints without a plan, and state files of version 4.

A state is read as the side of a plan that is there already: nothing in it is unknown, and nothing changes.
"""

from __future__ import annotations

import json
import re

from tablegate.dialects.reading import Reading, ReadOptions
from tablegate.dialects.terraform_plan import read as read_plan
from tablegate.dialects.terraform_state.files import values_of
from tablegate.model.record import replace
from tablegate.syntax import raw_json
from tablegate.syntax.errors import ParseError

KIND = "terraform-state"
_VERSION = 4  # of the state files that are read
_UPGRADE = "upgrade it with Terraform 0.12 or newer, or give: terraform show -json > state.json"


def read(text: str, name: str, options: ReadOptions) -> Reading:
    """The tables of a state, as they are."""
    document = raw_json.Document(text)
    members = document.members
    if "format_version" in members:
        stated = raw_json.decode(members["format_version"])
        found = re.fullmatch(r"([0-9]{1,9})\.[0-9]{1,9}", stated) if isinstance(stated, str) else None
        if found is None or int(found[1]) > 1:
            raise ParseError("unsupported state format, where 0.1 and 1.x are known")
        document.check()
        state = text
    else:
        state = json.dumps({"values": values_of(_file(text))})
    made_by = raw_json.decode(members["terraform_version"]) if "terraform_version" in members else None
    head = json.dumps({"format_version": "1.2", "terraform_version": made_by})
    reading = read_plan(raw_json.Document(f'{head[:-1]}, "prior_state": {state}}}'), name, options)
    estate = None if reading.estate is None else replace(reading.estate, changes=())
    return replace(reading, input=replace(reading.input, kind=KIND), estate=estate)


def _file(text: str) -> dict[str, object]:
    """The content of a state file, where its version is one that is read."""
    from tablegate.syntax.json_ import load_json

    content = load_json(text)
    if not isinstance(content, dict):
        raise ParseError("a state must be an object")
    version = content.get("version")
    if version != _VERSION or isinstance(version, bool):
        shown = version if isinstance(version, int) else "of an unknown sort"
        raise ParseError(f"a state file of version {shown}, where version {_VERSION} is known", hint=_UPGRADE)
    return content
