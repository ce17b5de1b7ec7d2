"""Grants: each is one statement that a holder has, with the role of its document."""

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
    """What a document is for: the same statement means something else in each."""

    IDENTITY = "identity"  # grants its holder
    RESOURCE = "resource"  # grants its principals access to its holder
    CEILING = "ceiling"  # an upper limit: grants nothing
    CHANNEL = "channel"  # what may pass an endpoint


def role_by_name(*names: str | None) -> DocumentRole:
    """The role of an unattached policy: an upper limit if one of its names has "boundary" in it."""
    is_boundary = "boundary" in " ".join(filter(None, names)).lower()
    return DocumentRole.CEILING if is_boundary else DocumentRole.IDENTITY


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
    """The kind of resource that has the grants."""

    ROLE = "role"
    USER = "user"
    GROUP = "group"
    PERMISSION_SET = "permission-set"
    UNATTACHED = "unattached"  # a document that is attached to nothing in this input
    TABLE = "table"
    STREAM = "stream"
    KEY = "key"
    ENDPOINT = "endpoint"


class MakerKind(StrEnum):
    """What generates statements."""

    TEMPLATE = "policy template"
    EVENT = "event"
    CONNECTOR = "connector"


@record(kw_only=False)
class Maker:
    """What generated a statement that its author does not write: a SAM policy template, an event or a connector."""

    kind: MakerKind
    name: str


@record(eq=False)
class Grant:
    """One statement of a document that a holder has.

    ``address`` is that of the resource with the document. ``managed`` is the path of the AWS managed policy that the
    statement is from. ``target`` is the ARN that a resource policy is attached to. ``of_resource``: it is a statement
    of such a policy, as a grant of somebody whom it names.
    """

    address: str
    place: Place | None
    role: DocumentRole
    document: Document
    statement: Statement
    managed: str | None = None
    target: str | None = None
    spelling: str = "json"  # the language that it is written in: hcl, json or yaml
    made_by: Maker | None = None
    of_resource: bool = False
    beyond_boundary: bool = False  # what it allows needs no Allow of the holder's permissions boundary
    holder: Holder = field(init=False, repr=False)
    reached: tuple[Reach, ...] | None = field(
        default=None, init=False, repr=False
    )  # set by the first call of `reaches`

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
    """A document, or a part of one, that could not be read. ``relevant``: it may be about a table.

    ``elsewhere``: it is a managed policy that is not in the input. ``usual`` are the paths of those of AWS that it is
    by default.
    """

    address: str
    place: Place | None
    doubt: Doubt
    relevant: bool
    partly: bool
    elsewhere: bool = False
    usual: tuple[str, ...] = ()
    holder: Holder = field(init=False, repr=False)
