"""What is read from PDFs and Word documents, and what a bad one is told."""

import asyncio
from datetime import UTC, datetime

import psutil
import pytest

from activities.parsing.document import Section, Unreadable
from activities.parsing.files import read_file
from activities.parsing.page_parser import PageParser
from activities.parsing.word import MAX_UNPACKED_BYTES
from contracts.errors import FetchRefused
from contracts.media_types import DOCX, PDF
from tests.activities.web import files
from tests.providers import eventually

URL = "http://water.test/pumps.pdf"
PAGES = ("Intro to pumps", "Costs fell by 42 %")


def readers() -> list[psutil.Process]:
    children = psutil.Process().children()
    return [child for child in children if "activities.parsing" in child.cmdline()]


async def two_readers() -> bool:
    return len(readers()) == 2


@pytest.mark.parametrize("media_type", [PDF, ""])
async def test_a_pdf_is_read_in_a_process_of_its_own(media_type: str) -> None:
    page = await PageParser().parse(files.pdf(*PAGES), media_type, "", URL)
    assert page.text == "Intro to pumps\n\nCosts fell by 42 %"
    assert (page.title, page.author, page.media_type) == ("Pumps", "Ann Otieno", PDF)
    assert (page.publisher, page.published) == ("water.test", "2024-05-02")
    assert readers() == []


async def test_what_takes_too_long_is_ended() -> None:
    with pytest.raises(FetchRefused, match=r"'water\.test' takes longer than 0\.5 s to read\.$"):
        await PageParser(max_seconds=0.5).parse(files.slow(), PDF, "", URL)
    assert readers() == []


async def test_a_reader_that_dies_is_told_and_one_nobody_waits_for_is_ended() -> None:
    parser = PageParser()
    dying, given_up = (
        asyncio.create_task(parser.parse(files.slow(), PDF, "", URL)) for _ in range(2)
    )
    await eventually(two_readers)
    given_up.cancel()
    with pytest.raises(asyncio.CancelledError):
        await given_up
    (last,) = readers()
    last.kill()
    with pytest.raises(FetchRefused, match="ended the process that read it"):
        await dying
    assert readers() == []


def test_the_outline_of_a_pdf_makes_its_sections() -> None:
    """An entry counts where its page has it as a line; here only the last does."""
    page = read_file(files.pdf("Intro to pumps", "Costs"), PDF)
    assert page.sections == (Section("Costs", 16, 21),)


def test_a_pdf_that_anyone_may_open_is_read_though_encrypted() -> None:
    assert read_file(files.pdf(*PAGES, owner="secret"), PDF).text.startswith("Intro")


def test_a_word_document_keeps_headings_and_tables_in_their_order() -> None:
    page = read_file(files.word(), DOCX)
    assert page.text.splitlines() == [
        "Pumps in Kenya",
        "Two thirds live from farming.",
        "| Country | Irrigated |",
        r"| Kenya \| inside \| | 1,500 sq km |",
        r"| Both\|all |",
        "Costs",
        "They fell.",
    ]
    costs = page.text.index("Costs")
    assert page.sections == (
        Section("Pumps in Kenya", 0, costs),
        Section("Costs", costs, len(page.text)),
    )
    assert (page.title, page.author) == ("Pumps in Kenya", "Ann Otieno")
    assert page.published is not None
    assert page.published <= datetime.now(UTC).date().isoformat()


DEEP = b"<w:document>" + b"<w:p>" * 10_000


@pytest.mark.parametrize(
    ("body", "media_type", "reason"),
    [
        (files.scanned(), PDF, "is a PDF without text, probably scanned"),
        (files.pdf(*PAGES, password="secret"), PDF, "is an encrypted PDF"),
        (files.pdf(*PAGES)[:400], PDF, "is a broken PDF"),
        (b"<html>Please log in</html>", PDF, "is a broken PDF"),
        (b"PK no zip", DOCX, "is a broken Word document"),
        (files.packed("a.txt", b"no document"), DOCX, "is a broken Word document"),
        (files.packed("word/document.xml", DEEP), DOCX, "is a broken Word document"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", DOCX, "is an encrypted Word document"),
    ],
)
def test_a_file_that_cannot_be_read_says_why(body: bytes, media_type: str, reason: str) -> None:
    with pytest.raises(Unreadable, match=reason):
        read_file(body, media_type)


def test_what_unpacks_to_too_much_is_refused() -> None:
    size = MAX_UNPACKED_BYTES + 1
    with pytest.raises(Unreadable, match="is a PDF that unpacks to more than can be read"):
        read_file(files.unpacking(size), PDF)
    with pytest.raises(Unreadable, match="is a Word document that unpacks to more than 100 MB"):
        read_file(files.packed("word/document.xml", bytes(size)), DOCX)
