"""A run led by the keyboard alone: one sees where one is, and is left where the next step begins."""

import pytest
from playwright.async_api import Locator, Page, expect

from tests.page.conftest import Visitor, press
from tests.stack import Run, Whole

SLOW = 1.2
"""Seconds that an answer of the model takes: long enough to break in."""

IS_MARKED = """element => {
    const { outlineStyle, outlineWidth } = getComputedStyle(element);
    return outlineStyle !== "none" && parseFloat(outlineWidth) >= 2;
}"""


def button(page: Page, name: str) -> Locator:
    return page.get_by_role("button", name=name, exact=True)


async def is_at(place: Locator) -> None:
    """Check that the focus is somewhere, and can be seen there."""
    await expect(place).to_be_focused()
    assert await place.evaluate(IS_MARKED)


async def at_the_plan(visitor: Visitor, whole: Whole) -> tuple[Run, Page]:
    run = await whole.planned()
    page = await visitor.open(f"/runs/{run.id}")
    await expect(button(page, "Approve")).to_be_visible()
    return run, page


async def at_work(visitor: Visitor, whole: Whole) -> tuple[Run, Page]:
    run = await whole.planned()
    await whole.providers.told(pace=SLOW)
    await run.approve()
    page = await visitor.open(f"/runs/{run.id}/work")
    await expect(button(page, "Pause")).to_be_visible()
    return run, page


@pytest.mark.full
async def test_a_plan_is_edited_and_approved_by_keyboard(visitor: Visitor, whole: Whole) -> None:
    run, page = await at_the_plan(visitor, whole)
    await press(page, button(page, "Ask for changes"))
    await is_at(page.get_by_label("What should be different?"))
    await press(page, button(page, "Back to the plan"))
    await is_at(button(page, "Ask for changes"))
    await press(page, button(page, "Edit the plan"))
    title = page.get_by_role("textbox", name="Title", exact=True)
    await is_at(title)
    await page.keyboard.press("Control+a")
    await page.keyboard.type("Pumps")
    up = button(page, "Move up: Outline of the report 2")
    await press(page, up)
    await is_at(button(page, "Move down: Outline of the report 1"))
    await page.keyboard.press("Enter")
    await press(page, page.get_by_role("button", name="Add an assumption"))
    await expect(page.get_by_role("textbox", name="Taken for granted").last).to_be_focused()
    await page.keyboard.type("Diesel stays dear.")
    await press(page, button(page, "Remove: Outline of the report 1"))
    await is_at(button(page, "Remove: Outline of the report 1"))
    await press(page, button(page, "Approve with my changes (3)"))
    state = await run.completed()
    assert state.plan is not None
    assert state.plan.title == "Pumps"
    assert "Diesel stays dear." in str(state.plan.assumptions)
    await is_at(page.get_by_role("heading", level=1))


@pytest.mark.full
async def test_a_rejection_is_asked_twice_and_ends_the_run(visitor: Visitor, whole: Whole) -> None:
    run, page = await at_the_plan(visitor, whole)
    await press(page, button(page, "Reject"))
    await is_at(button(page, "Back to the plan"))
    await page.keyboard.press("Enter")
    await is_at(button(page, "Reject"))
    await page.keyboard.press("Enter")
    await press(page, button(page, "Reject and end the run"))
    await expect(page.locator(".run-head")).to_contain_text("Rejected")
    assert (await run.ended()).status == "rejected"
    assert await whole.providers.asked("search") == []
    await is_at(page.get_by_role("heading", level=1).first)
    visitor.excuse("404")  # there is no report


@pytest.mark.full
async def test_a_run_is_paused_steered_and_resumed_by_keyboard(
    visitor: Visitor, whole: Whole
) -> None:
    run, page = await at_work(visitor, whole)
    status = page.locator(".run-head .status")
    await press(page, button(page, "Pause"))
    await expect(status).to_have_text("Paused")
    await is_at(button(page, "Resume"))
    await press(page, button(page, "Steer"))
    await is_at(page.get_by_label("What should they mind"))
    await page.keyboard.type("Look at prices.")
    await page.keyboard.press("Escape")
    await is_at(button(page, "Steer"))
    await page.keyboard.press("Enter")
    await press(page, button(page, "Tell them"))
    await expect(page.locator(".feed")).to_contain_text("The agents were steered: Look at prices.")
    await is_at(button(page, "Steer"))
    await expect(page.get_by_text("They will heed it from their next call on.")).to_be_visible()
    await press(page, button(page, "Resume"))
    await expect(status).to_have_text("Running")
    await is_at(button(page, "Pause"))
    await press(page, button(page, "Cancel the run"))
    await is_at(button(page, "Close").last)
    await page.keyboard.press("Enter")
    await is_at(button(page, "Cancel the run"))
    await page.keyboard.press("Enter")
    await press(page, button(page, "Cancel now"))
    await expect(status).to_have_text("Cancelled")
    await is_at(page.get_by_role("heading", level=1))
    assert (await run.ended()).status == "cancelled"


@pytest.mark.full
async def test_a_run_is_cancelled_after_its_phase_by_keyboard(
    visitor: Visitor, whole: Whole
) -> None:
    run, page = await at_work(visitor, whole)
    await press(page, button(page, "Cancel the run"))
    await press(page, button(page, "After the running phase"))
    await is_at(button(page, "Cancel the run"))
    await whole.providers.told(pace=0)
    state = await run.ended()
    assert state.status == "cancelled"
    assert next(p.status for p in state.phases if p.kind == "research") == "completed"
    await is_at(page.get_by_role("heading", level=1))
