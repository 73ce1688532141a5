"""Closing prices as a service answers them: a table of days."""

import re
from collections.abc import Iterator
from datetime import date, timedelta
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest

from activities.company.share_prices import MAX_BYTES, PriceSource
from contracts.company.valuation import Closes
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


async def ask(service: str, as_of: str | None = None) -> Closes:
    prices = PriceSource(service)
    try:
        return await prices.list_closes("KST", as_of)
    finally:
        await prices.aclose()


async def find(service: str, as_of: str | None = None) -> dict[str, float]:
    return {close.day: close.value for close in (await ask(service, as_of)).prices}


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
    ["", "Date,Close", "No data", "Date,Close\nN/D", f"<html>{'x' * 200_000}</html>"],
    ids=range(5),
)
async def test_an_answer_without_a_price_says_so(service: str, tmp_path: Path, answer: str) -> None:
    (tmp_path / "KST.csv").write_text(answer)
    with pytest.raises(PriceFailed, match=re.escape(en("price-unknown", ticker="KST"))):
        await find(service)


async def test_days_to_come_and_lines_without_a_price_are_no_closes(
    service: str, tmp_path: Path
) -> None:
    rows = ["2025-12-30,2", "2025-12-31,null", "N/D", "2999-01-02,7"]
    (tmp_path / "KST.csv").write_text("\n".join(["\ufeffDate,Close", *rows]))
    assert await find(service) == {"2025-12-30": 2}


async def test_newest_close_of_a_long_table_is_found_whichever_way_it_runs(
    service: str, tmp_path: Path
) -> None:
    first = date(1962, 1, 2)
    rows = [f"{first + timedelta(days=n)},1,{n + 0.73},{'9' * 60}" for n in range(23_000)]
    for table in (rows, rows[::-1]):
        (tmp_path / "KST.csv").write_text("\n".join(["Date,Open,Close,Volume", *table]))
        found = await ask(service)
        assert found.last
        assert (found.last.day, found.last.value) == ("2024-12-21", 22_999.73)
        assert found.unreadable == 0


async def test_rows_that_cannot_be_read_are_counted(service: str, tmp_path: Path) -> None:
    rows = ["2025-12-28,abc", "28.12.2025,3", "2025-12-29", "2025-12-30,2"]
    (tmp_path / "KST.csv").write_text("\n".join(["Date,Close", *rows]))
    assert (await ask(service)).unreadable == 3


async def test_unreadable_rows_outside_the_year_are_not_counted(
    service: str, tmp_path: Path
) -> None:
    """A row without a day has that of the next older one."""
    old = ["1962-01-02,1", "1962-01-03,abc", "04.01.1962,1"]
    rows = [*old, "2025-12-28,1", "29.12.2025,3", "2025-12-30,2"]
    for table in (rows, rows[::-1]):
        (tmp_path / "KST.csv").write_text("\n".join(["Date,Close", *table]))
        assert (await ask(service)).unreadable == 1
        assert (await ask(service, "1962-01-02")).unreadable == 0


@pytest.mark.parametrize("row", ["2025-12-30,2", "2025-12-31,1", "30.12.2025,1,9", "2025-12-3"])
async def test_newest_row_is_whole_or_there_is_no_price(
    service: str, tmp_path: Path, row: str
) -> None:
    (tmp_path / "KST.csv").write_text("\n".join(["Date,Close,Volume", "2025-12-29,2,1", row]))
    why = en("price-newest-unreadable", ticker="KST", day="2025-12-29")
    with pytest.raises(PriceFailed, match=re.escape(why)):
        await find(service)
    (tmp_path / "KST.csv").write_text("\n".join(["Date,Close,Volume", row, "2025-12-29,2,1"]))
    with pytest.raises(PriceFailed, match=re.escape(why)):
        await find(service, "2025-12-31")
    if row.startswith("2025-12-3") and len(row) > 9:
        assert await find(service, "2025-12-29") == {"2025-12-29": 2}


async def test_table_of_unreadable_rows_is_no_unknown_ticker(service: str, tmp_path: Path) -> None:
    (tmp_path / "KST.csv").write_text("Date,Close\n31.12.2025,3\n2025-12-30,-1")
    with pytest.raises(PriceFailed, match=re.escape(en("price-unreadable", ticker="KST", n=2))):
        await find(service)


async def test_table_beyond_the_limit_is_refused_not_cut(service: str, tmp_path: Path) -> None:
    (tmp_path / "KST.csv").write_bytes(b"Date,Close\n" + b"2025-12-30,2\n" * (MAX_BYTES // 12))
    with pytest.raises(PriceFailed, match=re.escape(en("price-large", ticker="KST", mb=8))):
        await find(service)


async def test_a_source_that_is_down_says_so(service: str) -> None:
    with pytest.raises(PriceFailed, match=en("price-refused", ticker="KST", status=404)):
        await find(service)
    with pytest.raises(
        PriceFailed, match=re.escape(en("price-no-answer", ticker="KST", error="ConnectError"))
    ):
        await find("http://127.0.0.1:9/{ticker}.csv")
