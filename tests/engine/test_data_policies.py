"""Policies as data: their verdicts, and the errors for wrong ones."""

from __future__ import annotations

import tomllib
from dataclasses import replace
from typing import Any

import pytest

from support.policies import judge_all
from support.tables import DOUBT, estate, index, replica, table, target
from tablegate.engine.data_policies import data_policies
from tablegate.engine.settings import ConfigError
from tablegate.findings import Outcome
from tablegate.model import facts
from tablegate.model.table import Table
from tablegate.model.value import Doubt, Place, Value
from tablegate.policy import LOW, Index, Policy
from tablegate.policy.declare import Profile

BASE = {"id": "ACME001", "severity": "high", "title": "It must be so", "path": "$.name", "must": {"exist": True}}


def one(**stated: Any) -> Policy:
    [policy] = data_policies([{**BASE, **stated}])
    return policy


def outcome(of: Table, path: str, must: dict[str, Any], **stated: Any) -> str:
    judgement = judge_all([estate(of)], (one(path=path, must=must, **stated),))
    assert judgement.faults == ()
    counts = judgement.counts
    said = {"fails": counts.failed, "unknown": counts.unknown, "holds": counts.held, "exempt": counts.not_applicable}
    return next((name for name, count in said.items() if count), "nothing judged")


def test_a_policy_is_read_from_toml() -> None:
    """A team that writes no Python writes this."""
    text = """
    [[policy]]
    id = "ACME001"
    name = "recovery-window"
    severity = "low"
    title = "The window must be two weeks"
    path = "$.recovery.days"
    must = { at-least = 14 }
    when = { path = "$.recovery.enabled", equal = true }
    docs = "https://docs.example.com"
    rationale = "Mistakes are found late."
    fix = "recovery_period_in_days = 14"
    on = false
    """
    [policy] = data_policies(tomllib.loads(text)["policy"])
    assert (policy.id, policy.name, policy.severity, policy.profile) == ("ACME001", "recovery-window", LOW, None)
    assert (policy.rationale, policy.docs) == ("Mistakes are found late.", "https://docs.example.com")
    assert policy.remedy.terraform == policy.remedy.cloudformation == "recovery_period_in_days = 14"


def test_what_is_not_said_has_a_default() -> None:
    """Five keys are enough."""
    policy = one()
    assert (policy.name, policy.rationale, policy.docs, policy.profile) == (
        "acme001",
        "It must be so",
        "",
        Profile.STANDARD,
    )
    assert (policy.subject, policy.remedy.terraform) == (Table, None)


TABLE = table(
    billing_mode=facts.BILLING_MODE.of("PAY_PER_REQUEST"),
    tags=facts.TAGS.of({"owner": "team", "cost": None}),
    recovery=replace(facts.NO_RECOVERY, days=facts.RECOVERY_DAYS.of(14)),
    ttl=replace(facts.NO_TTL, enabled=facts.TTL_ENABLED.doubted(DOUBT)),
    indexes=facts.INDEXES.of(
        (
            index("by-a", projection=facts.PROJECTION.of("ALL")),
            index("by-b", projection=facts.PROJECTION.doubted(DOUBT)),
        )
    ),
    replicas=facts.REPLICAS.doubted(DOUBT),
    scaling=(target("read"), target("write")),
)


