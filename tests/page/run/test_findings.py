"""A run whose definition writes no report, in the browser: what it found, or the plan that it made."""

import re

from playwright.async_api import expect

from tests.page.conftest import Visitor, find_barriers, measure_overflow
from tests.stack import Run, Whole

TRACES = re.compile("key|hash|bytes|chars|verdict|default/run-", re.IGNORECASE)
"""How what is kept is kept: nothing that anybody reads."""


async def save_and_start(whole: Whole, name: str, *kinds: str) -> Run:
    body = {"id": name, "phases": [{"kind": kind} for kind in kinds]}
    answer = await whole.http.post("/v1/workflows", json=body)
    assert answer.status_code == 201, answer.text
    run = await whole.start(definition=name)
    if "clarification" in kinds:
        await run.answer()
    await run.approve()
    await run.completed()
    gone = await whole.http.delete(f"/v1/workflows/{name}")
    assert gone.status_code == 204, gone.text
    return run


async def test_what_was_found_comes_first_with_its_pages_where_no_report_is_written(
    visitor: Visitor, whole: Whole
) -> None:
    run = await save_and_start(whole, "finds", "planning", "hitl_checkpoint", "research")
    outputs = (await run.get(include="outputs")).json()["outputs"]
    sources = (await run.get("/sources")).json()["items"]
    finding = outputs["research"]["findings"][0]
    source = sources[finding["citations"][0]["source"] - 1]
    page = await visitor.open(f"/runs/{run.id}")
    shown = page.locator(".findings > li").first
    await expect(shown).to_contain_text(finding["text"])
    link = shown.get_by_role("link", name=source["title"])
    await expect(link).to_have_attribute("href", source["snapshot"])
    content = page.locator("#content")
    await expect(
        content.get_by_role("region", name="Sources").get_by_role("listitem")
    ).to_have_count(len(sources))
    await expect(content).to_contain_text("Time and cost")
    assert not TRACES.findall(await content.inner_text())
    assert await find_barriers(page) == []
    assert await measure_overflow(page) <= 0  # and its browser complained of no report


async def test_a_run_that_makes_a_plan_alone_opens_with_it(visitor: Visitor, whole: Whole) -> None:
    run = await save_and_start(whole, "plans", "clarification", "planning", "hitl_checkpoint")
    page = await visitor.open(f"/runs/{run.id}")
    await expect(page.get_by_role("link", name="Plan", exact=True)).to_have_attribute(
        "aria-current", "page"
    )
    await expect(page.locator(".sheet")).to_contain_text("Kenya")
