"""A report shared by its link: read without a key, and gone once the link is revoked."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from playwright.async_api import Browser, Page, Request, expect

from tests.chaos.fragile_stack import FragileStack
from tests.page.conftest import DESK, Visitor, find_barriers, measure_overflow
from tests.page.words import like, t
from tests.support.stack import QUESTION, Undisturbed, Whole


@pytest.fixture
async def page(visitor: Visitor, undisturbed: Undisturbed) -> Page:
    """A tab with a finished report."""
    page = await visitor.open(f"/runs/{undisturbed.run.id}")
    await page.get_by_role("button", name=t("share.open")).click()
    return page


async def make_link(page: Page) -> str:
    """Create a link, and return the displayed URL."""
    await page.get_by_role("button", name=t("share.create")).click()
    return await page.locator(".share .token").inner_text()


@pytest.fixture
async def stranger(browser: Browser, stack: FragileStack) -> AsyncIterator[Visitor]:
    """Somebody else, in a browser of their own."""
    context = await browser.new_context(viewport=DESK, locale="en-US", reduced_motion="reduce")
    yield Visitor(context, stack.addresses.gateway)
    await context.close()


async def read_stored(reader: Page) -> None:
    """Read a note's quote in its stored page, and come back to the note."""
    number = reader.locator(".report").get_by_role("button", name=like("read.note.open"))
    await number.first.click()
    mark = reader.locator(".note mark")
    await expect(mark).not_to_be_empty()
    quote = await mark.inner_text()
    await reader.get_by_role("link", name=t("read.stored.open")).click()
    await expect(reader.locator(".stored mark")).to_have_text(quote)
    await reader.get_by_role("button", name=t("read.stored.sentence")).click()
    await expect(mark).to_have_text(quote)
    await reader.keyboard.press("Escape")


async def test_a_stranger_reads_the_report_and_its_quotes_by_the_link_which_no_address_holds(
    page: Page, stranger: Visitor
) -> None:
    link, sent = await make_link(page), list[Request]()
    stranger.context.on("request", lambda request: sent.append(request))
    reader = await stranger.open(link.removeprefix(stranger.base))
    report = reader.locator(".report")
    await expect(reader.get_by_text(t("read.offline"))).to_be_visible()
    await read_stored(reader)
    await expect(reader.get_by_role("heading", level=1)).to_have_text(QUESTION)
    await expect(reader.get_by_role("article").get_by_role("heading").first).to_be_visible()
    await reader.locator(".contents a").last.click()
    await reader.reload()
    await expect(report.get_by_role("heading").first).to_be_visible()
    await reader.get_by_role("button", name=t("read.download")).click()
    async with reader.expect_download() as started:
        await reader.get_by_role("link", name="Markdown", exact=True).click()
    assert (await (await started.value).path()).read_bytes().startswith(b"# ")
    for control in (t("run.pause"), t("read.followup.send"), t("read.redo.send"), t("share.open")):
        await expect(reader.get_by_role("button", name=control, exact=True)).to_have_count(0)
    await expect(reader.get_by_role("link", name=t("nav.runs"))).to_have_count(0)
    assert await find_barriers(reader) == []
    assert await measure_overflow(reader) <= 0
    assert stranger.complaints == []
    token = link.rpartition("#")[2]
    assert token.startswith("gl_")
    told = [f"{request.url} {request.headers.get('referer')}" for request in sent]
    assert told
    assert not [place for place in told if token in place]


@pytest.mark.full
async def test_a_link_is_shown_once_says_that_it_was_copied_and_whether_it_was_used(
    page: Page, stranger: Visitor
) -> None:
    await page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    link = await make_link(page)
    await page.get_by_role("button", name=t("share.copy"), exact=True).click()
    await expect(page.get_by_role("button", name=t("share.copied"))).to_be_visible()
    assert await page.evaluate("navigator.clipboard.readText()") == link
    mine = page.locator(".share li", has_text=link.rpartition("#")[2][:9])
    await expect(mine).to_contain_text(t("settings.keys.unused"))
    reader = await stranger.open(link.removeprefix(stranger.base))
    await expect(reader.locator(".report")).to_be_visible()
    await page.get_by_role("button", name=t("state.close")).click()
    await page.get_by_role("button", name=t("share.open")).click()
    await expect(page.locator(".share .token")).to_have_count(0)
    await expect(mine).to_contain_text(t("settings.keys.used", ago=t("time.now")))


@pytest.mark.full
async def test_a_shared_report_stays_while_the_network_is_away(
    page: Page, stranger: Visitor
) -> None:
    reader = await stranger.open((await make_link(page)).removeprefix(stranger.base))
    await expect(reader.locator(".report")).to_be_visible()
    await reader.wait_for_load_state("networkidle")
    await stranger.context.set_offline(True)
    async with reader.expect_event("requestfailed"):  # returning to a tab reloads its data
        await reader.evaluate("window.dispatchEvent(new Event('visibilitychange'))")
    await expect(reader.get_by_text(t("app.offline"))).to_be_visible()
    await expect(reader.locator(".report")).to_be_visible()


@pytest.mark.full
async def test_a_link_that_is_revoked_or_not_whole_says_so(
    page: Page, stranger: Visitor, undisturbed: Undisturbed
) -> None:
    link = await make_link(page)
    assert await find_barriers(page) == []
    links = page.locator(".share li", has_text=link.rpartition("#")[2][:9])
    await links.get_by_role("button", name=like("share.revoke")).click()
    await expect(links).to_have_count(0)
    over = await stranger.open(link.removeprefix(stranger.base))
    await expect(over.get_by_role("heading", level=1)).to_have_text(t("shared.over"))
    broken = await stranger.open(f"/shared/{undisturbed.run.id}")
    await expect(broken.get_by_role("heading", level=1)).to_contain_text(t("shared.broken"))


@pytest.mark.full
@pytest.mark.usefixtures("built")
async def test_a_link_to_a_run_that_was_deleted_says_so(stranger: Visitor) -> None:
    gone = await stranger.open("/shared/run-deleted#gl_without-a-key")
    await expect(gone.get_by_role("heading", level=1)).to_have_text(t("shared.over"))
    await expect(gone.locator("main")).to_contain_text(t("shared.ask"))


@pytest.mark.full
async def test_what_opens_a_report_is_in_no_log(page: Page, whole: Whole) -> None:
    token = (await make_link(page)).rpartition("#")[2]
    run = page.url.rpartition("/")[2]
    answer = await whole.http.get(
        f"/v1/runs/{run}/report", headers={"Authorization": f"Bearer {token}"}
    )
    assert answer.is_success
    logs = Path(whole.stack.addresses.home) / "logs"
    texts = [file.read_bytes() for file in logs.rglob("*") if file.is_file()]
    assert texts
    assert not [text for text in texts if token.encode() in text]
