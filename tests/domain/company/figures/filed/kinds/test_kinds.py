"""Kinds of business: the rule that detects each kind, its figures, and the basis of its valuation."""

from collections.abc import Mapping
from typing import Any

import pytest

from contracts.company.figures import Fundamentals
from contracts.company.filings import BusinessKind, Company
from contracts.company.valuation import SharePrice
from contracts.company.valuation_terms import ValuationTerms
from contracts.words import CATALOGUES, say
from domain.company.figures.computation import compute_fundamentals
from domain.company.figures.dates import describe_basis
from domain.company.figures.figures_page import list_lines
from domain.company.figures.filed.kinds import KINDS, applies, find_kind
from domain.company.figures.filed.metrics import METRICS
from domain.company.figures.tables.charts import build_charts
from domain.company.figures.tables.grids import show_grid
from domain.company.figures.tables.key_figures import build_valuations
from domain.company.figures.tables.peers import (
    Peer,
    build_peer_grid,
    build_peer_grids,
    compare_companies,
)
from domain.company.figures.valuation.unused_price import explain_no_value
from domain.company.figures.valuation.valuation import value_shares
from tests.domain.company.figures.companies import (
    REVENUE,
    Row,
    find_notices,
    list_texts,
    listed,
    of,
    row,
    value,
    year,
)
from tests.support.words import en

BEFORE, END, FILED = "2022-12-31", "2023-12-31", "2024-02-05"
FLOWS: dict[str, float] = {
    "Revenues": 100,
    "NetIncomeLoss": 20,
    "NetCashProvidedByUsedInOperatingActivities": 30,
    "PaymentsToAcquirePropertyPlantAndEquipment": 5,
    "DepreciationDepletionAndAmortization": 12,
    "GainLossOnSaleOfProperties": 4,
    "InterestIncomeExpenseNet": 60,
    "NoninterestIncome": 40,
    "NoninterestExpense": 55,
    "PremiumsEarnedNet": 80,
    "PolicyholderBenefitsAndClaimsIncurredNet": 60,
    "InterestExpense": 10,
    "OperatingIncomeLoss": 40,
}
DAYS: dict[str, float] = {
    "Assets": 1000,
    "StockholdersEquity": 200,
    "PreferredStockValue": 20,
    "Goodwill": 30,
    "Deposits": 400,
    "CashAndCashEquivalentsAtCarryingValue": 50,
    "LongTermDebt": 300,
}


def company(sic: int, *without: str, ticker: str = "ACME", **tags: float) -> Fundamentals:
    return compute_fundamentals(filed(*without, **tags), named(sic, ticker))


def named(sic: int, ticker: str = "ACME") -> Company:
    return Company(cik=sic, ticker=ticker, name=f"{ticker} Corp.", sic=sic)


def filed(*without: str, **tags: float) -> dict[str, Any]:
    """Return facts of 2023 with amounts of every kind, some left out or of another size."""
    flows = {tag: year(2023, (tags.get(tag, n) / 4,) * 4) for tag, n in FLOWS.items()}
    days = {**DAYS, **{tag: n for tag, n in tags.items() if tag not in FLOWS}}
    told: dict[str, list[Row]] = {**flows}
    told |= {tag: [row("", END, n, FILED, "10-K")] for tag, n in days.items()}
    told["Revenues"] = [*told["Revenues"], *year(2022, (25,) * 4)]
    for tag in {"StockholdersEquity", "PreferredStockValue", "Goodwill"} & told.keys():
        told[tag] = [*told[tag], row("", BEFORE, DAYS[tag], FILED, "10-K")]
    listed = {tag: {"units": {"USD": rows}} for tag, rows in told.items() if tag not in without}
    counts = {"CommonStockSharesOutstanding": [row("", END, 10, FILED, "10-K")]}
    shares = {tag: {"units": {"shares": rows}} for tag, rows in counts.items()}
    return {"facts": {"us-gaap": listed | shares}}


