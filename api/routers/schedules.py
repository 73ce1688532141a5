"""Schedules: an approved run is repeated at times of a zone's clock."""

import secrets
from contextlib import suppress
from datetime import UTC, datetime

from activities.runs.schedule_changes import ScheduleChanges
from api.access.auth import DEFAULT_USER, Caller, Decider, require_key
from api.dependencies import Dependencies, Deps
from api.errors import responses
from api.json_bodies import Router
from api.runs.start import check_active_runs, check_budgets
from api.schedule_times import find_fault, list_times
from contracts.access.principal import Principal
from contracts.base import Name, Page, RunId
from contracts.errors import (
    Conflict,
    EngineUnavailable,
    InvalidInput,
    NotFound,
    NotOwner,
)
from contracts.notices import Notice
from contracts.problems import Problem
from contracts.runs.schedules import (
    SCHEDULED_RUN,
    Backfill,
    BackfillBody,
    KeptSchedule,
    PauseBody,
    RunChanges,
    Schedule,
    ScheduleBody,
)
from contracts.runs.start import OpenRequest, RunInput
from contracts.runs.statuses import ENDED
from contracts.words import say
from contracts.words.question_language import detect_language
from store.run_records.runs import RunRow
from workflows.checkpoints.approval_gate import is_approval
from workflows.interpreter.initial_state import build_initial_state
from workflows.phases import PHASES

router = Router(
    prefix="/v1/schedules", tags=["schedules"], responses=responses(403, 404, 409, 422, 503)
)

MAX_BACKFILLED = 31
"""Runs that one backfill starts."""


@router.get("")
async def list_schedules(caller: Caller, deps: Deps) -> Page[KeptSchedule]:
    """Return the caller's schedules, the oldest first."""
    return Page(items=await deps.schedules.list(caller))


@router.post("", status_code=201)
async def create_schedule(caller: Decider, body: ScheduleBody, deps: Deps) -> Schedule:
    """Repeat an approved run: its plan and approval stay, and what came after is done again at each time.

    A plan that costs something else by then is shown again, and waits for approval.
    """
    require_key(caller, "schedule-needs-key")
    if fault := find_fault(body, datetime.now(UTC).date()):
        raise InvalidInput(fault)
    row = await deps.runs.get(caller.reader, body.from_run)
    owner = caller.user_id or DEFAULT_USER
    if caller.user_id not in {None, row.user_id}:
        told = Notice.of("run-not-yours-to-send", run=row.run_id, user=row.user_id)
        raise NotOwner(Problem.told("from_run", told))
    start = _build_start(caller, row, body)
    await _require_approved(deps, start)
    kept = KeptSchedule(
        **dict(body),
        id=f"schedule-{secrets.token_hex(8)}",
        user_id=owner if caller.user_id else row.user_id,
        query=row.query,
        created_at=datetime.now(UTC).isoformat(),
    )
    await deps.schedules.create(caller, kept)
    await deps.research_schedules.create(kept, start)
    return await deps.research_schedules.describe(kept)


@router.get("/{schedule_id}")
async def get_schedule(caller: Caller, schedule_id: Name, deps: Deps) -> Schedule:
    """Return a schedule with its next times and its newest runs."""
    return await _describe(deps, caller, await deps.schedules.get(caller, schedule_id))


@router.get("/{schedule_id}/runs/{run_id}/changes")
async def get_run_changes(
    caller: Caller, schedule_id: Name, run_id: RunId, deps: Deps
) -> RunChanges | None:
    """Return what a run's report changed of the run's before; null for a run without a result."""
    kept = await deps.schedules.get(caller, schedule_id)
    row = await deps.runs.get(caller, run_id)
    scheduled = SCHEDULED_RUN.fullmatch(run_id)
    if scheduled is None or scheduled[1] != kept.id:
        raise NotFound(Notice.of("run-unknown", run=run_id))
    return await ScheduleChanges(deps.runs, deps.sandbox.run).find(caller, run_id, row.status)


@router.put("/{schedule_id}/pause")
async def pause_schedule(
    caller: Decider, schedule_id: Name, body: PauseBody, deps: Deps
) -> Schedule:
    """Pause a schedule, or let it go on: by the caller's key from then on."""
    kept = await deps.schedules.get(caller, schedule_id)
    if not body.paused:
        require_key(caller, "schedule-needs-key")
        await deps.schedules.take_over(caller, kept.id)
    await deps.research_schedules.set_paused(kept.id, body.note, paused=body.paused)
    await deps.audit.note_pause(caller, kept.id, paused=body.paused)
    return await _describe(deps, caller, kept)


@router.post("/{schedule_id}/trigger", status_code=202, responses=responses(429))
async def trigger_schedule(caller: Decider, schedule_id: Name, deps: Deps) -> Schedule:
    """Start a run of a schedule now.

    Raises:
        Conflict: One was just started, the overlap policy skips it, or the schedule's key was revoked.
        TooManyRequests: The tenant has too many active runs, or a budget is used up.
    """
    kept = await deps.schedules.get(caller, schedule_id)
    await _require_startable(deps, caller, kept)
    found = await deps.research_schedules.describe(kept)
    if kept.overlap == "skip" and found.running:
        raise Conflict(Notice.of("schedule-run-live", run=found.running[0]))
    if not await deps.schedules.mark_triggered(caller, kept.id):
        raise Conflict(Notice.of("schedule-just-started"))
    await deps.research_schedules.trigger(kept.id)
    return await _describe(deps, caller, kept)


