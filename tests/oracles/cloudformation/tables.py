"""Cases of tables and of whole stacks: resources without functions first, then every value behind functions."""

from __future__ import annotations

from random import Random
from typing import Any

from oracles.cloudformation.case import ACCOUNT, NO_VALUE, REGION, Case, Tree, maybe
from oracles.cloudformation.expressions import Expressions

TABLE = "AWS::DynamoDB::Table"
NOTHING = {"Type": "AWS::SNS::Topic"}
ARN = f"arn:aws:dynamodb:{REGION}:{ACCOUNT}:table/orders-prod"
TAGS = (
    ("Environment", "prod"),
    ("tablegate:purpose", "cache"),
    ("tablegate:data-class", "restricted"),
    ("tablegate:environment", "sandbox"),
    ("a", "b"),
)
ACTIONS = ("GetItem", "*", "DeleteTable", "Scan", "Query", "PutItem", "UpdateTable", "BatchWriteItem")
CONDITIONS = (
    {"StringEquals": {"aws:PrincipalAccount": ACCOUNT}},
    {"ForAllValues:StringEquals": {"dynamodb:LeadingKeys": ["x"]}},
    {"Bool": {"aws:SecureTransport": "true"}},
)
PRINCIPALS = (
    {"Service": "lambda.amazonaws.com"},
    {"AWS": "arn:aws:iam::999988887777:root"},
    {"AWS": ACCOUNT},
)
COMING_TO_NOTHING = (
    ("SSESpecification", {"SSEEnabled": True}),
    ("DeletionProtectionEnabled", True),
    ("PointInTimeRecoverySpecification", {"PointInTimeRecoveryEnabled": True}),
    ("Tags", [{"Key": "a", "Value": "b"}]),
    ("StreamSpecification", {"StreamViewType": "NEW_IMAGE"}),
    ("TableName", "elsewhere"),
)


def table(random: Random) -> Tree:
    """The properties of a table."""
    made = _keys(random)
    pick = random.choice
    if maybe(random, 0.6):
        made["BillingMode"] = "PAY_PER_REQUEST"
    else:
        made.update({"BillingMode": "PROVISIONED"} if maybe(random, 0.5) else {})
        made["ProvisionedThroughput"] = {"ReadCapacityUnits": pick([1, 5]), "WriteCapacityUnits": pick([1, 100])}
    customer_key = {"SSEType": "KMS", "KMSMasterKeyId": f"arn:aws:kms:{REGION}:{ACCOUNT}:key/k-1"}
    recovery = {"PointInTimeRecoveryEnabled": maybe(random, 0.6)}
    optional: tuple[tuple[str, float, Any], ...] = (
        ("TableName", 0.5, pick(["orders", "orders-prod", "a.b_c", f"{REGION}-orders", f"{ACCOUNT}-t"])),
        ("SSESpecification", 0.6, {"SSEEnabled": maybe(random, 0.7), **(customer_key if maybe(random, 0.4) else {})}),
        (
            "PointInTimeRecoverySpecification",
            0.6,
            recovery | ({"RecoveryPeriodInDays": 7} if all(recovery.values()) and maybe(random, 0.3) else {}),
        ),
        ("TimeToLiveSpecification", 0.4, {"AttributeName": "ttl", "Enabled": maybe(random, 0.7)}),
        ("DeletionProtectionEnabled", 0.5, maybe(random, 0.6)),
        ("StreamSpecification", 0.4, {"StreamViewType": pick(["NEW_IMAGE", "KEYS_ONLY", "NEW_AND_OLD_IMAGES"])}),
        ("Tags", 0.5, [{"Key": key, "Value": value} for key, value in random.sample(TAGS, random.randint(1, 3))]),
        ("TableClass", 0.3, pick(["STANDARD", "STANDARD_INFREQUENT_ACCESS"])),
        ("ContributorInsightsSpecification", 0.2, {"Enabled": maybe(random, 0.6)}),
    )
    made.update({key: value for key, chance, value in optional if maybe(random, chance)})
    if made.get("BillingMode") == "PAY_PER_REQUEST" and maybe(random, 0.4):
        made["OnDemandThroughput"] = {"MaxReadRequestUnits": pick([10, 4000])}
    return made


