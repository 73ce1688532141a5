"""The step cache: outputs of phases, found by a hash of all that they read."""

from contracts.principal import Principal
from contracts.runs.seeds import Seed
from store.postgres.pool import VISIBLE, Pool, bind, fetch


class StepCacheRepository:
    """Finds outputs for later runs; the recorder writes them with their phases' rows."""

    def __init__(self, pool: Pool) -> None:
        self._pool = pool

    async def find(self, principal: Principal, cache_key: str, run_id: str) -> Seed | None:
        """Return the newest output under a key that has not expired, of any run but the one named."""
        found = await fetch(
            self._pool,
            f"""
            SELECT jsonb_build_object('origin', 'cache', 'run_id', r.id, 'output', p.body -> 'output',
                'warnings', p.body -> 'warnings')
            FROM phase_executions p JOIN runs r ON (r.tenant_id, r.id) = (p.tenant_id, p.run_id)
            WHERE {VISIBLE} AND p.cache_key = %(key)s AND p.expires_at > now()
            AND p.status = 'completed' AND r.id <> %(run)s
            ORDER BY p.expires_at DESC LIMIT 1
            """,
            bind(principal, run_id) | {"key": cache_key},
        )
        return Seed.model_validate(found[0]) if found else None
