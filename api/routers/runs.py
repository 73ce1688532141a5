"""Runs as their records tell them, and as they stand now."""

from typing import Annotated, Literal

from fastapi import APIRouter, Query
from pydantic import Field

from api.dependencies import Caller, Deps
from api.errors import responses
from api.runs import Run, Wait, links
from api.views import Page, RunView
from contracts.records import PhaseRecord
from contracts.state import RunStatus, StateView
from store.runs import RunFilters, RunPage

Include = Annotated[Literal["outputs"] | None, Query(description="also every phase's output")]

router = APIRouter(prefix="/v1/runs", tags=["runs"], responses=responses(404, 422, 503))


class RunQuery(RunFilters):
    """Which runs, and which page of them."""

    status: RunStatus | None = None
    cursor: str | None = Field(default=None, max_length=500, description="the last `next_cursor`")
    limit: int = Field(default=50, ge=1, le=200)


@router.get("")
async def list_runs(deps: Deps, caller: Caller, query: Annotated[RunQuery, Query()]) -> RunPage:
    """Return runs: those that go on first, then the newest completion."""
    return await deps.runs.page(caller.reader, query, query.cursor, query.limit)


@router.get("/{run_id}")
async def get_run(run: Run, include: Include = None) -> RunView:
    """Return a run's record, on request with what its phases put out."""
    recorded = run.recorded()
    outputs = {p.id: p.output for p in await run.phases() if p.output} if include else None
    return RunView(
        **{name: getattr(run.row, name) for name in RunView.model_fields if hasattr(run.row, name)},
        stage=recorded.stage,
        phases=recorded.phases,
        warnings=recorded.warnings,
        outputs=outputs,
        links=links(run.id),
    )


@router.get("/{run_id}/phases")
async def list_run_phases(run: Run) -> Page[PhaseRecord]:
    """Return a run's phases: config used, input, output, error."""
    return Page(items=await run.phases())


@router.get("/{run_id}/phases/{phase_id}")
async def get_run_phase(run: Run, phase_id: str) -> PhaseRecord:
    """Return one phase of a run."""
    return await run.deps.runs.phase(run.reader, run.id, phase_id)


@router.get("/{run_id}/state")
async def get_state(run: Run, wait: Wait = 0) -> StateView:
    """Return the run's own state; the recorded one, `live: false`, where none answers in time."""
    return await run.state(wait)
