"""`control`: the plan step by step, each reviewed before the next; `one_shot`: one step, no plan."""

from temporalio.exceptions import ActivityError

from contracts.agents.steps import StepDraft, StepResult
from contracts.errors import BudgetExceeded, InvalidInput
from contracts.models.call import Input
from contracts.models.inputs import data
from contracts.phases.control import (
    ControlConfig,
    ControlOutput,
    ControlPhase,
    OneShotOutput,
    OneShotPhase,
)
from contracts.report.research import Brief, Plan, PlanRole, PlanStep, Report
from workflows.agents.step_attempts import Step, StepAttempts, load_cursor, save_cursor
from workflows.agents.step_checkpoints import StepCheckpoints
from workflows.agents.step_inputs import all_findings, step_inputs, step_section
from workflows.agents.toolbox import Toolbox, WebLimits
from workflows.agents.verification import finish_report
from workflows.runtime.context import PhaseContext
from workflows.runtime.kind import Kind, Need, Tokens
from workflows.runtime.plan_price import reserve_usd

WEB_ROLE = "researcher"
"""The role that searches and reads, and that does a step whose role nobody has."""
ONE_SHOT = "task"
"""The label of the one step of `one_shot`."""


async def control(phase: ControlPhase, run: PhaseContext) -> ControlOutput:
    """Do the steps in order; what is done by then is kept, however the phase ends."""
    return await PlanSteps(phase.config, run).run()


class PlanSteps:
    """The plan's steps at work."""

    def __init__(self, config: ControlConfig, run: PhaseContext) -> None:
        self._config = config
        self._run = run
        self._cursor = load_cursor(run)
        self._checkpoints = StepCheckpoints(run, config, self._cursor)

    async def run(self) -> ControlOutput:
        """Return what the steps gave; a budget that is used up ends them early."""
        while True:
            if await self._checkpoints.is_sent_back(self._plan):
                self._take_back()
                continue
            number = self._next()
            if number is None:
                return self._output()
            await self._checkpoints.before(number, self._plan)
            try:
                await self._do(number, self._plan.steps[number - 1])
            except ActivityError as error:
                self._require_budget(error)
                return self._output()

    @property
    def _plan(self) -> Plan:
        """The plan as it is now: a human may change it between steps."""
        return Plan.model_validate(self._run.need("plan"))

    def _next(self) -> int | None:
        """Return the number of the step to do now."""
        count, one = len(self._plan.steps), self._config.step_number
        if one is not None and one > count:
            raise InvalidInput(f"step_number: there is no step {one} in a plan of {count}")
        number = (one or 1) + len(self._cursor.done)
        return number if number <= (one or count) else None

    async def _do(self, number: int, step: PlanStep) -> None:
        role = role_of(step)
        if role == WEB_ROLE and self._config.web:
            self._run.approved_plan()
        toolbox = Toolbox(
            self._run,
            role if role != WEB_ROLE or self._config.web else "",
            limits=WebLimits(self._config.max_sources, self._config.max_search_results_per_query),
            plan_step=f"step-{number}",
        )
        work = Step(
            label=f"step-{number}",
            name=step.name,
            role=role,
            inputs=step_inputs(self._run, self._config, self._cursor, step, role),
            keep_usd=reserve_usd(self._run.state, self._run.me.id, self._plan),
        )
        draft = await StepAttempts(self._run, self._config, work, toolbox, self._cursor).work()
        self._finish(number, step, draft)

    def _finish(self, number: int, step: PlanStep, draft: StepDraft) -> None:
        """Put a step with those that are done."""
        cursor = self._cursor
        result = StepResult(
            **dict(draft),
            number=number,
            name=step.name,
            agent_role=role_of(step),
            attempts=cursor.tries + 1,
            failures=cursor.failures,
        )
        cursor.done.append(result)
        cursor.sections.append(step_section(result))
        self._turn_page(behind=0)
        message = f"step {number} of {len(self._plan.steps)} is done: {step.name}"
        self._run.emit("Status", {"level": "info", "message": message})

    def _take_back(self) -> None:
        """Have the step that was done last done again, with what a human said of it."""
        said = self._cursor.feedback
        last = self._cursor.done.pop()
        self._cursor.sections.pop()
        self._turn_page(behind=last.attempts, feedback=said)

    def _turn_page(self, behind: int, feedback: str = "") -> None:
        """Begin another step with so many tries at it behind; show what is done by now."""
        cursor = self._cursor
        cursor.tries, cursor.failures, cursor.feedback = behind, [], feedback
        cursor.plot_evals = 0
        save_cursor(self._run, cursor)
        self._run.save_partial_output(self._output())

    def _require_budget(self, error: ActivityError) -> None:
        """Raise the error unless it is the budget, and something was done within it."""
        info = self._run.fail_info(error)
        if info.type != BudgetExceeded.type() or not self._cursor.done:
            raise error
        left = len(self._plan.steps) - len(self._cursor.done)
        self._run.warn(f"{left} steps were not done: {info.message}")

    def _output(self) -> ControlOutput:
        searches = self._run.me.progress.searches
        sources, done = list(self._run.state.sources), self._cursor.done
        report = Report(title=self._plan.title, sections=self._cursor.sections)
        return ControlOutput(
            sources=sources,
            findings=[claim for claim in all_findings(done) if claim.is_supported],
            searches=searches,
            steps=done,
            report=finish_report(self._run, report, sources, searches),
            gaps=[gap for result in done for gap in result.gaps],
            artifacts=list(self._run.state.artifacts),
        )


