"""Startup companies of users."""

from typing import LiteralString

from contracts.access.principal import Principal
from contracts.errors import NotFound
from contracts.notices import Notice
from contracts.planning.startup_company import Startup
from store.access.row_visibility import VISIBLE, bind
from store.postgres.encoding import encode
from store.postgres.pool import Repository

STARTUP = "body || jsonb_build_object('created_at', created_at, 'last_accessed', last_accessed)"


class StartupRepository(Repository):
    """Keeps the startups of each user; sets when they were created and last accessed."""

    async def list(self, principal: Principal, user_id: str) -> list[Startup]:
        """Return a user's startups, the last accessed first."""
        found = await self._fetch(
            f"SELECT {STARTUP} FROM startups r WHERE {VISIBLE} AND user_id = %(user_id)s"
            " ORDER BY last_accessed DESC, id",
            bind(principal) | {"user_id": user_id},
        )
        return [Startup.model_validate(row) for row in found]

    async def get(self, principal: Principal, startup_id: str) -> Startup:
        """Return a startup."""
        query: LiteralString = f"SELECT {STARTUP} FROM startups r WHERE {VISIBLE} AND id = %(id)s"
        return await self._fetch_one(query, principal, startup_id)

    async def save(self, principal: Principal, startup: Startup) -> Startup:
        """Upsert a startup and return it, accessed now."""
        query: LiteralString = f"""
            INSERT INTO startups AS r (tenant_id, id, user_id, body)
            VALUES (%(tenant)s, %(id)s, %(owner)s, %(body)s)
            ON CONFLICT (tenant_id, id) DO UPDATE SET body = excluded.body, last_accessed = now()
            WHERE r.user_id = excluded.user_id
            RETURNING {STARTUP}"""
        values = {"owner": startup.user_id, "body": encode(startup)}
        return await self._fetch_one(query, principal, startup.id, **values)

    async def touch(self, principal: Principal, startup_id: str) -> Startup:
        """Set a startup's last access to now, and return it."""
        query: LiteralString = (
            f"UPDATE startups r SET last_accessed = now() WHERE {VISIBLE} AND id = %(id)s"
            f" RETURNING {STARTUP}"
        )
        return await self._fetch_one(query, principal, startup_id)

    async def delete(self, principal: Principal, startup_id: str) -> None:
        """Delete a startup; runs about it keep what they read of it."""
        query: LiteralString = (
            f"DELETE FROM startups r WHERE {VISIBLE} AND id = %(id)s RETURNING {STARTUP}"
        )
        await self._fetch_one(query, principal, startup_id)

    async def _fetch_one(
        self, query: LiteralString, principal: Principal, startup_id: str, **values: str
    ) -> Startup:
        found = await self._fetch(query, bind(principal) | {"id": startup_id} | values)
        if not found:
            raise NotFound(Notice.of("startup-unknown", startup=startup_id))
        return Startup.model_validate(found[0])
