"""What waits for a person, decided on without leaving the list."""

import re

import pytest
from playwright.async_api import Page, expect

from tests.page.conftest import PHONE, Visitor, find_barriers, measure_overflow, press
from tests.page.words import t
from tests.stack import Run, Whole

FIRST, SECOND = "What do Peru and Chile export?", "How do Norway and Sweden make electricity?"


async def at_two(visitor: Visitor, whole: Whole) -> tuple[Run, Run, Page]:
    """Return a run at its questions, one at its plan, and an inbox that shows the newer one."""
    older, newer = await whole.start(FIRST), await whole.planned(query=SECOND)
    await older.asks("questions")
    page = await visitor.open("/inbox")
    await expect(page.locator(".asking-of")).to_have_text(SECOND)
    return older, newer, page


async def test_a_plan_is_approved_in_the_inbox_and_the_next_run_comes(
    visitor: Visitor, whole: Whole
) -> None:
    older, newer, page = await at_two(visitor, whole)
    rows = page.locator(".waits").get_by_role("listitem")
    await expect(rows.filter(has_text=FIRST)).to_have_count(1)
    await expect(page).to_have_title(re.compile(r"^\(\d+\) "))
    await expect(page.locator("link[rel=icon]")).to_have_attribute("href", re.compile("waiting"))
    assert await whole.providers.asked("search") == []
    await press(page, page.get_by_role("button", name=t("approve.plan.approve"), exact=True))
    just = page.locator(".just")
    await expect(just).to_contain_text(t("inbox.just", done=t("decision.approve"), query=SECOND))
    await expect(page.locator(".asking-of")).to_be_focused()
    await expect(page.locator(".asking-of")).not_to_have_text(SECOND)
    assert (await newer.state()).decisions[-1].action == "approve"
    await page.goto(f"{visitor.base}/inbox/{older.id}")
    await page.get_by_role("button", name=t("clarify.decide")).click()
    await expect(just).to_contain_text(t("inbox.just", done=t("inbox.answered"), query=FIRST))
    await older.asks("decision")


@pytest.mark.full
async def test_what_is_written_in_the_inbox_survives_a_reload_and_sends_a_plan_back(
    visitor: Visitor, whole: Whole
) -> None:
    _, newer, page = await at_two(visitor, whole)
    before = (await newer.asks("decision")).plan_hash
    await page.goto(f"{visitor.base}/inbox/{newer.id}")
    await page.get_by_role("button", name=t("approve.plan.revise")).click()
    await page.get_by_label(t("approve.revise.label")).fill("Add Denmark")
    await page.reload()
    await expect(page.get_by_label(t("approve.revise.label"))).to_have_value("Add Denmark")
    await page.get_by_role("button", name=t("approve.plan.send")).click()
    await expect(page.locator(".just")).to_contain_text(SECOND)
    shown = await newer.asks("decision", after=before or "")
    assert shown.plan_hash != before


@pytest.mark.full
async def test_what_another_tab_decided_is_said_in_the_inbox(
    visitor: Visitor, whole: Whole
) -> None:
    _, newer, page = await at_two(visitor, whole)
    await page.goto(f"{visitor.base}/inbox/{newer.id}")
    await expect(page.locator(".asking-of")).to_have_text(SECOND)
    await newer.approve()
    await expect(page.get_by_text(t("run.elsewhere.decision"))).to_be_visible()
    await expect(page.locator(".item .plan")).to_have_count(0)


@pytest.mark.full
async def test_the_inbox_has_no_barriers_and_shows_one_pane_on_a_phone(
    visitor: Visitor, whole: Whole
) -> None:
    _, newer, page = await at_two(visitor, whole)
    assert await find_barriers(page) == []
    await page.set_viewport_size(PHONE)
    await expect(page.locator(".pane")).to_be_hidden()
    await page.locator(f"a[href='/inbox/{newer.id}']").click()
    await expect(page.locator(".asking-of")).to_be_visible()
    await expect(page.locator(".waits")).to_be_hidden()
    assert await measure_overflow(page) <= 0
    assert await find_barriers(page) == []
    await page.get_by_role("link", name=t("inbox.back")).click()
    await expect(page.locator(".waits")).to_be_visible()


@pytest.mark.full
async def test_a_browser_that_denies_notifications_is_not_asked(
    visitor: Visitor, whole: Whole
) -> None:
    await (await whole.start(FIRST)).asks("questions")
    page = await visitor.open("/inbox")
    session = await visitor.context.new_cdp_session(page)
    target = (await session.send("Target.getTargetInfo"))["targetInfo"]
    place = {"origin": visitor.base, "browserContextId": target["browserContextId"]}
    denied = {"permission": {"name": "notifications"}, "setting": "denied"}
    await session.send("Browser.setPermission", place | denied)
    await page.reload()
    await expect(page.locator(".asking-of")).to_be_visible()
    assert await page.evaluate("Notification.permission") == "denied"
    await expect(page.get_by_text(t("notify.ask"))).to_have_count(0)
