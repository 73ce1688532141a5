"""Reading a run's state: what people see of it, and what is recorded."""

from datetime import datetime, timedelta
from typing import Any

from pydantic import TypeAdapter

from contracts.agents.workbench import Artifact
from contracts.base import Json
from contracts.definitions import Resolved
from contracts.evidence.sources import Source
from contracts.phases import Phase
from contracts.report.patches import Patch
from contracts.report.research import Plan, PlanRole, Startup
from contracts.runs.records import Batch, PhaseRecord
from contracts.runs.request import RunRequest
from contracts.runs.seeds import Seed
from contracts.runs.start import Opened, OpenRequest
from contracts.runs.state import (
    ENDED,
    SETTLED,
    Decision,
    PhaseState,
    PhaseView,
    RunState,
    RunStatus,
    Stage,
    StateView,
)
from domain.graph import PhaseGraph
from workflows.checkpoints.approval import cap_usd, output_of
from workflows.phases import PHASES

_PATCHES = TypeAdapter(list[Patch])
TYPED = ("analysis", "summary", "decision", "review", "selected_idea")
"""Results that are shown whole."""

SOURCES = TypeAdapter(list[Source])
ARTIFACTS = TypeAdapter(list[Artifact])


def opened_state(request: OpenRequest, opened: Opened) -> RunState:
    """Return the first state of a run."""
    resolved = opened.resolved
    state = RunState(
        run_id=request.run_id,
        tenant_id=request.input.tenant_id,
        index=opened.index,
        request=RunRequest(**{n: getattr(request.input, n) for n in RunRequest.model_fields}),
        resolved=resolved,
        terms=opened.terms,
        costs=opened.costs,
        started_at=request.started_at,
        phases=[_first_state(phase, resolved) for phase in resolved.definition.phases],
        patches=opening_patches(resolved),
        sources=list(resolved.base_report.sources) if resolved.base_report else [],
    )
    if scope := resolved.definition.consent:
        state.decisions.append(_consent(state, scope))
    for phase in state.phases:
        if seed := resolved.seeds.get(phase.id):
            phase.status, phase.output = "completed", seed.output
            apply_seed(state, phase, seed)
    return state


def apply_seed(state: RunState, phase: PhaseState, seed: Seed) -> None:
    """Note where a phase's output comes from, and make its pages and artifacts the run's own."""
    phase.origin, phase.warnings = seed.origin, list(seed.warnings)
    phase.reused_from = seed.run_id if seed.origin == "cache" else None
    absorb(state, seed.output)


def absorb(state: RunState, output: Json) -> None:
    """Make the pages and artifacts of an output the run's own."""
    found = SOURCES.validate_python(output.get("sources") or [])
    if len(found) > len(state.sources):  # each is a beginning of the next
        state.sources[:] = found
    made = ARTIFACTS.validate_python(output.get("artifacts") or [])
    state.artifacts[:] = {a.id: a for a in [*state.artifacts, *made]}.values()


def opening_patches(resolved: Resolved) -> list[Patch]:
    """Return the living report that a run begins with: a follow-up's base, or its longest seed."""
    if resolved.base_report:
        return list(resolved.base_report.patches)
    given = [seed.output.get("patches") or [] for seed in resolved.seeds.values()]
    return _PATCHES.validate_python(max(given, key=len, default=[]))  # type: ignore[arg-type]


def _consent(state: RunState, scope: str) -> Decision:
    """Return the decision that lies in starting a run whose definition asks for no other."""
    return Decision(
        checkpoint_id="start",
        phase_id="",
        action="approve",
        by=state.request.user_id,
        at=state.started_at,
        scope=scope,
    )


def _first_state(phase: Phase, resolved: Resolved) -> PhaseState:
    state = PhaseState(id=phase.id, kind=phase.kind, title=phase.title or PHASES[phase.kind].title)
    if phase.id in resolved.seeds:
        return state
    if phase.id not in resolved.selected:
        state.status, state.warnings = "skipped", ["not chosen for this run"]
    elif not phase.enabled:
        state.status, state.warnings = "skipped", ["disabled"]
    return state


def takes_part(state: RunState, phase: Phase) -> bool:
    """Whether a phase of the definition is a part of this run."""
    resolved = state.resolved
    return phase.id in resolved.seeds or (phase.enabled and phase.id in resolved.selected)