@pytest.mark.parametrize(
    ("sic", "known", "kind"),
    [
        (3571, {}, "industrial"),
        (6021, {}, "bank"),
        (6211, {}, "bank"),
        (6211, {"operating_income": 1}, "industrial"),
        (6199, {}, "bank"),
        (6282, {}, "industrial"),
        (6331, {}, "insurer"),
        (6324, {}, "health_insurer"),
        (6770, {}, "blank_check"),
        (6770, {"revenue": 5}, "industrial"),
        (6770, {"revenue": 5, "trust_assets": 90, "assets": 100}, "blank_check"),
        (0, {"trust_assets": 90, "assets": 100}, "blank_check"),
        (0, {"trust_assets": 9, "assets": 100}, "industrial"),
        (0, {"premiums": 30, "revenue": 100, "health_liability_change": 1}, "health_insurer"),
        (0, {"premiums": 30, "revenue": 100, "health_claims": 20}, "health_insurer"),
        (6411, {}, "industrial"),
        (6798, {}, "reit"),
        (6798, {"net_interest_income": 2, "assets": 100}, "investment"),
        (6798, {"net_interest_income": -2, "assets": 100}, "reit"),
        (4911, {}, "utility"),
        (4922, {}, "industrial"),
        (6726, {}, "investment"),
        (6512, {"investment_property": 60, "assets": 100}, "reit"),
        (6531, {"investment_property": 6, "assets": 100}, "industrial"),
        (0, {"deposits": 40, "assets": 100}, "bank"),
        (0, {"deposits": 4, "assets": 100}, "industrial"),
        (0, {"net_interest_income": 4, "net_revenue": 10}, "bank"),
        (0, {"premiums": 30, "revenue": 100}, "insurer"),
        (0, {"regulated_revenue": 60, "revenue": 100}, "utility"),
        (0, {"investments": 60, "assets": 100}, "investment"),
        (0, {"deposits": 40, "assets": 0}, "industrial"),
        (3711, {"deposits": 40, "assets": 100}, "industrial"),
    ],
)
def test_kind_follows_sic_code_and_figures_decide_where_it_is_unknown_or_ambiguous(
    sic: int, known: dict[str, float], kind: BusinessKind
) -> None:
    assert find_kind(sic, known.get) == kind


@pytest.mark.parametrize("kind", KINDS.templates)
def test_templates_name_metrics_and_have_words(kind: BusinessKind) -> None:
    template = KINDS.templates[kind]
    charted = [name for metrics in template.charts.values() for name in metrics]
    assert METRICS.keys() >= {*template.excluded, *template.optional, *charted}
    assert all(applies(name, kind) for name in charted)
    for catalogue in CATALOGUES.values():
        assert catalogue.keys() >= {f"chart-{subject}" for subject in template.charts}
        assert kind == "industrial" or f"company-kind-{kind.replace('_', '-')}" in catalogue


SICS = {"industrial": 3571, "bank": 6021, "insurer": 6331, "reit": 6798, "utility": 4911}
OWN: dict[BusinessKind, dict[str, float]] = {
    "bank": {"efficiency_ratio": 55, "net_interest_income": 60, "return_on_equity": 11.1111},
    "insurer": {"loss_ratio": 75, "premiums": 80, "return_on_equity": 11.1111},
    "reit": {"funds_from_operations": 28, "interest_coverage_before_depreciation": 5.2},
    "utility": {"operating_cash_flow_to_debt": 10, "interest_coverage": 4},
    "industrial": {"free_cash_flow": 25, "operating_margin": 40},
}


@pytest.mark.parametrize("kind", SICS)
def test_figures_of_another_kind_are_never_shown(kind: BusinessKind) -> None:
    """All companies file the same; what each shows is its kind's."""
    without = ("InterestIncomeExpenseNet",) * (kind == "reit")
    found = company(SICS[kind], *without)
    assert found.kind == kind
    assert all(applies(figure.metric, kind) for figure in found.figures)
    assert {n: value(found, n, "year", END) for n in OWN[kind]} == OWN[kind]
    net = {"industrial": -250, "reit": -250, "utility": -250, "bank": None, "insurer": None}
    assert value(found, "net_cash", "instant", END) == net[kind]
    missing = [
        m for each in find_notices(found, "company-metrics-missing") for m in each["metrics"]
    ]
    names = {metric.code for metric in missing}
    assert not names & {f"metric-{n.replace('_', '-')}" for n in KINDS.templates[kind].excluded}
    assert not (kind in ("bank", "insurer") and find_notices(found, "company-debt-unknown"))


