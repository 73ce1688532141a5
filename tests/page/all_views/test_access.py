"""Who reads by ear, by keyboard, on a phone, in colours of their own, or without motion."""

from typing import Literal

import pytest
from playwright.async_api import Browser, expect

from tests.page.conftest import DESK, PHONE, Visitor, find_barriers, measure_overflow, press, reach
from tests.page.words import like, t
from tests.support.stack import Undisturbed, Whole

CHANGES_WITHOUT_COLOUR = """one => {
    const style = getComputedStyle(one);
    return [style.borderBottomWidth, style.borderBottomStyle, style.outlineStyle, style.outlineWidth,
        style.textDecorationLine, style.textDecorationStyle, style.fontWeight].join(" ");
}"""
SHIFTS = """() => {
    window.shifts = [];
    new PerformanceObserver(list => list.getEntries().forEach(one => one.hadRecentInput || shifts.push(one.value)))
        .observe({type: "layout-shift", buffered: true});
}"""
MOST_SHIFT = 0.05
"""What may move in all, as a share of the view and of its height (Cumulative Layout Shift)."""
SETTLED_MS = 1_000
MOVING = """() => document.getAnimations().filter(one => one.playState === "running").length"""


async def test_each_part_of_a_run_has_no_barriers_and_fits_a_phone(
    visitor: Visitor, undisturbed: Undisturbed
) -> None:
    page = await visitor.open(f"/runs/{undisturbed.run.id}")
    await expect(page.locator(".tabs")).to_have_count(0)  # a report is read by itself
    for part, sign in (
        ("run.details", ".feed"),
        ("run.plan", ".plan"),
        ("run.report", ".cost"),
    ):
        await page.set_viewport_size(DESK)
        await page.get_by_role("link", name=t(part), exact=True).click()
        await expect(page.locator(sign)).to_be_visible()
        assert await find_barriers(page) == []
        assert await measure_overflow(page) <= 0


@pytest.mark.full
async def test_a_run_without_report_and_an_empty_address_have_no_barriers_and_fit_a_phone(
    visitor: Visitor, whole: Whole
) -> None:
    run = await whole.start("W" * 300)
    await run.asks("questions")
    await run.post("/cancel")
    await run.ended()
    for path, sign in ((f"/runs/{run.id}", ".read-none"), ("/compose/nothing", ".empty")):
        page = await visitor.open(path)
        await expect(page.locator(sign)).to_be_visible()
        assert await find_barriers(page) == []
        assert await measure_overflow(page) <= 0
    visitor.excuse("404")


async def test_on_a_phone_the_tabs_without_room_open_from_a_menu(visitor: Visitor) -> None:
    page = await visitor.open()
    await page.set_viewport_size(PHONE)
    settings = page.get_by_role("link", name=t("nav.settings"), exact=True)
    await expect(page.get_by_role("link", name=t("nav.inbox"))).to_be_visible()
    await expect(settings).to_be_hidden()
    more = page.get_by_role("banner").get_by_role("button", name=t("nav.more"))
    await press(page, more)
    await press(page, settings)
    await expect(page.get_by_role("heading", level=1)).to_have_text(t("nav.settings"))
    await expect(settings).to_be_hidden()
    await more.click()
    await page.keyboard.press("Escape")
    await expect(settings).to_be_hidden()
    await page.set_viewport_size(DESK)
    await expect(settings).to_have_attribute("aria-current", "page")


@pytest.mark.full
async def test_in_colours_of_ones_own_what_is_chosen_and_focused_is_still_seen(
    visitor: Visitor, undisturbed: Undisturbed
) -> None:
    page = await visitor.open(f"/runs/{undisturbed.run.id}/work")
    await expect(page.locator(".feed")).to_be_visible()
    await page.emulate_media(forced_colors="active")
    here, elsewhere = (
        page.locator(".tabs [aria-current]"),
        page.locator(".tabs a:not([aria-current])"),
    )
    looks = [await tab.evaluate(CHANGES_WITHOUT_COLOUR) for tab in (here, elsewhere.first)]
    assert looks[0] != looks[1]
    await elsewhere.first.focus()
    await page.keyboard.press("Tab")
    focused = page.locator(":focus")
    assert await focused.evaluate("one => getComputedStyle(one).outlineStyle") != "none"
    await page.goto(f"{visitor.base}/")
    for group in (".research-kinds", ".depths"):
        chosen = page.locator(f"{group} label:has(input:checked)")
        other = page.locator(f"{group} label:has(input:not(:checked))").first
        looks = [await way.evaluate(CHANGES_WITHOUT_COLOUR) for way in (chosen, other)]
        assert looks[0] != looks[1]


