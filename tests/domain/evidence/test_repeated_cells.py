"""Which cells code settles by the sentences that they repeat, and which are left to the judge."""

from typing import Any

import pytest

from contracts.evidence.claims import Citation, Claim, JudgeTerms, Premise
from domain.evidence.claim_check import check_claims
from domain.evidence.pages.cited_page import CitedPage
from domain.evidence.quotes import Snapshot

KENYA = """Electricity access, rural areas, Kenya: 65.6%
Electricity access, urban areas, Kenya: 98%
Area, land, Kenya: 569,140 sq km
Inflation rate, Kenya: 7.7% (2023)
"""
CHAD = "Electricity access, rural areas, Chad: 3.7%\nExports, Chad: $4.2 billion\n"
PAGES = {1: CitedPage("Energy", Snapshot(KENYA)), 2: CitedPage("Chad", Snapshot(CHAD))}
ROWS = ["Electricity access, rural", "Electricity access, urban", "Land area", "Inflation (2023)"]
COLUMNS = ["Kenya", "Chad"]


def premise(text: str, page: int, *quotes: str, is_supported: bool = True) -> Premise:
    found = [PAGES[page].snapshot.find(quote) for quote in quotes]
    places = [(page, *span) for span in found if span]
    return Premise(text=text, places=places, is_supported=is_supported)


RURAL, URBAN, LAND, PRICES = KENYA.splitlines()
KNOWN = {
    "both": premise(
        "In Kenya 65.6% have it in rural areas and 98% in urban ones.", 1, RURAL, URBAN
    ),
    "land": premise("Kenya's land area is 569,140 sq km.", 1, LAND),
    "its": premise("Its rural electricity access is 3.7%.", 2, CHAD.splitlines()[0]),
    "old": premise("Inflation in Kenya was 7.7% in 2023.", 1, PRICES),
    "dated": premise("In 2019 the land area of Kenya was 569,140 sq km.", 1, LAND),
    "open": premise("The land area of Kenya is 569,140 sq km.", 1, LAND, is_supported=False),
}


def check(row: str, column: str, text: str, *rests_on: str, **more: Any) -> str:
    """Return the outcome of one table cell, while code leaves the other cells open."""
    cells = [(row, column), *((r, c) for r in ROWS for c in COLUMNS if (r, c) != (row, column))]
    claim = Claim(text=text, citations=[], rests_on=[*rests_on], **more)
    others = [Claim(text="so it is", citations=[], rests_on=["land"]) for _ in cells[1:]]
    terms = JudgeTerms(model="m", question="", known=KNOWN)
    first, *_ = check_claims([claim, *others], PAGES, terms, cells)
    assert first.claim.is_supported == (first.outcome == "holds")
    return first.outcome


@pytest.mark.parametrize(
    ("row", "column", "text", "base"),
    [
        (ROWS[0], "Kenya", "65.6%", "both"),
        (ROWS[1], "Kenya", "98%", "both"),
        (ROWS[2], "Kenya", "569,140 sq km", "land"),
        (ROWS[0], "Chad", "3.7%", "its"),
        (ROWS[3], "Kenya", "7.7%", "old"),
    ],
)
def test_cell_with_the_one_figure_of_its_subject_needs_no_judge(
    row: str, column: str, text: str, base: str
) -> None:
    assert check(row, column, text, base) == "holds"
    for other_row in ROWS:
        for other_column in COLUMNS:
            is_own = (other_row, other_column) == (row, column)
            assert check(other_row, other_column, text, base) == ("holds" if is_own else "open")


@pytest.mark.parametrize(
    ("text", "base", "more"),
    [
        ("569,140 sq km, rising", "land", {}),
        ("569,140 km", "land", {}),
        ("569,140 sq km in 2019", "land", {}),
        ("569,140 sq km", "dated", {}),
        ("-569,140 sq km", "land", {}),
        ("569,140 sq km", "open", {}),
        ("569,140 sq km", "both", {}),
        ("569,140 sq km", "land", {"expression": "569140 * 1"}),
        ("large", "land", {}),
    ],
    ids=[
        "words",
        "unit",
        "year",
        "no-year",
        "sign",
        "unjudged",
        "no-figure",
        "computed",
        "no-number",
    ],
)
def test_cell_that_says_anything_else_is_left_to_the_judge(
    text: str, base: str, more: dict[str, Any]
) -> None:
    assert check(ROWS[2], "Kenya", text, base, **more) != "holds"


