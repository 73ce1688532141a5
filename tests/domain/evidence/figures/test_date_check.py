"""Which days and years of a sentence its evidence carries."""

import pytest

from contracts.evidence.claims import Claim, JudgeTerms, Premise
from domain.evidence.claim_check import check_claims
from domain.evidence.pages.cited_page import CitedPage
from domain.evidence.quotes import Snapshot
from tests.domain.evidence.annual_results import claim


def test_the_time_between_two_dates_is_left_to_a_reader() -> None:
    quote = "| Release 3.5 | 2025-07-14 | 2026-07-31 |"
    page = CitedPage("Releases", Snapshot(f"{quote}\n"))
    [found] = check_claims([claim("It is supported for 382 days.", quote)], {1: page})
    assert found.outcome == "open"


@pytest.mark.parametrize(("weeks", "outcome"), [("39 weeks", "open"), ("26 weeks", "fails")])
def test_a_period_in_words_above_its_table_is_known(weeks: str, outcome: str) -> None:
    text = "|  | Thirteen Weeks Ended | Thirty-Nine Weeks Ended |\n| Sales of shoes | 93 | 838 |\n"
    pages = {1: CitedPage("Results", Snapshot(text))}
    quote = "| Sales of shoes | 93 | 838 |"
    [found] = check_claims([claim(f"Over {weeks} it sold 838 pairs.", quote)], pages)
    assert found.outcome == outcome


@pytest.mark.parametrize(
    ("day", "outcome"),
    [("11 May 2025", "open"), ("5 November 2025", "open"), ("11 June 2025", "fails")],
)
def test_a_day_in_numbers_may_be_read_either_way(day: str, outcome: str) -> None:
    quote = "Most recent election date: 5/11/2025"
    page = CitedPage("Government", Snapshot(f"{quote}\n"))
    [found] = check_claims([claim(f"It voted on {day}.", quote)], {1: page})
    assert found.outcome == outcome


def test_a_day_that_a_time_is_glued_to_is_known() -> None:
    quote = "This is RELEASE.2025-02-03T21-03-04Z of the server."
    pages = {1: CitedPage("Releases", Snapshot(f"{quote}\n"))}
    for day in ("2025-02-03", "3 February 2025"):
        [found] = check_claims([claim(f"The server was released on {day}.", quote)], pages)
        assert found.outcome == "open"


@pytest.mark.parametrize("row", [1, 40])
def test_a_day_in_the_header_of_a_long_table_is_known(row: int) -> None:
    rows = "".join(f"| Item {n} of the statement | {n},483 | {n},065 |\n" for n in range(1, 60))
    text = f"(In thousands)\n|  | November 2, 2024 | October 28, 2023 |\n{rows}"
    pages = {1: CitedPage("Results", Snapshot(text))}
    quote = f"| Item {row} of the statement | {row},483 | {row},065 |"
    said = f"It was ${row},065 thousand on October 28, 2023."
    [right] = check_claims([claim(said, quote)], pages)
    [wrong] = check_claims([claim(said.replace("28", "29"), quote)], pages)
    assert (right.outcome, wrong.outcome) == ("open", "fails")


@pytest.mark.parametrize(
    ("day", "outcome"), [("January 28, 2023", "open"), ("April 3, 2023", "fails")]
)
def test_a_day_that_a_page_opens_with_is_known_and_one_far_below_is_not(
    day: str, outcome: str
) -> None:
    opening = "Shoes today announced results for the period ended January\n28, 2023.\n\n"
    rest = "They sell shoes in many towns.\n" * 60
    text = f"{opening}{rest}Net sales rose 18.2% to $3.2 million.\n{rest}It pays on April 3, 2023."
    pages = {1: CitedPage("Results of 2023", Snapshot(text))}
    quote = "Net sales rose 18.2% to $3.2 million."
    [found] = check_claims([claim(f"In the period to {day} sales rose 18.2%.", quote)], pages)
    assert found.outcome == outcome
    shown = [Snapshot(text).text[start:end] for _, (start, end) in found.openings]
    assert shown == (["January\n28, 2023"] if outcome == "open" else [])


@pytest.mark.parametrize(
    ("text", "outcome", "unquoted"),
    [
        ("Ask ten yards by the end of March 2027.", "open", ["2027"]),
        ("Decide on 1 February 2027.", "open", ["1 February 2027"]),
        ("Go on from 2027 if six of them order.", "open", ["2027"]),
        ("As in March 2019, ask the yards first.", "fails", []),
    ],
)
def test_advice_may_say_by_when_and_the_judge_sees_that_nobody_else_does(
    text: str, outcome: str, unquoted: list[str]
) -> None:
    known = {"a": Premise(text="Two of the three yards are in Flushing.", is_supported=True)}
    advice = Claim(text=text, citations=[], rests_on=["a"])
    [found] = check_claims(
        [advice], {}, JudgeTerms(model="", question="", known=known, today="2026-11-25")
    )
    assert found.outcome == outcome
    assert set(unquoted) <= set(found.unquoted)


def test_who_states_a_coming_year_has_a_source_for_it() -> None:
    pages = {1: CitedPage("Results", Snapshot("The yard in Ghent employs 340 people."))}
    said = claim(
        "The yard in Ghent employs 340 people until 2027.", "The yard in Ghent employs 340 people"
    )
    [found] = check_claims([said], pages, JudgeTerms(model="", question="", today="2026-11-25"))
    assert [reason.code for reason in found.problems] == ["year-missing"]


@pytest.mark.parametrize(
    ("row", "outcome"),
    [
        ("Largest towns: 14.667 million Manila, 1.949 million Davao (2015)", "open"),
        ("Largest towns: 14.667 million Manila (2015), 1.949 million Davao (2011)", "fails"),
        ("Largest towns: 14.667 million Manila, 1.949 million Davao", "fails"),
    ],
)
def test_quote_cut_from_a_row_has_the_single_year_of_that_row(row: str, outcome: str) -> None:
    page = CitedPage("Philippines", Snapshot(f"Urban population: 48%\n{row}\nRate: 2%\n"))
    said = claim("In 2015 Manila had 14.667 million people.", "14.667 million Manila")
    [found] = check_claims([said], {1: page})
    assert found.outcome == outcome
