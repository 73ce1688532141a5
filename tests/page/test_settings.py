"""Settings and the comparison of two runs, in the browser."""

import asyncio

from playwright.async_api import expect

from tests.page.conftest import Visitor, find_barriers, measure_overflow
from tests.stack import QUESTION, Whole


async def test_what_is_in_force_is_shown(visitor: Visitor, whole: Whole) -> None:
    terms = (await whole.http.get("/v1/metadata")).json()
    page = await visitor.open("/settings")
    models = page.get_by_role("region", name="Model and prices")
    for model, price in terms["prices"].items():
        row = models.get_by_role("row").filter(has=page.get_by_role("cell", name=model, exact=True))
        await expect(row).to_contain_text(f"${price['output_usd']:.2f}")
    health = page.get_by_role("region", name="Health")
    await expect(health.get_by_role("listitem")).to_have_text(
        ["gateway is well", "postgres is well", "temporal is well"]
    )
    link = health.get_by_role("link", name="Temporal")
    ui = f"{whole.stack.addresses.temporal_ui}/namespaces/default"
    await expect(link).to_have_attribute("href", f"{ui}/workflows")
    assert await find_barriers(page) == []
    assert await measure_overflow(page) <= 0


async def test_two_runs_are_chosen_and_compared(visitor: Visitor, whole: Whole) -> None:
    other = await whole.start("How do Norway and Sweden make electricity?")
    await asyncio.gather(other.finish(), (await whole.start()).finish())
    page = await visitor.open("/runs")
    for query in ("How do Norway and Sweden", QUESTION[:30]):
        row = page.get_by_role("listitem").filter(has_text=query).first
        await row.get_by_role("button", name="Compare").click()
    await page.wait_for_url(f"**/compare/{other.id}/*")
    await expect(page.get_by_role("heading", level=1)).to_have_text("Two runs compared")
    await expect(page.locator(".compare")).to_contain_text("How do Norway and Sweden")
    named = await page.locator(".change h3").all_inner_texts()
    assert "Search terms" in named  # a list is one thing, not so many paths
    assert not [name for name in named if "[" in name or "_" in name]
    await expect(page.locator(".report-diff ins").first).to_be_visible()
    await expect(page.locator(".report-diff del").first).to_be_visible()
    assert await find_barriers(page) == []
    assert await measure_overflow(page) <= 0
