"""Who holds what: policies of their own and inline ones, attached by reference, by name, or to nobody here."""

from __future__ import annotations

from textwrap import dedent, indent
from typing import Any

import pytest

from support.planned_access import counted, grants, holders, unread
from support.templates import reading
from tablegate.dialects.reading import Reading
from tablegate.iam.grants import HolderForm, HolderKind
from tablegate.iam.holders import Holder
from tablegate.model.value import Doubt

DOCUMENT = "{Statement: {Effect: Allow, Action: dynamodb:GetItem, Resource: '*'}}"
POOL = "{Type: AWS::Cognito::IdentityPoolRoleAttachment, Properties: "
TRUST = "{Statement: {Effect: Allow, Action: 'sts:AssumeRole', Principal: {Service: lambda.amazonaws.com}}}"


def resources(text: str, head: str = "", **options: Any) -> Reading:
    """A template of these resources, which has to be read without a blocking fault."""
    found = reading(f"{dedent(head)}\nResources:\n{indent(dedent(text).strip(), '  ')}\n", **options)
    assert [fault.message for fault in found.faults if fault.blocks] == []
    return found


def summary(holder: Holder) -> tuple[str, str, str, str | None]:
    return holder.form.value, holder.kind.value, holder.why, holder.name


ROLE = f"Worker: {{Type: AWS::IAM::Role, Properties: {{RoleName: worker, AssumeRolePolicyDocument: {TRUST}}}}}\n"


@pytest.mark.parametrize(
    "policy",
    [
        f"P: {{Type: AWS::IAM::Policy, Properties: {{Roles: [!Ref Worker], PolicyDocument: {DOCUMENT}}}}}",
        f"P: {{Type: AWS::IAM::Policy, Properties: {{Roles: [worker], PolicyDocument: {DOCUMENT}}}}}",
        f"P: {{Type: AWS::IAM::ManagedPolicy, Properties: {{Roles: [!Ref Worker], PolicyDocument: {DOCUMENT}}}}}",
        f"P: {{Type: AWS::IAM::RolePolicy, Properties: {{RoleName: !Ref Worker, PolicyDocument: {DOCUMENT}}}}}",
        f"P: {{Type: AWS::IAM::RolePolicy, Properties: {{RoleName: worker, PolicyDocument: {DOCUMENT}}}}}",
    ],
)
def test_a_policy_of_its_own_is_its_holders(policy: str) -> None:
    """Whoever it is attached to holds it; findings are at the resource that holds the document."""
    found = resources(ROLE + policy)
    assert list(holders(found)) == ["Worker"]
    assert summary(holders(found)["Worker"]) == ("role", "runtime", "trusts lambda.amazonaws.com", "worker")
    assert grants(holders(found)["Worker"]) == ["P 0: Allow dynamodb:GetItem on *"]
    assert counted(found) == (1, 0, 0)


@pytest.mark.parametrize(
    "arn",
    [
        "!Ref P",
        "!Sub '${P}'",
        "!Sub 'arn:aws:iam::${AWS::AccountId}:policy/reading'",
        "arn:aws:iam::111122223333:policy/team/reading",
    ],
)
def test_a_role_attaches_by_arn(arn: str) -> None:
    """A managed policy of the template is found by reference and by the name in its ARN."""
    found = resources(
        f"""
        Worker: {{Type: AWS::IAM::Role, Properties: {{AssumeRolePolicyDocument: {TRUST}, ManagedPolicyArns: [{arn}]}}}}
        P: {{Type: AWS::IAM::ManagedPolicy, Properties: {{ManagedPolicyName: reading, PolicyDocument: {DOCUMENT}}}}}
        """
    )
    assert {address: grants(holder) for address, holder in holders(found).items()} == {
        "Worker": ["P 0: Allow dynamodb:GetItem on *"]
    }


