"""Calls in Message Batches: submitted once, looked for by the journal, paid at half the price."""

import asyncio
from pathlib import Path

import pytest
from temporalio.exceptions import ApplicationError

from activities.calls.model_batches import FIRST_LOOK
from contracts.errors import BatchPending, BudgetExceeded, ModelRejected
from contracts.models.call import ModelRequest, Reply
from contracts.models.prices import Price
from tests.activities.calls.conftest import NUMBER, House, behind_interceptor, opened
from tests.activities.calls.provider import fails, says
from tests.support.databases import fetch_as_owner
from tests.support.offline_services import eventually
from tests.support.words import en, phrase


async def waits(house: House, request: ModelRequest) -> BatchPending:
    with pytest.raises(BatchPending) as pending:
        await house.call(request)
    return pending.value


async def statuses(house: House) -> list[str]:
    return [str(e.payload["message"]) for e in await house.log() if e.type == "Status"]


async def reserved(house: House) -> float:
    query = "SELECT sum(reserved_usd)::float8 FROM calls WHERE run_id = %(run)s"
    [found] = await fetch_as_owner(house.pool, query, {"run": house.run_id})
    return float(found)


async def test_call_in_a_batch_is_made_once_and_costs_half(house: House) -> None:
    house.provider.fate = "in_progress"
    request = house.request(batch=True)
    for _ in range(3):
        assert (await waits(house, request)).retry_after == pytest.approx(FIRST_LOOK, abs=0.5)
    assert await reserved(house) > 0
    house.provider.fate = "succeeded"
    result = await house.call(request)
    again = await house.call(request)
    assert len(house.provider.batches) == 1
    assert not house.provider.exchanges
    price = Price(input_usd=1, output_usd=5)
    usage = result.usage
    # Cache writes of the stand-in cost 1.25 times the price, so the regular price includes them.
    kept = await fetch_as_owner(
        house.pool, "SELECT result FROM calls WHERE run_id = %(run)s", {"run": house.run_id}
    )
    reply = Reply.model_validate(kept[0])
    ordinary = price.compute_call_usd(reply)
    assert usage.usd == pytest.approx(ordinary / 2)
    assert await house.spent() == pytest.approx(ordinary / 2)
    assert (again.content, again.usage, await reserved(house)) == (result.content, usage, 0)
    assert await house.told() == ["AgentInput", "Status", "AgentOutput"]
    [told] = await statuses(house)
    assert (told[:7], phrase("batch-waits") in told) == ("planner", True)


async def test_batch_is_found_again_by_another_worker_which_has_none_of_it_in_memory(
    house: House, tmp_path: Path
) -> None:
    house.provider.fate = "in_progress"
    await waits(house, house.request(batch=True))
    house.provider.fate = "succeeded"
    async with opened(house.dsn, house.provider, tmp_path) as other:
        other.run_id = house.run_id
        assert (await other.call(house.request(batch=True))).content
    assert len(house.provider.batches) == 1
    taken_over = "SELECT sum(taken_over)::int FROM calls WHERE run_id = %(run)s"
    assert await fetch_as_owner(house.pool, taken_over, {"run": house.run_id}) == [0]


async def test_batch_that_is_waited_for_keeps_its_reservation_and_needs_no_other(
    house: House,
) -> None:
    house.provider.fate = "in_progress"
    first = house.request(batch=True, cap_usd=0.03)
    await waits(house, first)
    with pytest.raises(BudgetExceeded):
        await house.call(house.request("Another?", name="other", cap_usd=0.03))
    await waits(house, first.model_copy(update={"cap_usd": 0.001}))


