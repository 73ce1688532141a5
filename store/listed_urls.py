"""The addresses that a run's searches and pages have listed: those its agents may fetch."""

import hashlib
from collections.abc import Iterable, Sequence

from contracts.models.call import Scope
from store.postgres.pool import Repository


class ListedUrlRepository(Repository):
    """Keeps listed addresses by their hash, once for each run."""

    async def add(self, scope: Scope, urls: Iterable[str]) -> None:
        """Insert addresses; those of a run that was removed are dropped."""
        await self._fetch(
            """
            INSERT INTO listed_urls (tenant_id, run_id, url_hash)
                SELECT runs.tenant_id, runs.id, url_hash
                FROM runs, unnest(%(hashes)s::bytea[]) AS url_hash
                WHERE (runs.tenant_id, runs.id) = (%(tenant)s, %(run)s)
            ON CONFLICT DO NOTHING
            """,
            {
                "tenant": scope.tenant_id,
                "run": scope.run_id,
                "hashes": sorted({_hash(url) for url in urls}),
            },
        )

    async def claim(self, scope: Scope, conversation: str, urls: Sequence[str]) -> set[str]:
        """Return the addresses that no other search of a conversation has listed; a retry gets the same.

        Of a run that was removed all are returned.
        """
        values = {
            "tenant": scope.tenant_id,
            "run": scope.run_id,
            "conversation": "/".join(
                (scope.phase_id, str(scope.attempt), scope.plan_step, conversation)
            ),
            "call": scope.name,
            "hashes": sorted({_hash(url) for url in urls}),
        }
        await self._fetch(
            """
            INSERT INTO search_hits (tenant_id, run_id, conversation, url_hash, call)
                SELECT runs.tenant_id, runs.id, %(conversation)s, url_hash, %(call)s
                FROM runs, unnest(%(hashes)s::bytea[]) AS url_hash
                WHERE (runs.tenant_id, runs.id) = (%(tenant)s, %(run)s)
            ON CONFLICT DO NOTHING
            """,
            values,
        )
        others = await self._fetch(
            "SELECT url_hash FROM search_hits WHERE (tenant_id, run_id, conversation)"
            " = (%(tenant)s, %(run)s, %(conversation)s)"
            " AND url_hash = ANY(%(hashes)s) AND call <> %(call)s",
            values,
        )
        taken = {bytes(row) for row in others}
        return {url for url in urls if _hash(url) not in taken}

    async def has(self, scope: Scope, url: str) -> bool:
        """Tell whether an address was listed in a run."""
        [found] = await self._fetch(
            "SELECT EXISTS (SELECT FROM listed_urls WHERE"
            " (tenant_id, run_id, url_hash) = (%(tenant)s, %(run)s, %(hash)s))",
            {"tenant": scope.tenant_id, "run": scope.run_id, "hash": _hash(url)},
        )
        return bool(found)


def _hash(url: str) -> bytes:
    return hashlib.sha256(url.encode("utf-8", "replace")).digest()