def test_inline_policies_are_told_apart() -> None:
    """Several documents at one address: the policy's name stands before the statement's."""
    found = resources(
        f"""
        Worker:
          Type: AWS::IAM::Role
          Properties:
            AssumeRolePolicyDocument: {TRUST}
            Policies:
              - {{PolicyName: one, PolicyDocument: {DOCUMENT}}}
              - {{PolicyName: !Sub '${{AWS::StackName}}-two', PolicyDocument: {DOCUMENT}}}
        """
    )
    assert [grant.label for grant in holders(found)["Worker"].grants] == ["${AWS::StackName}-two/0", "one/0"]


def test_managed_policies_of_aws() -> None:
    """In every partition; one that is not known to grant anything here is said to be so, and does not matter."""
    found = resources(
        f"""
        Worker:
          Type: AWS::IAM::Role
          Properties:
            AssumeRolePolicyDocument: {TRUST}
            ManagedPolicyArns:
              - arn:aws:iam::aws:policy/AmazonDynamoDBFullAccess
              - !Sub arn:${{AWS::Partition}}:iam::aws:policy/service-role/AWSLambdaDynamoDBExecutionRole
              - arn:aws-cn:iam::aws:policy/AdministratorAccess
              - arn:aws:iam::aws:policy/service-role/AWSLambdaBasicExecutionRole
        """
    )
    worker = holders(found)["Worker"]
    assert [grant.managed for grant in worker.grants] == [
        "service-role/AWSLambdaDynamoDBExecutionRole",
        "AdministratorAccess",
        "AmazonDynamoDBFullAccess",
    ]
    assert unread(worker) == []


def test_a_policy_from_elsewhere_matters_to_a_holder_of_tables() -> None:
    """Its statements are not in this template."""
    role = "{Type: AWS::IAM::Role, Properties: {AssumeRolePolicyDocument: %s, ManagedPolicyArns: [%s]%s}}"
    inline = f", Policies: [{{PolicyName: a, PolicyDocument: {DOCUMENT}}}]"
    arn = "'arn:aws:iam::111122223333:policy/%s'"
    found = resources(
        f"""
        One: {role % (TRUST, arn % "other", inline)}
        Two: {role % (TRUST, arn % "other", "")}
        Three: {role % (TRUST, arn % "dynamodb-reader", "")}
        """
    )
    assert {address: [it.relevant for it in holder.unread] for address, holder in holders(found).items()} == {
        "One": [True],
        "Three": [True],
        "Two": [False],
    }


def test_nobody_holds_it() -> None:
    """A managed policy that nothing attaches is judged as in nobody's hands."""
    found = resources(f"P: {{Type: AWS::IAM::ManagedPolicy, Properties: {{PolicyDocument: {DOCUMENT}}}}}")
    assert summary(holders(found)["P"]) == ("unattached", "unknown", "not attached in this input", None)


@pytest.mark.parametrize(
    ("address", "named", "role"),
    [
        ("P", "", "identity"),
        ("DeveloperBoundaryPolicy", "", "ceiling"),
        ("P", "ManagedPolicyName: permissions-boundary, ", "ceiling"),
    ],
)
def test_nobody_holds_a_boundary(address: str, named: str, role: str) -> None:
    """One that calls itself so is a limit for roles that are made elsewhere, however wide it is."""
    found = resources(
        f"{address}: {{Type: AWS::IAM::ManagedPolicy, Properties: {{{named}PolicyDocument: {DOCUMENT}}}}}"
    )
    assert [grant.role for grant in holders(found)[address].grants] == [role]


def test_strangers() -> None:
    """Those that the template only names hold what it gives them; a stranger is one person."""
    policy = "{Type: AWS::IAM::Policy, Properties: {PolicyName: p, %s, PolicyDocument: %s}}"
    found = resources(
        f"""
        A: {policy % ("Roles: [outside]", DOCUMENT)}
        B: {policy % ("Roles: [outside]", DOCUMENT)}
        C: {policy % ("Users: [alice]", DOCUMENT)}
        D: {policy % ("Groups: [!Ref Team]", DOCUMENT)}
        """,
        "Parameters: {Team: {Type: String}}",
    )
    assert {address: summary(holder) for address, holder in holders(found).items()} == {
        "A": ("role", "unknown", "it is not in this input", "outside"),
        "C": ("user", "human", "it is an IAM user", "alice"),
        "D": ("group", "human", "it is an IAM group", None),
    }
    assert [grant.address for grant in holders(found)["A"].grants] == ["A", "B"]
    assert all(holder.outside for holder in holders(found).values())


