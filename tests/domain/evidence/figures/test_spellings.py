"""Figures in the spellings of the world: a true sentence is not refused for one, a false one does not pass by one."""

import pytest

from contracts.evidence.claims import Citation, Claim, QuotedFigure
from domain.evidence.claim_check import check_claims
from domain.evidence.pages.cited_page import CitedPage
from domain.evidence.quotes import Snapshot


def check(page: str, text: str, *quotes: str, figures: tuple[QuotedFigure, ...] = ()) -> str:
    """Return `fails`, `named` where a figure is left to the judge by name, else `open`."""
    cited = [Citation(source=1, quote=quote) for quote in quotes or [page]]
    claim = Claim(text=text, citations=cited, figures=list(figures))
    [found] = check_claims([claim], {1: CitedPage("Page", Snapshot(page))})
    return "named" if found.unquoted and found.outcome == "open" else found.outcome


@pytest.mark.parametrize(
    ("page", "text", "outcome"),
    [
        ("Rents rose by 13% last year.", "Rents rose by 10%.", "fails"),
        ("Rents rose by 13% last year.", "Rents rose by more than 10%.", "open"),
        ("Rents rose by 13% last year.", "Rents rose by 13%.", "open"),
        ("Rents rose by 9.8% last year.", "Rents rose by 10%.", "open"),
        ("Rents rose by 2.8% last year.", "Rents rose by 3%.", "named"),
        ("Rents rose by 2.8% last year.", "Rents rose by about 3%.", "open"),
        ("The mill has 1,360 looms in all.", "The mill has 1,000 looms.", "fails"),
        ("The mill has 1,360 looms in all.", "The mill has over 1,000 looms.", "open"),
        ("The mill has 1,360 looms in all.", "The mill has 1,400 looms.", "open"),
        ("The canal cost $1.3 billion in all.", "The canal cost $1 billion.", "fails"),
        ("The canal cost $1.3 billion in all.", "Der Kanal kostete rund $1 Milliarde.", "open"),
        ("The canal cost $48.2 million in all.", "The canal cost $48 million.", "open"),
    ],
)
def test_round_figure_agrees_with_what_is_near_it(page: str, text: str, outcome: str) -> None:
    assert check(page, text) == outcome


def test_round_figure_is_not_placed_on_a_quote_that_is_not_near_it() -> None:
    said = QuotedFigure(value="10", unit="%", quote=1)
    page = "Rents rose by 13% last year."
    assert check(page, "Rents rose by 10%.", figures=(said,)) == "fails"


@pytest.mark.parametrize(
    ("head", "right", "wrong"),
    [
        ("£'000", "£81.304 million", "£81.304 billion"),
        ("$000s", "$81.304 million", "$81.304 billion"),
        ("(in 000)", "$81.304 million", "$81.304 billion"),
        ("CHF '000", "CHF 81.304 million", "CHF 81.304 billion"),
        ("£m", "£81.304 billion", "£81.304 million"),
        ("Sales (USD m)", "$81.304 billion", "$81.304 million"),
        ("EUR bn", "€81,304 billion", "€81.304 billion"),
        ("TUSD", "$81.304 million", "$81.304 billion"),
        ("k£", "£81.304 million", "£81.304 billion"),
        ("Millions", "$81.304 billion", "$81.304 million"),
        ("en milliers de francs", "81.304 million", "81.304 billion"),
        ("en miles de euros", "81.304 million euros", "81.304 billion euros"),
    ],
)
def test_head_states_its_scale_in_few_letters(head: str, right: str, wrong: str) -> None:
    row = "| Sales | 79,112 | 81,304 |"
    page = f"# Results\n\n| {head} | 2022 | 2023 |\n|---|---|---|\n{row}\n"
    assert check(page, f"Sales were {right} in 2023.", row) == "open"
    assert check(page, f"Sales were {wrong} in 2023.", row) == "fails"


@pytest.mark.parametrize("cell", ["45 k€", "£1,000", "$000,000", "12.5 €m", "3 m", "EUR 5"])
def test_amount_in_a_cell_states_no_scale(cell: str) -> None:
    row = f"| Rent | {cell} |"
    page = f"| Item | 2023 |\n|---|---|\n{row}\n| Loans | 81,304 |\n"
    assert CitedPage("Page", Snapshot(page)).heads.scales.find_governing(len(page) - 5) is None
