"""Asking in the browser: the price is shown first, and exactly the typed question is started."""

import asyncio
import re
from itertools import product

import pytest
from playwright.async_api import Route, ViewportSize, expect

from contracts.words import Language
from tests.page.conftest import (
    DESK,
    PHONE,
    STRAY_DOTS,
    Visitor,
    find_barriers,
    measure_overflow,
    press,
)
from tests.page.words import like, t
from tests.support.stack import QUESTION, Whole

EDGES = "all => all.map(one => one.getBoundingClientRect()).map(({top, bottom}) => [top, bottom])"
"""Returns where elements begin and end in the window."""
RUN = re.compile(r"/runs/(run-[0-9a-f-]+)$")


async def asked(visitor: Visitor, whole: Whole, page_url: str) -> dict[str, object]:
    """Return the record of the run that a page has gone on to."""
    visitor.excuse("404")  # until its first activity has recorded it, the page asks again
    found = RUN.search(page_url)
    assert found
    return await whole.run(found[1]).recorded()


def say_price(price: str, time: str) -> re.Pattern[str]:
    """Return a pattern for the line of what a run costs and takes."""
    return re.compile(f"^{re.escape(price)} · {time}$")


@pytest.mark.full
async def test_a_question_becomes_a_run_at_enter(visitor: Visitor, whole: Whole) -> None:
    page = await visitor.open()
    await expect(page.get_by_label(t("ask.question"))).to_be_focused()
    await page.keyboard.type(QUESTION)
    await page.keyboard.press("Enter")
    await page.wait_for_url(RUN)
    await expect(page.get_by_role("heading", level=1)).to_have_text(QUESTION)
    record = await asked(visitor, whole, page.url)
    assert (record["query"], record["definition_id"]) == (QUESTION, "deep_research")
    await page.get_by_role("link", name=t("nav.ask"), exact=True).click()
    await expect(page.get_by_label(t("ask.question"))).to_have_value("")  # it has been asked


async def test_the_price_is_shown_before_anything_is_called(visitor: Visitor, whole: Whole) -> None:
    page = await visitor.open()
    price, course = page.locator(".price"), page.locator(".course")
    await expect(price).to_have_text(say_price(t("ask.price.free"), like("depth.time").pattern))
    await expect(page.locator(".box")).not_to_contain_text("$")  # nothing is billed here
    await page.get_by_text(t("ask.options"), exact=True).click()
    await page.get_by_label(t("ask.budget")).fill("0.50")
    await course.locator("summary").click()
    await expect(course.get_by_role("listitem")).to_have_count(3)
    await expect(course).to_contain_text(like("depth.row", top="$0.50"))
    await expect(course).to_contain_text(t("ask.waits"))
    await page.get_by_role("radio", name=t("ask.kind.market_analysis")).check()
    await expect(course).to_contain_text(t("ask.stops.through"))
    each_step = t("preset-deep_research_full_hitl")
    await course.get_by_role("button", name=t("ask.stops.other", way=each_step)).click()
    await expect(course).to_contain_text(t("ask.stops.each"))
    await expect(page.get_by_role("radio", name=each_step, exact=False)).to_be_checked()
    assert await find_barriers(page) == []
    assert await whole.providers.asked() == []


@pytest.mark.full
async def test_price_and_minutes_are_those_of_the_depth_and_the_kind_that_are_chosen(
    visitor: Visitor,
) -> None:
    page = await visitor.open()
    price = page.locator(".price")
    estimate = {
        "model": "some-model",
        "offline": False,
        "cap_usd": 5,
        "price": {"low_usd": 0.1, "expected_usd": 0.3, "top_usd": 0.9},
        "depths": [
            {
                "depth": depth,
                "price": {"low_usd": 0.1, "expected_usd": usd, "top_usd": 3 * usd},
                "minutes": {"low": 1, "high": high, "runs": 0, "agents": 3},
            }
            for depth, usd, high in (("quick", 0.1, 2), ("standard", 0.3, 4), ("thorough", 0.5, 7))
        ],
    }

    async def answer(route: Route) -> None:
        await route.fulfill(json=estimate)

    await page.route("**/estimate", answer)
    await page.reload()
    for depth, usd, top, minutes in (
        ("standard", "$0.30", "$0.90", (4, "1\u2060–\u20604")),
        ("thorough", "$0.50", "$1.50", (7, "1\u2060–\u20607")),
    ):
        await page.get_by_text(t(f"depth.{depth}"), exact=True).click()
        time = t("depth.time", n=minutes[0], span=minutes[1])
        await expect(price).to_have_text(say_price(t("ask.price", expected=usd, top=top), time))
    await page.get_by_role("radio", name=t("ask.kind.investment_analysis")).check()
    await expect(price).to_have_text(t("ask.price.incomplete"))
    await page.route("**/estimate", lambda _: asyncio.Event().wait())  # no answer yet
    await page.get_by_role("radio", name=t("ask.kind.market_analysis")).check()
    await expect(price).to_have_text(t("ask.price.checking"))
    await page.route("**/estimate", lambda route: route.fulfill(status=403, json={"type": "x"}))
    visitor.excuse("403")
    await page.get_by_role("radio", name=t("ask.kind.web_answer")).check()
    await expect(price).to_have_text(like("ask.price.unknown"))


