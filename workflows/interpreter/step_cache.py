"""Carrying out a phase, or taking over what one gave that read the same: the step cache."""

import hashlib
import json

from pydantic import BaseModel, JsonValue, ValidationError
from temporalio.exceptions import ActivityError

from activities.step_cache import StepCacheActivities
from contracts.base import Json, schema_of
from contracts.errors import ApprovalRequired
from contracts.evidence.sources import Source
from contracts.phases import Phase
from contracts.runs.state import PhaseState, RunState
from contracts.step_cache import FindRequest
from workflows.checkpoints.approval import output_of
from workflows.interpreter.run_state import SOURCES, absorb
from workflows.phases import PHASES
from workflows.runtime.context import PhaseContext
from workflows.runtime.kind import Need


async def carry_out(phase: Phase, run: PhaseContext) -> BaseModel:
    """Return a phase's output: that of an earlier run whose phase read all the same, else its own.

    A phase that is entered again has been through this, and what it asked for is in its memo.
    """
    kind = PHASES[phase.kind]
    if run.state.terms.step_cache_hours and kind.cacheable(phase) and not run.me.memo:
        await run.opened()  # what is said to a run that is held counts
        if may_take_over(phase, run) and (output := await _taken_over(phase, run)):
            return output
        run.me.cache_key = key_of(phase, run.state)
    return await kind.handler(phase, run)


def may_take_over(phase: Phase, run: PhaseContext) -> bool:
    """Whether it is worth looking, and allowed: what a model has just written is never the same.

    A phase that reaches the web and is locked fails as its handler says, whatever is kept.
    """
    asked = run.state.request
    if asked.fresh or asked.redo or run.me.retries:
        return False
    if PHASES[phase.kind].web(phase) and _is_locked(run):
        return False
    bound = run.state.resolved.bindings[phase.id].values()
    return all(_was_there(run.state.phase(name)) for names in bound for name in names)


def _is_locked(run: PhaseContext) -> bool:
    try:
        run.permit()
    except ApprovalRequired:
        return True
    return False


def _was_there(provider: PhaseState) -> bool:
    """Whether a phase's output is older than the run, or there is none."""
    return not provider.gave or provider.ended_at is None or provider.reused_from is not None


async def _taken_over(phase: Phase, run: PhaseContext) -> BaseModel | None:
    """Return what is kept under the phase's key, made a part of this run; None to make it anew."""
    state, said = run.state, _said(phase, run.state)
    request = FindRequest(
        tenant_id=state.tenant_id,
        user_id=state.request.user_id,
        run_id=state.run_id,
        cache_key=key_of(phase, state),
    )
    try:
        kept = (await run.call("step-cache", StepCacheActivities.find, request)).kept
        output = PHASES[phase.kind].output.model_validate(kept.output) if kept else None
    except (ActivityError, ValidationError) as error:
        message = f"not looked for what other runs gave: {run.fail_info(error).message}"
        run.emit("Status", {"level": "warning", "message": message})
        return None
    if kept is None or said != _said(phase, state) or not fits(kept.output, state):
        return None  # there is none, or a human or a branch beside it came first
    run.me.reused_from, run.me.warnings = kept.run_id, list(kept.warnings)
    absorb(state, kept.output)
    return output


def key_of(phase: Phase, state: RunState) -> str:
    """Return the sha256 over all that a phase's output follows from."""
    text = json.dumps(_read_by(phase, state), sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()


def _read_by(phase: Phase, state: RunState) -> Json:
    kind, request, terms = PHASES[phase.kind], state.request, state.terms
    definition = state.resolved.definition
    config = phase.config.model_dump(mode="json")
    own = config.get("models") or {}
    return {
        "whose": [state.tenant_id, request.user_id],
        "phase": [definition.id, definition.version, phase.id],
        "kind": [kind.name, kind.version, schema_of(kind.output)],
        "prompts": [*kind.prompts, *map(schema_of, kind.drafts)],
        "config": config,
        "models": {role: terms.model_for(role, own.get(role)) for role in kind.agents(phase)},
        "offline": terms.offline,
        "asked": [request.query, request.inputs],
        "needs": {need.name: _taken(phase, need, state) for need in kind.needs(phase)},
        "report": output_of(state, "report"),
        "said": _said(phase, state),
        "sources": _pages(state.sources),
        "artifacts": [artifact.id for artifact in state.artifacts],
    }


def _taken(phase: Phase, need: Need, state: RunState) -> Json:
    """Return what a phase takes for a need, by the phases that gave it."""
    bound = state.resolved.bindings[phase.id].get(need.name, [])
    givers = [state.phase(name) for name in bound if state.phase(name).gave]
    return {
        giver.id: [
            giver.output if need.anything else (giver.output or {}).get(need.value),
            list(giver.warnings),
        ]
        for giver in givers
    }


def _said(phase: Phase, state: RunState) -> list[JsonValue]:
    """Return what humans said of the phase and to all agents, so far."""
    return [list(state.phase(phase.id).feedback), [steer.text for steer in state.steering]]


def _pages(sources: list[Source]) -> list[JsonValue]:
    return [[source.url, source.content_hash] for source in sources]


def fits(output: Json, state: RunState) -> bool:
    """Whether the pages of an output and the run's have the same numbers as far as both go.

    Phases side by side number their pages as they read them: one may have got ahead.
    """
    theirs, ours = (
        _pages(SOURCES.validate_python(output.get("sources") or [])),
        _pages(state.sources),
    )
    return all(a == b for a, b in zip(theirs, ours, strict=False))
