"""Closing prices as a service answers them: a table of days."""

import re
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest

from activities.company.share_prices import PriceSource
from contracts.errors import PriceFailed
from tests.support.words import en


@pytest.fixture
def service(tmp_path: Path) -> Iterator[str]:
    """The address of a service that answers files of a folder."""
    handler = partial(SimpleHTTPRequestHandler, directory=str(tmp_path))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}/{{ticker}}.csv"
        server.shutdown()
        thread.join()


async def find(service: str, as_of: str | None = None) -> dict[str, float]:
    prices = PriceSource(service)
    try:
        return {close.day: close.value for close in await prices.list_closes("KST", as_of)}
    finally:
        await prices.aclose()


async def test_closes_are_those_of_the_year_to_the_newest_or_to_a_day(
    service: str, tmp_path: Path
) -> None:
    rows = ["2025-12-31,3", "2024-06-28,1", "2025-01-02,2", "2024-12-31,1.5"]
    (tmp_path / "KST.csv").write_text("\n".join(["Date,Close", *rows]))
    assert await find(service) == {"2024-12-31": 1.5, "2025-01-02": 2, "2025-12-31": 3}
    assert await find(service, "2025-01-01") == {"2024-06-28": 1, "2024-12-31": 1.5}
    assert await find("") == {}


@pytest.mark.parametrize(
    "answer",
    [
        *("", "Date,Close", "No data", "Date,Close\n2025-01-02,abc", "Date,Close\n2025-01-02,-1"),
        f"<html>{'x' * 200_000}</html>",
    ],
    ids=range(6),
)
async def test_an_answer_without_a_price_says_so(service: str, tmp_path: Path, answer: str) -> None:
    (tmp_path / "KST.csv").write_text(answer)
    with pytest.raises(PriceFailed, match=re.escape(en("price-unknown", ticker="KST"))):
        await find(service)


async def test_days_to_come_and_lines_without_a_price_are_no_closes(
    service: str, tmp_path: Path
) -> None:
    rows = ["2025-12-30,2", "2025-12-31,null", "2025-12-32,9", "N/D", "2999-01-02,7"]
    (tmp_path / "KST.csv").write_text("\n".join(["Date,Close", *rows]))
    assert await find(service) == {"2025-12-30": 2}


async def test_a_source_that_is_down_says_so(service: str) -> None:
    with pytest.raises(PriceFailed, match=en("price-refused", ticker="KST", status=404)):
        await find(service)
    with pytest.raises(
        PriceFailed, match=re.escape(en("price-no-answer", ticker="KST", error="ConnectError"))
    ):
        await find("http://127.0.0.1:9/{ticker}.csv")
