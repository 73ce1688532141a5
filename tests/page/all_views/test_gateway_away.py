"""Each part of the page while the gateway is killed: what was written stays, and is sent once the gateway is back."""

from collections.abc import AsyncIterator, Callable

import pytest
from playwright.async_api import Locator, Page, expect

from tests.page.conftest import Visitor, forget_questions
from tests.page.views import STARTUP
from tests.page.words import like, t
from tests.support.offline_services import eventually
from tests.support.stack import Undisturbed, Whole

Part = Callable[[Visitor, Whole, Undisturbed], AsyncIterator[None]]
"""Yields before the gateway is killed, and again before it is back."""


def button(page: Page, key: str) -> Locator:
    return page.get_by_role("button", name=t(key), exact=True)


async def is_told(page: Page) -> None:
    """Check that the page says that the gateway does not answer."""
    alert = page.get_by_role("alert").filter(has_text=t("problem.unreachable"))
    await expect(alert.first).to_be_visible()


async def read(visitor: Visitor, _: Whole, undisturbed: Undisturbed) -> AsyncIterator[None]:
    page = await visitor.open(f"/runs/{undisturbed.run.id}")
    number = page.locator(".report").get_by_role("button", name=like("read.note.open"))
    await expect(number.first).to_be_visible()
    yield
    await number.first.click()
    await expect(page.locator(".note").get_by_role("heading").first).to_be_visible()
    await expect(page.locator(".report p").first).to_be_visible()
    yield
    await expect(page.locator(".note mark")).not_to_be_empty()


async def answer(visitor: Visitor, whole: Whole, _: Undisturbed) -> AsyncIterator[None]:
    run = await whole.start()
    asked = await run.asks("questions")
    page = await visitor.open(f"/runs/{run.id}")
    box = page.get_by_role("textbox", name=asked.questions[1].question)
    await box.fill("since 2020")
    yield
    await button(page, "clarify.submit").click()
    await is_told(page)
    await expect(box).to_have_value("since 2020")
    yield
    await button(page, "clarify.submit").click()
    await run.asks("decision")
    assert "since 2020" in (await run.state()).answers[asked.checkpoint_id].values()


async def decide(visitor: Visitor, whole: Whole, _: Undisturbed) -> AsyncIterator[None]:
    run = await whole.planned()
    page = await visitor.open(f"/runs/{run.id}")
    await button(page, "approve.plan.revise").click()
    box = page.get_by_label(t("approve.revise.label"))
    await box.fill("Say what pumps cost")
    yield
    await button(page, "approve.plan.send").click()
    await is_told(page)
    await expect(box).to_have_value("Say what pumps cost")
    yield
    shown = await run.asks("decision")
    await button(page, "approve.plan.send").click()
    await run.asks("decision", after=shown.checkpoint_id)
    assert [one.action for one in (await run.state()).decisions] == ["revise"]


async def settle(visitor: Visitor, whole: Whole, _: Undisturbed) -> AsyncIterator[None]:
    query = "How do Norway and Sweden make electricity?"
    run = await whole.planned(query=query)
    page = await visitor.open(f"/inbox/{run.id}")
    await expect(button(page, "approve.plan.approve")).to_be_visible()
    yield
    await button(page, "approve.plan.approve").click()
    failed = page.locator(".failed").filter(has_text=t("inbox.failed.kept", query=query))
    await expect(failed).to_be_visible()
    yield
    await failed.get_by_role("button", name=t("state.retry")).click()
    await run.completed()
    assert [one.action for one in (await run.state()).decisions] == ["approve"]


async def edit(visitor: Visitor, _: Whole, undisturbed: Undisturbed) -> AsyncIterator[None]:
    page = await visitor.open(f"/runs/{undisturbed.run.id}")
    await page.locator(".report > p [data-pressable]").first.click(position={"x": 6, "y": 6})
    await button(page, "read.sentence.edit").click()
    await page.get_by_label(t("read.edit.text")).fill("Water is scarce, say all.")
    yield
    await button(page, "read.edit.save").click()
    await expect(button(page, "read.edit.saving")).to_be_disabled()
    yield
    edited = page.locator(".report").get_by_text("Water is scarce, say all.")
    await expect(edited).to_have_count(1)
    await button(page, "read.edit.undo").click()
    await expect(edited).to_have_count(0)


async def ask_about(
    visitor: Visitor, whole: Whole, undisturbed: Undisturbed
) -> AsyncIterator[None]:
    question = "How much land of Kenya is watered?"
    page = await visitor.open(f"/runs/{undisturbed.run.id}")
    box = page.get_by_label(t("read.followup"))
    await box.fill(question)
    yield
    await button(page, "read.question.send").click()
    await is_told(page)
    await expect(box).to_have_value(question)
    yield
    await expect(page.locator(".asked article .note-number").first).to_be_visible()
    assert await forget_questions(whole, undisturbed.run.id) == [question]


async def compose(visitor: Visitor, whole: Whole, _: Undisturbed) -> AsyncIterator[None]:
    page = await visitor.open("/compose?from=deep_research")
    title = page.get_by_label(t("compose.title"), exact=True)
    await title.fill("While it was away")
    await expect(button(page, "compose.save")).to_be_enabled()
    yield
    await button(page, "compose.save").click()
    await is_told(page)
    await expect(title).to_have_value("While it was away")
    yield
    await button(page, "compose.save").click()
    await page.wait_for_url("**/compose/while-it-was-away")
    gone = await whole.http.delete("/v1/workflows/while-it-was-away")
    assert gone.is_success, gone.text


async def look_after(visitor: Visitor, whole: Whole, _: Undisturbed) -> AsyncIterator[None]:
    kept = (await whole.http.post("/v1/startups", json=STARTUP)).raise_for_status().json()
    page = await visitor.open("/settings")
    name = t("settings.startups.edit.one", name=STARTUP["name"])
    await page.get_by_role("button", name=name).click()
    box = page.get_by_role("textbox", name=t("settings.startups.name"), exact=True)
    await box.fill("Pumps for all")
    yield
    await button(page, "settings.startups.save").click()
    await is_told(page)
    await expect(box).to_have_value("Pumps for all")
    yield
    await button(page, "settings.startups.save").click()
    await expect(page.locator(".startups b").filter(has_text="Pumps for all")).to_be_visible()
    (await whole.http.delete(f"/v1/startups/{kept['id']}")).raise_for_status()


@pytest.mark.full
@pytest.mark.parametrize(
    "part", [read, answer, decide, settle, edit, ask_about, compose, look_after]
)
async def test_what_is_written_while_the_gateway_is_killed_is_kept_and_sent_once_it_is_back(
    visitor: Visitor, whole: Whole, undisturbed: Undisturbed, part: Part
) -> None:
    steps = part(visitor, whole, undisturbed)
    await anext(steps)
    async with whole.stack.without("gateway"):
        await anext(steps)

    async def is_back() -> bool:
        return (await whole.http.get("/v1/metadata")).is_success

    await eventually(is_back)
    assert [each async for each in steps] == []
    visitor.excuse("ERR_")
