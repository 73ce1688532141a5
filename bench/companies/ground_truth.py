"""Correct values of a company's headline figures, read from EDGAR's JSON without the product's code.

Flows are looked up under a short list of tags in the newest annual report. What a balance sheet means is
not in its tags: `rights.json` says for each company, by hand, which tags add up to its debt or its securities
(`debt`, a sum of tags), and which figures mean nothing for it (null).
"""

import json
from collections.abc import Iterable, Mapping
from datetime import date
from pathlib import Path
from typing import Any

RIGHTS: dict[str, dict[str, str | float | None]] = json.loads(
    Path(__file__).with_name("rights.json").read_text(encoding="utf-8")
)
"""Exceptions by company (the folder's name) and metric: a sum of tags, a number or null; and a currency other than USD."""

YEAR_DAYS = range(349, 381)
OF_YEAR: dict[str, tuple[str, ...]] = {
    "revenue": (
        *("Revenues", "RevenueFromContractWithCustomerExcludingAssessedTax", "SalesRevenueNet"),
        *("RevenuesNetOfInterestExpense", "RealEstateRevenueNet", "Revenue"),
    ),
    "gross_profit": ("GrossProfit",),
    "operating_income": ("OperatingIncomeLoss", "ProfitLossFromOperatingActivities"),
    "net_income": ("NetIncomeLoss", "ProfitLossAttributableToOwnersOfParent", "ProfitLoss"),
    "diluted_eps": ("EarningsPerShareDiluted", "DilutedEarningsLossPerShare"),
    "operating_cash_flow": (
        *("NetCashProvidedByUsedInOperatingActivities", "CashFlowsFromUsedInOperatingActivities"),
        *("CashFlowsFromUsedInOperations",),
        "NetCashProvidedByUsedInOperatingActivitiesContinuingOperations",
    ),
    "capital_expenditure": (
        *("PaymentsToAcquirePropertyPlantAndEquipment", "PaymentsToAcquireProductiveAssets"),
        "PurchaseOfPropertyPlantAndEquipmentClassifiedAsInvestingActivities",
    ),
    "dividends": (
        *("PaymentsOfDividends", "PaymentsOfDividendsCommonStock", "PaymentsOfOrdinaryDividends"),
        "DividendsPaidClassifiedAsFinancingActivities",
    ),
    "buybacks": ("PaymentsForRepurchaseOfCommonStock",),
    "stock_compensation": ("ShareBasedCompensation", "AllocatedShareBasedCompensationExpense"),
    "research_and_development": ("ResearchAndDevelopmentExpense",),
    "pretax_income": (
        "IncomeLossFromContinuingOperationsBeforeIncomeTaxesExtraordinaryItemsNoncontrollingInterest",
        "IncomeLossFromContinuingOperationsBeforeIncomeTaxesMinorityInterestAndIncomeLossFromEquityMethodInvestments",
        "ProfitLossBeforeTax",
    ),
    "income_tax": ("IncomeTaxExpenseBenefit", "IncomeTaxExpenseContinuingOperations"),
    "continuing_income": ("IncomeLossFromContinuingOperations",),
    "discontinued": (
        "IncomeLossFromDiscontinuedOperationsNetOfTaxAttributableToReportingEntity",
        "IncomeLossFromDiscontinuedOperationsNetOfTax",
    ),
    "diluted_shares": (
        *("WeightedAverageNumberOfDilutedSharesOutstanding", "AdjustedWeightedAverageShares"),
    ),
}
ON_DAY: dict[str, tuple[str, ...]] = {
    "cash": ("CashAndCashEquivalentsAtCarryingValue", "CashAndCashEquivalents", "Cash"),
    "equity": ("StockholdersEquity", "EquityAttributableToOwnersOfParent", "Equity"),
    "noncontrolling_interest": ("MinorityInterest", "NoncontrollingInterests"),
    "assets": ("Assets",),
    "shares_outstanding": ("CommonStockSharesOutstanding",),
}
SHARES_HELD = ("TreasuryStockCommonShares", "TreasuryStockShares")
HEADLINES = (
    *(name for name in OF_YEAR if name not in ("continuing_income", "discontinued")),
    *("free_cash_flow", "gross_margin", "operating_margin", "net_margin"),
    *ON_DAY,
    *("debt", "net_cash", "securities", "book_value_per_share"),
)
"""Eighteen figures of the newest year and nine of the newest day."""
Fact = dict[str, Any]


