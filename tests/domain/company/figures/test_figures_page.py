"""The text of the figures: short, and a claim can be held against each of its lines."""

from collections.abc import Mapping
from typing import Any

import pytest

from contracts.company.figures import Figure, Fundamentals
from contracts.company.filings import Company
from contracts.company.valuation import SharePrice
from contracts.company.valuation_terms import ValuationTerms
from contracts.evidence.checks import Check
from contracts.evidence.claims import Citation, Claim, QuotedFigure
from contracts.evidence.rows import Period
from contracts.notices import Notice
from domain.company.figures import figures_page
from domain.company.figures.computation import compute_fundamentals
from domain.company.figures.dates import date_figures
from domain.company.figures.figures_page import MAX_CHARS, render_figure
from domain.company.figures.figures_page import list_lines as list_page
from domain.company.figures.filed.metrics import LABELS, name_row
from domain.company.figures.numbers import say_amount
from domain.company.figures.tables.key_figures import build_key_figures
from domain.company.figures.tables.page_lines import join_lines, name_source
from domain.company.figures.valuation.valuation import value_shares
from domain.evidence.claim_check import check_claims
from domain.evidence.figures.notation.figure_parser import parse_figures
from domain.evidence.pages.cited_page import CitedPage
from domain.evidence.quotes import Snapshot
from tests.domain.company.figures.companies import (
    APPLE,
    INCOME,
    REVENUE,
    SNOWFLAKE,
    find_notices,
    listed,
    named,
    of,
    of_sample,
    render_text,
    row,
)
from tests.support.words import en

CLAIMS: dict[int, dict[str, str]] = {
    APPLE: {
        "Apple's revenue over the twelve months to June 28, 2025 was $408.6 billion.": f"{LABELS['revenue']}, twelve",
        "AAPL had revenue of 408,625,000,000 USD in the year to June 2025, 6.0% more than before.": f"{LABELS['revenue']}, twelve",
        "In the third quarter of fiscal 2025 Apple Inc. reported $94.0 billion, up 9.6 percent.": f"{LABELS['revenue']}, FY2025 Q3",
        "Revenue in Q3 of FY2025 was $94.0 billion.": f"{LABELS['revenue']}, FY2025 Q3",
        "Apple earned $6.59 per diluted share in the twelve months to 2025-06-28.": f"{LABELS['diluted_eps']}, twelve",
        "Its gross margin was 46.7%.": f"{LABELS['gross_margin']}, twelve",
        "Apple owed $101.7 billion on 28 June 2025.": LABELS["debt"],
        "In fiscal 2024 its revenue was $391.0 billion, according to SEC filings.": f"| {name_row('revenue', ())} | 391",
    },
    SNOWFLAKE: {
        "Snowflake lost $1.40 billion in the twelve months to April 2025.": f"{LABELS['net_income']}, twelve",
        "Snowflake's net income was -1,398,744,000 USD.": f"{LABELS['net_income']}, twelve",
        "The operating margin was negative 40.5%.": f"{LABELS['operating_margin']}, twelve",
        "Free cash flow fell 11% to $735.9 million.": f"{LABELS['free_cash_flow']}, twelve",
        "Stock compensation was 40.8% of revenue in FY2025.": f"| {name_row('stock_compensation_share_of_revenue', ())} |",
        "Its cash and securities exceed its debt by $2.6 billion.": LABELS["net_cash"],
        "Free cash flow rose from $778.9 million in fiscal 2024 to $884.1 million in fiscal 2025.": f"| {name_row('free_cash_flow', ())} | 884",
    },
}
WRONG: dict[int, dict[str, str]] = {
    APPLE: {
        "Apple's revenue over the twelve months to June 28, 2025 was $409.6 billion.": f"{LABELS['revenue']}, twelve",
        "Apple's revenue over the twelve months to July 28, 2025 was $408.6 billion.": f"{LABELS['revenue']}, twelve",
        "Apple's revenue was $408.6 million.": f"{LABELS['revenue']}, twelve",
    },
    SNOWFLAKE: {
        "Snowflake lost $2.40 billion.": f"{LABELS['net_income']}, twelve",
        "Free cash flow fell 12.8% to $735.9 million.": f"{LABELS['free_cash_flow']}, twelve",
        f"{LABELS['free_cash_flow']} was $884.1 billion in fiscal 2025.": f"| {name_row('free_cash_flow', ())} | 884",
        f"{LABELS['free_cash_flow']} was $894.1 million in fiscal 2025.": f"| {name_row('free_cash_flow', ())} | 884",
    },
}
"""Sentences that the page supports, or does not, with the beginning of the line that they quote."""
DAYS = {APPLE: "2025-08-15", SNOWFLAKE: "2025-06-30"}


