"""Watching a run live in the browser, across connection failures."""

import json
import re
import subprocess
from datetime import UTC, datetime, timedelta

import pytest
from playwright.async_api import Locator, Page, ViewportSize, expect

from contracts.models.usage import Usage
from contracts.runs.events import (
    DecidedEvent,
    EventPayload,
    StepComplete,
    StepStart,
    build_event,
)
from greenlight.stack.page import WEB, find_node
from store.postgres.pool import Pool
from store.run_records.event_log import EventRepository
from tests.page.conftest import HELD, Visitor, find_barriers, measure_overflow
from tests.page.views import start_growing
from tests.page.words import like, t
from tests.support.offline_services import eventually
from tests.support.stack import Run, Whole

LOW = ViewportSize(width=360, height=400)
"""A window in which the first section of a report that grows is below the end."""
SLOW = 1.2
"""Seconds that an answer of the model takes: long enough to break in."""


async def approved(visitor: Visitor, whole: Whole, pace: float = SLOW) -> tuple[Run, Page]:
    """Return a run that has just been approved, and a tab that watches it."""
    run = await whole.planned()
    page = await visitor.open(f"/runs/{run.id}/work")
    await expect(page.locator(".feed")).to_be_visible()
    await whole.providers.told(pace=pace)
    await run.approve()
    return run, page


async def open_details(page: Page) -> None:
    """Open the details of an active run below its report: its phases and their times."""
    await page.locator(".behind > summary").click()


async def count_told(run: Run) -> int:
    """Return how many rows a run's log makes: calls, notices, questions and words of humans."""
    events = await run.events()
    said = [
        e
        for e in events
        if e.type in {"Status", "error", "InputRequiredEvent", "HumanResponseEvent"}
    ]
    begun = [e for e in events if e.type in {"AgentInput", "ToolCall"}]
    return len(said) + len(begun)


async def ends_with_the_log(run: Run, page: Page) -> None:
    """Check that a tab shows the whole log of a run that has ended, each row once."""
    await run.completed()
    await expect(page.locator(".run-head .status")).to_have_text(t("status.completed"))
    if not await page.locator(".feed").count():  # whoever watched the report grow now reads it
        await page.get_by_role("link", name=t("run.details")).click()
    await expect(page.locator(".feed h2 .muted")).to_have_text(str(await count_told(run)))


async def test_work_is_shown_while_it_goes_on(visitor: Visitor, whole: Whole) -> None:
    run, page = await approved(visitor, whole)
    log = page.get_by_role("link", name=t("run.temporal"))
    await expect(log).to_have_count(0)  # it is for those who operate it
    await open_details(page)
    await expect(log).to_have_attribute("href", re.compile(run.id))
    await expect(page.locator(".about")).to_contain_text(t("preset-deep_research"))
    graph = page.get_by_role("region", name=t("work.graph"))
    await expect(graph.get_by_role("button", name=t("kind-research"))).to_have_attribute(
        "data-status", "running"
    )
    await expect(page.locator(".feed")).to_contain_text(like("work.search.done"))
    await expect(page.locator(".pages li").first).to_be_visible()
    await expect(page.locator(".growing [data-new]").first).to_be_visible()
    assert await find_barriers(page) == []
    await ends_with_the_log(run, page)
    sources = (await run.get("/sources")).json()["items"]
    await expect(page.locator(".pages li")).to_have_count(len(sources))
    await graph.get_by_role("button", name=t("kind-clarification")).click()
    asked = page.locator(".feed .word[data-kind=asked]")
    await expect(asked).to_have_count(1)


async def test_what_an_answer_says_is_shown_as_it_comes(visitor: Visitor, whole: Whole) -> None:
    run = await whole.start()
    await run.asks("questions")
    page = await visitor.open(f"/runs/{run.id}/work")
    await expect(page.locator(".call").first).to_be_visible()  # however long that takes to load
    await whole.providers.told(pace=4 * SLOW)
    await run.answer()
    stream = page.locator(".call[data-open] .stream").first
    said = await stream.inner_text()  # in one request: it goes once the answer has come
    assert said
    assert '":' not in said  # what an answer says, not how it is held together


