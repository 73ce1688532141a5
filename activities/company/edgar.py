"""SEC EDGAR's public JSON API: listed companies, and the facts they filed."""

import asyncio
import difflib
import json
import re
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import httpx

from activities.company.filing_lists import (
    DOCUMENT,
    FilingList,
    list_older_pages,
    read_recent,
    read_rows,
)
from activities.integrations.http.http_statuses import may_pass, parse_retry_after
from activities.integrations.http.response_bodies import ResponseTooLarge, read_body
from activities.integrations.http.traced_http import TracedClient
from contracts.company.filings import Company, Filing
from contracts.company.inputs import CIK
from contracts.errors import (
    FactsFailed,
    FactsRefused,
    GreenlightError,
    NoDocument,
    NoFacts,
    Permanent,
    UnknownTicker,
)
from contracts.notices import Notice
from contracts.runs.lost_inputs import LossCause
from domain.company.figures.filed.company_facts_json import parse_company_facts

PAUSE_SECONDS = 0.11
"""Between the starts of two requests: EDGAR allows ten a second."""

TIMEOUT_SECONDS = 15
"""Per request: three attempts with pauses fit into a phase of a minute."""

LONGEST_WAIT = 15
"""Maximum wait in seconds that a server may ask for; a longer one fails, so that the rest of a run is not held up."""

MAX_BYTES = 80_000_000
MAX_DOCUMENT_BYTES = 30_000_000
MAX_OLDER_PAGES = 30
"""Older lists of filings read of a company; each has a thousand rows or more."""
LISTED_SECONDS = 24 * 3600.0
NAME_CHARS = 100
"""Limit of a company's name, for which titles and headings have room."""
_STATE = re.compile(r"\s{0,3}/[A-Za-z ]{2,8}/?\s{0,3}$")
"""What EDGAR adds to a name that companies of two states have: `SIMON PROPERTY GROUP INC /DE/`."""
_LINK = re.compile(r'href="([^"]{1,300})"')
_TICKER = re.compile(rf"[A-Z0-9.-]{{1,10}}|{CIK}")


@dataclass(frozen=True)
class Filed:
    """EDGAR's data on a company: identity, facts as bytes and as JSON, and filings of the forms in use.

    `unlisted` says why filings may be missing from the list, `list_failure` what failed if something did.
    """

    company: Company
    url: str
    body: bytes
    facts: dict[str, Any]
    filings: tuple[Filing, ...] = ()
    unlisted: tuple[Notice, ...] = ()
    list_failure: LossCause | None = None


