"""The drill: a backup under load, restored into an empty home, where every run goes on and nothing is paid twice."""

import asyncio
import json
import os
import re
import shutil
import sqlite3
import subprocess
import sys
import time
from collections.abc import AsyncIterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psycopg
import pytest

from greenlight.archives.archive_reader import open_archive
from greenlight.archives.archive_verification import verify
from greenlight.bootstrap import ROOT
from greenlight.exit_codes import FAILED, USAGE
from greenlight.stack.backup import BLOBS, DATABASE, KEY_FILE, MANIFEST, TEMPORAL, name_unfinished
from tests.chaos.fragile_stack import FragileStack
from tests.chaos.test_worker import SLOW
from tests.support.databases import as_owner
from tests.support.offline_services import POLL, eventually
from tests.support.stack import QUESTION, Run, Whole

BYTES = {"Content-Type": "application/octet-stream"}
BLOB_KEY = re.compile(r'"([\w-]+/[0-9a-f]{64})"')


@dataclass(frozen=True)
class Drill:
    """A restored stack, and what there was before the backup."""

    whole: Whole
    folder: Path
    ids: dict[str, str]
    """The ids of runs by what they were at."""
    answered: set[str]
    """The bodies of requests to the model that were answered well before the backup."""
    report: list[bytes]