@pytest.mark.parametrize(
    ("kind", "multiples"),
    [
        ("industrial", {"price_to_sales", "price_to_earnings", "ev_to_sales"}),
        ("bank", {"price_to_earnings", "price_to_book", "price_to_tangible_book"}),
        ("insurer", {"price_to_earnings", "price_to_book", "price_to_tangible_book"}),
        ("reit", {"price_to_ffo", "ev_to_sales"}),
        ("utility", {"price_to_earnings", "ev_to_sales", "free_cash_flow_yield"}),
    ],
)
def test_price_is_held_against_what_the_kind_is_valued_by(
    kind: BusinessKind, multiples: set[str]
) -> None:
    without = ("InterestIncomeExpenseNet",) * (kind == "reit")
    price = SharePrice(value=30, day=FILED, origin="given")
    valuation = value_shares(company(SICS[kind], *without), price, ValuationTerms())
    assert valuation
    rows = {row.metric: row.value for row in valuation.rows}
    assert rows.keys() >= multiples
    assert all(applies(name, kind) for name in rows)
    implied = [row.metric for row in valuation.implied.implied] if valuation.implied else []
    assert ("growth_implied" in implied) == (kind == "industrial")
    if kind == "bank":  # equity 200 less preferred 20, less goodwill 30, over 10 shares
        assert (rows["price_to_book"], rows["price_to_tangible_book"]) == (30 / 18, 2)
    if kind == "reit":
        assert rows["price_to_ffo"] == pytest.approx(300 / 28)


def test_companies_are_ranked_within_their_kind_and_told_what_does_not_apply() -> None:
    one, other, maker = (
        company(sic, ticker=t) for sic, t in ((6021, "ONE"), (6022, "TWO"), (3571, "MAKE"))
    )
    peers = compare_companies([(each, filed()) for each in (one, other, maker)])
    table = {str(r[0]): r[1:] for r in show_grid(build_peer_grid(peers)).rows}
    cash = next(cells for label, cells in table.items() if label.startswith(en("metric-net-cash")))
    excluded = say("en", "cell-does-not-apply")
    assert cash[:2] == [excluded, excluded]
    assert cash[2] not in (None, excluded)
    margin, returned = (
        next(cells for label, cells in table.items() if label.startswith(en(code)))
        for code in ("metric-net-margin", "metric-return-on-equity")
    )
    assert margin[:2] == [excluded, excluded]
    assert not isinstance(margin[2], str) or "(" not in margin[2]
    assert returned == ["11.11 (1)", "11.11 (1)", excluded]


def test_reader_and_model_are_told_the_kind_and_what_it_was_told_by() -> None:
    codes = {notice.code: notice for notice in describe_basis(company(6021), "2024-03-01")}
    notice = codes["company-kind-bank"]
    assert notice.params["company"] == "ACME Corp. (ACME)"
    assert notice.text in list_texts(list_lines(company(6021)))
    by_facts = {n.code: n for n in describe_basis(company(0, "PremiumsEarnedNet"), "2024-03-01")}
    assert by_facts["company-kind-bank"].params["by"] != notice.params["by"]
    assert not [n for n in describe_basis(company(3571), "2024-03-01") if "kind" in n.code]


def test_charts_are_those_of_the_kind() -> None:
    found = company(6021)
    names = {series.name for chart in build_charts(found) for series in chart.series}
    assert en("metric-net-interest-income") in names
    assert en("metric-operating-cash-flow") not in names


def side_by_side(*sics: int, newer: int = 0) -> list[Peer]:
    """Return companies of these kinds; the last `newer` ones have filed a quarter more."""
    told = []
    for n, sic in enumerate(sics):
        facts = filed()
        if n >= len(sics) - newer:
            later = [row("2024-01-01", "2024-03-31", 9, "2024-05-05")]
            for tag in ("Revenues", "NetIncomeLoss"):
                facts["facts"]["us-gaap"][tag]["units"]["USD"] += later
        told.append((compute_fundamentals(facts, named(sic, f"T{n}")), facts))
    return compare_companies(told)


def test_table_of_more_columns_than_fit_a_page_is_two() -> None:
    whole = [*build_peer_grids(side_by_side(3571, 3571, 3571, newer=2))]
    assert [len(grid.columns) for grid in whole] == [5]
    peers = side_by_side(3571, 3571, 3571, 3571, 3571, 3571, newer=3)
    common, later = build_peer_grids(peers)
    assert (len(common.columns), len(later.columns)) == (6, 3)
    assert later.title == say("en", "grid-peers-newer") != common.title
    assert later.columns[0].startswith("T3")


