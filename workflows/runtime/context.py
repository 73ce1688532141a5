"""The context of a phase handler: its inputs, its one gate to activities, its checkpoints."""

import asyncio
import json
from collections.abc import Awaitable, Callable, Coroutine, Iterable, Sequence
from contextlib import suppress
from datetime import datetime, timedelta
from typing import Any, Literal, TypeVar, get_type_hints

from pydantic import BaseModel, JsonValue, ValidationError
from temporalio import workflow
from temporalio.exceptions import ActivityError

from activities.calls.model_gateway import ModelGateway
from contracts.agents.crews import CrewTaskResult
from contracts.base import Json, get_answer_schema
from contracts.errors import ApprovalRequired, BudgetExceeded, InvalidInput, OutOfTime
from contracts.evidence.claims import JUDGE, CitablePage, JudgeTerms, Premise, RefusedClaim
from contracts.evidence.sources import Source
from contracts.lost_inputs import LossCause, LostInput
from contracts.models.call import (
    Input,
    Message,
    ModelRequest,
    ModelResult,
    Scope,
    build_inputs,
    build_message,
)
from contracts.phases.base import PhaseBase
from contracts.report.checks import ReportChecked
from contracts.report.research import Brief, Idea, Plan, PlanRole, Search, Startup
from contracts.runs.records import EarlyEnd, EventType
from contracts.runs.state import Checkpoint, Decision, PhaseState
from domain.lost_inputs import (
    describe_causes,
    describe_lost_input,
    find_unmade_searches,
    list_lost_reads,
)
from domain.source_registry import list_citable_pages
from domain.urls import find_named_urls
from workflows.checkpoints.approval import has_consent, is_unlocked
from workflows.checkpoints.plan_changes import compare_plan
from workflows.checkpoints.plan_price import compute_cap_usd
from workflows.checkpoints.votes import advance, find_next_moment
from workflows.runtime.activity_options import execute_activity
from workflows.runtime.control_flow import Rejected, describe_cause, describe_failure, is_final
from workflows.runtime.gate import Gate
from workflows.runtime.phase_timer import PhaseTimer
from workflows.runtime.recorder import Recorder
from workflows.runtime.truncation import truncate

Request = TypeVar("Request", bound=BaseModel)
Result = TypeVar("Result", bound=BaseModel)
Model = TypeVar("Model", bound=BaseModel)
Made = TypeVar("Made")
NO_ANSWER = (ActivityError, ValidationError, OutOfTime)
"""A model's call that failed for good, or whose answer is not what was asked for."""
MAX_EARLIER_CHARS = 12_000
"""Of the version of its output that a human sent back."""


