"""Closing prices of shares: a service that answers a table of days as CSV, as Stooq and others do."""

import csv
import io

import httpx
from pydantic import ValidationError

from contracts.errors import PriceFailed
from contracts.evidence.company import SharePrice

TIMEOUT_SECONDS = 10
MAX_CHARS = 1_000_000


class PriceSource:
    """Asks for a ticker's last closing price; `url` holds `{ticker}`, and is empty where there is none."""

    def __init__(self, url: str, currency: str = "USD") -> None:
        self._url = url
        self._currency = currency
        self._client = httpx.AsyncClient(timeout=TIMEOUT_SECONDS)

    async def find_close(self, ticker: str, as_of: str | None = None) -> SharePrice | None:
        """Return the last close up to a day; None where no service is set.

        Raises:
            PriceFailed: there is no answer, or none that holds a day and a closing price.
        """
        if not self._url:
            return None
        try:
            response = await self._client.get(self._url.replace("{ticker}", ticker))
            rows = csv.DictReader(io.StringIO(response.raise_for_status().text[:MAX_CHARS]))
            days = {row["Date"]: row["Close"] for row in rows}
            day = max(day for day in days if as_of is None or day <= as_of)
            return SharePrice(
                value=float(days[day]), currency=self._currency, day=day, origin="last close"
            )
        except httpx.HTTPError as error:
            raise PriceFailed(f"no price of {ticker}: {type(error).__name__}") from error
        except (KeyError, ValueError, TypeError, ValidationError, csv.Error) as error:
            raise PriceFailed(f"no price of {ticker}: the service knows none") from error

    async def aclose(self) -> None:
        """Close the connections."""
        await self._client.aclose()
