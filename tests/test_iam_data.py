"""What `make iam-data` writes: AWS's facts, in the form that is committed."""

from __future__ import annotations

import re
import runpy
import tomllib
from pathlib import Path
from typing import Any

import pytest

from tablegate.iam import aws_data
from tablegate.iam.managed_policies import managed_policies

ROOT = Path(__file__).parents[1]
SCRIPT = runpy.run_path(str(ROOT / "fixtures" / "make_iam_data.py"))
JUDGED = tomllib.loads((ROOT / "fixtures" / "iam" / "judged.toml").read_text())
ORDERS = "arn:aws:dynamodb:*:*:table/Orders"
EMPTY: dict[str, Any] = {"kinds": {}, "resource-policy": {}, "enclosing": {}}


TEXT = (ROOT / "src" / "tablegate" / "iam" / "aws_data.py").read_text()


def origins() -> tuple[str, str]:
    """The packages that the two halves are from, as the module's docstring says."""
    first, second = re.findall(r"from (\S+ \S+ \(\S+\)), which", TEXT)
    return first, second


def action(name: str, *types: tuple[str, bool], keys: tuple[str, ...] = ()) -> dict[str, Any]:
    """An action as the reference has it."""
    kinds = [{"name": kind, "required": required, "conditionKeys": []} for kind, required in types]
    return {"name": name, "resourceTypes": kinds, "conditionKeys": list(keys)}


def allow(actions: Any, resources: Any, condition: Any = None, **others: Any) -> dict[str, Any]:
    """One statement of a managed policy."""
    made = {"Effect": "Allow", "Action": actions, "Resource": resources, "Condition": condition} | others
    return {key: value for key, value in made.items() if value is not None}


def line(*statements: Any) -> str | None:
    """What a policy of these statements comes to."""
    found: dict[str, str] = SCRIPT["managed_lines"]({"Policy": {"Document": {"Statement": list(statements)}}})
    return found.get("Policy")


def test_the_module_is_in_the_form_that_is_written() -> None:
    """The script, given the committed lines, writes the committed file: nothing in it is by hand."""
    lines, policies = aws_data.ACTIONS.splitlines(), aws_data.POLICIES.splitlines()
    fresh = {one.split(" ")[0]: one for one in policies if "retired" not in one.split(" ")[2]}
    days = aws_data.ACTIONS_AS_OF, aws_data.MANAGED_AS_OF
    assert TEXT == SCRIPT["module"](
        lines, JUDGED, SCRIPT["with_retired"](fresh, policies), origins=origins(), days=days
    )
    kinds = {name: kind for kind, names in JUDGED["kinds"].items() for name in names}
    assert {one.split(" ")[0]: one.split(" ")[1] for one in lines}.items() <= kinds.items()
    assert lines == sorted(" ".join(one.split()) for one in lines)


def test_each_line_says_of_its_policy_what_the_script_would() -> None:
    """In the order that is written, and as wide as its actions make it."""
    known = [managed_policies()[one.split(" ")[0]] for one in aws_data.POLICIES.splitlines()]
    wide = {one.path: SCRIPT["width"](one.actions) for one in known if one.actions not in ((), ("*",))}
    assert all((one.width == "nothing") == ("denies" in one.flags) for one in known)
    assert {path: managed_policies()[path].width for path in wide} == wide
    assert aws_data.POLICIES.splitlines() == [
        " ".join(
            filter(
                None,
                (
                    one.path,
                    one.width,
                    ",".join(sorted(one.flags, key=("linked", "conditional", "retired", "denies").index)) or "-",
                    ",".join(sorted(one.actions)),
                    ",".join(sorted(one.resources)),
                    one.condition,
                ),
            )
        )
        for one in known
    ]


def test_the_packages_are_those_that_are_pinned() -> None:
    """What a table says it is from is what would be installed."""
    pins = (ROOT / "fixtures" / "iam" / "requirements.txt").read_text()
    for origin in origins():
        package, version, licence = origin.split(" ")
        assert f"{package}=={version}  # {licence.strip('()')};" in pins


