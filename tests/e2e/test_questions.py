"""Nothing is searched for a question that says nothing, and no startup is used or kept unasked."""

import asyncio
from typing import Any

import pytest

from contracts.notices import Notice
from contracts.preset_definitions import PRESETS
from tests.support.stack import CREW, Run, Whole
from workflows.phases.clarification import NO_ONE

VAGUE = ["Plan it", "What does it cost?", "Is it good?", "x"]
PUMPS = "I want to sell solar irrigation pumps to farms in Kenya"
QUESTIONS = {"schema_property": "questions"}


async def answers(run: Run, **body: Any) -> dict[str, Any]:
    """Send answers; return the response, which names its status."""
    said = await run.post("/answers", body)
    return {"status_code": said.status_code, **said.json()}


async def list_presets_without_ticker(whole: Whole) -> list[str]:
    """Return the presets that a question alone can start."""
    items = (await whole.http.get("/v1/workflows")).json()["items"]
    presets = {item["id"] for item in items if item["is_preset"]}
    asks_report = {name for name, preset in PRESETS.items() if preset.asks_report}
    return sorted(presets - asks_report - {"investment_analysis"})


async def read_or_searched(whole: Whole) -> int:
    return sum([len(await whole.providers.asked(name)) for name in ("search", "pages")])


@pytest.mark.full
async def test_question_that_says_nothing_is_asked_about_before_a_search(whole: Whole) -> None:
    runs = [await whole.start(q, definition="web_answer") for q in VAGUE]
    others = [name for name in await list_presets_without_ticker(whole) if name != "web_answer"]
    runs += [await whole.start(VAGUE[0], definition=name) for name in others]
    asked = await asyncio.gather(*(run.asks("questions") for run in runs))
    for query, checkpoint in zip([*VAGUE, *[VAGUE[0]] * len(others)], asked, strict=True):
        assert f"“{query}”" in checkpoint.questions[0].question
    assert not await read_or_searched(whole)
    first, clear = runs[0], await whole.start("What is the area of Peru?", definition="web_answer")
    assert (await answers(first, answers={"q1": "Peru's railways"}))["status_code"] == 202
    assert (await first.ended()).status in ("completed", "partial")
    assert not (await clear.completed()).answers


@pytest.mark.full
async def test_judgement_that_fails_once_is_asked_for_again(whole: Whole) -> None:
    await whole.providers.told({"mode": "refuse", "match": QUESTIONS})
    run = await whole.start("What is the area of Peru?", definition="web_answer")
    assert not (await run.completed()).answers
    assert [e["failure"] for e in await whole.providers.asked("model")][:2] == ["refuse", ""]


async def test_plan_follows_from_an_answer_of_many_pages(whole: Whole) -> None:
    run = await whole.start("How much irrigated land does Kenya have?")
    await run.answer("It is for a board that wants figures. " * 500)
    assert (await run.asks("decision")).plan_hash


async def startup_choices(run: Run) -> list[str]:
    asked = (await run.asks("questions")).questions
    return next((q.choices for q in asked if q.id == "startup"), [])


EXAMPLE = {"q1": "B2B enterprise", "q2": "Generative AI for legal", "q3": "US market, from Texas"}


@pytest.mark.parametrize("keep", [pytest.param(None, marks=pytest.mark.full), True])
async def test_three_answers_lead_to_the_plan_which_asks_whether_to_keep_a_startup(
    whole: Whole, keep: bool | None
) -> None:
    user = f"founder-{keep}"
    run = await whole.start(
        "I want to explore the AI market", definition=CREW, user_id=user, save_startup=None
    )
    asked = await run.asks("questions")
    assert [question.id for question in asked.questions] == [*EXAMPLE]
    assert (await answers(run, answers=EXAMPLE))["status_code"] == 202
    shown = await run.asks("decision")
    assert shown.keep_startup is False
    body = {"action": "approve", "plan_hash": shown.plan_hash, "keep_startup": keep}
    assert (await run.post("/decision", body)).status_code == 202
    await run.post("/cancel")
    await run.ended()
    items = (await whole.http.get("/v1/startups", params={"user_id": user})).json()["items"]
    assert len(items) == bool(keep)


@pytest.mark.full
async def test_startup_is_used_only_where_it_is_named_or_chosen(whole: Whole) -> None:
    body = {"user_id": "owner", "name": "Solar irrigation pumps", "industry": "agriculture"}
    made = (await whole.http.post("/v1/startups", json=body)).json()
    other = await whole.start("How large is the population of Peru?", user_id="owner")
    assert not await startup_choices(other)
    assert (await other.state()).startup is None
    cost = "What do solar pumps for irrigation cost in Kenya?"
    planned = await whole.start(cost, user_id="owner")
    near = await whole.start(cost, definition="web_answer", user_id="owner")
    for run in (planned, near):
        assert await startup_choices(run) == [body["name"], NO_ONE]
    runs = (other, planned, near)
    told = [str(event.payload) for run in runs for event in await run.events("AgentInput")]
    assert told
    assert not any(body["name"] in text for text in told)
    await answers(near, answers={"startup": body["name"]})
    chosen = await near.completed()
    assert chosen.startup
    assert chosen.startup.id == made["id"]
    named = await whole.start(PUMPS, user_id="owner", startup_id=made["id"])
    about = Notice.of("ask-about-startup", "info", name=body["name"])
    assert about in (await named.asks("questions")).asks
    assert not await startup_choices(named)
    await named.answer()
    assert about in (await named.asks("decision")).asks
    none = await whole.start(PUMPS, user_id="owner", startup_id="none")
    assert not await startup_choices(none)


async def test_startup_that_is_not_there_is_refused_and_named(whole: Whole) -> None:
    theirs = (await whole.http.post("/v1/startups", json={"user_id": "x", "name": "X"})).json()
    for startup_id in ("nope", theirs["id"]):
        refused = await whole.ask(PUMPS, startup_id=startup_id, user_id="y")
        assert refused.status_code == 404
        assert [p["path"] for p in refused.json()["problems"]] == ["startup_id"]
