"""When two figures, or two dates, say the same."""

import time
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain.evidence.figures.notation.dates import parse_dates
from domain.evidence.figures.notation.figure_parser import (
    TextFigure,
    parse_figures,
    parse_number_words,
)
from domain.evidence.normal_forms import read_digits

SAME = """
1,030 = 1030 = 1 030 = 1'030 = 1 030 = 1,030.0
1.030,50 = 1,030.50 = 1030.5
12,34,567 = 1,234,567
3.5 million = 3,500,000 = 3.5million = 3.5 mn = 3,5 Mio = 3.5M
313.695 billion = 313,695 million
2 billion = 2bn = 2,000 million = 2 Mrd = 20億
5400万 = 54 million = 5.4 crore
42 % = 42% = 42 percent = 42 per cent = 42 pct = ４２％ = ٤٢ % = 42 Prozent = forty-two percent
5 percentage points = 5 pp = five %-points
$1,030 = US$1030 = USD 1,030 = 1,030 dollars = 1030 USD
€3.5 million = EUR 3.5m = 3.5 million euros = 3,5 Millionen Euro
KSh 500 = KES500 = Ksh. 500
-5 % = −5 %
5 km = 5 kilometres = 5km = five kilometers
5 sq km = 5 square kilometres = 5 km²
500 MW = 500MW = 500-megawatt
12 = twelve
205 = two hundred and five = two hundred five
3,000,000 = three million
100,000 = a hundred thousand = one hundred thousand
Q3 = q3
42nd = 42ND
3 years = three years = 3-year
1,234.5 = ١٬٢٣٤٫٥ = १,२३४.५ = １２３４．５
31 million = ३१ million = 31 مليون = 31 מיליון
7.4 % = ٧٫٤٪ = ۷٫۴ %
3 million = 3 × 10^6 = 3·10^6 = 3x10^6
1,000,000 = 10^6
12.5 million = 12.5 [1] million = 12.5¹ million = 12.5 [a] million
5 sq km = 5 km^2
"""

DIFFERENT = """
1,030 ≠ 1,031
1,030 ≠ 1.03
1.030 ≠ 1.03
1.030 ≠ 1,030
42 % ≠ 42
42 % ≠ 42 percentage points
42 % ≠ 43 %
-5 % ≠ 5 %
3.5 million ≠ 3.5
3.5 million ≠ 3.5 billion
3,5 Millionen ≠ 3,5 Milliarden
$5 ≠ €5
$5 ≠ 5
500 MW ≠ 500 kW
5 years ≠ 5 months
5 km ≠ 5 sq km
5 t ≠ 5 tons
5 ≠ 5th
1990 ≠ 1990s
Q3 ≠ Q4
COVID-19 ≠ COVID-20
$12.5¹ million ≠ $12.51 million
$11^99 ≠ $1199
$11^99 ≠ $11
10^6 ≠ 106
3 × 10^6 ≠ 3 × 10^7
5 km^2 ≠ 5 km
A320 ≠ A321
1.2.3 ≠ 1.2.4
54万 ≠ 54億
five ≠ six
a million ≠ half a million
"""


def is_same(one: TextFigure, other: TextFigure) -> bool:
    """Return whether two figures have one value and one unit."""
    sizes = ({v if isinstance(v, str) else v * f.scale for v in f.values} for f in (one, other))
    return one.unit == other.unit and next(sizes) == next(sizes)


def pairs(table: str, sign: str) -> list[tuple[str, str]]:
    rows = [line.split(f" {sign} ") for line in table.strip().splitlines()]
    return [(row[0], other) for row in rows for other in row[1:]]


@pytest.mark.parametrize(("one", "other"), pairs(SAME, "="))
def test_figures_of_one_value_are_the_same(one: str, other: str) -> None:
    [left], [right] = parse_figures(f"about {one} of it"), parse_figures(f"about {other} of it")
    assert is_same(left, right)


@pytest.mark.parametrize(("one", "other"), pairs(DIFFERENT, "≠"))
def test_figures_of_another_value_or_unit_are_not(one: str, other: str) -> None:
    left, right = parse_figures(f"about {one} of it"), parse_figures(f"about {other} of it")
    assert left
    assert not any(is_same(a, b) for a in left for b in right)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("336.1 of 623.3 million USD", ["336100000", "623300000"]),
        ("3.2 against 4.5 million euros", ["3200000", "4500000"]),
        ("3 of 5 million people", ["3", "5000000"]),
        ("1,234 of 5 million people", ["1234", "5000000"]),
        ("3.2% of 5 million people", ["3.2", "5000000"]),
    ],
)
def test_a_fraction_beside_a_larger_amount_has_its_scale(text: str, shown: list[str]) -> None:
    told = [next(iter(figure.values)) * figure.scale for figure in parse_figures(text)]  # type: ignore[operator]
    assert told == [Decimal(each) for each in shown]