def test_users_and_groups() -> None:
    """A user holds what the groups hold; whoever answers for it is the group."""
    found = resources(
        f"""
        Bob:
          Type: AWS::IAM::User
          Properties: {{Groups: [!Ref Team], Policies: [{{PolicyName: own, PolicyDocument: {DOCUMENT}}}]}}
        Eve: {{Type: AWS::IAM::User, Properties: {{UserName: eve}}}}
        Team: {{Type: AWS::IAM::Group, Properties: {{Policies: [{{PolicyName: shared, PolicyDocument: {DOCUMENT}}}]}}}}
        Joined: {{Type: AWS::IAM::UserToGroupAddition, Properties: {{GroupName: !Ref Team, Users: [eve]}}}}
        """
    )
    by_address = holders(found)
    assert {address: [grant.label for grant in holder.grants] for address, holder in by_address.items()} == {
        "Bob": ["own/0", "shared/0"],
        "Eve": ["shared/0"],
        "Team": ["shared/0"],
    }
    assert {grant.holder.address for grant in by_address["Eve"].grants} == {"Eve"}
    assert found.estate is not None
    assert [(grant.address, grant.holder.address) for grant in found.estate.grants] == [
        ("Bob", "Bob"),
        ("Team", "Team"),
    ]


@pytest.mark.parametrize(
    ("boundary", "ceilings", "doubt"),
    [
        ("!Ref Limit", 1, None),
        ("!Sub 'arn:aws:iam::${AWS::AccountId}:policy/limit'", 1, None),
        ("arn:aws:iam::aws:policy/PowerUserAccess", 1, None),
        ("arn:aws:iam::111122223333:policy/other", 0, "the policy other is not in this template"),
        ("!Ref Outside", 0, "the policy ${Outside} is not in this template"),
    ],
)
def test_boundaries_are_ceilings(boundary: str, ceilings: int, doubt: str | None) -> None:
    """A boundary grants nothing; one that cannot be seen is a doubt."""
    found = resources(
        f"""
        Worker:
          Type: AWS::IAM::Role
          Properties: {{AssumeRolePolicyDocument: {TRUST}, PermissionsBoundary: {boundary}}}
        Limit: {{Type: AWS::IAM::ManagedPolicy, Properties: {{ManagedPolicyName: limit, PolicyDocument: {DOCUMENT}}}}}
        """,
        "Parameters: {Outside: {Type: String}}",
    )
    worker = holders(found)["Worker"]
    assert (len(worker.ceilings), worker.ceiling_doubt and worker.ceiling_doubt.reason) == (ceilings, doubt)
    assert ("Limit" in holders(found)) is ("imit" not in boundary)


def test_what_the_cdk_makes_replicas_by() -> None:
    """Its provider works at deploy only, in a stack of its own that is not in this input."""
    stack = "awscdkawsdynamodbReplicaProviderNestedStackResource18E3F12D"
    found = resources(
        f"""
        {stack}: {{Type: AWS::CloudFormation::Stack, Properties: {{TemplateURL: https://example.com/x}}}}
        P:
          Type: AWS::IAM::ManagedPolicy
          Properties: {{PolicyDocument: {DOCUMENT}, Roles: [!GetAtt {stack}.Outputs.RoleRef]}}
        """
    )
    assert summary(holders(found)["P"]) == ("role", "deploy", "the CDK makes replicas by it", None)


def test_a_policy_that_a_parameter_names() -> None:
    """Its value settles it."""
    found = resources(
        f"""
        Worker:
          Type: AWS::IAM::Role
          Properties: {{AssumeRolePolicyDocument: {TRUST}, ManagedPolicyArns: !Ref Given}}
        """,
        "Parameters: {Given: {Type: CommaDelimitedList}}",
    )
    (missing,) = holders(found)["Worker"].unread
    assert missing.doubt == Doubt(
        "parameter Given has no value", "pass --params FILE or --param Given=VALUE", ("Given",)
    )


