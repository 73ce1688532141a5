"""Statistics of the call journal for new runs: how long runs took, and which search services refuse."""

from collections.abc import Sequence
from typing import Any

from contracts.planning.depth import Minutes
from contracts.planning.plan import Depth
from contracts.runs.probes import PROBE_SEARCH
from contracts.search import ServiceName
from store.postgres.pool import Repository

ENOUGH_RUNS = 3
"""Minimum number of runs of one definition and depth for a measured duration."""
NEWEST_RUNS = 60
ENOUGH_REFUSALS = 3
"""A service counts as refusing after this many refusals in a row; fewer may be the fault of the queries."""


class PastCallRepository(Repository):
    """Reads what became of the calls of a tenant's runs."""

    async def list_probed(self, tenant_id: str, run_id: str) -> dict[str, Any]:
        """Return the hits of the searches of a scheduled run's probe, by the names of the calls."""
        found = await self._fetch(
            """
            SELECT jsonb_build_array(name, result -> 'hits') FROM calls
            WHERE (tenant_id, run_id, kind) = (%(tenant)s, %(run)s, 'search')
                AND starts_with(name, %(probe)s || '-') AND settled_at IS NOT NULL
            """,
            {"tenant": tenant_id, "run": run_id, "probe": PROBE_SEARCH},
        )
        return dict(found)

    async def measure(
        self, tenant_id: str, definition_id: str, version: int, model: str
    ) -> dict[Depth, Minutes]:
        """Return for each depth the tenth and ninetieth percentile of the minutes that the latest complete runs worked.

        Only time with at least one call in flight counts, so waiting for a human does not. Runs are
        excluded that reused outputs, redid a single part, waited for batches, or were answered by the
        stand-in.
        """
        found = await self._fetch(
            """
            SELECT jsonb_build_object(
                'depth', depth, 'runs', count(*),
                'low', greatest(1, floor(percentile_cont(0.1) WITHIN GROUP (ORDER BY seconds) / 60)),
                'high', greatest(1, ceil(percentile_cont(0.9) WITHIN GROUP (ORDER BY seconds) / 60)))
            FROM (
                SELECT depth, (
                    SELECT extract(epoch FROM sum(upper(span) - lower(span)))
                    FROM (
                        SELECT unnest(range_agg(tstzrange(claimed_at, settled_at))) AS span FROM calls c
                        WHERE (c.tenant_id, c.run_id) = (%(tenant)s, newest.id) AND settled_at > claimed_at
                    ) AS spans) AS seconds
                FROM (
                    SELECT id, opened #>> '{resolved,depth}' AS depth FROM runs r
                    WHERE tenant_id = %(tenant)s AND definition_id = %(definition)s
                        AND definition_version = %(version)s AND status IN ('completed', 'partial')
                        AND opened #>> '{terms,model}' = %(model)s
                        AND NOT coalesce((opened #>> '{terms,offline}')::boolean, false)
                        AND coalesce(opened #> '{resolved,seeds}', '{}') = '{}'
                        AND request ->> 'from_run' IS NULL
                        AND request ->> 'only' IS NULL AND request ->> 'until' IS NULL
                        AND coalesce(request ->> 'batch', 'false') = 'false'
                        AND NOT EXISTS (SELECT FROM phase_executions p
                            WHERE (p.tenant_id, p.run_id) = (r.tenant_id, r.id) AND p.body ->> 'reused_from' IS NOT NULL)
                    ORDER BY list_order DESC LIMIT %(newest)s) AS newest) AS measured
            WHERE seconds IS NOT NULL
            GROUP BY depth HAVING count(*) >= %(enough)s
            """,
            {
                "tenant": tenant_id,
                "definition": definition_id,
                "version": version,
                "model": model,
                "newest": NEWEST_RUNS,
                "enough": ENOUGH_RUNS,
            },
        )
        return {row.pop("depth"): Minutes.model_validate(row) for row in found}

    async def list_refusing(
        self, tenant_id: str, services: Sequence[ServiceName]
    ) -> list[ServiceName]:
        """Return the services that refused each of the tenant's latest searches within the past day."""
        found = await self._fetch(
            """
            SELECT to_jsonb(service) FROM unnest(%(services)s::text[]) AS service
            WHERE (SELECT count(*) FILTER (WHERE error = 'search-refused') FROM (
                SELECT error FROM calls WHERE tenant_id = %(tenant)s AND kind = 'search' AND model = service
                    AND claimed_at > now() - interval '1 day'
                ORDER BY claimed_at DESC LIMIT %(newest)s) AS newest) >= %(newest)s
            """,
            {"tenant": tenant_id, "services": [*services], "newest": ENOUGH_REFUSALS},
        )
        return [*found]
