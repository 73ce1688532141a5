"""Closing prices of shares: a service that answers a table of days as CSV, as Stooq and others do."""

import asyncio
import csv
import io
from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from typing import NamedTuple

import httpx

from activities.integrations.http.http_statuses import may_pass
from activities.integrations.http.response_bodies import ResponseTooLarge, read_body
from activities.integrations.http.traced_http import TracedClient
from contracts.company.valuation import Closes, SharePrice
from contracts.errors import PriceFailed
from contracts.notices import Notice

TIMEOUT_SECONDS = 10
ANSWER_SECONDS = 20
"""Timeout of the whole download, even if each read is in time."""
MAX_BYTES = 8_000_000
"""A century of days is 2 MB; a larger table is refused, not cut, as either end may be the newest."""
YEAR = timedelta(days=366)
WITHOUT_PRICE = frozenset(("", "null", "none", "nan", "n/a", "n/d", "-"))
"""Cells by which services say that a day has no price."""


class _Row(NamedTuple):
    """A row of the table; one without a price that does not say so is unreadable."""

    day: str
    price: SharePrice | None
    is_readable: bool


class PriceSource:
    """Client of a price service; `url` contains `{ticker}`, and is empty if no service is configured."""

    def __init__(self, url: str, currency: str = "USD") -> None:
        self._url = url
        self._currency = currency
        self._client = TracedClient(timeout=TIMEOUT_SECONDS)

    async def list_closes(self, ticker: str, as_of: str | None = None) -> Closes:
        """Return a year of closes up to a day; none if no service is configured.

        Raises:
            PriceFailed: There is no answer, or it contains no day with a close, or its newest row cannot be read.
        """
        if not self._url:
            return Closes()
        table = await self._get(ticker)
        until = as_of or datetime.now(UTC).date().isoformat()
        return await asyncio.to_thread(_find_closes, table, ticker, until, self._currency)

    async def _get(self, ticker: str) -> bytes:
        try:
            async with (
                asyncio.timeout(ANSWER_SECONDS),
                self._client.stream("GET", self._url.replace("{ticker}", ticker)) as response,
            ):
                if response.is_error:
                    status = response.status_code
                    why = Notice.of("price-refused", ticker=ticker, status=status)
                    raise PriceFailed(why, status, passing=may_pass(status))
                return await read_body(response, MAX_BYTES)
        except ResponseTooLarge as error:
            why = Notice.of("price-large", ticker=ticker, mb=MAX_BYTES / 1e6)
            raise PriceFailed(why) from error
        except (httpx.HTTPError, TimeoutError) as error:
            why = Notice.of("price-no-answer", ticker=ticker, error=type(error).__name__)
            raise PriceFailed(why, passing=True) from error

    async def aclose(self) -> None:
        """Close the connections."""
        await self._client.aclose()


def _find_closes(table: bytes, ticker: str, until: str, currency: str) -> Closes:
    """Return the closes of the year to a day, and how many of its rows cannot be read.

    A row without a day has that of the next older one.

    Raises:
        PriceFailed: There are none, or a newer row cannot be read: the table may have been cut off in it.
    """
    rows = [*_read_rows(table.decode("utf-8-sig", errors="replace"), currency)]
    unreadable = [row for row in rows if not row.is_readable]
    closes = {row.day: row.price for row in rows if row.price and row.day <= until}
    if not closes:
        if unreadable:
            raise PriceFailed(Notice.of("price-unreadable", ticker=ticker, n=len(unreadable)))
        raise PriceFailed(Notice.of("price-unknown", ticker=ticker))
    newest = max(closes)
    dated = [row.day for row in rows if row.day]
    ends = [*rows[-1:] * (dated[0] <= dated[-1]), *rows[:1] * (dated[0] >= dated[-1])]
    is_end_lost = any(not (end.is_readable or end.day) for end in ends) and max(dated) <= until
    if is_end_lost or any(newest < row.day <= until for row in unreadable):
        raise PriceFailed(Notice.of("price-newest-unreadable", ticker=ticker, day=newest))
    first = (date.fromisoformat(newest) - YEAR).isoformat()
    year = [closes[day] for day in sorted(closes) if day > first]
    oldest_first = rows if dated[0] <= dated[-1] else rows[::-1]
    unreadable_used, day = 0, ""
    for row in oldest_first:
        day = row.day or day
        unreadable_used += not row.is_readable and first < day <= until
    return Closes(prices=year, unreadable=unreadable_used)


def _read_rows(table: str, currency: str) -> Iterator[_Row]:
    """Yield the rows of a table with the columns `Date` and `Close`; nothing of any other text."""
    rows = csv.reader(io.StringIO(table))
    try:
        columns = next(rows, [])
    except csv.Error:
        return
    if not {"Date", "Close"} <= {*columns}:
        return
    at_day, at_close = columns.index("Date"), columns.index("Close")
    while True:
        try:
            row = next(rows, None)
        except csv.Error:  # what follows is one endless cell
            yield _Row("", None, is_readable=False)
            return
        if row is None:
            return
        if not {cell.strip().casefold() for cell in row} <= WITHOUT_PRICE:
            day = row[at_day].strip() if len(row) > at_day else ""
            close = row[at_close] if len(row) == len(columns) else "cut off"
            yield _read_row(day, close, currency)


def _read_row(day: str, close: str, currency: str) -> _Row:
    try:
        day = date.fromisoformat(day).isoformat()
    except ValueError:
        return _Row("", None, is_readable=False)
    if close.strip().casefold() in WITHOUT_PRICE:
        return _Row(day, None, is_readable=True)
    try:
        price = SharePrice(value=float(close), day=day, origin="close", currency=currency)
    except ValueError:
        return _Row(day, None, is_readable=False)
    return _Row(day, price, is_readable=True)
