"""Nothing moves under a finger: what one presses stays where it is, and what arrives late pushes nothing away."""

import asyncio
import random
import re
from datetime import UTC, datetime, timedelta

import pytest
from playwright.async_api import Locator, Page, Route, expect

from bench.page.viewers import make_turn
from store.postgres.pool import Pool
from store.run_records.event_log import EventRepository
from tests.page.conftest import PHONE, Visitor
from tests.page.words import t
from tests.support.stack import Undisturbed, Whole

SETTLED_MS = 1_000
STALE_MS = 2_500
"""After this long the page asks again for what it has."""
MOST_PX = 4
SHIFTS = """window.shifts = [];
new PerformanceObserver(list => list.getEntries().filter(entry => !entry.hadRecentInput).forEach(entry =>
    entry.sources.forEach(({node, previousRect: before, currentRect: now}) => {
        const box = node?.nodeType === 1 ? node : node?.parentElement;
        if (box && !box.matches(".loading, .footer, .footer *") && before.y < innerHeight && Math.abs(now.y - before.y) > 8)
            window.shifts.push(`${box.localName}.${box.className} ${before.y} -> ${now.y}`);
    }))).observe({type: "layout-shift", buffered: true});"""
"""Collects what moves in sight although nobody pressed anything, as the browser measures it."""


async def _press(page: Page, pressed: Locator) -> float:
    """Press something in sight, and return by how many pixels it moved on the screen."""
    await pressed.evaluate("one => one.scrollIntoView({block: 'center'})")
    where = "one => (one.closest('label') ?? one).getBoundingClientRect().top"
    handle = await pressed.element_handle()
    before = await handle.evaluate(where)
    await handle.click()
    await page.wait_for_timeout(SETTLED_MS)
    after = await handle.evaluate(where)
    return abs(float(after) - float(before))


CARDS, WAYS = (
    ["market_analysis", "web_answer", "deep_research"],
    ["deep_research_full_hitl", "one_shot", "idea_generation"],
)


@pytest.mark.parametrize(
    "names",
    [
        pytest.param([CARDS[0], WAYS[0], CARDS[2]], id="one of each"),
        pytest.param([*CARDS, *WAYS, *CARDS], id="all", marks=pytest.mark.full),
    ],
)
async def test_a_way_to_research_stays_under_the_finger_that_chooses_it(
    visitor: Visitor, names: list[str]
) -> None:
    page = await visitor.open()
    await page.set_viewport_size(PHONE)
    await expect(page.locator(".depths")).to_be_visible()
    await page.get_by_role("button", name=t("ask.more")).click()
    for name in names:
        choice = page.locator("label", has=page.locator(f"input[value={name}]"))
        assert await _press(page, choice) <= MOST_PX, name


@pytest.mark.full
@pytest.mark.usefixtures("undisturbed")  # there is another one
async def test_a_run_that_is_chosen_to_compare_stays_where_it_is(
    visitor: Visitor, whole: Whole
) -> None:
    asked = await whole.start("What does Peru export, and to whom?")
    await asked.asks("questions")
    page = await visitor.open("/runs")
    await page.set_viewport_size(PHONE)
    await expect(page.locator(".asking li").first).to_be_visible()
    choose = page.get_by_role("button", name=t("runs.compare")).first
    assert await _press(page, choose) <= MOST_PX
    await expect(page.get_by_text(t("runs.compare.pick"))).to_be_in_viewport()
    await page.get_by_role("button", name=t("runs.compare.cancel")).click()
    await expect(page.get_by_text(t("runs.compare.pick"))).to_have_count(0)
    await asked.post("/cancel")
    await asked.ended()


async def _look_again(page: Page) -> None:
    """Return to a tab whose list is stale."""
    await asyncio.sleep(STALE_MS / 1000)
    await page.evaluate("window.dispatchEvent(new Event('visibilitychange'))")