def command(home: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """Run a `greenlight` command in a home."""
    return subprocess.run(
        [sys.executable, "-c", "from greenlight import cli; cli.main()", *words],
        env={**os.environ, "GREENLIGHT_HOME": str(home)},
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )


async def make_runs(whole: Whole) -> dict[str, Run]:
    """Return a run in each state, including two that wait for slow providers; all questions differ."""
    names = ("done", "rejected", "cancelled", "asked", "planned", "paused", "research")
    runs = {name: await whole.start(f"{QUESTION} Case {name}.") for name in names}
    for name in ("rejected", "planned", "paused", "research"):
        await runs[name].answer()
        await runs[name].asks("decision")
    await runs["done"].finish()
    await runs["rejected"].post("/decision", {"action": "reject"})
    await runs["cancelled"].post("/cancel")
    await runs["asked"].asks("questions")
    await runs["paused"].post("/pause")
    await runs["paused"].approve()
    for name in ("rejected", "cancelled"):
        await runs[name].ended()
    await whole.providers.told(latency=SLOW)
    await runs["research"].approve()
    patient = {name: {"timeout_seconds": 600} for name in ("clarification", "planning")}
    answer = await whole.start(definition="web_answer", config_overrides=patient)
    return runs | {"answer": answer}


async def upload_amid(whole: Whole, folder: Path) -> None:
    """Upload files from the moment at which a backup begins to copy blobs, fewer than a user may have."""

    async def begins() -> bool:
        return name_unfinished(folder).joinpath(BLOBS).exists()

    await eventually(begins)
    for n in range(90):
        named = {"name": f"{n}.txt"}
        kept = await whole.http.post("/v1/files", params=named, content=f"File {n}.", headers=BYTES)
        assert kept.status_code == 201, kept.text
        await asyncio.sleep(POLL / 2)


def hold_temporal(home: Path, folder: Path) -> None:
    """Keep Temporal's file from the server and the backup until a while after that began to copy blobs."""
    with closing(sqlite3.connect(home / TEMPORAL, timeout=30, isolation_level=None)) as lock:
        lock.execute("BEGIN IMMEDIATE")
        while not name_unfinished(folder).joinpath(BLOBS).exists():
            time.sleep(POLL)
        time.sleep(3 * SLOW)


async def list_answered(whole: Whole) -> set[str]:
    """Return the bodies of the requests to the model that were answered in full."""
    asked = await whole.providers.asked("model")
    return {each["body_sha256"] for each in asked if each["finished"] and each["status"] == 200}


async def read_report(run: Run) -> list[bytes]:
    """Return a run's report in the formats that are text."""
    formats = ("md", "json", "html")
    return [(await run.get("/report", format=each)).content for each in formats]


async def list_settled(whole: Whole) -> dict[str, Any]:
    """Return when each call of the journal was settled."""
    async with await psycopg.AsyncConnection.connect(
        as_owner(whole.stack.addresses.database)
    ) as connection:
        query = "SELECT key, settled_at FROM calls WHERE settled_at IS NOT NULL"
        return dict(await (await connection.execute(query)).fetchall())


pytestmark = pytest.mark.full
"""A drill takes two stacks."""


@pytest.fixture(scope="module")
async def drilled(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Drill]:
    """A stack that was backed up while runs went on, then stopped, and restored into another home."""
    base = tmp_path_factory.mktemp("backup")
    home, folder, restored = base / "home", base / "saved", base / "restored"
    async with FragileStack(home, print, has_crews=False) as stack, Whole.of(stack) as whole:
        runs = await make_runs(whole)
        research = len(await whole.providers.asked("model"))
        await whole.providers.until("model", research + 2)
        answered = await list_answered(whole)
        await asyncio.sleep(SLOW)  # until the journal has them
        uploads = asyncio.create_task(upload_amid(whole, folder))
        holding = asyncio.create_task(asyncio.to_thread(hold_temporal, home, folder))
        saved = await asyncio.to_thread(command, home, "backup", str(folder))
        assert uploads.cancel() or not uploads.exception()
        await holding
        assert saved.returncode == 0, saved.stderr
        report = await read_report(runs["done"])
        whole.runs.clear()  # they are as good as lost
    filled = await asyncio.to_thread(command, restored, "restore", str(folder))
    assert filled.returncode == 0, filled.stderr
    async with FragileStack(restored, print, has_crews=False) as stack, Whole.of(stack) as whole:
        ids = {name: run.id for name, run in runs.items()}
        yield Drill(whole, folder, ids, answered, report)


def run_of(drill: Drill, name: str) -> Run:
    return Run(drill.whole.http, drill.ids[name])


async def test_finished_report_is_the_same_to_the_byte(drilled: Drill) -> None:
    run = run_of(drilled, "done")
    assert await read_report(run) == drilled.report
    archive = drilled.folder.with_name("done.zip")
    archive.write_bytes((await run.get("/archive")).content)
    with open_archive(archive) as opened:
        assert verify(opened).findings == []


async def test_every_file_has_its_bytes(drilled: Drill) -> None:
    addresses = drilled.whole.stack.addresses
    async with await psycopg.AsyncConnection.connect(as_owner(addresses.database)) as connection:
        rows = await (
            await connection.execute("SELECT tenant_id, body::text FROM files")
        ).fetchall()
    assert rows, "some were uploaded during the backup"
    keys = [(tenant, key) for tenant, body in rows for key in BLOB_KEY.findall(body)]
    assert len(keys) >= len(rows)
    blobs = Path(addresses.home) / BLOBS
    assert [key for tenant, key in keys if not (blobs / tenant / key).is_file()] == []


async def test_every_run_goes_on_and_nothing_is_paid_twice(drilled: Drill) -> None:
    before = await list_settled(drilled.whole)
    for name, status in (("rejected", "rejected"), ("cancelled", "cancelled")):
        assert (await run_of(drilled, name).state()).status == status
    await run_of(drilled, "paused").post("/resume")
    await run_of(drilled, "asked").answer()
    for name in ("asked", "planned"):
        await run_of(drilled, name).approve()
    for name in ("asked", "planned", "paused", "research", "answer"):
        run = run_of(drilled, name)
        assert (await run.ended(90)).status in {"completed", "partial"}, name
        seqs = [event.seq for event in await run.events()]
        assert seqs == list(range(1, len(seqs) + 1)), name
    after = await list_settled(drilled.whole)
    assert {key: after.get(key) for key in before} == before
    asked = {each["body_sha256"] for each in await drilled.whole.providers.asked("model")}
    assert asked
    assert asked & drilled.answered == set()


def test_backup_holds_no_key_unless_asked(drilled: Drill) -> None:
    assert not [*drilled.folder.rglob(KEY_FILE)]
    assert json.loads((drilled.folder / MANIFEST).read_text("utf-8"))["has_keys"] is False


async def test_home_with_data_is_not_restored_into(drilled: Drill, tmp_path: Path) -> None:
    home = Path(drilled.whole.stack.addresses.home)
    refused = await asyncio.to_thread(command, home, "restore", str(drilled.folder))
    assert refused.returncode
    (tmp_path / "postgres").mkdir()
    refused = await asyncio.to_thread(command, tmp_path, "restore", str(drilled.folder))
    assert refused.returncode == USAGE
    assert [path.name for path in (tmp_path / "postgres").iterdir()] == []


def test_altered_backup_is_refused(drilled: Drill, tmp_path: Path) -> None:
    altered = tmp_path / "altered"
    altered.mkdir()
    shutil.copy2(drilled.folder / MANIFEST, altered)
    (altered / DATABASE).write_bytes((drilled.folder / DATABASE).read_bytes()[:-1])
    assert command(tmp_path / "home", "restore", str(altered)).returncode == FAILED
    assert not (tmp_path / "home" / "postgres").exists()


def test_backup_without_a_stack_says_so(tmp_path: Path) -> None:
    refused = command(tmp_path / "home", "backup", str(tmp_path / "saved"))
    assert refused.returncode
    assert not (tmp_path / "saved").exists()
