"""Files that are not as EDGAR describes them: a clear word for their company, and the other one unharmed."""

import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from starlette.responses import JSONResponse, Response

from activities.company.edgar import MAX_BYTES, Filed
from activities.company.presentation import ReadCompany, present
from activities.parsing.page_parser import PageParser
from contracts.company.figures import FactsRequest
from contracts.company.valuation import SharePrice
from contracts.company.valuation_terms import ValuationTerms
from contracts.errors import NoFacts
from contracts.models.call import Scope
from contracts.notices import Notice
from domain.company.figures.valuation.valuation import value_shares
from tests.activities.company.conftest import Desk, open_desk
from tests.activities.web.site import Site
from tests.activities.web.site import site as serving
from tests.domain.company.figures.companies import (
    INCOME,
    REVENUE,
    SNOWFLAKE,
    listed,
    of_sample,
    row,
    sample,
)
from tests.offline.conftest import Services
from tests.support.words import en

FACTS = "/api/xbrl/companyfacts/CIK000000000{}.json"
GOOD = listed(
    {tag: [row("2023-01-01", "2023-12-31", 7, "2024-02-05", "10-K")] for tag in (REVENUE, INCOME)}
)

PEERS = en("grid-peers", ranks="")
LAST = "9999-12-31"
FAR = listed({tag: [row("9999-01-01", LAST, 7, LAST, "10-K")] for tag in (REVENUE, INCOME)})
COVER = {"EntityCommonStockSharesOutstanding": [row("", LAST, 0, LAST, "10-K")]}
FAR["facts"] |= listed(COVER, "shares", "dei")["facts"]


def serve(site: Site, path: str, told: dict[str, Any]) -> None:
    """Serve an object as JSON at a path."""
    site.does(path, lambda _: JSONResponse(told))


@pytest.fixture
async def site() -> AsyncIterator[Site]:
    """EDGAR with two companies."""
    async with serving() as one:
        rows = [[7, "ACME CORP", "ACME", "NYSE"], [8, "BOLT CORP", "BOLT", "NYSE"]]
        rows.append([9, "CLIP CORP", "CLIP", "NYSE"])
        told = {"fields": ["cik", "name", "ticker", "exchange"], "data": rows}
        one.does("/files/company_tickers_exchange.json", lambda _: JSONResponse(told))
        for number, name in ((7, "Acme"), (8, "Bolt"), (9, "Clip")):
            serve(one, f"/submissions/CIK000000000{number}.json", {"name": name, "sic": "3420"})
        for number in (7, 9):
            one.does(FACTS.format(number), lambda _: JSONResponse(GOOD))
        yield one


@pytest.fixture
async def desk(
    database: str, filing_services: Services, parser: PageParser, tmp_path: Path, site: Site
) -> AsyncIterator[Desk]:
    """A run's activity over that EDGAR."""
    async with open_desk(
        database, filing_services, parser, tmp_path, edgar_url=site.url("")
    ) as made:
        yield made


@pytest.mark.parametrize(
    ("body", "code"),
    [
        (json.dumps(GOOD)[:-40].encode(), "edgar-odd"),
        (b"", "edgar-odd"),
        (b"[]", "edgar-odd"),
        (b"[" * 100_000, "edgar-odd"),
        (b"{}", "edgar-no-figures"),
        (b'{"facts": {"us-gaap": []}}', "edgar-no-figures"),
        (
            b'{"facts": {"us-gaap": {"Revenues": {"units": {"USD": [1, null, {"val": {}}]}}}}}',
            "edgar-no-figures",
        ),
        (json.dumps(FAR).encode(), "edgar-unreadable"),
        pytest.param(b" " * (MAX_BYTES + 1), "edgar-large", marks=pytest.mark.full),
    ],
    ids=["cut", "empty", "list", "deep", "object", "nonsense", "rows", "last-day", "large"],
)
async def test_odd_facts_of_one_company_leave_the_other_unharmed(
    desk: Desk, site: Site, body: bytes, code: str
) -> None:
    site.does(FACTS.format(8), lambda _: Response(body, media_type="application/json"))
    found = await desk.facts("ACME", attempt=3, peers=["BOLT"])
    fundamentals = found.fundamentals
    assert [
        f.value for f in fundamentals.figures if (f.metric, f.period) == ("revenue", "year")
    ] == [7]
    [note] = [each for each in fundamentals.head_notes if each.code == "company-not-compared"]
    why: Any = note.params["why"]
    assert why.code == code
    assert "BOLT" in note.text
    assert not found.others


def inflate(facts: dict[str, Any]) -> dict[str, Any]:
    """Return a fact file whose amounts per share are counted in another unit, so that no table holds them."""
    damaged: dict[str, Any] = json.loads(json.dumps(facts))
    tags = [tag for taxonomy in damaged["facts"].values() for tag in taxonomy.values()]
    for fact in (fact for tag in tags for fact in tag["units"].get("USD/shares", ())):
        fact["val"] *= 10**18
    return damaged


