"""Questions before the plan, in the browser."""

import pytest
from playwright.async_api import expect

from tests.page.conftest import Visitor, find_barriers, measure_overflow
from tests.page.words import t
from tests.support.stack import Whole


async def test_answers_are_picked_written_or_left_to_the_run(
    visitor: Visitor, whole: Whole
) -> None:
    run = await whole.start()
    asked = await run.asks("questions")
    page = await visitor.open(f"/runs/{run.id}")
    first, second = asked.questions
    await expect(page.get_by_text(first.context)).to_be_visible()
    assert await find_barriers(page) == []
    await page.get_by_role("radio", name="Size").check()
    await page.get_by_role("textbox", name=second.question).fill("since 2020")
    await page.get_by_role("button", name=t("clarify.submit"), exact=True).click()
    await expect(page.get_by_text(t("ask-after_planning"))).to_be_visible()
    answers = (await run.state()).answers[asked.checkpoint_id]
    assert answers == {first.id: "Size", second.id: "since 2020"}


@pytest.mark.full
async def test_an_answer_given_elsewhere_is_shown_and_may_be_corrected(
    visitor: Visitor, whole: Whole
) -> None:
    run = await whole.start()
    asked = await run.asks("questions")
    first, second = asked.questions
    await run.post("/answers", {"answers": {second.id: "since 2020"}})
    page = await visitor.open(f"/runs/{run.id}")
    box = page.get_by_role("textbox", name=second.question)
    await expect(box).to_have_value("since 2020")
    await box.fill("since 2010")
    await page.get_by_role("radio", name="Size").check()
    await page.get_by_role("button", name=t("clarify.submit"), exact=True).click()
    await expect(page.get_by_text(t("ask-after_planning"))).to_be_visible()
    answers = (await run.state()).answers[asked.checkpoint_id]
    assert answers == {first.id: "Size", second.id: "since 2010"}


@pytest.mark.full
@pytest.mark.parametrize("is_answered", [False, True])
async def test_all_may_be_left_to_the_run(
    visitor: Visitor, whole: Whole, is_answered: bool
) -> None:
    """The first button says what it does: it sends answers once there are any, and another one goes on without them."""
    run = await whole.start()
    asked = await run.asks("questions")
    first, second = asked.questions
    page = await visitor.open(f"/runs/{run.id}")
    buttons = page.locator(".clarify .actions button")
    left = page.get_by_text(t("clarify.left", n=2))
    await expect(left).to_be_visible()
    await expect(buttons).to_have_text([t("clarify.skip")])
    if is_answered:
        await run.post("/answers", {"answers": {second.id: "since 2020"}})
        await page.reload()
        await page.get_by_role("radio", name="Size").check()
        await expect(left).to_have_count(0)
        await expect(buttons).to_have_text([t("clarify.submit"), t("clarify.skip")])
    await page.get_by_role("button", name=t("clarify.skip")).click()
    await expect(page.get_by_text(t("ask-after_planning"))).to_be_visible()
    answers = (await run.state()).answers[asked.checkpoint_id]
    assert answers == {first.id: None, second.id: None}


@pytest.mark.full
async def test_what_was_typed_outlives_a_reload_without_barriers_and_on_a_phone(
    visitor: Visitor, whole: Whole
) -> None:
    run = await whole.start()
    asked = await run.asks("questions")
    page = await visitor.open(f"/runs/{run.id}")
    box = page.get_by_role("textbox", name=asked.questions[1].question)
    await box.fill("since 2020")
    await page.get_by_role("radio", name="Risk").check()
    await page.reload()
    await expect(box).to_have_value("since 2020")
    await expect(page.get_by_role("radio", name="Risk")).to_be_checked()
    assert await find_barriers(page) == []
    assert await measure_overflow(page) <= 0


@pytest.mark.full
async def test_a_second_tab_is_told_that_the_questions_were_answered(
    visitor: Visitor, whole: Whole
) -> None:
    run = await whole.start()
    await run.asks("questions")
    one, other = await visitor.open(f"/runs/{run.id}"), await visitor.open(f"/runs/{run.id}")
    await expect(other.get_by_role("button", name=t("clarify.skip"), exact=True)).to_be_visible()
    await one.bring_to_front()
    await one.get_by_role("button", name=t("clarify.skip"), exact=True).click()
    await other.bring_to_front()
    await expect(other.get_by_text(t("run.elsewhere.questions"))).to_be_visible()
    await expect(one.get_by_text(t("run.elsewhere.questions"))).to_have_count(0)


@pytest.mark.full
@pytest.mark.parametrize("kind", ["questions", "decision"])
async def test_of_a_run_that_was_cancelled_nobody_is_said_to_have_answered(
    visitor: Visitor, whole: Whole, kind: str
) -> None:
    run = await whole.start() if kind == "questions" else await whole.planned()
    await run.asks(kind)
    one, other = await visitor.open(f"/runs/{run.id}"), await visitor.open(f"/runs/{run.id}")
    for tab in (one, other):
        await expect(tab.locator(".clarify, .approve")).to_be_visible()
    await one.bring_to_front()
    await one.locator(".controls .danger").click()
    await one.get_by_role("button", name=t("run.cancel.now")).click()
    await expect(one.get_by_text(t("read.missing.cancelled"))).to_be_visible()
    await expect(one.get_by_text(t("run.elsewhere.cancelled"))).to_have_count(0)  # they did it here
    await other.bring_to_front()
    await expect(other.get_by_text(t("run.elsewhere.cancelled"))).to_be_visible()
    await expect(other.get_by_text(t(f"run.elsewhere.{kind}"))).to_have_count(0)
    visitor.excuse("404")  # it has no report
