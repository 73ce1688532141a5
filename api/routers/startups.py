"""The startups a user told us about."""

import uuid
from typing import Annotated

from fastapi import APIRouter, Path, Query

from api.dependencies import Caller, Deps
from api.errors import responses
from api.views import Page
from contracts.base import Name
from contracts.research import Startup, StartupBody

UserId = Annotated[Name, Query()]
StartupId = Annotated[Name, Path()]

router = APIRouter(prefix="/v1/startups", tags=["startups"], responses=responses(422, 503))


@router.get("")
async def list_startups(deps: Deps, caller: Caller, user_id: UserId = "local") -> Page[Startup]:
    """Return a user's startups, the one used last first."""
    return Page(items=await deps.startups.list(caller, user_id))


@router.post("", status_code=201)
async def create_startup(body: StartupBody, deps: Deps, caller: Caller) -> Startup:
    """Keep a new startup."""
    startup = Startup(id=f"startup-{uuid.uuid4()}", **dict(body))
    return await deps.startups.save(caller, startup)


@router.get("/{startup_id}", responses=responses(404))
async def get_startup(startup_id: StartupId, deps: Deps, caller: Caller) -> Startup:
    """Return a startup."""
    return await deps.startups.get(caller, startup_id)


@router.put("/{startup_id}", responses=responses(404))
async def replace_startup(
    startup_id: StartupId, body: StartupBody, deps: Deps, caller: Caller
) -> Startup:
    """Change a startup."""
    await deps.startups.get(caller, startup_id)
    return await deps.startups.save(caller, Startup(id=startup_id, **dict(body)))


@router.delete("/{startup_id}", status_code=204, responses=responses(404))
async def delete_startup(startup_id: StartupId, deps: Deps, caller: Caller) -> None:
    """Forget a startup."""
    await deps.startups.delete(caller, startup_id)
