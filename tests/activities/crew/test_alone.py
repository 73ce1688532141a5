"""CrewAI left alone: it writes to its scratch folder, calls nobody and reads no `.env`."""

import asyncio
import json
import os
import sys
from pathlib import Path
from typing import Any

import pytest

from contracts.agents.crews import CrewTaskRequest
from tests.activities.crew.conftest import DONE, STRATEGIST, Bureau, fetch, search, uses
from tests.conftest import ROOT

HARMLESS = ("/dev/", "/proc/")
LOOPBACK = {"127.0.0.1", "localhost", "::1"}


@pytest.mark.full
async def test_task_writes_only_to_scratch_and_calls_nobody(bureau: Bureau, tmp_path: Path) -> None:
    """Home, working and temporary folder stay empty but for the `.env` that was there."""
    rooms = build_rooms(tmp_path)
    (rooms["work"] / ".env").write_text("OWN=read\n", encoding="utf-8")
    bureau.finds("/one")
    url = bureau.puts("/one")
    bureau.house.provider.answers(uses(1, search("pumps")), uses(2, fetch(url)), DONE)
    seen = await work_alone(bureau, bureau.task(), rooms)
    assert (seen["output"], len(bureau.asked)) == ({"number": 12}, 3)
    allowed = (*HARMLESS, str(rooms["scratch"]), str(rooms["blobs"]))
    assert [path for path in seen["written"] if not path.startswith(allowed)] == []
    assert set(seen["called"]) <= LOOPBACK
    assert seen["called"]
    assert [path for path in seen["written"] if path.endswith(".db")] == []
    assert seen["own"] == ""
    left = [p for name in ("home", "work", "temp") for p in rooms[name].rglob("*")]
    assert left == [rooms["work"] / ".env"]


@pytest.mark.full
async def test_disk_that_takes_nothing_fails_no_task(bureau: Bureau, tmp_path: Path) -> None:
    bureau.house.provider.answers(DONE)
    task, rooms = bureau.task(STRATEGIST), build_rooms(tmp_path)
    seen = await work_alone(bureau, task, rooms, DISK="full")
    assert (seen["output"], len(bureau.asked)) == ({"number": 12}, 1)


def build_rooms(folder: Path) -> dict[str, Path]:
    rooms = {name: folder / name for name in ("home", "work", "temp", "scratch", "blobs")}
    for room in rooms.values():
        room.mkdir()
    return rooms


async def work_alone(
    bureau: Bureau, task: CrewTaskRequest, rooms: dict[str, Path], **more: str
) -> dict[str, Any]:
    """Do a task in a process of its own, with more in its environment; return what it says."""
    told = {
        **{name: value for name, value in os.environ.items() if "CREWAI" not in name},
        "HOME": str(rooms["home"]),
        "TMPDIR": str(rooms["temp"]),
        "PYTHONPATH": str(ROOT),
        "PYTHONDONTWRITEBYTECODE": "1",
        **more,
    }
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "tests.activities.crew.alone"),
        *(bureau.house.dsn, bureau.house.provider.url, bureau.site.host),
        *(str(rooms["scratch"]), str(rooms["blobs"])),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        cwd=rooms["work"],
        env=told,
    )
    said, _ = await process.communicate(task.model_dump_json().encode())
    seen: dict[str, Any] = json.loads(said.splitlines()[-1])
    return seen