def list_cases(told: dict[int, dict[str, str]]) -> list[tuple[int, str, str]]:
    return [(cik, *each) for cik, sentences in told.items() for each in sentences.items()]


def check(cik: int, begins: str, sentence: str) -> Check:
    """Check a claim that quotes the line with this beginning, and declares its figures as quoted."""
    found = named(of_sample(cik, DAYS[cik]), cik)
    shown, index = join_lines(figures_page.list_lines(found))
    quote = next(line for line in shown.splitlines() if line.startswith(begins))
    stated = (figure for figure in parse_figures(sentence) if not figure.year)
    figures = [QuotedFigure(value=figure.shown, quote=1) for figure in stated]
    claim = Claim(text=sentence, citations=[Citation(source=1, quote=quote)], figures=figures)
    page = CitedPage(name_source(found), Snapshot(shown), rows=tuple(index.rows))
    [outcome] = check_claims([claim], {1: page})
    return outcome


@pytest.mark.parametrize(("cik", "sentence", "begins"), list_cases(CLAIMS))
def test_nothing_is_found_against_a_natural_sentence(cik: int, begins: str, sentence: str) -> None:
    assert check(cik, begins, sentence).problems == ()


@pytest.mark.parametrize(("cik", "sentence", "begins"), list_cases(WRONG))
def test_a_wrong_figure_or_day_fails(cik: int, begins: str, sentence: str) -> None:
    assert check(cik, begins, sentence).outcome == "fails"


@pytest.mark.parametrize("cik", [APPLE, SNOWFLAKE])
@pytest.mark.parametrize("as_of", [None, "2021-06-30", "2024-06-30"])
def test_page_is_compact_and_figures_name_their_filings(cik: int, as_of: str | None) -> None:
    found = of_sample(cik, as_of)
    text = render_text(found)
    assert 3_000 < len(text) <= 24_000
    price = SharePrice(value=200, day=as_of or "2026-02-10", origin="given")
    valued = value_shares(found, price, ValuationTerms())
    assert len(render_text(found.model_copy(update={"valuation": valued}))) <= 27_000
    assert all(figure.accessions for figure in found.figures)
    told = "\n".join(line for line in text.splitlines() if not line.startswith("Note: "))
    assert not [a for figure in found.figures for a in figure.accessions if a in told]
    assert date_figures(found, as_of or "").text in text


@pytest.mark.parametrize(
    ("day", "unit", "count", "is_old"),
    [
        ("2025-06-11", "weeks", 6, False),
        ("2025-08-15", "months", 4, False),
        ("2026-02-15", "months", 10, True),
    ],
)
def test_page_says_how_old_the_figures_are_on_the_runs_day(
    day: str, unit: str, count: int, *, is_old: bool
) -> None:
    """`as_of` is the day that the run looks from."""
    for found, today in ((of_sample(SNOWFLAKE), day), (of_sample(SNOWFLAKE, day), "2026-11-24")):
        told = date_figures(found, day)
        assert told.params["age"] == Notice.of(unit, "info", n=count)
        assert ("stale" in told.params) == is_old
        assert told.text in render_text(found, today).splitlines()


