"""The addresses that a run's searches and pages have listed: those its agents may fetch."""

import hashlib
from collections.abc import Mapping

from contracts.models.call import Scope
from store.postgres.pool import Repository


class ListedUrlRepository(Repository):
    """Keeps listed addresses by their hash, once for each run."""

    async def add(self, scope: Scope, urls: Mapping[str, str]) -> None:
        """Insert addresses by their keys, as they are spelt first.

        Those that nobody could ask for are dropped, and those of a run that was removed.
        """
        kept = {key: url for key, url in urls.items() if url.isascii() or url.isprintable()}
        await self._fetch(
            """
            INSERT INTO listed_urls (tenant_id, run_id, url_hash, url)
                SELECT runs.tenant_id, runs.id, listed.url_hash, listed.url
                FROM runs, unnest(%(hashes)s::bytea[], %(urls)s::text[]) AS listed (url_hash, url)
                WHERE (runs.tenant_id, runs.id) = (%(tenant)s, %(run)s)
            ON CONFLICT DO NOTHING
            """,
            {
                "tenant": scope.tenant_id,
                "run": scope.run_id,
                "hashes": [_hash(key) for key in kept],
                "urls": [url.replace("\x00", "") for url in kept.values()],
            },
        )

    async def find(self, scope: Scope, key: str) -> str | None:
        """Return an address as it was listed in a run, by its key; None if it was not."""
        found = await self._fetch(
            "SELECT url FROM listed_urls WHERE"
            " (tenant_id, run_id, url_hash) = (%(tenant)s, %(run)s, %(hash)s)",
            {"tenant": scope.tenant_id, "run": scope.run_id, "hash": _hash(key)},
        )
        return str(found[0]) if found else None


def _hash(url: str) -> bytes:
    return hashlib.sha256(url.encode("utf-8", "replace")).digest()
