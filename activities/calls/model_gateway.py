"""The only path to a model: each call is journaled, priced, capped, logged and validated."""

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from temporalio import activity

from activities.calls.call_events import (
    StreamEvents,
    build_call_event,
    count_attempts,
    get_attempt_id,
)
from activities.calls.call_metrics import note_model_call, time_model
from activities.calls.context_window import fit
from activities.calls.genai_spans import open_chat_span
from activities.calls.model_batches import ModelBatches
from activities.calls.request_body import RenderedRequest, fit_thinking, hash_request, load_texts
from activities.calls.structured_output import (
    CUT_OFF,
    AnswerForms,
    Mismatch,
    build_longer,
    build_otherwise,
    build_repair,
    join_text,
    read_tools,
    read_typed,
)
from activities.confined.call_pool import Runner, run_in_thread
from contracts.base import Json
from contracts.errors import (
    BudgetExceeded,
    ModelRejected,
    ModelTruncated,
    OutputInvalid,
    TooCostly,
)
from contracts.models.batch import OpenBatch
from contracts.models.call import ModelRequest, ModelResult, Reply, Scope
from contracts.models.prices import BATCH_SHARE, Limits, Price, TokenCount, find_price
from contracts.models.usage import Usage
from contracts.notices import Notice
from contracts.runs.events import (
    AgentEvent,
    AgentInput,
    AgentOutput,
    AgentResponse,
    RetryEvent,
    Status,
    TextBlock,
    ToolCall,
)
from contracts.runs.lost_inputs import LostInput
from contracts.runs.records import CallResult, CallSpec, Event

if TYPE_CHECKING:
    from activities.calls.journaled_call import JournaledCalls
    from activities.integrations.models.model_client import ModelClient, OnText, OnTokens
    from store.blobs import BlobStore
    from store.run_records.event_log import EventRepository


TURN_TOKENS = 6_000
"""Tokens by which a turn's results are expected to lengthen its conversation; of more, a last turn is sent a part."""
CALL_HEADER = "x-greenlight-call"
"""Header read by the offline services, which replay a sample's recorded answers; not sent to others."""
OnPaid = Callable[[Usage], None]
"""Receives the cost of a call as soon as it is settled, even if its answer is useless."""


