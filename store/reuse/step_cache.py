"""Phases' outputs, by a hash of all that they read."""

from contracts.runs.request import FindRequest, Seed
from store.postgres.pool import Repository
from store.reuse.semantic_cache import SHARE


class StepCacheRepository(Repository):
    """Finds outputs by a hash of all that their phases read; the recorder writes them with their phases' rows."""

    async def find(self, request: FindRequest) -> Seed | None:
        """Return the user's newest output under a key that has not expired, of any other run."""
        found = await self._fetch(
            f"""
            WITH r AS (
                SELECT r.tenant_id, r.id, p.body
                FROM phase_executions p JOIN runs r ON (r.tenant_id, r.id) = (p.tenant_id, p.run_id)
                WHERE (r.tenant_id, r.user_id) = (%(tenant)s, %(user_id)s)
                AND p.cache_key = %(cache_key)s AND p.expires_at > now()
                AND p.status = 'completed' AND r.id <> %(run_id)s
                ORDER BY p.expires_at DESC LIMIT 1)
            SELECT jsonb_build_object('origin', 'cache', 'run_id', id, 'output', body -> 'output',
                'notices', body -> 'notices', 'lost_inputs', body -> 'lost_inputs')
            FROM r WHERE {SHARE}
            """,
            dict(request) | {"tenant": request.tenant_id, "reader": request.run_id},
        )
        return Seed.model_validate(found[0]) if found else None
