"""The table of all facts, in which what a report calls not found is looked up."""

from contracts.company.filings import Company
from domain.company.figures.computation import compute_fundamentals
from domain.company.figures.filed.newest_facts_table import MAX_CHARS, list_filed
from tests.domain.company.figures.companies import INCOME, REVENUE, listed, row

COMPANY = Company(cik=1, ticker="ACME", name="Acme Inc.")


def test_facts_that_no_metric_reads_are_listed_with_their_newest_periods() -> None:
    years = [("2022-01-01", "2022-12-31", 6), ("2023-01-01", "2023-12-31", 7)]
    flows = {
        name: [row(start, end, value, "2024-02-05", "10-K") for start, end, value in years]
        for name in (REVENUE, INCOME, "LitigationSettlementExpense")
    }
    old = [row("", "2015-12-31", 3, "2016-02-05", "10-K")]
    facts = listed(flows | {"OldThing": old, "Odd|Thing": [row("", "2023-12-31", 9, "2024-02-05")]})
    lines = [*list_filed(facts, compute_fundamentals(facts, COMPANY))]
    told = [line for line in lines if "Litigation settlement expense" in line]
    assert told == [
        "| Litigation settlement expense | USD | year to 2023-12-31: 7; year to 2022-12-31: 6 |"
    ]
    assert not [line for line in lines if "Old thing" in line]
    assert [line for line in lines if "Odd/thing" in line]
    assert all(line.count(" | ") == 2 for line in lines)


def test_facts_filed_after_the_day_of_the_figures_are_not_listed() -> None:
    days = [("2022-12-31", 6, "2023-02-05"), ("2023-12-31", 7, "2024-02-05")]
    flows = {
        name: [row(f"{end[:4]}-01-01", end, value, filed, "10-K") for end, value, filed in days]
        for name in (REVENUE, INCOME, "OtherThing")
    }
    facts = listed(flows)
    lines = [*list_filed(facts, compute_fundamentals(facts, COMPANY, "2023-12-31"))]
    assert [line.rpartition(" | ")[2] for line in lines if "Other thing" in line] == [
        "year to 2022-12-31: 6 |"
    ]


def test_rows_beyond_the_limit_are_counted() -> None:
    years = [row("2023-01-01", "2023-12-31", 7, "2024-02-05", "10-K")]
    tags = {f"Thing{'x' * 300}{n}": years for n in range(1_500)}
    facts = listed({REVENUE: years, INCOME: years, **tags})
    *lines, last = list_filed(facts, compute_fundamentals(facts, COMPANY))
    assert last == f"| {1_504 - len(lines)} more, for which this page has no room | – | – |"
    assert sum(map(len, lines)) < MAX_CHARS + 200


def test_labels_and_units_of_a_hostile_file_stay_in_their_cells() -> None:
    days = [row("", "2023-12-31", 9, "2024-02-05")]
    years = {
        n: [row("2023-01-01", "2023-12-31", 7, "2024-02-05", "10-K")] for n in (REVENUE, INCOME)
    }
    facts = listed(years)
    about = {
        "label": "a | b\n" * 40,
        "units": {"x|\ny": days, "USD": [{**days[0], "val": True}]},
    }
    facts["facts"]["us-gaap"]["Thing"] = about
    lines = [*list_filed(facts, compute_fundamentals(facts, COMPANY))]
    [told] = [line for line in lines if "Thing" in line]
    assert told.endswith("(Thing) | x/ y | on 2023-12-31: 9 |"), "true is no number"
    assert len(told) < 400
    facts["facts"]["us-gaap"]["Thing"] = about | {"label": "a | b\n" * 9_000}
    lines = [*list_filed(facts, compute_fundamentals(facts, COMPANY))]
    [told] = [line for line in lines if "Thing" in line]
    assert told.startswith("| Thing |"), "no label is cut"


def test_small_and_almost_whole_numbers_are_written_as_filed() -> None:
    """Meta's par value of 0.000006 was printed as "0."."""
    flows = {
        name: [row("2023-01-01", "2023-12-31", 5, "2024-02-05", "10-K")]
        for name in (REVENUE, INCOME)
    }
    days = {"Par": 0.000006, "Almost": 34_120_000_000.00001, "Ratio": 0.25}
    flows |= {name: [row("", "2023-12-31", value, "2024-02-05")] for name, value in days.items()}
    facts = listed(flows)
    lines = [*list_filed(facts, compute_fundamentals(facts, COMPANY))]
    told = [
        line.rpartition(": ")[2] for line in lines if line.startswith(("| Par", "| Al", "| Ra"))
    ]
    assert told == ["0.000006 |", "34,120,000,000 |", "0.25 |"]
