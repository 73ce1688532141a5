"""Figures in a text without citations that no other text contains."""

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
    known = KnownFigures(["A share cost 274.95 USD on 30 September 2024."])
    told = known.name_unfounded("Buy below 13.60 dollars by September 2025.", "en", is_plan=True)
    line = "Buy below 13.60 dollars by September 2025."
    assert told == en("figures-chosen", line=line, figures="13.60 dollars")
    past = "As on 30 June 2023."
    assert known.name_unfounded(past, "en", is_plan=True) == en(
        "figures-chosen", line=past, figures="30 June 2023"
    )
