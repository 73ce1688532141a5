"""The engineer's workbench: arithmetic, tables and charts, journaled and kept in blobs."""

import contextlib
import csv
import io
import re
import subprocess
import sys
import uuid
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import ValidationError
from temporalio.testing import ActivityEnvironment

from activities.calculations_and_charts import WorkbenchActivities, build_chart, store_table
from activities.calls.journaled_call import JournaledCalls
from activities.calls.tool_calls import ToolCalls, is_permanent
from activities.integrations.charts import draw, figure
from activities.table_csv import read_csv, to_csv
from contracts.access.principal import Principal
from contracts.agents.calculations_and_charts import Artifact, TableChartRequest, WorkbenchRequest
from contracts.agents.tool_definitions import (
    CalculateArgs,
    ChartArgs,
    ChartSeries,
    TableArgs,
    TableChartArgs,
)
from contracts.errors import ToolFailed
from contracts.models.call import Scope
from domain.evidence.figures.arithmetic import calculate
from store.blobs import BlobStore
from store.calls.call_journal import Journal
from store.postgres.pool import Pool
from store.postgres.process_lease import Lease
from store.run_records.event_log import EventRepository
from tests.support.refusals import refused
from tests.support.words import en, opening, pattern

ROOT = Path(__file__).parent.parent.parent
CHART: dict[str, Any] = {
    "title": "Internet users <& more>",
    "kind": "bar",
    "x_label": "Country",
    "y_label": "Users",
    "unit": "million",
    "x": ["Kenya", "Côte d’Ivoire", "日本"],
    "series": [{"name": "2022", "values": [21.75, 1e7, None]}],
}
FIGURES = st.floats(-1e18, 1e18, allow_nan=False, allow_subnormal=False)
LABELS = st.text(min_size=1, max_size=60).filter(lambda t: any(c.isprintable() for c in t.strip()))


# --- arithmetic


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("0.1 + 0.2", 0.3),
        ("a / b - 1", 0.5),
        ("-2 ** 2 + 7 // 2 % 2", -3.0),
        ("round(max(a, b, 10) / 3, 2)", 3.33),
        ("sqrt(16) + abs(-1) + min(4, 2)", 7.0),
        ("1234567 * 7654321", 9449772114007.0),
        ("(3,363,500 - 1,000) / 2", 1681250.0),
        ("max(1,200) + 0", 200.0),
    ],
)
def test_expression_is_calculated(expression: str, value: float) -> None:
    assert calculate(expression, {"a": 3, "b": 2}) == value


@pytest.mark.parametrize(
    ("expression", "code"),
    [
        ("1 / (a - 3)", "sum-by-zero"),
        ("9 ** 9 ** 9 ** 9", "sum-large"),
        ("1e400", "sum-unreal"),
        ("(-8) ** 0.5", "sum-unreal"),
        ("'a' * 10 ** 9", "sum-wrong"),
        ("True + 1", "sum-wrong"),
        ("other + 1", "sum-wrong"),
        ("1; 2", "sum-none"),
        ("1\n2", "sum-none"),
        ("", "sum-none"),
        ("[x for x in [1, 2]]", "sum-wrong"),
        ("a.real", "sum-wrong"),
        ("round(1, ndigits=2)", "sum-wrong"),
        ("__import__('os')", "sum-wrong"),
        ("min()", "sum-wrong"),
    ],
)
def test_invalid_expression_is_explained(expression: str, code: str) -> None:
    with refused(ToolFailed, code) as raised:
        calculate(expression, {"a": 3})
    assert [problem.path for problem in raised.value.problems] == ["expression"]


@given(st.text(alphabet="0123456789.+-*/%() ab,**roundsqrtexplog'[]{}e_:;=\n", max_size=60))
@settings(max_examples=200, deadline=2_000)
def test_arbitrary_text_can_only_fail(expression: str) -> None:
    with contextlib.suppress(ToolFailed):
        assert isinstance(calculate(expression, {"a": 1e300, "b": -2}), float)


# --- arguments


