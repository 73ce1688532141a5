"""Revenue and operating income by segment, product and region, as filings tag them."""

from typing import Any

from contracts.company.filings import Filing, Part
from contracts.documents import TaggedFigure
from domain.company.figures.grids import show_grid
from domain.company.filings.parts import (
    build_parts_grid,
    note_older_parts,
    render_parts,
    select_parts,
)
from tests.domain.company.figures.companies import list_texts

REVENUE = "RevenueFromContractWithCustomerExcludingAssessedTax"
ANNUAL = Filing(form="10-K", accession="a-25", filed="2026-02-01", end="2025-12-31")
QUARTERLY = Filing(form="10-Q", accession="q-26", filed="2026-05-01", end="2026-03-31")
YEARS = [(f"{year}-01-01", f"{year}-12-31") for year in (2025, 2024, 2023, 2022)]
QUARTER, YEAR_AGO = ("2026-01-01", "2026-03-31"), ("2025-01-01", "2025-03-31")


def tagged(
    member: str, value: float, period: tuple[str, str] = QUARTER, **more: Any
) -> TaggedFigure:
    given = {"axis": "segment" if member else "", "label": "Net sales", "concept": REVENUE}
    span = {"start": period[0], "end": period[1]}
    return TaggedFigure(member=member, value=value * 1e6, unit="USD", **{**given, **span, **more})


def values(parts: list[Part]) -> dict[str, float]:
    return {part.name: part.value / 1e6 for part in parts}


def test_three_years_and_the_newest_quarter_beside_the_year_before_are_shown() -> None:
    years = [tagged("x:NorthMember", 10 + n, year) for n, year in enumerate(YEARS)]
    quarters = [
        tagged("x:NorthMember", 4, QUARTER),
        tagged("x:NorthMember", 3, YEAR_AGO),
        tagged("x:NorthMember", 7, ("2025-10-01", "2025-12-31")),
        tagged("x:NorthMember", 9, ("2025-07-01", "2026-03-31")),
    ]
    parts = select_parts([(ANNUAL, years), (QUARTERLY, quarters)])
    assert [(p.period, p.end, p.value) for p in parts] == [
        ("year", "2025-12-31", 10e6),
        ("year", "2024-12-31", 11e6),
        ("year", "2023-12-31", 12e6),
        ("quarter", "2026-03-31", 4e6),
        ("quarter", "2025-03-31", 3e6),
    ]
    table = list_texts(render_parts(parts))
    assert table[1].endswith("in its 10-K filed 2026-02-01 and its 10-Q filed 2026-05-01.")
    assert table[3] == "Revenue by segment:"
    assert table[5].startswith(
        "| Millions of USD | quarter to 2026-03-31 | quarter to 2025-03-31 | year to 2025"
    )
    assert table[-1] == "| North | 4.0 | 3.0 | 10.0 | 11.0 | 12.0 |"


def test_a_newer_filing_overrules_an_older_one() -> None:
    old, new = tagged("x:NorthMember", 10, YEARS[0]), tagged("x:NorthMember", 9, YEARS[0])
    [part] = select_parts([(ANNUAL, [old]), (QUARTERLY, [new])])
    assert (part.value, part.accession) == (9e6, "q-26")


def test_a_line_that_sums_others_up_is_left_out() -> None:
    products = [("x:GoodsMember", 60), ("x:PumpMember", 45), ("x:PipeMember", 15)]
    figures = [tagged(name, value) for name, value in [*products, ("x:ServiceMember", 40)]]
    parts = select_parts([(QUARTERLY, [*figures, tagged("", 100)])])
    assert values(parts) == {"Pump": 45, "Pipe": 15, "Service": 40}


def test_what_the_parts_do_not_add_up_to_is_said() -> None:
    income: Any = {"concept": "OperatingIncomeLoss"}
    told = [tagged("x:NorthMember", 80, **income), tagged("x:SouthMember", 50, **income)]
    parts = select_parts([(QUARTERLY, [*told, tagged("", 100, **income)])])
    [head] = [
        line for line in list_texts(render_parts(parts)) if line.startswith("Operating income")
    ]
    assert "they add up to 130% of the company's" in head
    *_, last = show_grid(build_parts_grid(parts, "Kestrel", QUARTER[1])).rows
    assert last == ["Operating income by segment: together, in percent of the company's", "130.0"]


