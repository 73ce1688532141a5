"""`hitl_checkpoint`: a decision by a human."""

from collections.abc import Collection
from dataclasses import replace
from datetime import datetime

from temporalio.exceptions import ActivityError

from activities.startup_companies import SaveRequest, StartupActivities
from contracts.base import Json
from contracts.human.checkpoint_subjects import PlanSubject, ResultsSubject, Subject
from contracts.human.checkpoints import Checkpoint
from contracts.human.messages import ACTIONS, Action, Choice
from contracts.notices import Notice
from contracts.phases.base import Needs
from contracts.phases.hitl_checkpoint import (
    CheckpointInput,
    CheckpointOutput,
    HitlCheckpointConfig,
    HitlCheckpointPhase,
)
from contracts.planning.brief import Idea
from contracts.planning.plan import Plan
from contracts.search import name_services
from workflows.checkpoints.approval_gate import is_approval
from workflows.checkpoints.eligible_approvers import open_poll
from workflows.checkpoints.plan_edits import list_done_steps
from workflows.checkpoints.prices.plan_price import list_wish_notices, price_depths
from workflows.checkpoints.revision import find_revised
from workflows.checkpoints.startup_company_to_keep import (
    build_startup,
    describe_startup,
    find_recall,
    offer_startup,
)
from workflows.checkpoints.subjects import (
    build_ideas_subject,
    describe_sent_back_outputs,
    show_outputs,
)
from workflows.checkpoints.wait_for_human import compute_deadline
from workflows.phase_context.context import PhaseContext
from workflows.phase_context.kind import Kind
from workflows.runtime.failures import describe_failure
from workflows.runtime.stops_and_revisions import RevisionRequested

ALSO_SHOWN = {"custom": "ideas", "after_execution": "results"}
"""What a checkpoint of each type shows besides the plan."""


def adapt_needs(phase: HitlCheckpointPhase, needs: Needs) -> Needs:
    """Return `plan`, required if the checkpoint is about it, for `custom` the ideas, or the results."""
    kind = phase.config.checkpoint_type
    about_plan = phase.shows_plan and kind == "after_planning"
    kept = {name: need for name, need in needs.items() if name in ("plan", ALSO_SHOWN.get(kind))}
    return kept | {"plan": replace(needs["plan"], required=about_plan)}


async def hitl_checkpoint(
    phase: HitlCheckpointPhase, given: CheckpointInput, run: PhaseContext
) -> CheckpointOutput:
    """Wait for a decision; without `require_approval`, ask nobody and unlock nothing."""
    if not phase.config.require_approval:
        run.log.tell(Notice.of("approval-not-required", "info"))
        return CheckpointOutput(approval={"action": "none"})
    plan = given.plan if phase.shows_plan else None
    checkpoint = _build_checkpoint(phase, given, run, plan)
    decision = await run.humans.ask_decision(checkpoint, phase.config.default_on_timeout)
    if decision.action == "revise":
        revised = find_revised(run.state, run.me.id, given.results, plan=plan is not None)
        raise RevisionRequested(revised, decision.feedback)
    if plan is None and (maker := run.find_provider("ideas")):
        output = run.state.phase(maker).output or {}
        for idea in given.ideas:  # the human's choice overrides the critic's
            if idea.title == decision.choice:
                chosen: Json = {**output, "selected_idea": idea.model_dump(mode="json")}
                run.log.replace_output(maker, chosen)
    if is_approval(decision) and decision.plan_hash and decision.keep_startup:
        await _save_startup(run, decision.plan_hash)
    return CheckpointOutput(approval=decision.model_dump(mode="json"))