@pytest.mark.full
async def test_nothing_moves_for_who_wants_no_motion(
    browser: Browser, built: object, whole: Whole
) -> None:
    run = await whole.planned()
    await whole.providers.told(pace=1.2)
    await run.approve()
    wishes: list[tuple[Literal["no-preference", "reduce"], bool]] = [
        ("no-preference", True),
        ("reduce", False),
    ]
    for wish, moves in wishes:
        context = await browser.new_context(viewport=DESK, reduced_motion=wish)
        page = await Visitor(context, whole.stack.addresses.gateway).open(f"/runs/{run.id}/work")
        await expect(page.locator(".lamp[data-status=running]").first).to_be_visible()
        assert (await page.evaluate(MOVING) > 0) is moves
        await context.close()


@pytest.mark.full
async def test_a_run_is_led_from_question_to_quote_by_keyboard_alone(
    visitor: Visitor, whole: Whole
) -> None:
    page = await visitor.open()
    await expect(page.get_by_label(t("ask.question"))).to_be_focused()
    await page.keyboard.type("What do Peru and Chile export?")
    await page.keyboard.press("Enter")
    await page.wait_for_url("**/runs/run-*")
    visitor.excuse("404")
    run = whole.run(page.url.rpartition("/")[2])
    await run.asks("questions")
    await reach(page, page.get_by_role("textbox").last)
    await page.keyboard.type("since 2020")
    await press(page, page.get_by_role("button", name=t("clarify.submit"), exact=True))
    await press(page, page.get_by_role("button", name=t("approve.edit")))
    await reach(page, page.get_by_role("textbox", name=t("plan.title"), exact=True))
    await page.keyboard.press("Control+A")
    await page.keyboard.type("Exports of two countries")
    await press(page, page.get_by_role("button", name=t("approve.modify", n=1)))
    await run.completed()
    number = page.get_by_role("button", name=like("read.note.open")).first
    await press(page, number)
    await expect(page.get_by_role("heading", name=like("read.note"))).to_be_focused()
    await expect(page.locator(".note mark")).to_be_visible()
    await page.keyboard.press("Escape")
    await expect(number).to_be_focused()
    await press(page, page.get_by_role("button", name=t("share.open")))
    await press(page, page.get_by_role("button", name=t("share.create")))
    await expect(page.locator(".share .token")).to_be_visible()
    await page.keyboard.press("Escape")
    await expect(page.locator(".share .token")).not_to_be_visible()
    await reach(page, page.get_by_label(t("read.followup")), most=200)


@pytest.mark.full
async def test_nothing_jumps_when_data_arrives(
    newcomer: Visitor, undisturbed: Undisturbed, whole: Whole
) -> None:
    planned = await whole.planned()
    done = f"/runs/{undisturbed.run.id}"
    views = (
        (f"{done}/report", ".cost"),
        (f"{done}/work", ".pages li"),
        (f"/runs/{planned.id}", ".plan"),
    )
    await newcomer.context.add_init_script(f"({SHIFTS})()")
    for path, sign in views:
        for size in (DESK, PHONE):
            page = await newcomer.context.new_page()
            await page.set_viewport_size(size)
            await page.goto(newcomer.base + path)
            await expect(page.locator(sign).first).to_be_visible()
            await page.wait_for_timeout(SETTLED_MS)
            shifts: list[float] = await page.evaluate("shifts")
            assert sum(shifts) < MOST_SHIFT, (path, size, shifts)
            await page.close()
