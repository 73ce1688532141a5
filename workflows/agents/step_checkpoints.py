"""The checkpoints between two steps of a phase."""

from pydantic import JsonValue

from contracts.agents.steps import StepCursor
from contracts.phases.control import ControlConfig
from contracts.report.research import Plan
from contracts.runs.state import Checkpoint, Decision
from workflows.agents.step_attempts import save_cursor
from workflows.checkpoints.approval import is_approval
from workflows.runtime.context import PhaseContext


class StepCheckpoints:
    """The checkpoints of one phase; each is carried out once, since a later one may change more."""

    def __init__(self, run: PhaseContext, config: ControlConfig, cursor: StepCursor) -> None:
        self._run = run
        self._config = config
        self._cursor = cursor

    async def before(self, number: int, plan: Plan) -> None:
        """Ask whether a step may begin; a change of the plan is in place afterwards."""
        if self._config.checkpoint_before_step:
            await self._decide(f"before-{number}", f"Begin step {number}?", plan, [])

    async def is_sent_back(self, plan: Plan) -> bool:
        """Ask about the step that was done last; True when a human wants it done again."""
        if not (self._config.checkpoint_after_step and self._cursor.done):
            return False
        last = self._cursor.done[-1]
        place = f"after-{last.number}-{last.attempts}"
        asked = f"Step {last.number}, ‘{last.name}’, is done. Go on?"
        decision = await self._decide(place, asked, plan, ["revise"])
        return decision is not None and decision.action == "revise"

    async def _decide(
        self, place: str, message: str, plan: Plan, more: list[str]
    ) -> Decision | None:
        run, cursor = self._run, self._cursor
        if place in cursor.passed:
            return None
        last: list[JsonValue] = [result.model_dump(mode="json") for result in cursor.done[-1:]]
        checkpoint = Checkpoint(
            checkpoint_id=f"{run.me.id}-{run.me.attempt}-{place}",
            phase_id=run.me.id,
            kind="decision",
            options=["approve", "reject", "modify", *more],
            message=message,
            subject=plan.model_dump(mode="json"),
            context={"done": last},
            plan_hash=plan.hash,
            deadline=run.deadline(self._config.wait_seconds),
        )
        decision = await run.ask_decision(checkpoint, self._config.default_on_timeout)
        cursor.passed.append(place)
        if decision.action == "revise" or is_approval(decision):
            cursor.feedback = decision.feedback
        save_cursor(run, cursor)
        return decision
