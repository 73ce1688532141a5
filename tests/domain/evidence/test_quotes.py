"""Locating quotes, exactly or by their letters only."""

import re
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from domain.evidence.quotes import Snapshot

TEXT = """Kenya – an overview
Kenya\u2019s population is \u201cabout\u00a054\u202fmillion\u201d, the cen\u00adsus says.
Growing maize without water is illegal in Laikipia.
Irrigation covers 3.5 million ha or 142 % more.
Prices fell by \u221215 % to $1,030.50 in 2019\u20132021\u2026
| Area | 580,367 km² |
Buy – or rent – pumps\u2060\ufeff, says Nai\u0308ma.
Nai\u0308robi has 4,4 Mio. inhabitants and many of\ufb01ces.
肯尼亚的人口约为五千四百万。
Sales were $12.5 [1] million in 2024 [2] [3].
Plants hold $9.3¹ million in all, and 6 km² of land.
"""


def found(quote: str, text: str = TEXT) -> str | None:
    span = Snapshot(text).find(quote)
    return text[slice(*span)] if span else None


@pytest.mark.parametrize("line", TEXT.strip().splitlines())
def test_every_line_is_found_to_the_letter(line: str) -> None:
    assert found(line) == line


@pytest.mark.parametrize(
    ("quote", "original"),
    [
        ("Kenya - an overview", "Kenya – an overview"),
        ('Kenya\'s population is "about 54 million", the census says.', TEXT.splitlines()[1]),
        ("an overview Kenya's population", "an overview\nKenya’s population"),
        ("fell by -15 % to $1,030.50 in 2019-2021...", "fell by −15 % to $1,030.50 in 2019–2021…"),
        ("“Growing maize without water”", "Growing maize without water"),
        ("  Growing  maize\twithout\nwater ", "Growing maize without water"),
        ("Naïrobi has 4,4 Mio.", "Nai\u0308robi has 4,4 Mio."),
        ("and 6 km2 of land", "and 6 km² of land"),
        ("inhabitants and many offices", "inhabitants and many of\ufb01ces"),
        ("Buy - or rent - pumps", "Buy – or rent – pumps"),
        ("Area | 580,367 km2", "Area | 580,367 km²"),
        ("人口约为五千四百万", "人口约为五千四百万"),
        ("Sales were $12.5 million in 2024.", "Sales were $12.5 [1] million in 2024 [2] [3]."),
        ("Sales were $12.5 [1] million", "Sales were $12.5 [1] million"),
    ],
)
def test_a_quote_that_looks_the_same_is_found_and_kept_as_it_stands(
    quote: str, original: str
) -> None:
    assert found(quote) == original


@pytest.mark.parametrize(
    "quote",
    [
        "",
        " ",
        '"',
        "…",
        "kenya – an overview",
        "Kenya – an Overview",
        "without rain is illegal",
        "Kenya – ... the census says",
        "54 million",
        TEXT * 10,
    ],
)
def test_what_does_not_stand_there_or_is_too_short_or_long_is_not_found(quote: str) -> None:
    assert found(quote, TEXT * 10) is None


@pytest.mark.parametrize(
    "quote",
    [
        "legal in Laikipia.",
        "Growing maize with",
        "5 million ha or 142 % more.",
        "Irrigation covers 3",
        "Irrigation covers 3.5",
        "Irrigation covers 3.5 million",
        "42 % more.\nPrices",
        "million ha or 142",
        "15 % to $1,030.50",
        "1,030.50 in 2019–2021",
        "Prices fell by −15 % to $1,030",
        "to $1,030.50 in 2019",
        "2021…\n| Area",
    ],
)
def test_a_quote_may_not_cut_a_word_or_a_figure(quote: str) -> None:
    """Half a word or half a number may say the opposite: `illegal`, `142 %`, `−15 %`."""
    assert quote in TEXT
    assert found(quote) is None


@pytest.mark.parametrize(
    ("quote", "text"),
    [
        ("54 million", "Population\n54 million\nArea"),
        ("54 million", "| 54 million |"),
        ("Yes", "Is it sold?\n* Yes"),
        ("Yes", "Yes"),
    ],
)
def test_a_short_quote_counts_when_it_is_a_whole_line(quote: str, text: str) -> None:
    assert found(quote, text) == quote


