"""What waits for a person, decided on without leaving the list."""

import asyncio
import contextlib
import re
from collections.abc import Awaitable, Callable

import pytest
from playwright.async_api import Error, Page, Route, TimeoutError, expect

from tests.page.conftest import DESK, HELD, PHONE, Visitor, find_barriers, measure_overflow, press
from tests.page.words import t
from tests.support.offline_services import PATIENCE, eventually
from tests.support.stack import Run, Whole

GRACE_SECONDS = 6
FIRST, SECOND = "What do Peru and Chile export?", "How do Norway and Sweden make electricity?"


async def at_two(visitor: Visitor, whole: Whole) -> tuple[Run, Run, Page]:
    """Return a run at its questions, one at its plan, and an inbox that shows the newer one."""
    older, newer = await whole.start(FIRST), await whole.planned(query=SECOND)
    await older.asks("questions")
    page = await visitor.open("/inbox")
    await expect(page.locator(".asking-of")).to_have_text(SECOND)
    return older, newer, page


async def approved(run: Run, seconds: float = PATIENCE) -> None:
    """Wait until a run has been approved, once."""

    async def is_decided() -> bool:
        return bool((await run.state()).decisions)

    await eventually(is_decided, seconds)
    assert [one.action for one in (await run.state()).decisions] == ["approve"]


async def test_a_plan_is_approved_in_the_inbox_and_the_next_run_comes(
    visitor: Visitor, whole: Whole
) -> None:
    older, newer, page = await at_two(visitor, whole)
    rows = page.locator(".waits").get_by_role("listitem")
    await expect(rows.filter(has_text=FIRST)).to_have_count(1)
    await expect(page).to_have_title(re.compile(r"^\(\d+\) "))
    await expect(page.locator("link[rel=icon]")).to_have_attribute("href", re.compile("waiting"))
    assert await whole.providers.asked("search") == []
    await whole.providers.told(latency=HELD)
    await press(page, page.get_by_role("button", name=t("approve.plan.approve"), exact=True))
    just = page.locator(".just")
    await expect(just).to_contain_text(t("inbox.just", done=t("decision.approve"), query=SECOND))
    await expect(page.locator(".asking-of")).to_be_focused()
    await expect(page.locator(".asking-of")).not_to_have_text(SECOND)
    assert (await newer.state()).decisions == []  # it can be undone yet
    await expect(page.get_by_role("button", name=t("inbox.undo"))).to_have_count(0)
    await approved(newer)
    await whole.providers.told()
    await page.goto(f"{visitor.base}/inbox/{older.id}")
    await page.get_by_role("button", name=t("clarify.skip")).click()
    await expect(just).to_contain_text(t("inbox.just", done=t("inbox.answered"), query=FIRST))
    assert await find_barriers(page) == []
    await older.asks("decision")


async def test_decision_of_the_inbox_is_undone_by_button_and_by_key_and_nothing_is_sent(
    visitor: Visitor, whole: Whole
) -> None:
    _, newer, page = await at_two(visitor, whole)
    approve = page.get_by_role("button", name=t("approve.plan.approve"), exact=True)
    undo = page.get_by_role("button", name=t("inbox.undo"))
    await approve.click()
    await press(page, undo)
    await expect(page.locator(".asking-of")).to_have_text(SECOND)
    await approve.click()
    await expect(undo).to_be_visible()
    await expect(page.locator(f"a[href='/inbox/{newer.id}']")).to_have_count(0)
    await page.keyboard.press("Control+z")
    await expect(page.locator(".asking-of")).to_have_text(SECOND)
    await expect(page.locator(".just")).to_have_count(0)
    await asyncio.sleep(GRACE_SECONDS + 1)
    assert (await newer.state()).decisions == []
    assert await whole.providers.asked("search") == []


