"""Every view of the page, for tests that look at each: its address, and what shows that it is there."""

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass

from playwright.async_api import Page, Route, expect

from api.request_checks import BYTES
from bench.page.viewers import TURNS, make_turn
from store.postgres.pool import Pool
from store.run_records.event_log import EventRepository
from tests.page.words import like, t
from tests.support.stack import Undisturbed, Whole

SETTLED_MS = 700
COLLECTION = "Every view"
GROWN = "grown-by-two"
THRIFTY = {"holder": "thrifty"}
OTHER_QUESTION = "How do Norway and Sweden make their electricity?"


@dataclass(frozen=True)
class View:
    """A view: its address with names of `list_places`, and the preparation before it is checked."""

    path: str
    sign: str
    prepare: Callable[[Page], Awaitable[None]] | None = None

    async def open(self, page: Page, base: str, places: Mapping[str, str]) -> None:
        """Show the view in a tab, and wait until nothing more arrives."""
        await page.unroute_all()
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


async def _open_versions(page: Page) -> None:
    await page.get_by_role("button", name=t("compose.view.versions")).click()
    await expect(page.locator(".definition-changes li").first).to_be_visible()


async def _open_channel(page: Page) -> None:
    section = page.get_by_role("region", name=t("settings.channels"))
    await section.get_by_role("button", name=t("settings.channels.add")).click()
    await expect(page.get_by_role("dialog")).to_be_visible()


async def _fail_download(page: Page) -> None:
    problem = {"type": "conflict", "code": "export-slow", "params": {"format": "pdf", "n": 30}}
    await _answer(page, "**/report?format=pdf*", 409, problem)
    await page.get_by_role("button", name=t("read.download")).click()
    await page.locator(".formats").get_by_role("link", name="PDF").click()
    await expect(page.locator(".formats [role=alert]")).to_be_visible()


async def _raise_price(page: Page) -> None:
    """Have the plan asked about again as after a change that made it dearer, which the stand-in never does."""
    amounts = {"before": 0.21, "before_top": 0.55, "after": 0.34, "after_top": 0.81}

    async def change(route: Route) -> None:
        answer = await route.fetch()
        state = await answer.json()
        state["pending"][0]["asks"] = [{"code": "ask-price", "params": amounts}]
        await route.fulfill(response=answer, json=state)

    await page.route("**/state*", change)
    await page.reload()
    await expect(page.locator(".asks")).to_contain_text("0.34")


async def _empty_inbox(page: Page) -> None:
    nothing: dict[str, object] = {"items": [], "next_cursor": None}
    await _answer(page, "**/v1/runs?*status=waiting*", 200, nothing)
    await page.reload()
    await expect(page.get_by_text(t("inbox.empty"))).to_be_visible()


async def _end_session(page: Page) -> None:
    await page.evaluate("localStorage.setItem('greenlight.user', 'ana')")
    await _answer(page, "**/v1/**", 401, {"type": "unauthorized"})
    await page.reload()
    await expect(page.get_by_text(t("session.over"))).to_be_visible()
    await page.evaluate("localStorage.removeItem('greenlight.user')")


async def _lose_gateway(page: Page) -> None:
    await page.route("**/v1/**", lambda route: route.abort())
    await page.reload()
    await expect(page.get_by_text(t("problem.unreachable")).first).to_be_visible()


async def _answer(page: Page, place: str, status: int, body: object) -> None:
    """Answer requests to a place in the gateway's stead."""

    async def answer(route: Route) -> None:
        await route.fulfill(status=status, json=body)

    await page.route(place, answer)


COMPLAINTS = ("401", "404", "409", "ERR_FAILED")
"""What a browser reports of the answers that views are shown with."""
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
    "versions": View("/compose/{grown}", ".phase-card", _open_versions),
    "channel": View("/settings", "[aria-labelledby=channels] button", _open_channel),
    "price rise": View("/runs/{planned}", ".plan", _raise_price),
    "cap": View("/runs/{capped}", ".approve[data-subject=budget]"),
    "long": View("/runs/{long}/work", ".growing"),
    "failed download": View("/runs/{done}/report", ".cost", _fail_download),
    "empty inbox": View("/inbox", ".inbox", _empty_inbox),
    "ended session": View("/", "main h1", _end_session),
    "gateway away": View("/runs", "main h1", _lose_gateway),
    "removed": View("/runs/run-none", ".empty"),
    "missing": View("/nosuch", "main h1"),
}


@asynccontextmanager
async def list_places(whole: Whole, undisturbed: Undisturbed) -> AsyncIterator[dict[str, str]]:
    """Yield what addresses name: ids of runs that are asked, planned and done, a share link, a collection."""
    run = undisturbed.run.id
    planned, asked = await whole.planned(), await whole.start(undisturbed.state.query)
    await asked.asks("questions")
    other = await whole.undisturbed(query=OTHER_QUESTION)
    capped, long = await _meet_budget(whole), await whole.planned()
    async with Pool(whole.stack.addresses.database, max_size=1) as pool:
        for turn in range(TURNS):
            await EventRepository(pool).append("default", long.id, make_turn(turn))
    await _save_twice(whole)
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
            "capped": capped,
            "long": long.id,
            "grown": GROWN,
            "other": other.run.id,
            "share": link.json()["path"],
            "collection": COLLECTION,
        }
    finally:
        await whole.http.delete(place)
        await whole.http.delete(f"/v1/workflows/{GROWN}")
        await whole.http.delete("/v1/budgets/user", params=THRIFTY)


async def _meet_budget(whole: Whole) -> str:
    """Return the id of a run that waits as its user's budget is used up."""
    run = await whole.start(user_id=THRIFTY["holder"])
    await run.answer()
    shown = await run.asks("decision")
    place = "/v1/budgets/user"
    budget = (await whole.http.put(place, params=THRIFTY, json={"day_usd": 50})).json()
    least = {"day_usd": budget["day_spent_usd"] + 0.001}
    (await whole.http.put(place, params=THRIFTY, json=least)).raise_for_status()
    await run.approve()
    await run.asks("decision", after=shown.checkpoint_id)
    return run.id


async def _save_twice(whole: Whole) -> None:
    """Save a definition and a second version of it, which says something else of a phase."""
    kinds = ("planning", "hitl_checkpoint", "research", "synthesis")
    body = {"id": GROWN, "title": "Grown", "phases": [{"kind": kind} for kind in kinds]}
    saved = (await whole.http.post("/v1/workflows", json=body)).raise_for_status()
    phases = [{**phase, "max_retries": 2} for phase in saved.json()["phases"]]
    again, tag = {**body, "phases": phases}, {"If-Match": saved.headers["ETag"]}
    (await whole.http.put(f"/v1/workflows/{GROWN}", json=again, headers=tag)).raise_for_status()
