"""`bench observability`: the trace of a run as a collector received it, and its metrics over some runs, as pictures."""

import asyncio
import re
import time
from collections.abc import Sequence
from dataclasses import dataclass, field

import httpx
import pygal
from prometheus_client.parser import text_string_to_metric_families
from pygal.style import Style
from rich.table import Table

from bench.harness import BenchClient, make_table, set_variables, start_bench
from bench.observability.collector import ReceivedSpan, TraceCollector
from bench.observability.waterfall import STYLE, draw_waterfall, find_step
from greenlight.bootstrap import ROOT
from greenlight.stack.ports import reserve_ports

PICTURES = ROOT / "docs" / "pictures"
RUNS, AT_ONCE = 12, 3
SCRAPE_SECONDS = 1.0
RATE_SCRAPES = 5
"""Scrapes over which a rate is taken."""
LATENCY_SECONDS = 0.2
CREW = "market_analysis"
FAILURES = [{"status": 529, "times": 3, "match": {"service": "model", "nth": 12}}]
"""A provider that is busy for a moment."""
Sample = dict[tuple[str, frozenset[tuple[str, str]]], float]


@dataclass
class Scrapes:
    """Time series of the processes' metrics."""

    ports: Sequence[int]
    times: list[float] = field(default_factory=list)
    samples: list[Sample] = field(default_factory=list)

    async def go_on(self) -> None:
        """Scrape until cancelled."""
        async with httpx.AsyncClient(trust_env=False) as http:
            while True:
                found: Sample = {}
                for port in self.ports:
                    try:
                        page = (await http.get(f"http://127.0.0.1:{port}/metrics")).text
                    except httpx.ConnectError:  # the crew worker takes longest to start
                        continue
                    for family in text_string_to_metric_families(page):
                        for s in family.samples:
                            found[s.name, frozenset(s.labels.items())] = s.value
                self.times.append(time.monotonic())
                self.samples.append(found)
                await asyncio.sleep(SCRAPE_SECONDS)

    def sum_by(self, name: str, label: str, **only: str) -> dict[str, list[float]]:
        """Return the sums of a metric by a label's values, one for each scrape."""
        wanted = only.items()
        series: dict[str, list[float]] = {}
        for n, sample in enumerate(self.samples):
            for (found, labels), value in sample.items():
                told = dict(labels)
                if found == name and wanted <= told.items():
                    row = series.setdefault(told.get(label, ""), [0.0] * len(self.samples))
                    row[n] += value
        return series

    def rate_by(self, name: str, label: str, a_minute: float = 60) -> dict[str, list[float]]:
        """Return how much a counter grew a minute, over the last scrapes."""
        return {
            key: [
                a_minute
                * (row[n] - row[max(n - RATE_SCRAPES, 0)])
                / max(self.times[n] - self.times[max(n - RATE_SCRAPES, 0)], SCRAPE_SECONDS)
                for n in range(len(row))
            ]
            for key, row in self.sum_by(name, label).items()
        }


async def measure() -> Table:
    """Do some runs, and draw what they showed."""
    collector = TraceCollector()
    ports = reserve_ports({"metrics": 0})["metrics"]
    told = {
        "OTEL_EXPORTER_OTLP_ENDPOINT": collector.url,
        "OTEL_BSP_SCHEDULE_DELAY": "200",
        "OTEL_BSP_MAX_QUEUE_SIZE": "20000",
        "GREENLIGHT_METRICS": f"127.0.0.1:{ports}",
    }
    with set_variables(**told):
        async with start_bench() as bench:
            scrapes = Scrapes([ports, ports + 1, ports + 2])
            scraping = asyncio.create_task(scrapes.go_on())
            run, crew = await _do_runs(bench)
            scraping.cancel()
            await asyncio.sleep(2)
    spans = collector.spans()
    own, by_crew = _find_trace(spans, run), _find_trace(spans, crew)
    title = "One run, as its collector received it (stand-in for model and search; SQL left out)"
    (PICTURES / "trace.svg").write_text(draw_waterfall(own, title), encoding="utf-8")
    (PICTURES / "metrics.svg").write_text(_draw_panels(scrapes), encoding="utf-8")
    table = make_table("traces", "run", "spans", "of the gateway", "worker", "crew worker", "chat")
    for name, trace in ((run, own), (crew, by_crew)):
        processes = [span.process for span in trace]
        counts = [processes.count(f"greenlight-{p}") for p in ("gateway", "worker", "crew-worker")]
        chats = sum(span.name.startswith("chat ") for span in trace)
        table.add_row(name[:8], *map(str, (len(trace), *counts, chats)))
    collector.close()
    return table


