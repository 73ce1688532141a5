"""Schedules in the page: made of a run that has ended, run at once, paused, deleted, with what each run changed."""

import re

import pytest
from playwright.async_api import Locator, Page, Route, expect

from tests.page.conftest import PHONE, Visitor, find_barriers, measure_overflow, press
from tests.page.words import like, t
from tests.support.stack import Undisturbed, Whole

NAME = "Pumps on weekdays"


async def make(page: Page, run: str) -> Locator:
    """Make a schedule of a run on weekdays, by the keyboard where a key decides, and return its card."""
    form = page.get_by_role("form", name=t("schedules.new"))
    await expect(form.get_by_label(t("schedules.run"))).to_have_value(run)
    for day in ("Saturday", "Sunday"):
        await form.get_by_label(day).uncheck()
    await form.locator("input[type=time]").fill("07:30")
    await form.get_by_label(t("schedules.zone")).select_option("Asia/Tokyo")
    await form.get_by_label(t("schedules.name")).fill(NAME)
    assert await find_barriers(page) == []
    await press(page, form.get_by_role("button", name=t("schedules.make")))
    card = page.get_by_role("listitem").filter(has_text=NAME)
    place = t("schedules.in", place="Tokyo")
    times = t("schedules.at", days=t("schedules.working"), time="07:30", place=place)
    await expect(card).to_contain_text(times)
    return card


async def test_run_is_repeated_by_a_schedule_from_its_page(
    visitor: Visitor, whole: Whole, undisturbed: Undisturbed
) -> None:
    run = undisturbed.run.id
    page = await visitor.open(f"/runs/{run}/work")
    await page.get_by_role("link", name=t("schedules.repeat")).click()
    card = await make(page, run)
    [kept] = (await whole.http.get("/v1/schedules")).json()["items"]
    assert (kept["weekdays"], kept["time_zone"]) == (
        ["mon", "tue", "wed", "thu", "fri"],
        "Asia/Tokyo",
    )
    await expect(card).to_contain_text(t("schedules.recent.none"))
    await press(page, card.get_by_role("button", name=t("schedules.now.one", name=NAME)))
    line = card.get_by_role("region").get_by_role("listitem")
    await expect(line).to_contain_text(t("status.completed"))
    await expect(line).to_contain_text(t("schedules.unchanged"))
    compare = line.get_by_role("link", name=t("schedules.compare"))
    assert f"/compare/{run}/{kept['id']}" in str(await compare.get_attribute("href"))
    await press(page, card.get_by_role("button", name=t("schedules.pause.one", name=NAME)))
    await expect(card).to_contain_text(t("schedules.paused"))
    await press(page, card.get_by_role("button", name=t("schedules.resume.one", name=NAME)))
    await expect(card).to_contain_text(t("schedules.next"))
    assert await find_barriers(page) == []
    assert await measure_overflow(page) <= 0
    await press(page, card.get_by_role("button", name=t("schedules.delete.one", name=NAME)))
    await page.get_by_role("button", name=t("schedules.delete.yes")).click()
    await expect(card).to_have_count(0)
    assert (await whole.http.get("/v1/schedules")).json()["items"] == []


async def keep_ten(route: Route) -> None:
    """Pass a schedule on with ten newest runs, which are all that Temporal names of one that is older."""
    answer = await route.fetch()
    schedule = await answer.json()
    older = [
        {
            "run_id": f"run-older-{n}",
            "scheduled_at": f"2026-11-{n + 1:02}T09:00:00Z",
            "status": "failed",
        }
        for n in range(10)
    ]
    await route.fulfill(
        response=answer, json={**schedule, "recent": [*older, *schedule["recent"]][-10:]}
    )


@pytest.mark.full
async def test_run_at_once_is_awaited_no_longer_than_it_takes_to_be_named(
    visitor: Visitor, whole: Whole, undisturbed: Undisturbed
) -> None:
    body = {"from_run": undisturbed.run.id, "name": NAME, "time": "07:30", "time_zone": "UTC"}
    kept = (await whole.http.post("/v1/schedules", json=body)).raise_for_status().json()
    page = await visitor.open()
    await page.route(re.compile(rf"/v1/schedules/{kept['id']}(/trigger)?$"), keep_ten)
    await page.goto(f"{visitor.base}/schedules")
    card = page.get_by_role("listitem").filter(has_text=NAME)
    line = card.get_by_role("region").get_by_role("listitem").first
    await expect(line).to_contain_text(t("status.failed"))
    await card.get_by_role("button", name=t("schedules.now.one", name=NAME)).click()
    await expect(line).to_contain_text(t("status.completed"))
    await expect(card).not_to_contain_text(t("schedules.started"))
    (await whole.http.delete(f"/v1/schedules/{kept['id']}")).raise_for_status()


@pytest.mark.full
async def test_form_says_that_it_lists_the_newest_runs_alone(visitor: Visitor) -> None:
    async def cut(route: Route) -> None:
        answer = await route.fetch()
        await route.fulfill(
            response=answer, json={**await answer.json(), "items": [], "next_cursor": "next"}
        )

    page = await visitor.open()
    await page.route(re.compile(r"/v1/runs\?limit="), cut)
    await page.goto(f"{visitor.base}/schedules")
    await page.get_by_role("button", name=t("schedules.new")).click()
    form = page.get_by_role("form", name=t("schedules.new"))
    await expect(form).to_contain_text(t("schedules.run.older"))
    await expect(form).not_to_contain_text(t("schedules.run.none"))


@pytest.mark.full
async def test_time_that_the_clocks_skip_is_said_at_the_form_and_nothing_is_made(
    visitor: Visitor, whole: Whole, undisturbed: Undisturbed
) -> None:
    visitor.excuse("422")
    page = await visitor.open(f"/schedules?run={undisturbed.run.id}")
    await page.set_viewport_size(PHONE)
    form = page.get_by_role("form", name=t("schedules.new"))
    await form.locator("input[type=time]").fill("02:30")
    await form.get_by_label(t("schedules.zone")).select_option("Europe/Berlin")
    await form.get_by_role("button", name=t("schedules.make")).click()
    told = form.get_by_role("alert")
    await expect(told).to_contain_text(like("schedule-clock-change", zone="Europe/Berlin"))
    assert await measure_overflow(page) <= 0
    assert (await whole.http.get("/v1/schedules")).json()["items"] == []
