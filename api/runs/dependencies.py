"""Dependencies of the routes of a run: the run itself, a new run's id, how long to wait."""

import uuid
from typing import Annotated

from fastapi import Depends, Header, Query

from api.auth import Caller
from api.dependencies import Deps, RunId
from api.runs.service import RunService

NAMESPACE = uuid.UUID("5c0c4c5e-43a1-4d0e-9f0e-6a8f3c2d9b71")
"""Under which a tenant's Idempotency-Key becomes a run's id."""

IdempotencyKey = Annotated[
    str | None,
    Header(
        min_length=1,
        max_length=200,
        description="the same key and body start the same run, once; another body is a 409",
    ),
]

Wait = Annotated[
    float, Query(ge=0, le=60, description="seconds to wait for the next checkpoint or the end")
]


async def get_run(deps: Deps, caller: Caller, run_id: RunId) -> RunService:
    """Return a run of the caller's tenant."""
    return await RunService.find(deps, caller, run_id)


async def get_other_run(deps: Deps, caller: Caller, other_id: RunId) -> RunService:
    """Return the run that a run is compared with."""
    return await RunService.find(deps, caller, other_id)


async def create_run_id(caller: Caller, idempotency_key: IdempotencyKey = None) -> str:
    """Return a new run's id; the same tenant, user and key give the same one."""
    parts = (caller.tenant_id, caller.user_id, idempotency_key)
    named = "/".join(part for part in parts if part is not None)
    return f"run-{uuid.uuid5(NAMESPACE, named) if idempotency_key else uuid.uuid4()}"


Run = Annotated[RunService, Depends(get_run)]
OtherRun = Annotated[RunService, Depends(get_other_run)]
NewRunId = Annotated[str, Depends(create_run_id)]
