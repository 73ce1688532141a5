"""What readers are shown for a filed line."""

import re

import pytest

from contracts.notices import Notice
from domain.company.figures.filed.line_names import name_line, word_formula
from domain.company.figures.filed.metrics import METRICS, spell_tag
from domain.company.figures.filed.point_in_time_facts import FiledFacts
from tests.domain.company.figures.companies import (
    APPLE,
    find_notices,
    of,
    of_sample,
    render_text,
    row,
)

TAG = "AmortizationOfMortgageServicingRightsMSRs"


def facts(label: object) -> FiledFacts:
    return FiledFacts({"facts": {"us-gaap": {TAG: {"label": label, "units": {}}}}})


def test_a_line_has_our_word_before_the_filings_label() -> None:
    told = {"facts": {"us-gaap": {"OccupancyNet": {"label": "Occupancy, Net", "units": {}}}}}
    assert name_line("OccupancyNet", FiledFacts(told)) == Notice.of("tag-OccupancyNet", "info")


@pytest.mark.parametrize(
    ("label", "name"),
    [
        ("Amortization of Mortgage Servicing Rights (MSRs)",) * 2,
        ("Servicing Rights (Deprecated 2011-01-31)", "Servicing Rights"),
        ("Servicing | rights\n of mortgages", "Servicing / rights of mortgages"),
        (TAG, "Amortization of mortgage servicing rights msrs"),
        ("", "Amortization of mortgage servicing rights msrs"),
        (7, "Amortization of mortgage servicing rights msrs"),
        ("x" * 300, "x" * 300),
        ("x" * 10_000, "Amortization of mortgage servicing rights msrs"),
    ],
)
def test_a_line_without_our_word_has_the_filings_label_or_its_tag_in_words(
    label: object, name: str
) -> None:
    assert name_line(TAG, facts(label)) == name


def test_formulas_name_filed_lines_by_words() -> None:
    formula = (
        "OccupancyNet + (LongTermDebt + 3 months to 2024-03-31) / diluted shares − EPS, FY2024"
    )
    lines = [name_line(tag) for tag in ("OccupancyNet", "LongTermDebt")]
    occupancy, debt = (line if isinstance(line, str) else line.text for line in lines)
    assert word_formula(formula) == (
        f"{occupancy} + ({debt} + 3 months to 2024-03-31) / diluted shares − EPS, FY2024"
    )


def test_page_defines_metrics_without_tags() -> None:
    tags = {tag for metric in METRICS.values() for each in metric.tags.values() for tag in each}
    long = {tag for group in tags for tag in group.split("|") if sum(map(str.isupper, tag)) > 1}
    page = render_text(of_sample(APPLE))
    assert not {word for word in re.findall(r"[A-Za-z0-9]+", page) if word in long}


def test_notes_name_the_tag_that_changed_by_words() -> None:
    """A bank's equity is filed with and without other owners' part: their tags are no words for a reader."""
    with_others = "StockholdersEquityIncludingPortionAttributableToNoncontrollingInterest"
    days = {"2024-12-31": "StockholdersEquity", "2023-12-31": with_others}
    flows = [row(f"{n}-01-01", f"{n}-12-31", 100, f"{n + 1}-02-05", "10-K") for n in (2023, 2024)]
    told = {
        tag: {"units": {"USD": [row("", day, 50, f"{int(day[:4]) + 1}-02-05", "10-K")]}}
        for day, tag in days.items()
    }
    told |= {"Revenues": {"units": {"USD": flows}}}
    found = of({"facts": {"us-gaap": told}})
    notes = [note for note in found.every_note if note.code == "company-tag-changed"]
    assert [any(tag in note.text for tag in days.values()) for note in notes] == [False]
    assert find_notices(found, "company-tag-changed")


@pytest.mark.parametrize(
    ("tag", "words"),
    [
        ("LongtermBorrowings", "Long-term borrowings"),
        ("CurrentPortionOfLongtermBorrowings", "Current portion of long-term borrowings"),
        (
            "AcquisitiondateFairValueOfTotalConsiderationTransferred",
            "Acquisition-date fair value of total consideration transferred",
        ),
        ("LaborAndRelatedExpense", "Labor and related expense"),
    ],
)
def test_words_that_a_tag_writes_as_one_are_divided_by_a_hyphen(tag: str, words: str) -> None:
    assert spell_tag(tag) == words