@pytest.mark.full
async def test_held_decision_is_sent_by_a_reload_and_by_the_next_decision(
    visitor: Visitor, whole: Whole
) -> None:
    runs = [await whole.planned(query=query) for query in (FIRST, SECOND)]
    await whole.providers.told(latency=HELD)
    page = await visitor.open(f"/inbox/{runs[1].id}")
    approve = page.get_by_role("button", name=t("approve.plan.approve"), exact=True)
    await approve.click()
    await page.goto(f"{visitor.base}/inbox/{runs[0].id}")
    await approved(runs[1])
    await approve.click()
    await expect(page.get_by_role("button", name=t("inbox.undo"))).to_be_visible()
    await page.get_by_role("link", name=t("nav.runs"), exact=True).click()
    await approved(runs[0])


Leave = Callable[[Page], Awaitable[object]]


async def decide_and(visitor: Visitor, whole: Whole, leave: Leave) -> Run:
    """Return a run whose plan was approved in the inbox just before the visitor left; its work is held."""
    run = await whole.planned(query=SECOND)
    await whole.providers.told(latency=HELD)
    page = await visitor.open(f"/inbox/{run.id}")
    await page.get_by_role("button", name=t("approve.plan.approve"), exact=True).click()
    await expect(page.get_by_role("button", name=t("inbox.undo"))).to_be_visible()
    assert (await run.state()).decisions == []
    await leave(page)
    return run


async def hide(page: Page) -> None:
    """Have the browser say that its page is hidden, as a phone does before it may end it."""
    await page.evaluate(
        """() => {
            Object.defineProperty(document, "hidden", {get: () => true});
            document.dispatchEvent(new Event("visibilitychange"));
        }"""
    )


@pytest.mark.parametrize("leave", [Page.close, pytest.param(hide, marks=pytest.mark.full)])
async def test_held_decision_is_sent_once_by_a_tab_that_is_closed_or_hidden(
    visitor: Visitor, whole: Whole, leave: Leave
) -> None:
    run = await decide_and(visitor, whole, leave)
    await approved(run, seconds=GRACE_SECONDS - 2)
    await asyncio.sleep(GRACE_SECONDS)
    await approved(run)


async def close_offline(page: Page) -> None:
    """Close a page while the network is away."""
    await page.context.set_offline(True)
    await page.close()
    await asyncio.sleep(1)
    await page.context.set_offline(False)


async def test_held_decision_of_a_tab_that_closes_while_the_gateway_is_away_is_sent_later(
    visitor: Visitor, whole: Whole
) -> None:
    run = await decide_and(visitor, whole, close_offline)
    assert (await run.state()).decisions == []
    page = await return_later(visitor)
    await page.goto(visitor.base)
    told = page.get_by_role("status").filter(has_text=SECOND)
    done = t("decision.approve")
    await expect(told).to_contain_text(t("inbox.kept.sent", query=SECOND, done=done))
    assert [one.action for one in (await run.state()).decisions] == ["approve"]


async def kill(page: Page) -> None:
    """End the browser's process of a page, which hears of nothing before."""
    with contextlib.suppress(Error):
        await page.goto("chrome://crash")


async def return_later(visitor: Visitor) -> Page:
    """Return another tab, after the time in which the tab of a held decision would have sent it."""
    page = await visitor.open("/v1/metadata")
    await page.evaluate(
        """seconds => {
            const [place] = Object.keys(localStorage).filter(one => one.startsWith("greenlight.draft.decision."));
            const kept = JSON.parse(localStorage.getItem(place));
            kept.at -= seconds * 1000;
            localStorage.setItem(place, JSON.stringify(kept));
        }""",
        2 * GRACE_SECONDS,
    )
    return page


@pytest.mark.full
async def test_held_decision_of_a_killed_browser_is_moot_if_the_run_was_decided_meanwhile(
    visitor: Visitor, whole: Whole
) -> None:
    run = await decide_and(visitor, whole, kill)
    await run.post("/decision", {"action": "reject", "feedback": "No"})
    page = await return_later(visitor)
    await page.goto(visitor.base)
    told = page.get_by_role("status").filter(has_text=SECOND)
    done = t("decision.approve")
    await expect(told).to_contain_text(t("inbox.kept.changed", query=SECOND, done=done))
    assert [one.action for one in (await run.state()).decisions] == ["reject"]


