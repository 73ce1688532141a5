"""Whole runs on the real stack whose model's answers were recorded: what the reports hold, calls and price.

The answers are a strong model's, with a few errors planted, over the sample library and figures of four filings
(`fixtures/quality`); `python -m bench.replay` makes such a file of what `bench quality --record` kept.
"""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from bench.evaluation.measurement import Evaluator, list_keyed
from bench.harness import RunDriver, start_stack
from bench.quality import Figures, Score, measure_run
from bench.replay import Replay
from offline.recordings.answers import SAMPLES
from offline.recordings.recording import Recording

RECORDED = {"web_answer": "irrigated-land-en", "idea_to_execution": "bakeries-idea-en"}
"""The runs that are samples of the product as well."""
FIXTURES = Path(__file__).parent.parent / "fixtures" / "quality"
MARGINS = (
    "How do the operating margins of Ulta Beauty, Buckle and McDonald's compare in the newest results that "
    "are on file, and which of the three turns sales into profit best?"
)
PUMPS = "I want to sell solar irrigation pumps to farms in East Africa: which market first, and is it big enough?"
BAKERIES = "A service that helps small bakeries sell what is left over at the end of the day"
IRRIGATION = "How much irrigated land do Kenya and Ethiopia have, and how does it compare with their population?"
APPLE = "Is Apple worth buying?"


@pytest.fixture
def model() -> Replay:
    """A model that answers what was recorded."""
    return Replay(Recording())


@pytest.fixture
async def driver(model: Replay) -> AsyncIterator[RunDriver]:
    """A stack that searches the sample library."""
    async with start_stack(model, "recorded") as client:
        yield client


async def replay(
    client: RunDriver,
    model: Replay,
    definition: str,
    query: str,
    score: Score | None = None,
    **body: object,
) -> Figures:
    sample = RECORDED.get(definition)
    path = SAMPLES / f"{sample}.json.gz" if sample else FIXTURES / f"{definition}.json"
    model.load(Recording.load(path))
    start = {"definition": definition, "query": query, **body}
    figures = await measure_run(client, model, start, score)
    assert not model.missing
    assert figures["status"] == "completed"
    assert 0.75 < figures["usd"] / figures["expected_usd"] < 1.25, figures
    assert figures["usd"] < figures["top_usd"]
    return figures


@pytest.mark.full
async def test_a_comparison_of_filings(model: Replay) -> None:
    async with start_stack(model, "recorded", FIXTURES / "filings") as client:
        found = await replay(client, model, "deep_research", MARGINS)
    assert found["calls_before_approval"] <= 3
    assert found["verdicts"]["supported"] > 0.8 * sum(found["verdicts"].values()) > 30
    assert found["computed_figures"] > 10
    assert found["kinds"]["concluded"] > 2
    assert found["cached_share"] > 0.3, "a conversation that is cut is sent less, and cached less"
    assert found["input_tokens"] < 88_000


@pytest.mark.full
async def test_an_answer_from_the_web_takes_six_calls(driver: RunDriver, model: Replay) -> None:
    evaluator = Evaluator([next(iter(list_keyed()))])
    found = await replay(driver, model, "web_answer", IRRIGATION, evaluator.score)
    accuracy = {"citation_accuracy": 1.0, "effective_citations": 6.0}
    assert found["scores"] == {"answered": 1.0, "sourced": 1.0, **accuracy}
    assert found["calls"] <= 6
    assert found["verdicts"] == {"supported": 6}
    assert found["kinds"] == {"concluded": 2, "stated": 2, "computed": 2}
    found = await replay(driver, model, "investment_analysis", APPLE, inputs={"ticker": "AAPL"})
    assert found["verdicts"]["supported"] > 9


@pytest.mark.full
async def test_a_crew_and_a_plan_done_step_by_step(driver: RunDriver, model: Replay) -> None:
    found = await replay(
        driver,
        model,
        "market_analysis",
        PUMPS,
        config_overrides={"crew": {"config": {"max_sources": 60}}},
    )
    assert found["calls_before_approval"] <= 3
    assert found["verdicts"]["supported"] > 0.7 * sum(found["verdicts"].values()) > 30
    found = await replay(driver, model, "idea_to_execution", BAKERIES)
    assert found["verdicts"]["supported"] >= 5