async def assert_end_is_marked(page: Page, said: Locator) -> None:
    """Check the sign that a box goes on: it stays at the end that is in sight, and leaves at the last."""
    more = said.locator(".more-below button")
    await expect(more).to_be_visible()
    end = "at => Math.min(at.getBoundingClientRect().bottom, innerHeight)"

    async def stands_at_the_end() -> bool:
        return bool(abs(await more.evaluate(end) - await said.evaluate(end)) < 2)

    for place in (page.locator(".feed-box"), said):  # it stays at the end that is in sight
        await place.evaluate("box => { box.scrollTop += 40; }")
        await eventually(stands_at_the_end)
    await said.evaluate("box => { box.scrollTop = box.scrollHeight; }")
    await expect(more).to_be_hidden()


@pytest.mark.full
async def test_the_growing_report_leads_and_its_notes_open_beside_it(
    visitor: Visitor, whole: Whole
) -> None:
    run = await start_growing(whole)
    page = await visitor.open(f"/runs/{run.id}/report")  # it is read where it is watched
    report = page.locator(".growing .report")
    await expect(page.get_by_text(t("work.known"))).to_be_visible()
    for outlined in ("Kenya", "Ethiopia", "Tanzania"):
        await expect(report.get_by_role("heading", name=outlined, exact=True)).to_be_visible()
    now = page.get_by_role("region", name=t("work.now"))
    await expect(now).to_contain_text(t("work.now.pages", n=6))
    await expect(page.locator(".graph")).to_be_hidden()
    beside, read = page.locator(".feed"), page.locator(".growing .reading")
    boxes = [await one.bounding_box() for one in (read, beside)]
    assert boxes[0]
    assert boxes[1]
    assert boxes[0]["x"] + boxes[0]["width"] <= boxes[1]["x"]
    await report.get_by_role("button", name=like("read.note.open")).first.click()
    await expect(page.locator(".note mark")).to_be_visible()
    await page.keyboard.press("Escape")
    await expect(page.locator(".feed")).to_be_visible()
    assert await find_barriers(page) == []


@pytest.mark.full
async def test_on_a_phone_what_happened_is_folded_below_the_report(
    visitor: Visitor, whole: Whole
) -> None:
    run = await start_growing(whole)
    page = await visitor.open(f"/runs/{run.id}/work")
    await expect(page.locator(".growing .report")).to_be_visible()
    assert await measure_overflow(page) == 0
    await expect(page.get_by_text(t("run.paused"))).to_be_visible()  # and nothing else says so
    again = page.get_by_text(t("status.paused"), exact=True)
    await expect(again.filter(visible=True)).to_have_count(0)
    await expect(page.locator(".feed")).to_be_hidden()
    await page.locator(".happened > summary").click()
    await expect(page.locator(".feed .call").first).to_be_visible()
    report, feed = (
        await page.locator(".growing .report").bounding_box(),
        await page.locator(".feed").bounding_box(),
    )
    assert report
    assert feed
    assert report["y"] + report["height"] <= feed["y"]
    assert await measure_overflow(page) == 0
    assert await find_barriers(page) == []


@pytest.mark.full
async def test_a_change_out_of_sight_is_one_press_away(visitor: Visitor, whole: Whole) -> None:
    run = await start_growing(whole)
    page = await visitor.open(f"/runs/{run.id}/work")
    await page.set_viewport_size(LOW)
    change = page.get_by_role("button", name=t("work.change"))
    marked = page.locator(".growing [data-new]").first
    await expect(marked).to_be_attached()
    await page.evaluate("scrollTo(0, 0)")
    await change.click()
    await expect(marked).to_be_in_viewport()
    await expect(change).to_have_count(0)