@pytest.mark.parametrize(
    ("args", "place"),
    [
        ({"rows": [["a", 1], ["b"]]}, "rows[1] has 1 cells for 2 columns"),
        ({"rows": []}, "rows"),
        ({"columns": [], "rows": [[]]}, "columns"),
        ({"columns": [f"c{n}" for n in range(13)]}, "columns"),
        ({"rows": [["a", "b" * 201]]}, "200 characters"),
        ({"rows": [["a", float("nan")]]}, "finite"),
        ({"title": "\n"}, "title"),
    ],
)
def test_table_must_be_bounded_and_rectangular(args: dict[str, Any], place: str) -> None:
    with pytest.raises(ValidationError, match=place.replace("[", r"\[")):
        TableArgs.model_validate({"title": "T", "columns": ["x", "y"], "rows": [["a", 1]]} | args)


@pytest.mark.parametrize(
    ("args", "place"),
    [
        ({"series": [{"name": "s", "values": [1]}]}, "1 values for 3 x values"),
        ({"series": [{"name": "s", "values": [None] * 3}]}, "no value is given"),
        ({"kind": "scatter"}, "a scatter chart takes numbers"),
        ({"kind": "pie"}, "kind"),
        ({"x": [10**400, 2, 3]}, "x"),
        ({"series": [{"name": "s", "values": [1e19, 1, 1]}]}, "less than or equal"),
    ],
)
def test_chart_must_be_bounded_and_complete(args: dict[str, Any], place: str) -> None:
    with pytest.raises(ValidationError, match=place):
        ChartArgs.model_validate(CHART | args)


def test_names_and_numbers_keep_their_types() -> None:
    years: dict[str, Any] = {"x": [2020, 2021, 2022.5]}
    assert not ChartArgs.model_validate(CHART | {"x": ["2020", "2021", "b"]}).is_measured
    assert ChartArgs.model_validate(CHART | years).is_measured
    table = TableArgs(title="a\nb", columns=["x"], rows=[["5"], [5], [None]])
    assert (table.title, table.rows) == ("a b", [["5"], [5.0], [None]])


# --- tables and charts


@given(st.lists(st.lists(st.one_of(st.none(), FIGURES, LABELS), min_size=2, max_size=2)))
def test_table_round_trips_through_csv(rows: list[list[Any]]) -> None:
    table = TableArgs(title="T", columns=["a", "=b"], rows=[["x", "y"], *rows[:20]])
    found = list(csv.reader(io.StringIO(to_csv(table).decode(), newline="")))
    assert found[0] == ["a", "'=b"]
    for row, cells in zip(table.rows, found[1:], strict=True):
        for value, cell in zip(row, cells, strict=True):
            if isinstance(value, float):
                assert float(cell) == pytest.approx(value)
            else:
                assert cell.removeprefix("'") == (value or "").removeprefix("'")


def drawn(svg: bytes) -> list[str]:
    """Return the texts of a drawing that is well-formed, still and loads nothing."""
    root = ET.fromstring(svg)
    tags = {element.tag.rpartition("}")[2] for element in root.iter()}
    assert not tags & {"script", "image", "a", "foreignObject", "use"}
    assert b"<!--" not in svg
    assert b"<?xml-stylesheet" not in svg
    return [element.text or "" for element in root.iter() if element.tag.endswith("text")]


@pytest.mark.parametrize(
    "args",
    [
        {},
        {"kind": "line"},
        {"kind": "line", "x": [2015, 2020, 2023]},
        {"kind": "scatter", "x": [0.5, 20_000, 3]},
    ],
    ids=["bars", "line of names", "line of years", "points"],
)
def test_chart_names_its_series(args: dict[str, Any]) -> None:
    chart = ChartArgs.model_validate(CHART | args)
    told = drawn(draw(chart))
    assert {chart.title, "Country", "Users (million)", "2022"} <= set(told)
    if not chart.is_measured:
        assert {"Kenya", "Côte d’Ivoire", "日本"} <= set(told)
    assert draw(chart) == draw(chart)


def test_many_long_names_get_a_line_each() -> None:
    names = [f"The region with the number {n}" for n in range(40)]
    series = [{"name": "s", "values": list(range(40))}]
    told = drawn(draw(ChartArgs.model_validate(CHART | {"x": names, "series": series})))
    shown = [text for text in told if text in names]
    assert shown == names[::-1], "bars are drawn from below, so the first is on top"


