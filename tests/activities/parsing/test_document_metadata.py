"""What the program that made a document says is not what the document says about itself."""

import pytest

from activities.parsing.document import Parsed
from activities.parsing.document_metadata import drop_defaults
from activities.parsing.read_document import read_document
from contracts.media_types import DOCX, PDF, PPTX
from tests.activities.web import files

TEXT = "Pumps in Kenya\n\nThey sell."


@pytest.mark.parametrize(
    "title",
    [
        *(
            "untitled",
            "Untitled document",
            "Untitled 3",
            "(no title)",
            "Word Document",
            "Document1",
        ),
        *("Dokument1", "PowerPoint Presentation", "PowerPoint-Präsentation", "Mappe1", "Slide 1"),
        *("Microsoft Word - budget_final2.docx", "report 2024.pdf", "Normal.dotm", "12", "---"),
        *("Présentation PowerPoint", "无标题", "4fd8e0a1-0c1e-4a6b-9a38-5d0c9a6b1c2d", "paper.dvi"),
    ],
)
def test_title_of_a_program_gives_way_to_the_first_line(title: str) -> None:
    assert drop_defaults(Parsed(TEXT, DOCX, title=title)).title == "Pumps in Kenya"


@pytest.mark.parametrize(
    ("title", "shown"),
    [
        ("Microsoft Word - Pumps in Uganda", "Pumps in Uganda"),
        ("Untitled: a life", "Untitled: a life"),
        ("Document management in banks", "Document management in banks"),
        ("Node.js", "Node.js"),
        ("年度报告", "年度报告"),
        ("", ""),
    ],
)
def test_title_of_a_document_stays(title: str, shown: str) -> None:
    assert drop_defaults(Parsed(TEXT, DOCX, title=title)).title == shown


@pytest.mark.parametrize(
    "author", ["python-docx", "Windows User", "(anonymous)", "admin", "openpyxl"]
)
def test_author_of_a_program_is_none(author: str) -> None:
    assert drop_defaults(Parsed(TEXT, DOCX, author=author)).author == ""


def test_author_of_a_template_is_known_by_its_day() -> None:
    made = Parsed(TEXT, PPTX, author="Steve Canny", published="2013-01-27")
    assert (drop_defaults(made).author, drop_defaults(made).published) == ("", None)
    own = Parsed(TEXT, PPTX, author="Steve Canny", published="2024-05-02")
    assert (drop_defaults(own).author, drop_defaults(own).published) == (
        "Steve Canny",
        "2024-05-02",
    )


@pytest.mark.parametrize("day", ["2013-12-23", "1970-01-01", "2999-01-01", "soon", None])
def test_day_of_a_template_or_to_come_is_none(day: str | None) -> None:
    assert drop_defaults(Parsed(TEXT, DOCX, published=day)).published is None


@pytest.mark.parametrize(
    ("body", "media_type"), [(files.pdf("Pumps sell"), PDF), (files.word(), DOCX)]
)
def test_documents_of_every_format_keep_what_is_theirs(body: bytes, media_type: str) -> None:
    page = read_document(body, media_type)
    assert page.author == "Ann Otieno"
    assert page.title.startswith("Pumps")