@pytest.mark.parametrize(
    "text",
    ["$3 to $5 million", "$3–5 million", "between $3 and 5 million", "3 million to 5 million USD"],
)
def test_both_ends_of_a_range_have_its_scale_and_currency(text: str) -> None:
    [low], [high] = parse_figures("$3 million"), parse_figures("$5 million")
    ends = parse_figures(text)
    assert is_same(ends[-1], high)
    assert is_same(ends[0], low) or text.endswith("USD")


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("cost 462, 927 and 868 million USD", [462_000_000, 927_000_000, 868_000_000]),
        ("462, 927, and 868 million USD", [462_000_000, 927_000_000, 868_000_000]),
        ("3, 5 oder 7 Millionen Euro", [3_000_000, 5_000_000, 7_000_000]),
        ("in 2023, 5 and 7 million", [2023, 5_000_000, 7_000_000]),
        ("3 dogs, 5, and 7 million", [3, 5, 7_000_000]),
        ("it sold 5, and 7 million came back", [5, 7_000_000]),
        ("12 million, 5 and 7", [12_000_000, 5, 7]),
    ],
)
def test_figures_of_a_list_have_the_scale_that_its_last_one_states(
    text: str, shown: list[int]
) -> None:
    assert [next(iter(f.values)) * f.scale for f in parse_figures(text)] == shown  # type: ignore[operator]


@pytest.mark.parametrize("text", ["up 6% or $18.2 billion", "up 6 % and 18.2 billion dollars"])
def test_two_units_are_no_range(text: str) -> None:
    [share], [amount] = parse_figures("6 %"), parse_figures("$18.2 billion")
    assert all(is_same(a, b) for a, b in zip(parse_figures(text), [share, amount], strict=True))


def test_a_year_before_an_amount_is_no_range() -> None:
    year, share = parse_figures("in 2019 and 5 % later")
    assert (year.year, year.unit, share.unit) == ("2019", "", "%")


@pytest.mark.parametrize("text", ["no one knows", "one of them", "the first", "millions", ""])
def test_words_that_only_sound_like_figures_are_none(text: str) -> None:
    assert parse_figures(text) == []


@pytest.mark.parametrize(
    ("words", "value"),
    [
        ("nineteen", 19),
        ("twenty-five", 25),
        ("two hundred and five", 205),
        ("one hundred ninety-nine", 199),
        ("a", 1),
    ],
)
def test_number_words_are_counted(words: str, value: int) -> None:
    assert parse_number_words(words) == value


@given(st.integers(0, 10**12), st.integers(0, 10**12))
def test_numbers_in_digits_are_the_same_if_and_only_if_they_are_equal(a: int, b: int) -> None:
    [one], [other] = parse_figures(f"{a:,} farms"), parse_figures(f"{b} farms")
    assert is_same(one, other) == (a == b)


@pytest.mark.full
@given(st.text(max_size=300))
def test_any_text_has_figures_where_it_says(text: str) -> None:
    """Figures equal the text at their position, except digits of other scripts, which become ASCII digits."""
    for figure in parse_figures(text):
        assert read_digits(text[figure.start : figure.end]) == figure.shown


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("12 March 2021", "y2021 m3 d12"),
        ("12th of March, 2021", "y2021 m3 d12"),
        ("March 12, 2021", "y2021 m3 d12"),
        ("Mar. 12 2021", "y2021 m3 d12"),
        ("2021-03-12", "y2021 m3 d12"),
        ("2021/03/12", "y2021 m3 d12"),
        ("25/03/2021", "y2021 m3 d25"),
        ("3/25/2021", "y2021 m3 d25"),
        ("3/4/2021", "y2021 3/4"),
        ("March 2021", "y2021 m3"),
        ("12 March", "m3 d12"),
        ("12. März 2021", "y2021 m3 d12"),
        ("12 mars 2021", "y2021 m3 d12"),
        ("12 de marzo de 2021", "y2021 m3 d12"),
    ],
)
def test_a_date_has_its_parts(text: str, parts: str) -> None:
    [date], rest = parse_dates(f"It began on {text}.")
    assert date.parts == frozenset(parts.split())
    assert parse_figures(rest) == []


@pytest.mark.parametrize("text", ["2021", "2021-45-99", "99/99/2021", "they may leave", "1.2.3"])
def test_what_is_no_date_is_left_to_the_figures(text: str) -> None:
    assert parse_dates(text) == ([], text)


@pytest.mark.parametrize(
    "part",
    [
        "1",
        "1,",
        "1 ",
        "111 ",
        "a",
        "a1-",
        "two hundred ",
        "$",
        "½",
        "5 million ",
        "5 square square ",
        "12 March ",
        " ",
        pytest.param("1-", marks=pytest.mark.full),
        pytest.param("é'", marks=pytest.mark.full),
    ],
)
def test_a_hostile_text_is_read_in_linear_time(part: str) -> None:
    """Quadratic time would mean minutes."""
    started = time.process_time()
    parse_figures(parse_dates((part * 50_000)[:50_000])[1])
    assert time.process_time() - started < 5