KEPT = (
    'Object.keys(localStorage).filter(one => one.startsWith("greenlight.draft.decision.")).length'
)


async def refuse_for_now(page: Page) -> None:
    """Have the gateway refuse decisions by what passes."""
    answer = {"type": "too-many-requests"}
    await page.route("**/decision", lambda route: route.fulfill(status=429, json=answer))


@pytest.mark.full
async def test_decision_of_a_killed_browser_is_kept_while_its_refusal_passes_and_then_sent_once(
    visitor: Visitor, whole: Whole
) -> None:
    run = await decide_and(visitor, whole, kill)
    visitor.excuse("429")
    page = await return_later(visitor)
    await refuse_for_now(page)
    await page.goto(visitor.base)
    told = page.get_by_role("status").filter(has_text=SECOND)
    await expect(told).to_contain_text(t("inbox.kept.failed", query=SECOND))
    assert (await run.state()).decisions == []
    page = await return_later(visitor)
    await page.goto(visitor.base)
    told = page.get_by_role("status").filter(has_text=SECOND)
    await expect(told).to_contain_text(
        t("inbox.kept.sent", query=SECOND, done=t("decision.approve"))
    )
    assert [one.action for one in (await run.state()).decisions] == ["approve"]
    await page.reload()
    await expect(page.locator(".price")).to_be_visible()
    await expect(told).to_have_count(0)


@pytest.mark.full
async def test_decision_that_is_not_sent_yet_is_said_to_be_kept_and_can_be_discarded(
    visitor: Visitor, whole: Whole
) -> None:
    """One of two is discarded in the inbox; the other one is sent on leaving it."""
    runs = [await whole.planned(query=query) for query in (FIRST, SECOND)]
    await whole.providers.told(latency=HELD)
    page = await visitor.open(f"/inbox/{runs[1].id}")
    visitor.excuse("429")
    await refuse_for_now(page)
    approve = page.get_by_role("button", name=t("approve.plan.approve"), exact=True)
    discard = page.get_by_role("button", name=t("inbox.discard"))
    await approve.click()
    await page.locator(f"a[href='/inbox/{runs[0].id}']").click()
    await expect(page.locator(".asking-of")).to_have_text(FIRST)
    await approve.click()
    for query in (SECOND, FIRST):
        told = t("inbox.failed.kept", query=query)
        await expect(page.locator(".failed").filter(has_text=told)).to_be_visible()
    assert await find_barriers(page) == []
    first = page.locator(".failed").filter(has_text=FIRST)
    await press(page, first.get_by_role("button", name=t("inbox.discard")))
    await expect(discard).to_have_count(1)
    assert await page.evaluate(KEPT) == 1
    await page.unroute("**/decision")
    await page.get_by_role("link", name=t("nav.runs"), exact=True).click()
    sent = t("inbox.kept.sent", query=SECOND, done=t("decision.approve"))
    await expect(page.get_by_role("status").filter(has_text=sent)).to_be_visible()
    await approved(runs[1])
    assert (await runs[0].state()).decisions == []


async def test_kept_decision_that_cannot_be_sent_stays_in_sight_until_it_is_discarded(
    visitor: Visitor, whole: Whole
) -> None:
    run = await decide_and(visitor, whole, kill)
    visitor.excuse("429")
    page = await return_later(visitor)
    await refuse_for_now(page)
    await page.goto(f"{visitor.base}/runs")
    told = page.get_by_role("status").filter(has_text=t("inbox.kept.failed", query=SECOND))
    await expect(told).to_be_visible()
    await page.get_by_role("link", name=t("nav.inbox")).first.click()
    await page.wait_for_url("**/inbox")
    await expect(told).to_be_visible()
    assert await find_barriers(page) == []
    await press(page, told.get_by_role("button", name=t("inbox.discard")))
    await expect(told).to_have_count(0)
    assert await page.evaluate(KEPT) == 0
    await page.unroute("**/decision")
    await page.reload()
    await expect(page.locator(".asking-of")).to_have_text(SECOND)
    assert (await run.state()).decisions == []


