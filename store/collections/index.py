"""The search index of users' documents: PostgreSQL finds rows by their words, Python ranks them."""

from collections.abc import Mapping, Sequence
from typing import LiteralString

from contracts.collections import Candidates, FoundRow, RankedRows
from store.postgres.pool import Repository

MAX_CANDIDATES = 150
"""Rows that are ranked by how often they have a query's terms; the others have fewer or commoner ones."""
SEARCH: LiteralString = """
    WITH asked AS (
        SELECT term, weight, query::tsquery FROM unnest(
            %(terms)s::text[], %(weights)s::float8[], %(queries)s::text[]) AS given (term, weight, query)),
    whole AS (
        SELECT count(*) AS rows, coalesce(avg(length), 1) AS average FROM index_rows
        WHERE tenant_id = %(tenant)s AND scope = ANY(%(scopes)s)),
    hits AS MATERIALIZED (
        SELECT term, weight, find_index_rows(%(tenant)s, query) AS ids FROM asked),
    counted AS (
        SELECT term, weight, ids, cardinality(ids) AS n,
            ln(1 + (rows - cardinality(ids) + 0.5) / (cardinality(ids) + 0.5))::float8 AS rarity
        FROM hits, whole WHERE cardinality(ids) > 0),
    best AS (
        SELECT id FROM counted, unnest(ids) AS each (id) GROUP BY id
        ORDER BY sum(weight * rarity) DESC, id LIMIT %(most)s)
    SELECT jsonb_build_object('rows', rows, 'average_length', average,
        'frequencies', (SELECT coalesce(jsonb_object_agg(term, n), '{}') FROM counted WHERE term !~ '^#'),
        'candidates', (SELECT coalesce(jsonb_agg(jsonb_build_object('document_id', document_id,
            'position', position, 'name', name, 'length', length,
            'head_terms', (SELECT coalesce(jsonb_object_agg(term, heads -> term), '{}')
                FROM asked WHERE heads ? term),
            'text_terms', (SELECT coalesce(jsonb_object_agg(term, texts -> term), '{}')
                FROM asked WHERE texts ? term))), '[]')
            FROM best JOIN index_rows USING (id) CROSS JOIN LATERAL (  -- unpacked once for all terms
                SELECT head_terms || '{}' AS heads, text_terms || '{}' AS texts OFFSET 0) AS unpacked))
    FROM whole"""
READ: LiteralString = """
    SELECT jsonb_build_object('document_id', document_id, 'position', position, 'page', page,
        'start', start, 'stop', stop, 'name', name, 'head', head, 'text', text)
    FROM index_rows JOIN unnest(%(documents)s::text[], %(positions)s::int[]) AS given (document_id, position)
        USING (document_id, position)
    WHERE tenant_id = %(tenant)s"""


class IndexRepository(Repository):
    """Finds rows of documents."""

    async def search(
        self,
        tenant_id: str,
        scopes: Sequence[str],
        weights: Mapping[str, float],
        queries: Mapping[str, str],
    ) -> Candidates:
        """Return the rows of some scopes that have the most of a query's terms.

        `weights` are those of the terms; `queries` their tsqueries, which name the scopes as well.
        """
        given = {
            "tenant": tenant_id,
            "scopes": list(scopes),
            "terms": list(weights),
            "weights": list(weights.values()),
            "queries": [queries[term] for term in weights],
            "most": MAX_CANDIDATES,
        }
        [found] = await self._fetch(SEARCH, given)
        return Candidates.model_validate(found)

    async def read(self, tenant_id: str, ranked: Sequence[RankedRows]) -> list[FoundRow]:
        """Return the given rows in any order, without those that were deleted meanwhile."""
        keys = [(each.document_id, position) for each in ranked for position in each.positions]
        given = {
            "tenant": tenant_id,
            "documents": [document for document, _ in keys],
            "positions": [position for _, position in keys],
        }
        return [FoundRow.model_validate(row) for row in await self._fetch(READ, given)]