@pytest.mark.parametrize(
    ("path", "must", "expected"),
    [
        ("$.name", {"exist": True}, "holds"),
        ("name", {"exist": True}, "holds"),
        ("$.name", {"exist": False}, "fails"),
        ("$.arn", {"exist": True}, "fails"),
        ("$.arn", {"exist": False}, "holds"),
        ("$.local_indexes", {"exist": False}, "holds"),
        ("$.local_indexes[*]", {"exist": True}, "fails"),
        ("$.indexes", {"exist": True}, "holds"),
        ("$.ttl.enabled", {"exist": True}, "unknown"),
        ("$.billing_mode", {"equal": "PAY_PER_REQUEST"}, "holds"),
        ("$.recovery.enabled", {"equal": False}, "holds"),
        ("$.recovery.enabled", {"equal": 0}, "fails"),
        ("$.billing_mode", {"one-of": ["A", "PAY_PER_REQUEST"]}, "holds"),
        ("$.billing_mode", {"one-of": []}, "fails"),
        ("$.name", {"match": "^orders-(dev|prod)$"}, "holds"),
        ("$.recovery.days", {"match": "14"}, "fails"),
        ("$.recovery.days", {"at-least": 14}, "fails"),  # recovery is off
        ("$.recovery.days", {"exist": False}, "holds"),
        ("$.recovery.days", {"at-most": 13}, "fails"),
        ("$.name", {"at-least": 1}, "fails"),
        ("$.name", {"at-most": 1}, "fails"),
        ("$.ttl.enabled", {"equal": True}, "unknown"),
        ("$.tags.owner", {"equal": "team"}, "holds"),
        ("$.tags['owner']", {"match": "x"}, "fails"),
        ("$.tags.cost", {"exist": True}, "unknown"),
        ("$.tags.missing", {"equal": "x"}, "fails"),
        ("$.tags.*", {"match": "."}, "unknown"),
        ("$.tags['owner','cost']", {"match": "zzz"}, "fails"),
        ("$.replicas[*].region", {"match": "^eu-"}, "unknown"),
        ("$.replicas[0].region", {"match": "^eu-"}, "unknown"),
        ("$.replicas[?(@.region == 'x')].region", {"match": "^eu-"}, "unknown"),
        ("$.indexes[*].name", {"match": "^by-"}, "holds"),
        ("$.indexes[0].name", {"equal": "by-a"}, "holds"),
        ("$.indexes[-1].name", {"equal": "by-b"}, "holds"),
        ("$.indexes[7].name", {"equal": "by-b"}, "fails"),
        ("$.indexes[0,1].name", {"match": "^by-"}, "holds"),
        ("$.indexes[0:1].projection", {"equal": "ALL"}, "holds"),
        ("$.local_indexes[*].name", {"equal": "none"}, "holds"),
        ("$.scaling[*].minimum", {"at-least": 5}, "holds"),
        ("$.keys[*].attribute", {"equal": "customer_id"}, "holds"),
        ("$.keys", {"equal": [{"attribute": "customer_id", "role": "HASH"}]}, "holds"),
        ("$.capacity.*", {"exist": False}, "holds"),
        ("$.capacity[0]", {"exist": False}, "holds"),
        ("$.capacity[0:1]", {"exist": True}, "fails"),
    ],
)
def test_a_claim_about_a_path(path: str, must: dict[str, Any], expected: str) -> None:
    """Of each thing the path leads to; where a value is not known, neither is the verdict."""
    assert outcome(TABLE, path, must) == expected


@pytest.mark.parametrize(
    ("filter_", "expected"),
    [
        ("@.projection == 'ALL'", "unknown"),
        ("@.projection != 'ALL'", "unknown"),
        ("@.name == 'by-a'", "holds"),
        ("@.name = 'by-a'", "holds"),
        ("@.name == 'by-b'", "fails"),
        ("@.name != 'by-b'", "holds"),
        ("@.name == 'none'", "holds"),
        ("@.name == 'by-a' || @.name == 'by-b'", "fails"),
        ("@.name == 'by-b' && @.local == true", "holds"),
        ("@.name == 'none' || @.name == 'by-b' && @.local == true", "holds"),
        ("@.name == 'none' || @.name == 'by-b' && @.local == false", "fails"),
        ("@.name =~ 'b$'", "fails"),
        ("@.local =~ 'b$'", "holds"),
        ("@.name > 'by-a'", "fails"),
        ("@.name < 1", "holds"),
        ("@.name <= 'by-a'", "holds"),
        ("@.name >= 'by-b'", "fails"),
        ("@.capacity.read", "holds"),
        ("@.name", "fails"),
        ("!@.capacity.read", "fails"),
        ("@.capacity.read == null", "fails"),
    ],
)
def test_a_filter_is_three_valued(filter_: str, expected: str) -> None:
    """An item that may or may not pass the filter is in doubt, unless the claim holds for it anyway."""
    assert outcome(TABLE, f"$.indexes[?({filter_})].name", {"equal": "by-a"}) == expected


def test_a_doubtful_item_for_which_the_claim_holds_is_no_doubt() -> None:
    """Whether it passes the filter or not, nothing is broken."""
    path = "$.indexes[?(@.projection == 'ALL')].name"
    assert outcome(TABLE, path, {"match": "^by-"}) == "holds"


def test_filters_within_filters_keep_both_doubts() -> None:
    """A part of a part is there only where both conditions hold."""
    path = "$.indexes[?(@.projection == 'ALL')].keys[?(@.attribute == 'status')].role"
    assert outcome(TABLE, path, {"equal": "RANGE"}) == "fails"
    subject = table(
        indexes=facts.INDEXES.of((index("x", projection=facts.PROJECTION.doubted(DOUBT)),)),
    )
    path = "$.indexes[?(@.projection == 'ALL')].keys[?(@.role == 'HASH')].attribute"
    assert outcome(subject, path, {"equal": "other"}) == "unknown"


def test_a_filter_over_doubts_of_plain_data() -> None:
    """An item of which nothing is known may pass every filter."""
    subject = table(raw=lambda: {"items": [{"a": Doubt("who knows")}, Doubt("nobody"), {"a": 1}]})
    assert outcome(subject, "$.items[?(@.a == 2)].a", {"equal": 3}, subject="resource") == "unknown"
    assert outcome(subject, "$.items[?(@.a == 1)].a", {"equal": 2}, subject="resource") == "fails"


