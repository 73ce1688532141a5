"""Figures in a text without citations that no other text contains."""

import pytest

from domain.evidence.figures.unfounded_figures import KnownFigures
from tests.support.words import en


def test_figures_that_stand_nowhere_else_are_listed_as_they_are_written() -> None:
    said = "In 2024 it grew by about 60% to 3.8 billion dollars on May 3, for 3 reasons."
    assert KnownFigures(["It grew to $3,840 million."]).list_unfounded(said) == ["May 3", "60%"]
    assert (
        KnownFigures(["By 2024-05-03 it grew by 59% to $3.8 billion."]).list_unfounded(said) == []
    )
    assert (
        KnownFigures(["On 4/25/2023"]).list_unfounded("Exhibit 99.1 of April 25, 2023, section 3.2")
        == []
    )
    assert KnownFigures([""]).list_unfounded("Exhibit 99.1 shows item 40%") == ["40%"]


def test_a_text_that_cites_nothing_says_which_of_its_figures_stand_nowhere() -> None:
    known = KnownFigures(["It fell by 9.2%; 20%"])
    told = known.name_unfounded("It fell by 12.9%.\nPrices of 2024.\nBelow 20%?", "en")
    assert told.splitlines() == [
        en("figures-unfounded", line="It fell by 12.9%.", figures="12.9%"),
        "Prices of 2024.",
        "Below 20%?",
    ]


def test_figures_of_a_plan_are_called_its_own_and_days_ahead_are_not_named() -> None:
    known = KnownFigures(
        ["A share cost 274.95 USD on 30 September 2024; a bond is due in 2031."], "2024-10-05"
    )
    told = known.name_unfounded("Buy below 13.60 dollars by September 2025.", "en", is_plan=True)
    line = "Buy below 13.60 dollars by September 2025."
    assert told == en("figures-chosen", line=line, figures="13.60 dollars")
    past = "As on 30 June 2023."
    assert known.name_unfounded(past, "en", is_plan=True) == en(
        "figures-chosen", line=past, figures="30 June 2023"
    )


@pytest.mark.parametrize(
    ("line", "named"),
    [
        ("Freight volumes of the quarter to 2015-06-30, which were not read.", ""),
        ("The report on 30 June 2015, and the outlook, which was not found: they show demand.", ""),
        ("No source says whether more than 45% of depots are leased.", ""),
        ("Whether tariffs above 45% apply is unknown; they rose by 7.5%.", "7.5%"),
        ("No source says why freight fell by 7.5%.", "7.5%"),
        ("Freight fell by 7.5%. Why is not known.", "7.5%"),
        ("If freight does not grow and the outlook is given at 7.5%.", "7.5%"),
        ("Keine Quelle nennt den Stand zum 30. Juni 2015 oder einen Anteil über 45 %.", ""),
        ("Die Zahlen zum 30.06.2015, die nicht gelesen wurden.", ""),
        ("Der Anteil von 45 %.", "45 %"),
    ],
)
def test_what_a_clause_says_was_not_found_needs_no_source(line: str, named: str) -> None:
    known = KnownFigures(["Freight was 31 million tons in 2014."])
    marked = en("figures-unfounded", line=line, figures=named) if named else line
    assert known.name_unfounded(line, "en") == marked


def test_day_at_the_head_of_a_missing_line_is_what_was_sought() -> None:
    known = KnownFigures(["Freight was 31 million tons in 2014."])
    line = "Freight of the quarter to 2015-06-30: the newest that was read is of 2015-03-31."
    told = known.name_unfounded(line, "en", is_missing=True)
    assert told == en("figures-unfounded", line=line, figures="2015-03-31")
    assert "2015-06-30" in known.name_unfounded(line, "en", is_plan=False).removeprefix(line)
    figure = "Freight of 2015-06-30, which fell by 7.5%."
    told = known.name_unfounded(figure, "en", is_missing=True)
    assert told == en("figures-unfounded", line=figure, figures="7.5%")


@pytest.mark.parametrize(
    ("line", "new"),
    [
        ("A price near 45 dollars, at which 3.60 dollars a share are 8%.", []),
        ("A price near 47 dollars, at which 3.60 dollars a share are 8%.", ["47 dollars"]),
        ("A price near 45 euros, at which 3.60 dollars a share are 8%.", ["45 euros"]),
        ("From 250 to 310 million dollars, 24% more, or 60 million dollars.", []),
        ("From 250 to 310 million dollars, 29% more.", ["29%"]),
        ("At 14 times 3.60 dollars a share costs 50.40 dollars.", []),
        ("A share earns 3.60 dollars. At 8% it is worth 45 dollars.", ["45 dollars"]),
        ("At 9% of 45 dollars it would earn 4.05 dollars.", ["9%", "45 dollars", "4.05 dollars"]),
    ],
)
def test_figure_that_its_sentence_computes_from_known_ones_needs_no_source(
    line: str, new: list[str]
) -> None:
    told = "It earned 3.60 dollars a share, 8% of the price, at 14 times. Sales: 250 million dollars, 310 million dollars."
    assert KnownFigures([told]).list_unfounded(line) == new


def test_unknown_figures_take_no_room_from_the_known_ones_that_a_sum_adds() -> None:
    told = "The mills have 250 and 310 looms."
    strange = ", ".join(f"{n * 1_013}" for n in range(7, 27))
    line = f"Beside {strange} others, 250 and 310 looms make 560 looms."
    assert "560" not in " ".join(KnownFigures([told]).list_unfounded(line))
