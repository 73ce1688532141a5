"""The audit log of decisions in a tenant."""

from typing import Annotated

from fastapi import Query

from api.access.auth import Caller
from api.dependencies import Deps
from api.errors import responses
from api.json_bodies import Router
from contracts.access.audit import AuditPage
from contracts.errors import NotAllowed
from contracts.notices import Notice

router = Router(prefix="/v1/audit", tags=["audit"], responses=responses(403, 422, 503))


@router.get("")
async def list_audit_log(
    caller: Caller,
    deps: Deps,
    after: Annotated[int, Query(ge=0, description="entries after this number")] = 0,
    limit: Annotated[int, Query(ge=1, le=1000)] = 100,
) -> AuditPage:
    """Return who decided what in the caller's tenant, the oldest first, with the end of the chain.

    Raises:
        NotAllowed: The caller's scope is not `admin`.
    """
    if not caller.may_read_audit:
        raise NotAllowed(Notice.of("key-reads-no-audit"))
    return await deps.audit.list(caller, after, limit)
