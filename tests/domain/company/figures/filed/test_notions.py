"""What a text may call not filed, and the tags under which it is filed all the same."""

import pytest

from domain.company.figures.filed.metrics import METRICS
from domain.company.figures.filed.newest_facts_table import list_asked, spell_filed
from domain.company.figures.filed.notions import NOTIONS, choose_tags, list_asked_for, list_touched
from tests.domain.company.figures.companies import INCOME, REVENUE, listed, of, row

YEARS = [("2008-01-01", "2008-12-31"), ("2009-01-01", "2009-12-31")]


def _list_rows(*values: float) -> list[dict[str, object]]:
    filed = "2010-03-26"
    return [row(*y, v, filed, "20-F") for y, v in zip(YEARS, values, strict=True)]


FACTS = listed(
    {
        REVENUE: _list_rows(3_198e6, 4_448e6),
        INCOME: _list_rows(1_048e6, 1_485e6),
        "StockRepurchasedAndRetiredDuringPeriodValue": _list_rows(0, -24.4e6),
        "ForeignCurrencyTransactionGainLossBeforeTax": _list_rows(2e6, 3e6),
    }
)


@pytest.mark.parametrize(
    ("text", "notion"),
    [
        ("What Baidu spent on buybacks was not found.", "buybacks"),
        ("When the debt falls due and at what rates.", "debt maturities"),
        ("How much is spent on maintaining the properties.", "capital expenditure"),
        ("Wann die Schulden fällig werden, ist nicht bekannt.", "debt maturities"),
        ("Capital ratios, which were not found.", "capital ratios"),
        ("What lowered equity although there was net income.", "equity movement"),
        ("Book value and tangible book value are not filed.", "book value"),
    ],
)
def test_words_of_a_line_touch_a_notion(text: str, notion: str) -> None:
    assert notion in list_touched(text)


def test_words_that_only_contain_an_asked_word_touch_nothing() -> None:
    assert "leases" not in list_touched("It pleases its customers.")
    assert not list_touched("How it competes is unknown.")


def test_each_notion_has_metrics_that_exist() -> None:
    named = {name for notion in NOTIONS.values() for name in notion.metrics}
    assert named <= METRICS.keys()


def test_page_lists_what_the_question_asks_before_what_every_investor_does() -> None:
    listed_for = list_asked_for(["pensions"], {"pretax_income"})
    assert listed_for[:2] == ["pensions", "income before tax"]
    assert "preferred" in listed_for
    assert "exchange rate" not in listed_for


@pytest.mark.parametrize(("count", "told"), [(8, 0), (20, 12)])
def test_rows_that_have_no_room_are_counted(count: int, told: int) -> None:
    tags = {f"StockRepurchased{'X' * n}": _list_rows(1, 2) for n in range(count)}
    facts = listed({REVENUE: _list_rows(3, 4), INCOME: _list_rows(1, 2), **tags})
    rows = [*list_asked(facts, of(facts), ["buybacks"])][3:]
    assert len(rows) == min(count, 8) + bool(told)
    assert [row for row in rows if "page of all facts" in row] == [
        f"| {told} more on what is asked: in the page of all facts of the newest filings | – | – |"
    ] * bool(told)


def test_a_tag_is_chosen_once_for_the_first_notion_that_it_states() -> None:
    names = ["one-off items", "unexplained costs"]
    chosen = [*choose_tags(names, ["GainLossOnSaleOfBusiness", "OtherExpenses"])]
    assert chosen == [*zip(names, ["GainLossOnSaleOfBusiness", "OtherExpenses"], strict=True)]
    assert not [*choose_tags(["buybacks"], ["AcquiredTreasuryStockValue"])]


def test_page_lists_what_is_filed_on_what_is_asked_and_has_no_figure() -> None:
    found = of(FACTS)
    lines = [*list_asked(FACTS, found, ["buybacks"])]
    assert lines[1].startswith("| Acme Corp. (ACME): filed beside the figures above")
    assert lines[3:] == [
        "| Stock repurchased and retired during period value | USD"
        " | year to 2009-12-31: -24,400,000; year to 2008-12-31: 0 |"
    ]
    assert not [*list_asked(FACTS, found, ["pensions"])]
    assert spell_filed(FACTS)["buybacks"] == ["Stock repurchased and retired during period value"]
