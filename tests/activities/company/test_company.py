"""A company's facts as a run gets them: over HTTP, computed, journaled, kept in blobs."""

import hashlib
import json
from pathlib import Path
from typing import Any

import pytest
from temporalio.testing import ActivityEnvironment

from activities.confined.call_pool import CallFailed
from activities.integrations.charts import draw
from activities.parsing.page_parser import PageParser
from contracts.agents.tool_definitions import ChartArgs
from contracts.company.figures import FactsRequest
from contracts.company.valuation import SharePrice
from contracts.documents import UnreadPart
from contracts.errors import (
    FactsFailed,
    FactsRefused,
    GreenlightError,
    NoFacts,
    StoreUnavailable,
    TooCostly,
    UnknownTicker,
)
from contracts.evidence.rows import PageRows
from contracts.models.call import Scope
from contracts.notices import Notice
from domain.company.figures.dates import date_figures
from domain.company.figures.filed.metrics import name_row
from domain.evidence.quotes import Snapshot
from tests.activities.company.conftest import Desk, open_desk
from tests.domain.company.figures.companies import find_notices
from tests.offline.conftest import Services
from tests.support.refusals import refused
from tests.support.words import en


async def test_figures_have_a_source_that_states_them(desk: Desk) -> None:
    found = await desk.facts("aapl", "2025-08-15")
    source, figures = found.source, found.fundamentals.figures
    document = "/Archives/edgar/data/320193/000032019325000073/aapl-20250628.htm"
    assert source.url == f"{desk.services.base}{document}", "where people read the newest figures"
    assert (source.publisher, source.published) == ("SEC EDGAR", "2025-08-01")
    assert source.title == "Apple Inc. (AAPL): figures from its SEC filings (EDGAR)"
    raw = await desk.blobs.get("default", source.raw_key)
    assert source.content_hash == hashlib.sha256(raw).hexdigest()
    assert json.loads(raw)["entityName"] == "Apple Inc."
    text = (await desk.blobs.get("default", source.text_key)).decode()
    assert source.chars == len(text)
    [revenue] = [f for f in figures if (f.metric, f.period) == ("revenue", "ttm")]
    assert revenue.value == 408_625_000_000
    assert Snapshot(text).find(
        f"{en('amount-billion', value=408.6, unit='USD')} (408,625,000,000 USD)"
    )
    index = PageRows.model_validate_json(await desk.blobs.get("default", source.rows_key))
    stated, *_ = [
        text[each.start : each.end]
        for each in index.rows
        if (each.row.value, each.row.period) == (revenue.value, "ttm")
    ]
    assert stated.startswith(en("metric-revenue"))
    assert en("amount-billion", value="408.6", unit="USD") in stated
    facts = f"{desk.services.base}/api/xbrl/companyfacts/CIK0000320193.json"
    assert text.endswith(f"Computed from the facts at {facts}")
    assert "Filings of the figures, newest first: 0000320193-25-000073, " in text
    assert found.fundamentals.company.fiscal_year_end == "09-27"


