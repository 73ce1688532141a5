"""Closing prices of shares: a service that answers a table of days as CSV, as Stooq and others do."""

import csv
import io
from datetime import date, timedelta

import httpx
from pydantic import ValidationError

from contracts.errors import PriceFailed
from contracts.evidence.company import SharePrice

TIMEOUT_SECONDS = 10
MAX_CHARS = 1_000_000
YEAR = timedelta(days=366)


class PriceSource:
    """Asks for a ticker's closing prices; `url` holds `{ticker}`, and is empty where there is none."""

    def __init__(self, url: str, currency: str = "USD") -> None:
        self._url = url
        self._currency = currency
        self._client = httpx.AsyncClient(timeout=TIMEOUT_SECONDS)

    async def list_closes(self, ticker: str, as_of: str | None = None) -> list[SharePrice]:
        """Return the closes of the year up to a day, oldest first; none where no service is set.

        Raises:
            PriceFailed: there is no answer, or none that holds a day and a closing price.
        """
        if not self._url:
            return []
        try:
            response = await self._client.get(self._url.replace("{ticker}", ticker))
            rows = csv.DictReader(io.StringIO(response.raise_for_status().text[:MAX_CHARS]))
            days = {row["Date"]: row["Close"] for row in rows}
            newest = max(day for day in days if as_of is None or day <= as_of)
            first = (date.fromisoformat(newest) - YEAR).isoformat()
            return [
                SharePrice(
                    value=float(days[day]), currency=self._currency, day=day, origin="last close"
                )
                for day in sorted(day for day in days if first < day <= newest)
            ]
        except httpx.HTTPError as error:
            raise PriceFailed(f"no price of {ticker}: {type(error).__name__}") from error
        except (KeyError, ValueError, TypeError, ValidationError, csv.Error) as error:
            raise PriceFailed(f"no price of {ticker}: the service knows none") from error

    async def aclose(self) -> None:
        """Close the connections."""
        await self._client.aclose()
