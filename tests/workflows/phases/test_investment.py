"""A listed company through the interpreter: gathered once, looked at side by side, decided on."""

import asyncio
import json
from typing import Any

import pytest
from pydantic import TypeAdapter
from temporalio.client import Client
from temporalio.exceptions import ApplicationError

from contracts.base import Json
from contracts.company.figures import CompanyFacts
from contracts.company.filings import Passage
from contracts.company.valuation import PastPrice, PriceOrigin, SharePrice, Valuation
from contracts.company.valuation_terms import ValuationTerms
from contracts.definitions import Definition, PhaseOverride
from contracts.errors import InvalidInput
from contracts.evidence.claims import JUDGE
from contracts.evidence.rows import FigureRow
from contracts.evidence.sources import SearchHit
from contracts.models.call import ModelRequest
from contracts.notices import Notice
from contracts.phases import Phase
from contracts.phases.typed_answers import NOT_ENOUGH, UnheededDay
from contracts.preset_definitions import PRESETS
from contracts.problems import Problem
from contracts.report.unread_results import UnreadResults
from contracts.runs.request import RunRequest
from contracts.runs.state_view import StateView
from contracts.words import say
from domain.company.figures.dates import date_figures
from domain.yardsticks import list_choices, list_known, show_tables
from tests.domain.test_yardsticks import table
from tests.support.sources import page
from tests.support.words import en, opening, pattern, phrase
from tests.workflows.support.fake_activities import TERMS, Fakes
from tests.workflows.support.listed_company import COMPANY, HITS, INPUTS, beside, renew, score
from tests.workflows.support.phase_harness import NOW, PLAN, work
from tests.workflows.support.run_harness import Harness, harness
from workflows.phases.synthesis import ROLE as WRITER
from workflows.start.resolution import open_run, validate_definition

ID = "investment_analysis"


async def ended(made: Harness, **options: Any) -> StateView:
    """Run the analysis to its end."""
    handle = await made.start(definition_id=ID, **{"inputs": INPUTS, **options})
    await asyncio.wait_for(handle.result(), 20)
    return await made.state(handle)


def statuses(state: StateView) -> Json:
    return {phase.id: phase.status for phase in state.phases}


def list_inputs(request: ModelRequest) -> dict[str, str]:
    return {i.name: i.text for m in request.messages for b in m.content for i in b.inputs}


def announce(facts: CompanyFacts) -> CompanyFacts:
    """Return companies' facts, each with guidance that a document of its own states."""
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
    ticker = facts.fundamentals.company.ticker
    filing = page(f"https://www.sec.gov/8-k/{ticker[:2]}", title=f"{ticker}: 8-K")
    return facts.model_copy(
        update={
            "fundamentals": facts.fundamentals.model_copy(update={"passages": [passage]}),
            "documents": [filing],
            "others": [announce(other) for other in facts.others],
        }
    )


def output(fakes: Fakes, phase: str) -> Any:
    return next(p.output for batch in fakes.batches[::-1] for p in batch.phases if p.id == phase)


async def test_data_is_collected_once_and_the_decision_has_caveats(
    temporal: Client,
) -> None:
    fakes = Fakes()
    fakes.filed = renew(fakes.filed)
    async with harness(temporal, fakes) as made:
        state = await ended(made)
    assert set(statuses(state).values()) == {"completed"}
    assert state.status == "completed"
    assert made.fakes.searches == ["Apple Inc. AAPL"]
    assert len(made.fakes.fetches) == 2
    assert sorted(made.fakes.calls[:2]) == ["fundamental/analysis", "news/analysis"]
    assert made.fakes.calls[2:] == [
        "research/report",
        "research/check-gaps",
        "investment/decision",
    ]
    decision: Any = state.results.model_dump(mode="json")["decision"]
    assert decision["disclaimer"] == say("en", "not-advice")
    report = output(made.fakes, "investment")["report"]
    assert report["answer"]["heading"] == en("decision", actions="Enter")
    assert say("en", "not-advice") in report["markdown"]
    assert phrase("company-dated") in report["markdown"]
    news = output(made.fakes, "news")["analysis"]
    assert (news["spread"]["mean"], news["spread"]["scored"]) == (0.1, 2)


@pytest.mark.full
async def test_a_german_question_gets_its_disclaimer_in_german(temporal: Client) -> None:
    async with harness(temporal) as made:
        state = await ended(made, query="Soll man die Aktie von Apple kaufen?")
    decision: Any = state.results.model_dump(mode="json")["decision"]
    assert decision["disclaimer"] == say("de", "not-advice")
    assert say("de", "not-advice") in output(made.fakes, "investment")["report"]["markdown"]


@pytest.mark.full
async def test_report_opens_with_the_day_and_age_of_the_figures(temporal: Client) -> None:
    fakes = Fakes()
    figures = fakes.filed.fundamentals.model_copy(update={"as_of": "2025-09-01"})
    fakes.filed = fakes.filed.model_copy(update={"fundamentals": figures})
    async with harness(temporal, fakes) as made:
        await ended(made)
    [first, second, *_] = read_notes(made.fakes)
    assert first == Notice.of("company-as-of", day="2025-09-01")
    assert second == date_figures(figures, "2025-09-01")
    markdown = output(made.fakes, "investment")["report"]["markdown"]
    assert markdown.index("## Decision") < markdown.index("As of 2025")
    assert markdown.count("As of 2025") == 1
    assert markdown.index("As of 2025") < markdown.index(f"## {en('decision-for')}")


