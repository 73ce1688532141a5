"""`research`: the function agent searches and reads what the approved plan asks for."""

from temporalio.exceptions import ActivityError

from contracts.drafts import Findings
from contracts.inputs import data
from contracts.models import Input
from contracts.phases.research import ResearchOutput, ResearchPhase
from contracts.research import Plan
from workflows.agent import Agent, AgentSpec
from workflows.context import PhaseContext
from workflows.kinds import Kind, Need, Tokens
from workflows.pricing import kept_for_later
from workflows.prompts import research as prompts
from workflows.toolbox import Toolbox

ROLE = "researcher"
EXCUSED = ("budget-exceeded", "model-truncated", "model-refused", "output-invalid")
"""What ends an agent without throwing away the pages it has read."""


async def research(phase: ResearchPhase, run: PhaseContext) -> ResearchOutput:
    """Work until the agent is done, its turns are used up, or the budget's share is."""
    plan = run.approved_plan()
    config = phase.config
    toolbox = Toolbox(
        run,
        ROLE,
        max_sources=config.max_sources,
        max_results=config.max_search_results_per_query,
    )
    spec = AgentSpec(
        role=ROLE,
        system=prompts.RESEARCH,
        inputs=_inputs(phase, run, plan),
        output=Findings,
        max_turns=config.max_turns,
        keep_usd=kept_for_later(run.state, run.me.kind, plan),
    )
    try:
        output, reason = await Agent(run, spec, toolbox).work()
    except ActivityError as error:
        output, reason = None, _excused(run, error)
    found = Findings.model_validate(output) if output else Findings(findings=[])
    sources = list(run.state.sources)
    if not sources:
        run.warn("no page could be read; the report will say what is missing")
    return ResearchOutput(
        sources=sources,
        findings=[f for f in found.findings if f.source <= len(sources)],
        searches=toolbox.searches,
        gaps=found.gaps,
        end_reason=reason,
    )


def _excused(run: PhaseContext, error: ActivityError) -> str:
    """Return why the agent ended early; what was read so far is not thrown away for it."""
    info = run.fail_info(error)
    if info.type not in EXCUSED or not run.state.sources:
        raise error
    run.warn(f"ended early ({info.message}); went on with what was read")
    return info.type


def _inputs(phase: ResearchPhase, run: PhaseContext, plan: Plan) -> list[Input]:
    brief = run.brief
    shown = plan.model_dump(mode="json", exclude={"estimated_cost", "estimated_duration"})
    return [
        data("question", brief.query),
        data("answers", brief.answers),
        data("plan", shown),
        data("max_sources", str(phase.config.max_sources)),
    ]


KIND = Kind(
    phase=ResearchPhase,
    handler=research,
    output=ResearchOutput,
    title="Research",
    description="An agent searches and reads what the approved plan asks for.",
    category="execute",
    icon="search",
    needs=lambda _: (Need("plan"), Need("brief", required=False)),
    web=lambda _: True,
    agents=lambda _: ("researcher",),
    tokens=lambda _: (Tokens(4_000, 400, 4_300, 60, slack=6_000, role="researcher"),),
)
