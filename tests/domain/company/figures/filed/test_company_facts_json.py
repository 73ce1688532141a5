"""Company facts are parsed without the rows of tags, which are parsed when a tag is read."""

import json

import pytest

from contracts.company.filings import Company
from domain.company.figures.computation import compute_fundamentals
from domain.company.figures.filed.company_facts_json import parse_company_facts, read_rows
from tests.domain.company.figures.companies import INCOME, REVENUE, listed, row

YEAR = ("2023-01-01", "2023-12-31")
ROWS = [row(*YEAR, 7, "2024-02-05", "10-K"), row(*YEAR, 8, "2024-03-05", "10-K")]
ACME = Company(cik=7, ticker="ACME", name="Acme")


@pytest.mark.parametrize("indent", [None, 1])
def test_rows_that_are_read_later_give_the_same_figures(indent: int | None) -> None:
    facts = listed({REVENUE: ROWS, INCOME: ROWS[:1]})
    parsed = parse_company_facts(json.dumps(facts, indent=indent).encode())
    assert compute_fundamentals(parsed, ACME) == compute_fundamentals(facts, ACME)


def test_rows_stay_text_until_their_tag_is_read() -> None:
    body = json.dumps(listed({REVENUE: ROWS})).encode()
    rows = parse_company_facts(body)["facts"]["us-gaap"][REVENUE]["units"]["USD"]
    assert isinstance(rows, bytes)
    assert read_rows(rows) == ROWS


@pytest.mark.parametrize(
    "rows",
    [
        [{"val": [1], "end": "2023-12-31"}],
        [{"val": [{"val": 1}]}],
        [{"form": "10-K]"}],
        [{"form": '[{"'}, {"form": "]"}],
        [],
        [1],
        0,
    ],
)
def test_odd_rows_are_read_as_json_has_them(rows: object) -> None:
    document = {"cik": 0, "facts": {"us-gaap": {"A": {"units": {"USD": ROWS, "EUR": rows}}}}}
    parsed = parse_company_facts(json.dumps(document).encode())
    units = parsed["facts"]["us-gaap"]["A"]["units"]
    assert read_rows(units["USD"]) == ROWS
    assert parsed["cik"] == 0
    if rows:
        assert read_rows(units["EUR"]) == rows


@pytest.mark.parametrize("body", [b"", b"{", json.dumps(listed({REVENUE: ROWS})).encode()[:-9]])
def test_truncated_facts_are_refused(body: bytes) -> None:
    with pytest.raises(ValueError, match=r"Expecting|Unterminated"):
        parse_company_facts(body)


def test_arrays_without_an_end_are_refused_in_linear_time() -> None:
    with pytest.raises((ValueError, RecursionError)):
        parse_company_facts(b'[{"' * 1_000_000)


def test_repeated_rows_are_read_once() -> None:
    assert read_rows(ROWS * 3) == ROWS
    assert read_rows([*ROWS, None, *ROWS]) == [*ROWS, None, *ROWS]


@pytest.mark.parametrize(
    "rows",
    [
        [*ROWS, *ROWS, ROWS[0]],
        [{"form": "10-K},{x"}, {"form": "10-Q},{x"}, {"form": "10-K},{x"}],
        [{"form": "10-K},{"}, {"form": "10-Q},{"}, {"form": "},{", "fy": "},{"}],
        [{"form": '10-K},{"a":1'}, {"form": '10-Q},{"a":1'}],
        [{"": 1}, {"": 1}, {"": 2}],
        [{}, {}],
    ],
)
def test_text_of_repeated_rows_is_read_as_json_has_it_without_repeats(
    rows: list[dict[str, object]],
) -> None:
    for text in (json.dumps(rows, separators=(",", ":")), json.dumps(rows)):
        assert read_rows(text.encode()) == [*{str(each): each for each in rows}.values()]


@pytest.mark.parametrize("text", [b'[{"val": 1,]', b'[{"a":' * 100_000])
def test_malformed_rows_of_a_tag_are_none(text: bytes) -> None:
    assert read_rows(text) == []
