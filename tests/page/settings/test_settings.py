"""Settings and the comparison of two runs, in the browser."""

import asyncio
import os

import pytest
from playwright.async_api import Page, Route, expect

from tests.page.conftest import HELD, Visitor, find_barriers, measure_overflow, press
from tests.page.words import like, t
from tests.support.offline_services import eventually
from tests.support.stack import Undisturbed, Whole
from tests.support.words import phrase


async def test_what_is_in_force_is_shown(visitor: Visitor, whole: Whole) -> None:
    terms = (await whole.http.get("/v1/metadata")).json()
    page = await visitor.open("/settings")
    models = page.get_by_role("region", name=t("settings.models"))
    used = {terms["model"], *terms["roles"].values()} & {*terms["prices"]}
    await expect(models.locator("tbody tr:visible")).to_have_count(len(used))
    await press(page, models.locator("summary"))
    for model, price in terms["prices"].items():
        row = models.get_by_role("row").filter(has=page.get_by_role("cell", name=model, exact=True))
        await expect(row).to_contain_text(f"${price['output_usd']:.2f}")
    health = page.get_by_role("region", name=t("settings.health"))
    await expect(health.get_by_role("listitem")).to_have_text(
        [
            f"{t(f'settings.health.{part}')} {t('settings.health.ok')}"
            for part in ("gateway", "postgres", "temporal", "worker")
        ]
    )
    link = health.get_by_role("link", name=t("settings.temporal"))
    ui = f"{whole.stack.addresses.temporal_ui}/namespaces/default"
    await expect(link).to_have_attribute("href", f"{ui}/workflows")
    assert await find_barriers(page) == []
    assert await measure_overflow(page) <= 0


@pytest.mark.full
async def test_settings_say_that_they_load_and_a_part_says_below_its_heading_that_it_failed(
    visitor: Visitor,
) -> None:
    page = await visitor.open()
    answers = asyncio.Event()

    async def refuse(route: Route) -> None:
        await answers.wait()
        await route.fulfill(status=403, json={"type": "forbidden"})

    await page.route("**/v1/metadata", refuse)
    visitor.excuse("403")
    await page.goto(f"{visitor.base}/settings")
    models = page.get_by_role("region", name=t("settings.models"))
    await expect(page.get_by_role("main")).to_contain_text(t("state.loading"))
    await expect(models).to_have_count(0)  # it would be pushed down by what arrives above it
    answers.set()
    await expect(models.get_by_role("alert")).to_be_visible()
    await page.unroute("**/v1/metadata")
    await models.get_by_role("button", name=t("state.retry")).click()
    await expect(models.get_by_role("table").first).to_be_visible()


@pytest.mark.full
async def test_what_connects_a_provider_stands_beside_its_test_and_is_copied_by_a_button(
    visitor: Visitor,
) -> None:
    await visitor.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page = await visitor.open("/settings")
    section = page.get_by_role("region", name=t("settings.connect"))
    for provider in ("model", "search"):
        line = t(f"settings.connect.{provider}.line")
        test = page.get_by_role("button", name=t(f"settings.test.one.{provider}"))
        row = section.get_by_role("listitem").filter(has=test)
        await row.get_by_role("button", name=t("copy.one", of=line)).click()
        await expect(row).to_contain_text(t("share.copied"))
        assert await page.evaluate("navigator.clipboard.readText()") == line
    command = t("copy.one", of=t("settings.connect.command"))
    await expect(section.get_by_role("button", name=command)).to_be_visible()


async def count_paid_tests(whole: Whole) -> int:
    """Return how many calls of tests are counted in what was spent; they belong to no definition."""
    spent = (await whole.http.get("/v1/spend")).json()["items"]
    return sum(one["calls"] for one in spent if not one["definition_id"])


async def check_provider(page: Page, whole: Whole, provider: str, status: int, *words: str) -> None:
    """Test a provider that works, and one that answers with a status, which is told in these words."""
    section = page.get_by_role("region", name=t("settings.connect"))
    row = section.get_by_role("listitem").filter(
        has=page.get_by_text(t(f"settings.test.{provider}"), exact=True)
    )
    button = row.get_by_role("button", name=t(f"settings.test.one.{provider}"))
    assert await whole.providers.asked(provider) == []
    before = await count_paid_tests(whole)
    await press(page, button)
    await expect(row.get_by_role("status")).to_contain_text(like("settings.test.works.offline"))
    assert len(await whole.providers.asked(provider)) == 1
    paid = 1 if provider == "model" else 0  # the stand-in for searches charges no fee
    assert await count_paid_tests(whole) - before == paid
    await whole.providers.told({"status": status, "match": {"service": provider}})
    await press(page, button)
    for told in words:
        await expect(row.get_by_role("status")).to_contain_text(told)
    assert len(await whole.providers.asked(provider)) == 2  # nothing is retried


