"""The parts of a run's archive that are not rows: the hash-chained event log and the call journal."""

from typing import Any, LiteralString

from contracts.access.principal import Principal
from contracts.archive import EventChain
from contracts.base import Json
from contracts.errors import NotFound
from contracts.notices import Notice
from store.access.row_visibility import VISIBLE_RUN, bind
from store.postgres.pool import Repository

_RUN: LiteralString = f"FROM runs r WHERE {VISIBLE_RUN}"
_EVENTS: LiteralString = f"""
    SELECT jsonb_build_array(seq, encode(hash, 'hex'), (body || jsonb_build_object('key', key))::text)
    FROM runs r JOIN events e ON (e.tenant_id, e.run_id) = (r.tenant_id, r.id)
    WHERE {VISIBLE_RUN} AND seq > %(after)s ORDER BY seq LIMIT %(limit)s"""
_CALLS: LiteralString = f"""
    SELECT to_jsonb(c) - '{{tenant_id,owner,batch}}'::text[]
    FROM runs r JOIN calls c ON (c.tenant_id, c.run_id) = (r.tenant_id, r.id)
    WHERE {VISIBLE_RUN} AND c.key > %(after)s ORDER BY c.key LIMIT %(limit)s"""


class ArchiveRepository(Repository):
    """Reads what an archive holds, page by page."""

    async def find_chain(self, principal: Principal, run_id: str) -> EventChain | None:
        """Return the length and last hash of a run's log, or None while it may still grow.

        Raises:
            NotFound: The run does not exist, or belongs to another tenant.
        """
        ends = "jsonb_build_array(closed, last_seq, encode(last_hash, 'hex'))"
        found: list[Any] = await self._fetch(f"SELECT {ends} {_RUN}", bind(principal, run_id))
        if not found:
            raise NotFound(Notice.of("run-unknown", run=run_id))
        [[is_closed, events, head]] = found
        return EventChain(events=events, head=head) if is_closed else None

    async def read_events(
        self, principal: Principal, run_id: str, after: int, limit: int
    ) -> list[tuple[int, str, str]]:
        """Return the events after a `seq`, each with its hash in hexadecimal and the text that the hash covers."""
        part = {"after": after, "limit": limit}
        found = await self._fetch(_EVENTS, bind(principal, run_id) | part)
        return [(seq, digest, text) for seq, digest, text in found]

    async def read_calls(
        self, principal: Principal, run_id: str, after: str, limit: int
    ) -> list[Json]:
        """Return up to `limit` calls with keys after `after`, ordered by key, with request, result and cost."""
        return await self._fetch(_CALLS, bind(principal, run_id) | {"after": after, "limit": limit})
