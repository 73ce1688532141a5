"""What one run of each preset takes: processor time, calls, rows, history; kept in `figures.json`."""

import asyncio
import json
from collections import Counter
from datetime import UTC, datetime
from typing import Any

import psycopg
from psycopg import sql
from temporalio.api.enums.v1 import EventType

from bench.capacity.plan import FIGURES, Figures
from bench.harness import SMALL_QUESTION, BenchClient, BenchRun, start_bench
from bench.speed import read_cpu_seconds
from contracts.definitions import Definition

LATENCY_SECONDS = 1.0
"""What each answer of a model, search or page takes: a run's time is then its longest chain of calls."""
TICKER = {"ticker": "AAPL"}
_HELD = """
SELECT table_name FROM information_schema.columns c JOIN information_schema.tables USING (table_name)
WHERE column_name = 'run_id' AND table_type = 'BASE TABLE' AND c.table_schema = 'public'
"""


async def record(presets: list[str]) -> None:
    """Run each of these presets once, after one that warms it up, and keep what it took."""
    kept: dict[str, Any] = json.loads(FIGURES.read_text("utf-8")) if FIGURES.exists() else {}
    async with start_bench() as bench:
        await bench.run(SMALL_QUESTION, definition="market_analysis")  # once CrewAI has loaded
        for preset in presets or await _list_presets(bench):
            await bench.set_latency(0)
            await _run(bench, preset)
            await bench.set_latency(LATENCY_SECONDS)
            before = read_cpu_seconds(bench.stack)
            run = await _run(bench, preset)
            after = read_cpu_seconds(bench.stack)
            cpu = {part: round(after[part] - before[part], 3) for part in after}
            figures = await _measure(bench, run, cpu)
            kept[preset] = {**figures._asdict(), "measured": datetime.now(UTC).date().isoformat()}
            FIGURES.write_text(json.dumps(kept, indent=1, sort_keys=True) + "\n", encoding="utf-8")


async def _list_presets(bench: BenchClient) -> list[str]:
    """Return the presets that start from a question alone, without a report."""
    found = (await bench.gateway.get("/v1/workflows"))["items"]
    presets = [Definition.model_validate(each) for each in found]
    return [each.id for each in presets if each.is_preset and not each.asks_report]


async def _run(bench: BenchClient, preset: str) -> BenchRun:
    inputs = TICKER if preset == "investment_analysis" else {}
    return await bench.run(SMALL_QUESTION, definition=preset, inputs=inputs, save_startup=False)


async def _measure(bench: BenchClient, run: BenchRun, cpu: dict[str, float]) -> Figures:
    handle = bench.temporal.get_workflow_handle(run.id)
    execution = (await handle.describe()).raw_description.workflow_execution_info
    history = await handle.fetch_history()
    kinds = Counter(event.event_type for event in history.events)
    rows, row_bytes, calls, blobs = await _read_database(bench.stack.addresses.database, run.id)
    return Figures(
        cpu_seconds=sum(cpu[part] for part in ("worker", "gateway")),
        crew_cpu_seconds=cpu.get("crew-worker", 0.0),
        temporal_cpu_seconds=cpu["temporal"],
        postgres_cpu_seconds=cpu["postgres"],
        chain_seconds=round(run.seconds - run.human_seconds, 2),
        model_calls=calls["model"],
        other_calls=sum(calls.values()) - calls["model"],
        activities=kinds[EventType.EVENT_TYPE_ACTIVITY_TASK_SCHEDULED],
        workflow_tasks=kinds[EventType.EVENT_TYPE_WORKFLOW_TASK_SCHEDULED],
        history_events=execution.history_length,
        history_bytes=execution.history_size_bytes,
        payload_blob_bytes=execution.external_payload_size_bytes,
        rows=rows,
        row_bytes=row_bytes,
        page_blobs=blobs,
    )


async def _read_database(dsn: str, run_id: str) -> tuple[int, int, Counter[str], int]:
    """Return a run's rows, their bytes without indexes, its calls by kind, and how many blobs it refers to."""
    async with await psycopg.AsyncConnection.connect(dsn) as connection:
        await connection.execute("SELECT set_config('app.tenant', 'default', false)")
        tables = [row[0] for row in await (await connection.execute(_HELD)).fetchall()]
        rows = row_bytes = 0
        for table, key in [*((name, "run_id") for name in tables), ("runs", "id")]:
            query = sql.SQL(
                "SELECT count(*), coalesce(sum(pg_column_size(t.*)), 0) FROM {} t WHERE {} = %s"
            ).format(sql.Identifier(table), sql.Identifier(key))
            found = await (await connection.execute(query, [run_id])).fetchone()
            assert found
            rows, row_bytes = rows + found[0], row_bytes + int(found[1])
        by_kind = "SELECT kind, count(*) FROM calls WHERE run_id = %s GROUP BY kind"
        found_calls = await (await connection.execute(by_kind, [run_id])).fetchall()
        referred = "SELECT count(*) FROM blob_references WHERE holder = %s"
        blobs = await (await connection.execute(referred, [run_id])).fetchone()
        assert blobs
        return rows, row_bytes, Counter(dict(found_calls)), blobs[0]


def measure(presets: list[str]) -> None:
    """Measure presets, all by default."""
    asyncio.run(record(presets))
