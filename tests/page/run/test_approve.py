"""The plan and the decision about it, in the browser."""

import asyncio
import copy
import re
from functools import partial
from typing import Any

import pytest
from playwright.async_api import Page, Route, expect
from temporalio.api.workflowservice.v1 import (
    PauseWorkflowExecutionRequest,
    UnpauseWorkflowExecutionRequest,
)
from temporalio.client import Client

from contracts.human.checkpoint_subjects import IdeasSubject, StepSubject
from contracts.human.checkpoints import Checkpoint
from contracts.notices import Notice
from contracts.planning.assumptions import Assumption
from contracts.runs.state_view import StateView
from domain.planning.plan_changes import list_plan_changes
from tests.page.conftest import HELD, PHONE, Visitor, find_barriers, measure_overflow, press
from tests.page.views import UNMET
from tests.page.words import like, t
from tests.support.offline_services import PATIENCE, eventually
from tests.support.product.plan_changes import (
    SERVER,
    apply_changes,
    group_changes,
    list_hashed_changes,
)
from tests.support.stack import Run, Whole


def plan_of(shown: Any) -> dict[str, Any]:
    """Return the plan of a checkpoint."""
    plan: dict[str, Any] = shown.plan.model_dump(mode="json")
    return plan


async def decided(run: Run) -> StateView:
    """Return the state once nothing is asked any more; the work that follows is left to itself."""

    async def settled() -> StateView | None:
        state = await run.state()
        return None if state.pending else state

    state: StateView = await eventually(settled)
    return state


async def opened(visitor: Visitor, run: Run) -> Page:
    """Return a tab that shows a run's plan."""
    page = await visitor.open(f"/runs/{run.id}")
    await expect(page.get_by_text(t("ask-after_planning"))).to_be_visible()
    return page


async def test_the_whole_plan_is_shown_and_nothing_is_searched_before_the_word(
    visitor: Visitor, whole: Whole
) -> None:
    run = await whole.planned()
    plan = plan_of(await run.asks("decision"))
    page = await opened(visitor, run)
    sheet = page.locator(".sheet")
    for text in (plan["title"], plan["goal"], plan["steps"][0]["description"], *plan["outline"]):
        await expect(sheet).to_contain_text(text)
    assumed = [Assumption.model_validate(row).say("en") for row in plan["assumptions"]]
    for text in (*plan["search_terms"], *assumed, *plan["requirements"]):
        await expect(sheet).to_contain_text(text)
    terms = page.locator(".terms")
    await expect(terms).to_contain_text(f"${plan['estimated_cost']['top_usd']:.2f}")
    await expect(terms).to_contain_text(plan["estimated_duration"])
    await expect(terms).to_contain_text(like("approve.searches", where=t("searched-sample")))
    await expect(terms).not_to_contain_text(t("approve.web"))
    deadline = await terms.locator("time").text_content()
    assert re.search("\\d[\u00a0\u202f][AP]M$", deadline or ""), deadline  # no line breaks there
    assert await find_barriers(page) == []
    assert await whole.providers.asked("search") == []
    await page.get_by_role("button", name=t("approve.plan.approve"), exact=True).click()
    assert await eventually(lambda: whole.providers.asked("search"))


async def test_an_edited_plan_is_the_plan_that_is_approved(visitor: Visitor, whole: Whole) -> None:
    run = await whole.planned()
    plan = plan_of(await run.asks("decision"))
    await whole.providers.told(latency=HELD)
    page = await opened(visitor, run)
    await page.get_by_role("button", name=t("approve.edit")).click()
    await expect(page.get_by_role("button", name=t("approve.modify.none"))).to_be_disabled()
    await page.get_by_role("textbox", name=t("plan.title"), exact=True).fill(
        "Pumps in two countries"
    )
    dropped = await page.get_by_label(f"{t('plan.search_terms')} 1", exact=True).input_value()
    await page.get_by_role(
        "button", name=t("rows.remove", row=f"{t('plan.search_terms')} 1")
    ).click()
    await page.get_by_role("button", name=t("rows.remove", row=f"{t('plan.outline')} 3")).click()
    await page.get_by_role("button", name=t("rows.up", row=f"{t('plan.outline')} 2")).click()
    await page.get_by_role("button", name=t("plan.add.assumptions")).click()
    added = f"{t('plan.assumptions')} {len(plan['assumptions']) + 1}"
    await page.get_by_label(added, exact=True).fill("Diesel stays dear.")
    await page.reload()  # nothing of it is lost
    await page.get_by_role("button", name=t("approve.modify", n=4)).click()
    state = await decided(run)
    assert state.decisions[-1].action == "modify"
    assert state.plan is not None
    assert state.plan.title == "Pumps in two countries"
    first, second, _, *others = plan["outline"]
    assert state.plan.outline == [second, first, *others]
    assumed = [row.text for row in state.plan.assumptions]
    kept = [Assumption.model_validate(row).text for row in plan["assumptions"]]
    assert assumed == [*kept, "Diesel stays dear."]
    searches = {*state.plan.search_terms, *state.plan.expanded_queries}
    assert searches == {*plan["search_terms"], *plan["expanded_queries"]} - {dropped}


