"""Composing in the browser: a definition as a graph, as JSON, in its versions, and tried."""

import asyncio
import json
import re
from collections.abc import AsyncIterator
from typing import Any

import pytest
from playwright.async_api import Locator, Page, Route, ViewportSize, expect

from tests.page.compose.composer import card, cards, kind, read_json, standing
from tests.page.conftest import (
    DESK,
    HELD,
    PHONE,
    Visitor,
    find_barriers,
    measure_overflow,
    press,
    reach,
)
from tests.page.run.test_approve import decided
from tests.page.words import like, t
from tests.support.offline_services import eventually
from tests.support.stack import QUESTION, Whole

SIMPLE = ("planning", "hitl_checkpoint", "research")
TABLET = ViewportSize(width=768, height=1024)
SETTLED_MS = 300
HOSTILE = "<img src=x onerror=alert(1)>"
HALF_IN_SIGHT = """async list => {
    const sign = list.querySelector(".more-below button").getBoundingClientRect();
    const cut = [...list.querySelectorAll(".kind")].at(-5);
    list.scrollBy({top: cut.getBoundingClientRect().top - sign.bottom + 40, behavior: "instant"});
    await new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)));
    const {left, right} = cut.getBoundingClientRect();
    return [left + 12 < sign.left ? left + 12 : right - 12, sign.bottom - 30];
}"""
"""Scrolls a list of kinds until only the upper part of one is in sight, and returns a point on that beside the sign."""


@pytest.fixture(autouse=True)
async def tidied(whole: Whole) -> AsyncIterator[None]:
    """Remove the definitions that a test has saved."""
    yield
    await whole.quiet()
    for definition in await list_own(whole):
        gone = await whole.http.delete(f"/v1/workflows/{definition['id']}")
        assert gone.status_code == 204, gone.text


PLAN = t("need-value", value=t("gives-plan"))


async def list_own(whole: Whole) -> list[dict[str, Any]]:
    answer = await whole.http.get("/v1/workflows", params={"include_system": False})
    found: list[dict[str, Any]] = answer.json()["items"]
    return found


async def get_definition(whole: Whole, definition_id: str) -> dict[str, Any]:
    answer = await whole.http.get(f"/v1/workflows/{definition_id}")
    found: dict[str, Any] = answer.raise_for_status().json()
    return found


async def save(whole: Whole, definition_id: str, *kinds: str, **more: Any) -> None:
    """Save a definition of phases of these kinds, in line."""
    phases = [{"kind": kind} for kind in kinds or SIMPLE]
    body = {"id": definition_id, "phases": phases, **more}
    answer = await whole.http.post("/v1/workflows", json=body)
    assert answer.status_code == 201, answer.text


async def save_elsewhere(whole: Whole, definition_id: str, version: int, **change: Any) -> None:
    """Save the version after one, as another tab or person does."""
    found = await get_definition(whole, definition_id)
    body = {"title": found["title"], "phases": found["phases"], **change}
    path, seen = f"/v1/workflows/{definition_id}", {"If-Match": f'"{version}"'}
    (await whole.http.put(path, json=body, headers=seen)).raise_for_status()


async def drag(page: Page, what: Locator, to: Locator) -> None:
    """Drag like a hand: drop targets appear only after the first movement."""
    await what.scroll_into_view_if_needed()
    await what.hover()
    await page.mouse.down()
    area = await page.locator(".flow").bounding_box()
    assert area
    await page.mouse.move(area["x"] + 12, area["y"] + 60, steps=3)
    box = await to.bounding_box()
    assert box
    await page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2, steps=4)
    await page.mouse.up()


@pytest.mark.full
async def test_trying_an_unchanged_definition_saves_no_version(
    visitor: Visitor, whole: Whole
) -> None:
    await save(whole, "tried", *SIMPLE)
    page = await visitor.open("/compose/tried")
    await page.get_by_role("button", name=t("compose.try")).click()
    await expect(page.get_by_role("radio", name="tried")).to_be_checked()
    assert (await get_definition(whole, "tried"))["version"] == 1


async def test_three_phases_are_composed_saved_tried_and_approved_by_keyboard_alone(
    visitor: Visitor, whole: Whole
) -> None:
    page = await visitor.open("/compose")
    new = page.get_by_role("link", name=t("compose.new"))
    await expect(new).to_be_visible()
    await press(page, new)
    await expect(page.get_by_text(t("compose.empty"))).to_be_visible()
    await reach(page, page.get_by_label(t("compose.title"), exact=True))
    await page.keyboard.type("Three steps")
    for title in (t("kind-planning"), t("kind-hitl_checkpoint"), t("kind-research")):
        await press(page, kind(page, title))
    await expect(standing(page)).to_have_text(t("compose.standing.valid"))
    await press(page, page.get_by_label(t("field-living")), "Space")
    await press(page, page.get_by_role("button", name=t("compose.save"), exact=True))
    await page.wait_for_url("**/compose/three-steps")
    saved = await get_definition(whole, "three-steps")
    assert [phase["kind"] for phase in saved["phases"]] == list(SIMPLE)
    assert saved["phases"][2]["config"]["living"] is True
    await expect(page.get_by_role("button", name=t("compose.try"))).to_be_enabled()
    await press(page, page.get_by_role("button", name=t("compose.try")))
    await expect(page.get_by_role("radio", name="Three steps")).to_be_checked()
    await expect(page.get_by_text(f"{t('ask.how')}: Three steps")).to_be_in_viewport()
    await expect(page.get_by_label(t("ask.question"))).to_be_focused()
    await page.keyboard.type(QUESTION)
    await page.keyboard.press("Enter")
    await page.wait_for_url("**/runs/run-*")
    visitor.excuse("404")  # until its first activity has recorded it, the page asks again
    run = whole.run(page.url.rpartition("/")[2])
    await run.asks("decision")
    await whole.providers.told(latency=HELD)
    await press(page, page.get_by_role("button", name=t("approve.plan.approve"), exact=True))
    state = await decided(run)
    assert (state.definition_id, [phase.id for phase in state.phases]) == (
        "three-steps",
        list(SIMPLE),
    )