def test_permission_sets() -> None:
    """People hold them; every way to fill one is read."""
    found = resources(
        f"""
        Set:
          Type: AWS::SSO::PermissionSet
          Properties:
            Name: readers
            InlinePolicy: {DOCUMENT}
            ManagedPolicies: [arn:aws:iam::aws:policy/AmazonDynamoDBReadOnlyAccess]
            CustomerManagedPolicyReferences: [{{Name: p}}, {{Name: elsewhere}}]
            PermissionsBoundary: {{CustomerManagedPolicyReference: {{Name: p}}}}
        P: {{Type: AWS::IAM::ManagedPolicy, Properties: {{ManagedPolicyName: p, PolicyDocument: {DOCUMENT}}}}}
        Empty: {{Type: AWS::SSO::PermissionSet, Properties: {{Name: none, InlinePolicy: ''}}}}
        """
    )
    people = holders(found)["Set"]
    assert summary(people) == ("permission-set", "human", "a permission set is people's", "readers")
    assert [(grant.address, grant.managed) for grant in people.grants] == [
        ("P", None),
        ("Set", None),
        ("Set", "AmazonDynamoDBReadOnlyAccess"),
    ]
    assert (len(people.ceilings), [why for *_, why in unread(people)]) == (
        1,
        ["the policy elsewhere is not in this template"],
    )
    assert grants(holders(found)["Empty"]) == []


def test_what_is_under_a_condition_is_there_perhaps() -> None:
    """Of a resource, of an attachment, of a boundary: an undecided condition is no certainty."""
    found = resources(
        f"""
        Worker:
          Type: AWS::IAM::Role
          Properties:
            AssumeRolePolicyDocument: {TRUST}
            ManagedPolicyArns: [!If [C, arn:aws:iam::aws:policy/AdministratorAccess, !Ref AWS::NoValue]]
            PermissionsBoundary: !If
              - C
              - arn:aws:iam::aws:policy/PowerUserAccess
              - arn:aws:iam::aws:policy/ReadOnlyAccess
        P:
          Type: AWS::IAM::Policy
          Condition: C
          Properties: {{PolicyName: p, Roles: [!Ref Worker], PolicyDocument: {DOCUMENT}}}
        Gone:
          Type: AWS::IAM::Policy
          Condition: Never
          Properties: {{PolicyName: p, Roles: [!Ref Worker], PolicyDocument: {DOCUMENT}}}
        """,
        """
        Parameters: {Env: {Type: String}}
        Conditions: {C: !Equals [!Ref Env, prod], Never: !Equals [a, b]}
        """,
    )
    worker = holders(found)["Worker"]
    assert [(grant.address, grant.statement.present) for grant in worker.grants] == [("P", False), ("Worker", False)]
    assert worker.ceilings == ()


@pytest.mark.parametrize(
    ("resource", "kind", "why"),
    [
        (
            "{Type: AWS::DAX::Cluster, "
            "Properties: {IAMRoleARN: !GetAtt Worker.Arn, NodeType: dax.r5.large, ReplicationFactor: 3}}",
            "service-mgmt",
            "it is a DAX cluster's",
        ),
        ("{Type: AWS::EKS::PodIdentityAssociation, Properties: {RoleArn: !GetAtt Worker.Arn}}", "runtime", "used by X"),
        ("{Type: AWS::Pipes::Pipe, Properties: {RoleArn: !GetAtt Worker.Arn}}", "runtime", "used by X"),
        (
            POOL + "{Roles: {authenticated: !GetAtt Worker.Arn}}}",
            "end-user",
            "serves users of X",
        ),
        (
            POOL + "{Roles: {unauthenticated: !GetAtt Worker.Arn}}}",
            "end-user",
            "serves unauthenticated users of X",
        ),
        (
            POOL + "{RoleMappings: {m: {RulesConfiguration: {Rules: [{RoleARN: !GetAtt Worker.Arn}]}}}}}",
            "end-user",
            "serves users of X",
        ),
    ],
)
def test_who_refers_to_a_role_uses_it(resource: str, kind: str, why: str) -> None:
    """Where the trust policy does not tell, whatever uses the role does."""
    found = resources(
        f"""
        Worker: {{Type: AWS::IAM::Role, Properties: {{AssumeRolePolicyDocument: !Ref Trust}}}}
        X: {resource}
        """,
        "Parameters: {Trust: {Type: String}}",
    )
    worker = holders(found)["Worker"]
    assert (worker.kind.value, worker.why) == (kind, why)


