"""`planning`: the plan a human approves, reviewed and priced before it is shown."""

from contracts.drafts import PlanReview
from contracts.models import Input
from contracts.phases import PlanningPhase
from contracts.research import Brief, PlanDraft, PlanningOutput, Startup
from workflows.context import PhaseContext
from workflows.pricing import priced
from workflows.prompts import planning as prompts
from workflows.prompts.fences import data


async def planning(phase: PlanningPhase, run: PhaseContext) -> PlanningOutput:
    """Draft, review as often as configured, price; a human's feedback is an input like any other."""
    draft = await _draft(phase, run, "draft", [])
    for number in range(1, phase.config.n_plan_reviews + 1):
        review = await run.generate(
            f"review-{number}",
            "plan_reviewer",
            prompts.REVIEW,
            [*_inputs(phase, run), data("plan", draft)],
            PlanReview,
            max_tokens=800,
        )
        if review.accepted or not review.issues:
            break
        extra = [data("plan", draft), data("issues", review.issues)]
        draft = await _draft(phase, run, f"redraft-{number}", extra)
    plan = priced(run.state, draft)
    return PlanningOutput(plan=plan, plan_hash=plan.hash)


async def _draft(
    phase: PlanningPhase, run: PhaseContext, name: str, extra: list[Input]
) -> PlanDraft:
    draft = await run.generate(
        name, "planner", prompts.PLAN, [*_inputs(phase, run), *extra], PlanDraft, max_tokens=2_500
    )
    return draft.model_copy(update={"steps": draft.steps[: phase.config.max_plan_steps]})


def _inputs(phase: PlanningPhase, run: PhaseContext) -> list[Input]:
    brief = run.need_as("brief", Brief) or Brief(query=run.state.request.query)
    inputs = [
        data("question", brief.query),
        data("answers", brief.answers),
        data("max_plan_steps", str(phase.config.max_plan_steps)),
    ]
    if startup := run.need_as("startup", Startup):
        inputs.append(data("startup", startup))
    if phase.config.plan_instructions:
        inputs.append(data("instructions", phase.config.plan_instructions))
    if run.me.feedback:
        inputs.append(data("feedback", "\n".join(run.me.feedback)))
    return inputs
