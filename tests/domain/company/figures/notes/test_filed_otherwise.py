"""The note on amounts that are called not filed and stand under another tag."""

from tests.domain.company.figures.companies import INCOME, REVENUE, find_notices, listed, of, row

YEARS = [("2008-01-01", "2008-12-31"), ("2009-01-01", "2009-12-31")]
BOUGHT = "StockRepurchasedAndRetiredDuringPeriodValue"


def _list_rows(*values: float) -> list[dict[str, object]]:
    return [row(*y, v, "2010-03-26", "20-F") for y, v in zip(YEARS, values, strict=True)]


INCOMES = {REVENUE: _list_rows(3_198e6, 4_448e6), INCOME: _list_rows(1_048e6, 1_485e6)}


def test_amount_called_not_filed_names_the_other_tag_that_states_it() -> None:
    [note] = find_notices(
        of(listed(INCOMES | {BOUGHT: _list_rows(0, -24.4e6)})), "company-filed-otherwise"
    )
    [fact] = note["facts"]
    assert fact.params["tag"] == "Stock repurchased and retired during period value"
    assert fact.params["amount"].params["value"] == -24.4


def test_no_note_where_nothing_is_filed_or_the_figure_itself() -> None:
    assert not find_notices(of(listed(INCOMES)), "company-filed-otherwise")
    figure = {"PaymentsForRepurchaseOfCommonStock": _list_rows(1e6, 2e6)}
    assert not find_notices(of(listed(INCOMES | figure)), "company-filed-otherwise")


def test_no_note_where_another_period_has_the_figure() -> None:
    paid = {"PaymentsForRepurchaseOfCommonStock": _list_rows(7e6, 0)[:1]}
    facts = listed(INCOMES | paid | {BOUGHT: _list_rows(0, -24.4e6)})
    assert not find_notices(of(facts), "company-filed-otherwise")
