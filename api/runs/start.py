"""Start of a run: resolved to refuse what would fail, then handed to Temporal."""

from contextlib import suppress
from datetime import UTC, date, datetime
from functools import partial
from typing import Any

from pydantic import Field

from api.access.auth import resolve_owner
from api.dependencies import Dependencies
from api.errors import TooManyRequests
from contracts.access.principal import Principal
from contracts.base import Contract
from contracts.definitions import DEFAULT
from contracts.errors import Conflict, NotAllowed, NotFound, StoreUnavailable
from contracts.notices import Notice
from contracts.planning.cost_estimate import CostEstimate
from contracts.planning.depth import DepthPrice
from contracts.planning.plan import Plan
from contracts.problems import Problem
from contracts.runs.request import RunRequest
from contracts.runs.start import OpenRequest, RunInput
from contracts.runs.state_view import StateView
from domain.run_outputs import find_output_as
from store.run_records.runs import RunRow
from temporal.telemetry.traces import note_run
from workflows.checkpoints.approval_gate import is_unlocked
from workflows.checkpoints.prices.plan_price import price_run
from workflows.checkpoints.prices.start_price import price_start
from workflows.interpreter.initial_state import build_initial_state


class RunStarted(Contract):
    """A run that was started."""

    run_id: str
    status: str
    links: dict[str, str]
    model: str = Field(default="", description="whose prices count; empty: it was started before")
    price: CostEstimate | None = Field(
        default=None, description="what it is expected to cost and may cost; its plan says it anew"
    )
    state: StateView | None = Field(
        default=None,
        description="the state that it begins with; null: no worker answered within 2 s, or it was started before",
    )


class RunEstimate(Contract):
    """The price and settings of a start before it is made."""

    model: str = Field(description="whose prices count")
    offline: bool = Field(description="no provider is called and nothing is billed")
    cap_usd: float = Field(description="no call is made that would pass it")
    price: CostEstimate
    depths: list[DepthPrice] = Field(
        default=[], description="at each depth; empty: the depth changes nothing of it"
    )


def run_links(run_id: str) -> dict[str, str]:
    """Return the paths of a run."""
    parts = ("state", "stream", "events", "phases", "report", "sources")
    return {"self": f"/v1/runs/{run_id}"} | {p: f"/v1/runs/{run_id}/{p}" for p in parts}


async def start_run(
    deps: Dependencies, caller: Principal, run_id: str, definition_id: str, request: RunRequest
) -> RunStarted:
    """Start a run, unless the same Idempotency-Key and body have started it before.

    Raises:
        NotFound: The definition, parent run or startup does not exist.
        TooManyRequests: The tenant has too many active runs, a budget is used up, or its starts come too fast.
        NotAllowed: The API key may not decide, and the run would search without asking.
        InvalidInput: The start is invalid; all problems are listed with their paths.
        Conflict: A selected phase lacks what it needs; or the run of this Idempotency-Key was removed, or started
            with another body.
        EngineUnavailable, StoreUnavailable: The start may or may not have happened; retry it with the same
            Idempotency-Key.
    """
    note_run(run_id)
    start = _build_input(caller, definition_id, request)
    row = await _find_row(deps, caller, run_id)
    named: dict[str, Any] = {}
    if row:
        first = RunInput.read_record(row.request)
    else:
        first, named = await _start(deps, caller, run_id, start)
    same_body = all(getattr(start, n) == getattr(first, n) for n in RunRequest.model_fields)
    # `default` may have changed since.
    if not same_body or start.definition_id not in {DEFAULT, first.definition_id}:
        raise Conflict(Problem.at("Idempotency-Key", "idempotency-other-body", run=run_id))
    status = row.status if row else "running"
    return RunStarted(run_id=run_id, status=status, links=run_links(run_id), **named)


