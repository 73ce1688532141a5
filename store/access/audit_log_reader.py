"""The audit log, which triggers write (`postgres/migrations/0009_audit_log.sql`): read, verified, and its ends logged."""

import logging

from contracts.access.audit import AuditCheck, AuditEntry, AuditPage
from contracts.access.principal import Principal
from store.access.row_visibility import bind
from store.postgres.pool import Pool, Repository

logger = logging.getLogger("greenlight.audit")


class AuditRepository(Repository):
    """Reads a tenant's audit log."""

    def __init__(self, pool: Pool) -> None:
        super().__init__(pool)
        self._logged: dict[str, int] = {}

    async def note_pause(self, principal: Principal, schedule_id: str, *, paused: bool) -> None:
        """Log that a schedule was paused or resumed: Temporal keeps this, so no trigger on a table sees it."""
        await self._fetch(
            "SELECT note_pause(%(schedule)s, %(paused)s)",
            bind(principal) | {"schedule": schedule_id, "paused": paused},
        )

    async def list(self, principal: Principal, after: int, limit: int) -> AuditPage:
        """Return the entries after a `seq`, the oldest first."""
        found = await self._fetch(
            """
            SELECT to_jsonb(a) - 'tenant_id' || jsonb_build_object('hash', encode(hash, 'hex'))
            FROM audit_log a WHERE tenant_id = %(tenant)s AND seq > %(after)s
            ORDER BY seq LIMIT %(limit)s
            """,
            bind(principal) | {"after": after, "limit": limit},
        )
        heads = await self._fetch(
            "SELECT jsonb_build_array(seq, encode(hash, 'hex')) FROM audit_heads"
            " WHERE tenant_id = %(tenant)s",
            bind(principal),
        )
        [last_seq, head] = heads[0] if heads else (0, "")
        items = [AuditEntry.model_validate(row) for row in found]
        return AuditPage(items=items, last_seq=last_seq, head=head)

    async def verify(self, principal: Principal, expected: str = "") -> AuditCheck:
        """Compare the whole log with its hashes; `expected` is one that has to be in it."""
        [found] = await self._fetch(
            "SELECT verify_audit(%(tenant)s, %(expected)s)",
            bind(principal) | {"expected": expected},
        )
        return AuditCheck.model_validate(found)

    async def log_heads(self) -> None:
        """Write the last hash of each audit log that has grown to the process's log, which a forger of the database cannot change."""
        for tenant, seq, digest in await self._fetch("SELECT sweep_audit_heads()"):
            if self._logged.get(tenant) != seq:
                self._logged[tenant] = seq
                logger.info("audit log of %s ends at %d, %s", tenant, seq, digest)