@pytest.mark.full
async def test_provider_is_tested_by_a_button_and_its_refusal_is_told(
    visitor: Visitor, whole: Whole
) -> None:
    page = await visitor.open("/settings")
    host = {at: url.partition("//")[2] for at, url in (whole.stack.addresses.offline or {}).items()}
    quota = t("settings.test.quota", host=host["model"])
    await check_provider(page, whole, "model", 429, quota, phrase("model-status"))
    refused = t("settings.test.key_refused", host=host["search"])
    await check_provider(page, whole, "search", 422, refused, phrase("search-key"))
    assert await find_barriers(page) == []
    assert await measure_overflow(page) <= 0


@pytest.mark.full
async def test_what_was_spent_is_added_up(
    visitor: Visitor, whole: Whole, undisturbed: Undisturbed
) -> None:
    assert undisturbed.paid
    runs = sum(one["runs"] for one in (await whole.http.get("/v1/spend")).json()["items"])
    page = await visitor.open("/settings")
    spent = page.get_by_role("region", name=t("settings.spent"))
    await expect(spent).to_contain_text(t("settings.spent.none"))
    await expect(spent).to_contain_text(like("settings.spent.offline"))
    row = spent.get_by_role("row", name=t("preset-deep_research"))
    await expect(row.get_by_role("cell").last).to_have_text(t("run.free"))
    counts = await spent.locator("tbody td:nth-child(2)").all_inner_texts()
    assert sum(map(int, counts)) == runs
    asking = await visitor.open()
    await asking.get_by_text(t("ask.options"), exact=True).click()
    cap = (await whole.http.get("/v1/metadata")).json()["cap_usd"]
    limit = asking.get_by_label(t("ask.budget"))
    await expect(limit).to_have_attribute("placeholder", f"${cap:.2f}")


@pytest.mark.full
async def test_two_runs_are_chosen_and_compared(
    visitor: Visitor, whole: Whole, undisturbed: Undisturbed
) -> None:
    other = await whole.start("How do Norway and Sweden make electricity?")
    await other.finish()
    page = await visitor.open("/runs")
    await page.get_by_label(t("runs.status")).select_option(t("status.completed"))
    for run in (other, undisturbed.run):
        link = page.locator(f"a[href='/runs/{run.id}']")
        row = page.get_by_role("listitem").filter(has=link)
        more = page.get_by_role("button", name=t("runs.more"))
        await expect(row.or_(more).first).to_be_visible()
        while not await row.count():  # the runs of earlier tests are listed above
            shown = await page.get_by_role("listitem").count()
            await more.click()
            await expect(page.get_by_role("listitem")).not_to_have_count(shown)
        await row.get_by_role("button", name=t("runs.compare")).click()
    await page.wait_for_url(f"**/compare/{other.id}/{undisturbed.run.id}")
    await expect(page.get_by_role("heading", level=1)).to_have_text(t("compare.title"))
    told = [like("compare.differs.asked"), like("compare.differs.report")]
    await expect(page.locator(".differences li")).to_contain_text(told)
    await page.get_by_text(t("compare.plan"), exact=True).click()
    await expect(page.get_by_role("heading", name=t("plan.search_terms"))).to_be_visible()
    named = await page.locator(".change h3").all_inner_texts()
    assert t("plan.search_terms") in named  # a list is shown as one change, not as one per path
    assert not [name for name in named if "[" in name or "_" in name]
    values = page.locator(".values")
    assert not [said for said in await values.all_text_contents() if "{" in said]  # no code
    reports = page.locator(".reports .report")
    for report, country in ((reports.first, "Norway"), (reports.last, "Kenya")):
        await expect(report.locator("[data-new]", has_text=country).first).to_be_visible()
        common = report.locator(".remark", has_text=t("offline-rule"))
        await expect(common).not_to_have_attribute("data-new", "true")
    assert await find_barriers(page) == []
    assert await measure_overflow(page) <= 0


