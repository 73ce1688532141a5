"""Closing prices of shares: a service that answers a table of days as CSV, as Stooq and others do."""

import csv
import io
from collections.abc import Iterator
from contextlib import suppress
from datetime import UTC, date, datetime, timedelta

import httpx

from activities.integrations.http.http_statuses import may_pass
from activities.integrations.http.traced_http import TracedClient
from contracts.company.valuation import SharePrice
from contracts.errors import PriceFailed
from contracts.notices import Notice

TIMEOUT_SECONDS = 10
MAX_CHARS = 1_000_000
YEAR = timedelta(days=366)


class PriceSource:
    """Client of a price service; `url` contains `{ticker}`, and is empty if no service is configured."""

    def __init__(self, url: str, currency: str = "USD") -> None:
        self._url = url
        self._currency = currency
        self._client = TracedClient(timeout=TIMEOUT_SECONDS)

    async def list_closes(self, ticker: str, as_of: str | None = None) -> list[SharePrice]:
        """Return a year of closes up to a day, oldest first; empty if no service is configured.

        Raises:
            PriceFailed: There is no answer, or it contains no day with a close.
        """
        if not self._url:
            return []
        try:
            response = await self._client.get(self._url.replace("{ticker}", ticker))
        except httpx.HTTPError as error:
            why = Notice.of("price-no-answer", ticker=ticker, error=type(error).__name__)
            raise PriceFailed(why, passing=True) from error
        if response.is_error:
            status = response.status_code
            why = Notice.of("price-refused", ticker=ticker, status=status)
            raise PriceFailed(why, status, passing=may_pass(status))
        until = as_of or datetime.now(UTC).date().isoformat()
        closes: dict[str, SharePrice] = {}
        with suppress(csv.Error):  # an unterminated field: malformed tables contain no prices
            closes = {each.day: each for each in self._read(response.text) if each.day <= until}
        if not closes:
            raise PriceFailed(Notice.of("price-unknown", ticker=ticker))
        first = (date.fromisoformat(max(closes)) - YEAR).isoformat()
        return [closes[day] for day in sorted(closes) if day > first]

    def _read(self, table: str) -> Iterator[SharePrice]:
        """Yield the closes in a table, skipping lines without day or price."""
        for row in csv.DictReader(io.StringIO(table[:MAX_CHARS])):
            with suppress(KeyError, TypeError, ValueError):
                told = {"value": float(row["Close"]), "day": row["Date"], "origin": "close"}
                yield SharePrice.model_validate(told | {"currency": self._currency})

    async def aclose(self) -> None:
        """Close the connections."""
        await self._client.aclose()
