"""`planning`: the plan for a human to approve, reviewed and priced."""

import copy
from typing import Any

from contracts.base import get_answer_schema
from contracts.models.call import Input, build_inputs
from contracts.phases.generate import Review
from contracts.phases.planning import PlanningOutput, PlanningPhase
from contracts.report.research import Idea, PlanDraft
from domain.report.patches import fold_patches, outline_report
from workflows.agents.query_decomposition import decompose_query, read_constraints
from workflows.prompts import load_prompts
from workflows.runtime.context import PhaseContext
from workflows.runtime.kind import Kind, Tokens, optional
from workflows.runtime.plan_price import price_plan

PROMPTS = load_prompts("planning")


async def planning(phase: PlanningPhase, run: PhaseContext) -> PlanningOutput:
    """Draft a plan, have it reviewed and revised as often as configured, and price it."""
    decomposition = await _decompose(phase, run)
    draft = await _draft(phase, run, "draft", decomposition)
    # A review needs a further call for the revision.
    reviews = min(phase.config.n_plan_reviews, (phase.config.max_rounds - 1) // 2)
    for number in range(1, reviews + 1):
        review = await run.generate(
            f"review-{number}",
            "plan_reviewer",
            PROMPTS["review"],
            [*_build_inputs(phase, run), *build_inputs(plan=draft)],
            Review,
            max_tokens=800,
        )
        if review.accepted or not review.issues:
            break
        more = [*decomposition, *build_inputs(plan=draft, issues=review.issues)]
        draft = await _draft(phase, run, f"redraft-{number}", more)
    plan = price_plan(run.state, run.me.id, draft)
    return PlanningOutput(plan=plan, plan_hash=plan.hash)


async def _decompose(phase: PlanningPhase, run: PhaseContext) -> list[Input]:
    """Return the question taken apart, as its clarification left it, or else by a call of its own."""
    if not phase.config.decompose or run.me.earlier:  # a revision starts from its own plan
        return []
    parts = run.brief.model_dump(include={"expanded_queries", "outline", "assumptions"})
    if not run.brief.outline:
        no_questions = build_inputs(min_questions="0", max_questions="0")
        inputs = [*_build_inputs(phase, run), *no_questions]
        made = await decompose_query(run, "decompose", "planner", inputs)
        parts = made.model_dump(mode="json", exclude={"questions"})
    return build_inputs(decomposition=parts)


async def _draft(
    phase: PlanningPhase, run: PhaseContext, name: str, more: list[Input]
) -> PlanDraft:
    schema: Any = get_answer_schema(PlanDraft)
    if roles := run.find_plan_roles():  # steps are for the roles of later phases
        schema = copy.deepcopy(schema)
        role = {"type": "string", "enum": [role.id for role in roles]}
        schema["$defs"]["PlanStep"]["properties"]["agent_role"] = role
    draft = await run.generate(
        name,
        "planner",
        PROMPTS["plan"],
        [*_build_inputs(phase, run), *more],
        PlanDraft,
        output_schema=schema,
        max_tokens=2_500,
    )
    return draft.model_copy(update={"steps": draft.steps[: phase.config.max_plan_steps]})


def _build_inputs(phase: PlanningPhase, run: PhaseContext) -> list[Input]:
    patches = run.state.patches
    return run.build_inputs(
        max_plan_steps=str(phase.config.max_plan_steps),
        constraints=read_constraints(run),
        roles=run.find_plan_roles() or None,
        idea=run.need_as("selected_idea", Idea),
        report=outline_report(fold_patches(patches)) if patches else None,
        instructions=phase.config.plan_instructions,
        hardware_constraints=phase.config.hardware_constraints,
    )


KIND = Kind(
    phase=PlanningPhase,
    handler=planning,
    output=PlanningOutput,
    title="Plan",
    description="Drafts, reviews and prices the plan for a human to approve.",
    category="plan",
    icon="list",
    needs=lambda _: optional("brief", "startup", "selected_idea"),
    agents=lambda _: ("planner", "plan_reviewer"),
    tokens=lambda phase: (
        Tokens(3_000, 1_000, slack=2_500, role="planner"),
        *((Tokens(1_000, 400, slack=2_000, role="planner"),) if phase.config.decompose else ()),
    ),
)
