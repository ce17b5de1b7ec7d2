"""The holders and grants of a template."""

from __future__ import annotations

from tablegate.dialects.cloudformation.iam import own_policies
from tablegate.dialects.cloudformation.iam.arn_texts import ArnTexts, TablesOf
from tablegate.dialects.cloudformation.iam.attachments import Attachments, make_identities
from tablegate.dialects.cloudformation.iam.context import TemplateContext
from tablegate.dialects.cloudformation.iam.document_trees import DocumentTrees
from tablegate.dialects.cloudformation.iam.documents import DocumentReader
from tablegate.dialects.cloudformation.iam.roles import TemplateRoles
from tablegate.dialects.cloudformation.iam.sam import Connectors, Serverless
from tablegate.dialects.cloudformation.resolver import Resolver
from tablegate.dialects.holders import HolderAssembly
from tablegate.dialects.reading import Access
from tablegate.iam.arns import Symbols
from tablegate.model.table import Table


def access_of(resolver: Resolver, tables: tuple[Table, ...], spelling: str, tables_of: TablesOf) -> Access:
    """The holders and grants of a template. ``spelling`` is json or yaml."""
    symbols = resolver.context.symbols or Symbols()
    texts = ArnTexts(resolver, symbols, tables, tables_of)
    trees = DocumentTrees(resolver, texts)
    reader = DocumentReader(resolver, trees, symbols, spelling)
    context = TemplateContext(
        resolver=resolver,
        symbols=symbols,
        texts=texts,
        trees=trees,
        reader=reader,
        spelling=spelling,
        tables=tables,
        tables_of=tables_of,
        assembly=HolderAssembly(symbols, has_tables=bool(tables)),
    )
    attachments = _gather(context)
    full = resolver.context.full if resolver.context.address else None
    holders, grants = context.assembly.build(TemplateRoles(attachments), full=full, every_use=True)
    counts, missing = reader.counts, context.assembly.missing
    neighbours = tuple(table for _, several in sorted(texts.neighbours.items()) for table in several)
    return Access(
        holders, grants, counts.every + missing, counts.partly, counts.unread + missing, neighbours=neighbours
    )


def _gather(context: TemplateContext) -> Attachments:
    attachments = Attachments(context)
    make_identities(context)
    serverless = Serverless(context, attachments) if context.resolver.template.serverless else None
    if serverless is not None:
        serverless.make_roles()
    attachments.gather()
    if serverless is not None:
        serverless.gather()
        Connectors(context, attachments).gather()
    own_policies.gather(context)
    return attachments