@pytest.mark.full
@pytest.mark.parametrize("language", ["en", "de"])
async def test_way_that_stops_after_each_step_leads_back_to_what_was_chosen(
    visitor: Visitor, whole: Whole, language: Language
) -> None:
    found = (await whole.http.get("/v1/workflows/deep_research")).json()
    mine = {"id": "own_way", "title": "In my own way", "phases": found["phases"]}
    saved = await whole.http.post("/v1/workflows", json=mine)
    assert saved.is_success, saved.text
    page = await visitor.open()
    await page.evaluate("to => { localStorage['greenlight.language'] = to; }", language)
    await page.reload()
    course = page.locator(".course")
    await course.locator("summary").click()
    each_step = t("preset-deep_research_full_hitl", language)
    switch = course.get_by_role("button", name=t("ask.stops.other", language, way=each_step))
    for way in (t("ask.kind.market_analysis", language), mine["title"]):
        await page.get_by_role("radio", name=way).check()
        await switch.press("Enter")
        await expect(page.get_by_role("radio", name=each_step)).to_be_checked()
        back = course.get_by_role("button", name=t("ask.stops.back", language, way=way))
        await expect(back).to_be_focused()
        await page.reload()
        await course.locator("summary").click()
        await back.press("Enter")
        await expect(page.get_by_role("radio", name=way)).to_be_checked()
        await expect(switch).to_be_focused()
    await page.get_by_role("button", name=t("ask.more", language)).click()
    await page.get_by_role("radio", name=each_step).check()
    await expect(course).to_contain_text(t("ask.stops.each", language))
    await expect(course.get_by_role("button")).to_have_count(0)  # nothing was chosen before it
    assert (await whole.http.delete("/v1/workflows/own_way")).is_success


@pytest.mark.parametrize(
    "size", [pytest.param(PHONE, id="phone"), pytest.param(DESK, id="desk", marks=pytest.mark.full)]
)
async def test_button_stays_where_it_is_when_the_price_arrives(
    visitor: Visitor, size: ViewportSize
) -> None:
    """Who reaches for it meanwhile would press what came into its place."""
    page = await visitor.open()
    known = asyncio.Event()

    async def hold(route: Route) -> None:
        await known.wait()
        await route.continue_()

    await page.route("**/estimate", hold)
    button = page.get_by_role("button", name=t("ask.submit"), exact=True)
    await page.set_viewport_size(size)
    await page.reload()
    await expect(page.locator(".price")).to_have_text(t("ask.price.checking"))
    # another font breaks lines elsewhere
    await page.evaluate("document.fonts.ready.then(() => null)")
    before = await button.bounding_box()
    known.set()
    await expect(page.locator(".price")).to_contain_text(t("ask.price.free"))
    after = await button.bounding_box()
    assert before
    assert after
    assert abs(after["y"] - before["y"]) < after["height"] / 2


@pytest.mark.parametrize("language", ["de", pytest.param("en", marks=pytest.mark.full)])
async def test_price_and_button_are_in_sight_on_a_phone_and_the_price_comes_first(
    visitor: Visitor, language: Language
) -> None:
    page = await visitor.open()
    await page.evaluate("to => { localStorage['greenlight.language'] = to; }", language)
    await page.reload()
    await expect(page.locator(".price")).to_contain_text(t("ask.price.free", language))
    for width, scrolled in product((360, 390), (0, 120)):
        await page.set_viewport_size({"width": width, "height": 740})
        await page.evaluate("y => scrollTo(0, y)", scrolled)
        [[top, end]] = await page.locator(".box .primary").evaluate_all(EDGES)
        [[said, told]] = await page.locator(".price").evaluate_all(EDGES)
        depths = await page.locator(".depths label").evaluate_all(EDGES)
        assert 0 < said < told <= top
        assert end < 740
        assert all(low <= said for _, low in depths)
    await page.locator(".course summary").click()
    await expect(page.locator(".course li")).to_have_count(3)
    for width in (320, 360, 390, 480):
        await page.set_viewport_size({"width": width, "height": 740})
        assert await page.evaluate(STRAY_DOTS) == []


