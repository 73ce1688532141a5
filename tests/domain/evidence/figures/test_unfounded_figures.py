"""Figures in a text without citations that no other text contains."""

from domain.evidence.figures.unfounded_figures import list_unfounded, name_unfounded
from tests.support.words import en


def test_figures_that_stand_nowhere_else_are_listed_as_they_are_written() -> None:
    said = "In 2024 it grew by about 60% to 3.8 billion dollars on May 3, for 3 reasons."
    assert list_unfounded(said, ["It grew to $3,840 million."]) == ["May 3", "60%"]
    assert list_unfounded(said, ["By 2024-05-03 it grew by 59% to $3.8 billion."]) == []
    assert list_unfounded("Exhibit 99.1 of April 25, 2023, section 3.2", ["On 4/25/2023"]) == []
    assert list_unfounded("Exhibit 99.1 shows item 40%", [""]) == ["40%"]


def test_a_text_that_cites_nothing_says_which_of_its_figures_stand_nowhere() -> None:
    told = name_unfounded(
        "It fell by 12.9%.\nPrices of 2024.\nBelow 20%?", ["It fell by 9.2%; 20%"], "en"
    )
    assert told.splitlines() == [
        en("figures-unfounded", line="It fell by 12.9%.", figures="12.9%"),
        "Prices of 2024.",
        "Below 20%?",
    ]
