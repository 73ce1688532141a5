"""What the gateway says of itself, in the reader's language; what anybody else says, as they say it."""

import re
from collections.abc import AsyncIterator
from pathlib import Path
from typing import get_args

import pytest
from playwright.async_api import Browser, expect

from contracts.phases.hitl_checkpoint import CheckpointType
from contracts.preset_definitions import PRESETS
from contracts.words import CATALOGUES
from tests.page.conftest import DESK, Visitor
from tests.page.words import like, t
from tests.support.stack import Whole
from workflows.phases import PHASES


@pytest.fixture
async def reader(browser: Browser, built: Path, whole: Whole) -> AsyncIterator[Visitor]:
    """Somebody who reads German."""
    context = await browser.new_context(viewport=DESK, locale="de-DE", reduced_motion="reduce")
    visitor = Visitor(context, whole.stack.addresses.gateway)
    yield visitor
    await context.close()
    assert not visitor.complaints


def test_all_that_ships_has_words_in_the_catalogues() -> None:
    phases = [phase for preset in PRESETS.values() for phase in preset.phases]
    codes = {f"kind-{name}{part}" for name in PHASES for part in ("", "-description")}
    codes |= {f"preset-{name}{part}" for name in PRESETS for part in ("", "-description")}
    codes |= {f"preset-{one.id}-consent" for one in PRESETS.values() if one.consent}
    codes |= {f"ask-{kind}" for kind in get_args(CheckpointType)}
    assert codes <= CATALOGUES["en"].keys()
    assert not [phase.id for phase in phases if phase.title], "a title of a preset is a code"


@pytest.mark.full
async def test_all_that_ships_is_called_in_the_readers_language(
    reader: Visitor, whole: Whole
) -> None:
    presets = (await whole.http.get("/v1/workflows")).json()["items"]
    kinds = (await whole.http.get("/v1/phases")).json()["items"]
    shipped = [one for one in [*presets, *kinds] if one.get("is_preset", True)]
    english = {one[said] for one in shipped for said in ("title", "description")}
    run = await whole.planned()
    shown = {
        "/": ".way",
        "/compose": ".definition-rows a",
        "/compose?from=deep_research": ".kinds .kind",
        f"/runs/{run.id}/work": ".graph button > span, .timeline li > span",
    }
    for path, parts in shown.items():
        page = await reader.open(path)
        if path == "/":
            await page.get_by_role("button", name=t("ask.more", "de")).click()
        if path.endswith("/work"):
            await page.locator(".behind > summary").click()
        await expect(page.locator(parts).first).to_be_visible()
        lines = "\n".join(await page.locator(parts).all_inner_texts()).splitlines()
        named = {name for line in lines for name in line.split(" → ")}
        assert not english & named
    page = await reader.open("/")
    await page.get_by_role("radio", name=t("ask.kind.web_answer", "de")).check()
    await expect(
        page.get_by_text(t("ask.consent", "de", what=t("preset-web_answer-consent", "de")))
    ).to_be_visible()


@pytest.mark.full
async def test_what_a_run_asks_is_asked_in_the_readers_language(
    reader: Visitor, whole: Whole
) -> None:
    run = await whole.start(save_startup=True)
    await run.asks("questions")
    page = await reader.open(f"/runs/{run.id}")
    await page.get_by_role("button", name=t("clarify.skip", "de"), exact=True).click()
    await expect(page.locator(".asks")).to_have_text(t("ask-after_planning", "de"))
    keeps = page.get_by_role("checkbox", name=t("approve.keep", "de"))
    await expect(keeps).to_be_checked()
    await expect(page.locator(".terms")).to_contain_text(
        like("approve.searches", "de", where=t("searched-sample", "de"))
    )

    stepwise = {"control": {"config": {"checkpoint_before_step": True}}}
    run = await whole.start(definition="deep_research_hitl", config_overrides=stepwise)
    shown = await run.approve()
    await run.asks("decision", after=shown.checkpoint_id)
    page = await reader.open(f"/runs/{run.id}")
    await expect(page.locator(".asks")).to_have_text(asks := t("ask-step-begin", "de", number=1))
    await page.get_by_role("link", name=t("run.work", "de")).click()
    await expect(page.locator(".feed")).to_contain_text(f"{t('work.asked', 'de')}: {asks}")


@pytest.mark.full
async def test_words_of_ones_own_stay_as_they_are(reader: Visitor, whole: Whole) -> None:
    body = {
        "id": "own-words",
        "title": t("preset-one_shot"),
        "description": "constructor",
        "phases": [
            {"kind": "planning", "title": "toString"},
            {
                "kind": "hitl_checkpoint",
                "title": t("kind-planning"),
                "config": {"custom_message": "valueOf"},
            },
        ],
    }
    (await whole.http.post("/v1/workflows", json=body)).raise_for_status()
    page = await reader.open("/")
    way = page.locator(".way", has_text=t("preset-one_shot"))
    await expect(way.get_by_text("constructor", exact=True)).to_be_visible()
    run = await whole.start(definition="own-words")
    await run.asks("decision")
    page = await reader.open(f"/runs/{run.id}/plan")
    await expect(page.locator(".strip li")).to_have_text(
        [re.compile("^toString: "), re.compile(f"^{re.escape(t('kind-planning'))}: ")]
    )
    await page.get_by_role("link", name=t("run.decision", "de")).click()
    await expect(page.locator(".asks")).to_have_text("valueOf")
    gone = await whole.http.delete("/v1/workflows/own-words", params={"force": True})
    assert gone.is_success, gone.text
