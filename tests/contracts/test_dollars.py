"""What models cost, as people read it."""

import pytest

from contracts.words.dollars import format_usd


@pytest.mark.parametrize(
    ("amount", "told"), [(0, "$0.00"), (0.0049, "$0.0049"), (0.0351, "$0.04"), (12.3456, "$12.35")]
)
def test_dollars_have_cents_and_more_digits_below_one(amount: float, told: str) -> None:
    assert format_usd(amount) == told


def test_a_german_report_has_its_price_in_german() -> None:
    assert (format_usd(0.19, "de"), format_usd(0.0012, "de")) == ("0,19 $", "0,0012 $")


@pytest.mark.parametrize(
    ("amount", "told"), [(0.02, "$0.02"), (0.0201, "$0.03"), (0.00441, "$0.0045"), (0, "$0.00")]
)
def test_price_that_exceeds_what_is_left_is_told_as_more(amount: float, told: str) -> None:
    assert format_usd(amount, up=True) == told