def test_metric_of_one_kind_has_a_row_where_two_companies_of_it_are_compared() -> None:
    label = en("metric-deposits")
    for sics, is_shown in (((6021, 3571), False), ((6021, 6022, 3571), True)):
        rows = [name for name, _ in build_peer_grid(side_by_side(*sics)).rows]
        assert any(name.startswith(label) for name in rows) == is_shown


def test_multiple_of_a_negative_book_value_is_called_negative_and_no_loss() -> None:
    price = SharePrice(value=30, day=FILED, origin="given")
    found = company(6331, StockholdersEquity=-50)
    priced = found.model_copy(update={"valuation": value_shares(found, price, ValuationTerms())})
    grid = build_valuations([priced])
    assert grid
    book = next(c for label, c in grid.rows if label.startswith(en("metric-price-to-book")))
    assert book[0].note == say("en", "cell-negative")


def test_price_that_was_not_used_is_explained_and_not_called_unknown() -> None:
    price = SharePrice(value=30, day=FILED, origin="given", currency="EUR")
    first, other = company(3571), company(6021, ticker="BANK")
    why = explain_no_value(other, price)
    assert why
    beside = other.model_copy(update={"head_notes": [why]})
    valued = first.model_copy(
        update={
            "valuation": value_shares(
                first, price.model_copy(update={"currency": "USD"}), ValuationTerms()
            ),
            "others": [beside],
        }
    )
    codes = [notice.code for notice in describe_basis(valued, "2024-03-01")]
    assert "company-price-unused" in codes
    assert "company-prices-missing" not in codes


def of_day(tags: Mapping[str, float], unit: str = "USD") -> dict[str, Any]:
    """Return facts of the last day of 2023."""
    return listed({tag: [row("", END, n, FILED, "10-K")] for tag, n in tags.items()}, unit)


def of_year(tags: Mapping[str, float], unit: str = "USD") -> dict[str, Any]:
    """Return facts of 2023."""
    return listed(
        {tag: [row("2023-01-01", END, n, FILED, "10-K")] for tag, n in tags.items()}, unit
    )


def join(*told: dict[str, Any]) -> dict[str, Any]:
    """Return facts of different units as one document."""
    return {
        "facts": {"us-gaap": {t: u for one in told for t, u in one["facts"]["us-gaap"].items()}}
    }


SHELL = join(
    of_year({"NetIncomeLoss": 3, "OperatingIncomeLoss": -2, "OperatingExpenses": 2}),
    of_day(
        {"Assets": 104, "Cash": 1, "AssetsHeldInTrustNoncurrent": 103, "StockholdersEquity": -5}
    ),
    of_day(
        {"TemporaryEquitySharesOutstanding": 10, "CommonStockSharesOutstanding": 12.5}, "shares"
    ),
)


def test_blank_check_company_is_valued_by_its_trust_and_has_no_margins() -> None:
    found = compute_fundamentals(SHELL, named(6770))
    assert found.kind == "blank_check"
    assert value(found, "trust_per_share", "instant", END) == 10.3
    asked = {gap.metric: gap.state for gap in found.gaps}
    assert asked["free_cash_flow"] == asked["net_margin"] == "does_not_apply"
    price = SharePrice(value=10.815, day=FILED, origin="given")
    valuation = value_shares(found, price, ValuationTerms())
    assert valuation
    rows = {each.metric: each.value for each in valuation.rows}
    assert rows["price_to_trust"] == pytest.approx(1.05)
    assert not rows.keys() & {"price_to_earnings", "enterprise_value"}


LENDER = join(
    of_year(
        {
            "GrossInvestmentIncomeOperating": 100,
            "NetInvestmentIncome": 60,
            "NetIncreaseDecreaseInNetAssetsResultingFromOperations": 40,
        }
    ),
    of_year({"WeightedAverageNumberOfDilutedSharesOutstanding": 30}, "shares"),
    of_day(
        {"Assets": 1000, "InvestmentOwnedAtFairValue": 950, "AssetsNet": 450, "LongTermDebt": 540}
    ),
    of_day({"NetAssetValuePerShare": 15.0}, "USD/shares"),
    of_day({"CommonStockSharesOutstanding": 30}, "shares"),
)