def test_many_dates_are_labelled_in_part() -> None:
    dates = [f"{year}-{month:02}" for year in range(2015, 2023) for month in range(1, 13)]
    args = {"kind": "line", "x": dates, "series": [{"name": "s", "values": [1.0] * len(dates)}]}
    told = drawn(draw(ChartArgs.model_validate(CHART | args)))
    assert 5 <= sum(text in dates for text in told) <= 15


@given(
    kind=st.sampled_from(["bar", "line", "scatter"]),
    title=LABELS,
    points=st.lists(
        st.tuples(st.floats(-1e12, 1e12), FIGURES | st.none(), LABELS), min_size=1, max_size=5
    ),
    named=st.booleans(),
)
@settings(max_examples=30, deadline=None)
def test_any_valid_chart_is_drawn(kind: str, title: str, points: list[Any], named: bool) -> None:
    x = [p[2] if named and kind != "scatter" else p[0] for p in points]
    values = [0.0, *(p[1] for p in points[1:])]
    series = [{"name": title, "values": values}, {"name": "b", "values": [None] * len(values)}]
    drawn(draw(ChartArgs.model_validate(CHART | {"kind": kind, "x": x, "series": series})))


@pytest.mark.parametrize(
    ("x", "values"), [([2.0**54], [1]), ([0, 1], [0, 5e-324])], ids=["huge", "subnormal"]
)
def test_chart_without_a_scale_is_explained(x: list[float], values: list[float]) -> None:
    args = {"kind": "scatter", "x": x, "series": [{"name": "s", "values": values}]}
    with pytest.raises(ToolFailed, match=pattern("chart-scale")):
        draw(ChartArgs.model_validate(CHART | args))


@pytest.mark.parametrize(
    ("value", "told"),
    [(1e9, "1,000,000,000"), (0.25, "0.25"), (-0.00001, "-1e-05"), (0, "0"), (2.50, "2.5")],
)
def test_numbers_are_formatted_for_people(value: float, told: str) -> None:
    assert figure(value) == told


def test_drawing_library_is_loaded_lazily() -> None:
    loaded = "import sys, activities.integrations.charts; print('pygal' in sys.modules)"
    said = subprocess.run([sys.executable, "-c", loaded], cwd=ROOT, capture_output=True, check=True)
    assert said.stdout == b"False\n"


# --- the activity


@dataclass
class Bench:
    """A run's workbench with its stored results."""

    made: WorkbenchActivities
    blobs: BlobStore
    events: EventRepository
    run_id: str

    def scope(self, name: str) -> Scope:
        return Scope(run_id=self.run_id, phase_id="control", attempt=1, name=name)


@pytest.fixture
async def bench(database: str, tmp_path: Path) -> AsyncIterator[Bench]:
    async with Pool(database) as pool, Lease(database) as lease:
        await lease.held.wait()
        events, blobs = EventRepository(pool), BlobStore(tmp_path.as_uri())
        calls = ToolCalls(JournaledCalls(Journal(pool, lease)), events, is_permanent)
        made = WorkbenchActivities(calculate, draw, blobs, calls)
        yield Bench(made, blobs, events, f"run-{uuid.uuid4()}")


async def test_artifact_is_stored_once_and_logged(bench: Bench) -> None:
    run, env = bench.run_id, ActivityEnvironment()
    chart = WorkbenchRequest(scope=bench.scope("c"), args=ChartArgs.model_validate(CHART))
    first = await env.run(bench.made.chart, chart)
    assert await env.run(bench.made.chart, chart) == first, "a retry says the same"
    assert (first.kind, first.media_type) == ("chart", "image/svg+xml")
    assert first.note == "2022: Users (million) · Country"
    svg = await bench.blobs.get("default", first.blob_key)
    assert (len(svg), first.blob_key.startswith(f"{run}/")) == (first.bytes, True)
    rows: list[list[Any]] = [[f"row {n}", n] for n in range(30)]
    args = TableArgs(title="Rows", columns=["name", "n"], rows=rows)
    table = await env.run(bench.made.table, WorkbenchRequest(scope=bench.scope("t"), args=args))
    assert (table.rows, len(table.preview), table.preview[1]) == (30, 25, ["row 0", "0"])
    assert (await bench.blobs.get("default", table.blob_key)).startswith(b"name,n\r\nrow 0,0\r\n")
    again = WorkbenchRequest(scope=bench.scope("t2"), args=args)
    assert (await env.run(bench.made.table, again)).id == table.id, "it follows from what it is"
    told = await bench.events.read(Principal(), run)
    assert [e.type for e in told] == ["ToolCall", "ToolCallResult"] * 2, "the same is asked once"
    assert told[0].payload["tool_name"] == "chart"


