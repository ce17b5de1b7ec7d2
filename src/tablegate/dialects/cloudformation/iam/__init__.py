"""Everything about access that goes into the estate: holders with their grants, and how much of it was read."""

from __future__ import annotations

from tablegate.dialects.cloudformation.iam import attachments as identities
from tablegate.dialects.cloudformation.iam import own_policies as resources
from tablegate.dialects.cloudformation.iam import roles as integrations
from tablegate.dialects.cloudformation.iam import roles as uses
from tablegate.dialects.cloudformation.iam.arn_texts import TablesOf, Texts
from tablegate.dialects.cloudformation.iam.attachments import Attachments
from tablegate.dialects.cloudformation.iam.context import Ground
from tablegate.dialects.cloudformation.iam.document_trees import Trees
from tablegate.dialects.cloudformation.iam.documents import Documents
from tablegate.dialects.cloudformation.iam.holders import sorted_grants
from tablegate.dialects.cloudformation.resolver import Resolver
from tablegate.dialects.cloudformation.template import Access
from tablegate.iam.arns import Symbols
from tablegate.model.table import Table


def access_of(resolver: Resolver, tables: tuple[Table, ...], spelling: str, tables_of: TablesOf) -> Access:
    """The holders and grants of a template. ``spelling`` is json or yaml."""
    symbols = resolver.around.symbols or Symbols()
    texts = Texts(resolver, symbols, tables, tables_of)
    trees = Trees(resolver, texts)
    documents = Documents(resolver, trees, symbols)
    ground = Ground(
        resolver=resolver,
        symbols=symbols,
        texts=texts,
        trees=trees,
        documents=documents,
        spelling=spelling,
        tables=tables,
        tables_of=tables_of,
    )
    _gather(ground)
    if resolver.around.address:
        for draft in ground.drafts.values():
            draft.move(resolver.around.full)
    drafts = sorted(ground.drafts.values(), key=lambda draft: (draft.address, draft.form, draft.name or ""))
    holders = tuple(draft.made(symbols) for draft in drafts)
    counts = documents.counts
    neighbours = tuple(table for _, several in sorted(texts.neighbours.items()) for table in several)
    return Access(holders, sorted_grants(drafts), counts.every, counts.partly, counts.unread, neighbours)


def _gather(ground: Ground) -> None:
    attachments = Attachments(ground)
    identities.begin(ground)
    attachments.gather()
    if ground.resolver.template.serverless:
        # Imported here: most templates are not SAM's.
        from tablegate.dialects.cloudformation.iam.sam import Connectors, Serverless

        Serverless(ground, attachments).gather()
        Connectors(ground, attachments).gather()
    resources.gather(ground)
    uses.learn(ground, attachments)
    integrations.learn_integrations(ground, attachments)
    attachments.leave_over()