@pytest.mark.full
async def test_what_both_searched_is_the_same_and_how_a_run_was_started_stands_in_words(
    visitor: Visitor, whole: Whole, undisturbed: Undisturbed
) -> None:
    run = await whole.start(from_run=undisturbed.run.id, redo=["planning"])
    shown = await run.asks("decision")
    plan = (await run.state()).plan
    assert plan
    joined = plan.searches
    edit = {"geographical_scope": "Africa", "search_terms": joined, "expanded_queries": []}
    said = {"action": "modify", "plan_hash": shown.plan_hash, "modifications": edit}
    assert (await run.post("/decision", said)).status_code == 202
    await run.completed()
    page = await visitor.open(f"/compare/{undisturbed.run.id}/{run.id}")
    differs = page.get_by_role("region", name=t("compare.differs"))
    await expect(differs).to_be_in_viewport(ratio=1)
    assert await find_barriers(page) == []
    await expect(differs).not_to_contain_text(t("compare.differs.asked"))
    await expect(page.locator(".asked-of-both")).to_have_text(undisturbed.state.query)
    await page.get_by_text(t("compare.start"), exact=True).click()
    start = page.locator("details", has_text=t("compare.start"))
    await expect(start.get_by_role("link", name=t("compare.from.run"))).to_have_attribute(
        "href", f"/runs/{undisturbed.run.id}"
    )
    await page.get_by_text(t("compare.plan"), exact=True).click()
    await expect(
        page.get_by_role("heading", name=t("plan.geographical_scope"), exact=True)
    ).to_be_visible()
    compared = page.locator(".compare")
    await expect(compared).to_contain_text(t("model.offline"))
    told = await compared.inner_text()
    for wrong in ("Expanded queries", t("plan.search_terms"), "Top", "run-", "claude", "/pages/"):
        assert wrong not in told


@pytest.mark.full
async def test_a_draft_that_was_compared_is_not_taken_for_the_report(
    visitor: Visitor, whole: Whole, undisturbed: Undisturbed
) -> None:
    run = await whole.planned()
    await whole.providers.told(pace=1.2)
    await run.approve()

    async def grows() -> bool:
        done = await run.events("ToolCallResult")
        return any(e.payload["tool_name"] == "update_report" for e in done)

    await eventually(grows)
    await whole.providers.told(latency=HELD)  # it is a draft until the page has shown it
    page = await visitor.open(f"/compare/{run.id}/{undisturbed.run.id}")
    await expect(page.locator(".reports .report").first).to_contain_text(t("draft"))
    await whole.providers.told()
    await run.completed()
    await page.locator(f"a[href='/runs/{run.id}']").click()
    await expect(page.locator(".reading .report")).to_be_visible()
    await expect(page.locator(".report")).not_to_contain_text(t("draft"))


async def refuse_budgets(visitor: Visitor, page: Page) -> None:
    """Check a plan's view when the gateway refuses to show budgets."""

    async def refuse(route: Route) -> None:
        await route.fulfill(status=403, json={"type": "forbidden"})

    await page.route("**/v1/budgets*", refuse)
    visitor.excuse("403")
    await page.reload()
    unknown = page.locator(".consequence", has_text=t("approve.consequence.left.unknown"))
    await expect(unknown).to_be_visible()
    await page.unroute("**/v1/budgets*")


@pytest.mark.full
async def test_budget_is_shown_where_money_is_spent_and_a_met_one_can_be_tried_again(
    visitor: Visitor, whole: Whole
) -> None:
    run = await whole.start(user_id="freya")
    await run.answer()
    shown = await run.asks("decision")
    place, whose = "/v1/budgets/user", {"holder": "freya"}
    budget = (await whole.http.put(place, params=whose, json={"day_usd": 50})).json()
    low = {"day_usd": budget["day_spent_usd"] + 0.001, "month_usd": 80}
    await whole.http.put(place, params=whose, json=low)
    page = await visitor.open("/settings")
    row = page.get_by_role("region", name=t("settings.budgets")).get_by_role("row")
    await expect(row.filter(has_text="freya")).to_contain_text("$80.00")
    assert await find_barriers(page) == []
    assert await measure_overflow(page) <= 0
    await page.goto(f"{visitor.base}/runs/{run.id}")
    left = like("approve.consequence.left.user")
    await expect(page.locator(".consequence")).to_contain_text(left)
    await refuse_budgets(visitor, page)
    await run.post("/decision", {"action": "approve", "plan_hash": shown.plan_hash})
    again = page.get_by_role("button", name=t("approve.budget.continue"))
    await expect(again).to_be_visible()
    told = page.locator(".sheet .figures")
    for fact in ("freya", t("approve.budget.day"), t("approve.budget.opens.never")):
        await expect(told).to_contain_text(fact)
    assert await find_barriers(page) == []
    if folder := os.environ.get("SHOTS"):
        await page.screenshot(path=f"{folder}/met.png", full_page=True)
    await whole.http.put(place, params=whose, json={"day_usd": 50})
    await press(page, again)
    assert (await run.ended()).status == "completed"
    await whole.http.delete(place, params=whose)
