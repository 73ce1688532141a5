"""A listed company through the interpreter: gathered once, looked at side by side, decided on."""

import asyncio
from typing import Any

import pytest
from pydantic import TypeAdapter
from temporalio.client import Client
from temporalio.exceptions import ApplicationError

from contracts.base import Json
from contracts.definitions import Definition, PhaseOverride
from contracts.errors import InvalidInput
from contracts.evidence.company import Passage
from contracts.phases import Phase
from contracts.runs.state import StateView
from tests.sources import page
from tests.workflows.support.fake_activities import Fakes
from tests.workflows.support.listed_company import COMPANY, HITS, INPUTS, beside, score
from tests.workflows.support.phase_harness import work
from tests.workflows.support.run_harness import Harness, harness
from workflows.start.resolution import validate_definition

ID = "investment_analysis"


async def ended(made: Harness, **options: Any) -> StateView:
    """Run the analysis to its end."""
    handle = await made.start(definition_id=ID, **{"inputs": INPUTS, **options})
    await asyncio.wait_for(handle.result(), 20)
    return await made.state(handle)


def statuses(state: StateView) -> Json:
    return {phase.id: phase.status for phase in state.phases}


def output(fakes: Fakes, phase: str) -> Any:
    return next(p.output for batch in fakes.batches[::-1] for p in batch.phases if p.id == phase)


async def test_data_is_collected_once_and_the_decision_has_caveats(
    temporal: Client,
) -> None:
    async with harness(temporal) as made:
        state = await ended(made)
    assert set(statuses(state).values()) == {"completed"}
    assert state.status == "completed"
    assert made.fakes.searches == ["Apple Inc. AAPL"]
    assert len(made.fakes.fetches) == 2
    assert sorted(made.fakes.calls[:2]) == ["fundamental/analysis", "news/analysis"]
    assert made.fakes.calls[2:] == ["research/report", "investment/decision"]
    decision: Any = state.results["decision"]
    assert "not investment advice" in decision["disclaimer"]
    report = output(made.fakes, "investment")["report"]
    assert report["answer"]["heading"] == "Decision: Enter"
    assert "not investment advice" in report["markdown"]
    assert "key figures" in report["markdown"]
    news = output(made.fakes, "news")["analysis"]
    assert (news["spread"]["mean"], news["spread"]["scored"]) == (0.1, 2)


async def test_report_opens_with_the_day_and_age_of_the_figures(temporal: Client) -> None:
    fakes = Fakes()
    figures = fakes.filed.fundamentals.model_copy(update={"as_of": "2025-09-01"})
    fakes.filed = fakes.filed.model_copy(update={"fundamentals": figures})
    async with harness(temporal, fakes) as made:
        await ended(made)
    [first, second, *_] = output(made.fakes, "investment")["report"]["notes"]
    assert first == "As of 2025-09-01: nothing that was filed or published later was read."
    assert second == (
        "Apple Inc. (AAPL): figures to 2025-06-28, filed by 2025-08-01, 2 months before 2025-09-01."
    )
    markdown = output(made.fakes, "investment")["report"]["markdown"]
    assert markdown.index("As of 2025") < markdown.index("## Decision")


async def test_figures_older_than_two_quarters_are_called_so_at_the_head(temporal: Client) -> None:
    async with harness(temporal) as made:
        state = await ended(made)
    [first, *_] = output(made.fakes, "investment")["report"]["notes"]
    assert first.startswith("Apple Inc. (AAPL): figures to 2025-06-28, filed by 2025-08-01")
    assert first.endswith("older than two quarters.")
    assert first in state.phases[0].warnings