def test_a_part_is_called_by_its_row_or_else_by_its_own_name() -> None:
    figures = [
        tagged("x:IPhoneMember", 1, label="iPhone®"),
        tagged("x:IPhoneMember", 1, YEAR_AGO, label="Net sales"),
        tagged("x:RestOfWorldSegmentMember", 2),
        tagged("country:US", 3, axis="region", label="United States"),
        tagged("x:A|BMember", 4, axis="product", label="A|B"),
    ]
    names = {part.name for part in select_parts([(QUARTERLY, figures)])}
    assert names == {"iPhone", "Rest Of World", "US", "AB"}


def test_parts_whose_rows_begin_alike_keep_their_own_names() -> None:
    labels = {"x:OtherPumpMember": "Other", "x:OtherPipeMember": "Other", "x:OthersMember": "Other"}
    figures = [
        tagged(member, n, label=label) for n, (member, label) in enumerate(labels.items(), 1)
    ]
    found = values(select_parts([(QUARTERLY, figures)]))
    assert found == {"Other Pump": 1, "Other Pipe": 2, "Others": 3}


def test_a_report_has_the_parts_as_one_table() -> None:
    told = [tagged("x:NorthMember", 80), tagged("x:SouthMember", 50, YEARS[0])]
    income = tagged("x:NorthMember", 8, concept="OperatingIncomeLoss")
    parts = select_parts([(ANNUAL, told[1:]), (QUARTERLY, [told[0], income])])
    table = show_grid(build_parts_grid(parts, "Kestrel", QUARTER[1]))
    assert table.columns == ["Millions of USD", "quarter to 2026-03-31", "year to 2025-12-31"]
    assert table.title == "Kestrel: by part"
    assert table.rows == [
        ["Filing", "10-Q filed 2026-05-01", "10-K filed 2026-02-01"],
        ["Revenue by segment: South", None, "50.0"],
        ["Revenue by segment: North", "80.0", None],
        ["Operating income by segment: North", "8.0", None],
    ]


def test_parts_older_than_the_figures_are_noted_and_the_table_is_called_so() -> None:
    old, new = tagged("x:NorthMember", 80, YEARS[0]), tagged("x:SouthMember", 20, axis="region")
    income = tagged("x:NorthMember", 8, YEARS[0], concept="OperatingIncomeLoss")
    parts = select_parts([(ANNUAL, [old, income]), (QUARTERLY, [new])])
    [note] = note_older_parts(parts, QUARTER[1])
    assert note.code == "parts-older"
    assert note.text == (
        "Older than the figures, which are to 2026-03-31: Revenue by segment, to 2025-12-31 (10-K"
        " filed 2026-02-01); Operating income by segment, to 2025-12-31 (10-K filed 2026-02-01)."
    )
    assert note_older_parts(parts, YEARS[0][1]) == []
    alone = select_parts([(ANNUAL, [old])])
    titles = [build_parts_grid(told, "Kestrel", QUARTER[1]).title for told in (parts, alone)]
    assert titles == [
        "Kestrel: by part, partly older than its figures, which are to 2026-03-31",
        "Kestrel: by part, older than its figures, which are to 2026-03-31",
    ]


def test_many_parts_are_cut_and_said_so() -> None:
    figures = [tagged(f"x:P{n:02d}Member", n) for n in range(1, 12)]
    lines = list_texts(render_parts(select_parts([(QUARTERLY, figures)])))
    assert lines[-1] == "3 smaller ones are left out."
    assert lines[7].startswith("| P11 |")


def test_filings_without_parts_have_no_table() -> None:
    assert (
        list_texts(render_parts(select_parts([(ANNUAL, [tagged("", 5)]), (QUARTERLY, [])]))) == []
    )
