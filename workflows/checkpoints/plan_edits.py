"""A plan edited by a human, within what its planner may give; which work the edit undoes. Pure."""

from collections.abc import Callable

from pydantic import TypeAdapter, ValidationError

from contracts.agents.steps import StepResult
from contracts.errors import InvalidInput, NotAllowed
from contracts.human.checkpoints import Checkpoint
from contracts.human.messages import Decide
from contracts.notices import Notice
from contracts.phases.hitl_checkpoint import HitlCheckpointPhase
from contracts.phases.planning import PlanningOutput, PlanningPhase
from contracts.planning.assumptions import number_assumptions
from contracts.planning.plan import Plan, PlanDraft, PlanRole
from contracts.planning.plan_changes import PlanChange
from contracts.problems import Problem, list_problems
from contracts.runs.state import PhaseState, RunState
from domain.graph import PhaseGraph
from domain.planning.depth import change_depth, plan_at
from domain.planning.plan_changes import list_plan_changes, merge_plan_changes
from workflows.checkpoints.approval_gate import is_approval
from workflows.checkpoints.prices.plan_price import price_depths, price_plan

FindRoles = Callable[[RunState, str], list[PlanRole]]
"""Returns those who work on a plan's steps in the phases after one."""
NEVER_EMPTY = ("goal", "requirements", "steps", "search_terms", "outline")
"""Fields that a planner must fill in; humans may change but not empty them."""
_STEPS = TypeAdapter(list[StepResult])


def modify_plan(
    state: RunState, checkpoint: Checkpoint, said: Decide, find_roles: FindRoles
) -> Checkpoint:
    """Return the checkpoint with the human's changes to its plan and a new price, or say why it cannot be changed."""
    named = [
        phase.id
        for phase in state.resolved.definition.phases
        if isinstance(phase, HitlCheckpointPhase) and phase.config.approvers
    ]
    if named and checkpoint.poll is None:  # only the approvers change the plan they decide on
        raise NotAllowed(Problem.at("action", "approvers-change-plan", phase=named[0]))
    if checkpoint.plan is None:
        raise InvalidInput(Problem.at("action", "no-plan-shown"))
    fields = checkpoint.plan.model_dump(include={*PlanDraft.model_fields})
    shown = PlanDraft.model_validate(fields)
    done = {*list_done_steps(state, checkpoint.phase_id)}
    changed = _apply(shown, said, done)
    _require_done_unchanged(shown, changed, done)
    _require_plannable(state, checkpoint, shown, changed, find_roles)
    if changed.depth != shown.depth and "search_terms" not in (said.modifications or {}):
        changed = plan_at(changed, changed.depth, state.resolved.depths)
    again = find_beside(state, checkpoint.phase_id)
    plan = price_plan(state, changed, again=again, servers=checkpoint.plan.servers)
    told = merge_plan_changes(checkpoint.changed, list_plan_changes(shown, changed))
    return checkpoint.replace_plan(plan).model_copy(
        update={
            "changed": told,
            "differences": compare_plan(state, plan),
            "depths": price_depths(state, plan, again),
        }
    )


def compare_plan(state: RunState, plan: Plan) -> list[PlanChange] | None:
    """Return the differences between a plan and the one that humans last saw.

    Return None if they saw none so far, or have approved this one.
    """
    is_approved = any(is_approval(d) and d.plan_hash == plan.hash for d in state.decisions)
    if state.shown_plan is None or is_approved:
        return None
    return list_plan_changes(state.shown_plan, plan)


def replace_plan(state: RunState, changed: Checkpoint) -> list[PhaseState]:
    """Put a checkpoint's plan in place of the one it was opened with; return its planners."""
    planners = state.providers(changed.phase_id, "plan")
    assert changed.plan
    state.shown_plan = changed.plan
    state.resolved = change_depth(state.resolved, changed.plan.depth)
    output = PlanningOutput(plan=changed.plan, plan_hash=changed.plan.hash)
    for planner in planners:
        planner.output = output.model_dump(mode="json")
    return planners


def find_beside(state: RunState, phase_id: str) -> set[str]:
    """Return the other phases that use its plan: a change of the plan discards their work."""
    graph = PhaseGraph(state.resolved.definition.phases)
    planners = state.providers(phase_id, "plan")
    resting = {name for planner in planners for name in graph.find_descendants(planner.id)}
    ahead = graph.to_ids(graph.ancestors[phase_id])
    return resting - {phase_id, *ahead, *graph.find_descendants(phase_id)}