@router.post("/{schedule_id}/backfill", status_code=202, responses=responses(429))
async def backfill_schedule(
    caller: Decider, schedule_id: Name, body: BackfillBody, deps: Deps, dry_run: bool = False
) -> Backfill:
    """Start the runs of a time of the past, one after another; `dry_run` says only how many they are."""
    kept = await deps.schedules.get(caller, schedule_id)
    if not body.start_at < body.end_at <= datetime.now(UTC):
        raise InvalidInput(Problem.at("end_at", "backfill-not-past"))
    if (body.end_at - body.start_at).days > MAX_BACKFILLED * 7:
        raise InvalidInput(Problem.at("start_at", "backfill-long", most=MAX_BACKFILLED))
    times = list_times(kept, body.start_at, body.end_at)
    if len(times) > MAX_BACKFILLED:
        raise InvalidInput(Problem.at("start_at", "backfill-long", most=MAX_BACKFILLED))
    if times and not dry_run:
        await _require_startable(deps, caller, kept, len(times))
        await deps.research_schedules.backfill(kept.id, body.start_at, body.end_at)
    most = kept.budget * len(times) if kept.budget else None
    return Backfill(runs=len(times), most_usd=most)


@router.delete("/{schedule_id}", status_code=204)
async def delete_schedule(caller: Decider, schedule_id: Name, deps: Deps) -> None:
    """Delete a schedule; its active and past runs stay."""
    kept = await deps.schedules.get(caller, schedule_id)
    await deps.research_schedules.delete(kept.id)
    await deps.schedules.delete(caller, kept.id)


async def pause_without_key(deps: Dependencies, caller: Principal) -> None:
    """Pause the schedules of a user whose keys were revoked; if Temporal is unreachable, their runs are refused anyway."""
    for kept in await deps.schedules.list_without_key(caller):
        note = say(detect_language(kept.query), "schedule-key-revoked")
        with suppress(EngineUnavailable):
            await deps.research_schedules.set_paused(kept.id, note, paused=True)


async def _require_startable(
    deps: Dependencies, caller: Principal, kept: KeptSchedule, runs: int = 1
) -> None:
    """Refuse a start that the schedule's run would be refused, or any other start by the caller would."""
    if await deps.schedules.list_without_key(caller, kept.id):
        raise Conflict(Notice.of("schedule-key-revoked"))
    deps.limits.start_rate.take((caller.tenant_id, kept.user_id), caller.key_id, runs)
    await check_active_runs(deps, caller.tenant_id)
    for key_id in {caller.key_id, *await deps.schedules.list_keys(caller.tenant_id, kept.id)}:
        whose = {"user_id": kept.user_id, "key_id": key_id}
        await check_budgets(deps, caller.model_copy(update=whose))


async def _describe(deps: Dependencies, caller: Principal, kept: KeptSchedule) -> Schedule:
    """Return a schedule with its next times, and its latest runs with their statuses."""
    found = await deps.research_schedules.describe(kept)
    statuses = await deps.runs.list_statuses(caller, [each.run_id for each in found.recent])
    recent = [
        each.model_copy(update={"status": statuses.get(each.run_id, "")}) for each in found.recent
    ]
    return found.model_copy(update={"recent": recent})


def _build_start(caller: Principal, row: RunRow, body: ScheduleBody) -> RunInput:
    """Return the start of each repetition: the original run's, after its plan.

    Raises:
        Conflict: The run has not ended, or has no phases after its plan.
    """
    if row.status not in ENDED or row.opened is None:
        raise Conflict(Problem.at("from_run", "from-run-live"))
    resolved = row.opened.resolved
    definition = resolved.definition
    redo = [
        phase.id
        for phase in definition.phases
        if phase.id in resolved.selected and PHASES[phase.kind].category == "execute"
    ]
    if not redo:
        raise Conflict(Problem.at("from_run", "schedule-nothing"))
    first = RunInput.read_record(row.request)
    return RunInput(
        query=row.query,
        inputs=row.inputs,
        user_id=row.user_id,
        tenant_id=caller.tenant_id,
        definition_id=definition.id,
        version=definition.version,
        from_run=row.run_id,
        redo=redo,
        key_id=caller.key_id,
        fresh=True,
        probe=body.probe,
        budget=body.budget or first.budget,
        config_overrides=first.config_overrides,
        model_overrides=first.model_overrides,
    )


async def _require_approved(deps: Dependencies, start: RunInput) -> None:
    """Refuse a start without a human's approval, because nobody may be there to give one.

    Raises:
        Conflict: The run's plan was not approved.
    """
    opened = await deps.resolver.resolve(start)
    now = datetime.now(UTC).isoformat()
    request = OpenRequest(run_id="run-scheduled", input=start, started_at=now)
    state = build_initial_state(request, opened)
    if not any(is_approval(decision) for decision in state.decisions):
        raise Conflict(Problem.at("from_run", "schedule-unapproved"))