@pytest.mark.parametrize(
    ("value", "unit", "short", "full"),
    [
        (1_234_567_890_123, "EUR", ("amount-trillion", 1.23), "1,234,567,890,123 EUR"),
        (408_625_000_000, "USD", ("amount-billion", 408.6), "408,625,000,000 USD"),
        (9_994_000, "USD", ("amount-million", 9.99), "9,994,000 USD"),
        (12_345, "USD", None, "12,345 USD"),
        (0, "USD", None, "0 USD"),
        (-12_345, "USD", None, "-12,345 USD"),
        (-1_398_744_000, "USD", ("amount-billion", -1.4), "-1,398,744,000 USD"),
        (14_702_703_000, "shares", ("amount-billion", 14.7), "14,702,703,000 shares"),
        (7.9, "USD/shares", None, "7.90 USD per share"),
        (-1.29, "USD/shares", None, "-1.29 USD per share"),
    ],
)
def test_value_is_rendered_short_and_in_full(
    value: float, unit: str, short: tuple[str, float] | None, full: str
) -> None:
    filed = {"metric": "equity", "period": "instant", "end": "2025-06-28", "accessions": ["a"]}
    one = Figure.model_validate({**filed, "value": value, "unit": unit})
    name = en("unit-shares") if unit == "shares" else unit
    said = f"{en(short[0], value=short[1], unit=name)} ({full})" if short else full
    assert render_figure(one) == f"{LABELS['equity']}, on 2025-06-28: {said}"


def list_lines(cik: int, begins: str, as_of: str | None = None) -> list[str]:
    lines = render_text(of_sample(cik, as_of)).splitlines()
    return [line for line in lines if line.startswith(begins)]


@pytest.mark.parametrize("cik", [APPLE, SNOWFLAKE])
@pytest.mark.parametrize("as_of", [None, "2021-06-30", "2024-06-30"])
def test_page_states_each_figure_of_the_key_figures(cik: int, as_of: str | None) -> None:
    """What a report's reader sees in the table, its writer can quote."""
    found = of_sample(cik, as_of)
    assert list_key_figures(found) - list_stated(found) == set()


def test_page_states_a_figure_that_is_filed_of_one_year_alone() -> None:
    """Funds from operations a share: 60 + 40 of a year over 50 shares, in neither a line's period nor two years."""
    whole = [row("2023-01-01", "2023-12-31", 60, "2024-02-05", "10-K")]
    tags = {REVENUE: whole, INCOME: whole, "DepreciationAndAmortization": [whole[0] | {"val": 40}]}
    told = listed(tags)
    shares = {"WeightedAverageNumberOfDilutedSharesOutstanding": [whole[0] | {"val": 50}]}
    told["facts"]["us-gaap"] |= listed(shares, "shares")["facts"]["us-gaap"]
    quarter = [row("2024-01-01", "2024-03-31", 20, "2024-05-05")]
    for tag in (REVENUE, INCOME):
        told["facts"]["us-gaap"][tag]["units"]["USD"] += quarter
    company = Company(cik=1, ticker="ACME", name="Acme Corp.", sic=6798)
    found = compute_fundamentals(told, company)
    wanted = ("ffo_per_share", "year", "2023-12-31")
    assert wanted in list_key_figures(found)
    assert list_key_figures(found) - list_stated(found) == set()


def list_key_figures(found: Fundamentals) -> set[tuple[str, Period, str]]:
    """Return the figures of the key figures by metric, period and day."""
    rows = build_key_figures(found, "").rows
    told = [cell.row for _, cells in rows for cell in cells if cell.row]
    return {(figure.metric, figure.period, figure.end) for figure in told}


def list_stated(found: Fundamentals) -> set[tuple[str, Period, str]]:
    """Return the figures that a page states by metric, period and day."""
    told = [placed.row for line in figures_page.list_lines(found) for placed in line.rows]
    return {(figure.metric, figure.period, figure.end) for figure in told}


def test_a_price_that_was_refused_is_not_asked_for() -> None:
    found = of_sample(APPLE)
    told = {"price": "7 USD", "company": "Apple", "why": "its reason", "follows": "what follows"}
    refused = Notice.of("company-price-unused", **told)
    asked = f"Note: {Notice.of('valuation-none').text}"
    assert asked in render_text(found)
    assert asked not in render_text(found.model_copy(update={"head_notes": [refused]}))


