"""What a PDF is called, which day it is of, its sections, its pages, and what of it is not read."""

import io

import pytest
from pypdf import PdfReader, PdfWriter

from activities.parsing.document import MAX_SECTIONS, Parsed
from activities.parsing.pdf import reader
from activities.parsing.read_document import read_document
from bench.documents.parsing_fidelity import FIXTURES
from contracts.documents import UnreadPart
from contracts.media_types import PDF
from tests.activities.web import files

COMMISSION = (14, "SECURITIES AND EXCHANGE COMMISSION")
PROSE = "The yard builds boats of wood for people who fish on the lake in all seasons."


def read(*pages: files.Lines, **about: str) -> Parsed:
    """Print lines to a PDF and read it."""
    return read_document(files.printed(*pages, **about), PDF)


def cover(form: str, period: str, name: str = "HARBOUR TOOLS, INC.") -> files.Lines:
    """Return the lines of a filing's cover."""
    return (
        *("UNITED STATES", COMMISSION, (14, f"FORM {form}"), period),
        *("Commission file number 1-442", (16, name)),
        r"\(Exact name of registrant as specified in its charter\)",
        "There were 598,239 shares outstanding as of February 20, 2025.",
    )


@pytest.mark.parametrize(
    ("form", "period", "title", "day"),
    [
        (
            *("10-K", "For the fiscal year ended December 31, 2024"),
            *("Harbour Tools, Inc., Form 10-K, fiscal year 2024", "2025-02-24"),
        ),
        (
            *("10-K/A", "For the fiscal year ended January 28, 2025"),
            *("Harbour Tools, Inc., Form 10-K/A, fiscal year ended January 28, 2025", "2025-02-24"),
        ),
        (
            *("10-Q", "For the quarterly period ended June 30, 2024"),
            *("Harbour Tools, Inc., Form 10-Q, quarter ended June 30, 2024", "2025-02-24"),
        ),
        (
            *("8-K", r"Date of Report \(Date of earliest event reported\): March 3, 2025"),
            *("Harbour Tools, Inc., Form 8-K, March 3, 2025", "2025-03-03"),
        ),
    ],
)
def test_a_filing_is_called_by_its_cover_and_dated_by_its_signature(
    form: str, period: str, title: str, day: str
) -> None:
    about = {"Title": "UNITED STATES", "Author": "EDGAR Online", "CreationDate": "D:20260105"}
    signed = ("The registrant has duly caused this report to be signed", "Date: February 24, 2025")
    page = read(cover(form, period), (PROSE,), signed, **about)
    assert (page.title, page.author, page.published) == (title, "", day)


@pytest.mark.parametrize(
    "stated",
    [
        "Microsoft Word - boats_v2.doc",
        "untitled",
        "Exhibit 99.1",
        "boats_2024_final",
        "Table of Contents",
    ],
)
def test_a_title_that_names_a_file_gives_way_to_the_largest_words(stated: str) -> None:
    page = read(("FOR IMMEDIATE RELEASE", (20, "Boats of the lake"), *[PROSE] * 4), Title=stated)
    assert page.title == "Boats of the lake"


def test_a_stated_title_and_author_are_kept() -> None:
    page = read((PROSE,), Title="Boats of the lake", Author="Ann Otieno")
    assert (page.title, page.author) == ("Boats of the lake", "Ann Otieno")


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("As of 2022) Tj 47.8 0 Td (,) Tj -1 0 Td (3) Tj 5.6 0 Td (,350", "As of 2022, 3,350"),
        (r"It was \() Tj 32.2 0 Td ($) Tj -0.6 0 Td (0) Tj 5.6 0 Td (.9\)", "It was ($ 0.9)"),
        ("As of 2022) Tj 47.8 0 Td (,) Tj 2.8 0 Td (3) Tj 5.6 0 Td (,350", "As of 2022,3,350"),
    ],
)
def test_runs_that_overlap_are_read_one_after_the_other(line: str, told: str) -> None:
    assert read((line, PROSE)).text.splitlines()[0] == told


def test_neither_a_program_nor_an_agent_is_an_author() -> None:
    page = read(
        (PROSE,), Author="R.R. Donnelley", Producer="Skia/PDF m120", CreationDate="D:20250102"
    )
    assert (page.author, page.published) == ("", None)


def test_headings_make_sections_and_a_table_of_contents_does_not() -> None:
    contents = tuple(f"Item {n}. Boats of kind {n} ..... {n + 2}" for n in range(1, 7))
    page = read(
        ("Contents", *contents),
        ("PART I", "Item 1. Business", *[PROSE] * 3, "Item 1A. Risk Factors", *[PROSE] * 3),
        ((14, "Consolidated Statements of Cash Flows"), *[PROSE] * 3),
    )
    assert [section.heading for section in page.sections] == [
        *("PART I", "Item 1. Business", "Item 1A. Risk Factors"),
        "Consolidated Statements of Cash Flows",
    ]
    assert page.text[page.sections[2].start :].startswith("## Item 1A. Risk Factors\n")


def test_of_too_many_headings_none_leaves_a_long_stretch() -> None:
    chapters: list[files.Lines] = [
        (PROSE, PROSE, PROSE, (14, f"Boats of kind {n}"), PROSE, PROSE, PROSE)
        for n in range(3 * MAX_SECTIONS)
    ]
    page = read(*chapters)
    assert len(page.sections) == MAX_SECTIONS
    longest = max(section.end - section.start for section in page.sections)
    assert longest < 10 * len(page.text) / MAX_SECTIONS


def test_the_page_of_an_offset_counts_also_pages_without_text() -> None:
    page = read_document(files.printed(("",), (PROSE,), ("",), ("The last page.",)), PDF)
    assert page.text.count("\f", 0, page.text.index("The last page.")) == 3


def test_pages_beyond_the_bounds_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reader, "MAX_PAGES", 2)
    page = read((PROSE,), (PROSE,), ("Cut.",), ("Cut.",))
    assert page.unread == (UnreadPart(code="pages_cut", count=2, of=4),)
    assert "Cut." not in page.text


def test_attachments_are_told_by_name() -> None:
    writer = PdfWriter(clone_from=PdfReader(io.BytesIO(files.printed((PROSE,)))))
    writer.add_attachment("rates.xlsx", b"PK")
    buffer = io.BytesIO()
    writer.write(buffer)
    page = read_document(buffer.getvalue(), PDF)
    assert page.unread == (UnreadPart(code="attachments", count=1, names=["rates.xlsx"]),)


def test_slanted_labels_are_read_with_the_rest() -> None:
    label = ") Tj 0.7 0.7 -0.7 0.7 200 500 Tm (Dec-17 labels"
    page = read((PROSE, label), (PROSE,))
    assert PROSE in page.text
    assert "Dec-17 labels" in page.text


def test_pages_of_pictures_are_told_by_number() -> None:
    page = read_document((FIXTURES / "pdf-picture-pages" / "input.pdf").read_bytes(), PDF)
    assert page.unread == (UnreadPart(code="pages_without_text", count=2, of=4, names=["2", "4"]),)


def test_heading_that_the_outline_names_too_makes_one_section() -> None:
    heading = "Item 3. Legal Proceedings"
    writer = PdfWriter(
        clone_from=PdfReader(io.BytesIO(files.printed((PROSE, (18, heading), PROSE))))
    )
    writer.add_outline_item(title=heading, page_number=0)
    body = io.BytesIO()
    writer.write(body)
    page = read_document(body.getvalue(), PDF)
    [section] = [each for each in page.sections if each.heading == heading]
    assert page.text[section.start : section.end].split("\n")[0].lstrip("# ") == heading
