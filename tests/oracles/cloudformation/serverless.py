"""SAM templates at random: simple tables, functions, state machines, connectors, interfaces and Globals."""

from __future__ import annotations

from random import Random
from typing import Any

from oracles.cloudformation.case import ACCOUNT, NO_VALUE, Tree, maybe

TEMPLATES = {
    "DynamoDBCrudPolicy": ("TableName",),
    "DynamoDBReadPolicy": ("TableName",),
    "DynamoDBWritePolicy": ("TableName",),
    "DynamoDBStreamReadPolicy": ("TableName", "StreamName"),
    "DynamoDBBackupFullAccessPolicy": ("TableName",),
    "DynamoDBRestoreFromBackupPolicy": ("TableName",),
    "DynamoDBReconfigurePolicy": ("TableName",),
    "SQSPollerPolicy": ("QueueName",),
}
MANAGED = (
    "AmazonDynamoDBFullAccess",
    "AmazonDynamoDBReadOnlyAccess",
    "AdministratorAccess",
    "AWSLambdaExecute",
    "AWSLambdaDynamoDBExecutionRole",
    "arn:aws:iam::aws:policy/AmazonDynamoDBFullAccess",
    {"Fn::Sub": "arn:${AWS::Partition}:iam::aws:policy/AmazonDynamoDBFullAccess"},
    {"Ref": "Shared"},
    f"arn:aws:iam::{ACCOUNT}:policy/own",
)
TABLES = (
    {"Ref": "Orders"},
    {"Ref": "Simple"},
    "orders",
    {"Ref": "Name"},
    {"Fn::Sub": "${Orders}"},
    {"Fn::Sub": "orders-${Mode}"},
    "*",
    {"Fn::If": ["Yes", {"Ref": "Orders"}, {"Ref": "Simple"}]},
    {"Fn::Select": [1, {"Fn::Split": ["/", {"Fn::GetAtt": ["Orders", "Arn"]}]}]},
    {"Fn::ImportValue": "exported"},
)
READ_ONLY = "arn:aws:iam::aws:policy/AmazonDynamoDBReadOnlyAccess"
LAMBDA = {"Service": "lambda.amazonaws.com"}
FOREIGN = {"AWS": "arn:aws:iam::999999999999:root"}
ROLE_ARN = {"Fn::GetAtt": ["Role", "Arn"]}
TABLE_ARN = {"Fn::GetAtt": ["Orders", "Arn"]}
FUNCTION, MACHINE, CONNECTOR = (
    "AWS::Serverless::Function",
    "AWS::Serverless::StateMachine",
    "AWS::Serverless::Connector",
)


def serverless(random: Random) -> tuple[Tree, dict[str, str]]:
    """A template, and the values that are given for its parameters."""
    return _Author(random).template()


def trust(principal: Tree) -> Tree:
    """A trust policy."""
    return {
        "Version": "2012-10-17",
        "Statement": [{"Effect": "Allow", "Action": "sts:AssumeRole", "Principal": principal}],
    }