async def test_each_of_several_companies_is_drawn_cited_and_dated_of_its_own(
    temporal: Client,
) -> None:
    fakes = Fakes()
    fakes.filed = beside(fakes.filed)
    fakes.answers["DraftSentiment"] = {"articles": []}
    async with harness(temporal, fakes) as made:
        await ended(made, inputs={"tickers": "AAPL,SNOW"})
    sources = output(fakes, "retrieval")["sources"]
    peers = output(fakes, "retrieval")["fundamentals"]["peers"]
    cited = [sources[peer["source"] - 1]["title"] for peer in peers]
    assert cited == ["Apple Inc. (AAPL): figures", "Snowflake Inc. (SNOW): figures"]
    [asked] = [r for r in fakes.requests if r.scope.phase_id == "fundamental"]
    shown = [i.name for message in asked.messages for b in message.content for i in b.inputs]
    assert {"source-1", "source-2"} <= set(shown)
    artifacts = output(fakes, "retrieval")["artifacts"]
    charts = [a["name"] for a in artifacts if a["kind"] == "chart"]
    assert {name.split(":")[0] for name in charts} == {"Apple Inc.", "Snowflake Inc."}
    [asked] = [r for r in fakes.requests if r.scope.phase_id == "investment"]
    schema: Any = asked.output_schema
    assert {"buy AAPL", "sell SNOW"} < set(schema["properties"]["action"]["enum"])
    assert schema["properties"]["ranking"]["items"]["enum"] == ["AAPL", "SNOW"]
    notes = output(fakes, "investment")["report"]["notes"]
    assert notes[1].startswith("Snowflake Inc. (SNOW): figures to 2025-04-30, filed by 2025-05-30")
    assert "News, guidance, risk factors and parts were read of AAPL alone, not of SNOW." in notes


async def test_gaps_of_an_analysis_reach_the_writer_the_decider_and_the_report(
    temporal: Client,
) -> None:
    async with harness(temporal) as made:
        await ended(made)
    asked = {r.scope.phase_id: r for r in made.fakes.requests if r.scope.phase_id}
    inputs = {
        phase: {i.name: i.text for m in asked[phase].messages for b in m.content for i in b.inputs}
        for phase in ("research", "investment")
    }
    assert "No price." in inputs["research"]["gaps"]
    assert "No price." in inputs["investment"]["fundamental.analysis"]
    markdown = output(made.fakes, "investment")["report"]["markdown"]
    assert "## What would have to be known\n\n- No price." in markdown


async def test_report_without_an_answer_says_what_was_searched(temporal: Client) -> None:
    fakes = Fakes()
    fakes.answers["ShortAnswer"] = {"title": "Apple", "claims": [], "missing": "Its plans."}
    async with harness(temporal, fakes) as made:
        await ended(made)
    markdown = output(fakes, "investment")["report"]["markdown"]
    assert "No search was made." not in markdown
    assert "1 searches were made" in markdown


async def test_a_decision_that_names_no_reason_against_it_is_not_the_headline(
    temporal: Client,
) -> None:
    fakes = Fakes()
    fakes.answers["Recommendation"] = {**fakes.answers["Recommendation"], "risks": []}
    async with harness(temporal, fakes) as made:
        state = await ended(made)
    decision: Any = state.results["decision"]
    assert (decision["action"], decision["withheld"]) == ("not enough to say", "Enter")
    assert decision["confidence"] == 0
    report = output(fakes, "investment")["report"]
    assert report["answer"]["heading"] == "Decision: not enough to say"
    assert "Enter" in report["answer"]["remarks"][0]


async def test_every_decision_may_end_in_not_enough_to_say(temporal: Client) -> None:
    async with harness(temporal) as made:
        await ended(made)
        [asked] = [r for r in made.fakes.requests if r.scope.phase_id == "investment"]
    schema: Any = asked.output_schema
    assert schema["properties"]["action"]["enum"] == [
        *("buy AAPL", "hold AAPL", "sell AAPL", "not yet", "not enough to say")
    ]


