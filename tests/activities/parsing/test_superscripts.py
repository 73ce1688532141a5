"""Superscripts never change the preceding figure."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from activities.parsing.superscripts import place_lowered, place_raised, separate_raised, write_mark


@pytest.mark.parametrize(
    ("before", "raised", "after", "written"),
    [
        ("$12.5", "1", " million", "$12.5 [1] million"),
        ("in 2024", "2", ".", "in 2024 [2]."),
        ("2024", "1,2", " and", "2024 [1] [2] and"),
        ("12.5", "a", " m", "12.5 [a] m"),
        ("revenue", "3", " grew", "revenue [3] grew"),
        ("end.", "3", "", "end. [3]"),
        ("12,345", "(1)", "", "12,345 (1)"),
        ("Sales", "[3]", "", "Sales[3]"),
        ("3 × 10", "6", " litres", "3 × 10^6 litres"),
        ("10", "−3", " m", "10^-3 m"),
        ("in 2010", "6", "", "in 2010 [6]"),
        ("5 km", "2", " of", "5 km^2 of"),
        ("12 m", "4", " of", "12 m^4 of"),
        ("E = mc", "2", "", "E = mc^2"),
        ("x", "n", "", "x^n"),
        ("(a + b)", "2", "", "(a + b)^2"),
        ("(restated)", "2", "", "(restated) [2]"),
        ("3", "2", " + 4", "3^2 + 4"),
        ("$11", "99", "", "$11^99"),
        ("$12", "10", " million", "$12 [10] million"),
        ("1", "1", "/2", "1 1/2"),
        ("the 21", "st", "", "the 21st"),
        ("XX", "e", " siècle", "XXe siècle"),
        ("M", "me", " Curie", "Mme Curie"),
        ("Widget", "TM", "", "WidgetTM"),
        ("", "1", " See page 5", "[1] See page 5"),
    ],
)
def test_raised_text_is_a_power_a_mark_or_an_ordinal(
    before: str, raised: str, after: str, written: str
) -> None:
    assert before + place_raised(before, raised, after) + after == written


@pytest.mark.parametrize(
    ("before", "lowered", "after", "written"),
    [("CO", "2", " fell", "CO2 fell"), ("log", "10", "5", "log_10 5"), ("1011", "2", "", "1011_2")],
)
def test_lowered_text_is_no_part_of_a_figure(
    before: str, lowered: str, after: str, written: str
) -> None:
    assert before + place_lowered(before, lowered, after) + after == written


@given(
    st.from_regex(r"[a-z$(]{0,3}\d[\d.,]{0,6}", fullmatch=True), st.text("⁰¹²³⁴⁵⁶⁷⁸⁹", min_size=1)
)
def test_raised_digits_never_lengthen_a_figure(figure: str, raised: str) -> None:
    shown = separate_raised(f"{figure}{raised} million")
    assert shown.startswith(figure)
    assert not re.match(r"\d", shown[len(figure) :])


@pytest.mark.parametrize(
    ("before", "mark", "after", "written"),
    [
        ("Owned", "(a)", "", "Owned [a]"),
        ("Prepaid", "(2)(3)", "", "Prepaid [2] [3]"),
        ("", "(1)", "The", "[1] The"),
        ("10", "-6", " m", "10^-6 m"),
        ("Acme", "TM", " pumps", "AcmeTM pumps"),
        ("Acme", "®", "", "Acme®"),
        ("the 4", "th", " of", "the 4th of"),
        ("$12", "99", "", "$12^99"),
    ],
)
def test_raised_sign_of_a_page_is_set_apart_as_one_of_markup_is(
    before: str, mark: str, after: str, written: str
) -> None:
    assert f"{before}{write_mark(before, mark, after)}{after}" == written