@pytest.mark.full
async def test_changes_of_a_plan_are_dropped_only_after_asking(
    visitor: Visitor, whole: Whole
) -> None:
    run = await whole.planned()
    page = await opened(visitor, run)
    title = page.get_by_role("textbox", name=t("plan.title"), exact=True)
    await page.get_by_role("button", name=t("approve.edit")).click()
    await page.get_by_role("button", name=t("approve.back.plan")).click()  # nothing to drop
    await page.get_by_role("button", name=t("approve.edit")).click()
    await title.fill("Pumps in two countries")
    await page.get_by_role("button", name=t("approve.modify.drop")).click()
    await page.get_by_role("button", name=t("approve.drop.no")).click()
    await expect(title).to_have_value("Pumps in two countries")
    await page.get_by_role("button", name=t("approve.modify.drop")).click()
    await page.get_by_role("button", name=t("approve.drop.yes")).click()
    await expect(page.get_by_role("button", name=t("approve.edit"))).to_be_focused()
    await expect(page.locator(".sheet")).not_to_contain_text("Pumps in two countries")


@pytest.mark.full
async def test_a_change_is_approved_at_once_where_nothing_is_billed(
    visitor: Visitor, whole: Whole
) -> None:
    run = await whole.planned()
    plan = plan_of(await run.asks("decision"))
    page = await opened(visitor, run)
    terms = page.locator(".terms")
    searches = len({*plan["search_terms"], *plan["expanded_queries"]})
    await page.get_by_role("button", name=t("approve.edit")).click()
    for n in range(searches + 1, searches + 6):
        await page.get_by_role("button", name=t("plan.add.search_terms")).click()
        await page.get_by_label(f"{t('plan.search_terms')} {n}", exact=True).fill(f"pumps {n}")
    await expect(terms).to_contain_text(like("approve.searches", n=searches + 5))
    await expect(page.locator(".foot .anew")).to_be_empty()
    await page.get_by_role("button", name=t("approve.modify", n=1)).click()
    state = await decided(run)
    [decision] = state.decisions
    assert (decision.action, decision.changed[0].path) == ("modify", "search_terms")
    await page.get_by_role("link", name=t("run.plan"), exact=True).click()
    decisions = page.locator(".decisions")
    await expect(decisions).to_contain_text(t("decision.modify"))
    await expect(decisions).to_contain_text(t("plan.search_terms"))


@pytest.mark.full
async def test_a_step_without_a_description_stands_apart_from_who_does_it(
    visitor: Visitor, whole: Whole
) -> None:
    run = await whole.planned()
    plan = plan_of(await run.asks("decision"))
    page = await opened(visitor, run)
    await page.get_by_role("button", name=t("approve.edit")).click()
    await page.get_by_role("button", name=t("plan.add.steps")).click()
    name = f"{t('plan.steps')} {len(plan['steps']) + 1}: {t('plan.step.name')}"
    await page.get_by_label(name, exact=True).fill("Check coal")
    await page.get_by_role("button", name=t("approve.modify", n=1)).click()
    await page.get_by_role("link", name=t("run.plan"), exact=True).click()
    last = page.locator(".steps li").last
    await expect(last).to_have_text(f"Check coal{t('name-researcher')}")
    assert "Check coal\n" in await last.inner_text()


@pytest.mark.full
async def test_a_decision_on_a_paused_run_says_that_it_goes_on_once_resumed(
    visitor: Visitor, whole: Whole
) -> None:
    run = await whole.planned()
    page = await opened(visitor, run)
    await page.get_by_role("button", name=t("run.pause")).click()
    await expect(page.get_by_text(t("run.paused.asks"))).to_be_visible()
    await page.get_by_role("button", name=t("approve.plan.approve"), exact=True).click()
    await decided(run)
    await expect(page.get_by_text(t("run.paused"))).to_be_visible()
    await page.get_by_role("link", name=t("run.work"), exact=True).click()
    await expect(page.locator(".feed")).to_contain_text(t("work.done.approve"))
    await expect(page.locator(".feed")).not_to_contain_text("Somebody")