@pytest.mark.full
async def test_a_definition_that_writes_no_report_says_so_beside_that_it_can_run(
    visitor: Visitor, whole: Whole
) -> None:
    page = await visitor.open("/compose?from=")
    for title in (t("kind-planning"), t("kind-hitl_checkpoint"), t("kind-research")):
        await kind(page, title).click()
    reportless = page.locator(".foot-row", has_text=t("compose.reportless"))
    await expect(reportless).to_contain_text(t("compose.standing.valid"))
    await kind(page, t("kind-synthesis")).click()
    await expect(standing(page)).to_have_text(t("compose.standing.valid"))
    await expect(reportless).to_have_count(0)
    written = [{"kind": name} for name in ("planning", "hitl_checkpoint", "research", "synthesis")]
    await save(whole, "off", phases=[*written[:-1], {**written[-1], "enabled": False}])
    page = await visitor.open("/compose/off")
    await expect(page.locator(".foot-row", has_text=t("compose.reportless"))).to_be_visible()


@pytest.mark.full
@pytest.mark.parametrize("size", [DESK, PHONE], ids=["desk", "phone"])
async def test_a_kind_that_is_half_in_sight_is_added_where_it_is_pressed(
    visitor: Visitor, size: ViewportSize
) -> None:
    page = await visitor.open("/compose?from=")
    await page.set_viewport_size(size)
    palette = page.locator(".palette")
    if await palette.get_attribute("open") is None:
        await palette.locator("summary").click()
    await expect(palette.locator(".more-below button")).to_be_visible()
    x, y = await palette.evaluate(HALF_IN_SIGHT)
    await page.mouse.click(x, y)
    await expect(cards(page)).to_have_count(1)


@pytest.mark.full
async def test_phases_are_dragged_into_the_graph_and_lines_between_them(visitor: Visitor) -> None:
    page = await visitor.open("/compose?from=")
    flow = page.locator(".flow")
    await expect(page.get_by_text(t("compose.empty"))).to_be_visible()
    await drag(page, kind(page, t("kind-planning")), flow)
    await expect(card(page, t("kind-planning"))).to_be_visible()
    await drag(page, kind(page, t("kind-research")), flow)
    between = page.locator(".drop-spot").nth(1)  # above the first, between both, below the last
    await drag(page, kind(page, t("kind-hitl_checkpoint")), between)
    await expect(cards(page).locator("b")).to_have_text(
        [t("kind-planning"), t("kind-hitl_checkpoint"), t("kind-research")]
    )
    await drag(page, kind(page, t("kind-crew")), card(page, t("kind-hitl_checkpoint")))
    beside = await read_json(page)
    assert [(p["kind"], p.get("after")) for p in beside["phases"]] == [
        ("planning", None),
        ("hitl_checkpoint", None),
        ("research", None),
        ("crew", ["hitl_checkpoint"]),
    ]
    handle = page.locator("li").filter(has=card(page, t("kind-research"))).locator(".line-handle")
    await drag(page, handle, card(page, t("kind-crew")))
    joined = await read_json(page)
    assert joined["phases"][3]["after"] == ["hitl_checkpoint", "research"]
    await drag(page, card(page, t("kind-crew")), page.locator(".drop-spot").first)
    moved = await read_json(page)
    assert [p["kind"] for p in moved["phases"]][:2] == ["crew", "planning"]
    lacks = t("provider-missing", phase=t("kind-crew"), need=PLAN)
    await expect(card(page, t("kind-crew"))).to_contain_text(lacks)
    await expect(standing(page).get_by_role("button")).to_be_visible()


@pytest.mark.full
async def test_a_problem_is_shown_at_its_phase_as_one_types_and_goes_when_it_is_mended(
    visitor: Visitor,
) -> None:
    page = await visitor.open("/compose?from=")
    for title in (t("kind-research"), t("kind-synthesis")):
        await kind(page, title).click()
    lacks = t("provider-missing", phase=t("kind-research"), need=PLAN)
    await expect(card(page, t("kind-research"))).to_contain_text(lacks)
    await expect(card(page, t("kind-synthesis")).locator(".wrong")).to_have_count(0)
    await page.get_by_label(t("compose.title"), exact=True).fill("Lacking")
    await page.get_by_role("button", name=t("compose.save"), exact=True).click()
    refused = page.locator(".composer-foot").get_by_role("alert")
    await expect(refused.get_by_text(f"{t('kind-research')}: {lacks}")).to_be_visible()
    told = await refused.inner_text()
    assert ("phases[" in told, told.count(lacks)) == (False, 1)
    visitor.excuse("422")
    await standing(page).get_by_role("button", name=t("compose.standing.wrong", n=2)).click()
    form = page.get_by_role("region", name=t("kind-research"))
    await expect(form).to_contain_text(t("web-needs-approval", phase=t("kind-research")))
    await form.get_by_role("button", name=t("compose.add.giver", phase=t("kind-planning"))).click()
    await expect(card(page, t("kind-research"))).not_to_contain_text(lacks)
    await expect(refused).to_have_count(0)  # the refused definition is no longer the current one
    await form.get_by_role(
        "button", name=t("compose.add.giver", phase=t("kind-hitl_checkpoint"))
    ).click()
    await expect(standing(page)).to_have_text(t("compose.standing.valid"))
    await expect(cards(page).locator("b")).to_have_text(
        [t("kind-planning"), t("kind-hitl_checkpoint"), t("kind-research"), t("kind-synthesis")]
    )
    sources = form.get_by_label(t("field-max_sources"))
    await sources.fill("5000")
    await expect(sources).to_have_attribute("aria-invalid", "true")
    await expect(form).to_contain_text(t("value-most", n=200))
    await expect(card(page, t("kind-research"))).to_contain_text(t("value-most", n=200))
    await expect(standing(page)).to_have_text(t("compose.standing.wrong", n=1))
    await sources.fill("50")
    await expect(form).not_to_contain_text(t("value-most", n=200))
    await expect(standing(page)).to_have_text(t("compose.standing.valid"))


@pytest.mark.full
async def test_what_a_copy_of_a_preset_lacks_is_added_where_it_is_missing(visitor: Visitor) -> None:
    page = await visitor.open("/compose?from=investment_analysis")
    for name in ("kind-hitl_checkpoint", "kind-planning"):  # which were added as it was opened
        await press(page, card(page, t(name)), "Delete")
    await card(page, t("title-news")).click()  # it reaches the web by its lens alone
    await expect(page.locator(".problems")).to_contain_text(like("web-needs-approval"))
    await expect(
        page.get_by_role("button", name=t("compose.add.giver", phase=t("kind-hitl_checkpoint")))
    ).to_be_visible()
    await card(page, t("kind-retrieval")).click()
    await page.get_by_role(
        "button", name=t("compose.add.giver", phase=t("kind-hitl_checkpoint"))
    ).click()
    await card(page, t("kind-hitl_checkpoint")).click()
    await page.get_by_role("button", name=t("compose.add.giver", phase=t("kind-planning"))).click()
    await expect(standing(page)).to_have_text(t("compose.standing.valid"))
    await expect(cards(page).locator("b").nth(2)).to_have_text(t("kind-retrieval"))


