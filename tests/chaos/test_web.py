"""If the web returns nothing or nothing readable, the report says so and invents nothing."""

import pytest

from contracts.report.report import Report
from tests.support.stack import Run, Whole
from tests.support.words import phrase


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


async def without_pages(whole: Whole, status: int) -> Run:
    """Return an approved run, to which every page answers with an error status."""
    await whole.providers.told(
        {"status": status, "retry_after": 0.1, "times": 10_000, "match": {"service": "pages"}}
    )
    run = await whole.start()
    await run.answer()
    await run.approve()
    return run


@pytest.mark.full
async def test_no_page_can_be_read(whole: Whole) -> None:
    run = await without_pages(whole, 404)
    await says_what_is_missing(run)
    assert await whole.providers.asked("pages")


@pytest.mark.full
async def test_outage_of_every_page_fails_the_research(whole: Whole) -> None:
    run = await without_pages(whole, 503)
    await fails_in_research(run)
    [loss] = [phase.error.notice for phase in (await run.state()).phases if phase.error]
    assert loss is not None
    assert (loss.code, loss.params["why"]) == ("lost-pages-all", ["HTTP 503"])


async def fails_in_research(run: Run) -> None:
    state = await run.ended()
    assert state.status == "failed"
    assert [phase.id for phase in state.phases if phase.error] == ["research"]


async def test_the_search_service_refuses_us(whole: Whole) -> None:
    await whole.providers.told({"status": 401, "times": 10_000, "match": {"service": "search"}})
    run = await whole.start()
    await run.answer()
    await run.approve()
    await fails_in_research(run)
    assert f"{phrase('lost-searches-all')} (HTTP 401)" in await run.report()
