"""Figures with digits grouped by blanks or apostrophes, and figures elsewhere on the page."""

import pytest

from contracts.evidence.claims import Citation, Claim
from domain.evidence.claim_check import check_claims
from domain.evidence.figures.figure_agreement import is_quoted
from domain.evidence.figures.notation.figure_parser import parse_figures
from domain.evidence.figures.notation.quantities import MAX_COUNT, read_claimed, read_quantities
from domain.evidence.pages.cited_page import CitedPage
from domain.evidence.quotes import Snapshot
from domain.report.parts.tables import describe_columns

GROUPS = [
    " ",
    "\u00a0",
    "\u2002",
    "\u2005",
    "\u2007",
    "\u2008",
    "\u2009",
    "\u200a",
    "\u202f",
    "\u205f",
    "'",
    "’",
    "‘",
    "ʼ",
]


def check(text: str, quote: str, page: CitedPage) -> str:
    [found] = check_claims(
        [Claim(text=text, citations=[Citation(source=1, quote=quote)])], {1: page}
    )
    return found.outcome


def check_in_page(text: str, quote: str, page: str) -> str:
    return check(text, quote, CitedPage("Rents", Snapshot(page)))


@pytest.mark.parametrize("gap", GROUPS)
def test_digits_grouped_by_a_blank_or_an_apostrophe_are_one_figure(gap: str) -> None:
    [figure] = parse_figures(f"The pier has 21{gap}250{gap}400 stones.")
    assert figure.shown == f"21{gap}250{gap}400"
    assert 21_250_400 in figure.values


@pytest.mark.parametrize("gap", GROUPS)
def test_a_quote_may_not_cut_grouped_digits(gap: str) -> None:
    page = f"The pier has 21{gap}250 stones in its wall, they say."
    assert Snapshot(page).find("250 stones in its wall") is None


@pytest.mark.parametrize("gap", GROUPS)
@pytest.mark.parametrize(
    ("amount", "outcome"),
    [
        ("7{}431", "open"),
        ("7,431", "open"),
        ("7431", "open"),
        ("2{}431", "fails"),
        ("27{}431", "fails"),
        ("431", "fails"),
        ("7{}432", "fails"),
    ],
)
def test_a_figure_that_shares_a_group_of_digits_with_its_quote_is_another(
    gap: str, amount: str, outcome: str
) -> None:
    quote = f"A berth costs 7{gap}431 € a month, and its mast 90 € more."
    told = f"Each month, {amount.format(gap)} € are due for a berth."
    assert check_in_page(told, quote, f"Rents\n{quote}\n") == outcome


@pytest.mark.parametrize(("amount", "outcome"), [("93", "open"), ("838", "open"), ("839", "fails")])
def test_cells_that_blanks_part_may_be_figures_of_their_own(amount: str, outcome: str) -> None:
    page = "Area North South\nBerths 93 838\nCranes 12 17\n"
    assert check_in_page(f"It has {amount} berths.", "Berths 93 838", page) == outcome


@pytest.mark.parametrize(("price", "outcome"), [("19", "open"), ("30", "fails"), ("11", "fails")])
def test_the_day_of_a_page_is_no_figure_of_a_claim(price: str, outcome: str) -> None:
    quote = "| Plan | 19 euros |"
    page = CitedPage("Plans", Snapshot(f"Plans\n\n{quote}\n"), published="2025-11-30")
    assert check(f"The plan of the sheet costs {price} euros.", quote, page) == outcome


@pytest.mark.parametrize(
    "quote",
    [
        "ارتفعت الشحنات بنسبة 7.4 في المئة خلال العام",
        "محموله‌ها در این سال ۷٫۴ درصد افزایش یافت",
        "המשלוחים עלו ב-7.4 אחוזים במשך השנה",
        "इस साल ढुलाई 7.4 प्रतिशत बढ़ी और आगे भी बढ़ेगी",
    ],
)
@pytest.mark.parametrize(("rate", "outcome"), [("7.4", "open"), ("7.9", "fails"), ("4.7", "fails")])
def test_a_rate_in_digits_is_held_against_the_rate_of_any_script(
    quote: str, rate: str, outcome: str
) -> None:
    told = f"Cargo volumes rose by {rate} percent."
    assert check_in_page(told, quote, f"{quote}\n") == outcome


@pytest.mark.parametrize("rate", ["7.4", "20"])
def test_a_numeral_in_words_may_be_the_rate(rate: str) -> None:
    quote = "货运量增长7.4%,其中百分之二十来自出口市场的增长"
    assert check_in_page(f"Growth was {rate} percent.", quote, f"{quote}\n") == "open"


@pytest.mark.parametrize("gap", GROUPS[:-2])
def test_a_column_of_grouped_figures_has_their_unit_in_its_head(gap: str) -> None:
    rows = [["North", f"1{gap}250 €"], ["South", f"12{gap}500{gap}000 €"]]
    _, prices = describe_columns(["Area", "Price"], rows)
    assert (prices.is_figure, prices.unit) == (True, "€")


@pytest.mark.parametrize(
    ("said", "quote", "holds"),
    [
        ("Dort leben 1.419 Millionen Menschen.", "Population, India: 1,419,316,933", True),
        ("Dort leben 1.425 Millionen Menschen.", "Population, India: 1,419,316,933", False),
        ("Das BIP beträgt 1,396 Billionen Dollar.", "GDP: $1.396 trillion", True),
        ("Das BIP beträgt 1,396 Billionen Dollar.", "GDP: $1.396 billion", False),
    ],
)
def test_a_group_of_german_digits_is_rounded_to_its_own_last_digit(
    said: str, quote: str, holds: bool
) -> None:
    [claimed], quoted = read_claimed(said), read_quantities(quote)
    assert is_quoted(claimed, quoted) == holds


def test_a_bare_count_is_left_to_a_reader_up_to_the_largest_small_one() -> None:
    assert not list(read_claimed(f"It has {MAX_COUNT} yards."))
    [larger] = read_claimed(f"It has {MAX_COUNT + 1} yards.")
    assert larger.shown == str(MAX_COUNT + 1)