@pytest.mark.parametrize(
    ("quote", "page"),
    [
        ("C2 55 kg", "| a | b |\n|---|---|\n| x | C2 55 kg |\n"),
        ("9 tons", "| Crane | 9 tons | red |\n"),
        ("Seen 12", "# Slide 1: Seen 12\n\nMore."),
    ],
)
def test_a_short_quote_counts_when_it_fills_a_cell_or_follows_a_label(
    quote: str, page: str
) -> None:
    span = Snapshot(page).find(quote)
    assert span
    assert page[slice(*span)] == quote


@pytest.mark.parametrize(
    ("quote", "page"),
    [
        ("55 kg", "| x | C2 55 kg |\n"),
        ("412", "| North | 412 | 398 |\n"),
        ("12", "Total: 12"),
        ("9 tons", "It lifts: 9 tons, or more"),
    ],
)
def test_a_short_quote_that_is_part_of_a_cell_or_digits_alone_is_not_found(
    quote: str, page: str
) -> None:
    assert Snapshot(page).find(quote) is None


def test_a_later_place_is_taken_where_the_first_cuts_a_word() -> None:
    text = "illegal in Kenya today; legal in Kenya today"
    assert Snapshot(text).find("legal in Kenya today") == (24, 44)


SENTENCE = st.text(
    st.sampled_from("abc deé fi ﬁ\u00ad\u00a0\n-–—'’\"“…½ 12.,%$漢字かな"), min_size=1, max_size=80
)


@given(SENTENCE, SENTENCE, SENTENCE)
def test_a_line_of_any_text_is_found_in_it(before: str, line: str, after: str) -> None:
    line = re.sub(r"\s", " ", line).strip(" |*•-\u00ad")
    text = f"{before} so.\n{line}\nAnd {after}"
    if line.strip():
        assert found(line, text) is not None


@settings(max_examples=25)
@given(st.text(max_size=200), st.text(max_size=40))
def test_a_place_is_always_within_the_text(text: str, quote: str) -> None:
    span = Snapshot(text).find(quote)
    assert span is None or 0 <= span[0] < span[1] <= len(text)


@given(SENTENCE)
def test_a_quote_that_was_found_is_found_again_as_it_was_kept(text: str) -> None:
    kept = found(text, f"So: {text} it says.")
    assert kept is None or found(kept, f"So: {text} it says.") == kept


@pytest.mark.parametrize(
    ("text", "quote"),
    [
        pytest.param("a" * 5_000_000, "a" * 1_900 + "b", marks=pytest.mark.full),
        pytest.param(" " * 5_000_000, "a" + " " * 1_900 + "b", marks=pytest.mark.full),
        pytest.param("ab " * 1_700_000, "ab " * 600 + "c", marks=pytest.mark.full),
        ("\u00ad" * 5_000_000, "some words\u00ad here"),
        pytest.param("1" * 5_000_000, "1" * 100, marks=pytest.mark.full),
        pytest.param("1,111 " * 800_000, "1,111 " * 100, marks=pytest.mark.full),
        pytest.param("-" * 5_000_000, "-" * 20, marks=pytest.mark.full),
        pytest.param("漢" * 5_000_000, "漢" * 50 + "字", marks=pytest.mark.full),
        pytest.param("…" * 1_000_000, "." * 100 + "x", marks=pytest.mark.full),
    ],
    ids=lambda text: ascii(text[-3:]),
)
def test_five_hostile_megabytes_are_searched_in_seconds(text: str, quote: str) -> None:
    started = time.process_time()
    Snapshot(text).find(quote)
    assert time.process_time() - started < 10


def test_a_raised_digit_is_no_part_of_the_figure_before_it() -> None:
    assert found("Plants hold $9.31 million in all") is None
    assert found("Plants hold $9.3¹ million in all") == "Plants hold $9.3¹ million in all"


def test_of_several_places_the_one_that_was_shown_counts() -> None:
    row = "| Net cash provided | 3,512 |"
    text = (
        f"Summary\n{row}\n\f\n{'Notes on boats. ' * 9}\n\f\nCash flows\n{row}\n\f\nIndex\n{row}\n"
    )
    first, second, third = (match.start() for match in re.finditer(re.escape(row), text))
    statement = (text.index("Cash flows"), text.index("Index"))
    assert Snapshot(text).find(row) == (first, first + len(row))
    assert Snapshot(text, [statement]).find(row) == (second, second + len(row))
    assert Snapshot(text, [(0, 9), statement]).find(row) == (second, second + len(row))
    index = text.index("Index")
    assert Snapshot(text, [(index, index + 5)]).find(row) == (third, third + len(row))
    assert Snapshot(text, [statement]).find("Net cash provided | 3,513") is None