@pytest.mark.parametrize(
    ("said", "outcome"),
    [
        ("Inflation in Kenya was 7.7%.", "holds"),
        ("In Kenya inflation lag bei 7.7%; it had been higher.", "open"),
        ("Inflation in Kenya was about 7.7%.", "holds"),
        ("Inflation in Kenya was at most about 7.7%.", "open"),
        ("Kenya's inflation: that is about 7.7%.", "holds"),
        ("Inflation in Kenya: they deny that 7.7% is right.", "open"),
        ("Inflation in Kenya fell by 7.7%.", "open"),
        ("Inflation in Kenya was at most 7.7%.", "open"),
        ("Inflation in Kenya was 7.7% lower.", "open"),
        ("Inflation in Kenya was not 7.7%.", "open"),
        ("Inflation in Kenya (7.7%) fell.", "open"),
        ("Inflation in Kenya was 6–7.7%.", "open"),
        ("Inflation in Kenya was ~7.7%.", "open"),
        ("Inflation in Kenya was ≥7.7%.", "open"),
        ("Inflation in Kenya was 7.7%+.", "open"),
        ("In Kenya inflation was ±7.7%.", "open"),
        ("Is inflation in Kenya 7.7%?", "open"),
        ("Kenya is said to have inflation of 7.7%.", "open"),
        ("Kenya aims at an inflation of 7.7%.", "open"),
        ("Unlike Kenya, Uganda had an inflation of 7.7%.", "open"),
        ("It is untrue that inflation in Kenya was 7.7%.", "open"),
        ("Core inflation in Kenya was 7.7%.", "open"),
        ("In Kenya inflation was 7.7% before the war.", "open"),
        ("In Kenya inflation was 7.7% a month.", "open"),
    ],
)
def test_word_or_sign_beside_a_figure_is_the_judges_to_weigh(said: str, outcome: str) -> None:
    claim = Claim(text="7.7%", citations=[], rests_on=["said"])
    terms = JudgeTerms(model="m", question="", known={"said": premise(said, 1, PRICES)})
    labels = ("Inflation", "Kenya")
    filler = Claim(text="so it is", citations=[], rests_on=["said"])
    checks = check_claims([claim, filler], PAGES, terms, [labels, ("Land area", "Chad")])
    assert checks[0].outcome == outcome


@pytest.mark.parametrize(
    ("row", "outcome"), [("Farms over 15 hectares", "holds"), ("Farms over hectares", "open")]
)
def test_figure_of_a_rows_label_is_no_other_figure_of_its_sentence(row: str, outcome: str) -> None:
    said = premise("Kenya has about 7.7% of its farms over 15 hectares.", 1, PRICES)
    claim = Claim(text="7.7%", citations=[], rests_on=["said"])
    filler = Claim(text="so it is", citations=[], rests_on=["said"])
    terms = JudgeTerms(model="m", question="", known={"said": said})
    labels = [(row, "Kenya"), ("Land area", "Chad")]
    first, *_ = check_claims([claim, filler], PAGES, terms, labels)
    assert first.outcome == outcome


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ("Adults without work", "In Kenya adults with work are 7.7%."),
        ("Exports to China", "In Kenya exports from China are 7.7%."),
        ("Yearly pay of nurses", "In Kenya the monthly pay of nurses is 7.7%."),
        ("Employers of nurses", "In Kenya the employees of nurses are 7.7%."),
    ],
)
def test_sentence_about_another_row_does_not_settle_a_cell(row: str, said: str) -> None:
    outcomes = []
    for label in (row, said.removeprefix("In Kenya ").partition(" 7.7")[0]):
        claim = Claim(text="7.7%", citations=[], rests_on=["said"])
        terms = JudgeTerms(model="m", question="", known={"said": premise(said, 1, PRICES)})
        labels = [(label, "Kenya"), ("Land", "Chad")]
        first, _ = check_claims([claim, claim], PAGES, terms, labels)
        outcomes.append(first.outcome)
    assert outcomes == ["open", "holds"]


def test_cell_without_data_is_left_to_the_check_of_what_was_not_found() -> None:
    assert check(ROWS[2], "Chad", "its land area", not_found=True) == "holds"
    sentence = Claim(text="No source gives its land area.", citations=[], not_found=True)
    for terms in (JudgeTerms(model="m", question=""), JudgeTerms(model="", question="")):
        labels = ("", "") if terms.model else (ROWS[2], "Chad")
        [one] = check_claims([sentence], PAGES, terms, [labels])
        assert one.outcome == "open", (
            "a sentence is the judge's, and a cell without one is unjudged"
        )


@pytest.mark.parametrize(
    ("text", "row", "is_refused"),
    [
        ("4.92", "Natural gas used, 2023, billion m³", False),
        ("4.92", "Erdgasverbrauch 2023 in Mrd. m³", False),
        ("~4.9", "Natural gas used, 2023, billion m³", False),
        ("4,919", "Natural gas used, 2023, million m³", False),
        ("4.919 billion", "Natural gas used, 2023", False),
        ("4.92", "Natural gas used, 2023, million m³", True),
        ("4.72", "Natural gas used, 2023, billion m³", True),
        ("4.92", "Natural gas used, 2023", True),
    ],
)
def test_lone_figure_has_the_scale_of_its_row(text: str, row: str, is_refused: bool) -> None:
    quote = "Natural gas consumption, Ireland: 4.919 billion cubic meters (2023 est.)"
    page = CitedPage("Ireland: Energy", Snapshot(f"{quote}\n"))
    cell = Claim(text=text, citations=[Citation(source=1, quote=quote)])
    terms = JudgeTerms(model="m", question="")
    [checked] = check_claims([cell], {1: page}, terms, [(row, "Ireland")])
    assert (checked.outcome == "fails") is is_refused
