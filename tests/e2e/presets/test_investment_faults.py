"""Faults during a company analysis: available data is kept, and the rest is reported clearly."""

import json
import re
from typing import Any

import pytest

from contracts.base import Json
from contracts.runs.state_view import StateView
from offline.filings.filing_store import Cabinet
from tests.support.offline_services import eventually
from tests.support.stack import Run, Whole
from tests.support.words import en, opening, phrase

pytestmark = pytest.mark.full

ID = "investment_analysis"
FACTS = {"service": "edgar", "path": "/api/xbrl/"}
NEWS_CALL = {"service": "model", "schema_property": "articles"}
DAY, APPLE = "2025-05-15", 320193
"""Apple's second quarter of fiscal 2025 has been filed by then, its third has not."""


async def start(whole: Whole, ticker: str = "AAPL", **more: Any) -> Run:
    inputs: Json = {"ticker": ticker, "news_limit": 3, **more.pop("inputs", {})}
    return await whole.start("Is it worth buying?", definition=ID, inputs=inputs, **more)


async def ended(whole: Whole, ticker: str = "AAPL", **more: Any) -> tuple[Run, StateView]:
    run = await start(whole, ticker, **more)
    return run, await run.ended(100)


def read_head(report: str) -> str:
    """Return what a report says before the reasons of its decision."""
    head, reasons, _ = report.partition(f"## {en('decision-open-for')}")
    assert reasons
    return head


def statuses(state: StateView) -> list[str]:
    return [phase.status for phase in state.phases]


@pytest.mark.parametrize(
    ("failure", "told"),
    [
        ({"status": 403}, "EDGAR_CONTACT"),
        ({"status": 429, "retry_after": 1}, "429"),
        ({"status": 429, "retry_after": 600}, "wait for 600 s"),
        ({"status": 503}, "503"),
        ({"mode": "html"}, "else than its JSON"),
        ({"mode": "hang"}, "took too long"),
    ],
)
async def test_without_edgar_the_news_is_kept(whole: Whole, failure: Json, told: str) -> None:
    await whole.providers.told({**failure, "times": 99, "match": FACTS})
    run, state = await ended(whole, only=["retrieval", "news"])
    assert statuses(state)[:3] == ["partial", "skipped", "completed"]
    assert any(told in warning for warning in state.phases[0].warnings)
    outputs = (await run.get(include="outputs")).json()["outputs"]
    assert len(outputs["news"]["analysis"]["articles"]) == 3
    assert outputs["retrieval"]["fundamentals"] is None


async def test_edgar_that_asks_to_wait_is_asked_again(whole: Whole) -> None:
    await whole.providers.told({"status": 429, "retry_after": 1, "match": FACTS})
    _, state = await ended(whole, only=["retrieval"])
    assert state.phases[0].status == "completed"
    facts = [e for e in await whole.providers.asked("edgar") if "/api/xbrl/" in e["path"]]
    assert [entry["status"] for entry in facts] == [429, 200]


async def test_a_ticker_that_nobody_has(whole: Whole) -> None:
    _, state = await ended(whole, "AAPLX")
    assert state.phases[0].status == "partial"
    told = [warning for phase in state.phases for warning in phase.warnings]
    assert any(phrase("edgar-unlisted") in warning and "AAPL" in warning for warning in told), told
    assert state.phases[-1].status == "skipped"


async def test_of_several_tickers_those_that_are_listed_are_compared(whole: Whole) -> None:
    run, state = await ended(whole, "ZZZZ", inputs={"tickers": ["SNOW", "AAPL"], "price": 200})
    assert state.status == "completed"
    gathered = (await run.get(include="outputs")).json()["outputs"]["retrieval"]
    assert [p["company"]["ticker"] for p in gathered["fundamentals"]["others"]] == ["AAPL"]
    head = read_head(await run.report())
    assert phrase("company-not-compared") in head
    assert opening("edgar-unlisted", "ticker", ticker="ZZZZ") in head


async def test_facts_that_break_off_leave_the_other_company_unharmed(whole: Whole) -> None:
    cut = {"service": "edgar", "path": "/api/xbrl/companyfacts/CIK0001640147"}
    await whole.providers.told({"mode": "cut", "times": 99, "match": cut})
    run, state = await ended(whole, inputs={"tickers": ["AAPL", "SNOW"]})
    assert statuses(state)[0] == "partial"
    found = (await run.get(include="outputs")).json()["outputs"]["retrieval"]["fundamentals"]
    assert found["company"]["ticker"] == "AAPL"
    assert found["figures"]
    assert not found["others"]
    report = await run.report()
    assert "SNOW" in read_head(report).partition(phrase("company-not-compared"))[2]
    assert en("figures-explained", company="Apple Inc. (AAPL)") in report