@pytest.mark.parametrize(
    ("path", "list_", "left"),
    [
        ("/inbox", ".waits", "list.gone"),
        pytest.param("/runs", ".list", "status.cancelled", marks=pytest.mark.full),
    ],
)
async def test_what_arrives_in_a_list_is_held_back_until_it_is_asked_for(
    visitor: Visitor, whole: Whole, path: str, list_: str, left: str
) -> None:
    read = await whole.start("What does Peru export to those who read?")
    await read.asks("questions")
    page = await visitor.open(path)
    rows = page.locator(f"{list_} li")
    read_row = rows.filter(has=page.locator(f"a[href$='/{read.id}']"))
    await expect(read_row).to_be_visible()
    count, place = await rows.count(), await read_row.bounding_box()
    new = await whole.start("What does Chile export, and to whom?")
    await new.asks("questions")
    await _look_again(page)
    pill = page.locator(".new-rows").get_by_role("button", name=t("list.new", n=1))
    await expect(pill).to_be_in_viewport()
    assert await rows.count() == count
    assert await read_row.bounding_box() == place
    for run in (new, read):  # what leaves keeps its place, too
        await run.post("/cancel")
        await run.ended()
    await _look_again(page)
    await expect(read_row.first).to_contain_text(t(left))
    assert await read_row.first.bounding_box() == place


@pytest.mark.full
async def test_late_rows_of_the_feed_leave_in_place_what_is_read(
    visitor: Visitor, whole: Whole
) -> None:
    run = await whole.planned()
    page = await visitor.open(f"/runs/{run.id}/work")
    box = page.locator(".feed-box")
    turns = range(10, 50)
    async with Pool(whole.stack.addresses.database, max_size=1) as pool:
        log = EventRepository(pool)
        for turn in turns:
            await log.append("default", run.id, make_turn(turn))
        last = box.get_by_text(f"turn-{turns[-1]}-")
        await expect(last).to_be_visible()  # it follows the newest
        await box.evaluate("box => { box.scrollTop = box.scrollHeight / 2; }")
        newest = page.locator(".newest")
        await expect(newest).to_have_text(re.compile(re.escape(t("work.feed.newest"))))
        read = box.get_by_text(re.compile(r"turn-\d+-")).nth(3)
        name, before = await read.inner_text(), await read.bounding_box()
        early = datetime.now(UTC) - timedelta(hours=1)
        late = [one.model_copy(update={"at": early.isoformat()}) for one in make_turn(1)]
        await log.append("default", run.id, late)  # by an agent whose events are sent in batches
        await expect(newest).to_contain_text(t("list.new", n=2))
        read = box.get_by_text(name)
        after = await read.bounding_box()
        assert before
        assert after
        assert abs(after["y"] - before["y"]) <= MOST_PX
    await newest.click()
    await expect(last).to_be_visible()


@pytest.mark.full
@pytest.mark.parametrize("view", ["/", "/inbox", "/runs", "report", "/settings", "/compose"])
@pytest.mark.parametrize("width", [390, 1280])
async def test_what_arrives_late_moves_nothing_in_sight(
    visitor: Visitor, undisturbed: Undisturbed, view: str, width: int
) -> None:
    async def delay(route: Route) -> None:
        await asyncio.sleep(random.Random(route.request.url).uniform(0.1, 0.6))
        await route.continue_()

    visitor.excuse("404")
    page = await visitor.open("/nosuch")
    await page.set_viewport_size({"width": width, "height": 800})
    await page.add_init_script(SHIFTS)
    await page.route("**/v1/**", delay)
    path = f"/runs/{undisturbed.run.id}" if view == "report" else view
    await page.goto(visitor.base + path)
    await expect(page.locator("main h1, main h2").first).to_be_visible()
    await expect(page.locator(".loading")).to_have_count(0)
    await page.wait_for_timeout(SETTLED_MS)
    assert await page.evaluate("window.shifts") == []
    await page.unroute_all(behavior="ignoreErrors")