@pytest.mark.full
async def test_kept_decision_that_is_refused_for_good_says_why_and_is_forgotten(
    visitor: Visitor, whole: Whole
) -> None:
    run = await decide_and(visitor, whole, kill)
    why = "Another may decide this."
    body = {"type": "not-allowed", "title": why, "detail": why}
    visitor.excuse("403")
    page = await return_later(visitor)
    await page.route("**/decision", lambda route: route.fulfill(status=403, json=body))
    await page.goto(visitor.base)
    told = page.get_by_role("status").filter(has_text=SECOND)
    await expect(told).to_contain_text(t("inbox.kept.refused", query=SECOND, why=why))
    assert "greenlight.draft.decision" not in await page.evaluate(
        "Object.keys(localStorage).join()"
    )
    assert (await run.state()).decisions == []


async def test_held_decision_that_another_tab_forestalled_is_told(
    visitor: Visitor, whole: Whole
) -> None:
    _, newer, page = await at_two(visitor, whole)
    visitor.excuse("409")
    await whole.providers.told(latency=HELD)
    await page.get_by_role("button", name=t("approve.plan.approve"), exact=True).click()
    await expect(page.get_by_role("button", name=t("inbox.undo"))).to_be_visible()
    await newer.approve()
    await expect(page.locator(".failed")).to_contain_text(t("inbox.failed", query=SECOND))
    await expect(page.locator(".just")).to_have_count(0)


@pytest.mark.full
async def test_what_is_written_in_the_inbox_survives_a_reload_and_sends_a_plan_back(
    visitor: Visitor, whole: Whole
) -> None:
    _, newer, page = await at_two(visitor, whole)
    before = (await newer.asks("decision")).plan_hash
    await page.goto(f"{visitor.base}/inbox/{newer.id}")
    await page.get_by_role("button", name=t("approve.plan.revise")).click()
    await page.get_by_label(t("approve.revise.label")).fill("Add Denmark")
    await page.reload()
    await expect(page.get_by_label(t("approve.revise.label"))).to_have_value("Add Denmark")
    await page.get_by_role("button", name=t("approve.plan.send")).click()
    await expect(page.locator(".just")).to_contain_text(SECOND)

    async def is_planned_anew() -> bool:
        return (await newer.asks("decision")).plan_hash != before

    await eventually(is_planned_anew)


@pytest.mark.full
async def test_what_another_tab_decided_is_said_in_the_inbox(
    visitor: Visitor, whole: Whole
) -> None:
    _, newer, page = await at_two(visitor, whole)
    await page.goto(f"{visitor.base}/inbox/{newer.id}")
    await expect(page.locator(".asking-of")).to_have_text(SECOND)
    await newer.approve()
    await expect(page.get_by_text(t("run.elsewhere.decision"))).to_be_visible()
    await expect(page.locator(".item .plan")).to_have_count(0)


@pytest.mark.full
async def test_the_inbox_has_no_barriers_and_shows_one_pane_on_a_phone(
    visitor: Visitor, whole: Whole
) -> None:
    _, newer, page = await at_two(visitor, whole)
    assert await find_barriers(page) == []
    await page.set_viewport_size(PHONE)
    await expect(page.locator(".pane")).to_be_hidden()
    await page.locator(f"a[href='/inbox/{newer.id}']").click()
    await expect(page.locator(".asking-of")).to_be_visible()
    await expect(page.locator(".waits")).to_be_hidden()
    assert await measure_overflow(page) <= 0
    assert await find_barriers(page) == []
    await page.get_by_role("link", name=t("inbox.back")).click()
    await expect(page.locator(".waits")).to_be_visible()


