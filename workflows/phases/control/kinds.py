"""`control`: the plan step by step, each reviewed before the next; `one_shot`: one step, no plan."""

from contracts.evidence.claims import JUDGE
from contracts.phases.control import (
    ControlInput,
    ControlOutput,
    ControlPhase,
    OneShotInput,
    OneShotOutput,
    OneShotPhase,
)
from contracts.planning.plan import PlanRole, PlanStep
from contracts.report.report import Report
from domain.report.subject_text import build_section
from workflows.agents.gap_check import CHECK, check_report
from workflows.agents.plan_step import StepRunner
from workflows.agents.report_editor import finish_report
from workflows.agents.toolbox import Toolbox
from workflows.phase_context.context import PhaseContext
from workflows.phase_context.expected_tokens import OWN_SEARCHES, Searches, Tokens, Use
from workflows.phase_context.kind import Kind
from workflows.phases.control.step_context import WEB_ROLE, StepContext
from workflows.phases.control.step_sequence import StepSequence
from workflows.phases.research import READS
from workflows.phases.synthesis import ROLE as WRITER


async def control(phase: ControlPhase, given: ControlInput, run: PhaseContext) -> ControlOutput:
    """Execute the plan step by step."""
    return await StepSequence(StepContext(phase.config, given, run)).execute()


async def one_shot(phase: OneShotPhase, _: OneShotInput, run: PhaseContext) -> OneShotOutput:
    """Let one agent do the whole task."""
    role, task = phase.config.agent, run.brief.query
    step = PlanStep(name=task[:200], description=task)
    toolbox = Toolbox(run, role if role == "engineer" else "", plan_step="task")
    inputs = run.build_inputs(steps=[step])
    result = await StepRunner(run, phase.config, toolbox, step.name, role, inputs).execute()
    result = result.model_copy(update={"findings": []})
    report = Report(title=step.name, sections=[build_section(result)])
    report = await check_report(run, report)
    return OneShotOutput(
        result=result,
        report=finish_report(run, report, [], []),
        artifacts=list(run.state.artifacts),
    )


CONTROL_KIND = Kind(
    handler=control,
    category="execute",
    icon="list-checks",
    web=lambda phase: phase.config.web,
    plans_for=lambda phase: (
        PlanRole(
            id=WEB_ROLE, does=READS if phase.config.web else "weighs and writes, without the web"
        ),
        PlanRole(
            id="engineer", does="calculates, tabulates and draws what earlier steps found; no web"
        ),
    ),
    agents=lambda phase: ("researcher", "engineer", WRITER, *phase.config.helpers),
    tokens=lambda phase: (
        Tokens(step=Use(12_000, 600), slack=6_000, role="researcher"),
        Tokens(step=Use(2_000, 80), slack=2_500, role=JUDGE),
        Tokens(step=Use(2_300, 10), slack=800, role="step_reviewer"),
        *Tokens(once=Use(3_000, 600), step=Use(1_000, 120), slack=12_000, role=WRITER).verified(),
        CHECK,
    ),
    searches=lambda phase: Searches(step=OWN_SEARCHES) if phase.config.web else Searches(),
)
ONE_SHOT_KIND = Kind(
    handler=one_shot,
    category="execute",
    icon="zap",
    agents=lambda phase: (phase.config.agent, *phase.config.helpers),
    tokens=lambda phase: (
        Tokens(Use(8_000, 600), slack=6_000, role=phase.config.agent),
        Tokens(Use(2_300, 10), slack=800, role="step_reviewer"),
    ),
)
KINDS = (CONTROL_KIND, ONE_SHOT_KIND)
