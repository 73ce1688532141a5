"""What qualifies a debt reaches the reports that print it, not the page for models alone."""

import pytest

from contracts.company.figures import Fundamentals
from contracts.notices import Notice
from domain.company.figures.dates import list_remarks
from domain.company.figures.debt_basis import WITH_RESTRICTED, note_debt_basis
from domain.company.figures.numbers import say_amount
from tests.domain.company.figures.companies import (
    REVENUE,
    SNOWFLAKE,
    listed,
    of,
    of_sample,
    row,
    year,
)
from tests.workflows.support.listed_company import FACTS


def find_remarks(found: Fundamentals) -> list[Notice]:
    return [*list_remarks(found, is_compared=False)]


def test_report_says_what_its_debt_leaves_out_and_of_what_line_it_is() -> None:
    found = of_sample(SNOWFLAKE)
    told = [*note_debt_basis(found.figures)]
    assert [each.code for each in told] == ["debt-leases", "debt-tag", "cash-restricted-out"]
    assert find_remarks(found)[:3] == told
    assert told[1].params["more"] == Notice.of("debt-tag-later", "info"), (
        "of convertibles, noncurrent"
    )


def test_report_without_debt_says_nothing_of_it() -> None:
    none = [each for each in FACTS.fundamentals.figures if each.metric != "debt"]
    found = FACTS.fundamentals.model_copy(update={"figures": none})
    assert not [each for each in find_remarks(found) if each.code.startswith("debt-")]


@pytest.mark.parametrize(("due", "is_doubted"), [(None, True), (0.0, False)])
def test_debt_may_be_higher_only_where_nothing_is_filed_as_due_within_a_year(
    due: float | None, is_doubted: bool
) -> None:
    filed = {"LongTermDebtNoncurrent": 90e6} | ({} if due is None else {"LongTermDebtCurrent": due})
    facts = listed({REVENUE: year(2023, (10e6, 10e6, 10e6, 10e6))})
    for tag, value in filed.items():
        rows = [row("", "2023-12-31", value, "2024-02-05")]
        facts["facts"]["us-gaap"] |= listed({tag: rows})["facts"]["us-gaap"]
    [told] = [note for note in note_debt_basis(of(facts).figures) if note.code == "debt-tag"]
    assert bool(told.params.get("more")) is is_doubted


CASH, ALL_CASH, DEBT = "CashAndCashEquivalentsAtCarryingValue", WITH_RESTRICTED, "LongTermDebt"


@pytest.mark.parametrize(
    ("filed", "code", "amount"),
    [
        ({CASH: 50e6, "RestrictedCash": 8e6}, "cash-restricted-out", 8),
        ({CASH: 50e6, ALL_CASH: 61e6, "RestrictedCash": 8e6}, "cash-restricted-out", 11),
        (
            {CASH: 50e6, "RestrictedCashCurrent": 5e6, "RestrictedCashNoncurrent": 2e6},
            "cash-restricted-out",
            7,
        ),
        ({ALL_CASH: 61e6}, "cash-restricted-in", None),
        ({CASH: 50e6, ALL_CASH: 50e6}, "", None),
        ({CASH: 50e6}, "", None),
    ],
    ids=["a line", "the cash flow's sum", "two lines", "in one sum", "the same", "none"],
)
def test_net_debt_says_whether_restricted_cash_is_in_it(
    filed: dict[str, float], code: str, amount: float | None
) -> None:
    facts = listed({REVENUE: year(2023, (10e6, 10e6, 10e6, 10e6))})
    for tag, value in ({DEBT: 90e6} | filed).items():
        facts["facts"]["us-gaap"] |= listed({tag: [row("", "2023-12-31", value, "2024-02-05")]})[
            "facts"
        ]["us-gaap"]
    found = of(facts)
    told = [note for note in note_debt_basis(found.figures) if note.code.startswith("cash-")]
    named = {"amount": say_amount(amount * 1e6, "USD")} if amount else {}
    assert told == ([Notice.of(code, end="2023-12-31", **named)] if code else [])
    [net] = [f for f in found.figures if f.metric == "net_debt"]
    assert net.value == 90e6 - filed.get(CASH, filed.get(ALL_CASH, 0)), "the figure is as it was"
