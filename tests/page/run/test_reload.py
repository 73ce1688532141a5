"""A reload, in every state of a run: the same is shown again, nothing is lost and nothing is there twice."""

import asyncio
import json
from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from playwright.async_api import Page, expect

from tests.page.conftest import Visitor
from tests.page.views import start_growing
from tests.page.words import t
from tests.support.offline_services import eventually
from tests.support.stack import Run, Whole

SHOWN = """() => {
    const shown = document.getElementById("content").cloneNode(true);
    // what goes by the clock, or by how far one has scrolled
    for (const passing of shown.querySelectorAll("time, .more-below")) passing.remove();
    const fields = [...document.querySelectorAll("#content input, #content textarea, #content select")];
    return JSON.stringify({
        words: shown.textContent.replace(/\\s+/g, " "),
        fields: fields.map(field => field.type === "radio" || field.type === "checkbox"
            ? field.checked : field.value),
    });
}"""


Moment = Callable[[Visitor, Whole], Awaitable[Page]]


async def settle(page: Page) -> Any:
    """Return the visible state after it has settled: prices are requested when typing pauses."""
    seen, shown = "", await page.evaluate(SHOWN)
    while shown != seen:
        await asyncio.sleep(0.7)
        seen, shown = shown, await page.evaluate(SHOWN)
    return json.loads(shown)


async def opened(visitor: Visitor, run: Run, sign: str, part: str = "") -> Page:
    """Open a run, and wait until a sign of its state is there."""
    page = await visitor.open(f"/runs/{run.id}{part}")
    await expect(page.locator(sign).first).to_be_visible()
    return page


async def asked(visitor: Visitor, _: Whole) -> Page:
    page = await visitor.open()
    await page.get_by_label(t("ask.question")).fill("What do Peru and Chile export?")
    await page.get_by_role("radio", name=t("ask.kind.market_analysis")).check()
    await expect(page.locator(".price:not([data-awaited])")).to_be_visible()
    return page


async def questioned(visitor: Visitor, whole: Whole) -> Page:
    run = await whole.start()
    await run.asks("questions")
    page = await opened(visitor, run, ".questions")
    await page.get_by_role("textbox").last.fill("since 2020")
    await page.get_by_role("radio", name="Risk").check()
    return page


async def planned(visitor: Visitor, whole: Whole) -> Page:
    return await opened(visitor, await whole.planned(), ".plan")


async def edited(visitor: Visitor, whole: Whole) -> Page:
    page = await planned(visitor, whole)
    await page.get_by_role("button", name=t("approve.edit")).click()
    await page.get_by_role("textbox", name=t("plan.title"), exact=True).fill(
        "Pumps in two countries"
    )
    await expect(page.get_by_role("button", name=t("approve.modify", n=1))).to_be_visible()
    return page


async def objected(visitor: Visitor, whole: Whole) -> Page:
    page = await planned(visitor, whole)
    await page.get_by_role("button", name=t("approve.plan.revise")).click()
    await page.get_by_label(t("approve.revise.label")).fill("Say what pumps cost")
    return page


async def revised(visitor: Visitor, whole: Whole) -> Page:
    run = await whole.planned()
    seen = await run.asks("decision")
    body = {"action": "revise", "plan_hash": seen.plan_hash, "feedback": "Say what pumps cost"}
    assert (await run.post("/decision", body)).is_success
    await run.asks("decision", after=seen.checkpoint_id)
    page = await opened(visitor, run, ".plan")
    await expect(page.get_by_role("region", name=t("approve.changes"))).to_be_visible()
    return page


async def paused(visitor: Visitor, whole: Whole) -> Page:
    page = await opened(visitor, await start_growing(whole), ".growing", "/work")
    await page.get_by_role("button", name=t("run.steer"), exact=True).click()
    await page.get_by_label(t("run.steer.label")).fill("Look at prices.")
    await page.keyboard.press("Escape")
    return page


async def ended(visitor: Visitor, whole: Whole) -> Page:
    run = await whole.start()
    await run.finish()
    page = await opened(visitor, run, ".cost")
    await page.get_by_label(t("read.followup")).fill("And Uganda?")
    return page


async def failed(visitor: Visitor, whole: Whole) -> Page:
    run = await whole.start()
    await run.answer()
    await run.asks("decision")
    await whole.providers.told({"status": 401, "times": 10_000, "match": {"service": "model"}})
    await run.approve()
    await run.ended()
    visitor.excuse("404")
    return await opened(visitor, run, ".read-none, .report")


async def cancelled(visitor: Visitor, whole: Whole) -> Page:
    run = await whole.planned()
    await run.post("/cancel")
    await run.ended()
    visitor.excuse("404")
    return await opened(visitor, run, ".read-none")


@pytest.mark.full
@pytest.mark.parametrize(
    "moment",
    [edited, planned, ended, asked, questioned, objected, revised, paused, failed, cancelled],
)
async def test_a_reload_shows_the_same(visitor: Visitor, whole: Whole, moment: Moment) -> None:
    page = await moment(visitor, whole)
    before = await settle(page)
    assert before["words"]
    await page.reload()

    async def same() -> bool:
        return bool(json.loads(await page.evaluate(SHOWN)) == before)

    try:
        await eventually(same, 20)
    except AssertionError:  # says what differs
        assert json.loads(await page.evaluate(SHOWN)) == before
