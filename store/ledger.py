"""The journal of calls, read as a ledger."""

from pydantic import Field

from contracts.base import Contract
from contracts.principal import Principal
from store.postgres.pool import VISIBLE_RUN, Pool, bind, fetch


class ModelUse(Contract):
    """Calls, tokens and cost of one model in one phase, over all its attempts."""

    phase_id: str
    model: str
    calls: int
    input_tokens: int
    output_tokens: int
    total_tokens: int
    usd: float = Field(description="at the model's price, even where nothing was billed")
    seconds: float = Field(
        description="latency of its answers, added up; each of parallel calls counts"
    )


class LedgerRepository:
    """Reads what model calls used."""

    def __init__(self, pool: Pool) -> None:
        self._pool = pool

    async def list_usage(self, principal: Principal, run_id: str) -> list[ModelUse]:
        """Return the usage of each model in each phase of a run, by settled calls."""
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
                  WHERE {VISIBLE_RUN} AND kind = 'model' AND settled_at IS NOT NULL) AS settled
            GROUP BY phase_id, model ORDER BY min(settled_at)
            """,
            bind(principal, run_id),
        )
        return [ModelUse.model_validate(row) for row in found]