@pytest.mark.parametrize("fate", ["expired", "errored", "canceled"])
async def test_call_whose_batch_fails_is_asked_at_once_and_says_so(house: House, fate: str) -> None:
    house.provider.fate = "in_progress"
    request = house.request(batch=True)
    await waits(house, request)
    house.provider.fate = fate
    house.provider.answers(says("Twelve."))
    result = await house.call(request)
    assert result.content[0].text == "Twelve."
    assert (len(house.provider.batches), len(house.provider.exchanges)) == (1, 1)
    assert result.usage.usd == pytest.approx((1_000 + 5 * result.usage.output_tokens) / 1e6)
    _, told = await statuses(house)
    assert told == en("batch-failed", role="planner", state=fate)


async def test_call_whose_batch_failed_fails_as_it_would_without_one(house: House) -> None:
    house.provider.fate = "in_progress"
    request = house.request(batch=True)
    await waits(house, request)
    house.provider.fate = "errored"
    house.provider.answers(fails(403))
    with pytest.raises(ModelRejected, match="403") as refused:
        await house.call(request)
    assert "SECRET" not in str(refused.value)


async def test_server_without_batches_is_asked_at_once_and_the_run_told_once(house: House) -> None:
    house.provider.answers(says("One."), says("Two."))
    first = await house.call(house.request(batch=True))
    await house.call(house.request("Another?", name="other", batch=True))
    assert first.usage.usd == pytest.approx((1_000 + 5 * first.usage.output_tokens) / 1e6)
    [told] = await statuses(house)
    assert phrase("batch-none") in told


async def test_outage_while_a_batch_is_waited_for_is_no_failure(house: House) -> None:
    house.provider.fate = "in_progress"
    await waits(house, house.request(batch=True))
    house.provider.down = True
    await waits(house, house.request(batch=True))
    assert len(house.provider.batches) == 1


async def test_batch_is_left_to_the_workflow_without_using_up_an_attempt(house: House) -> None:
    house.provider.fate = "in_progress"
    with pytest.raises(ApplicationError) as failed:
        await behind_interceptor(house, house.request(batch=True))
    assert (failed.value.type, failed.value.non_retryable) == ("batch-pending", True)
    assert failed.value.next_retry_delay


async def test_typed_answer_and_its_repair_are_batches_of_their_own(house: House) -> None:
    house.provider.fate = "succeeded"
    request = house.request(batch=True, output_schema=NUMBER)
    await waits(house, request)
    result = await house.call(request)
    assert result.output
    [asked] = house.provider.batches.values()
    assert asked["params"]["output_config"]["format"]["type"] == "json_schema"


@pytest.mark.parametrize(("fate", "share"), [("in_progress", 0), ("succeeded", 0.5)])
async def test_withdrawn_call_cancels_its_batch_and_pays_what_was_answered(
    house: House, fate: str, share: float
) -> None:
    house.provider.fate = "in_progress"
    request = house.request(batch=True)
    await waits(house, request)
    house.provider.fate = fate
    await house.gateway.withdraw(request)
    await house.gateway.withdraw(request)
    assert house.provider.cancelled == (["msgbatch_1"] if fate == "in_progress" else [])
    assert await reserved(house) == 0
    query = "SELECT settled_usd::float8 FROM calls WHERE run_id = %(run)s"
    [paid] = await fetch_as_owner(house.pool, query, {"run": house.run_id})
    assert (paid > 0) == (share > 0)
    await waits(house, request)
    assert len(house.provider.batches) == 2


async def test_cancel_while_a_batch_is_being_made_leaves_none_behind(house: House) -> None:
    house.provider.fate = "in_progress"
    house.provider.slow = asyncio.Event()
    asked = asyncio.create_task(house.call(house.request(batch=True)))
    await house.provider.until_batched()
    asked.cancel()
    await asyncio.sleep(0.2)
    house.provider.slow.set()
    with pytest.raises(asyncio.CancelledError):
        await asked

    async def withdrawn() -> (
        bool
    ):  # by the call itself, for which a cancelled activity waits only briefly
        return house.provider.cancelled == ["msgbatch_1"]

    assert await eventually(withdrawn)
