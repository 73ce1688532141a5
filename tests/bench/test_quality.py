"""Whole runs on the real stack with recorded model answers: contents, calls and prices of reports.

The answers are a strong model's, with a few errors planted, over the sample library and figures of four filings
(`fixtures/quality`); `python -m bench.replay` makes such a file of what `bench quality --record` kept.
"""

import pytest

from bench.evaluation.measurement import Evaluator, list_keyed
from bench.prices import APPLE, BAKERIES, IRRIGATION, MARGINS, PUMPS, RecordedRun
from bench.quality import Figures, Score


async def replay(run: RecordedRun, score: Score | None = None) -> Figures:
    figures = await run.replay(score)
    assert figures["status"] == "completed"
    assert not figures["missing"]
    assert 0.75 < figures["usd"] / figures["expected_usd"] < 1.25, figures
    assert figures["usd"] < figures["top_usd"]
    return figures


@pytest.mark.full
async def test_a_comparison_of_filings() -> None:
    found = await replay(MARGINS)
    assert found["calls_before_approval"] <= 3
    assert found["verdicts"]["supported"] > 0.8 * sum(found["verdicts"].values()) > 30
    assert found["computed_figures"] > 10
    assert found["kinds"]["concluded"] > 2
    assert found["cached_share"] > 0.3, "a conversation that is cut is sent less, and cached less"
    assert found["input_tokens"] < 110_000


@pytest.mark.full
async def test_an_answer_from_the_web_takes_six_calls() -> None:
    evaluator = Evaluator([next(iter(list_keyed()))])
    found = await replay(IRRIGATION, evaluator.score)
    accuracy = {"citation_accuracy": 1.0, "effective_citations": 6.0}
    assert found["scores"] == {"answered": 1.0, "sourced": 1.0, **accuracy}
    assert found["calls"] <= 6
    assert found["verdicts"] == {"supported": 6}
    assert found["kinds"] == {"concluded": 2, "stated": 2, "computed": 2}
    found = await replay(APPLE)
    assert found["verdicts"]["supported"] > 9


@pytest.mark.full
async def test_a_crew_and_a_plan_done_step_by_step() -> None:
    found = await replay(PUMPS)
    assert found["calls_before_approval"] <= 3
    assert found["verdicts"]["supported"] > 0.7 * sum(found["verdicts"].values()) > 30
    found = await replay(BAKERIES)
    assert found["verdicts"]["supported"] >= 5
