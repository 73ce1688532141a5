"""`one_shot`: one agent of `control`'s kind, without a plan and without the web."""

from contracts.agents.steps import StepResult
from contracts.models.call import Input
from contracts.models.inputs import data
from contracts.phases.one_shot import OneShotOutput, OneShotPhase
from contracts.report.research import Brief, PlanStep, Report
from workflows.agents.report_verification import checked
from workflows.agents.step_attempts import Attempts, Step, cursor_of
from workflows.agents.step_inputs import section
from workflows.agents.toolbox import Toolbox
from workflows.runtime.context import PhaseContext
from workflows.runtime.kind import Kind, Need, Tokens

LABEL = "task"


async def one_shot(phase: OneShotPhase, run: PhaseContext) -> OneShotOutput:
    """Have one agent do what was asked for, as often as it takes within the attempts."""
    config = phase.config
    toolbox = Toolbox(run, config.agent if config.agent == "engineer" else "", plan_step=LABEL)
    brief = run.brief
    step = Step(
        label=LABEL,
        name=brief.query[:200],
        role=config.agent,
        inputs=_inputs(brief),
    )
    cursor = cursor_of(run)
    draft = await Attempts(run, config, step, toolbox, cursor).work()
    result = StepResult(
        **{**draft.model_dump(), "findings": []},
        number=1,
        name=step.name,
        agent_role=config.agent,
        attempts=cursor.tries + 1,
        failures=cursor.failures,
    )
    report = Report(title=step.name, sections=[section(result)])
    return OneShotOutput(
        result=result,
        report=await checked(run, report, [], []),
        artifacts=list(run.state.artifacts),
    )


def _inputs(brief: Brief) -> list[Input]:
    asked = PlanStep(name=brief.query[:200], description=brief.query)
    return [data("question", brief.query), data("answers", brief.answers), data("steps", [asked])]


KIND = Kind(
    phase=OneShotPhase,
    handler=one_shot,
    output=OneShotOutput,
    title="Do",
    description="One agent does it at once, without a plan and without the web.",
    category="execute",
    icon="zap",
    needs=lambda _: (Need("brief", required=False),),
    agents=lambda phase: (phase.config.agent, *phase.config.helpers),
    tokens=lambda phase: (
        Tokens(3_000, 600, slack=6_000, role=phase.config.agent),
        Tokens(2_000, 60, role="step_reviewer"),
    ),
)
