"""What all views share: policy, weight, language, appearance, addresses."""

import re
from pathlib import Path

import pytest
from playwright.async_api import Browser, Request, Route, expect

from contracts.runs.samples import Sample
from contracts.words import Language
from tests.chaos.fragile_stack import FragileStack
from tests.page.conftest import Visitor
from tests.page.words import t
from tests.support.offline_services import eventually

FIRST_VIEW_BYTES = 150_000
"""As sent, fonts and words among it, and all that follows by itself."""

FIRST_DATA_BYTES = 220_000
"""What the gateway answers of the first view's questions, before a proxy shrinks it."""

SAMPLE = Sample(
    id="pumps", definition="deep_research", query="Where do pumps sell?", model="m", date="2026"
)


@pytest.mark.parametrize("language", ["en", pytest.param("de", marks=pytest.mark.full)])
async def test_the_first_view_is_light_and_from_this_host_alone(
    newcomer: Visitor, language: Language
) -> None:
    requests: list[Request] = []
    newcomer.context.on("requestfinished", lambda request: requests.append(request))
    await newcomer.context.add_init_script(f"localStorage['greenlight.language'] = '{language}'")
    page = await newcomer.open("/v1/metadata")

    async def add_sample(route: Route) -> None:
        answer = await route.fetch()
        sample = SAMPLE.model_copy(update={"language": language}).model_dump()
        await route.fulfill(response=answer, json=await answer.json() | {"samples": [sample]})

    await page.route("**/v1/metadata", add_sample)
    await page.goto(newcomer.base)
    await expect(page.get_by_label(t("ask.question", language))).to_be_visible()
    said = t("recorded", language, model=SAMPLE.model, date=SAMPLE.date)
    await expect(page.get_by_text(said)).to_be_visible()
    await page.get_by_role("button", name=t("ask.more", language)).click()
    await expect(page.get_by_text(t("preset-one_shot", language), exact=True)).to_be_visible()
    await page.wait_for_load_state("networkidle")
    assert {request.url.split("/")[2] for request in requests} == {newcomer.base.split("/")[2]}
    data = [request for request in requests if "/v1/" in request.url]
    parts = [request for request in requests if request not in data]
    for found, most in ((parts, FIRST_VIEW_BYTES), (data, FIRST_DATA_BYTES)):
        sizes = {r.url: (await r.sizes())["responseBodySize"] for r in found}
        assert sum(sizes.values()) <= most, sizes


async def test_an_injected_script_does_not_run(visitor: Visitor) -> None:
    page = await visitor.open()
    ran = await page.evaluate(
        """() => new Promise(resolve => {
            const script = document.createElement("script");
            script.textContent = "window.ran = true";
            document.head.append(script);
            const image = document.createElement("div");
            image.innerHTML = "<img src=x onerror='window.ran = true'>";
            document.body.append(image);
            setTimeout(() => resolve(window.ran ?? false), 300);
        })"""
    )
    assert ran is False
    assert any("Content Security Policy" in said for said in visitor.complaints)
    visitor.excuse("Content Security Policy")
    visitor.excuse("404")


async def test_it_speaks_the_browsers_language_and_keeps_the_one_chosen(
    browser: Browser, built: Path, stack: FragileStack
) -> None:
    context = await browser.new_context(locale="de-DE")
    page = await Visitor(context, stack.addresses.gateway).open()
    await expect(page.get_by_role("heading", level=1)).to_have_text(t("ask.title", "de"))
    await expect(page.locator("html")).to_have_attribute("lang", "de")
    await page.set_viewport_size({"width": 768, "height": 1024})
    tabs = page.get_by_role("banner").get_by_role("navigation")
    assert await tabs.evaluate("nav => nav.scrollWidth <= nav.clientWidth"), "no tab is cut off"
    await page.get_by_label(t("nav.language", "de")).select_option("English")
    await page.reload()
    await expect(page.get_by_role("heading", level=1)).to_have_text(t("ask.title"))
    await context.close()


