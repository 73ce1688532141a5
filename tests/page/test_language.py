"""What the gateway says of itself, in the reader's language; what anybody else says, as they say it."""

import json
import re
import subprocess
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from playwright.async_api import Browser, expect

from contracts.phases.hitl_checkpoint import HitlCheckpointPhase
from greenlight.bootstrap import ROOT
from greenlight.stack.layout import SAMPLE
from greenlight.stack.page import WEB, find_node
from tests.page.conftest import DESK, Visitor
from tests.stack import Whole
from workflows.phases import PHASES
from workflows.phases.hitl_checkpoint import QUESTIONS
from workflows.presets import PRESETS

SPEAKERS = [ROOT / "workflows", ROOT / "greenlight" / "stack"]


def tell(value: str) -> Any:
    """Return a value of the page's German."""
    strings = WEB / "src" / "strings"
    code = f"""import {{ served }} from {json.dumps(str(strings / "de-served.ts"))};
        import {{ translate }} from {json.dumps(str(strings / "served.ts"))};
        console.log(JSON.stringify({value}));"""
    argv = [str(find_node()), "--input-type=module", "--eval", code]
    return json.loads(subprocess.run(argv, capture_output=True, text=True, check=True).stdout)


@pytest.fixture(scope="session")
def german() -> dict[str, Any]:
    """What ships, and its German."""
    found: dict[str, Any] = tell("served")
    return found


@pytest.fixture
async def reader(browser: Browser, built: Path, whole: Whole) -> AsyncIterator[Visitor]:
    """Somebody who reads German."""
    context = await browser.new_context(viewport=DESK, locale="de-DE", reduced_motion="reduce")
    visitor = Visitor(context, whole.stack.addresses.gateway)
    yield visitor
    await context.close()
    assert not visitor.complaints


def test_all_that_ships_has_its_german(german: dict[str, Any]) -> None:
    presets, kinds = PRESETS.values(), PHASES.items()
    phases = [phase for preset in presets for phase in preset.phases]
    texts = {said for one in presets for said in (one.title, one.description, one.consent) if said}
    texts |= {kind.description for _, kind in kinds}
    assert texts - german["texts"].keys() == set()
    titles = {(name, kind.title) for name, kind in kinds}
    titles |= {(phase.kind, phase.title) for phase in phases if phase.title}
    assert {(kind, title) for kind, title in titles if title not in german["titles"][kind]} == set()
    gates = [phase.config for phase in phases if isinstance(phase, HitlCheckpointPhase)]
    asked = {*QUESTIONS.values(), *(gate.custom_message for gate in gates if gate.custom_message)}
    assert asked - german["asked"].keys() == set()
    assert SAMPLE in german["texts"]


def test_each_text_with_a_german_one_is_said(german: dict[str, Any]) -> None:
    """One that is worded anew would stay English: lists do not find a text with names in it."""
    files = [ROOT / "settings.py", *(file for room in SPEAKERS for file in room.rglob("*"))]
    said = "\n".join(f.read_text("utf-8") for f in files if f.suffix in {".py", ".json"})
    said = re.sub(r'"\s*\n\s*f?"', "", said)  # what stands in several lines
    named = [text for text in german["texts"] if "{" in text]
    for text in [*german["asked"], *german["added"], *named]:
        parts = re.split(r"\{\w+\}", text)
        assert re.search(r"\{[^{}]+\}".join(map(re.escape, parts)), said), text


def test_names_stand_in_the_german_text_as_they_are() -> None:
    folder, name = "the folder ‘{x} $& | Plan’", "Step 2, ‘Do. Go on?’, is done. Go on?"
    about = "Start now? It is about your startup “It is about your startup “A”.”."
    price = "The change raises the price from $1 (at most $2) to $3 (at most $4), which nobody has"
    dearer = f"{price} approved yet. Start now?"
    said = tell(
        f"[translate(served).served({json.dumps(folder)}),"
        f"...{json.dumps([name, about, dearer])}.map(translate(served).asked)]"
    )
    assert said == [
        "den Ordner „{x} $& | Plan“",
        "Schritt 2, „Do. Go on?“, ist getan. Weiter?",
        "Jetzt beginnen? Es geht um dein Start-up „It is about your startup “A”.“.",
        "Die Änderung hebt den Preis von $1 (höchstens $2) auf $3 (höchstens $4); dem hat noch niemand"
        " zugestimmt. Jetzt beginnen?",
    ]


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
        await expect(page.locator(parts).first).to_be_visible()
        if path == "/":
            await page.get_by_role("button", name="Alle Arten").click()
        lines = "\n".join(await page.locator(parts).all_inner_texts()).splitlines()
        named = {name for line in lines for name in line.split(" → ")}
        assert not english & named
    page = await reader.open("/")
    await page.get_by_role("radio", name="Antwort aus dem Netz").check()
    await expect(page.get_by_text("Der Lauf sucht im Netz und liest")).to_be_visible()


@pytest.mark.full
async def test_what_a_run_asks_is_asked_in_the_readers_language(
    reader: Visitor, whole: Whole
) -> None:
    run = await whole.start(save_startup=True)
    await run.asks("questions")
    page = await reader.open(f"/runs/{run.id}")
    await page.get_by_role("button", name="Weiter", exact=True).click()
    await expect(page.locator(".asks")).to_have_text("Diesem Plan zustimmen?")
    keeps = page.get_by_role("checkbox", name="Auch als eines deiner Start-ups behalten")
    await expect(keeps).to_be_checked()
    await expect(page.locator(".terms")).to_contain_text("die Beispielbibliothek, mit")

    stepwise = {"control": {"config": {"checkpoint_before_step": True}}}
    run = await whole.start(definition="deep_research_hitl", config_overrides=stepwise)
    shown = await run.approve()
    await run.asks("decision", after=shown.checkpoint_id)
    page = await reader.open(f"/runs/{run.id}")
    await expect(page.locator(".asks")).to_have_text("Schritt 1 beginnen?")
    await page.get_by_role("link", name="Arbeit").click()
    await expect(page.locator(".feed")).to_contain_text("gefragt: Schritt 1 beginnen?")


async def test_words_of_ones_own_stay_as_they_are(reader: Visitor, whole: Whole) -> None:
    body = {
        "id": "own-words",
        "title": "Quick task",
        "description": "constructor",
        "phases": [
            {"kind": "planning", "title": "toString"},
            {"kind": "hitl_checkpoint", "title": "Plan", "config": {"custom_message": "valueOf"}},
        ],
    }
    (await whole.http.post("/v1/workflows", json=body)).raise_for_status()
    page = await reader.open("/")
    way = page.locator(".way", has_text="Quick task")
    await expect(way.get_by_text("constructor", exact=True)).to_be_visible()
    run = await whole.start(definition="own-words")
    await run.asks("decision")
    page = await reader.open(f"/runs/{run.id}")
    await expect(page.locator(".strip li")).to_have_text(
        [re.compile("^toString: "), re.compile("^Plan: ")]
    )
    await expect(page.locator(".asks")).to_have_text("valueOf")
    gone = await whole.http.delete("/v1/workflows/own-words", params={"force": True})
    assert gone.is_success, gone.text
