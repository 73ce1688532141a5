"""Startup companies of a user."""

import uuid
from typing import Annotated

from fastapi import Path, Query

from api.access.auth import DEFAULT_USER, Caller, resolve_owner
from api.dependencies import Deps
from api.errors import responses
from api.json_bodies import Router
from contracts.access.principal import Principal
from contracts.base import Name, Page
from contracts.planning.startup_company import Startup, StartupBody

UserId = Annotated[
    Name | None, Query(description="left out: the key's user; without keys, `local`")
]
StartupId = Annotated[Name, Path()]

router = Router(prefix="/v1/startups", tags=["startups"], responses=responses(422, 503))


def _make_startup(startup_id: str, body: StartupBody, caller: Principal) -> Startup:
    return Startup(**{**dict(body), "id": startup_id, "user_id": resolve_owner(caller, body)})


@router.get("")
async def list_startups(deps: Deps, caller: Caller, user_id: UserId = None) -> Page[Startup]:
    """List a user's startups, the most recently used first."""
    return Page(items=await deps.startups.list(caller, user_id or caller.user_id or DEFAULT_USER))


@router.post("", status_code=201, responses=responses(403))
async def create_startup(body: StartupBody, deps: Deps, caller: Caller) -> Startup:
    """Create a startup."""
    startup = _make_startup(f"startup-{uuid.uuid4()}", body, caller)
    return await deps.startups.save(caller, startup)


@router.get("/{startup_id}", responses=responses(404))
async def get_startup(startup_id: StartupId, deps: Deps, caller: Caller) -> Startup:
    """Return a startup."""
    return await deps.startups.get(caller, startup_id)


@router.put("/{startup_id}", responses=responses(403, 404))
async def replace_startup(
    startup_id: StartupId, body: StartupBody, deps: Deps, caller: Caller
) -> Startup:
    """Replace a startup."""
    await deps.startups.get(caller, startup_id)
    return await deps.startups.save(caller, _make_startup(startup_id, body, caller))


@router.delete("/{startup_id}", status_code=204, responses=responses(404))
async def delete_startup(startup_id: StartupId, deps: Deps, caller: Caller) -> None:
    """Delete a startup."""
    await deps.startups.delete(caller, startup_id)