async def estimate_run(
    deps: Dependencies, caller: Principal, definition_id: str, request: RunRequest
) -> RunEstimate:
    """Return what a start would cost; it is refused like a start, and calls nothing."""
    opened = await deps.resolver.resolve(start := _build_input(caller, definition_id, request))
    return RunEstimate(
        **opened.terms.model_dump(include={"model", "offline", "cap_usd"}),
        depths=price_start(opened),
        price=price_run(build_initial_state(_open_now("run-estimate", start), opened)),
    )


def _build_input(caller: Principal, definition_id: str, request: RunRequest) -> RunInput:
    owner: dict[str, Any] = {"user_id": resolve_owner(caller, request)}
    owner |= {"tenant_id": caller.tenant_id, "key_id": caller.key_id}
    return RunInput(**dict(request) | owner, definition_id=definition_id)


def _open_now(run_id: str, start: RunInput) -> OpenRequest:
    now = datetime.now(UTC).isoformat()
    return OpenRequest(run_id=run_id, input=start, started_at=now)


async def _find_row(deps: Dependencies, caller: Principal, run_id: str) -> RunRow | None:
    """Return the row of a run that was started before; None before its start is recorded."""
    with suppress(NotFound):
        row = await deps.runs.get(caller, run_id)
        return row if row.request else None
    return None


async def check_active_runs(deps: Dependencies, tenant_id: str, run_id: str = "") -> None:
    """Raise TooManyRequests if a tenant has too many active runs, not counting `run_id`."""
    starting = deps.limits.starts.list(tenant_id) - {run_id}
    active, waiting = await deps.runs.count_active(tenant_id, starting)
    active += len(starting)
    if active >= deps.limits.runs_per_tenant:
        counts = {"n": active, "most": deps.limits.runs_per_tenant, "waiting": waiting}
        raise TooManyRequests(Notice.of("runs-many", **counts))


async def check_budgets(deps: Dependencies, who: Principal) -> None:
    """Raise TooManyRequests if a budget that would pay for a user's run by their key is used up."""
    used_up = [budget for budget in await deps.budgets.list_own(who) if budget.opens_on]
    if used_up:
        last = max(used_up, key=lambda budget: budget.opens_on or date.min)
        raise TooManyRequests(last.notice, retry_after=last.count_seconds(datetime.now(UTC)))


async def _start(
    deps: Dependencies, caller: Principal, run_id: str, start: RunInput
) -> tuple[RunInput, dict[str, Any]]:
    """Start a run, and return its input, model and price; Temporal first, so that no row pretends to run."""
    if await deps.remover.removals.is_removed(start.tenant_id, run_id):
        raise Conflict(Notice.of("idempotency-removed"))
    deps.limits.start_rate.take((start.tenant_id, start.user_id), start.key_id)
    check = partial(check_active_runs, deps, start.tenant_id, run_id)
    async with deps.limits.starts.hold(start.tenant_id, run_id, check):
        return await _start_within_limits(deps, caller, run_id, start)


async def _start_within_limits(
    deps: Dependencies, caller: Principal, run_id: str, start: RunInput
) -> tuple[RunInput, dict[str, Any]]:
    who = Principal(tenant_id=start.tenant_id, user_id=start.user_id, key_id=start.key_id)
    await check_budgets(deps, who)
    opened = await deps.resolver.resolve(start)
    definition = opened.resolved.definition
    frozen = {"definition_id": definition.id, "version": definition.version}
    start = start.model_copy(update=frozen)
    request = _open_now(run_id, start)
    state = build_initial_state(request, opened)
    if not caller.may_decide and is_unlocked(state, find_output_as(state, "plan", Plan)):
        raise NotAllowed(Notice.of("start-decides", id=definition.id))
    first, begun = await deps.run_client.start(run_id, start)
    if first is start:
        with suppress(StoreUnavailable):  # the run's first activity resolves and records it itself
            await deps.runs.create(request, opened, is_provisional=True)
    price = price_run(state)
    return first, {"model": opened.terms.model, "price": price, "state": begun}
