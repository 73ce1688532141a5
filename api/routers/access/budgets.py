"""Budgets: spending limits of a tenant, its users and its keys, per UTC day and calendar month."""

from typing import Annotated

from fastapi import Depends, Query

from api.access.auth import Caller
from api.dependencies import Deps
from api.errors import responses
from api.json_bodies import Router
from contracts.access.budgets import Budget, BudgetBody, HolderKind
from contracts.access.principal import Principal
from contracts.base import Name, Page, RunId
from contracts.errors import InvalidInput, NotAllowed
from contracts.notices import Notice
from contracts.problems import Problem

router = Router(prefix="/v1/budgets", tags=["budgets"], responses=responses(403, 404, 422, 503))

Holder = Annotated[
    Name | None, Query(description="a user's name or a key's id; left out of `tenant`")
]


OfRun = Annotated[RunId | None, Query(description="only the budgets that pay for this run")]


async def require_setter(caller: Caller) -> Principal:
    """Return a caller who may set budgets.

    Raises:
        NotAllowed: The key's scope is not `budgets`.
    """
    if not caller.may_set_budgets:
        raise NotAllowed(Notice.of("key-sets-no-budgets"))
    return caller


Setter = Annotated[Principal, Depends(require_setter)]


@router.get("")
async def list_budgets(caller: Caller, deps: Deps, run_id: OfRun = None) -> Page[Budget]:
    """Return the budgets that pay for the caller's runs, or all of the tenant's if the caller may set them."""
    if run_id:
        row = await deps.runs.get(caller.reader, run_id)
        key_id = row.request.get("key_id")
        payer = Principal(
            tenant_id=caller.tenant_id, user_id=row.user_id, key_id=str(key_id) if key_id else None
        )
        return Page(items=await deps.budgets.list_own(payer))
    every = caller.may_set_budgets
    found = deps.budgets.list_all(caller) if every else deps.budgets.list_own(caller)
    return Page(items=await found)


@router.put("/{holder_kind}")
async def set_budget(
    holder_kind: HolderKind, body: BudgetBody, caller: Setter, deps: Deps, holder: Holder = None
) -> Budget:
    """Set or replace a budget; it applies from the next call on."""
    return await deps.budgets.put(caller, holder_kind, _require_holder(holder_kind, holder), body)


@router.delete("/{holder_kind}", status_code=204)
async def delete_budget(
    holder_kind: HolderKind, caller: Setter, deps: Deps, holder: Holder = None
) -> None:
    """Delete a budget, and with it its limits."""
    await deps.budgets.delete(caller, holder_kind, _require_holder(holder_kind, holder))


def _require_holder(kind: HolderKind, holder: str | None) -> str:
    if (holder is None) != (kind == "tenant"):
        raise InvalidInput(Problem.at("holder", "budget-holder"))
    return holder or ""
