"""The metrics looked up for a company and the XBRL tags under which companies report them."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Metric:
    """A reported metric; among several tags, separated by white space, the first that has a period wins."""

    name: str
    gaap: str
    ifrs: str


REVENUE = Metric(
    "revenue",
    """Revenues RevenueFromContractWithCustomerExcludingAssessedTax
    RevenueFromContractWithCustomerIncludingAssessedTax SalesRevenueNet SalesRevenueGoodsNet
    RevenuesNetOfInterestExpense""",
    "Revenue RevenueFromContractsWithCustomers",
)
NET_INCOME = Metric(
    "net_income",
    "NetIncomeLoss NetIncomeLossAvailableToCommonStockholdersBasic ProfitLoss",
    "ProfitLossAttributableToOwnersOfParent ProfitLoss",
)
OPERATING_CASH_FLOW = Metric(
    "operating_cash_flow",
    """NetCashProvidedByUsedInOperatingActivities
    NetCashProvidedByUsedInOperatingActivitiesContinuingOperations""",
    "CashFlowsFromUsedInOperatingActivities",
)
ANCHORS = (REVENUE, NET_INCOME, OPERATING_CASH_FLOW)
"""Their periods define the company's fiscal years and quarters."""

FLOWS = (
    *ANCHORS,
    Metric("cost_of_revenue", "CostOfRevenue CostOfGoodsAndServicesSold", "CostOfSales"),
    Metric("gross_profit", "GrossProfit", "GrossProfit"),
    Metric("operating_income", "OperatingIncomeLoss", "ProfitLossFromOperatingActivities"),
    Metric(
        "diluted_eps",
        "EarningsPerShareDiluted EarningsPerShareBasicAndDiluted",
        "DilutedEarningsLossPerShare BasicAndDilutedEarningsLossPerShare",
    ),
    Metric(
        "capital_expenditure",
        """PaymentsToAcquirePropertyPlantAndEquipment PaymentsToAcquireProductiveAssets
        PaymentsToAcquireOtherPropertyPlantAndEquipment PaymentsForCapitalImprovements""",
        "PurchaseOfPropertyPlantAndEquipmentClassifiedAsInvestingActivities "
        "PurchaseOfPropertyPlantAndEquipmentIntangibleAssetsOtherThanGoodwillInvestmentProperty"
        "AndOtherNoncurrentAssets",
    ),
    Metric(
        "diluted_shares",
        """WeightedAverageNumberOfDilutedSharesOutstanding
        WeightedAverageNumberOfShareOutstandingBasicAndDiluted""",
        "AdjustedWeightedAverageShares WeightedAverageShares",
    ),
)
INSTANTS = (
    Metric(
        "cash",
        """CashAndCashEquivalentsAtCarryingValue
        CashCashEquivalentsRestrictedCashAndRestrictedCashEquivalents Cash""",
        "CashAndCashEquivalents",
    ),
    Metric(
        "short_term_investments",
        """ShortTermInvestments MarketableSecuritiesCurrent
        AvailableForSaleSecuritiesDebtSecuritiesCurrent AvailableForSaleSecuritiesCurrent""",
        "ShorttermInvestments OtherCurrentFinancialAssets",
    ),
    Metric(
        "equity",
        """StockholdersEquity
        StockholdersEquityIncludingPortionAttributableToNoncontrollingInterest""",
        "EquityAttributableToOwnersOfParent Equity",
    ),
    Metric("assets", "Assets", "Assets"),
    Metric("shares_outstanding", "CommonStockSharesOutstanding", "NumberOfSharesOutstanding"),
    Metric("debt", "LongTermDebt", "Borrowings"),
    Metric(
        "long_term_debt",
        """LongTermDebtNoncurrent LongTermDebtAndCapitalLeaseObligations ConvertibleDebtNoncurrent
        ConvertibleLongTermNotesPayable LongTermNotesPayable SeniorLongTermNotes""",
        "LongtermBorrowings NoncurrentPortionOfNoncurrentBorrowings",
    ),
    Metric("debt_current", "DebtCurrent", "CurrentBorrowings"),
    Metric(
        "long_term_debt_current",
        """LongTermDebtCurrent LongTermDebtAndCapitalLeaseObligationsCurrent ConvertibleDebtCurrent
        ConvertibleNotesPayableCurrent NotesPayableCurrent""",
        "CurrentPortionOfLongtermBorrowings CurrentPortionOfNoncurrentBorrowings",
    ),
    Metric("short_term_borrowings", "ShortTermBorrowings CommercialPaper", "ShorttermBorrowings"),
)
SPLIT_TAG = "StockholdersEquityNoteStockSplitConversionRatio1"
COVER_SHARES_TAG = "EntityCommonStockSharesOutstanding"


def find_unit(metric: str, currency: str) -> str:
    """Return the unit of a metric's figures."""
    if metric.endswith(("_margin", "_growth")):
        return "percent"
    if metric.endswith(("_eps", "_per_share")):
        return f"{currency}/shares"
    return "shares" if metric in {"diluted_shares", "shares_outstanding"} else currency


def humanize(metric: str) -> str:
    """Return a metric's name in words, e.g. `diluted EPS`."""
    return metric.replace("_", " ").replace("eps", "EPS").replace("fcf", "FCF")
