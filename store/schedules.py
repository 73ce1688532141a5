"""Schedules by their owners."""

import builtins
from typing import LiteralString

from contracts.access.principal import Principal
from contracts.errors import Conflict, NotFound
from contracts.notices import Notice
from contracts.problems import Problem
from contracts.runs.schedules import KeptSchedule
from store.access.access_keys import LIVE
from store.access.row_visibility import VISIBLE, bind
from store.postgres.encoding import encode
from store.postgres.pool import Repository

MAX_SCHEDULES = 20
"""Per user."""
TRIGGER_PAUSE_SECONDS = 2
"""Temporal names a schedule's run by the second: of two that start within one, the second one would not start."""
SCHEDULE: LiteralString = "body || jsonb_build_object('created_at', created_at)"


class ScheduleRepository(Repository):
    """Stores schedules: their owner, their key, and what they repeat."""

    async def create(self, principal: Principal, kept: KeptSchedule) -> None:
        """Insert a schedule.

        Raises:
            Conflict: The user already has `MAX_SCHEDULES` schedules.
        """
        found = await self._fetch(
            """
            INSERT INTO schedules (tenant_id, id, user_id, key_id, body)
            SELECT %(tenant)s, %(id)s, %(owner)s, %(key)s, %(body)s
            WHERE (SELECT count(*) FROM schedules WHERE (tenant_id, user_id) = (%(tenant)s, %(owner)s))
                < %(most)s
            RETURNING true
            """,
            bind(principal)
            | {"id": kept.id, "owner": kept.user_id, "body": encode(kept), "most": MAX_SCHEDULES}
            | {"key": principal.key_id},
        )
        if not found:
            raise Conflict(Notice.of("schedules-many", most=MAX_SCHEDULES))

    async def list(self, principal: Principal) -> builtins.list[KeptSchedule]:
        """Return a user's schedules, the oldest first."""
        found = await self._fetch(
            f"SELECT {SCHEDULE} FROM schedules r WHERE {VISIBLE} ORDER BY created_at, id",
            bind(principal),
        )
        return [KeptSchedule.model_validate(row) for row in found]

    async def get(self, principal: Principal, schedule_id: str) -> KeptSchedule:
        """Return a schedule."""
        query: LiteralString = f"SELECT {SCHEDULE} FROM schedules r WHERE {VISIBLE} AND id = %(id)s"
        return await self._fetch_one(query, principal, schedule_id)

    async def list_without_key(
        self, principal: Principal, schedule_id: str | None = None
    ) -> builtins.list[KeptSchedule]:
        """Return the schedules that start no runs because their key is revoked or expired.

        With `schedule_id`, look only at that schedule.
        """
        found = await self._fetch(
            f"""
            SELECT {SCHEDULE} FROM schedules r WHERE {VISIBLE} AND id = coalesce(%(id)s, id)
                AND key_id IS NOT NULL AND NOT EXISTS (SELECT FROM api_keys k
                    WHERE (k.tenant_id, k.id) = (r.tenant_id, r.key_id) AND {LIVE})
            """,
            bind(principal) | {"id": schedule_id},
        )
        return [KeptSchedule.model_validate(row) for row in found]

    async def list_keys(self, tenant_id: str, schedule_id: str) -> builtins.list[str | None]:
        """Return the id of the key that pays for a schedule's runs.

        The list holds None if the schedule was made without a key, and is empty if the schedule was
        deleted.
        """
        return await self._fetch(
            "SELECT key_id FROM schedules WHERE (tenant_id, id) = (%(tenant)s, %(id)s)",
            {"tenant": tenant_id, "id": schedule_id},
        )

    async def take_over(self, principal: Principal, schedule_id: str) -> None:
        """Bind a schedule to the key of its user that resumes it."""
        await self._fetch(
            f"UPDATE schedules r SET key_id = %(key)s WHERE {VISIBLE} AND id = %(id)s RETURNING true",
            bind(principal) | {"id": schedule_id, "key": principal.key_id},
        )

    async def mark_triggered(self, principal: Principal, schedule_id: str) -> bool:
        """Note that a run is started at once. Return False if one was within `TRIGGER_PAUSE_SECONDS`."""
        found = await self._fetch(
            f"""
            UPDATE schedules r SET triggered_at = now()
            WHERE {VISIBLE} AND id = %(id)s
                AND coalesce(triggered_at, '-infinity') < now() - make_interval(secs => %(pause)s)
            RETURNING true
            """,
            bind(principal) | {"id": schedule_id, "pause": TRIGGER_PAUSE_SECONDS},
        )
        return bool(found)

    async def delete(self, principal: Principal, schedule_id: str) -> None:
        """Delete a schedule; its runs stay."""
        query: LiteralString = (
            f"DELETE FROM schedules r WHERE {VISIBLE} AND id = %(id)s RETURNING {SCHEDULE}"
        )
        await self._fetch_one(query, principal, schedule_id)

    async def _fetch_one(
        self, query: LiteralString, principal: Principal, schedule_id: str
    ) -> KeptSchedule:
        found = await self._fetch(query, bind(principal) | {"id": schedule_id})
        if not found:
            raise NotFound(Problem.at("schedule_id", "schedule-unknown", schedule=schedule_id))
        return KeptSchedule.model_validate(found[0])