def test_a_condition_limits_a_policy() -> None:
    """Where it does not hold, the policy is not applicable."""
    when = {"path": "$.billing_mode", "equal": "PAY_PER_REQUEST"}
    assert outcome(TABLE, "$.arn", {"exist": True}, when=when) == "fails"
    assert outcome(table(), "$.arn", {"exist": True}, when=when) == "exempt"
    doubtful = {"path": "$.ttl.enabled", "equal": True}
    assert outcome(TABLE, "$.arn", {"exist": True}, when=doubtful) == "unknown"
    assert outcome(TABLE, "$.name", {"exist": True}, when=doubtful) == "holds"


def test_parts_can_be_the_subject() -> None:
    """A policy about indexes is judged index by index."""
    policy = one(subject="index", path="$.projection", must={"equal": "KEYS_ONLY"})
    assert policy.subject is Index
    findings = judge_all([estate(TABLE)], (policy,)).findings
    assert [(finding.part, finding.outcome) for finding in findings] == [
        ({"index": "by-a"}, Outcome.FAILS),
        ({"index": "by-b"}, Outcome.UNKNOWN),
    ]
    subject = table(replicas=facts.REPLICAS.of((replica("eu-west-1"),)))
    assert outcome(subject, "$.region", {"match": "^us-"}, subject="replica") == "fails"


def test_the_resource_as_it_is_written_can_be_the_subject() -> None:
    """What the model does not hold, its dialect may."""
    subject = table(raw=lambda: {"timeouts": [{"create": "5m"}], "later": Doubt("known only after apply")})
    assert outcome(subject, "$.timeouts[0].create", {"equal": "5m"}, subject="resource") == "holds"
    assert outcome(subject, "$.timeouts[*].create", {"equal": "9m"}, subject="resource") == "fails"
    assert outcome(subject, "$.timeouts.*", {"exist": True}, subject="resource") == "holds"
    assert outcome(subject, "$.later.x", {"exist": True}, subject="resource") == "unknown"
    assert outcome(subject, "$.timeouts", {"exist": True}, subject="resource") == "holds"
    assert outcome(table(), "$.x", {"exist": True}, subject="resource") == "unknown"


def test_a_policy_can_keep_to_one_dialect() -> None:
    """The raw resource differs from one to the other."""
    subject = table(raw=dict)
    stated = {"subject": "resource", "must": {"exist": True}}
    assert outcome(subject, "$.x", dialect="cloudformation", **stated) == "exempt"
    assert outcome(subject, "$.x", dialect="terraform-plan", **stated) == "fails"


def test_a_finding_stands_where_the_value_stands() -> None:
    """An entry of a mapping has the place of the mapping."""
    place = Place("main.tf", 4)
    subject = table(tags=facts.TAGS.of({"owner": "x"}, place))
    [finding] = judge_all([estate(subject)], (one(path="$.tags.owner", must={"equal": "y"}),)).findings
    assert (finding.place, finding.message) == (place, "tags.owner is not what it must be")
    assert finding.evidence[0].name == "tags.owner"


