"""The URLs listed by a run's searches and pages; its agents may fetch only these."""

import hashlib
from collections.abc import Mapping

from contracts.models.call import Scope
from store.postgres.pool import Repository


class ListedUrlRepository(Repository):
    """Keeps listed addresses by their hash, once for each run."""

    async def add(
        self, scope: Scope, urls: Mapping[str, str], by: tuple[str, str] | None = None
    ) -> dict[str, bool]:
        """Insert URLs by their normalized keys, keeping the first spelling; `by` names the conversation and the search.

        URLs with unprintable characters are dropped, as are those of a removed run.

        Returns:
            The keys that another search of the run listed first; True if that search was in the same
            conversation. A retry of the same search gets the same answer.
        """
        conversation, search = map(_hash, by) if by else (None, None)
        kept = {key: url for key, url in urls.items() if url.isascii() or url.isprintable()}
        hashes = {_hash(key): key for key in sorted(kept)}
        about = {
            "tenant": scope.tenant_id,
            "run": scope.run_id,
            "hashes": list(hashes),
            "conversation": conversation,
            "search": search,
        }
        await self._fetch(
            """
            INSERT INTO listed_urls AS listed
                (tenant_id, run_id, url_hash, url, conversation, search)
                SELECT runs.tenant_id, runs.id, given.url_hash, given.url,
                    %(conversation)s::bytea, %(search)s::bytea
                FROM runs, unnest(%(hashes)s::bytea[], %(urls)s::text[]) AS given (url_hash, url)
                WHERE (runs.tenant_id, runs.id) = (%(tenant)s, %(run)s)
            ON CONFLICT (tenant_id, run_id, url_hash) DO UPDATE
                SET conversation = excluded.conversation, search = excluded.search
                WHERE listed.search IS NULL AND excluded.search IS NOT NULL
            """,
            about | {"urls": [kept[key].replace("\x00", "") for key in hashes.values()]},
        )
        if by is None:
            return {}
        known = await self._fetch(
            "SELECT jsonb_build_array(encode(url_hash, 'hex'), conversation = %(conversation)s)"
            " FROM listed_urls"
            " WHERE (tenant_id, run_id) = (%(tenant)s, %(run)s) AND url_hash = ANY(%(hashes)s)"
            " AND (conversation, search) <> (%(conversation)s, %(search)s)",
            about,
        )
        return {hashes[bytes.fromhex(digest)]: is_own for digest, is_own in known}

    async def find(self, scope: Scope, key: str) -> str | None:
        """Return a URL as it was first listed in the run, by its key, or None."""
        found = await self._fetch(
            "SELECT url FROM listed_urls WHERE"
            " (tenant_id, run_id, url_hash) = (%(tenant)s, %(run)s, %(hash)s)",
            {"tenant": scope.tenant_id, "run": scope.run_id, "hash": _hash(key)},
        )
        return str(found[0]) if found else None


def _hash(url: str) -> bytes:
    return hashlib.sha256(url.encode("utf-8", "replace")).digest()