@pytest.mark.full
async def test_figures_older_than_two_quarters_are_called_so_at_the_head(temporal: Client) -> None:
    async with harness(temporal) as made:
        state = await ended(made)
    [first, *_] = read_notes(made.fakes)
    assert (first.code, first.params["company"]) == ("company-dated", "Apple Inc. (AAPL)")
    assert first.includes(Notice.of("company-stale-quarter"))
    assert first.text in state.phases[0].warnings


def read_notes(fakes: Fakes) -> list[Notice]:
    """Return the notices of the report on the investment, without the definition's own texts."""
    notes = output(fakes, "investment")["report"]["notes"]
    return [Notice.model_validate(note) for note in notes if isinstance(note, dict)]


def priced(facts: CompanyFacts, value: float, day: str, origin: PriceOrigin) -> CompanyFacts:
    """Return a company's facts at a price, and with the day of its next results."""
    price = SharePrice(value=value, day=day, origin=origin)
    found = facts.fundamentals
    worth = FigureRow(metric="market_value", period="instant", end=day, value=1e9, unit="USD")
    valuation = Valuation(price=price, terms=ValuationTerms(), rows=[worth])
    valued = found.model_copy(update={"valuation": valuation, "next_results": "2025-10-30"})
    return facts.model_copy(update={"fundamentals": valued})


async def test_head_and_decider_are_told_the_days_of_prices_and_of_the_next_results(
    temporal: Client,
) -> None:
    fakes = Fakes()
    fakes.filed = priced(beside(fakes.filed), 200, "2026-11-24", "given")
    [other] = fakes.filed.others
    other = priced(other, 223.77, "2025-06-30", "close")
    figures = fakes.filed.fundamentals.model_copy(update={"as_of": "2026-11-24"})
    fakes.filed = fakes.filed.model_copy(update={"fundamentals": figures, "others": [other]})
    fakes.answers["DraftSentiment"] = {"articles": []}
    async with harness(temporal, fakes) as made:
        state = await ended(made, inputs={"tickers": "AAPL,SNOW"})
    notes = read_notes(fakes)
    more = Notice.of("company-quarters", n=4)
    late = Notice.of("company-results-late", due="2025-10-30", more=more, next="2027-01-28")
    given, close = (Notice.of(f"price-{origin}") for origin in ("given", "close"))
    [own, beside_it] = [
        Notice.of("price", "info", value=value, currency="USD") for value in (200, 223.77)
    ]
    now = Notice.of("company-price", price=own, origin=given, day="2026-11-24", today="2026-11-24")
    assert (notes[1].params["unread"], notes[1].params["price"]) == (late, now)
    age = Notice.of("months", "info", n=17)
    assert notes[2].params["price"] == Notice.of(
        "company-price",
        price=beside_it,
        origin=close,
        day="2025-06-30",
        age=age,
        today="2026-11-24",
    )
    assert notes[3] == Notice.of("company-prices-apart", days=["2025-06-30", "2026-11-24"])
    assert {note.text for note in notes[1:3]} <= {*state.phases[0].warnings}
    [asked] = [r for r in fakes.requests if r.role == "decider"]
    assert list_inputs(asked)["basis"].splitlines()[0].startswith("[")
    assert all(note.text in list_inputs(asked)["basis"] for note in notes[1:4])
    drawn = [a["name"] for a in output(fakes, "retrieval")["artifacts"]]
    assert drawn[0] == en("grid-valuation", names=["AAPL", "SNOW"])


async def test_head_says_who_is_not_compared_and_whose_price_is_not_known(
    temporal: Client,
) -> None:
    fakes = Fakes()
    fakes.filed = priced(beside(fakes.filed), 200, "2025-08-01", "given")
    left = [Notice.of("company-not-compared", why="NOPE"), Notice.of("company-ifrs")]
    figures = fakes.filed.fundamentals.model_copy(
        update={"head_notes": left[:1], "notes": left[1:], "as_of": "2025-08-02"}
    )
    fakes.filed = fakes.filed.model_copy(update={"fundamentals": figures})
    fakes.answers["DraftSentiment"] = {"articles": []}
    async with harness(temporal, fakes) as made:
        await ended(made, inputs={"tickers": "AAPL,SNOW,NOPE"})
    notes = read_notes(fakes)
    assert Notice.of("company-prices-missing", companies=["Snowflake Inc. (SNOW)"]) in notes
    assert left[0] in notes
    assert left[1] not in notes
    sections = {s["heading"]: s for s in output(fakes, "investment")["report"]["sections"]}
    own = sections[en("figures-explained", company="Apple Inc. (AAPL)")]
    assert own["remarks"][0] == left[1].text


@pytest.mark.full
async def test_decider_is_told_the_tone_of_the_news_on_every_company(temporal: Client) -> None:
    fakes = Fakes()
    fakes.filed = beside(fakes.filed)
    fakes.news = [*HITS[:1], SearchHit(url="https://example.org/3", title="Snowflake gains")]
    fakes.answers["DraftSentiment"] = lambda request: {
        "articles": [score(n, 0.5) for n in (3, 4) if f"source-{n}" in list_inputs(request)]
    }
    async with harness(temporal, fakes) as made:
        await ended(made, inputs={"tickers": "AAPL,SNOW"})
    [asked] = [r for r in fakes.requests if r.role == "decider"]
    told = list_inputs(asked)["news.analysis"]
    assert "Apple Inc.: Of 1 articles 1 were scored" in told
    assert "Snowflake Inc.: Of 1 articles 1 were scored" in told


