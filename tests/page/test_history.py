"""The list of runs in the browser."""

import pytest
from playwright.async_api import expect

from tests.page.conftest import Visitor, find_barriers, measure_overflow
from tests.page.words import like, t
from tests.support.stack import Whole


@pytest.mark.full
async def test_what_waits_for_me_stands_on_top(visitor: Visitor, whole: Whole) -> None:
    query = f"What do Peru and Chile export? {'W' * 300}"
    run = await whole.start(query)
    await run.asks("questions")
    page = await visitor.open("/runs")
    waiting = page.get_by_role("region", name=t("runs.waiting"))
    others = page.get_by_role("region", name=t("runs.all"))
    link = f"a[href='/runs/{run.id}']"
    await expect(waiting.locator(link)).to_contain_text(query)
    await expect(waiting.locator(link)).to_contain_text(t("run.questions"))
    await expect(others.locator(link)).to_have_count(0)
    count = await waiting.get_by_role("listitem").count()  # another test may have left one
    await expect(page.get_by_role("navigation")).to_contain_text(t("nav.waiting", n=count))
    assert await find_barriers(page) == []
    assert await measure_overflow(page) <= 0
    await run.post("/cancel")
    await run.ended()
    await page.reload()
    await expect(others.locator(link)).to_contain_text(t("status.cancelled"))
    await expect(waiting.locator(link)).to_have_count(0)


@pytest.mark.full
async def test_of_many_waiting_runs_three_stand_on_top_and_the_inbox_has_the_rest(
    visitor: Visitor, whole: Whole
) -> None:
    runs = [await whole.start(f"What does Peru export, and to whom? {n}") for n in range(5)]
    for run in runs:
        await run.asks("questions")
    page = await visitor.open("/runs")
    waiting = page.get_by_role("region", name=t("runs.waiting"))
    await expect(waiting.get_by_role("listitem")).to_have_count(3)
    others = page.get_by_role("region", name=t("runs.all"))
    await expect(others.locator(f"a[href='/runs/{runs[0].id}']")).to_contain_text(
        t("run.questions")
    )
    await waiting.get_by_role("link", name=like("runs.waiting.more")).click()
    await expect(page.get_by_role("heading", level=1)).to_have_text(t("nav.inbox"))


async def test_runs_are_found_by_words_status_and_kind(visitor: Visitor, whole: Whole) -> None:
    for depth in ("standard", "quick"):
        run = await whole.start("What do Peru and Chile export?", depth=depth)
        await run.recorded()
    ended = await whole.start("How do Finland and Estonia make electricity?")
    await ended.asks("questions")
    await ended.post("/cancel")
    await ended.ended()
    page = await visitor.open("/runs")
    rows = page.get_by_role("listitem")
    assert await find_barriers(page) == []
    await page.get_by_label(t("runs.search")).fill("Peru and CHILE")
    for depth in ("standard", "quick"):  # what tells apart those that ask the same
        await expect(rows.filter(has_text=t(f"depth.{depth}")).first).to_be_visible()
    await page.get_by_label(t("runs.search")).fill("FINLAND and")
    await expect(rows).to_have_count(1)
    await expect(rows).to_contain_text("How do Finland and Estonia")
    await page.get_by_label(t("runs.status")).select_option(t("status.failed"))
    await expect(page.get_by_text(t("runs.empty.filter"))).to_be_visible()
    await page.get_by_label(t("runs.status")).select_option(t("status.cancelled"))
    await expect(rows).to_have_count(1)
    await page.get_by_label(t("runs.definition")).select_option(t("preset-web_answer"))
    await expect(page.get_by_text(t("runs.empty.filter"))).to_be_visible()


@pytest.mark.full
async def test_run_that_found_nothing_is_not_listed_as_a_success_and_says_how_to_connect(
    visitor: Visitor, whole: Whole
) -> None:
    run = await whole.start("How do violin makers choose varnish resins?", definition="web_answer")
    state = await run.ended()
    assert (state.status, state.results.cited) == ("completed", 0)
    page = await visitor.open("/runs")
    row = page.get_by_role("listitem").filter(has=page.locator(f'a[href="/runs/{run.id}"]'))
    await expect(row).to_contain_text(t("status.nothing"))
    await row.get_by_role("link").click()
    await expect(page.locator(".run-head .status")).to_have_text(t("status.nothing"))
    told = page.locator(".reading .notice")
    await expect(told).to_contain_text(like("nothing-found"))
    await told.get_by_role("link", name=t("read.nothing.connect")).click()
    await expect(page.get_by_role("heading", name=t("settings.connect"))).to_be_visible()