@pytest.mark.full
async def test_the_answer_about_an_older_text_is_not_taken_for_a_newer(visitor: Visitor) -> None:
    page = await visitor.open("/compose?from=")
    for title in (t("kind-planning"), t("kind-hitl_checkpoint"), t("kind-research")):
        await kind(page, title).click()
    await expect(standing(page)).to_have_text(t("compose.standing.valid"))
    answered = asyncio.Event()

    async def keep_back(route: Route) -> None:
        if '"max_sources":5000' in (route.request.post_data or ""):
            await answered.wait()
        await route.continue_()

    await page.route("**/v1/workflows/validate", keep_back)
    sources = page.get_by_label(t("field-max_sources"))
    async with page.expect_request("**/v1/workflows/validate"):
        await sources.fill("5000")
    await sources.fill("50")
    await expect(standing(page)).to_have_text(t("compose.standing.valid"))
    async with page.expect_response("**/v1/workflows/validate") as late:
        answered.set()
    assert (await (await late.value).json())["valid"] is False
    await expect(standing(page)).to_have_text(t("compose.standing.valid"))
    await expect(card(page, t("kind-research")).locator(".wrong")).to_have_count(0)


@pytest.mark.full
async def test_json_and_graph_are_one_thing_and_a_broken_text_is_kept(visitor: Visitor) -> None:
    page = await visitor.open("/compose?from=")
    await kind(page, t("kind-planning")).click()
    await page.get_by_role("button", name=t("compose.view.json")).click()
    text = page.get_by_label(t("compose.json.label"))
    written = {"id": "by-hand", "phases": [{"kind": "planning", "title": HOSTILE}, {"kind": "odd"}]}
    await text.fill(json.dumps(written))
    await expect(page.locator(".problems")).to_contain_text("phases[1].kind")
    await page.get_by_role("button", name=t("compose.view.graph")).click()
    await expect(cards(page).locator("b")).to_have_text([HOSTILE, "odd"])
    await expect(card(page, "odd")).to_contain_text(like("value-tag-unknown", tag="odd"))
    assert await page.locator("#content img").count() == 0
    await page.get_by_label(t("field-max_plan_steps")).fill("2")  # it is chosen still
    assert (await read_json(page))["phases"][0]["config"] == {"max_plan_steps": 2}
    await page.get_by_role("button", name=t("compose.view.json")).click()
    for broken, named in (
        ('{"phases": [', like("compose.json.broken")),
        ('{"phases": 5}', t("compose.json.form")),
    ):
        await text.fill(broken)
        await expect(page.get_by_text(named)).to_be_visible()
        await expect(
            page.get_by_role("button", name=t("compose.save"), exact=True)
        ).to_be_disabled()
    await page.get_by_role("button", name=t("compose.view.graph")).click()
    await expect(page.get_by_text(t("compose.broken"))).to_be_visible()
    await page.reload()
    await page.get_by_role("button", name=t("compose.broken.mend")).click()
    await expect(text).to_have_value('{"phases": 5}')
    await page.get_by_role("button", name=t("compose.view.graph")).click()
    await page.get_by_role("button", name=t("compose.broken.drop")).click()
    await expect(cards(page).locator("b")).to_have_text([HOSTILE, "odd"])


@pytest.mark.full
async def test_what_is_written_survives_a_reload_and_every_step_can_be_undone(
    visitor: Visitor,
) -> None:
    page = await visitor.open("/compose?from=deep_research")
    await expect(cards(page)).to_have_count(8)
    await card(page, t("kind-recall")).click()
    await page.get_by_role("button", name=t("compose.remove", phase=t("kind-recall"))).click()
    await card(page, t("kind-synthesis")).click()
    await page.get_by_label(t("field-instructions")).fill("For a board of five.")
    await expect(cards(page)).to_have_count(7)
    undo = page.get_by_role("button", name=t("compose.undo"))
    await undo.click()  # the whole sentence, not a letter of it
    await expect(page.get_by_label(t("field-instructions"))).to_have_value("")
    await page.get_by_role("button", name=t("compose.redo")).click()
    await expect(page.get_by_label(t("field-instructions"))).to_have_value("For a board of five.")
    await page.reload()
    await expect(cards(page)).to_have_count(7)
    await card(page, t("kind-synthesis")).click()
    await expect(page.get_by_label(t("field-instructions"))).to_have_value("For a board of five.")
    await card(page, t("kind-validation")).focus()
    await page.keyboard.press("Delete")
    await expect(cards(page)).to_have_count(6)
    await page.keyboard.press("Control+z")
    await expect(cards(page)).to_have_count(7)
    await page.get_by_role("button", name=t("approve.modify.drop")).click()
    await expect(cards(page)).to_have_count(8)
    await undo.click()
    await expect(cards(page)).to_have_count(7)


