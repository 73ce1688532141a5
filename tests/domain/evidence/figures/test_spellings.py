"""Figures in the spellings of the world: a true sentence is not refused for one, a false one does not pass by one."""

import pytest

from contracts.evidence.claims import QuotedFigure
from domain.evidence.figures.notation.dates import parse_dates
from domain.evidence.figures.notation.figure_parser import parse_figures
from domain.evidence.pages.cited_page import CitedPage
from domain.evidence.quotes import Snapshot
from tests.domain.evidence.annual_results import check_on


def check(page: str, text: str, *quotes: str, figures: tuple[QuotedFigure, ...] = ()) -> str:
    """Return `fails`, `named` where a figure is left to the judge by name, else `open`."""
    found = check_on(page, text, *quotes, figures=list(figures))
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
        ("The mill sold 1,400 looms.", "Fast sales of 1,000 looms.", "fails"),
        ("The mill sold 1,400 looms.", "Over the year it sold 1,000 looms.", "fails"),
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


@pytest.mark.parametrize(
    ("page", "text"),
    [
        ("The valley has 8.4m people on its farms.", "8.4 million people live in the valley."),
        ("The tower is 214m in height, says the guide.", "The tower is 214 metres high."),
        ("The yard had orders of SEK 7.6m in May.", "Orders were SEK 7.6 million in May."),
        ("The yard had orders of 7.6m euros in May.", "Orders were 7.6 million euros in May."),
        ("Sie zahlte TEUR 3.480 an die Stadt zurück.", "It paid 3.48 million euros back."),
        ("Sie zahlte 3.480 T€ an die Stadt zurück.", "It paid €3.48 million back."),
        ("Elle a versé 27,6 M€ à la ville en mai.", "It paid 27.6 million euros in May."),
        ("Elle a versé 27,6 Md€ à la ville en mai.", "It paid 27.6 billion euros in May."),
        ("The kilns let out 3.9 Mt of carbon dioxide.", "They let out 3.9 million tonnes."),
        ("The smelter made 318 kt of zinc in May.", "The smelter made 318,000 tonnes of zinc."),
        ("The field gave 41 bcm of gas to the grid.", "It gave 41 billion cubic metres of gas."),
        ("The field gave 1.7 mb/d of oil to the port.", "It gave 1.7 million barrels a day."),
        ("The plank is 3½ inches wide at its end.", "The plank is 3.5 inches wide."),
        ("The bequest came to 7 1/2 million pounds.", "The bequest came to 7.5 million pounds."),
        ("A quarter of a million pilgrims came by.", "250,000 pilgrims came."),
        ("Half a billion cans were made in the year.", "500 million cans were made."),
        ("Eineinhalb Millionen Pilger kamen im Jahr.", "1.5 million pilgrims came."),
        ("The inn bought three dozen beds for guests.", "The inn bought 36 beds."),
        ("One in five wells was dry in that summer.", "20% of the wells were dry."),
        ("In all, 3 out of 40 wells were dry by May.", "7.5% of the wells were dry."),
        ("The tax was 2.4‰ of the value of a house.", "The tax was 0.24% of the value."),
        ("Sales came to **31.7** million euros then.", "Sales came to 31.7 million euros."),
        ("Sales came to 31.7[^2] million euros then.", "Sales came to 31.7 million euros."),
        ("In FY23 the mill sold its last steam loom.", "It sold the loom in fiscal 2023."),
        ("In 2018-19 the mill sold its last loom.", "It sold the loom in fiscal 2019."),
        ("In Q2 '23 the mill sold its last loom.", "It sold the loom in mid-2023."),
        ("The mill was sold on 14.05.23 to a bank.", "The mill was sold on 14 May 2023."),
        ("The mill was sold on 14.V.2023 to a bank.", "The mill was sold on 14 May 2023."),
        ("The rig cost 64 million Norwegian kroner.", "The rig cost NOK 64 million."),
        ("The rig cost 640 million kr to build.", "The rig cost 640 million kroner."),
        ("The rig cost C$64.3 million to build.", "The rig cost 64.3 million Canadian dollars."),
        ("The rig cost CHF 64.3 million to build.", "The rig cost 64.3 million Swiss francs."),
        ("The rig cost 64,3 Mio. € in jenem Jahr.", "The rig cost €64.3 million."),
    ],
)
def test_true_figure_in_another_spelling_is_not_refused(page: str, text: str) -> None:
    assert check(page, text) == "open"


