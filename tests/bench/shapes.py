"""What one invented table is like: the plan and the templates of the benchmark are written from it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

ACCOUNT = "123456789012"
REGION = "us-east-1"
SUBJECTS = ("orders", "carts", "users", "events", "ledger", "sessions", "invoices", "audit", "catalog", "prices")
PROJECTIONS = ("ALL", "KEYS_ONLY", "INCLUDE")


@dataclass(frozen=True)
class Shape:
    """The table of this number. The moduli are coprime enough for every mixture to occur."""

    number: int
    documents: int = 1  # policy documents about it: a second one is in the hands of a role

    @property
    def key(self) -> str:
        """What its module and its siblings call it."""
        return f"{SUBJECTS[self.number % 10]}-{self.number:05d}"

    @property
    def name(self) -> str:
        """Its physical name."""
        return f"prod-{self.key}"

    @property
    def arn(self) -> str:
        """Its ARN."""
        return f"arn:aws:dynamodb:{REGION}:{ACCOUNT}:table/{self.name}"

    @property
    def service(self) -> str:
        """Ten tables make a service, and a service is a module."""
        return f"svc_{self.number // 10:04d}"

    @property
    def provisioned(self) -> bool:
        """A third is provisioned and autoscaled."""
        return self.number % 3 == 0

    @property
    def exists(self) -> bool:
        """Every other table is in the state already."""
        return self.number % 2 == 1

    @property
    def capacity(self) -> int:
        """Units a second, where provisioned."""
        return (5, 10, 25)[self.number % 7 % 3]

    @property
    def sort_key(self) -> str | None:
        """Four of five have one."""
        return "sk" if self.number % 5 else None

    @cached_property
    def indexes(self) -> list[tuple[str, str, str | None, str]]:
        """Name, partition key, sort key and projection of none to three global indexes."""
        return [
            (
                f"by-{which}",
                f"key{which}",
                f"sort{which}" if which % 2 else None,
                PROJECTIONS[(self.number + which) % 3],
            )
            for which in range(self.number % 4)
        ]

    @property
    def local_index(self) -> str | None:
        """The sort key of the one local index that a few have."""
        return "placed" if self.sort_key and self.number % 6 == 1 else None

    @property
    def attributes(self) -> list[str]:
        """All that is a key of something."""
        keys = ["pk", self.sort_key, self.local_index, *(key for index in self.indexes for key in index[1:3])]
        return [key for key in keys if key]

    @property
    def key_arn(self) -> str | None:
        """A third has a key of its own, a third the one of AWS, a third none."""
        return f"arn:aws:kms:{REGION}:{ACCOUNT}:key/{self.number:08x}-0000-4000-8000-000000000000"

    @property
    def encryption(self) -> str | None:
        """Whose key."""
        return (None, "aws", "customer")[self.number % 3]

    @property
    def recovery(self) -> bool:
        """Three of four can be restored."""
        return self.number % 4 != 0

    @property
    def protected(self) -> bool:
        """One of four cannot be deleted."""
        return self.number % 4 == 1

    @property
    def expiry(self) -> str | None:
        """Every other table forgets."""
        return "expires_at" if self.number % 2 else None

    @property
    def stream(self) -> str | None:
        """A third streams."""
        return "NEW_AND_OLD_IMAGES" if self.number % 3 == 1 else None

    @property
    def replica(self) -> str | None:
        """A few live in two regions."""
        return "eu-west-1" if self.number % 10 == 9 and not self.provisioned else None

    @property
    def table_class(self) -> str:
        """One of seven is seldom read."""
        return "STANDARD_INFREQUENT_ACCESS" if self.number % 7 == 0 else "STANDARD"

    @property
    def tags(self) -> dict[str, str]:
        """Two of three have an owner."""
        tags = {"service": self.service, "env": "prod", "cost-center": f"cc-{self.number % 90 + 10}"}
        return tags | ({"owner": f"team-{self.number % 20:02d}"} if self.number % 3 else {})

    def statements(self, table: object, indexes: object) -> list[dict[str, object]]:
        """The policy of its one reader and writer; one of eight may do anything anywhere."""
        if self.number % 8 == 0:
            return [{"Sid": "All", "Effect": "Allow", "Action": "dynamodb:*", "Resource": "*"}]
        verbs = ("GetItem", "PutItem", "UpdateItem", "DeleteItem", "BatchWriteItem", "Query")
        return [
            {
                "Sid": "Items",
                "Effect": "Allow",
                "Action": [f"dynamodb:{verb}" for verb in verbs],
                "Resource": [table, indexes],
            },
            {
                "Sid": "Shape",
                "Effect": "Allow",
                "Action": ["dynamodb:DescribeTable"],
                "Resource": [table],
                "Condition": {"StringEquals": {"aws:PrincipalOrgID": "o-abcdef1234"}},
            },
        ]

    def reading(self, table: object, indexes: object) -> list[dict[str, object]]:
        """The policy of a role that reads it; one of sixteen also scans it."""
        verbs = ("GetItem", "Query", "Scan") if self.number % 16 == 0 else ("BatchGetItem", "GetItem", "Query")
        read = {"Effect": "Allow", "Action": [f"dynamodb:{verb}" for verb in verbs], "Resource": [table, indexes]}
        logs = {"Effect": "Allow", "Action": ["logs:CreateLogStream", "logs:PutLogEvents"], "Resource": "*"}
        return [{"Sid": "Read", **read}, {"Sid": "Logs", **logs}]