async def test_charts_and_tables_are_stored_with_the_figures_and_once(desk: Desk) -> None:
    """A retry draws nothing: the call's journaled result has them."""
    prices = [SharePrice(value=9, day="2025-12-31", origin="given")] * 2
    found = await desk.facts("AAPL", peers=["SNOW"], prices=prices)
    names = [each.name for each in found.artifacts]
    assert [name.partition(": ")[0].partition(" (")[0] for name in names] == [
        *(en("grid-peers", ranks="").partition(":")[0], "AAPL, SNOW"),
        *(*["Apple Inc."] * 3, "AAPL", "AAPL", "Apple Inc.", "AAPL", "Apple Inc."),
        *(*["Snowflake Inc."] * 3, "SNOW", "SNOW", "Snowflake Inc.", "SNOW"),
    ]
    kinds = [each.kind for each in found.artifacts]
    assert kinds == [*["table"] * 2, *["chart"] * 3, *["table"] * 5, *["chart"] * 3, *["table"] * 4]
    bodies = [await desk.blobs.get("default", each.blob_key) for each in found.artifacts]
    assert [body[:4] == b"<?xm" for body in bodies] == [kind == "chart" for kind in kinds]
    for each in found.artifacts:
        if each.kind == "table":
            assert each.rows
            is_worded = each.preview[0][1] == en("column-by")
            assert each.figure_columns == [*range(1 + is_worded, len(each.preview[0]))]
    assert await desk.facts("AAPL", peers=["SNOW"], prices=prices, attempt=2) == found
    assert [kind for kind, _ in await desk.told()] == ["ToolCall", "ToolCallResult"]


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (TooCostly("time", 20), "too-costly"),
        pytest.param(CallFailed("drawing the chart"), "call-failed", marks=pytest.mark.full),
    ],
)
async def test_chart_that_cannot_be_drawn_is_a_lost_input_and_the_rest_is_kept(
    database: str,
    filing_services: Services,
    parser: PageParser,
    tmp_path: Path,
    error: Exception,
    reason: str,
) -> None:
    margins, cash_flow = (
        en("chart-by-year", company="Apple Inc.", what=en(f"chart-{of}"))
        for of in ("margins", "cash-flow")
    )

    def refuse(chart: ChartArgs) -> bytes:
        if chart.title == margins:
            raise error
        return draw(chart)

    async with open_desk(database, filing_services, parser, tmp_path, draw=refuse) as made:
        found = await made.facts("AAPL")
    [lost] = found.lost
    assert (lost.kind, lost.name) == ("exhibit", margins)
    assert [cause.reason for cause in lost.causes] == [reason]
    assert [each.kind for each in found.artifacts].count("chart") == 2
    assert cash_flow in [each.name for each in found.artifacts]
    assert found.fundamentals.figures


async def test_exhibits_wait_for_a_store_that_is_away(
    database: str, filing_services: Services, parser: PageParser, tmp_path: Path
) -> None:
    """A retry may store them: nothing is lost, and nothing is journaled without them."""

    def refuse(_: ChartArgs) -> bytes:
        raise StoreUnavailable(Notice.of("blob-unread", reason="away"))

    async with open_desk(database, filing_services, parser, tmp_path, draw=refuse) as made:
        with pytest.raises(StoreUnavailable):
            await made.facts("AAPL")


async def test_figures_whose_report_is_not_known_are_linked_as_facts(desk: Desk) -> None:
    found = await desk.facts("SNOW")
    assert found.source.url.endswith("/api/xbrl/companyfacts/CIK0001640147.json")


async def test_retry_sends_no_request(desk: Desk) -> None:
    first = await desk.facts("SNOW")
    assert await desk.facts("SNOW") == first
    asked = [str(entry["path"]).rpartition("/")[2] for entry in await desk.services.log("edgar")]
    assert asked == [*("company_tickers_exchange.json", "CIK0001640147.json", "CIK0001640147.json")]
    assert await desk.told() == [
        ("ToolCall", "company_facts"),
        ("ToolCallResult", "company_facts"),
    ]


@pytest.mark.parametrize(
    ("how", "kind", "wait"),
    [
        ({"status": 403}, FactsRefused, None),
        ({"status": 429, "retry_after": 2.5}, FactsFailed, 2.5),
        ({"mode": "cut"}, FactsFailed, None),
        pytest.param({"status": 404}, NoFacts, None, marks=pytest.mark.full),
        pytest.param({"status": 503}, FactsFailed, None, marks=pytest.mark.full),
        pytest.param({"mode": "html"}, FactsFailed, None, marks=pytest.mark.full),
    ],
)
async def test_transient_failure_is_raised_and_not_journaled(
    desk: Desk, how: dict[str, Any], kind: type[GreenlightError], wait: float | None
) -> None:
    await desk.fails(**how)
    with pytest.raises(kind) as raised:
        await desk.facts("SNOW")
    assert raised.value.retry_after == wait
    assert [kind for kind, _ in await desk.told()] == ["ToolCall", "ToolCallResult"]
    await desk.services.http.delete("/control")
    assert (await desk.facts("SNOW")).fundamentals.figures


