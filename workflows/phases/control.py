"""`control`: the plan step by step, each by the agent of its role, reviewed before the next begins."""

from temporalio.exceptions import ActivityError

from contracts.agents.steps import StepDraft, StepResult
from contracts.errors import BudgetExceeded, InvalidInput
from contracts.phases.control import ControlConfig, ControlOutput, ControlPhase
from contracts.report.research import Plan, PlanRole, PlanStep, Report
from workflows.agents.report_verification import finished, verified
from workflows.agents.step_attempts import Attempts, Step, cursor_of, keep
from workflows.agents.step_checkpoints import Between
from workflows.agents.step_inputs import findings_of, inputs_of, section
from workflows.agents.toolbox import Reach, Toolbox, searches_of
from workflows.runtime.context import PhaseContext
from workflows.runtime.kind import Kind, Need, Tokens
from workflows.runtime.plan_price import reserve_usd

WEB_ROLE = "researcher"
"""Who searches and reads, and whom a step is for whose role nobody has."""


async def control(phase: ControlPhase, run: PhaseContext) -> ControlOutput:
    """Do the steps in order; what is done by then is kept, however the phase ends."""
    return await Steps(phase.config, run).walk()


class Steps:
    """The plan's steps at work."""

    def __init__(self, config: ControlConfig, run: PhaseContext) -> None:
        self._config = config
        self._run = run
        self._cursor = cursor_of(run)
        self._between = Between(run, config, self._cursor)

    async def walk(self) -> ControlOutput:
        """Return what the steps gave; a budget that is used up ends them early."""
        while True:
            if await self._between.is_sent_back(self._plan):
                self._take_back()
                continue
            number = self._next()
            if number is None:
                return self._output()
            await self._between.before(number, self._plan)
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
            reach=Reach(self._config.max_sources, self._config.max_search_results_per_query),
            plan_step=f"step-{number}",
        )
        work = Step(
            label=f"step-{number}",
            name=step.name,
            role=role,
            inputs=inputs_of(self._run, self._config, self._cursor, step, role),
            keep_usd=reserve_usd(self._run.state, self._run.me.id, self._plan),
        )
        draft = await Attempts(self._run, self._config, work, toolbox, self._cursor).work()
        await self._finish(number, step, draft)

    async def _finish(self, number: int, step: PlanStep, draft: StepDraft) -> None:
        """Check a step's statements and put it with those that are done."""
        sources, cursor = list(self._run.state.sources), self._cursor
        found = [finding for finding in draft.findings if finding.source <= len(sources)]
        result = StepResult(
            **{**draft.model_dump(), "findings": found},
            number=number,
            name=step.name,
            agent_role=role_of(step),
            attempts=cursor.tries + 1,
            failures=cursor.failures,
        )
        name = f"step-{number}-check-{result.attempts}"
        report = Report(title="", sections=[section(result)])
        checked = await verified(self._run, name, report, sources)
        cursor.done.append(result)
        cursor.sections += checked.sections
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
        keep(self._run, cursor)
        self._run.save_partial_output(self._output())

    def _require_budget(self, error: ActivityError) -> None:
        """Raise the error unless it is the budget, and something was done within it."""
        info = self._run.fail_info(error)
        if info.type != BudgetExceeded.type() or not self._cursor.done:
            raise error
        left = len(self._plan.steps) - len(self._cursor.done)
        self._run.warn(f"{left} steps were not done: {info.message}")

    def _output(self) -> ControlOutput:
        searches = searches_of(self._run)
        sources, done = list(self._run.state.sources), self._cursor.done
        report = Report(title=self._plan.title, sections=self._cursor.sections)
        return ControlOutput(
            sources=sources,
            findings=findings_of(done),
            searches=searches,
            steps=done,
            report=finished(self._run, report, sources, searches),
            gaps=[gap for result in done for gap in result.gaps],
            artifacts=list(self._run.state.artifacts),
        )


def role_of(step: PlanStep) -> str:
    """Return who does a step; a role that nobody has is the researcher's."""
    return "engineer" if step.agent_role.casefold() == "engineer" else WEB_ROLE


KIND = Kind(
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