@pytest.mark.parametrize(
    ("page", "text"),
    [
        ("The yard had orders of SEK 7.62m in May.", "Orders were SEK 7.62 billion in May."),
        ("Sie zahlte TEUR 3.480 an die Stadt zurück.", "It paid 3.48 billion euros back."),
        ("Elle a versé 27,6 Md€ à la ville en mai.", "It paid 27.6 million euros in May."),
        ("The kilns let out 3.92 Mt of carbon dioxide.", "They let out 3.92 billion tonnes."),
        ("The plank is 3½ inches wide at its end.", "The plank is 4.5 inches wide."),
        ("A quarter of a million pilgrims came by.", "400,000 pilgrims came."),
        ("One in five wells was dry in that summer.", "23% of the wells were dry."),
        ("In 2018-19 the mill sold its last loom.", "It sold the loom in 2021."),
        ("The mill was sold on 14.05.23 to a bank.", "The mill was sold on 15 May 2023."),
        ("The rig cost 64.3 million kroner to build.", "The rig cost $64.3 million."),
        ("The rig cost R$ 64.3 million to build.", "The rig cost $64.3 million."),
        ("The rig cost HK$64.3 million to build.", "The rig cost US$64.3 million."),
        ("The rig cost J$64.3 million to build.", "The rig cost $64.3 million."),
        ("The rig cost SGD 64.3 million to build.", "The rig cost 64.3 million dollars."),
        ("The rig cost 64.3 million Fijian dollars.", "The rig cost 64.3 million US dollars."),
        ("The rig cost 64.3 million Syrian pounds.", "The rig cost £64.3 million."),
        ("The rig cost 64.3 million zł to build.", "The rig cost €64.3 million."),
        ("The rig cost ₺64.3 million to build.", "The rig cost $64.3 million."),
        ("The rig cost SEK 64.3 million to build.", "The rig cost NOK 64.3 million."),
    ],
)
def test_figure_of_another_scale_currency_or_year_is_refused(page: str, text: str) -> None:
    assert check(page, text) in {"fails", "named"}


def test_quote_without_the_page_s_emphasis_is_found() -> None:
    page = "Sales came to **31.7** million euros in `May`, says _the_ board.[^1]"
    plain = "Sales came to 31.7 million euros in May, says the board."
    assert check(page, "Sales came to 31.7 million euros.", plain) == "open"
    assert Snapshot("2*3 and snake_case * x").find("23 and snakecase") is None


@pytest.mark.parametrize(
    ("page", "text", "outcome"),
    [
        ("One in eight looms stands idle.", "12.5% of the looms stand idle.", "open"),
        ("3 out of 40 looms stand idle.", "7.5% of the looms stand idle.", "open"),
        ("It sold 950 in 2024.", "It sold 46.9% of them.", "fails"),
        ("It took $1,950 in 2024.", "It took 46.9% of them.", "fails"),
    ],
)
def test_share_in_words_is_of_whole_numbers_and_no_year(page: str, text: str, outcome: str) -> None:
    assert check(page, text) == outcome


@pytest.mark.parametrize(
    "text",
    ["It costs 5 TURKİSH LİRA.", "It costs 5 ındian rupees.", "5. ıı. 2020", "12 APRİL 2020"],
)
def test_dotless_letters_are_read_as_any_text(text: str) -> None:
    dates, rest = parse_dates(text)
    assert (dates, rest) == ([], text)
    assert parse_figures(text)