def role_of(step: PlanStep) -> str:
    """Return who does a step; a role that nobody has is the researcher's."""
    return "engineer" if step.agent_role.casefold() == "engineer" else WEB_ROLE


async def one_shot(phase: OneShotPhase, run: PhaseContext) -> OneShotOutput:
    """Have one agent do the task, as often as it takes within the attempts."""
    config, brief = phase.config, run.brief
    toolbox = Toolbox(run, config.agent if config.agent == "engineer" else "", plan_step=ONE_SHOT)
    step = Step(
        label=ONE_SHOT, name=brief.query[:200], role=config.agent, inputs=_one_shot_inputs(brief)
    )
    cursor = load_cursor(run)
    draft = await StepAttempts(run, config, step, toolbox, cursor).work()
    result = StepResult(
        **{**dict(draft), "findings": []},
        number=1,
        name=step.name,
        agent_role=config.agent,
        attempts=cursor.tries + 1,
        failures=cursor.failures,
    )
    report = Report(title=step.name, sections=[step_section(result)])
    return OneShotOutput(
        result=result,
        report=finish_report(run, report, [], []),
        artifacts=list(run.state.artifacts),
    )


def _one_shot_inputs(brief: Brief) -> list[Input]:
    task = PlanStep(name=brief.query[:200], description=brief.query)
    return [data("question", brief.query), data("answers", brief.answers), data("steps", [task])]


CONTROL_KIND = Kind(
    phase=ControlPhase,
    handler=control,
    output=ControlOutput,
    title="Execute",
    description="Does the plan step by step; each is reviewed, and tried again with what it lacked.",
    category="execute",
    icon="list-checks",
    needs=lambda _: (Need("plan"), Need("brief", required=False)),
    web=lambda phase: phase.config.web,
    plans_for=lambda _: (
        PlanRole(id="researcher", does="searches, reads and notes what sources say"),
        PlanRole(id="engineer", does="reckons, tabulates and draws what the steps before it found"),
    ),
    agents=lambda phase: ("researcher", "engineer", *phase.config.helpers),
    tokens=lambda _: (
        Tokens(0, 0, 4_300, 60, 6_000, 900, slack=6_000, role="researcher"),
        Tokens(step_input=3_000, step_output=60, role="step_reviewer"),
    ),
)
ONE_SHOT_KIND = Kind(
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
KINDS = (CONTROL_KIND, ONE_SHOT_KIND)