def test_business_development_company_shows_net_investment_income_and_asset_value() -> None:
    found = compute_fundamentals(LENDER, named(0))
    assert found.kind == "investment"
    shown = {"revenue": 100, "net_income": 40, "investment_income_per_share": 2}
    assert {name: value(found, name, "year", END) for name in shown} == shown
    held = {"equity": 450, "net_asset_value_per_share": 15, "debt_to_equity": 1.2}
    assert {name: value(found, name, "instant", END) for name in held} == held
    assert value(found, "net_margin", "year", END) is None
    price = SharePrice(value=18, day=FILED, origin="given")
    valuation = value_shares(found, price, ValuationTerms())
    assert valuation
    rows = {each.metric: (each.value, each.of) for each in valuation.rows}
    assert rows["price_to_book"] == (1.2, "net_asset_value_per_share")
    assert rows["price_to_investment_income"] == (9, "")


def drug_maker(revenue: float = 0, costs: float = 60, cash_flow: float = -48) -> Fundamentals:
    """Return a company with research costs; revenue is filed only if it is positive."""
    flows = {
        "NetIncomeLoss": -55,
        "OperatingIncomeLoss": revenue - costs,
        "OperatingExpenses": costs,
        "NetCashProvidedByUsedInOperatingActivities": cash_flow,
    }
    days = {"CashAndCashEquivalentsAtCarryingValue": 60, "Assets": 200, "ShortTermInvestments": 40}
    sold = {"Revenues": revenue} if revenue else {}
    return compute_fundamentals(join(of_year(flows | sold), of_day(days)), named(2836))


def test_company_without_revenue_says_so_and_how_long_its_cash_lasts() -> None:
    found = drug_maker()
    assert value(found, "cash_runway", "year", END) == 25
    [gap] = [gap for gap in found.gaps if gap.metric == "revenue"]
    assert (gap.state, gap.reason.code) == ("does_not_apply", "gap-no-revenue")
    [margin] = [gap for gap in found.gaps if gap.metric == "net_margin"]
    assert margin.state == "does_not_apply"


def test_cash_runway_is_of_companies_that_spend_cash() -> None:
    assert value(drug_maker(cash_flow=12), "cash_runway", "year", END) is None
    assert "cash_runway" not in {gap.metric for gap in drug_maker(cash_flow=12).gaps}


def test_revenue_under_an_unknown_tag_is_not_called_none() -> None:
    """Operating income of -45 and costs of 60 leave 15 of revenue, which no known tag has."""
    flows = {"NetIncomeLoss": -55, "OperatingIncomeLoss": -45, "OperatingExpenses": 60}
    found = compute_fundamentals(of_year(flows), named(2836))
    [gap] = [gap for gap in found.gaps if gap.metric == "revenue"]
    assert gap.state == "not_filed"


def test_health_insurer_shows_its_medical_cost_ratio_and_debt() -> None:
    found = company(6324)
    assert value(found, "medical_cost_ratio", "year", END) == 75
    assert value(found, "debt", "instant", END) == 300
    shown = {figure.metric for figure in found.figures}
    assert not shown & {
        "loss_ratio",
        "combined_ratio",
        "free_cash_flow",
        "net_cash",
        "gross_margin",
    }


def test_earnings_of_partnership_units_are_read() -> None:
    told = join(
        of_year({"NetIncomeLoss": 50, "Revenues": 400}),
        of_year(
            {"NetIncomeLossNetOfTaxPerOutstandingLimitedPartnershipUnitDiluted": 1.6}, "USD/shares"
        ),
        of_year({"WeightedAverageLimitedPartnershipUnitsOutstandingDiluted": 25}, "shares"),
    )
    found = compute_fundamentals(told, named(4922))
    assert value(found, "diluted_eps", "year", END) == 1.6
    assert value(found, "diluted_shares", "year", END) == 25


def test_life_insurer_has_no_loss_ratio() -> None:
    """Its reserves are for benefits that are paid in decades, out of premiums and what they earn."""
    days = {
        "LiabilityForFuturePolicyBenefits": 500.0,
        "LiabilityForClaimsAndClaimsAdjustmentExpense": 80.0,
    }
    found = company(6311, ticker="LIFE", **days)
    shown = {figure.metric for figure in found.figures}
    assert not shown & {"loss_ratio", "expense_ratio", "combined_ratio"}
    [gap] = [gap for gap in found.gaps if gap.metric == "loss_ratio"]
    assert (gap.state, gap.reason.code) == ("does_not_apply", "gap-beside-life-reserve-excess")
    other = company(6331, ticker="FIRE", **{tag: 580 - n for tag, n in days.items()})
    assert value(other, "loss_ratio", "year", END) == 75


