"""The startups a user told us about before."""

from typing import TYPE_CHECKING

from pydantic import Field
from temporalio import activity

from contracts.base import Contract
from contracts.models.call import Scope
from contracts.phases.recall import RecallOutput
from contracts.principal import Principal
from contracts.report.research import Startup

if TYPE_CHECKING:
    from store.startups import StartupRepository


class RecallRequest(Contract):
    """Whose startups to look up, and which one if it is known."""

    scope: Scope
    user_id: str
    startup_id: str | None = None
    limit: int = Field(default=5, ge=1)


class SaveRequest(Contract):
    """A startup to keep, and the call that asks for it."""

    scope: Scope
    startup: Startup


class StartupActivities:
    """Reads startups, notes that they were used, and keeps new ones."""

    def __init__(self, startups: "StartupRepository") -> None:
        self._startups = startups

    @activity.defn(name="startups.recall")
    async def recall(self, request: RecallRequest) -> RecallOutput:
        """Return the named startup, or the user's only one, touched; else all to choose from.

        Raises:
            NotFound: the named one is unknown or another user's.
        """
        who = Principal(tenant_id=request.scope.tenant_id, user_id=request.user_id)
        if request.startup_id is not None:
            return RecallOutput(startup=await self._startups.touch(who, request.startup_id))
        known = await self._startups.list(who, request.user_id)
        only = await self._startups.touch(who, known[0].id) if len(known) == 1 else None
        return RecallOutput(startup=only, startups=known[: request.limit])

    @activity.defn(name="startups.save")
    async def save(self, request: SaveRequest) -> Startup:
        """Keep a startup and return it; idempotent by its id.

        Raises:
            NotFound: the id is another user's.
        """
        startup = request.startup
        who = Principal(tenant_id=request.scope.tenant_id, user_id=startup.user_id)
        return await self._startups.save(who, startup)
