"""What a company's filings hold and its facts lack: parts, guidance, risk factors that changed."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from activities.parsing.page_parser import PageParser
from tests.activities.company import filed_documents as filed
from tests.activities.company.conftest import Desk, open_desk
from tests.offline.conftest import Services, serving


@pytest.fixture(scope="module")
async def filings(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[tuple[Services, Path]]:
    """The services over one folder."""
    path = tmp_path_factory.mktemp("filings")
    async with serving("--library", str(path)) as services:
        yield services, path


@pytest.fixture
def folder(filings: tuple[Services, Path]) -> Path:
    """The folder, with the filings of one company as they were made."""
    _, path = filings
    filed.write_filings(path)
    return path


@pytest.fixture
async def kestrel(
    database: str,
    filings: tuple[Services, Path],
    folder: Path,
    parser: PageParser,
    tmp_path: Path,
) -> AsyncIterator[Desk]:
    """A run's activity over them."""
    services, _ = filings
    async with open_desk(database, services, parser, tmp_path) as made:
        yield made


async def test_parts_guidance_and_changed_risks_stand_on_the_page_and_in_their_documents(
    kestrel: Desk,
) -> None:
    found = await kestrel.facts(filed.TICKER)
    text = await kestrel.text(found)
    assert found.source.url.endswith("-index.htm"), "the report is a source of its own"
    assert "| North | 90 | 300 | 250 |" in text
    assert "| South | – | 100 | – |" in text
    assert "| South | -1,235 |" in text, "1,234.5 million are rounded up"
    kinds = {(p.kind, p.filed): p for p in found.fundamentals.passages}
    assert list(kinds) == [
        ("guidance", "2026-05-04"),
        ("risk added", "2026-02-20"),
        ("risk removed", "2025-02-20"),
    ]
    for passage in kinds.values():
        source = found.documents[passage.source - 1]
        told = (await kestrel.blobs.get(source.text_key)).decode()
        assert told[passage.start : passage.end] == passage.quote
        assert f"- “{passage.quote}”" in text
        assert source.published == passage.filed
    assert filed.GUIDANCE in kinds["guidance", "2026-05-04"].quote
    assert kinds["risk added", "2026-02-20"].quote == filed.NEW_RISK
    assert kinds["risk removed", "2025-02-20"].quote == filed.RISKS[1]
    assert len(found.documents) == 3
    assert found.documents[-1].url.endswith("/000000007726000008/kst-ex991.htm")


async def test_nothing_filed_after_the_day_is_read(kestrel: Desk) -> None:
    found = await kestrel.facts(filed.TICKER, "2026-03-01")
    assert [source.published for source in found.documents] == ["2025-02-20", "2026-02-20"]
    assert {p.kind for p in found.fundamentals.passages} == {"risk added", "risk removed"}


@pytest.mark.parametrize(
    ("path", "status", "said"),
    [
        ("kst-20251231.htm", 404, "10-K filed 2026-02-20 was not read: EDGAR has no document"),
        ("kst-20251231.htm", 503, "10-K filed 2026-02-20 was not read: EDGAR answered 503"),
        ("index.htm", 503, "8-K filed 2026-05-04 was not read: EDGAR answered 503"),
        ("kst-ex991.htm", 403, "8-K filed 2026-05-04 was not read: EDGAR answered 403"),
    ],
)
async def test_a_filing_that_cannot_be_read_is_noted_and_fails_nothing(
    kestrel: Desk, path: str, status: int, said: str
) -> None:
    await kestrel.fails(path, status=status)
    found = await kestrel.facts(filed.TICKER)
    assert [note for note in found.fundamentals.notes if note.startswith(said)]
    assert len(found.fundamentals.passages) == (1 if "2025" in path else 2)
    assert found.fundamentals.figures


async def test_what_a_filing_does_not_say_is_noted(kestrel: Desk, folder: Path) -> None:
    bare = (
        "<html><body><ix:header></ix:header><p>Nothing to see here, and no item.</p></body></html>"
    )
    for report in (filed.YEAR, filed.YEAR_BEFORE):
        filed.write_document(folder, report[1], report[5], bare)
    filed.write_document(folder, filed.RELEASE[1], "kst-ex991.htm", "<p>Revenue was $110.</p>")
    notes = (await kestrel.facts(filed.TICKER)).fundamentals.notes
    assert "8-K filed 2026-05-04 states no guidance in figures." in notes
    assert "The risk factors of two years were not compared: no headings were found." in notes


async def test_an_announcement_without_an_exhibit_is_noted(kestrel: Desk, folder: Path) -> None:
    index = f"{filed.RELEASE[1]}-index.htm"
    filed.write_document(folder, filed.RELEASE[1], index, "<table><tr><td>EX-10</table>")
    notes = (await kestrel.facts(filed.TICKER)).fundamentals.notes
    assert "8-K filed 2026-05-04 has no exhibit 99.1: no guidance was read." in notes


async def test_filings_that_are_not_listed_are_named(kestrel: Desk) -> None:
    notes = (await kestrel.facts(filed.TICKER, "2025-12-31")).fundamentals.notes
    [note] = [note for note in notes if note.startswith("EDGAR lists no document")]
    assert "a year before's (risk factors), announcements of results (guidance)" in note
    assert "annual reports" not in note
    notes = (await kestrel.facts(filed.TICKER)).fundamentals.notes
    assert not [note for note in notes if note.startswith("EDGAR lists no document")]


@pytest.fixture
async def apple(
    database: str, _services: Services, parser: PageParser, tmp_path: Path
) -> AsyncIterator[Desk]:
    """A run's activity over the sample."""
    async with open_desk(database, _services, parser, tmp_path) as made:
        yield made


async def test_apples_parts_are_those_of_its_report(apple: Desk) -> None:
    """By hand from the 10-Q for the quarter to 2025-06-28, notes 2 and 11, in millions of dollars."""
    found = await apple.facts("AAPL", "2025-08-15")
    text = await apple.text(found)
    for row in (
        "| Americas | 41,198 | 37,678 |",
        "| Greater China | 15,369 | 14,728 |",
        "| iPhone | 44,582 | 39,296 |",
        "| Wearables, Home and Accessories | 7,404 | 8,097 |",
        "| Europe | 10,501 | 9,170 |",
    ):
        assert row in text
    assert "| Products |" not in text, "it sums up the four below it"
    quarter = [p for p in found.fundamentals.parts if (p.axis, p.end) == ("product", "2025-06-28")]
    assert sum(part.value for part in quarter) == quarter[0].whole == 94_036e6