@pytest.mark.parametrize(
    ("stated", "message", "hint"),
    [
        ({"pathh": "x"}, "unknown key policy.pathh", 'did you mean "path"?'),
        ({"id": "acme"}, 'policy.id is "acme" and must be 2 to 8 capital letters and 3 or 4 digits', None),
        ({"id": 1}, "policy.id is 1 and must be a text", None),
        ({"severity": "bad"}, 'policy.severity is "bad" and must be one of critical, high, medium, low, info', None),
        ({"subject": "key"}, 'policy.subject is "key" and must be one of table, index, replica, resource', None),
        (
            {"dialect": "x"},
            'policy.dialect is "x" and must be one of terraform-plan, terraform-source, cloudformation',
            None,
        ),
        ({"on": 1}, "policy.on is 1 and must be true or false", None),
        (
            {"must": {}},
            "policy.must takes exactly one of exist, equal, one-of, match, at-least, at-most; 0 are given",
            None,
        ),
        ({"must": {"equals": 1}}, "unknown key policy.must.equals", 'did you mean "equal"?'),
        ({"must": {"exist": 1}}, "policy.must.exist is 1 and must be true or false", None),
        ({"must": {"one-of": 1}}, "policy.must.one-of is 1 and must be a list", None),
        ({"must": {"match": "["}}, None, None),
        ({"must": {"at-most": "1"}}, 'policy.must.at-most is "1" and must be a number', None),
        ({"must": {"at-least": True}}, "policy.must.at-least is true and must be a number", None),
        ({"when": {"equal": 1}}, "policy.when.path is not set and must be a text", None),
        ({"when": {"path": "$.name", "is": 1}}, "unknown key policy.when.is", None),
        ({"path": "$["}, '"$[" is no JSONPath', 'write it like "$.recovery.enabled"'),
        ({"path": "$.`sub(/a/,b)`"}, None, None),
        ({"path": "$.indexes.`len`"}, '"$.indexes.`len`" holds len, which no policy needs', None),
        ({"path": "$..name"}, '"$..name" holds "..", which leads anywhere', "name the steps"),
        ({"path": "$.recovry.enabled"}, '"$.recovry.enabled": there is no recovry', 'did you mean "recovery"?'),
        (
            {"path": "$.ttl.zzz"},
            '"$.ttl.zzz": there is no zzz',
            "known: enabled, attribute",
        ),
        (
            {"path": "$.indexes.name"},
            '"$.indexes.name": indexes is a list',
            "write indexes[*] for its items",
        ),
        ({"path": "$.name.x"}, '"$.name.x": name has no members', None),
        ({"path": "$.tags.a.b"}, '"$.tags.a.b": a has no members', None),
        ({"path": "$.encryption.resource.rotaton"}, None, 'did you mean "rotation"?'),
        ({"path": "$.indexes[?(@.a == @.b)]"}, None, None),
        ({"path": "$.indexes[?(@.name =~ '[')]"}, None, None),
    ],
)
def test_a_mistake_is_found_when_it_is_loaded(stated: dict[str, Any], message: str | None, hint: str | None) -> None:
    """A policy that could never say anything sensible does not run at all."""
    with pytest.raises(ConfigError) as caught:
        one(**stated)
    assert caught.value.keys[0] == "policy"
    if message is not None:
        assert caught.value.message == message
    if hint is not None:
        assert caught.value.hint == hint


def test_what_is_needed_is_named() -> None:
    """Half a policy is none."""
    with pytest.raises(ConfigError, match="a policy needs id, severity, title, path, must, and ACME001 has no must"):
        data_policies([{key: value for key, value in BASE.items() if key != "must"}])
    with pytest.raises(ConfigError, match="and one has no id"):
        data_policies([{}])
    with pytest.raises(ConfigError, match=r"policy is a table and must be a list of tables: \[\[policy\]\]"):
        data_policies({})


def test_steps_that_differ_from_one_to_the_next_are_not_checked() -> None:
    """A wildcard over an object, and what follows several names, are not checked."""
    assert outcome(TABLE, "$.*.enabled", {"exist": True}) in ("holds", "unknown")
    assert outcome(TABLE, "$['name','arn']", {"match": "^orders"}) == "fails"


@pytest.mark.parametrize(
    ("enabled", "must", "expected"),
    [
        (facts.RECOVERY.of(True), {"at-least": 14}, "holds"),
        (facts.RECOVERY.of(True), {"at-least": 36}, "fails"),
        (facts.RECOVERY.of(False), {"at-least": 14}, "fails"),
        (facts.RECOVERY.unset, {"at-least": 14}, "fails"),
        (facts.RECOVERY.doubted(DOUBT), {"at-least": 14}, "unknown"),
        (facts.RECOVERY.doubted(DOUBT), {"at-least": 36}, "fails"),
        (facts.RECOVERY.doubted(DOUBT), {"at-most": 35}, "unknown"),
    ],
)
def test_a_setting_counts_where_its_feature_is_on(enabled: Value[bool], must: dict[str, Any], expected: str) -> None:
    """The days are 35 by default, which is none where recovery is off."""
    made = table(recovery=replace(facts.NO_RECOVERY, enabled=enabled))
    assert outcome(made, "$.recovery.days", must) == expected


def test_a_setting_that_may_not_be_set_says_so() -> None:
    """Both that it can be are named."""
    made = table(recovery=replace(facts.NO_RECOVERY, enabled=facts.RECOVERY.doubted(DOUBT)))
    [finding] = judge_all([estate(made)], (one(path="$.recovery.days", must={"at-least": 14}),)).findings
    assert "is unknown, but one of 35 or not set: " in finding.message


@pytest.mark.parametrize("pattern", ["(" * 3000 + ")" * 3000, "a{99999999999}"])
def test_an_expression_beyond_the_limits_of_python_is_refused(pattern: str) -> None:
    """It is short enough to be written."""
    with pytest.raises(ConfigError, match="the regular expression counts too far, or is nested too deeply"):
        one(must={"match": pattern})


def test_a_path_of_many_steps_is_followed_to_its_end() -> None:
    """However many there are."""
    assert outcome(TABLE, "$" + ".a" * 3000, {"exist": True}, subject="resource") == "unknown"