@pytest.mark.full
async def test_a_plan_in_arabic_reads_from_the_right_and_fits_a_phone(
    visitor: Visitor, whole: Whole
) -> None:
    run = await whole.start(f"ما هي مساحة الأراضي المروية في كينيا؟ {'ل' * 80}")
    await run.answer()
    await run.asks("decision")
    page = await opened(visitor, run)
    assert await measure_overflow(page) <= 0
    assert await page.get_by_role("heading", level=1).evaluate(
        """heading => {
            const letter = document.createRange();
            letter.setStart(heading.firstChild, 0);
            letter.setEnd(heading.firstChild, 1);
            const gap = heading.getBoundingClientRect().right - letter.getBoundingClientRect().right;
            return gap < 4;
        }"""
    )
    await expect(page.locator(".terms")).to_contain_text(like("approve.searches", n=1))


@pytest.mark.full
async def test_a_revision_shows_what_changed(visitor: Visitor, whole: Whole) -> None:
    run = await whole.planned()
    before = await run.asks("decision")
    page = await opened(visitor, run)
    await page.get_by_role("button", name=t("approve.plan.revise")).click()
    await page.get_by_label(t("approve.revise.label")).fill("Say what pumps cost")
    await page.get_by_role("button", name=t("approve.plan.send")).click()
    after = await run.asks("decision", after=before.checkpoint_id)
    changes = page.get_by_role("region", name=t("approve.changes"))
    added = next(
        r for r in plan_of(after)["requirements"] if r not in plan_of(before)["requirements"]
    )
    await expect(changes.locator("ins").get_by_text(added).first).to_be_visible()
    await page.get_by_role("link", name=t("run.plan"), exact=True).click()
    await expect(page.get_by_text("Say what pumps cost").first).to_be_visible()


@pytest.mark.full
async def test_of_two_tabs_that_approve_at_once_one_decides_and_both_go_on(
    visitor: Visitor, whole: Whole
) -> None:
    run = await whole.planned()
    one, other = await opened(visitor, run), await opened(visitor, run)
    buttons = [
        tab.get_by_role("button", name=t("approve.plan.approve"), exact=True)
        for tab in (one, other)
    ]
    await asyncio.gather(*(button.dispatch_event("click") for button in buttons))
    state = await decided(run)
    assert [decision.action for decision in state.decisions] == ["approve"]
    for tab in (one, other):
        await tab.bring_to_front()
        await expect(tab.locator(".feed, .report").first).to_be_visible()
        await expect(tab.get_by_role("alert")).to_have_count(0)
    visitor.excuse("409")


@pytest.mark.full
async def test_a_plan_that_was_replaced_unseen_is_not_approved(
    visitor: Visitor, whole: Whole
) -> None:
    run = await whole.planned()
    seen = await run.asks("decision")
    page = await opened(visitor, run)
    await page.route("**/state", lambda route: route.abort())
    body = {"action": "revise", "plan_hash": seen.plan_hash, "feedback": "Say what pumps cost"}
    assert (await run.post("/decision", body)).is_success
    fresh = await run.asks("decision", after=seen.checkpoint_id)
    await page.get_by_role("button", name=t("approve.plan.approve"), exact=True).click()
    await expect(page.get_by_role("alert")).to_be_visible()
    assert (await run.state()).status == "waiting"
    await page.unroute("**/state")
    await page.reload()
    await page.get_by_role("button", name=t("approve.plan.approve"), exact=True).click()
    state = await decided(run)
    assert state.decisions[-1].plan_hash == fresh.plan_hash
    visitor.excuse("409")
    visitor.excuse("ERR_FAILED")