@pytest.mark.full
async def test_tabs_share_a_draft_and_a_closed_one_is_taken_up_again(
    visitor: Visitor, whole: Whole
) -> None:
    await save(whole, "drafted", title="Drafted")
    one, other = await visitor.open("/compose/drafted"), await visitor.open("/compose/drafted")
    await expect(other.get_by_label(t("compose.title"), exact=True)).to_have_value("Drafted")
    await other.get_by_label(t("compose.title"), exact=True).fill("From the other tab")
    await expect(one.get_by_label(t("compose.title"), exact=True)).to_have_value(
        "From the other tab"
    )
    await expect(one.get_by_text(t("compose.draft.taken"))).to_be_visible()
    await one.get_by_role("button", name=t("compose.undo")).click()
    await expect(other.get_by_label(t("compose.title"), exact=True)).to_have_value("Drafted")
    await other.get_by_role("button", name=t("compose.undo")).click()
    await one.get_by_label(t("compose.title"), exact=True).fill("Written last")
    await expect(other.get_by_label(t("compose.title"), exact=True)).to_have_value("Written last")
    await one.close()
    await other.close()
    page = await visitor.open("/compose")
    row = page.get_by_role("link", name="Drafted")
    await expect(row).to_contain_text(t("compose.draft"))
    await row.click()
    await expect(page.get_by_label(t("compose.title"), exact=True)).to_have_value("Written last")
    await expect(page.get_by_text(like("compose.draft.since"))).to_be_visible()
    await page.get_by_role("button", name=t("compose.save"), exact=True).click()
    await expect(standing(page)).to_have_text(t("compose.standing.saved", n=2))
    late = await visitor.open("/compose/drafted")
    await expect(standing(late)).to_have_text(t("compose.standing.same", n=2))
    await page.get_by_label(t("compose.title"), exact=True).fill("Once more")
    await expect(late.get_by_label(t("compose.title"), exact=True)).to_have_value("Once more")
    await page.get_by_role("button", name=t("compose.save"), exact=True).click()
    await expect(standing(late)).to_have_text(t("compose.standing.same", n=3))
    assert (await get_definition(whole, "drafted"))["title"] == "Once more"


TYPE_AT_ONCE = """([title, seconds]) => {
    const field = document.querySelector(".title-field input");
    const end = Date.now() + seconds * 1000;
    while (Date.now() < end);  // nothing of what other tabs write is heard meanwhile
    Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, "value").set.call(field, title);
    field.dispatchEvent(new Event("input", {bubbles: true}));
}"""


@pytest.mark.full
async def test_what_is_typed_in_two_tabs_at_the_same_instant_is_lost_in_neither(
    visitor: Visitor, whole: Whole
) -> None:
    await save(whole, "drafted", title="Drafted")
    one, other = await visitor.open("/compose/drafted"), await visitor.open("/compose/drafted")
    for tab in (one, other):
        await expect(tab.get_by_label(t("compose.title"), exact=True)).to_have_value("Drafted")
    await asyncio.gather(
        one.evaluate(TYPE_AT_ONCE, ["Typed here", 0.5]),
        other.evaluate(TYPE_AT_ONCE, ["Typed there", 1.0]),
    )
    said = t("compose.draft.lost")

    async def is_told(tab: Page) -> bool:
        return await tab.get_by_text(said).is_visible()

    async def one_is_told() -> Page | None:
        told = [tab for tab in (one, other) if await is_told(tab)]
        return told[0] if len(told) == 1 else None

    loser: Page = await eventually(one_is_told)
    winner = other if loser is one else one
    stands = await winner.get_by_label(t("compose.title"), exact=True).input_value()
    await expect(loser.get_by_label(t("compose.title"), exact=True)).to_have_value(stands)
    await loser.get_by_label(t("compose.title"), exact=True).press("End")
    await loser.keyboard.type("!")  # the message remains visible while the user types
    await expect(loser.get_by_text(said)).to_be_visible()
    await loser.get_by_role("button", name=t("compose.draft.lost.back")).click()
    [mine] = {"Typed here", "Typed there"} - {stands}
    for tab in (one, other):
        await expect(tab.get_by_label(t("compose.title"), exact=True)).to_have_value(mine)
    await expect(loser.get_by_text(said)).to_have_count(0)
    await expect(winner.get_by_text(said)).to_have_count(0)
    await loser.get_by_role("button", name=t("compose.undo")).click()
    await expect(winner.get_by_label(t("compose.title"), exact=True)).to_have_value(stands + "!")


@pytest.mark.full
async def test_a_draft_that_is_none_any_more_is_passed_over(visitor: Visitor, whole: Whole) -> None:
    await save(whole, "drafted", title="Drafted")
    page = await visitor.open("/compose/drafted")
    spoil = "kept => Object.keys(localStorage).forEach(place => localStorage.setItem(place, kept))"
    for kept in ("{", '{"at": 5}', '{"at": "", "value": {"definition": [], "saved": 5}}'):
        await page.get_by_label(t("compose.title"), exact=True).fill("Written here")
        await page.evaluate(spoil, kept)
        await page.reload()
        await expect(page.get_by_label(t("compose.title"), exact=True)).to_have_value("Drafted")


@pytest.mark.full
async def test_a_preset_is_changed_as_a_definition_of_ones_own(
    visitor: Visitor, whole: Whole
) -> None:
    preset = await get_definition(whole, "deep_research")
    page = await visitor.open("/compose/deep_research")
    await expect(page.get_by_label(t("compose.title"), exact=True)).to_have_value(
        t("compose.copy.of", title=t("preset-deep_research"))
    )
    await expect(standing(page)).to_have_text(t("compose.standing.valid"))
    await page.get_by_role("button", name=t("compose.save"), exact=True).click()
    await page.wait_for_url(lambda url: not url.endswith("/deep_research"))
    await expect(standing(page)).to_have_text(t("compose.standing.saved", n=1))
    saved = await get_definition(whole, page.url.rpartition("/")[2])
    assert saved["id"] != preset["id"]
    assert saved["phases"] == preset["phases"]
    assert await get_definition(whole, "deep_research") == preset


@pytest.mark.full
async def test_versions_are_listed_and_compared_and_taken_up_again(
    visitor: Visitor, whole: Whole
) -> None:
    await save(whole, "grown", title="Grown")
    page = await visitor.open("/compose/grown")
    await card(page, t("kind-research")).click()
    await page.get_by_label(t("field-max_sources")).fill("7")
    await kind(page, t("kind-synthesis")).click()
    await page.get_by_role("button", name=t("compose.save"), exact=True).click()
    await expect(standing(page)).to_have_text(t("compose.standing.saved", n=2))
    await page.get_by_role("button", name=t("compose.view.versions")).click()
    changes = page.locator(".definition-changes li")
    await expect(changes).to_have_count(2)
    await expect(changes.first).to_have_text(
        re.compile(f"^{t('kind-research')} · {t('field-max_sources')}")
    )
    usual = (await whole.http.get("/v1/phases/research")).json()["default_config"]["max_sources"]
    await expect(changes.first.locator("del")).to_have_text(str(usual))
    await expect(changes.first.locator("ins")).to_have_text("7")
    await expect(changes.last.locator("ins")).to_have_text(t("kind-synthesis"))
    await page.get_by_role("button", name=t("compose.versions.take", n=1)).click()
    await expect(cards(page)).to_have_count(3)
    await page.get_by_role("button", name=t("compose.save"), exact=True).click()
    await expect(standing(page)).to_have_text(t("compose.standing.saved", n=3))
    first = await whole.http.get("/v1/workflows/grown", params={"version": 1})
    assert (await get_definition(whole, "grown"))["phases"] == first.json()["phases"]


