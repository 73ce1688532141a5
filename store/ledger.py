"""What models did and cost, for reading."""

from pydantic import Field

from contracts.base import Contract
from contracts.principal import Principal
from store.postgres.pool import OWN_RUN, Pool, fetch, own


class ModelUse(Contract):
    """What one model did in one phase, over all its attempts."""

    phase_id: str
    model: str
    calls: int
    input_tokens: int
    output_tokens: int
    total_tokens: int
    usd: float = Field(description="at the model's price, even where nothing was billed")
    seconds: float = Field(description="its answers' latency, added up; calls at once count each")


class LedgerRepository:
    """Reads the journal as a ledger."""

    def __init__(self, pool: Pool) -> None:
        self._pool = pool

    async def uses(self, principal: Principal, run_id: str) -> list[ModelUse]:
        """Return what each model did in each phase of a run, by settled calls."""
        found = await fetch(
            self._pool,
            f"""
            SELECT jsonb_build_object(
                'phase_id', phase_id, 'model', model, 'calls', count(*),
                'input_tokens', sum(input), 'output_tokens', sum(output),
                'total_tokens', sum(input + output), 'usd', sum(settled_usd),
                'seconds', round(sum(extract(epoch FROM settled_at - claimed_at)), 3))
            FROM (SELECT c.*, (c.usage ->> 'input_tokens')::bigint AS input,
                      (c.usage ->> 'output_tokens')::bigint AS output
                  FROM runs r JOIN calls c ON (c.tenant_id, c.run_id) = (r.tenant_id, r.id)
                  WHERE {OWN_RUN} AND kind = 'model' AND settled_at IS NOT NULL) AS settled
            GROUP BY phase_id, model ORDER BY min(settled_at)
            """,
            own(principal, run_id),
        )
        return [ModelUse.model_validate(row) for row in found]
