"""A run without a report in the browser: its findings, or the plan that it made."""

import re

import pytest
from playwright.async_api import expect

from tests.page.conftest import Visitor, find_barriers, measure_overflow
from tests.page.words import t
from tests.support.stack import Run, Whole

TRACES = re.compile(r"\b(key|hash|bytes|chars|verdict)\b|default/run-", re.IGNORECASE)
"""Internal names of storage that must not be shown."""


async def complete(whole: Whole, name: str, *kinds: str) -> Run:
    """Return a run of such phases that has ended; its definition is saved for it alone."""
    body = {"id": name, "phases": [{"kind": kind} for kind in kinds]}
    answer = await whole.http.post("/v1/workflows", json=body)
    assert answer.status_code == 201, answer.text
    try:
        run = await whole.start(definition=name)
        if "clarification" in kinds:
            await run.answer()
        await run.approve()
        await run.completed()
    finally:
        gone = await whole.http.delete(f"/v1/workflows/{name}?force=true")
        assert gone.status_code == 204, gone.text
    return run


@pytest.mark.full
async def test_what_was_found_comes_first_with_its_pages_where_no_report_is_written(
    visitor: Visitor, whole: Whole
) -> None:
    run = await complete(whole, "finds", "planning", "hitl_checkpoint", "research")
    outputs = (await run.get(include="outputs")).json()["outputs"]
    sources = (await run.get("/sources")).json()["items"]
    finding = outputs["research"]["findings"][0]
    source = sources[finding["citations"][0]["source"] - 1]
    visitor.excuse(
        "/v1/workflows/"
    )  # its definition was removed, and how its phases meet is not known
    page = await visitor.open(f"/runs/{run.id}")
    shown = page.locator(".findings > li").first
    await expect(shown).to_contain_text(finding["text"])
    await expect(shown).to_contain_text(source["title"])
    copy = shown.get_by_role("link", name=t("read.stored.open")).first
    await expect(copy).to_have_attribute("href", f"/runs/{run.id}/sources/{source['n']}")
    content = page.locator("#content")
    await expect(
        content.get_by_role("region", name=t("read.sources")).get_by_role("listitem")
    ).to_have_count(len(sources))
    await expect(content).to_contain_text(t("read.cost"))
    assert not TRACES.findall(await content.inner_text())
    assert await find_barriers(page) == []
    assert await measure_overflow(page) <= 0  # and its browser complained of no report


@pytest.mark.full
async def test_a_run_that_makes_a_plan_alone_opens_with_it(visitor: Visitor, whole: Whole) -> None:
    run = await complete(whole, "plans", "clarification", "planning", "hitl_checkpoint")
    visitor.excuse(
        "/v1/workflows/"
    )  # its definition was removed, and how its phases meet is not known
    page = await visitor.open(f"/runs/{run.id}")
    await expect(page.get_by_role("link", name=t("run.plan"), exact=True)).to_have_attribute(
        "aria-current", "page"
    )
    await expect(page.locator(".sheet")).to_contain_text("Kenya")
    tabs = page.get_by_role("navigation", name=t("run.parts")).get_by_role("link")
    await expect(tabs).to_have_text([t("run.plan"), t("run.work")])


@pytest.mark.full
async def test_findings_that_cannot_be_read_are_asked_for_again(
    visitor: Visitor, whole: Whole
) -> None:
    run = await complete(whole, "again", "planning", "hitl_checkpoint", "research")
    refused = re.compile(f"/v1/runs/{run.id}\\?include=outputs")
    page = await visitor.open("/")
    await page.route(refused, lambda route: route.fulfill(status=503))
    await page.goto(f"{page.url}runs/{run.id}")
    await expect(page.get_by_role("alert")).to_be_visible()
    await page.unroute(refused)
    await page.get_by_role("button", name=t("state.retry")).click()
    await expect(page.locator(".findings > li").first).to_be_visible()
    visitor.excuse("503")