@pytest.mark.full
async def test_a_version_saved_elsewhere_is_told_and_overwrites_nothing(
    visitor: Visitor, whole: Whole
) -> None:
    await save(whole, "shared", title="Shared")
    page = await visitor.open("/compose/shared")
    await expect(page.get_by_label(t("compose.title"), exact=True)).to_have_value("Shared")
    await save_elsewhere(whole, "shared", 1, title="By Ann")
    await expect(page.get_by_text(t("compose.elsewhere.shown", n=2))).to_be_visible()
    await expect(page.get_by_label(t("compose.title"), exact=True)).to_have_value(
        "By Ann"
    )  # nothing of mine was lost
    await page.get_by_label(t("compose.title"), exact=True).fill("Mine")
    await save_elsewhere(whole, "shared", 2, title="By Ann again")
    await page.get_by_role("button", name=t("compose.save"), exact=True).click()
    told = page.get_by_role("alert")
    await expect(told).to_contain_text(like("compose.elsewhere", n=3))
    await expect(page.get_by_label(t("compose.title"), exact=True)).to_have_value("Mine")
    assert (await get_definition(whole, "shared"))["title"] == "By Ann again"
    visitor.excuse("412")
    await told.get_by_role("button", name=t("compose.elsewhere.compare")).click()
    await expect(page.locator(".definition-changes ins").last).to_have_text("again")
    await told.get_by_role("button", name=t("compose.elsewhere.keep")).click()
    await page.get_by_role("button", name=t("compose.save"), exact=True).click()
    await expect(standing(page)).to_have_text(t("compose.standing.saved", n=4))
    assert (await get_definition(whole, "shared"))["title"] == "Mine"


@pytest.mark.full
async def test_one_deleted_elsewhere_is_kept_here_while_it_is_being_changed(
    visitor: Visitor, whole: Whole
) -> None:
    await save(whole, "short-lived")
    page = await visitor.open("/compose/short-lived")
    await page.get_by_label(t("compose.title"), exact=True).fill("Still wanted")
    (await whole.http.delete("/v1/workflows/short-lived")).raise_for_status()
    visitor.excuse("404")
    await page.reload()
    await expect(page.get_by_text(t("compose.gone"))).to_be_visible()
    await page.get_by_role("button", name=t("compose.save"), exact=True).click()
    again = [re.escape(t(f"compose.standing.{way}", n=2)) for way in ("saved", "same")]
    await expect(standing(page)).to_have_text(re.compile("|".join(again)))
    assert (await get_definition(whole, "short-lived"))["title"] == "Still wanted"


@pytest.mark.full
async def test_deleting_asks_first_and_again_while_a_run_goes_on(
    visitor: Visitor, whole: Whole
) -> None:
    await save(whole, "passing", title=HOSTILE)
    run = await whole.start(definition="passing")
    await run.asks("decision")
    page = await visitor.open("/compose/passing")
    await page.get_by_role("button", name=t("compose.delete"), exact=True).click()
    question = page.get_by_role("dialog", name=t("compose.delete.title", title=HOSTILE))
    await question.get_by_role("button", name=t("state.cancel")).click()
    await page.get_by_role("button", name=t("compose.delete"), exact=True).click()
    await question.get_by_role("button", name=t("compose.delete.yes"), exact=True).click()
    await expect(question.get_by_role("alert")).to_contain_text(like("definition-in-use", n=1))
    visitor.excuse("409")
    await question.get_by_role("button", name=t("compose.delete.force")).click()
    await page.wait_for_url("**/compose")
    assert await list_own(whole) == []


@pytest.mark.full
async def test_a_hundred_phases_stay_usable(visitor: Visitor, whole: Whole) -> None:
    phases: list[dict[str, Any]] = [{"kind": "planning"}, {"kind": "hitl_checkpoint"}]
    phases += [{"kind": "summary", "id": f"summary-{n}"} for n in range(98)]
    await save(whole, "long", title="Long")
    await save_elsewhere(whole, "long", 1, phases=phases)
    page = await visitor.open("/compose/long")
    await expect(cards(page)).to_have_count(100)
    last = cards(page).last
    await last.click()
    form = page.get_by_role("region", name=t("kind-summary"))
    await form.get_by_label(t("field-instructions")).fill("The last one.")
    await form.get_by_role("button", name=t("compose.earlier")).click()
    await expect(cards(page).nth(98)).to_have_attribute("aria-pressed", "true")
    await expect(cards(page).nth(98)).to_be_in_viewport()
    await page.get_by_role("button", name=t("compose.save"), exact=True).click()
    await expect(standing(page)).to_have_text(t("compose.standing.saved", n=3))
    saved = (await get_definition(whole, "long"))["phases"]
    assert [phase["id"] for phase in saved[-2:]] == ["summary-97", "summary-96"]
    assert saved[-2]["config"]["instructions"] == "The last one."


@pytest.mark.full
async def test_a_phase_that_is_moved_by_keyboard_stays_in_hand(visitor: Visitor) -> None:
    page = await visitor.open("/compose?from=market_analysis")
    titles = cards(page).locator("b")
    await expect(titles).to_have_text(
        [
            t("kind-recall"),
            t("kind-clarification"),
            t("kind-planning"),
            t("kind-hitl_checkpoint"),
            t("kind-crew"),
        ]
    )
    await card(page, t("kind-crew")).focus()
    for _ in range(2):
        await page.keyboard.press("Alt+ArrowUp")
    await expect(titles).to_have_text(
        [
            t("kind-recall"),
            t("kind-clarification"),
            t("kind-crew"),
            t("kind-planning"),
            t("kind-hitl_checkpoint"),
        ]
    )
    await expect(card(page, t("kind-crew"))).to_be_focused()
    await page.keyboard.press("Alt+ArrowDown")
    await expect(titles).to_have_text(
        [
            t("kind-recall"),
            t("kind-clarification"),
            t("kind-planning"),
            t("kind-crew"),
            t("kind-hitl_checkpoint"),
        ]
    )
    await page.keyboard.press("Enter")
    await expect(page.get_by_role("heading", name=t("kind-crew"))).to_be_focused()


