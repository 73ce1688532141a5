"""Runs: their records, their state, follow-ups and comparisons."""

from contextlib import suppress
from typing import Annotated, Literal

from fastapi import Query
from pydantic import ConfigDict, Field

from api.access.auth import Caller, Decider
from api.dependencies import Deps
from api.errors import responses
from api.json_bodies import Router
from api.routers.run.events import After, Limit
from api.runs.comparison import RunComparison, compare
from api.runs.idempotency_key import NewRunId
from api.runs.phase_history import (
    CHAT_PAGE,
    ChatMessage,
    Effort,
    ExecutedPhase,
    list_executed_phases,
    measure_efforts,
    read_conversation,
)
from api.runs.service import Run, RunService, Wait
from api.runs.start import RunStarted, run_links, start_run
from contracts.base import Contract, Json, Name, Page, Question, RunId
from contracts.errors import InvalidInput, NotFound
from contracts.phases.edit import SENTENCE_EDIT, SentenceEdit
from contracts.preset_definitions import PRESETS
from contracts.problems import Problem
from contracts.report.patches import ReaderRemark
from contracts.runs.records import PhaseView
from contracts.runs.request import RunRequest
from contracts.runs.state_view import StateView
from contracts.runs.statuses import Stage
from contracts.words import say
from contracts.words.question_language import detect_language
from store.calls.spend import Spend, SpendQuery
from store.run_records.runs import RunPage, RunQuery, RunSummary

Include = Annotated[Literal["outputs"] | None, Query(description="also every phase's output")]
Inputs = Annotated[Literal["inputs"] | None, Query(description="also the values of its inputs")]


spend = Router(prefix="/v1/spend", tags=["spend"], responses=responses(422, 503))
router = Router(prefix="/v1/runs", tags=["runs"], responses=responses(404, 422, 503))


class RunView(RunSummary):
    """Record of a run."""

    stage: Stage
    children: list[str] = Field(
        description="the newest 100 runs started from this one, newest first; "
        "`GET /v1/runs?parent=` lists them all"
    )
    phases: list[PhaseView]
    warnings: list[str]
    outputs: dict[str, Json] | None = Field(description="by phase id, on request")
    effort: dict[str, Effort] | None = Field(
        description="by phase id, with the outputs: time, and each model's tokens, latency, price"
    )
    links: dict[str, str]


@spend.get("")
async def list_spend(
    deps: Deps, caller: Caller, query: Annotated[SpendQuery, Query()]
) -> Page[Spend]:
    """Return what was spent by day, definition and model, the newest day first."""
    return Page(items=await deps.spend.list_spend(caller.reader, query))


@router.get("")
async def list_runs(deps: Deps, caller: Caller, query: Annotated[RunQuery, Query()]) -> RunPage:
    """Return runs: those still running first, then by latest completion."""
    return await deps.runs.list_page(caller.reader, query)


@router.get("/{run_id}")
async def get_run(run: Run, include: Include = None) -> RunView:
    """Return a run's record, on request with its phases' outputs and effort."""
    recorded = run.get_recorded_state()
    phases = await run.get_phases() if include else []
    return RunView(
        **{name: getattr(run.row, name) for name in RunView.model_fields if hasattr(run.row, name)},
        stage=recorded.stage,
        phases=recorded.phases,
        warnings=recorded.warnings,
        outputs={p.id: p.output for p in phases if p.output} if include else None,
        effort=await measure_efforts(run, phases) if include else None,
        links=run_links(run.id),
    )


@router.delete("/{run_id}", status_code=204, responses=responses(403, 409))
async def delete_run(run_id: RunId, deps: Deps, caller: Decider) -> None:
    """Remove a run that has ended, for good: all but its cost; its id stays taken.

    Runs that were started from it stay, with the pages they took over.
    """
    with suppress(NotFound):
        await (await RunService.find(deps, caller, run_id)).record_end()
    await deps.remover.remove(caller, run_id)


@router.get("/{run_id}/phases")
async def list_run_phases(run: Run, include: Inputs = None) -> Page[ExecutedPhase]:
    """Return a run's phases: config used, input, output, timing, error, conversation."""
    return Page(items=await list_executed_phases(run, values=bool(include)))


