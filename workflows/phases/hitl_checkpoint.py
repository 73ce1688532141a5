"""`hitl_checkpoint`: a decision by a human."""

from datetime import datetime

from temporalio.exceptions import ActivityError

from activities.startups import SaveRequest, StartupActivities
from contracts.base import Json
from contracts.errors import NothingFound
from contracts.phases.hitl_checkpoint import CheckpointOutput, HitlCheckpointPhase
from contracts.report.research import Idea, Plan
from contracts.runs.state import Checkpoint
from workflows.checkpoints.approval import is_approval
from workflows.checkpoints.approved_startup import (
    build_startup,
    describe_startup,
    find_recall,
)
from workflows.checkpoints.decisions import ACTIONS
from workflows.checkpoints.votes import open_poll
from workflows.runtime.context import PhaseContext
from workflows.runtime.control_flow import RevisionRequested
from workflows.runtime.kind import Kind, Need
from workflows.runtime.truncation import truncate

_QUESTIONS = {
    "after_planning": "Approve this plan?",
    "before_execution": "Start now?",
    "after_execution": "Accept these results?",
    "custom": "Your decision, please.",
}
KEEPS = "Approving it also keeps it as a startup of yours, which later runs can be about."
CONTEXT_CHARS = 20_000
"""Of all outputs so far, each truncated to its share."""


def needs(phase: HitlCheckpointPhase) -> tuple[Need, ...]:
    """Return `plan`, required if the checkpoint is about it, and for `custom` the ideas."""
    config = phase.config
    about_plan = config.show_plan and config.checkpoint_type == "after_planning"
    ideas = [Need("ideas", required=False)] if config.checkpoint_type == "custom" else []
    return (Need("plan", required=about_plan), *ideas)


async def hitl_checkpoint(phase: HitlCheckpointPhase, run: PhaseContext) -> CheckpointOutput:
    """Wait for a decision; without `require_approval`, ask nobody and unlock nothing."""
    if not phase.config.require_approval:
        run.tell("no approval was required here; nothing was unlocked")
        return CheckpointOutput(approval={"action": "none"})
    if run.state.resolved.bindings[run.me.id].get("ideas") and not run.provider("ideas"):
        raise NothingFound("there is nothing to choose from")
    plan = run.need_as("plan", Plan) if phase.config.show_plan else None
    checkpoint = _build_checkpoint(phase, run, plan)
    decision = await run.ask_decision(checkpoint, phase.config.default_on_timeout)
    ideas = None if checkpoint.plan_hash else run.provider("ideas")
    if decision.action == "revise":
        raise RevisionRequested(ideas or run.provider("plan") or run.me.id, decision.feedback)
    if ideas:
        output = run.state.phase(ideas).output or {}
        for idea in run.need_list("ideas", Idea):  # the human's choice replaces the critic's
            if idea.title == decision.choice:
                chosen: Json = {**output, "selected_idea": idea.model_dump(mode="json")}
                run.replace_output(ideas, chosen)
    if is_approval(decision) and decision.plan_hash:
        await _save_startup(run, decision.plan_hash)
    return CheckpointOutput(approval=decision.model_dump(mode="json"))


def _build_checkpoint(
    phase: HitlCheckpointPhase, run: PhaseContext, plan: Plan | None
) -> Checkpoint:
    config = phase.config
    ideas = run.need_list("ideas", Idea) if plan is None else []
    options = list(config.options)
    if ideas and all(option in ACTIONS for option in options):  # no choices of its own
        options = [*(idea.title for idea in ideas), *(o for o in options if o != "modify")]
    if (plan or ideas) and "revise" not in options:
        options.append("revise")
    subject: Json | None = plan.model_dump(mode="json") if plan else None
    if ideas and (source := run.provider("ideas")):
        subject = run.state.phase(source).output
    context: Json | None = None
    if config.show_context:
        outputs = {p.id: p.output for p in run.state.phases if p.output}
        share = CONTEXT_CHARS // max(len(outputs), 1)
        context = {name: truncate(output, share) for name, output in outputs.items()}
    told = []
    if plan:
        keeps = phase.unlocks and build_startup(run.state, plan)
        told = [*filter(None, [describe_startup(run.state)]), *([KEEPS] if keeps else [])]
    return Checkpoint(
        checkpoint_id=f"{run.me.id}-{run.me.attempt}",
        phase_id=run.me.id,
        kind="decision",
        options=options,
        message=" ".join([config.custom_message or _QUESTIONS[config.checkpoint_type], *told]),
        subject=subject,
        context=context,
        plan_hash=plan.hash if plan else None,
        deadline=run.compute_deadline(config.wait_seconds),
        poll=open_poll(
            config.approvers, run.state.request.user_id, datetime.fromisoformat(run.now())
        )
        if config.approvers
        else None,
    )


async def _save_startup(run: PhaseContext, plan_hash: str) -> None:
    """Save the approved plan's startup, if that is wanted; a failure is only a warning."""
    plan = run.need_as("plan", Plan)
    startup = build_startup(run.state, plan) if plan and plan.hash == plan_hash else None
    if startup is None:
        return
    request = SaveRequest(scope=run.scope("startup"), startup=startup)
    try:
        with run.timer.pause():
            saved = await run.execute_activity(
                "startup", StartupActivities.save, request, summary="save startup"
            )
    except ActivityError as error:
        message = f"the startup could not be saved: {run.describe_failure(error).message}"
        run.state.warnings.append(message)
        run.tell(message, "warning")
        return
    if recall := find_recall(run.state):
        output: Json = {**(recall.output or {}), "startup": saved.model_dump(mode="json")}
        run.replace_output(recall.id, output)
    run.tell(f"saved as startup ‘{saved.name}’ ({saved.id}), which later runs can be about")


KIND = Kind(
    phase=HitlCheckpointPhase,
    handler=hitl_checkpoint,
    output=CheckpointOutput,
    title="Approve",
    description="Waits for a human's decision.",
    category="plan",
    icon="hand",
    needs=needs,
    waits=True,
    content=False,
)
