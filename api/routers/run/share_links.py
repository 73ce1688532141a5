"""Share links, which open one run's report to whoever has the link."""

from typing import Annotated

from fastapi import Depends
from pydantic import Field

from api.access.auth import Caller
from api.dependencies import Deps
from api.errors import responses
from api.json_bodies import Router
from api.routers.access.sessions import limit_days
from api.runs.service import Run, RunService
from contracts.access.principal import ApiKey
from contracts.base import Contract, Page
from contracts.errors import NotAllowed, NotFound
from contracts.notices import Notice
from contracts.problems import Problem

router = Router(
    prefix="/v1/runs/{run_id}/share-links",
    tags=["share-links"],
    responses=responses(403, 404, 422, 503),
)


every = Router(prefix="/v1/share-links", tags=["share-links"], responses=responses(403, 503))


class Sharing(Contract):
    """A link's lifetime."""

    days: int | None = Field(
        default=None,
        ge=1,
        le=365,
        description="left out: until it is revoked, its key ends, or the run is removed; by a token 30 at most",
    )


class ShareLink(ApiKey):
    """A link with its path, which is shown only now."""

    path: str = Field(
        description="on this gateway; what opens the report stands behind `#`, which no browser sends"
    )


@every.get("")
async def list_own_share_links(caller: Caller, deps: Deps) -> Page[ApiKey]:
    """Return all share links of the caller, the oldest first, revoked and expired ones too."""
    return Page(items=await deps.keys.list_links(caller))


async def find_own_run(run: Run) -> RunService:
    """Return a run that belongs to the caller.

    Raises:
        NotAllowed: It belongs to another user.
    """
    if run.caller.user_id not in {None, run.row.user_id}:
        told = Notice.of("run-not-yours-to-share", run=run.id, user=run.row.user_id)
        raise NotAllowed(told)
    return run


OwnRun = Annotated[RunService, Depends(find_own_run)]


@router.get("")
async def list_share_links(run: OwnRun) -> Page[ApiKey]:
    """Return the run's links, the oldest first, revoked and expired ones too."""
    return Page(items=await run.deps.keys.list(run.caller, run.id))


@router.post("", status_code=201)
async def create_share_link(run: OwnRun, body: Sharing) -> ShareLink:
    """Create a link that opens the run's report and its quotes without a key, and nothing else.

    It is revoked, and expires, together with the key that made it.
    """
    days = limit_days(run.caller, body.days)
    link, token = await run.deps.keys.create(run.caller, run_id=run.id, days=days)
    return ShareLink(**dict(link), path=f"/shared/{run.id}#{token}")


@router.delete("/{link_id}", status_code=204)
async def revoke_share_link(run: OwnRun, link_id: str, deps: Deps, caller: Caller) -> None:
    """Revoke a link."""
    if link_id not in {link.id for link in await deps.keys.list(caller, run.id)}:
        raise NotFound(Problem.at("link_id", "link-unknown", link=link_id, run=run.id))
    await deps.keys.revoke(caller, link_id)
