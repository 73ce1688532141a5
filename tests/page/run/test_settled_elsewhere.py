"""What a decision's view says of what another tab or person did to it."""

from functools import partial
from typing import Any

import pytest
from playwright.async_api import Route, expect

from tests.page.conftest import Visitor
from tests.page.words import t
from tests.support.stack import Whole

LOOK_AGAIN = "() => dispatchEvent(new Event('visibilitychange'))"


async def _answer_with(state: dict[str, Any], route: Route) -> None:
    await route.fulfill(json=state)


@pytest.mark.parametrize("place", [pytest.param("runs", marks=pytest.mark.full), "inbox"])
async def test_plan_that_was_changed_and_approved_elsewhere_is_said_to_be_so(
    visitor: Visitor, whole: Whole, place: str
) -> None:
    run = await whole.planned()
    page = await visitor.open(f"/{place}/{run.id}")
    await expect(page.locator(".plan")).to_be_visible()
    state: Any = (await whole.http.get(f"/v1/runs/{run.id}/state")).json()
    state["pending"][0]["plan_hash"] = "0" * 64
    state["pending"][0]["subject"]["plan"]["title"] = "Pumps in two countries"
    await page.route("**/state", partial(_answer_with, state))
    await page.evaluate(LOOK_AGAIN)
    await expect(page.locator(".plan")).to_contain_text("Pumps in two countries")
    await expect(page.get_by_text(t("run.elsewhere.changed"))).to_be_visible()
    await page.unroute("**/state")
    await page.get_by_role("button", name=t("state.close")).click()
    await run.approve()
    await page.evaluate(LOOK_AGAIN)
    await expect(page.get_by_text(t("run.elsewhere.decision"))).to_be_visible()