@pytest.mark.full
async def test_a_phase_is_named_anew_everywhere_it_is_named(visitor: Visitor) -> None:
    page = await visitor.open("/compose?from=investment_analysis")
    await card(page, t("title-figures")).click()
    await page.get_by_text(t("compose.more")).click()
    await page.get_by_label(t("compose.phase.id")).fill("figures")
    await page.keyboard.press("Tab")
    text = json.dumps(await read_json(page))
    assert "fundamental.analysis" not in text
    assert '"fundamental"' not in text
    assert '"figures"' in text


@pytest.mark.full
async def test_composing_has_no_barriers_and_fits_a_phone(visitor: Visitor, whole: Whole) -> None:
    page = await visitor.open("/compose")
    await expect(
        page.get_by_role("link", name=t("preset-deep_research"), exact=False).first
    ).to_be_visible()
    assert await find_barriers(page) == []
    await page.goto(f"{visitor.base}/compose?from=investment_analysis")
    await press(page, card(page, t("kind-hitl_checkpoint")), "Delete")
    await expect(standing(page)).to_contain_text(like("compose.standing.wrong"))
    await card(page, t("kind-decision")).click()
    assert await find_barriers(page) == []
    await page.get_by_role("button", name=t("compose.view.json")).click()
    assert await find_barriers(page) == []
    await save(whole, "seen")
    await page.goto(f"{visitor.base}/compose/seen")
    await page.get_by_role("button", name=t("compose.view.versions")).click()
    await expect(page.get_by_text(t("compose.versions.same"))).to_be_visible()
    assert await find_barriers(page) == []
    assert await measure_overflow(page) <= 0
    await page.get_by_role("button", name=t("compose.view.graph")).click()
    await expect(cards(page)).to_have_count(3)
    await expect(kind(page, t("kind-planning"))).to_be_hidden()  # folded, and opened by a touch
    await page.get_by_text(t("compose.palette")).click()
    await kind(page, t("kind-synthesis")).click()
    await card(page, t("kind-synthesis")).click()  # the list stays open until a card is pressed
    await expect(page.get_by_role("region", name=t("kind-synthesis"))).to_be_in_viewport()
    assert await measure_overflow(page) <= 0
    assert await find_barriers(page) == []


@pytest.mark.full
async def test_a_card_says_what_differs_and_a_second_phase_of_a_kind_is_numbered(
    visitor: Visitor,
) -> None:
    page = await visitor.open("/compose?from=")
    for title in (t("kind-planning"), t("kind-hitl_checkpoint"), t("kind-research")):
        await kind(page, title).click()
    research = card(page, t("kind-research"))
    await expect(research.locator(".choices")).to_have_count(0)
    sources = page.get_by_label(t("field-max_sources"))
    await expect(page.locator(".inspector")).to_contain_text(t("field-max_sources-help"))
    await sources.fill("7")
    await page.get_by_label(t("field-living")).check()
    await expect(research.locator(".choices")).to_have_text(
        f"{t('field-max_sources')}: 7 · {t('field-living')}"
    )
    await sources.fill("")
    await expect(research.locator(".choices")).to_have_text(t("field-living"))
    await kind(page, t("kind-research")).click()
    await expect(card(page, f"{t('kind-research')} 2")).to_be_visible()


@pytest.mark.parametrize(
    "sizes",
    [
        pytest.param([PHONE], id="phone"),
        pytest.param([DESK, TABLET, PHONE], id="all sizes", marks=pytest.mark.full),
    ],
)
async def test_phases_are_added_one_after_another_and_no_kind_moves_under_the_finger(
    visitor: Visitor, sizes: list[ViewportSize]
) -> None:
    page = await visitor.open()
    form = page.locator(".inspector[data-phase]")
    for size in sizes:
        await page.set_viewport_size(size)
        await page.goto(f"{visitor.base}/compose?from=")
        await expect(page.get_by_text(t("compose.empty"))).to_be_visible()
        plan = await kind(page, t("kind-planning")).bounding_box()
        assert plan
        for n in (1, 2, 3):
            await page.mouse.click(plan["x"] + plan["width"] / 2, plan["y"] + plan["height"] / 2)
            await expect(cards(page)).to_have_count(n)
            await expect(cards(page).last).to_be_in_viewport(ratio=1)
            await page.wait_for_timeout(SETTLED_MS)
            assert await kind(page, t("kind-planning")).bounding_box() == plan, size
        for _ in range(3):
            await page.get_by_role("button", name=t("compose.undo")).dispatch_event("click")
    await expect(cards(page)).to_have_count(0)
    for name in SIMPLE:
        await kind(page, t(f"kind-{name}")).click()
    await expect(form).to_be_hidden()  # it would cover what can be added
    order = " → ".join(t(f"kind-{name}") for name in SIMPLE)
    await expect(page.locator(".palette-head p")).to_have_text(order)
    await expect(page.locator(".palette-head p")).to_be_in_viewport(ratio=1)
    save = page.get_by_role("button", name=t("compose.save"), exact=True)
    await save.click()  # neither the list nor a form covers it
    await expect(page.get_by_text(t("compose.title.missing"))).to_be_visible()
    await page.locator(".palette > summary").click()  # Done leads to the graph
    await expect(form).to_have_count(0)
    await expect(card(page, t("kind-research"))).to_be_in_viewport(ratio=1)
    await save.click(trial=True)


