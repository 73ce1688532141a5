"""Every view of the page, for tests that look at each: its address, and what shows that it is there."""

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass

from playwright.async_api import Page, Route, expect

from api.body_limits import BYTES
from bench.page.viewers import TURNS, make_turn
from contracts.agents.tool_definitions import FETCH_URL, UPDATE_REPORT
from store.postgres.pool import Pool
from store.run_records.event_log import EventRepository
from tests.page.words import like, t
from tests.support.offline_services import eventually
from tests.support.stack import Run, Undisturbed, Whole

SETTLED_MS = 700
COLLECTION = "Every view"
GROWN = "grown-by-two"
THRIFTY = {"holder": "thrifty"}
STARTUP = {"name": "Pumps for farms", "description": "Solar irrigation pumps, sold to farms."}
UNMET = {"on_fail": "ask", "min_sources": 50, "max_age_days": 36_500}
"""A validation that no report passes, so that it asks."""
NEW_KEY = {"token": "gl_abcdefghijklmnopqrstuvwxyz0123456789"}
KEYS = [
    {
        "id": prefix,
        "prefix": prefix,
        "created_at": "2026-01-02T03:04:05Z",
        "scope": "decide",
        **more,
    }
    for prefix, more in (
        ("gl_decide", {"expires_at": "2099-01-02T03:04:05Z"}),
        ("gl_asking", {"scope": "ask"}),
        ("gl_former", {"revoked_at": "2026-01-03T03:04:05Z"}),
    )
]
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


async def _open_edit(page: Page) -> None:
    """Begin to put a report's first sentence into other words."""
    await page.get_by_role("button", name=t("read.remarks.open")).click()
    await page.locator(".report > p .remark-on").first.click()
    await expect(page.get_by_label(t("read.edit.text"))).to_be_visible()


async def _open_phase(page: Page) -> None:
    await page.locator(".phase-card").nth(1).click()
    await expect(page.get_by_role("button", name=t("compose.definition.show"))).to_be_visible()


async def _open_versions(page: Page) -> None:
    await page.get_by_role("button", name=t("compose.view.versions")).click()
    await expect(page.locator(".definition-changes li").first).to_be_visible()


async def _open_startup(page: Page) -> None:
    name = t("settings.startups.edit.one", name=STARTUP["name"])
    await page.get_by_role("button", name=name).click()
    await expect(page.get_by_role("dialog")).to_be_visible()


async def _show_keys(page: Page) -> None:
    """Show a user's keys and a new one: while a gateway has any, nobody sees another view without."""
    await _answer(page, "**/v1/session", 200, {"user_id": "ana", "role": "finance"})
    await _answer(page, "**/v1/keys", 200, {"items": KEYS, "next_cursor": None, **NEW_KEY})
    await page.reload()
    await expect(page.locator(".keys li")).to_have_count(len(KEYS))
    await page.get_by_role("button", name=t("settings.keys.create"), exact=True).click()
    await expect(page.locator(".token")).to_be_visible()


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
    "ask": View("/", ".price:not([data-awaited])"),
    "inbox": View("/inbox", ".waits li"),
    "inbox item": View("/inbox/{planned}", ".plan"),
    "runs": View("/runs", ".question"),
    "clarify": View("/runs/{asked}", ".questions"),
    "approve": View("/runs/{planned}", ".plan"),
    "watch": View("/runs/{planned}/work", ".growing"),
    "read": View("/runs/{done}/report", ".cost"),
    "note": View("/runs/{done}/report", ".cost", open_note),
    "edit": View("/runs/{done}/report", ".cost", _open_edit),
    "plan": View("/runs/{done}/plan", ".plan"),
    "work": View("/runs/{done}/work", ".feed"),
    "stored": View("/runs/{done}/sources/{source}#note-{note}", ".stored mark"),
    "failed": View("/runs/{failed}", ".read-none, .report"),
    "cancelled": View("/runs/{cancelled}", ".read-none"),
    "step": View("/runs/{step}", ".sheet .report"),
    "ideas": View("/runs/{ideas}", ".ideas > li"),
    "results": View("/runs/{results}", ".sheet .report"),
    "growing": View("/runs/{growing}/work", ".growing .report"),
    "shared": View("{share}", ".report p"),
    "compare": View("/compare/{done}/{other}", ".reports .report + .report"),
    "collections": View("/collections", "main li"),
    "collection": View("/collections/{collection}", "#failed"),
    "schedules": View("/schedules", ".schedules .empty, .schedules .card"),
    "schedule": View("/schedules?run={done}", ".schedules form"),
    "definitions": View("/compose", ".definition-rows li"),
    "compose": View("/compose?from=deep_research", ".phase-card", _open_phase),
    "settings": View("/settings", "[aria-labelledby=health] li"),
    "startups": View("/settings", ".startups li", _open_startup),
    "keys": View("/settings", "[aria-labelledby=health] li", _show_keys),
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
    places = await _start_runs(whole, undisturbed.state.query)
    await _save_twice(whole)
    link = await whole.http.post(f"/v1/runs/{run}/share-links", json={"days": 1})
    startup = (await whole.http.post("/v1/startups", json=STARTUP)).raise_for_status().json()
    (await whole.http.post("/v1/collections", json={"name": COLLECTION})).raise_for_status()
    place, headers = f"/v1/collections/{COLLECTION}", {"Content-Type": BYTES}
    texts = {"pumps.md": b"# Pumps\n\nSolar pumps serve farms.", "broken.pdf": b"%PDF-1.7 broken"}
    for name, text in texts.items():
        await whole.http.put(
            f"{place}/documents", params={"name": name}, headers=headers, content=text
        )
    try:
        yield {
            **places,
            **await find_quote(whole.run(run)),
            "done": run,
            "grown": GROWN,
            "share": link.json()["path"],
            "collection": COLLECTION,
        }
    finally:
        await whole.http.delete(place)
        await whole.http.delete(f"/v1/startups/{startup['id']}")
        await whole.http.delete(f"/v1/workflows/{GROWN}")
        await whole.http.delete("/v1/budgets/user", params=THRIFTY)


