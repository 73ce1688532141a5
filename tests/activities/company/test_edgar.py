"""EDGAR's wire format, its refusals and its bad days, over HTTP."""

import asyncio
import gzip
import json
import time
from collections.abc import AsyncIterator, Callable
from functools import partial
from typing import Any

import pytest
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from activities.company import edgar as wire
from activities.company.edgar import Edgar
from contracts.errors import FactsFailed, FactsRefused, GreenlightError, NoFacts, UnknownTicker
from contracts.notices import Notice
from tests.activities.web.site import Site
from tests.activities.web.site import site as serving
from tests.support.refusals import refused
from tests.support.words import opening, pattern

LIST = "/files/company_tickers_exchange.json"
ABOUT = "/submissions/CIK0000000007.json"
FACTS = "/api/xbrl/companyfacts/CIK0000000007.json"
CONTACT = "Acme ops@acme.example"


@pytest.fixture(scope="session")
async def _site() -> AsyncIterator[Site]:
    async with serving() as one:
        yield one


@pytest.fixture
def site(_site: Site) -> Site:
    """EDGAR with one company."""
    site = _site.reset()
    rows = [[7, "ACME CORP", "ACME", "NYSE"], [8, "BERKSHIRE", "BRK-B", "NYSE"]]
    listed = {"fields": ["cik", "name", "ticker", "exchange"], "data": rows}
    about = {
        "name": "Acme Corp.",
        "sicDescription": "Anvils",
        "sic": "3420",
        "fiscalYearEnd": "0131",
    }
    site.does(LIST, lambda _: JSONResponse(listed))
    for path in (ABOUT, ABOUT.replace("7", "8")):
        site.does(path, lambda _: JSONResponse(about))
    for path in (FACTS, FACTS.replace("7", "8")):
        site.does(path, lambda _: JSONResponse({"cik": 7, "facts": {}}))
    return site


@pytest.fixture
async def edgar(site: Site) -> AsyncIterator[Edgar]:
    made = Edgar(site.url(""), site.url(""), CONTACT, timeout_seconds=10, pause_seconds=0)
    yield made
    await made.aclose()


async def test_request_names_the_contact_and_returns_the_filings(site: Site, edgar: Edgar) -> None:
    filed = await edgar.filed("ACME")
    assert site.paths == [LIST, ABOUT, FACTS]
    assert {request.headers["user-agent"] for request in site.requests} == {
        "greenlight Acme ops@acme.example"
    }
    assert filed.url == site.url(FACTS)
    assert json.loads(filed.body) == filed.facts == {"cik": 7, "facts": {}}
    told = filed.company
    assert (told.cik, told.ticker, told.name, told.exchange) == (7, "ACME", "Acme Corp.", "NYSE")
    assert (told.industry, told.sic, told.fiscal_year_end) == ("Anvils", 3420, "01-31")


@pytest.mark.parametrize("name", ["Acme Corp. /DE/", "Acme Corp./MN", "Acme Corp."])
async def test_state_is_no_part_of_a_companys_name(site: Site, edgar: Edgar, name: str) -> None:
    """News is searched by the name."""
    site.does(ABOUT, lambda _: JSONResponse({"name": name}))
    assert (await edgar.filed("ACME")).company.name == "Acme Corp."


@pytest.mark.parametrize("ticker", ["BRK.B", "brk-b", "  Brk.b\n"])
async def test_ticker_is_found_in_any_spelling(edgar: Edgar, ticker: str) -> None:
    assert (await edgar.filed(ticker)).company.ticker == "BRK-B"


@pytest.mark.parametrize(("number", "ticker"), [("cik9", "CIK9"), ("CIK0000000007", "ACME")])
async def test_company_that_is_not_listed_is_found_by_its_number(
    site: Site, edgar: Edgar, number: str, ticker: str
) -> None:
    for path in (ABOUT, FACTS):
        site.does(path.replace("7", "9"), lambda _: JSONResponse({"name": "Gone Inc."}))
    told = (await edgar.filed(number)).company
    assert (told.ticker, told.name) == (ticker, "Gone Inc." if ticker == "CIK9" else "Acme Corp.")
    with refused(NoFacts, "edgar-no-filings", cik="5"):
        await edgar.filed("CIK5")


async def test_ticker_list_is_requested_once_a_day(
    site: Site, edgar: Edgar, monkeypatch: pytest.MonkeyPatch
) -> None:
    await edgar.filed("ACME")
    await edgar.filed("ACME")
    assert site.paths.count(LIST) == 1
    monkeypatch.setattr(wire, "LISTED_SECONDS", 0.0)
    other = Edgar(site.url(""), site.url(""), CONTACT, pause_seconds=0)
    await other.filed("ACME")
    await other.filed("ACME")
    assert site.paths.count(LIST) == 3
    await other.aclose()


