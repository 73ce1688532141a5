"""Gauges of the whole installation for its operator."""

from typing import Literal

from contracts.access.budgets import HolderKind
from contracts.base import Contract
from store.postgres.pool import Repository


class RunCount(Contract):
    """The number of a definition's runs that have a certain status."""

    definition: str
    status: str
    n: int


class BudgetUse(Contract):
    """Use of all budgets of one kind: the largest used share, and how many are used up."""

    kind: HolderKind
    period: Literal["day", "month"]
    n: int
    used_up: int
    largest_share: float


class InstallationCount(Contract):
    """Totals over all tenants; no field names a tenant, user or run."""

    active: list[RunCount]
    ended: list[RunCount]
    waits: int
    oldest_wait_seconds: float
    spent_today_usd: float
    budgets: list[BudgetUse]
    documents_waiting: int
    alerts_due: int


class InstallationRepository(Repository):
    """Counts runs, waits, money, documents and alerts of the whole installation."""

    async def count(self) -> InstallationCount:
        """Return the totals as they are now."""
        [found] = await self._fetch("SELECT count_installation()")
        return InstallationCount.model_validate(found)