async def test_each_of_several_companies_is_drawn_cited_and_dated_of_its_own(
    temporal: Client,
) -> None:
    fakes = Fakes()
    fakes.filed = beside(fakes.filed)
    fakes.answers["DraftSentiment"] = {"articles": []}
    async with harness(temporal, fakes) as made:
        await ended(made, inputs={"tickers": "AAPL,SNOW"})
    sources = output(fakes, "retrieval")["sources"]
    first = output(fakes, "retrieval")["fundamentals"]
    cited = [sources[each["source"] - 1]["title"] for each in (first, *first["others"])]
    assert cited == ["Apple Inc. (AAPL): figures", "Snowflake Inc. (SNOW): figures"]
    [asked] = [r for r in fakes.requests if r.scope.phase_id == "fundamental"]
    shown = [i.name for message in asked.messages for b in message.content for i in b.inputs]
    assert {"source-1", "source-2"} <= set(shown)
    artifacts = output(fakes, "retrieval")["artifacts"]
    charts = [a["name"] for a in artifacts if a["kind"] == "chart"]
    assert {name.split(":")[0] for name in charts} == {"Apple Inc.", "Snowflake Inc."}
    [asked] = [r for r in fakes.requests if r.role == "decider"]
    schema: Any = asked.output_schema
    one = schema["$defs"]["CompanyAction"]["properties"]
    assert one["action"]["enum"] == [
        *("buy", "hold", "sell", "avoid"),
        *("not yet", "not enough to say"),
    ]
    assert one["company"]["enum"] == ["AAPL", "SNOW"]
    assert schema["properties"]["ranking"]["items"]["enum"] == ["AAPL", "SNOW"]
    dated = read_notes(fakes)[1].params
    assert (dated["company"], dated["end"]) == ("Snowflake Inc. (SNOW)", "2025-04-30")


async def test_news_guidance_and_closes_are_those_of_each_company(temporal: Client) -> None:
    fakes = Fakes()
    fakes.filed = announce(beside(fakes.filed))
    fakes.news = [*HITS[:1], SearchHit(url="https://example.org/3", title="Snowflake gains")]
    fakes.answers["DraftSentiment"] = lambda request: {
        "articles": [score(n, 0.5) for n in (5, 6) if f"source-{n}" in list_inputs(request)]
    }
    async with harness(temporal, fakes) as made:
        state = await ended(made, inputs={"tickers": "AAPL,SNOW", "news_limit": 20})
    assert state.status == "completed"
    assert sorted(fakes.searches) == ["Apple Inc. AAPL", "Snowflake Inc. SNOW"]
    asked = {r.scope.name: list_inputs(r) for r in fakes.requests if r.scope.phase_id == "news"}
    assert {name: inputs["company"] for name, inputs in asked.items()} == {
        "analysis": "Apple Inc. (AAPL)",
        "SNOW-analysis": "Snowflake Inc. (SNOW)",
    }
    news = output(fakes, "news")["analysis"]
    assert (news["company"], news["spread"]["scored"]) == ("Apple Inc.", 1)
    [other] = news["others"]
    assert (other["company"], other["spread"]["scored"]) == ("Snowflake Inc.", 1)
    report = output(fakes, "investment")["report"]
    told = [
        a["name"]
        for a in output(fakes, "news")["artifacts"]
        if a["name"].endswith(en("news-table", company=""))
    ]
    assert told == [
        en("news-table", company="Apple Inc."),
        en("news-table", company="Snowflake Inc."),
    ]
    sources = output(fakes, "retrieval")["sources"]
    for name, filing in (("Apple Inc.", "8-k/AA"), ("Snowflake Inc.", "8-k/SN")):
        expected = opening("passages-guidance", "company", company=name)
        [section] = [s for s in report["sections"] if s["heading"].startswith(expected)]
        cited = section["claims"][0]["citations"][0]["source"]
        assert sources[cited - 1]["url"].endswith(filing)


async def test_articles_of_several_companies_are_no_more_than_the_consent_says(
    temporal: Client,
) -> None:
    asked: list[int] = []

    def before(name: str, request: Any) -> None:
        if name == "search":
            asked.append(request.max_results)

    fakes = Fakes()
    fakes.before, fakes.filed = before, beside(fakes.filed)
    async with harness(temporal, fakes) as made:
        tickers = ["AAPL", "SNOW", "MSFT"]
        await ended(made, inputs={"tickers": tickers, "news_limit": 20}, until="retrieval")
        await ended(made, inputs={"tickers": tickers, "news_limit": 20}, only=["news"])
    assert asked == [10, 10, 6, 6, 6], "of an unknown company there is no news to look for"


