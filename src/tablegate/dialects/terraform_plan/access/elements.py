"""What an element of a document comes to whose value only the apply knows: what it refers to tells what it reaches."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from tablegate.access.arns import ACCOUNT, PARTITION, REGION, arn_of, partition_of
from tablegate.access.documents import Hole, Perhaps
from tablegate.dialects.terraform_plan.access.ground import Ground
from tablegate.dialects.terraform_plan.blocks import DYNAMIC, Block
from tablegate.dialects.terraform_plan.configuration import tree
from tablegate.dialects.terraform_plan.instances import Instance
from tablegate.dialects.terraform_plan.references import Mention
from tablegate.dialects.terraform_plan.worlds import TABLE_TYPES, Resource, doubt_about

_STREAM = frozenset({"stream_arn", "stream_label"})
IAM = {"aws_iam_role": "role", "aws_iam_user": "user", "aws_iam_group": "group", "aws_iam_policy": "policy"}
_ISSUER = "oidc.eks."
# Resources whose attributes may hold anything, also the ARN of a table.
_CARRIERS = ("aws_ssm_", "aws_secretsmanager_", "aws_cloudformation_", "aws_cloudcontrolapi_", "aws_lambda_invocation")


class Elements:
    """Unknown elements of one plan's documents."""

    def __init__(self, ground: Ground) -> None:
        self._ground = ground
        self._world = ground.world

    def holes(
        self, resource: Resource, block: Block, key: str, count: int, expression: object = None
    ) -> list[Hole | Perhaps]:
        """What so many unknown elements of a list may be: where they refer to more than there are, only perhaps."""
        expression = expression or block.expression(key)
        if expression is None:
            return [Hole(DYNAMIC)]
        mentions = self._world.tracer.trace(expression, resource.scope)
        unknown = [one for one in mentions if not self._world.is_known(one)]
        name = f"{resource.address}.{block.path}{key}"
        told = [(one, tuple(self._texts(one, name))) for one in unknown]
        texts = tuple(dict.fromkeys(text for _, found in told for text in found))
        holes: list[Hole | Perhaps] = []
        if texts:
            hole = Hole(doubt_about(unknown), texts)
            holes.append(hole if len(texts) <= count else Perhaps(hole))
        untold = [one for one, found in told if not found]
        if not texts or _are_needed(untold, [one for one, found in told if found], expression, count):
            holes.append(Hole(doubt_about(untold)))
        return holes

    def one(self, resource: Resource, block: Block, key: str) -> object:
        """A single value: its text, or what it may be."""
        content, unknown = block.member(key)
        return content if unknown is not True else self.holes(resource, block, key, 1)

    def _texts(self, mention: Mention, name: str) -> Iterator[str]:
        for instance in mention.instances:
            yield from self._of_instance(instance, mention, name)

    def _of_instance(self, instance: Instance, mention: Mention, name: str) -> Iterator[str]:
        found = self._world.at(instance)
        if found is not None:
            yield from self.spellings(found, mention.attribute, self._ground.symbols.suffix(name))

    def spellings(self, found: Resource, attribute: str, suffix: str = "") -> Iterator[str]:
        """What an attribute of a resource comes to where it names the resource, with whatever may follow."""
        instance = found.instance
        arn = self._arn(found)
        if arn is not None:
            label = self._ground.symbols.of(f"{instance.address}.stream_label")
            stream = attribute in _STREAM
            yield f"{arn}/stream/{label}" if stream else arn + suffix
        elif instance.type in IAM:
            yield self._of_iam(found)
        elif instance.type == "aws_iam_openid_connect_provider":
            yield self._of_provider(found)
        elif _is_elsewhere(instance.type, attribute):
            yield self._elsewhere(found, attribute)

    def _arn(self, found: Resource) -> str | None:
        """The ARN of a table, or of its replica in another region."""
        instance, symbols = found.instance, self._ground.symbols
        if instance.mode == "data" and instance.type == "aws_dynamodb_table":
            name = found.known("name")
            return None if name is None else self.spelled(found, "dynamodb", f"table/{name}")
        if instance.type in TABLE_TYPES:
            table = self._ground.tables.get(instance.address)
            return None if table is None else arn_of(table, symbols)
        if instance.type != "aws_dynamodb_table_replica":
            return None
        link = self._ground.links.of(found, "global_table_arn").table
        table = None if link is None else self._ground.tables.get(link.address)
        if table is None:
            return None
        parts = arn_of(table, symbols).split(":", 5)
        parts[3] = self._ground.regions.name(found) or symbols.of(f"region of {instance.address}")
        return ":".join(parts)

    def _of_iam(self, found: Resource) -> str:
        path = found.known("path") or "/"
        name = found.known("name") or self._ground.symbols.of(f"{found.address}.name")
        return self.spelled(found, "iam", f"{IAM[found.instance.type]}{path}{name}", region="")

    def _of_provider(self, found: Resource) -> str:
        url = found.known("url")
        if url is None:
            clusters = any(one.type == "aws_eks_cluster" for one in found.mentions("url"))
            url = (_ISSUER if clusters else "") + self._ground.symbols.of(f"{found.address}.url")
        return self.spelled(found, "iam", f"oidc-provider/{url.removeprefix('https://')}", region="")

    def _elsewhere(self, found: Resource, attribute: str) -> str:
        """Something of another service: not known, but no table."""
        service = found.instance.type.split("_")[1]
        return self.spelled(found, service, self._ground.symbols.of(f"{found.address}.{attribute}"))

    def spelled(self, found: Resource, service: str, tail: str, region: str | None = None) -> str:
        """The ARN of a resource, with a symbol for each part that is not known."""
        symbols = self._ground.symbols
        where = self._ground.regions.name(found)
        account = self._ground.regions.account(found).content or symbols.of(ACCOUNT)
        spot = (where or symbols.of(REGION)) if region is None else region
        partition = partition_of(where) if where else symbols.of(PARTITION)
        return ":".join(("arn", partition, service, spot, account, tail))


def _is_elsewhere(type_: str, attribute: str) -> bool:
    """Whether an attribute names something of another service than DynamoDB for certain."""
    if not type_.startswith("aws_") or type_.startswith(("aws_dynamodb_", *_CARRIERS)):
        return False
    return attribute.endswith("arn") or (type_.startswith("aws_s3_bucket") and attribute in ("id", "bucket"))


def _are_needed(untold: Sequence[Mention], told: Sequence[Mention], expression: object, count: int) -> bool:
    """Whether some unknown element can only come from references that tell nothing.

    A local value is not known to be unknown: it counts only where the others do not account for every element.
    """
    if any(not one.dead for one in untold):
        return True
    references = tree(expression).get("references")
    times = Counter(map(str, references)) if isinstance(references, list) else Counter[str]()
    return bool(untold) and count > sum(max(1, times[one.reference]) for one in told)
