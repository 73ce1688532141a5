"""What a company's filings hold and its facts lack: parts, guidance, risk factors that changed."""

import json
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from temporalio.testing import ActivityEnvironment

from activities.parsing.page_parser import PageParser
from contracts.company.figures import CompanyFacts
from contracts.company.news import RepeatsRequest
from contracts.company.valuation import SharePrice
from contracts.errors import FactsFailed, UnknownTicker
from contracts.models.call import Scope
from contracts.notices import Notice
from domain.company.filings.selection import announces_results
from tests.activities.company import filed_documents as filed
from tests.activities.company.conftest import Desk, open_desk
from tests.domain.company.figures.companies import find_notices
from tests.offline.conftest import Services, serving
from tests.support.refusals import refused
from tests.support.words import opening, phrase

KINDS = {"guidance": "2026-05-04", "risk added": "2026-02-20", "risk removed": "2025-02-20"}
"""What the filings say, and when they were filed."""


@pytest.fixture(scope="module")
async def filings(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[tuple[Services, Path]]:
    """The services over one folder."""
    path = tmp_path_factory.mktemp("filings")
    async with serving("--filings", str(path)) as services:
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
    assert ": North | 90.0 | 300.0 | 250.0 |" in text
    assert ": South | – | 100.0 | – |" in text
    assert ": South | – | -1,234.5 | – |" in text
    kinds = {(p.kind, p.filed): p for p in found.fundamentals.passages}
    assert list(kinds) == list(KINDS.items())
    for passage in kinds.values():
        source = found.documents[passage.source - 1]
        told = (await kestrel.blobs.get("default", source.text_key)).decode()
        assert told[passage.start : passage.end] == passage.quote
        assert f"- “{passage.quote}”" in text
        assert source.published == passage.filed
    assert filed.GUIDANCE in kinds["guidance", "2026-05-04"].quote
    assert kinds["risk added", "2026-02-20"].quote == filed.NEW_RISK
    assert kinds["risk removed", "2025-02-20"].quote == filed.RISKS[1]
    assert len(found.documents) == 3
    assert not find_notices(found.fundamentals, "parts-older")
    assert found.documents[-1].url.endswith("/000000007726000008/kst-ex991.htm")


def write_cover(folder: Path, title: str = "", diluted: float = 100e6) -> None:
    """Write an annual report whose cover counts share classes, and set the diluted shares in the facts."""
    page = filed.add_cover(filed.DOCUMENTS[filed.YEAR], "2026-01-31", filed.COUNTED, title)
    filed.write_document(folder, filed.YEAR[1], filed.YEAR[5], page)
    path = folder / f"CIK{filed.CIK:010d}.json"
    facts = json.loads(path.read_text())
    gaap = facts["facts"]["us-gaap"]
    shares = [row | {"val": diluted} for row in gaap["Revenues"]["units"]["USD"]]
    gaap["WeightedAverageNumberOfDilutedSharesOutstanding"] = {"units": {"shares": shares}}
    path.write_text(json.dumps(facts))


def counted(found: CompanyFacts) -> list[tuple[str, float]]:
    figures = found.fundamentals.figures
    return [(f.end, f.value) for f in figures if f.metric == "shares_outstanding"]


PRICE = SharePrice(value=30, day="2026-06-01", origin="given")


async def test_classes_on_the_cover_of_the_report_are_valued(kestrel: Desk, folder: Path) -> None:
    write_cover(folder)
    found = await kestrel.facts(filed.TICKER, prices=[PRICE])
    assert counted(found) == [("2026-01-31", 100e6)]
    assert found.fundamentals.valuation
    rows = {row.metric: row for row in found.fundamentals.valuation.rows}
    assert (rows["market_value"].value, rows["market_value"].of) == (3e9, "")
    [told] = find_notices(found.fundamentals, "company-share-classes")
    assert len(told["classes"]) == 2


async def test_classes_of_unequal_worth_are_not_added_up(kestrel: Desk, folder: Path) -> None:
    write_cover(folder, diluted=1e6)
    found = await kestrel.facts(filed.TICKER, prices=[PRICE])
    assert counted(found) == []
    assert not find_notices(found.fundamentals, "company-share-classes")


async def test_ratio_on_the_cover_values_a_depositary_share(kestrel: Desk, folder: Path) -> None:
    filed.write_filings(folder, forms={"10-K": "20-F", "8-K": "6-K"})
    write_cover(folder, filed.ADS)
    path = folder / f"CIK{filed.CIK:010d}.json"
    path.write_text(path.read_text().replace('"10-K"', '"20-F"'))
    found = await kestrel.facts(filed.TICKER, prices=[PRICE])
    valuation = found.fundamentals.valuation
    assert valuation
    assert (valuation.price.ads_ratio, valuation.price.value) == (4, 7.5)
    given = await kestrel.facts(filed.TICKER, prices=[PRICE], ads_ratios=[2], as_of="2026-09-01")
    assert given.fundamentals.valuation
    assert given.fundamentals.valuation.price.ads_ratio == 2


@pytest.mark.parametrize(("title", "value"), [(filed.ADS, 7.5), ("", None), ("Common Stock", 30)])
async def test_price_that_the_question_calls_that_of_a_depositary_share_needs_a_ratio(
    kestrel: Desk, folder: Path, title: str, value: float | None
) -> None:
    """A company that files as an American one does may be traded as depositary shares alone."""
    write_cover(folder, title)
    found = (await kestrel.facts(filed.TICKER, prices=[PRICE], is_ads=True)).fundamentals
    assert (found.valuation and found.valuation.price.value) == value
    assert found.unused_price == (None if value else PRICE)


async def test_price_is_set_against_the_translation_that_is_filed_beside_the_reported_figures(
    kestrel: Desk, folder: Path
) -> None:
    write_cover(folder)
    path = folder / f"CIK{filed.CIK:010d}.json"
    facts = json.loads(path.read_text())
    for fact in facts["facts"]["us-gaap"].values():
        if rows := fact["units"].get("USD"):
            newest = [row for row in rows if row["end"] == max(each["end"] for each in rows)]
            reported = [row | {"val": 7 * row["val"]} for row in rows]
            fact["units"] |= {"CNY": reported, "USD": newest}
    path.write_text(json.dumps(facts))
    found = (await kestrel.facts(filed.TICKER, prices=[PRICE])).fundamentals
    assert {f.unit for f in found.figures if f.metric == "revenue"} == {"CNY"}
    assert {f.unit for f in found.translated if f.metric == "revenue"} == {"USD"}


async def test_company_whose_facts_cannot_be_read_is_named_and_the_other_unharmed(
    kestrel: Desk, folder: Path
) -> None:
    filed.write_filings(folder, 79, "OWL", "Owl Inc.")
    (folder / "CIK0000000079.json").write_text("[1, 2]")
    found = await kestrel.facts(filed.TICKER, peers=["OWL"], attempt=3)
    assert found.fundamentals.figures
    [told] = [n for n in found.fundamentals.head_notes if n.code == "company-not-compared"]
    assert told.params["company"] == "OWL"


async def test_filings_of_each_company_are_read(kestrel: Desk, folder: Path) -> None:
    filed.write_filings(folder, 78, "HRN", "Heron Inc.")
    found = await kestrel.facts("HRN", peers=[filed.TICKER])
    [other] = found.others
    for one, name in ((found, "Heron Inc."), (other, "Kestrel Inc.")):
        assert {p.kind for p in one.fundamentals.passages} == set(KINDS)
        assert one.fundamentals.parts
        assert {source.author for source in one.documents} == {name}
        assert opening("passages-guidance", "company", company=name) in await kestrel.text(one)


FOREIGN = {"10-K": "20-F", "10-Q": "6-K", "8-K": "6-K"}


async def test_guidance_of_a_foreign_company_is_that_of_the_newest_notice_with_results(
    kestrel: Desk, folder: Path
) -> None:
    filed.write_filings(folder, forms=FOREIGN)
    for notice in (filed.OTHER, filed.QUARTER):
        filed.write_document(folder, notice[1], f"{notice[1]}-index.htm", "<table></table>")
    found = (await kestrel.facts(filed.TICKER)).fundamentals
    [guidance] = [p for p in found.passages if p.kind == "guidance"]
    assert (guidance.form, guidance.filed) == ("6-K", filed.RELEASE[2])
    assert filed.GUIDANCE in guidance.quote
    assert not find_notices(found, "filings-no-results"), "others need not announce results"
    assert not find_notices(found, "filing-no-exhibit")


async def test_a_notice_on_something_else_is_no_announcement_of_results(
    kestrel: Desk, folder: Path
) -> None:
    filed.write_filings(folder, forms=FOREIGN)
    other = "<html><body><p>Kestrel expects to buy back shares for $100 million.</p></body></html>"
    filed.write_document(folder, filed.RELEASE[1], "kst-ex991.htm", other)
    found = (await kestrel.facts(filed.TICKER)).fundamentals
    assert {p.kind for p in found.passages} == {"risk added", "risk removed"}
    assert find_notices(found, "filings-no-results")


@pytest.mark.parametrize(
    ("begins", "announces"),
    [
        ("ASML reports €7.7 billion total net sales and €2.3 billion net income in Q2 2025", True),
        ("Novo Nordisk's sales increased by 18% in the first six months of 2025", True),
        ("Results for the quarter ended June 30, 2025", True),
        ("TSMC July 2025 Revenue Report", False),
        ("Notice of the annual general meeting of shareholders", False),
        ("Transactions under the share buyback programme", False),
    ],
)
def test_a_notice_announces_results_by_how_it_begins(begins: str, announces: bool) -> None:
    assert announces_results(f"{begins}\n{'words follow ' * 200} quarter results") is announces


@pytest.mark.parametrize("how", [{"status": 503}, {"status": 404}])
async def test_a_company_beside_it_that_cannot_be_read_is_left_out_with_a_note(
    kestrel: Desk, folder: Path, how: dict[str, int]
) -> None:
    filed.write_filings(folder, 78, "HRN", "Heron Inc.")
    await kestrel.fails("CIK0000000078", **how)
    found = (await kestrel.facts(filed.TICKER, peers=["HRN"], attempt=3)).fundamentals
    assert found.figures
    assert len(find_notices(found, "company-not-compared")) == 1


@pytest.mark.parametrize("how", [{"status": 503}, {"status": 404}])
async def test_where_the_first_cannot_be_read_the_next_stands_in_its_place(
    kestrel: Desk, folder: Path, how: dict[str, int]
) -> None:
    filed.write_filings(folder, 78, "HRN", "Heron Inc.")
    await kestrel.fails("CIK0000000077", **how)
    found = (await kestrel.facts(filed.TICKER, peers=["HRN", "NOBODY"], attempt=3)).fundamentals
    assert found.company.ticker == "HRN"
    assert len(find_notices(found, "company-not-compared")) == 2


async def test_where_none_can_be_read_the_first_says_why(kestrel: Desk) -> None:
    with refused(UnknownTicker, "edgar-unlisted", ticker="NONE"):
        await kestrel.facts("NONE", peers=["NOBODY"], attempt=3)


async def test_a_company_beside_it_is_waited_for_while_attempts_are_left(
    kestrel: Desk, folder: Path
) -> None:
    filed.write_filings(folder, 78, "HRN", "Heron Inc.")
    await kestrel.fails("CIK0000000078", status=503)
    with pytest.raises(FactsFailed):
        await kestrel.facts(filed.TICKER, peers=["HRN"])


async def test_article_that_prints_an_announcement_is_told_from_one_that_reports_on_it(
    kestrel: Desk,
) -> None:
    [*_, release] = (await kestrel.facts(filed.TICKER)).documents
    announced = (await kestrel.blobs.get("default", release.text_key)).decode()
    texts = (f"A wire, today. {announced}", "Kestrel sells fewer pumps than its rivals do.")
    keys = [await kestrel.blobs.put("default", kestrel.run_id, text.encode()) for text in texts]
    scope = Scope(run_id=kestrel.run_id, phase_id="news", attempt=1, name="repeats")
    asked = RepeatsRequest(scope=scope, articles=keys, filings=[release.text_key])
    found = await ActivityEnvironment().run(kestrel.company.repeats, asked)
    assert found.repeated == [True, False]


async def test_nothing_filed_after_the_day_is_read(kestrel: Desk) -> None:
    found = await kestrel.facts(filed.TICKER, "2026-03-01")
    assert [source.published for source in found.documents] == ["2025-02-20", "2026-02-20"]
    assert {p.kind for p in found.fundamentals.passages} == {"risk added", "risk removed"}


@pytest.mark.parametrize(
    ("path", "status", "filing", "why"),
    [
        ("kst-20251231.htm", 404, ("10-K", "2026-02-20"), phrase("edgar-no-document")),
        ("index.htm", 503, ("8-K", "2026-05-04"), opening("edgar-status", "status", status=503)),
        pytest.param(
            *(
                "kst-20251231.htm",
                503,
                ("10-K", "2026-02-20"),
                opening("edgar-status", "status", status=503),
            ),
            marks=pytest.mark.full,
        ),
        pytest.param(
            *(
                "kst-ex991.htm",
                403,
                ("8-K", "2026-05-04"),
                opening("edgar-forbidden", "status", status=403),
            ),
            marks=pytest.mark.full,
        ),
    ],
)
async def test_a_filing_that_cannot_be_read_is_noted_and_fails_nothing(
    kestrel: Desk, path: str, status: int, filing: tuple[str, str], why: str
) -> None:
    await kestrel.fails(path, status=status)
    found = await kestrel.facts(filed.TICKER)
    [note] = [note for note in found.fundamentals.notes if note.code == "filing-unread"]
    form, day = filing
    assert note.params["filing"] == Notice.of("filing-named", "info", form=form, filed=day)
    told = note.params["why"]
    assert isinstance(told, Notice)
    assert told.text.startswith(why)
    assert len(found.fundamentals.passages) == (1 if "2025" in path else 2)
    assert found.fundamentals.figures


async def test_what_a_filing_does_not_say_is_noted(kestrel: Desk, folder: Path) -> None:
    bare = (
        "<html><body><ix:header></ix:header><p>Nothing to see here, and no item.</p></body></html>"
    )
    for report in (filed.YEAR, filed.YEAR_BEFORE):
        filed.write_document(folder, report[1], report[5], bare)
    filed.write_document(folder, filed.RELEASE[1], "kst-ex991.htm", "<p>Revenue was $110.</p>")
    found = (await kestrel.facts(filed.TICKER)).fundamentals
    filing = {"form": "8-K", "filed": "2026-05-04"}
    assert find_notices(found, "filing-no-guidance") == [{"filing": filing}]
    assert find_notices(found, "filings-risks-uncompared")


async def test_lines_of_guidance_that_are_not_shown_are_counted(
    kestrel: Desk, folder: Path
) -> None:
    rows = "".join(f"<tr><td>Product {n}</td><td>${n}0 million</td></tr>" for n in range(1, 11))
    page = f"<html><body><p>Outlook</p><table>{rows}</table></body></html>"
    filed.write_document(folder, filed.RELEASE[1], "kst-ex991.htm", page)
    found = (await kestrel.facts(filed.TICKER)).fundamentals
    assert len([p for p in found.passages if p.kind == "guidance"]) == 8
    filing = {"form": "8-K", "filed": "2026-05-04"}
    assert find_notices(found, "filings-more-guidance") == [{"n": 2, "filing": filing}]


async def test_an_announcement_without_an_exhibit_is_noted(kestrel: Desk, folder: Path) -> None:
    index = f"{filed.RELEASE[1]}-index.htm"
    filed.write_document(folder, filed.RELEASE[1], index, "<table><tr><td>EX-10</table>")
    found = (await kestrel.facts(filed.TICKER)).fundamentals
    filing = {"form": "8-K", "filed": "2026-05-04"}
    told = {"filing": filing, "exhibit": "99.1"}
    assert find_notices(found, "filing-no-exhibit") == [told]


async def test_filings_that_are_not_listed_are_named(kestrel: Desk) -> None:
    notes = (await kestrel.facts(filed.TICKER, "2025-12-31")).fundamentals.notes
    [note] = [note for note in notes if note.code == "filings-unlisted"]
    wanted = ("filings-annual", "filings-annual-before", "filings-announcements")
    assert [note.includes(Notice.of(code, "info")) for code in wanted] == [False, True, True]
    found = (await kestrel.facts(filed.TICKER)).fundamentals
    assert not find_notices(found, "filings-unlisted")


def page_list(folder: Path) -> None:
    """Put all of a company's filings on an older page, behind 1,500 others, as EDGAR does for a bank."""
    path = folder / f"submissions-CIK{filed.CIK:010d}.json"
    about = json.loads(path.read_text())
    older = about["filings"]["recent"]
    name = f"CIK{filed.CIK:010d}-submissions-001.json"
    (folder / name).write_text(json.dumps(older))
    recent = {key: ["424B2" if key == "form" else ""] * 1_500 for key in older}
    files = [{"name": name, "filingFrom": "2025-01-01", "filingTo": "2026-06-01"}]
    path.write_text(json.dumps(about | {"filings": {"recent": recent, "files": files}}))


async def test_filings_on_an_older_page_are_read_like_any(kestrel: Desk, folder: Path) -> None:
    page_list(folder)
    found = (await kestrel.facts(filed.TICKER)).fundamentals
    assert {p.kind: p.filed for p in found.passages} == KINDS
    assert not find_notices(found, "filings-unlisted")


async def test_older_page_that_cannot_be_read_is_lost_and_noted(
    kestrel: Desk, folder: Path
) -> None:
    page_list(folder)
    await kestrel.fails("submissions-001", status=503)
    found = await kestrel.facts(filed.TICKER)
    assert found.fundamentals.figures
    [told] = find_notices(found.fundamentals, "filings-list-cut")
    assert (told["n"], told["of"]) == (0, 1)
    assert [(lost.kind, lost.lost) for lost in found.lost] == [("filings", 1)]


@pytest.fixture
async def apple(
    database: str, filing_services: Services, parser: PageParser, tmp_path: Path
) -> AsyncIterator[Desk]:
    """A run's activity over the sample."""
    async with open_desk(database, filing_services, parser, tmp_path) as made:
        yield made


async def test_apples_parts_are_those_of_its_report(apple: Desk) -> None:
    """The values are from the 10-Q for the quarter to 2025-06-28, notes 2 and 11, in millions of dollars."""
    found = await apple.facts("AAPL", "2025-08-15")
    text = await apple.text(found)
    for row in (
        ": Americas | 41,198 | 37,678 |",
        ": Greater China | 15,369 | 14,728 |",
        ": iPhone | 44,582 | 39,296 |",
        ": Wearables, Home and Accessories | 7,404 | 8,097 |",
        ": Europe | 10,501 | 9,170 |",
    ):
        assert row in text
    assert ": Products |" not in text, "it sums up the four below it"
    quarter = [p for p in found.fundamentals.parts if (p.axis, p.end) == ("product", "2025-06-28")]
    assert sum(part.value for part in quarter) == quarter[0].whole == 94_036e6