async def test_each_company_is_decided_on_by_reasons_of_its_own(temporal: Client) -> None:
    fakes = Fakes()
    fakes.filed = renew(beside(fakes.filed))
    fakes.answers["DraftSentiment"] = {"articles": []}
    one: Json = {
        name: v for name, v in fakes.answers["Recommendation"].items() if name != "ranking"
    }
    fakes.answers["CompanyActions"] = {
        "companies": [
            {**one, "company": "AAPL", "action": "hold", "risks": []},
            {**one, "company": "SNOW", "action": "buy"},
        ],
        "ranking": ["SNOW", "AAPL"],
        "answer": [{"text": "Snowflake grows.", "citations": [], "rests_on": ["grows"]}],
    }
    async with harness(temporal, fakes) as made:
        state = await ended(made, inputs={"tickers": "AAPL,SNOW"})
    decision: Any = state.results.model_dump(mode="json")["decision"]
    assert (decision["company"], decision["action"]) == ("SNOW", "buy SNOW")
    assert decision["confidence"] > 0
    [other] = decision["others"]
    assert (other["action"], other["withheld"]) == (NOT_ENOUGH, "hold AAPL")
    assert decision["disclaimer"] == say("en", "not-advice-filings")
    report = output(fakes, "investment")["report"]
    assert report["answer"]["heading"] == en(
        "decision", actions=["buy SNOW", en("decision-not-enough", company="AAPL")]
    )
    assert f"## {en('decision-against', of='buy SNOW')}" in report["markdown"]
    codes = ("decision-withheld-for", "decision-withheld-against")
    left = [f"AAPL: {opening(code, 'action', action='hold AAPL')}" for code in codes]
    assert any(line in report["markdown"] for line in left)


async def test_news_of_one_company_that_fails_leave_the_others(temporal: Client) -> None:
    def before(name: str, request: Any) -> None:
        if name == "search" and "SNOW" in request.query:
            raise ApplicationError("it is away", type="upstream", non_retryable=True)

    fakes = Fakes()
    fakes.before, fakes.filed = before, beside(fakes.filed)
    async with harness(temporal, fakes) as made:
        state = await ended(made, inputs={"tickers": "AAPL,SNOW"}, until="retrieval")
    assert state.phases[0].status == "partial"
    assert {article["ticker"] for article in output(fakes, "retrieval")["news"]} == {"AAPL"}


async def test_each_company_is_asked_for_at_its_own_price(temporal: Client) -> None:
    asked: list[Any] = []

    def before(name: str, request: Any) -> None:
        if name == "facts":
            asked.append([price and (price.value, price.day) for price in request.prices])

    fakes = Fakes()
    fakes.before, fakes.filed = before, beside(fakes.filed)
    async with harness(temporal, fakes) as made:
        given: Json = {"ticker": "AAPL,MSFT,SNOW", "price": "230,,155", "as_of": "2025-08-01"}
        await ended(made, inputs=given, until="retrieval")
    assert asked == [[(230, "2025-08-01"), None, (155, "2025-08-01")]]


async def test_answer_on_one_company_that_fails_waits_for_those_on_the_others(
    temporal: Client,
) -> None:
    async def before(name: str, request: Any) -> None:
        if name != "model" or request.scope.phase_id != "news":
            return
        if request.scope.name == "analysis":
            raise ApplicationError("it refuses", type="model-rejected", non_retryable=True)
        await asyncio.sleep(0.5)

    fakes = Fakes()
    fakes.before, fakes.filed = before, beside(fakes.filed)
    fakes.news = [*HITS[:1], SearchHit(url="https://example.org/3", title="Snowflake gains")]
    fakes.answers["DraftSentiment"] = {"articles": []}
    async with harness(temporal, fakes) as made:
        state = await ended(made, inputs={"tickers": "AAPL,SNOW"})
    assert statuses(state)["news"] == "failed"
    assert fakes.calls.index("news/SNOW-analysis") < fakes.calls.index("research/report")
    assert state.phases[2].usage.calls == 1, "what was paid for is counted"


async def test_a_further_company_has_its_price() -> None:
    def price(**inputs: Any) -> float:
        request = RunRequest(query="?", inputs=inputs)
        costs = open_run(request, PRESETS[ID], None, TERMS).costs
        assert costs["retrieval"].base.usd == 0
        return sum(cost.base.usd for cost in costs.values())

    one, two, three = (price(tickers=["AAPL", "SNOW", "MSFT"][:n]) for n in (1, 2, 3))
    assert price(ticker="AAPL", tickers=["aapl"]) == one
    assert three - two == pytest.approx(two - one)
    assert 0.6 * one < two - one < 1.5 * one


async def test_gaps_of_an_analysis_reach_the_writer_the_decider_and_the_report(
    temporal: Client,
) -> None:
    async with harness(temporal) as made:
        await ended(made)
    asked = {r.scope.phase_id: r for r in made.fakes.requests if r.role != JUDGE}
    inputs = {
        phase: {i.name: i.text for m in asked[phase].messages for b in m.content for i in b.inputs}
        for phase in ("research", "investment")
    }
    assert "No price." in inputs["research"]["gaps"]
    assert "No price." in inputs["investment"]["report"]
    assert "No price." not in inputs["investment"]["fundamental.analysis"]
    markdown = output(made.fakes, "investment")["report"]["markdown"]
    assert f"## {en('not-found')}\n\n- No price." in markdown
    assert markdown.count("- No price.") == 1


