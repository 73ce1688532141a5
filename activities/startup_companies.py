"""Activities on the startups a user has described."""

from typing import TYPE_CHECKING

from pydantic import Field
from temporalio import activity

from contracts.access.principal import Principal
from contracts.base import Contract
from contracts.models.call import Scope
from contracts.phases.recall import RecallOutput
from contracts.planning.startup_company import Startup
from domain.text_matching.question_match import may_be_about

if TYPE_CHECKING:
    from store.reuse.startup_companies import StartupRepository


class RecallRequest(Contract):
    """Asks for a user's startups, or for one of them."""

    scope: Scope
    user_id: str
    startup_id: str | None = None
    about: str = Field(default="", description="question that an offered one must suit, if any")
    limit: int = Field(default=5, ge=1)


class SaveRequest(Contract):
    """Asks for a startup to be saved."""

    scope: Scope
    startup: Startup


class StartupActivities:
    """Reads startups, marks them as used, and saves new ones."""

    def __init__(self, startups: "StartupRepository") -> None:
        self._startups = startups

    @activity.defn(name="startups.recall")
    async def recall(self, request: RecallRequest) -> RecallOutput:
        """Return the requested startup, marked as used, or those to choose from.

        Raises:
            NotFound: It does not exist or belongs to another user.
        """
        who = Principal(tenant_id=request.scope.tenant_id, user_id=request.user_id)
        if request.startup_id is not None:
            return RecallOutput(startup=await self._startups.touch(who, request.startup_id))
        known = await self._startups.list(who, request.user_id)
        if request.about:
            known = [s for s in known if may_be_about(request.about, s.name, s.subjects)]
        return RecallOutput(startups=known[: request.limit])

    @activity.defn(name="startups.save")
    async def save(self, request: SaveRequest) -> Startup:
        """Save a startup and return it; idempotent by its id.

        Raises:
            NotFound: The id belongs to another user.
        """
        startup = request.startup
        who = Principal(tenant_id=request.scope.tenant_id, user_id=startup.user_id)
        return await self._startups.save(who, startup)
