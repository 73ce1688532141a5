"""The cover of a filing: which shares are counted, and what a depositary share holds."""

from typing import Any

import pytest

from contracts.company.filings import Filing
from contracts.documents import CoverPage
from contracts.notices import Notice
from domain.company.figures.numbers import say_amount
from domain.company.filings.cover import (
    CoverCount,
    add_count,
    count_shares,
    explain_classes,
    find_ads_ratio,
    find_count,
    is_ads_ticker,
    lists_ads,
    names_ads,
)
from tests.domain.company.figures.companies import INCOME, REVENUE, listed, of, row, value, year

ANNUAL = Filing(form="10-K", accession="1-24-1", filed="2024-02-05", end="2023-12-31")
QUARTER = Filing(form="10-Q", accession="1-24-2", filed="2024-05-05", end="2024-03-31")
DAY = "2024-01-31"


def cover(day: str = DAY, **counts: float) -> CoverPage:
    shares = [
        {"member": "" if name == "whole" else f"kst:Class{name}Member", "day": day, "value": n}
        for name, n in counts.items()
    ]
    return CoverPage.model_validate({"shares": shares})


@pytest.mark.parametrize(
    ("told", "diluted", "counted"),
    [
        (cover(whole=10e6), None, 10e6),
        (cover(whole=10e6), 1e3, 10e6),
        (cover(A=2190e6, B=344e6), 2614e6, 2534e6),
        (cover(A=2190e6, B=344e6), None, None),
        (cover(A=0.5e6, B=1300e6), 1.44e6, None),  # one is worth 1,500 of the other
        (cover(whole=10e6, A=9e6, B=1e6), 10e6, 10e6),
        (CoverPage(), 10e6, None),
    ],
    ids=["whole", "whole-only", "classes", "unchecked", "unequal", "both", "none"],
)
def test_classes_are_added_up_where_they_fit_the_diluted_shares(
    told: CoverPage, diluted: float | None, counted: float | None
) -> None:
    found = count_shares([(ANNUAL, told)], diluted)
    assert (found.value if found else None) == counted


def test_newest_cover_counts_and_days_are_never_mixed() -> None:
    found = count_shares([(ANNUAL, cover(A=5, B=5)), (QUARTER, cover("2024-04-30", A=6, B=6))], 12)
    assert found
    assert (found.value, found.day, found.filing) == (12, "2024-04-30", QUARTER)
    notice = explain_classes(found)
    assert notice
    assert notice.includes(
        Notice.of("share-class", "info", name="Class A", n=say_amount(6, "shares"))
    )


def facts() -> dict[str, Any]:
    income = {REVENUE: year(2023, (100,) * 4), INCOME: year(2023, (20,) * 4)}
    known = listed(income)
    diluted = listed(
        {"WeightedAverageNumberOfDilutedSharesOutstanding": year(2023, (10, 10, 10, 10))}, "shares"
    )
    known["facts"]["us-gaap"] |= diluted["facts"]["us-gaap"]
    return known


def test_count_of_classes_enters_the_figures_of_the_period_before_it() -> None:
    known = facts()
    assert value(of(known), "shares_outstanding", "instant", DAY) is None
    count = CoverCount(ANNUAL, DAY, 11, ())
    found = of(add_count(known, count))
    assert value(found, "shares_outstanding", "instant", DAY) == 11
    assert "dei" not in known["facts"]
    assert (
        value(of(add_count(known, count), "2024-01-31"), "shares_outstanding", "instant", DAY)
        is None
    )


def test_cover_is_read_only_where_it_is_newer_than_the_facts() -> None:
    known = facts()
    known["facts"]["dei"] = listed(
        {"EntityCommonStockSharesOutstanding": [row("", DAY, 10, "2024-02-05", "10-K")]}, "shares"
    )["facts"]["us-gaap"]
    assert find_count(of(known), [(ANNUAL, cover(whole=11))]) is None
    assert find_count(of(facts()), [(ANNUAL, cover(whole=11))])


@pytest.mark.parametrize(
    ("titles", "ratio"),
    [
        (["American Depositary Shares, each representing eight Class A ordinary shares"], 8),
        (
            ["American depositary shares (each representing 2 ordinary shares)", "Ordinary shares"],
            2,
        ),
        (["ADSs, each of which represents one ordinary share"], 1),
        (["American Depositary Shares, each representing one-half of one share"], 0.5),
        (["American Depositary Shares, each representing one twentieth of one share"], 0.05),
        (["American Depositary Shares, each representing 1/4 of a share"], 0.25),
        (["American Depositary Shares, each representing 0.1 common share"], 0.1),
        (["American Depositary Shares, each representing twenty-five ordinary shares"], None),
        (["American Depositary Shares, each representing one one-hundredth of a share"], None),
        (["American Depositary Shares, each representing one hundred shares"], None),
        (["American Depositary Shares, each representing 1/0 of a share"], None),
        (["American Depositary Shares"], None),
        (["ADSs, each representing 2 shares", "ADSs, each representing 3 preferred shares"], None),
        (["Ordinary Shares, par value $0.01"], 1),
        (["4.25% Notes due 2030"], None),
        ([], None),
    ],
)
def test_ratio_of_a_depositary_share_is_read_from_its_title(
    titles: list[str], ratio: float | None
) -> None:
    covers = [CoverPage(), CoverPage.model_validate({"titles": titles})]
    assert find_ads_ratio(covers) == ratio
    assert lists_ads(covers) == any("eposit" in title or "ADS" in title for title in titles)


@pytest.mark.parametrize(
    ("question", "is_named"),
    [
        ("Is Shire at 62 dollars an ADS a buy?", True),
        ("Which is worth more, the ADRs or the shares?", True),
        ("Is the American depositary share cheap?", True),
        ("Ist der Hinterlegungsschein von Novo Nordisk teuer?", True),
        ("Does Meta earn more by ads than Alphabet?", False),
        ("Is Badsworth, a roads company, a buy at 5 dollars?", False),
    ],
)
def test_question_names_a_depositary_share(question: str, *, is_named: bool) -> None:
    assert names_ads(question) == is_named


@pytest.mark.parametrize(
    ("titles", "ratio"),
    [
        (["Common Stock", "Depositary Shares, each representing 1/400th of Preferred Stock"], 1),
        (["Ordinary Shares", "American Depositary Shares, each representing three shares"], 3),
    ],
)
def test_depositary_shares_of_preferred_shares_are_not_those_of_a_price(
    titles: list[str], ratio: float
) -> None:
    assert find_ads_ratio([CoverPage.model_validate({"titles": titles})]) == ratio


@pytest.mark.parametrize(
    ("ticker", "is_ads"),
    [("SHPGY", True), ("nsrgy", True), ("EBAY", False), ("BIDU", False), ("GOOGL", False)],
)
def test_fifth_letter_of_a_ticker_names_depositary_receipts(ticker: str, *, is_ads: bool) -> None:
    """Shire filed 10-Ks, and one SHPGY was three of its shares: its P/E was 25, not 75."""
    assert is_ads_ticker(ticker) is is_ads
