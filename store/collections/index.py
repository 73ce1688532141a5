"""The search index of own documents: rows whose words PostgreSQL finds and code ranks."""

from collections.abc import Mapping, Sequence
from typing import LiteralString

from contracts.collections import Candidates
from store.postgres.pool import Repository

MAX_CANDIDATES = 150
"""Rows that are ranked by all their words; the others have fewer or commoner ones of the query."""
SEARCH: LiteralString = """
    WITH asked AS (
        SELECT term, weight, query::tsquery FROM unnest(
            %(terms)s::text[], %(weights)s::float8[], %(queries)s::text[]) AS given (term, weight, query)),
    whole AS (
        SELECT count(*) AS rows, coalesce(avg(length), 1) AS average FROM index_rows
        WHERE tenant_id = %(tenant)s AND scope = ANY(%(scopes)s)),
    hits AS MATERIALIZED (
        SELECT asked.term, asked.weight, matching.id FROM asked CROSS JOIN LATERAL (
            SELECT id FROM index_rows r
            WHERE r.tenant_id = %(tenant)s AND r.words @@ asked.query) AS matching),
    counted AS (
        SELECT term, n, ln(1 + (rows - n + 0.5) / (n + 0.5))::float8 AS rarity
        FROM (SELECT term, count(*) AS n FROM hits GROUP BY term) AS each, whole),
    best AS (
        SELECT id FROM hits JOIN counted USING (term) GROUP BY id
        ORDER BY sum(weight * rarity) DESC, id LIMIT %(most)s)
    SELECT jsonb_build_object('rows', rows, 'average_length', average,
        'frequencies', (SELECT coalesce(jsonb_object_agg(term, n), '{}') FROM counted WHERE term !~ '^#'),
        'candidates', (SELECT coalesce(jsonb_agg(jsonb_build_object('document_id', document_id,
            'position', position, 'page', page, 'start', start, 'stop', stop, 'name', name, 'head', head,
            'text', text)), '[]') FROM best JOIN index_rows USING (id)))
    FROM whole"""


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