@pytest.mark.full
async def test_all_that_a_search_found_can_be_read(visitor: Visitor, whole: Whole) -> None:
    run = await whole.start()
    await run.finish()
    page = await visitor.open(f"/runs/{run.id}/work")
    graph = page.get_by_role("region", name=t("work.graph"))
    await graph.get_by_role("button", name=t("kind-research")).click()
    box, newest = page.locator(".feed-box"), page.locator(".newest")
    searched = page.locator(".call", has_text=like("work.search.done")).first

    async def is_in_sight() -> bool:  # the box follows the end while the log arrives
        await box.evaluate("box => { box.scrollTop = 0; }")
        return await searched.is_visible()

    assert await eventually(is_in_sight)
    await searched.locator("summary").click()
    said = searched.locator(".said-text")
    hits = said.locator("li")
    await expect(hits.first).to_contain_text("http")
    await expect(newest).to_be_visible()  # rows with loaded content no longer move
    boxes = [await hit.bounding_box() for hit in await hits.all()]
    tops, ends = zip(*((box["y"], box["y"] + box["height"]) for box in boxes if box), strict=True)
    assert len(boxes) > 1
    assert all(end <= top for end, top in zip(ends, tops[1:], strict=False))
    assert await said.evaluate("box => box.clientHeight") > 200  # several can be read at once
    details = await searched.locator("details").inner_text()
    assert not [raw for raw in ('":', "Kind", "Query", "Hits") if raw in details]
    await graph.get_by_role("button", name=t("kind-clarification")).click()
    await expect(searched).to_have_count(0)
    await expect(newest).to_have_count(0)  # all of it is in sight
    await graph.get_by_role("button", name=t("kind-research")).click()
    await expect(hits.first).to_be_visible()  # what was opened is open when it is seen again
    await page.set_viewport_size({"width": 1280, "height": 400})
    await assert_end_is_marked(page, said)


STREAMED = r"""{"title": "A \"wide\" one", "questions": [{"id": "", "text": "Where\nto?", "choices":
    ["Size", "Risk"], "n": 2, "nested": {"strict": true}}, {"text": "caf\u00e9s by }: [{"}], "said": []}"""
SAID = 'A "wide" one Where to? Size Risk cafés by }: [{'


