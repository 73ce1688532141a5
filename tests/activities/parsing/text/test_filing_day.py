"""A report is of the day that it was filed or signed, never of a day that it covers."""

import pytest

from activities.parsing.read_document import read_document
from activities.parsing.text.filing_day import find_publication, is_filing
from contracts.media_types import PDF, PLAIN
from tests.activities.web import files

COVER = """UNITED STATES
SECURITIES AND EXCHANGE COMMISSION
Washington, D.C. 20549
FORM 10-K
For the fiscal year ended December 31, 2022
The aggregate market value held by non-affiliates as of June 30, 2022 was $4 million.
The record date of the meeting is March 20, 2023. 400 shares were outstanding as of January 20, 2023.
"""
DULY = "\nPursuant to the requirements of Section 13 or 15(d), the registrant has duly caused this report to be signed"
AUDIT = "\nIn our opinion they are fair.\n/s/ Lake & Shore LLP\nOslo, Norway\nFebruary 6, 2023\nIndependent Registered Public Accounting Firm\n"
GERMAN = "Geschäftsbericht 2022\nHafen AG\nKonzernabschluss zum 31. Dezember 2022\n"
FRENCH = "Document d'enregistrement universel 2022\nExercice clos le 31 décembre 2022\n"
BOATS = "The yard builds boats of wood for people who fish on the lake in all seasons."


@pytest.mark.parametrize(
    ("text", "made", "day"),
    [
        (COVER, None, None),
        (COVER, "2023-02-10", "2023-02-10"),
        (COVER, "2023-12-10", None),
        (COVER, "2022-12-31", None),
        (COVER + AUDIT, None, "2023-02-06"),
        (COVER + AUDIT, "2023-02-09", "2023-02-09"),
        (COVER + AUDIT, "2023-06-09", "2023-02-06"),
        (COVER + AUDIT, "2023-01-20", "2023-02-06"),
        (f"{COVER}{AUDIT}{DULY}.\n\nDated: February 8, 2023\n", "2023-02-23", "2023-02-08"),
        (f"{COVER}{DULY} thereunto, on February 8, 2023.\n", None, "2023-02-08"),
        (f"{COVER}{DULY}.\n| Date: February 8, 2023 | By: /s/ A. Otieno |\n", None, "2023-02-08"),
        (
            f"{COVER}{DULY}.\nAttorney as of May 2, 2019\nDate: February 8, 2023",
            None,
            "2023-02-08",
        ),
        (
            f"{COVER}As filed with the Securities and Exchange Commission on February 9, 2023\n{DULY}\nDate: February 8, 2023",
            None,
            "2023-02-09",
        ),
    ],
)
def test_a_filing_is_of_the_day_it_was_filed_or_signed(
    text: str, made: str | None, day: str | None
) -> None:
    assert find_publication(text, made) == day


@pytest.mark.parametrize(
    ("text", "made", "day"),
    [
        (GERMAN, None, None),
        (GERMAN, "2022-12-31", None),
        (GERMAN, "2023-03-15", "2023-03-15"),
        (f"{GERMAN}\nKiel, den 27. Februar 2023\n\nDer Vorstand\n", None, "2023-02-27"),
        (f"{GERMAN}\nKiel, den 27. Februar 2023\n\nDer Vorstand\n", "2025-01-08", "2023-02-27"),
        (f"{GERMAN}\nKiel, den 27. Februar 2023\n\nDer Vorstand\n", "2023-03-15", "2023-03-15"),
        (
            f"{GERMAN}\nKiel, 27.02.2023\nDer Vorstand\n\nStichtag\n17.05.2023\n{BOATS * 9}",
            None,
            "2023-02-27",
        ),
        (f"{GERMAN}\nVeröffentlichungsdatum: 9. März 2023\n", "2025-01-08", "2023-03-09"),
        (
            f"{FRENCH}\nNantes et Brest, le 1er mars 2023\nLes commissaires aux comptes\n",
            "2024-05-01",
            "2023-03-01",
        ),
        (
            f"{FRENCH}Le présent document a été déposé le 20 mars 2023 auprès de l'AMF.\n",
            "2024-05-01",
            "2023-03-20",
        ),
        ("Annual Report 2022\nLondon, 7 March 2023\nBy order of the Board of Directors", None, "2023-03-07"),
        (f"A letter.\nKiel, den 27. Februar 1923\nDer Vorstand\n{BOATS}", "2023-03-15", "2023-03-15"),
    ],
)  # fmt: skip
def test_an_annual_report_is_of_when_it_was_signed_or_soon_after(
    text: str, made: str | None, day: str | None
) -> None:
    assert find_publication(text, made) == day


def test_a_sentence_on_a_form_is_no_cover() -> None:
    told = "See our annual report on Form 10-K, filed with the Securities and Exchange Commission."
    assert not is_filing(told)
    assert is_filing(COVER)


@pytest.mark.parametrize(
    ("about", "day"),
    [
        ({"Subject": "Form 10-K filed on 2023-02-09 for the period ending 2022-12-31"}, "2023-02-09"),
        ({"Subject": "10-K filed 02/09/2023"}, "2023-02-09"),
        ({"Subject": "10-K", "CreationDate": "D:20240209"}, "2023-02-08"),
    ],
)  # fmt: skip
def test_a_filing_printed_later_is_of_its_filing(about: dict[str, str], day: str) -> None:
    lines = tuple(line.replace("(", r"\(").replace(")", r"\)") for line in COVER.splitlines())
    signed = (DULY.strip().replace("(", r"\(").replace(")", r"\)"), "Date: February 8, 2023")
    page = read_document(files.printed(lines, (BOATS,), signed, **about), PDF)
    assert page.published == day


def test_a_pdf_is_of_the_day_that_it_states_unless_that_was_still_to_come() -> None:
    def read(stated: str) -> str | None:
        return read_document(
            files.printed((stated, BOATS), CreationDate="D:20240502"), PDF
        ).published

    assert read("Published: 1 March 2019") == "2019-03-01"
    assert read("Date: 14 June 2024") == "2024-05-02"


@pytest.mark.parametrize("kind", ["text/html", PLAIN])
def test_a_filing_of_any_format_is_of_its_signature(kind: str) -> None:
    text = f"{COVER}{BOATS}\n{DULY}.\n\nDate: February 8, 2023\n"
    if kind != PLAIN:
        text = "".join(f"<p>{line}</p>" for line in text.splitlines())
        text = f"<html><head><title>10-K</title></head><body>{text}</body></html>"
    address = "https://www.sec.gov/Archives/lake-20221231.htm"
    assert read_document(text.encode(), kind, "", address).published == "2023-02-08"


@pytest.mark.parametrize(
    ("above", "day"),
    [
        ("For the fiscal year ended", None),
        ("Bericht zum", None),
        ("Record date:", None),
        ("The harbour board", "2022-12-31"),
    ],
)
def test_a_day_at_a_heading_that_a_page_covers_is_not_its_own(above: str, day: str | None) -> None:
    body = f"<h1>Yearly figures</h1><p>{above}</p><p>December 31, 2022</p><p>{BOATS}</p>"
    page = read_document(f"<html><body>{body}</body></html>".encode(), "text/html")
    assert page.published == day