async def test_keys_go_through_the_inbox_and_send_words(visitor: Visitor, whole: Whole) -> None:
    older, newer, page = await at_two(visitor, whole)
    shown = await newer.asks("decision")
    await page.keyboard.press("Alt+ArrowDown")
    await page.wait_for_url(f"**/inbox/{older.id}")
    await page.keyboard.press("Alt+ArrowUp")
    await page.wait_for_url(f"**/inbox/{newer.id}")
    await page.get_by_role("button", name=t("approve.plan.revise")).click()
    await page.keyboard.type("Say what pumps cost.")
    await page.keyboard.press("Control+Enter")
    await newer.asks("decision", after=shown.checkpoint_id)


async def test_empty_inbox_says_on_a_phone_what_comes_here(visitor: Visitor) -> None:
    page = await visitor.context.new_page()

    async def show_none(route: Route) -> None:
        await route.fulfill(json={"items": [], "next_cursor": None})

    await page.route("**/v1/runs?*status=waiting*", show_none)
    await page.set_viewport_size(PHONE)
    await page.goto(f"{visitor.base}/inbox")
    await expect(page.get_by_text(t("inbox.empty"))).to_be_visible()
    await expect(page.get_by_text(t("inbox.empty.why"))).to_be_visible()
    await expect(page.get_by_role("link", name=t("state.home"))).to_be_visible()


async def set_notifications(visitor: Visitor, page: Page, setting: str) -> None:
    """Make the browser deny notifications, or ask for them (`prompt`), and reload the page.

    Debian's headless Chromium always returns "denied" in `Notification.permission`.
    """
    session = await visitor.context.new_cdp_session(page)
    target = (await session.send("Target.getTargetInfo"))["targetInfo"]
    place = {"origin": visitor.base, "browserContextId": target["browserContextId"]}
    chosen = {"permission": {"name": "notifications"}, "setting": setting}
    await session.send("Browser.setPermission", place | chosen)
    await page.reload()


async def is_asked(page: Page) -> bool:
    """Return whether the inbox asks within a second after its list is there."""
    await expect(page.locator(".waits li")).to_have_count(1)
    try:
        await page.get_by_text(t("notify.ask")).wait_for(timeout=1000)
    except TimeoutError:
        return False
    return True


@pytest.mark.full
async def test_the_offer_of_notifications_moves_nothing(visitor: Visitor, whole: Whole) -> None:
    run = await whole.start(FIRST)
    await run.asks("questions")
    page = await visitor.open("/inbox")
    places = """() => [...document.querySelectorAll("main :is(h1, h2, a, button, textarea)")]
        .filter(one => !one.closest(".notice")).map(one => [one.textContent, one.getBoundingClientRect().y])"""
    for path in ("/inbox", f"/inbox/{run.id}", f"/runs/{run.id}"):
        await page.goto(visitor.base + path)
        found = []
        for setting in ("denied", "prompt"):
            await set_notifications(visitor, page, setting)
            await page.locator("main a:visible, main button:visible").first.wait_for()
            await expect(page.locator("main .loading")).to_have_count(0)
            for size in (DESK, PHONE):
                await page.set_viewport_size(size)
                await page.wait_for_timeout(500)
                found.append(await page.evaluate(places))
        assert found[:2] == found[2:]
    await page.goto(f"{visitor.base}/inbox")
    await expect(page.get_by_text(t("notify.ask"))).to_be_visible()


@pytest.mark.full
@pytest.mark.parametrize("answer", ["notify.yes", "state.close"])
async def test_a_browser_is_asked_once_for_notifications(
    visitor: Visitor, whole: Whole, answer: str
) -> None:
    await (await whole.start(FIRST)).asks("questions")
    page = await visitor.open("/inbox")
    await set_notifications(visitor, page, "prompt")
    asked = page.get_by_role("status").filter(has_text=t("notify.ask"))
    await asked.get_by_role("button", name=t(answer)).click()
    await expect(asked).to_have_count(0)
    await set_notifications(visitor, page, "prompt")
    assert not await is_asked(page)


@pytest.mark.full
async def test_a_browser_that_denies_notifications_is_not_asked(
    visitor: Visitor, whole: Whole
) -> None:
    await (await whole.start(FIRST)).asks("questions")
    page = await visitor.open("/inbox")
    await set_notifications(visitor, page, "denied")
    assert not await is_asked(page)