async def test_it_is_dark_where_the_system_is_or_the_reader_wants_it(visitor: Visitor) -> None:
    page = await visitor.open()
    ground = "getComputedStyle(document.body).backgroundColor"
    light = await page.evaluate(ground)
    await page.emulate_media(color_scheme="dark")
    dark = await page.evaluate(ground)
    assert light != dark
    await page.get_by_label(t("nav.theme")).select_option(t("theme.light"))
    assert await page.evaluate(ground) == light
    await page.reload()
    await expect(page.get_by_label(t("nav.theme"))).to_have_value("light")
    assert await page.evaluate(ground) == light


@pytest.mark.full
async def test_an_address_without_a_view_says_so(visitor: Visitor) -> None:
    page = await visitor.open("/runs/run-none")
    await expect(page.get_by_role("heading", level=1)).to_contain_text(t("state.missing.run"))
    visitor.excuse("404")
    page = await visitor.open("/nosuch/page")
    await expect(page.get_by_role("heading", level=1)).to_contain_text(t("state.missing"))
    await expect(page.get_by_role("main").get_by_role("link")).to_have_attribute("href", "/")
    for path, what, home in (
        ("/compose/nothing", "definition", "/compose"),
        ("/compare/run-none/run-other", "run", "/runs"),
        ("/collections/nothing", "collection", "/collections"),
    ):
        page = await visitor.open(path)
        title = page.get_by_role("heading", level=1)
        await expect(title).to_have_text(t(f"state.missing.{what}"))
        await expect(page.get_by_role("main").get_by_role("link")).to_have_attribute("href", home)


async def test_view_that_cannot_be_drawn_leaves_the_frame_and_the_other_views(
    visitor: Visitor,
) -> None:
    """As where a gateway of another version answers in another form: nothing of the page was left before."""
    page = await visitor.open()
    runs = re.compile(r"/v1/runs(\?(?!.*waiting)|$)")  # and not what the frame itself asks for
    await page.route(runs, lambda route: route.fulfill(json={"items": [None], "total": 1}))
    links = page.get_by_role("banner").get_by_role("link")
    await links.filter(has_text=t("nav.runs")).click()
    await expect(page.get_by_role("alert")).to_contain_text(t("problem.view"))
    await expect(page.get_by_role("button", name=t("state.reload"))).to_be_visible()
    visitor.excuse("TypeError")
    await links.filter(has_text=t("nav.settings")).click()
    await expect(page.get_by_role("heading", level=1)).to_contain_text(t("nav.settings"))


@pytest.mark.full
async def test_another_view_begins_at_its_top_and_the_one_before_where_it_was(
    visitor: Visitor,
) -> None:
    page = await visitor.open()
    await page.get_by_role("button", name=t("ask.more")).click()
    await page.set_viewport_size({"width": 1280, "height": 300})
    await page.evaluate("scrollTo(0, 400)")
    await page.get_by_role("link", name=t("nav.compose"), exact=True).click()
    await expect(page.get_by_role("heading", name=t("compose.presets"))).to_be_visible()
    assert await page.evaluate("scrollY") == 0
    await page.evaluate("scrollTo(0, 200)")
    await page.get_by_role("link", name=t("nav.settings"), exact=True).click()
    await expect(page.get_by_role("heading", level=1)).to_have_text(t("nav.settings"))
    await page.go_back()
    await expect(page.get_by_role("heading", name=t("compose.presets"))).to_be_visible()
    await eventually(lambda: page.evaluate("scrollY > 100"))


def test_no_view_holds_words_of_its_own() -> None:
    """All texts come from the catalogue, which contains their translations."""
    text = re.compile(r">\s*([A-Za-z][a-z]+[^<>{}=();]*)</")
    views = Path(__file__).parents[3] / "web" / "src"
    found = {
        file.name: said
        for file in views.rglob("*.tsx")
        if (said := text.findall(file.read_text("utf-8")))
    }
    assert not found