@pytest.mark.full
async def test_each_idea_has_a_card_with_its_review_and_its_button(
    visitor: Visitor, whole: Whole
) -> None:
    run = await whole.start(definition="idea_generation")
    shown = await run.asks("decision")
    assert isinstance(shown.subject, IdeasSubject)
    page = await visitor.open(f"/runs/{run.id}")
    cards = page.locator(".ideas > li")
    await expect(cards).to_have_count(len(shown.subject.ideas))
    for n, reviewed in enumerate(shown.subject.ideas):
        card = cards.nth(n)
        await expect(card.get_by_role("heading")).to_have_text(reviewed.idea.title)
        await expect(card).to_contain_text(t("idea.unreviewed"))
        await expect(card.get_by_role("button")).to_have_count(1)
    state = (await run.state()).model_dump(mode="json")
    for n, reviewed_idea in enumerate(state["pending"][0]["subject"]["ideas"], start=1):
        told = {"strengths": [f"plus {n}"], "weaknesses": [f"minus {n}"]}
        reviewed_idea["review"] = {"idea": n, "score": n + 0.5, **told}
    await page.route("**/state", partial(_answer_with, state))
    await page.reload()
    for n in range(len(shown.subject.ideas)):
        for words in (f"plus {n + 1}", f"minus {n + 1}", t("idea.score.of", score=n + 1.5)):
            await expect(cards.nth(n)).to_contain_text(words)
    await expect(cards.get_by_text(t("idea.best"))).to_have_count(1)
    assert await find_barriers(page) == []
    await page.unroute("**/state")
    await cards.nth(1).get_by_role("button").click()
    await run.ended()
    assert (await run.state()).decisions[-1].choice == shown.subject.ideas[1].idea.title


async def start_first_step(whole: Whole) -> tuple[Run, Checkpoint]:
    """Return a run that asks about its first step, and what it asks."""
    run = await whole.start(definition="deep_research_full_hitl")
    approved = await run.approve()
    return run, await run.asks("decision", after=approved.checkpoint_id)


@pytest.mark.full
async def test_a_step_gate_shows_what_the_step_found_and_folds_the_plan(
    visitor: Visitor, whole: Whole
) -> None:
    run, shown = await start_first_step(whole)
    assert isinstance(shown.subject, StepSubject)
    assert shown.subject.step
    page = await visitor.open(f"/runs/{run.id}")
    sheet = page.locator(".sheet")
    await expect(sheet.locator(".report")).to_contain_text(shown.subject.step.findings[0].text)
    for traces in ("Verdict", "Citations", "Start"):
        await expect(sheet).not_to_contain_text(traces)
    await expect(sheet.locator(".plan")).to_be_hidden()
    await sheet.locator("button.note-number").first.click()
    await expect(page.locator(".note mark")).to_be_visible()
    await page.keyboard.press("Escape")
    assert await find_barriers(page) == []
    assert await measure_overflow(page) <= 0
    await page.get_by_role("link", name=t("run.work"), exact=True).click()
    await expect(page.locator(".report")).to_contain_text(shown.subject.step.findings[0].text)


async def test_a_step_takes_one_press_and_the_next_one_asks(visitor: Visitor, whole: Whole) -> None:
    run, _ = await start_first_step(whole)
    page = await visitor.open(f"/runs/{run.id}")
    asks = page.locator(".asks")
    await expect(asks).to_contain_text(like("ask-step-next", number=1))
    await page.get_by_role("button", name=t("approve.step.approve"), exact=True).click()
    await expect(asks).to_contain_text(like("ask-step-next", number=2), timeout=PATIENCE * 1000)
    await expect(page.get_by_text(t("status.waiting"), exact=True)).to_have_count(1)


@pytest.mark.full
async def test_each_step_takes_one_press_and_the_report_keeps_what_was_approved(
    visitor: Visitor, whole: Whole
) -> None:
    run = await whole.start(definition="deep_research_full_hitl")
    plan = await run.asks("decision")
    page = await visitor.open(f"/runs/{run.id}")
    await page.get_by_role("button", name=t("approve.plan.approve"), exact=True).click()
    for number in range(1, len(plan_of(plan)["steps"]) + 1):
        asks = page.locator(".asks")
        is_asked = like("ask-step-next", number=number)
        await expect(asks).to_contain_text(is_asked, timeout=PATIENCE * 1000)  # a step of work
        await expect(page.get_by_text(t("status.waiting"), exact=True)).to_have_count(1)
        await page.get_by_role("button", name=t("approve.step.approve"), exact=True).click()
    await run.completed()
    approved = page.locator("details.appendix", has_text=t("approved-steps"))
    await approved.locator("summary").click()
    await expect(approved).to_contain_text(like("approved-kept"))
    await expect(approved.locator("h4")).to_have_count(len(plan_of(plan)["steps"]))
    assert await find_barriers(page) == []
    assert await measure_overflow(page) <= 0