class ModelGateway:
    """Makes and pays for each call once."""

    def __init__(  # noqa: PLR0913 - each a client or a store of its own
        self,
        client: "ModelClient",
        calls: "JournaledCalls",
        events: "EventRepository",
        blobs: "BlobStore",
        prices: Mapping[str, Price],
        run: Runner = run_in_thread,
    ) -> None:
        self._client = client
        self._calls = calls
        self._events = events
        self._prices = prices
        self._blobs = blobs
        self._run = run
        self._forms = AnswerForms()
        self._batches = ModelBatches(client, calls.journal, events, prices)

    @activity.defn(name="models.call")
    async def call(self, request: ModelRequest) -> ModelResult:
        """Make one call of a workflow's, or return the result of the same call made before."""
        return await self.ask(request)

    @activity.defn(name="models.withdraw")
    async def withdraw(self, request: ModelRequest) -> None:
        """Cancel the batches in which a call, and those made for it, still wait."""
        await self._batches.withdraw(request.scope)

    async def has_paid(self, scope: Scope) -> bool:
        """Return whether an earlier attempt paid for a call of this name."""
        return await self._calls.journal.is_settled(scope)

    async def ask(self, request: ModelRequest, on_paid: OnPaid = lambda _: None) -> ModelResult:
        """Return the model's answer; it is requested again, once, if it is cut off or violates its schema.

        Raises:
            BudgetExceeded: The call would exceed the run's cap; it was not made.
            ModelRejected, ModelBusy, ModelUnreachable: There is no answer, but the tokens counted until
                then are paid.
            ModelRefused, ModelTruncated, OutputInvalid: The answer is useless, but paid and settled.
        """
        request = fit_thinking(request)
        asked, usage, chances = request, Usage(), 1
        while True:
            reply, more, turn_usd = await self._get_reply(asked, on_paid)
            usage += more
            try:
                output = await self._parse(request, reply)
            except Mismatch as mismatch:
                if mismatch.is_free and self._forms.leave(request, reply.form):
                    asked = build_otherwise(asked, reply.form)
                elif chances:
                    chances = 0
                    asked = build_repair(asked, reply, mismatch.problems)
                else:
                    self._forms.start_over(request)
                    hint = Notice.of("model-hint-schema") if reply.form == "text" else None
                    wrong = Notice.of("output-wrong", why=mismatch.why, hint=hint)
                    raise OutputInvalid(wrong) from None
            except ModelTruncated:
                if reply.stop_reason != CUT_OFF or not chances:
                    raise
                chances = 0
                limits = await self._client.find_limits(request.model)
                asked = build_longer(asked, limits.usual_answer_tokens)
            else:
                if output is not None:
                    self._forms.keep(request, reply.form)
                return ModelResult(
                    content=reply.content,
                    output=output,
                    lost_inputs=await self._list_cut(request.model, reply),
                    usage=usage,
                    turn_usd=turn_usd,
                    reused=usage.reused_calls == usage.calls,
                )

    async def _list_cut(self, model: str, reply: Reply) -> list[LostInput]:
        """Return that the pages of a call were cut: to the model's window, or to what was left of the cap."""
        if not reply.cut_to_tokens:
            return []
        limits = await self._client.find_limits(model)
        cut = LostInput(kind="cut_pages", name=model, window_tokens=reply.cut_to_tokens)
        if reply.cut_to_tokens == limits.window_tokens:
            return [cut]
        told = Notice.of("pages-cut-for-money", tokens=reply.cut_to_tokens)
        return [cut.model_copy(update={"told": told})]

    async def _get_reply(
        self, request: ModelRequest, on_paid: OnPaid
    ) -> tuple[Reply, Usage, float]:
        """Return the reply of a call and its cost, made now or found in the journal, and the price of one more turn.

        A call that `fits_budget` is made with shorter pages where the whole of them is too dear.
        """
        price = find_price(request.model, self._prices)
        limits = await self._client.find_limits(request.model)
        rendered = RenderedRequest(request, await load_texts(request, self._blobs))
        try:
            return await self._pay(rendered, price, limits, on_paid)
        except BudgetExceeded as refused:
            answer = _count_answer(request, limits)
            window = price.count_input_tokens(refused.left_usd, answer)
            if not request.fits_budget or window <= answer:
                raise
            shorter = limits.model_copy(update={"window_tokens": window})
            try:
                return await self._pay(rendered, price, shorter, on_paid)
            except ModelRejected as error:
                raise refused if error.is_too_long else error from None

    async def _pay(
        self, rendered: RenderedRequest, price: Price, limits: Limits, on_paid: OnPaid
    ) -> tuple[Reply, Usage, float]:
        """Return the reply of a call within these limits, its cost, and the price of one more turn."""
        request = rendered.request
        form, *_ = self._forms.list_possible(request)
        size, answer = rendered.estimate_tokens(form), _count_answer(request, limits)
        window = limits.window_tokens or size + answer + TURN_TOKENS
        turn_usd = price.compute_most_usd(min(size + answer + TURN_TOKENS, window), answer)
        spent_usd = 0.0
        # Name the call too, because an agent may be in several calls at once.
        agent = AgentEvent(current_agent_name=request.role, call=request.scope.name)
        spec = CallSpec(
            scope=request.scope,
            kind="model",
            request_hash=hash_request(request),
            model=request.model,
            reserved_usd=price.compute_most_usd(min(size, window), answer),
            cap_usd=request.cap_usd,
            kept_usd=request.kept_usd + request.kept_turns * turn_usd,
            batch=request.batch,
            events=_build_opening_events(request, agent),
        )

        def count(used: TokenCount) -> None:
            nonlocal spent_usd
            spent_usd = price.compute_call_usd(used)

        async def make(batch: OpenBatch | None) -> CallResult:
            events = StreamEvents(self._events, request.scope, agent)
            reply, share = await self._obtain(rendered, limits, batch, events.add_delta, count)
            cost = Usage(
                calls=1,
                input_tokens=reply.input_tokens,
                output_tokens=reply.output_tokens,
                usd=share * price.compute_call_usd(reply),
            )
            note_model_call(request, self._name_model(request.model), reply, cost.usd)
            done = build_call_event(
                request.scope, _describe_output(request, agent, reply, cost), "output"
            )
            return CallResult(
                result=reply.model_dump(mode="json"),
                usage=cost,
                events=[*await events.flush(), *_tell_estimate(request, reply), done],
            )

        settled = await self._calls.run(spec, make, lambda: spent_usd)
        # One that is asked for again because the next one waits in a batch is not used again.
        reused = settled.usage.calls if settled.reused and not request.batch else 0
        reply = Reply.model_validate(settled.result)
        counts = {"reused_calls": reused, "off_record_calls": int(reply.off_record)}
        usage = settled.usage.model_copy(update=counts)
        on_paid(usage)
        return reply, usage, turn_usd

    def _name_model(self, model: str) -> str:
        """Return the label of a model in metrics; a start may name any, those with a price are few."""
        return model if model in self._prices else "other"

    async def _parse(self, request: ModelRequest, reply: Reply) -> Json | None:
        """Return a typed answer; its schema may be a user's, and costly to check.

        Raises as `parse_output`.
        """
        plain = request.model_copy(update={"messages": [], "pages": None, "judge": None})
        try:
            read = await self._run(
                read_typed, plain, reply, task="checking the answer", tenant=request.scope.tenant_id
            )
        except TooCostly as error:
            raise OutputInvalid(Notice.of("output-schema-slow", why=error.words)) from error
        return read.unwrap()

    async def _obtain(
        self,
        rendered: RenderedRequest,
        limits: Limits,
        batch: OpenBatch | None,
        on_text: "OnText",
        on_tokens: "OnTokens",
    ) -> tuple[Reply, float]:
        """Return the reply and the share of its price to pay: from its batch, or from an immediate call.

        Raises BatchPending while the batch has no reply.
        """
        request = rendered.request
        if batch and (found := await self._batches.look_up(request, batch)):
            return found, BATCH_SHARE
        form, *_ = self._forms.list_possible(request)
        # Count only now, because a finished call is returned whatever its model accepts by now.
        fitting, is_cut = await fit(rendered, limits, form, self._client.count_tokens)
        cut_to = (limits.window_tokens or 0) if is_cut else 0
        if request.batch and not batch:
            await self._batches.submit(request, fitting.render(form), form, cut_to)
        try:
            reply = await self._receive(fitting, on_text, on_tokens)
        except ModelRejected:
            if not request.scope.sample:
                raise
            reply = await self._receive(fitting, on_text, on_tokens, is_recorded=False)
        return reply.model_copy(update={"cut_to_tokens": cut_to}), 1.0

    async def _receive(
        self,
        rendered: RenderedRequest,
        on_text: "OnText",
        on_tokens: "OnTokens",
        *,
        is_recorded: bool = True,
    ) -> Reply:
        """Return the model's reply to the first form of the request that its server accepts.

        If not `is_recorded`, a run that replays a sample gets the stand-in's reply.
        """
        request = rendered.request
        is_typed = request.output_schema is not None
        rejected: ModelRejected | None = None
        for form in self._forms.list_possible(request):
            try:
                body = rendered.render(form)
                if request.scope.sample and is_recorded:
                    body = {**body, "extra_headers": {CALL_HEADER: _name_call(request.scope)}}
                url = self._client.find_url(request.model)
                named = self._name_model(request.model)
                with (
                    time_model(named),
                    open_chat_span(body, url, request.role, request.scope.run_id) as span,
                ):
                    heard = span.note_chunks(on_text)
                    reply = await self._client.stream(body, heard, on_tokens)
                    span.note_reply(reply)
            except ModelRejected as error:
                rejected = rejected or error
                if is_typed and error.may_be_form:
                    continue
                break
            told = {"form": form, "off_record": not is_recorded}
            return read_tools(reply).model_copy(update=told)
        assert rejected is not None
        raise rejected


