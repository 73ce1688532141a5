"""A run led by the keyboard alone: one sees where one is, and is left where the next step begins."""

import pytest
from playwright.async_api import Locator, Page, expect

from tests.page.conftest import HELD, Visitor, press
from tests.page.words import t
from tests.support.stack import Run, Whole

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
    await expect(button(page, t("approve.plan.approve"))).to_be_visible()
    return run, page


async def at_work(visitor: Visitor, whole: Whole) -> tuple[Run, Page]:
    run = await whole.planned()
    await whole.providers.told(latency=HELD)
    await run.approve()
    page = await visitor.open(f"/runs/{run.id}/work")
    await expect(button(page, t("run.pause"))).to_be_visible()
    return run, page


@pytest.mark.full
async def test_a_plan_is_edited_and_approved_by_keyboard(visitor: Visitor, whole: Whole) -> None:
    run, page = await at_the_plan(visitor, whole)
    await press(page, button(page, t("approve.plan.revise")))
    await is_at(page.get_by_label(t("approve.revise.label")))
    await press(page, button(page, t("approve.back.plan")))
    await is_at(button(page, t("approve.plan.revise")))
    await press(page, button(page, t("approve.edit")))
    title = page.get_by_role("textbox", name=t("plan.title"), exact=True)
    await is_at(title)
    await page.keyboard.press("Control+a")
    await page.keyboard.type("Pumps")
    up = button(page, t("rows.up", row=f"{t('plan.outline')} 2"))
    await press(page, up)
    await is_at(button(page, t("rows.down", row=f"{t('plan.outline')} 1")))
    await page.keyboard.press("Enter")
    await press(page, page.get_by_role("button", name=t("plan.add.assumptions")))
    await expect(page.get_by_role("textbox", name=t("plan.assumptions")).last).to_be_focused()
    await page.keyboard.type("Diesel stays dear.")
    await press(page, button(page, t("rows.remove", row=f"{t('plan.outline')} 1")))
    await is_at(button(page, t("rows.remove", row=f"{t('plan.outline')} 1")))
    await press(page, button(page, t("approve.modify", n=3)))
    state = await run.completed()
    assert state.plan is not None
    assert state.plan.title == "Pumps"
    assert "Diesel stays dear." in str(state.plan.assumptions)
    await is_at(page.get_by_role("heading", level=1))


@pytest.mark.full
async def test_a_rejection_is_asked_twice_and_ends_the_run(visitor: Visitor, whole: Whole) -> None:
    run, page = await at_the_plan(visitor, whole)
    await press(page, button(page, t("approve.plan.reject")))
    await is_at(button(page, t("approve.back.plan")))
    await page.keyboard.press("Enter")
    await is_at(button(page, t("approve.plan.reject")))
    await page.keyboard.press("Enter")
    await press(page, button(page, t("approve.reject.yes")))
    await expect(page.locator(".run-head")).to_contain_text(t("status.rejected"))
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
    await press(page, button(page, t("run.pause")))
    await expect(page.get_by_text(t("run.paused"))).to_be_visible()
    await is_at(button(page, t("run.resume")))
    await press(page, button(page, t("run.steer")))
    await is_at(page.get_by_label(t("run.steer.label")))
    await page.keyboard.type("Look at prices.")
    await page.keyboard.press("Escape")
    await is_at(button(page, t("run.steer")))
    await page.keyboard.press("Enter")
    await press(page, button(page, t("run.steer.send")))
    await expect(page.locator(".feed")).to_contain_text(
        t("work.done.steer", text="Look at prices.")
    )
    await is_at(button(page, t("run.steer")))
    await expect(page.get_by_text(t("run.steer.told"))).to_be_visible()
    await press(page, button(page, t("run.resume")))
    await expect(page.get_by_text(t("run.paused"))).to_have_count(0)
    await is_at(button(page, t("run.pause")))
    await press(page, button(page, t("run.cancel")))
    await is_at(button(page, t("state.close")).last)
    await page.keyboard.press("Enter")
    await is_at(button(page, t("run.cancel")))
    await page.keyboard.press("Enter")
    await press(page, button(page, t("run.cancel.now")))
    await expect(status).to_have_text(t("status.cancelled"))
    await is_at(page.get_by_role("heading", level=1))
    assert (await run.ended()).status == "cancelled"


@pytest.mark.full
async def test_a_run_is_cancelled_after_its_phase_by_keyboard(
    visitor: Visitor, whole: Whole
) -> None:
    run, page = await at_work(visitor, whole)
    await press(page, button(page, t("run.cancel")))
    await press(page, button(page, t("run.cancel.after")))
    await is_at(button(page, t("run.cancel")))
    await whole.providers.told()
    state = await run.ended()
    assert state.status == "cancelled"
    assert next(p.status for p in state.phases if p.kind == "research") == "completed"
    await is_at(page.get_by_role("heading", level=1))