def list_done_steps(state: RunState, phase_id: str) -> list[int]:
    """Return the numbers of the plan's steps that are done and that a change at a phase does not undo."""
    planners = {planner.id for planner in state.providers(phase_id, "plan")}
    undone = find_beside(state, phase_id)
    done: set[int] = set()
    for phase in state.phases:
        bound = state.resolved.bindings.get(phase.id, {}).get("plan", [])
        if phase.kind == "control" and phase.id not in undone and planners & {*bound}:
            given = _STEPS.validate_python((phase.output or {}).get("steps", []))
            done |= {result.number for result in [*phase.progress.steps.done, *given]}
    return sorted(done)


def _require_done_unchanged(shown: PlanDraft, changed: PlanDraft, done: set[int]) -> None:
    """Refuse to change, remove or move a step that is done: plan and work would disagree."""
    for number in sorted(done):
        step = shown.steps[number - 1] if number <= len(shown.steps) else None
        if step is None or changed.steps[number - 1 : number] == [step]:
            continue
        left = [str(n) for n in range(1, len(shown.steps) + 1) if n not in done]
        told = Notice.of("step-done-unchanged", number=number, name=step.name)
        if left:
            told = Notice.of("step-done-others", number=number, name=step.name, left=left)
        raise InvalidInput(Problem.told(f"modifications.steps.{number - 1}", told))


def _apply(shown: PlanDraft, said: Decide, done: set[int]) -> PlanDraft:
    """Return the shown plan with the human's modifications.

    Completed steps keep the fields that the modification omits.
    """
    allowed = list(PlanDraft.model_fields)
    if not said.modifications:
        raise InvalidInput(Problem.at("modifications", "plan-fields-missing", allowed=allowed))
    for name in said.modifications:
        if name not in allowed:
            path = f"modifications.{name}"
            raise InvalidInput(Problem.at(path, "plan-field-unknown", allowed=allowed))
    given = dict(said.modifications)
    if isinstance(steps := given.get("steps"), list):
        kept = {n: step.model_dump() for n, step in enumerate(shown.steps, start=1) if n in done}
        given["steps"] = [
            {**kept.get(n, {}), **step} if isinstance(step, dict) else step
            for n, step in enumerate(steps, start=1)
        ]
    if "assumptions" in given:  # new assumptions must not get the ids of removed ones
        given["assumptions"] = number_assumptions(given["assumptions"], shown.assumptions)
    try:
        changed = PlanDraft.model_validate({**shown.model_dump(), **given})
    except ValidationError as error:
        raise InvalidInput(list_problems(error.errors(), "modifications")) from None
    if changed == shown:
        raise InvalidInput(Problem.at("modifications", "plan-unchanged"))
    return changed


def _require_plannable(
    state: RunState,
    checkpoint: Checkpoint,
    shown: PlanDraft,
    changed: PlanDraft,
    find_roles: FindRoles,
) -> None:
    """Refuse modifications that the plan's planner could not have produced."""
    for name in NEVER_EMPTY:
        if getattr(shown, name) and not getattr(changed, name):
            raise InvalidInput(Problem.at(f"modifications.{name}", "plan-field-empty"))
    if changed.steps == shown.steps:
        return
    known = {step.agent_role for step in shown.steps}
    for planner in state.providers(checkpoint.phase_id, "plan"):
        phases = state.resolved.definition.phases
        own = next(phase for phase in phases if phase.id == planner.id)
        if isinstance(own, PlanningPhase) and len(changed.steps) > own.config.max_plan_steps:
            most = own.config.max_plan_steps
            count = len(changed.steps)
            raise InvalidInput(
                Problem.at(
                    "modifications.steps", "plan-steps-many", most=most, phase=own.id, n=count
                )
            )
        if roles := [role.id for role in find_roles(state, planner.id)]:
            for n, step in enumerate(changed.steps):
                if step.agent_role not in {*known, *roles}:
                    path = f"modifications.steps.{n}.agent_role"
                    raise InvalidInput(Problem.at(path, "not-among", allowed=roles))
