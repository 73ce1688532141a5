"""Startups and runs are looked after in the browser."""

import re

import pytest
from playwright.async_api import expect

from tests.page.conftest import Visitor, find_barriers, measure_overflow
from tests.page.words import t
from tests.support.stack import Whole


@pytest.mark.full
async def test_a_startup_is_edited_and_deleted_in_settings(visitor: Visitor, whole: Whole) -> None:
    body = {"name": "Pumps", "description": "Solar pumps", "search_terms": ["pump"]}
    (await whole.http.post("/v1/startups", json=body)).raise_for_status()
    page = await visitor.open("/settings")
    await page.get_by_role("button", name=t("settings.startups.edit.one", name="Pumps")).click()
    await page.get_by_role("textbox", name=t("settings.startups.name"), exact=True).fill(
        "Pumps for farms"
    )
    assert await find_barriers(page) == []
    await page.get_by_role("button", name=t("settings.startups.save")).click()
    gone = page.get_by_role(
        "button", name=t("settings.startups.delete.one", name="Pumps for farms")
    )
    await expect(gone).to_be_visible()
    [kept] = [
        one
        for one in (await whole.http.get("/v1/startups")).json()["items"]
        if one["name"] == "Pumps for farms"
    ]
    assert kept["search_terms"] == ["pump"]  # what the form does not show stays
    other = await visitor.open("/settings")
    edit = t("settings.startups.edit.one", name="Pumps for farms")
    await other.get_by_role("button", name=edit).click()
    box = other.get_by_role("textbox", name=t("settings.startups.name"), exact=True)
    await box.fill("Pumps for all")
    await page.bring_to_front()
    await gone.click()
    await page.get_by_role("button", name=t("settings.startups.delete.yes"), exact=True).click()
    await expect(gone).to_have_count(0)
    assert await measure_overflow(page) <= 0
    await other.bring_to_front()  # it was about to change what has gone, and loses no words
    await other.get_by_role("button", name=t("settings.startups.save")).click()
    await expect(other.get_by_role("dialog").get_by_role("alert")).to_be_visible()
    await expect(box).to_have_value("Pumps for all")
    assert (await whole.http.get("/v1/startups")).json()["items"] == []
    visitor.excuse("404")


@pytest.mark.full
async def test_a_run_is_deleted_after_a_question(visitor: Visitor, whole: Whole) -> None:
    run = await whole.start("What do Peru and Chile export?")
    await run.asks("questions")
    await run.post("/cancel")
    await run.ended()
    page = await visitor.open(f"/runs/{run.id}/work")
    await page.wait_for_load_state("networkidle")  # otherwise the view may request deleted data
    await page.get_by_role("button", name=t("run.delete"), exact=True).click()
    await page.get_by_role("button", name=t("state.cancel"), exact=True).click()
    assert (await run.get("")).is_success
    await page.get_by_role("button", name=t("run.delete"), exact=True).click()
    await page.get_by_role("button", name=t("run.delete.yes")).click()
    await page.wait_for_url("**/runs")
    assert (await whole.http.get(f"/v1/runs/{run.id}")).status_code == 404
    whole.runs.remove(run)  # nothing is left to end


@pytest.mark.full
async def test_a_cached_answer_is_asked_anew_on_ask(visitor: Visitor, whole: Whole) -> None:
    query = "What is the inflation rate in Chile?"
    first = await whole.start(query, definition="web_answer")
    await first.completed()
    run = await whole.start(query, definition="web_answer", fresh=False)
    await run.completed()
    page = await visitor.open(f"/runs/{run.id}")
    await page.get_by_role("button", name=t("run.anew")).click()
    await expect(page).to_have_url(re.compile(r"/$"))
    await expect(page.get_by_label(t("ask.question"))).to_have_value(query)
    await expect(page.get_by_role("radio", name=t("ask.kind.web_answer"))).to_be_checked()
    await page.get_by_text(t("ask.options"), exact=True).click()
    await expect(page.get_by_label(t("ask.fresh"))).to_be_checked()