async def test_service_that_hangs_is_given_up_after_the_timeout(
    database: str, filing_services: Services, parser: PageParser, tmp_path: Path
) -> None:
    async with open_desk(database, filing_services, parser, tmp_path, timeout_seconds=1) as made:
        await made.fails(mode="hang")
        with pytest.raises(FactsFailed):
            await made.facts("SNOW")


@pytest.mark.parametrize(
    ("ticker", "as_of", "kind", "code", "params"),
    [
        ("ZZZZ", None, UnknownTicker, "edgar-unlisted", {"ticker": "ZZZZ"}),
        (
            *("SNOW", "2019-12-31", NoFacts, "edgar-no-figures"),
            {"company": "Snowflake Inc. (SNOW)", "day": "2019-12-31"},
        ),
    ],
)
async def test_unavailable_facts_name_the_field(
    desk: Desk,
    ticker: str,
    as_of: str | None,
    kind: type[GreenlightError],
    code: str,
    params: dict[str, str],
) -> None:
    with refused(kind, code, **params) as found:
        await desk.facts(ticker, as_of)
    assert str(found.value).startswith("ticker: ")


async def test_page_of_all_facts_has_the_newest_values_of_each_tag(desk: Desk) -> None:
    found = (await desk.facts("AAPL")).fundamentals.filed_facts
    assert found
    text = (await desk.blobs.get("default", found.text_key)).decode()
    assert found.chars == len(text)
    assert "Apple Inc. (AAPL): what was filed" in text
    assert "| Assets | USD | on 2025-12-27: " in text


async def test_price_given_or_found_values_the_shares(desk: Desk) -> None:
    found = await desk.facts("SNOW", as_of="2025-06-30")
    valuation = found.fundamentals.valuation
    assert valuation
    assert (valuation.price.value, valuation.price.day) == (223.77, "2025-06-30")
    text = (await desk.blobs.get("default", found.source.text_key)).decode()
    assert f"| {en('metric-price-to-sales')} | 19.4 |" in text


async def test_closes_of_the_year_stand_beside_a_price_that_was_given(desk: Desk) -> None:
    given = SharePrice(value=250, day="2025-12-31", origin="given")
    found = (await desk.facts("AAPL", prices=[given])).fundamentals
    assert found.valuation
    assert found.valuation.price == given
    assert found.closes == {"2025-08-29": 232.14, "2025-12-31": 271.86}
    earlier = (await desk.facts("AAPL", as_of="2025-09-30")).fundamentals
    assert earlier.closes == {"2025-08-29": 232.14}


async def test_each_of_several_companies_is_valued_at_its_own_price(desk: Desk) -> None:
    one, other = (SharePrice(value=v, day="2025-12-31", origin="given") for v in (230, 155))
    found = await desk.facts("AAPL", peers=["NOBODY", "SNOW"], prices=[one, None, other])
    assert found.fundamentals.valuation
    assert found.others[0].fundamentals.valuation
    assert found.fundamentals.valuation.price == one
    assert found.others[0].fundamentals.valuation.price == other
    left = await desk.facts("AAPL", attempt=2, peers=["SNOW"], prices=[None, other])
    assert left.fundamentals.valuation
    assert left.fundamentals.valuation.price.origin == "close"


async def test_company_without_a_price_is_read_all_the_same(desk: Desk) -> None:
    found = await desk.facts("SNOW", as_of="2024-06-30")
    assert found.fundamentals.valuation is None
    assert Notice.of("price-unknown", ticker="SNOW") in found.fundamentals.notes
    assert found.fundamentals.figures


