"""Spend on model calls: per phase and model of a run, and per day, definition and model of a tenant."""

from datetime import date

from pydantic import Field

from contracts.access.principal import Principal
from contracts.base import Contract, Text
from store.access.row_visibility import VISIBLE_RUN, bind
from store.postgres.pool import Repository


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


class SpendQuery(Contract):
    """Days, counted in UTC, and filters of what was spent."""

    since: date | None = Field(default=None, description="left out: 30 days ago")
    until: date | None = Field(default=None, description="that day included; left out: today")
    definition_id: Text | None = None
    user_id: Text | None = None
    model: Text | None = None


class Spend(Contract):
    """What the runs of a definition that started on a day spent on a model or search, removed ones included."""

    day: date
    definition_id: str = Field(description="empty of tests of a provider")
    model: str
    offline: bool = Field(description="the stand-in answered and nothing was billed")
    runs: int
    calls: int
    input_tokens: int
    output_tokens: int
    usd: float = Field(description="at the model's price, even where nothing was billed")


class SpendRepository(Repository):
    """Reads what settled model calls used."""

    async def list_usage(self, principal: Principal, run_id: str) -> list[ModelUse]:
        """Return the usage of each model in each phase of a run, by settled calls."""
        found = await self._fetch(
            f"""
            SELECT jsonb_build_object(
                'phase_id', phase_id, 'model', model, 'calls', count(*),
                'input_tokens', sum(input), 'output_tokens', sum(output),
                'total_tokens', sum(input + output), 'usd', sum(settled_usd),
                'seconds', round(sum(extract(epoch FROM settled_at - claimed_at)), 3))
            FROM (SELECT c.*, (c.usage ->> 'input_tokens')::bigint AS input,
                      (c.usage ->> 'output_tokens')::bigint AS output
                  FROM runs r JOIN calls c ON (c.tenant_id, c.run_id) = (r.tenant_id, r.id)
                  WHERE {VISIBLE_RUN} AND (c.kind = 'model' OR (c.kind = 'search' AND c.settled_usd > 0)) AND settled_at IS NOT NULL) AS settled
            GROUP BY phase_id, model ORDER BY min(settled_at)
            """,
            bind(principal, run_id),
        )
        return [ModelUse.model_validate(row) for row in found]

    async def list_spend(self, principal: Principal, query: SpendQuery) -> list[Spend]:
        """Return what was spent by day, definition and model, the newest day first."""
        found = await self._fetch(
            """
            SELECT to_jsonb(t) FROM (
                SELECT s.started_at::date AS day, s.definition_id, s.model,
                    s.offline, count(DISTINCT s.run_id) AS runs, sum(s.calls) AS calls,
                    sum(s.input_tokens) AS input_tokens, sum(s.output_tokens) AS output_tokens,
                    sum(s.usd) AS usd
                FROM spend s
                WHERE s.tenant_id = %(tenant)s
                    AND s.started_at >= coalesce(%(since)s::date, now()::date - 30)
                    AND s.started_at < coalesce(%(until)s::date, now()::date) + 1
                    AND (%(definition_id)s::text IS NULL OR s.definition_id = %(definition_id)s)
                    AND (%(user_id)s::text IS NULL OR s.user_id = %(user_id)s)
                    AND (%(model)s::text IS NULL OR s.model = %(model)s)
                GROUP BY 1, 2, 3, 4 ORDER BY 1 DESC, 2, 3, 4) t
            """,
            bind(principal) | query.model_dump(),
        )
        return [Spend.model_validate(row) for row in found]
