"""Numbers as filings round them: half up, away from zero."""

import pytest

from contracts.notices import Notice
from domain.company.figures.numbers import format_number, round_quotient, say_amount


@pytest.mark.parametrize(
    ("value", "digits", "said"),
    [
        (2.5, 0, "3"),
        (3.5, 0, "4"),
        (-2.5, 0, "-3"),
        (0.125, 2, "0.13"),
        (46.65, 1, "46.7"),
        (46.6499, 1, "46.6"),
        (1_234_567.5, 0, "1,234,568"),
        (-0.01, 0, "0"),
        (1e300, 0, f"1{',000' * 100}"),
    ],
)
def test_halves_are_rounded_up(value: float, digits: int, said: str) -> None:
    assert format_number(value, digits) == said


def test_amounts_are_rounded_up_in_every_form() -> None:
    billions = Notice.of("amount-billion", "info", value=2.13, unit="USD")
    assert say_amount(2_125_000_000, "USD") == billions
    assert say_amount(12_344.5, "USD") == Notice.of("amount", "info", value=12_345, unit="USD")


@pytest.mark.parametrize(
    ("income", "eps", "known"),
    [(283.1e6, 1.06, 267_000_000), (283.1e6, 10.6, 26_710_000), (100, 2, 50)],
)
def test_a_count_by_earnings_per_share_has_the_digits_that_cents_allow(
    income: float, eps: float, known: float
) -> None:
    """1.06 is 1.055 to 1.065: 266 to 268 million shares."""
    assert round_quotient(income / eps, eps) == known