async def _preview(
    bench: Bench, columns: list[str], rows: list[list[Any]], figure_columns: Sequence[int] = ()
) -> list[list[str]]:
    args = TableArgs(title="Rows", columns=columns, rows=rows)
    stored = await store_table(args, bench.blobs, bench.scope("t"), figure_columns)
    return stored.preview[1:]


async def test_digits_of_large_numbers_are_grouped_and_years_are_not(bench: Bench) -> None:
    row: list[Any] = [2_024.0, 41_198.0, -1_234_567.25, "41198", None, 5e9]
    [told] = await _preview(bench, [*"abcdef"], [row])
    assert told == ["2024", "41,198", "-1,234,567.25", "41198", "", "5,000,000,000"]


async def test_thousands_stand_apart_in_columns_that_are_known_to_hold_figures(
    bench: Bench,
) -> None:
    told = await _preview(bench, ["Year", "Sales"], [[2024, 3839.8], [2025, 1456]], [1])
    assert told == [["2024", "3,839.8"], ["2025", "1,456"]]


async def test_long_labels_of_a_table_are_shown_whole(bench: Bench) -> None:
    title = "Snowflake Inc.: quarterly revenue rose 25.7% to 1.04 billion USD in the first quarter"
    told = await _preview(bench, ["a", "b"], [[title, "x" * 200]])
    assert told == [[title, "x" * 200]]


async def test_rows_beyond_a_table_count_among_its_rows(bench: Bench) -> None:
    args = TableArgs(title="Rows", columns=["a"], rows=[["x"]] * 200, rows_left_out=30)
    stored = await store_table(args, bench.blobs, bench.scope("t"))
    assert stored.rows == 230


async def test_journaled_error_is_the_same_on_a_retry(bench: Bench) -> None:
    args = CalculateArgs(expression="a / 0", variables={"a": 1})
    request = WorkbenchRequest(scope=bench.scope("sum"), args=args)
    for _ in range(2):
        with refused(ToolFailed, "sum-by-zero"):
            await ActivityEnvironment().run(bench.made.calculate, request)
    told = await bench.events.read(Principal(), bench.run_id)
    assert [e.payload.get("tool_output", {}).get("is_error") for e in told] == [None, True]  # type: ignore[union-attr]


def test_series_must_be_bounded() -> None:
    with pytest.raises(ValidationError, match="at most 200"):
        ChartSeries(name="s", values=[1.0] * 201)


@pytest.mark.parametrize("kind", ["line", "bar", "scatter"])
@pytest.mark.parametrize(
    ("low", "high"),
    [(1, 1.0000000000000002), (1e18, 1e18 - 128), (2**53, 2**53 + 2), (-7, -7 + 1e-14)],
)
def test_values_too_close_for_their_size_are_refused(kind: Any, low: float, high: float) -> None:
    """Over such a scale, pygal never ends."""
    close: list[float | None] = [low, high]
    apart: list[float | None] = [1.0, 2.0]
    for x, y in (([low, high], apart), ([1.0, 2.0], close)):
        if kind == "bar" and x == [low, high]:
            continue
        series = [ChartSeries(name="s", values=y)]
        chart = ChartArgs(title="t", kind=kind, x_label="x", y_label="y", x=x, series=series)
        with refused(ToolFailed, "chart-spread"):
            draw(chart)


def test_equal_values_are_drawn() -> None:
    series = [ChartSeries(name="s", values=[5.0, 5.0])]
    args = ChartArgs(title="t", kind="line", x_label="x", y_label="y", x=["a", "b"], series=series)
    assert draw(args).startswith(b"<?xml")


# --- charts of a table