@router.get("/{run_id}/phases/{phase_id}")
async def get_run_phase(run: Run, phase_id: str, include: Inputs = None) -> ExecutedPhase:
    """Return one phase of a run."""
    [phase] = await list_executed_phases(run, phase_id, values=bool(include))
    return phase


@router.get("/{run_id}/phases/{phase_id}/chat")
async def list_run_phase_chat(
    run: Run, phase_id: str, after: After = 0, limit: Limit = CHAT_PAGE
) -> Page[ChatMessage]:
    """Return the conversation of a phase with its models and humans."""
    await run.deps.runs.get_phase(run.reader, run.id, phase_id)
    chat = await read_conversation(run, [phase_id], after, limit)
    return Page(items=[message for _, message in chat.items], next_cursor=chat.next_cursor)


@router.get("/{run_id}/state")
async def get_state(run: Run, wait: Wait = 0) -> StateView:
    """Return the run's live state, or the recorded one (`live: false`) if no worker answers in time."""
    return await run.get_state(wait)


class FollowUp(Contract):
    """A further question on a finished run, or a correction."""

    query: Question | None = Field(
        default=None, description="may be left out where there are remarks"
    )
    remarks: list[ReaderRemark] = Field(
        default=[], max_length=50, description="on sentences of the report, which it heeds"
    )
    research: bool = Field(
        default=True,
        description="false: answer from the report and its stored pages; nothing is searched or changed",
    )
    user_id: Name | None = Field(default=None, description="left out: that run's")
    budget: float | None = Field(default=None, gt=0, allow_inf_nan=False, description="US dollars")
    temp_workflow: bool | None = Field(
        default=None, description="whether it is a temporary run; left out: as that run"
    )
    batch: bool = Field(default=False, description="as of any start: half the price, hours to wait")


@router.post("/{run_id}/follow-up", status_code=202, responses=responses(403, 409, 429))
async def follow_up(run: Run, body: FollowUp, new_id: NewRunId) -> RunStarted:
    """Start a run that keeps this one's sources and changes its report; it asks before it spends.

    Without `research` it answers immediately from the sources alone; the answer's `price` is its cost.
    """
    if body.query is None and not body.remarks:
        raise InvalidInput(Problem.at("query", "query-or-remarks"))
    language = detect_language(run.row.query)
    opened = run.row.opened
    can_grow = opened is not None and opened.resolved.definition.is_living
    request = RunRequest(
        query=body.query or say(language, "remarks-query"),
        remarks=body.remarks,
        user_id=body.user_id or run.row.user_id,
        budget=body.budget,
        from_run=run.id,
        follow_up=True,
        batch=body.batch,
        temp_workflow=run.row.temp_workflow if body.temp_workflow is None else body.temp_workflow,
    )
    definition = run.row.definition_id if can_grow else PRESETS["deep_research"].id
    if not body.research:
        definition = PRESETS["report_answer"].id
    return await start_run(run.deps, run.caller, new_id, definition, request)


class EditSentence(SentenceEdit):
    """A sentence of a finished report in other words."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {
                    "sentence": 3,
                    "former": "Sales rose by 4 %.",
                    "text": "Sales rose by 4 % in 2025.",
                },
                {"sentence": 3, "former": "Sales rose by 4 % in 2025."},
            ]
        }
    )


@router.post("/{run_id}/edit", status_code=202, responses=responses(403, 409, 429))
async def edit_sentence(run: Run, body: EditSentence, new_id: NewRunId) -> RunStarted:
    """Change a sentence of this run's report, or restore it; its quotes stay.

    A temporary run checks the new wording, and puts it into the report once it has completed: with the
    verdict, or marked as unchecked if there is no judge.
    """
    request = RunRequest(
        query=run.row.query,
        inputs=body.model_dump(exclude_none=True),
        user_id=run.row.user_id,
        from_run=run.id,
        follow_up=True,
        temp_workflow=True,
    )
    return await start_run(run.deps, run.caller, new_id, SENTENCE_EDIT, request)


@router.get("/{run_id}/compare/{other_id}")
async def compare_runs(run: Run, other_id: RunId) -> RunComparison:
    """Return how the second run differs from the first, as both are recorded now."""
    return await compare(run, await RunService.find(run.deps, run.caller, other_id))