def test_debt_is_named_and_what_falls_due_is_held_against_all_of_it() -> None:
    """Apple's six parts of 12,393 to 49,303 million are 91,281 million of principal, beside 7,979 of commercial paper."""
    later = Notice.of("debt-tag-later", "info")
    named = {"end": "2025-04-30", "tag": "Convertible debt noncurrent"}
    tag = Notice.of("debt-tag", **named, more=later).text
    unfiled = Notice.of("debt-due-unfiled").text
    assert {f"Note: {tag}", f"Note: {unfiled}"} <= {*list_lines(SNOWFLAKE, "Note: ")}
    amounts = {"total": 91_281e6, "short": 7_979e6, "whole": 99_260e6, "debt": 98_657e6}
    told = {name: say_amount(amount, "USD") for name, amount in amounts.items()}
    due = Notice.of("debt-due", end="2025-09-27", **told).text
    assert f"Note: {due}" in list_lines(APPLE, "Note: ")
    first, *rest = [
        label
        for name, label in LABELS.items()
        if name.startswith(("debt_due_year", "debt_due_later"))
    ]
    [line] = list_lines(APPLE, f"{first}, ")
    assert line.startswith(f"{first}, on 2025-09-27: {say_amount(12_393e6, 'USD').text} (")
    assert [len(list_lines(APPLE, f"{label}, on ")) for label in rest] == [1] * 5


def test_parts_of_debt_of_the_next_years_alone_are_not_held_against_all_of_it() -> None:
    """IBM's five years come to 26.4 billion USD of 64.2: what falls due later is not filed."""
    found = of_sample(APPLE)
    near = [f for f in found.figures if f.metric != "debt_due_later"]
    left = Notice.of("debt-due-left", "info").text
    assert left in render_text(found.model_copy(update={"figures": near}))
    assert left not in render_text(found)


def test_growth_that_a_tax_rate_made_is_told_before_tax_too() -> None:
    """Apple paid 10.2 billion to the EU in the quarter to September 2024, which was 50.2 % of its earnings."""
    assert find_notices(of_sample(APPLE), "company-tax-rate") == [
        {"period": {"end": end}, "net": net, "pretax": pretax, "rate": rate, "before": before}
        for end, net, pretax, rate, before in (
            ("2025-12-27", 22.5, 12.2, 16.6, 23.5),
            ("2025-09-27", 19.5, 7.5, 15.6, 24.1),
        )
    ]
    assert find_notices(of_sample(APPLE, "2024-08-15"), "company-tax-rate") == []


def test_free_cash_flow_that_one_quarter_made_is_told_beside_operating_income() -> None:
    """Apple's free cash flow per quarter compared with a year earlier, in millions.

    Twelve months to 2025-12-27: 51,552 - 26,995 = 24,557; 26,486 - 23,903 = 2,583; 24,405 - 26,707 = -2,302;
    20,881 - 20,694 = 187. The total is 25,025, and the first quarter's share 98 %. Fiscal 2025 consists of
    the last three and 26,995 - 37,503 = -10,508, with a total of -10,040.
    """
    code = "company-one-quarter"
    twelve, fiscal = find_notices(of_sample(APPLE), code)
    wanted = {"cash": 25.5, "operating": 12.2, "day": "2025-12-27", "part": 24.6}
    assert wanted.items() <= twelve.items()
    assert twelve["whole"] == {"value": 25, "unit": "USD"}
    wanted = {"cash": -9.2, "operating": 8, "day": "2024-12-28", "part": -10.5}
    assert wanted.items() <= fiscal.items()
    assert fiscal["whole"] == {"value": -10, "unit": "USD"}
    assert find_notices(of_sample(APPLE, "2023-11-30"), code) == [], "-10.6% and -4.3%"
    assert len(find_notices(of_sample(APPLE, "2025-11-15"), code)) == 1, (
        "the months are the fiscal year"
    )


def test_free_cash_flow_of_a_year_that_paid_the_taxes_of_others_is_told_without_them() -> None:
    """Apple's fiscal 2025, in millions: taxes paid 43,369 over income tax 20,719 is 22,650, and 98,767 + 22,650 = 121,417.

    In the twelve months to 2025-12-27 the difference is 28,152 - 23,370 = 4,782, less than a tenth of 123,324.
    """
    [told] = find_notices(of_sample(APPLE), "company-taxes-above")
    assert told == {
        "period": {"end": "2025-09-27"},
        "charged": {},
        "rest": 15.5,
        "growth": -9.2,
        "gap": {"value": 22.7, "unit": "USD"},
        "cash": {"value": 121.4, "unit": "USD"},
    }
    assert find_notices(of_sample(SNOWFLAKE), "company-taxes-above") == []