@pytest.mark.parametrize(
    "size",
    [
        pytest.param(PHONE, id="phone"),
        pytest.param(DESK, id="desk", marks=pytest.mark.full),
    ],
)
async def test_where_the_next_phase_goes_is_chosen_and_shown_before_it_is_added(
    visitor: Visitor, size: ViewportSize
) -> None:
    page = await visitor.open()
    await page.set_viewport_size(size)
    await page.goto(f"{visitor.base}/compose?from=")
    spot, mark = page.locator(".palette-head small"), page.locator(".next-spot")
    await expect(spot).to_contain_text(t("compose.spot.start"))
    for each in ("before", "behind", "beside"):
        await expect(side(page, each)).to_be_disabled()
    for name in SIMPLE:
        await kind(page, t(f"kind-{name}")).click()
    end = t("compose.spot.end", after=quote("research"))
    await expect(spot).to_contain_text(end)
    await expect(mark).to_have_attribute("data-side", "behind")
    await side(page, "beside").click()
    await expect(spot).to_contain_text(t("compose.spot.end", after=quote("hitl_checkpoint")))
    await expect(mark).to_have_attribute("data-side", "beside")
    for _ in range(2):
        await kind(page, t("kind-crew")).click()
    await page.locator(".palette").evaluate("list => list.scrollTo(0, list.scrollHeight)")
    await expect(side(page, "before")).to_be_in_viewport(ratio=1)  # however far one has scrolled
    await side(page, "before").click()
    gate, second = quote("hitl_checkpoint"), t("compose.quoted", phase=f"{t('kind-crew')} 2")
    await expect(spot).to_contain_text(t("compose.spot.between", after=gate, before=second))
    await kind(page, t("kind-analysis")).click()
    await expect(side(page, "behind")).to_have_attribute("aria-pressed", "true")
    assert await find_barriers(page) == []
    phases = (await read_json(page))["phases"]
    ids = [phase.get("id", phase["kind"]) for phase in phases]
    usual = [
        None,
        *([each] for each in ids),
    ]  # without `after` a phase comes after the one before it
    found = {
        name: phase.get("after", usual[n])
        for n, (name, phase) in enumerate(zip(ids, phases, strict=True))
    }
    beside = ("research", "crew", "analysis")
    assert [found[name] for name in beside] == [["hitl_checkpoint"]] * len(beside)
    [again] = found.keys() - {*SIMPLE, *beside}
    assert found[again] == ["analysis"]


def side(page: Page, name: str) -> Locator:
    """Return the button by which the next phase is put before, after or beside the chosen one."""
    return page.get_by_role("button", name=t(f"compose.side.{name}"), exact=True)


def quote(name: str) -> str:
    """Return the title of a phase of a kind as the page quotes it."""
    return t("compose.quoted", phase=t(f"kind-{name}"))


@pytest.mark.full
async def test_branches_begun_at_a_card_of_a_phone_are_joined_named_and_shown_as_branches(
    visitor: Visitor, whole: Whole
) -> None:
    page = await visitor.open()
    await page.set_viewport_size(PHONE)
    await page.goto(f"{visitor.base}/compose?from=")
    for name in SIMPLE:
        await kind(page, t(f"kind-{name}")).click()
    await page.locator(".palette > summary").click()
    form = page.locator(".inspector[data-phase]")
    close = form.get_by_role("button", name=t("compose.definition.show"))
    await expect(form).to_have_count(0)
    await card(page, t("kind-hitl_checkpoint")).click()
    await expect(card(page, t("kind-hitl_checkpoint"))).to_be_in_viewport(ratio=1)
    await close.click()
    await card(page, t("kind-research")).click()
    await form.get_by_role("button", name=t("compose.side.beside"), exact=True).click()
    await expect(side(page, "beside")).to_have_attribute("aria-pressed", "true")
    spot = t("compose.spot.end", after=quote("hitl_checkpoint"))
    await expect(page.locator(".palette-head small")).to_contain_text(spot)
    await page.locator(".palette").evaluate("list => list.scrollTo(0, list.scrollHeight)")
    await expect(page.get_by_text(t("compose.palette.done"))).to_be_in_viewport(ratio=1)
    await expect(page.locator(".palette-head p")).to_be_in_viewport(ratio=1)
    await expect(card(page, t("kind-research"))).to_be_in_viewport(ratio=0.5)
    await kind(page, t("kind-crew")).click()
    branches = f"({t('kind-research')} + {t('kind-crew')})"
    await expect(page.locator(".palette-head p")).to_contain_text(f" → {branches}")
    await page.locator(".palette > summary").click()
    await expect(form).to_have_count(0)
    await card(page, t("kind-crew")).click()
    await form.get_by_role("button", name=t("compose.side.behind"), exact=True).click()
    await expect(side(page, "behind")).to_have_attribute("aria-pressed", "true")
    await page.locator(".palette > summary").click()
    await name_and_save(page, whole, branches)


async def name_and_save(page: Page, whole: Whole, branches: str) -> None:
    """Bring two branches together, and save them: a name is asked for, and the list shows branches."""
    await page.get_by_role("button", name=t("compose.join.new", phase=t("kind-synthesis"))).click()
    await expect(standing(page)).to_have_text(t("compose.standing.valid"))
    save = page.get_by_role("button", name=t("compose.save"), exact=True)
    await save.click()
    name = page.get_by_label(t("compose.title"), exact=True)
    await expect(page.get_by_text(t("compose.title.missing"))).to_be_in_viewport()
    await expect(name).to_be_focused()
    assert await list_own(whole) == []
    await page.keyboard.type("Two ways")
    await save.click()
    await page.wait_for_url("**/compose/two-ways")
    phases = (await get_definition(whole, "two-ways"))["phases"]
    assert [phase["after"] for phase in phases[3:]] == [["hitl_checkpoint"], ["research", "crew"]]
    await page.get_by_role("link", name=t("nav.compose"), exact=True).last.click()
    told = f" → {branches} → {t('kind-synthesis')}"
    await expect(page.get_by_role("link", name="Two ways")).to_contain_text(told)


@pytest.mark.full
async def test_of_two_phases_that_give_the_same_one_is_chosen_by_a_button(visitor: Visitor) -> None:
    page = await visitor.open("/compose?from=")
    await expect(page.get_by_text(t("compose.empty"))).to_be_visible()
    await page.get_by_role("button", name=t("compose.view.json")).click()
    branches = [
        {"kind": "research", "after": ["hitl_checkpoint"], "config": {"answers": True}},
        {
            "kind": "research",
            "id": "research-2",
            "after": ["hitl_checkpoint"],
            "config": {"answers": True},
        },
    ]
    both = ["research", "research-2"]
    report = {"kind": "synthesis", "after": both}
    start = [{"kind": "planning"}, {"kind": "hitl_checkpoint"}, *branches]
    text = page.get_by_label(t("compose.json.label"))
    await text.fill(json.dumps({"id": "two", "phases": [*start, report, {"kind": "validation"}]}))
    await page.get_by_role("button", name=t("compose.view.graph")).click()
    await expect(standing(page)).to_have_text(
        t("compose.standing.valid")
    )  # what both gave is merged
    await card(page, t("kind-synthesis")).click()
    await page.get_by_label(t("field-form")).select_option("answer")
    await expect(card(page, t("kind-synthesis"))).to_contain_text(like("providers-near"))
    second = f"{t('kind-research')} 2"
    await page.get_by_role("button", name=t("compose.reads.choose", phase=second)).click()
    await expect(standing(page)).to_have_text(t("compose.standing.valid"))
    assert (await read_json(page))["phases"][4]["bind"] == {"answer": "research-2"}