SALES = TableArgs(
    title="Sales",
    columns=["Year", "Income", "Cost", "Note", "=Share"],
    rows=[[2020.0, 9_000.0, -3.5, "low", "0.5"], [2021.0, 12_345.678, None, "-", 1e-9]],
)


def drawn_of(table: TableArgs, **changes: Any) -> ChartArgs:
    """Return the chart of a table after storing it as CSV."""
    kept = Artifact(
        id="t", name=table.title, kind="table", media_type="text/csv", blob_key="", bytes=0
    )
    told = {"title": "T", "table": "t", "kind": "line", "x": "Year", "columns": ["Income"]}
    args = TableChartArgs.model_validate({**told, "y_label": "USD", **changes})
    return build_chart(args, kept, read_csv(to_csv(table)))


def test_chart_draws_what_its_table_holds_to_the_digit() -> None:
    chart = drawn_of(SALES, columns=["Income", "Cost", "=Share"])
    assert chart.x == [2020.0, 2021.0]
    assert chart.x_label == "Year"
    assert [(s.name, s.values) for s in chart.series] == [
        ("Income", [9_000.0, 12_345.678]),
        ("Cost", [-3.5, None]),
        ("=Share", [0.5, 1e-9]),
    ]


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        (
            {"columns": ["Gain"]},
            "columns[0]: "
            + opening(
                "chart-no-column", "columns", table="Sales", column="Gain", columns="Year, Inc"
            ),
        ),
        (
            {"x": "Day"},
            "x: "
            + opening("chart-no-column", "columns", table="Sales", column="Day", columns="Year"),
        ),
        (
            {"columns": ["Income", "Note"]},
            "columns[1]: " + en("chart-no-number", row=1, column="Note", cell="low"),
        ),
        ({"kind": "scatter", "x": "Note"}, "x: a scatter chart takes numbers"),
    ],
)
def test_chart_of_what_a_table_lacks_names_what_it_has(changes: Any, told: str) -> None:
    with pytest.raises(ToolFailed) as refused:
        drawn_of(SALES, **changes)
    assert str(refused.value).startswith(told)


@settings(max_examples=100, deadline=None)
@given(st.lists(st.one_of(FIGURES, st.none()), min_size=1, max_size=20), LABELS)
def test_any_numbers_of_a_table_are_drawn_as_they_are(
    values: list[float | None], name: str
) -> None:
    rows: list[list[Any]] = [[f"{name}{n}", value] for n, value in enumerate(values)]
    table = TableArgs(title="T", columns=["Year", "Income"], rows=[["a", 1.0], *rows])
    chart = drawn_of(table, kind="bar")
    kept = [None if v is None else float(f"{v:.15g}") for v in values]
    assert chart.series[0].values[1:] == kept
    assert chart.x == [row[0] for row in table.rows]


async def test_stored_chart_names_its_table(bench: Bench) -> None:
    env = ActivityEnvironment()
    args = WorkbenchRequest(scope=bench.scope("t"), args=SALES)
    table = await env.run(bench.made.table, args)
    asked = TableChartArgs(
        title="Income", table=table.id, kind="bar", x="Note", columns=["Income"], y_label="USD"
    )
    request = TableChartRequest(scope=bench.scope("c"), args=asked, table=table)
    chart = await env.run(bench.made.chart_table, request)
    assert (chart.kind, chart.table, chart.note) == ("chart", table.id, "Income: USD · Note")


@pytest.mark.parametrize(
    ("values", "first", "last"),
    [([82.0, 83.2, 85.5], 76, 92), ([31.3, 31.3], 29, 34), ([10, 30], 10, 30)],
)
def test_axis_of_a_line_that_hardly_moves_spans_a_fifth_of_it(
    values: list[float], first: float, last: float
) -> None:
    """From zero, UnitedHealth's medical cost ratio looked flat, though 3.5 points decided on its year."""
    shown = {"kind": "line", "x": [f"{n}" for n in range(len(values))]}
    series = [{"name": "Medical cost ratio", "values": values}]
    svg = draw(ChartArgs.model_validate(CHART | shown | {"series": series})).decode()
    marks = svg[svg.index('class="axis y') :].split('class="axis x')[0]
    numbers = [float(each) for each in re.findall(r">([\d.]+)</text>", marks)]
    assert (min(numbers), max(numbers)) == (first, last)