@pytest.mark.full
async def test_a_step_that_was_sent_back_shows_the_words_and_what_changed(
    visitor: Visitor, whole: Whole
) -> None:
    run, first = await start_first_step(whole)
    page = await visitor.open(f"/runs/{run.id}")
    again = page.locator(".sent-back")
    await expect(page.locator(".sheet .report")).to_be_visible()
    await expect(again).to_have_count(0)
    await page.get_by_role("button", name=t("approve.step.revise")).click()
    await page.get_by_label(t("approve.revise.label")).fill("Name the year of each figure.")
    await whole.providers.told(pace=1)  # it is seen to be done again
    await page.get_by_role("button", name=t("approve.step.send")).click()
    await page.locator(".growing .report").click()
    second = await run.asks("decision", after=first.checkpoint_id)
    waits = page.locator(".waits-for-you")  # what is read stays until one goes there
    await expect(page.get_by_text(t("status.waiting"), exact=True)).to_have_count(1)
    await expect(waits).to_contain_text(t("ask-version", n=2))
    await expect(page.locator(".growing .report")).to_be_visible()
    assert await find_barriers(page) == []
    await waits.get_by_role("link", name=t("run.waits.decide")).click()
    await expect(waits).to_have_count(0)
    await expect(again.locator("blockquote")).to_have_text("Name the year of each figure.")
    await expect(page.locator(".asks")).to_contain_text(t("ask-version", n=2))
    assert second.sent_back
    assert second.sent_back.changes == []  # the stand-in ignores feedback
    await expect(again).to_contain_text(t("approve.sent.same"))
    assert await find_barriers(page) == []
    assert await measure_overflow(page) <= 0
    await page.goto(f"{visitor.base}/inbox/{run.id}")
    await expect(again).to_be_visible()


@pytest.mark.full
async def test_at_a_step_gate_what_is_done_stays_and_an_approved_change_is_not_shown_again(
    visitor: Visitor, whole: Whole
) -> None:
    run = await whole.start(definition="deep_research_full_hitl")
    first = await run.asks("decision")
    title = {"title": "Pumps in two countries"}
    body = {"action": "modify", "plan_hash": first.plan_hash, "modifications": title}
    assert (await run.post("/decision", body)).is_success
    shown = await run.asks("decision", after=first.checkpoint_id)
    assert shown.done_steps == [1]
    plan = plan_of(shown)
    page = await visitor.open(f"/runs/{run.id}")
    await expect(page.locator(".sheet .report")).to_be_visible()
    await expect(page.get_by_text(t("approve.changes"))).to_have_count(0)
    await page.get_by_role("button", name=t("approve.edit")).click()
    await expect(page.locator(".done-step")).to_have_count(1)
    await expect(page.locator(".done-step")).to_contain_text(plan["steps"][0]["name"])
    await expect(
        page.get_by_label(f"{t('plan.steps')} 1: {t('plan.step.name')}", exact=True)
    ).to_have_count(0)
    await expect(
        page.get_by_role("button", name=t("rows.remove", row=f"{t('plan.steps')} 1"), exact=True)
    ).to_have_count(0)
    for _ in range(2):  # the first stays empty, and so is not sent
        await page.get_by_role("button", name=t("plan.add.steps")).click()
    last = f"{t('plan.steps')} {len(plan['steps']) + 2}"
    await page.get_by_label(f"{last}: {t('plan.step.description')}", exact=True).fill(
        "Ask the sellers"
    )
    await page.get_by_role("button", name=t("approve.modify", n=1)).click()
    row = page.locator(
        ".edit-rows li", has=page.get_by_label(f"{last}: {t('plan.step.name')}", exact=True)
    )
    await expect(row.locator(".wrong")).to_be_visible()
    await expect(page.get_by_role("alert")).to_contain_text(t("problem.modification"))
    await expect(page.locator("main")).not_to_contain_text("modifications")
    assert await find_barriers(page) == []
    assert await measure_overflow(page) <= 0
    visitor.excuse("422")


