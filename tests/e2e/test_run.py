"""A whole run on the real stack: what is shown, what is kept and what was asked of providers agree."""

import asyncio
from itertools import pairwise

import pytest

from contracts.records import LoggedEvent
from contracts.research import Plan, Report
from contracts.state import StateView
from contracts.web import Source
from tests.whole import QUESTION, Run, Whole
from workflows.reporting import claims_of


async def test_a_run_by_http(whole: Whole) -> None:
    run = await whole.start()
    watched = asyncio.create_task(collect(run))
    asked = await run.asks("questions")
    assert 2 <= len(asked.questions) <= 3
    assert all(question.context for question in asked.questions)
    await run.answer()
    shown = await run.approve()
    state = await run.completed()
    await prices_and_ledger_agree(whole, run, state, Plan.model_validate(shown.subject))
    await records_agree(whole, run, state, await watched)
    await quotes_stand_in_their_sources(run)


async def collect(run: Run) -> list[LoggedEvent]:
    return [event async for event in run.stream()]


async def prices_and_ledger_agree(whole: Whole, run: Run, state: StateView, plan: Plan) -> None:
    """Each call to the model stands in the ledger once, and what they cost is what was shown."""
    made = await whole.providers.asked("model")
    paid = await whole.ledger(run)
    assert {entry["status"] for entry in made} == {200}
    assert len({entry["body_sha256"] for entry in made}) == len(made) == len(paid)
    usd = sum(float(call["settled_usd"]) for call in paid)
    assert state.usage.calls == len(paid)
    assert state.usage.usd == pytest.approx(usd)
    assert sum(phase.usage.usd for phase in state.phases) == pytest.approx(usd)
    shown = plan.estimated_cost
    assert shown.low_usd <= usd <= shown.top_usd
    assert shown.expected_usd / 2 <= usd <= shown.expected_usd * 2


async def records_agree(
    whole: Whole, run: Run, state: StateView, watched: list[LoggedEvent]
) -> None:
    """Log, stream, state and rows tell the same run."""
    events = await run.events()
    assert watched == events
    assert [event.seq for event in events] == list(range(1, len(events) + 1))
    assert events[-1].type == "workflow_complete"
    ended = {e.phase_id: e.status for e in events if e.type == "step_complete"}
    rows = (await run.get("/phases")).json()["items"]
    record = (await run.get()).json()
    assert ended == {p.id: p.status for p in state.phases} == {r["id"]: r["status"] for r in rows}
    assert record["query"] == QUESTION
    assert all(a.ended_at <= b.started_at for a, b in pairwise(state.phases))  # type: ignore[operator]
    outputs = [e for e in events if e.type == "AgentOutput"]
    assert len(outputs) == state.usage.calls == record["usage"]["calls"]
    searched = await whole.providers.asked("search")
    told = [e for e in events if e.type == "ToolCall" and e.payload["tool_name"] == "web_search"]
    assert len(searched) == len(told) > 0


async def quotes_stand_in_their_sources(run: Run) -> None:
    """Each supported claim's quote is what its source's snapshot says at that place."""
    outputs = (await run.get(include="outputs")).json()["outputs"]
    report = Report.model_validate(outputs["synthesis"]["report"])
    sources = [Source.model_validate(s) for s in (await run.get("/sources")).json()["items"]]
    texts = [(await run.get(f"/sources/{n}/snapshot")).text for n in range(1, len(sources) + 1)]
    assert [len(text) for text in texts] == [source.chars for source in sources]
    supported = [claim for claim in claims_of(report) if claim.verdict == "supported"]
    cited = [citation for claim in supported for citation in claim.citations]
    assert len(cited) > 10
    for citation in cited:
        assert texts[citation.source - 1][citation.start : citation.end] == citation.quote
    assert report.claims_unsupported == report.claims_total - len(supported)
    assert report.comparison
    assert report.markdown == await run.report()