async def test_a_short_answer_rests_on_findings_by_their_ids_and_brings_those_it_does_not_repeat(
    temporal: Client,
) -> None:
    """The answer repeats one finding in its words, and concludes from it and from another one."""
    fakes = Fakes()
    grew, owes = (
        {"text": text, "citations": [{"source": 1, "quote": text}], "id": name}
        for name, text in (("grew", "It grew."), ("owes", "It owes little."))
    )
    fakes.answers["Analysis"] = {"points": [grew, owes], "gaps": []}
    fakes.answers["ShortAnswer"] = {
        "title": "Apple",
        "claims": [
            {
                "text": "Its debt is no reason to wait.",
                "citations": [],
                "rests_on": ["grew", "owes"],
            },
            {"text": "It grew.", "citations": [], "rests_on": ["grew"], "repeats": True},
        ],
    }
    async with harness(temporal, fakes) as made:
        await ended(made, until="research")
    [asked] = [request for request in fakes.requests if request.role == WRITER]
    assert asked.judge
    assert {"grew", "owes"} <= {*asked.judge.known}
    report = output(fakes, "research")["report"]
    answer, beyond = report["sections"]
    concluded, repeated = answer["claims"]
    assert concluded["rests_on"] == ["grew", "owes"]
    assert (repeated["id"], repeated["citations"][0]["quote"]) == ("grew", "It grew.")
    assert (beyond["heading"], beyond["is_detail"]) == (say("en", "decision-beyond"), True)
    assert [(claim["id"], claim["text"]) for claim in beyond["claims"]] == [
        ("owes", "It owes little.")
    ]


async def test_report_without_an_answer_says_what_was_not_found(temporal: Client) -> None:
    fakes = Fakes()
    fakes.answers["ShortAnswer"] = {"title": "Apple", "claims": [], "missing": "Its plans."}
    async with harness(temporal, fakes) as made:
        await ended(made)
    markdown = output(fakes, "investment")["report"]["markdown"]
    assert say("en", "no-search") not in markdown
    assert "- Its plans." in markdown


async def test_a_decision_that_names_no_reason_against_it_is_not_the_headline(
    temporal: Client,
) -> None:
    fakes = Fakes()
    fakes.filed = renew(fakes.filed)
    fakes.answers["Recommendation"] = {**fakes.answers["Recommendation"], "risks": []}
    async with harness(temporal, fakes) as made:
        state = await ended(made)
    decision: Any = state.results.model_dump(mode="json")["decision"]
    assert (decision["action"], decision["withheld"]) == (NOT_ENOUGH, "Enter")
    assert decision["confidence"] == 0
    report = output(fakes, "investment")["report"]
    assert report["answer"]["heading"] == en("decision", actions=en("decision-not-enough"))
    assert "Enter" in report["answer"]["remarks"][0]


@pytest.mark.parametrize(
    ("end", "periods"), [("2026-05-20", 1), ("2025-06-28", 4)], ids=["one", "several"]
)
async def test_headline_says_which_results_were_not_read_and_of_several_there_is_no_verdict(
    temporal: Client, end: str, periods: int
) -> None:
    fakes = Fakes()
    fakes.filed = renew(fakes.filed, end)
    async with harness(temporal, fakes) as made:
        state = await ended(made)
    decision: Any = state.results.model_dump(mode="json")["decision"]
    unread = UnreadResults.model_validate(decision["unread"])
    assert (unread.state, unread.periods) == ("due", periods)
    is_barred = periods > 1
    assert (decision["action"], decision["withheld"]) == (
        (NOT_ENOUGH, "Enter") if is_barred else ("Enter", "")
    )
    shown = Notice.of("decision-outdated") if is_barred else unread.qualify("Enter")
    report = output(fakes, "investment")["report"]
    heading = en("decision", actions=shown.text)
    assert report["answer"]["heading"] == heading
    assert f"\n## {heading}\n" in report["markdown"]
    [asked] = [r for r in fakes.requests if r.role == "decider"]
    assert unread.told.text in list_inputs(asked)["basis"]


def price_shares(fakes: Fakes) -> Fakes:
    """Give the company of the facts a price with a table of what it needs."""
    filed = renew(fakes.filed)
    price = SharePrice(value=100, day="2026-11-20", origin="close")
    told = {"metric": "share_price", "period": "instant", "end": price.day, "value": price.value}
    rows = [FigureRow.model_validate({**told, "unit": "USD/shares"})]
    worth = Valuation(price=price, terms=ValuationTerms(), rows=rows, implied=table())
    figures = filed.fundamentals.model_copy(update={"valuation": worth})
    fakes.filed = filed.model_copy(update={"fundamentals": figures})
    return fakes


async def test_decision_picks_a_cell_of_the_price_table_and_adds_no_number_of_its_own(
    temporal: Client,
) -> None:
    fakes = price_shares(Fakes())
    own = "Growth of 15% a year."
    quotes = [{"source": 1, "quote": "It grew."}]
    why = {"text": "We ask for 8% since it grew.", "citations": quotes}
    strange = {**why, "text": "Others ask for 13.7%."}
    more = {
        "yardstick": "8%/6%",
        "yardstick_reason": [why, strange],
        "what_would_change": ["A tax.", own],
    }
    fakes.answers["Recommendation"] = {**fakes.answers["Recommendation"], **more}
    async with harness(temporal, fakes) as made:
        state = await ended(made)
    [asked] = [r for r in fakes.requests if r.role == "decider"]
    schema: Any = asked.output_schema
    assert schema["properties"]["yardstick"]["enum"] == list_choices({"AAPL": table()})
    assert {"yardstick", "yardstick_reason"} <= {*schema["required"]}
    assert schema["properties"]["yardstick_reason"]["type"] == "array"
    assert asked.judge
    known = [*json.loads(list_inputs(asked)["basis"]), *list_known({"AAPL": table()})]
    assert asked.judge.choices.splitlines() == known
    assert json.loads(list_inputs(asked)["price_table"]) == show_tables({"AAPL": table()})
    decision: Any = state.results.model_dump(mode="json")["decision"]
    assert decision["measured"]["cell"]["price"] == 88
    assert [each["text"] for each in decision["own_numbers"]] == [strange["text"], own]
    report = output(fakes, "investment")["report"]
    condition = Notice.model_validate(decision["measured"]["condition"]).text
    assert report["would_change"] == [condition, "A tax."]
    assert Notice.model_validate(decision["measured"]["told"]).text in report["markdown"]
    [beside] = [each for each in report["sections"] if each["is_beside_decision"]]
    assert [claim["text"] for claim in beside["claims"]] == [why["text"]]
    assert report["markdown"].index(why["text"]) < report["markdown"].index("A tax.")
    assert "decision-own-numbers" in [n["code"] for n in report["notes"] if isinstance(n, dict)]