@pytest.mark.full
@pytest.mark.parametrize(
    "options",
    [
        pytest.param(["approve"], id="with a result"),
        pytest.param([], id="without one"),
    ],
)
async def test_a_step_that_was_not_accepted_says_why_and_has_one_first_choice(
    visitor: Visitor, whole: Whole, options: list[str]
) -> None:
    run, _ = await start_first_step(whole)
    state = (await run.state()).model_dump(mode="json")
    [pending] = state["pending"]
    pending["options"] = [*options, "reject", "modify", "revise"]
    step = pending["subject"]["step"]
    step["objections"], step["failures"] = ["It has no figures."], [["It names no year."]]
    page = await visitor.open("/")
    await page.route("**/state", partial(_answer_with, state))
    await page.goto(f"{visitor.base}/runs/{run.id}")
    # a step accepted despite its objections does not count as failed
    await expect(page.get_by_text(like("approve.failed.rejected"))).to_have_count(0)
    pending["subject"]["step_failure"] = "rejected"
    await page.reload()
    heading = t("approve.failed.rejected", number=1, name=step["name"])
    await expect(page.get_by_role("heading", name=heading)).to_be_visible()
    why = page.get_by_role("region", name=heading)
    reasons = ["It names no year.", "It has no figures."]
    await expect(why.get_by_role("listitem")).to_have_text(reasons)
    first = t("approve.step.accept") if options else t("approve.step.again")
    await expect(page.locator(".foot button.primary")).to_have_text([first])
    for name in (*([first] if options else []), t("approve.step.again"), t("approve.step.stop")):
        await expect(page.get_by_role("button", name=name, exact=True)).to_be_visible()
    assert await find_barriers(page) == []
    assert await measure_overflow(page) <= 0


@pytest.mark.full
async def test_the_work_shows_each_step_once_it_is_done(visitor: Visitor, whole: Whole) -> None:
    run, first = await start_first_step(whole)
    page = await visitor.open(f"/runs/{run.id}")
    await page.get_by_role("link", name=t("run.work"), exact=True).click()
    await expect(page.locator(".report")).to_contain_text(name_step(first))
    body = {"action": "approve", "plan_hash": first.plan_hash}
    said = await run.post("/decision", body)
    assert said.is_success, said.text
    second = await run.asks("decision", after=first.checkpoint_id)
    assert name_step(second) != name_step(first)
    await expect(page.locator(".report")).to_contain_text(name_step(second))


def name_step(asked: Checkpoint) -> str:
    """Return the name of the step that a checkpoint is about."""
    assert isinstance(asked.subject, StepSubject)
    assert asked.subject.step
    return asked.subject.step.name


@pytest.mark.full
async def test_a_double_click_decides_once(visitor: Visitor, whole: Whole) -> None:
    run = await whole.planned()
    page = await opened(visitor, run)
    sent: list[str] = []
    page.on("request", lambda made: sent.append(made.url) if made.method == "POST" else None)
    await page.locator(".foot button.primary").dblclick()
    await decided(run)
    await expect(page.get_by_role("link", name=t("run.decision"))).to_have_count(0)
    assert [url for url in sent if url.endswith("/decision")] == sent[:1]
    await expect(page.get_by_text(t("run.elsewhere.decision"))).to_have_count(0)


async def test_an_accepted_decision_is_not_asked_for_again_until_the_run_has_taken_it_up(
    visitor: Visitor, whole: Whole
) -> None:
    run = await whole.planned()
    page = await opened(visitor, run)
    is_known = asyncio.Event()

    async def hold(route: Route) -> None:
        await is_known.wait()
        await route.continue_()

    await page.route(f"**/v1/runs/{run.id}/state", hold)
    approve = page.locator(".foot button.primary")
    async with page.expect_response("**/decision"):
        await approve.click()
    await decided(run)
    await expect(page.locator(".consequence")).to_have_text(t("approve.awaited"))
    await expect(approve).to_be_disabled()
    is_known.set()
    await expect(approve).to_have_count(0)


async def _answer_with(state: dict[str, Any], route: Route) -> None:
    await route.fulfill(json=state)


READ_AFTER = """changes => {
  const after = changes.cloneNode(true);
  after.querySelectorAll("del").forEach(gone => gone.remove());
  return after.textContent;
}"""
"""Returns a list of changes as it reads without what went."""