def test_tangible_book_is_priced_by_diluted_shares_where_no_count_is_filed() -> None:
    told = filed()
    del told["facts"]["us-gaap"]["CommonStockSharesOutstanding"]
    counts = of_year({"WeightedAverageNumberOfDilutedSharesOutstanding": 10}, "shares")
    found = compute_fundamentals(join(told, counts), named(6021))
    price = SharePrice(value=30, day=FILED, origin="given")
    valuation = value_shares(found, price, ValuationTerms())
    assert valuation
    rows = {each.metric: each for each in valuation.rows}
    assert rows["price_to_tangible_book"].value == 2
    assert rows["price_to_tangible_book"].of == "tangible_book"


def test_company_without_newer_figures_does_not_hold_back_the_others() -> None:
    """One has filed nothing since 2020: the others are compared by 2023, and it is not ranked among them."""
    old = of_year({"Revenues": 100, "NetIncomeLoss": 50})
    for tag in old["facts"]["us-gaap"].values():
        tag["units"]["USD"] = [
            row("2020-01-01", "2020-12-31", r["val"], "2021-02-05", "10-K")
            for r in tag["units"]["USD"]
        ]
    told = [("OLD", old), ("ONE", filed()), ("TWO", filed())]
    peers = compare_companies([(compute_fundamentals(d, named(3571, t)), d) for t, d in told])
    assert [peer.common.end for peer in peers] == ["2020-12-31", END, END]
    rows = {str(r[0]): r[1:] for r in show_grid(build_peer_grid(peers)).rows}
    margin = next(c for label, c in rows.items() if label.startswith(en("metric-net-margin")))
    assert [str(cell).endswith(")") for cell in margin] == [False, True, True]


@pytest.mark.parametrize(("part", "is_noted"), [(30, True), (4, False)])
def test_material_financial_services_of_an_industrial_company_are_noted(
    part: float, is_noted: bool
) -> None:
    """Its debt, as that of a carmaker's bank, finances what customers buy."""
    of_services = [r | {"val": part * r["val"] / 400} for r in (year(2024, (100,) * 4))]
    told = listed({REVENUE: year(2024, (100,) * 4), "FinancialServicesRevenue": of_services})
    notes = find_notices(of(told), "company-captive-finance")
    assert [note["end"] for note in notes] == ["2024-12-31"] * is_noted


@pytest.mark.parametrize("tag", ["LongTermDebt", "OtherLongTermDebt"])
def test_long_term_debt_of_an_insurer_is_shown(tag: str) -> None:
    """AIG's 109.7 billion USD of March 2010 are filed as other long-term debt alone."""
    rows = [row("2023-01-01", "2023-12-31", 400, "2024-02-05", "10-K")]
    debt = [row("", "2023-12-31", 90, "2024-02-05", "10-K")]
    told = listed({"Revenues": rows, "NetIncomeLoss": rows, tag: debt})
    found = compute_fundamentals(told, Company(cik=1, ticker="ACME", name="Acme Corp.", sic=6331))
    assert value(found, "insurer_long_term_debt", "instant", "2023-12-31") == 90


@pytest.mark.parametrize(
    ("sic", "tags", "shown"),
    [
        (6324, {"InvestmentIncomeInterestAndDividend": 52}, 52),
        (6311, {"InvestmentIncomeInterestAndDividend": 52, "NetInvestmentIncome": 60}, 60),
        (6722, {"InvestmentIncomeInterestAndDividend": 52}, None),
    ],
    ids=["alone", "beside the usual tag", "a fund's gross income"],
)
def test_investment_income_of_an_insurer_is_read_under_other_tags_too(
    sic: int, tags: Mapping[str, float], shown: float | None
) -> None:
    """UnitedHealth files interest and dividends, a sixth of its operating income, and not what others do."""
    flows = of_year({"Revenues": 400, "PremiumsEarnedNet": 300, "NetIncomeLoss": 14} | dict(tags))
    found = compute_fundamentals(flows, named(sic))
    assert value(found, "investment_income", "year", END) == shown