async def test_decision_without_a_price_is_asked_for_no_yardstick(temporal: Client) -> None:
    async with harness(temporal) as made:
        await ended(made)
        [asked] = [r for r in made.fakes.requests if r.role == "decider"]
        notes = output(made.fakes, "investment")["report"]["notes"]
    [told] = [n for n in notes if isinstance(n, dict) and n["code"] == "decision-no-table"]
    assert (told["params"]["why"]["code"], told["severity"]) == ("no-table-no-price", "warning")
    assert Notice.model_validate(told).text in list_inputs(asked)["basis"]
    schema: Any = asked.output_schema
    assert not {"yardstick", "yardstick_reason"} & {*schema["properties"]}
    assert "price_table" not in list_inputs(asked)


@pytest.mark.full
async def test_every_decision_may_end_in_not_enough_to_say(temporal: Client) -> None:
    async with harness(temporal) as made:
        await ended(made)
        [asked] = [r for r in made.fakes.requests if r.role == "decider"]
    schema: Any = asked.output_schema
    assert schema["properties"]["action"]["enum"] == [
        *("buy AAPL", "hold AAPL", "sell AAPL", "avoid AAPL"),
        *("not yet", "not enough to say"),
    ]


async def test_what_filings_say_stands_in_the_report_quoted_from_the_filing(
    temporal: Client,
) -> None:
    fakes = Fakes()
    fakes.filed = announce(fakes.filed)
    fakes.answers["DraftSentiment"] = {"articles": []}
    async with harness(temporal, fakes) as made:
        state = await ended(made)
    assert state.status == "completed"
    report = output(fakes, "investment")["report"]
    filed = {"company": "Apple Inc.", "filed": "2025-08-01", "form": "8-K"}
    expected = en("passages-guidance", **filed)
    [section] = [s for s in report["sections"] if s["heading"] == expected]
    [citation] = section["claims"][0]["citations"]
    sources = output(fakes, "retrieval")["sources"]
    assert sources[citation["source"] - 1]["url"] == "https://www.sec.gov/8-k/AA"
    assert citation == {
        "source": 2,
        "quote": "We expect revenue of $100 million.",
        "start": 7,
        "end": 41,
        "page": None,
        "above": [],
    }
    assert expected in report["markdown"]


@pytest.mark.full
async def test_article_that_repeats_a_filing_is_shown_and_not_scored(temporal: Client) -> None:
    fakes = Fakes()
    fakes.filed = announce(fakes.filed)
    fakes.repeated = [False, True]
    fakes.answers["DraftSentiment"] = {"articles": [score(3, -0.4)]}
    async with harness(temporal, fakes) as made:
        await ended(made)
    [asked] = [r for r in fakes.requests if r.scope.phase_id == "news"]
    shown = [i.name for m in asked.messages for b in m.content for i in b.inputs]
    assert [name for name in shown if name.startswith("source-")] == ["source-3"]
    news = output(fakes, "news")["analysis"]
    assert news["spread"]["scored"] == 1
    [told] = news["gaps"]
    assert told == en("news-left-repeats", n=1, company="Apple Inc.", names="Page 1")


def delay_facts(monkeypatch: pytest.MonkeyPatch, fakes: Fakes) -> None:
    """Have news looked for before the facts are there, of each query an article of its own."""
    monkeypatch.setattr("workflows.company.retrieval.NAME_WAIT_SECONDS", 0.1)

    async def before(name: str, request: Any) -> None:
        if name == "facts":
            await asyncio.sleep(1)
        if name == "search":
            fakes.news = [
                SearchHit(url=f"https://example.org/{request.query}", title="Apple gains")
            ]

    fakes.before = before


