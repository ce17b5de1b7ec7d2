"""What other stacks of the run say of roles and keys that this one uses: it stands in their own templates."""

from __future__ import annotations

from collections.abc import Iterator

from tablegate.access.grants import DocumentRole, HolderForm, HolderKind
from tablegate.access.symbols import Symbols
from tablegate.access.trust import most_exposed, trust_of
from tablegate.dialects.cloudformation.access.drafts import Draft, Evidence
from tablegate.dialects.cloudformation.access.ground import Ground
from tablegate.dialects.cloudformation.access.pieces import Documents, Piece
from tablegate.dialects.cloudformation.access.texts import Texts
from tablegate.dialects.cloudformation.access.trees import Trees
from tablegate.dialects.cloudformation.fields import properties
from tablegate.dialects.cloudformation.resolver import Resolver
from tablegate.dialects.cloudformation.template import ROLE, Resource
from tablegate.dialects.cloudformation.unsettled import Symbol
from tablegate.model.table import Table


def users_of(symbol: Symbol) -> Evidence | None:
    """Who uses the role that a symbol stands for; None where that is no role of another stack, or nothing tells."""
    home = symbol.home
    role = home.template.named(symbol.resource, ROLE) if home is not None and symbol.resource is not None else None
    if home is None or role is None:
        return None
    documents = (piece.document for piece in _pieces(home, role, "AssumeRolePolicyDocument", Symbols()))
    found = [trust_of(document, home.options.account) for document in documents if document.statements]
    return most_exposed([(each.kind, each.why) for each in found]) if found else None


def gather_keys(ground: Ground) -> None:
    """A holder for each key of another stack that encrypts a table here, unless its own stack judges it."""
    for address, (home, key) in sorted(ground.resolver.foreign_keys.items(), key=lambda item: item[0]):
        if home.around.full(key.address) in keys_of(ground.tables_of(home)):
            continue
        identity = HolderForm.KEY, address
        draft = Draft(
            address=address,
            place=home.place(key.node),
            form=HolderForm.KEY,
            trusted=[(HolderKind.UNKNOWN, "the policy of a table's key")],
            whole=True,
            concerned=True,
        )
        ground.drafts[identity] = draft
        target = ground.texts.arn_of_key(address)
        for piece in _pieces(home, key, "KeyPolicy", ground.symbols):
            ground.documents.counts.add(piece.document)
            ground.hand(draft, piece, address, role=DocumentRole.RESOURCE, target=target)


def keys_of(tables: tuple[Table, ...]) -> frozenset[str]:
    """The addresses of the keys that encrypt these tables."""
    found = [table.encryption for table in tables]
    found += [replica.encryption for table in tables for replica in table.replicas.content or ()]
    return frozenset(encryption.resource.address for encryption in found if encryption.resource is not None)


def _pieces(home: Resolver, resource: Resource, key: str, symbols: Symbols) -> Iterator[Piece]:
    """A document of a resource of another stack, read there."""
    section = properties(home, resource)
    node = section.get(key) if isinstance(section, dict) else None
    if node is not None and node.content not in ("", None):
        documents = Documents(home, Trees(home, Texts(home, symbols, (), _no_tables)), symbols)
        yield from documents.uncounted(node)


def _no_tables(_: Resolver) -> tuple[Table, ...]:
    """Neither trust nor the policy of a key is about a table."""
    return ()
