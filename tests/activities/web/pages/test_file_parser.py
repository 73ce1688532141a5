"""Reading PDFs and Word documents, and the errors for bad ones."""

import re

import pytest

from activities.parsing.document import Unreadable
from activities.parsing.office.package import MAX_PART_BYTES
from activities.parsing.page_parser import PageParser
from activities.parsing.read_document import read_document
from contracts.documents import PageSection
from contracts.errors import FetchRefused
from contracts.evidence.read_failures import describe_failure
from contracts.media_types import DOCX, PDF
from tests.activities.web import files
from tests.support.refusals import refused
from tests.support.words import en, opening, pattern

URL = "http://water.test/pumps.pdf"
PAGES = ("Intro to pumps", "Costs fell by 42 %")


@pytest.mark.parametrize("media_type", [PDF, ""])
async def test_a_pdf_is_read(parser: PageParser, media_type: str) -> None:
    page = await parser.parse(files.pdf(*PAGES), media_type, "", URL)
    assert page.text == "Intro to pumps\n\f\nCosts fell by 42 %"
    assert (page.title, page.author, page.media_type) == ("Pumps", "Ann Otieno", PDF)
    assert (page.publisher, page.published) == ("water.test", "2024-05-02")


async def test_a_document_that_takes_too_long_is_refused() -> None:
    parser = PageParser(max_seconds=0.1)
    with refused(
        FetchRefused, "fetch-unread", host="water.test", why=describe_failure("time", most=0.1)
    ):
        await parser.parse(files.slow(), PDF, "", URL)
    await parser.close()


@pytest.mark.full
async def test_a_document_that_fills_the_memory_is_refused(parser: PageParser) -> None:
    with pytest.raises(FetchRefused, match=r"takes more than 1000 MB|ended the process"):
        await parser.parse(files.unpacking(2_000_000_000), PDF, "", URL)
    assert (await parser.parse(files.pdf(*PAGES), PDF, "", URL)).text


def test_the_outline_of_a_pdf_makes_its_sections() -> None:
    """An entry that its page does not have as words begins where its page does."""
    page = read_document(files.pdf("Intro to pumps", "Costs", outline=("Preface", "Costs")), PDF)
    assert page.sections == (
        PageSection(heading="Preface", start=0, end=17),
        PageSection(heading="Costs", start=17, end=22),
    )


def test_a_pdf_that_anyone_may_open_is_read_though_encrypted() -> None:
    assert read_document(files.pdf(*PAGES, owner="secret"), PDF).text.startswith("Intro")


def test_a_word_document_keeps_headings_and_tables_in_their_order() -> None:
    page = read_document(files.word(), DOCX)
    assert page.text.splitlines() == [
        "# Pumps in Kenya",
        "",
        "Two thirds live from farming.",
        "| Country | Irrigated |",
        "| Kenya inside | 1,500 sq km |",
        r"| Both\|all |",
        "",
        "## Costs",
        "",
        "They fell.",
    ]
    costs = page.text.index("## Costs")
    assert page.sections == (
        PageSection(heading="Pumps in Kenya", start=0, end=costs),
        PageSection(heading="Costs", start=costs, end=len(page.text)),
    )
    assert (page.title, page.author) == ("Pumps in Kenya", "Ann Otieno")
    assert page.published is None  # it is the template's


DEEP = b"<w:document>" + b"<w:p>" * 10_000


@pytest.mark.parametrize(
    ("body", "media_type", "reason"),
    [
        (files.scanned(), PDF, pattern("failure.scanned")),
        (
            files.pdf(*PAGES, password="secret"),
            PDF,
            opening("failure.encrypted", "format", format="PDF"),
        ),
        (
            files.pdf(*PAGES)[:400],
            PDF,
            opening("failure.broken", "format", format=en("failure.format.pdf")),
        ),
        (
            files.packed("a.txt", b"no document"),
            DOCX,
            opening("failure.archive", "name", name="zip"),
        ),
        (
            files.packed_word(DEEP),
            DOCX,
            opening("failure.part_nested", "format", format=en("failure.format.word")),
        ),
        (
            files.OLE + "EncryptedPackage".encode("utf-16-le"),
            DOCX,
            opening("failure.encrypted", "format", format=en("failure.format.word")),
        ),
    ],
)
def test_a_file_that_cannot_be_read_says_why(body: bytes, media_type: str, reason: str) -> None:
    with pytest.raises(Unreadable, match=reason):
        read_document(body, media_type)


def test_a_word_document_that_unpacks_to_too_much_is_refused() -> None:
    told = en(
        *("failure.part_large",),
        format=en("failure.format.word"),
        part="word/document.xml",
        size=41,
        most=40,
    )
    with pytest.raises(Unreadable, match=re.escape(told)):
        read_document(files.packed_word(bytes(MAX_PART_BYTES + 10**6)), DOCX)
