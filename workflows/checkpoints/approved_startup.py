"""The startup that a run saves for its user, once a human approved its plan."""

import hashlib

from contracts.phases.recall import RecallOutput, RecallPhase
from contracts.report.research import Brief, Plan, Startup, StartupBody
from contracts.runs.state import PhaseState, RunState
from workflows.checkpoints.approval import find_output

NAME_CHARS = 200
TERM_CHARS = 300
DESCRIPTION_CHARS = 2_000
"""A longer description leaves the answers out."""


def find_recall(state: RunState) -> PhaseState | None:
    """Return the last phase that looked up the user's startups; None before it has."""
    recalls = [state.phase(phase.id) for phase in _list_recalls(state)]
    return next((phase for phase in reversed(recalls) if phase.output), None)


def build_startup(state: RunState, plan: Plan) -> Startup | None:
    """Return the startup to save for an approved plan; None if the run has one or wants none.

    Its id follows from the run's, so that a later approval in the same run changes it.
    """
    recall = find_recall(state)
    if recall is None or not _is_wanted(state) or state.request.startup_id:
        return None
    startup = _build_startup(state, plan)
    if known := find_output(state, "startup"):
        saved, body = Startup.model_validate(known), set(StartupBody.model_fields)
        changed = saved.model_dump(include=body) != startup.model_dump(include=body)
        return startup if saved.id == startup.id and changed else None
    # A new one: the user has none, or chose none of those offered.
    offered = RecallOutput.model_validate(recall.output).startups
    chosen = [a.answer for a in _find_brief(state).answers if a.id == "startup"]
    return startup if not offered or any(chosen) else None


def _is_wanted(state: RunState) -> bool:
    """Tell whether the start, or else the definition, asks to save one; a temporary run saves none."""
    if state.request.temp_workflow:
        return False
    if state.request.save_startup is not None:
        return state.request.save_startup
    return any(phase.config.save_startup for phase in _list_recalls(state))


def _list_recalls(state: RunState) -> list[RecallPhase]:
    return [p for p in state.resolved.definition.phases if isinstance(p, RecallPhase)]


def _build_startup(state: RunState, plan: Plan) -> Startup:
    brief = _find_brief(state)
    given = [f"{a.question} {a.answer}" for a in brief.answers if a.answer and a.id != "startup"]
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


def _find_brief(state: RunState) -> Brief:
    found = find_output(state, "brief")
    return Brief.model_validate(found) if found else Brief(query=state.request.query)
