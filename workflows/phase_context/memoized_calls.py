"""The calls of a phase: activities and models, each in the phase's memo once it has finished."""

import asyncio
from collections.abc import Awaitable, Callable, Coroutine
from contextlib import AbstractAsyncContextManager, suppress
from typing import Any, TypeVar, get_type_hints

from pydantic import BaseModel
from temporalio.common import Priority
from temporalio.exceptions import ActivityError

from activities.calls.model_gateway import ModelGateway
from contracts.agents.crews import CrewTaskResult
from contracts.agents.server_tools import ToolAnswer
from contracts.agents.tool_definitions import UPDATE_REPORT
from contracts.base import Json
from contracts.errors import BudgetExceeded
from contracts.evidence.checks import JudgeResult, MendResult
from contracts.evidence.claims import JUDGE, Claim, JudgeTerms, Premise
from contracts.evidence.sources import SearchResult, Source
from contracts.models.answer_json_schema import get_answer_schema
from contracts.models.call import (
    Block,
    Input,
    Message,
    ModelRequest,
    ModelResult,
    Scope,
    build_message,
)
from contracts.models.usage import Usage
from contracts.notices import Notice
from contracts.planning.brief import THE_REQUEST, Idea
from contracts.planning.plan import Plan
from contracts.runs.lost_inputs import LostInput
from contracts.search import Chosen
from contracts.words.question_language import detect_language
from domain.evidence.claims import find_claims
from domain.lost_inputs import explain_causes
from domain.run_outputs import find_output_as
from domain.sources.source_registry import list_citable_pages
from workflows.checkpoints.approval_gate import approve
from workflows.checkpoints.budget_checkpoint import limit_call, may_raise, may_wait
from workflows.checkpoints.prices.spending_cap import compute_cap_usd
from workflows.phase_context.attempt import Attempt
from workflows.phase_context.humans import Humans
from workflows.phase_context.losses import Losses
from workflows.phase_context.phase_log import PhaseLog
from workflows.runtime.activity_timeouts_and_retries import WORK, execute_activity
from workflows.runtime.failures import describe_cause, describe_failure
from workflows.runtime.pause_gate import Gate
from workflows.verification.answer_verification import NO_ANSWER, Verification
from workflows.verification.judge_queue import JudgeQueue

Request = TypeVar("Request", bound=BaseModel)
Result = TypeVar("Result", bound=BaseModel)
Model = TypeVar("Model", bound=BaseModel)
Made = TypeVar("Made")
PAID = (ModelResult, CrewTaskResult, JudgeResult, MendResult, SearchResult, Source, ToolAnswer)
"""Results that say what they cost."""
OPTIONAL_SHARE = 0.85
"""Share of a phase's remaining time in which an answer may be judged and repaired."""