async def test_peers_stand_beside_the_company_and_an_unknown_one_is_noted(desk: Desk) -> None:
    found = await desk.facts("SNOW", as_of="2025-06-30", peers=["AAPL", "NOBODY"])
    assert ["NOBODY" in note.text for note in found.fundamentals.head_notes] == [True]
    [other] = found.others
    titles = [found.source.title, other.source.title]
    assert [title.split(":")[0] for title in titles] == [
        "Snowflake Inc. (SNOW)",
        "Apple Inc. (AAPL)",
    ]
    pages = [await desk.text(found), await desk.text(other)]
    beside = [page.split(en("grid-ranks", n=2))[1] for page in pages]
    assert (
        f"| {en('grid-in', unit='USD')} | {en('column-peer', company='SNOW', end='2025-04-30')} |"
        in beside[0]
    )
    assert (
        f"| {en('grid-in', unit='USD')} | {en('column-peer', company='AAPL', end='2025-03-29')} |"
        in beside[1]
    )
    assert f"| {name_row('net_cash', (), at=en('row-on-day'))} | 2,593.2 |" in beside[0]
    assert f"| {name_row('net_cash', (), at=en('row-on-day'))} | 34,736 |" in beside[1]
    dated = other.fundamentals
    assert (dated.newest_end, dated.filed) == ("2025-03-29", "2025-05-02")


async def test_company_under_two_tickers_stands_there_once(desk: Desk) -> None:
    found = await desk.facts("SNOW", peers=["CIK1640147"])
    assert found.others == []
    assert found.fundamentals.company.also == ("CIK1640147",)
    twice = {"ticker": "CIK1640147", "company": "Snowflake Inc.", "other": "SNOW"}
    assert find_notices(found.fundamentals, "company-not-compared") == [{"why": twice}]


@pytest.mark.full
async def test_company_is_called_as_it_was_asked_for_and_priced_as_it_is_listed(
    desk: Desk,
) -> None:
    found = await desk.facts("AAPL", as_of="2025-06-30", peers=["CIK1640147"])
    [other] = found.others
    assert other.fundamentals.company.ticker == "CIK1640147"
    assert other.fundamentals.closes == {"2025-06-30": 223.77}


async def test_page_says_when_the_next_results_are_due_or_were(desk: Desk) -> None:
    found = await desk.facts("AAPL", as_of="2025-08-15")
    assert found.fundamentals.next_results == "2025-10-31"
    basis = Notice.of("results-year", "info")
    assert en("company-due-report", due="2025-10-31", basis=basis) in await desk.text(found)
    late = await desk.facts("AAPL", today="2026-11-25")
    due = late.fundamentals.next_results
    assert due < "2026-11-25"
    told = date_figures(late.fundamentals, "2026-11-25")
    results = told.params["unread"]
    assert isinstance(results, Notice)
    assert (results.code, results.params["due"]) == ("company-results-late", due)
    assert results.params["more"] == Notice.of("company-quarters", n=2)
    assert told.text in await desk.text(late)
    assert late.source.unread == [UnreadPart(code="results", count=3)]
    assert not found.source.unread


async def test_price_of_a_past_day_is_the_last_close_up_to_it_or_says_why_there_is_none(
    desk: Desk,
) -> None:
    scope = Scope(run_id=desk.run_id, phase_id="fundamental", attempt=1, name="past-prices")
    asked = FactsRequest(scope=scope, ticker="AAPL", as_of="2026-01-02", peers=["NOBODY"])
    found = await ActivityEnvironment().run(desk.company.past_prices, asked)
    known, unknown = found.prices
    assert known.price
    assert (known.price.day <= "2026-01-02", known.price.origin) == (True, "close")
    assert known.tell().params["day"] == known.price.day
    assert unknown.tell() == Notice.of(
        "past-price-none",
        company="NOBODY",
        why=Notice.of("price-refused", ticker="NOBODY", status=404),
    )