def _keys(random: Random) -> Tree:
    types = [("pk", "HASH", "S")] + ([("sk", "RANGE", random.choice("SNB"))] if maybe(random, 0.4) else [])
    made: Tree = {
        "AttributeDefinitions": [{"AttributeName": name, "AttributeType": type_} for name, _, type_ in types],
        "KeySchema": [{"AttributeName": name, "KeyType": role} for name, role, _ in types],
    }
    if maybe(random, 0.3):
        projections: list[Tree] = [
            {"ProjectionType": "ALL"},
            {"ProjectionType": "KEYS_ONLY"},
            {"ProjectionType": "INCLUDE", "NonKeyAttributes": ["x", "y"]},
        ]
        made["GlobalSecondaryIndexes"] = [
            {"IndexName": f"by-{name}", "KeySchema": made["KeySchema"][:1], "Projection": random.choice(projections)}
            for name in random.sample("abc", random.randint(1, 2))
        ]
    return made


def tables(random: Random, family: str, *, extended: bool) -> Case:
    """One to three tables."""
    expressions = Expressions(random, extended=extended)
    written: Tree = {}
    wanted: Tree = {}
    for address in ("Orders", "Carts", "Users")[: random.randint(1, 3)]:
        plain = table(random)
        if address != "Orders":
            plain.pop("TableName", None)
        body: Tree = {"Type": TABLE, "Properties": {key: expressions.value(value) for key, value in plain.items()}}
        wanted[address] = {"Type": TABLE, "Properties": plain}
        for key in ("DeletionPolicy", "UpdateReplacePolicy"):
            if maybe(random, 0.4):
                wanted[address][key] = random.choice(["Retain", "Delete"])
                body[key] = expressions.text(wanted[address][key]) if extended else wanted[address][key]
        for key, value in COMING_TO_NOTHING:
            if key not in plain and maybe(random, 0.12):
                body["Properties"][key] = expressions.chosen(NO_VALUE, value)
        if maybe(random, 0.3):
            exists = maybe(random, 0.7)
            body["Condition"] = expressions.condition(exists)
            if not exists:
                del wanted[address]
        written[address] = body
    template = expressions.template(written | {"Topic": NOTHING})
    return Case(family, template, expressions.values, [{"Resources": wanted | {"Topic": NOTHING}}])


def stacks(random: Random, family: str, *, extended: bool) -> Case:
    """A table with what scales it, watches it and may use it."""
    expressions = Expressions(random, extended=extended)
    plain = {"Orders": {"Type": TABLE, "Properties": table(random) | {"TableName": "orders-prod"}}}
    plain |= _access(random) | _scaling(random, plain["Orders"]["Properties"]) | _alarm(random) | _world(random)
    written: Tree = {}
    for address, resource in plain.items():
        properties = {}
        for key, value in resource["Properties"].items():
            made = expressions.value(value)
            if extended and key == "PolicyDocument" and maybe(random, 0.5):
                made = _as_text(expressions, value)
            properties[key] = made
        written[address] = {**resource, "Properties": properties}
    return Case(family, expressions.template(written), expressions.values, [{"Resources": plain}])


def _as_text(expressions: Expressions, document: Tree) -> Tree:
    """The document as JSON, with members that come to nothing in it."""
    statements = [dict(statement) for statement in document["Statement"]]
    for statement in statements:
        statement["Condition"] = statement.get("Condition") or expressions.nothing()
        statement["Sid"] = expressions.nothing()
    return {"Fn::ToJsonString": {**document, "Statement": statements, "Id": expressions.nothing()}}


def _document(random: Random) -> Tree:
    return {"Version": "2012-10-17", "Statement": [_statement(random) for _ in range(random.randint(1, 2))]}


def _statement(random: Random) -> Tree:
    action: Any = f"dynamodb:{random.choice(ACTIONS)}"
    made: Tree = {
        "Effect": random.choice(["Allow", "Allow", "Allow", "Deny"]),
        "Action": random.choice([action, [action, "s3:GetObject"], "*"]),
        "Resource": random.choice([ARN, "*", [ARN, f"{ARN}/index/*"], f"{ARN[:-5]}*", "arn:aws:dynamodb:*:*:table/*"]),
    }
    return made | ({"Condition": random.choice(CONDITIONS)} if maybe(random, 0.3) else {})


