"""The startup that a run saves for its user, once a human approved its plan."""

import hashlib

from contracts.notices import Notice
from contracts.phases.hitl_checkpoint import HitlCheckpointPhase
from contracts.phases.recall import RecallPhase
from contracts.planning.brief import Brief
from contracts.planning.plan import Plan
from contracts.planning.startup_company import Startup, StartupBody
from contracts.runs.request import NO_STARTUP
from contracts.runs.state import PhaseState, RunState
from domain.run_outputs import find_output, find_output_as

NAME_CHARS = 200
TERM_CHARS = 300
DESCRIPTION_CHARS = 2_000
"""A longer description leaves the answers out."""


def describe_startup(state: RunState) -> list[Notice]:
    """Return the notice that names the run's startup; empty without one."""
    found = find_output_as(state, "startup", Startup)
    return [Notice.of("ask-about-startup", "info", name=found.name)] if found else []


def find_recall(state: RunState) -> PhaseState | None:
    """Return the last phase that looked up the user's startups; None before it has run."""
    recalls = [state.phase(phase.id) for phase in _list_recalls(state)]
    return next((phase for phase in reversed(recalls) if phase.output), None)


def build_startup(state: RunState, plan: Plan) -> Startup | None:
    """Return the startup that approving the plan may save; None if the run has one or wants none.

    Its id is derived from the run's, so that a later approval in the same run updates it.
    """
    if find_recall(state) is None or not may_keep_startup(state):
        return None
    startup = _build_startup(state, plan)
    if saved := find_output_as(state, "startup", Startup):
        body = set(StartupBody.model_fields)
        changed = saved.model_dump(include=body) != startup.model_dump(include=body)
        return startup if saved.id == startup.id and changed else None
    return startup


def offer_startup(state: RunState, plan: Plan) -> bool | None:
    """Return whether approving the plan saves it as a startup by default; None if this is not offered.

    The default is yes if the start asked for it, or an earlier approval in this run saved one.
    """
    if build_startup(state, plan) is None:
        return None
    return bool(state.request.save_startup or find_output(state, "startup"))


def may_keep_startup(state: RunState) -> bool:
    """Return whether the start, or else the definition, offers to save a new startup.

    Temporary runs save none, nor do runs that already have a startup, or whose plan nobody approves.
    """
    start, resolved = state.request, state.resolved
    if start.temp_workflow or start.startup_id not in (None, NO_STARTUP):
        return False
    gates = [p for p in resolved.definition.phases if isinstance(p, HitlCheckpointPhase)]
    if not any(gate.unlocks and gate.enabled and gate.id in resolved.selected for gate in gates):
        return False
    if start.save_startup is not None:
        return start.save_startup
    return any(phase.config.save_startup for phase in _list_recalls(state))


def _list_recalls(state: RunState) -> list[RecallPhase]:
    return [p for p in state.resolved.definition.phases if isinstance(p, RecallPhase)]


def _build_startup(state: RunState, plan: Plan) -> Startup:
    brief = find_output_as(state, "brief", Brief) or Brief(query=state.request.query)
    given = [f"{a.question} {a.answer}" for a in brief.answers if a.answer]
    whole = "\n".join([brief.query, *given])
    name = hashlib.sha256(state.run_id.encode()).hexdigest()[:32]
    return Startup(
        id=f"startup-{name}",
        user_id=state.request.user_id,
        name=plan.title[:NAME_CHARS],
        description=whole if len(whole) <= DESCRIPTION_CHARS else brief.query,
        search_terms=[term[:TERM_CHARS] for term in plan.search_terms],
        geographical_scope=plan.geographical_scope,
        metadata={"run_id": state.run_id},
    )
