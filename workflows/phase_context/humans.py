"""A phase and its humans: the checkpoints that it opens, what they wrote, what they approved."""

import json
from typing import Literal

from temporalio import workflow

from contracts.access.budgets import MetBudget
from contracts.human.checkpoint_subjects import FINISH
from contracts.human.checkpoints import Checkpoint, Decision
from contracts.planning.plan import Plan
from contracts.runs.events import InputRequiredEvent
from domain.retrieval.shown_parts import weigh_documents
from domain.sources.urls import find_named_urls
from workflows.checkpoints.approval_gate import is_unlocked, refuse
from workflows.checkpoints.budget_checkpoint import (
    is_dearer_by_documents,
    open_budget_checkpoint,
    open_met_budget_checkpoint,
)
from workflows.checkpoints.deadline_decision import take_default
from workflows.checkpoints.plan_edits import compare_plan
from workflows.checkpoints.wait_for_human import wait_until_closed
from workflows.phase_context.attempt import Attempt
from workflows.phase_context.phase_log import PhaseLog
from workflows.runtime.event_outbox import Recorder
from workflows.runtime.stops_and_revisions import Rejected


class Humans:
    """Asks humans on behalf of one phase, and reads what they wrote or approved in its run."""

    def __init__(self, attempt: Attempt, recorder: Recorder, log: PhaseLog) -> None:
        self._attempt = attempt
        self._state = attempt.state
        self._me = attempt.me
        self._recorder = recorder
        self._log = log

    async def ask(self, checkpoint: Checkpoint) -> bool:
        """Open a checkpoint and wait until it is closed; return False if its time ran out.

        A checkpoint closed before continue-as-new is not opened again. The phase's timer is paused while
        waiting, and the original deadline stays.
        """
        state, name = self._state, checkpoint.checkpoint_id
        if all(c.checkpoint_id != name for c in state.pending):
            decided = {d.checkpoint_id for d in state.decisions if not d.reused_from}
            if name in state.answers or name in decided:
                return True
            if plan := checkpoint.plan:
                differences = compare_plan(state, plan)
                checkpoint = checkpoint.model_copy(update={"differences": differences})
                state.shown_plan = plan
            state.pending.append(checkpoint)
            self._log.emit(InputRequiredEvent(**dict(checkpoint)))
        self._me.status = "waiting"
        self._recorder.publish_status()
        with self._attempt.timer.pause():
            in_time = await wait_until_closed(state, name, self._recorder.update_checkpoint)
        self._me.status = "running"
        self._recorder.publish_status()
        return in_time

    async def ask_about_budget(self) -> None:
        """Ask a human to raise the cap that was reached; at the deadline the run finishes within it.

        All phases and agents of the run share one checkpoint.

        Raises:
            Rejected: The human stops the run.
        """
        checkpoint = open_budget_checkpoint(self._state, self._me.id, workflow.now())
        await self.ask_decision(checkpoint, "approve", FINISH)

    async def ask_about_met_budget(self, met: MetBudget) -> None:
        """Wait until an operator's budget opens or a human decides.

        Raises:
            Rejected: The human stops the run.
        """
        checkpoint, default = open_met_budget_checkpoint(
            self._state, self._me.id, workflow.now(), met
        )
        await self.ask_decision(checkpoint, "approve", default)

    async def ask_about_document(self, url: str, chars: int) -> None:
        """Ask a human about the cap if opening a long document makes the run too expensive.

        Raises:
            Rejected: The human stops the run.
        """
        progress = self._me.progress
        progress.long_documents[url] = chars
        if is_dearer_by_documents(self._state):
            found = [*progress.long_documents]
            checkpoint = open_budget_checkpoint(self._state, self._me.id, workflow.now(), found)
            await self.ask_decision(checkpoint, "approve", FINISH)
            progress.documents_asked = weigh_documents(progress.long_documents.values())

    async def ask_decision(
        self,
        checkpoint: Checkpoint,
        default: Literal["approve", "reject"],
        choice: str | None = None,
    ) -> Decision:
        """Ask a human for a decision; at the deadline, take the default with its `choice`.

        On return, modifications of the plan are applied. A default unlocks nothing.

        Raises:
            Rejected: The decision is no.
        """
        if not await self.ask(checkpoint):
            decision, notice = take_default(
                checkpoint, self._me.id, default, choice, self._attempt.clock.now()
            )
            if notice:
                self._log.degrade(notice)
            self._state.decisions.append(decision)
        # A parent's checkpoint may have had the same id.
        own = (decision for decision in self._state.decisions if not decision.reused_from)
        decision = next(one for one in own if one.checkpoint_id == checkpoint.checkpoint_id)
        if decision.action == "reject":
            raise Rejected
        return decision

    def read_steering(self) -> list[str]:
        """Return the guidance that humans gave the agents so far."""
        return [steer.text for steer in self._state.steering]

    def find_named_urls(self) -> list[str]:
        """Return the addresses that humans wrote in this run; a plan's are a model's."""
        return find_named_urls(self._list_words())

    def list_approved_words(self) -> list[str]:
        """Return what humans wrote or approved in this run; empty without documents that a query could disclose."""
        if not (self._state.files or self._state.collections):
            return []
        plan = self.find_plan()
        return [*self._list_words(), *([plan.model_dump_json()] if plan else [])]

    def _list_words(self) -> list[str]:
        state = self._state
        answers = (text for answered in state.answers.values() for text in answered.values())
        feedback = (decision.feedback for decision in state.decisions)
        inputs = json.dumps(state.request.inputs, ensure_ascii=False)
        told = [state.request.query, inputs, *answers, *feedback]
        return [*filter(None, told), *self.read_steering()]

    def find_plan(self) -> Plan | None:
        """Return the current bound plan: a human may change it while the phase is at work."""
        return self._attempt.find("plan", Plan)

    def require_approved_plan(self) -> Plan:
        """Return the bound plan if a human approved exactly this one, else raise ApprovalRequired.

        If starting the run is the consent, any plan of its own is approved.
        """
        plan = self.find_plan()
        if plan is None or not is_unlocked(self._state, plan):
            raise refuse(self._me.id)
        return plan
