"""The web has nothing, or none of it can be read: the report says so instead of making it up."""

import pytest

from contracts.report.report import Report
from tests.stack import Run, Whole
from tests.words import phrase


async def report(run: Run) -> Report:
    outputs = (await run.get(include="outputs")).json()["outputs"]
    return Report.model_validate(outputs["synthesis"]["report"])


async def says_what_is_missing(run: Run) -> None:
    """Check that nothing is claimed, and that each section says why."""
    state = await run.ended()
    assert state.status in {"completed", "partial"}, [(p.id, p.error) for p in state.phases]
    written = await report(run)
    assert written.claims_total == 0
    assert all(section.missing for section in written.sections)
    assert written.sections


@pytest.mark.full
async def test_every_search_comes_back_empty(whole: Whole) -> None:
    run = await whole.start("Zorblatt, quuxian, frobnitz?")
    await run.answer()
    await run.approve()
    await says_what_is_missing(run)


@pytest.mark.full
@pytest.mark.parametrize("status", [404, 503])
async def test_no_page_can_be_read(whole: Whole, status: int) -> None:
    await whole.providers.told(
        {"status": status, "retry_after": 0.1, "times": 10_000, "match": {"service": "pages"}}
    )
    run = await whole.start()
    await run.answer()
    await run.approve()
    await says_what_is_missing(run)
    assert await whole.providers.asked("pages")


async def test_the_search_service_refuses_us(whole: Whole) -> None:
    await whole.providers.told({"status": 401, "times": 10_000, "match": {"service": "search"}})
    run = await whole.start()
    await run.answer()
    await run.approve()
    state = await run.ended()
    assert state.status == "failed"
    assert [phase.id for phase in state.phases if phase.error] == ["research"]
    assert f"{phrase('lost-searches-all')} (HTTP 401)" in await run.report()
