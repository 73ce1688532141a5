"""Revenue and operating income by segment, product and region, as filings tag them."""

from typing import Any

import pytest

from contracts.agents.tool_definitions import TableCell
from contracts.company.filings import Filing, Part
from contracts.documents import TaggedFigure
from contracts.notices import Notice
from domain.company.figures.filed.metrics import LABELS, say_metric
from domain.company.figures.tables.grids import show_grid
from domain.company.filings.parts import (
    MAX_NAME_CHARS,
    MAX_ROWS,
    build_parts_grid,
    name_filing,
    note_older_parts,
    select_parts,
)
from tests.support.words import en

REVENUE = "RevenueFromContractWithCustomerExcludingAssessedTax"
ANNUAL = Filing(form="10-K", accession="a-25", filed="2026-02-01", end="2025-12-31")
QUARTERLY = Filing(form="10-Q", accession="q-26", filed="2026-05-01", end="2026-03-31")
BY_SEGMENT = f"{LABELS['revenue']} {en('axis-segment')}"
YEARS = [(f"{year}-01-01", f"{year}-12-31") for year in (2025, 2024, 2023, 2022)]
QUARTER, YEAR_AGO = ("2026-01-01", "2026-03-31"), ("2025-01-01", "2025-03-31")


def tagged(
    member: str, value: float, period: tuple[str, str] = QUARTER, **more: Any
) -> TaggedFigure:
    given = {"axis": "segment" if member else "", "label": "Net sales", "concept": REVENUE}
    span = {"start": period[0], "end": period[1]}
    return TaggedFigure(member=member, value=value * 1e6, unit="USD", **{**given, **span, **more})


def show(parts: list[Part]) -> list[list[TableCell]]:
    return show_grid(build_parts_grid(parts, "Kestrel")).rows


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
    assert show(parts)[-1] == [f"{BY_SEGMENT}: North", "4.0", "3.0", "10.0", "11.0", "12.0"]


def test_a_newer_filing_overrules_an_older_one() -> None:
    old, new = tagged("x:NorthMember", 10, YEARS[0]), tagged("x:NorthMember", 9, YEARS[0])
    [part] = select_parts([(ANNUAL, [old]), (QUARTERLY, [new])])
    assert (part.value, part.accession) == (9e6, "q-26")


GOODS = {"x:GoodsMember": 60, "x:PumpMember": 45, "x:PipeMember": 15}


@pytest.mark.parametrize(
    ("given", "whole", "left"),
    [
        (GOODS | {"x:ServiceMember": 40}, 100, {"Pump": 45, "Pipe": 15, "Service": 40}),
        (GOODS, 60, {"Pump": 45, "Pipe": 15}),
    ],
)
def test_a_line_that_sums_others_up_is_left_out(
    given: dict[str, float], whole: float, left: dict[str, float]
) -> None:
    figures = [tagged(name, value) for name, value in given.items()]
    parts = select_parts([(QUARTERLY, [*figures, tagged("", whole)])])
    assert values(parts) == left


def test_what_the_parts_do_not_add_up_to_is_said() -> None:
    income: Any = {"concept": "OperatingIncomeLoss"}
    told = [tagged("x:NorthMember", 80, **income), tagged("x:SouthMember", 50, **income)]
    parts = select_parts([(QUARTERLY, [*told, tagged("", 100, **income)])])
    assert show(parts)[-1][1] == "130.0", "percent of the company's"


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


def test_label_too_long_for_a_table_gives_way_to_the_parts_own_name() -> None:
    label = "Rest of world " * 20
    figures = [
        tagged("x:RestOfWorldSegmentMember", 2, label=label),
        tagged(f"x:{'Y' * 400}Member", 3, label=label),
    ]
    names = {part.name for part in select_parts([(QUARTERLY, figures)])}
    assert names == {"Rest Of World", "Y" * MAX_NAME_CHARS}


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
    table = show_grid(build_parts_grid(parts, "Kestrel"))
    assert table.columns == [
        en("grid-in", unit="USD"),
        en("column-part-quarter", end="2026-03-31"),
        en("column-part-year", end="2025-12-31"),
    ]
    assert table.title == en("grid-parts", company="Kestrel")
    assert table.rows == [
        [en("row-filing"), name_filing(QUARTERLY).text, name_filing(ANNUAL).text],
        [f"{BY_SEGMENT}: North", "80.0", None],
        [f"{BY_SEGMENT}: South", None, "50.0"],
        [f"{LABELS['operating_income']} {en('axis-segment')}: North", "8.0", None],
    ]


def test_parts_older_than_the_figures_are_noted() -> None:
    old, new = tagged("x:NorthMember", 80, YEARS[0]), tagged("x:SouthMember", 20, axis="region")
    income = tagged("x:NorthMember", 8, YEARS[0], concept="OperatingIncomeLoss")
    parts = select_parts([(ANNUAL, [old, income]), (QUARTERLY, [new])])
    [note] = note_older_parts(parts, QUARTER[1])
    told = {"axis": Notice.of("axis-segment", "info"), "filing": name_filing(ANNUAL)}
    older = [
        Notice.of("parts-of", "info", metric=say_metric(metric), end="2025-12-31", **told)
        for metric in ("revenue", "operating_income")
    ]
    assert note == Notice.of("parts-older", end="2026-03-31", parts=older)
    assert note_older_parts(parts, YEARS[0][1]) == []


def test_many_parts_are_cut_and_said_so() -> None:
    figures = [tagged(f"x:P{n:02d}Member", n) for n in range(MAX_ROWS + 3)]
    _, largest, *_, last = show(select_parts([(QUARTERLY, figures)]))
    assert largest == [f"{BY_SEGMENT}: P{MAX_ROWS + 2:02d}", f"{MAX_ROWS + 2}.0"]
    left_out = Notice.of("row-smaller", row=BY_SEGMENT, n=3)
    assert last == [left_out.text, None]


def test_filings_without_parts_have_none() -> None:
    assert select_parts([(ANNUAL, [tagged("", 5)]), (QUARTERLY, [])]) == []