def _access(random: Random) -> Tree:
    trust = {"Effect": "Allow", "Action": "sts:AssumeRole", "Principal": random.choice(PRINCIPALS)}
    role: Tree = {
        "AssumeRolePolicyDocument": {"Version": "2012-10-17", "Statement": [trust]},
        "RoleName": "worker",
    }
    aws = "arn:aws:iam::aws:policy/"
    if maybe(random, 0.6):
        role["Policies"] = [{"PolicyName": "p", "PolicyDocument": _document(random)}]
    if maybe(random, 0.4):
        names = ["AmazonDynamoDBFullAccess", "AdministratorAccess", "AmazonDynamoDBReadOnlyAccess"]
        role["ManagedPolicyArns"] = [aws + random.choice(names)]
    if maybe(random, 0.2):
        role["PermissionsBoundary"] = f"{aws}AmazonDynamoDBReadOnlyAccess"
    made = {"Worker": {"Type": "AWS::IAM::Role", "Properties": role}}
    if maybe(random, 0.5):
        own = {"PolicyName": "extra", "Roles": ["worker"], "PolicyDocument": _document(random)}
        made["Extra"] = {"Type": "AWS::IAM::Policy", "Properties": own}
    if maybe(random, 0.3):
        shared = {"PolicyDocument": _document(random), "Roles": ["worker"]}
        made["Shared"] = {"Type": "AWS::IAM::ManagedPolicy", "Properties": shared}
    return made


def _scaling(random: Random, table_: Tree) -> Tree:
    made: Tree = {}
    for way in ("Read", "Write")[: random.randint(0, 2)] if "ProvisionedThroughput" in table_ else ():
        about = {
            "ServiceNamespace": "dynamodb",
            "ResourceId": "table/orders-prod",
            "ScalableDimension": f"dynamodb:table:{way}CapacityUnits",
        }
        limits = {"MinCapacity": random.choice([1, 5]), "MaxCapacity": random.choice([5, 100])}
        tracking = {
            "TargetValue": random.choice([70, 95]),
            "PredefinedMetricSpecification": {"PredefinedMetricType": f"DynamoDB{way}CapacityUtilization"},
        }
        policy = {"PolicyName": way, "PolicyType": "TargetTrackingScaling", **about}
        policy["TargetTrackingScalingPolicyConfiguration"] = tracking
        made[f"{way}s"] = {"Type": "AWS::ApplicationAutoScaling::ScalableTarget", "Properties": about | limits}
        made[f"{way}Policy"] = {"Type": "AWS::ApplicationAutoScaling::ScalingPolicy", "Properties": policy}
    return made


def _alarm(random: Random) -> Tree:
    if maybe(random, 0.6):
        return {}
    properties = {
        "Namespace": "AWS/DynamoDB",
        "MetricName": random.choice(["ThrottledRequests", "SystemErrors", "ReadThrottleEvents"]),
        "Dimensions": [{"Name": "TableName", "Value": "orders-prod"}],
        "Period": 60,
        "EvaluationPeriods": 1,
        "Threshold": 1,
        "Statistic": "Sum",
        "ComparisonOperator": "GreaterThanThreshold",
        "AlarmActions": [f"arn:aws:sns:{REGION}:{ACCOUNT}:ops"],
    }
    return {"Alarm": {"Type": "AWS::CloudWatch::Alarm", "Properties": properties}}


def _world(random: Random) -> Tree:
    if maybe(random, 0.6):
        return {}
    properties: Tree = {
        "AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "S"}],
        "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}],
        "BillingMode": "PAY_PER_REQUEST",
        "StreamSpecification": {"StreamViewType": "NEW_AND_OLD_IMAGES"},
        "Replicas": [
            {
                "Region": region,
                "PointInTimeRecoverySpecification": {"PointInTimeRecoveryEnabled": maybe(random, 0.7)},
                "DeletionProtectionEnabled": maybe(random, 0.5),
            }
            for region in (REGION, "us-east-1")
        ],
    }
    if maybe(random, 0.5):
        properties["SSESpecification"] = {"SSEEnabled": maybe(random, 0.8)}
    if maybe(random, 0.3):
        properties["MultiRegionConsistency"] = "EVENTUAL"
    return {"World": {"Type": "AWS::DynamoDB::GlobalTable", "Properties": properties}}