async def test_what_filings_say_stands_in_the_report_quoted_from_the_filing(
    temporal: Client,
) -> None:
    fakes = Fakes()
    quote = "We expect revenue of $100 million."
    passage = Passage(
        kind="guidance",
        quote=quote,
        source=1,
        form="8-K",
        filed="2025-08-01",
        start=7,
        end=7 + len(quote),
    )
    filing = page("https://www.sec.gov/8-k", title="Apple Inc.: 8-K filed 2025-08-01")
    figures = fakes.filed.fundamentals.model_copy(update={"passages": [passage]})
    fakes.filed = fakes.filed.model_copy(update={"fundamentals": figures, "documents": [filing]})
    fakes.answers["DraftSentiment"] = {"articles": []}
    async with harness(temporal, fakes) as made:
        state = await ended(made)
    assert state.status == "completed"
    report = output(fakes, "investment")["report"]
    [section] = [s for s in report["sections"] if "expects" in s["heading"]]
    [citation] = section["claims"][0]["citations"]
    sources = output(fakes, "retrieval")["sources"]
    assert sources[citation["source"] - 1]["url"] == "https://www.sec.gov/8-k"
    assert (citation["quote"], citation["start"]) == (quote, 7)
    assert "announcement of results filed 2025-08-01" in report["markdown"]


async def test_article_that_repeats_a_filing_is_shown_and_not_scored(temporal: Client) -> None:
    fakes = Fakes()
    words = "Pumps sell better than ever in every region, the company announced today. "
    passage = Passage(
        kind="guidance", quote="Pumps", source=1, form="8-K", filed="2025-08-01", start=0, end=5
    )
    filing = page("https://www.sec.gov/8-k", title="Apple Inc.: 8-K").model_copy(
        update={"snippet": words * 4}
    )
    figures = fakes.filed.fundamentals.model_copy(update={"passages": [passage]})
    fakes.filed = fakes.filed.model_copy(update={"fundamentals": figures, "documents": [filing]})
    fakes.snippets[HITS[0].url] = words
    fakes.answers["DraftSentiment"] = {"articles": [score(3, -0.4)]}
    async with harness(temporal, fakes) as made:
        await ended(made)
    [asked] = [r for r in fakes.requests if r.scope.phase_id == "news"]
    shown = [i.name for m in asked.messages for b in m.content for i in b.inputs]
    assert [name for name in shown if name.startswith("source-")] == ["source-3"]
    news = output(fakes, "news")["analysis"]
    assert news["spread"]["scored"] == 1
    [told] = news["gaps"]
    assert told.startswith("not scored, it repeats the company's own filing: ")


async def test_branch_collects_its_data_if_no_phase_provides_it(temporal: Client) -> None:
    async with harness(temporal) as made:
        state = await ended(made, only=["news"])
        assert statuses(state)["news"] == "completed"
        assert state.status == "partial"
        assert made.fakes.searches == ["AAPL"]
        assert made.fakes.calls == ["news/analysis"]
        assert output(made.fakes, "news")["sources"]
        state = await ended(made, only=["fundamental"])
        assert statuses(state)["fundamental"] == "completed"


@pytest.mark.parametrize(("broken", "kept"), [("facts", "news"), ("search", "fundamental")])
async def test_unavailable_data_fails_only_its_branch(
    temporal: Client, broken: str, kept: str
) -> None:
    def before(name: str, request: Any) -> None:
        if name == broken:
            raise ApplicationError("it is away", type="upstream", non_retryable=True)

    fakes = Fakes()
    fakes.before = before
    async with harness(temporal, fakes) as made:
        state = await ended(made)
    lost = ({"news", "fundamental"} - {kept}).pop()
    assert statuses(state) == {
        "retrieval": "partial",
        kept: "completed",
        lost: "failed",
        "research": "partial",
        "investment": "skipped",
    }
    assert state.status == "failed"


async def test_synthesis_is_skipped_without_any_branch(temporal: Client) -> None:
    def before(name: str, request: Any) -> None:
        if name in ("facts", "search"):
            raise ApplicationError("it is away", type="upstream", non_retryable=True)

    fakes = Fakes()
    fakes.before = before
    async with harness(temporal, fakes) as made:
        state = await ended(made)
    assert statuses(state)["retrieval"] == "failed"
    assert statuses(state)["research"] == statuses(state)["investment"] == "skipped"