class _Author:
    def __init__(self, random: Random) -> None:
        self.random = random
        self.pick = random.choice
        self.resources: Tree = {}

    def maybe(self, chance: float) -> bool:
        return maybe(self.random, chance)

    def either(self, one: Any, other: Any) -> Tree:
        return {"Fn::If": ["Yes", *self.random.sample([one, other], 2)]}

    def template(self) -> tuple[Tree, dict[str, str]]:
        self._orders()
        self._simple()
        document = {
            "Version": "2012-10-17",
            "Statement": [self._grant(["dynamodb:GetItem", "dynamodb:Query"], TABLE_ARN)],
        }
        self.resources["Role"] = {"Type": "AWS::IAM::Role", "Properties": {"AssumeRolePolicyDocument": trust(LAMBDA)}}
        self.resources["Shared"] = {"Type": "AWS::IAM::ManagedPolicy", "Properties": {"PolicyDocument": document}}
        for address in ("First", "Second"):
            self._function(address)
        if self.maybe(0.35):
            self._machine()
        if self.maybe(0.35):
            self._connector()
        self._embedded_connectors()
        if self.maybe(0.12):
            self._interface()
        made: Tree = {"Transform": self.pick(["AWS::Serverless-2016-10-31", ["AWS::Serverless-2016-10-31"]])}
        shared = self._globals()
        if shared:
            made["Globals"] = shared
        made["Parameters"] = {
            "Mode": {"Type": "String", "AllowedValues": ["a", "b"]},
            "Name": {"Type": "String", "Default": "orders"},
            "Flag": {"Type": "String", "AllowedValues": ["true", "false"], "Default": "true"},
        }
        made |= {"Conditions": {"Yes": {"Fn::Equals": [{"Ref": "Mode"}, "a"]}}, "Resources": self.resources}
        self._ignore(shared)
        return made, {"Mode": self.pick("ab")} if self.maybe(0.3) else {}

    def _orders(self) -> None:
        properties: Tree = {
            "AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "S"}],
            "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}],
            "BillingMode": "PAY_PER_REQUEST",
            "StreamSpecification": {"StreamViewType": "NEW_AND_OLD_IMAGES"},
        }
        if self.maybe(0.3):
            properties["TableName"] = self.pick(["orders", {"Fn::Sub": "orders-${Mode}"}, {"Ref": "Name"}])
        self.resources["Orders"] = self._kept({"Type": "AWS::DynamoDB::Table", "Properties": properties})

    def _kept(self, resource: Tree) -> Tree:
        """The resource, perhaps with policies for its deletion."""
        for key, values in (
            ("DeletionPolicy", ["Retain", "Delete", "RetainExceptOnCreate"]),
            ("UpdateReplacePolicy", ["Retain", "Delete"]),
        ):
            if self.maybe(0.3):
                resource[key] = self.pick(values)
        return resource

    def _perhaps(self, value: Any) -> Any:
        kind = self.random.random()
        if kind < 0.72:
            return value
        return self.either(value, NO_VALUE) if kind < 0.92 else self.either(value, value)

    def _simple(self) -> None:
        flag = {"Ref": "Flag"}
        encryption = [
            {"SSEEnabled": True},
            {"SSEEnabled": False},
            {"SSEEnabled": "true"},
            {},
            {"SSEEnabled": flag},
            NO_VALUE,
        ]
        encryption.append({"KMSMasterKeyId": "alias/x", "SSEEnabled": True, "SSEType": "KMS"})
        recovery = [{"PointInTimeRecoveryEnabled": True}, {"PointInTimeRecoveryEnabled": False}, {}]
        recovery += [
            {"PointInTimeRecoveryEnabled": flag},
            {"PointInTimeRecoveryEnabled": True, "RecoveryPeriodInDays": 7},
        ]
        capacity = [{"ReadCapacityUnits": 5, "WriteCapacityUnits": 5}, {"ReadCapacityUnits": 5}, {}, NO_VALUE]
        names = ["simple", {"Fn::Sub": "s-${AWS::Region}"}, {"Ref": "Name"}]
        keys = [{"Name": "id", "Type": "String"}, {"Name": "k", "Type": "Number"}, {"Name": "b", "Type": "Binary"}]
        tags = [{"Environment": "prod"}, {"tablegate:purpose": "cache"}, {"A": {"Ref": "Mode"}}, {}]
        properties: Tree = {}
        for key, chance, values in (
            ("SSESpecification", 0.5, encryption),
            ("PointInTimeRecoverySpecification", 0.4, recovery),
            ("ProvisionedThroughput", 0.4, capacity),
            ("TableName", 0.4, names),
        ):
            if self.maybe(chance):
                properties[key] = self._perhaps(self.pick(values))
        if self.maybe(0.4):
            properties["PrimaryKey"] = self.pick(keys)
        if self.maybe(0.4):
            properties["Tags"] = self.pick(tags)
        made: Tree = {"Type": "AWS::Serverless::SimpleTable"}
        if properties or self.maybe(0.5):
            made["Properties"] = properties
        if self.maybe(0.2):
            made["Condition"] = "Yes"
        self.resources["Simple"] = self._kept(made)

    def _grant(self, action: Any, resource: Any) -> Tree:
        return {"Effect": self.pick(["Allow", "Allow", "Allow", "Deny"]), "Action": action, "Resource": resource}

    def _document(self) -> Tree:
        actions = [
            "dynamodb:*",
            "*",
            ["dynamodb:GetItem", "dynamodb:Scan"],
            "dynamodb:DeleteTable",
            ["dynamodb:PutItem"],
        ]
        actions.append(self.either("dynamodb:*", "dynamodb:GetItem"))
        resources = ["*", TABLE_ARN, [TABLE_ARN, {"Fn::Sub": "${Orders.Arn}/index/*"}], {"Fn::GetAtt": "Simple.Arn"}]
        resources.append({"Fn::Sub": "arn:${AWS::Partition}:dynamodb:${AWS::Region}:${AWS::AccountId}:table/${Simple}"})
        statement = self._grant(self.pick(actions), self.pick(resources))
        version = {"Version": "2012-10-17"} if self.maybe(0.8) else {}
        return version | {"Statement": [statement] if self.maybe(0.7) else statement}

    def _policy(self) -> Any:
        kind = self.random.random()
        if kind < 0.5:
            name = self.pick(sorted(TEMPLATES))
            others = {"StreamName": self.pick(["*", "2020", {"Ref": "Mode"}]), "QueueName": "q"}
            made: Any = {name: {key: others.get(key) or self.pick(TABLES) for key in TEMPLATES[name]}}
        else:
            made = self._document() if kind < 0.75 else self.pick(MANAGED)
        if self.maybe(0.15):
            return self.either(made, NO_VALUE)
        return self.either(self._document(), self._document()) if self.maybe(0.06) else made

    def _policies(self) -> Any:
        kind = self.random.random()
        if kind < 0.15:
            made = self._policy()
            return made if isinstance(made, str) or "Statement" in made else [made]
        if kind < 0.25:
            return {"Fn::If": ["Yes", [self._policy()], [self._policy(), self._policy()] if kind < 0.2 else NO_VALUE]}
        return [self._policy() for _ in range(self.random.randint(1, 3))]

    def _function(self, address: str) -> None:
        properties: Tree = {"Handler": "a.b", "Runtime": "python3.12", "InlineCode": "x"}
        roles = [
            ROLE_ARN,
            self.either(ROLE_ARN, NO_VALUE),
            f"arn:aws:iam::{ACCOUNT}:role/x",
            {"Fn::Sub": "${Role.Arn}"},
        ]
        stream = {"Stream": {"Fn::GetAtt": ["Orders", "StreamArn"]}, "StartingPosition": "LATEST"}
        for key, chance, value in (
            ("Policies", 0.75, self._policies()),
            ("Role", 0.15, self.pick(roles)),
            ("Events", 0.3, {"Changes": {"Type": "DynamoDB", "Properties": stream}}),
            ("AutoPublishAlias", 0.15, "live"),
            ("PermissionsBoundary", 0.2, self.pick([{"Ref": "Shared"}, READ_ONLY])),
            ("AssumeRolePolicyDocument", 0.15, trust(self.pick([LAMBDA, {"AWS": "*"}, FOREIGN]))),
        ):
            if self.maybe(chance):
                properties[key] = value
        made = {"Type": FUNCTION, "Properties": properties}
        self.resources[address] = made | ({"Condition": "Yes"} if self.maybe(0.2) else {})

    def _machine(self) -> None:
        properties: Tree = {"DefinitionUri": "s3://bucket/key", "Policies": self._policies()}
        if self.maybe(0.35):
            del properties["Policies"]
            properties["Role"] = self.pick([ROLE_ARN, self.either(ROLE_ARN, NO_VALUE)])
        if self.maybe(0.2):
            properties["PermissionsBoundary"] = {"Ref": "Shared"}
        made = {"Type": MACHINE, "Properties": properties}
        self.resources["Machine"] = made | ({"Condition": "Yes"} if self.maybe(0.2) else {})

    def _permissions(self) -> list[str]:
        return self.pick([["Read"], ["Write"], ["Read", "Write"]])

    def _connector(self) -> None:
        sources = [{"Id": name} for name in ("First", "Second", "Machine") if name in self.resources]
        table = {"Id": self.pick(["Orders", "Simple"])}
        properties: Tree
        if self.maybe(0.3):
            properties = {"Source": {"Id": "Orders"}, "Destination": self.pick(sources[:2]), "Permissions": ["Read"]}
        else:
            described = {
                "Type": "AWS::DynamoDB::Table",
                "Arn": self.pick([TABLE_ARN, f"arn:aws:dynamodb:eu-west-1:{ACCOUNT}:table/orders"]),
            }
            to: Any = self.pick([table, table, described, [table, {"Id": "Orders"}]])
            source = self.pick([*sources, {"Type": "AWS::Lambda::Function", "RoleName": {"Ref": "Role"}}])
            properties = {"Source": source, "Destination": to, "Permissions": self._permissions()}
        made = {"Type": CONNECTOR, "Properties": properties}
        self.resources["Link"] = made | ({"Condition": "Yes"} if self.maybe(0.2) else {})

    def _embedded_connectors(self) -> None:
        if self.maybe(0.3):
            to = self.pick([{"Id": "Orders"}, {"Id": "Simple"}, [{"Id": "Orders"}, {"Id": "Simple"}]])
            inside = {"Properties": {"Destination": to, "Permissions": self._permissions()}}
            self.resources[self.pick(["First", "Second"])]["Connectors"] = {"Own": inside}
        if self.maybe(0.08):
            inside = {"Properties": {"Destination": {"Id": "First"}, "Permissions": ["Read"]}}
            self.resources["Orders"]["Connectors"] = {"Readers": inside}

    def _interface(self) -> None:
        source: Tree = (
            {"TableArn": TABLE_ARN} if self.maybe(0.5) else {"TableName": self.pick([{"Ref": "Orders"}, "orders"])}
        )
        if "TableName" in source:
            source["TableArn"] = TABLE_ARN
        if self.maybe(0.5):
            source["Permissions"] = self._permissions()
        if self.maybe(0.2):
            source["ServiceRoleArn"] = ROLE_ARN
        resolver = {"Runtime": {"Name": "APPSYNC_JS", "Version": "1.0.0"}, "DataSource": "Data", "InlineCode": "x"}
        self.resources["Interface"] = {
            "Type": "AWS::Serverless::GraphQLApi",
            "Properties": {
                "Auth": {"Type": "AWS_IAM"},
                "SchemaInline": "type Query { a: String }",
                "DataSources": {"DynamoDb": {"Data": source}},
                "Functions": {"Get": resolver},
            },
        }

    def _globals(self) -> Tree:
        on = {"SSEEnabled": True}
        tables = [
            on,
            {"SSEEnabled": False},
            {"KMSMasterKeyId": "alias/k"},
            self.either(on, NO_VALUE),
            {"SSEEnabled": {"Ref": "Flag"}},
        ]
        functions: list[Tree] = [
            {"PermissionsBoundary": READ_ONLY},
            {"Timeout": 3},
            {"PermissionsBoundary": {"Ref": "Shared"}},
        ]
        functions.append({"AssumeRolePolicyDocument": trust(FOREIGN)})
        made: Tree = {}
        if self.maybe(0.4):
            made["SimpleTable"] = {"SSESpecification": self.pick(tables)}
        if self.maybe(0.35):
            made["Function"] = self.pick(functions)
        return made

    def _ignore(self, shared: Tree) -> None:
        """``IgnoreGlobals``: all of them, or some by name."""
        for resource in self.resources.values():
            names = sorted(shared.get(resource["Type"].rpartition("::")[2], {}))
            if names and self.maybe(0.3):
                resource["IgnoreGlobals"] = self.pick(["*", names])