@pytest.mark.parametrize("asked", [("ACME", "BOLT", "CLIP"), ("BOLT", "ACME", "CLIP")])
async def test_company_whose_exhibits_cannot_be_made_leaves_the_comparison_of_the_others(
    desk: Desk, site: Site, asked: tuple[str, ...]
) -> None:
    """Snowflake's file, each amount per share times 1e18: it is read, and a table refuses a number from there on."""
    site.does(FACTS.format(8), lambda _: JSONResponse(inflate(sample(SNOWFLAKE))))
    first, *peers = asked
    found = await desk.facts(first, peers=peers)
    shown = [each.fundamentals.company.ticker for each in (found, *found.others)]
    assert shown == ["ACME", "CLIP"]
    why = Notice.of("edgar-not-shown", company="Bolt (BOLT)", error="ValidationError")
    [note] = [n for n in found.fundamentals.head_notes if n.code == "company-not-compared"]
    assert note.params["why"] == why
    page = await desk.text(found)
    assert note.text in page
    assert en("grid-ranks", n=2) in page
    titles = [each.name for each in found.artifacts]
    assert en("grid-peers", ranks=en("grid-ranks", n=2)) in titles


async def test_single_company_whose_exhibits_cannot_be_made_has_no_figures(
    desk: Desk, site: Site
) -> None:
    site.does(FACTS.format(8), lambda _: JSONResponse(inflate(sample(SNOWFLAKE))))
    with pytest.raises(NoFacts) as raised:
        await desk.facts("BOLT", attempt=3)
    assert raised.value.notice.code == "edgar-not-shown"


def test_companies_that_cannot_be_set_side_by_side_stand_there_without_a_comparison() -> None:
    """A table has at most twelve columns, one of labels and one a company."""
    price, facts = SharePrice(value=150, day="2025-12-31", origin="given"), sample(SNOWFLAKE)
    found = of_sample(SNOWFLAKE)
    valued = found.model_copy(
        update={"valuation": value_shares(found, price, ValuationTerms()), "others": []}
    )
    filed = Filed(company=found.company, url="https://example.org", body=b"", facts=facts)
    twelve = [ReadCompany(filed, valued, [], [])] * 12
    scope = Scope(run_id="r", phase_id="retrieval", attempt=1, name="facts")
    shown = present(twelve, FactsRequest(scope=scope, ticker="SNOW", today="2025-12-31"), [])
    assert len(shown.pages) == 12
    [note] = shown.pages[0].company.found.head_notes
    assert note == Notice.of("companies-apart", error="ValidationError")
    assert not [each for each in shown.exhibits if each.title.startswith(PEERS)]


@pytest.mark.full
async def test_facts_of_70_megabytes_are_read(
    database: str, filing_services: Services, parser: PageParser, tmp_path: Path, site: Site
) -> None:
    body = json.dumps(GOOD).encode().ljust(70_000_000)
    site.does(FACTS.format(8), lambda _: Response(body, media_type="application/json"))
    over = (database, filing_services, parser, tmp_path, 120)
    async with open_desk(*over, edgar_url=site.url("")) as desk:
        found = await desk.facts("ACME", peers=["BOLT"])
    [other] = found.others
    assert other.fundamentals.figures


@pytest.mark.parametrize("count", [0, -5])
async def test_price_of_shares_that_count_none_values_only_the_other_company(
    desk: Desk, site: Site, count: int
) -> None:
    counts = {"CommonStockSharesOutstanding": [row("", "2023-12-31", count, "2024-02-05", "10-K")]}
    shares = listed(counts, "shares")["facts"]["us-gaap"]
    facts = {"facts": {"us-gaap": GOOD["facts"]["us-gaap"] | shares}}
    serve(site, FACTS.format(8), facts)
    whole = {"CommonStockSharesOutstanding": [row("", "2023-12-31", 10, "2024-02-05", "10-K")]}
    shares = listed(whole, "shares")["facts"]["us-gaap"]
    serve(site, FACTS.format(7), {"facts": {"us-gaap": GOOD["facts"]["us-gaap"] | shares}})
    price = SharePrice(value=30, day="2024-02-05", origin="given")
    found = await desk.facts("ACME", peers=["BOLT"], prices=[price, price])
    [other] = found.others
    valued = found.fundamentals.valuation
    assert valued
    assert {r.metric: r.value for r in valued.rows}["market_value"] == 300
    assert other.fundamentals.valuation is None
    [unused] = [n for n in other.fundamentals.head_notes if n.code == "company-price-unused"]
    assert unused.params["why"] == Notice.of("price-no-shares")
    assert "Bolt" in unused.text
