"""What documents are read with; each json text once."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from tablegate.dialects.reading import Faults
from tablegate.dialects.terraform.joins import TableFinder
from tablegate.dialects.terraform.prior_state import PriorState
from tablegate.dialects.terraform.regions import Regions
from tablegate.dialects.terraform.resources import Resource, Snapshot
from tablegate.dialects.terraform.source_info import DocumentPlaces
from tablegate.iam.arns import Symbols
from tablegate.iam.documents import Document, Path, parse_document
from tablegate.model.record import field, record, replace
from tablegate.model.table import Table
from tablegate.model.value import Doubt, Place
from tablegate.syntax.json import lazy as raw_json
from tablegate.syntax.node import ParseError


@record(eq=False)
class PlanContext:
    """One plan, as far as its documents need it."""

    snapshot: Snapshot
    before: Snapshot
    finder: TableFinder
    regions: Regions
    state: PriorState
    tables: Mapping[str, Table]
    symbols: Symbols = field(default_factory=Symbols)


_PRINTABLE = frozenset({"Sid", "Effect", "Action", "NotAction", "Version", "Id"})
_NOT_JSON = Doubt("its text is not JSON", "the policy as a JSON text")
_HINT = "a policy is a JSON object: jsonencode({...}), or data.aws_iam_policy_document"


class PolicyTexts:
    """The texts of one plan. What is wrong with one is said of each resource that holds it."""

    def __init__(self, symbols: Symbols, faults: Faults) -> None:
        self._symbols = symbols
        self._faults = faults
        self._trees: dict[str, object | ParseError] = {}
        self._documents: dict[tuple[Place, str], Document] = {}

    def document(
        self, text: str, resource: Resource, place: Place, inside: DocumentPlaces | None = None, *, blocks: bool = True
    ) -> Document:
        """The document of a text. Places in a plan are paths from the resource on, so equal texts share them."""
        key, path = (place, text), place.path or ""
        found = self._documents.get(key)
        if found is None:
            tree = self.tree(text)
            if isinstance(tree, ParseError):
                self.refuse(resource, path, tree, blocks=blocks)
                return Document(doubt=_NOT_JSON)
            found = self._documents[key] = parse_document(tree, self._symbols, located(place, _fitting(inside, tree)))
        self.note(found, resource, path, blocks=blocks)
        return found

    def plain(self, text: str, file: str) -> Document:
        """The document of a text that is nobody's own: what a data source read."""
        tree = self.tree(text)
        if isinstance(tree, ParseError):
            return Document(doubt=_NOT_JSON)
        return parse_document(tree, self._symbols, located(Place(file, path="policy")))

    def tree(self, text: str) -> object | ParseError:
        """The text as plain objects, or what is wrong with it."""
        if text not in self._trees:
            self._trees[text] = _loaded(text)
        return self._trees[text]

    def refuse(self, resource: Resource, path: str, error: ParseError, *, blocks: bool = True) -> None:
        """Report a text that is no document."""
        where = f"{resource.resource_change.path}.change.after.{path}"
        if error.duplicate:
            self._faults.duplicate_key(f"{resource.address}: {path}: {error.message}", resource.source or where)
        else:
            self._faults.unreadable(
                f"{resource.address}: {path} is not JSON: {error.message}",
                resource.source or where,
                _HINT,
                blocks=blocks,
            )

    def note(self, document: Document, resource: Resource, path: str, *, blocks: bool = True) -> None:
        """Report what IAM would refuse of a document."""
        for part in document.malformed:
            where = spelled(part.path)
            self._faults.unreadable(
                f"{resource.address}: {path}{where}: {part.message}",
                resource.source or f"{resource.resource_change.path}.change.after.{path}{where}",
                blocks=blocks,
            )


def _fitting(inside: DocumentPlaces | None, content: object) -> DocumentPlaces | None:
    """The places of a document's parts; none where it has more statements than they, or fewer."""
    listed = content.get("Statement") if isinstance(content, dict) else None
    count = len(listed) if isinstance(listed, list) else 1
    return inside if inside is not None and inside.count == count else None


def located(place: Place, inside: DocumentPlaces | None = None) -> _Located:
    """Where the parts of a text at this place stand: each at its own, where that is known."""
    return _Located(place, inside)


class _Located:
    __slots__ = ("_inside", "_place")

    def __init__(self, place: Place, inside: DocumentPlaces | None) -> None:
        self._place = place
        self._inside = inside

    def __call__(self, path: Path) -> Place:
        found = None if self._inside is None else self._inside(path)
        return replace(found or self._place, path=f"{self._place.path}{spelled(path)}")


def spelled(path: Path) -> str:
    """A path inside a document, as it goes on behind the path of its text."""
    return "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in path)


def private(tree: object) -> Iterator[str]:
    """The texts of a document that must not be shown where the whole is marked: all but its actions and labels."""
    if isinstance(tree, str):
        yield tree
    elif isinstance(tree, Mapping):
        for key, item in tree.items():
            if key not in _PRINTABLE:
                yield from private(item)
    elif isinstance(tree, list):
        for item in tree:
            yield from private(item)


def _loaded(text: str) -> object | ParseError:
    try:
        return raw_json.decode(raw_json.part_of(text))
    except ParseError as error:
        return error
    except UnicodeEncodeError:
        return ParseError("half a character")