def test_what_moved_net_cash_beside_free_cash_flow_is_told() -> None:
    """Apple's to March 2023, in millions: 56,718 - 72,749 = -16,031, where cash flow less payments is -2,799.

    Its newest: 54,286 - 44,569 - (123,324 - 91,806 - 15,486) = -6,315, less than a tenth of its free cash flow. What
    Snowflake owed a year before its newest day is not filed.
    """
    [told] = find_notices(of_sample(APPLE, "2023-06-01"), "company-net-cash")
    amounts = {"change": -16, "explained": -2.8, "rest": -13.2, "withheld": 5.74}
    assert {name: told[name]["value"] for name in amounts} == amounts
    for cik in (APPLE, SNOWFLAKE):
        assert find_notices(of_sample(cik), "company-net-cash") == []


def file_years(tags: Mapping[str, tuple[float, ...]], first: int = 2021) -> dict[str, Any]:
    """Return facts of tags by calendar year, each filed in the February after it."""
    return listed(
        {
            name: [
                row(f"{year}-01-01", f"{year}-12-31", value, f"{year + 1}-02-05", "10-K")
                for year, value in enumerate(values, start=first)
            ]
            for name, values in tags.items()
        }
    )


def test_cash_flow_that_grew_from_next_to_nothing_is_named_and_from_a_base_compared() -> None:
    """Free cash flow grew from 1 and 20 on revenue of 1,000 to 400 within two years: twentyfold, and by 347.2 % a year."""
    flows: dict[str, tuple[float, ...]] = {
        REVENUE: (1_000, 1_100, 1_200),
        INCOME: (100, 110, 120),
        "NetCashProvidedByUsedInOperatingActivities": (201, 300, 500),
        "PaymentsToAcquirePropertyPlantAndEquipment": (200, 150, 100),
    }
    [tiny] = find_notices(of(file_years(flows)), "company-spending-tiny")
    assert (tiny["first"], tiny["last"], tiny["why"]["base"]["value"]) == (
        "2021-12-31",
        "2023-12-31",
        1,
    )
    assert not find_notices(of(file_years(flows)), "company-spending")
    flows["NetCashProvidedByUsedInOperatingActivities"] = (220, 300, 500)
    found = of(file_years(flows))
    [note] = find_notices(found, "company-spending")
    assert (note["free"], note["operating"]) == (347.2, 50.8)
    assert not find_notices(found, "company-spending-tiny")


@pytest.mark.parametrize(
    ("paid", "years", "cash"),
    [
        ((17, 17, 18), ["FY2022", "FY2021"], None),
        ((11, 10, 18), None, 30.0),
        ((17, 3, 18), None, 30.0),
    ],
)
def test_taxes_paid_above_those_charged_year_after_year_are_no_single_event(
    paid: tuple[float, ...], years: list[str] | None, cash: float | None
) -> None:
    tags = {
        REVENUE: (100, 100, 100),
        INCOME: (20, 20, 20),
        "NetCashProvidedByUsedInOperatingActivities": (30, 30, 30),
        "PaymentsToAcquirePropertyPlantAndEquipment": (8, 8, 8),
        "IncomeTaxExpenseBenefit": (10, 10, 10),
        "IncomeTaxesPaidNet": paid,
    }
    [told] = find_notices(of(file_years(tags)), "company-taxes-above")
    assert ([each["period"] for each in map(read_apart, told.get("years", []))] or None) == years
    assert (told["cash"]["value"] if "cash" in told else None) == cash


def read_apart(notice: Notice) -> dict[str, Any]:
    """Return the parameters of a notice that stands in a list."""
    return dict(notice.params)