class Edgar:
    """Asks EDGAR, or anything that speaks its wire format; no hidden retries.

    The list of tickers is kept for a day.
    """

    def __init__(
        self,
        base_url: str,
        www_url: str,
        contact: str,
        timeout_seconds: float = TIMEOUT_SECONDS,
        pause_seconds: float = PAUSE_SECONDS,
    ) -> None:
        self._base_url = base_url.rstrip("/")
        self._www_url = www_url.rstrip("/")
        self._contact = contact.strip()
        headers = {"User-Agent": f"greenlight {self._contact}", "Accept": "application/json"}
        self._client = TracedClient(headers=headers, timeout=timeout_seconds)
        self._timeout_seconds = timeout_seconds
        self._pause_seconds = pause_seconds
        self._next_start = 0.0
        self._listed: dict[str, Company] = {}
        self._listed_until = 0.0
        self._listing = asyncio.Lock()

    def require_contact(self) -> None:
        """Raise FactsRefused unless there is somebody to write to: EDGAR refuses requests without."""
        if not self._contact:
            raise FactsRefused(Notice.of("edgar-contact"))

    @property
    def contacts(self) -> dict[str, str]:
        """The contact to send to each of EDGAR's hosts, which both ask for it."""
        hosts = (httpx.URL(url).netloc.decode() for url in (self._base_url, self._www_url))
        return dict.fromkeys(hosts, self._contact) if self._contact else {}

    async def filed(self, ticker: str, as_of: str | None = None) -> Filed:
        """Return EDGAR's data on the company with a ticker, with the filings that bear on a day or on today.

        Raises:
            UnknownTicker: The ticker is not listed; final.
            NoFacts: The company has filed no figures; final.
            FactsRefused: EDGAR asks for a contact, or refuses; final.
            FactsFailed: EDGAR is busy or unreachable; retried, after `retry_after` seconds if given.
        """
        listed = await self._find_listed(ticker)
        missing = NoFacts(Notice.of("edgar-no-filings", cik=str(listed.cik)))
        url = f"{self._base_url}/submissions/CIK{listed.cik:010d}.json"
        _, about = await self._get_json(url, missing)
        ends = re.fullmatch(r"(\d\d)(\d\d)", str(about.get("fiscalYearEnd")))
        sic = str(about.get("sic"))
        named = {
            "name": _STATE.sub("", str(about.get("name") or listed.name))[:NAME_CHARS],
            "industry": str(about.get("sicDescription") or ""),
            "sic": int(sic) if re.fullmatch(r"[0-9]{1,4}", sic) else 0,
            "fiscal_year_end": "-".join(ends.groups()) if ends else "",
        }
        who = f"{listed.name} ({listed.ticker}, CIK {listed.cik})"
        missing = NoFacts(Notice.of("edgar-no-figures", company=who))
        url = f"{self._base_url}/api/xbrl/companyfacts/CIK{listed.cik:010d}.json"
        body, facts = await self._get_json(url, missing, parse_company_facts)
        filed = Filed(listed.model_copy(update=named), url, body, facts)
        return await self._add_filings(filed, about, as_of)

    async def _add_filings(self, filed: Filed, about: dict[str, Any], as_of: str | None) -> Filed:
        """Add a company's filings back to those needed on a day, and why some may be missing.

        The submissions list a year, or a thousand filings. Older pages are read while they lack an annual report
        that is needed.
        """
        cik = filed.company.cik
        listed: FilingList = await asyncio.to_thread(read_recent, about, cik)
        pages = list_older_pages(about, cik, as_of)
        missing: list[Notice] = []
        failure: LossCause | None = None
        for n, name in enumerate(pages):
            if listed.is_complete(as_of):
                break
            if n == MAX_OLDER_PAGES:
                missing.append(Notice.of("filings-list-cut", n=n, of=len(pages)))
                break
            url = f"{self._base_url}/submissions/{name}"
            try:
                absent = NoDocument(Notice.of("edgar-absent", url=url))
                _, page = await self._get_json(url, absent)
            except GreenlightError as error:
                why, failure = error.notice, error.loss_cause
                missing.append(Notice.of("filings-list-cut", n=n, of=len(pages), why=why))
                break
            listed += await asyncio.to_thread(read_rows, page, cik)
        if listed.unreadable:
            missing.append(Notice.of("filings-list-odd", n=listed.unreadable))
        return replace(filed, filings=listed.filings, unlisted=tuple(missing), list_failure=failure)

    async def find_exhibit(self, filing: Filing, number: str) -> str:
        """Return the file name of a filing's exhibit, e.g. `99.1`; empty if the filing has none.

        Raises:
            NoDocument, FactsRefused, FactsFailed: as `filed`.
        """
        body, _ = await self.read_document(_name_index(filing))
        rows = body.decode(errors="replace").split("<tr")
        listed = (row for row in rows if re.search(rf">\s*EX-{re.escape(number)}\s*<", row))
        links = (link[1] for row in listed if (link := _LINK.search(row)))
        names = (link.rpartition("/")[2] for link in links)
        return next(filter(DOCUMENT.fullmatch, names), "")

    async def read_document(self, filing: Filing) -> tuple[bytes, str]:
        """Return a filing's document and its URL.

        Raises:
            NoDocument: It does not exist; final.
            FactsRefused, FactsFailed: as `filed`.
        """
        url = self.locate(filing)
        named = {"document": filing.document, "accession": filing.accession}
        missing = NoDocument(Notice.of("edgar-no-document", **named))
        return await self._get(url, missing, MAX_DOCUMENT_BYTES), url

    def locate(self, filing: Filing) -> str:
        """Return the address of a filing's document, for people to read."""
        folder = filing.accession.replace("-", "")
        return f"{self._www_url}/Archives/edgar/data/{filing.cik}/{folder}/{filing.document}"

    def locate_index(self, filing: Filing) -> str:
        """Return the address of the page that lists a filing's documents."""
        return self.locate(_name_index(filing))

    async def aclose(self) -> None:
        """Close the connections."""
        await self._client.aclose()

    async def _find_listed(self, ticker: str) -> Company:
        wanted = _normalize(ticker)
        if not _TICKER.fullmatch(wanted):
            raise UnknownTicker(Notice.of("edgar-ticker", ticker=ticker[:20]))
        async with self._listing:
            if time.monotonic() >= self._listed_until:
                url = f"{self._www_url}/files/company_tickers_exchange.json"
                _, told = await self._get_json(
                    url, FactsRefused(Notice.of("edgar-absent", url=url))
                )
                self._listed = _read_tickers(told)
                self._listed_until = time.monotonic() + LISTED_SECONDS
            listed = self._listed
        if found := listed.get(wanted):
            return found
        if number := re.fullmatch(CIK, wanted):
            cik = int(number[1])
            unlisted = Company(cik=cik, ticker=f"CIK{cik}", name=f"CIK {cik}")
            return next((each for each in listed.values() if each.cik == cik), unlisted)
        near = difflib.get_close_matches(wanted, listed, n=3, cutoff=0.7)
        raise UnknownTicker(Notice.of("edgar-unlisted", ticker=wanted, near=near or None))

    async def _get_json(
        self, url: str, missing: Permanent, parse: Callable[[bytes], Any] = json.loads
    ) -> tuple[bytes, dict[str, Any]]:
        """Return a JSON object as bytes and parsed; raise `missing` if it does not exist."""
        served = await self._get(url, missing, MAX_BYTES)
        return served, await asyncio.to_thread(_parse_object, served, parse)

    async def _get(self, url: str, missing: Permanent, most: int) -> bytes:
        """Return a response of at most `most` bytes; raise `missing` if it does not exist."""
        self.require_contact()
        now = time.monotonic()
        start = max(now, self._next_start)
        self._next_start = start + self._pause_seconds
        await asyncio.sleep(start - now)
        try:
            async with (
                asyncio.timeout(self._timeout_seconds),
                self._client.stream("GET", url) as response,
            ):
                _check(response, missing)
                return await read_body(response, most)
        except ResponseTooLarge as error:
            raise FactsRefused(Notice.of("edgar-large", mb=most / 1e6)) from error
        except (httpx.TimeoutException, TimeoutError) as error:
            raise FactsFailed(Notice.of("edgar-late")) from error
        except httpx.HTTPError as error:
            raise FactsFailed(Notice.of("edgar-no-answer", error=type(error).__name__)) from error


