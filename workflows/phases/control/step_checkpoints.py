"""What humans are asked between the steps of a plan, and about a step that its reviewer rejected."""

from contracts.agents.steps import StepDraft, StepResult, join_reasons
from contracts.errors import OutOfTime, StepFailed
from contracts.human.checkpoints import Checkpoint, Decision
from contracts.notices import Notice
from contracts.phases.hitl_checkpoint import HitlCheckpointPhase
from workflows.checkpoints.plan_edits import list_done_steps
from workflows.checkpoints.subjects import build_step_subject, describe_sent_back_step
from workflows.checkpoints.wait_for_human import compute_deadline
from workflows.phases.control.step_context import StepContext, choose_role
from workflows.runtime.failures import describe_failure, is_final


class StepCheckpoints:
    """Opens the checkpoints of `control`; each asks once."""

    def __init__(self, context: StepContext) -> None:
        self._context = context
        self._run, self._config, self._cursor = context.run, context.config, context.cursor

    def asks_about(self, error: Exception) -> bool:
        """Return True if a human should decide about a failed step; record the failure in the cursor."""
        if not self._asks_on_failure or isinstance(error, OutOfTime) or is_final(error):
            return False
        if not isinstance(error, StepFailed):  # other failures are not recorded yet
            reason = describe_failure(error).words.say(self._run.language)
            self._cursor.note_failure([reason], is_answered=False)
        return True

    @property
    def _asks_on_failure(self) -> bool:
        """Return True if a checkpoint opens after all attempts at a step were rejected."""
        config = self._config
        if config.on_step_failure != "auto":
            return config.on_step_failure == "ask"
        return (
            config.checkpoint_before_step
            or config.checkpoint_after_step
            or any(
                isinstance(phase, HitlCheckpointPhase)
                and phase.enabled
                and phase.config.require_approval
                for phase in self._run.state.resolved.definition.phases
            )
        )

    async def is_sent_back(self) -> bool:
        """Ask a human about the last finished step; return whether it is to be revised."""
        if not (self._config.checkpoint_after_step and self._cursor.done):
            return False
        last = self._cursor.done[-1]
        asks = Notice.of("ask-step-next", "info", number=last.number, name=last.name)
        return await self.ask(name_gate(last), asks, "revise") == "revise"

    async def ask(self, place: str, asks: Notice, *options: str) -> str:
        """Return the action that a human chose at a checkpoint; each checkpoint asks once.

        A changed plan is in place afterwards.
        """
        run, cursor = self._run, self._cursor
        if place in cursor.passed:
            return ""
        checkpoint = self._build_checkpoint(place, asks, ["approve", "reject", "modify", *options])
        decision = await run.humans.ask_decision(checkpoint, self._config.default_on_timeout)
        cursor.passed.append(place)
        cursor.feedback = decision.feedback if decision.action == "revise" else ""
        return decision.action

    async def ask_about_failure(self, number: int) -> tuple[StepResult, Decision]:
        """Ask a human to accept a step despite its reviewer, to redo it, or to end the run.

        Return its result as the reviewer saw it, and the decision. The deadline's default rejects the run.
        """
        cursor, step = self._cursor, self._context.plan.steps[number - 1]
        objections = cursor.failures[-1]
        draft = cursor.draft or StepDraft(summary="")
        result = StepResult(
            **dict(draft),
            number=number,
            name=step.name,
            agent_role=choose_role(step),
            attempts=cursor.tries,
            failures=cursor.list_objections()[:-1],
            objections=objections,
            artifacts=[made.id for made in cursor.taken_back],
        )
        code = "ask-step-rejected" if cursor.draft else "ask-step-unanswered"
        reasons = join_reasons(objections)
        asked = Notice.of(code, number=number, name=step.name, tries=cursor.tries, reasons=reasons)
        place = f"failed-{number}-{cursor.tries}"
        options = [*(["approve"] if cursor.draft else []), "reject", "modify", "revise"]
        checkpoint = self._build_checkpoint(place, asked, options, result)
        return result, await self._run.humans.ask_decision(checkpoint, "reject")

    def _build_checkpoint(
        self, place: str, asks: Notice, options: list[str], rejected: StepResult | None = None
    ) -> Checkpoint:
        run, plan = self._run, self._context.plan
        subject = build_step_subject(run.state, run.me, plan, rejected)
        shown = subject.step
        sent_back = describe_sent_back_step(run.state, run.me, shown) if shown else None
        version = (
            [Notice.of("ask-version", n=sent_back.version)] if sent_back and not rejected else []
        )
        return Checkpoint(
            checkpoint_id=f"{run.me.id}-{run.me.attempt}-{place}",
            phase_id=run.me.id,
            kind="decision",
            options=options,
            asks=[asks, *version],
            subject=subject,
            sent_back=sent_back,
            plan_hash=plan.hash,
            done_steps=list_done_steps(run.state, run.me.id),
            deadline=compute_deadline(run.clock.now(), self._config.wait_seconds),
        )


def name_gate(result: StepResult) -> str:
    """Return the place of the checkpoint after a step, once for each time that it was done."""
    return f"after-{result.number}-{result.attempts}"