async def test_price_in_another_currency_values_nothing_and_says_why(whole: Whole) -> None:
    given = {"tickers": ["AAPL", "SNOW"], "price": [200, 150], "price_currency": "EUR"}
    run, state = await ended(whole, inputs=given)
    assert state.status == "completed"
    found = (await run.get(include="outputs")).json()["outputs"]["retrieval"]["fundamentals"]
    assert [each["valuation"] for each in (found, *found["others"])] == [None, None]
    head = read_head(await run.report())
    assert head.count("EUR") >= 2
    assert phrase("company-prices-missing") not in head


async def test_prices_of_different_days_are_told_at_the_head(whole: Whole) -> None:
    _, state = await ended(whole, inputs={"tickers": ["AAPL", "SNOW"], "price": 200})
    run = state.run_id
    report = (await whole.http.get(f"/v1/runs/{run}/report", params={"format": "md"})).text
    head = read_head(report)
    assert "The prices are of different days (2025-06-30, " in head
    assert re.search(
        r"\| Millions of USD \| AAPL, price of \S+, twelve months to 2025-12-27 \|", report
    )


async def test_a_delisted_company_is_found_by_its_number(whole: Whole) -> None:
    run, state = await ended(whole, "CIK0001640147", only=["retrieval"])
    assert state.phases[0].status == "completed"
    gathered = (await run.get(include="outputs")).json()["outputs"]["retrieval"]
    assert gathered["fundamentals"]["company"]["name"] == "Snowflake Inc."


async def test_a_ticker_in_small_letters(whole: Whole) -> None:
    run, state = await ended(whole, "aapl", only=["retrieval"])
    assert state.phases[0].status == "completed"
    gathered = (await run.get(include="outputs")).json()["outputs"]["retrieval"]
    assert gathered["fundamentals"]["company"]["ticker"] == "AAPL"
    assert gathered["news"]


async def test_nothing_filed_or_written_after_the_day_is_read(whole: Whole) -> None:
    run, state = await ended(whole, inputs={"as_of": DAY, "news_limit": 8})
    assert state.status == "completed"
    gathered = (await run.get(include="outputs")).json()["outputs"]["retrieval"]
    assert gathered["news"]
    sources = gathered["sources"]
    assert all(source["published"] <= DAY for source in sources)
    later = {*accessions(after=DAY)}
    read = "".join(
        [(await run.get(f"/sources/{n}/snapshot")).text for n in range(1, len(sources) + 1)]
    )
    calls = str(await whole.ledger(run))
    for text in (read, calls, await run.report()):
        assert not later & {*re.findall(r"\d{10}-\d\d-\d{6}", text)}
    assert {*re.findall(r"\d{10}-\d\d-\d{6}", read)} <= {*accessions(until=DAY)}


def accessions(after: str = "", until: str = "9999") -> set[str]:
    """Return the filings of the sample's Apple, by when they were made."""
    told = json.loads(Cabinet().facts(APPLE) or b"{}")
    every = (
        fact
        for tags in told["facts"].values()
        for tag in tags.values()
        for facts in tag["units"].values()
        for fact in facts
    )
    return {fact["accn"] for fact in every if after < fact["filed"] <= until}


async def test_a_worker_killed_in_the_news_pays_for_nothing_twice(whole: Whole) -> None:
    await whole.providers.told({"mode": "hang", "match": NEWS_CALL})
    run = await start(whole)

    async def in_news() -> bool:
        state = await run.state()
        asked = await whole.providers.asked("model")
        return statuses(state)[1:3] == ["completed", "running"] and len(asked) == 2

    await eventually(in_news)
    whole.stack.kill("worker")
    state = await run.completed(90)
    assert set(statuses(state)) == {"completed"}
    paid = [call["phase_id"] for call in await whole.ledger(run)]
    assert paid == ["fundamental", "news", "research", "investment"]
    assert set((await whole.providers.finished()).values()) == {1}


async def test_cancelled_while_it_gathers(whole: Whole) -> None:
    await whole.providers.told({"mode": "hang", "times": 99, "match": FACTS})
    run = await start(whole)

    async def gathering() -> bool:
        return any("/api/xbrl/" in e["path"] for e in await whole.providers.asked("edgar"))

    await eventually(gathering)
    await run.post("/cancel")
    state = await run.ended()
    assert state.status == "cancelled"
    assert await whole.providers.asked("model") == []