@pytest.mark.full
async def test_the_way_to_other_kinds_of_research_looks_like_a_button(visitor: Visitor) -> None:
    page = await visitor.open()
    more = page.get_by_role("button", name=t("ask.more"))
    edge = "more => getComputedStyle(more).borderTopColor"
    await expect(more).to_have_attribute("aria-expanded", "false")
    assert await more.evaluate(edge) != "rgba(0, 0, 0, 0)"


@pytest.mark.full
async def test_no_approval_is_promised_where_a_way_asks_for_none(
    visitor: Visitor, whole: Whole
) -> None:
    page = await visitor.open()
    lead, course = page.locator(".lead"), page.locator(".course")
    await course.locator("summary").click()
    await expect(lead).to_contain_text(t("ask.lead"))
    await page.get_by_role("button", name=t("ask.more")).click()
    await page.get_by_role("radio", name=t("ask.kind.web_answer")).check()
    await expect(lead).to_contain_text(t("ask.lead.consent"))
    await expect(course).not_to_contain_text(t("ask.waits"))
    await page.get_by_role("radio", name=t("preset-one_shot")).check()
    await expect(lead).to_contain_text(t("ask.lead.none"))
    await expect(course).to_contain_text(t("ask.known"))


@pytest.mark.full
async def test_what_a_definition_needs_is_asked_for(visitor: Visitor, whole: Whole) -> None:
    page = await visitor.open()
    await page.get_by_role("radio", name=t("ask.kind.investment_analysis")).check()
    await expect(page.get_by_text(like("ask.consent"))).to_be_visible()
    ticker = page.get_by_role("textbox", name=t("field-ticker"), exact=True)
    await page.get_by_label(t("ask.question")).fill("Is Apple worth buying?")
    assert await ticker.evaluate("field => field.validity.valueMissing")  # a browser says so itself
    await ticker.fill("???")
    await page.get_by_role("button", name=t("ask.submit"), exact=True).click()
    await expect(page.get_by_role("alert")).to_contain_text("ticker")
    await ticker.fill("AAPL, SNOW")
    await page.get_by_text(t("ask.options"), exact=True).click()
    await page.get_by_role("textbox", name=t("field-price"), exact=True).fill("230, 155")
    await page.get_by_role("button", name=t("ask.submit"), exact=True).click()
    await page.wait_for_url(RUN)
    record = await asked(visitor, whole, page.url)
    companies = {"ticker": "AAPL", "tickers": ["AAPL", "SNOW"]}
    assert record["inputs"] == {**companies, "price": [230, 155]}
    await expect(page.locator(".feed")).to_contain_text("Snowflake")
    visitor.excuse("422")


@pytest.mark.full
async def test_limits_of_the_research_reach_the_run(visitor: Visitor, whole: Whole) -> None:
    page = await visitor.open()
    await page.get_by_label(t("ask.question")).fill("What do Peru and Chile export?")
    await page.get_by_text(t("ask.options"), exact=True).click()
    await page.get_by_label(t("field-max_sources")).fill("3")
    await page.get_by_label(t("ask.fresh")).check()
    await page.get_by_role("button", name=t("ask.submit"), exact=True).click()
    await page.wait_for_url(RUN)
    run = whole.run(page.url.rpartition("/")[2])
    await run.asks("questions")
    used = {p["id"]: p["config"] for p in (await run.get("/phases")).json()["items"]}
    assert used["research"]["max_sources"] == 3


@pytest.mark.full
async def test_a_question_is_asked_again_until_the_gateway_is_back(
    visitor: Visitor, whole: Whole
) -> None:
    page = await visitor.open()
    await page.get_by_label(t("ask.question")).fill(QUESTION)
    async with whole.stack.without("gateway"):
        await page.get_by_role("button", name=t("ask.submit"), exact=True).click()
        await expect(page.get_by_role("alert")).to_contain_text(t("problem.unreachable"))
        await expect(page.get_by_label(t("ask.question"))).to_have_value(QUESTION)
    await page.wait_for_url(RUN)
    await asked(visitor, whole, page.url)
    visitor.excuse("ERR_")


@pytest.mark.full
async def test_each_tab_keeps_its_own_question_over_a_reload(visitor: Visitor) -> None:
    tabs = {query: await visitor.open() for query in ("What grows in Peru?", "And in Chile?")}
    for query, page in tabs.items():
        await page.get_by_label(t("ask.question")).fill(query)
    for query, page in tabs.items():
        await page.reload()
        await expect(page.get_by_label(t("ask.question"))).to_have_value(query)
        await page.keyboard.type(" And why?")
        await expect(page.get_by_label(t("ask.question"))).to_have_value(f"{query} And why?")


