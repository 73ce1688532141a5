"""What a provider can answer instead of an answer, and what a run makes of each."""

import asyncio
from datetime import datetime
from typing import Any

import pytest

from tests.support.offline_services import Providers, eventually
from tests.support.stack import Run, Undisturbed, Whole
from tests.support.words import en
from workflows.phases.clarification import GO_ON

QUESTIONS = {"schema_property": "questions"}
TURN = {"tools": True}
REPORT = {"schema_property": "sections"}


async def failed(run: Run, name: str) -> str:
    """Return the type of the failure with which a phase ended."""

    async def settled() -> str:
        phase = next(p for p in (await run.state()).phases if p.id == name)
        return phase.error.type if phase.error else ""

    return str(await eventually(settled))


async def struck(providers: Providers) -> list[dict[str, Any]]:
    """Return the calls with an injected failure, and later attempts at the same calls."""
    asked = await providers.asked("model")
    bodies = {entry["body_sha256"] for entry in asked if entry["failure"]}
    return [entry for entry in asked if entry["body_sha256"] in bodies]


PASSING: dict[str, dict[str, Any]] = {
    "529": {"status": 529},
    "cut off": {"mode": "cut"},
    "error in the stream": {"mode": "stream_error"},
    "not the API": {"mode": "html"},
}


@pytest.mark.parametrize(
    ("failure", "pause"),
    [
        pytest.param({"status": 429, "retry_after": 2}, 2.0, id="429"),
        *(pytest.param(f, 0.5, id=n, marks=pytest.mark.full) for n, f in PASSING.items()),
    ],
)
async def test_what_passes_is_tried_again(
    whole: Whole, failure: dict[str, Any], pause: float
) -> None:
    """As late as the provider asked for, as one call in the ledger."""
    await whole.providers.told({**failure, "match": QUESTIONS})
    run = await whole.start()
    await run.asks("questions")
    first, second = await struck(whole.providers)
    waited = datetime.fromisoformat(second["at"]) - datetime.fromisoformat(first["at"])
    assert waited.total_seconds() >= pause
    assert len(await whole.ledger(run)) == 1
    retried = [event for event in await run.events() if event.type == "RetryEvent"]
    assert len(retried) == 1


@pytest.mark.parametrize(
    ("failure", "kind", "asked", "paid"),
    [
        ({"status": 400}, "model-rejected", 2, 0),
        ({"mode": "refuse"}, "model-refused", 3, 3),
        pytest.param({"mode": "truncate"}, "model-truncated", 6, 6, marks=pytest.mark.full),
    ],
    ids=["400", "refused", "truncated"],
)
async def test_what_does_not_pass_fails_at_once(
    whole: Whole, failure: dict[str, Any], kind: str, asked: int, paid: int
) -> None:
    """A truncated answer is requested again with more room, and the ledger contains both calls.

    The judgement of a question is requested again unless the provider rejects it; then a human is asked.
    """
    await whole.providers.told(failure | {"times": 9})
    run = await whole.start()
    await run.asks("questions")
    await run.post("/answers", {"answers": {"request": GO_ON}})
    assert await failed(run, "planning") == kind
    state = await run.ended()
    assert state.status == "failed"
    tried = {p.id: p.status for p in state.phases if p.id in ("clarification", "planning")}
    assert tried == {"clarification": "completed", "planning": "failed"}
    assert len(await whole.providers.asked("model")) == asked
    assert len(await whole.ledger(run)) == paid


@pytest.mark.parametrize(
    ("definition", "status"),
    [
        ("deep_research", 401),
        ("web_answer", 403),
        pytest.param("investment_analysis", 401, marks=pytest.mark.full),
    ],
)
async def test_rejected_key_fails_before_anything_is_asked_or_paid(
    whole: Whole, status: int, definition: str
) -> None:
    await whole.providers.told({"status": status, "times": 99})
    inputs = {"ticker": "AAPL"} if definition == "investment_analysis" else {}
    run = await whole.start(definition=definition, inputs=inputs)
    state = await run.ended()
    first, *others = state.phases
    assert (state.status, first.status) == ("failed", "failed")
    assert first.error
    assert first.error.type == "key-rejected"
    assert en("model-hint-key") in first.error.message
    assert {phase.status for phase in others} == {"skipped"}
    for service in ("model", "search", "pages", "edgar"):
        assert await whole.providers.asked(service) == []
    assert "InputRequiredEvent" not in [event.type for event in await run.events()]


