"""API keys of the gateway."""

import hashlib
import secrets

from contracts.errors import NotFound
from contracts.principal import ApiKey, Principal
from store.postgres.pool import Repository, bind

MARK = "gl_"
PREFIX_CHARS = len(MARK) + 6
API_KEY = "to_jsonb(api_keys) - 'hash'"
LIVE = "revoked_at IS NULL AND coalesce(expires_at, 'infinity') > now()"


class KeyRepository(Repository):
    """Keeps keys as sha256 of their tokens: 256 random bits need no salt and no slow hash."""

    async def create(
        self, holder: Principal, *, run_id: str | None = None, days: int | None = None
    ) -> tuple[ApiKey, str]:
        """Create a key for the holder's user and role; return it with its token, shown only now.

        With `run_id` it is a share link, which opens that run's report and nothing else.
        """
        token = MARK + secrets.token_urlsafe(32)
        [made] = await self._fetch(
            f"""
            INSERT INTO api_keys (tenant_id, id, user_id, role, prefix, hash, run_id, expires_at)
            VALUES (%(tenant)s, %(id)s, coalesce(%(user)s, 'local'), %(role)s, %(prefix)s, %(hash)s,
                    %(run)s, now() + make_interval(days => %(days)s)) RETURNING {API_KEY}
            """,
            bind(holder, run_id)
            | {"days": days}
            | {"id": f"key-{secrets.token_hex(4)}", "role": holder.role}
            | {"prefix": token[:PREFIX_CHARS], "hash": _hash(token)},
        )
        return ApiKey.model_validate(made), token

    async def revoke(self, principal: Principal, key_id: str) -> ApiKey:
        """Revoke a key for good and return it."""
        found = await self._fetch(
            "UPDATE api_keys SET revoked_at = coalesce(revoked_at, now())"
            f" WHERE tenant_id = %(tenant)s AND id = %(id)s RETURNING {API_KEY}",
            bind(principal) | {"id": key_id},
        )
        if not found:
            raise NotFound(f"there is no key {key_id!r}")
        return ApiKey.model_validate(found[0])

    async def authenticate(self, token: str | None) -> tuple[ApiKey | None, bool]:
        """Return the live key of a token, if it has one, and whether a live key is required.

        That is from the first key on, and of who shows one that is no longer live.

        Updates `last_used_at` once a minute.
        """
        [(key, keys_exist)] = await self._fetch(
            f"""
            WITH used AS (UPDATE api_keys SET last_used_at = now()
                WHERE hash = %(hash)s AND {LIVE}
                AND coalesce(last_used_at, '-infinity') < now() - interval '1 minute')
            SELECT jsonb_build_array(
                (SELECT {API_KEY} FROM api_keys WHERE hash = %(hash)s AND {LIVE}),
                EXISTS (SELECT FROM api_keys WHERE run_id IS NULL OR hash = %(hash)s))
            """,
            {"hash": _hash(token or "")},
        )
        return ApiKey.model_validate(key) if key else None, keys_exist

    async def find_live(self, key_id: str) -> ApiKey | None:
        """Return a key by its id, unless it is revoked or a link."""
        query = f"SELECT {API_KEY} FROM api_keys WHERE id = %(id)s AND {LIVE} AND run_id IS NULL"
        found = await self._fetch(query, {"id": key_id})
        return ApiKey.model_validate(found[0]) if found else None

    async def list_live(self, principal: Principal) -> list[ApiKey]:
        """Return the live keys of a user."""
        return [
            key
            for key in await self.list(principal)
            if key.user_id == principal.user_id and key.revoked_at is None
        ]

    async def list(self, principal: Principal, run_id: str | None = None) -> list[ApiKey]:
        """Return a tenant's keys, or a run's share links: the oldest first, revoked ones too."""
        found = await self._fetch(
            f"SELECT {API_KEY} FROM api_keys WHERE tenant_id = %(tenant)s"
            " AND run_id IS NOT DISTINCT FROM %(run)s ORDER BY created_at, id",
            bind(principal, run_id),
        )
        return [ApiKey.model_validate(row) for row in found]


def _hash(token: str) -> bytes:
    return hashlib.sha256(token.encode()).digest()
