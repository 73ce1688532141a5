"""The arithmetic of a capacity plan: recorded figures of a run and assumptions become a table of what so many runs a month take."""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).parent.parent.parent
FIGURES = Path(__file__).with_name("figures.json")
ASSUMPTIONS = Path(__file__).with_name("assumptions.json")
PAGE = ROOT / "docs" / "capacity.md"
BEGIN, END = "<!-- computed by bench capacity -->", "<!-- end of what is computed -->"
MONTH_SECONDS = 30 * 86_400
GB = 1e9


class Figures(NamedTuple):
    """What one run of a preset took."""

    cpu_seconds: float
    """Of worker and gateway."""
    crew_cpu_seconds: float
    temporal_cpu_seconds: float
    postgres_cpu_seconds: float
    chain_seconds: float
    """From start to end without the human, where each call takes a second."""
    model_calls: float
    other_calls: float
    """Of searches, pages and other tools."""
    activities: float
    workflow_tasks: float
    history_events: float
    history_bytes: float
    payload_blob_bytes: float
    rows: float
    row_bytes: float
    """Without indexes and free space."""
    page_blobs: float


class Assumptions(NamedTuple):
    """What nobody measured here: how Greenlight is used, and how machines are loaded."""

    runs_a_month: list[int]
    shares: dict[str, float]
    """Of each preset in all runs."""
    peak_factor: float
    """Starts in the busiest hour over those of a mean hour."""
    seconds_a_call: float
    human_hours: float
    """How long a run waits for its answers and approvals, in all."""
    busy_share: float
    """Of a core that is planned for; the rest bears bursts."""
    index_factor: float
    """Bytes on disk over bytes of rows: indexes, TOAST, free space."""
    page_blob_bytes: int
    history_days: int
    """That Temporal keeps closed runs."""
    kept_months: int
    """That records and blobs are kept."""
    worker_cores: float
    connections_a_process: int
    gateway_runs_a_second: float
    """Starts and their streams that one gateway is planned for."""


class CapacityNeed(NamedTuple):
    """What so many runs a month need, at the busiest hour where it is a rate."""

    runs_a_month: int
    runs_a_second: float
    worker_cores: float
    crew_cores: float
    temporal_cores: float
    postgres_cores: float
    active_runs: float
    waiting_runs: float
    model_calls_a_minute: float
    tasks_a_second: float
    rows_a_month: float
    database_gb: float
    history_gb: float
    blob_gb: float
    workers: int
    gateways: int
    connections: int


ROWS: tuple[tuple[str, str, str], ...] = (
    ("runs_a_second", "starts a second, busiest hour", ".3f"),
    ("worker_cores", "cores of workers and gateways", ".1f"),
    ("crew_cores", "cores of crew workers", ".1f"),
    ("temporal_cores", "cores of Temporal's server", ".1f"),
    ("postgres_cores", "cores of PostgreSQL", ".1f"),
    ("active_runs", "runs at work at once", ",.0f"),
    ("waiting_runs", "runs that wait for a human", ",.0f"),
    ("model_calls_a_minute", "calls of models a minute", ",.0f"),
    ("tasks_a_second", "tasks of Temporal a second", ",.1f"),
    ("rows_a_month", "rows of PostgreSQL a month", ",.0f"),
    ("database_gb", "GB of PostgreSQL, once old records are removed", ",.1f"),
    ("history_gb", "GB of Temporal's histories", ",.1f"),
    ("blob_gb", "GB of blobs", ",.1f"),
    ("workers", "research workers", ",.0f"),
    ("gateways", "gateways", ",.0f"),
    ("connections", "connections to PostgreSQL", ",.0f"),
)


CALLS = {
    "cpu_seconds": "worker, gateway: CPU s",
    "crew_cpu_seconds": "crew worker",
    "temporal_cpu_seconds": "Temporal",
    "postgres_cpu_seconds": "PostgreSQL",
    "chain_seconds": "chain s",
    "model_calls": "calls of models",
    "other_calls": "searches, pages, tools",
    "activities": "activities",
    "workflow_tasks": "workflow tasks",
}
STORED = {
    "history_events": "events of history",
    "history_bytes": "bytes of history",
    "payload_blob_bytes": "bytes of payloads in blobs",
    "rows": "rows",
    "row_bytes": "bytes of rows",
    "page_blobs": "blobs of pages",
}
"""Columns of the first two tables, and their headings."""


def load_figures() -> dict[str, Figures]:
    """Return the recorded figures by preset."""
    kept: dict[str, dict[str, Any]] = json.loads(FIGURES.read_text("utf-8"))
    return {
        preset: Figures(**{name: of[name] for name in Figures._fields})
        for preset, of in kept.items()
    }


