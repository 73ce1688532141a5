"""The one way to a model: journal, price, cap, events and typed output around a single call."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from temporalio import activity

from activities.calls.call_events import AnswerEvents, attempt_id, call_event
from activities.calls.claim_verifier import ClaimVerifier
from activities.calls.journaled_call import JournaledCalls
from activities.calls.request_body import estimate_tokens, render, request_hash
from activities.calls.structured_output import Mismatch, read, repair, text_of
from contracts.base import Json
from contracts.errors import OutputInvalid
from contracts.models.call import ModelRequest, ModelResult, Reply
from contracts.models.journal import CallResult, CallSpec
from contracts.runs.records import Event, EventType
from contracts.terms import Price, Usage, price_of

if TYPE_CHECKING:
    from activities.integrations.claude import ClaudeClient
    from store.blobs import BlobStore
    from store.events import EventRepository
    from store.journal import Journal


Pay = Callable[[Usage], None]
"""Receives what a call cost as soon as it is settled, whatever its answer is worth."""


@dataclass
class Meter:
    """The cost of a call so far, as its provider reports it while it answers."""

    price: Price
    usd: float = 0.0

    def read(self, billed_input: float, output: int) -> None:
        """Take in how many tokens were counted."""
        self.usd = self.price.of(billed_input, output)


class ModelGateway:
    """Makes each call once, pays for it once, and returns an answer or raises one error."""

    def __init__(
        self,
        client: "ClaudeClient",
        journal: "Journal",
        events: "EventRepository",
        blobs: "BlobStore",
        prices: Mapping[str, Price],
    ) -> None:
        self._client = client
        self._calls = JournaledCalls(journal)
        self._events = events
        self._blobs = blobs
        self._prices = prices
        self._verifier = ClaimVerifier(blobs)

    async def call(self, request: ModelRequest, pay: Pay = lambda _: None) -> ModelResult:
        """Return the model's answer, repaired once if it is not of its schema, its claims verified.

        Raises:
            BudgetExceeded: The call would pass the run's cap; it was not made.
            ModelRejected, ModelBusy, ModelUnreachable: No answer; what was counted until then is
                spent all the same.
            ModelRefused, ModelTruncated, OutputInvalid: An answer of no use, paid and settled.
        """
        result = await self._answer(request, pay)
        if request.pages is None:
            return result
        return await self._verifier.verify(result, request.pages)

    async def _answer(self, request: ModelRequest, pay: Pay) -> ModelResult:
        reply, usage = await self._reply(request, pay)
        try:
            return _result(request, reply, usage)
        except Mismatch as mismatch:
            again = repair(request, reply, mismatch.problems)
        reply, more = await self._reply(again, pay)
        try:
            return _result(request, reply, usage + more)
        except Mismatch as mismatch:
            raise OutputInvalid(f"the answer is not of its schema: {mismatch}") from None

    async def drain(self) -> None:
        """Give calls that go on although their attempt is gone a moment to end."""
        await self._calls.drain()

    async def _reply(self, request: ModelRequest, pay: Pay) -> tuple[Reply, Usage]:
        """Return the reply of a call and its cost, made now or found in the journal."""
        body = await render(request, self._blobs)
        price = price_of(request.model, self._prices)
        meter = Meter(price)
        spec = CallSpec(
            scope=request.scope,
            kind="model",
            request_hash=request_hash(request),
            model=request.model,
            reserved_usd=price.of(estimate_tokens(body), request.max_tokens),
            cap_usd=request.cap_usd,
            events=_opening_events(request),
        )

        async def make() -> CallResult:
            told = AnswerEvents(self._events, request.scope, request.role)
            reply = await self._client.stream(body, told.text, meter.read)
            cost = _cost(reply, price)
            done = call_event(
                request.scope, "AgentOutput", _agent_output(request, reply, cost), "output"
            )
            return CallResult(
                result=reply.model_dump(mode="json"), usage=cost, events=[*await told.rest(), done]
            )

        settled = await self._calls.run(spec, make, lambda: meter.usd)
        reused = settled.usage.calls if settled.reused else 0
        usage = settled.usage.model_copy(update={"reused_calls": reused})
        pay(usage)
        return Reply.model_validate(settled.result), usage


def _result(request: ModelRequest, reply: Reply, usage: Usage) -> ModelResult:
    return ModelResult(
        content=reply.content,
        output=read(request, reply),
        usage=usage,
        reused=usage.reused_calls == usage.calls,
    )


def _cost(reply: Reply, price: Price) -> Usage:
    return Usage(
        calls=1,
        input_tokens=reply.input_tokens,
        output_tokens=reply.output_tokens,
        usd=price.of(reply.billed_input_tokens, reply.output_tokens),
    )


def _opening_events(request: ModelRequest) -> list[Event]:
    """Return a call's first events; a retry says so before the others."""
    opening: list[tuple[EventType, Json]] = []
    attempt = activity.info().attempt
    if attempt > 1:
        opening.append(("RetryEvent", {**_agent(request), "attempt": attempt}))
    opening.append(("AgentInput", _agent_input(request)))
    return [
        call_event(request.scope, type, payload, f"{attempt_id()}/begun-{n}")
        for n, (type, payload) in enumerate(opening)
    ]


def _agent(request: ModelRequest) -> Json:
    """Return which agent speaks, and in which call: it may be at several at once."""
    return {"current_agent_name": request.role, "call": request.scope.name}


def _agent_input(request: ModelRequest) -> Json:
    """Return what is new in this turn; the turns before it have events of their own."""
    newest = request.messages[-1].model_dump(mode="json", exclude_defaults=True)
    return {**_agent(request), "input": [newest], "model": request.model}


def _agent_output(request: ModelRequest, reply: Reply, usage: Usage) -> Json:
    calls = [block for block in reply.content if block.type == "tool_use"]
    return {
        **_agent(request),
        "response": {
            "role": "assistant",
            "blocks": [{"block_type": "text", "text": text_of(reply)}],
        },
        "tool_calls": [
            {"tool_id": call.id, "tool_name": call.name, "tool_kwargs": call.input}
            for call in calls
        ],
        "model": request.model,
        "stop_reason": reply.stop_reason,
        "usage": usage.model_dump(mode="json"),
        "usd": usage.usd,
    }
