"""API keys of the gateway."""

import hashlib
import secrets
from typing import LiteralString

from contracts.access.principal import ApiKey, Principal
from contracts.errors import NotAllowed, NotFound
from contracts.notices import Notice
from store.access.row_visibility import bind, name_actor
from store.postgres.pool import Repository

MARK = "gl_"
PREFIX_CHARS = len(MARK) + 6
API_KEY = "to_jsonb(api_keys) - 'hash'"
LIVE: LiteralString = "revoked_at IS NULL AND coalesce(expires_at, 'infinity') > now()"


class KeyRepository(Repository):
    """Keeps keys as sha256 of their tokens: 256 random bits need no salt and no slow hash."""

    async def create(
        self,
        holder: Principal,
        *,
        run_id: str | None = None,
        days: int | None = None,
        maker: Principal | None = None,
    ) -> tuple[ApiKey, str]:
        """Create a key with the holder's user, role and scope. Return it with its token, which is not stored.

        With `run_id` the key is a share link: it opens only that run's report, is revoked together with
        the holder's own key, and expires no later than that key. `maker` is the caller to name in the
        audit log if it is not the holder.

        Raises:
            NotAllowed: The holder's own key has been revoked.
        """
        return await self._create(holder, "link" if run_id else "key", run_id, days, maker)

    async def create_session(self, key: ApiKey, days: int) -> str:
        """Create a browser's session of a key and return its token; forget sessions that are over."""
        await self._fetch(
            f"DELETE FROM api_keys WHERE tenant_id = %(tenant)s AND kind = 'session' AND NOT ({LIVE})",
            bind(key.principal),
        )
        _, token = await self._create(key.principal, "session", None, days)
        return token

    async def _create(
        self,
        holder: Principal,
        kind: str,
        run_id: str | None,
        days: int | None,
        maker: Principal | None = None,
    ) -> tuple[ApiKey, str]:
        token = MARK + secrets.token_urlsafe(32)
        made = await self._fetch(
            f"""
            INSERT INTO api_keys (tenant_id, id, user_id, role, prefix, hash, run_id, expires_at, kind,
                parent_id, scope)
            SELECT %(tenant)s, %(id)s, coalesce(%(user)s, 'local'), %(role)s, %(prefix)s, %(hash)s,
                %(run)s, least(now() + make_interval(days => %(days)s), (SELECT expires_at FROM api_keys
                    WHERE (tenant_id, id) = (%(tenant)s, %(parent)s))), %(kind)s, %(parent)s, %(scope)s
            WHERE %(parent)s::text IS NULL OR EXISTS (SELECT FROM api_keys
                WHERE (tenant_id, id) = (%(tenant)s, %(parent)s) AND {LIVE} FOR SHARE)
            RETURNING {API_KEY}
            """,
            bind(holder, run_id)
            | {"days": days, "kind": kind, "parent": holder.key_id}
            | {"id": f"key-{secrets.token_hex(4)}", "role": holder.role}
            | {"scope": holder.scope, "actor": name_actor(maker or holder)}
            | {"prefix": token[:PREFIX_CHARS], "hash": _hash(token)},
        )
        if not made:
            raise NotAllowed(Notice.of("maker-key-revoked"))
        return ApiKey.model_validate(made[0]), token

    async def revoke(self, principal: Principal, key_id: str) -> ApiKey:
        """Revoke a key for good, with all that was made by it, and return it."""
        found = await self._fetch(
            f"""
            WITH RECURSIVE tree AS (
                SELECT tenant_id, id FROM api_keys WHERE tenant_id = %(tenant)s AND id = %(id)s
                UNION SELECT k.tenant_id, k.id FROM api_keys k
                JOIN tree ON (k.tenant_id, k.parent_id) = (tree.tenant_id, tree.id)),
            revoked AS (UPDATE api_keys SET revoked_at = coalesce(revoked_at, now())
                WHERE (tenant_id, id) IN (SELECT tenant_id, id FROM tree) RETURNING *)
            SELECT {API_KEY} FROM revoked AS api_keys WHERE id = %(id)s
            """,
            bind(principal) | {"id": key_id},
        )
        if not found:
            raise NotFound(Notice.of("no-such-key", key=key_id))
        return ApiKey.model_validate(found[0])

    async def authenticate(
        self, token: str | None, *, by_cookie: bool = False
    ) -> tuple[ApiKey | None, bool]:
        """Return the live key for a token, if any, and whether the caller must present a live key.

        A live key is required once any key exists, and always for a caller whose token is expired or
        revoked. Session tokens are accepted only from a cookie, keys and share links only from elsewhere.

        Updates `last_used_at` at most once a minute.
        """
        [(key, keys_exist)] = await self._fetch(
            "SELECT find_key(%(hash)s, %(by_cookie)s)",
            {"hash": _hash(token or ""), "by_cookie": by_cookie},
        )
        return ApiKey.model_validate(key) if key else None, keys_exist

    async def find_holder(self, tenant_id: str, key_id: str | None) -> Principal | None:
        """Return the principal of a live key; without `key_id`, the principal of the whole tenant.

        Return None if the key is revoked or expired, or if `key_id` is None although keys exist.
        """
        if key_id is None:
            _, keys_exist = await self.authenticate(None)
            return None if keys_exist else Principal(tenant_id=tenant_id)
        found = await self._fetch(
            f"SELECT {API_KEY} FROM api_keys WHERE (tenant_id, id) = (%(tenant)s, %(id)s) AND {LIVE}",
            {"tenant": tenant_id, "id": key_id},
        )
        return ApiKey.model_validate(found[0]).principal if found else None

    async def end_session(self, token: str) -> None:
        """End a browser's session; idempotent."""
        await self._fetch("SELECT end_session(%(hash)s)", {"hash": _hash(token)})

    async def list_live(self, principal: Principal) -> list[ApiKey]:
        """Return the live keys of a user."""
        return [
            key
            for key in await self.list(principal)
            if key.user_id == principal.user_id and key.revoked_at is None
        ]

    async def list_links(self, principal: Principal) -> list[ApiKey]:
        """Return the share links of a user, of a tenant where no user is named: the oldest first."""
        found = await self._fetch(
            f"SELECT {API_KEY} FROM api_keys WHERE tenant_id = %(tenant)s AND kind = 'link'"
            " AND (%(user)s::text IS NULL OR user_id = %(user)s) ORDER BY created_at, id",
            bind(principal),
        )
        return [ApiKey.model_validate(row) for row in found]

    async def list(self, principal: Principal, run_id: str | None = None) -> list[ApiKey]:
        """Return a tenant's keys, or a run's share links: the oldest first, revoked ones too."""
        found = await self._fetch(
            f"SELECT {API_KEY} FROM api_keys WHERE tenant_id = %(tenant)s AND kind <> 'session'"
            " AND run_id IS NOT DISTINCT FROM %(run)s ORDER BY created_at, id",
            bind(principal, run_id),
        )
        return [ApiKey.model_validate(row) for row in found]


def _hash(token: str) -> bytes:
    return hashlib.sha256(token.encode()).digest()