def _parse_object(served: bytes, parse: Callable[[bytes], Any]) -> dict[str, Any]:
    """Parse a JSON object.

    Raises:
        FactsFailed: It is not JSON, not an object, or nested too deep; retried.
    """
    try:
        read = parse(served)
    except (ValueError, RecursionError) as error:
        raise FactsFailed(Notice.of("edgar-odd")) from error
    if not isinstance(read, dict):
        raise FactsFailed(Notice.of("edgar-odd"))
    return read


def _name_index(filing: Filing) -> Filing:
    """Return a filing that points to the index of its documents instead."""
    return filing.model_copy(update={"document": f"{filing.accession}-index.htm"})


def _normalize(ticker: str) -> str:
    """Return a ticker as EDGAR writes it: `BRK-B` for `brk.b`."""
    return ticker.strip().upper().replace(".", "-")


def _check(response: httpx.Response, missing: Permanent) -> None:
    status = response.status_code
    if status == httpx.codes.OK:
        return
    if status == httpx.codes.NOT_FOUND:
        raise missing
    told = Notice.of("edgar-status", status=status)
    if status == httpx.codes.FORBIDDEN:
        told = Notice.of("edgar-forbidden", status=status)
    if not may_pass(status):
        raise FactsRefused(told, status)
    wait = parse_retry_after(response.headers.get("Retry-After", ""))
    if wait and wait > LONGEST_WAIT:
        told = Notice.of("edgar-status", status=status, seconds=wait)
        raise FactsRefused(told, status, passing=True)
    raise FactsFailed(told, wait, status)


def _read_tickers(told: dict[str, Any]) -> dict[str, Company]:
    """Return the lines of `{"fields": [...], "data": [[...]]}` by ticker."""
    try:
        rows = [dict(zip(told["fields"], row, strict=True)) for row in told["data"]]
        fields = ("cik", "ticker", "name", "exchange")
        named = ({name: row[name] or "" for name in fields} for row in rows)
        found = [Company.model_validate(row | {"name": row["name"][:NAME_CHARS]}) for row in named]
    except (KeyError, TypeError, ValueError) as error:
        raise FactsFailed(Notice.of("edgar-list-odd")) from error
    return {_normalize(each.ticker): each for each in found}
