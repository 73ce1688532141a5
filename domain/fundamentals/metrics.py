"""What is looked up of a company, and under which names companies report it."""

from dataclasses import dataclass
from typing import Literal

Of = Literal["money", "per share", "shares"]


@dataclass(frozen=True)
class Metric:
    """A figure that companies report; of several tags the first that has a period is taken."""

    name: str
    gaap: tuple[str, ...]
    ifrs: tuple[str, ...] = ()
    of: Of = "money"


REVENUE = Metric(
    "revenue",
    (
        "Revenues",
        "RevenueFromContractWithCustomerExcludingAssessedTax",
        "RevenueFromContractWithCustomerIncludingAssessedTax",
        "SalesRevenueNet",
        "SalesRevenueGoodsNet",
        "RevenuesNetOfInterestExpense",
    ),
    ("Revenue", "RevenueFromContractsWithCustomers"),
)
COST_OF_REVENUE = Metric(
    "cost_of_revenue",
    ("CostOfRevenue", "CostOfGoodsAndServicesSold"),
    ("CostOfSales",),
)
GROSS_PROFIT = Metric("gross_profit", ("GrossProfit",), ("GrossProfit",))
OPERATING_INCOME = Metric(
    "operating_income", ("OperatingIncomeLoss",), ("ProfitLossFromOperatingActivities",)
)
NET_INCOME = Metric(
    "net_income",
    ("NetIncomeLoss", "NetIncomeLossAvailableToCommonStockholdersBasic", "ProfitLoss"),
    ("ProfitLossAttributableToOwnersOfParent", "ProfitLoss"),
)
DILUTED_EPS = Metric(
    "diluted_eps",
    ("EarningsPerShareDiluted", "EarningsPerShareBasicAndDiluted"),
    ("DilutedEarningsLossPerShare", "BasicAndDilutedEarningsLossPerShare"),
    "per share",
)
OPERATING_CASH_FLOW = Metric(
    "operating_cash_flow",
    (
        "NetCashProvidedByUsedInOperatingActivities",
        "NetCashProvidedByUsedInOperatingActivitiesContinuingOperations",
    ),
    ("CashFlowsFromUsedInOperatingActivities",),
)
CAPEX = Metric(
    "capital_expenditure",
    (
        "PaymentsToAcquirePropertyPlantAndEquipment",
        "PaymentsToAcquireProductiveAssets",
        "PaymentsToAcquireOtherPropertyPlantAndEquipment",
        "PaymentsForCapitalImprovements",
    ),
    (
        "PurchaseOfPropertyPlantAndEquipmentClassifiedAsInvestingActivities",
        "PurchaseOfPropertyPlantAndEquipmentIntangibleAssetsOtherThanGoodwillInvestmentProperty"
        "AndOtherNoncurrentAssets",
    ),
)
DILUTED_SHARES = Metric(
    "diluted_shares",
    (
        "WeightedAverageNumberOfDilutedSharesOutstanding",
        "WeightedAverageNumberOfShareOutstandingBasicAndDiluted",
    ),
    ("AdjustedWeightedAverageShares", "WeightedAverageShares"),
    "shares",
)

CASH = Metric(
    "cash",
    (
        "CashAndCashEquivalentsAtCarryingValue",
        "CashCashEquivalentsRestrictedCashAndRestrictedCashEquivalents",
        "Cash",
    ),
    ("CashAndCashEquivalents",),
)
SHORT_TERM_INVESTMENTS = Metric(
    "short_term_investments",
    (
        "ShortTermInvestments",
        "MarketableSecuritiesCurrent",
        "AvailableForSaleSecuritiesDebtSecuritiesCurrent",
        "AvailableForSaleSecuritiesCurrent",
    ),
    ("ShorttermInvestments", "OtherCurrentFinancialAssets"),
)
EQUITY = Metric(
    "equity",
    (
        "StockholdersEquity",
        "StockholdersEquityIncludingPortionAttributableToNoncontrollingInterest",
    ),
    ("EquityAttributableToOwnersOfParent", "Equity"),
)
ASSETS = Metric("assets", ("Assets",), ("Assets",))
SHARES_OUTSTANDING = Metric(
    "shares_outstanding",
    ("CommonStockSharesOutstanding",),
    ("NumberOfSharesOutstanding",),
    "shares",
)

ALL_DEBT = Metric("debt", ("LongTermDebt",), ("Borrowings",))
LONG_TERM_DEBT = Metric(
    "long_term_debt",
    (
        "LongTermDebtNoncurrent",
        "LongTermDebtAndCapitalLeaseObligations",
        "ConvertibleDebtNoncurrent",
        "ConvertibleLongTermNotesPayable",
        "LongTermNotesPayable",
        "SeniorLongTermNotes",
    ),
    ("LongtermBorrowings", "NoncurrentPortionOfNoncurrentBorrowings"),
)
CURRENT_DEBT = Metric("debt_current", ("DebtCurrent",), ("CurrentBorrowings",))
CURRENT_PORTION = Metric(
    "long_term_debt_current",
    (
        "LongTermDebtCurrent",
        "LongTermDebtAndCapitalLeaseObligationsCurrent",
        "ConvertibleDebtCurrent",
        "ConvertibleNotesPayableCurrent",
        "NotesPayableCurrent",
    ),
    ("CurrentPortionOfLongtermBorrowings", "CurrentPortionOfNoncurrentBorrowings"),
)
SHORT_BORROWINGS = Metric(
    "short_term_borrowings",
    ("ShortTermBorrowings", "CommercialPaper"),
    ("ShorttermBorrowings",),
)

ANCHORS = (REVENUE, NET_INCOME, OPERATING_CASH_FLOW)
"""Their periods are the company's own years and quarters."""

FLOWS = (
    *(REVENUE, COST_OF_REVENUE, GROSS_PROFIT, OPERATING_INCOME, NET_INCOME, DILUTED_EPS),
    *(OPERATING_CASH_FLOW, CAPEX, DILUTED_SHARES),
)
INSTANTS = (
    *(CASH, SHORT_TERM_INVESTMENTS, EQUITY, ASSETS, SHARES_OUTSTANDING),
    *(ALL_DEBT, LONG_TERM_DEBT, CURRENT_DEBT, CURRENT_PORTION, SHORT_BORROWINGS),
)
SPLIT = "StockholdersEquityNoteStockSplitConversionRatio1"
COVER_SHARES = "EntityCommonStockSharesOutstanding"
