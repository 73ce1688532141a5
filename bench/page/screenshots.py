"""`screenshots`: every view of the page, in both themes and at two widths."""

import asyncio
from argparse import Namespace
from collections.abc import Awaitable, Callable
from pathlib import Path

from playwright.async_api import Browser, Page, ViewportSize, async_playwright

from bench.harness import BenchClient, start_bench
from bench.page.browser import launch_browser
from bench.page.formats import draw_formats
from greenlight.bootstrap import ROOT
from greenlight.stack.home import Home
from greenlight.stack.page import build_page

PICTURES = ROOT / "docs" / "pictures"
SIZES = (ViewportSize(width=1280, height=860), ViewportSize(width=390, height=844))
PACE_SECONDS = 8.0
"""Duration of a model's answer while a screenshot of running work is taken."""
SETTLED_MS = 800
NO_QUESTION = "localStorage.setItem('greenlight.notify', 'asked')"
"""Whether the browser may notify is asked for once."""
Prepare = Callable[[Page], Awaitable[None]]
"""Brings a page into the state to screenshot."""
OTHER_QUESTION = "How do Norway and Sweden make their electricity?"


def screenshots(args: Namespace) -> int:
    """Draw every view into docs/pictures, and a report in all formats, or the latter alone."""
    asyncio.run(_draw(with_views=not args.formats))
    return 0


async def _draw(*, with_views: bool) -> None:
    if with_views:
        await _draw_views()
    async with async_playwright() as playwright:
        await draw_formats(playwright, PICTURES / "formats.jpg")
    print("formats", flush=True)


async def _draw_views() -> None:
    async with start_bench() as client, async_playwright() as playwright:
        await build_page(Home(Path(client.stack.addresses.home)))
        browser = await launch_browser(playwright)
        done, other = await client.run(), await client.run(OTHER_QUESTION)
        asked = await client.start()
        planned = await _plan(client)
        report = f"/runs/{done.id}"
        await _shoot(client, browser, "ask", "/", _wait_for(".price:not([data-awaited])"))
        await _shoot(client, browser, "runs", "/runs", _wait_for(".asking li + li"))
        await _shoot(client, browser, "clarify", f"/runs/{asked}", _wait_for(".questions"))
        await _shoot(client, browser, "approve", f"/runs/{planned}", _wait_for(".plan"))
        await _shoot(client, browser, "read", report, _wait_for(".report table, .report p"))
        await _shoot(client, browser, "note", report, _open_note)
        compared = f"/compare/{done.id}/{other.id}"
        await _shoot(client, browser, "compare", compared, _wait_for(".reports .report + .report"))
        copied = "/compose?from=investment_analysis"
        await _shoot(client, browser, "definitions", "/compose", _wait_for(".definition-rows li"))
        await _shoot(client, browser, "compose", copied, _open_phase)
        await _shoot(
            client, browser, "settings", "/settings", _wait_for("[aria-labelledby=health] li")
        )
        going_on = await _plan(client)
        (await client.offline.post("/control", json={"pace": PACE_SECONDS})).raise_for_status()
        await _approve(client, going_on)
        await _shoot(
            client, browser, "watch", f"/runs/{going_on}/work", _wait_for(".growing .report")
        )
        await browser.close()


async def _plan(client: BenchClient) -> str:
    """Start a run, leave its questions to it, and leave it at its plan."""
    run = await client.start()
    await client.gateway.send(run, "answers", {"rest": None})
    await client.gateway.state(run, wait=30)
    return run


async def _approve(client: BenchClient, run: str) -> None:
    await client.gateway.approve(run, (await client.gateway.state(run)).plan_hash)


def _wait_for(selector: str) -> Prepare:
    async def wait(page: Page) -> None:
        await page.locator(selector).first.wait_for()

    return wait


async def _open_note(page: Page) -> None:
    await page.locator(".report button.note-number").first.click()
    await page.locator(".note mark").wait_for()


async def _open_phase(page: Page) -> None:
    await page.locator(".phase-card").first.wait_for()
    if (page.viewport_size or SIZES[0])["width"] == SIZES[0][
        "width"
    ]:  # the form covers the graph on a phone
        await page.locator(".phase-card").nth(2).click()


async def _shoot(
    client: BenchClient,
    browser: Browser,
    name: str,
    path: str,
    prepare: Prepare,
) -> None:
    """Take the four screenshots of a view concurrently, so that they show the same moment."""

    async def draw(theme: str, size: ViewportSize) -> None:
        context = await browser.new_context(
            viewport=size,
            color_scheme="dark" if theme == "dark" else "light",
            reduced_motion="reduce",
        )
        await context.add_init_script(NO_QUESTION)
        page = await context.new_page()
        await page.goto(client.stack.addresses.gateway + path)
        await prepare(page)
        await page.wait_for_timeout(SETTLED_MS)
        file = PICTURES / f"{name}-{theme}-{size['width']}.jpg"
        await page.screenshot(path=file, type="jpeg", quality=80)
        await context.close()

    await asyncio.gather(*(draw(theme, size) for theme in ("light", "dark") for size in SIZES))
    print(name, flush=True)
