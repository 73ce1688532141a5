"""How a task of CrewAI's ends other than well: no request that nobody needs, nothing paid twice."""

import asyncio
import contextlib
import errno
import json
import logging
import os
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from starlette.responses import Response
from temporalio.activity import ActivityCancellationDetails

from activities.crew.conversation import CrewConversation
from activities.crew.crew_task import CrewActivities
from contracts.agents.crews import CrewTaskRequest
from contracts.errors import (
    BudgetExceeded,
    GreenlightError,
    KeyRejected,
    ModelBusy,
    ModelRejected,
    ModelUnreachable,
    StoreUnavailable,
    WorkerStopping,
)
from contracts.notices import Notice
from tests.activities.calls.conftest import environment
from tests.activities.calls.provider import (
    Answer,
    Exchange,
    Says,
    breaks_off,
    fails,
    hangs,
    says,
)
from tests.activities.crew.conftest import DONE, Bureau, fetch, search, uses

pytestmark = pytest.mark.full
"""Loading CrewAI takes seconds; the stack's own crew worker is tried in tests/chaos."""

CANCEL = {"cancel_requested": True}
CUT_OFF_CALL = Says(
    [{"type": "tool_use", "id": "toolu_3_1", "name": "web_search", "input": '{"query": "da'}],
    "max_tokens",
)


async def begun(bureau: Bureau) -> str:
    """Have the first two turns search and read a page, which is returned."""
    url = bureau.puts("/one")
    bureau.finds("/one")
    bureau.house.provider.answers(uses(1, search("pumps")), uses(2, fetch(url)))
    return url


@pytest.mark.parametrize(
    ("answer", "error", "wait"),
    [
        (fails(429, retry_after="2.5"), ModelBusy, 2.5),
        (fails(529), ModelBusy, None),
        (breaks_off("overloaded_error"), ModelBusy, None),
        (breaks_off("drop"), ModelUnreachable, None),
        (says("Too late.", held=True), ModelUnreachable, None),
        (hangs, ModelUnreachable, None),
        (fails(401), KeyRejected, None),
        (fails(403), KeyRejected, None),
        (fails(429, "enforced_spend_limit_reached"), ModelRejected, None),
    ],
    ids=["429", "529", "overloaded", "dropped", "silent", "no answer", "401", "403", "spend limit"],
)
async def test_failed_turn_is_one_request_and_earlier_turns_are_journaled(
    bureau: Bureau, answer: Answer, error: type[GreenlightError], wait: float | None
) -> None:
    """CrewAI's own three tries, its agent's and its tools' are off: Temporal tries again."""
    await begun(bureau)
    bureau.house.provider.answers(answer, DONE)
    with pytest.raises(GreenlightError) as failed:
        await bureau.work(bureau.task())
    assert (type(failed.value), failed.value.retry_after) == (error, wait)
    assert len(bureau.asked) == 3
    bureau.house.provider.gate.set()
    result = await bureau.work(bureau.task(), 2)
    assert (result.output, len(result.sources), result.turns) == ({"number": 12}, 1, 3)
    assert (len(bureau.asked), len(bureau.site.requests)) == (4, 2)
    assert bureau.asked[3] == bureau.asked[2]
    assert (result.usage.calls, result.usage.reused_calls) == (3, 2)


@pytest.mark.parametrize(
    ("answers", "reason"),
    [
        ([says("I will not.", "refusal")], "model-refused"),
        ([says('{"number', "max_tokens")] * 2, "model-truncated"),
        ([CUT_OFF_CALL] * 2, "model-truncated"),
        ([*[says("{")] * 3, says('{"number": 0}')], "output-invalid"),
        ([says("")] * 4, "output-invalid"),
    ],
    ids=["refusal", "truncated", "truncated call", "broken JSON", "nothing"],
)
async def test_useless_answer_ends_the_task_and_keeps_its_sources(
    bureau: Bureau, answers: list[Answer], reason: str
) -> None:
    url = await begun(bureau)
    bureau.house.provider.answers(*answers, DONE)
    for attempt in (1, 2):
        result = await bureau.work(bureau.task(), attempt)
        assert (result.output, result.end_reason) == (None, reason)
        assert result.failure
        assert [source.url for source in result.sources] == [url]
        assert result.usage.calls == len(bureau.asked) == 2 + len(answers)
        assert result.usage.usd == pytest.approx(await bureau.house.spent())