async def test_run_without_news_completes_with_a_caveat(temporal: Client) -> None:
    fakes = Fakes()
    fakes.news = []
    async with harness(temporal, fakes) as made:
        state = await ended(made)
    assert state.status == "completed"
    assert output(fakes, "retrieval")["news"] == []
    news = next(phase for phase in state.phases if phase.id == "news")
    assert news.warnings == ["no news on AAPL was found"]
    decision: Any = state.results["decision"]
    assert "no news on AAPL was found" in decision["caveats"]
    assert "news/analysis" not in fakes.calls


@pytest.mark.full
async def test_hanging_page_is_left_out(temporal: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("workflows.company.PAGE_WAIT_SECONDS", 0.5)

    async def before(name: str, request: Any) -> None:
        if name == "fetch" and request.url == HITS[0].url:
            await asyncio.sleep(60)

    fakes = Fakes()
    fakes.before = before
    fakes.answers["DraftSentiment"] = {"articles": []}
    async with harness(temporal, fakes) as made:
        state = await ended(made, until="retrieval")
    assert [a["url"] for a in output(fakes, "retrieval")["news"]] == [HITS[1].url]
    assert "1 of 2 pages of news did not answer in time" in state.phases[0].warnings


@pytest.mark.full
async def test_hanging_branch_times_out_and_the_other_completes(temporal: Client) -> None:
    async def before(name: str, request: Any) -> None:
        if name == "model" and request.scope.phase_id == "news":
            await asyncio.sleep(60)

    fakes = Fakes()
    fakes.before = before
    async with harness(temporal, fakes) as made:
        state = await ended(made, config_overrides={"news": PhaseOverride(timeout_seconds=1)})
    assert (statuses(state)["news"], statuses(state)["fundamental"]) == ("failed", "completed")
    assert state.phases[2].error
    assert state.phases[2].error.type == "phase-timeout"


async def test_article_after_as_of_is_not_read(temporal: Client) -> None:
    fakes = Fakes()
    fakes.published = "2025-08-02"
    async with harness(temporal, fakes) as made:
        await ended(made, inputs={**INPUTS, "as_of": "2025-08-01"}, until="news")
    assert output(fakes, "retrieval")["news"] == []
    assert [s["url"] for s in output(fakes, "retrieval")["sources"]] == [
        page("https://data.sec.gov/1").url
    ]


@pytest.mark.parametrize("kind", ["retrieval", "fundamentals", "news"])
async def test_web_is_not_reached_before_an_approval(kind: str) -> None:
    config: Json = {} if kind == "retrieval" else {"lens": kind}
    given: Json = {"kind": "retrieval" if kind == "retrieval" else "analysis", "config": config}
    phase: Any = TypeAdapter(Phase).validate_python(given)
    with pytest.raises(InvalidInput, match="reaches the web"):
        validate_definition(Definition(id="d", phases=[phase]))
    done = await work(Fakes(), phase, approved=False)
    assert done.gave == ["ApprovalRequired"]
    assert done.asked == []


async def test_missing_source_of_figures_fails_only_its_branch(temporal: Client) -> None:
    filed: Json = {"company": COMPANY.model_dump(mode="json"), "figures": []}
    async with harness(temporal, Fakes()) as made:
        state = await ended(made, given={"retrieval": {"fundamentals": filed, "news": []}})
    assert statuses(state)["fundamental"] == "failed"
    assert state.phases[1].error
    assert state.phases[1].error.message == "source: 0 is none of the run's 0"


async def test_cancel_ends_pending_collection(temporal: Client) -> None:
    asked = asyncio.Event()

    def before(kind: str, _: Any) -> Any:
        if kind == "facts":
            asked.set()
            return asyncio.sleep(60)
        return None

    fakes = Fakes()
    fakes.before = before
    async with harness(temporal, fakes) as made:
        handle = await made.start(definition_id=ID, inputs=INPUTS)
        await asked.wait()
        await made.update(handle, "cancel", {"mode": "now"})
        await asyncio.wait_for(handle.result(), 20)
        events = (await handle.fetch_history()).events
    field = "activity_task_cancel_requested_event_attributes"
    assert [e for e in events if e.HasField(field)]  # type: ignore[arg-type]
