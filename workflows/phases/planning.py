"""`planning`: the plan a human approves, reviewed and priced before it is shown."""

import copy
from typing import Any

from contracts.base import Json, schema_of
from contracts.crews import CrewAgent
from contracts.drafts import PlanReview
from contracts.inputs import data
from contracts.models import Input
from contracts.phases.crew import CrewPhase
from contracts.phases.planning import PlanningOutput, PlanningPhase
from contracts.research import Brief, PlanDraft, Startup
from workflows.context import PhaseContext
from workflows.kinds import Kind, Need, Tokens
from workflows.pricing import priced
from workflows.prompts import planning as prompts


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
        name,
        "planner",
        prompts.PLAN,
        [*_inputs(phase, run), *extra],
        PlanDraft,
        output_schema=_schema(run),
        max_tokens=2_500,
    )
    return draft.model_copy(update={"steps": draft.steps[: phase.config.max_plan_steps]})


def _crew(run: PhaseContext) -> list[CrewAgent]:
    """Return the agents whom the plan's steps are for, where a crew works later."""
    phases = run.state.resolved.definition.phases
    ahead = [p for p in phases if isinstance(p, CrewPhase) and p.enabled]
    return [agent for phase in ahead for agent in phase.config.agents]


def _schema(run: PhaseContext) -> Json:
    """Return the plan's schema; its steps are for agents that there are."""
    schema = schema_of(PlanDraft)
    if crew := _crew(run):
        schema = copy.deepcopy(schema)
        step: Any = schema["$defs"]
        step["PlanStep"]["properties"]["agent_role"] = {
            "type": "string",
            "enum": [agent.id for agent in crew],
        }
    return schema


def _inputs(phase: PlanningPhase, run: PhaseContext) -> list[Input]:
    brief = run.need_as("brief", Brief) or Brief(query=run.state.request.query)
    inputs = [
        data("question", brief.query),
        data("answers", brief.answers),
        data("max_plan_steps", str(phase.config.max_plan_steps)),
    ]
    if crew := _crew(run):
        inputs.append(data("crew", [a.model_dump(include={"id", "role", "goal"}) for a in crew]))
    if startup := run.need_as("startup", Startup):
        inputs.append(data("startup", startup.told))
    if phase.config.plan_instructions:
        inputs.append(data("instructions", phase.config.plan_instructions))
    if run.me.feedback:
        inputs.append(data("feedback", "\n".join(run.me.feedback)))
    return inputs


KIND = Kind(
    phase=PlanningPhase,
    handler=planning,
    output=PlanningOutput,
    title="Plan",
    description="Drafts, reviews and prices the plan a human approves.",
    category="plan",
    icon="list",
    needs=lambda _: (Need("brief", required=False), Need("startup", required=False)),
    agents=lambda _: ("planner", "plan_reviewer"),
    tokens=lambda _: (Tokens(3_000, 1_000, slack=2_500, role="planner"),),
)
