"""What the documents of a plan are read with, and their JSON texts, each read once."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from tablegate.dialects.reading import Faults
from tablegate.dialects.terraform.joins import TableFinder
from tablegate.dialects.terraform.prior_state import PriorState
from tablegate.dialects.terraform.regions import Regions
from tablegate.dialects.terraform.resources import Resource, Snapshot
from tablegate.dialects.terraform.source_info import DocumentPlaces
from tablegate.iam.arns import Symbols
from tablegate.iam.documents import SENSITIVE, Document, Locate, Malformed, Path, parse_document
from tablegate.model.record import field, record, replace
from tablegate.model.table import Table
from tablegate.model.value import Doubt, Place
from tablegate.syntax.json import lazy as raw_json
from tablegate.syntax.node import ParseError


@record(eq=False)
class PlanContext:
    """The parts of a plan that its documents need."""

    snapshot: Snapshot
    before: Snapshot
    finder: TableFinder
    regions: Regions
    state: PriorState
    tables: Mapping[str, Table]
    symbols: Symbols = field(default_factory=Symbols)


_PRINTABLE = frozenset({"Effect", "Action", "NotAction", "Version"})
_SHORTEST = 2  # characters: a star is no secret
_NOT_JSON = Doubt("its text is not JSON", "write the policy as JSON")
_HINT = "a policy is a JSON object: jsonencode({...}), or data.aws_iam_policy_document"


class PolicyTexts:
    """The JSON texts of one plan. A fault in one is reported for each resource that has it."""

    def __init__(self, symbols: Symbols, faults: Faults) -> None:
        self._symbols = symbols
        self._faults = faults
        self._trees: dict[str, object | ParseError] = {}
        self._documents: dict[tuple[Place, str], Document] = {}

    def document(
        self,
        text: str,
        resource: Resource,
        place: Place,
        places: DocumentPlaces | None = None,
        *,
        blocks: bool = True,
        sensitive: bool = False,
    ) -> Document:
        """The document of a text. Its path begins at the resource, so that equal texts share a document.

        What is wrong with a sensitive one is reported without a word of it.
        """
        key, path = (place, text), place.path or ""
        document = self._documents.get(key)
        if document is None:
            tree = self.tree(text)
            if isinstance(tree, ParseError):
                error = ParseError(SENSITIVE, duplicate=tree.duplicate) if sensitive else tree
                self.refuse(resource, path, error, blocks=blocks)
                return Document(doubt=_NOT_JSON)
            document = parse_document(tree, self._symbols, located(place, _matching(places, tree)))
            self._documents[key] = document
        malformed = document.malformed
        if sensitive and malformed:
            document = replace(document, malformed=(Malformed(f"IAM refuses it, and {SENSITIVE}", ()),))
        self.report_malformed(document, resource, path, blocks=blocks)
        return document

    def plain(self, text: str, file: str) -> Document:
        """The document of a text that a data source read."""
        tree = self.tree(text)
        if isinstance(tree, ParseError):
            return Document(doubt=_NOT_JSON)
        return parse_document(tree, self._symbols, located(Place(file, path="policy")))

    def tree(self, text: str) -> object | ParseError:
        """The text as plain objects, or the error in it."""
        if text not in self._trees:
            self._trees[text] = _loaded(text)
        return self._trees[text]

    def refuse(self, resource: Resource, path: str, error: ParseError, *, blocks: bool = True) -> None:
        """Report a text that is not JSON."""
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

    def report_malformed(self, document: Document, resource: Resource, path: str, *, blocks: bool = True) -> None:
        """Report the parts of a document that IAM would refuse."""
        for part in document.malformed:
            where = path_text(part.path)
            self._faults.unreadable(
                f"{resource.address}: {path}{where}: {part.message}",
                resource.source or f"{resource.resource_change.path}.change.after.{path}{where}",
                blocks=blocks,
            )


def _matching(places: DocumentPlaces | None, content: object) -> DocumentPlaces | None:
    """The places of a document's parts; None if they are not for as many statements as it has."""
    statements = content.get("Statement") if isinstance(content, dict) else None
    count = len(statements) if isinstance(statements, list) else 1
    return places if places is not None and places.count == count else None


def located(place: Place, places: DocumentPlaces | None = None) -> Locate:
    """Finds the places of the parts of a text at this place: their own, as far as they are known."""

    def locate(path: Path) -> Place:
        own = None if places is None else places(path)
        return replace(own or place, path=f"{place.path}{path_text(path)}")

    return locate


def path_text(path: Path) -> str:
    """A path inside a document, to follow the path of its text: ``.Statement[0].Action``."""
    return "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in path)


def secret_texts(tree: object) -> Iterator[str]:
    """The texts of a sensitive document that no report shows anywhere: all but its actions, which are everybody's."""
    if isinstance(tree, str):
        if len(tree) >= _SHORTEST:
            yield tree
    elif isinstance(tree, Mapping):
        for key, item in tree.items():
            if key not in _PRINTABLE:
                yield from secret_texts(item)
    elif isinstance(tree, list):
        for item in tree:
            yield from secret_texts(item)


def _loaded(text: str) -> object | ParseError:
    try:
        return raw_json.decode(raw_json.part_of(text))
    except ParseError as error:
        return error
    except UnicodeEncodeError:
        return ParseError("half a character")