class PhaseContext:
    """One attempt of one phase."""

    describe_failure = staticmethod(describe_failure)

    def __init__(
        self,
        recorder: Recorder,
        gate: Gate,
        phase: PhaseBase,
        me: PhaseState,
        find_plan_roles: Callable[[], list[PlanRole]],
    ) -> None:
        self._recorder = recorder
        self._gate = gate
        self.state = recorder.state
        self.phase = phase
        self.me = me
        self.timer = PhaseTimer(me, phase.timeout_seconds)
        self.find_plan_roles = find_plan_roles
        """Returns those who work on a plan's steps in the phases after this one."""

    def provider(self, need: str) -> str | None:
        """Return the id of the phase that a need is bound to and that has settled with output."""
        return next((phase.id for phase in self.state.providers(self.me.id, need)), None)

    def need(self, name: str) -> JsonValue:
        """Return the bound provider's value; None where nobody provides it."""
        return next(iter(self.needs(name)), None)

    def needs(self, name: str) -> list[JsonValue]:
        """Return the value of every provider that a need is bound to, in the definition's order."""
        field = name.rpartition(".")[2]
        return [(phase.output or {}).get(field) for phase in self.state.providers(self.me.id, name)]

    def need_as(self, name: str, model: type[Model]) -> Model | None:
        """Return the bound provider's value as a model; None where nobody provides it."""
        value = self.need(name)
        return None if value is None else model.model_validate(value)

    def need_list(self, name: str, model: type[Model]) -> list[Model]:
        """Return the lists of the bound providers as one of models; empty where nobody provides it."""
        lists = [value for value in self.needs(name) if isinstance(value, list)]
        return [model.model_validate(item) for value in lists for item in value]

    def sources(self) -> list[Source]:
        """Return the pages read by the bound providers: each one's are a beginning of the next's."""
        lists = [value for value in self.needs("sources") if isinstance(value, list)]
        return [Source.model_validate(item) for item in max(lists, key=len, default=[])]

    def page(self, number: int) -> Source:
        """Return one of the run's pages; raises InvalidInput where none has that number."""
        if not 0 < number <= len(self.state.sources):
            raise InvalidInput(f"source: {number} is none of the run's {len(self.state.sources)}")
        return self.state.sources[number - 1]

    def inputs(self, model: type[Model]) -> Model:
        """Return what the start said in `inputs` that this phase reads."""
        given = self.state.request.inputs
        return model.model_validate({n: given[n] for n in model.model_fields if n in given})

    @property
    def brief(self) -> Brief:
        """The clarified question; the question as it was put where nothing clarified it."""
        return self.need_as("brief", Brief) or Brief(query=self.state.request.query)

    def list_asked(self) -> list[str]:
        """Return what the run was asked: its question, its inputs, and what a human wants changed."""
        inputs = self.state.request.inputs.values()
        question = self.brief.report_question or self.brief.query
        return [question, *map(str, inputs), *self.me.feedback]

    def build_inputs(self, **more: object) -> list[Input]:
        """Return as a prompt's inputs the clarified question, what a human wants changed, and more."""
        startup = self.need_as("startup", Startup)
        given: dict[str, object] = {
            "report_question": self.brief.report_question,
            "question": self.brief.query,
            "answers": [answered.prompt_fields for answered in self.brief.answers],
            "startup": startup and startup.prompt_fields,
            "feedback": "\n".join(self.me.feedback),
            "earlier_version": truncate(self.me.earlier, MAX_EARLIER_CHARS),
        }
        return build_inputs(**given | more)

    def scope(self, name: str, plan_step: str = "") -> Scope:
        """Return the scope of a call of this attempt; `name` is unique in it."""
        return Scope(
            tenant_id=self.state.tenant_id,
            run_id=self.state.run_id,
            phase_id=self.me.id,
            attempt=self.me.attempt,
            plan_step=plan_step,
            name=name,
            told=[event.model_dump(mode="json") for event in self.state.outbox],
            told_from=self.state.emitted - len(self.state.outbox) + 1,
        )

    async def execute_activity(
        self,
        name: str,
        method: Callable[[Any, Request], Awaitable[Result]],
        request: Request,
        *,
        summary: str = "",
    ) -> Result:
        """Return an activity's result: from the memo when this call finished before, else run it.

        `name` is unique within the attempt. Raises the activity's failure.
        """
        memo = self.me.memo
        if name in memo:
            kind: type[Result] = get_type_hints(method)["return"]
            result = kind.model_validate(memo[name])
        else:
            await self.wait_until_open()
            with self._gate.hold_open():
                result = await execute_activity(
                    method,
                    request,
                    summary=summary or name,
                    activity_id=f"{self.me.id}/{self.me.attempt}/{name}",
                    during_outage=self.timer.pause,
                )
            memo[name] = result.model_dump(mode="json")
            if isinstance(result, ModelResult | CrewTaskResult):
                self.me.usage += result.usage
                self.state.keep_rulings(result.judged)
                for lost in result.lost_inputs:
                    self.lose(lost)
                self.refuse(result.refused)
        return result

    async def ask_model(
        self,
        name: str,
        role: str,
        system: str,
        say: Callable[[], list[Message]],
        plan_step: str = "",
        **options: Any,
    ) -> ModelResult:
        """Return the answer of the role's model; `options` are ModelRequest's own fields.

        What is said is put together once the gate is open: a human may steer a run that waits.
        """
        if name not in self.me.memo:
            await self.wait_until_open()
        own: dict[str, str] = getattr(self.phase, "config").models  # noqa: B009 - the kind's own
        options.setdefault("cap_usd", compute_cap_usd(self.state))
        if options.get("pages") is not None:
            known, written = options.pop("known", {}), options.pop("written", {})
            options["judge"] = self.build_judge_terms(own.get(JUDGE), known, written)
        request = ModelRequest(
            scope=self.scope(name, plan_step),
            role=role,
            model=self.state.terms.choose_model(role, own.get(role)),
            batch=self.state.request.batch,
            seconds_left=self.timer.count_left(),
            system=f"{system}\nToday is {self.now()[:10]}.",
            messages=say(),
            **options,
        )
        try:
            return await self.execute_activity(
                name, ModelGateway.call, request, summary=f"{role}: {name}"
            )
        except asyncio.CancelledError:
            if request.batch:
                with suppress(ActivityError):  # its provider ends it within a day
                    await execute_activity(
                        ModelGateway.withdraw, request, summary="cancel the batch"
                    )
            raise

    async def generate(
        self,
        name: str,
        role: str,
        system: str,
        inputs: list[Input],
        output: type[Model],
        **options: Any,
    ) -> Model:
        """Return a typed answer over named inputs; its schema may be narrowed in `options`."""
        options.setdefault("output_schema", get_answer_schema(output))
        result = await self.ask_model(
            name,
            role,
            system,
            lambda: [build_message(inputs, self.read_steering())],
            **options,
        )
        return output.model_validate(result.output)

    async def do_without(self, call: Coroutine[Any, Any, Made], lost: str) -> Made | None:
        """Return what a helper says; None, recorded as a lost check, if it gives no answer in time."""
        try:
            async with self.timer.leave_a_reserve():
                return await call
        except NO_ANSWER as error:
            call.close()  # it was not begun if there was no time at all
            cause, detail = self._explain_loss(error, lost)
            self.lose(
                LostInput(kind="check", name=lost, causes=[cause], detail=detail, optional=True)
            )
            return None

    def _explain_loss(self, error: Exception, lost: str) -> tuple[LossCause, str]:
        """Return why something was lost, as data and in a reader's words; its error goes to the log alone."""
        cause, message = describe_cause(error), self.describe_failure(error).message
        self.tell(f"{lost}: {message}"[:1_000])
        return cause, f"{lost}: {describe_causes([cause])}"

    def go_on(self, error: Exception, lost: str, value: str) -> None:
        """Record that a call's failure leaves an output field incomplete; raise if an attempt is left."""
        if self.may_try_again(error):
            raise error
        if self.describe_failure(error).type == BudgetExceeded.type():
            self.end_early("budget")
        self.lose_value(value, *self._explain_loss(error, lost))

    def lose_value(
        self, name: str, cause: LossCause, detail: str, value: str = "", subject: str = ""
    ) -> None:
        """Record that an output of this phase is missing or incomplete.

        With `value` only that field of its output lacks it, else all of them do.
        """
        lost = LostInput(
            kind="value",
            name=f"{self.me.id}.{name}",
            value=value,
            subject=subject,
            causes=[cause],
            detail=detail,
        )
        self.lose(lost)

    def lose(self, lost: LostInput) -> None:
        """Record an input that the phase goes on without; the newest record of an input counts.

        The phase's status and the step cache follow from these records alone.
        """
        lost = lost if lost.phase_id else lost.model_copy(update={"phase_id": self.me.id})
        kept = [each for each in self.me.lost_inputs if each.key != lost.key]
        is_new = lost not in self.me.lost_inputs
        self.me.lost_inputs = [*kept, lost]
        if lost.degrades or lost.optional:
            self.note(describe_lost_input(lost, self.me.id))
        elif lost.kind == "cut_pages":
            self.note(describe_lost_input(lost, self.me.id))
            self.disable_caching()  # with more room it would have read more
        elif lost.kind == "unmade_searches" and is_new:  # a notice of the run names them
            self.tell(describe_lost_input(lost, self.me.id), "warning")

    def lose_reads(self) -> None:
        """Record the pages and searches that this attempt's agents lost."""
        progress = self.me.progress
        for lost in list_lost_reads(progress.searches, progress.unread, progress.pages_read):
            self.lose(lost)

    def lose_unmade_searches(self, plan: Plan, made: Sequence[Search]) -> None:
        """Record the plan's searches that neither this phase nor one before it made."""
        before = (phase.output or {} for phase in self.state.phases if phase.id != self.me.id)
        lists = [output.get("searches") or [] for output in before]
        known = [Search.model_validate(each) for found in lists for each in found]  # type: ignore[union-attr]
        if lost := find_unmade_searches(plan.searches, [*known, *made]):
            self.lose(lost)

    def end_early(self, reason: Literal["budget", "time"]) -> None:
        """Record that the phase stops before its work is done; the first reason stays."""
        pages = self.me.progress.pages_read
        self.me.early_end = self.me.early_end or EarlyEnd(reason=reason, pages_read=pages)

    def may_try_again(self, error: Exception) -> bool:
        """Tell whether the phase has another attempt, and it might succeed."""
        return self.me.retries < self.phase.max_retries and not is_final(error)

    async def wait_until_open(self) -> None:
        """Wait until nothing holds the run back; the phase's clock stands still meanwhile."""
        await self._gate.wait_until_open(self.timer)

    def disable_caching(self) -> None:
        """Have no later run take over what this attempt gives: not its inputs alone made it so."""
        self.me.cache_key = ""

    def read_steering(self) -> list[str]:
        """Return what humans said to the agents so far."""
        return [steer.text for steer in self.state.steering]

    def list_citable_pages(self) -> list[CitablePage]:
        """Return the run's pages as an answer may cite them."""
        return list_citable_pages(self.state.sources, self.state.shown)

    def build_judge_terms(
        self,
        model: str | None = None,
        known: dict[str, Premise] | None = None,
        written: dict[str, list[str]] | None = None,
    ) -> JudgeTerms | None:
        """Return who judges an answer's claims; None where no model is asked at all.

        `known` are the sentences written before that they may rest on, `written` those of the report
        that they may follow.
        """
        terms = self.state.terms
        if terms.offline:
            return None
        judge = terms.choose_model(JUDGE, model)
        idea = self.need_as("selected_idea", Idea)
        return JudgeTerms(
            model=judge,
            question=self.brief.query,
            today=self.now()[:10],
            idea=f"{idea.title}: {idea.description}" if idea else "",
            known=known or {},
            written=written or {},
            judged=dict(self.state.judged),
        )

    def find_named_urls(self) -> list[str]:
        """Return the addresses that humans wrote in this run; a plan's are a model's."""
        return find_named_urls(self._list_human_words())

    def list_approved_words(self) -> list[str]:
        """Return what humans wrote in this run or approved: its plan, if there is one."""
        plan = self.need_as("plan", Plan)
        return [*self._list_human_words(), *([plan.model_dump_json()] if plan else [])]

    def _list_human_words(self) -> list[str]:
        state = self.state
        answers = (text for answered in state.answers.values() for text in answered.values())
        feedback = (decision.feedback for decision in state.decisions)
        inputs = json.dumps(state.request.inputs, ensure_ascii=False)
        told = [state.request.query, inputs, *answers, *feedback]
        return [*filter(None, told), *self.read_steering()]

    def require_approved_plan(self) -> Plan:
        """Return the bound plan if a human approved just this one, else raise ApprovalRequired.

        Where a definition says that starting a run is the consent, any plan of its own will do.
        """
        plan = self.need_as("plan", Plan)
        if plan is None or not is_unlocked(self.state, plan):
            raise ApprovalRequired(
                f"{self.me.id!r} reaches the web, and no human decision names the current plan"
            )
        return plan

    def require_web_approval(self) -> str:
        """Return the hash of the plan that lets this phase reach the web, or raise ApprovalRequired.

        It is empty where nothing was planned and starting the run is the consent.
        """
        if self.need("plan") is None and has_consent(self.state):
            return ""
        return self.require_approved_plan().hash

    async def ask_human(self, checkpoint: Checkpoint) -> bool:
        """Put a checkpoint to a human and wait until it is closed; False when its time ran out.

        One that was closed before continue-as-new is not opened again; the phase's clock stands
        still meanwhile, and the deadline is the one it was first opened with.
        """
        name = checkpoint.checkpoint_id
        if all(c.checkpoint_id != name for c in self.state.pending):
            if name in self.state.answers or self._list_own_decisions(name):
                return True
            if plan := checkpoint.plan:
                differences = compare_plan(self.state, plan)
                checkpoint = checkpoint.model_copy(update={"differences": differences})
                self.state.shown_plan = plan
            self.state.pending.append(checkpoint)
            self.emit("InputRequiredEvent", checkpoint.model_dump(mode="json"))
        self.me.status = "waiting"
        self._recorder.publish_status()
        with self.timer.pause():
            in_time = await self._wait_until_closed(name)
        self.me.status = "running"
        self._recorder.publish_status()
        return in_time

    async def _wait_until_closed(self, checkpoint_id: str) -> bool:
        """Wait until a checkpoint is closed, with reminders and escalation on the way.

        Once its time has run out it is closed here, and False returned.
        """

        def find() -> Checkpoint | None:
            return next((c for c in self.state.pending if c.checkpoint_id == checkpoint_id), None)

        while (asked := find()) is not None:
            moment = find_next_moment(asked)
            try:
                await workflow.wait_condition(
                    lambda: find() is None,
                    timeout=max(moment - workflow.now(), timedelta(0)),
                    timeout_summary=f"{checkpoint_id} waits for a human",
                )
            except TimeoutError:
                await workflow.wait_condition(lambda: not self.state.paused or find() is None)
                asked = find()
                if asked is None or find_next_moment(asked) > moment:
                    continue  # closed, or put off by a pause
                if moment < datetime.fromisoformat(asked.deadline):
                    changed, reason = advance(asked, workflow.now())
                    self._recorder.update_checkpoint(changed, reason)
                    continue
                if asked.poll:  # what came in time is counted, however long its check takes
                    await workflow.wait_condition(workflow.all_handlers_finished)
                if (left := find()) is not None:
                    self.state.pending.remove(left)
                    return False
        return True

    async def ask_decision(
        self, checkpoint: Checkpoint, default: Literal["approve", "reject"]
    ) -> Decision:
        """Put a decision to a human; return it, or the default that the deadline takes.

        A plan that the decision modifies is in place then; a default unlocks nothing.

        Raises:
            Rejected: The decision is no.
        """
        if not await self.ask_human(checkpoint):
            self.warn(f"nobody decided in time; taken as {default}, which unlocks nothing")
            decision = Decision(
                checkpoint_id=checkpoint.checkpoint_id,
                phase_id=self.me.id,
                action=default,
                plan_hash=checkpoint.plan_hash,
                by="timeout",
                at=self.now(),
                default=True,
            )
            self.state.decisions.append(decision)
        decision = self._list_own_decisions(checkpoint.checkpoint_id)[0]
        if decision.action == "reject":
            raise Rejected
        return decision

    def _list_own_decisions(self, checkpoint_id: str) -> list[Decision]:
        """Return what this run decided at a checkpoint; a parent's may have had the same id."""
        decisions = [d for d in self.state.decisions if d.checkpoint_id == checkpoint_id]
        return [decision for decision in decisions if not decision.reused_from]

    def compute_deadline(self, wait_seconds: float) -> str:
        """Return the moment a checkpoint opened now runs out."""
        return (workflow.now() + timedelta(seconds=wait_seconds)).isoformat()

    def now(self) -> str:
        """Return the workflow's own time, ISO 8601, UTC."""
        return workflow.now().isoformat()

    def time(self) -> float:
        """Return the workflow's own time in seconds."""
        return workflow.time()

    def replace_output(self, phase_id: str, output: Json) -> None:
        """Put another version in place of what a phase gave, or this one its work so far."""
        self.state.phase(phase_id).output = output
        self._recorder.mark_changed(phase_id)

    def emit(self, type: EventType, payload: Json) -> None:
        """Put an event of this phase into the outbox."""
        self._recorder.emit(type, payload, phase=self.me)

    def refuse(self, refused: Iterable[RefusedClaim]) -> None:
        """Record sentences that did not hold in the run's log, each once; a report does not list them."""
        if new := self.state.keep_refused(refused):
            self.emit("ReportChecked", ReportChecked(refused=new).model_dump(mode="json"))

    def warn(self, message: str) -> None:
        """Note that the phase does less than it was to: it ends `partial`."""
        self.me.degraded = True
        self.note(message)

    def note(self, message: str) -> None:
        """Keep a warning with the phase and show it."""
        if message not in self.me.warnings:
            self.me.warnings.append(message)
            self.tell(message, "warning")

    def tell(self, message: str, level: Literal["info", "warning"] = "info") -> None:
        """Show a message in the run's log."""
        self.emit("Status", {"level": level, "message": message})
