"""`planning`: the plan a human approves, reviewed and priced before it is shown."""

import copy
from typing import Any

from contracts.base import Json, schema_of
from contracts.models.call import Input
from contracts.models.inputs import data
from contracts.phases.planning import PlanningOutput, PlanningPhase
from contracts.report.drafts import PlanReview
from contracts.report.research import Idea, PlanDraft, Startup
from domain.report.patches import fold_patches, outline_report
from workflows.agents.query_decomposition import decompose_query, read_constraints
from workflows.prompts import planning as prompts
from workflows.runtime.context import PhaseContext
from workflows.runtime.kind import Kind, Need, Tokens
from workflows.runtime.plan_price import price_plan


async def planning(phase: PlanningPhase, run: PhaseContext) -> PlanningOutput:
    """Draft, review as often as configured, price; a human's feedback is an input like any other."""
    parts = await _parts(phase, run)
    draft = await _draft(phase, run, "draft", parts)
    for number in range(1, reviews(phase) + 1):
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
        extra = [*parts, data("plan", draft), data("issues", review.issues)]
        draft = await _draft(phase, run, f"redraft-{number}", extra)
    plan = price_plan(run.state, run.me.id, draft)
    return PlanningOutput(plan=plan, plan_hash=plan.hash)


async def _parts(phase: PlanningPhase, run: PhaseContext) -> list[Input]:
    """Return the clarified question taken apart, where that is wanted."""
    if not phase.config.decompose:
        return []
    inputs = [*_inputs(phase, run), data("min_questions", "0"), data("max_questions", "0")]
    parts = await decompose_query(run, "decompose", "planner", inputs)
    return [data("decomposition", parts.model_dump(mode="json", exclude={"questions"}))]


def reviews(phase: PlanningPhase) -> int:
    """Return how many reviews there may be, each with a call to take up what it asks for."""
    return min(phase.config.n_plan_reviews, (phase.config.max_rounds - 1) // 2)


async def _draft(
    phase: PlanningPhase, run: PhaseContext, name: str, extra: list[Input]
) -> PlanDraft:
    draft = await run.generate(
        name,
        "planner",
        prompts.PLAN,
        [*_inputs(phase, run), *extra],
        PlanDraft,
        output_schema=_schema(run),
        max_tokens=2_500,
    )
    return draft.model_copy(update={"steps": draft.steps[: phase.config.max_plan_steps]})


def _schema(run: PhaseContext) -> Json:
    """Return the plan's schema; its steps are for those who work on them later."""
    schema = schema_of(PlanDraft)
    if roles := run.plan_roles():
        schema = copy.deepcopy(schema)
        step: Any = schema["$defs"]
        step["PlanStep"]["properties"]["agent_role"] = {
            "type": "string",
            "enum": [role.id for role in roles],
        }
    return schema


def _inputs(phase: PlanningPhase, run: PhaseContext) -> list[Input]:
    brief = run.brief
    inputs = [
        data("question", brief.query),
        data("answers", brief.answers),
        data("max_plan_steps", str(phase.config.max_plan_steps)),
        *read_constraints(run),
    ]
    if roles := run.plan_roles():
        inputs.append(data("roles", roles))
    if startup := run.need_as("startup", Startup):
        inputs.append(data("startup", startup.told))
    if idea := run.need_as("selected_idea", Idea):
        inputs.append(data("idea", idea))
    if run.state.patches:
        inputs.append(data("report", outline_report(fold_patches(run.state.patches))))
    texts = {
        "instructions": phase.config.plan_instructions,
        "hardware_constraints": phase.config.hardware_constraints,
        "feedback": "\n".join(run.me.feedback),
    }
    return [*inputs, *(data(name, text) for name, text in texts.items() if text)]


KIND = Kind(
    phase=PlanningPhase,
    handler=planning,
    output=PlanningOutput,
    title="Plan",
    description="Drafts, reviews and prices the plan a human approves.",
    category="plan",
    icon="list",
    needs=lambda _: (
        Need("brief", required=False),
        Need("startup", required=False),
        Need("selected_idea", required=False),
    ),
    agents=lambda _: ("planner", "plan_reviewer"),
    tokens=lambda phase: (
        Tokens(3_000, 1_000, slack=2_500, role="planner"),
        *((Tokens(1_000, 400, slack=2_000, role="planner"),) if phase.config.decompose else ()),
    ),
)