async def test_rate_is_at_most_ten_requests_a_second(site: Site) -> None:
    edgar = Edgar(site.url(""), site.url(""), CONTACT)
    started = time.monotonic()
    await asyncio.gather(edgar.filed("ACME"), edgar.filed("ACME"))
    assert time.monotonic() - started >= 4 * 0.1
    assert len(site.paths) == 5
    await edgar.aclose()


@pytest.mark.parametrize("ticker", ["", "  ", "A B", "ACME!", "../x", "ABCDEFGHIJK", "ΑΒΓ"])
async def test_malformed_ticker_sends_no_request(site: Site, edgar: Edgar, ticker: str) -> None:
    with pytest.raises(UnknownTicker, match="ticker: "):
        await edgar.filed(ticker)
    assert site.paths == []


async def test_unknown_ticker_error_suggests_similar_ones(edgar: Edgar) -> None:
    with refused(UnknownTicker, "edgar-unlisted", ticker="ACMY", near=["ACME"]):
        await edgar.filed("acmy")


@pytest.mark.parametrize("path", [ABOUT, FACTS])
async def test_company_without_facts_raises_no_facts(site: Site, edgar: Edgar, path: str) -> None:
    site.does(path, lambda _: Response("<Error/>", 404, media_type="application/xml"))
    with pytest.raises(NoFacts, match="ticker: ") as raised:
        await edgar.filed("ACME")
    assert raised.value.type() == "no-facts"


def test_pages_of_edgar_get_the_same_contact() -> None:
    told = dict.fromkeys(("data.sec.gov", "www.sec.gov"), CONTACT)
    assert Edgar("https://data.sec.gov", "https://www.sec.gov/", CONTACT).contacts == told
    assert Edgar("https://data.sec.gov", "https://www.sec.gov", " ").contacts == {}


async def test_without_contact_no_request_is_sent(site: Site) -> None:
    edgar = Edgar(site.url(""), site.url(""), " ")
    with refused(FactsRefused, "edgar-contact"):
        await edgar.filed("ACME")
    assert site.paths == []


Answer = Callable[[Any], Response]


@pytest.mark.parametrize(
    ("answer", "kind", "said", "wait"),
    [
        (lambda _: Response("<html>", 403), FactsRefused, pattern("edgar-forbidden"), None),
        (
            lambda _: Response("", 400),
            FactsRefused,
            opening("edgar-status", "status", status=400),
            None,
        ),
        (lambda _: Response("<html>", 429, {"Retry-After": "7"}), FactsFailed, "429", 7),
        (lambda _: Response("", 429, {"Retry-After": "600"}), FactsRefused, "600", None),
        (lambda _: Response("<html>", 429), FactsFailed, "429", None),
        (lambda _: Response("", 503, {"Retry-After": "1.5"}), FactsFailed, "503", 1.5),
        (lambda _: Response("", 500, {"Retry-After": "soon"}), FactsFailed, "500", None),
        (lambda _: Response("<html>busy</html>"), FactsFailed, pattern("edgar-odd"), None),
        (lambda _: Response('{"facts": '), FactsFailed, pattern("edgar-odd"), None),
        (lambda _: Response("[]"), FactsFailed, pattern("edgar-odd"), None),
    ],
)
@pytest.mark.parametrize("path", [LIST, FACTS])
async def test_each_failure_status_has_its_error(
    site: Site,
    edgar: Edgar,
    path: str,
    answer: Answer,
    kind: type[GreenlightError],
    said: str,
    wait: float | None,
) -> None:
    site.does(path, answer)
    with pytest.raises(kind, match=said) as raised:
        await edgar.filed("ACME")
    assert raised.value.retry_after == wait
    assert site.paths.count(path) == 1, "nothing is tried again in secret"


async def test_malformed_ticker_list_is_a_failure(site: Site, edgar: Edgar) -> None:
    site.does(LIST, lambda _: JSONResponse({"0": {"cik_str": 7, "ticker": "ACME"}}))
    with refused(FactsFailed, "edgar-list-odd"):
        await edgar.filed("ACME")


async def test_compressed_answer_is_bounded(
    site: Site, edgar: Edgar, monkeypatch: pytest.MonkeyPatch
) -> None:
    packed = gzip.compress(json.dumps({"facts": {}, "more": "x" * 50_000}).encode())
    site.does(FACTS, lambda _: Response(packed, headers={"Content-Encoding": "gzip"}))
    assert (await edgar.filed("ACME")).facts["facts"] == {}
    monkeypatch.setattr(wire, "MAX_BYTES", 10_000)
    with refused(FactsRefused, "edgar-large"):
        await edgar.filed("ACME")


async def test_missing_answer_is_a_failure() -> None:
    edgar = Edgar("http://127.0.0.1:1", "http://127.0.0.1:1", CONTACT)
    with refused(FactsFailed, "edgar-no-answer"):
        await edgar.filed("ACME")


@pytest.mark.parametrize(
    "filings",
    [[], "none", 7, {"recent": []}, {"recent": {"accessionNumber": 3}}, {"recent": {"form": "x"}}],
)
async def test_filings_that_are_no_list_are_none(site: Site, edgar: Edgar, filings: Any) -> None:
    site.does(ABOUT, lambda _: JSONResponse({"name": "Acme", "filings": filings}))
    assert (await edgar.filed("ACME")).filings == ()


