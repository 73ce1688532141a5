"""What a run keeps as a startup of its user, once a human approved its plan."""

import hashlib

from contracts.phases.recall import RecallOutput
from contracts.report.research import Brief, Plan, Startup, StartupBody
from contracts.runs.state import PhaseState, RunState
from workflows.checkpoints.approval import output_of

NAME_CHARS = 200
TERM_CHARS = 300
SHORT_CHARS = 2_000
"""Up to which the answers stand beside the question; longer ones are the run's own affair."""


def recalled(state: RunState) -> PhaseState | None:
    """Return the phase that looked for the user's startups, once it has."""
    recalls = [state.phase(phase.id) for phase in state.resolved.definition.phases if phase.recalls]
    return next((phase for phase in reversed(recalls) if phase.output), None)


def to_keep(state: RunState, plan: Plan) -> Startup | None:
    """Return the startup that an approved plan makes; None where the run has or wants none.

    Its id follows from the run's, so that another approval in the same run changes it.
    """
    recall = recalled(state)
    if recall is None or not _is_wanted(state) or state.request.startup_id:
        return None
    made = _startup(state, plan)
    if (known := output_of(state, "startup")) is None:
        return made if _is_new(state, RecallOutput.model_validate(recall.output)) else None
    kept = Startup.model_validate(known)
    return made if kept.id == made.id and _told(kept) != _told(made) else None


def _is_wanted(state: RunState) -> bool:
    """Return what the run's start says, else what its definition does; a temporary run leaves none."""
    if state.request.temp_workflow:
        return False
    if state.request.save_startup is not None:
        return state.request.save_startup
    return any(phase.saves_startup for phase in state.resolved.definition.phases)


def _is_new(state: RunState, recall: RecallOutput) -> bool:
    """Whether there was none to choose from, or a human said that it is none of them."""
    which = [a.answer for a in _brief(state).answers if a.id == "startup"]
    return not recall.startups or any(which)


def _startup(state: RunState, plan: Plan) -> Startup:
    name = hashlib.sha256(state.run_id.encode()).hexdigest()[:32]
    return Startup(
        id=f"startup-{name}",
        user_id=state.request.user_id,
        name=plan.title[:NAME_CHARS],
        description=_description(_brief(state)),
        search_terms=[term[:TERM_CHARS] for term in plan.search_terms],
        geographical_scope=plan.geographical_scope,
        metadata={"run_id": state.run_id},
    )


def _description(brief: Brief) -> str:
    given = [f"{a.question} {a.answer}" for a in brief.answers if a.answer and a.id != "startup"]
    whole = "\n".join([brief.query, *given])
    return whole if len(whole) <= SHORT_CHARS else brief.query


def _brief(state: RunState) -> Brief:
    found = output_of(state, "brief")
    return Brief.model_validate(found) if found else Brief(query=state.request.query)


def _told(startup: Startup) -> StartupBody:
    """Return a startup without what is the store's to say."""
    return StartupBody(**{name: getattr(startup, name) for name in StartupBody.model_fields})
