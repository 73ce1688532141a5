"""The step cache: a phase executed, or seeded with the output of one that read the same."""

import hashlib
import json

from pydantic import BaseModel, JsonValue, ValidationError
from temporalio.exceptions import ActivityError

from activities.reuse.step_cache import StepCacheActivities
from contracts.base import Json
from contracts.evidence.sources import Source
from contracts.models.answer_json_schema import get_answer_schema
from contracts.notices import Notice
from contracts.phases import Phase
from contracts.runs.request import FindRequest, fold_inputs
from contracts.runs.state import RunState
from domain.run_outputs import find_output
from workflows.checkpoints.approval_gate import is_unlocked
from workflows.interpreter.initial_state import SOURCES, apply_seed
from workflows.interpreter.schedule_probe import find_unchanged
from workflows.phase_context.context import PhaseContext
from workflows.phases import PHASES
from workflows.runtime.failures import describe_failure


async def execute_phase(phase: Phase, run: PhaseContext) -> BaseModel:
    """Return a cached output of an earlier run with the same inputs, else execute the phase.

    A re-entered phase has already looked, and has its calls in the memo.
    """
    kind = PHASES[phase.kind]
    if unchanged := await find_unchanged(phase, run):
        return unchanged
    is_whole = all(state.is_whole for state in run.state.collection_states)
    is_cacheable = run.state.terms.step_cache_hours and kind.cacheable(phase) and is_whole
    if is_cacheable and not run.me.memo:
        await run.calls.wait_until_open()  # steering of a run that is held counts
        if may_use_cache(phase, run) and (cached := await _find_output(phase, run)):
            return cached
        run.me.cache_key = compute_cache_key(phase, run.state)
    given = run.read_inputs(kind.input, kind.needs(phase))
    output: BaseModel = await kind.handler(phase, given, run)
    return output


def may_use_cache(phase: Phase, run: PhaseContext) -> bool:
    """Return whether a phase may use the cache and could find something there.

    No other run has what a model wrote in this run. A locked phase that reaches the web must fail in its
    handler, even if its output is cached.
    """
    request = run.state.request
    if request.fresh or request.redo or run.me.retries or run.me.lost_inputs:
        return False
    if PHASES[phase.kind].web(phase) and not is_unlocked(run.state, run.humans.find_plan()):
        return False
    bound = run.state.resolved.bindings[phase.id].values()
    providers = [run.state.phase(name) for names in bound for name in names]
    return all(provider.origin or not provider.has_output for provider in providers)


async def _find_output(phase: Phase, run: PhaseContext) -> BaseModel | None:
    """Return the cached output for the phase's key, added to this run, or None."""
    state, said = run.state, _collect_human_input(phase, run.state)
    request = FindRequest(
        tenant_id=state.tenant_id,
        user_id=state.request.user_id,
        run_id=state.run_id,
        cache_key=compute_cache_key(phase, state),
    )
    try:
        seed = (
            await run.calls.execute_activity("step-cache", StepCacheActivities.find, request)
        ).seed
        output = PHASES[phase.kind].output.model_validate(seed.output) if seed else None
    except (ActivityError, ValidationError) as error:
        run.log.tell(Notice.of("cache-unread", reason=describe_failure(error).words))
        return None
    if seed is None or said != _collect_human_input(phase, state) or not _fits(seed.output, state):
        return None  # nothing cached, or a human or parallel branch changed the inputs meanwhile
    apply_seed(state, run.me, seed)
    return output


def compute_cache_key(phase: Phase, state: RunState) -> str:
    """Return the sha256 over all that a phase's output follows from."""
    kind, request, terms = PHASES[phase.kind], state.request, state.terms
    definition = state.resolved.definition
    output: type[BaseModel] = kind.output
    config = phase.config.model_dump(mode="json")
    inputs: Json = {
        "owner": [state.tenant_id, request.user_id],
        "phase": [definition.id, definition.version, phase.id],
        "kind": [kind.name, kind.version, get_answer_schema(output)],
        "prompts": [*kind.prompts, *map(get_answer_schema, kind.drafts)],
        "config": config,
        "models": {
            role: terms.choose_model(role, phase.models.get(role)) for role in kind.agents(phase)
        },
        "offline": [
            terms.offline,
            terms.recorded.id if terms.recorded else "",
            terms.searched.model_dump(mode="json") if terms.searched else None,
            *(terms.search.choose(phase.search) if kind.web(phase) else ()),
        ],
        "start": [
            request.query,
            fold_inputs(request.inputs),
            *request.files,
            *_identify_collections(state),
        ],
        "needs": {
            need.name: {
                provider.id: [
                    provider.output if need.anything else (provider.output or {}).get(need.value),
                    [notice.model_dump(mode="json") for notice in provider.notices],
                ]
                for provider in state.providers(phase.id, need.name)
            }
            for need in kind.needs(phase)
        },
        "report": find_output(state, "report"),
        "human_input": _collect_human_input(phase, state),
        "sources": _identify_pages(state.sources),
        "artifacts": [artifact.id for artifact in state.artifacts],
    }
    return hashlib.sha256(json.dumps(inputs, sort_keys=True).encode()).hexdigest()


def _identify_collections(state: RunState) -> list[JsonValue]:
    """Return the run's collections with their versions; empty without collections, so that the key stays the same."""
    return [[use.id, use.version] for use in state.collections]


def _collect_human_input(phase: Phase, state: RunState) -> list[JsonValue]:
    """Return the feedback on a phase and the steering of all agents, so far."""
    return [list(state.phase(phase.id).feedback), [steer.text for steer in state.steering]]


def _identify_pages(sources: list[Source]) -> list[JsonValue]:
    return [[source.url, source.content_hash] for source in sources]


def _fits(output: Json, state: RunState) -> bool:
    """Return whether an output numbers the pages it shares with the run as the run does.

    Parallel phases number their pages as they read them: one may be ahead.
    """
    cached = _identify_pages(SOURCES.validate_python(output.get("sources") or []))
    return all(a == b for a, b in zip(cached, _identify_pages(state.sources), strict=False))