def test_provision_for_loans_alone_names_that_for_commitments() -> None:
    tags = {
        REVENUE: (100.0,),
        INCOME: (20.0,),
        "InterestIncomeExpenseNet": (70.0,),
        "NoninterestIncome": (30.0,),
        "NoninterestExpense": (50.0,),
        "ProvisionForLoanAndLeaseLosses": (12.0,),
        "OffBalanceSheetCreditLossLiabilityCreditLossExpenseReversal": (3.0,),
    }
    filed = file_years(tags, 2023)
    deposits = {
        n: [row("", "2023-12-31", 900.0, "2024-02-05", "10-K")] for n in ("Deposits", "Assets")
    }
    filed["facts"]["us-gaap"] |= listed(deposits)["facts"]["us-gaap"]
    [told] = find_notices(of(filed), "company-provision-loans")
    assert (told["tag"], told["amount"]["value"], told["whole"]["value"]) == (
        *("Provision for loan and lease losses", 3, 15),
    )
    del filed["facts"]["us-gaap"]["OffBalanceSheetCreditLossLiabilityCreditLossExpenseReversal"]
    assert not find_notices(of(filed), "company-provision-loans")


def test_currency_that_was_given_up_does_not_hide_the_newest_figures() -> None:
    """Three years in one currency, then two in another; one year is stated in both."""
    old = file_years({REVENUE: (90, 95, 100), INCOME: (8, 9, 10)}, 2019)["facts"]["us-gaap"]
    new = file_years({REVENUE: (10, 11), INCOME: (1, 1.1)}, 2021)["facts"]["us-gaap"]
    units = {
        tag: {"units": {"TRL": old[tag]["units"]["USD"], "TRY": new[tag]["units"]["USD"]}}
        for tag in old
    }
    found = of({"facts": {"us-gaap": units}})
    assert (found.newest_end, found.figures[0].unit) == ("2022-12-31", "TRY")
    [told] = find_notices(found, "company-currency-given-up")
    assert told == {"currency": "TRY", "former": "TRL", "end": "2021-12-31"}


def test_currency_that_the_newest_year_alone_is_translated_to_is_not_the_companys() -> None:
    own = file_years({REVENUE: (90, 95, 100), INCOME: (8, 9, 10)}, 2020)["facts"]["us-gaap"]
    usd = file_years({REVENUE: (15,), INCOME: (1.5,)}, 2022)["facts"]["us-gaap"]
    units = {tag: {"units": {"CNY": own[tag]["units"]["USD"], **usd[tag]["units"]}} for tag in own}
    found = of({"facts": {"us-gaap": units}})
    assert {f.unit for f in found.figures if f.metric == "revenue"} == {"CNY"}
    assert not find_notices(found, "company-currency-given-up")


@pytest.mark.parametrize(("count", "is_told"), [(5e6, True), (95e6, False), (300e6, True)])
def test_newest_count_of_shares_far_from_the_diluted_ones_is_told(
    count: float, is_told: bool
) -> None:
    """A reverse split, or a listing, between the statement and its cover."""
    filed = file_years({REVENUE: (1e9,), INCOME: (1e8,)}, 2023)
    shares = {"WeightedAverageNumberOfDilutedSharesOutstanding": (1e8,)}
    averages = file_years(shares, 2023)["facts"]["us-gaap"]
    [(tag, about)] = averages.items()
    filed["facts"]["us-gaap"][tag] = {"units": {"shares": about["units"]["USD"]}}
    cover = [row("", "2024-01-31", count, "2024-02-05", "10-K")]
    filed["facts"]["dei"] = {"EntityCommonStockSharesOutstanding": {"units": {"shares": cover}}}
    assert bool(find_notices(of(filed), "company-count-apart")) is is_told


def test_lines_that_a_page_has_no_room_for_are_counted() -> None:
    """Figures that were cut off in silence would pass for figures that are not filed."""
    found = of_sample(APPLE)
    whole = [line.text for line in list_page(found)]
    notes = [Notice.of("company-ifrs")] * MAX_CHARS
    cut = [line.text for line in list_page(found.model_copy(update={"notes": notes}))]
    assert sum(len(text) + 1 for text in cut[:-1]) <= MAX_CHARS
    left = len(notes) + len([text for text in whole if text]) - len([t for t in cut[:-1] if t])
    assert str(left - len(found.notes)) in cut[-1]
    assert not any("Left out of this page" in text for text in whole)