async def test_provider_that_stays_away_ends_the_task_and_keeps_its_sources(bureau: Bureau) -> None:
    """At the last attempt: those before it are made again."""
    url = await begun(bureau)
    bureau.house.provider.answers(fails(529), fails(529), DONE)
    with pytest.raises(ModelBusy):
        await bureau.work(bureau.task(), 2)
    result = await bureau.work(bureau.task(), 3)
    assert (result.output, result.end_reason) == (None, "model-busy")
    assert [source.url for source in result.sources] == [url]


async def test_error_of_crewai_ends_the_task_without_its_text(bureau: Bureau) -> None:
    def kickoff(request: CrewTaskRequest, _: CrewConversation) -> None:
        raise RuntimeError(f"stuck at {request.task.description}")

    house = bureau.crews
    crews = CrewActivities(kickoff, bureau.threads, house._gateway, house._web)
    result = await environment(1).run(crews.work, bureau.task())
    assert (result.output, result.end_reason) == (None, "output-invalid")
    assert result.failure == Notice.of("crew-ended", error="RuntimeError")


async def test_disk_error_of_crewai_is_waited_out(bureau: Bureau) -> None:
    def full(_: CrewTaskRequest, __: CrewConversation) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    crews = CrewActivities(full, bureau.threads, bureau.house.gateway, bureau.crews._web)
    with pytest.raises(StoreUnavailable, match="No space left"):
        await environment(3).run(crews.work, bureau.task())


async def test_interrupted_turn_is_no_error_in_the_log(
    bureau: Bureau, caplog: pytest.LogCaptureFixture
) -> None:
    """The caller reports the failure; CrewAI only sees that its thread was ended."""
    bureau.house.provider.answers(fails(529))
    with caplog.at_level(logging.ERROR), pytest.raises(ModelBusy):
        await bureau.work(bureau.task())
    assert caplog.messages == []


async def test_broken_json_is_repaired_in_one_more_turn(bureau: Bureau) -> None:
    await begun(bureau)
    bureau.house.provider.answers(says('{"number": 0}'), DONE)
    result = await bureau.work(bureau.task())
    assert (result.output, result.turns, result.usage.calls) == ({"number": 12}, 3, 4)
    assert len(bureau.asked) == 4


async def test_refused_tool_turn_ends_the_task(bureau: Bureau) -> None:
    bureau.house.provider.answers(uses(1, search("pumps")), says("", "refusal"), DONE)
    bureau.finds()
    result = await bureau.work(bureau.task())
    assert (result.end_reason, len(bureau.asked), len(result.searches)) == ("model-refused", 2, 1)


async def test_agent_answers_in_a_turn_that_the_cap_was_kept_for(bureau: Bureau) -> None:
    """A turn of 1000 tokens costs $1 a million; another turn and its last one would not fit."""
    url = await begun(bureau)
    bureau.house.provider.answers(DONE)
    result = await bureau.work(bureau.task(cap_usd=0.014, left_usd=0.014))
    assert (result.output, result.end_reason) == ({"number": 12}, "budget-exceeded")
    assert [source.url for source in result.sources] == [url]
    told = [json.dumps(body["messages"][-1]["content"]) for body in bureau.asked[1:]]
    assert [r"\"usd_left\":0.01" in text for text in told] == [True, True]
    assert result.usage.calls == len(bureau.asked) == 3
    assert bureau.asked[-1]["tool_choice"] == {"type": "none"}