@pytest.mark.full
async def test_two_branches_are_brought_together_in_a_decision_and_run(
    visitor: Visitor, whole: Whole
) -> None:
    page = await visitor.open("/compose?from=")
    await expect(page.get_by_text(t("compose.empty"))).to_be_visible()
    await page.get_by_role("button", name=t("compose.view.json")).click()
    branches = [
        {"kind": "analysis", "id": name, "after": ["research"]}
        for name in ("analysis", "analysis-2")
    ]
    decision = {"kind": "decision", "after": ["analysis", "analysis-2"]}
    drawn = {
        "id": "joined",
        "title": "Joined",
        "phases": [*map(as_phase, SIMPLE), *branches, decision],
    }
    await page.get_by_label(t("compose.json.label")).fill(json.dumps(drawn))
    await page.get_by_role("button", name=t("compose.view.graph")).click()
    await expect(standing(page)).to_have_text(t("compose.standing.valid"))
    await card(page, t("kind-decision")).click()
    first = t("kind-analysis")
    nearest = t("compose.reads.nearest", phase=f"{first}, {first} 2")
    await expect(page.locator(".inspector")).to_contain_text(nearest)
    await page.get_by_role("button", name=t("compose.save"), exact=True).click()
    await page.wait_for_url("**/compose/joined")
    run = await whole.start(definition="joined")
    await run.approve()
    state = await run.completed()
    assert [phase.status for phase in state.phases] == ["completed"] * len(drawn["phases"])
    [asked] = [e.payload for e in await run.events("AgentInput") if e.phase_id == "decision"]
    assert {"analysis.analysis", "analysis-2.analysis"} <= list_names(asked)
    await page.goto(f"{visitor.base}/runs/{run.id}/plan")
    await expect(page.locator(".strip .branches ul > li")).to_have_text(
        [re.compile(f"^{first}\\b"), re.compile(f"^{first} 2")]
    )


@pytest.mark.parametrize("most", [2, pytest.param(100, marks=pytest.mark.full)])
async def test_every_shipped_definition_opens_as_ones_own_and_is_saved(
    visitor: Visitor, whole: Whole, most: int
) -> None:
    shipped = [one for one in await list_all(whole) if one["is_preset"]]
    assert len(shipped) >= 10
    shipped.sort(key=lambda one: not one["consent"])
    shipped = [*shipped[:1], *shipped[1:][1 - most :]]
    page = await visitor.open("/compose")
    await expect(page.locator(".definition-rows a").first).to_be_visible()
    assert await find_barriers(page) == []
    for one in shipped:
        await page.goto(f"{visitor.base}/compose?from={one['id']}")
        await expect(standing(page)).to_have_text(t("compose.standing.valid"))
        has_added = page.locator("main > div > .notice").filter(has_text=t("kind-hitl_checkpoint"))
        await expect(has_added).to_have_count(1 if one["consent"] else 0)
        await page.get_by_role("button", name=t("compose.save"), exact=True).click()
        await page.wait_for_url(re.compile(r"/compose/[a-z0-9-]+$"))
    assert len(await list_own(whole)) == len(shipped)


async def list_all(whole: Whole) -> list[dict[str, Any]]:
    answer = await whole.http.get("/v1/workflows", params={"limit": 100})
    found: list[dict[str, Any]] = answer.raise_for_status().json()["items"]
    return found


async def test_what_is_missing_is_added_by_one_button_and_a_branch_that_ends_is_named(
    visitor: Visitor,
) -> None:
    page = await visitor.open("/compose?from=")
    for title in (t("kind-research"), t("kind-synthesis")):
        await kind(page, title).click()
    await page.get_by_role("button", name=t("compose.add.missing")).click()
    await expect(standing(page)).to_have_text(t("compose.standing.valid"))
    titles = [t(f"kind-{name}") for name in (*SIMPLE, "synthesis")]
    await expect(cards(page).locator("b")).to_have_text(titles)
    await card(page, t("kind-synthesis")).click()
    await side(page, "beside").click()
    await kind(page, t("kind-analysis")).click()
    apart = t("compose.apart", phases=f"{t('kind-synthesis')}, {t('kind-analysis')}")
    await expect(page.locator(".foot-row")).to_contain_text(apart)
    await expect(standing(page).locator('[data-status="partial"]')).to_have_count(1)
    await page.get_by_role("button", name=t("compose.join", phase=t("kind-synthesis"))).click()
    await expect(page.locator(".foot-row")).not_to_contain_text(apart)
    await expect(standing(page).locator('[data-status="completed"]')).to_have_count(1)
    assert await find_barriers(page) == []


@pytest.mark.full
async def test_on_a_phone_a_card_shows_its_form_and_closing_it_keeps_the_choice(
    visitor: Visitor,
) -> None:
    page = await visitor.open()
    await page.set_viewport_size(PHONE)
    await page.goto(f"{visitor.base}/compose?from=investment_analysis")
    form, summary = page.locator(".inspector[data-phase]"), page.locator(".palette > summary")
    await expect(cards(page)).to_have_count(7)
    await summary.click()
    await card(page, t("kind-retrieval")).click()
    await expect(form).to_contain_text(t("kind-retrieval"))
    await form.get_by_role("button", name=t("compose.definition.show")).click()
    await expect(form).to_have_count(0)
    await summary.click()
    await expect(side(page, "behind")).to_be_enabled()
    await expect(page.locator(".palette-head small")).to_contain_text(quote("retrieval"))
    flow = await page.locator(".flow").evaluate("flow => flow.scrollWidth - flow.clientWidth")
    assert flow <= 0  # both branches are in sight, and no card is cut
    for box in [await each.bounding_box() for each in await cards(page).all()]:
        assert box
        assert box["width"] >= 120
    assert await measure_overflow(page) <= 0


def as_phase(kind: str) -> dict[str, str]:
    return {"kind": kind}


def list_names(asked: Any) -> set[str]:
    """Return the names of a model request's inputs."""
    parts = [part for message in asked["input"] for part in message["content"]]
    return {given["name"] for part in parts for given in part.get("inputs", [])}
