"""One's own files in the browser: dropped onto the page, named in the plan, quoted in the report."""

import re
from pathlib import Path

import pytest
from playwright.async_api import Page, expect

from tests.activities.web.files import OLE
from tests.page.conftest import Visitor, find_barriers, measure_overflow
from tests.page.words import like, t
from tests.support.stack import QUESTION, Whole

NAME = "<img src=x onerror=alert(1)>.md"
NOTES = (
    b"# <script>alert(1)</script> Field notes\n\f\n"
    b"Solar irrigation pumps of Kenya serve 4,711 farms (2024).\n\n"
    b"Broken: \xef\xbf\xbd\n"
)
DROP = """([name, text]) => {
    const data = new DataTransfer();
    data.items.add(new File([text], name));
    const event = {dataTransfer: data, bubbles: true, cancelable: true};
    document.body.dispatchEvent(new DragEvent("drop", event));
}"""


async def pick(page: Page, *files: Path) -> None:
    """Choose files in the browser's own dialog."""
    async with page.expect_file_chooser() as opened:
        await page.get_by_role("button", name=t("ask.files.add")).click()
    await (await opened.value).set_files(files)


async def test_files_dropped_are_read_named_in_the_plan_and_quoted(
    visitor: Visitor, whole: Whole
) -> None:
    page = await visitor.open()
    await page.get_by_label(t("ask.question")).fill(QUESTION)
    await page.evaluate(DROP, [NAME, NOTES.decode()])
    files = page.get_by_role("list", name=t("ask.files"))
    await expect(files).to_contain_text(NAME)
    await expect(page.locator(".files .doubt")).to_contain_text(
        like("unread-characters-broken", n=1)
    )
    await page.reload()  # neither the file nor the question is lost
    await expect(files).to_contain_text(NAME)
    await expect(page.get_by_label(t("ask.question"))).to_have_value(QUESTION)
    await page.get_by_role("button", name=t("ask.submit"), exact=True).click()
    await page.wait_for_url(re.compile("/runs/run-"))
    visitor.excuse("404")
    run = whole.run(page.url.rpartition("/")[2])
    await run.answer()
    await expect(page.locator(".plan")).to_contain_text(NAME)
    await page.get_by_role("button", name=t("approve.plan.approve"), exact=True).click()
    await run.completed()
    await expect(
        page.locator(".notice", has_text=like("unread-characters-broken", n=1))
    ).to_be_visible()
    said = page.locator(".report > p", has_text="4,711 farms").first
    await said.locator("xpath=.//text()[contains(., '4,711 farms')]/following::button[1]").click()
    note = page.locator(".note")
    await expect(note.locator("mark")).to_contain_text("serve 4,711 farms")
    await expect(note.locator("figcaption")).to_contain_text(t("read.note.page", n=2))
    own = next(s for s in (await run.get("/sources")).json()["items"] if "file:" in s["url"])
    link = note.get_by_role("link", name=t("read.stored.open"))
    stored = re.compile(rf"^/runs/{run.id}/sources/{own['n']}#note-\d+$")
    await expect(link).to_have_attribute("href", stored)
    assert await page.locator("#content img").count() == 0


@pytest.mark.full
async def test_a_file_that_cannot_be_read_is_named_with_what_can(
    visitor: Visitor, tmp_path: Path
) -> None:
    page = await visitor.open()
    bodies = {"old.doc": OLE, "large.txt": b"x" * 20_000_001, NAME: NOTES}
    for name, body in bodies.items():
        (tmp_path / name).write_bytes(body)
    await pick(page, *(tmp_path / name for name in bodies))
    told = page.get_by_role("alert")
    await expect(told).not_to_contain_text("name:")
    await expect(told).to_contain_text(like("failure.save_as", kind=t("failure.kind.old_office")))
    await expect(told).to_contain_text(".docx, .xlsx, .pptx")
    await expect(told).to_contain_text("large.txt: ")
    files = page.get_by_role("list", name=t("ask.files")).get_by_role("listitem")
    await expect(files).to_have_count(1)
    assert await find_barriers(page) == []
    assert await measure_overflow(page) <= 0
    await pick(page, tmp_path / NAME)  # the same name again replaces it
    await expect(told).to_have_count(0)
    await expect(files).to_have_count(1)
    await page.get_by_role("button", name=t("ask.files.remove", name=NAME)).click()
    await expect(files).to_have_count(0)
    visitor.excuse("422")
    visitor.excuse("413")
    visitor.excuse("ERR_")