def read_rights(
    document: Mapping[str, Any], name: str, year_end: str, day: str
) -> dict[str, float | None]:
    """Return the correct values of a company's headline figures; None if a figure would be meaningless.

    Metrics are omitted if no known tag reports them.
    """
    own = {key: rule for key, rule in RIGHTS.get(name, {}).items() if key != "currency"}
    foreign = {"USD"} if "currency" in RIGHTS.get(name, {}) else set[str]()
    facts = {
        tag: [
            row
            for unit, rows in found["units"].items()
            for row in rows
            if unit.partition("/")[0] not in foreign
        ]
        for taxonomy in (document.get("facts") or {}).values()
        for tag, found in taxonomy.items()
    }
    values: dict[str, float | None] = {}
    for names, end, is_flow in ((OF_YEAR, year_end, True), (ON_DAY, day, False)):
        for metric, tags in names.items():
            found = (_look_up(facts, tag, end, is_flow=is_flow) for tag in tags)
            value = next((each for each in found if each is not None), None)
            values |= {} if value is None else {metric: value}
    held = (_look_up(facts, tag, day, is_flow=False) for tag in SHARES_HELD)
    issued = _look_up(facts, "CommonStockSharesIssued", day, is_flow=False)
    treasury = next((each for each in held if each is not None), None)
    if issued and treasury is not None:
        values.setdefault("shares_outstanding", issued - treasury)
    for metric, rule in own.items():
        values[metric] = _evaluate(rule, facts, year_end, day)
    _derive(values, own)
    return {metric: values[metric] for metric in HEADLINES if metric in values}


def _look_up(facts: Mapping[str, list[Fact]], tag: str, end: str, *, is_flow: bool) -> float | None:
    """Return the newest filed value of a year or a day."""
    rows = [
        row for row in facts.get(tag, ()) if row["end"] == end and bool(row.get("start")) == is_flow
    ]
    fits = [row for row in rows if not is_flow or _count_days(row) in YEAR_DAYS]
    return max(fits, key=lambda row: str(row["filed"]))["val"] if fits else None


def _count_days(row: Fact) -> int:
    return (date.fromisoformat(row["end"]) - date.fromisoformat(row["start"])).days + 1


def _evaluate(
    rule: str | float | None, facts: Mapping[str, list[Fact]], year_end: str, day: str
) -> float | None:
    """Return what a rule of the table gives: its number, or the sum of its tags."""
    if not isinstance(rule, str):
        return rule
    total = 0.0
    for term in rule.replace(" - ", " + -").split(" + "):
        tag = term.strip().removeprefix("-").strip()
        on_day = _look_up(facts, tag, day, is_flow=False)
        value = on_day if on_day is not None else _look_up(facts, tag, year_end, is_flow=True)
        if value is None:
            raise KeyError(f"{tag} has no value on {day} or in the year to {year_end}")
        total += -value if term.strip().startswith("-") else value
    return total


def _derive(values: dict[str, float | None], own: Iterable[str]) -> None:
    """Add the figures that are computed from others, unless the table has them."""

    def get(*names: str) -> list[float] | None:
        found = [values.get(name) for name in names]
        known = [value for value in found if value is not None]
        return known if len(known) == len(found) else None

    if "free_cash_flow" not in own and (pair := get("operating_cash_flow", "capital_expenditure")):
        values["free_cash_flow"] = pair[0] - abs(pair[1])
    if pair := get("net_income", "discontinued"):
        values["continuing_income"] = values.get("continuing_income") or pair[0] - pair[1]
    for name, part in (
        ("net_margin", "continuing_income"),
        ("gross_margin", "gross_profit"),
        ("operating_margin", "operating_income"),
        ("net_margin", "net_income"),
    ):
        if name not in {*own, *values} and (pair := get(part, "revenue")) and pair[1] > 0:
            values[name] = 100 * pair[0] / pair[1]
    if "net_cash" not in own and (pair := get("cash", "debt")):
        values["net_cash"] = pair[0] + (values.get("securities") or 0) - pair[1]
    if "book_value_per_share" not in own and (pair := get("equity", "shares_outstanding")):
        values["book_value_per_share"] = (pair[0] - (values.get("preferred") or 0)) / pair[1]
