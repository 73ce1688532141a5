"""Whether a headline names a company, by a labelled list."""

from pathlib import Path

import pytest

from domain.company.company_names import names_company

LABELLED = Path(__file__).parents[2] / "fixtures" / "company_names" / "headlines.txt"
ROWS = [line.split(" | ", 3) for line in LABELLED.read_text().splitlines() if line[:1] != "#"]


@pytest.mark.parametrize(("name", "ticker", "is_read", "headline"), ROWS)
def test_article_is_read_only_if_it_may_name_the_company(
    name: str, ticker: str, is_read: str, headline: str
) -> None:
    assert names_company(headline, name, ticker) is (is_read == "yes")


def test_every_article_counts_while_the_name_is_unknown() -> None:
    assert names_company("Whatever was found", "", "AAPL")