async def test_articles_read_before_the_figures_are_told_are_scored_or_said_to_be_left_out(
    temporal: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    fakes = Fakes()
    delay_facts(monkeypatch, fakes)
    figures, company = fakes.filed.fundamentals, COMPANY.model_copy(update={"also": ("AAPL-B",)})
    figures = figures.model_copy(update={"company": company})
    fakes.filed = fakes.filed.model_copy(update={"fundamentals": figures})
    fakes.answers["DraftSentiment"] = {"articles": []}
    async with harness(temporal, fakes) as made:
        state = await ended(made, inputs={"tickers": "AAPL,AAPL-B,NOPE"}, until="news")
    assert sorted(fakes.searches) == ["AAPL", "AAPL-B", "NOPE"]
    [told] = output(fakes, "news")["analysis"]["gaps"]
    assert told.startswith(en("news-left", company="Apple Inc.", n=2, names=""))
    left = en("news-unscored", n=1, companies="NOPE")
    assert left in state.phases[2].warnings


async def test_company_known_by_its_number_alone_is_looked_for_by_its_name_or_not_at_all(
    temporal: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    fakes = Fakes()
    delay_facts(monkeypatch, fakes)
    async with harness(temporal, fakes) as made:
        await ended(made, inputs={"ticker": "CIK320193"}, until="retrieval")
        assert fakes.searches == ["Apple Inc. AAPL"], "as the fakes call it"
        given: Json = {"ticker": "CIK320193,SNOW"}
        state = await ended(made, inputs=given, only=["news"])
    assert fakes.searches[1:] == ["SNOW"]
    told = en("news-nameless", company="CIK320193")
    assert told in state.phases[2].warnings


async def test_articles_that_cannot_be_read_are_one_line(temporal: Client) -> None:
    def before(name: str, request: Any) -> None:
        if name == "fetch" and request.url != HITS[0].url:
            raise ApplicationError("it is gone", type="fetch-refused", non_retryable=True)

    fakes = Fakes()
    fakes.before = before
    urls = [f"https://example.org/{n}" for n in range(3, 6)]
    fakes.news = [HITS[0], *(SearchHit(url=url, title="Apple loses") for url in urls)]
    async with harness(temporal, fakes) as made:
        state = await ended(made, until="retrieval")
    names = [f"{url} (it is gone)" for url in urls[:2]]
    told = en("news-unread", n=3, names=[*names, en("names-more", n=1)])
    assert told in state.phases[0].warnings


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


@pytest.mark.parametrize(
    ("broken", "kept", "decided"),
    [("facts", "news", "skipped"), ("search", "fundamental", "partial")],
)
async def test_unavailable_data_fails_only_its_branch_and_news_are_decided_without(
    temporal: Client, broken: str, kept: str, decided: str
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
        "investment": decided,
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


async def test_no_model_is_asked_for_an_answer_where_figures_failed_and_no_news_was_found(
    temporal: Client,
) -> None:
    def before(name: str, request: Any) -> None:
        if name == "facts":
            raise ApplicationError("it is away", type="upstream", non_retryable=True)

    fakes = Fakes()
    fakes.before, fakes.news = before, []
    async with harness(temporal, fakes) as made:
        state = await ended(made)
    assert fakes.requests == []
    assert state.status == "failed"
    assert statuses(state)["investment"] == "skipped"
    report = output(fakes, "research")["report"]
    assert en("nothing-read") in report["markdown"]
    none = Notice.of("news-none", company=COMPANY.ticker).text
    assert none[1:] in report["markdown"], "what was looked for and not found"


async def test_page_of_figures_is_shown_whole_to_the_writer_of_the_answer(temporal: Client) -> None:
    fakes = Fakes()
    fakes.news = []
    long = fakes.filed.source.model_copy(update={"chars": 26_000})
    fakes.filed = fakes.filed.model_copy(update={"source": long})
    async with harness(temporal, fakes) as made:
        await ended(made, until="research")
    [asked] = [request for request in fakes.requests if request.role == WRITER]
    inputs = [
        each for message in asked.messages for block in message.content for each in block.inputs
    ]
    [shown] = [each.blob for each in inputs if each.blob]
    assert (shown.start, shown.chars, shown.is_excerpt) == (0, 26_000, False)


async def test_run_without_news_completes_and_says_so_once(temporal: Client) -> None:
    fakes = Fakes()
    fakes.news = []
    async with harness(temporal, fakes) as made:
        state = await ended(made)
    assert state.status == "completed"
    assert output(fakes, "retrieval")["news"] == []
    none = Notice.of("news-none", company="Apple Inc.")
    assert [p.id for p in state.phases if none in p.notices] == ["retrieval"]
    [gap] = output(fakes, "news")["gaps"]
    assert gap == f"{none.text[:1].upper()}{none.text[1:]}."
    decision: Any = state.results.model_dump(mode="json")["decision"]
    assert none.model_dump(mode="json") not in decision["caveats"]
    assert "news/analysis" not in fakes.calls
    assert decision["disclaimer"] == say("en", "not-advice-filings")


@pytest.mark.full
async def test_hanging_page_is_left_out(temporal: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("workflows.company.evidence.PAGE_WAIT_SECONDS", 0.5)

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


@pytest.mark.parametrize("day", ["2025-08-01", None])
async def test_every_model_is_told_the_day_as_of_which_the_run_asks(
    temporal: Client, day: str | None
) -> None:
    fakes = Fakes()
    async with harness(temporal, fakes) as made:
        await ended(made, inputs={**INPUTS, "as_of": day} if day else INPUTS)
    systems = [request.system for request in fakes.requests if request.role != JUDGE]
    assert len(systems) > 2
    assert {day is not None and day in system for system in systems} == {day is not None}
    terms = [request.judge for request in fakes.requests if request.judge]
    assert {each.today == day for each in terms} == {day is not None}


async def test_article_that_names_another_company_is_not_read_and_told(temporal: Client) -> None:
    fakes = Fakes()
    fakes.news = [
        SearchHit(url="https://example.org/1", title="Apple’s phones sell"),
        SearchHit(url="https://example.org/2", title="Samsung gains"),
    ]
    async with harness(temporal, fakes) as made:
        state = await ended(made, inputs=INPUTS, until="retrieval")
    assert [one["url"][-1] for one in output(fakes, "retrieval")["news"]] == ["1"]
    assert en("news-unnamed", n=1, company="Apple Inc.") in state.phases[0].warnings


@pytest.mark.parametrize("kind", ["retrieval", "fundamentals", "news"])
async def test_web_is_not_reached_before_an_approval(kind: str) -> None:
    config: Json = {} if kind == "retrieval" else {"lens": kind}
    given: Json = {"kind": "retrieval" if kind == "retrieval" else "analysis", "config": config}
    phase: Any = TypeAdapter(Phase).validate_python(given)
    with pytest.raises(InvalidInput, match=pattern("web-needs-approval")):
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
    assert state.phases[1].error.problems == [Problem.at("source", "source-number", number=0, n=0)]


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


async def test_statements_of_an_analysis_that_failed_are_named(temporal: Client) -> None:
    fakes = Fakes()
    [good] = fakes.answers["Analysis"]["points"]
    wrong = good | {"text": "Pumps are free."}
    fakes.answers["Analysis"] = {"points": [good, wrong], "gaps": []}
    fakes.contradicted = [wrong["text"]]
    async with harness(temporal, fakes) as made:
        await ended(made)
    quoted = Notice.of("quoted", "info", text="Pumps are free.")
    told = Notice.of("statements-unsupported", n=1, of=2, names=[quoted])
    decision: Any = output(fakes, "investment")["decision"]
    assert told.model_dump(mode="json") in decision["caveats"]


async def test_what_is_called_not_found_is_looked_up_in_all_facts_of_the_filings(
    temporal: Client,
) -> None:
    fakes = Fakes()
    facts = page("https://data.sec.gov/1#facts", title="Apple Inc. (AAPL): all facts")
    figures = fakes.filed.fundamentals.model_copy(update={"filed_facts": facts})
    fakes.filed = fakes.filed.model_copy(update={"fundamentals": figures})
    searched: list[list[str]] = []

    def before(name: str, request: Any) -> None:
        if name == "passages":
            searched.append([each.title for each in request.pages])

    fakes.before = before
    fakes.answers["Analysis"] = {**fakes.answers["Analysis"], "gaps": ["Whether pumps sell."]}
    async with harness(temporal, fakes) as made:
        state = await ended(made)
    assert len(searched) == 2, "before the text is written, and as it is checked"
    assert searched[0] == [facts.title], "the others are shown to the writer"
    assert facts.title in searched[1]
    [gaps] = fakes.told(WRITER, "gaps")
    [line] = json.loads(gaps)
    assert line["line"] == "Whether pumps sell."
    assert [passage["source"] for passage in line["passages"]] == [4]
    read = {request.role: "".join(list_inputs(request).values()) for request in fakes.requests}
    assert {role for role, given in read.items() if facts.title in given} <= {JUDGE}
    assert state.results.sources == 4


@pytest.mark.parametrize(
    ("asked", "heeded"),
    [("2010-06-30", "2010-06-30"), (NOW[:10], None), ("2026-01-02", None), (None, None)],
    ids=["past", "today", "to come", "none"],
)
async def test_past_day_of_the_plan_reaches_filings_and_models(
    asked: str | None, heeded: str | None
) -> None:
    fakes = Fakes()
    days: list[str | None] = []

    def before(name: str, request: Any) -> None:
        if name == "facts":
            days.append(request.as_of)

    fakes.before = before
    given: list[Json] = [{"kind": "retrieval"}, {"kind": "summary", "id": "short"}]
    phases: list[Any] = [TypeAdapter(Phase).validate_python(each) for each in given]
    done = await work(fakes, *phases, plan=PLAN.model_copy(update={"as_of": asked}))
    assert days == [heeded]
    [asks] = {"asks as of" in str(request["system"]) for request in done.of_models()}
    assert asks is (heeded is not None)


@pytest.mark.parametrize(
    ("asked", "is_told"),
    [("2010-06-30", True), ("June 2010", True), ("2999-01-01", False), ("", False)],
)
async def test_question_on_a_past_day_that_the_filings_are_after_is_told_on_top(
    temporal: Client, asked: str, is_told: bool
) -> None:
    fakes = Fakes()
    fakes.answers["Analysis"] = {**fakes.answers["Analysis"], "asked_day": asked}
    fakes.filed = fakes.filed.model_copy(
        update={"fundamentals": fakes.filed.fundamentals.model_copy(update={"filed": "2025-08-01"})}
    )
    async with harness(temporal, fakes) as made:
        await ended(made)
    why = Notice.of("past-day-unclear")
    prices = [PastPrice(ticker="AAPL", why=why)]
    if asked == "2010-06-30":
        close: Json = {"value": 7.5, "currency": "USD", "day": asked, "origin": "close"}
        prices = [PastPrice.model_validate({"ticker": "AAPL", "price": close})]
    told = UnheededDay(day=asked or "none", prices=prices).tell()
    assert (told in read_notes(fakes)) is is_told
    markdown = output(fakes, "investment")["report"]["markdown"]
    assert (told.text in markdown.partition(f"## {en('decision-for')}")[0]) is is_told