def load_assumptions() -> Assumptions:
    """Return the assumptions as they are kept."""
    return Assumptions(**json.loads(ASSUMPTIONS.read_text("utf-8")))


def average(figures: Mapping[str, Figures], shares: Mapping[str, float]) -> Figures:
    """Return what a run takes on average; of presets without a share, nothing."""
    assert abs(sum(shares.values()) - 1) < 1e-9, "the shares of presets have to add up to 1"
    return Figures(
        *(
            sum(share * figures[preset][n] for preset, share in shares.items())
            for n in range(len(Figures._fields))
        )
    )


def compute_need(runs: int, run: Figures, told: Assumptions) -> CapacityNeed:
    """Return what so many runs a month need, if each takes what `run` does."""
    mean = runs / MONTH_SECONDS
    peak = mean * told.peak_factor

    def count_cores(seconds: float) -> float:
        return peak * seconds / told.busy_share

    worker_cores = count_cores(run.cpu_seconds)
    workers = _round_up(worker_cores / told.worker_cores)
    gateways = _round_up(peak / told.gateway_runs_a_second)
    crews = _round_up(count_cores(run.crew_cpu_seconds) / told.worker_cores)
    return CapacityNeed(
        runs_a_month=runs,
        runs_a_second=peak,
        worker_cores=worker_cores,
        crew_cores=count_cores(run.crew_cpu_seconds),
        temporal_cores=count_cores(run.temporal_cpu_seconds),
        postgres_cores=count_cores(run.postgres_cpu_seconds),
        active_runs=peak * run.chain_seconds * told.seconds_a_call,
        waiting_runs=mean * told.human_hours * 3600,
        model_calls_a_minute=peak * run.model_calls * 60,
        tasks_a_second=peak * (run.activities + run.workflow_tasks),
        rows_a_month=runs * run.rows,
        database_gb=runs * told.kept_months * run.row_bytes * told.index_factor / GB,
        history_gb=runs * told.history_days / 30 * run.history_bytes / GB,
        blob_gb=runs
        * told.kept_months
        * (run.page_blobs * told.page_blob_bytes + run.payload_blob_bytes)
        / GB,
        workers=workers,
        gateways=gateways,
        connections=(workers + gateways + crews) * told.connections_a_process,
    )


def _round_up(number: float) -> int:
    return max(1, -int(-number // 1))


def write_table() -> Iterator[str]:
    """Yield the lines of the tables: a run of each preset, so many runs a month, and what is assumed."""
    figures, told = load_figures(), load_assumptions()
    run = average(figures, told.shares)
    rows = [
        *(
            (f"`{preset}`", told.shares.get(preset, 0), of)
            for preset, of in sorted(figures.items())
        ),
        ("the average", 1.0, run),
    ]
    for columns in (CALLS, STORED):
        yield "| a run of | share | " + " | ".join(columns.values()) + " |"
        yield "|---" * (len(columns) + 2) + "|"
        for name, share, of in rows:
            cells = (_show(getattr(of, column)) for column in columns)
            yield f"| {name} | {share:.0%} | " + " | ".join(cells) + " |"
        yield ""
    needs = [compute_need(runs, run, told) for runs in told.runs_a_month]
    yield "| runs a month | " + " | ".join(f"{need.runs_a_month:,}" for need in needs) + " |"
    yield "|---" * (len(needs) + 1) + "|"
    for name, words, form in ROWS:
        cells = (f"{getattr(need, name):{form}}" for need in needs)
        yield f"| {words} | " + " | ".join(cells) + " |"
    yield ""
    yield "| assumed | |"
    yield "|---|---|"
    for name, value in told._asdict().items():
        if isinstance(value, int | float):
            yield f"| {_name(name)} | {value:,} |"


def _name(field: str) -> str:
    return field.replace("_", " ")


def _show(figure: float) -> str:
    return f"{figure:,.0f}" if figure >= 100 or figure == int(figure) else f"{figure:.2f}"


def render_page(text: str) -> str:
    """Return the page with the tables as they are computed now."""
    head, _, rest = text.partition(BEGIN)
    _, _, tail = rest.partition(END)
    return f"{head}{BEGIN}\n\n" + "\n".join(write_table()) + f"\n\n{END}{tail}"


def write_page() -> None:
    """Compute the tables of `docs/capacity.md` anew."""
    PAGE.write_text(render_page(PAGE.read_text("utf-8")), encoding="utf-8")