def _build_checkpoint(
    phase: HitlCheckpointPhase, given: CheckpointInput, run: PhaseContext, plan: Plan | None
) -> Checkpoint:
    config = phase.config
    ideas = given.ideas if plan is None else []
    subject: Subject | None = PlanSubject(plan=plan) if plan else None
    if ideas and (source := run.find_provider("ideas")):
        subject = build_ideas_subject(run.state, source)
    elif given.results:
        subject = ResultsSubject(results=show_outputs(run.state, given.results))
    shown: Collection[str] = [run.find_provider("ideas") or ""] if ideas else given.results
    sent_back = describe_sent_back_outputs(run.state, run.me.id, [] if plan else shown)
    options = _list_options(config, ideas, is_plan=plan is not None, is_shown=subject is not None)
    told = [*describe_startup(run.state), *list_wish_notices(plan)] if plan else []
    makers = {
        run.find_provider("plan") if plan else "",
        run.find_provider("ideas") if ideas else "",
    }
    told += [n for maker in sorted(filter(None, makers)) for n in run.state.phase(maker).notices]
    if sent_back:
        told.append(Notice.of("ask-version", n=sent_back.version))
    if plan and phase.unlocks and run.state.refusing:
        told.append(Notice.of("ask-search-refused", services=name_services(run.state.refusing)))
    return Checkpoint(
        checkpoint_id=f"{run.me.id}-{run.me.attempt}",
        phase_id=run.me.id,
        kind="decision",
        options=[option if isinstance(option, str) else option.label for option in options],
        choices=[option for option in options if isinstance(option, Choice)],
        asks=[_choose_question(config, ideas), *told],
        subject=subject,
        sent_back=sent_back,
        context=show_outputs(run.state) if config.show_context else [],
        plan_hash=plan.hash if plan else None,
        depths=price_depths(run.state, plan) if plan and phase.unlocks else [],
        done_steps=list_done_steps(run.state, run.me.id) if plan else [],
        keep_startup=offer_startup(run.state, plan) if plan and phase.unlocks else None,
        deadline=compute_deadline(run.clock.now(), config.wait_seconds),
        poll=open_poll(
            config.approvers, run.state.request.user_id, datetime.fromisoformat(run.clock.now())
        )
        if config.approvers
        else None,
    )


def _choose_question(config: HitlCheckpointConfig, ideas: list[Idea]) -> Notice:
    if config.custom_message:
        return Notice.of("text", "info", text=config.custom_message)
    is_choice = bool(ideas) and config.checkpoint_type == "custom"
    return Notice.of("ask-idea" if is_choice else f"ask-{config.checkpoint_type}", "info")


def _list_options(
    config: HitlCheckpointConfig, ideas: list[Idea], *, is_plan: bool, is_shown: bool
) -> list[Action | Choice]:
    """Return the allowed answers; a plan can always be rejected, and shown output be sent back."""
    own: list[Action | Choice] = [
        Choice(label=option, action="approve")
        if isinstance(option, str) and option not in ACTIONS
        else option
        for option in config.options
        if is_plan or option != "modify"
    ]
    if not any(isinstance(option, Choice) for option in own):
        own = [*(Choice(label=idea.title, action="approve") for idea in ideas), *own]
    meant = {option.action if isinstance(option, Choice) else option for option in own}
    added: dict[Action, bool] = {"revise": is_shown, "reject": is_plan, "approve": not own}
    return [*own, *(action for action, is_due in added.items() if is_due and action not in meant)]


async def _save_startup(run: PhaseContext, plan_hash: str) -> None:
    """Save the approved plan's startup, if that is wanted; a failure is only a warning."""
    plan = run.humans.find_plan()
    startup = build_startup(run.state, plan) if plan and plan.hash == plan_hash else None
    if startup is None:
        return
    request = SaveRequest(scope=run.calls.scope("startup"), startup=startup)
    try:
        with run.timer.pause():
            saved = await run.calls.execute_activity(
                "startup", StartupActivities.save, request, summary="save startup"
            )
    except ActivityError as error:
        unsaved = Notice.of("startup-unsaved", reason=describe_failure(error).words)
        run.state.notices.append(unsaved)
        run.log.tell(unsaved)
        return
    if recall := find_recall(run.state):
        output: Json = {**(recall.output or {}), "startup": saved.model_dump(mode="json")}
        run.log.replace_output(recall.id, output)
    run.log.tell(Notice.of("startup-saved", "info", name=saved.name, id=saved.id))


KIND = Kind(
    handler=hitl_checkpoint,
    category="plan",
    icon="hand",
    adapt_needs=adapt_needs,
    waits=True,
    content=False,
)
