"""Starting a run: resolved, validated and frozen before anything exists."""

import uuid
from contextlib import suppress
from datetime import UTC, datetime
from typing import Annotated

from fastapi import Depends, Header

from api.auth import Caller, resolve_owner
from api.dependencies import Dependencies
from api.responses import RunStarted
from api.runs.service import links
from contracts.errors import Conflict, NotFound, StoreUnavailable
from contracts.principal import Principal
from contracts.runs.request import RunRequest
from contracts.runs.start import OpenRequest, RunInput
from store.runs import RunRow

NAMESPACE = uuid.UUID("5c0c4c5e-43a1-4d0e-9f0e-6a8f3c2d9b71")
"""Under which a tenant's Idempotency-Key becomes a run's id."""


IdempotencyKey = Annotated[
    str | None,
    Header(min_length=1, max_length=200, description="the same key starts the same run, once"),
]


async def new_run_id(caller: Caller, idempotency_key: IdempotencyKey = None) -> str:
    """Return a new run's id; the same tenant, user and key give the same one."""
    parts = (caller.tenant_id, caller.user_id, idempotency_key)
    named = "/".join(part for part in parts if part is not None)
    return f"run-{uuid.uuid5(NAMESPACE, named) if idempotency_key else uuid.uuid4()}"


NewRunId = Annotated[str, Depends(new_run_id)]


async def find(deps: Dependencies, caller: Principal, run: str) -> RunRow | None:
    """Return a run that was started before, if it was."""
    with suppress(NotFound):
        return await deps.runs.get(caller, run)
    return None


async def start_once(
    deps: Dependencies, caller: Principal, run: str, definition_id: str, request: RunRequest
) -> RunStarted:
    """Start a run, unless one of this id was started before; raises as `start`."""
    earlier = await find(deps, caller, run)
    if earlier is None:
        await start(deps, caller, run, definition_id, request)
    return RunStarted(run_id=run, status=earlier.status if earlier else "running", links=links(run))


async def start(
    deps: Dependencies, caller: Principal, run: str, definition_id: str, request: RunRequest
) -> None:
    """Start a run that holds together; Temporal first, so that no row pretends to run.

    Raises:
        NotFound: no such definition or parent run.
        InvalidDefinition, Conflict: the request and the definition do not fit; or a run of this id
            was removed.
        EngineUnavailable, StoreUnavailable: nothing was started, or the same id finds it running.
    """
    if await deps.remover.removals.has(caller.tenant_id, run):
        raise Conflict("the run of this Idempotency-Key was removed: take another key")
    theirs = {"user_id": resolve_owner(caller, request), "tenant_id": caller.tenant_id}
    given = RunInput(**dict(request) | theirs, definition_id=definition_id)
    opened = await deps.resolver.resolve(given)
    chosen = opened.resolved.definition
    given = given.model_copy(update={"definition_id": chosen.id, "version": chosen.version})
    await deps.engine.start(run, given)
    with suppress(StoreUnavailable):  # the run's first activity resolves and records it itself
        now = datetime.now(UTC).isoformat()
        await deps.runs.create(OpenRequest(run_id=run, input=given, started_at=now), opened)
