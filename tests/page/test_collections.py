"""Collections in the browser: made, filled by dropping files, chosen for a question, and deleted."""

import re
from collections.abc import AsyncIterator

import pytest
from playwright.async_api import expect

from api.body_limits import BYTES
from tests.page.conftest import Visitor, find_barriers, measure_overflow
from tests.page.test_files import DROP
from tests.page.words import like, t
from tests.support.stack import QUESTION, Whole

NAME = "Field notes"
PUMPS = "# Pumps of Kenya\n\nSolar irrigation pumps of Kenya serve 4,711 farms (2024).\n"


@pytest.fixture
async def tidy(whole: Whole) -> AsyncIterator[None]:
    yield
    await whole.http.delete(f"/v1/collections/{NAME}")


@pytest.mark.full
async def test_a_collection_that_does_not_exist_is_said_to_be_missing(visitor: Visitor) -> None:
    visitor.excuse("404")
    page = await visitor.open("/collections/nosuch")
    title = page.get_by_role("heading", level=1)
    await expect(title).to_have_text(t("state.missing.collection"))


@pytest.mark.usefixtures("tidy")
async def test_a_collection_is_made_filled_and_deleted(visitor: Visitor) -> None:
    page = await visitor.open("/collections")
    await page.get_by_label(t("collections.name")).fill(NAME)
    await page.get_by_role("button", name=t("collections.make")).click()
    await page.wait_for_url("**/collections/Field%20notes")
    await expect(page.get_by_role("button", name=t("collections.add"))).to_be_visible()
    for file, text in (("pumps.md", PUMPS), ("broken.pdf", "%PDF-1.7 broken")):
        await page.evaluate(DROP, [file, text])
        await expect(page.get_by_role("listitem").filter(has_text=file)).to_be_visible()
    good = page.get_by_role("listitem").filter(has_text="pumps.md")
    await expect(good).to_contain_text("Pumps of Kenya")
    bad = page.get_by_role("listitem").filter(has_text="broken.pdf")
    await expect(bad).to_contain_text(like("failure.broken", format=t("failure.format.pdf")))
    await expect(page.locator(".progress").first).to_contain_text(t("collections.failed", n=1))
    assert await find_barriers(page) == []
    await bad.get_by_role("button", name=t("collections.remove", name="broken.pdf")).click()
    await expect(bad).to_have_count(0)
    await page.get_by_role("button", name=t("collections.delete")).click()
    await expect(page.get_by_role("dialog")).to_contain_text(
        t("collections.delete.title", name=NAME)
    )
    await page.get_by_role("button", name=t("collections.delete.yes"), exact=True).click()
    await page.wait_for_url("**/collections")
    await expect(page.get_by_role("link", name=NAME)).to_have_count(0)


@pytest.mark.full
@pytest.mark.usefixtures("tidy")
async def test_what_cannot_be_read_stands_first_however_many_documents_are_listed(
    visitor: Visitor, whole: Whole
) -> None:
    (await whole.http.post("/v1/collections", json={"name": NAME})).raise_for_status()
    place, headers = f"/v1/collections/{NAME}/documents", {"Content-Type": BYTES}
    for n in range(101):  # more than are shown at once
        params = {"name": f"{n:03}.md"}
        await whole.http.put(place, params=params, content=f"Pump {n}.", headers=headers)
    params = {"name": "zebra.pdf"}
    await whole.http.put(place, params=params, content="%PDF-1.7 broken", headers=headers)
    page = await visitor.open(f"/collections/{NAME}")
    failed = page.get_by_role("region", name=t("collections.failed.title"))
    await expect(failed.get_by_role("listitem")).to_have_count(1)
    await expect(failed).to_contain_text("zebra.pdf")
    await expect(failed).to_contain_text(like("failure.broken", format=t("failure.format.pdf")))
    await expect(page.get_by_role("listitem").filter(has_text="zebra.pdf")).to_have_count(1)


@pytest.mark.full
@pytest.mark.usefixtures("tidy")
async def test_a_question_is_asked_of_a_collection_and_the_plan_says_so(
    visitor: Visitor, whole: Whole
) -> None:
    (await whole.http.post("/v1/collections", json={"name": NAME})).raise_for_status()
    headers = {"Content-Type": BYTES}
    put = whole.http.put(
        f"/v1/collections/{NAME}/documents", params={"name": "a.md"}, content=PUMPS, headers=headers
    )
    (await put).raise_for_status()
    page = await visitor.open()
    await page.get_by_label(t("ask.question")).fill(QUESTION)
    await page.get_by_label(t("ask.collections.one", name=NAME, n=1)).check()
    await page.get_by_role("button", name=t("ask.submit"), exact=True).click()
    await page.wait_for_url(re.compile("/runs/run-"))
    visitor.excuse("404")
    run = whole.run(page.url.rpartition("/")[2])
    await run.answer()
    await expect(page.locator("#content")).to_contain_text(
        like("approve.collections", names=f"“{NAME}”")
    )
    assert [each.name for each in (await run.state()).collections] == [NAME]


@pytest.mark.full
@pytest.mark.usefixtures("tidy")
async def test_collections_fit_a_phone_in_german(visitor: Visitor, whole: Whole) -> None:
    (await whole.http.post("/v1/collections", json={"name": NAME})).raise_for_status()
    page = await visitor.open(f"/collections/{NAME}")
    await page.set_viewport_size({"width": 360, "height": 740})
    await page.get_by_label(t("nav.language")).select_option("de")
    await expect(page.get_by_role("button", name=t("collections.add", "de"))).to_be_visible()
    assert await measure_overflow(page) <= 0
    named = t("nav.collections", "de")  # by one name in the menu, on the view and on the way back
    await page.get_by_role("main").get_by_role("link", name=named).click()
    await expect(page.get_by_role("heading", level=1)).to_have_text(named)
    assert await measure_overflow(page) <= 0
    await page.get_by_role("link", name=NAME).click()
    await page.evaluate(DROP, ["broken.docx", "PK\x03\x04 word/document.xml"])
    failed = page.get_by_role("region", name=t("collections.failed.title", "de"))
    await expect(failed).to_contain_text(
        t("failure.cut_off", "de", format=t("failure.format.word", "de"))
    )
    visitor.excuse("422")
    await page.evaluate(DROP, ["empty.md", ""])
    await expect(page.get_by_role("alert")).to_contain_text(
        t("document-unreadable", "de", name="empty.md", why=t("failure.empty", "de"))
    )
    assert await measure_overflow(page) <= 0
