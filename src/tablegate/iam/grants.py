"""Statements in the hands of somebody: what each document is, and who uses it."""

from __future__ import annotations

from enum import StrEnum

from tablegate.model.record import field, record
from tablegate.model.value import Doubt, Place

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tablegate.iam.documents import Document, Statement
    from tablegate.iam.evaluation import Reach
    from tablegate.iam.holders import Holder


class DocumentRole(StrEnum):
    """What a document does where it stands: the same words mean different things in each."""

    IDENTITY = "identity"  # grants its holder
    RESOURCE = "resource"  # lets its principals in
    CEILING = "ceiling"  # an upper limit: grants nothing
    CHANNEL = "channel"  # what may pass an endpoint


def role_by_name(*names: str | None) -> DocumentRole:
    """The role of a policy that nobody in the input holds: one that calls itself a boundary is a limit."""
    named = "boundary" in " ".join(filter(None, names)).lower()
    return DocumentRole.CEILING if named else DocumentRole.IDENTITY


class HolderKind(StrEnum):
    """Who uses a holder's grants, from the most exposed to the least."""

    END_USER = "end-user"
    CROSS_ACCOUNT = "cross-account"
    RUNTIME = "runtime"
    HUMAN = "human"
    DEPLOY = "deploy"
    SERVICE = "service-mgmt"
    UNKNOWN = "unknown"


class HolderForm(StrEnum):
    """What sort of thing holds the grants."""

    ROLE = "role"
    USER = "user"
    GROUP = "group"
    PERMISSION_SET = "permission-set"
    UNATTACHED = "unattached"  # a document that nobody in this input holds
    TABLE = "table"
    STREAM = "stream"
    KEY = "key"
    ENDPOINT = "endpoint"


class MakerKind(StrEnum):
    """What writes statements in place of their author."""

    TEMPLATE = "policy template"
    EVENT = "event"
    CONNECTOR = "connector"


@record(kw_only=False)
class Maker:
    """What wrote a statement that its author only asked for, or does not see: by its kind and name."""

    kind: MakerKind
    name: str


@record(eq=False)
class Grant:
    """One statement, in the document that holds it, in the hands of its holder.

    ``address`` is that of whatever holds the document. ``managed`` names the AWS managed policy
    that the statement stands for. ``target`` is the ARN a resource policy is attached to.
    """

    address: str
    place: Place | None
    role: DocumentRole
    document: Document
    statement: Statement
    managed: str | None = None
    target: str | None = None
    spelling: str = "json"  # how its author writes it: hcl, json or yaml
    made_by: Maker | None = None
    holder: Holder = field(init=False, repr=False)
    reached: tuple[Reach, ...] | None = field(default=None, init=False, repr=False)  # once it was asked for

    @property
    def label(self) -> str:
        """The statement's Sid, or its index."""
        return self.statement.label

    @property
    def gives(self) -> bool:
        """Whether it may allow its holder something."""
        return self.role is DocumentRole.IDENTITY and self.statement.allows

    @property
    def takes(self) -> bool:
        """Whether it may deny its holder something."""
        return self.role is DocumentRole.IDENTITY and self.statement.effect != "Allow"


@record(eq=False)
class Unread:
    """A document, or a part of one, that could not be read; ``relevant`` where it could matter to a table."""

    address: str
    place: Place | None
    doubt: Doubt
    relevant: bool
    partly: bool