def plan_roles(state: RunState, graph: PhaseGraph, phase_id: str) -> list[PlanRole]:
    """Return those who work on a plan's steps in the phases after one, each once."""
    later = graph.find_descendants(phase_id)
    phases = [p for p in graph.phases.values() if p.id in later and takes_part(state, p)]
    roles = [role for phase in phases for role in PHASES[phase.kind].plans_for(phase)]
    return list({role.id: role for role in roles}.values())


def final_status(state: RunState) -> RunStatus:
    """Return how a run ended whose phases all settled."""
    statuses = [phase.status for phase in state.phases]
    if "failed" in statuses:
        return "failed"
    return "completed" if set(statuses) <= {"completed"} else "partial"


def live_status(state: RunState) -> RunStatus:
    """Return what a run that has not ended is doing; `waiting` only when nothing else can go on."""
    if state.status in ENDED:
        return state.status
    if state.paused:
        return "paused"
    active = [phase.status for phase in state.phases if phase.status not in SETTLED]
    waiting = bool(state.pending) and "running" not in active
    return "waiting" if waiting else "running"


def stage(state: RunState) -> Stage:
    """Return the five-value summary: clarify, plan, execute, completed, cancelled."""
    if state.status in ("rejected", "cancelled"):
        return "cancelled"
    if state.status in ENDED:
        return "completed"
    current = [p for p in state.phases if p.status not in SETTLED]
    return PHASES[current[0].kind].stage if current else "execute"


def view(state: RunState) -> StateView:
    """Return what the `state` query answers."""
    plan = output_of(state, "plan")
    startup = output_of(state, "startup")
    return StateView(
        run_id=state.run_id,
        definition_id=state.resolved.definition.id,
        status=live_status(state),
        stage=stage(state),
        query=state.request.query,
        inputs=state.request.inputs,
        startup=Startup.model_validate(startup) if startup else None,
        answers=state.answers,
        phases=[
            PhaseView(**{n: getattr(p, n) for n in PhaseView.model_fields}) for p in state.phases
        ],
        pending=state.pending,
        plan=plan,
        plan_hash=Plan.model_validate(plan).hash if plan else None,
        decisions=state.decisions,
        results=results(state),
        parent=state.request.from_run,
        usage=state.spent,
        model=state.terms.model,
        offline=state.terms.offline,
        cap_usd=cap_usd(state),
        warnings=state.warnings,
        started_at=state.started_at,
        ended_at=state.ended_at,
    )


def results(state: RunState) -> Json:
    """Return the typed results and the report's figures, not its text, which has its own query."""
    found: Json = {}
    if report := output_of(state, "report"):
        kept = ("title", "claims_total", "claims_unsupported")
        found["report"] = {name: report[name] for name in kept}
        found["sources"] = len(state.sources)
    for name in TYPED:
        if value := output_of(state, name):
            found[name] = value
    return found


def batch(state: RunState, changed: set[str], grown: set[str]) -> Batch:
    """Return what the recorder writes now: the run's row, what changed and grew, the new events."""
    return Batch(
        tenant_id=state.tenant_id,
        run_id=state.run_id,
        status=live_status(state),
        version=state.emitted,
        snapshot=view(state).model_dump(mode="json"),
        ended_at=state.ended_at,
        usage=state.spent,
        phases=[_record(state, phase) for phase in state.phases if phase.id in changed],
        sources=list(state.sources) if "sources" in grown else [],
        artifacts=list(state.artifacts) if "artifacts" in grown else [],
        events=list(state.outbox),
    )


def _record(state: RunState, phase: PhaseState) -> PhaseRecord:
    config = next(p.config for p in state.resolved.definition.phases if p.id == phase.id)
    shared = set(PhaseRecord.model_fields) & set(PhaseState.model_fields) - {"cache_key"}
    return PhaseRecord(
        config=config.model_dump(mode="json"),
        input={n: list(ids) for n, ids in state.resolved.bindings[phase.id].items()},
        **{name: getattr(phase, name) for name in shared},
        **_kept(state, phase),
    )


def _kept(state: RunState, phase: PhaseState) -> dict[str, Any]:
    """Return under which key and until when later runs may take over what a phase gave, if ever."""
    done = phase.status == "completed" and phase.output is not None
    if not (done and phase.ended_at and phase.cache_key) or state.request.temp_workflow:
        return {}
    lasts = timedelta(hours=state.terms.step_cache_hours)
    expires_at = (datetime.fromisoformat(phase.ended_at) + lasts).isoformat()
    return {"cache_key": phase.cache_key, "expires_at": expires_at}