@pytest.mark.full
async def test_the_way_back_to_the_last_runs_is_here(visitor: Visitor, whole: Whole) -> None:
    run = await whole.start("What do Peru and Chile export?")
    await run.asks("questions")
    page = await visitor.open()
    recent = page.get_by_role("navigation", name=t("ask.recent"))
    await recent.get_by_role("link", name="What do Peru and Chile export?").first.click()
    await page.wait_for_url(f"**/runs/{run.id}")


@pytest.mark.full
async def test_each_kind_has_its_own_fields_and_examples_and_no_model_is_named(
    visitor: Visitor, whole: Whole
) -> None:
    page = await visitor.open()
    model = (await whole.http.get("/v1/metadata")).json()["model"]
    box, examples = page.locator(".box"), page.locator(".examples").first
    await expect(page.locator(".research-kind")).to_have_count(4)
    await press(page, page.get_by_role("radio", name=t("ask.kind.deep_research")), "ArrowRight")
    await press(page, page.get_by_role("radio", name=t("ask.kind.market_analysis")), "ArrowRight")
    ticker = box.get_by_role("textbox", name=t("field-ticker"), exact=True)
    await expect(ticker).to_be_in_viewport()
    await examples.get_by_role("button", name=t("ask.example.company.1")).click()
    await expect(ticker).to_have_value("AAPL")
    await page.reload()
    await expect(ticker).to_have_value("AAPL")
    await page.get_by_role("radio", name=t("ask.kind.web_answer")).check()
    await expect(ticker).to_have_count(0)
    await expect(page.locator(".box")).to_contain_text(like("ask.consent"))
    await expect(page.locator("main")).not_to_contain_text(model)
    assert await find_barriers(page) == []
    assert await measure_overflow(page) <= 0


async def test_a_question_that_is_too_long_is_not_cut_and_not_asked(visitor: Visitor) -> None:
    page = await visitor.open()
    box, ask = (
        page.get_by_label(t("ask.question")),
        page.get_by_role("button", name=t("ask.submit"), exact=True),
    )
    told = page.locator(".length")
    await box.fill("Compare wheat. " * 100)
    await expect(told).to_have_count(0)
    await box.fill("w" * 9_500)
    await expect(told).to_have_text(t("ask.length", n="9,500", most="10,000"))
    await box.fill("w" * 20_000)
    await expect(page.get_by_role("alert")).to_contain_text(
        t("ask.length.over", n="20,000", most="10,000")
    )
    assert len(await box.input_value()) == 20_000
    await expect(ask).to_be_disabled()
    await box.press("Enter")
    await box.fill("w" * 10_000)
    await expect(told).to_have_text(t("ask.length", n="10,000", most="10,000"))
    await expect(ask).to_be_enabled()


@pytest.mark.full
async def test_a_long_question_is_shown_in_few_lines_and_whole_where_one_wants_it(
    visitor: Visitor, whole: Whole
) -> None:
    query = "Compare wheat. " * 400
    run = await whole.start(query)
    await run.asks("questions")
    page = await visitor.open(f"/runs/{run.id}")
    head = page.get_by_role("heading", level=1)
    await expect(head).to_have_text(query.strip())
    height = "head => head.offsetHeight"
    assert await head.evaluate(height) < 150
    assert len(await page.title()) < 120
    await page.get_by_role("button", name=t("text.whole")).click()
    assert await head.evaluate(height) > 400
    await page.get_by_role("button", name=t("text.short")).click()
    assert await head.evaluate(height) < 150
    page = await visitor.open()
    recent = page.get_by_role("navigation", name=t("ask.recent")).get_by_role("link").first
    await expect(recent).to_contain_text("Compare wheat.")
    assert await recent.evaluate(height) < 120


@pytest.mark.full
async def test_until_the_plan_one_is_told_what_is_made_and_that_nothing_is_searched(
    visitor: Visitor, whole: Whole
) -> None:
    await whole.providers.told(latency=3)
    run = await whole.start()
    page = await visitor.open(f"/runs/{run.id}")
    visitor.excuse("404")
    await expect(page.get_by_text(t("run.next.clarify"))).to_be_visible()
    await run.answer()
    await expect(page.get_by_text(t("run.next.plan"))).to_be_visible()
    await run.asks("decision")
    await expect(page.get_by_text(t("run.next.plan"))).to_have_count(0)


@pytest.mark.full
async def test_asking_has_no_barriers_and_fits_a_phone(visitor: Visitor) -> None:
    page = await visitor.open()
    await page.get_by_text(t("ask.options"), exact=True).click()
    await expect(page.get_by_label(t("field-max_sources"))).to_be_visible()
    assert await find_barriers(page) == []
    assert await measure_overflow(page) <= 0