async def _start_runs(whole: Whole, query: str) -> dict[str, str]:
    """Return the ids of runs that have ended, or wait, as views show them."""
    other = await whole.undisturbed(query=OTHER_QUESTION)
    failed, growing = await _fail(whole), await start_growing(whole)
    capped, planned, long = await _meet_budget(whole), await whole.planned(), await whole.planned()
    cancelled, asked = await whole.planned(), await whole.start(query)
    await cancelled.post("/cancel")
    await asked.asks("questions")
    step = await whole.start(definition="deep_research_full_hitl")
    results = await whole.planned(config_overrides={"validation": {"config": UNMET}})
    for each in (step, results):
        approved = await each.approve()
        await each.asks("decision", after=approved.checkpoint_id)
    ideas = await whole.start(definition="idea_generation")
    await ideas.asks("decision")
    async with Pool(whole.stack.addresses.database, max_size=1) as pool:
        for turn in range(TURNS):
            await EventRepository(pool).append("default", long.id, make_turn(turn))
    return {
        "other": other.run.id,
        "failed": failed,
        "growing": growing.id,
        "capped": capped,
        "planned": planned.id,
        "long": long.id,
        "cancelled": cancelled.id,
        "asked": asked.id,
        "step": step.id,
        "results": results.id,
        "ideas": ideas.id,
    }


async def find_quote(run: Run) -> dict[str, str]:
    """Return the numbers of a source and of a note that quotes it: the first by address and by text.

    How a run numbers its sources depends on which of its agents was quicker.
    """
    sources = (await run.get("/sources")).json()["items"]
    notes = (await run.get("/report", format="json")).json()["document"]["notes"]
    quotes = [
        (sources[note["source"] - 1]["url"], note["text"], n, note["source"])
        for n, note in enumerate(notes, start=1)
        if note["type"] == "quote"
    ]
    _, _, n, source = min(quotes)
    return {"source": str(source), "note": str(n)}


async def start_growing(whole: Whole) -> Run:
    """Return a run that is paused in the middle of its research, nothing of it under way.

    Its last agent is held before it writes, until the run is paused: its phase cannot end before, however fast or slow
    all else is.
    """
    run = await whole.planned()
    plan = (await run.asks("decision")).plan
    assert plan
    others = len(plan.steps) - 1
    has_read: dict[str, object] = {"service": "model", "used": FETCH_URL, "nth": others + 1}
    await whole.providers.told({"mode": "hold", "match": has_read})
    await run.approve()

    async def is_last_held() -> bool:
        done = await run.events("ToolCallResult")
        wrote = {e.plan_step for e in done if e.payload["tool_name"] == UPDATE_REPORT}
        asked = await whole.providers.asked("model")
        return len(wrote) == others and any(
            one["failure"] == "hold" and not one["finished"] for one in asked
        )

    await eventually(is_last_held)
    assert (await run.post("/pause")).is_success
    await whole.providers.told()
    await whole.rests(run)
    return run


async def _fail(whole: Whole) -> str:
    """Return the id of a run whose model refused its key after the plan was approved."""
    run = await whole.planned()
    await whole.providers.told({"status": 401, "times": 10_000, "match": {"service": "model"}})
    await run.approve()
    await run.ended()
    await whole.providers.told()
    return run.id


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