async def test_key_rejected_in_the_midst_asks_no_human(whole: Whole) -> None:
    """It was accepted when the run began; a human's answer would not help."""
    calls = {"service": "model", "path": "/v1/messages"}
    await whole.providers.told({"status": 401, "times": 99, "match": calls})
    run = await whole.start()
    state = await run.ended()
    assert state.status == "failed"
    assert "key-rejected" in [phase.error.type for phase in state.phases if phase.error]
    assert "InputRequiredEvent" not in [event.type for event in await run.events()]


@pytest.mark.full
async def test_broken_json_is_repaired_once(whole: Whole) -> None:
    await whole.providers.told({"mode": "bad_json", "match": QUESTIONS})
    run = await whole.start()
    await run.asks("questions")
    assert len(await whole.providers.asked("model")) == 2
    assert len(await whole.ledger(run)) == 2


@pytest.mark.full
async def test_questions_whose_json_stays_broken_are_asked_for_again(whole: Whole) -> None:
    """If it is asked in words, the stand-in, which reads only schemas, does not return JSON either."""
    await whole.providers.told({"mode": "bad_json", "times": 2})
    run = await whole.start()
    assert "request" not in [question.id for question in (await run.asks("questions")).questions]
    asked = [entry["failure"] for entry in await whole.providers.asked("model")]
    assert asked == ["bad_json", "bad_json", ""]


async def test_turn_whose_repair_is_too_dear_is_asked_as_the_last_under_a_name_of_its_own(
    whole: Whole,
) -> None:
    """The second answer cannot be read; after it the cap pays for one more turn, not for two."""
    await whole.providers.told({"mode": "bad_json", "match": TURN | {"nth": 2}})
    run = await whole.start(definition="web_answer", budget=0.13)
    assert (await run.ended()).status == "partial"
    paid = [call["name"] for call in await whole.ledger(run) if call["phase_id"] == "research"]
    turns = [name for name in paid if name.startswith("turn-")]
    assert turns == ["turn-1", "turn-2", "turn-2-last"]


@pytest.mark.full
async def test_a_call_that_hangs_ends_with_its_phase(whole: Whole) -> None:
    await whole.providers.told({"mode": "hang", "times": 1, "match": QUESTIONS})
    run = await whole.start(config_overrides={"clarification": {"timeout_seconds": 1.5}})
    assert await failed(run, "clarification") == "phase-timeout"
    [hung] = [e for e in await whole.providers.asked("model") if e["failure"]]
    assert hung["disconnected"]


@pytest.mark.full
@pytest.mark.timeout(400)
async def test_a_stream_of_four_minutes_is_an_answer(whole: Whole) -> None:
    run = await whole.start(config_overrides={"planning": {"timeout_seconds": 600}})
    await run.asks("questions")
    await whole.providers.told(pace=240)
    await run.answer()
    await whole.providers.until("model", 2)
    await asyncio.sleep(1)
    await whole.providers.told()
    await run.asks("decision", 300)
    _, plan, *_ = await whole.providers.asked("model")
    assert plan["seconds"] > 230
    assert len(await whole.providers.asked("model")) == len(await whole.ledger(run))


@pytest.mark.full
@pytest.mark.timeout(300)
async def test_a_long_pause_that_the_provider_asks_for_ends_no_phase(whole: Whole) -> None:
    articles = {"schema_property": "articles"}
    await whole.providers.told({"status": 429, "retry_after": 120, "match": articles})
    inputs = {"ticker": "AAPL", "news_limit": 3}
    run = await whole.start("Worth it?", definition="investment_analysis", inputs=inputs)
    await run.completed(240)
    first, second = await struck(whole.providers)
    waited = datetime.fromisoformat(second["at"]) - datetime.fromisoformat(first["at"])
    assert waited.total_seconds() >= 120


@pytest.mark.full
async def test_a_turn_that_is_busy_costs_nothing(whole: Whole, undisturbed: Undisturbed) -> None:
    busy = {"status": 429, "retry_after": 1, "times": 2, "match": TURN}
    await whole.providers.told(busy, {"mode": "cut", "match": REPORT})
    run = await whole.start()
    await run.finish()
    assert await run.report() == undisturbed.report
    assert len(await whole.ledger(run)) == undisturbed.models
    await whole.paid_once(run, undisturbed)