async def test_turn_whose_repair_the_cap_refuses_is_paid_under_one_name(bureau: Bureau) -> None:
    """The last turn in its place is another request, and so another call."""
    await begun(bureau)
    bureau.house.provider.answers(says('{"number": 0}'), DONE)
    result = await bureau.work(bureau.task(cap_usd=0.0168, left_usd=0.0168))
    assert (result.output, result.end_reason) == ({"number": 12}, "budget-exceeded")
    names = await bureau.house.list_paid()
    assert [name.rpartition("turn-")[2] for name in names] == ["1", "2", "3", "3-last"]


async def test_retry_goes_on_with_the_last_turn_that_was_paid(bureau: Bureau) -> None:
    """What was reserved may have been given back since the attempt before."""
    await begun(bureau)
    bureau.house.provider.answers(DONE)
    first = await bureau.work(bureau.task(cap_usd=0.014, left_usd=0.014))
    again = await bureau.work(bureau.task(cap_usd=1, left_usd=0.014), attempt=2)
    assert (again.output, again.end_reason) == (first.output, "budget-exceeded")
    assert (len(bureau.asked), again.usage.reused_calls) == (3, 3)


async def test_turn_over_the_cap_is_not_requested(bureau: Bureau) -> None:
    await begun(bureau)
    result = await bureau.work(bureau.task(cap_usd=0.002))
    assert (result.output, result.end_reason) == (None, "budget-exceeded")
    assert not bureau.asked


async def test_task_whose_cap_may_be_raised_is_refused_and_then_goes_on(bureau: Bureau) -> None:
    url = await begun(bureau)
    bureau.house.provider.answers(DONE)
    with pytest.raises(BudgetExceeded):
        await bureau.work(bureau.task(cap_usd=0.014, left_usd=0.014, may_raise=True))
    paid = len(bureau.asked)
    result = await bureau.work(bureau.task(cap_usd=1, left_usd=0.014, may_raise=True))
    assert (result.output, result.end_reason) == ({"number": 12}, "completed")
    assert [source.url for source in result.sources] == [url]
    assert (len(bureau.asked), result.usage.reused_calls) == (3, paid)


async def cancelled(
    bureau: Bureau, request: CrewTaskRequest, asked: int, why: dict[str, bool] = CANCEL
) -> float:
    """Cancel a task once that was asked of the provider or the site; return how long it took."""
    at = environment()
    work = asyncio.create_task(bureau.work(request, at))
    for _ in range(500):
        if len(bureau.asked) + len(bureau.site.requests) == asked:
            break
        await asyncio.sleep(0.02)
    clock = asyncio.get_running_loop().time
    start = clock()
    at.cancel(ActivityCancellationDetails(**why))
    with pytest.raises(asyncio.CancelledError):
        await work
    return clock() - start


async def stays_quiet(bureau: Bureau, asked: int) -> None:
    """Check that nothing more is asked, and that all threads wait for work."""
    await asyncio.sleep(0.6)
    assert len(bureau.asked) + len(bureau.site.requests) == asked
    idle = [bureau.threads.submit(threading.get_ident) for _ in range(4)]
    assert all(future.result(1) for future in idle)


async def test_cancel_closes_the_model_connection(bureau: Bureau) -> None:
    await begun(bureau)
    bureau.house.provider.answers(says("Never.", held=True), DONE)
    assert await cancelled(bureau, bureau.task(), asked=5) < 3
    await stays_quiet(bureau, 5)
    bureau.house.provider.gate.set()
    await asyncio.sleep(0.1)
    assert [e.finished for e in bureau.house.provider.exchanges] == [True, True, False]


async def test_cancel_ends_hanging_and_parallel_tools(bureau: Bureau) -> None:
    urls = [bureau.hangs("/one"), bureau.hangs("/two")]
    bureau.house.provider.answers(uses(1, *map(fetch, urls)), DONE)
    assert await cancelled(bureau, bureau.task(), asked=3) < 3
    await stays_quiet(bureau, 3)


