"""The `Idempotency-Key` of a start: the id of the run that it names, so that a repeated start is the same run."""

import uuid
from typing import Annotated

from fastapi import Depends, Header

from api.access.auth import Caller

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


async def create_run_id(caller: Caller, idempotency_key: IdempotencyKey = None) -> str:
    """Return a new run's id; the same tenant, user and key give the same one."""
    parts = (caller.tenant_id, caller.user_id, idempotency_key)
    named = "/".join(part for part in parts if part is not None)
    return f"run-{uuid.uuid5(NAMESPACE, named) if idempotency_key else uuid.uuid4()}"


NewRunId = Annotated[str, Depends(create_run_id)]