def test_a_trust_policy_weighs_more_than_its_uses() -> None:
    """A cluster's role is known as one, whoever may assume it."""
    cluster = "{IAMRoleARN: !GetAtt Worker.Arn, NodeType: dax.r5.large, ReplicationFactor: 3}"
    found = resources(f"{ROLE}X: {{Type: AWS::DAX::Cluster, Properties: {cluster}}}")
    worker = holders(found)["Worker"]
    assert (worker.kind, worker.services) == (
        HolderKind.RUNTIME,
        frozenset({"lambda.amazonaws.com", "dax.amazonaws.com"}),
    )


def test_another_account() -> None:
    """With the own account given, a trusted stranger is one."""
    trust = "{Statement: {Effect: Allow, Action: 'sts:AssumeRole', Principal: {AWS: 'arn:aws:iam::999988887777:root'}}}"
    text = f"Worker: {{Type: AWS::IAM::Role, Properties: {{AssumeRolePolicyDocument: {trust}}}}}"
    assert holders(resources(text))["Worker"].kind is HolderKind.HUMAN
    assert holders(resources(text, account="111122223333"))["Worker"].kind is HolderKind.CROSS_ACCOUNT


def test_forms() -> None:
    """Roles, users and groups are told apart, and their names are theirs."""
    found = resources(
        f"""
        {ROLE.strip()}
        U: {{Type: AWS::IAM::User}}
        G: {{Type: AWS::IAM::Group, Properties: {{GroupName: team}}}}
        """
    )
    assert {address: (holder.form, holder.name) for address, holder in holders(found).items()} == {
        "G": (HolderForm.GROUP, "team"),
        "U": (HolderForm.USER, None),
        "Worker": (HolderForm.ROLE, "worker"),
    }


def test_the_same_policy_twice_is_one() -> None:
    """Whether the role lists it twice, or the policy names the role as well."""
    found = resources(
        f"""
        Worker:
          Type: AWS::IAM::Role
          Properties:
            AssumeRolePolicyDocument: {TRUST}
            ManagedPolicyArns:
              - !Ref P
              - arn:aws:iam::aws:policy/AdministratorAccess
              - arn:aws-cn:iam::aws:policy/AdministratorAccess
        P: {{Type: AWS::IAM::ManagedPolicy, Properties: {{Roles: [!Ref Worker], PolicyDocument: {DOCUMENT}}}}}
        """
    )
    assert [(grant.address, grant.managed) for grant in holders(found)["Worker"].grants] == [
        ("P", None),
        ("Worker", "AdministratorAccess"),
    ]


def test_inline_policies_that_are_not_known() -> None:
    """A list of policies that a macro or another stack makes is not read, and matters if it speaks of tables."""
    found = resources(
        """
        Worker: {Type: AWS::IAM::Group, Properties: {Policies: !ImportValue dynamodb}}
        Other: {Type: AWS::IAM::Group, Properties: {Policies: [!ImportValue other]}}
        """
    )
    assert {address: [it.relevant for it in holder.unread] for address, holder in holders(found).items()} == {
        "Other": [False],
        "Worker": [True],
    }


@pytest.mark.parametrize(
    ("properties", "what"),
    [
        ("Policies: [x]", "a policy is a mapping with a PolicyDocument"),
        ("Policies: [{PolicyName: a}]", "a policy needs a PolicyDocument"),
    ],
)
def test_inline_policies_of_a_wrong_shape(properties: str, what: str) -> None:
    """What is no policy is a fault."""
    found = reading(f"Resources: {{U: {{Type: AWS::IAM::User, Properties: {{{properties}}}}}}}")
    assert [fault.message.rpartition(": ")[2] for fault in found.faults if fault.blocks] == [what]