async def test_turn_paid_by_an_abandoned_attempt_is_reused(bureau: Bureau) -> None:
    """The server gave the attempt up while the process stood still: its call goes on."""
    bureau.house.provider.answers(says('{"number": 12}', held=True))
    await cancelled(bureau, bureau.task(), asked=1, why={"timed_out": True})
    next_attempt = asyncio.create_task(bureau.work(bureau.task(), 2))
    await asyncio.sleep(0.2)
    bureau.house.provider.gate.set()
    result = await next_attempt
    assert (result.output, result.usage.reused_calls) == ({"number": 12}, 1)
    assert len(bureau.asked) == 1


async def test_stopping_worker_finishes_its_turn_and_starts_none(bureau: Bureau) -> None:
    url = bureau.puts("/one")
    bureau.house.provider.answers(uses(1, fetch(url), held=True), DONE)
    stopping = environment()
    work = asyncio.create_task(bureau.work(bureau.task(), stopping))
    await bureau.house.provider.until_asked(1)
    stopping.worker_shutdown()
    bureau.house.provider.gate.set()
    with pytest.raises(WorkerStopping):
        await work
    assert (len(bureau.asked), bureau.site.requests) == (1, [])
    result = await bureau.work(bureau.task(), 2)
    assert (result.usage.calls, result.usage.reused_calls) == (2, 1)
    assert (len(bureau.asked), len(bureau.site.requests)) == (2, 1)


async def test_concurrent_tasks_are_isolated(bureau: Bureau) -> None:
    """The same model, tools and threads; each talks of its own."""
    scopes = [bureau.task().scope.model_copy(update={"run_id": f"run-{n}"}) for n in range(4)]
    bureau.finds()

    def answer(exchange: Exchange) -> Response:
        messages = exchange.body["messages"]
        n = next(n for n in range(4) if f"number {n}!" in str(messages[0]))
        made = says(f'{{"number": {n + 1}}}') if messages[1:] else uses(n, search(f"pumps {n}"))
        return made(exchange)

    def task(n: int) -> CrewTaskRequest:
        told = bureau.task().task.model_copy(update={"description": f"number {n}!"})
        return bureau.task(scope=scopes[n], task=told)

    bureau.house.provider.answers(*[answer] * 8)
    results = await asyncio.gather(*(bureau.work(task(n)) for n in range(4)))
    assert [result.output for result in results] == [{"number": n + 1} for n in range(4)]
    assert [[s.query for s in r.searches] for r in results] == [[f"pumps {n}"] for n in range(4)]
    assert len(bureau.asked) == 8


async def test_failure_is_raised_to_crewai_once(bureau: Bureau) -> None:
    """The mark on `call` keeps CrewAI from wrapping it in tries of its own."""
    from activities.integrations.crewai_adapter import GatewayLLM

    class CountingConversation:
        calls = 0

        def request_turn(self, *_: object, **__: object) -> str:
            self.calls += 1
            raise ModelBusy(Notice.of("model-status", status=429, name="rate_limit_error"))

    conversation: Any = CountingConversation()
    with pytest.raises(ModelBusy):
        GatewayLLM(model="m", provider="greenlight", conversation=conversation).call("Hello.")
    assert conversation.calls == 1


@contextlib.contextmanager
def away(folder: Path) -> Iterator[None]:
    """Replace a folder by a file during the block."""
    folder.rmdir()
    folder.write_text("no folder", encoding="utf-8")
    yield
    folder.unlink()


async def test_unreachable_blob_store_is_not_reported_to_the_model(
    bureau: Bureau, tmp_path: Path
) -> None:
    """Not even on the last attempt: the interceptor and the workflow wait for it."""
    bureau.house.provider.answers(uses(1, fetch(bureau.puts("/one"))), DONE)
    with away(tmp_path), pytest.raises(StoreUnavailable):
        await bureau.work(bureau.task(), 3)
    result = await bureau.work(bureau.task(), 3)
    assert (result.output, len(result.sources)) == ({"number": 12}, 1)
    assert len(bureau.asked) == 2
