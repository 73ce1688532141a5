"""The metrics looked up for a company and the XBRL tags under which companies report them."""

from dataclasses import dataclass
from typing import Literal

UnitKind = Literal["money", "per share", "shares"]


@dataclass(frozen=True)
class Metric:
    """A reported metric; among several tags the first that has a period wins."""

    name: str
    gaap: tuple[str, ...]
    ifrs: tuple[str, ...]
    unit_kind: UnitKind = "money"


def _metric(name: str, gaap: str, ifrs: str, unit_kind: UnitKind = "money") -> Metric:
    """Return a metric; `gaap` and `ifrs` list its tags, separated by white space."""
    return Metric(name, tuple(gaap.split()), tuple(ifrs.split()), unit_kind)


REVENUE = _metric(
    "revenue",
    """Revenues RevenueFromContractWithCustomerExcludingAssessedTax
    RevenueFromContractWithCustomerIncludingAssessedTax SalesRevenueNet SalesRevenueGoodsNet
    RevenuesNetOfInterestExpense""",
    "Revenue RevenueFromContractsWithCustomers",
)
NET_INCOME = _metric(
    "net_income",
    "NetIncomeLoss NetIncomeLossAvailableToCommonStockholdersBasic ProfitLoss",
    "ProfitLossAttributableToOwnersOfParent ProfitLoss",
)
OPERATING_CASH_FLOW = _metric(
    "operating_cash_flow",
    """NetCashProvidedByUsedInOperatingActivities
    NetCashProvidedByUsedInOperatingActivitiesContinuingOperations""",
    "CashFlowsFromUsedInOperatingActivities",
)
ANCHORS = (REVENUE, NET_INCOME, OPERATING_CASH_FLOW)
"""Their periods define the company's fiscal years and quarters."""

FLOWS = (
    *ANCHORS,
    _metric("cost_of_revenue", "CostOfRevenue CostOfGoodsAndServicesSold", "CostOfSales"),
    _metric("gross_profit", "GrossProfit", "GrossProfit"),
    _metric("operating_income", "OperatingIncomeLoss", "ProfitLossFromOperatingActivities"),
    _metric(
        "diluted_eps",
        "EarningsPerShareDiluted EarningsPerShareBasicAndDiluted",
        "DilutedEarningsLossPerShare BasicAndDilutedEarningsLossPerShare",
        "per share",
    ),
    _metric(
        "capital_expenditure",
        """PaymentsToAcquirePropertyPlantAndEquipment PaymentsToAcquireProductiveAssets
        PaymentsToAcquireOtherPropertyPlantAndEquipment PaymentsForCapitalImprovements""",
        "PurchaseOfPropertyPlantAndEquipmentClassifiedAsInvestingActivities "
        "PurchaseOfPropertyPlantAndEquipmentIntangibleAssetsOtherThanGoodwillInvestmentProperty"
        "AndOtherNoncurrentAssets",
    ),
    _metric(
        "diluted_shares",
        """WeightedAverageNumberOfDilutedSharesOutstanding
        WeightedAverageNumberOfShareOutstandingBasicAndDiluted""",
        "AdjustedWeightedAverageShares WeightedAverageShares",
        "shares",
    ),
)
INSTANTS = (
    _metric(
        "cash",
        """CashAndCashEquivalentsAtCarryingValue
        CashCashEquivalentsRestrictedCashAndRestrictedCashEquivalents Cash""",
        "CashAndCashEquivalents",
    ),
    _metric(
        "short_term_investments",
        """ShortTermInvestments MarketableSecuritiesCurrent
        AvailableForSaleSecuritiesDebtSecuritiesCurrent AvailableForSaleSecuritiesCurrent""",
        "ShorttermInvestments OtherCurrentFinancialAssets",
    ),
    _metric(
        "equity",
        """StockholdersEquity
        StockholdersEquityIncludingPortionAttributableToNoncontrollingInterest""",
        "EquityAttributableToOwnersOfParent Equity",
    ),
    _metric("assets", "Assets", "Assets"),
    _metric(
        "shares_outstanding", "CommonStockSharesOutstanding", "NumberOfSharesOutstanding", "shares"
    ),
    _metric("debt", "LongTermDebt", "Borrowings"),
    _metric(
        "long_term_debt",
        """LongTermDebtNoncurrent LongTermDebtAndCapitalLeaseObligations ConvertibleDebtNoncurrent
        ConvertibleLongTermNotesPayable LongTermNotesPayable SeniorLongTermNotes""",
        "LongtermBorrowings NoncurrentPortionOfNoncurrentBorrowings",
    ),
    _metric("debt_current", "DebtCurrent", "CurrentBorrowings"),
    _metric(
        "long_term_debt_current",
        """LongTermDebtCurrent LongTermDebtAndCapitalLeaseObligationsCurrent ConvertibleDebtCurrent
        ConvertibleNotesPayableCurrent NotesPayableCurrent""",
        "CurrentPortionOfLongtermBorrowings CurrentPortionOfNoncurrentBorrowings",
    ),
    _metric("short_term_borrowings", "ShortTermBorrowings CommercialPaper", "ShorttermBorrowings"),
)
SPLIT_TAG = "StockholdersEquityNoteStockSplitConversionRatio1"
COVER_SHARES_TAG = "EntityCommonStockSharesOutstanding"


def humanize(metric: str) -> str:
    """Return a metric's name in words, e.g. `diluted EPS`."""
    return metric.replace("_", " ").replace("eps", "EPS").replace("fcf", "FCF")