def test_boundaries_of_permission_sets() -> None:
    """By ARN, by reference, by a name that is elsewhere."""
    found = resources(
        f"""
        One:
          Type: AWS::SSO::PermissionSet
          Properties: {{PermissionsBoundary: {{ManagedPolicyArn: arn:aws:iam::aws:policy/ReadOnlyAccess}}}}
        Two:
          Type: AWS::SSO::PermissionSet
          Properties: {{PermissionsBoundary: {{CustomerManagedPolicyReference: {{Name: elsewhere}}}}}}
        Three:
          Type: AWS::SSO::PermissionSet
          Properties: {{CustomerManagedPolicyReferences: [{{Name: !Ref P}}]}}
        P: {{Type: AWS::IAM::ManagedPolicy, Properties: {{PolicyDocument: {DOCUMENT}}}}}
        """
    )
    assert {
        address: (len(holder.ceilings), holder.ceiling_doubt is not None, grants(holder))
        for address, holder in holders(found).items()
    } == {
        "One": (1, False, []),
        "Two": (0, True, []),
        "Three": (0, False, ["P 0: Allow dynamodb:GetItem on *"]),
    }


def test_a_boundary_that_is_not_read_whole() -> None:
    """A limit with a hole in it may let anything pass."""
    found = resources(
        f"""
        Worker: {{Type: AWS::IAM::Role, Properties: {{AssumeRolePolicyDocument: {TRUST}, PermissionsBoundary: !Ref P}}}}
        P: {{Type: AWS::IAM::ManagedPolicy, Properties: {{PolicyDocument: !ImportValue limit}}}}
        """
    )
    worker = holders(found)["Worker"]
    assert (worker.ceilings, worker.ceiling_doubt is not None, list(holders(found))) == ((), True, ["Worker"])


MANAGED = "arn:aws:iam::aws:policy/"


@pytest.mark.parametrize(
    ("default", "attached", "usual"),
    [
        (f"'{MANAGED}AdministratorAccess'", "[!Ref D]", ["AdministratorAccess"]),
        (f"'{MANAGED}AmazonSQSFullAccess,{MANAGED}PowerUserAccess', Type: CommaDelimitedList", "!Ref D", None),
        ("PowerUserAccess", f"[!Sub '{MANAGED}${{D}}']", ["PowerUserAccess"]),
        (f"'{MANAGED}AmazonSQSFullAccess'", "[!Ref D]", []),
        ("PowerUserAccess, NoEcho: true", f"[!Sub '{MANAGED}${{D}}']", []),
        ("'arn:aws:iam::111122223333:policy/own'", "[!Ref D]", []),
    ],
)
def test_what_a_managed_policy_is_by_default_is_remembered(
    default: str, attached: str, usual: list[str] | None
) -> None:
    """It is not assumed, and yet tells how much the unknown may weigh."""
    type_ = "" if "Type" in default else ", Type: String"
    found = resources(
        ROLE.replace("RoleName: worker", f"RoleName: worker, ManagedPolicyArns: {attached}")
        + "T: {Type: AWS::DynamoDB::Table, Properties: {TableName: t}}",
        f"Parameters: {{D: {{Default: {default}{type_}}}}}",
    )
    missing = [unread for unread in holders(found)["Worker"].unread if unread.elsewhere]
    assert [path for unread in missing for path in unread.usual] == (["PowerUserAccess"] if usual is None else usual)


def test_a_managed_policy_of_a_function_is_its_name_by_default() -> None:
    """SAM takes the name alone."""
    found = resources(
        "F: {Type: AWS::Serverless::Function, Properties: {Policies: !Ref D}}",
        "Transform: AWS::Serverless-2016-10-31\nParameters: {D: {Type: String, Default: AdministratorAccess}}",
    )
    (missing,) = holders(found)["F"].unread
    assert (missing.usual, missing.relevant) == (("AdministratorAccess",), True)
