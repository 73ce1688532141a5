"""Removal of runs for good: only what a run cost stays."""

from datetime import datetime
from typing import LiteralString

from contracts.access.principal import Principal
from contracts.errors import Conflict, NotFound, NotOwner
from contracts.notices import Notice
from store.access.row_visibility import bind
from store.postgres.pool import Repository

KNOWN: LiteralString = """
    SELECT user_id FROM runs WHERE (tenant_id, id) = (%(tenant)s, %(run)s)
    UNION ALL SELECT user_id FROM removals
    WHERE (tenant_id, run_id) = (%(tenant)s, %(run)s) AND done_at IS NULL"""
"""The owner of a run that exists, or whose removal is unfinished."""


class RemovalRepository(Repository):
    """Removes the rows of runs and finds the blobs that other runs still need."""

    async def remove(self, principal: Principal, run_id: str, *, lost: bool = False) -> None:
        """Remove a run's rows in one transaction; idempotent until the removal is finished.

        `lost` means that Temporal no longer knows the run, so it cannot be live.

        Raises:
            NotFound: The run does not exist, or its removal is finished.
            NotOwner: The run belongs to another user.
            Conflict: The run is live, or one of its calls is in flight.
        """
        who = bind(principal, run_id)
        found = await self._fetch(KNOWN, who)
        if not found:
            raise NotFound(Notice.of("run-unknown", run=run_id))
        if principal.user_id not in {None, *found}:
            raise NotOwner(Notice.of("run-not-yours-to-remove", run=run_id, user=found[0]))
        remove = "SELECT remove_run(%(tenant)s, %(run)s, %(lost)s)"
        [came] = await self._fetch(remove, who | {"lost": lost})
        if came == "live":
            raise Conflict(Notice.of("run-live", run=run_id))
        if came == "busy":
            raise Conflict(Notice.of("run-busy", run=run_id))

    async def is_removed(self, tenant_id: str, run_id: str) -> bool:
        """Return whether a run of this id was removed: the id stays taken."""
        query = "SELECT is_removed(%(tenant)s, %(run)s)"
        [found] = await self._fetch(query, {"tenant": tenant_id, "run": run_id})
        return bool(found)

    async def find_unneeded_blobs(self, tenant_id: str, run_id: str, keys: list[str]) -> list[str]:
        """Return the blobs that a removed run held or referred to and that are no longer needed.

        A blob is needed while a run or file holds it or another run refers to it.
        """
        return await self._fetch(
            """
            WITH each AS MATERIALIZED (
                SELECT DISTINCT key, split_part(key, '/', 1) AS holder
                FROM removals, unnest(%(keys)s::text[] || blobs) AS named (key)
                WHERE (tenant_id, run_id) = (%(tenant)s, %(run)s))
            SELECT key FROM each
            WHERE NOT EXISTS (SELECT FROM blob_references r
                    WHERE (r.tenant_id, r.key) = (%(tenant)s, each.key))
                AND NOT EXISTS (SELECT FROM runs WHERE (tenant_id, id) = (%(tenant)s, each.holder))
            ORDER BY key
            """,
            {"tenant": tenant_id, "run": run_id, "keys": keys},
        )

    async def remove_stale_files(self, before: datetime) -> list[tuple[str, list[str]]]:
        """Remove files uploaded before a time; return the blobs that are no longer needed, by tenant."""
        tenants = await self._fetch("SELECT sweep_stale_files(%(before)s)", {"before": before})
        return [(tenant, await self._remove_stale_files(tenant, before)) for tenant in tenants]

    async def _remove_stale_files(self, tenant_id: str, before: datetime) -> list[str]:
        [keys] = await self._fetch(
            """
            WITH stale AS (DELETE FROM files WHERE tenant_id = %(tenant)s AND created_at < %(before)s
                RETURNING id)
            SELECT to_jsonb(release_blobs(%(tenant)s, array_agg(id))) FROM stale
            """,
            {"tenant": tenant_id, "before": before},
        )
        return list(keys)

    async def finish(self, tenant_id: str, run_id: str) -> None:
        """Mark a removal as finished, once its blobs and Temporal execution are deleted."""
        await self._fetch(
            "UPDATE removals SET done_at = coalesce(done_at, now()), blobs = '{}'"
            " WHERE (tenant_id, run_id) = (%(tenant)s, %(run)s)",
            {"tenant": tenant_id, "run": run_id},
        )

    async def close_claims(self) -> None:
        """Record as `worker-lost` the calls of ended runs whose worker died before it settled them."""
        for tenant, run in await self._fetch("SELECT sweep_claims()"):
            await self._fetch(
                "SELECT close_claims(%(tenant)s, %(run)s)", {"tenant": tenant, "run": run}
            )

    async def list_due(
        self, temporary: datetime, kept: datetime | None, limit: int
    ) -> list[tuple[str, str]]:
        """Return (tenant id, run id) of runs to remove, oldest first, including unfinished removals.

        Temporary runs are due if they ended before `temporary`, all others if they ended before `kept`.
        """
        query = "SELECT sweep_due_runs(%(temporary)s, %(kept)s, %(limit)s)"
        given = {"temporary": temporary, "kept": kept, "limit": limit}
        return [(tenant, run) for tenant, run in await self._fetch(query, given)]
