"""The capacity plan is computed from recorded figures, and its page holds what is computed."""

import pytest

from bench.capacity.plan import (
    PAGE,
    Assumptions,
    Figures,
    average,
    compute_need,
    load_assumptions,
    load_figures,
    render_page,
)
from contracts.preset_definitions import PRESETS

RUN = Figures(
    cpu_seconds=0.6,
    crew_cpu_seconds=0,
    temporal_cpu_seconds=0.3,
    postgres_cpu_seconds=0.1,
    chain_seconds=10,
    model_calls=5,
    other_calls=5,
    activities=20,
    workflow_tasks=20,
    history_events=150,
    history_bytes=200_000,
    payload_blob_bytes=0,
    rows=80,
    row_bytes=100_000,
    page_blobs=6,
)


def test_page_has_the_tables_that_the_figures_give() -> None:
    text = PAGE.read_text("utf-8")
    assert text == render_page(text), "run `python3 -m greenlight bench capacity`"


def test_every_preset_was_measured() -> None:
    runnable = {preset.id for preset in PRESETS.values() if not preset.asks_report}
    assert set(load_figures()) == runnable


def test_needs_grow_with_the_runs_and_with_the_peak() -> None:
    told = load_assumptions()._replace(peak_factor=2, busy_share=0.5, seconds_a_call=4)
    less, more = (compute_need(runs, RUN, told) for runs in (259_200, 2_592_000))
    assert less.runs_a_second == pytest.approx(0.2)
    assert less.worker_cores == pytest.approx(0.2 * 0.6 / 0.5)
    assert less.active_runs == pytest.approx(0.2 * 10 * 4)
    assert less.tasks_a_second == pytest.approx(0.2 * 40)
    assert more.database_gb == pytest.approx(10 * less.database_gb)
    assert more.workers >= less.workers >= 1


def test_average_is_by_the_shares() -> None:
    twice = RUN._replace(cpu_seconds=1.2, rows=160)
    mixed = average({"a": RUN, "b": twice}, {"a": 0.75, "b": 0.25})
    assert mixed.cpu_seconds == pytest.approx(0.75)
    assert mixed.rows == pytest.approx(100)
    with pytest.raises(AssertionError):
        average({"a": RUN}, {"a": 0.5})


def test_assumptions_have_a_share_of_measured_presets_alone() -> None:
    told: Assumptions = load_assumptions()
    assert set(told.shares) <= set(load_figures())