class Calls:
    """Makes the calls of one attempt of a phase, once the gate is open."""

    def __init__(
        self, attempt: Attempt, gate: Gate, humans: Humans, losses: Losses, log: PhaseLog
    ) -> None:
        self._attempt = attempt
        self._state = attempt.state
        self._me = attempt.me
        self._timer = attempt.timer
        self._models = attempt.phase.models
        self._search = attempt.phase.search
        self._gate = gate
        self._humans = humans
        self._losses = losses
        self._log = log
        self.judges = JudgeQueue(self._state.judged, self._state.keep_rulings)

    def scope(self, name: str, plan_step: str = "") -> Scope:
        """Return the scope of a call of this attempt; `name` is unique in it."""
        state = self._state
        return Scope(
            tenant_id=state.tenant_id,
            run_id=state.run_id,
            phase_id=self._me.id,
            attempt=self._me.attempt,
            plan_step=plan_step,
            name=name,
            sample=state.terms.recorded.id if state.terms.recorded else "",
            told=[event.model_dump(mode="json") for event in state.outbox],
            told_from=state.emitted - len(state.outbox) + 1,
        )

    def choose_services(self) -> Chosen:
        """Return the search services that the phase asks."""
        return self._state.terms.search.choose(self._search)

    async def wait_until_open(self) -> None:
        """Wait until the run may continue; the phase's clock is paused meanwhile."""
        await self._gate.wait_until_open(self._timer)

    async def execute_activity(
        self,
        name: str,
        method: Callable[[Any, Request], Awaitable[Result]],
        request: Request,
        *,
        summary: str = "",
    ) -> Result:
        """Return an activity's result: from the memo when this call finished before, else run it.

        `name` is unique within the attempt. A call that the cap does not pay for is made again once a human
        has decided about the cap. Raises the activity's failure, or ApprovalRequired.
        """
        me = self._me
        if name in me.memo:
            kind: type[Result] = get_type_hints(method)["return"]
            return kind.model_validate(me.memo[name])
        result = await self._make(name, method, request, summary or name)
        if not isinstance(result, JudgeResult):  # its verdicts are in the run's state
            me.memo[name] = result.model_dump(mode="json")
        if isinstance(result, PAID):
            me.usage += result.usage
            if result.usage.off_record_calls:
                self._state.leave_recording()
        if isinstance(result, ModelResult | CrewTaskResult):
            for lost in result.lost_inputs:
                self._losses.record(lost)
        return result

    async def _make(
        self,
        name: str,
        method: Callable[[Any, Request], Awaitable[Result]],
        request: Request,
        summary: str,
    ) -> Result:
        """Return an activity's result, asking a human first where the cap does not pay for it and may be raised.

        It is made again once what it may cost has changed.
        """
        place, tries, state = f"{self._me.id}/{self._me.attempt}/{name}", 0, self._state
        while True:
            await self.wait_until_open()
            tries, limited = tries + 1, limit_call(state, request)
            try:
                with self._gate.hold_open():
                    return await execute_activity(
                        method,
                        approve(limited, state, self._humans.find_plan(), self._me.id),
                        summary=summary,
                        activity_id=place if tries == 1 else f"{place}~cap-{tries}",
                        during_outage=self._timer.pause,
                        priority=WORK if self._me.stage == "execute" else Priority.default,
                    )
            except asyncio.CancelledError:
                if isinstance(request, ModelRequest) and request.batch:
                    with suppress(ActivityError):  # its provider ends it within a day
                        await execute_activity(
                            ModelGateway.withdraw, request, summary="cancel the batch"
                        )
                raise
            except ActivityError as error:
                failure = describe_failure(error)
                if failure.type != BudgetExceeded.type():
                    raise
                if failure.budget and may_wait(state):
                    await self._humans.ask_about_met_budget(failure.budget)
                    if may_wait(state):
                        continue
                elif may_raise(state) and limit_call(state, request) == limited:
                    await self._humans.ask_about_budget()
                if limit_call(state, request) == limited:
                    raise

    async def prepare(
        self,
        name: str,
        role: str,
        system: str,
        say: Callable[[], list[Message]],
        plan_step: str = "",
        **options: Any,
    ) -> ModelRequest:
        """Build a request to the role's model; `options` are other fields of ModelRequest.

        The request is built after the gate opens, because a human may steer a waiting run.
        """
        if name not in self._me.memo:
            await self.wait_until_open()
        options.setdefault("cap_usd", compute_cap_usd(self._state))
        if options.get("pages") is not None:
            known, written = options.pop("known", {}), options.pop("written", {})
            choices = options.pop("choices", "")
            options["judge"] = self.build_judge_terms(known, written, choices)
        return ModelRequest(
            scope=self.scope(name, plan_step),
            role=role,
            model=self._state.terms.choose_model(role, self._models.get(role)),
            batch=self._state.request.batch,
            seconds_left=self._timer.count_left(),
            system=f"{system}\n{self._attempt.describe_day()}",
            messages=say(),
            **options,
        )

    async def ask_model(
        self, name: str, role: str, system: str, say: Callable[[], list[Message]], **options: Any
    ) -> ModelResult:
        """Return the answer of the role's model, verified; the rest is as of `prepare`."""
        request = await self.prepare(name, role, system, say, **options)
        written = await self.execute_activity(
            name, ModelGateway.call, request, summary=f"{role}: {name}"
        )
        return written if request.pages is None else await self.verify(request, written)

    async def verify(self, request: ModelRequest, written: ModelResult) -> ModelResult:
        """Return an answer with its claims verified; refused claims are stored with the run."""
        result = await Verification(self, request, written).run()
        self._log.refuse(result.refused)
        return result

    async def check_change(
        self, name: str, change: Json, known: dict[str, Premise], written: dict[str, list[str]]
    ) -> Claim:
        """Return the single claim of a report change with its verdict, without repair.

        `known` and `written` as in `build_judge_terms`.
        """
        request = ModelRequest(
            scope=self.scope(name),
            role=JUDGE,
            model=self._state.terms.choose_model(JUDGE, self._models.get(JUDGE)),
            seconds_left=self._timer.count_left(),
            system="",
            messages=[],
            cap_usd=compute_cap_usd(self._state),
            pages=list_citable_pages(self._state.sources, self._state.shown),
            judge=self.build_judge_terms(known, written),
        )
        said = Block(type="tool_use", id=name, name=UPDATE_REPORT, input=change)
        verification = Verification(self, request, ModelResult(content=[said], usage=Usage()))
        checked = await verification.check()
        [claim] = find_claims(checked.verified_inputs[name])
        return (await verification.judge())[claim.check] if verification.is_open else claim

    def name_call(self, request: ModelRequest, name: str) -> ModelRequest:
        """Return a call in the scope of that name, with the events that are not logged yet."""
        scope = self.scope(name, request.scope.plan_step)
        return request.model_copy(update={"scope": scope})

    def do_in_time(self, request: ModelRequest) -> AbstractAsyncContextManager[None]:
        """Bound optional work for an answer to a share of the time that was left when it was asked for."""
        left = self._timer.count_left() if request.seconds_left is None else request.seconds_left
        return self._timer.leave_a_reserve((1 - OPTIONAL_SHARE) * left)

    def lose_check(self, error: Exception, code: str) -> None:
        """Record optional work that a failure prevented, by the code of its notice."""
        cause = describe_cause(error)
        told = Notice.of(code, why=explain_causes([cause]))
        self._losses.record(
            LostInput(kind="check", name=code, causes=[cause], told=told, optional=True)
        )

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
            lambda: [build_message(inputs, self._humans.read_steering())],
            **options,
        )
        return output.model_validate(result.output)

    async def do_without(self, call: Coroutine[Any, Any, Made], lost: Notice) -> Made | None:
        """Return a helper's result, or None if it gives none in time, recorded as a lost check."""
        try:
            async with self._timer.leave_a_reserve():
                return await call
        except NO_ANSWER as error:
            call.close()  # the coroutine was never started if no time was left
            self._losses.record_check(error, lost)
            return None

    def _list_given(self) -> dict[str, Premise]:
        """Return what the client said and what the run's plan assumes, by the ids that other sentences name."""
        plan = find_output_as(self._state, "plan", Plan)
        language = detect_language(self._state.request.query)
        assumed = (each.as_claim(language) for each in (plan.assumptions if plan else ()))
        said = (statement.as_claim for statement in self._attempt.brief.statements)
        return {claim.id: claim.as_premise for claim in (*said, *assumed)}

    def _describe_question(self) -> str:
        """Return the run's question, with the day that it is asked as of, if there is one."""
        day, query = self._attempt.as_of, self._attempt.brief.query
        return query if not day or day in query else f"{query} ({day})"

    def build_judge_terms(
        self,
        known: dict[str, Premise] | None = None,
        written: dict[str, list[str]] | None = None,
        choices: str = "",
    ) -> JudgeTerms:
        """Return the terms for judging the claims of an answer; they name no model if the stand-in answers by rule.

        Args:
            known: Earlier sentences that claims may rest on. The client’s words and the plan’s
                assumptions are added.
            written: The report’s sentences that a claim may follow.
            choices: Figures that the writer may choose from.
        """
        state, terms = self._state, self._state.terms
        known = self._list_given() | (known or {})
        if terms.by_rule:
            return JudgeTerms(model="", question="", choices=choices, known=known)
        idea = self._attempt.find("selected_idea", Idea)
        return JudgeTerms(
            model=terms.choose_model(JUDGE, self._models.get(JUDGE)),
            question=self._describe_question(),
            today=self._attempt.as_of or self._attempt.today,
            idea=f"{idea.title}: {idea.description}" if idea else "",
            choices=choices,
            client=[each.text for each in self._attempt.brief.statements if each.id != THE_REQUEST],
            known=known,
            written=written or {},
            judged=dict(state.judged),
        )