@pytest.mark.full
async def test_each_field_that_the_hash_covers_is_shown_compared_and_edited(
    visitor: Visitor, whole: Whole
) -> None:
    run = await whole.planned()
    drafted = (await run.asks("decision")).plan
    assert drafted
    steps = [step.model_copy(update={"independent": False}) for step in drafted.steps]
    plan = drafted.model_copy(update={"steps": steps, "servers": [SERVER]})
    page = await opened(visitor, run)
    whole_state = (await run.state()).model_dump(mode="json")
    words = {
        "depth": t("depth.quick"),
        "steps.independent": t("plan.step.independent"),
        "steps.agent_role": "Another agent role",
    }
    for group in group_changes(list_hashed_changes(plan)):
        changed = apply_changes(plan, group)
        state = copy.deepcopy(whole_state)
        state["pending"][0]["subject"]["plan"] = changed.model_dump(mode="json")
        state["pending"][0]["plan_hash"] = changed.hash
        found = list_plan_changes(plan, changed)
        state["pending"][0]["differences"] = [each.model_dump(mode="json") for each in found]
        await page.route("**/state", partial(_answer_with, state))
        await page.reload()
        changes = page.get_by_role("region", name=t("approve.changes"))
        await expect(changes.locator("ins").first).to_be_visible()
        after = await changes.evaluate(READ_AFTER)
        for change in group:
            assert words.get(change.field, change.shown) in after, change.field
        edited = [one for one in group if not one.field.startswith("estimated_cost")]
        for change in edited:
            shown = re.escape(words.get(change.field, change.shown)).replace("4321", "4,?321")
            await expect(page.locator(".plan"), change.field).to_contain_text(
                re.compile(shown, re.IGNORECASE)
            )
        if edited:
            await page.get_by_role("button", name=t("approve.edit")).click()
            fields = page.locator(".plan-editor :is(input, textarea)")
            values = await fields.evaluate_all("all => all.map(field => field.value)")
            own = {
                one.shown
                for one in edited
                if one.field not in {"depth", "wished_usd", "not_held"}
                and not one.field.startswith("servers")
            }
            assert own <= {*values}, (
                "the depth has buttons of its own, an amount is said in words, what is not held is read alone"
            )
        await page.unroute("**/state")


@pytest.mark.full
async def test_deciding_has_no_barriers_and_fits_a_phone(visitor: Visitor, whole: Whole) -> None:
    run = await whole.planned()
    page = await opened(visitor, run)
    assert await find_barriers(page) == []
    await page.get_by_role("button", name=t("approve.edit")).click()
    assert await find_barriers(page) == []
    assert await measure_overflow(page) <= 0


@pytest.mark.full
async def test_on_a_phone_the_plan_has_the_screen_and_one_button_stands_before_the_others(
    visitor: Visitor, whole: Whole
) -> None:
    run = await whole.planned()
    plan = plan_of(await run.asks("decision"))
    page = await visitor.open(f"/runs/{run.id}")
    await page.set_viewport_size(PHONE)
    sheet, bar, facts = page.locator(".sheet"), page.locator(".foot"), page.locator(".terms")
    await expect(bar.get_by_role("button")).to_have_text(
        [t("approve.plan.approve"), t("approve.more")]
    )
    shown, foot = await sheet.bounding_box(), await bar.bounding_box()
    assert shown
    assert foot
    assert foot["y"] - shown["y"] > PHONE["height"] * 0.55
    await expect(facts).to_contain_text(plan["estimated_duration"])
    told = await facts.locator("dl").bounding_box()  # before what is done in detail, above the bar
    assert told
    assert told["y"] + told["height"] <= foot["y"]
    await press(page, bar.get_by_role("button", name=t("approve.more")))
    assert await find_barriers(page) == []
    await press(page, bar.get_by_role("button", name=t("approve.edit")))
    await expect(page.get_by_role("textbox", name=t("plan.title"), exact=True)).to_be_focused()
    assert await measure_overflow(page) <= 0


@pytest.mark.parametrize("height", [PHONE["height"], pytest.param(1600, marks=pytest.mark.full)])
async def test_on_a_phone_more_choices_put_none_that_ends_the_run_under_the_finger(
    visitor: Visitor, whole: Whole, height: int
) -> None:
    run = await whole.planned()
    page = await visitor.open(f"/runs/{run.id}")
    more = page.locator(".foot").get_by_role("button", name=t("approve.more"))
    under = "([x, y]) => !!document.elementFromPoint(x, y)?.closest('.danger')"
    await page.set_viewport_size({"width": PHONE["width"], "height": height})
    await page.reload()
    await expect(more).to_be_visible()
    box = await more.bounding_box()
    assert box
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    await page.mouse.click(x, y)
    await expect(page.locator(".foot .danger")).to_be_visible()
    assert not await page.evaluate(under, [x, y])