def list_rows(*rows: tuple[str, str, str]) -> dict[str, list[str]]:
    """Return filings by form, day and the end of their period, as EDGAR lists them."""
    forms, days, ends = zip(*rows, strict=True)
    numbers = [f"{day}-{n}" for n, day in enumerate(days)]
    named = {"accessionNumber": numbers, "primaryDocument": ["a.htm"] * len(rows)}
    return named | {"form": [*forms], "filingDate": [*days], "reportDate": [*ends]}


NOTES = [("424B2", "2026-03-02", "")] * 1_500
YEARS = [("10-K", f"{year + 1}-02-20", f"{year}-12-31") for year in (2025, 2024, 2023, 2022)]


def _answer(listed: dict[str, list[str]], _: Request) -> Response:
    return JSONResponse(listed)


def serve_list(site: Site, recent: list[Any], *older: list[Any]) -> list[str]:
    """Serve a company's filings in pages, each `older` one by its rows, and return the paths of these."""
    paths = [
        f"/submissions/CIK0000000007-submissions-{n:03d}.json" for n in range(1, len(older) + 1)
    ]
    files = [
        {"name": path.rpartition("/")[2], "filingFrom": rows[-1][1], "filingTo": rows[0][1]}
        for path, rows in zip(paths, older, strict=True)
    ]
    about = {"name": "Acme", "filings": {"recent": list_rows(*recent), "files": files}}
    site.does(ABOUT, lambda _: JSONResponse(about))
    for path, rows in zip(paths, older, strict=True):
        site.does(path, partial(_answer, list_rows(*rows)))
    return paths


async def test_forms_in_use_are_listed_behind_any_number_of_others(
    site: Site, edgar: Edgar
) -> None:
    serve_list(site, [*NOTES, *YEARS[:2]], YEARS[2:])
    filed = await edgar.filed("ACME")
    assert [(each.form, each.filed) for each in filed.filings] == [each[:2] for each in YEARS[:2]]
    assert (site.paths, filed.unlisted) == ([LIST, ABOUT, FACTS], ())


async def test_older_pages_are_read_back_to_the_year_before(site: Site, edgar: Edgar) -> None:
    paths = serve_list(site, NOTES, YEARS[:1], YEARS[1:2], YEARS[2:])
    assert [each.filed for each in (await edgar.filed("ACME")).filings] == [
        each[1] for each in YEARS[:2]
    ]
    assert site.paths[3:] == paths[:2]


async def test_pages_of_a_later_day_are_passed_over(site: Site, edgar: Edgar) -> None:
    paths = serve_list(site, NOTES, YEARS[:1], YEARS[1:2], YEARS[2:])
    filed = await edgar.filed("ACME", "2024-06-30")
    assert [each.filed for each in filed.filings] == ["2024-02-20", "2023-02-20"]
    assert (site.paths[3:], filed.unlisted) == (paths[2:], ())


async def test_list_that_is_not_read_to_its_end_says_so(
    site: Site, edgar: Edgar, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(wire, "MAX_OLDER_PAGES", 1)
    paths = serve_list(site, NOTES, YEARS[:1], YEARS[1:])
    told = Notice.of("filings-list-cut", n=1, of=2)
    assert (await edgar.filed("ACME")).unlisted == (told,)
    site.does(paths[0], lambda _: Response("", 503))
    filed = await edgar.filed("ACME")
    why = Notice.of("edgar-status", status=503)
    assert filed.unlisted == (Notice.of("filings-list-cut", n=0, of=2, why=why),)
    assert filed.list_failure


async def test_lines_of_the_list_that_cannot_be_read_are_counted(site: Site, edgar: Edgar) -> None:
    serve_list(site, [("10-K", "lately", ""), ("424B2", "lately", ""), *YEARS[:2]])
    filed = await edgar.filed("ACME")
    assert filed.unlisted == (Notice.of("filings-list-odd", n=1),)
    assert len(filed.filings) == 2


@pytest.mark.parametrize("form", [["10-K"], {"form": "10-K"}, 10])
async def test_line_whose_form_is_no_text_is_counted(
    site: Site, edgar: Edgar, form: object
) -> None:
    serve_list(site, [(form, "2025-02-20", ""), *YEARS[:2]])
    filed = await edgar.filed("ACME")
    assert filed.unlisted == (Notice.of("filings-list-odd", n=1),)
    assert len(filed.filings) == 2


async def test_pages_named_otherwise_are_not_asked_for(site: Site, edgar: Edgar) -> None:
    files = [{"name": "../../files/x.json"}, {"name": "CIK0000000008-submissions-001.json"}, 7]
    site.does(ABOUT, lambda _: JSONResponse({"name": "Acme", "filings": {"files": files}}))
    await edgar.filed("ACME")
    assert site.paths == [LIST, ABOUT, FACTS]
