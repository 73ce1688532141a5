"""Budgets of tenants, users and keys, and the spend against each; `claim_call` enforces them."""

import builtins
from typing import LiteralString

from contracts.access.budgets import Budget, BudgetBody, HolderKind
from contracts.access.principal import Principal
from contracts.errors import NotFound
from contracts.notices import Notice
from store.access.row_visibility import bind
from store.postgres.pool import Repository

BUDGET: LiteralString = """
    SELECT to_jsonb(t) FROM (
        SELECT b.kind, b.holder, b.day_usd, b.month_usd, b.set_by, b.set_at,
            s.day AS day_spent_usd, s.month AS month_spent_usd,
            greatest(least(b.day_usd - s.day, b.month_usd - s.month), 0) AS left_usd,
            CASE WHEN s.month >= b.month_usd THEN (s.first + interval '1 month')::date
                WHEN s.day >= b.day_usd THEN s.today + 1 END AS opens_on
        FROM budgets b CROSS JOIN LATERAL (
            SELECT today, first, coalesce(sum(settled_usd + reserved_usd), 0) AS month,
                coalesce(sum(settled_usd + reserved_usd) FILTER (WHERE day = today), 0) AS day
            FROM (SELECT d AS today, date_trunc('month', d)::date AS first
                  FROM (SELECT (now() AT TIME ZONE 'UTC')::date) AS u (d)) AS clock
            LEFT JOIN spent_by_day p ON (p.tenant_id, p.kind, p.holder) = (b.tenant_id, b.kind, b.holder)
                AND p.day >= first
            GROUP BY today, first) AS s
        WHERE b.tenant_id = %(tenant)s AND {which}
        ORDER BY array_position(ARRAY['tenant', 'user', 'key'], b.kind), b.holder) t"""

OWN: LiteralString = BUDGET.replace(
    "{which}", "(b.kind, b.holder) IN (SELECT * FROM list_holders(%(tenant)s, %(user)s, %(key)s))"
)
ALL: LiteralString = BUDGET.replace("{which}", "true")
ONE: LiteralString = BUDGET.replace("{which}", "(b.kind, b.holder) = (%(kind)s, %(holder)s)")


class BudgetRepository(Repository):
    """Stores budgets and reads what remains of them."""

    async def put(
        self, principal: Principal, kind: HolderKind, holder: str, body: BudgetBody
    ) -> Budget:
        """Set a budget, in place of the one before.

        Raises:
            NotFound: The key is unknown, or the budget was deleted meanwhile.
        """
        which = bind(principal) | {"kind": kind, "holder": holder}
        found = await self._fetch(
            """
            INSERT INTO budgets (tenant_id, kind, holder, day_usd, month_usd, set_by)
            SELECT %(tenant)s, %(kind)s, %(holder)s, %(day_usd)s::numeric, %(month_usd)s::numeric, %(by)s
            WHERE %(kind)s <> 'key' OR EXISTS (
                SELECT FROM api_keys WHERE (tenant_id, id, kind) = (%(tenant)s, %(holder)s, 'key'))
            ON CONFLICT (tenant_id, kind, holder) DO UPDATE SET day_usd = excluded.day_usd,
                month_usd = excluded.month_usd, set_by = excluded.set_by, set_at = now()
            RETURNING true
            """,
            which | {"by": principal.user_id or ""} | body.model_dump(),
        )
        if not found:
            raise NotFound(Notice.of("no-such-key", key=holder))
        budgets = await self._fetch(ONE, which)
        if not budgets:
            raise NotFound(Notice.of("budget-unknown"))
        return Budget.model_validate(budgets[0])

    async def delete(self, principal: Principal, kind: HolderKind, holder: str) -> None:
        """Delete a budget.

        Raises:
            NotFound: The holder has no budget.
        """
        found = await self._fetch(
            "DELETE FROM budgets WHERE (tenant_id, kind, holder) = (%(tenant)s, %(kind)s, %(holder)s)"
            " RETURNING true",
            bind(principal) | {"kind": kind, "holder": holder},
        )
        if not found:
            raise NotFound(Notice.of("budget-unknown"))

    async def list_own(self, principal: Principal) -> builtins.list[Budget]:
        """Return the budgets charged for a run that the caller starts: the tenant's, the user's and the key's."""
        found = await self._fetch(OWN, bind(principal) | {"key": principal.key_id})
        return [Budget.model_validate(row) for row in found]

    async def list_all(self, principal: Principal) -> builtins.list[Budget]:
        """Return all budgets of a tenant, ordered by holder: tenant, users, keys."""
        found = await self._fetch(ALL, bind(principal))
        return [Budget.model_validate(row) for row in found]