async def _do_runs(bench: BenchClient) -> tuple[str, str]:
    """Do the runs, with a provider that is busy for a moment; return a run's id and that of one with a crew."""
    await bench.set_latency(LATENCY_SECONDS)
    first = await bench.run()
    told = {"failures": FAILURES, "latency": LATENCY_SECONDS}
    (await bench.offline.post("/control", json=told)).raise_for_status()
    for _ in range(RUNS // AT_ONCE):
        await asyncio.gather(*(bench.run() for _ in range(AT_ONCE)))
    crew = await bench.run(definition=CREW)
    return first.id, crew.id


def _find_trace(spans: Sequence[ReceivedSpan], run_id: str) -> list[ReceivedSpan]:
    """Return the spans of the trace in which a run's workflow is."""
    named = (
        span
        for span in spans
        if span.name == "RunWorkflow:Research" and span.attributes["greenlight.run_id"] == run_id
    )
    trace = next(named).trace
    return [span for span in spans if span.trace == trace]


def _draw_panels(scrapes: Scrapes) -> str:
    """Return the dashboard's main panels as one SVG."""
    seconds = [at - scrapes.times[0] for at in scrapes.times]
    requests = "greenlight_http_request_duration_seconds_count"
    panels: list[tuple[str, dict[str, list[float]]]] = [
        ("Active runs by status", scrapes.sum_by("greenlight_active_runs", "status")),
        (
            "US dollars an hour by model",
            _hourly(scrapes.rate_by("greenlight_model_usd_total", "model")),
        ),
        ("Model calls a minute by role", scrapes.rate_by("greenlight_model_calls_total", "role")),
        (
            "Tokens a minute by direction",
            scrapes.rate_by("greenlight_model_tokens_total", "direction"),
        ),
        (
            "Failed requests to providers a minute",
            scrapes.rate_by("greenlight_provider_failures_total", "error"),
        ),
        ("Requests to the gateway a second by status", scrapes.rate_by(requests, "status", 1)),
    ]
    wide, high, top = 540, 300, 40
    rows = (len(panels) + 1) // 2
    drawn = "".join(
        _place(
            _draw_panel(title, seconds, series, (wide, high), n), n % 2 * wide, top + n // 2 * high
        )
        for n, (title, series) in enumerate(panels)
    )
    head = "Panels of the dashboard, drawn from what a stack showed Prometheus over some runs (stand-in for model and search)"
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {2 * wide} {top + rows * high}" '
        f'width="{2 * wide}" height="{top + rows * high}"><rect width="100%" height="100%" fill="white"/>'
        f'<text x="12" y="24" font-family="Helvetica, Arial, sans-serif" font-size="15" font-weight="bold">{head}</text>'
        f"{drawn}</svg>\n"
    )


def _hourly(series: dict[str, list[float]]) -> dict[str, list[float]]:
    return {name: [60 * value for value in row] for name, row in series.items()}


def _draw_panel(
    title: str,
    seconds: Sequence[float],
    series: dict[str, list[float]],
    size: tuple[int, int],
    n: int,
) -> str:
    chart = pygal.XY(
        style=Style(
            **STYLE
            | {
                "title_font_size": 14,
                "label_font_size": 11,
                "major_label_font_size": 11,
                "legend_font_size": 11,
            }
        ),
        title=title,
        width=size[0],
        height=size[1],
        value_formatter=lambda value: f"{value:,g}",
        x_value_formatter=lambda seconds: f"{seconds:.0f} s",
        dots_size=0,
        show_dots=False,
        stroke_style={"width": 2},
        legend_at_bottom=True,
        legend_at_bottom_columns=4,
        truncate_legend=-1,
        include_x_axis=True,
        js=[],
        disable_xml_declaration=True,
    )
    chart.uuid = f"panel-{n}"
    most = max((max(row) for row in series.values()), default=0) or 1
    step = find_step(most, 5)
    chart.y_labels = [n * step for n in range(int(most / step) + 2)]
    for name, row in sorted(series.items()):
        if any(row):
            chart.add(name, list(zip(seconds, row, strict=True)))
    svg: str = chart.render(is_unicode=True)
    return svg


def _place(svg: str, x: int, y: int) -> str:
    """Return an SVG drawing to embed in another one, with its own size and without scripts."""
    bare = re.sub(r"<script.*?</script>|<!--.*?-->", "", svg, flags=re.DOTALL)
    sized = re.search(r'viewBox="0 0 (\d+) (\d+)"', bare)
    assert sized
    head = f'<svg x="{x}" y="{y}" width="{sized[1]}" height="{sized[2]}" '
    return bare.replace("<svg ", head, 1)