def _name_call(scope: Scope) -> str:
    """Return the name by which the offline services find a call's recorded answer; attempts have the same."""
    return f"{scope.sample} {scope.run_id} {scope.phase_id}/{scope.name}"


def _tell_estimate(request: ModelRequest, reply: Reply) -> list[Event]:
    """Return an event that says, once in a run, that a model's server counts no tokens."""
    if not reply.is_estimated:
        return []
    told = Notice.of("model-uncounted", model=request.model)
    event = build_call_event(request.scope, Status.of(told), "")
    return [event.model_copy(update={"key": f"uncounted/{request.model}"})]


def _count_answer(request: ModelRequest, limits: Limits) -> int:
    """Return how many tokens an answer may have."""
    return min(request.max_tokens, limits.answer_tokens or request.max_tokens)


def _build_opening_events(request: ModelRequest, agent: AgentEvent) -> list[Event]:
    """Return a call's first events: a notice of a retry, then the new messages of this turn."""
    asked = AgentInput(**dict(agent), input=request.messages[-1:], model=request.model)
    opening: list[AgentInput | RetryEvent] = [asked]
    if (attempt := count_attempts(request.scope)) > 1:
        opening.insert(0, RetryEvent(**dict(agent), attempt=attempt))
    return [
        build_call_event(request.scope, payload, f"{get_attempt_id()}/begun-{n}")
        for n, payload in enumerate(opening)
    ]


def _describe_output(
    request: ModelRequest, agent: AgentEvent, reply: Reply, usage: Usage
) -> AgentOutput:
    calls = [block for block in reply.content if block.type == "tool_use"]
    return AgentOutput(
        **dict(agent),
        response=AgentResponse(blocks=[TextBlock(text=join_text(reply))]),
        tool_calls=[
            ToolCall(tool_id=call.id, tool_name=call.name, tool_kwargs=call.input) for call in calls
        ],
        model=request.model,
        stop_reason=reply.stop_reason,
        usage=usage,
        usd=usage.usd,
    )
