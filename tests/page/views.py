"""Every view of the page, for tests that look at each: its address, and what shows that it is there."""

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass

from playwright.async_api import Page, expect

from api.request_checks import BYTES
from tests.page.words import like, t
from tests.support.stack import Undisturbed, Whole

SETTLED_MS = 700
COLLECTION = "Every view"
OTHER_QUESTION = "How do Norway and Sweden make their electricity?"


@dataclass(frozen=True)
class View:
    """A view: its address with names of `list_places`, and the preparation before it is checked."""

    path: str
    sign: str
    prepare: Callable[[Page], Awaitable[None]] | None = None

    async def open(self, page: Page, base: str, places: Mapping[str, str]) -> None:
        """Show the view in a tab, and wait until nothing more arrives."""
        await page.goto("about:blank")  # otherwise another `#` of the same address loads nothing
        await page.goto(base + self.path.format_map(places))
        await expect(page.locator(self.sign).first).to_be_visible()
        if self.prepare:
            await self.prepare(page)
        await page.wait_for_timeout(SETTLED_MS)


async def open_note(page: Page) -> None:
    """Open the first note of a report."""
    number = page.locator(".report").get_by_role("button", name=like("read.note.open"))
    await number.first.click()
    await expect(page.locator(".note mark")).to_be_visible()


async def _open_phase(page: Page) -> None:
    await page.locator(".phase-card").nth(1).click()
    await expect(page.get_by_role("button", name=t("compose.definition.show"))).to_be_visible()


VIEWS: Mapping[str, View] = {
    "ask": View("/", ".depths"),
    "inbox": View("/inbox", ".waits li"),
    "inbox item": View("/inbox/{planned}", ".plan"),
    "runs": View("/runs", ".question"),
    "clarify": View("/runs/{asked}", ".questions"),
    "approve": View("/runs/{planned}", ".plan"),
    "watch": View("/runs/{planned}/work", ".growing"),
    "read": View("/runs/{done}/report", ".cost"),
    "note": View("/runs/{done}/report", ".cost", open_note),
    "plan": View("/runs/{done}/plan", ".plan"),
    "work": View("/runs/{done}/work", ".feed"),
    "stored": View("/runs/{done}/sources/1", ".stored"),
    "shared": View("{share}", ".report p"),
    "compare": View("/compare/{done}/{other}", ".reports .report + .report"),
    "collections": View("/collections", "main li"),
    "collection": View("/collections/{collection}", "#failed"),
    "schedules": View("/schedules", ".schedules .empty, .schedules .card"),
    "schedule": View("/schedules?run={done}", ".schedules form"),
    "definitions": View("/compose", ".definition-rows li"),
    "compose": View("/compose?from=deep_research", ".phase-card", _open_phase),
    "settings": View("/settings", "[aria-labelledby=health] li"),
    "missing": View("/nosuch", "main h1"),
}


@asynccontextmanager
async def list_places(whole: Whole, undisturbed: Undisturbed) -> AsyncIterator[dict[str, str]]:
    """Yield what addresses name: ids of runs that are asked, planned and done, a share link, a collection."""
    run = undisturbed.run.id
    planned, asked = await whole.planned(), await whole.start(undisturbed.state.query)
    await asked.asks("questions")
    other = await whole.undisturbed(query=OTHER_QUESTION)
    link = await whole.http.post(f"/v1/runs/{run}/share-links", json={"days": 1})
    (await whole.http.post("/v1/collections", json={"name": COLLECTION})).raise_for_status()
    place, headers = f"/v1/collections/{COLLECTION}", {"Content-Type": BYTES}
    texts = {"pumps.md": b"# Pumps\n\nSolar pumps serve farms.", "broken.pdf": b"%PDF-1.7 broken"}
    for name, text in texts.items():
        await whole.http.put(
            f"{place}/documents", params={"name": name}, headers=headers, content=text
        )
    try:
        yield {
            "done": run,
            "planned": planned.id,
            "asked": asked.id,
            "other": other.run.id,
            "share": link.json()["path"],
            "collection": COLLECTION,
        }
    finally:
        await whole.http.delete(place)
