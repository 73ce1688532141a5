"""Channels in the settings: made, tried, turned off and deleted, with what was sent."""

import pytest
from playwright.async_api import Locator, Page, expect

from tests.page.conftest import Visitor, find_barriers, measure_overflow, press
from tests.page.words import like, t
from tests.support.stack import Whole
from tests.support.words import phrase


async def make(page: Page) -> Locator:
    """Make a channel to a private address, of four events, and return its row."""
    section = page.get_by_role("region", name=t("settings.channels"))
    await expect(section).to_contain_text(t("settings.channels.none"))
    await press(page, section.get_by_role("button", name=t("settings.channels.add")))
    dialog = page.get_by_role("dialog")
    await dialog.get_by_label(t("settings.channels.target")).fill("http://127.0.0.1:9/private-path")
    await dialog.get_by_label(t("settings.channels.name")).fill("Ops")
    await dialog.get_by_label(t("settings.channels.event.run.ended")).uncheck()
    assert await find_barriers(page) == []
    await dialog.get_by_role("button", name=t("settings.channels.save")).click()
    await expect(section.locator(".token")).to_contain_text("whsec_")
    row = section.locator(".channels > li")
    await expect(row).to_contain_text("Ops")
    return row


async def delete(page: Page, row: Locator) -> None:
    await row.get_by_role("button", name=t("settings.channels.delete.one", name="Ops")).click()
    await page.get_by_role("button", name=t("settings.startups.delete.yes")).click()
    await expect(row).to_have_count(0)


@pytest.mark.full
async def test_channel_is_tried_by_a_button_which_says_why_it_failed(
    visitor: Visitor, whole: Whole
) -> None:
    page = await visitor.open("/settings")
    row = await make(page)
    [made] = (await whole.http.get("/v1/channels")).json()["items"]
    assert "run.ended" not in made["events"]
    assert len(made["events"]) == 4
    await row.get_by_role("button", name=t("settings.channels.test.one", name="Ops")).click()
    told = row.get_by_role("status")
    await expect(told).to_contain_text(like("settings.channels.failed"))
    await expect(told).to_contain_text(phrase("alert-host-private"))
    await row.get_by_text(t("settings.channels.log"), exact=True).click()
    sent = row.locator("details li")
    await expect(sent).to_contain_text(t("settings.channels.status.failed"))
    await expect(sent.get_by_role("button", name=t("settings.channels.replay"))).to_be_enabled()
    assert await find_barriers(page) == []
    assert await measure_overflow(page) <= 0
    await delete(page, row)


@pytest.mark.full
async def test_channel_is_turned_off_and_its_secret_is_shown_once(visitor: Visitor) -> None:
    page = await visitor.open("/settings")
    row = await make(page)
    await row.get_by_role("button", name=t("settings.channels.disable.one", name="Ops")).click()
    await expect(row).to_contain_text(t("settings.channels.off"))
    await expect(
        row.get_by_role("button", name=t("settings.channels.test.one", name="Ops"))
    ).to_be_disabled()
    assert "private-path" not in await page.content()
    await page.reload()
    assert "whsec_" not in await page.content()
    await delete(page, row)


@pytest.mark.full
async def test_refused_address_is_explained(visitor: Visitor) -> None:
    visitor.excuse("422")
    page = await visitor.open("/settings")
    section = page.get_by_role("region", name=t("settings.channels"))
    await section.get_by_role("button", name=t("settings.channels.add")).click()
    dialog = page.get_by_role("dialog")
    await dialog.get_by_role("combobox").select_option("ntfy")
    await dialog.get_by_label(t("settings.channels.target")).fill("https://ntfy.sh/")
    await dialog.get_by_role("button", name=t("settings.channels.save")).click()
    await expect(dialog).to_contain_text(phrase("target-no-topic"))
