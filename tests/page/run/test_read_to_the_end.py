"""A report that is read while its run ends: the note that is open stays open, and its sentence where it is."""

import pytest
from playwright.async_api import Page, expect

from tests.page.conftest import PHONE, Visitor
from tests.page.words import like, t
from tests.support.offline_services import eventually
from tests.support.stack import Whole

SLOW = 3
"""Seconds that an answer of the model takes: the first notes are there long before the end."""
PLACE_PX = 150
"""Where the number of the open note is, from the top of the window."""
LEAST_PX = 300
"""How far the window is scrolled: what stands above the report shrinks at the end, and a page at its top cannot be held."""
MOST_PX = 4


async def _open_last_note(page: Page) -> None:
    """Open the last note of a report that grows, from a number near the top of the window."""
    numbers = page.locator(".growing .report").get_by_role("button", name=like("read.note.open"))
    await expect(numbers.first).to_be_visible()

    async def is_below_the_head() -> bool:
        await numbers.last.evaluate(
            """(number, place) => scrollBy(
                {top: number.getBoundingClientRect().top - place, behavior: "instant"})""",
            PLACE_PX,
        )
        return bool(await page.evaluate("least => scrollY >= least", LEAST_PX))

    await eventually(is_below_the_head)
    await numbers.last.click()
    await expect(page.locator(".note mark")).to_be_visible()
    await page.evaluate("""() => {
        window.opened = document.querySelector(".note");
        window.pressed = document.querySelector(".report [aria-pressed=true]");
        window.place = pressed.getBoundingClientRect().top;
    }""")


@pytest.mark.full
async def test_note_that_is_open_when_a_run_ends_stays_open_in_its_place(
    visitor: Visitor, whole: Whole
) -> None:
    run = await whole.planned()
    desk, phone = await visitor.open(f"/runs/{run.id}"), await visitor.open(f"/runs/{run.id}/work")
    await phone.set_viewport_size(PHONE)
    for page in (desk, phone):
        await expect(page.locator(".plan, .growing").first).to_be_visible()
    await whole.providers.told(pace=SLOW)
    await run.approve()
    for page in (desk, phone):
        await _open_last_note(page)
    quotes = [await page.locator(".note mark").inner_text() for page in (desk, phone)]
    await whole.providers.told(pace=0)
    await run.completed()
    for page, quote in zip((desk, phone), quotes, strict=True):
        await expect(page.locator(".growing")).to_have_count(0)
        await expect(page.get_by_role("button", name=t("read.download"))).to_be_visible()
        assert await page.locator(".note mark").inner_text() == quote
        assert await page.evaluate("opened.isConnected && pressed.matches('[aria-pressed=true]')")
        await expect(page.locator(".note").get_by_role("heading")).to_be_focused()
        await page.wait_for_function(
            "most => Math.abs(pressed.getBoundingClientRect().top - place) <= most", arg=MOST_PX
        )
        await page.get_by_role("button", name=t("read.sentence.edit"), exact=True).wait_for()
    assert desk.url.endswith(run.id)
    assert phone.url.endswith("/report")