def test_an_action_is_a_line() -> None:
    """Its types, optional ones marked; the service's own keys; and what a resource policy may carry."""
    judged = EMPTY | {"kinds": {"bulk-read": ["Scan"], "discovery": ["ListTables"]}}
    carried = judged | {"resource-policy": {"across-accounts": ["Scan"]}}
    scan = action("Scan", ("table", True), ("index", False), keys=("dynamodb:Select", "aws:ResourceTag/${TagKey}"))
    assert SCRIPT["action_lines"]([scan, action("ListTables")], carried) == [
        "ListTables discovery - - ? ?",
        "Scan bulk-read ?index,table Select yes yes",
    ]


def test_an_action_without_a_kind_is_refused() -> None:
    """A new action waits for somebody who says what it does."""
    with pytest.raises(SCRIPT["SourceError"], match=r"fixtures/iam/judged\.toml .*: FrobnicateLedger"):
        SCRIPT["action_lines"]([action("FrobnicateLedger")], EMPTY)


@pytest.mark.parametrize(
    ("statements", "expected"),
    [
        ([allow("dynamodb:*", "*")], "Policy full - * *"),
        ([allow(None, "*", NotAction="iam:*")], "Policy full - * *"),
        ([allow(["dynamodb:Scan", "s3:*"], ORDERS)], f"Policy data-read - Scan {ORDERS}"),
        ([allow("dynamodb:PutItem", "*"), allow("dynamodb:Scan", "*")], "Policy data-read-write - PutItem,Scan *"),
        ([allow("dynamodb:TagResource", "*")], "Policy tag - TagResource *"),
        ([allow("dynamodb:DeleteBackup", "*")], "Policy control-write - DeleteBackup *"),
        ([allow(["dynamodb:List*", "dynamodb:DescribeStream"], "*")], "Policy metadata-only -"),
        ([allow("dynamodb:ListTables", "*"), allow("dynamodb:Scan", ORDERS)], f"Policy data-read - Scan {ORDERS}"),
        ([allow("dynamodb:Scan", ["arn:aws:s3:::*", ORDERS])], f"Policy data-read - Scan {ORDERS}"),
        (
            [allow("dynamodb:Scan", "*", {"Bool": {"a:b": "c"}})],
            'Policy data-read conditional Scan * {"Bool":{"a:b":"c"}}',
        ),
        ([allow("dynamodb:Scan", "*"), allow("dynamodb:Scan", "*", Effect="Deny")], "Policy data-read - Scan *"),
        ([allow("dynamodb:GetRecords", ORDERS)], None),
        ([allow("s3:*", "*")], None),
        ([allow("*", "*", Effect="Deny")], "Policy nothing denies * *"),
        ([allow(None, "*", NotAction="s3:*", Effect="Deny")], "Policy nothing denies * *"),
        ([allow("*", "*", {"Bool": {"a:b": "c"}}, Effect="Deny")], None),
    ],
)
def test_a_policy_is_a_line(statements: list[Any], expected: str | None) -> None:
    """What its statements grant on what can be DynamoDB's, and how much that is."""
    assert line(*statements) == expected


def test_a_policy_that_is_gone_is_retired() -> None:
    """It stays attached where it was."""
    before = ["Gone data-read linked Scan *", "Gone2 full retired * *", "Here tag - TagResource *"]
    assert SCRIPT["with_retired"]({"Here": "Here full - * *"}, before) == [
        "Gone data-read linked,retired Scan *",
        "Gone2 full retired * *",
        "Here full - * *",
    ]


def test_the_source_s_module_is_read_and_not_run(tmp_path: Path) -> None:
    """Its one text is all that matters of it."""
    path = tmp_path / "policies.py"
    path.write_text('data = """{"A": {"Path": "/job-function/"}, "B": {"Path": "/"}}"""\n')
    assert set(SCRIPT["managed_documents"](path)) == {"job-function/A", "B"}