@pytest.mark.full
async def test_each_requirement_that_a_report_fails_has_a_line(
    visitor: Visitor, whole: Whole
) -> None:
    run = await whole.planned(config_overrides={"validation": {"config": UNMET}})
    planned = await run.approve()
    asked = await run.asks("decision", after=planned.checkpoint_id)
    problems = asked.asks[0].params["problems"]
    assert isinstance(problems, list)
    page = await visitor.open(f"/runs/{run.id}")
    await expect(page.locator(".asks")).to_have_text(t("ask-report"))
    lines = [problem.text if isinstance(problem, Notice) else problem for problem in problems]
    await expect(page.locator(".asks + ul > li")).to_have_text(lines)


@pytest.mark.full
async def test_what_follows_from_a_step_stands_beside_its_button(
    visitor: Visitor, whole: Whole
) -> None:
    run, shown = await start_first_step(whole)
    assert isinstance(shown.subject, StepSubject)
    assert shown.subject.next
    page = await visitor.open(f"/runs/{run.id}")
    follows = t("approve.consequence.next", name=shown.subject.next.name)
    await expect(page.locator(".goes")).to_contain_text(follows)
    await expect(page.locator(".goes button").first).to_have_text(t("approve.step.approve"))
    await page.get_by_role("button", name=t("approve.step.revise")).click()
    await expect(page.locator(".goes")).to_contain_text(t("approve.consequence.revise"))
    await expect(page.locator(".goes")).not_to_contain_text(follows)


@pytest.mark.full
@pytest.mark.parametrize("offered", [False, True])
async def test_the_plan_is_kept_as_a_startup_if_its_box_is_ticked(
    visitor: Visitor, whole: Whole, offered: bool
) -> None:
    user, definition = f"keeper-{offered}", "deep_research" if offered else "market_analysis"
    run = await whole.planned(definition, user_id=user, save_startup=offered or None)
    page = await opened(visitor, run)
    box = page.get_by_role("checkbox", name=t("approve.keep"))
    await expect(box).to_be_checked(checked=offered)
    await box.set_checked(not offered)
    await page.get_by_role("button", name=t("approve.plan.approve"), exact=True).click()
    [decision] = (await decided(run)).decisions
    assert decision.keep_startup is not offered
    await run.post("/cancel")
    await run.ended()
    items = (await whole.http.get("/v1/startups", params={"user_id": user})).json()["items"]
    assert len(items) == (not offered)


@pytest.mark.full
async def test_run_paused_by_an_operator_says_so_and_offers_no_resume(
    visitor: Visitor, whole: Whole
) -> None:
    run = await whole.planned()
    client = await Client.connect(whole.stack.addresses.temporal)
    await client.workflow_service.pause_workflow_execution(
        PauseWorkflowExecutionRequest(namespace="default", workflow_id=run.id, reason="upgrade")
    )
    page = await visitor.open(f"/runs/{run.id}")
    held = t("run-paused-by-operator", reason="upgrade")
    await expect(page.get_by_text(held)).to_be_visible()
    await expect(page.get_by_role("button", name=t("run.resume"))).not_to_be_attached()
    await expect(page.get_by_text(t("run.asleep"))).not_to_be_attached()
    await page.get_by_role("button", name=t("approve.plan.approve"), exact=True).click()
    await client.workflow_service.unpause_workflow_execution(
        UnpauseWorkflowExecutionRequest(namespace="default", workflow_id=run.id)
    )
    await decided(run)
    await expect(page.get_by_text(held)).not_to_be_attached()


@pytest.mark.full
async def test_a_plan_says_whether_one_decides_after_its_steps_and_leads_to_the_way_that_asks(
    visitor: Visitor, whole: Whole
) -> None:
    through = await whole.start(
        "I want to sell solar pumps in Kenya.", definition="market_analysis"
    )
    await through.answer()
    await through.asks("decision")
    page = await visitor.open(f"/runs/{through.id}")
    pace = page.locator(".pace")
    await expect(pace).to_contain_text(t("plan.pace.through"))
    way = t("preset-deep_research_full_hitl")
    await pace.get_by_role("button", name=t("plan.pace.other", way=way)).click()
    await expect(page.locator("#question")).to_have_value("I want to sell solar pumps in Kenya.")
    await expect(page.locator(".ask")).to_contain_text(way)
    await page.get_by_role("button", name=t("ask.submit"), exact=True).click()
    await page.wait_for_url("**/runs/run-*")
    each = whole.run(page.url.rsplit("/", 1)[1])
    await expect(pace).to_have_text(t("plan.pace.each"))
    for run in (through, each):
        await run.post("/cancel")
        await run.ended()