def test_of_an_answer_in_json_only_its_texts_are_read_wherever_it_breaks_off() -> None:
    file = WEB / "src" / "watch" / "streamed-sentences.ts"
    parts = [STREAMED[:n] for n in range(1, len(STREAMED) + 1)]
    code = f"""import {{ readSentences }} from {json.dumps(str(file))};
        console.log(JSON.stringify({json.dumps(parts)}.map(readSentences)));"""
    argv = [str(find_node()), "--input-type=module", "--eval", code]
    done = subprocess.run(argv, capture_output=True, text=True, check=True)
    *streamed, whole = json.loads(done.stdout)
    assert whole == SAID
    assert [words for words in streamed if not SAID.startswith(words)] == []
    half = streamed[len(streamed) // 2]
    assert half.startswith('A "wide" one Where'), "it is read before it is whole"


@pytest.mark.full
async def test_a_day_of_waiting_for_a_human_does_not_hide_the_work(
    visitor: Visitor, whole: Whole
) -> None:
    run = await whole.planned()

    async def is_logged() -> bool:
        return any(e.phase_id == "checkpoint" for e in await run.events("InputRequiredEvent"))

    await eventually(is_logged)  # otherwise events sent here may precede it
    answered = datetime.now(UTC) + timedelta(days=1)
    found = answered + timedelta(minutes=1)
    decided = DecidedEvent(
        checkpoint_id="checkpoint-1", phase_id="checkpoint", action="approve", at=""
    )
    done = StepComplete(title="", warnings=[], usage=Usage(), error=None)
    told: list[tuple[EventPayload, str, datetime]] = [
        (decided, "checkpoint", answered),
        (done, "checkpoint", answered),
        (StepStart(title=t("kind-research"), kind="research"), "research", answered),
        (done, "research", found),
    ]
    async with Pool(whole.stack.addresses.database, max_size=1) as pool:
        events = [
            build_event(payload, f"told/{n}", at.isoformat(), phase_id=phase)
            for n, (payload, phase, at) in enumerate(told)
        ]
        await EventRepository(pool).append("default", run.id, events)
    page = await visitor.open(f"/runs/{run.id}/work")
    await open_details(page)
    share = "bar => bar.offsetWidth / bar.parentElement.offsetWidth"
    row = page.locator(".timeline li")
    research = row.filter(has_text=t("kind-research"))
    await expect(research.locator(".took")).to_have_text(t("time.seconds", n=60))
    assert await research.locator(".bar").evaluate(share) > 0.3
    assert (
        await row.filter(has_text=t("kind-hitl_checkpoint")).locator(".wait").evaluate(share) < 0.3
    )
    await expect(row.filter(has_text=t("kind-hitl_checkpoint")).locator(".took")).to_have_text(
        t("time.hours", h=24, m=0)
    )
    await expect(page.locator(".key")).to_have_text(t("work.timeline.legend"))


@pytest.mark.full
async def test_a_plan_that_was_sent_back_is_a_second_version_and_waits_as_such(
    visitor: Visitor, whole: Whole
) -> None:
    run = await whole.planned()
    before = await run.asks("decision")
    body = {"action": "revise", "plan_hash": before.plan_hash, "feedback": "Say what pumps cost"}
    assert (await run.post("/decision", body)).is_success
    await run.asks("decision", after=before.checkpoint_id)
    page = await visitor.open(f"/runs/{run.id}/work")
    await open_details(page)
    plan = page.locator(".graph").get_by_role("button", name=t("kind-planning"))
    await expect(plan).to_contain_text(t("work.version", n=2))
    approve = page.locator(".timeline li", has_text=t("kind-hitl_checkpoint"))
    await expect(approve.locator(".wait")).to_have_count(2)
    bars, waits = [
        [await one.bounding_box() for one in await approve.locator(part).all()]
        for part in (".bar", ".wait")
    ]
    ends = [box["x"] + box["width"] for box in [*bars, *waits] if box]
    assert ends[0] == pytest.approx(ends[2], abs=8)  # it stays no longer than it waits
    asked = page.locator(".feed .word[data-kind=asked]").last
    await expect(asked).to_contain_text(f"{t('work.asked')}: {t('ask-after_planning')}")


@pytest.mark.full
async def test_a_row_of_the_log_opens_only_where_there_is_more(
    visitor: Visitor, whole: Whole
) -> None:
    run = await whole.start()
    await run.finish()
    page = await visitor.open(f"/runs/{run.id}/work")
    graph = page.get_by_role("region", name=t("work.graph"))
    await graph.get_by_role("button", name=t("kind-research")).click()
    await page.locator(".feed-box").evaluate("box => { box.scrollTop = 0; }")  # it follows the end
    rows = page.locator(".feed .call")
    await page.locator(".feed-box").evaluate(
        "box => box.scrollTo(0, 0)"
    )  # only visible rows are rendered
    await expect(
        rows.filter(has_text=like("work.search.done")).first.locator("summary")
    ).to_be_visible()
    empty = rows.filter(has_text=f"{t('role-researcher')} {t('work.answered')}").filter(
        has_not=page.locator("summary")
    )
    await expect(empty.first).to_be_visible()
    assert (
        await page.locator(".tabs").evaluate("tabs => tabs.scrollHeight - tabs.clientHeight") == 0
    )


@pytest.mark.full
async def test_a_paused_run_stands_still_and_says_what_still_ends(
    visitor: Visitor, whole: Whole
) -> None:
    run, page = await approved(visitor, whole)
    await open_details(page)
    research = page.locator(".graph").get_by_role("button", name=t("kind-research"))
    await expect(research).to_have_attribute("data-status", "running")
    await page.get_by_role("button", name=t("run.pause")).click()
    told = page.get_by_text(t("run.paused"))
    await expect(told).to_be_visible()
    for place in (".run-head", ".now"):  # the notice says it, once
        await expect(page.locator(place)).not_to_contain_text(t("status.paused"))
    await expect(research).to_have_attribute("data-status", "paused")
    await expect(research).to_contain_text(t("status.paused"))
    await expect(page.locator(".lamp[data-status=running]")).to_have_count(0)
    took = page.locator(".timeline li", has_text=t("kind-research")).locator(".took")
    await expect(page.locator(".key")).to_contain_text(t("work.timeline.legend.paused"))

    async def stands_still() -> bool:
        before = await took.inner_text()
        await page.wait_for_timeout(2_500)
        return await took.inner_text() == before

    await eventually(stands_still)
    await expect(page.locator(".feed")).to_contain_text(t("work.done.pause"))
    await page.get_by_role("button", name=t("run.resume")).click()
    await expect(told).to_have_count(0)
    await ends_with_the_log(run, page)


@pytest.mark.full
async def test_a_browser_whose_clock_is_behind_shows_no_time_below_zero(
    newcomer: Visitor, whole: Whole
) -> None:
    run = await whole.start()
    await run.asks("questions")
    await newcomer.context.clock.set_fixed_time(datetime.now(UTC) - timedelta(seconds=90))
    page = await newcomer.open(f"/runs/{run.id}/work")
    await open_details(page)
    took = page.locator(".timeline .took")
    await expect(took.first).to_be_visible()
    assert not [text for text in await took.all_inner_texts() if text.startswith(("-", "−"))]


@pytest.mark.full
async def test_a_reload_and_a_second_tab_go_on_where_the_run_is(
    visitor: Visitor, whole: Whole
) -> None:
    run, page = await approved(visitor, whole)
    await expect(page.locator(".feed")).to_contain_text(like("work.search.done"))
    await page.reload()
    other = await visitor.open(f"/runs/{run.id}/work")
    for tab in (page, other):
        await expect(tab.locator(".feed")).to_contain_text(like("work.search.done"))
    await run.completed()
    for tab in (page, other):
        await tab.bring_to_front()
        await ends_with_the_log(run, tab)


@pytest.mark.full
async def test_nothing_is_lost_or_twice_when_the_gateway_is_killed(
    visitor: Visitor, whole: Whole
) -> None:
    run, page = await approved(visitor, whole)
    await expect(page.locator(".feed")).to_contain_text(like("work.search.done"))
    async with whole.stack.without("gateway"):
        await expect(page.locator(".connection")).to_have_text(t("run.lost"))
    await ends_with_the_log(run, page)
    await expect(page.locator(".connection")).to_have_count(0)
    visitor.excuse("ERR_")


@pytest.mark.full
async def test_nothing_is_lost_or_twice_when_the_network_goes_and_comes(
    visitor: Visitor, whole: Whole
) -> None:
    run, page = await approved(visitor, whole)
    await expect(page.locator(".feed")).to_contain_text(like("work.search.done"))
    await visitor.context.set_offline(True)
    await expect(page.get_by_text(t("app.offline"))).to_be_visible()
    await visitor.context.set_offline(False)
    await expect(page.get_by_text(t("app.offline"))).to_have_count(0)
    await ends_with_the_log(run, page)
    visitor.excuse("ERR_")


@pytest.mark.full
async def test_a_change_of_the_report_is_taken_back(visitor: Visitor, whole: Whole) -> None:
    run, page = await approved(visitor, whole, pace=1.0)
    undo = page.get_by_role("button", name=t("work.undo")).first
    await expect(undo).to_be_visible()
    await whole.providers.told(latency=HELD)  # a finished report takes nothing back
    await undo.click()
    await expect(page.locator(".feed")).to_contain_text(like("work.done.undo"))

    async def undone() -> bool:
        return any("undo" in event.payload for event in await run.events("HumanResponseEvent"))

    assert await eventually(undone)


@pytest.mark.full
async def test_a_hidden_tab_rests_and_goes_on_where_it_was(visitor: Visitor, whole: Whole) -> None:
    run, page = await approved(visitor, whole)
    await expect(page.locator(".feed")).to_contain_text(like("work.search.done"))
    hide = """hidden => {
        Object.defineProperty(document, "hidden", {value: hidden, configurable: true});
        document.dispatchEvent(new Event("visibilitychange"));
    }"""
    await page.evaluate(hide, True)
    await expect(page.locator(".connection")).to_have_text(t("run.resting"))
    await run.completed()
    await page.evaluate(hide, False)
    await ends_with_the_log(run, page)
