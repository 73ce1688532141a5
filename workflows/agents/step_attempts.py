"""The attempts at one step: an agent works, a reviewer judges, and its objections go into the next."""

from dataclasses import dataclass

from pydantic import ValidationError
from temporalio.exceptions import ActivityError

from contracts.agents.steps import PlotReview, StepCursor, StepDraft, StepReview
from contracts.base import Json
from contracts.errors import NothingFound, StepFailed
from contracts.models.call import Input
from contracts.models.inputs import data
from contracts.phases.control import WorkConfig
from contracts.runs.state import AgentCursor
from workflows.agents.agent import Agent, AgentSpec
from workflows.agents.toolbox import Toolbox
from workflows.prompts import control as prompts
from workflows.runtime.context import PhaseContext
from workflows.runtime.control_flow import is_final


@dataclass(frozen=True)
class Step:
    """A step as its agent gets it."""

    label: str
    """What people and the journal call it, e.g. `step-2`."""
    name: str
    role: str
    inputs: list[Input]
    keep_usd: float = 0.0


class StepAttempts:
    """The attempts at one step."""

    def __init__(
        self,
        run: PhaseContext,
        config: WorkConfig,
        step: Step,
        toolbox: Toolbox,
        cursor: StepCursor,
    ) -> None:
        self._run = run
        self._config = config
        self._step = step
        self._toolbox = toolbox
        self._cursor = cursor

    async def work(self) -> StepDraft:
        """Return what was done once the reviewer has no objection.

        Raises:
            StepFailed: All attempts were used up; the message says what each lacked.
        """
        cursor = self._cursor
        while len(cursor.failures) < self._config.max_n_attempts:
            draft, reasons = await self._attempt()
            if draft and not reasons:
                return draft
            self._begin_again(reasons)
        lacked = "; ".join(f"{n}: {', '.join(r)}" for n, r in enumerate(cursor.failures, start=1))
        raise StepFailed(
            f"{self._step.label} (‘{self._step.name}’) failed after {len(cursor.failures)} "
            f"attempts: {lacked}"
        )

    async def _attempt(self) -> tuple[StepDraft | None, list[str]]:
        """Return an attempt's work and what is wrong with it; only what is final is raised."""
        try:
            agent = Agent(self._run, self._spec(), self._toolbox)
            draft = await self._draft(agent)
            reasons = await self._objections(draft)
            return draft, reasons or await self._plot_problems(agent.asked_for("chart"))
        except (ActivityError, ValidationError, NothingFound) as error:
            if is_final(error):
                raise
            return None, [self._run.fail_info(error).message]

    @property
    def _name(self) -> str:
        return f"{self._step.label}-try-{self._cursor.tries + 1}-"

    def _spec(self) -> AgentSpec:
        return AgentSpec(
            role=self._step.role,
            system=prompts.WORK[self._step.role],
            inputs=self._inputs(),
            output=StepDraft,
            max_turns=self._config.max_rounds,
            keep_usd=self._step.keep_usd,
            name=self._name,
            plan_step=self._step.label,
        )

    async def _draft(self, agent: Agent) -> StepDraft:
        output, _ = await agent.work()
        if output is None:
            raise NothingFound("the agent gave no answer")
        return StepDraft.model_validate(output)

    async def _objections(self, draft: StepDraft) -> list[str]:
        review = await self._run.generate(
            f"{self._name}review",
            "step_reviewer",
            prompts.REVIEW,
            [*self._inputs(), data("work", draft)],
            StepReview,
            plan_step=self._step.label,
            max_tokens=800,
        )
        return [] if review.done else review.reasons or ["the reviewer calls it not done"]

    async def _plot_problems(self, charts: list[Json]) -> list[str]:
        """Return what a critic would have drawn differently, while it may be asked."""
        config, cursor = self._config, self._cursor
        if not charts or not config.evaluate_plots or cursor.plot_evals >= config.max_n_plot_evals:
            return []
        review = await self._run.generate(
            f"{self._name}plots",
            "plot_critic",
            prompts.PLOTS,
            [*self._inputs(), data("charts", charts)],
            PlotReview,
            plan_step=self._step.label,
            max_tokens=800,
        )
        cursor.plot_evals += 1
        return [] if review.good else review.problems or ["the critic does not like the charts"]

    def _inputs(self) -> list[Input]:
        failures = self._cursor.failures
        return [*self._step.inputs, *([data("failures", failures)] if failures else [])]

    def _begin_again(self, reasons: list[str]) -> None:
        cursor = self._cursor
        cursor.tries += 1
        cursor.failures.append(reasons)
        message = f"{self._step.label}, attempt {cursor.tries}, is not done: {'; '.join(reasons)}"
        self._run.emit("Status", {"level": "warning", "message": message[:1_000]})
        save_cursor(self._run, cursor)


def load_cursor(run: PhaseContext) -> StepCursor:
    """Return where the phase stands, also after continue-as-new."""
    return run.me.progress.steps.model_copy(deep=True)


def save_cursor(run: PhaseContext, cursor: StepCursor) -> None:
    """Keep where the phase stands, between two attempts: no agent is at work, no call is open."""
    run.me.progress.agent = AgentCursor()
    run.me.progress.steps = cursor.model_copy(deep=True)
    run.me.memo.clear()
